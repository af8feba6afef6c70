// The shell: who is here, where to go, which keys do what. Each screen is a module that is loaded when it is opened.

import { render } from "./vendor/preact-htm.js";
import { Problem, call, may, onState, roleFor, session } from "./api.js";
import { forgetOthers, useModal } from "./dialog.js";
import { Button, Head, Loading, Time, Trouble, html, personName } from "./elements.js";
import { installFocusKeeper } from "./focus.js";
import { isTyping } from "./form.js";
import { applyLook } from "./look.js";
import { useEffect, useEvery, useLayoutEffect, useListener, useRef, useState } from "./hooks.js";
import { BottomBar, Icon, Menu } from "./menu.js";
import { Palette } from "./palette.js";
import { go, here, link, refine, rememberAddress, restoreAddress, useRoute } from "./route.js";
import { SCREENS, isUsable } from "./screenlist.js";
import { SignedOut } from "./signin.js";
import { nameTenants } from "./tenants.js";
import { offset, zone } from "./time.js";
import { Toast, attempt } from "./toast.js";

/** How often it is tried whether the service answers again, in milliseconds. */
const TRIES = 3000;

/** The letters of screens, as people read them: “o on call”. */
const letters = () =>
  SCREENS.filter((screen) => screen.letter && isUsable(screen))
    .map(
      ({ letter, title }) =>
        `${letter} ${title === title.toUpperCase() || /^[A-Z]{2}/.test(title) ? title : title.toLowerCase()}`,
    )
    .join(", ");

const keys = () => [
  ["/  ↓", "search; from there to the first row"],
  ["j  k", "next row, row before"],
  ["Enter", "open"],
  ["x", "select the row"],
  ["a", "acknowledge the selected alerts, or the one of the row"],
  ["g then a letter", `go: ${letters()}`],
  ["Ctrl K", "go anywhere: a screen, a record, or something new; ↓ ↑ and Enter choose"],
  ["Esc", "close"],
  ["?", "this help"],
];

function Screen({ route }) {
  const [name = "", id] = route.parts;
  const screen = SCREENS.find((other) => other.path === name);
  const usable = screen && isUsable(screen);
  const load = screen && (id && screen.one ? screen.one : id ? undefined : screen.load);
  const key = `${name} ${load && load === screen?.one ? id : ""} ${session.tenant}`;
  /** @type {{key?: string, View?: any, problem?: Problem}} */
  const nothing = {};
  const [loaded, set] = useState(nothing);
  useEffect(() => {
    let current = true;
    if (!load || !usable) return undefined;
    load().then(
      (module) => current && set({ key, View: module.default }),
      () => {
        if (current)
          set({
            key,
            problem: new Problem(0, { title: "No answer", detail: "This part of the console could not be loaded." }),
          });
        // Whether the service answers at all.
        call("getMe").catch(() => {});
      },
    );
    return () => {
      current = false;
    };
  }, [key]);
  // Nothing was begun on a screen that is not there.
  useLayoutEffect(
    () => (loaded.problem ? onState(({ online }) => online && location.reload()) : undefined),
    [loaded.problem],
  );
  if (!load)
    return html`
      <h1 tabindex="-1">Page not found</h1>
      <p>There is no such screen. <a href=${link("on-call")}>Who is on call?</a></p>
    `;
  if (!usable) return html`<${Refused} screen=${screen} />`;
  if (loaded.key !== key) return html`<${Loading} />`;
  if (loaded.problem)
    return html`
      <h1 tabindex="-1">${screen.title}</h1>
      <${Trouble} problem=${loaded.problem} again=${() => location.reload()} />
    `;
  return html`<${loaded.View} key=${key} id=${id} query=${route.query} />`;
}

/** In place of a screen that the person may not use. */
const Refused = ({ screen }) => html`
  <${Head} title=${screen.title} />
  <p>
    ${
      may(screen.needs)
        ? "This screen is for people of a partner."
        : `This screen needs the role ${roleFor(screen.needs)}, and yours is ${session.role}.`
    }${" "}
    <a href=${link("on-call")}>Who is on call?</a>
  </p>
`;

/** For callers of a partner: which of its tenants is looked at. */
function Tenants({ tenants }) {
  if (tenants.length < 2) return html`<span class="tenant dim">${session.tenant}</span>`;
  const change = (event) => refine({ tenant: event.target.value === session.home ? "" : event.target.value });
  return html`<select class="tenant" aria-label="Tenant" onChange=${change}>
    ${tenants.map(([id, name]) => html`<option value=${id} selected=${id === session.tenant}>${name}</option>`)}
  </select>`;
}

function Help({ onClose }) {
  const dialog = useModal();
  return html`<dialog ref=${dialog} onClose=${onClose} aria-label="Keys">
    <h2>Keys</h2>
    <dl class="keys">${keys().map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <div class="send"><${Button} onClick=${onClose}>Close<//></div>
  </dialog>`;
}

