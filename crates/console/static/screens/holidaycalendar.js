// A holiday calendar: its days, and whose they are.

import { call } from "../api.js";
import { html } from "../elements.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { LAYOUT } from "./holidays.js";

/** How many days are shown. */
const MOST = 400;

/** A date such as `2026-12-25`, which is in no zone. */
const dayName = new Intl.DateTimeFormat(undefined, {
  timeZone: "UTC",
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});

export default function HolidayCalendar({ id }) {
  const path = { holidayCalendarId: id };
  return html`<${RecordPage}
    back=${["Holidays", link("holidays")]}
    of=${`holidays ${id}`}
    read=${() => call("getHolidayCalendar", path)}
    facts=${(calendar) => [
      ["People", calendar.users.map((user) => user.loginName).join(", ")],
      ["Groups", calendar.userGroups.map((group) => group.name).join(", ")],
      ...calendar.days.slice(0, MOST).map((day) => [dayName.format(new Date(day.date)), day.name || "Holiday"]),
    ]}
    actions=${(calendar, again) => {
      const what = `holidays “${calendar.name}”`;
      return [
        editAction(calendar, again, { operation: "updateHolidayCalendar", path, layout: LAYOUT, what }),
        deleteAction(calendar, again, {
          operation: "deleteHolidayCalendar",
          path,
          what,
          question: "A calendar that shifts have is refused: take it out of them first.",
        }),
      ];
    }}
  />`;
}
