// What the screens are made of. Text that comes from the service is only ever a child of an element, never markup.

import { html, useEffect, useLayoutEffect, useRef, useState } from "./vendor/preact-htm.js";
import { call, onState, sayable } from "./api.js";
import { lastRow } from "./focus.js";
import { full, gmt, millis, short, span, zone } from "./time.js";

export { html, useEffect, useLayoutEffect, useRef, useState };

/** Shows a new value every so often, while somebody looks. */
export function useEvery(milliseconds, work) {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (!milliseconds) return undefined;
    const tick = () => document.hidden || latest.current();
    const timer = setInterval(tick, milliseconds);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [milliseconds]);
}

/**
 * What `work(signal)` answers, asked again when `key` changes, by `reload()`, and every `poll` milliseconds. What was
 * there stays until the new is, and a late answer to an old question is dropped. What got no answer is asked again once
 * there are answers.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @param {string | undefined} key
 */
export function useAnswer(work, key, poll = 0) {
  // Whoever shows what it answers looks first whether it is there.
  /** @type {{key: string | undefined, data: T, problem: any, loading: boolean}} */
  const begun = { key: undefined, data: /** @type {any} */ (undefined), problem: undefined, loading: true };
  const [state, set] = useState(begun);
  const round = useRef(0);
  const abort = useRef(null);
  const ask = async (quiet) => {
    const mine = ++round.current;
    abort.current?.abort();
    abort.current = new AbortController();
    if (!quiet) set((before) => ({ ...before, loading: true }));
    try {
      const data = await work(abort.current.signal);
      if (mine === round.current) set({ key, data, problem: undefined, loading: false });
    } catch (problem) {
      if (problem.name !== "AbortError" && mine === round.current)
        set((before) => ({ key, data: before.key === key ? before.data : begun.data, problem, loading: false }));
    }
  };
  useEffect(() => {
    ask(false);
    return () => {
      round.current += 1;
      abort.current?.abort();
    };
  }, [key]);
  useEvery(poll, () => ask(true));
  const again = useRef(() => {});
  again.current = () => state.problem?.status === 0 && ask(true);
  useEffect(() => onState(({ online }) => online && again.current()), []);
  const put = (data) => set((before) => ({ ...before, data }));
  /** After a change: shows what the service answered to it, where it did, and asks again. */
  const renew = (data) => {
    if (data) put(data);
    ask(true);
  };
  return { ...state, reload: () => ask(true), put, renew };
}

/**
 * A list of the service, page by page by cursor.
 * @template {OperationId} N
 * @param {N} name
 * @param {Given<N>["query"]} query
 * @param {Record<string, string>} path
 */
export function useList(name, query, path = {}, poll = 0) {
  const key = JSON.stringify([name, query, path]);
  /** @type {{key: string, rows: any[], cursor?: string, loading: boolean, problem?: any}} */
  const none = { key, rows: [], loading: false };
  const [further, setFurther] = useState(none);
  // Which operation it is, and so what a row has, only the caller knows.
  const page = (asked) => /** @type {Promise<any>} */ (call(name, /** @type {any} */ (asked)));
  const first = useAnswer((signal) => page({ ...path, query, signal }), key, poll);
  const later = further.key === key ? further : none;
  const cursor = later.rows.length ? later.cursor : first.data?.nextCursor;
  const more = async () => {
    setFurther({ ...later, loading: true, problem: undefined });
    try {
      const next = await page({ ...path, query: { ...query, cursor } });
      setFurther({ ...none, rows: [...later.rows, ...next.results], cursor: next.nextCursor });
    } catch (problem) {
      setFurther({ ...later, loading: false, problem });
    }
  };
  const known = new Set(first.data?.results.map((row) => row.id ?? row.uniqueId));
  const rest = later.rows.filter((row) => !known.has(row.id ?? row.uniqueId ?? row));
  /** @type {Row<N>[]} */
  const rows = first.data && (rest.length ? [...first.data.results, ...rest] : first.data.results);
  return {
    ...first,
    rows,
    total: first.data?.totalResults,
    cursor,
    more,
    moreLoading: later.loading,
    moreProblem: later.problem,
  };
}

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
export const State = ({ of }) =>
  of ? html`<${Badge} kind=${STATES[of] || "quiet"}>${of}<//>` : html`<span class="dim">–</span>`;

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
              (error) => html`<li>${error.fieldName && html`<code>${error.fieldName}</code>`} ${error.message}</li>`,
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
      <h1 tabindex="-1" ref=${heading}>${title || "…"}</h1>
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

