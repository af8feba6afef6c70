// What the screens are made of. Text that comes from the service is only ever a child of an element, never markup.

import { html } from "./vendor/preact-htm.js";
import { useEffect, useLayoutEffect, useRef } from "./hooks.js";
import { full, gmt, millis, short, span, zone } from "./time.js";

export { html };

/** A time as people here read it; GMT when pointed at. */
export function Time({ at, ago }) {
  if (!at) return html`<span class="dim">–</span>`;
  const time = millis(at);
  const distance = Date.now() - time;
  const text = !ago ? short(time) : distance >= 0 ? `${span(distance)} ago` : `in ${span(-distance)}`;
  return html`<time datetime=${at} title=${`${full(time)} (${zone})\n${gmt(time)}`}>${text}</time>`;
}

export const personName = (person) =>
  person
    ? [person.firstName, person.lastName].filter(Boolean).join(" ") ||
      person.name ||
      person.loginName ||
      person.id ||
      ""
    : "";

/** A word with a colour; the word alone says it too. */
export const Badge = ({ kind, children }) => html`<span class=${`badge ${kind || ""}`}>${children}</span>`;

const STATES = {
  Critical: "bad",
  Warning: "warn",
  Info: "info",
  Ok: "good",
  New: "strong",
  Acknowledged: "info",
  Suppressed: "quiet",
  Closed: "quiet",
  Urgent: "bad",
  High: "warn",
  Open: "info",
  Pending: "info",
  Resolved: "good",
  Active: "good",
  Inactive: "quiet",
  Incomplete: "warn",
  Suspended: "warn",
  Completed: "quiet",
  SUCCEEDED: "good",
  FAILED: "bad",
  TIMED_OUT: "bad",
  RUNNING: "info",
  QUEUED: "info",
  MISSED: "warn",
  delivered: "good",
  failed: "bad",
  pending: "info",
  UP: "good",
  DOWN: "bad",
  Up: "good",
  Missing: "bad",
  active: "good",
  ACTIVE: "good",
  TRASH: "quiet",
  UPTODATE: "good",
  OUTOFDATE: "warn",
  ENABLED: "good",
  DISABLED: "quiet",
  CREATE: "good",
  DELETE: "bad",
  UPDATE: "info",
};

/** Words of the interface that are several words. */
const SEVERAL = { UPTODATE: "Up to date", OUTOFDATE: "Out of date" };

/** A state or an action of the interface as people write it: `TIMED_OUT` is Timed out. */
export const stateName = (word) =>
  SEVERAL[word] || (/^[A-Z_]{2,}$/.test(word) ? word[0] + word.slice(1).toLowerCase().replaceAll("_", " ") : word);

export const State = ({ of }) =>
  of ? html`<${Badge} kind=${STATES[of] || "quiet"}>${stateName(of)}<//>` : html`<span class="dim">–</span>`;

/** What went wrong, in the words of the interface, with the request id. */
export function Trouble({ problem, again }) {
  if (!problem) return null;
  const details = problem.errors?.length ? problem.errors : null;
  return html`<div class="trouble" role="alert">
    <strong>${problem.title || "That did not work"}</strong>
    ${
      details
        ? html`<ul>
            ${details.map(
              ({ label, fieldName, message }) => html`<li>
                ${label ? html`<strong>${label}</strong>` : fieldName && html`<code>${fieldName}</code>`} ${message}
              </li>`,
            )}
          </ul>`
        : html`<p>${problem.message}</p>`
    }
    <p class="small">
      ${problem.requestId && html`Request <code>${problem.requestId}</code>`}
      ${again && html`<button type="button" class="link" onClick=${again}>Try again</button>`}
    </p>
  </div>`;
}

export const Empty = ({ title, children }) => html`<div class="empty">
  <p><strong>${title}</strong></p>
  ${children && html`<p>${children}</p>`}
</div>`;

/** The head of a screen; it takes the focus when the screen changes. */
export function Head({ title, actions, children, back }) {
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${title || "…"} · Muster`;
  }, [title]);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return html`<header class="head">
    ${back && html`<nav class="crumbs" aria-label="Breadcrumb"><a href=${back[1]}>${back[0]}</a></nav>`}
    <div class="head-row">
      <h1 tabindex="-1" dir="auto" ref=${heading}>${title || "…"}</h1>
      <div class="actions">${actions}</div>
    </div>
    ${children && html`<div class="sub">${children}</div>`}
  </header>`;
}

export const Button = ({ children, kind, ...rest }) => html`<button
  type="button"
  class=${`button ${kind || ""}`}
  ...${rest}
>
  ${children}
</button>`;

/** What is shown until an answer is there: the shape of a list. */
export const Loading = () => html`<div class="loading" role="status">
  <span class="hidden">Loading…</span>
  ${[1, 2, 3].map(() => html`<div class="skeleton"></div>`)}
</div>`;

export const count = (number) => Number(number || 0).toLocaleString();

/**
 * A list that has something in it, or nothing: what would be made of an empty one is left out then.
 * @template T
 * @param {T[] | undefined} list
 */
export const some = (list) => (list?.length ? list : undefined);

/** Names and values, those without a value left out. */
export function Facts({ of }) {
  const given = of.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  return html`<dl class="facts">
    ${given.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}
  </dl>`;
}

export const Panel = ({ title, actions, children, id }) => html`<section class="panel" aria-labelledby=${id}>
  <div class="panel-head">
    <h2 id=${id} dir="auto">${title}</h2>
    ${actions && html`<div class="actions">${actions}</div>`}
  </div>
  ${children}
</section>`;
