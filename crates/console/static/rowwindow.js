// Long lists: only the rows near those that are seen are drawn, and the one that has the focus; in place of the others
// there is as much room as they take.

import { useEffect, useLayoutEffect, useListener, useRef, useState } from "./hooks.js";

/** Lists of at most this many rows are drawn whole: the browser finds words in all of them. */
const WHOLE = 200;

/** Rows are drawn and measured in blocks of this many. */
const BLOCK = 8;

/** More rows than these are read only when somebody asks for them. */
const MOST_ROWS = 100_000;

/** How scrolling is listened to: that of every part of the page, without holding it up. */
const SCROLL = { capture: true, passive: true };

/** The rows that are drawn, in order of the list; `at` is the place of a row. */
const drawnRows = (body) =>
  [...(body?.children || [])].flatMap((row) =>
    row.ariaRowIndex ? [{ row, at: Number(row.ariaRowIndex) - 2, box: row.getBoundingClientRect() }] : [],
  );

/** What scrolls a list, and between which heights of the window it is seen. */
function viewOf(body) {
  const around = body.closest(".scroll, dialog");
  if (!around || around.scrollHeight <= around.clientHeight)
    return { scroller: document.scrollingElement, top: 0, bottom: innerHeight };
  const { top, bottom } = around.getBoundingClientRect();
  return { scroller: around, top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) };
}

/** Where each block begins, by the heights of those that were measured; the others are of the height of most. */
function tops(kept, length) {
  const count = Math.ceil(length / BLOCK);
  if (kept.tops?.length === count + 1 && kept.measured === kept.summed) return kept.tops;
  const sums = new Float64Array(count + 1);
  for (let block = 0; block < count; block += 1)
    sums[block + 1] = sums[block] + (kept.heights[block] || kept.row * Math.min(BLOCK, length - block * BLOCK));
  kept.summed = kept.measured;
  kept.tops = sums;
  return sums;
}

