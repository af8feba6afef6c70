// Owners: which user group owns machines, groups and sites, and so gets their alerts.

import { call, may } from "../api.js";
import { FormDialog } from "../dialog.js";
import { Button, Empty, Head, Time, html } from "../elements.js";
import { useAnswer, useList, useState } from "../hooks.js";
import { Picker } from "../picker.js";
import { RecordActions } from "../recordactions.js";
import { link } from "../route.js";
import { Labelled } from "../schemacontrols.js";
import { Rows } from "../table.js";
import { say } from "../toast.js";

/** What may be owned: its words, the key by which a request refers to it, and its page. */
const KINDS = {
  resource: { words: "Machine", key: "id", page: "resources" },
  deviceGroup: { words: "Device group", key: "uniqueId", page: "groups" },
  serviceGroup: { words: "Service group", key: "uniqueId", page: "groups" },
  site: { words: "Site", key: "id", page: "sites" },
  default: { words: "All else", key: "", page: "" },
};

/** The names of what is owned and of user groups, by their ids. */
function useOwnerNames(rows = /** @type {any[]} */ ([])) {
  const machines = rows.filter((row) => row.kind === "resource").map((row) => row.target);
  const fixed = useAnswer(
    (signal) =>
      Promise.all([
        call("searchUserGroups", { signal, query: { pageSize: 1000 } }).then((page) => page.results),
        call("listMinimalSites", { signal }),
        call("listMinimalDeviceGroups", { signal }),
        call("listMinimalServiceGroups", { signal }),
      ]),
    "names",
  );
  const found = useAnswer(async (signal) => {
    if (!machines.length) return [];
    const query = { queryString: `id:${machines.join(",")}`, state: "all", pageSize: 1000 };
    return (await call("searchResources", { signal, query })).results;
  }, machines.join());
  const names = new Map();
  /** @type {any[]} */
  const all = [...(fixed.data || []).flat(), ...(found.data || [])];
  for (const one of all) for (const id of [one.id, one.uniqueId]) if (id !== undefined) names.set(String(id), one.name);
  return names;
}

/** The dialog that sets an owner. Of one that is there already, `owner` says what is owned. */
function OwnerDialog({ owner, name, onClose, onDone }) {
  const [kind, setKind] = useState(owner?.kind || "resource");
  const [target, setTarget] = useState(/** @type {any} */ (undefined));
  const [group, setGroup] = useState(/** @type {any} */ (undefined));
  const { words, key } = KINDS[kind];
  const send = async () => {
    const id = owner ? owner.target : target?.[key];
    // The ids of sites are numbers; of an owner, the target is a text.
    const owned = kind === "default" ? true : { [key]: kind === "site" ? Number(id) : id };
    await call("setOwner", { body: { [kind]: owned, userGroup: { uniqueId: group.uniqueId } } });
    say("Saved.");
    onDone();
  };
  const errorsOf = (problem, field) =>
    (problem?.errors || []).filter((error) => error.fieldName?.split(".")[0] === field);
  return html`<${FormDialog}
    title=${owner ? `Change owner of ${name}` : "Set owner"}
    onSend=${send}
    onClose=${onClose}
  >
    ${(problem) => html`
      ${
        !owner &&
        html`<${Labelled} label="Owned">
          ${(rest) => html`<select
            ...${rest}
            onChange=${(event) => {
              setKind(event.target.value);
              setTarget(undefined);
            }}
          >
            ${Object.entries(KINDS).map(
              ([word, one]) => html`<option value=${word} selected=${word === kind}>${one.words}</option>`,
            )}
          </select>`}
        <//>`
      }
      ${
        !owner &&
        kind !== "default" &&
        html`<${Picker}
          key=${kind}
          field=${{ type: "object", refers: kind, required: true }}
          label=${words}
          value=${target}
          onValue=${setTarget}
          errors=${errorsOf(problem, kind)}
        />`
      }
      <${Picker}
        field=${{ type: "object", refers: "userGroup", required: true }}
        label="Owner"
        value=${group}
        onValue=${setGroup}
        errors=${errorsOf(problem, "userGroup")}
      />
    `}
  <//>`;
}

export default function Owners() {
  const list = useList("searchOwners", { pageSize: 100, sortName: "id" });
  const names = useOwnerNames(list.rows);
  const [open, setOpen] = useState(/** @type {any} */ (undefined));
  const named = (row) => (row.kind === "default" ? "all else" : names.get(String(row.target)) || row.target);
  const columns = [
    { title: "Owned", main: true, cell: named },
    { title: "Kind", keep: 2, cell: (row) => KINDS[row.kind]?.words || row.kind },
    {
      title: "Owner",
      cell: (row) =>
        html`<a href=${link(["usergroups", row.userGroup.uniqueId])}>
          ${names.get(row.userGroup.uniqueId) || row.userGroup.uniqueId}
        </a>`,
    },
    { title: "Since", keep: 3, cell: (row) => html`<${Time} at=${row.createdDate} />` },
    may("setOwner") && {
      title: html`<span class="hidden">Actions</span>`,
      cell: (row) => html`<div class="actions">
        <${Button} aria-label=${`Change… ${named(row)}`} onClick=${() => setOpen(row)}>Change…<//>
        <${RecordActions}
          of=${named(row)}
          onDone=${list.reload}
          actions=${[
            {
              label: "Delete…",
              title: `Delete owner of ${named(row)}`,
              operation: /** @type {const} */ ("deleteOwner"),
              path: { ownerId: row.id },
              question: "It then has the owner of one of its groups, of its site, or the default owner.",
              danger: true,
              message: "Deleted.",
            },
          ]}
        />
      </div>`,
    },
  ].filter(Boolean);
  return html`
    <${Head}
      title="Owners"
      actions=${may("setOwner") && html`<${Button} kind="primary" onClick=${() => setOpen({})}>Set owner…<//>`}
    >
      User groups own machines, device groups, service groups and sites.
    <//>
    <${Rows}
      list=${list}
      columns=${columns}
      label="Owners"
      also=${`${names.size}`}
      href=${(row) => (KINDS[row.kind]?.page ? link([KINDS[row.kind].page, row.target]) : link("resources"))}
      empty=${html`<${Empty} title="Nothing has an owner." />`}
    />
    ${
      open &&
      html`<${OwnerDialog}
        owner=${open.id && open}
        name=${open.id && named(open)}
        onClose=${() => setOpen(undefined)}
        onDone=${list.reload}
      />`
    }
  `;
}
