// The palette: goes to whatever is typed, by keys or by a finger.

import { useModal } from "./dialog.js";
import { html } from "./elements.js";
import { useAnswer, useEffect, useState } from "./hooks.js";
import { findChoices, fixedChoices, listChoices } from "./palettesearch.js";
import { go } from "./route.js";

/** Records are searched for once nobody types for this long, in milliseconds. */
const WAIT = 200;

/** How long a button of another screen is waited for, in milliseconds. */
const PATIENCE = 8000;

const plain = (/** @type {string | null} */ words) => words?.trim().replace("…", "");

/** Presses a button of the page as soon as it is there. */
function pressWhenThere(words) {
  const press = () => {
    const buttons = [...document.querySelectorAll("main button")];
    const button = buttons.find((one) => plain(one.textContent) === plain(words));
    if (!(button instanceof HTMLElement)) return false;
    button.focus();
    button.click();
    return true;
  };
  const observer = new MutationObserver(() => {
    if (press()) stop();
  });
  const timer = setTimeout(() => stop(), PATIENCE);
  const stop = () => {
    clearTimeout(timer);
    observer.disconnect();
  };
  // Not before the dialog of the palette is gone.
  setTimeout(() => {
    if (press()) stop();
    else observer.observe(document.body, { childList: true, subtree: true });
  });
}

/** The text once it has stayed for a moment. */
function useSettled(text) {
  const [settled, set] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => set(text), WAIT);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function Palette({ onClose }) {
  const dialog = useModal();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const settled = useSettled(text.trim());
  const found = useAnswer((signal) => findChoices(settled, signal), settled);
  const records = found.data?.text === text.trim() ? found.data.choices : [];
  const choices = [...fixedChoices(text), ...records, ...listChoices(text)];
  const place = Math.min(at, choices.length - 1);
  useEffect(() => {
    dialog.current?.querySelector(".first")?.scrollIntoView({ block: "nearest" });
  }, [place]);
  const choose = (choice) => {
    onClose();
    go(choice.address);
    if (choice.button) pressWhenThere(choice.button);
  };
  const pressed = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !choices.length) return;
    event.preventDefault();
    setAt((place + by + choices.length) % choices.length);
  };
  const submit = (event) => {
    event.preventDefault();
    if (choices[place]) choose(choices[place]);
  };
  return html`<dialog ref=${dialog} onClose=${onClose} class="palette" aria-label="Go anywhere">
    <form onSubmit=${submit}>
      <input
        type="search"
        role="combobox"
        dir="auto"
        aria-label="Where to?"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant=${choices.length ? `palette-${place}` : undefined}
        aria-autocomplete="list"
        placeholder="Where to? A screen, machine, person, alert…"
        value=${text}
        onInput=${(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown=${pressed}
        autocomplete="off"
        spellcheck=${false}
        enterkeyhint="go"
      />
    </form>
    <ul id="palette-choices" role="listbox" aria-label="Choices">
      ${choices.map(
        (choice, number) => html`<li
          key=${`${choice.address} ${choice.title}`}
          id=${`palette-${number}`}
          role="option"
          aria-selected=${number === place ? "true" : "false"}
          class=${number === place ? "first" : ""}
          onClick=${() => choose(choice)}
        >
          <span dir="auto">${choice.title}</span>${choice.hint && html`<span class="dim small">${choice.hint}</span>`}
        </li>`,
      )}
    </ul>
    ${
      records.length === 0 &&
      settled !== found.data?.text &&
      settled.length > 1 &&
      html`<p class="dim small" role="status">Searching…</p>`
    }
    ${found.data?.problem && html`<p class="wrong">Not all could be searched: ${found.data.problem.message}</p>`}
  </dialog>`;
}
