//! The kinds of entities that paths and bodies name, and how one of each is made.

use muster_tests::{Client, unique, uuid};
use serde_json::{Value, json};

/// The kinds of entities, each with what templates call it: `$site`, and `$site.name` for its name.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $word:literal,)+) => {
        /// A kind of entity. A new one: a line in the list below, how one is made in [`Kind::make`], and what an
        /// unknown one looks like in [`Kind::unknown`].
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            pub(super) const ALL: [Self; [$($word),+].len()] = [$(Self::$kind),+];

            /// What templates call it.
            pub(super) fn word(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)+
                }
            }
        }
    };
}

kinds! {
    Resource = "resource",
    /// A decommissioned resource, in history.
    Record = "record",
    Site = "site",
    DeviceGroup = "deviceGroup",
    ServiceGroup = "serviceGroup",
    ApiKey = "apiKey",
    /// Of a request that made a site.
    ChangeSet = "changeSet",
    InboundAddress = "inboundAddress",
    Heartbeat = "heartbeat",
    /// A client of a partner; only partners have them.
    Client = "client",
    User = "user",
    /// Of a user.
    Session = "session",
    UserGroup = "userGroup",
    Roster = "roster",
    /// Of a roster.
    Override = "override",
    CoverRequest = "coverRequest",
    /// Of a user.
    TimeOff = "timeOff",
    HolidayCalendar = "holidayCalendar",
    /// An address of a roster's calendar.
    RosterCalendar = "rosterCalendar",
    /// An address of a user's calendar.
    UserCalendar = "userCalendar",
    Job = "job",
    JobScript = "jobScript",
    /// One that a runner has.
    JobRun = "jobRun",
    MaintenanceWindow = "maintenanceWindow",
    /// An address of a window's calendar.
    MaintenanceCalendar = "maintenanceCalendar",
    Alert = "alert",
    /// One that can be unsuppressed.
    SuppressedAlert = "suppressedAlert",
    /// One whose acknowledgement can be taken back.
    AcknowledgedAlert = "acknowledgedAlert",
    /// One with an escalation that has a further step.
    HandedOverAlert = "handedOverAlert",
    /// A user whom pages reach, much later.
    ReachableUser = "reachableUser",
    /// One in which such a user is on call.
    OnCallRoster = "onCallRoster",
    IncidentCategory = "incidentCategory",
    Incident = "incident",
    KbCategory = "kbCategory",
    KbArticle = "kbArticle",
    /// An installed integration.
    Integration = "integration",
    /// Of an integration.
    IntegrationEvent = "integrationEvent",
    /// Of an event of an integration.
    Delivery = "delivery",
    /// Of a user.
    ContactMethod = "contactMethod",
    EscalationPolicy = "escalationPolicy",
    AlertRoute = "alertRoute",
    /// Of a device group.
    Owner = "owner",
}

impl Kind {
    /// A partner's are seen by its clients, who may name them but not change them.
    pub(super) fn clients_see_their_partners(self) -> bool {
        matches!(self, Self::User | Self::ReachableUser | Self::UserGroup | Self::IncidentCategory | Self::JobScript)
    }

    /// Has this tenant such entities?
    pub(super) fn is_at(self, tenant: &str) -> bool {
        self != Self::Client || tenant.starts_with("msp_")
    }

