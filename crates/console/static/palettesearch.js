// What the palette offers: screens, what can be made, and records of each kind that match what is typed.

import { call, may, quoted, session, terms } from "./api.js";
import { personName } from "./elements.js";
import { findPeople } from "./peoplesearch.js";
import { link } from "./route.js";
import { SCREENS, isUsable } from "./screenlist.js";

/** How many records of a kind are offered. */
const MOST = 5;

/** Fewer letters than these are not searched for among records. */
const LEAST = 2;

/**
 * What may be chosen: its words, where it is, what kind it is of, and the button that is pressed there.
 * @typedef {{title: string, address: string, hint?: string, button?: string}} Choice
 */

/**
 * What can be made: the screen and the button that does it, and the operation that it needs.
 * @type {[string, string, OperationId][]}
 */
const ACTIONS = [
  ["on-call", "Take over…", "createRosterOverride"],
  ["incidents", "New incident…", "createIncident"],
  ["rosters", "New roster", "createRoster"],
  ["maintenance", "New window…", "createMaintenanceWindow"],
  ["jobs", "New job…", "createJob"],
  ["scripts", "New script…", "createJobScript"],
  ["resources", "New machine…", "createResource"],
  ["sites", "New site…", "createSite"],
  ["knowledge", "New article…", "createKbArticle"],
  ["routing", "New route…", "createAlertRoute"],
  ["routing", "New policy…", "createEscalationPolicy"],
  ["integrations", "Install integration…", "installIntegration"],
  ["inbound", "New inbound address…", "createInboundAddress"],
  ["heartbeats", "New heartbeat…", "createHeartbeat"],
  ["people", "New person…", "createUser"],
  ["usergroups", "New user group…", "createUserGroup"],
  ["clients", "New client…", "createClient"],
  ["keys", "New key…", "createApiKey"],
];

/** Screens and actions whose words have what is typed; without it all screens. @returns {Choice[]} */
export function fixedChoices(typed) {
  const text = typed.trim().toLowerCase();
  // The name of its group leads to a screen, too.
  const words = (screen) => `${screen.title} ${screen.group}`.toLowerCase();
  const screens = SCREENS.filter((screen) => isUsable(screen) && words(screen).includes(text));
  const choices = screens.map((screen) => ({ title: screen.title, address: link(screen.path) }));
  if (!text) return choices;
  const actions = ACTIONS.filter(([path, button, operation]) => {
    const screen = SCREENS.find((other) => other.path === path);
    return screen && isUsable(screen) && may(operation) && button.toLowerCase().includes(text);
  });
  return [
    ...choices,
    ...actions.map(([path, button]) => ({
      title: button.replace("…", ""),
      address: link(path),
      hint: "action",
      button,
    })),
  ];
}

/** Lists in which what is typed is searched for. @returns {Choice[]} */
export function listChoices(typed) {
  const text = typed.trim();
  if (!text) return [];
  const choices = [
    { title: `Machines called “${text}”`, address: link("resources", { q: text }) },
    { title: `Alerts about “${text}”`, address: link("alerts", { subject: text }) },
  ];
  if (may("searchKbArticles"))
    choices.push({ title: `Articles with “${text}”`, address: link("knowledge", { q: text }) });
  return choices;
}

const named = (name, text) => ({ queryString: terms({ [name]: quoted(text) }), pageSize: MOST });

/**
 * How records of each kind are found: one request for each.
 * @type {{needs: OperationId, find: (text: string, signal: AbortSignal) => Promise<Choice[]>}[]}
 */
const KINDS = [
  {
    needs: "searchResources",
    find: async (text, signal) =>
      (await call("searchResources", { signal, query: named("hostName", text) })).results.map((row) => ({
        title: row.hostName || row.name || row.id,
        address: link(["resources", row.id]),
        hint: ["machine", row.ipAddress].filter(Boolean).join(" · "),
      })),
  },
  {
    needs: "searchUsers",
    find: async (text, signal) =>
      (await findPeople(text, { signal, most: MOST, inactive: true })).map((user) => ({
        title: personName(user),
        address: link("people", { user: user.id }),
        hint: "person",
      })),
  },
  {
    needs: "searchAlerts",
    find: async (text, signal) =>
      (await call("searchAlerts", { signal, query: named("subject", text) })).results.map((alert) => ({
        title: alert.subject,
        address: link(["alerts", alert.id]),
        hint: `alert · ${alert.currentState} · ${alert.status}`,
      })),
  },
  {
    needs: "searchKbArticles",
    find: async (text, signal) =>
      (await call("searchKbArticles", { signal, query: { query: text, pageSize: MOST, state: "ACTIVE" } })).results.map(
        (article) => ({ title: article.title, address: link(["knowledge", article.id]), hint: "article" }),
      ),
  },
  {
    needs: "searchJobs",
    find: async (text, signal) =>
      (await call("searchJobs", { signal, query: named("name", text) })).results.map((job) => ({
        title: job.name,
        address: link(["jobs", job.id]),
        hint: "job",
      })),
  },
  {
    needs: "searchRosters",
    find: async (text, signal) =>
      (await call("searchRosters", { signal, query: named("name", text) })).results.map((roster) => ({
        title: roster.name,
        address: link(["rosters", roster.id]),
        hint: "roster",
      })),
  },
];

/**
 * Records of every kind that match what is typed; of kinds that could not be searched, why.
 * @returns {Promise<{text: string, choices: Choice[], problem?: any}>}
 */
export async function findChoices(typed, signal) {
  const text = typed.trim();
  if (text.length < LEAST || !session.me) return { text: typed, choices: [] };
  const kinds = KINDS.filter((kind) => may(kind.needs));
  const found = await Promise.allSettled(kinds.map((kind) => kind.find(text, signal)));
  const failed = found.find((one) => one.status === "rejected");
  return {
    text: typed,
    choices: found.flatMap((one) => (one.status === "fulfilled" ? one.value : [])),
    problem: failed?.status === "rejected" ? failed.reason : undefined,
  };
}
