// Undoing changes of the audit log: the operation that restores the earlier values, and its body. Kinds that are not
// listed here, and values that the log does not keep whole (secrets, long texts), cannot be restored.

import { call, may, tag } from "./api.js";
import { FormDialog } from "./dialog.js";
import { Loading, Trouble, html, personName } from "./elements.js";
import { useAnswer, useState } from "./hooks.js";
import { millis, short, wire } from "./time.js";
import { say } from "./toast.js";

/** The placeholder in the log for a value that it does not keep. */
const REDACTED = /^(\[secret\]|\(\d+ characters\))$/;
/** Fields that follow from other fields or from the change itself. */
const DERIVED = [
  /^(created|updated)(By|Date|Time)\b/,
  /^(assignedTo|entityCategory|priority|status)\./,
  /^(id|uniqueId|clientUniqueId|path|size|revision|entities|os|dns)$/,
  /^(nextRun|lastEvent|closedDate|resolvedDate|jobQueued)$/,
];
const isDerived = (path) => DERIVED.some((one) => one.test(path));

const isRecorded = (value) => !(typeof value === "string" && REDACTED.test(value));
const isRecordedChange = (change) => isRecorded(change.before) && isRecorded(change.after);
const copy = (value) => (value === undefined || value === null ? value : JSON.parse(JSON.stringify(value)));

/** What was there before; where nothing was, what says so in a request. */
function before(change) {
  if ("before" in change) return change.before;
  return typeof change.after === "string" ? "" : Array.isArray(change.after) ? [] : null;
}

/** The value at a path of a record. */
const at = (record, path) => path.split(".").reduce((value, step) => value?.[step], record);

/** A copy of an object without what is empty. */
function pruned(value) {
  if (!value || typeof value !== "object" || Array.isArray(value)) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, pruned(part)]);
  const full = parts.filter(
    ([, part]) =>
      part !== undefined && !(part && typeof part === "object" && !Array.isArray(part) && !Object.keys(part).length),
  );
  return Object.fromEntries(full);
}

/** A part of a record with all that changed in it as it was. */
function restoredPart(record, name, changes) {
  const whole = { [name]: copy(record[name]) };
  for (const [path, change] of Object.entries(changes).filter(
    ([path]) => path === name || path.startsWith(`${name}.`),
  )) {
    const steps = path.split(".");
    const last = steps.pop();
    let place = whole;
    for (const step of steps) place = place[step] = place[step] && typeof place[step] === "object" ? place[step] : {};
    if ("before" in change) place[last] = change.before;
    else delete place[last];
  }
  return pruned(whole)[name];
}

// Fields: whether a path of the log is theirs, what a record has there now, and their part of a request.
const plainField = (name) => ({
  has: (path) => path === name,
  now: (record) => record[name],
  body: (record, changes) => ({ [name]: before(changes[name]) }),
});
const objectField = (name) => ({
  has: (path) => path === name || path.startsWith(`${name}.`),
  now: at,
  body: (record, changes) => ({ [name]: restoredPart(record, name, changes) }),
});
const mappedField = (path, now, body) => ({
  has: (other) => other === path,
  now,
  body: (record, changes) => body(before(changes[path])),
});
const plainFields = (names) => names.split(" ").map(plainField);

const PARTS = { device: "devices", deviceGroup: "deviceGroups", location: "locations" };
/** The targets of a window, by kind, as a request names them. */
function targets(list) {
  const of = (kind) => (list || []).filter((one) => one.kind === kind);
  return {
    devices: of("device").map(({ id }) => ({ uniqueId: id })),
    deviceGroups: of("deviceGroup").map(({ id }) => ({ id: Number(id) })),
    locations: of("location").map(({ id }) => ({ id: Number(id) })),
  };
}
const targetsNow = (window) =>
  Object.entries(PARTS).flatMap(([kind, name]) =>
    (window[name] || []).map((one) => ({ kind, id: String((kind === "device" && one.uniqueId) || one.id) })),
  );

