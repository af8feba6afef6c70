//! Bodies and queries that operations are sent, for `recipes.rs`, whose head says what stands for what in them.

pub(super) const NAMED: &str = r#"{"name": "$new"}"#;
pub(super) const LOCATED: &[&str] =
    &[r#"{"name": "$new", "location": {"id": "$site"}}"#, r#"{"name": "$new", "location": {"name": "$site.name"}}"#];
pub(super) const REPORT: &str =
    r#"{"action": "inventory", "deviceid": "$new", "content": {"hardware": {"name": "$new"}}}"#;
pub(super) const RESOURCE_FILTERS: &[&str] = &[
    "locationId=$site",
    "deviceGroupId=$deviceGroup",
    "deviceGroupId=$deviceGroup.uniqueId",
    "queryString=id:$resource",
    "queryString=deviceLocation:$site.name",
    "queryString=deviceGroup:$deviceGroup.name",
    "queryString=serviceGroup:$serviceGroup.name",
];
pub(super) const USER_GROUP_FILTERS: &[&str] =
    &["queryString=uniqueId:$userGroup", "queryString=name:$userGroup.name", "queryString=userId:$user"];
pub(super) const WITH_USERS: &[&str] = &[r#"{"name": "$new", "users": [{"id": "$user"}]}"#];
pub(super) const USER: &str = r#"[{"id": "$user"}]"#;
pub(super) const USERS: &[&str] = &[USER];
pub(super) const RESOURCE: &str = r#"[{"id": "$resource"}]"#;
pub(super) const RESOURCES: &[&str] = &[RESOURCE];
pub(super) const DEVICE_CHILDREN: &[&str] =
    &[RESOURCE, r#"[{"id": "$deviceGroup.uniqueId"}]"#, r#"[{"id": "$deviceGroup", "type": "DEVICE_GROUP"}]"#];
pub(super) const SERVICE_CHILDREN: &[&str] =
    &[RESOURCE, r#"[{"id": "$serviceGroup.uniqueId"}]"#, r#"[{"id": "$serviceGroup", "type": "SERVICE_GROUP"}]"#];
pub(super) const DEVICE_PARENTS: &[&str] = &[
    r#"{"name": "$new", "parent": {"id": "$deviceGroup"}}"#,
    r#"{"name": "$new", "parent": {"uniqueId": "$deviceGroup.uniqueId"}}"#,
    r#"{"name": "$new", "parent": {"name": "$deviceGroup.name"}}"#,
];
pub(super) const SERVICE_PARENTS: &[&str] = &[
    r#"{"name": "$new", "parent": {"id": "$serviceGroup"}}"#,
    r#"{"name": "$new", "parent": {"uniqueId": "$serviceGroup.uniqueId"}}"#,
    r#"{"name": "$new", "parent": {"name": "$serviceGroup.name"}}"#,
];

pub(super) const WINDOW: &str = r#"{"name": "$new", "devices": [{"uniqueId": "$resource"}],
    "schedule": {"type": "One-Time", "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#;
pub(super) const COVERING: &[&str] = &[
    WINDOW,
    r#"{"name": "$new", "devices": [{"hostName": "$resource.name"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#,
    r#"{"name": "$new", "deviceGroups": [{"id": "$deviceGroup"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#,
    r#"{"name": "$new", "deviceGroups": [{"name": "$deviceGroup.name"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#,
    r#"{"name": "$new", "deviceGroups": [{"id": "$deviceGroup.uniqueId"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#,
    r#"{"name": "$new", "locations": [{"id": "$site"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#,
    r#"{"name": "$new", "locations": [{"name": "$site.name"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#,
];
pub(super) const WINDOW_FILTERS: &[&str] = &[
    "queryString=id:$maintenanceWindow",
    "name=$maintenanceWindow.name",
    "resourceId=$resource",
    "queryString=hostName:$resource.name",
    "queryString=deviceGroupId:$deviceGroup",
    "queryString=deviceGroupId:$deviceGroup.uniqueId",
    "queryString=deviceGroup:$deviceGroup.name",
    "queryString=siteId:$site",
    "queryString=site:$site.name",
];
pub(super) const OCCURRENCE_FILTERS: &[&str] = &[
    "queryString=id:$maintenanceWindow",
    "queryString=name:$maintenanceWindow.name",
    "queryString=resourceId:$resource",
    "queryString=hostName:$resource.name",
    "queryString=deviceGroup:$deviceGroup.name",
    "queryString=site:$site.name",
];
pub(super) const COVERED: &[&str] = &[
    r#"{"devices": [{"uniqueId": "$resource"}]}"#,
    r#"{"devices": [{"hostName": "$resource.name"}]}"#,
    r#"{"deviceGroups": [{"id": "$deviceGroup"}]}"#,
    r#"{"deviceGroups": [{"name": "$deviceGroup.name"}]}"#,
    r#"{"deviceGroups": [{"id": "$deviceGroup.uniqueId"}]}"#,
    r#"{"locations": [{"id": "$site"}]}"#,
    r#"{"locations": [{"name": "$site.name"}]}"#,
];
pub(super) const COVER_REQUESTS: &[&str] = &[
    r#"{"user": {"id": "$user"}, "start": "2036-11-20T00:00:00Z", "end": "2036-11-21T00:00:00Z"}"#,
    r#"{"asked": [{"id": "$user"}], "start": "2036-11-20T00:00:00Z", "end": "2036-11-21T00:00:00Z"}"#,
];
pub(super) const RANGE: &str = "from=2026-11-20T00:00:00Z&to=2026-11-27T00:00:00Z";
pub(super) const ROSTER: &str = r#"{"name": "$new", "description": "$new", "timeZone": {"name": "Europe/Paris"},
    "shiftDetails": [{"name": "Night", "schedule": {"type": "recurring",
    "startDate": "2026-11-20T00:00:00Z", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}},
    "users": [{"id": "$user"}], "userGroups": []}]}"#;
pub(super) const STAFFED: &[&str] = &[
    ROSTER,
    r#"{"name": "$new", "description": "$new", "timeZone": {"name": "Europe/Paris"},
    "shiftDetails": [{"name": "Night", "schedule": {"type": "recurring",
    "startDate": "2026-11-20T00:00:00Z", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}},
    "users": [], "userGroups": [{"uniqueId": "$userGroup"}]}]}"#,
    r#"{"name": "$new", "description": "$new", "timeZone": {"name": "Europe/Paris"},
    "shiftDetails": [{"name": "Night", "schedule": {"type": "recurring",
    "startDate": "2026-11-20T00:00:00Z", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}},
    "rotation": {"order": [{"users": [{"id": "$user"}]}], "length": {"weeks": 1}, "start": "2026-11-23T09:00:00"}}]}"#,
    r#"{"name": "$new", "description": "$new", "timeZone": {"name": "Europe/Paris"},
    "shiftDetails": [{"name": "Night", "schedule": {"type": "recurring",
    "startDate": "2026-11-20T00:00:00Z", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}},
    "rotation": {"order": [{"userGroups": [{"uniqueId": "$userGroup"}]}], "length": {"days": 1},
    "start": "2026-11-23T09:00:00"}}]}"#,
];
pub(super) const SWAP: &str = r#"{
    "first": {"user": {"id": "$user"}, "start": "2026-11-20T00:00:00Z", "end": "2026-11-22T00:00:00Z"},
    "second": {"user": {"id": "$reachableUser"}, "start": "2026-11-23T00:00:00Z", "end": "2026-11-24T00:00:00Z"}}"#;
