// Dialogs, and drafts: what was typed into a dialog and not sent.

import { session } from "./api.js";
import { Button, Trouble, html } from "./elements.js";
import { useLayoutEffect, useRef, useState } from "./hooks.js";

/** Opens a dialog above all else; when it goes, the focus is where it was before. @returns where the dialog is put. */
export function useModal() {
  const dialog = useRef(null);
  const focused = useRef(/** @type {HTMLElement | undefined} */ (undefined));
  const titled = useRef(/** @type {string | undefined} */ (undefined));
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement} */ (document.activeElement);
    dialog.current.addEventListener("focusin", (event) => (focused.current = event.target));
    // Until the dialog is gone, nothing below it takes the focus.
    return () => queueMicrotask(() => before?.isConnected && before.focus());
  }, []);
  // The library moves elements when those before them change, and a dialog that was moved is not above all else.
  useLayoutEffect(() => {
    const before = focused.current;
    const moved = !dialog.current.matches(":modal");
    if (moved) {
      dialog.current.removeAttribute("open");
      dialog.current.showModal();
    }
    const heading = dialog.current.querySelector("h2");
    const isOther = titled.current !== undefined && heading?.textContent !== titled.current;
    titled.current = heading?.textContent;
    if (before?.isConnected) {
      if (moved) before.focus();
    } else if (before && isOther && heading) {
      // What had the focus is gone: the dialog is about something else now, which its heading says.
      heading.tabIndex = -1;
      heading.focus();
    }
  });
  return dialog;
}

/** What `onSend` answers to leave the dialog open. */
export const STAY = Symbol("stay");

/**
 * A dialog with a form; without `send` there is nothing to send. `onSend` may fail with a problem, which is shown; what
 * was typed stays, also over a reload, until it is sent or cancelled. It may answer `STAY`.
 */
export function FormDialog({
  title,
  send = "Save",
  onSend,
  onClose: leaveIt,
  keep,
  children,
  danger,
  wide,
  leave = "Cancel",
}) {
  const dialog = useModal();
  const [problem, setProblem] = useState();
  const [busy, setBusy] = useState(false);
  const [kept] = useState(keep);
  const onClose = () => {
    if (kept) forget(kept);
    leaveIt();
  };
  const waiting = useRef(kept ? draft(kept) : {});
  useLayoutEffect(() => {
    const form = dialog.current.querySelector("form");
    restore(form, waiting.current);
    form.querySelector("input:not([type=checkbox]), select, textarea")?.focus();
    // Choices and controls that come later.
    const later = new MutationObserver(() => restore(form, waiting.current));
    later.observe(form, { childList: true, subtree: true });
    return () => later.disconnect();
  }, []);
  // What is wrong is seen, also where it is tucked away.
  useLayoutEffect(() => {
    for (const target of dialog.current.querySelectorAll("details .wrong")) unfold({ target });
  }, [problem]);
  const values = (form) => Object.fromEntries(new FormData(form));
  // Not disabled meanwhile: the focus would be lost.
  const sending = useRef(false);
  const submit = async (event) => {
    event.preventDefault();
    if (sending.current) return;
    const form = event.currentTarget;
    sending.current = true;
    setBusy(true);
    try {
      const answer = await onSend(values(form));
      if (answer !== STAY) return onClose();
      if (kept) forget(kept);
      setProblem(undefined);
    } catch (found) {
      setProblem(found);
    }
    setBusy(false);
    sending.current = false;
    return undefined;
  };
  const typed = (event) => {
    delete waiting.current[event.target.name];
    if (kept) remember(kept, { ...values(event.currentTarget), ...waiting.current });
  };
  return html`<dialog
    ref=${dialog}
    class=${wide ? "wide" : ""}
    aria-label=${title}
    onClose=${onClose}
    onCancel=${onClose}
  >
    <form onSubmit=${submit} onInput=${typed} onInvalidCapture=${unfold} method="dialog">
      <h2 dir="auto">${title}</h2>
      <${Trouble} problem=${problem} />
      <div class="fields">${typeof children === "function" ? children(problem) : children}</div>
      <div class="send">
        <${Button} onClick=${onClose}>${leave}<//>
        ${
          send &&
          html`<button class=${`button ${danger ? "danger" : "primary"}`} aria-disabled=${busy ? "true" : undefined}>
            ${busy ? "…" : send}
          </button>`
        }
      </div>
    </form>
  </dialog>`;
}

/** Shows a field that is not filled in as it has to be: the browser says nothing of one that is tucked away. */
function unfold({ target }) {
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

/** Puts what was typed before into the controls of a form that can take it now; the rest waits. */
function restore(form, waiting) {
  for (const [name, value] of Object.entries(waiting)) {
    const field = form.elements[name];
    if (!field || !("value" in field)) continue;
    if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) continue;
    delete waiting[name];
    if (field.value === value) continue;
    field.value = value;
    // What a form shows may depend on what is chosen.
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

/** Where drafts of the person who is signed in are: each has its own, and of each tenant others. */
const ofPerson = () => `draft ${session.me?.user?.id} `;
const placeOf = (key) => `${ofPerson()}${session.tenant} ${key}`;

/** What was typed under a key and not sent, by the names of the fields. */
export function draft(key) {
  try {
    return JSON.parse(sessionStorage.getItem(placeOf(key)) || "{}");
  } catch {
    return {};
  }
}

/** Keeps what was typed; what is too long for the browser is not kept. */
export function remember(key, values) {
  try {
    sessionStorage.setItem(placeOf(key), JSON.stringify(values));
  } catch {
    forget(key);
  }
}

export const forget = (key) => sessionStorage.removeItem(placeOf(key));

/** Forgets all drafts, as somebody signs out; or those of others, as somebody signs in. */
export function forgetAll(but = "") {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith("draft ") && !(but && key.startsWith(but))) sessionStorage.removeItem(key);
}

export const forgetOthers = () => forgetAll(ofPerson());
