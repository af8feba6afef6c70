// The keys that rules may name: those of machines, of alerts, and of what integration events are about. `open` keys
// hold others: what follows them with a dot is a key too.

/** @typedef {{names: string[], open: string[]}} RuleKeys */

/** @type {(names: string, open?: string) => RuleKeys} */
const keys = (names, open = "") => ({ names: names.split(" "), open: open ? open.split(" ") : [] });

const MACHINE =
  "hostName name resourceName aliasName dnsName ipAddress type resourceType state agentInstalled serialNumber " +
  "systemUID extResourceId source status os osArchitecture make model description macAddress keyboardType " +
  "encodingType physicalMemory template agentProfile gatewayProfile installedIntgId provider instanceId " +
  "instanceState instanceType publicIp ami owner privateDns privateIp zone monitoringState accountNumber " +
  "region hostedServiceName " +
  "checkType url host createdDate launchDate assetManagedTime firstAssetManagedTime osName dns id locationId";

const ALERT =
  "currentState subject description metric serviceName component app monitorName alertType status oldState id " +
  "uniqueId clientUniqueId extAlertId groupKey url repeatCount firstAlertTime alertTime createdDate updatedDate " +
  "lastEvent incidentId sender warnings";

const PARTS =
  "tags acknowledgement unacknowledgement previousAcknowledgement suppression unsuppression maintenance closure " +
  "escalation notes";

/** Of the machines of a device or service group. */
export const MACHINE_KEYS = keys(`${MACHINE} deviceLocation location deviceType appRoles`, "tags");

/** Of the alerts that a maintenance window catches. */
export const ALERT_KEYS = keys(
  `${ALERT} device device.hostName device.name device.ipAddress device.id device.macAddress device.extResourceId ` +
    "device.resourceType",
  PARTS,
);

/** Of the alerts of a route: those of the alert, of its machine and of the time. */
export const ROUTE_KEYS = {
  names: [
    ...ALERT_KEYS.names,
    ..."resource resource.id resource.name resource.hostName resource.ipAddress resource.resourceType".split(" "),
    ..."deviceGroups serviceGroups site owner owner.name owner.uniqueId time.hour time.weekday".split(" "),
  ],
  open: [...ALERT_KEYS.open, "resource.tags"],
};

const TICKET = keys(
  "subject description status state priority urgency impact severity subCategory type source channel id uniqueId " +
    "externalId summary createdDate createdTime updatedDate updatedTime dueDate startDate endDate resolvedDate " +
    "closedDate resolution closeNotes comment notes url cc clientUniqueId site location risk rootCause workaround " +
    "parentId alertId slaBreached deviceList deviceIds alertList noteCount",
  "tags customFields attributes resource resources device client status priority entityCategory subCategory roster " +
    "msp alerts latestResponse assignedTo assignedUser assigneeGroup requester createdBy updatedBy alert",
);
const GENERAL =
  "name osName make description hostName dns resourceType keyboardType encodingType physicalMemory systemUID " +
  "resourceName aliasName createdTime updatedTime agentDeploytime assetManagedTime firstAssetManagedTime";

/** Of what integration events are about, by the word of the entity. */
export const EVENT_KEYS = {
  Resource: keys(
    `${MACHINE} updatedDate clientUniqueId agentDeploytime generalInfo.${GENERAL.replaceAll(" ", " generalInfo.")}`,
    "tags appRoles location bios networkCardDetails properties metaData",
  ),
  ALERT: keys(
    `${ALERT} source priority problemArea eventType metricValue threshold createdTime updatedTime createdBy ` +
      "updatedBy alertTimeZone elapsedTime",
    `${PARTS} device resource client warnings customFields`,
  ),
  JobRun: keys(
    "status trigger reason exitCode attempt id dueDate createdDate startedDate finishedDate",
    "job runner maintenance",
  ),
  Roster: keys(
    "name description id clientUniqueId createdTime updatedTime at start end",
    "timeZone offHours shiftDetails conflictsTo onCall from to shift",
  ),
  RosterOverride: keys("start end note id swapId createdTime", "user replaces shift roster createdBy"),
  RosterConflict: keys("kind from to id clientUniqueId timeOffId", "roster shift user others"),
  MaintenanceWindow: keys(
    "name description state status start end id uniqueId clientUniqueId createdDate updatedDate createdTime " +
      "updatedTime",
    "schedule current next devices deviceGroups locations suspensions alertConditions createdBy",
  ),
  INCIDENT: TICKET,
  SERVICEREQUEST: TICKET,
  CHANGE: TICKET,
  PROBLEM: TICKET,
  TASK: TICKET,
};

/** Values that people choose from, by key. */
export const RULE_VALUES = {
  currentState: ["Critical", "Warning", "Info", "Ok"],
  status: ["New", "Acknowledged", "Suppressed", "Closed"],
  state: ["active", "inactive", "discovered"],
  agentInstalled: ["true", "false"],
  type: ["DEVICE", "AUTO_SCALING", "EBS", "LOAD_BALANCER", "SQL_DATABASE", "SQL_SERVER", "SYNTHETIC"],
  "time.weekday": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
};

/** Whether rules may name a key, in any letter case. @param {RuleKeys} keys */
export function isKey({ names, open }, key) {
  const typed = key.trim().toLowerCase();
  const same = (one) => one.toLowerCase() === typed;
  const holds = (one) => typed.startsWith(`${one.toLowerCase()}.`) && typed.length > one.length + 1;
  return names.some(same) || open.some((one) => same(one) || holds(one));
}

/** A known key that is like an unknown one; "" when none is. @param {RuleKeys} keys */
export function similarKey({ names, open }, key) {
  const typed = key.trim().toLowerCase();
  const near = (one) => {
    const known = one.toLowerCase();
    return known.endsWith(`.${typed}`) || (typed.length > 2 && (known.includes(typed) || typed.includes(known)));
  };
  const letters = (one) => [...one.toLowerCase().replace(/\W/g, "")].sort().join("");
  return [...names, ...open].find((one) => letters(one) === letters(typed)) || names.find(near) || "";
}
