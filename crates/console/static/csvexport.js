// Export of a list as CSV: all pages of what a filter selects, up to a limit, with progress.

import { FormDialog } from "./dialog.js";
import { Button, Trouble, count, html } from "./elements.js";
import { useEffect, useRef, useState } from "./hooks.js";

/** The most rows of a file. */
const MOST = 10_000;

/** A cell. A spreadsheet would calculate what begins like a formula, so that has an apostrophe in front. */
export function cellOf(value) {
  const text = value === undefined || value === null ? "" : String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) || harmless !== text ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A table as CSV, as spreadsheets take it. */
export const csvOf = (columns, rows) =>
  [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, value]) => value(row)))]
    .map((cells) => `${cells.map(cellOf).join(",")}\r\n`)
    .join("");

/**
 * Reads page after page, and then offers the file. `read(cursor, signal)` answers a page; a column is
 * `[title, value(row)]`.
 * @param {{
 *   title: string, file: string, columns: [string, (row: any) => any][], onClose: () => void,
 *   read: (cursor: string | undefined, signal: AbortSignal) => Promise<any>,
 * }} given
 */
export function ExportDialog({ title, file, columns, read, onClose }) {
  const [state, set] = useState(/** @type {any} */ ({ rows: 0 }));
  const link = useRef(null);
  const collect = async (signal) => {
    const rows = [];
    let cursor;
    let total = 0;
    try {
      do {
        const page = await read(cursor, signal);
        if (signal.aborted) return;
        rows.push(...page.results);
        cursor = page.nextCursor;
        total = Math.max(page.totalResults ?? 0, rows.length);
        set({ rows: Math.min(rows.length, MOST), total });
      } while (cursor && rows.length < MOST);
      const kept = rows.slice(0, MOST);
      // A spreadsheet takes UTF-8 for something else without the mark.
      const blob = new Blob(["\ufeff", csvOf(columns, kept)], { type: "text/csv" });
      set({ rows: kept.length, total, url: URL.createObjectURL(blob), cut: Boolean(cursor) || rows.length > MOST });
    } catch (problem) {
      if (!signal.aborted) set((before) => ({ ...before, problem }));
    }
  };
  const [round, again] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    collect(abort.signal);
    return () => abort.abort();
  }, [round]);
  useEffect(() => {
    link.current?.focus();
    return () => state.url && URL.revokeObjectURL(state.url);
  }, [state.url]);
  const of = state.total ? ` of ${count(state.total)}` : "";
  return html`<${FormDialog} title=${title} send="" leave=${state.url ? "Close" : "Cancel"} onClose=${onClose}>
    <${Trouble} problem=${state.problem} />
    <div class="wide">
      <p role="status">
        ${count(state.rows)}${state.url && !state.cut ? "" : of} ${state.url ? "rows are in the file." : "rows…"}
      </p>
      ${
        !state.url &&
        html`<progress
          aria-label="Rows that were read"
          max=${Math.min(state.total || 1, MOST)}
          value=${state.rows}
        ></progress>`
      }
      ${
        state.cut &&
        html`<p class="wrong">
          It was cut: a file has at most ${count(MOST)} rows. Narrow the filter for the others.
        </p>`
      }
      ${state.problem && html`<${Button} onClick=${() => (set({ rows: 0 }), again(round + 1))}>Try again<//>`}
      ${
        state.url &&
        html`<p>
          <a class="button primary" ref=${link} href=${state.url} download=${file}>Save ${file}</a>
        </p>`
      }
    </div>
  <//>`;
}
