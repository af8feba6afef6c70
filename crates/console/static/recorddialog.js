// The dialog that makes or changes a record, with the fields that the document has for the operation. When somebody
// else changed the record meanwhile, both versions are shown, and nothing is lost.

import { call, tag } from "./api.js";
import { bodyOf, fieldsOf, labelOf, requestOf, startOf, withoutSecrets, wordsOf } from "./bodyschema.js";
import { Differences, actOnVersion } from "./conflict.js";
import { FormDialog, draft, forget, remember } from "./dialog.js";
import { html, personName } from "./elements.js";
import { useState } from "./hooks.js";
import { SchemaFields, changed, changesOf, pathWords } from "./schemafield.js";
import { say } from "./toast.js";

/** Of a long text, so many characters are compared by eye. */
const CLIP = 300;
const clipped = (text) => (text.length > CLIP ? `${text.slice(0, CLIP)}…` : text);

/** What forms hold of a record that exists: its own fields. */
function valuesOf(fields, record) {
  const values = {};
  for (const name of Object.keys(fields)) if (record?.[name] !== undefined) values[name] = record[name];
  return values;
}

/** What changes when a record does. */
const versionOf = (record) => tag(record) || record.updatedDate || record.updatedTime || JSON.stringify(record);

/** Whose records a form may name: those of the tenant of its record where that is known, or of all tenants in reach. */
const placeOf = (record, path) => {
  const tenant = record?.tenantId ?? record?.clientUniqueId;
  return tenant ? { tenant } : record || Object.keys(path).length ? { clients: true } : {};
};

/**
 * A form of an operation. With `record` the record is changed: what differs is sent, under its version, and
 * `read()` is asked when it was changed meanwhile. Without it all is sent. The form begins with `values`. `body`
 * may make another request of it. `match` is the version, or reads it, for an operation on a record that sends
 * everything. Where the fields depend on what is entered, `layout` is a function of the values. What is typed is kept
 * over a reload, for this form of this version of the record.
 * @param {{
 *   title: string, operation: OperationId, path?: any, record?: any, read?: () => Promise<any>, values?: any,
 *   layout?: import("./schemafield.js").Layout | ((value: any) => import("./schemafield.js").Layout),
 *   body?: (request: any, value: any) => any, send?: string, match?: string | (() => Promise<string>),
 *   children?: any, danger?: boolean, onClose: () => void, onDone: (answer: any) => any,
 * }} given
 */
export function RecordDialog({
  title,
  operation,
  path = {},
  record,
  read,
  values = {},
  layout: given = {},
  body = (request) => request,
  send = record ? "Save" : "Create",
  match: version,
  children,
  danger,
  onClose,
  onDone,
}) {
  const whole = bodyOf(operation);
  const fields = fieldsOf(whole);
  // What the form began with; the page behind it may know a later version now.
  const [mine] = useState(record);
  const [begun] = useState(() => ({ ...valuesOf(fields, record), ...values }));
  const [keep] = useState(() => [title, JSON.stringify(path), record && versionOf(record)].filter(Boolean).join(" "));
  const [value, setValue] = useState(() => ({
    ...(record ? begun : { ...startOf({ ...whole, refers: undefined }), ...values }),
    ...draft(keep),
  }));
  const [theirs, setTheirs] = useState();
  const own = typeof given === "function" ? given(value) : given;
  const layout = { ...own, within: { ...(own.within?.tenant ? {} : placeOf(record, path)), ...own.within } };
  const change = (next) =>
    setValue((now) => {
      const then = changed(next, now);
      remember(keep, withoutSecrets(whole, then));
      return then;
    });
  const compared = Object.keys(fields).map((name) => [
    name,
    layout.labels?.[name] || labelOf(name),
    (of) => JSON.stringify(of?.[name] ?? ""),
    (of) => clipped(wordsOf(of?.[name])),
  ]);
  const submit = async () => {
    let answer;
    if (record) {
      const changes = changesOf(fields, begun, value);
      if (!Object.keys(changes).length) return say("Nothing was changed.");
      const work = async (match) => call(operation, { ...path, match, body: await body(changes, value) });
      try {
        answer = read ? await actOnVersion({ found: theirs || mine, fields: compared, read, work }) : await work("");
      } catch (problem) {
        if (problem.theirs) setTheirs(problem.theirs);
        throw problem;
      }
    } else {
      const request = requestOf(whole, value) || {};
      const match = typeof version === "function" ? await version() : version;
      answer = await call(operation, { ...path, match, body: await body(request, value) });
    }
    return onDone(answer);
  };
  /** The same; what is wrong is said by the labels of the form. */
  const submitLabelled = async () => {
    try {
      return await submit();
    } catch (problem) {
      for (const error of problem.errors || [])
        if (error.fieldName?.split(/\W/)[0] in fields) error.label = pathWords(error.fieldName, layout.labels);
      throw problem;
    }
  };
  const leave = () => {
    forget(keep);
    onClose();
  };
  return html`<${FormDialog}
    title=${title}
    send=${theirs ? "Save mine" : send}
    onSend=${submitLabelled}
    onClose=${leave}
    wide=${true}
    danger=${danger}
  >
    ${(problem) => html`
      ${
        theirs &&
        html`<div class="wide theirs">
          <h3>Saved meanwhile by ${personName(theirs.updatedBy) || "somebody"}; your changes are below</h3>
          <${Differences} fields=${compared} found=${mine} theirs=${theirs} />
        </div>`
      }
      <${SchemaFields} fields=${fields} value=${value} onValue=${change} problem=${problem} layout=${layout} />
      ${typeof children === "function" ? children(value, problem, theirs) : children}
    `}
  <//>`;
}