/** The tags of a machine, those that changed as they were. */
const tags = {
  has: (path) => path.startsWith("tags."),
  now: (machine, path) => machine.tags?.find((tag) => `tags.${tag.name}` === path)?.value,
  body: (machine, changes) => {
    const changed = Object.entries(changes).filter(([path]) => path.startsWith("tags."));
    const others = (machine.tags || []).filter((tag) => !changed.some(([path]) => path === `tags.${tag.name}`));
    const back = changed
      .filter(([, change]) => "before" in change)
      .map(([path, change]) => ({ name: path.slice("tags.".length), value: change.before }));
    return { tags: [...others.map(({ name, value }) => ({ name, value })), ...back] };
  },
};
const machineField = (name, shown = name) => ({
  ...plainField(name),
  now: (machine) => machine[shown] ?? machine.generalInfo?.[shown],
});

/** The text of an article, of which the log has only that it is another one: the version before has it. */
const text = {
  has: (path) => path === "revision",
  now: (article) => article.revision,
  then: (value) => `the text of version ${value}`,
  body: async (article, changes) => ({
    content: (
      await call("getKbArticle", {
        tenantId: article.tenantId,
        articleId: article.id,
        query: { revision: changes.revision.before },
      })
    ).content,
  }),
};

/** The shifts of a roster, which name people by their ids alone in the log. */
const crew = ({ users = [], userGroups = [], ...rest }) => ({
  ...rest,
  users: users.map(({ id }) => ({ id })),
  userGroups: userGroups.map(({ uniqueId }) => ({ uniqueId })),
});
const shifts = {
  ...plainField("shiftDetails"),
  now: (roster) =>
    roster.shiftDetails?.map(({ id, name, schedule, users, userGroups, rotation, level }) =>
      copy({
        id,
        name,
        schedule,
        ...crew({ users, userGroups }),
        rotation: rotation && { ...rotation, order: rotation.order.map(crew) },
        level,
      }),
    ),
};

/** Kinds that an update puts back. */
const UPDATES = {
  User: {
    id: "userId",
    read: "getUser",
    write: "updateUser",
    fields: plainFields("loginName firstName lastName email phoneNumber mobileNumber role"),
  },
  INCIDENT: {
    id: "incidentId",
    read: "getIncident",
    write: "updateIncident",
    fields: [
      ...plainFields("subject description dueDate"),
      mappedField(
        "status.name",
        (one) => one.status,
        (status) => ({ status }),
      ),
      mappedField(
        "priority.name",
        (one) => one.priority,
        (priority) => ({ priority }),
      ),
      mappedField(
        "assignedTo.id",
        (one) => one.assignee?.id,
        (id) => ({ assignee: { id } }),
      ),
      mappedField(
        "entityCategory.uniqueId",
        (one) => one.category?.uniqueId,
        (uniqueId) => ({ category: { uniqueId } }),
      ),
    ],
  },
  Job: {
    id: "jobId",
    read: "getJob",
    write: "updateJob",
    fields: [
      ...plainFields("name description active timeLimit misfirePolicy overlapPolicy alertOnFailure labels resources"),
      objectField("schedule"),
      objectField("script"),
    ],
  },
  JobScript: {
    id: "scriptId",
    read: "getJobScript",
    write: "updateJobScript",
    fields: plainFields("name description content interpreter platforms"),
  },
  KbArticle: {
    id: "articleId",
    read: "getKbArticle",
    write: "updateKbArticle",
    fields: [
      plainField("title"),
      plainField("state"),
      mappedField(
        "category.id",
        (one) => one.category?.id,
        (id) => ({ category: { id } }),
      ),
      text,
    ],
  },
  KbCategory: {
    id: "categoryId",
    read: "getKbCategory",
    write: "updateKbCategory",
    fields: plainFields("name description"),
  },
  Resource: {
    id: "resourceId",
    read: "getResource",
    write: "updateResource",
    fields: [
      ...["name", "resourceName", "hostName", "aliasName", "ipAddress", "make", "model", "description", "osName"].map(
        (name) => machineField(name),
      ),
      machineField("dnsName", "dns"),
      tags,
    ],
  },
  Site: {
    id: "siteId",
    read: "getSite",
    write: "updateSite",
    fields: plainFields("name description address city state zip country phoneNumber"),
  },
  DeviceGroup: {
    id: "groupId",
    read: "getDeviceGroup",
    write: "updateDeviceGroup",
    fields: [...plainFields("name description"), objectField("filterCriteria")],
  },
  ServiceGroup: {
    id: "groupId",
    read: "getServiceGroup",
    write: "updateServiceGroup",
    fields: [...plainFields("name description"), objectField("filterCriteria")],
  },
  UserGroup: {
    id: "userGroupId",
    read: "getUserGroup",
    write: "updateUserGroup",
    fields: plainFields("name description email"),
  },
  Roster: {
    id: "rosterId",
    read: "getRoster",
    write: "updateRoster",
    fields: [...plainFields("name description offHours"), shifts, objectField("timeZone")],
  },
  MaintenanceWindow: {
    id: "windowId",
    read: "getMaintenanceWindow",
    write: "updateMaintenanceWindow",
    fields: [
      ...plainFields("name description runRBA installPatch runEscalationAction"),
      objectField("schedule"),
      objectField("alertConditions"),
      mappedField("targets", targetsNow, targets),
    ],
  },
  EscalationPolicy: {
    id: "policyId",
    read: "getEscalationPolicy",
    write: "updateEscalationPolicy",
    fields: plainFields("name description steps repeat atEnd ackTimeout urgency"),
  },
  AlertRoute: {
    id: "routeId",
    read: "getAlertRoute",
    write: "updateAlertRoute",
    fields: [...plainFields("name matchingType rules position isDefault"), objectField("policy")],
  },
  ALERT: { id: "alertId", read: "getAlert", fields: [plainField("status")] },
};

