// Lists whose order counts: an element is moved by buttons, or dragged with a mouse onto the place of another.

import { html } from "./elements.js";
import { useState } from "./hooks.js";

/** A list in which the element at `from` has the place `to`. */
export function reordered(list, from, to) {
  const next = [...list];
  next.splice(to, 0, next.splice(from, 1)[0]);
  return next;
}

/**
 * Lets people move the elements of a list. `onMove(from, to)` is called with places.
 * @returns what an element at a place listens to, and its buttons; `name` says what they move.
 */
export function useReorder({ length, onMove }) {
  const [from, setFrom] = useState(-1);
  const [over, setOver] = useState(-1);
  const end = () => {
    setFrom(-1);
    setOver(-1);
  };
  const listen = (place) => ({
    draggable: true,
    class: over === place && from !== place ? "drop-here" : "",
    onDragStart: (event) => {
      event.dataTransfer.effectAllowed = "move";
      // Without data Firefox does not drag.
      event.dataTransfer.setData("text/plain", String(place));
      setFrom(place);
    },
    onDragOver: (event) => {
      if (from < 0) return;
      event.preventDefault();
      if (over !== place) setOver(place);
    },
    onDrop: (event) => {
      event.preventDefault();
      end();
      if (from >= 0 && from !== place) onMove(from, place);
    },
    onDragEnd: end,
  });
  const buttons = (place, name) => html`<${MoveButtons} ...${{ place, length, name, onMove }} />`;
  return { listen, buttons };
}

/** Buttons that move an element of a list by one place. They stay where they are, so that the focus stays. */
export function MoveButtons({ place, length, name, onMove }) {
  const button = (to, sign, word) => html`<button
    type="button"
    class="button move"
    aria-label=${`Move ${name} ${word}`}
    aria-disabled=${to < 0 || to >= length ? "true" : undefined}
    onClick=${() => to >= 0 && to < length && onMove(place, to)}
  >
    ${sign}
  </button>`;
  return html`${button(place - 1, "↑", "up")} ${button(place + 1, "↓", "down")}`;
}
