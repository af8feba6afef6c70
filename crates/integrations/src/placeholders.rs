//! The placeholders of each entity, which templates may name.

use base::{matching::Keys, text::listed};

/// The kinds of entities that events may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    Incident,
    ServiceRequest,
    Change,
    Problem,
    Task,
    /// A resource of the inventory.
    Resource,
    Alert,
    /// A run of a job.
    JobRun,
    Roster,
    /// An override of a roster.
    RosterOverride,
    MaintenanceWindow,
    /// A conflict of rosters.
    RosterConflict,
}

impl Entity {
    /// All of them, in the order of the documents.
    pub const ALL: [Self; 12] = [
        Self::Incident,
        Self::ServiceRequest,
        Self::Change,
        Self::Problem,
        Self::Task,
        Self::Resource,
        Self::Alert,
        Self::JobRun,
        Self::Roster,
        Self::RosterOverride,
        Self::MaintenanceWindow,
        Self::RosterConflict,
    ];

    /// The words on the wire.
    pub const WORDS: [&str; 12] = [
        "INCIDENT",
        "SERVICEREQUEST",
        "CHANGE",
        "PROBLEM",
        "TASK",
        "Resource",
        "ALERT",
        "JobRun",
        "Roster",
        "RosterOverride",
        "MaintenanceWindow",
        "RosterConflict",
    ];

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        Self::WORDS.get(self as usize).copied().unwrap_or_default()
    }

    /// May an event of it be about this? What time brings, it brings to some.
    pub fn takes(self, action: &str) -> bool {
        match action {
            "OPENED" | "CLOSED" => self == Self::MaintenanceWindow,
            "ONCALLCHANGED" | "UNCOVERED" => self == Self::Roster,
            "CREATE" => self != Self::Alert,
            _ if self == Self::RosterConflict => false,
            _ => self != Self::Alert || action == "NONE",
        }
    }

    /// Reads the word, in any letter case.
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entity| entity.word().eq_ignore_ascii_case(word))
    }

    /// What its placeholders start with, after the `$`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Incident => "incident",
            Self::ServiceRequest => "serviceRequest",
            Self::Change => "change",
            Self::Problem => "problem",
            Self::Task => "task",
            Self::Resource => "resource",
            Self::Alert => "alert",
            Self::JobRun => "jobRun",
            Self::Roster => "roster",
            Self::RosterOverride => "rosterOverride",
            Self::MaintenanceWindow => "maintenanceWindow",
            Self::RosterConflict => "rosterConflict",
        }
    }

    /// The name of a property in answers, where it differs: `generalInfo` of a resource is not an object of its own
    /// there.
    pub fn published_name(self, path: &str) -> Option<&'static str> {
        let known = self.properties().iter().find(|known| known.eq_ignore_ascii_case(path.trim()))?;
        Some(match known.strip_prefix("generalInfo.")? {
            "createdTime" => "createdDate",
            "updatedTime" => "updatedDate",
            same => same,
        })
    }

    /// The properties that have a placeholder.
    pub const fn properties(self) -> &'static [&'static str] {
        match self {
            Self::Resource => &RESOURCE,
            Self::Alert => &ALERT,
            Self::JobRun => &JOB_RUN,
            Self::Roster => &ROSTER,
            Self::RosterOverride => &OVERRIDE,
            Self::MaintenanceWindow => &WINDOW,
            Self::RosterConflict => &CONFLICT,
            _ => &TICKET,
        }
    }

    /// The keys that rules may use.
    pub const fn keys(self) -> Keys<'static> {
        Keys { names: self.properties(), open: self.open() }
    }

    /// Properties that hold others: whatever follows them is a placeholder too.
    pub const fn open(self) -> &'static [&'static str] {
        match self {
            Self::Resource => &["tags", "appRoles", "location", "bios", "networkCardDetails", "properties", "metaData"],
            Self::JobRun => &["job", "runner", "maintenance"],
            Self::Roster => &["timeZone", "offHours", "shiftDetails", "conflictsTo", "onCall", "from", "to", "shift"],
            Self::RosterOverride => &["user", "replaces", "shift", "roster", "createdBy"],
            Self::RosterConflict => &["roster", "shift", "user", "others"],
            Self::MaintenanceWindow => &[
                "schedule",
                "current",
                "next",
                "devices",
                "deviceGroups",
                "locations",
                "suspensions",
                "alertConditions",
                "createdBy",
            ],
            Self::Alert => &[
                "tags",
                "device",
                "resource",
                "client",
                "acknowledgement",
                "unacknowledgement",
                "previousAcknowledgement",
                "notes",
                "warnings",
                "suppression",
                "unsuppression",
                "maintenance",
                "escalation",
                "closure",
                "customFields",
            ],
            _ => &OPEN_IN_TICKET,
        }
    }
}

