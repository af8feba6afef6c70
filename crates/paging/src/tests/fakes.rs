//! Neighbours whose answers a test decides.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use base::{secret::Secret, timestamp::Timestamp};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use db::{Conn, DatabaseUrl, Db, Options, Result};
use ports::{
    AlertAction, AlertFacts, AlertPreview, Alerts, Cover, GroupHistory, IncidentRecord, Maintenance, OnCall,
    OnCallPerson, Outgoing, OwnShift, People, PeopleGroup, Person, Place, PlaceKey, PlaceKind, ResourceKey,
    ResourceSummary, Resources, RosterSummary, SealedAt, Seals, Sending, Sends, ServiceGroup, Window,
};
use serde_json::Value;
use standalone::Standalone;

use crate::{Neighbours, configuration::methods::row::Method};

/// The tenant of everything.
pub const TENANT: &str = "client_1";

/// Who is on call in a roster: `(from, until, level, person)` in milliseconds.
pub type Line = Vec<(i64, i64, i64, String)>;

/// What a test decides.
#[derive(Default)]
pub struct World {
    /// The rosters, by their place in this list: `ES-0`, `ES-1` and so on.
    pub rosters: Vec<Line>,
    /// People who are not in use any more.
    pub gone: BTreeSet<String>,
    /// Tenants that are suspended.
    pub suspended: BTreeSet<String>,
    /// The shifts of everybody.
    pub shifts: Vec<OwnShift>,
    /// The alerts that can be found.
    pub alerts: Vec<Value>,
    /// The alerts whose acknowledgements were taken back, since a test looked.
    pub expired: Vec<String>,
}

/// Those who answer for it.
#[derive(Clone, Default)]
pub struct Fakes(pub Arc<Mutex<World>>);

impl Fakes {
    fn person(&self, id: &str) -> Person {
        let activated = !self.0.lock().unwrap().gone.contains(id);
        Person { id: id.to_owned(), login_name: id.to_owned(), activated, ..Person::default() }
    }

    /// As the domain asks them. The clock stands still at the beginning of time: what is tested is told the time.
    pub fn neighbours(&self) -> Neighbours {
        let all = Arc::new(self.clone());
        Neighbours {
            alerts: Arc::clone(&all) as Arc<dyn Alerts>,
            incidents: Arc::new(Standalone),
            articles: Arc::new(Standalone),
            jobs: Arc::new(Standalone),
            resources: Arc::clone(&all) as Arc<dyn Resources>,
            maintenance: Arc::clone(&all) as Arc<dyn Maintenance>,
            on_call: Arc::clone(&all) as Arc<dyn OnCall>,
            people: Arc::clone(&all) as Arc<dyn People>,
            sessions: Arc::new(Standalone),
            integrations: Arc::new(Standalone),
            seals: Arc::clone(&all) as Arc<dyn Seals>,
            sends: all,
            clock: || Timestamp::from_millis(0),
            public_url: None,
            page_limit: 0,
        }
    }
}

/// A database of this domain in a directory.
pub fn database(directory: &std::path::Path) -> Db {
    let db = Db::open(&DatabaseUrl::Sqlite(directory.join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::domain().migrations]).unwrap();
    db
}

impl Alerts for Fakes {
    fn preview(&self, _: &mut Conn, _: &str, _: &[String], _: &Value, _: Timestamp) -> Result<AlertPreview> {
        Err(base::Problem::not_found("none").into())
    }

    fn find(&self, _: &mut Conn, _: &[String], id: &str, _: Timestamp) -> Result<Option<Value>> {
        Ok(self.0.lock().unwrap().alerts.iter().find(|alert| alert["id"] == id).cloned())
    }

    fn taken_in(&self, _: &mut Conn, _: &str, _: &str) -> Result<Option<Timestamp>> {
        Ok(None)
    }

    fn locked_version(&self, _: &mut Conn, _: &str, _: &str) -> Result<Option<i64>> {
        Ok(None)
    }

    fn incident(&self, _: &mut Conn, _: &[String], _: &str, _: i64) -> Result<Option<IncidentRecord>> {
        Ok(None)
    }

    fn act(&self, _: &mut Conn, _: AlertAction<'_>, _: Timestamp) -> Result<Value> {
        Err(base::Problem::not_found("none").into())
    }

    fn expire_acknowledgement(&self, _: &mut Conn, _: &str, id: &str, _: Timestamp, _: Timestamp) -> Result<bool> {
        self.0.lock().unwrap().expired.push(id.to_owned());
        Ok(true)
    }
}

impl Resources for Fakes {
    fn find(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
        Ok(keys.iter().map(|_| Vec::new()).collect())
    }

    fn decommissioned(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
        Ok(keys.iter().map(|_| Vec::new()).collect())
    }

    fn places(&self, _: &mut Conn, _: &[String], _: PlaceKind, keys: &[PlaceKey]) -> Result<Vec<Vec<Place>>> {
        Ok(keys.iter().map(|_| Vec::new()).collect())
    }

    fn places_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<Place>>> {
        Ok(ids.iter().map(|_| Vec::new()).collect())
    }

    fn members(&self, _: &mut Conn, _: &[String], _: &Place, _: Option<&str>, _: i64) -> Result<Vec<ResourceSummary>> {
        Ok(Vec::new())
    }

