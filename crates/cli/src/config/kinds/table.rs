//! The table of kinds: the operations of each, what makes its key, and which of its fields are references and secrets.

use super::{
    bodies::{
        any, has_steps, is_person, is_without_agent, method_needs, names_of_category, nothing, notifier_needs,
        one_source_of_days, owner_of_target, people_of_shifts, same, without_days_of_url, without_idle_notifier,
        zone_of_cron,
    },
    kind::{BELOW, BESIDE, Key, Kind, List, Owner, Reference, Rotations, SHIFT, Switch},
};

const fn to(path: &'static str, kind: &'static str) -> Reference {
    Reference { path, kind, within: None }
}

/// Without those of a partner's clients, where rows do not say whose they are.
const OWN: [(&str, &str); 1] = [("queryString", "allList:false")];

const NAME: Key = Key::All(&["name"], BESIDE);

/// The secrets of an integration and of an event of one.
const BASE_NOTIFIER_SECRETS: [&str; 3] = ["baseNotifier.password", "baseNotifier.apiKey", "baseNotifier.apiSecret"];
const NOTIFIER_SECRETS: [&str; 3] = ["notifier.password", "notifier.apiKey", "notifier.apiSecret"];

/// What most kinds are like.
const PLAIN: Kind = Kind {
    name: "",
    folder: "",
    create: "",
    update: None,
    delete: None,
    get: None,
    list: List::Rows("", &[]),
    details: false,
    fields: None,
    id: "id",
    key: NAME,
    owner: None,
    references: &[],
    secrets: &[],
    without: &[],
    defaults: &[],
    empties: &[],
    elements: &[],
    rotations: None,
    to_top: None,
    credentials: &[],
    switch: None,
    tenant: None,
    of_partners: false,
    from_answer: same,
    to_create: same,
    complete: same,
    concerns: any,
    needs: nothing,
};

