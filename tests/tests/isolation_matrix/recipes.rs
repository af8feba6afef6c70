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