/** How long words such as "4 min ago" stay as they are, in milliseconds. */
const STAYS = 15e3;

/**
 * Rows as they were drawn: one that has not changed is not drawn again, so that a key that chooses one of many is
 * answered at once. What a row shows comes of it, of whether it is chosen, of what else is named, of the address and of
 * the time.
 */
function useDrawn() {
  const kept = useRef(new WeakMap());
  return (row, chosen, also, draw) => {
    const stamp = `${also} ${Boolean(chosen)} ${location.search} ${Math.floor(Date.now() / STAYS)}`;
    const before = kept.current.get(row);
    if (before?.stamp === stamp) return before.drawn;
    const now = { stamp, drawn: draw() };
    kept.current.set(row, now);
    return now.drawn;
  };
}

/**
 * A table of a list. A column is `{title, cell(row), keep}`; `keep` 2 and 3 are left out on narrow screens. Rows are
 * gone through with `j` and `k`; `keys` has what other keys do with the row that has the focus. When `also` is another
 * one, all rows are drawn again.
 * @param {any} given
 */
export function Rows({ list, columns, label, href, select, keys = {}, empty, also = "", id = (row) => row.id }) {
  const body = useRef(null);
  const drawn = useDrawn();
  useEffect(() => {
    const pressed = (event) => {
      if (isTyping(event) || document.querySelector("dialog[open]")) return;
      const links = [...(body.current?.querySelectorAll("a.row-link") || [])];
      const at = links.findIndex((anchor) => anchor.closest("tr").contains(document.activeElement));
      if (event.key === "j" || event.key === "k") {
        // Where a row went, the next one has its place.
        const from = at < 0 && lastRow() >= 0 ? lastRow() - (event.key === "j" ? 1 : 0) : at;
        const next =
          event.key === "j" ? Math.min(from + 1, links.length - 1) : Math.min(Math.max(from - 1, 0), links.length - 1);
        links[next]?.focus();
        links[next]?.scrollIntoView({ block: "nearest" });
        event.preventDefault();
      } else if (keys[event.key]) {
        event.preventDefault();
        keys[event.key](at < 0 ? undefined : list.rows[at]);
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
  useEffect(() => {
    const row = history.state?.row;
    if (!row || !body.current || !/^(BODY|H1)$/.test(document.activeElement?.tagName || "")) return;
    const anchor = [...body.current.querySelectorAll("a.row-link")].find((one) => one.pathname + one.search === row);
    anchor?.focus();
    anchor?.scrollIntoView({ block: "center" });
  }, [Boolean(list.rows?.length)]);
  if (list.problem && !list.rows) return html`<${Trouble} problem=${list.problem} again=${list.reload} />`;
  if (!list.rows) return html`<${Loading} />`;
  if (!list.rows.length)
    return html`
      ${list.problem && html`<${Trouble} problem=${list.problem} again=${list.reload} />`}
      ${empty || html`<${Empty} title="Nothing here." />`}
    `;
  const all = select && list.rows.length > 0 && list.rows.every((row) => select.chosen.has(id(row)));
  return html`
    ${list.problem && html`<${Trouble} problem=${list.problem} again=${list.reload} />`}
    <table class=${`rows ${list.loading ? "waiting" : ""}`} aria-busy=${list.loading}>
      <caption class="hidden">${label}</caption>
      <thead>
        <tr>
          ${
            select &&
            html`<th class="tick">
              <input
                type="checkbox"
                aria-label="Choose all"
                checked=${all}
                onChange=${() => select.set(all ? [] : list.rows.map(id))}
              />
            </th>`
          }
          ${columns.map(
            (column) => html`<th scope="col" class=${`k${column.keep || 1} ${column.class || ""}`}>
              ${column.title}
            </th>`,
          )}
        </tr>
      </thead>
      <tbody ref=${body}>
        ${list.rows.map((row) =>
          drawn(
            row,
            select?.chosen.has(id(row)),
            also,
            () => html`<tr key=${id(row)} class=${select?.chosen.has(id(row)) ? "chosen" : ""}>
              ${
                select &&
                html`<td class="tick">
                  <input
                    type="checkbox"
                    aria-label=${`Choose ${row.subject || row.name || id(row)}`}
                    checked=${select.chosen.has(id(row))}
                    onChange=${() => select.toggle(id(row))}
                  />
                </td>`
              }
              ${columns.map(
                (column, place) => html`<td class=${`k${column.keep || 1} ${column.class || ""}`}>
                  ${
                    column.main || (place === 0 && !columns.some((other) => other.main))
                      ? html`
                          <a class="row-link" href=${href(row)}>${column.cell(row)}</a>
                          ${column.below && html`<div class="below">${column.below(row)}</div>`}
                        `
                      : column.cell(row)
                  }
                </td>`,
              )}
            </tr>`,
          ),
        )}
      </tbody>
    </table>
    <div class="foot">
      <span class="dim" role="status">${count(list.rows.length)} of ${count(list.total ?? list.rows.length)}</span>
      ${
        list.cursor &&
        html`<${Button}
          onClick=${() => list.moreLoading || list.more()}
          aria-disabled=${list.moreLoading ? "true" : undefined}
        >
          ${list.moreLoading ? "Loading…" : "Show more"}
        <//>`
      }
    </div>
    <${Trouble} problem=${list.moreProblem} />
  `;
}

export const Loading = () => html`<p class="loading" role="status">Loading…</p>`;

/** Rows that are ticked. */
export function useChosen() {
  const [chosen, put] = useState(new Set());
  const toggle = (id) =>
    put((before) => {
      const after = new Set(before);
      after.has(id) ? after.delete(id) : after.add(id);
      return after;
    });
  return { chosen, toggle, set: (ids) => put(new Set(ids)), clear: () => put(new Set()) };
}

export const count = (number) => Number(number || 0).toLocaleString();

/** Whether a key that was pressed is meant for a field. */
export function isTyping(event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return (
    target.isContentEditable ||
    target.tagName === "TEXTAREA" ||
    target.tagName === "SELECT" ||
    (target.tagName === "INPUT" && target.type !== "checkbox")
  );
}

let number = 0;

/**
 * A field of a form: label, control, what is wrong with it. `value` is what it begins with; what is typed then stays.
 */
export function Field({ label, name, problem, hint, as = "input", children, wide, value, ...rest }) {
  const [id] = useState(() => `f${++number}`);
  const errors = (problem?.errors || []).filter(
    (error) =>
      error.fieldName === name || error.fieldName?.startsWith(`${name}.`) || error.fieldName?.startsWith(`${name}[`),
  );
  return html`<div class=${wide ? "field wide" : "field"}>
    <label for=${id}>${label}</label>
    <${as}
      id=${id}
      name=${name}
      aria-invalid=${errors.length ? "true" : undefined}
      aria-describedby=${hint || errors.length ? `${id}n` : undefined}
      defaultValue=${value}
      ...${rest}
    >
      ${children}
    <//>
    ${
      (hint || errors.length > 0) &&
      html`<p id=${`${id}n`} class=${errors.length ? "wrong" : "hint"}>
        ${errors.length ? errors.map((error) => error.message).join("; ") : hint}
      </p>`
    }
  </div>`;
}

/**
 * A search field that takes the focus with `/`, gives it to the first row with the arrow down, and asks once nobody
 * types for a moment.
 */
export function Search({ value, onValue, label, placeholder, wait = 150 }) {
  const [text, set] = useState(value);
  const timer = useRef(0);
  const sent = useRef(value);
  // An address that was changed elsewhere; what this field asked for itself may be behind what is typed by now.
  useEffect(() => {
    if (value !== sent.current) set(value);
    sent.current = value;
  }, [value]);
  const typed = (event) => {
    const now = event.target.value;
    set(now);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = now.trim();
      onValue(sent.current);
    }, wait);
  };
  const down = (event) => {
    const row = /** @type {HTMLElement} */ (event.key === "ArrowDown" && document.querySelector("a.row-link"));
    if (!row) return;
    event.preventDefault();
    row.focus();
  };
  return html`<input
    type="search"
    class="search"
    data-search
    aria-label=${label}
    placeholder=${placeholder}
    value=${text}
    onInput=${typed}
    onKeyDown=${down}
    autocomplete="off"
    spellcheck=${false}
  />`;
}

/** Says what is searched for where it is not all that was typed. */
export function Cut({ text }) {
  const part = sayable(text);
  if (part === text.trim()) return null;
  return html`<p class="hint wide" role="status">
    ${part ? html`Shown is what contains <strong>${part}</strong>: ` : ""}a search cannot say “+”, “,” or a word
    with “:” behind a blank.
  </p>`;
}

/** Toggles that stand for the alternatives of one filter. */
export function Choices({ label, options, value, onValue }) {
  const chosen = new Set(value ? value.split(",") : []);
  const flip = (option) => {
    chosen.has(option) ? chosen.delete(option) : chosen.add(option);
    onValue(options.filter((other) => chosen.has(other)).join(","));
  };
  return html`<div class="choices" role="group" aria-label=${label}>
    ${options.map(
      (option) => html`<button
        type="button"
        aria-pressed=${chosen.has(option) ? "true" : "false"}
        onClick=${() => flip(option)}
      >
        ${option}
      </button>`,
    )}
  </div>`;
}

/** Opens a dialog above all else; when it goes, the focus is where it was before. @returns where the dialog is put. */
export function useModal() {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement} */ (document.activeElement);
    dialog.current.showModal();
    // Until the dialog is gone, nothing below it takes the focus.
    return () => queueMicrotask(() => before?.isConnected && before.focus());
  }, []);
  return dialog;
}

/**
 * A dialog with a form; without `send` there is nothing to send. `onSend` may fail with a problem, which is shown; what
 * was typed stays, also over a reload.
 */
export function FormDialog({ title, send = "Save", onSend, onClose, keep, children, danger, wide, leave = "Cancel" }) {
  const dialog = useModal();
  const [problem, setProblem] = useState();
  const [busy, setBusy] = useState(false);
  const [kept] = useState(keep);
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
      await onSend(values(form));
      if (kept) forget(kept);
      onClose();
    } catch (found) {
      setProblem(found);
      setBusy(false);
      sending.current = false;
    }
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
    <form onSubmit=${submit} onInput=${typed} method="dialog">
      <h2>${title}</h2>
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

/** Puts what was typed before into the controls of a form that can take it by now; the rest waits. */
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

/** What was typed under a key and not sent, by the names of the fields. */
export function draft(key) {
  try {
    return JSON.parse(sessionStorage.getItem(`draft ${key}`) || "{}");
  } catch {
    return {};
  }
}
export const remember = (key, values) => sessionStorage.setItem(`draft ${key}`, JSON.stringify(values));
export const forget = (key) => sessionStorage.removeItem(`draft ${key}`);

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
    ${given.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

export const Panel = ({ title, actions, children, id }) => html`<section class="panel" aria-labelledby=${id}>
  <div class="panel-head"><h2 id=${id}>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</div>
  ${children}
</section>`;

/** @type {(toast: {text: string, problem?: any, key: number}) => void} */
let show = () => {};

/**
 * Says shortly what was done.
 * @type {(text: string | undefined, problem?: any) => void}
 */
export const say = (text, problem) => (text || problem) && show({ text: text || "", problem, key: Date.now() });

export function Toast() {
  const [toast, set] = useState(null);
  show = set;
  useEffect(() => {
    if (!toast || toast.problem) return undefined;
    const timer = setTimeout(() => set(null), 5000);
    return () => clearTimeout(timer);
  }, [toast]);
  return html`<div class="toast-place" aria-live="polite">
    ${
      toast &&
      html`<div class=${toast.problem ? "toast bad" : "toast"}>
        <div>
          ${toast.text}
          ${
            toast.problem &&
            html`<div>
              ${toast.problem.message}
              ${
                toast.problem.requestId &&
                html`<div class="small">Request <code>${toast.problem.requestId}</code></div>`
              }
            </div>`
          }
        </div>
        <button type="button" class="link" aria-label="Dismiss" onClick=${() => set(null)}>✕</button>
      </div>`
    }
  </div>`;
}

/** Does something, and says how that went. */
export async function attempt(done, work) {
  try {
    const answer = await work();
    say(done);
    return answer;
  } catch (problem) {
    say("That did not work.", problem);
    return undefined;
  }
}