pub(super) const OVERRIDES: &[&str] = &[
    OVERRIDE,
    r#"{"user": {"id": "$user"}, "replaces": {"id": "$reachableUser"}, "start": "2026-11-20T00:00:00Z",
    "end": "2026-11-22T00:00:00Z"}"#,
];
pub(super) const TIME_OFF: &str = r#"{"from": "2026-11-20T00:00:00Z", "to": "2026-11-22T00:00:00Z", "reason": "$new"}"#;
pub(super) const HOLIDAYS: &str = r#"{"name": "$new", "days": [{"date": "2026-12-25", "name": "$new"}]}"#;
pub(super) const HOLIDAYS_OF: &[&str] = &[
    r#"{"name": "$new", "days": [], "users": [{"id": "$user"}]}"#,
    r#"{"name": "$new", "days": [], "userGroups": [{"uniqueId": "$userGroup"}]}"#,
];
pub(super) const OVERRIDE: &str =
    r#"{"user": {"id": "$user"}, "start": "2026-11-20T00:00:00Z", "end": "2026-11-22T00:00:00Z", "note": "$new"}"#;

pub(super) const ALERT: &str = r#"{"currentState": "Warning", "subject": "$new"}"#;
pub(super) const ALERT_FILTERS: &[&str] = &["queryString=id:$alert", "queryString=resourceId:$resource"];

