//! How each operation is called: the one table of the matrix.
//!
//! An operation that is not here fails the suite. To add it, write a row: `op("METHOD /path/below/the/tenant")`, then
//! - `.ids(&[Kind::…])`: what its path parameters name, in their order, when there are any;
//! - `.sends(body)`: a body that it accepts, when it reads one. `$new` stands for a name that nobody has, `"$site"` for
//!   the id of a site of the tenant;
//! - `.refers(&[body, …])`: for every place of its body that takes an id or a name of something, a body that is
//!   accepted when that is the caller's own. `"$site"` stands for the id as a JSON value, `$site.name` for the bare
//!   name (`$site.uniqueId` …), and each body has one kind of entity in it;
//! - `.filters(&[query, …])`: the same for its query string;
//! - `.asks(query)`: a query that it cannot do without;
//! - `.of_rows(type)`: when its body is of another type than JSON, with a row and a line of the answer for each entity;
//! - `.of_partners()`: when only a partner's tenant has it;
//! - `.creates()`: when it creates what its last id names, unless it is there;
//! - `.of_seen()`: when it may be called on what is seen of a partner, though it is no `GET`.
//!
//! A new kind of entity is a line in `entities.rs`.

use super::entities::Kind;

/// How one operation is called.
pub(super) struct Recipe {
    pub(super) operation: &'static str,
    pub(super) ids: &'static [Kind],
    pub(super) content_type: &'static str,
    /// Does it answer for each row, whatever becomes of another?
    pub(super) of_rows: bool,
    /// A query that it cannot do without.
    pub(super) query: Option<&'static str>,
    /// A body that is accepted.
    pub(super) body: Option<&'static str>,
    /// Bodies that name another entity.
    pub(super) references: &'static [&'static str],
    /// Queries that name another entity.
    pub(super) queries: &'static [&'static str],
    pub(super) of_partners: bool,
    /// May a client call it on what it sees of its partner?
    pub(super) of_seen: bool,
    /// Does it create what its last id names?
    pub(super) creates: bool,
}

const fn op(operation: &'static str) -> Recipe {
    Recipe {
        operation,
        ids: &[],
        content_type: "application/json",
        of_rows: false,
        query: None,
        body: None,
        references: &[],
        queries: &[],
        of_partners: false,
        of_seen: false,
        creates: false,
    }
}

impl Recipe {
    const fn ids(self, ids: &'static [Kind]) -> Self {
        Self { ids, ..self }
    }

    const fn sends(self, body: &'static str) -> Self {
        Self { body: Some(body), ..self }
    }

    const fn refers(self, references: &'static [&'static str]) -> Self {
        Self { references, ..self }
    }

    const fn filters(self, queries: &'static [&'static str]) -> Self {
        Self { queries, ..self }
    }

    const fn asks(self, query: &'static str) -> Self {
        Self { query: Some(query), ..self }
    }

    const fn of_rows(self, content_type: &'static str) -> Self {
        Self { of_rows: true, content_type, ..self }
    }

    const fn of_partners(self) -> Self {
        Self { of_partners: true, ..self }
    }

    const fn creates(self) -> Self {
        Self { creates: true, ..self }
    }

    const fn of_seen(self) -> Self {
        Self { of_seen: true, ..self }
    }
}

/// The operations that anybody may call.
pub(super) const PUBLIC: &[&str] = &[
    "POST /auth/oauth/token",
    "POST /tenancy/auth/oauth/token",
    // The token of the address opens these.
    "GET /rosters/{rosterId}/calendar.ics",
    "GET /rosters/users/{userId}/calendar.ics",
    "GET /scheduleMaintenances/{windowId}/calendar.ics",
];

