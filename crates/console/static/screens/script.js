// A script of the library: its text, and changing it.

import { call } from "../api.js";
import { Panel, Time, html, personName } from "../elements.js";
import { useAnswer } from "../hooks.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { LAYOUT } from "./scripts.js";

export default function Script({ id }) {
  const path = { scriptId: id };
  const read = () => call("getJobScript", path);
  // A client reads scripts of its partner, and changes its own.
  const own = useAnswer((signal) => call("searchJobScripts", { signal, query: { queryString: `id:${id}` } }), id);
  const changes = (script, again) => [
    editAction(script, again, {
      operation: "updateJobScript",
      path,
      layout: LAYOUT,
      what: `script “${script.name}”`,
    }),
    deleteAction(script, again, {
      operation: "deleteJobScript",
      path,
      what: `script “${script.name}”`,
      question: "A script that a job runs cannot be deleted.",
    }),
  ];
  return html`<${RecordPage}
    back=${["Scripts", link("scripts")]}
    of=${`script ${id}`}
    read=${read}
    facts=${(script) => [
      ["Description", script.description],
      ["Interpreter", script.interpreter],
      ["Platforms", script.platforms.join(", ")],
      ["Created by", personName(script.createdBy)],
      ["Changed", html`<${Time} at=${script.updatedDate} />`],
      ["Changed by", personName(script.updatedBy)],
    ]}
    actions=${(script, again) => (own.data?.totalResults ? changes(script, again) : [])}
  >
    ${(script) => html`<${Panel} title="Script" id="text">
      <pre class="output" tabindex="0" aria-label="Script">${script.content}</pre>
    <//>`}
  <//>`;
}