/**
 * Changes of one field that an operation of their own takes back: the field, what it was changed to, and the operation.
 */
const INVERSES = {
  User: [
    { field: "activated", after: false, undo: "activateUser" },
    { field: "activated", after: true, undo: "deactivateUser" },
  ],
  KbArticle: [{ field: "state", after: "TRASH", undo: "restoreKbArticle" }],
  KbCategory: [{ field: "state", after: "TRASH", undo: "restoreKbCategory" }],
  ALERT: [{ field: "status", after: "Suppressed", undo: "unsuppressAlert" }],
};

/** What an operation takes back that says what is so now: a line of the preview. */
const toggleLine = (path, is, was, now) => ({ path, after: is, now: now ? is : was, then: was });

/**
 * Occurrences of a window that were left out or ended early, or that were not any more, and its suspension: each has an
 * operation that takes it back.
 */
function planWindow({ changes, time }) {
  if (Object.keys(changes).some((path) => !path.startsWith("holds.") && !isDerived(path))) return undefined;
  const { before = [], after = [] } = changes["holds.ends"] || {};
  // What ends later than planned ends later than the change.
  const cut = ([start, end]) => end === start || end <= millis(time);
  const left = after.filter((one) => cut(one) && !before.some((other) => String(other) === String(one)));
  const back = before.filter((one) => cut(one) && !after.some(([start]) => start === one[0]));
  if (left.length + back.length === 1) {
    const [[start]] = [...left, ...back];
    const words = ["skipped", "takes place"];
    const skips = (window) => (window.skipped || []).some((one) => millis(one.start) === start);
    const lines = (window) => [
      left.length
        ? toggleLine(short(start), ...words, skips(window))
        : toggleLine(short(start), words[1], words[0], !skips(window)),
    ];
    return {
      undo: left.length ? "unskipMaintenanceOccurrence" : "skipMaintenanceOccurrence",
      body: { start: wire(start) },
      lines,
    };
  }
  const { before: none = [], after: some = [] } = changes["holds.suspensions"] || {};
  if (none.length || !some.length) return undefined;
  return {
    undo: "resumeMaintenanceWindow",
    lines: (window) => [toggleLine("suspensions", "suspended", "not suspended", window.suspensions?.length)],
  };
}

