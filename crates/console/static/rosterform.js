// The form of a roster, for making and changing one: how the fields of the document are laid out, and its preview.

import { bodyOf, fieldsOf } from "./bodyschema.js";
import { html } from "./elements.js";
import { Rotation, RotationOrder, TurnLength, startRotation } from "./rotation.js";
import { RosterPreview } from "./rosterpreview.js";
import { changesOf } from "./schemafield.js";
import { ShiftSchedule, startShiftSchedule } from "./shiftschedule.js";
import { zone } from "./time.js";

const LAYOUT = {
  order: ["name", "timeZone", "effectiveFrom", "shiftDetails", "keepCurrent", "offHours", "description"],
  omit: ["shiftDetails.id"],
  more: [
    "shiftDetails.users",
    "shiftDetails.userGroups",
    "shiftDetails.holidays",
    "shiftDetails.onHolidays",
    "offHours",
    "description",
  ],
  labels: {
    shiftDetails: "Shifts",
    "shiftDetails.name": "Shift name",
    "shiftDetails.schedule": "When",
    "shiftDetails.rotation.order": "Turns",
    "shiftDetails.rotation.length": "Each turn lasts",
    "shiftDetails.holidays": "Holiday calendars",
    "shiftDetails.onHolidays": "On holidays",
    keepCurrent: "Keep the current turn to its end",
    offHours: "Off-hours periods",
    "shiftDetails.rotation.start": "First turn begins",
    "shiftDetails.users": "People on call in every turn",
    "shiftDetails.userGroups": "Groups on call in every turn",
    "offHours.name": "Off hours name",
    "offHours.schedule": "When nobody needs to be on call",
  },
  fields: {
    description: { required: false, about: "" },
    name: { about: "" },
    shiftDetails: { about: "" },
    "shiftDetails.name": { about: "" },
    "shiftDetails.level": { about: "Secondary is called when the primary does not answer." },
    "shiftDetails.holidays": { about: "Their days are the holidays of this shift." },
    "shiftDetails.onHolidays": {
      says: { keep: "The shift takes place", skip: "It does not take place" },
      about: "Turns of shifts worked count those alone that take place.",
    },
    keepCurrent: { about: "Then the turns go on by the new order." },
    "shiftDetails.rotation.whenAway": {
      says: { keep: "Nothing moves", skip: "The next one takes the turn", swap: "They exchange turns" },
      about: "Of those who are away for at least half of their turn.",
    },
    "shiftDetails.rotation.start": { about: "On the clocks of the roster's time zone." },
  },
  controls: {
    "shiftDetails.schedule": ShiftSchedule,
    "offHours.schedule": ShiftSchedule,
    "shiftDetails.rotation": Rotation,
    "shiftDetails.rotation.order": RotationOrder,
    "shiftDetails.rotation.length": TurnLength,
  },
};

/** What the form of a new roster begins with: one shift around the clock, with turns of a week from Monday at nine. */
const startRoster = () => ({
  description: "",
  timeZone: { name: zone },
  shiftDetails: [
    {
      name: "On call",
      schedule: startShiftSchedule(),
      rotation: startRotation(),
    },
  ],
});

/**
 * The shifts of a request. A rotation without anybody is not sent for a new shift, which names its people then, even if
 * there are none yet; of a shift that had one, an empty order takes it away.
 */
function withRotations(shifts, before = /** @type {any[]} */ ([])) {
  return shifts?.map(({ rotation, ...shift }) => {
    if (rotation?.order?.length) return { ...shift, rotation };
    if (!shift.id) return { users: [], userGroups: [], ...shift };
    const had = before.find((one) => one.id === shift.id)?.rotation;
    return had ? { ...shift, rotation: { order: [] } } : shift;
  });
}

const requestFrom = (request, before) => {
  const { keepCurrent, ...rest } = request;
  const shiftDetails = withRotations(request.shiftDetails, before?.shiftDetails);
  if (!shiftDetails) return rest;
  return keepCurrent ? { ...rest, shiftDetails, keepCurrent } : { ...rest, shiftDetails };
};

/** The action that makes a roster. `done` gets the roster. */
export const newRosterAction = (done) => ({
  label: "New roster",
  operation: /** @type {const} */ ("createRoster"),
  form: true,
  primary: true,
  layout: LAYOUT,
  values: startRoster(),
  change: (request) => requestFrom(request, undefined),
  extra: (value) => html`<${RosterPreview} value=${value} requestFrom=${requestFrom} />`,
  message: "Created.",
  done,
});

/** The changes of a roster that a form has, as a request. */
function changesFrom(roster, value) {
  const fields = fieldsOf(bodyOf("updateRoster"));
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, roster[name]]));
  return requestFrom(changesOf(fields, before, value), roster);
}

/** The action that changes a roster. */
export const editRosterAction = (roster, again) => ({
  label: "Edit…",
  title: `Edit roster “${roster.name}”`,
  operation: /** @type {const} */ ("updateRoster"),
  path: { rosterId: roster.id },
  edits: roster,
  read: again.read,
  layout: LAYOUT,
  change: (request) => requestFrom(request, roster),
  extra: (value) => html`<${RosterPreview}
    value=${value}
    roster=${roster}
    requestFrom=${() => changesFrom(roster, value)}
  />`,
  message: "Saved.",
  done: again.reload,
});