const NAMED: &str = r#"{"name": "$new"}"#;
const LOCATED: &[&str] =
    &[r#"{"name": "$new", "location": {"id": "$site"}}"#, r#"{"name": "$new", "location": {"name": "$site.name"}}"#];
const REPORT: &str = r#"{"action": "inventory", "deviceid": "$new", "content": {"hardware": {"name": "$new"}}}"#;
const RESOURCE_FILTERS: &[&str] = &[
    "locationId=$site",
    "deviceGroupId=$deviceGroup",
    "queryString=id:$resource",
    "queryString=deviceLocation:$site.name",
    "queryString=deviceGroup:$deviceGroup.name",
    "queryString=serviceGroup:$serviceGroup.name",
];
const USER_GROUP_FILTERS: &[&str] =
    &["queryString=uniqueId:$userGroup", "queryString=name:$userGroup.name", "queryString=userId:$user"];
const WITH_USERS: &[&str] = &[r#"{"name": "$new", "users": [{"id": "$user"}]}"#];
const USER: &str = r#"[{"id": "$user"}]"#;
const USERS: &[&str] = &[USER];
const RESOURCE: &str = r#"[{"id": "$resource"}]"#;
const RESOURCES: &[&str] = &[RESOURCE];
const DEVICE_CHILDREN: &[&str] =
    &[RESOURCE, r#"[{"id": "$deviceGroup.uniqueId"}]"#, r#"[{"id": "$deviceGroup", "type": "DEVICE_GROUP"}]"#];
const SERVICE_CHILDREN: &[&str] =
    &[RESOURCE, r#"[{"id": "$serviceGroup.uniqueId"}]"#, r#"[{"id": "$serviceGroup", "type": "SERVICE_GROUP"}]"#];
const DEVICE_PARENTS: &[&str] = &[
    r#"{"name": "$new", "parent": {"id": "$deviceGroup"}}"#,
    r#"{"name": "$new", "parent": {"uniqueId": "$deviceGroup.uniqueId"}}"#,
    r#"{"name": "$new", "parent": {"name": "$deviceGroup.name"}}"#,
];
const SERVICE_PARENTS: &[&str] = &[
    r#"{"name": "$new", "parent": {"id": "$serviceGroup"}}"#,
    r#"{"name": "$new", "parent": {"uniqueId": "$serviceGroup.uniqueId"}}"#,
    r#"{"name": "$new", "parent": {"name": "$serviceGroup.name"}}"#,
];

const WINDOW: &str = r#"{"name": "$new", "devices": [{"uniqueId": "$resource"}], "schedule": {"type": "One-Time",
    "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-21T02:00:00Z"}}"#;
const COVERING: &[&str] = &[
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
const COVERED: &[&str] = &[
    r#"{"devices": [{"uniqueId": "$resource"}]}"#,
    r#"{"devices": [{"hostName": "$resource.name"}]}"#,
    r#"{"deviceGroups": [{"id": "$deviceGroup"}]}"#,
    r#"{"deviceGroups": [{"name": "$deviceGroup.name"}]}"#,
    r#"{"deviceGroups": [{"id": "$deviceGroup.uniqueId"}]}"#,
    r#"{"locations": [{"id": "$site"}]}"#,
    r#"{"locations": [{"name": "$site.name"}]}"#,
];
const RANGE: &str = "from=2026-11-20T00:00:00Z&to=2026-11-27T00:00:00Z";
const ROSTER: &str = r#"{"name": "$new", "description": "$new", "timeZone": {"name": "Europe/Paris"},
    "shiftDetails": [{"name": "Night", "schedule": {"type": "recurring",
    "startDate": "2026-11-20T00:00:00Z", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}},
    "users": [{"id": "$user"}], "userGroups": []}]}"#;
const STAFFED: &[&str] = &[
    ROSTER,
    r#"{"name": "$new", "description": "$new", "timeZone": {"name": "Europe/Paris"},
    "shiftDetails": [{"name": "Night", "schedule": {"type": "recurring",
    "startDate": "2026-11-20T00:00:00Z", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}},
    "users": [], "userGroups": [{"uniqueId": "$userGroup"}]}]}"#,
];
const OVERRIDE: &str =
    r#"{"user": {"id": "$user"}, "start": "2026-11-20T00:00:00Z", "end": "2026-11-22T00:00:00Z", "note": "$new"}"#;