function App({ tenants }) {
  const route = useRoute();
  const [open, setOpen] = useState("");
  const [online, setOnline] = useState(true);
  const [out, setOut] = useState(false);
  const [menu, setMenu] = useState(false);
  const wanted = route.query.get("tenant") || session.home;
  session.tenant = wanted;
  useLayoutEffect(
    () =>
      onState((state) => {
        if (state.online !== undefined) setOnline(state.online);
        if (state.signedOut) setOut(true);
      }),
    [],
  );
  useEvery(online ? 0 : TRIES, () => call("getMe").catch(() => {}));
  useEffect(() => setMenu(false), [route]);
  useEffect(() => {
    if (!route.parts.length) go(link("on-call"), true);
  }, [route]);
  const going = useRef(0);
  const pressed = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      event.preventDefault();
      setOpen("palette");
      return;
    }
    if (isTyping(event) || document.querySelector("dialog[open]")) return;
    if (event.key === "/") {
      event.preventDefault();
      const field = /** @type {HTMLInputElement} */ (document.querySelector("[data-search]"));
      field ? (field.focus(), field.select()) : setOpen("palette");
    } else if (event.key === "?") {
      setOpen("help");
    } else if (event.key === "g") {
      going.current = Date.now();
    } else if (Date.now() - going.current < 1500) {
      going.current = 0;
      const screen = SCREENS.find((other) => other.letter === event.key && isUsable(other));
      if (!screen) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      go(link(screen.path));
    }
  };
  useListener(document, "keydown", pressed, { capture: true });
  if (out) return html`<${SignedOut} />`;
  return html`
    <a class="skip" href="#main">Skip to content</a>
    <header class="top">
      <button
        type="button"
        class="burger"
        aria-expanded=${menu ? "true" : "false"}
        aria-label="Menu"
        onClick=${() => setMenu(!menu)}
      >
        ☰
      </button>
      <a class="brand" href=${link("on-call")}><${Icon} name="mark" /> Muster</a>
      <${Tenants} tenants=${tenants} />
      <span class="grow"></span>
      <button type="button" class="link go" onClick=${() => setOpen("palette")}>
        Go to… <kbd class="only-wide">Ctrl K</kbd>
      </button>
      <button type="button" class="link" aria-label="Keys" onClick=${() => setOpen("help")}>?</button>
      <a class="me" href=${link("settings")}>${personName(session.me.user)}</a>
    </header>
    ${!online && html`<p class="offline" role="alert">The service does not answer. This page may be out of date.</p>`}
    ${session.me.limitedTo && html`<${Limited} />`}
    <div class=${menu ? "body open" : "body"}>
      <${Menu} at=${route.parts[0]} />
      <main id="main" tabindex="-1">
        <${Screen} route=${route} />
        <p class="zone small dim">Times are in ${zone} (${offset}).</p>
      </main>
    </div>
    <${BottomBar} at=${route.parts[0]} onMenu=${() => setMenu(!menu)} open=${menu} />
    <${Toast} />
    ${open === "help" && html`<${Help} onClose=${() => setOpen("")} />`}
    ${open === "palette" && html`<${Palette} onClose=${() => setOpen("")} />`}
  `;
}

/** Who is here by the link of a page learns how long, and how to do more. */
function Limited() {
  return html`<p class="limited" role="status">
    Signed in through the link of a page until <${Time} at=${session.me.expires} />;${" "}
    <a href="/" onClick=${rememberAddress}>sign in for more</a>.
  </p>`;
}

async function start() {
  applyLook();
  const place = /** @type {HTMLElement} */ (document.getElementById("app"));
  const draw = (what) => {
    place.textContent = "";
    render(what, place);
  };
  // The screen is loaded while the service says who is here.
  const [name = "on-call", id] = here().parts;
  const screen = SCREENS.find((one) => one.path === name);
  (id ? screen?.one : screen?.load)?.().catch(() => {});
  try {
    session.me = await call("getMe");
  } catch (problem) {
    draw(
      problem.status === 0 || problem.status >= 500
        ? html`<main class="signed-out">
            <h1>Muster</h1>
            <${Trouble} problem=${problem} again=${() => location.reload()} />
          </main>`
        : html`<${SignedOut} problem=${problem} />`,
    );
    return;
  }
  forgetOthers();
  restoreAddress();
  installFocusKeeper();
  const { limitedTo } = session.me;
  session.home = session.tenant = limitedTo?.tenant || session.me.tenant;
  session.role = session.me.role;
  let tenants = [[session.home, session.home]];
  draw(html`<${App} tenants=${tenants} />`);
  if (limitedTo || !session.home.startsWith("msp_")) return;
  const clients = await attempt(undefined, () =>
    call("searchClients", { tenantId: session.home, query: { pageSize: 1000 } }),
  );
  const all = clients?.results || [];
  nameTenants(all);
  tenants = [[session.home, "All clients"], ...all.map((client) => [client.uniqueId, client.name])];
  render(html`<${App} tenants=${tenants} />`, place);
}

start();