/** Kinds that can be created, each with the operation that deletes it. */
const CREATED = {
  RosterOverride: { id: "overrideId", undo: "deleteRosterOverride", roster: true },
  MaintenanceWindow: { id: "windowId", read: "getMaintenanceWindow", undo: "deleteMaintenanceWindow" },
  EscalationPolicy: { id: "policyId", read: "getEscalationPolicy", undo: "deleteEscalationPolicy" },
  AlertRoute: { id: "routeId", read: "getAlertRoute", undo: "deleteAlertRoute" },
};

/** Kinds that can be created again after a deletion, each with the operation and the fields it takes. */
const DELETED = {
  RosterOverride: { undo: "createRosterOverride", roster: true, fields: ["user", "start", "end", "shift", "note"] },
  EscalationPolicy: {
    undo: "createEscalationPolicy",
    fields: ["name", "description", "steps", "repeat", "atEnd", "ackTimeout", "urgency"],
  },
  AlertRoute: {
    undo: "createAlertRoute",
    fields: ["name", "matchingType", "rules", "policy", "position", "isDefault"],
  },
};

/** The operation of a name that is known only while the page runs. */
const callByName = (name, given) =>
  /** @type {Promise<any>} */ (call(/** @type {OperationId} */ (name), /** @type {any} */ (given)));
const planIfAllowed = (plan) => (plan && may(/** @type {OperationId} */ (plan.operation)) ? plan : undefined);

/** What a record has now of a field of the log. */
const currentValue = (entity, record, path) =>
  (UPDATES[entity]?.fields.find((field) => field.has(path))?.now || at)(record, path);

function planUpdate({ changes, entity, entityId, tenantId, time }) {
  const kind = UPDATES[entity];
  if (!kind) return undefined;
  const of = { tenantId, [kind.id]: entityId };
  const read = async () => Object.assign(await callByName(kind.read, of), { tenantId });
  const fieldOf = (path) => kind.fields.find((field) => field.has(path));
  const line = (record, path) => ({
    path,
    now: currentValue(entity, record, path),
    after: changes[path].after,
    then: (fieldOf(path)?.then || ((value) => value))(before(changes[path])),
  });
  const inverse = INVERSES[entity]?.find(({ field, after }) => changes[field]?.after === after);
  if (inverse)
    return planIfAllowed({
      operation: inverse.undo,
      read,
      lines: (record) => [line(record, inverse.field)],
      left: [],
      write: (record, match) => callByName(inverse.undo, { ...of, match, body: {} }),
    });
  const windowPlan = entity === "MaintenanceWindow" && planWindow({ changes, time });
  if (windowPlan)
    return planIfAllowed({
      operation: windowPlan.undo,
      read,
      lines: windowPlan.lines,
      left: [],
      write: (record, match) => callByName(windowPlan.undo, { ...of, match, body: windowPlan.body || {} }),
    });
  const paths = Object.keys(changes);
  const back = paths.filter((path) => fieldOf(path) && isRecordedChange(changes[path]));
  if (!back.length || !kind.write) return undefined;
  const left = paths.filter((path) => !back.includes(path) && !isDerived(path));
  const chosen = Object.fromEntries(back.map((path) => [path, changes[path]]));
  const write = async (record, match) => {
    const parts = await Promise.all(
      kind.fields.filter((field) => back.some(field.has)).map((field) => field.body(record, chosen)),
    );
    return callByName(kind.write, { ...of, match, body: Object.assign({}, ...parts) });
  };
  return planIfAllowed({
    operation: kind.write,
    read,
    lines: (record) => back.map((path) => line(record, path)),
    left,
    write,
  });
}

function planCreation({ changes, entity, entityId, tenantId }) {
  const kind = CREATED[entity];
  if (!kind) return undefined;
  const of = { tenantId, [kind.id]: entityId, ...(kind.roster && { rosterId: changes["roster.id"]?.after }) };
  const paths = Object.keys(changes).filter((path) => !isDerived(path) && changes[path].after !== null);
  const line = (record, path) => ({
    path,
    now: kind.read ? currentValue(entity, record, path) : changes[path].after,
    after: changes[path].after,
    then: undefined,
  });
  return planIfAllowed({
    operation: kind.undo,
    note: "The created object is deleted.",
    left: [],
    lines: (record) => paths.map((path) => line(record, path)),
    read: async () => (kind.read ? callByName(kind.read, of) : {}),
    write: (record, match) => callByName(kind.undo, { ...of, match }),
  });
}