const ALERT: &str = r#"{"currentState": "Warning", "subject": "$new"}"#;
const ALERT_FILTERS: &[&str] = &["queryString=id:$alert", "queryString=resourceId:$resource"];

const BELOW_INCIDENT_CATEGORY: &[&str] = &[
    r#"{"name": "$new", "parentCategory": {"uniqueId": "$incidentCategory"}}"#,
    r#"{"name": "$new", "parentCategory": {"name": "$incidentCategory.name"}}"#,
];
const INCIDENT: &str = r#"{"subject": "$new"}"#;
const INCIDENT_NAMES: &[&str] = &[
    r#"{"subject": "$new", "category": {"uniqueId": "$incidentCategory"}}"#,
    r#"{"subject": "$new", "requester": {"id": "$user"}}"#,
    r#"{"subject": "$new", "assignee": {"id": "$user"}}"#,
    r#"{"subject": "$new", "assigneeGroup": {"uniqueId": "$userGroup"}}"#,
    r#"{"subject": "$new", "roster": {"id": "$roster"}}"#,
    r#"{"subject": "$new", "resources": [{"id": "$resource"}]}"#,
];
const NEW_INCIDENT_NAMES: &[&str] = &[
    INCIDENT_NAMES[0],
    INCIDENT_NAMES[1],
    INCIDENT_NAMES[2],
    INCIDENT_NAMES[3],
    INCIDENT_NAMES[4],
    INCIDENT_NAMES[5],
    r#"{"subject": "$new", "alerts": [{"id": "$alert"}]}"#,
];
const INCIDENT_FILTERS: &[&str] = &[
    "queryString=id:$incident",
    "queryString=categoryId:$incidentCategory",
    "queryString=requesterId:$user",
    "queryString=assigneeId:$user",
    "queryString=assigneeGroupId:$userGroup",
    "queryString=resourceId:$resource",
    "queryString=alertId:$alert",
];
const BELOW_KB_CATEGORY: &[&str] = &[r#"{"name": "$new", "parentCategory": {"id": "$kbCategory"}}"#];
const IN_KB_CATEGORY: &[&str] = &[r#"{"title": "$new", "content": "$new", "category": {"id": "$kbCategory"}}"#];
const JOB: &str = r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z",
    "pattern": {"type": "daily", "frequency": "everyday"}}, "script": {"jobType": "antivirus"}}"#;
const JOB_REFERENCES: &[&str] = &[
    r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}},
    "script": {"jobType": "antivirus"}, "resources": [{"id": "$resource"}]}"#,
    r#"{"name": "$new", "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}},
    "script": {"customScript": {"id": "$jobScript"}, "userType": 0}}"#,
];
const JOB_SCRIPT: &str = r#"{"name": "$new", "content": "exit 0"}"#;
/// A claim of what nobody has, so that runs that others wait for stay.
const JOB_CLAIM: &str = r#"{"runner": "$new", "jobs": ["00000000-0000-4000-8000-000000000000"]}"#;
const INTEGRATION: &str = r#"{"displayName": "$new"}"#;
const ACTION: &str = r#"{"entity": "TASK", "eventType": "NONE", "object": {"id": "$new"}}"#;
const INTEGRATIONS: &[Kind] = &[Kind::Integration];
const EVENTS: &[Kind] = &[Kind::Integration, Kind::IntegrationEvent];
const DELIVERIES: &[Kind] = &[Kind::Integration, Kind::IntegrationEvent, Kind::Delivery];