/// All kinds, each behind those that it refers to.
pub static KINDS: [Kind; 25] = [
    Kind {
        name: "Client",
        folder: "clients",
        create: "createClient",
        update: Some("updateClient"),
        get: Some("getClient"),
        list: List::Rows("searchClients", &[]),
        id: "uniqueId",
        of_partners: true,
        ..PLAIN
    },
    Kind {
        name: "User",
        folder: "users",
        create: "createUser",
        update: Some("updateUser"),
        delete: Some("deactivateUser"),
        get: Some("getUser"),
        list: List::Rows("searchUsers", &[]),
        key: Key::All(&["loginName"], BESIDE),
        switch: Some(Switch { field: "activated", on: "activateUser" }),
        tenant: Some("tenantId"),
        concerns: is_person,
        ..PLAIN
    },
    Kind {
        name: "UserGroup",
        folder: "user-groups",
        create: "createUserGroup",
        update: Some("updateUserGroup"),
        delete: Some("deactivateUserGroup"),
        get: Some("getUserGroup"),
        list: List::Rows("searchUserGroups", &[]),
        details: true,
        id: "uniqueId",
        references: &[to("users", "User")],
        switch: Some(Switch { field: "activated", on: "activateUserGroup" }),
        tenant: Some("tenantId"),
        ..PLAIN
    },
    Kind {
        name: "Site",
        folder: "sites",
        create: "createSite",
        update: Some("updateSite"),
        delete: Some("deleteSite"),
        get: Some("getSite"),
        list: List::Rows("searchSites", &[]),
        tenant: Some("tenantId"),
        ..PLAIN
    },
    Kind {
        name: "DeviceGroup",
        folder: "device-groups",
        create: "createDeviceGroups",
        update: Some("updateDeviceGroup"),
        delete: Some("deleteDeviceGroup"),
        get: Some("getDeviceGroup"),
        list: List::Rows("searchDeviceGroups", &[]),
        ..GROUP
    },
    Kind {
        name: "ServiceGroup",
        folder: "service-groups",
        create: "createServiceGroups",
        update: Some("updateServiceGroup"),
        delete: Some("deleteServiceGroup"),
        get: Some("getServiceGroup"),
        list: List::Rows("searchServiceGroups", &[]),
        references: &[to("parent", "ServiceGroup")],
        ..GROUP
    },
    Kind {
        name: "Resource",
        folder: "resources",
        create: "createResource",
        update: Some("updateResource"),
        delete: Some("deleteResource"),
        get: Some("getResource"),
        list: List::Lines("exportResources", &[("includeIds", "true"), ("state", "all")]),
        key: Key::First(&["name", "resourceName", "hostName", "aliasName", "dnsName", "ipAddress", "instanceId"]),
        references: &[to("location", "Site")],
        without: &["agentInstalled", "networkCardDetails.id", "installedIntgId", "cpus", "managementProfile"],
        defaults: &[
            ("resourceType", r#""Other""#),
            ("tags.tagSource", r#""API""#),
            ("source", r#""API""#),
            ("networkCardDetails.dhcpEnabled", "false"),
            ("metricTypes.availabilityMetric", "false"),
        ],
        tenant: Some("clientUniqueId"),
        concerns: is_without_agent,
        ..PLAIN
    },
    Kind {
        name: "HolidayCalendar",
        folder: "holiday-calendars",
        create: "createHolidayCalendar",
        update: Some("updateHolidayCalendar"),
        delete: Some("deleteHolidayCalendar"),
        get: Some("getHolidayCalendar"),
        list: List::Rows("searchHolidayCalendars", &[]),
        details: true,
        references: &[to("users", "User"), to("userGroups", "UserGroup")],
        without: &["ics"],
        tenant: Some("tenantId"),
        from_answer: without_days_of_url,
        complete: one_source_of_days,
        ..PLAIN
    },
    Kind {
        name: "Roster",
        folder: "rosters",
        create: "createRoster",
        update: Some("updateRoster"),
        delete: Some("deleteRoster"),
        get: Some("getRoster"),
        list: List::Rows("searchRosters", &OWN),
        references: &[
            to("shiftDetails.users", "User"),
            to("shiftDetails.userGroups", "UserGroup"),
            to("shiftDetails.holidays", "HolidayCalendar"),
            to("shiftDetails.rotation.order.users", "User"),
            to("shiftDetails.rotation.order.userGroups", "UserGroup"),
            to("conflictsTo.user", "User"),
            to("conflictsTo.userGroup", "UserGroup"),
        ],
        defaults: &[
            ("shiftDetails.level", r#""primary""#),
            ("shiftDetails.onHolidays", r#""keep""#),
            ("shiftDetails.rotation.whenAway", r#""keep""#),
        ],
        empties: &[("shiftDetails.rotation", r#"{"order": []}"#)],
        elements: &["shiftDetails"],
        rotations: Some(Rotations { of: "shiftDetails", keep: "keepCurrent" }),
        complete: people_of_shifts,
        ..PLAIN
    },
    Kind {
        name: "RosterOverride",
        folder: "roster-overrides",
        create: "createRosterOverride",
        delete: Some("deleteRosterOverride"),
        list: List::Rows("listRosterOverrides", &[]),
        key: Key::All(&["roster.name", "start", "end", "user.loginName", "replaces.loginName", "shift.name"], BESIDE),
        owner: Some(Owner { field: "roster", kind: "Roster" }),
        references: &[
            to("user", "User"),
            to("replaces", "User"),
            Reference { path: "shift", kind: SHIFT, within: Some("roster") },
        ],
        ..PLAIN
    },
    Kind {
        name: "Integration",
        folder: "integrations",
        create: "installIntegration",
        update: Some("updateInstalledIntegration"),
        delete: Some("deleteInstalledIntegration"),
        get: Some("getInstalledIntegration"),
        list: List::Rows("searchInstalledIntegrations", &OWN),
        key: Key::All(&["displayName"], BESIDE),
        credentials: &["signingSecret"],
        secrets: &BASE_NOTIFIER_SECRETS,
        needs: |body| notifier_needs(body.get("baseNotifier"), BASE_NOTIFIER_SECRETS),
        ..PLAIN
    },
    Kind {
        name: "IntegrationEvent",
        folder: "integration-events",
        create: "createIntegrationEvent",
        update: Some("configureIntegrationEvent"),
        delete: Some("deleteIntegrationEvent"),
        get: Some("getIntegrationEvent"),
        list: List::Rows("listIntegrationEvents", &[]),
        key: Key::All(&["integration.displayName", "name"], BESIDE),
        owner: Some(Owner { field: "integration", kind: "Integration" }),
        secrets: &NOTIFIER_SECRETS,
        needs: |body| notifier_needs(body.get("notifier"), NOTIFIER_SECRETS),
        without: &[
            "payload",
            "filterCriteria.id",
            "filterCriteria.name",
            "filterCriteria.actions",
            "filterCriteria.rules.id",
        ],
        from_answer: without_idle_notifier,
        ..PLAIN
    },
    Kind {
        name: "ContactMethod",
        folder: "contact-methods",
        create: "createContactMethod",
        update: Some("updateContactMethod"),
        delete: Some("deleteContactMethod"),
        get: Some("getContactMethod"),
        list: List::Rows("listContactMethods", &[]),
        key: Key::All(&["user.loginName", "name"], BESIDE),
        owner: Some(Owner { field: "user", kind: "User" }),
        secrets: &["url", "password", "token"],
        needs: method_needs,
        ..PLAIN
    },
    Kind {
        name: "NotificationRule",
        folder: "notification-rules",
        create: "setNotificationRule",
        update: Some("setNotificationRule"),
        list: List::Rows("listNotificationRules", &[]),
        id: "urgency",
        key: Key::All(&["user.loginName", "urgency"], BESIDE),
        owner: Some(Owner { field: "user", kind: "User" }),
        concerns: has_steps,
        references: &[Reference { path: "steps.contactMethod", kind: "ContactMethod", within: Some("user") }],
        ..PLAIN
    },
    Kind {
        name: "EscalationPolicy",
        folder: "escalation-policies",
        create: "createEscalationPolicy",
        update: Some("updateEscalationPolicy"),
        delete: Some("deleteEscalationPolicy"),
        get: Some("getEscalationPolicy"),
        list: List::Rows("searchEscalationPolicies", &OWN),
        references: &[
            to("steps.targets.roster", "Roster"),
            to("steps.targets.user", "User"),
            to("steps.targets.userGroup", "UserGroup"),
            to("steps.targets.integration", "Integration"),
        ],
        defaults: &[("steps.targets.owner", "false")],
        ..PLAIN
    },
    Kind {
        name: "AlertRoute",
        folder: "alert-routes",
        create: "createAlertRoute",
        update: Some("updateAlertRoute"),
        delete: Some("deleteAlertRoute"),
        get: Some("getAlertRoute"),
        list: List::Rows("searchAlertRoutes", &OWN),
        references: &[to("policy", "EscalationPolicy")],
        without: &["rules.broken"],
        ..PLAIN
    },
    Kind {
        name: "Owner",
        folder: "owners",
        create: "setOwner",
        update: Some("setOwner"),
        delete: Some("deleteOwner"),
        list: List::Rows("searchOwners", &OWN),
        key: Key::All(&["resource.name", "deviceGroup.name", "serviceGroup.name", "site.name", "default"], BESIDE),
        references: &[
            to("resource", "Resource"),
            to("deviceGroup", "DeviceGroup"),
            to("serviceGroup", "ServiceGroup"),
            to("site", "Site"),
            to("userGroup", "UserGroup"),
        ],
        from_answer: owner_of_target,
        ..PLAIN
    },
    Kind {
        name: "Heartbeat",
        folder: "heartbeats",
        create: "createHeartbeat",
        update: Some("updateHeartbeat"),
        delete: Some("deleteHeartbeat"),
        get: Some("getHeartbeat"),
        list: List::Rows("searchHeartbeats", &OWN),
        credentials: &["url"],
        ..PLAIN
    },
    Kind {
        name: "InboundAddress",
        folder: "inbound-addresses",
        create: "createInboundAddress",
        delete: Some("deleteInboundAddress"),
        list: List::Rows("listInboundAddresses", &[]),
        credentials: &["token", "url"],
        ..PLAIN
    },
    Kind {
        name: "MaintenanceWindow",
        folder: "maintenance-windows",
        create: "createMaintenanceWindow",
        update: Some("updateMaintenanceWindow"),
        delete: Some("deleteMaintenanceWindow"),
        get: Some("getMaintenanceWindow"),
        list: List::Rows("searchMaintenanceWindows", &[]),
        id: "uniqueId",
        references: &[to("devices", "Resource"), to("deviceGroups", "DeviceGroup"), to("locations", "Site")],
        without: &["endBy", "alertConditions.rules.broken"],
        empties: &[("alertConditions", r#"{"rules": []}"#)],
        tenant: Some("clientUniqueId"),
        ..PLAIN
    },
    Kind {
        name: "JobScript",
        folder: "job-scripts",
        create: "createJobScript",
        update: Some("updateJobScript"),
        delete: Some("deleteJobScript"),
        get: Some("getJobScript"),
        list: List::Rows("searchJobScripts", &OWN),
        details: true,
        ..PLAIN
    },
    Kind {
        name: "Job",
        folder: "jobs",
        create: "createJob",
        update: Some("updateJob"),
        delete: Some("deleteJob"),
        get: Some("getJob"),
        list: List::Rows("searchJobs", &OWN),
        references: &[to("script.customScript", "JobScript"), to("resources", "Resource")],
        without: &["entities", "jobQueued", "schedule.timezone"],
        defaults: &[("schedule.pattern.repeatType", r#""days""#)],
        from_answer: zone_of_cron,
        ..PLAIN
    },
    Kind {
        name: "IncidentCategory",
        folder: "incident-categories",
        create: "createIncidentCategories",
        update: Some("updateIncidentCategory"),
        delete: Some("deleteIncidentCategory"),
        get: Some("getIncidentCategory"),
        list: List::Rows("listIncidentCategories", &OWN),
        fields: Some("updateIncidentCategory"),
        id: "uniqueId",
        key: Key::All(&["parentCategory.path", "name"], BELOW),
        references: &[to("parentCategory", "IncidentCategory")],
        tenant: Some("clientUniqueId"),
        to_top: Some("moveIncidentCategory"),
        to_create: names_of_category,
        ..PLAIN
    },
    Kind {
        name: "KbCategory",
        folder: "kb-categories",
        create: "createKbCategory",
        update: Some("updateKbCategory"),
        delete: Some("deleteKbCategory"),
        get: Some("getKbCategory"),
        list: List::Rows("listKbCategories", &OWN),
        key: Key::All(&["parentCategory.path", "name"], BELOW),
        references: &[to("parentCategory", "KbCategory")],
        to_top: Some("moveKbCategory"),
        ..PLAIN
    },
    Kind {
        name: "KbArticle",
        folder: "kb-articles",
        create: "createKbArticle",
        update: Some("updateKbArticle"),
        delete: Some("deleteKbArticle"),
        get: Some("getKbArticle"),
        list: List::Rows("listKbArticles", &OWN),
        details: true,
        key: Key::All(&["category.path", "title"], BELOW),
        references: &[to("category", "KbCategory")],
        ..PLAIN
    },
];

/// What groups of both kinds are like.
const GROUP: Kind = Kind {
    references: &[to("parent", "DeviceGroup")],
    without: &["id", "uniqueId"],
    empties: &[("parent", "{}"), ("filterCriteria", r#"{"rules": []}"#)],
    tenant: Some("tenantId"),
    ..PLAIN
};
