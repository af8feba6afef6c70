// Screens of records: a list with a search, and a page for each record with what can be done with it.

import { quoted } from "./api.js";
import { Facts, Head, Loading, Panel, Trouble, html } from "./elements.js";
import { Search } from "./form.js";
import { useAnswer, useList } from "./hooks.js";
import { RecordActions } from "./recordactions.js";
import { go, link, refine } from "./route.js";
import { Rows } from "./table.js";
import { withClient } from "./tenants.js";

/** The id by which a record has its page. */
export const idOf = (record) => String(record.uniqueId ?? record.id);

/**
 * What is to be shown of records of a kind. With `clients`, a record says which client it is of.
 * @typedef {{
 *   title: string, path: string, list: OperationId, query?: any, search?: string, searchLabel?: string,
 *   filters?: any, id?: (record: any) => string, columns: any[], actions?: (reload: () => void) => any[], empty?: any,
 *   about?: any, notice?: any, pathOf?: () => any, clients?: boolean,
 * }} ListKind
 */

/** The screen of a list. @param {{kind: ListKind, query: URLSearchParams, children?: any}} given */
export function RecordList({ kind, query, children }) {
  const text = query.get("q") || "";
  const typed = quoted(text);
  const list = useList(
    kind.list,
    /** @type {any} */ ({
      ...kind.query,
      queryString: typed && kind.search ? `${kind.search}:${typed}` : undefined,
    }),
    kind.pathOf?.() || {},
  );
  const id = kind.id || idOf;
  return html`
    <${Head}
      title=${kind.title}
      actions=${html`<${RecordActions}
        actions=${kind.actions?.(list.reload) || []}
        onDone=${(made) => (id(made || {}) === "undefined" ? list.reload() : go(link([kind.path, id(made)])))}
      />`}
    >
      ${kind.about}
    <//>
    ${kind.notice}
    ${
      kind.search &&
      html`<div class="filters">
        <${Search}
          value=${text}
          onValue=${(q) => refine({ q })}
          label=${kind.searchLabel || "Search by name"}
          placeholder=${kind.searchLabel || "Search by name"}
        />
        ${kind.filters}
      </div>`
    }
    <${Rows}
      list=${list}
      label=${kind.title}
      columns=${kind.clients ? withClient(kind.columns) : kind.columns}
      id=${id}
      href=${(row) => link([kind.path, id(row)])}
      empty=${kind.empty}
    />
    ${children}
  `;
}

/**
 * The page of a record. `read` gets it; `facts` are its names and values; `actions` what can be done; `children`
 * further panels, by `(record, reload)`.
 * @param {{
 *   back: [string, string], name?: (record: any) => string, read: () => Promise<any>, of: string,
 *   facts: (record: any) => any[], actions: (record: any, again: any) => any[], sub?: (record: any) => any,
 *   children?: (record: any, again: any) => any,
 * }} given
 */
export function RecordPage({ back, name = (record) => record.name, read, of, facts, actions, sub, children }) {
  const answer = useAnswer(() => read(), of);
  const record = answer.data;
  if (!record)
    return html`
      <${Head} title=${answer.problem ? "Not found" : ""} back=${back} />
      ${answer.problem ? html`<${Trouble} problem=${answer.problem} again=${answer.reload} />` : html`<${Loading} />`}
    `;
  const again = { reload: answer.reload, gone: () => go(back[1]), read };
  return html`
    <${Head}
      title=${name(record)}
      back=${back}
      actions=${html`<${RecordActions} actions=${actions(record, again)} onDone=${answer.reload} />`}
    >
      ${sub?.(record)}
    <//>
    <${Trouble} problem=${answer.problem} again=${answer.reload} />
    <${Panel} title="Details" id="details"><${Facts} of=${facts(record)} /><//>
    ${children?.(record, again)}
  `;
}

/** The actions that most records have: Edit… and Delete…. */
export const editAction = (record, again, { operation, path, what, layout = /** @type {any} */ ({}) }) => ({
  label: "Edit…",
  title: `Edit ${what}`,
  operation,
  path,
  edits: record,
  read: again.read,
  layout,
  message: "Saved.",
  done: again.reload,
});

export const deleteAction = (
  record,
  again,
  { operation, path, what, question = /** @type {any} */ (undefined), fields = /** @type {any} */ (undefined) },
) => ({
  label: "Delete…",
  title: `Delete ${what}?`,
  operation,
  path,
  removes: record,
  read: again.read,
  question,
  fields,
  danger: true,
  message: "Deleted.",
  done: again.gone,
});
