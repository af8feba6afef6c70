//! The thread that tells of the conflicts of rosters seven days ahead, each once.
//!
//! Tenants take turns ([`TenantTurns`]). Any number of gateways do this beside each other. Each tenant with rosters has
//! a row that says when they are to be looked at next. What a look finds is told in the transaction that moves the row
//! on, if nobody else moved it meanwhile, and is remembered until it is over: what comes again is told again.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use base::{problem::Kind, timestamp::Timestamp};
use calendar::Interval;
use db::{Db, Error, Result};
use outbox::{Background, TenantTurns, TimedEvent, Tx};
use ports::{Messages, People, PersonalMessage};
use serde_json::{Value, json};

use super::{
    conflict_rules::{Comparison, TOO_MUCH, compare, goes_on, message, subject, too_much},
    told_conflicts::{self as store, ToldConflict},
};
use crate::{
    cache::RosterCache,
    conflict_watches::{self as watches, ConflictWatch},
    conflicts::{
        load::TenantPlans,
        render::{ConflictSelection, Question},
        rules::Limits,
        wire::Conflict,
    },
    crew::Crew,
    people::RosterPeople,
    roster::store as rosters,
};

/// How far ahead conflicts are told: seven days, in milliseconds.
const AHEAD_MS: i64 = 7 * 86_400_000;
/// How soon one looks again at rosters that have not changed.
const AGAIN_MS: i64 = 15 * 60_000;
/// How soon one looks again at rosters that have.
const PAUSE_MS: i64 = 1_000;
/// A look at rosters that change all the time takes one part in so many of the time.
const SHARE: i64 = 20;
/// The rosters of a partner with more clients are not looked at together with those of its clients.
const MOST_CLIENTS: usize = 500;
/// How long to wait between two turns.
const IDLE: Duration = Duration::from_millis(500);

/// Starts the thread that tells of conflicts. `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_conflict_watch(
    db: Db,
    people: Arc<dyn People>,
    messages: Arc<dyn Messages>,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    let mut turns = TenantTurns::of_rows(&db, "roster-conflicts", &[watches::DUE]);
    Background::repeat("roster-conflicts", IDLE, "looking for conflicts of rosters", move || {
        turn(&db, &mut turns, &*people, &messages, clock())
    })
}

/// What a look at the rosters of a tenant found.
struct ConflictCheck {
    seen: ConflictWatch,
    next: ConflictWatch,
    new: Vec<ToldConflict>,
    events: Vec<TimedEvent>,
    longer: Vec<(String, i64)>,
    over: Vec<String>,
    /// Rows of conflicts of which people are told only now.
    people_told: Vec<String>,
    messages: Vec<PersonalMessage>,
    /// The partner of the tenant, when its people stand in rosters of the tenant that may have changed.
    partner: Option<String>,
}

/// Looks at the rosters of the tenants that are due; true when there may be more.
pub fn turn(
    db: &Db,
    turns: &mut TenantTurns,
    people: &dyn People,
    messages: &Arc<dyn Messages>,
    now: Timestamp,
) -> Result<bool> {
    let tenants = db.read_here(|conn| watches::DUE.tenants_if_due(conn, now.millis()))?;
    let mut more = false;
    let mut partners = BTreeSet::new();
    let messages = Arc::clone(messages);
    let work = move |tx: &mut Tx<'_>, _: &str, look: ConflictCheck| {
        let more = look.next.due_ms <= tx.now.millis();
        let partner = look.partner.clone();
        tell(tx, &*messages, look).map(|()| (more, partner))
    };
    let prepare = |tenant: &str| look(db, people, tenant, now);
    turns.serve_each(db, tenants, now, prepare, work, |_, (has_more, partner)| {
        more |= has_more;
        partners.extend(partner);
    })?;
    // After the others: two gateways would wait for each other if they wrote the row of a partner between those of its
    // clients.
    turns.serve(db, partners.into_iter().collect(), now, |tx, partner| {
        watches::touch_or_insert(tx.conn, partner).map(|()| false)
    })?;
    Ok(more)
}

/// Moves the row of a tenant on, and tells what was found.
fn tell(tx: &mut Tx<'_>, messages: &dyn Messages, look: ConflictCheck) -> Result<()> {
    if !watches::advance(tx.conn, &look.seen, &look.next)? {
        return Ok(());
    }
    let tenant = look.seen.tenant_id.as_str();
    store::delete(tx.conn, tenant, &look.over)?;
    store::insert(tx.conn, &look.new)?;
    store::note_people(tx.conn, tenant, &look.people_told)?;
    for (id, to_ms) in &look.longer {
        store::extend(tx.conn, tenant, id, *to_ms)?;
    }
    look.events.into_iter().for_each(|event| tx.record_timed_event(event));
    messages.send(tx.conn, &look.messages, tx.now)
}

