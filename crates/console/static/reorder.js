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
 * @returns what an element at a place listens to, and its buttons; `name` says what they move. An element with fields,
 * whose text is dragged too, listens to `over`, and is dragged by its `grip`.
 */
export function useReorder({ length, onMove }) {
  const [from, setFrom] = useState(-1);
  const [at, setAt] = useState(-1);
  const end = () => {
    setFrom(-1);
    setAt(-1);
  };
  const dragged = (place) => ({
    draggable: true,
    onDragStart: (event) => {
      event.stopPropagation();
      event.dataTransfer.effectAllowed = "move";
      // Without data Firefox does not drag.
      event.dataTransfer.setData("text/plain", String(place));
      const line = event.currentTarget.closest(".line");
      if (line) event.dataTransfer.setDragImage(line, 0, 0);
      setFrom(place);
    },
    onDragEnd: end,
  });
  const over = (place, own = "") => ({
    class: at === place && from !== place ? `${own} drop-here` : own,
    onDragOver: (event) => {
      if (from < 0) return;
      event.preventDefault();
      if (at !== place) setAt(place);
    },
    onDrop: (event) => {
      event.preventDefault();
      end();
      if (from >= 0 && from !== place) onMove(from, place);
    },
  });
  const listen = (place) => ({ ...over(place), ...dragged(place) });
  const grip = (place) => html`<span class="grip" aria-hidden="true" ...${dragged(place)}>⠿</span>`;
  const buttons = (place, name) => html`<${MoveButtons} ...${{ place, length, name, onMove }} />`;
  return { listen, over, grip, buttons };
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