    /// Makes one that is called `name`.
    pub(super) fn make(self, owner: &Client, name: &str) -> Entity {
        let create = |path: &str, body: Value| owner.post(path, &body).ok();
        let created = match self {
            Self::Resource | Self::Record => {
                let created = create("/resources", json!({"name": name, "hostName": name, "description": name}));
                json!({"id": created["resourceUUID"]})
            }
            Self::Site => create("/sites", json!({"name": name, "city": name})),
            Self::DeviceGroup => create("/deviceGroups", json!({"name": name, "description": name})),
            Self::ServiceGroup => create("/serviceGroups", json!({"name": name, "description": name})),
            // Narrowed, so that one who is restricted to rotating keys may rotate it.
            Self::ApiKey => create("/apiKeys", json!({"name": name, "role": "admin", "operations": ["rotateApiKey"]})),
            Self::ChangeSet => {
                let body = json!({"name": unique("changed")});
                owner.request("POST", "/sites").header("X-Change-Set", name).json(&body).send().ok();
                owner.search("/changeSets/search", &format!("name:{name}")).page()["results"][0].clone()
            }
            Self::InboundAddress => create("/inbound", json!({"name": name})),
            Self::Heartbeat => create("/heartbeats", json!({"name": name, "interval": "1h"})),
            Self::Client => json!({"id": create("/clients", json!({"name": name}))["uniqueId"]}),
            Self::User => create("/users", json!({"loginName": name, "lastName": name})),
            Self::Session => session(owner),
            Self::UserGroup => json!({"id": create("/userGroups", json!({"name": name}))["uniqueId"]}),
            Self::Roster => {
                create("/rosters", roster(name, &somebody(owner), ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"]))
            }
            Self::Override => {
                let roster = Self::Roster.make(owner, name).id();
                let user = somebody(owner);
                // What is over cannot be deleted.
                let start = "2036-11-20T00:00:00Z";
                let end = "2036-11-21T00:00:00Z";
                let body = json!({"user": {"id": user}, "start": start, "end": end, "note": name});
                let mut created = create(&format!("/rosters/{roster}/overrides"), body);
                created["inside"] = json!(roster);
                created
            }
            Self::CoverRequest => {
                let roster = Self::Roster.make(owner, name).id();
                let start = "2036-11-20T00:00:00Z";
                let end = "2036-11-21T00:00:00Z";
                let body = json!({"user": {"id": somebody(owner)}, "start": start, "end": end, "note": name});
                let mut created = create(&format!("/rosters/{roster}/coverRequests"), body);
                created["inside"] = json!(roster);
                created
            }
            Self::TimeOff => {
                let user = somebody(owner);
                let body = json!({"from": "2026-11-20T00:00:00Z", "to": "2026-11-22T00:00:00Z", "reason": name});
                let created = create(&format!("/users/{user}/timeOff"), body);
                json!({"id": created["id"], "inside": user})
            }
            Self::HolidayCalendar => {
                let days = json!([{"date": "2026-12-25", "name": name}]);
                create("/holidayCalendars", json!({"name": name, "days": days}))
            }
            Self::RosterCalendar => {
                let roster = Self::Roster.make(owner, name).id();
                let created = owner.post_empty(&format!("/rosters/{roster}/calendars")).ok();
                json!({"id": created["id"], "inside": roster})
            }
            Self::UserCalendar => {
                let user = somebody(owner);
                let created = owner.post_empty(&format!("/rosters/users/{user}/calendars")).ok();
                json!({"id": created["id"], "inside": user})
            }
            Self::IncidentCategory => {
                json!({"id": create("/incidents/categories", json!({"names": [name]}))[0]["uniqueId"]})
            }
            Self::Incident => create("/incidents", json!({"subject": name, "description": name})),
            Self::KbCategory => create("/kb/category", json!({"name": name, "description": name})),
            Self::KbArticle => {
                let category = Self::KbCategory.make(owner, name).id();
                create("/kb/article", json!({"title": name, "content": name, "category": {"id": category}}))
            }
            Self::Job => create("/jobs", job(name)),
            Self::JobScript => create("/jobs/scripts", json!({"name": name, "content": "exit 0", "description": name})),
            Self::JobRun => {
                let job = Self::Job.make(owner, name).id();
                owner.post_empty(&format!("/jobs/{job}/run")).ok();
                // For longer than the matrix takes, or the run goes back into the queue meanwhile.
                let claim = json!({"runner": name, "jobs": [job], "leaseSeconds": 3600});
                let claimed = create("/jobs/runs/claim", claim);
                json!({"id": claimed["runs"][0]["run"]["id"]})
            }
            Self::MaintenanceWindow => {
                let covered = Self::Resource.make(owner, name).id();
                json!({"id": create("/scheduleMaintenances", window(name, &covered))["uniqueId"]})
            }
            Self::MaintenanceCalendar => {
                let window = Self::MaintenanceWindow.make(owner, name).id();
                let created = owner.post_empty(&format!("/scheduleMaintenances/{window}/calendars")).ok();
                json!({"id": created["id"], "inside": window})
            }
            Self::Alert | Self::SuppressedAlert | Self::AcknowledgedAlert => {
                // Of the state that nobody is paged for, so that nothing happens with it later.
                let created = create("/alert", json!({"currentState": "Info", "subject": name}));
                if self == Self::SuppressedAlert {
                    owner.post_empty(&format!("/alerts/{}/actions/suppress", plain(&created["id"]))).ok();
                }
                if self == Self::AcknowledgedAlert {
                    owner.post_empty(&format!("/alerts/{}/actions/acknowledge", plain(&created["id"]))).ok();
                }
                json!({"id": created["id"]})
            }
            Self::ReachableUser => reachable(owner, name),
            Self::OnCallRoster => {
                let user = plain(&reachable(owner, &unique("somebody"))["id"]);
                create("/rosters", roster(name, &user, ["2020-01-01T00:00:00Z", "2120-01-01T00:00:00Z"]))
            }
            Self::HandedOverAlert => {
                let alert = Self::Alert.make(owner, name).id();
                let user = reachable(owner, &unique("somebody"));
                create(&format!("/alerts/{alert}/actions/handOver"), json!({"users": [{"id": user["id"]}]}));
                json!({"id": alert})
            }
            Self::Integration => {
                let notifier = json!({"baseURI": "https://receiver.invalid"});
                create("/integrations/install/CUSTOM", json!({"displayName": name, "baseNotifier": notifier}))
            }
            Self::IntegrationEvent => {
                let integration = Self::Integration.make(owner, name).id();
                let filter = json!({"rules": [{"key": "subject", "operator": "Equals", "value": name}]});
                let body = json!({"name": name, "entity": "PROBLEM", "eventType": "CREATE", "filterCriteria": filter,
                    "eventPayload": format!("{{\"name\": \"{name}\"}}")});
                let created = create(&format!("/integrations/installed/{integration}/event"), body);
                json!({"id": created["id"], "inside": integration})
            }
            Self::Delivery => delivery(owner, name),
            Self::ContactMethod => {
                let user = somebody(owner);
                let body = json!({"name": name, "type": "EMAIL", "address": format!("{name}@example.net"),
                    "verified": true});
                let created = create(&format!("/users/{user}/contactMethods"), body);
                json!({"id": created["id"], "inside": user})
            }
            Self::EscalationPolicy => {
                let targets = json!([{"user": {"id": somebody(owner)}}]);
                create(
                    "/escalationPolicies",
                    json!({"name": name, "description": name, "steps": [{"targets": targets}]}),
                )
            }
            Self::Owner => {
                let owned = Self::DeviceGroup.make(owner, name).id();
                let group = Self::UserGroup.make(owner, &unique("owners"));
                let owned: i64 = owned.parse().expect("a number");
                create("/owners", json!({"deviceGroup": {"id": owned}, "userGroup": {"uniqueId": group.id()}}))
            }
            Self::AlertRoute => {
                let policy = Self::EscalationPolicy.make(owner, &unique(name)).id();
                let rules = json!([{"key": "subject", "operator": "Equals", "value": name}]);
                create("/alertRoutes", json!({"name": name, "rules": rules, "policy": {"id": policy}}))
            }
        };
        if self == Self::Record {
            owner.delete(&format!("/resources/{}", plain(&created["id"]))).ok();
        }
        assert!(!created["id"].is_null(), "{self:?} has no id: {created}");
        let mut forms = vec![("id", created["id"].clone()), ("name", json!(name))];
        if created["uniqueId"].is_string() {
            forms.push(("uniqueId", created["uniqueId"].clone()));
        }
        Entity { kind: self, forms, inside: created["inside"].as_str().map(ToOwned::to_owned) }
    }

    /// What names nothing, in the same forms.
    pub(super) fn unknown(self) -> Entity {
        let id = match self {
            Self::Resource | Self::Record => json!(uuid()),
            Self::Site | Self::DeviceGroup | Self::ServiceGroup => json!(987_654_321),
            Self::ApiKey => json!(format!("KEY-{}", uuid())),
            Self::ChangeSet => json!("CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c"),
            Self::InboundAddress => json!(format!("INB-{}", uuid())),
            Self::Heartbeat => json!(format!("HB-{}", uuid())),
            Self::Client => json!("client_987654321"),
            Self::User => json!("USR9876543210"),
            Self::ReachableUser => json!("USR9876543211"),
            Self::Session => json!(format!("SES-{}", uuid())),
            Self::UserGroup => json!(format!("USRGRP-{}", uuid())),
            Self::Roster | Self::OnCallRoster => json!(format!("ES-{}", uuid())),
            Self::Override => json!(format!("OVR-{}", uuid())),
            Self::CoverRequest => json!(format!("CVR-{}", uuid())),
            Self::TimeOff => json!(format!("TOF-{}", uuid())),
            Self::HolidayCalendar => json!(format!("HOL-{}", uuid())),
            Self::Job => json!(uuid()),
            Self::JobScript => json!(987_654_321),
            Self::JobRun => json!(format!("RUN-{}", uuid())),
            Self::RosterCalendar | Self::UserCalendar | Self::MaintenanceCalendar => json!(format!("CAL-{}", uuid())),
            Self::MaintenanceWindow => json!(format!("SM-{}", uuid())),
            Self::Alert | Self::SuppressedAlert | Self::AcknowledgedAlert | Self::HandedOverAlert => {
                json!(format!("ALT-{}", uuid()))
            }
            Self::IncidentCategory => json!(format!("SCAT-{}", uuid())),
            Self::Incident => json!("INC9876543210"),
            Self::KbCategory => json!("KBC9876543210"),
            Self::KbArticle => json!("KBA9876543210"),
            Self::Integration => json!(format!("INTG-{}", uuid())),
            Self::IntegrationEvent => json!(format!("INTG-EVENT-{}", uuid())),
            Self::Delivery => json!(format!("DLV-{}", uuid())),
            Self::ContactMethod => json!(format!("CM-{}", uuid())),
            Self::EscalationPolicy => json!(format!("EP-{}", uuid())),
            Self::AlertRoute => json!(format!("AR-{}", uuid())),
            Self::Owner => json!(format!("OWN-{}", uuid())),
        };
        let mut forms = vec![("id", id), ("name", json!(unique("nobody")))];
        match self {
            Self::DeviceGroup => forms.push(("uniqueId", json!(format!("DGP-{}", uuid())))),
            Self::ServiceGroup => forms.push(("uniqueId", json!(format!("SGP-{}", uuid())))),
            _ => {}
        }
        Entity { kind: self, forms, inside: None }
    }
}

/// A delivery whose first attempt has failed; the next one is far away.
fn delivery(owner: &Client, name: &str) -> Value {
    let event = Kind::IntegrationEvent.make(owner, name);
    let inside = format!("{}/{}", event.inside.clone().unwrap_or_default(), event.id());
    let action = json!({"entity": "PROBLEM", "eventType": "CREATE", "object": {"subject": name}});
    owner.post("/integrations/actions", &action).ok();
    let path = format!("/integrations/installed/{}/deliveries", inside.replace('/', "/event/"));
    for _ in 0..300 {
        let one = owner.get(&path).page()["results"][0].clone();
        if one["attempts"] == json!(1) {
            return json!({"id": one["id"], "inside": inside});
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("no attempt was made of a delivery: {}", owner.get(&path));
}

/// A session of a user, who has signed in by a link.
fn session(owner: &Client) -> Value {
    let user = somebody(owner);
    let made = owner.post_empty(&format!("/users/{user}/signInLink")).ok();
    let form = format!("code={}", muster_tests::browser::code_of(&plain(&made["url"])));
    let answer = owner.absolute("POST", "/auth/session").body("application/x-www-form-urlencoded", form).send();
    assert_eq!(answer.status, 303, "{answer}");
    let sessions = owner.get(&format!("/users/{user}/sessions")).list();
    json!({"id": sessions[0]["id"], "inside": user})
}

/// A user without a marker: those of a partner are seen by its clients.
fn somebody(owner: &Client) -> String {
    Kind::User.make(owner, &unique("somebody")).id()
}

/// A user whom pages reach, in a day: none of them changes while the matrix looks at them.
fn reachable(owner: &Client, name: &str) -> Value {
    let user = Kind::User.make(owner, name).id();
    let method = json!({"name": "mail", "type": "EMAIL", "address": format!("{user}@example.net"), "verified": true});
    let method = owner.post(&format!("/users/{user}/contactMethods"), &method).ok()["id"].clone();
    for urgency in ["high", "low"] {
        let rules = json!({"urgency": urgency, "steps": [{"contactMethod": {"id": method}, "after": "1d"}]});
        owner.post(&format!("/users/{user}/notificationRules"), &rules).ok();
    }
    json!({"id": user})
}

fn roster(name: &str, user: &str, [start, end]: [&str; 2]) -> Value {
    let schedule = json!({"type": "one-time", "startDate": start, "endDate": end});
    let shift = json!({"name": name, "schedule": schedule, "users": [{"id": user}], "userGroups": []});
    json!({"name": name, "description": name, "timeZone": {"name": "Europe/Paris"}, "shiftDetails": [shift]})
}

fn job(name: &str) -> Value {
    let schedule = json!({"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}});
    json!({"name": name, "description": name, "schedule": schedule, "script": {"jobType": "antivirus"},
        "overlapPolicy": "allow"})
}

fn window(name: &str, resource: &str) -> Value {
    // Open, so that it can be extended.
    let schedule = json!({"type": "One-Time", "startTime": "2026-01-01T00:00:00Z", "endTime": "2090-01-01T00:00:00Z"});
    json!({"name": name, "description": name, "devices": [{"uniqueId": resource}], "schedule": schedule})
}

/// An entity, or none, by every form in which it can be named.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) kind: Kind,
    /// `id` first.
    forms: Vec<(&'static str, Value)>,
    /// The id of what it is part of, which stands before its own in a path; of several, with slashes between them.
    pub(super) inside: Option<String>,
}

impl Entity {
    /// What a path may name it by.
    pub(super) fn path_ids(&self) -> Vec<String> {
        self.forms.iter().filter(|(form, _)| *form != "name").map(|(_, value)| plain(value)).collect()
    }

    pub(super) fn id(&self) -> String {
        plain(&self.forms[0].1)
    }

    /// The same entity under its form of this number.
    pub(super) fn path_id(&self, form: usize) -> String {
        self.path_ids().swap_remove(form)
    }

    /// Every text that stands for it.
    pub(super) fn words(&self) -> Vec<String> {
        self.forms.iter().map(|(_, value)| plain(value)).collect()
    }

    /// Puts it into a template: `"$site"` becomes a JSON value, `$site` the bare text.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut text = template.to_owned();
        if !text.contains(&format!("${}", self.kind.word())) {
            return text;
        }
        // Longer placeholders first: `$site` is the start of `$site.name`.
        for (form, value) in self.forms.iter().rev() {
            let word = if *form == "id" { self.kind.word().to_owned() } else { format!("{}.{form}", self.kind.word()) };
            text =
                text.replace(&format!("\"${word}\""), &value.to_string()).replace(&format!("${word}"), &plain(value));
        }
        text
    }
}

/// The kind that a template names.
pub(super) fn named_in(template: &str) -> Kind {
    let found = Kind::ALL.into_iter().filter(|kind| template.contains(&format!("${}", kind.word())));
    // `$userGroup` rather than `$user`.
    found.max_by_key(|kind| kind.word().len()).unwrap_or_else(|| panic!("{template} names no kind of entity"))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
