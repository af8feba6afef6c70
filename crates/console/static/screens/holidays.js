// Holiday calendars, which shifts name.

import { Empty, html } from "../elements.js";
import { RecordList } from "../records.js";

/** How the forms of a calendar are laid out. */
export const LAYOUT = {
  order: ["name", "days", "ics", "users", "userGroups"],
  more: ["ics", "users", "userGroups"],
  labels: {
    ics: "Days as iCalendar text",
    url: "Address of an iCalendar file",
    "days.date": "Date",
    "days.name": "Holiday",
    users: "People",
  },
  fields: {
    ics: { long: true, about: "In place of the days" },
    url: { long: false, about: "In place of the days, read every six hours" },
    "days.date": { about: "Such as 2026-12-25" },
    users: { about: "Whose holidays these are" },
    userGroups: { about: "Whose members have these holidays" },
  },
};

const KIND = {
  title: "Holidays",
  path: "holidays",
  list: /** @type {const} */ ("searchHolidayCalendars"),
  clients: true,
  columns: [
    { title: "Name", cell: (calendar) => calendar.name, class: "grow" },
    { title: "Days", cell: (calendar) => calendar.dayCount, keep: 2 },
    {
      title: "Holidays of",
      cell: (calendar) =>
        [...calendar.users.map((user) => user.loginName), ...calendar.userGroups.map((group) => group.name)].join(", "),
      keep: 3,
    },
  ],
  empty: html`<${Empty} title="There is no holiday calendar here.">Shifts may leave out the days of one.<//>`,
  actions: () => [
    {
      label: "New holiday calendar…",
      operation: /** @type {const} */ ("createHolidayCalendar"),
      form: true,
      primary: true,
      layout: LAYOUT,
      message: "Created.",
    },
  ],
};

export default function Holidays({ query }) {
  return html`<${RecordList} kind=${KIND} query=${query} />`;
}
