// What is done with many machines at once: those that are selected, or all that match the filters.

import { Problem, call, each, may, tag } from "../api.js";
import { FormDialog, STAY } from "../dialog.js";
import { Button, count, html } from "../elements.js";
import { Field } from "../form.js";
import { useEffect, useRef, useState } from "../hooks.js";
import { Picker } from "../picker.js";
import { say } from "../toast.js";
import { readForEdit } from "./resourceform.js";

/** How many machines can be selected by filters, how many one request takes, and how often one is tried again. */
const MOST = 100000;
const AT_ONCE = 1000;
const TRIES = 3;
/** How many failures are listed. */
const LISTED = 10;

/** The ids of all machines that match. */
const idsOf = async (query) => (await call("listMinimalResources", { query })).map((row) => row.id);

/** Calls `work(machine, match)` with the machine as it is now, again where somebody was faster. */
async function onVersion(read, work) {
  for (let tries = 1; ; tries += 1) {
    const machine = await read();
    try {
      return await work(machine, tag(machine));
    } catch (problem) {
      if (problem.status !== 412 || tries >= TRIES) throw problem;
    }
  }
}

const same = (one, other) => one.toLowerCase() === other.toLowerCase();

/** Adds a tag to a machine, or gives it the value. */
const addTag =
  ({ name, value }) =>
  (resourceId) =>
    onVersion(
      () => readForEdit(resourceId),
      async (machine, match) => {
        const tags = machine.tags || [];
        const there = tags.find((one) => same(one.name, name));
        if (there && (there.value || "") === value) return;
        const next = there ? tags.map((one) => (one === there ? { ...one, value } : one)) : [...tags, { name, value }];
        await call("updateResource", { resourceId, match, body: { tags: next } });
      },
    );

const removeTag =
  ({ name }) =>
  (resourceId) =>
    onVersion(
      () => readForEdit(resourceId),
      async (machine, match) => {
        const tags = machine.tags || [];
        const next = tags.filter((one) => !same(one.name, name));
        if (next.length < tags.length) await call("updateResource", { resourceId, match, body: { tags: next } });
      },
    );

const decommission =
  ({ reason }) =>
  (resourceId) =>
    onVersion(
      () => call("getResource", { resourceId }),
      (_, match) => call("decommissionResource", { resourceId, match, body: { reason: reason || undefined } }),
    );

/** Moves machines to a site, or puts them into a group, all of a request or none. */
const moveToSite =
  ({ site }) =>
  (ids) =>
    onVersion(
      () => call("getSite", { siteId: site.id }),
      (_, match) => call("addSiteMembers", { siteId: site.id, match, body: ids.map((id) => ({ id })) }),
    );

const addToGroup =
  ({ group }) =>
  (ids) => {
    const path = { groupId: group.uniqueId };
    return onVersion(
      () => call("getDeviceGroup", path),
      (_, match) => call("addDeviceGroupChildren", { ...path, match, body: ids.map((id) => ({ id })) }),
    );
  };

const chosen =
  (name, label, refers) =>
  ({ value, put }) => html`<${Picker}
  field=${{ type: "object", refers, required: true }}
  label=${label}
  value=${value[name]}
  within=${{ clients: true }}
  onValue=${(record) => put({ [name]: record })}
  errors=${[]}
/>`;
const TagName = () => html`<${Field} name="name" label="Tag" required maxlength="200" autocomplete="off" />`;

/** The actions: what each is called, needs and asks for, and what it does with a machine, or with several. */
const ACTIONS = [
  {
    label: "Add tag…",
    title: (what) => `Add a tag to ${what}`,
    send: "Add",
    needs: /** @type {const} */ ("updateResource"),
    work: addTag,
    fields: () => html`<${TagName} /><${Field} name="value" label="Value" maxlength="1000" autocomplete="off" />`,
  },
  {
    label: "Remove tag…",
    title: (what) => `Remove a tag from ${what}`,
    send: "Remove",
    needs: /** @type {const} */ ("updateResource"),
    work: removeTag,
    fields: TagName,
  },
  {
    label: "Move to site…",
    title: (what) => `Move ${what} to a site`,
    send: "Move",
    needs: /** @type {const} */ ("addSiteMembers"),
    together: moveToSite,
    fields: chosen("site", "Site", "site"),
  },
  {
    label: "Add to group…",
    title: (what) => `Add ${what} to a device group`,
    send: "Add",
    needs: /** @type {const} */ ("addDeviceGroupChildren"),
    together: addToGroup,
    fields: chosen("group", "Device group", "deviceGroup"),
  },
  {
    label: "Decommission…",
    title: (what) => `Decommission ${what}`,
    send: "Decommission",
    danger: true,
    needs: /** @type {const} */ ("decommissionResource"),
    work: decommission,
    fields: ({ what }) => html`
      <p class="wide">
        ${what} will leave the lists, their groups and their software, and be found under Decommissioned. A machine that
        reports again becomes a new one. An admin can undo it in the audit log.
      </p>
      <${Field} wide name="reason" label="Reason" hint="Shown in the history" maxlength="1000" />
    `,
  },
];