/// Looks at the rosters of a tenant. The connection is given back before conflicts are looked for.
fn look(db: &Db, people: &dyn People, tenant: &str, now: Timestamp) -> Result<Option<ConflictCheck>> {
    let begun = Instant::now();
    let Some(range) = Interval::new(now, Timestamp::from_millis(now.millis().saturating_add(AHEAD_MS))) else {
        return Ok(None);
    };
    let asked = Question { range, limits: Limits::default(), about: ConflictSelection::Everything };
    let own = [tenant.to_owned()];
    let read = db.read_here(|conn| {
        let Some(seen) = watches::find(conn, tenant)?.filter(|row| row.due_ms <= now.millis()) else {
            return Ok(None);
        };
        let told = store::all(conn, tenant)?;
        let recipients = rosters::conflict_recipients(conn, tenant)?;
        let tenants = people.own_and_partner(conn, tenant)?;
        // Nothing of it is kept until the next look.
        let plans = TenantPlans::of(conn, people, &RosterCache::default(), (&own, &tenants), &asked)?;
        let clients = people.below(conn, tenant)?;
        let whole = match clients.len() {
            2..=MOST_CLIENTS => {
                Some(TenantPlans::of(conn, people, &RosterCache::default(), (&clients, &clients), &asked)?)
            }
            _ => None,
        };
        // A look that is due by the time alone finds nothing new for the partner, which looks as often.
        let is_changed = seen.due_ms <= seen.earliest_ms;
        let partner = tenants.iter().find(|other| *other != tenant && is_changed);
        let partner = partner.filter(|partner| plans.has_people_of(partner)).cloned();
        let recipients = Recipients::read(conn, people, &tenants, recipients)?;
        Ok(Some((seen, told, recipients, plans, whole, partner)))
    })?;
    let Some((seen, told, recipients, plans, whole, partner)) = read else { return Ok(None) };
    let across = |whole: TenantPlans| whole.conflicts_across(tenant, &asked);
    let found = plans.conflicts(&asked).and_then(|mut found| {
        found.extend(whole.map(across).transpose()?.unwrap_or_default());
        Ok(found)
    });
    let took_ms = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    let earliest_ms = now.millis().saturating_add(PAUSE_MS.max(took_ms.saturating_mul(SHARE)));
    let next = ConflictWatch {
        seq: seen.seq + 1,
        due_ms: now.millis().saturating_add(AGAIN_MS).max(earliest_ms),
        earliest_ms,
        ..seen.clone()
    };
    let rows = (seen, next);
    let look = match found {
        Ok(found) => looked(&found, &told, &recipients, rows, now),
        // Too much of it.
        Err(problem) if problem.kind == Kind::Invalid => {
            tracing::warn!(tenant, "there is too much in the rosters of a tenant to find its conflicts");
            looked_at_too_much(&told, &recipients, rows, range)
        }
        Err(problem) => {
            tracing::error!(error = %Error::from(problem), tenant, "the conflicts of the rosters of a tenant");
            looked_at_nothing(rows.0, rows.1)
        }
    };
    Ok(Some(ConflictCheck { partner, ..look }))
}

/// A look at more than can be worked out, which is told once, as long as it is so. What was told stays told.
fn looked_at_too_much(
    told: &[ToldConflict],
    recipients: &Recipients,
    (seen, next): (ConflictWatch, ConflictWatch),
    range: Interval,
) -> ConflictCheck {
    let (now, end) = (range.start(), range.end());
    let known = told.iter().find(|row| row.subject == TOO_MUCH);
    let new = known.is_none().then(|| ToldConflict {
        tenant_id: seen.tenant_id.clone(),
        id: format!("RCF-{}", uuid::Uuid::now_v7()),
        subject: TOO_MUCH.to_owned(),
        roster_id: String::new(),
        from_ms: now.millis(),
        to_ms: end.millis(),
        people_told: recipients.are_any(),
        told_ms: now.millis(),
    });
    let mut look = looked_at_nothing(seen, next);
    if let Some(row) = known {
        if goes_on(row, end.millis(), now) {
            look.longer.push((row.id.clone(), end.millis()));
        }
        if !row.people_told && recipients.are_any() {
            look.people_told.push(row.id.clone());
        }
    }
    if new.as_ref().is_some_and(|row| row.people_told) || !look.people_told.is_empty() {
        let (subject, description) = too_much();
        look.messages.extend(recipients.of_all(now).into_iter().map(|(tenant, user)| PersonalMessage {
            tenant,
            user,
            subject: subject.clone(),
            description: description.clone(),
        }));
    }
    look.events.extend(new.as_ref().map(|row| conflict_event(row, json!({"kind": "tooMuch", "from": now, "to": end}))));
    look.new.extend(new);
    look
}