/** The block at a height. */
function blockAt(sums, height) {
  let [low, high] = [0, sums.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sums[middle] <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

function measure(kept, drawn, length) {
  let start = 0;
  for (const { at, box } of drawn) {
    const block = Math.floor(at / BLOCK);
    if (at % BLOCK === 0) start = box.top;
    if (at % BLOCK !== BLOCK - 1 && at !== length - 1) continue;
    const height = box.bottom - start;
    if (Math.abs((kept.heights[block] || 0) - height) < 0.5) continue;
    kept.heights[block] = height;
    kept.measured += 1;
  }
  kept.row ||= drawn.reduce((sum, { box }) => sum + box.height, 0) / (drawn.length || 1);
}

/** Holds the columns as wide as they are, whichever rows are drawn; anew in a window of another width. */
function holdColumns(kept, table, columns) {
  const key = `${innerWidth} ${columns}`;
  if (kept.table === table && kept.key === key) return false;
  const heads = [...table.tHead.rows[0].cells];
  releaseColumns(table);
  const widths = heads.map((head) => head.getBoundingClientRect().width);
  heads.forEach((head, place) => {
    head.style.width = `${widths[place]}px`;
  });
  table.style.tableLayout = "fixed";
  Object.assign(kept, { table, key, heights: [], row: 0, measured: kept.measured + 1 });
  return true;
}

function releaseColumns(table) {
  table.style.tableLayout = "";
  for (const head of table.tHead.rows[0].cells) head.style.width = "";
}

/** Which blocks are to be drawn, as far as what is seen says. */
function look(kept, body, length) {
  const { top, bottom } = viewOf(body);
  const start = body.getBoundingClientRect().top;
  const sums = tops(kept, length);
  const first = blockAt(sums, top - (bottom - top) - start);
  const last = blockAt(sums, bottom + (bottom - top) - start);
  const isOther = first !== kept.first || last !== kept.last;
  Object.assign(kept, { first, last });
  return isOther;
}

/** Notes which row is seen first and where, so that it stays there when others above it change. */
function noteAnchor(kept, body, drawn, rows, id) {
  const { scroller, top } = viewOf(body);
  const line = top + body.closest("table").tHead.offsetHeight;
  const first = body.getBoundingClientRect().top < top ? drawn.find(({ box }) => box.bottom > line) : undefined;
  kept.anchor = first && rows[first.at] && { id: id(rows[first.at]), top: first.box.top + scroller.scrollTop };
}

/**
 * The part of a list that is drawn. `parts` are the rows `from` up to `to`, each behind so much `space`, and `rest` is
 * the space at the end; `reveal(index)` gives a row the focus, and draws it where it is not.
 * @param {{current: any}} body the element that the rows are drawn in, with `aria-rowindex` where they are windowed
 * @param {any[]} rows
 * @param {(row: any) => string} id
 * @param {string} columns when it is another one, columns are as wide as they need to be again
 * @param {((rows: any[]) => void) | undefined} onSeen is told which rows are near those that are seen
 */
export function useRowWindow(body, rows, id, columns, onSeen) {
  const [, draw] = useState({});
  const kept = useRef(/** @type {any} */ (undefined));
  kept.current ||= { first: 0, last: WHOLE / BLOCK, heights: [], row: 0, measured: 0, wanted: -1, rows: [] };
  const mine = kept.current;
  const windowed = rows.length > WHOLE;

  /** The place of the row that has the focus, among the rows as they are now. */
  const focusedIndex = () => {
    const row = document.activeElement?.closest("tr");
    if (!row?.ariaRowIndex || row.parentNode !== body.current) return -1;
    const before = Number(row.ariaRowIndex) - 2;
    if (mine.rows === rows || !mine.rows[before]) return before;
    const name = id(mine.rows[before]);
    return rows.findIndex((one) => id(one) === name);
  };
  const focused = windowed ? focusedIndex() : -1;

  const partsOf = () => {
    if (!windowed) return { parts: [{ space: 0, from: 0, to: rows.length }], rest: 0 };
    const sums = tops(mine, rows.length);
    const most = sums.length - 2;
    const blocks = new Set();
    for (let block = Math.min(mine.first, most); block <= Math.min(mine.last, most); block += 1) blocks.add(block);
    for (const index of [focused, mine.wanted])
      if (index >= 0 && index < rows.length) blocks.add(Math.floor(index / BLOCK));
    let end = 0;
    const parts = [...blocks]
      .sort((one, other) => one - other)
      .map((block) => {
        const space = sums[block] - sums[end];
        end = block + 1;
        return { space, from: block * BLOCK, to: Math.min(rows.length, end * BLOCK) };
      });
    return { parts, rest: sums[most + 1] - sums[end] };
  };
  const { parts, rest } = partsOf();

  useLayoutEffect(() => {
    const table = body.current?.closest("table");
    if (!table) return;
    if (!windowed) {
      if (mine.table === table) releaseColumns(table);
      Object.assign(mine, { table: undefined, anchor: undefined, first: 0, last: WHOLE / BLOCK });
      return;
    }
    const isNew = holdColumns(mine, table, columns);
    let drawn = drawnRows(body.current);
    measure(mine, drawn, rows.length);
    const { anchor } = mine;
    const now = anchor && drawn.find(({ at }) => id(rows[at]) === anchor.id);
    const { scroller } = viewOf(body.current);
    const moved = now ? now.box.top + scroller.scrollTop - anchor.top : 0;
    if (Math.abs(moved) >= 1) {
      scroller.scrollTop += moved;
      drawn = drawnRows(body.current);
    }
    const focus = (at, options) =>
      drawn
        .find((one) => one.at === at)
        ?.row.querySelector("a.row-link")
        ?.focus(options);
    // An element that is moved loses the focus.
    if (focused >= 0 && document.activeElement === document.body) focus(focused, { preventScroll: true });
    if (mine.wanted >= 0) {
      focus(mine.wanted, { preventScroll: true });
      drawn.find((one) => one.at === mine.wanted)?.row.scrollIntoView({ block: "center" });
      mine.wanted = -1;
      drawn = drawnRows(body.current);
    }
    mine.rows = rows;
    const isOther = look(mine, body.current, rows.length);
    noteAnchor(mine, body.current, drawn, rows, id);
    if (isNew || isOther) draw({});
    else onSeen?.(rows.slice(mine.first * BLOCK, (mine.last + 1) * BLOCK));
  });

  const scrolled = () => {
    if (!windowed || !body.current) return;
    const isOther = look(mine, body.current, mine.rows.length);
    noteAnchor(mine, body.current, drawnRows(body.current), mine.rows, id);
    if (isOther) draw({});
  };
  useListener(document, "scroll", scrolled, SCROLL);
  useListener(window, "resize", () => windowed && draw({}));

  const reveal = (index, block = /** @type {ScrollLogicalPosition} */ ("nearest")) => {
    const all = [...(body.current?.querySelectorAll("a.row-link") || [])];
    const isPlace = (anchor) => Number(anchor.closest("tr").ariaRowIndex) === index + 2;
    const anchor = windowed ? all.find(isPlace) : all[index];
    if (!anchor && windowed) {
      mine.wanted = index;
      draw({});
      return;
    }
    anchor?.focus();
    anchor?.scrollIntoView({ block });
  };
  return { windowed, parts, rest, reveal };
}

/** How near to the end of a list one has to scroll for more of it to be read, in heights of the window. */
const NEAR = 1.5;

/** How much may be below a list that is read on as one scrolls, in pixels: below others one would never get. */
const BELOW = 300;

/** Reads more of a list as one scrolls near its end. */
export function useMoreNearEnd(foot, list) {
  const scrolled = useRef(false);
  const readNearEnd = () => {
    if (!scrolled.current || !foot.current || !list.cursor || list.moreLoading || list.moreProblem || list.loading)
      return;
    if (list.rows.length >= MOST_ROWS) return;
    const { scroller, top } = viewOf(foot.current);
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const below = left + scroller.clientHeight - (foot.current.getBoundingClientRect().bottom - top);
    if (left < NEAR * scroller.clientHeight && below < BELOW) list.more();
  };
  const onScroll = () => {
    scrolled.current = true;
    readNearEnd();
  };
  useListener(document, "scroll", onScroll, SCROLL);
  // Somebody who waits at the end gets what follows.
  useEffect(readNearEnd, [list.rows, list.moreLoading]);
}