/// The properties of the action itself, `$event.…`.
pub const EVENT: [&str; 5] = ["id", "type", "entity", "tenantId", "time"];

const RESOURCE: [&str; 74] = listed(
    "id type resourceType state agentInstalled locationId launchDate name hostName resourceName aliasName dnsName \
    ipAddress serialNumber systemUID extResourceId source status os osArchitecture make model description macAddress \
    keyboardType encodingType physicalMemory template agentProfile gatewayProfile installedIntgId provider instanceId \
    instanceState instanceType publicIp ami owner privateDns privateIp zone monitoringState accountNumber region \
    hostedServiceName checkType url host createdDate updatedDate clientUniqueId osName dns agentDeploytime \
    assetManagedTime firstAssetManagedTime generalInfo.name generalInfo.osName generalInfo.make \
    generalInfo.description generalInfo.hostName generalInfo.dns generalInfo.resourceType generalInfo.keyboardType \
    generalInfo.encodingType generalInfo.physicalMemory generalInfo.systemUID generalInfo.resourceName \
    generalInfo.aliasName generalInfo.createdTime generalInfo.updatedTime generalInfo.agentDeploytime \
    generalInfo.assetManagedTime generalInfo.firstAssetManagedTime",
);

const JOB_RUN: [&str; 10] = [
    "id",
    "dueDate",
    "trigger",
    "status",
    "reason",
    "createdDate",
    "startedDate",
    "finishedDate",
    "attempt",
    "exitCode",
];

const ROSTER: [&str; 9] =
    ["id", "name", "description", "clientUniqueId", "createdTime", "updatedTime", "at", "start", "end"];

const OVERRIDE: [&str; 6] = ["id", "start", "end", "note", "swapId", "createdTime"];

const CONFLICT: [&str; 6] = ["id", "clientUniqueId", "kind", "from", "to", "timeOffId"];

const WINDOW: [&str; 13] = listed(
    "id uniqueId name description clientUniqueId state status start end createdDate updatedDate createdTime \
     updatedTime",
);

const ALERT: [&str; 37] = listed(
    "id uniqueId clientUniqueId subject description currentState oldState status alertType metric serviceName \
    monitorName app component extAlertId groupKey url repeatCount firstAlertTime alertTime createdDate updatedDate \
    lastEvent incidentId source priority problemArea eventType metricValue threshold createdTime updatedTime createdBy \
    updatedBy alertTimeZone elapsedTime sender",
);

const TICKET: [&str; 44] = listed(
    "id uniqueId externalId subject summary description status state priority urgency impact severity subCategory type \
    source channel createdDate createdTime updatedDate updatedTime dueDate startDate endDate resolvedDate closedDate \
    resolution closeNotes comment notes url cc clientUniqueId site location risk rootCause workaround parentId alertId \
    slaBreached deviceList deviceIds alertList noteCount",
);

const OPEN_IN_TICKET: [&str; 22] = listed(
    "tags customFields attributes resource resources device client status priority entityCategory subCategory roster \
    msp alerts latestResponse assignedTo assignedUser assigneeGroup requester createdBy updatedBy alert",
);
