// Dragging on lanes: through a stretch of time, or from one part to another. Every screen that takes it has a form for
// the same.

import { html } from "./elements.js";
import { useState } from "./hooks.js";
import { MINUTE, millis } from "./time.js";

/** What is marked begins and ends at such minutes. */
const STEP = 30 * MINUTE;
/** Less than that many pixels is a click. */
const LEAST = 6;

const round = (time) => Math.round(time / STEP) * STEP;

/** The part of a lane at a time: somebody goes before nobody. */
function partAt(lane, time) {
  const here = lane.parts.filter((part) => millis(part.start) <= time && time < millis(part.end));
  return here.find((part) => !part.gap) || here[0];
}

/**
 * Lets people drag on lanes with a mouse or a pen; a finger scrolls. `onRange(lane, from, to)` hears of a stretch of
 * time, `onPair(lane, first, second)` of one part that was dropped on another.
 * @returns what a lane listens to, and what is marked on it meanwhile.
 */
export function useDrag({ from, to, onRange, onPair }) {
  const [drag, set] = useState();
  const timeAt = (event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return from + Math.min(1, Math.max(0, (event.clientX - left) / width)) * (to - from);
  };
  const paired = ({ lane, start, end }) => {
    const [first, second] = [partAt(lane, start), partAt(lane, end)];
    return first && second && first.text !== second.text && !first.gap && !second.gap ? [first, second] : undefined;
  };
  const listen = (lane) => ({
    onPointerDown: (event) => {
      if (event.pointerType === "touch" || event.button) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      event.preventDefault();
      const pressed = event.target.closest("button");
      set({ lane, start: timeAt(event), end: timeAt(event), x: event.clientX, far: false, pressed });
    },
    onPointerMove: (event) =>
      drag && set({ ...drag, end: timeAt(event), far: drag.far || Math.abs(event.clientX - drag.x) >= LEAST }),
    onPointerUp: () => {
      set(undefined);
      if (!drag?.far) {
        // The lane has the pointer, so that a button on it hears nothing.
        drag?.pressed?.focus();
        drag?.pressed?.click();
        return;
      }
      const pair = paired(drag);
      const [begin, end] = [drag.start, drag.end].sort((one, other) => one - other).map(round);
      if (pair) onPair(lane, ...pair);
      else if (end > begin) onRange(lane, begin, end);
    },
    onPointerCancel: () => set(undefined),
  });
  const share = (time) => `${((time - from) / (to - from)) * 100}%`;
  const mark = (lane) => {
    if (!drag?.far || drag.lane.id !== lane.id) return null;
    const pair = paired(drag);
    const stretches = pair
      ? pair.map((part) => [millis(part.start), millis(part.end)])
      : [[Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)]];
    return stretches.map(
      ([begin, end]) => html`<rect
        class="marked"
        x=${share(Math.max(begin, from))}
        width=${share(from + Math.min(end, to) - Math.max(begin, from))}
        y="1"
        height="28"
        rx="3"
      />`,
    );
  };
  return { listen, mark };
}