/// Every operation but the public ones.
pub(super) const RECIPES: &[Recipe] = &[
    // Tenants and callers
    op("GET /api/v2/tenants/{tenantId}"),
    op("POST /clients").sends(NAMED).of_partners(),
    op("GET /clients/minimal").of_partners(),
    op("GET /clients/search").filters(&["queryString=uniqueId:$client", "queryString=name:$client.name"]).of_partners(),
    op("GET /clients/{clientId}").ids(&[Kind::Client]).of_partners(),
    op("POST /clients/{clientId}").ids(&[Kind::Client]).sends(NAMED).of_partners(),
    op("POST /clients/{clientId}/suspend").ids(&[Kind::Client]).of_partners(),
    op("POST /clients/{clientId}/resume").ids(&[Kind::Client]).of_partners(),
    op("GET /apiKeys"),
    op("POST /apiKeys").sends(r#"{"name": "$new", "role": "viewer"}"#),
    op("POST /apiKeys/{apiKeyId}/rotate").ids(&[Kind::ApiKey]).sends("{}"),
    op("DELETE /apiKeys/{apiKeyId}").ids(&[Kind::ApiKey]),
    // People
    op("POST /users").sends(r#"{"loginName": "$new"}"#),
    op("GET /users/search").filters(&["queryString=id:$user", "queryString=loginName:$user.name"]),
    op("GET /users/{userId}").ids(&[Kind::User]),
    op("POST /users/{userId}").ids(&[Kind::User]).sends(r#"{"loginName": "$new"}"#),
    op("POST /users/{userId}/deactivate").ids(&[Kind::User]),
    op("POST /users/{userId}/activate").ids(&[Kind::User]),
    op("POST /userGroups").sends(NAMED).refers(WITH_USERS),
    op("GET /userGroups/search").filters(USER_GROUP_FILTERS),
    op("GET /userGroups/{userGroupId}").ids(&[Kind::UserGroup]),
    op("POST /userGroups/{userGroupId}").ids(&[Kind::UserGroup]).sends(NAMED).refers(WITH_USERS),
    op("POST /userGroups/{userGroupId}/deactivate").ids(&[Kind::UserGroup]),
    op("POST /userGroups/{userGroupId}/activate").ids(&[Kind::UserGroup]),
    op("GET /userGroups/{userGroupId}/members").ids(&[Kind::UserGroup]),
    op("POST /userGroups/{userGroupId}/members").ids(&[Kind::UserGroup]).sends(USER).refers(USERS),
    op("DELETE /userGroups/{userGroupId}/members").ids(&[Kind::UserGroup]).sends(USER).refers(USERS),
    op("GET /auditLog/search").filters(&[
        "queryString=entityId:$resource",
        "queryString=entityId:$apiKey",
        "queryString=entityId:$deviceGroup.uniqueId",
    ]),
    // Resources
    op("GET /resources/minimal").filters(RESOURCE_FILTERS),
    op("GET /resources/search").filters(RESOURCE_FILTERS),
    op("GET /resources/export").filters(RESOURCE_FILTERS),
    op("POST /resources").sends(NAMED).refers(LOCATED),
    op("POST /resources/bulk").of_rows("application/x-ndjson").sends(NAMED).refers(&[
        r#"{"id": "$resource", "name": "$new"}"#,
        r#"{"name": "$new", "location": {"id": "$site"}}"#,
        r#"{"name": "$new", "location": {"name": "$site.name"}}"#,
    ]),
    op("GET /resources/{resourceId}").ids(&[Kind::Resource]),
    op("POST /resources/{resourceId}").ids(&[Kind::Resource]).sends(NAMED).refers(LOCATED),
    op("DELETE /resources/{resourceId}").ids(&[Kind::Resource]),
    op("POST /resources/{resourceId}/decommission").ids(&[Kind::Resource]).sends(r#"{"reason": "replaced"}"#),
    op("POST /devices/{resourceId}/manage").ids(&[Kind::Resource]),
    op("POST /devices/{resourceId}/unmanage").ids(&[Kind::Resource]),
    op("GET /resources/{resourceId}/applications").ids(&[Kind::Resource]),
    op("GET /resources/antivirus/search"),
    op("GET /resourceType/minimal"),
    op("GET /history/resources").filters(&["queryString=id:$record", "queryString=hostName:$record.name"]),
    op("GET /history/resources/{resourceId}").ids(&[Kind::Record]),
    op("POST /agents/reports").sends(REPORT),
    // Places
    op("POST /sites").sends(NAMED),
    op("GET /sites/search").filters(&["queryString=id:$site", "queryString=name:$site.name"]),
    op("GET /sites/minimal"),
    op("GET /sites/{siteId}").ids(&[Kind::Site]),
    op("POST /sites/{siteId}").ids(&[Kind::Site]).sends(NAMED),
    op("DELETE /sites/{siteId}").ids(&[Kind::Site]),
    op("GET /sites/{siteId}/members").ids(&[Kind::Site]),
    op("POST /sites/{siteId}/members").ids(&[Kind::Site]).sends(RESOURCE).refers(RESOURCES),
    op("DELETE /sites/{siteId}/members").ids(&[Kind::Site]).sends(RESOURCE).refers(RESOURCES),
    // Groups
    op("POST /deviceGroups").sends(NAMED).refers(DEVICE_PARENTS),
    op("GET /deviceGroups/search").filters(&["queryString=id:$deviceGroup", "queryString=name:$deviceGroup.name"]),
    op("GET /deviceGroups/minimal"),
    op("GET /deviceGroups/{groupId}").ids(&[Kind::DeviceGroup]),
    op("POST /deviceGroups/{groupId}").ids(&[Kind::DeviceGroup]).sends(NAMED).refers(DEVICE_PARENTS),
    op("DELETE /deviceGroups/{groupId}").ids(&[Kind::DeviceGroup]),
    op("GET /deviceGroups/{groupId}/childs").ids(&[Kind::DeviceGroup]),
    op("POST /deviceGroups/{groupId}/childs").ids(&[Kind::DeviceGroup]).sends(RESOURCE).refers(DEVICE_CHILDREN),
    op("DELETE /deviceGroups/{groupId}/childs").ids(&[Kind::DeviceGroup]).sends(RESOURCE).refers(DEVICE_CHILDREN),
    op("POST /serviceGroups").sends(NAMED).refers(SERVICE_PARENTS),
    op("GET /serviceGroups/search").filters(&["queryString=id:$serviceGroup", "queryString=name:$serviceGroup.name"]),
    op("GET /serviceGroups/minimal"),
    op("GET /serviceGroups/{groupId}").ids(&[Kind::ServiceGroup]),
    op("POST /serviceGroups/{groupId}").ids(&[Kind::ServiceGroup]).sends(NAMED).refers(SERVICE_PARENTS),
    op("DELETE /serviceGroups/{groupId}").ids(&[Kind::ServiceGroup]),
    op("GET /serviceGroups/{groupId}/childs").ids(&[Kind::ServiceGroup]),
    op("POST /serviceGroups/{groupId}/childs").ids(&[Kind::ServiceGroup]).sends(RESOURCE).refers(SERVICE_CHILDREN),
    op("DELETE /serviceGroups/{groupId}/childs").ids(&[Kind::ServiceGroup]).sends(RESOURCE).refers(SERVICE_CHILDREN),
    // Rosters
    op("GET /api/v2/cfg/timezones"),
    op("POST /scheduleMaintenances").sends(WINDOW).refers(COVERING),
    op("GET /scheduleMaintenances/search").filters(&[
        "queryString=id:$maintenanceWindow",
        "name=$maintenanceWindow.name",
        "resourceId=$resource",
    ]),
    op("GET /scheduleMaintenances/active").filters(&["resourceId=$resource"]),
    op("POST /scheduleMaintenances/preview").asks(RANGE).sends(WINDOW).refers(COVERING),
    op("POST /scheduleMaintenances/match")
        .sends(r#"{"resource": {"id": "$resource"}, "subject": "full", "currentState": "Critical"}"#)
        .refers(&[
            r#"{"resource": {"id": "$resource"}, "subject": "full", "currentState": "Critical"}"#,
            r#"{"device": {"hostName": "$resource.name"}, "subject": "full", "currentState": "Critical"}"#,
        ]),
    op("GET /scheduleMaintenances/{windowId}").ids(&[Kind::MaintenanceWindow]),
    op("POST /scheduleMaintenances/{windowId}").ids(&[Kind::MaintenanceWindow]).sends(WINDOW).refers(COVERING),
    op("DELETE /scheduleMaintenances/{windowId}").ids(&[Kind::MaintenanceWindow]),
    op("GET /scheduleMaintenances/{windowId}/occurrences").ids(&[Kind::MaintenanceWindow]).asks(RANGE),
    op("POST /scheduleMaintenances/{windowId}/suspend").ids(&[Kind::MaintenanceWindow]).sends(r#"{"pattern": "now"}"#),
    op("POST /scheduleMaintenances/{windowId}/resume").ids(&[Kind::MaintenanceWindow]),
    op("POST /scheduleMaintenances/{windowId}/extend").ids(&[Kind::MaintenanceWindow]).sends(r#"{"minutes": 1}"#),
    op("POST /scheduleMaintenances/{windowId}/skip").ids(&[Kind::MaintenanceWindow]).sends("{}"),
    op("POST /scheduleMaintenances/{windowId}/end").ids(&[Kind::MaintenanceWindow]),
    op("POST /scheduleMaintenances/{windowId}/resources")
        .ids(&[Kind::MaintenanceWindow])
        .sends(COVERED[0])
        .refers(COVERED),
    op("DELETE /scheduleMaintenances/{windowId}/resources")
        .ids(&[Kind::MaintenanceWindow])
        .sends(COVERED[0])
        .refers(COVERED),
    op("POST /scheduleMaintenances/{windowId}/calendars").ids(&[Kind::MaintenanceWindow]),
    op("GET /scheduleMaintenances/{windowId}/calendars").ids(&[Kind::MaintenanceWindow]),
    op("DELETE /scheduleMaintenances/{windowId}/calendars/{calendarId}")
        .ids(&[Kind::MaintenanceWindow, Kind::MaintenanceCalendar]),
    op("POST /rosters").sends(ROSTER).refers(STAFFED),
    op("GET /rosters/search").filters(&["queryString=id:$roster", "name=$roster.name"]),
    op("GET /rosters/onCall").asks("at=2026-11-20T23:00:00Z"),
    op("POST /rosters/preview").asks(RANGE).sends(ROSTER).refers(STAFFED),
    op("GET /rosters/{rosterId}").ids(&[Kind::Roster]),
    op("POST /rosters/{rosterId}").ids(&[Kind::Roster]).sends(ROSTER).refers(STAFFED),
    op("DELETE /rosters/{rosterId}").ids(&[Kind::Roster]),
    op("GET /rosters/{rosterId}/onCall").ids(&[Kind::Roster]).asks("at=2026-11-20T23:00:00Z"),
    op("GET /rosters/{rosterId}/timeline").ids(&[Kind::Roster]).asks(RANGE),
    op("POST /rosters/{rosterId}/overrides").ids(&[Kind::Roster]).sends(OVERRIDE).refers(&[OVERRIDE]),
    op("GET /rosters/{rosterId}/overrides").ids(&[Kind::Roster]),
    op("DELETE /rosters/{rosterId}/overrides/{overrideId}").ids(&[Kind::Roster, Kind::Override]),
    op("POST /rosters/{rosterId}/calendars").ids(&[Kind::Roster]),
    op("GET /rosters/{rosterId}/calendars").ids(&[Kind::Roster]),
    op("DELETE /rosters/{rosterId}/calendars/{calendarId}").ids(&[Kind::Roster, Kind::RosterCalendar]),
    op("POST /rosters/users/{userId}/calendars").ids(&[Kind::User]).of_seen(),
    op("GET /rosters/users/{userId}/calendars").ids(&[Kind::User]),
    op("DELETE /rosters/users/{userId}/calendars/{calendarId}").ids(&[Kind::User, Kind::UserCalendar]).of_seen(),
    // Alerts: a resource that is another's is no reason to refuse one (tests/alerts/intake.rs).
    op("POST /alert").sends(ALERT),
    op("POST /alerts").sends(r#"[{"currentState": "Warning", "subject": "$new"}]"#),
    op("POST /alerts/alertmanager")
        .sends(r#"{"version": "4", "alerts": [{"status": "firing", "labels": {"alertname": "$new"}}]}"#),
    op("GET /alerts/search").filters(ALERT_FILTERS),
    op("GET /alerts/{alertId}").ids(&[Kind::Alert]),
    op("POST /alerts/{alertId}/actions/acknowledge").ids(&[Kind::Alert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/suppress").ids(&[Kind::Alert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/unsuppress").ids(&[Kind::SuppressedAlert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/close").ids(&[Kind::Alert]).sends("{}"),
    // Incident categories
    op("POST /incidents/categories").sends(r#"{"names": ["$new"]}"#).refers(&[
        r#"{"names": ["$new"], "parentCategory": {"uniqueId": "$incidentCategory"}}"#,
        r#"{"names": ["$new"], "parentCategory": {"name": "$incidentCategory.name"}}"#,
    ]),
    op("GET /incidents/categories").filters(&[
        "queryString=uniqueId:$incidentCategory",
        "queryString=name:$incidentCategory.name",
        "queryString=parentId:$incidentCategory",
        "view=tree&queryString=parentId:$incidentCategory",
    ]),
    op("GET /incidents/categories/{categoryId}").ids(&[Kind::IncidentCategory]),
    op("POST /incidents/categories/{categoryId}")
        .ids(&[Kind::IncidentCategory])
        .sends(NAMED)
        .refers(BELOW_INCIDENT_CATEGORY),
    op("POST /incidents/categories/{categoryId}/move")
        .ids(&[Kind::IncidentCategory])
        .sends("{}")
        .refers(BELOW_INCIDENT_CATEGORY),
    op("DELETE /incidents/categories/{categoryId}").ids(&[Kind::IncidentCategory]),
    // Incidents
    op("POST /incidents").sends(INCIDENT).refers(NEW_INCIDENT_NAMES),
    op("GET /incidents/search").filters(INCIDENT_FILTERS),
    op("GET /incidents/{incidentId}").ids(&[Kind::Incident]),
    op("POST /incidents/{incidentId}").ids(&[Kind::Incident]).sends(INCIDENT).refers(INCIDENT_NAMES),
    op("POST /incidents/{incidentId}/close").ids(&[Kind::Incident]).sends("{}"),
    op("POST /incidents/{incidentId}/notes").ids(&[Kind::Incident]).sends(r#"{"content": "$new"}"#),
    op("GET /incidents/{incidentId}/notes").ids(&[Kind::Incident]),
    // Knowledge base
    op("POST /kb/category").sends(NAMED).refers(BELOW_KB_CATEGORY),
    op("GET /kb/categorylist").asks("state=ALL").filters(&[
        "queryString=id:$kbCategory",
        "queryString=name:$kbCategory.name",
        "queryString=parentId:$kbCategory",
    ]),
    op("POST /kb/category/restore/{categoryId}").ids(&[Kind::KbCategory]),
    op("GET /kb/category/{categoryId}").ids(&[Kind::KbCategory]),
    op("POST /kb/category/{categoryId}").ids(&[Kind::KbCategory]).sends(NAMED).refers(BELOW_KB_CATEGORY),
    op("POST /kb/category/{categoryId}/move").ids(&[Kind::KbCategory]).sends("{}").refers(BELOW_KB_CATEGORY),
    op("DELETE /kb/category/{categoryId}").ids(&[Kind::KbCategory]),
    op("POST /kb/article").sends(IN_KB_CATEGORY[0]).refers(IN_KB_CATEGORY),
    op("GET /kb/articlelist").filters(&[
        "queryString=id:$kbArticle",
        "queryString=title:$kbArticle.name",
        "queryString=categoryId:$kbCategory",
    ]),
    // Every planted article begins with this word.
    op("GET /kb/article/search").asks("query=marker").filters(&["categoryId=$kbCategory"]),
    op("POST /kb/article/restore/{articleId}").ids(&[Kind::KbArticle]),
    op("GET /kb/article/{articleId}").ids(&[Kind::KbArticle]),
    op("POST /kb/article/{articleId}").ids(&[Kind::KbArticle]).sends(r#"{"title": "$new"}"#).refers(IN_KB_CATEGORY),
    op("DELETE /kb/article/{articleId}").ids(&[Kind::KbArticle]),
    op("GET /kb/article/{articleId}/versions").ids(&[Kind::KbArticle]),
    // Jobs
    op("POST /jobs").sends(JOB).refers(JOB_REFERENCES),
    op("GET /jobs/search").filters(&["queryString=id:$job", "queryString=resourceId:$resource"]),
    op("GET /jobs/types"),
    op("POST /jobs/scripts").sends(JOB_SCRIPT),
    op("GET /jobs/scripts/search").filters(&["queryString=id:$jobScript", "queryString=name:$jobScript.name"]),
    op("GET /jobs/scripts/{scriptId}").ids(&[Kind::JobScript]),
    op("POST /jobs/scripts/{scriptId}").ids(&[Kind::JobScript]).sends(JOB_SCRIPT),
    op("DELETE /jobs/scripts/{scriptId}").ids(&[Kind::JobScript]),
    op("POST /jobs/runs/claim").sends(JOB_CLAIM),
    op("GET /jobs/runs/{runId}").ids(&[Kind::JobRun]),
    op("POST /jobs/runs/{runId}/cancel").ids(&[Kind::JobRun]),
    op("POST /jobs/runs/{runId}/heartbeat").ids(&[Kind::JobRun]).sends(r#"{"attempt": 1}"#),
    op("POST /jobs/runs/{runId}/log").ids(&[Kind::JobRun]).sends(r#"{"attempt": 1, "lines": ["$new"]}"#),
    op("POST /jobs/runs/{runId}/result").ids(&[Kind::JobRun]).sends(r#"{"attempt": 1, "exitCode": 0}"#),
    op("GET /jobs/{jobId}").ids(&[Kind::Job]),
    op("POST /jobs/{jobId}").ids(&[Kind::Job]).sends(JOB).refers(JOB_REFERENCES),
    op("DELETE /jobs/{jobId}").ids(&[Kind::Job]),
    op("POST /jobs/{jobId}/run").ids(&[Kind::Job]),
    op("GET /jobs/{jobId}/runs").ids(&[Kind::Job]),
    op("GET /jobs/{jobId}/next").ids(&[Kind::Job]),
    // Integrations
    op("POST /integrations/install/CUSTOM").sends(INTEGRATION),
    op("GET /integrations/installed/search")
        .filters(&["queryString=id:$integration", "queryString=name:$integration.name"]),
    op("GET /integrations/events/placeHolders/{entity}"),
    op("POST /integrations/actions").sends(ACTION),
    op("GET /integrations/installed/{installedIntgId}").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}").ids(INTEGRATIONS).sends(INTEGRATION),
    op("DELETE /integrations/installed/{installedIntgId}").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/enable").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/disable").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/notifier")
        .ids(INTEGRATIONS)
        .sends(r#"{"baseURI": "https://receiver.invalid/$new"}"#),
    op("POST /integrations/installed/{installedIntgId}/signingSecret/rotate").ids(INTEGRATIONS).sends("{}"),
    op("GET /integrations/installed/{installedIntgId}/events").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/event").ids(INTEGRATIONS).sends(NAMED),
    op("POST /integrations/installed/{installedIntgId}/event/test")
        .ids(INTEGRATIONS)
        .sends(r#"{"event": {"name": "$new"}, "object": {}}"#),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}").ids(EVENTS).sends(NAMED).creates(),
    op("GET /integrations/installed/{installedIntgId}/event/{eventId}").ids(EVENTS),
    op("DELETE /integrations/installed/{installedIntgId}/event/{eventId}").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/activate").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/deactivate").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/test")
        .ids(EVENTS)
        .sends(r#"{"object": {"subject": "$new"}}"#),
    op("GET /integrations/installed/{installedIntgId}/event/{eventId}/deliveries").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/replay").ids(EVENTS).sends("{}"),
    op("GET /integrations/installed/{installedIntgId}/event/{eventId}/deliveries/{deliveryId}").ids(DELIVERIES),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/deliveries/{deliveryId}/resend").ids(DELIVERIES),
];