/**
 * The bar above the list: how many machines are selected, and what can be done with them. `query` finds all that match,
 * `total` in number.
 */
export function BulkBar({ select, total, query, onDone }) {
  const [all, setAll] = useState("");
  const [open, setOpen] = useState(/** @type {any} */ (undefined));
  const key = JSON.stringify(query);
  const isAll = all === key;
  const size = select.chosen.size;
  useEffect(() => {
    if (!size) setAll("");
  }, [size]);
  if (!size) return null;
  const number = isAll ? total : size;
  const what = `${count(number)} ${number === 1 ? "machine" : "machines"}`;
  return html`<div class="chosen-bar" role="group" aria-label="Selected machines">
    <span role="status">${what} selected</span>
    ${
      total > size &&
      total <= MOST &&
      html`<button type="button" class="link" onClick=${() => setAll(isAll ? "" : key)}>
        ${isAll ? `Select only ${count(size)}` : `Select all ${count(total)} that match`}
      </button>`
    }
    ${ACTIONS.filter((action) => may(action.needs)).map(
      (action) => html`<${Button} kind=${action.danger ? "danger" : ""} onClick=${() => setOpen(action)}>
        ${action.label}
      <//>`,
    )}
    <button type="button" class="link" onClick=${select.clear}>Clear</button>
    ${
      open &&
      html`<${BulkDialog}
        action=${open}
        what=${what}
        read=${isAll ? () => idsOf(query) : async () => [...select.chosen]}
        onClose=${() => setOpen(undefined)}
        onDone=${() => {
          select.clear();
          onDone();
        }}
      />`
    }
  </div>`;
}

/** The dialog of an action; it says how far the work is, and stops it when it is closed. */
function BulkDialog({ action, what, read, onClose, onDone }) {
  const [value, setValue] = useState({});
  const [progress, setProgress] = useState("");
  const rest = useRef(/** @type {string[] | undefined} */ (undefined));
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const send = async (typed) => {
    const given = { ...typed, ...value };
    const ids = rest.current || (await read());
    const steps = [];
    for (let at = 0; action.together && at < ids.length; at += AT_ONCE) steps.push(ids.slice(at, at + AT_ONCE));
    let done = 0;
    const work = action.together || action.work;
    const failed = [];
    const one = async (step) => {
      if (stopped.current) return;
      await work(given)(step);
      done += action.together ? step.length : 1;
      setProgress(`${count(done)} of ${count(ids.length)}`);
    };
    // Requests on one site or group follow each other, since each makes a new version of it.
    if (action.together) for (const step of steps) await one(step).catch((problem) => failed.push([step, problem]));
    else failed.push(...(await each(ids, one)));
    if (stopped.current) {
      say(`Stopped after ${count(done)} of ${count(ids.length)}.`);
      return STAY;
    }
    if (!failed.length) {
      say(`${count(done)} done.`);
      return onDone();
    }
    rest.current = failed.flatMap(([step]) => step);
    throw new Problem(0, {
      title: `${count(rest.current.length)} of ${count(ids.length)} failed`,
      errors: failed.slice(0, LISTED).map(([step, problem]) => ({
        fieldName: [step].flat().length > 1 ? "" : String(step),
        message: problem.errors?.map((error) => error.message).join("; ") || problem.message,
      })),
    });
  };
  const Fields = action.fields;
  return html`<${FormDialog}
    title=${action.title(what)}
    send=${action.send}
    danger=${action.danger}
    onSend=${send}
    onClose=${onClose}
  >
    <${Fields} value=${value} what=${what} put=${(change) => setValue((now) => ({ ...now, ...change }))} />
    ${progress && html`<p class="wide" role="status">${progress}</p>`}
  <//>`;
}