    fn service_groups(&self, _: &mut Conn, _: &[String], keys: &[PlaceKey]) -> Result<Vec<Vec<ServiceGroup>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn service_groups_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<ServiceGroup>>> {
        Ok(vec![Vec::new(); ids.len()])
    }

    fn tags_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<(String, String)>>> {
        Ok(vec![Vec::new(); ids.len()])
    }
}

impl Maintenance for Fakes {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(resources.iter().map(|_| Vec::new()).collect())
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(alerts.iter().map(|_| Vec::new()).collect())
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], _: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(windows.iter().map(|_| None).collect())
    }

    fn escalating(&self, _: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>> {
        Ok(windows.iter().map(|_| None).collect())
    }
}

impl OnCall for Fakes {
    fn skipped_of(&self, _: &mut Conn, _: &str, _: &str, _: &str, _: Timestamp) -> Result<Vec<ports::SkippedShift>> {
        Ok(Vec::new())
    }

    fn on_call(&self, _: &mut Conn, _: &str, _: &str, at: Timestamp) -> Result<Vec<OnCallPerson>> {
        let rosters = self.0.lock().unwrap().rosters.clone();
        let mut found = Vec::new();
        for (number, line) in rosters.iter().enumerate() {
            let now = line.iter().filter(|(from, until, ..)| (*from..*until).contains(&at.millis()));
            found.extend(now.map(|(from, until, level, person)| OnCallPerson {
                person: self.person(person),
                roster_id: format!("ES-{number}"),
                shift_id: None,
                level: *level,
                since: Timestamp::from_millis(*from),
                until: Timestamp::from_millis(*until),
                instead_of: Vec::new(),
            }));
        }
        Ok(found)
    }

    fn roster(&self, _: &mut Conn, _: &[String], id: &str) -> Result<Option<RosterSummary>> {
        let number = id.strip_prefix("ES-").and_then(|number| number.parse::<usize>().ok());
        let there = number.is_some_and(|number| number < self.0.lock().unwrap().rosters.len());
        Ok(there.then(|| RosterSummary {
            tenant_id: TENANT.to_owned(),
            name: id.to_owned(),
            time_zone: "Europe/Vienna".to_owned(),
        }))
    }

    fn shifts_of(
        &self,
        _: &mut Conn,
        _: &[String],
        _: &str,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<OwnShift>> {
        let shifts = self.0.lock().unwrap().shifts.clone();
        Ok(shifts.into_iter().filter(|one| one.since < to && one.until.is_none_or(|until| until > from)).collect())
    }
}

/// A verified contact method of a person.
pub fn method(user: &str, id: &str) -> Method {
    Method {
        tenant_id: TENANT.to_owned(),
        id: id.to_owned(),
        version: 1,
        user_id: user.to_owned(),
        name: "m".to_owned(),
        kind: "HTTP".to_owned(),
        preset: "webhook".to_owned(),
        settings: db::Json::default(),
        sealed: String::new(),
        verified: true,
        code_hash: String::new(),
        code_until_ms: 0,
        code_tries: 0,
        created_ms: 0,
        updated_ms: 0,
    }
}

impl People for Fakes {
    fn users(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Person>> {
        Ok(ids.iter().map(|id| self.person(id)).collect())
    }

    fn groups(&self, _: &mut Conn, _: &[String], _: &[String]) -> Result<Vec<PeopleGroup>> {
        Ok(Vec::new())
    }

    fn revisions(&self, _: &mut Conn, _: &[String]) -> Result<Vec<(String, i64)>> {
        Ok(Vec::new())
    }

    fn own_and_partner(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned(), "msp_1".to_owned()])
    }

    fn is_active(&self, _: &mut Conn, tenant: &str) -> Result<bool> {
        Ok(!self.0.lock().unwrap().suspended.contains(tenant))
    }

    fn former_users(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<Vec<(Timestamp, Person)>> {
        Ok(Vec::new())
    }

    fn former_groups(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<GroupHistory> {
        Ok(GroupHistory::default())
    }

    fn may_act(&self, _: &mut Conn, _: &[String], _: &str, _: Timestamp) -> Result<bool> {
        Ok(true)
    }

    fn may_operate(&self, _: &mut Conn, _: &[String], _: &str, _: &str, _: Timestamp) -> Result<bool> {
        Ok(true)
    }

    fn below(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned()])
    }

    fn administrators(&self, _: &mut Conn, _: &str) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn active(&self, _: &mut Conn, tenants: &[String]) -> Result<Vec<String>> {
        Ok(tenants.to_vec())
    }
}

/// A seal that hides nothing.
impl Seals for Fakes {
    fn seal(&self, _: SealedAt<'_>, secret: &Secret<String>) -> Result<String> {
        Ok(format!("v1.{}", STANDARD.encode(secret.expose())))
    }

    fn open(&self, _: SealedAt<'_>, sealed: &str) -> Result<Option<Secret<String>>> {
        let open = |text: &str| String::from_utf8(STANDARD.decode(text).ok()?).ok();
        Ok(sealed.strip_prefix("v1.").and_then(open).map(Secret::new))
    }

    fn is_current(&self, _: &str) -> bool {
        true
    }
}

impl Sends for Fakes {
    fn check_url(&self, _: &str) -> std::result::Result<(), String> {
        Ok(())
    }

    fn has_mail(&self) -> bool {
        true
    }

    fn send(&self, _: Outgoing, _: Timestamp) -> Sending<'_> {
        Box::pin(async { Ok(200) })
    }
}
