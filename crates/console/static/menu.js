// The menu of screens, and the bar at the bottom of telephones.

import { html } from "./elements.js";
import { useEffect, useRef } from "./hooks.js";
import { useCountReading, useCounts } from "./menucounts.js";
import { link } from "./route.js";
import { GROUPS, SCREENS, isUsable } from "./screenlist.js";

/** An icon of the sprite; what it stands for is written beside it. */
export const Icon = ({ name }) => html`<svg class="icon" aria-hidden="true">
  <use href=${`/console/vendor/icons.svg#${name}`} />
</svg>`;

/** Larger counts are not written out beside an entry. */
const MOST = 999;

function Entry({ screen, at }) {
  const number = useCounts()[screen.path];
  const shown = number > MOST ? `${MOST}+` : number;
  return html`<a
    href=${link(screen.path)}
    aria-current=${screen.path === at ? "page" : undefined}
    aria-label=${number ? `${screen.title}, ${shown} ${screen.counted}` : undefined}
  >
    <${Icon} name=${screen.path} />
    <span>${screen.title}</span>${" "} ${number > 0 && html`<span class="count">${shown}</span>`}
  </a>`;
}

/** All screens that the person may use, by group. */
export function Menu({ at }) {
  useCountReading();
  const menu = useRef(null);
  // Where the window is lower than the menu.
  useEffect(() => menu.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [at]);
  const screens = SCREENS.filter(isUsable);
  return html`<nav class="menu" aria-label="Screens" ref=${menu}>
    ${GROUPS.map((group) => {
      const own = screens.filter((screen) => screen.group === group);
      if (!own.length) return null;
      return html`<h2 id=${`menu-${group}`}>${group}</h2>
        <ul aria-labelledby=${`menu-${group}`}>
          ${own.map((screen) => html`<li><${Entry} screen=${screen} at=${at} /></li>`)}
        </ul>`;
    })}
  </nav>`;
}

/** What a woken person needs, within reach of a thumb. */
const NEAR = ["on-call", "alerts", "incidents"];

/** The bar at the bottom of narrow pages. */
export function BottomBar({ at, open, onMenu }) {
  return html`<nav class="bottom-bar" aria-label="Nearest screens">
    ${SCREENS.filter((screen) => NEAR.includes(screen.path)).map(
      (screen) => html`<${Entry} screen=${screen} at=${at} />`,
    )}
    <button type="button" aria-expanded=${open ? "true" : "false"} onClick=${onMenu}>
      <span aria-hidden="true">☰</span>
      <span>All</span>
    </button>
  </nav>`;
}
