// The members of a group or a site: a list, with a form that adds and buttons that take out.

import { call, may } from "./api.js";
import { Button, Empty, Panel, html } from "./elements.js";
import { FormDialog } from "./dialog.js";
import { useChosen, useList, useState } from "./hooks.js";
import { requestOf, bodyOf } from "./bodyschema.js";
import { SchemaField } from "./schemafield.js";
import { Rows } from "./table.js";
import { attempt, say } from "./toast.js";

/**
 * A panel of members. `list`, `add` and `remove` are operations on `path`; `remove` takes the bodies that `refer`
 * makes of rows. Without `add`, members follow from rules. With `groups`, groups can be members, too.
 * @param {{
 *   title: string, what: string, list: OperationId, add?: OperationId, remove?: OperationId, path: any,
 *   columns: any[], href: (row: any) => string, refer: (row: any) => any, match: () => Promise<string>,
 *   onDone?: () => void, note?: string, id?: (row: any) => string, within?: any, groups?: boolean,
 * }} given
 */
export function Members({
  title,
  what,
  list,
  add,
  remove,
  path,
  columns,
  href,
  refer,
  match,
  onDone,
  note,
  id,
  within,
  groups,
}) {
  const members = useList(list, /** @type {any} */ ({ pageSize: 50 }), path);
  const select = useChosen();
  const [adding, setAdding] = useState("");
  const identify = id || ((row) => String(row.uniqueId ?? row.id));
  const done = () => {
    select.clear();
    members.reload();
    onDone?.();
  };
  const takeOut = async () => {
    const rows = members.rows.filter((row) => select.chosen.has(identify(row)));
    const body = rows.map(refer);
    const took = await attempt(`${rows.length} taken out.`, async () =>
      call(/** @type {any} */ (remove), { ...path, match: await match(), body }),
    );
    if (took) done();
  };
  const mayAdd = add && may(add);
  return html`<${Panel}
    title=${title}
    id="members"
    actions=${html`
      ${
        remove &&
        may(remove) &&
        select.chosen.size > 0 &&
        html`<${Button} onClick=${takeOut}>Take out ${select.chosen.size}<//>`
      }
      ${mayAdd && html`<${Button} onClick=${() => setAdding(what)}>Add ${what}…<//>`}
      ${mayAdd && groups && html`<${Button} onClick=${() => setAdding("child group")}>Add child group…<//>`}
    `}
  >
    ${note && html`<p class="hint">${note}</p>`}
    <${Rows}
      list=${members}
      label=${title}
      columns=${columns}
      href=${href}
      id=${identify}
      select=${remove && may(remove) ? select : undefined}
      empty=${html`<${Empty} title=${`There are no ${what} here.`} />`}
    />
    ${
      adding &&
      html`<${AddMembers}
        operation=${add}
        path=${path}
        what=${adding}
        refers=${adding === what ? undefined : "childGroup"}
        match=${match}
        within=${within}
        onClose=${() => setAdding("")}
        onDone=${done}
      />`
    }
  <//>`;
}

/** The form that adds members. */
function AddMembers({ operation, path, what, refers, match, within, onClose, onDone }) {
  const [value, setValue] = useState(/** @type {any[]} */ ([]));
  const body = bodyOf(operation);
  const field = refers ? { ...body, items: { ...body.items, refers } } : body;
  const send = async () => {
    if (value.length) await call(operation, { ...path, match: await match(), body: requestOf(field, value) });
    say(`${value.length} added.`);
    onDone();
  };
  return html`<${FormDialog} title=${`Add ${what}`} send="Add" onSend=${send} onClose=${onClose} wide=${true}>
    ${(problem) => html`<${SchemaField}
      field=${field}
      name=${what}
      path=""
      value=${value}
      onValue=${setValue}
      problem=${problem}
      layout=${{ within }}
    />`}
  <//>`;
}
