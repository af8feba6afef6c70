// Lines to paste elsewhere, each with a button that copies it, and what is shown only once.

import { Button, html } from "./elements.js";
import { useRef } from "./hooks.js";
import { say } from "./toast.js";

/** A text in its own box. Where the browser does not let pages copy, the text is selected. */
export function Copyable({ label, text, note = "" }) {
  const box = useRef(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      getSelection()?.selectAllChildren(box.current);
      say("The text is selected: copy it with Ctrl C.");
    }
  };
  return html`<div class="copyable">
    <div class="session">
      <h3>${label}</h3>
      <${Button} aria-label=${`Copy: ${label}`} onClick=${copy}>Copy<//>
    </div>
    ${note && html`<p class="hint">${note}</p>`}
    <pre class="output" tabindex="0" ref=${box}>${text}</pre>
  </div>`;
}

/** A panel with secrets of a record that was made: `lines` are `[label, text]`. */
export function ShownOnce({ title, lines, onHide, children = undefined }) {
  return html`<section class="panel" aria-label=${title}>
    <p class="note">${title}: shown only once, so copy now.</p>
    ${lines.map(([label, text]) => html`<${Copyable} label=${label} text=${text} />`)}
    ${children}
    <div class="actions"><${Button} onClick=${onHide}>Hide<//></div>
  </section>`;
}