pub(super) const FIGURES: &str = "by=resource&from=2026-01-01T00:00:00Z&to=2027-02-01T00:00:00Z";

pub(super) const BELOW_INCIDENT_CATEGORY: &[&str] = &[
    r#"{"name": "$new", "parentCategory": {"uniqueId": "$incidentCategory"}}"#,
    r#"{"name": "$new", "parentCategory": {"name": "$incidentCategory.name"}}"#,
];
pub(super) const INCIDENT: &str = r#"{"subject": "$new"}"#;
pub(super) const INCIDENT_NAMES: &[&str] = &[
    r#"{"subject": "$new", "category": {"uniqueId": "$incidentCategory"}}"#,
    r#"{"subject": "$new", "requester": {"id": "$user"}}"#,
    r#"{"subject": "$new", "assignee": {"id": "$user"}}"#,
    r#"{"subject": "$new", "assigneeGroup": {"uniqueId": "$userGroup"}}"#,
    r#"{"subject": "$new", "roster": {"id": "$roster"}}"#,
    r#"{"subject": "$new", "resources": [{"id": "$resource"}]}"#,
];
pub(super) const NEW_INCIDENT_NAMES: &[&str] = &[
    INCIDENT_NAMES[0],
    INCIDENT_NAMES[1],
    INCIDENT_NAMES[2],
    INCIDENT_NAMES[3],
    INCIDENT_NAMES[4],
    INCIDENT_NAMES[5],
    r#"{"subject": "$new", "alerts": [{"id": "$alert"}]}"#,
];
pub(super) const INCIDENT_FILTERS: &[&str] = &[
    "queryString=id:$incident",
    "queryString=categoryId:$incidentCategory",
    "queryString=requesterId:$user",
    "queryString=assigneeId:$user",
    "queryString=assigneeGroupId:$userGroup",
    "queryString=resourceId:$resource",
    "queryString=alertId:$alert",
];
pub(super) const BELOW_KB_CATEGORY: &[&str] = &[r#"{"name": "$new", "parentCategory": {"id": "$kbCategory"}}"#];
pub(super) const IN_KB_CATEGORY: &[&str] =
    &[r#"{"title": "$new", "content": "$new", "category": {"id": "$kbCategory"}}"#];
pub(super) const JOB: &str = r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z",
    "pattern": {"type": "daily", "frequency": "everyday"}}, "script": {"jobType": "antivirus"}}"#;
pub(super) const JOB_REFERENCES: &[&str] = &[
    r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}},
    "script": {"jobType": "antivirus"}, "resources": [{"id": "$resource"}]}"#,
    r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}},
    "script": {"jobType": "antivirus"}, "entities": [{"resource": {"id": "$resource", "type": "DEVICE"}}]}"#,
    r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}},
    "script": {"customScript": {"id": "$jobScript"}, "userType": 0}}"#,
];
pub(super) const JOB_SCRIPT: &str = r#"{"name": "$new", "content": "exit 0"}"#;
/// A claim of what nobody has, so that runs that others wait for stay.
pub(super) const JOB_CLAIM: &str = r#"{"runner": "$new", "jobs": ["00000000-0000-4000-8000-000000000000"]}"#;
pub(super) const INTEGRATION: &str = r#"{"displayName": "$new"}"#;
pub(super) const ACTION: &str = r#"{"entity": "TASK", "eventType": "NONE", "object": {"id": "$new"}}"#;

pub(super) const CONTACT_METHOD: &str = r#"{"name": "$new", "type": "EMAIL", "address": "ann@example.net"}"#;
pub(super) const ESCALATION_POLICY: &str = r#"{"name": "$new", "steps": [{"targets": [{"owner": true}]}]}"#;
pub(super) const ESCALATION_TARGETS: &[&str] = &[
    r#"{"name": "$new", "steps": [{"targets": [{"user": {"id": "$user"}}]}]}"#,
    r#"{"name": "$new", "steps": [{"targets": [{"userGroup": {"uniqueId": "$userGroup"}}]}]}"#,
    r#"{"name": "$new", "steps": [{"targets": [{"roster": {"id": "$roster"}}]}]}"#,
    r#"{"name": "$new", "steps": [{"targets": [{"integration": {"id": "$integration"}}]}]}"#,
];
pub(super) const ALERT_ROUTE: &str = r#"{"name": "$new", "policy": {"id": "$escalationPolicy"},
    "rules": [{"key": "subject", "operator": "Equals", "value": "$new"}]}"#;