function planDeletion({ changes, entity, tenantId }) {
  const kind = DELETED[entity];
  const paths =
    kind &&
    Object.keys(changes).filter(
      (path) =>
        kind.fields.includes(path.split(".")[0]) && changes[path].before !== null && changes[path].before !== "",
    );
  if (!paths || !paths.every((path) => isRecorded(changes[path].before))) return undefined;
  const of = { tenantId, ...(kind.roster && { rosterId: changes["roster.id"]?.before }) };
  const body = Object.assign(
    {},
    ...kind.fields.map((name) => paths.some(objectField(name).has) && { [name]: restoredPart({}, name, changes) }),
  );
  return planIfAllowed({
    operation: kind.undo,
    note: "It is created again with a new id. References to the old id are not restored.",
    left: [],
    lines: () => paths.map((path) => ({ path, now: undefined, then: changes[path].before })),
    read: async () => ({}),
    write: () => callByName(kind.undo, { ...of, body }),
  });
}

/** How a row of the log is undone; nothing, where it cannot be. */
export function undoPlan(row) {
  return { UPDATE: planUpdate, CREATE: planCreation, DELETE: planDeletion }[row.action]?.(row);
}

const displayValue = (value) =>
  value === undefined || value === null || value === ""
    ? "–"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

/** What becomes of each field; `found` is the record as the dialog found it, where it is another now. */
function Preview({ plan, record, found }) {
  const earlier = found && Object.fromEntries(plan.lines(found).map((line) => [line.path, line.now]));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Preview">
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Field</th>
          ${earlier && html`<th scope="col">When opened</th>`}
          <th scope="col">Now</th>
          <th scope="col">After undo</th>
        </tr>
      </thead>
      <tbody>
        ${plan.lines(record).map(
          (line) => html`<tr>
              <td class="mono">${line.path}</td>
              ${earlier && html`<td>${displayValue(earlier[line.path])}</td>`}
              <td class="before">${displayValue(line.now)}</td>
              <td class="after">${displayValue(line.then)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * Asks whether a change is to be undone, and does it. What somebody else changed meanwhile is shown before anything is
 * written.
 */
export function Undo({ row, onClose, onDone }) {
  const plan = undoPlan(row);
  const [theirs, setTheirs] = useState();
  const answer = useAnswer(() => plan.read(), row.id);
  if (!answer.data)
    return answer.problem
      ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />`
      : html`<${Loading} />`;
  const record = theirs || answer.data;
  const send = async () => {
    try {
      await plan.write(record, tag(record));
    } catch (problem) {
      if (problem.status === 412) setTheirs(await plan.read());
      throw problem;
    }
    say("Undone.");
    onDone();
  };
  const again = plan
    .lines(record)
    .filter((line) => "after" in line && displayValue(line.after) !== displayValue(line.now) && isRecorded(line.after));
  return html`<${FormDialog}
    title=${`Undo this change of ${row.entity} ${row.entityId}?`}
    send=${theirs ? "Undo it anyway" : "Undo"}
    onSend=${send}
    onClose=${onClose}
    wide=${true}
  >
    <div class="wide">
      ${theirs && html`<h3>${personName(theirs.updatedBy) || "Somebody"} changed it meanwhile</h3>`}
      ${plan.note && html`<p>${plan.note}</p>`}
      ${
        !theirs &&
        again.length > 0 &&
        html`<p class="note">
          Changed again since: ${again.map((line) => line.path).join(", ")}. These changes are undone as well.
        </p>`
      }
      <${Preview} plan=${plan} record=${record} found=${theirs && answer.data} />
      ${
        plan.left.length > 0 &&
        html`<p class="dim small">
          Not restored, because the log does not keep it or no operation accepts it: ${plan.left.join(", ")}
        </p>`
      }
    </div>
  <//>`;
}
