// Every screen of the console: where it is, what the menu calls it, and what one needs to use it.

import { may, session } from "./api.js";

/**
 * A screen: the address below /console/, what the menu calls it, the group of the menu, a letter after `g`, the
 * operation that it needs to be of use, its module, the module of the page of one record, whether it is for a partner's
 * people alone, and what the number beside it counts.
 * @typedef {{
 *   path: string, title: string, group: string, letter?: string, needs: OperationId,
 *   load: () => Promise<any>, one?: () => Promise<any>, partner?: boolean, counted?: string,
 * }} ScreenEntry
 */

/** Whether a screen is offered to the person who is signed in. */
export const isUsable = (screen) => may(screen.needs) && (!screen.partner || session.home.startsWith("msp_"));

/** The groups of the menu, in order. */
export const GROUPS = ["Respond", "Plan", "Inventory", "Know", "Configure"];

/** @type {ScreenEntry[]} */
export const SCREENS = [
  {
    path: "on-call",
    title: "On call",
    group: "Respond",
    letter: "o",
    load: () => import("./screens/oncall.js"),
    needs: "getOnCall",
  },
  {
    path: "alerts",
    title: "Alerts",
    group: "Respond",
    letter: "a",
    load: () => import("./screens/alerts.js"),
    one: () => import("./screens/alert.js"),
    needs: "searchAlerts",
    counted: "open",
  },
  {
    path: "incidents",
    title: "Incidents",
    group: "Respond",
    letter: "i",
    load: () => import("./screens/incidents.js"),
    one: () => import("./screens/incident.js"),
    needs: "searchIncidents",
    counted: "open",
  },
  {
    path: "pages",
    title: "Pages",
    group: "Respond",
    load: () => import("./screens/pages.js"),
    needs: "searchPages",
  },
  {
    path: "rosters",
    title: "Rosters",
    group: "Plan",
    letter: "w",
    load: () => import("./screens/rosters.js"),
    one: () => import("./screens/roster.js"),
    needs: "searchRosters",
  },
  {
    path: "maintenance",
    title: "Maintenance",
    group: "Plan",
    letter: "m",
    load: () => import("./screens/maintenance.js"),
    needs: "searchMaintenanceWindows",
  },
  {
    path: "jobs",
    title: "Jobs",
    group: "Plan",
    letter: "j",
    load: () => import("./screens/jobs.js"),
    one: () => import("./screens/job.js"),
    needs: "searchJobs",
  },
  { path: "runs", title: "Runs", group: "Plan", load: () => import("./screens/runs.js"), needs: "searchJobRuns" },
  {
    path: "scripts",
    title: "Scripts",
    group: "Plan",
    load: () => import("./screens/scripts.js"),
    one: () => import("./screens/script.js"),
    needs: "searchJobScripts",
  },
  {
    path: "resources",
    title: "Machines",
    group: "Inventory",
    letter: "r",
    load: () => import("./screens/resources.js"),
    one: () => import("./screens/resource.js"),
    needs: "searchResources",
  },
  {
    path: "sites",
    title: "Sites",
    group: "Inventory",
    load: () => import("./screens/sites.js"),
    one: () => import("./screens/site.js"),
    needs: "searchSites",
  },
  {
    path: "groups",
    title: "Groups",
    group: "Inventory",
    load: () => import("./screens/groups.js"),
    one: () => import("./screens/group.js"),
    needs: "searchDeviceGroups",
  },
  {
    path: "owners",
    title: "Owners",
    group: "Inventory",
    load: () => import("./screens/owners.js"),
    needs: "searchOwners",
  },
  {
    path: "decommissioned",
    title: "Decommissioned",
    group: "Inventory",
    load: () => import("./screens/decommissioned.js"),
    one: () => import("./screens/decommissionedresource.js"),
    needs: "searchDecommissionedResources",
  },
  {
    path: "knowledge",
    title: "Knowledge",
    group: "Know",
    letter: "k",
    load: () => import("./screens/knowledge.js"),
    one: () => import("./screens/article.js"),
    needs: "listKbArticles",
  },
  {
    path: "routing",
    title: "Routing",
    group: "Configure",
    letter: "t",
    load: () => import("./screens/routing.js"),
    needs: "searchAlertRoutes",
  },
  {
    path: "integrations",
    title: "Integrations",
    group: "Configure",
    load: () => import("./screens/integrations.js"),
    one: () => import("./screens/integration.js"),
    needs: "searchInstalledIntegrations",
  },
  {
    path: "inbound",
    title: "Inbound addresses",
    group: "Configure",
    load: () => import("./screens/inbound.js"),
    needs: "listInboundAddresses",
  },
  {
    path: "heartbeats",
    title: "Heartbeats",
    group: "Configure",
    load: () => import("./screens/heartbeats.js"),
    one: () => import("./screens/heartbeat.js"),
    needs: "searchHeartbeats",
  },
  {
    path: "categories",
    title: "Incident categories",
    group: "Configure",
    load: () => import("./screens/categories.js"),
    one: () => import("./screens/category.js"),
    needs: "listIncidentCategories",
  },
  {
    path: "deliveries",
    title: "Deliveries",
    group: "Configure",
    letter: "d",
    load: () => import("./screens/deliveries.js"),
    needs: "searchInstalledIntegrations",
  },
  {
    path: "people",
    title: "People",
    group: "Configure",
    letter: "p",
    load: () => import("./screens/people.js"),
    needs: "searchUsers",
  },
  {
    path: "usergroups",
    title: "User groups",
    group: "Configure",
    load: () => import("./screens/usergroups.js"),
    one: () => import("./screens/usergroup.js"),
    needs: "searchUserGroups",
  },
  {
    path: "clients",
    title: "Clients",
    group: "Configure",
    load: () => import("./screens/clients.js"),
    one: () => import("./screens/client.js"),
    needs: "searchClients",
    partner: true,
  },
  {
    path: "keys",
    title: "API keys",
    group: "Configure",
    letter: "y",
    load: () => import("./screens/keys.js"),
    needs: "listApiKeys",
  },
  {
    path: "audit",
    title: "Audit",
    group: "Configure",
    letter: "u",
    load: () => import("./screens/audit.js"),
    needs: "searchAuditLog",
  },
  {
    path: "settings",
    title: "Settings",
    group: "Configure",
    letter: "s",
    load: () => import("./screens/settings.js"),
    needs: "getMe",
  },
];