/// A look that found out nothing: what was told stays told.
fn looked_at_nothing(seen: ConflictWatch, next: ConflictWatch) -> ConflictCheck {
    ConflictCheck {
        seen,
        next,
        new: Vec::new(),
        events: Vec::new(),
        longer: Vec::new(),
        over: Vec::new(),
        people_told: Vec::new(),
        messages: Vec::new(),
        partner: None,
    }
}

/// From the conflicts that there are, and those that were told, to what is told.
fn looked(
    found: &[Conflict],
    told: &[ToldConflict],
    recipients: &Recipients,
    (seen, next): (ConflictWatch, ConflictWatch),
    now: Timestamp,
) -> ConflictCheck {
    let Comparison { new, known, longer, over, has_more } = compare(found, told, now);
    let next = if has_more { ConflictWatch { due_ms: next.earliest_ms, ..next } } else { next };
    let id = |row: usize| told.get(row).map(|row| row.id.clone());
    let mut look = ConflictCheck {
        longer: longer.into_iter().filter_map(|(row, to_ms)| Some((id(row)?, to_ms))).collect(),
        over: over.into_iter().filter_map(id).collect(),
        ..looked_at_nothing(seen, next)
    };
    let mut for_people: BTreeMap<&str, Vec<&Conflict>> = BTreeMap::new();
    for conflict in new.into_iter().filter_map(|place| found.get(place)) {
        let people_told = recipients.are_of(&conflict.roster.id);
        if people_told {
            for_people.entry(&conflict.roster.id).or_default().push(conflict);
        }
        let row = ToldConflict {
            tenant_id: look.seen.tenant_id.clone(),
            id: format!("RCF-{}", uuid::Uuid::now_v7()),
            subject: subject(conflict),
            roster_id: conflict.roster.id.clone(),
            from_ms: conflict.from.millis(),
            to_ms: conflict.to.millis(),
            people_told,
            told_ms: now.millis(),
        };
        look.events.push(event(&row, conflict));
        look.new.push(row);
    }
    for (place, row) in known {
        let (Some(conflict), Some(row)) = (found.get(place), told.get(row)) else { continue };
        if !row.people_told && recipients.are_of(&conflict.roster.id) && !look.people_told.contains(&row.id) {
            for_people.entry(&conflict.roster.id).or_default().push(conflict);
            look.people_told.push(row.id.clone());
        }
    }
    for (roster, mut conflicts) in for_people {
        conflicts.sort_by_key(|conflict| conflict.from);
        let (subject, description) = message(&conflicts);
        look.messages.extend(recipients.of(roster, now).into_iter().map(|(tenant, user)| PersonalMessage {
            tenant,
            user,
            subject: subject.clone(),
            description: description.clone(),
        }));
    }
    look
}

fn event(row: &ToldConflict, conflict: &Conflict) -> TimedEvent {
    conflict_event(row, json!(conflict))
}

fn conflict_event(row: &ToldConflict, mut after: Value) -> TimedEvent {
    after["id"] = json!(row.id);
    after["clientUniqueId"] = json!(row.tenant_id);
    TimedEvent {
        tenant_id: row.tenant_id.clone(),
        entity: "RosterConflict",
        entity_id: row.id.clone(),
        action: "CREATE",
        before: None,
        after,
    }
}

/// Who is told of the conflicts of which roster.
struct Recipients {
    crews: HashMap<String, Crew>,
    staff: RosterPeople,
}

impl Recipients {
    fn read(
        conn: &mut db::Conn,
        people: &dyn People,
        tenants: &[String],
        crews: HashMap<String, Crew>,
    ) -> Result<Self> {
        let staff = RosterPeople::load(conn, people, tenants, crews.values(), [])?;
        Ok(Self { crews, staff })
    }

    /// Does a roster say whom to tell?
    fn are_of(&self, roster: &str) -> bool {
        self.crews.contains_key(roster)
    }

    /// Does any roster say whom to tell?
    fn are_any(&self) -> bool {
        !self.crews.is_empty()
    }

    /// Tenant and id of each that is in use, of all rosters.
    fn of_all(&self, now: Timestamp) -> BTreeSet<(String, String)> {
        self.crews.keys().flat_map(|roster| self.of(roster, now)).collect()
    }

    /// Tenant and id of each that is in use.
    fn of(&self, roster: &str, now: Timestamp) -> Vec<(String, String)> {
        let ids = self.crews.get(roster).map(|crew| self.staff.on_call(crew, now)).unwrap_or_default();
        let people = ids.into_iter().filter_map(|id| self.staff.user(id));
        people.map(|person| (person.tenant_id.clone(), person.id.clone())).collect()
    }
}
