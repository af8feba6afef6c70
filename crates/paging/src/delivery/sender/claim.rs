//! What is taken in hand: pages that are due, each with where it goes; and, where one contact method would get too many
//! messages in a minute, one message for all that are left.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use base::{
    secret::Secret,
    timestamp::{MINUTE_MS, Timestamp},
};
use db::{Conn, Error, Json, Result};
use ports::{Outgoing, Recipient, SendError};

use super::{line::Permit, render, retry::is_once, trace::PageTrace};
use crate::{
    Neighbours,
    configuration::{
        methods::{rules::CODE_MS, store as methods},
        notification::rules::URGENCIES,
    },
    delivery::pages::{
        facts::{Facts, Summary, rank},
        queue::{self, ClaimedPage, DuePage, LeadPages},
        store::{self, Row},
    },
    times,
};

/// How long somebody has a page in hand: longer than any call takes.
const LEASE_MS: i64 = 75_000;
/// How long a look takes pages in hand: on SQLite others wait for the writer, on Postgres other gateways for their
/// turn.
const TIME: Duration = Duration::from_millis(20);
/// How many pages are put together in one message.
const TOGETHER: i64 = 2_000;
/// How many subjects such a message names.
const NAMED: usize = 5;

/// A page in hand.
pub struct Job {
    pub page: ClaimedPage,
    /// The right to make the call, until this is dropped.
    pub permit: Permit,
    /// What is sent; or why nothing is.
    pub ready: std::result::Result<Ready, SendError>,
    /// The trace that it belongs to.
    pub trace: PageTrace,
    /// The pages that go out in it.
    pub carries: Vec<ClaimedPage>,
}

/// What is sent.
pub struct Ready {
    /// With its recipient.
    pub outgoing: Outgoing,
    /// The template that makes its body, and what it is filled in with.
    pub template: Option<(String, serde_json::Value)>,
}

/// What was taken in hand of a tenant.
#[derive(Default)]
pub struct ClaimedPages {
    pub jobs: Vec<Job>,
    /// The contact methods of pages that this gateway cannot read.
    pub unreadable: Vec<String>,
}

/// A tenant, and how its turn went.
pub type TenantTurn = (String, Result<ClaimedPages>);

/// Takes pages in hand that are due still, tenant after tenant, each in a part of the transaction; some are left when
/// that takes long.
pub fn claim_pages(
    conn: &mut Conn,
    neighbours: &Neighbours,
    owner: &str,
    now: Timestamp,
    pages: Vec<(DuePage, Permit)>,
) -> Result<Vec<TenantTurn>> {
    let begun = Instant::now();
    let mut tenants: Vec<(String, Vec<(DuePage, Permit)>)> = Vec::new();
    for (page, permit) in pages {
        match tenants.iter_mut().find(|(tenant, _)| *tenant == page.tenant_id) {
            Some((_, of_tenant)) => of_tenant.push((page, permit)),
            None => tenants.push((page.tenant_id.clone(), vec![(page, permit)])),
        }
    }
    let mut taken = Vec::with_capacity(tenants.len());
    for (tenant, pages) in tenants {
        if begun.elapsed() > TIME {
            break;
        }
        let jobs = db::savepoint(conn, |conn| {
            let permits = permits_of_locked(conn, pages)?;
            if permits.is_empty() {
                return Ok(None);
            }
            of_tenant(conn, neighbours, owner, now, &tenant, permits).map(Some)
        });
        if let Some(jobs) = jobs.transpose() {
            taken.push((tenant, jobs));
        }
    }
    Ok(taken)
}

/// The permits of pages, by their ids, to contact methods that this transaction has for itself; the others are left to
/// the gateway that came first.
fn permits_of_locked(conn: &mut Conn, pages: Vec<(DuePage, Permit)>) -> Result<BTreeMap<String, Permit>> {
    let methods: BTreeSet<String> = pages.iter().map(|(page, _)| page.method_id.clone()).collect();
    let methods: Vec<String> = methods.into_iter().collect();
    let locked = queue::try_lock_methods(conn, &methods)?;
    let locked: BTreeSet<String> = methods.into_iter().zip(locked).filter_map(|(id, got)| got.then_some(id)).collect();
    let ours = pages.into_iter().filter(|(page, _)| locked.contains(&page.method_id));
    Ok(ours.map(|(page, permit)| (page.id, permit)).collect())
}

/// Takes pages of a tenant in hand whose contact methods are locked.
fn of_tenant(
    conn: &mut Conn,
    neighbours: &Neighbours,
    owner: &str,
    now: Timestamp,
    tenant: &str,
    mut permits: BTreeMap<String, Permit>,
) -> Result<ClaimedPages> {
    if !neighbours.people.is_active(conn, tenant)? {
        queue::hold(conn, tenant, now.millis(), now.millis() + times::HELD_MS)?;
        return Ok(ClaimedPages::default());
    }
    let ids: Vec<&str> = permits.keys().map(String::as_str).collect();
    let mut lanes: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for mut row in queue::still_due(conn, tenant, &ids, now.millis())? {
        // What it told of others when it was tried before is not so any more: they are due, too.
        row.message.summary = None;
        lanes.entry(row.method_id.clone()).or_default().push(row);
    }
    let mut taken = ClaimedPages::default();
    for (method, rows) in lanes {
        for OutgoingPage { row, carries } in within_limit(conn, neighbours, &method, rows, now)? {
            let Some(permit) = permits.remove(&row.id) else { continue };
            let ready = match ready(conn, neighbours, &row, now) {
                Err(error @ Error::Unavailable(_)) => return Err(error),
                // Another gateway may have the key. It stops no other page meanwhile.
                Err(error) => {
                    tracing::error!(%error, tenant, page = row.id, "a page that cannot be read");
                    taken.unreadable.push(row.method_id);
                    continue;
                }
                Ok(ready) => ready.map_err(|why| SendError { for_good: true, ..SendError::new(why) }),
            };
            let lease_ms = now.millis() + LEASE_MS;
            queue::take(conn, &row, owner, now.millis(), lease_ms)?;
            let page = ClaimedPage::from(&row);
            LeadPages { pages: &carries, lead: &page, owner }.take(conn, lease_ms)?;
            taken.jobs.push(Job { page, permit, ready, trace: PageTrace::of(&row), carries });
        }
    }
    Ok(taken)
}

/// A page that is sent, and those that go out in it.
struct OutgoingPage {
    row: Row,
    carries: Vec<ClaimedPage>,
}

impl From<Row> for OutgoingPage {
    fn from(row: Row) -> Self {
        Self { row, carries: Vec::new() }
    }
}

/// The pages of a contact method that may be sent now. When there are more than a person gets in a minute, the last
/// message that they get stands for all the others; when they got all of theirs already, everything waits.
fn within_limit(
    conn: &mut Conn,
    neighbours: &Neighbours,
    method: &str,
    rows: Vec<Row>,
    now: Timestamp,
) -> Result<Vec<OutgoingPage>> {
    // What somebody had in hand and did not bring to an end may have arrived: it goes out again, and counts.
    let (mut new, go): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.kind == "page" && row.is_new());
    let mut go: Vec<OutgoingPage> = go.into_iter().map(OutgoingPage::from).collect();
    let limit = neighbours.page_limit;
    if new.is_empty() || limit == 0 || new.iter().all(|row| row.channel == "INTEGRATION") {
        go.extend(new.into_iter().map(OutgoingPage::from));
        return Ok(go);
    }
    let called = queue::called_since(conn, method, now.millis() - MINUTE_MS, now.millis())?;
    let free = usize::try_from(limit - called).unwrap_or(0).saturating_sub(go.len());
    if new.len() <= free {
        go.extend(new.into_iter().map(OutgoingPage::from));
        return Ok(go);
    }
    if free == 0 {
        queue::put_off(conn, method, now.millis(), now.millis() + MINUTE_MS / limit.max(1))?;
        return Ok(go);
    }
    // Those of one urgency stay in their order.
    new.sort_by_key(|row| !is_urgent(row));
    let rest = new.split_off(free - 1);
    let alone: BTreeSet<String> = new.iter().map(|row| row.id.clone()).collect();
    go.extend(new.into_iter().map(OutgoingPage::from));
    if let Some(lead) = rest.into_iter().next() {
        go.push(together(conn, neighbours, lead, &alone, now)?);
    }
    Ok(go)
}

fn is_urgent(row: &Row) -> bool {
    row.urgency == URGENCIES[0]
}

/// Puts all that waits for the contact method of a page into that page, without those that are sent by themselves and
/// those of tenants that are suspended. They are told when it arrives; it may be stopped or fail before.
fn together(
    conn: &mut Conn,
    neighbours: &Neighbours,
    lead: Row,
    alone: &BTreeSet<String>,
    now: Timestamp,
) -> Result<OutgoingPage> {
    let mut others = queue::waiting(conn, &lead.method_id, now.millis(), TOGETHER)?;
    others.retain(|row| row.is_new() && row.id != lead.id && !alone.contains(&row.id));
    let mut active = BTreeMap::from([(lead.tenant_id.clone(), true)]);
    for row in &others {
        if !active.contains_key(&row.tenant_id) {
            active.insert(row.tenant_id.clone(), neighbours.people.is_active(conn, &row.tenant_id)?);
        }
    }
    others.retain(|row| active.get(&row.tenant_id) == Some(&true));
    others.iter_mut().for_each(|row| row.message.summary = None);
    if others.is_empty() {
        return Ok(lead.into());
    }
    // So that those are named that matter most.
    others.sort_by_key(|row| !is_urgent(row));
    let most_urgent = others.iter().find(|row| is_urgent(row)).unwrap_or(&lead);
    let told: Vec<&Facts> = std::iter::once(&lead).chain(&others).map(|row| &*row.message).collect();
    let worst = told.iter().max_by_key(|facts| rank(&facts.severity)).map(|facts| facts.severity.clone());
    let machines: BTreeSet<&str> =
        told.iter().map(|facts| facts.machine.as_str()).filter(|name| !name.is_empty()).collect();
    let mut subjects: Vec<String> = told.iter().map(|facts| facts.title()).take(NAMED).collect();
    if told.len() > NAMED {
        subjects.push(format!("and {} more", told.len() - NAMED));
    }
    let summary = Summary {
        count: i64::try_from(told.len()).unwrap_or(i64::MAX),
        worst: worst.unwrap_or_default(),
        machines: i64::try_from(machines.len()).unwrap_or(i64::MAX),
        subjects,
        urgency: most_urgent.urgency.clone(),
    };
    let message = Json(Facts { summary: Some(summary), ..lead.message.0.clone() });
    Ok(OutgoingPage { row: Row { message, ..lead }, carries: others.iter().map(ClaimedPage::from).collect() })
}

/// What is sent for a page; or why nothing is.
fn ready(
    conn: &mut Conn,
    neighbours: &Neighbours,
    row: &Row,
    now: Timestamp,
) -> Result<std::result::Result<Ready, String>> {
    if is_once(&row.kind) && now.millis() > row.created_ms + CODE_MS {
        return Ok(Err("so many were asked for that this one comes too late".to_owned()));
    }
    let message = render::Message::of(neighbours, row)?;
    if row.channel == "INTEGRATION" {
        let tenants = std::slice::from_ref(&row.method_tenant);
        let installed = neighbours.integrations.installed(conn, tenants, &row.method_id)?;
        if !installed.is_some_and(|installed| installed.is_called) {
            return Ok(Err("the integration is not there, is disabled, or has no notifier".to_owned()));
        }
        let to = Recipient::Integration { tenant_id: row.method_tenant.clone(), id: row.method_id.clone() };
        let outgoing = Outgoing { id: row.id.clone(), to, body: message.json() };
        return Ok(Ok(Ready { outgoing, template: None }));
    }
    let Some(method) = methods::find(conn, &row.method_tenant, &row.method_id)? else {
        return Ok(Err("the contact method is not there any more".to_owned()));
    };
    if !method.verified && ["page", store::SHIFT, store::MESSAGE].contains(&row.kind.as_str()) {
        return Ok(Err("the contact method is not verified any more".to_owned()));
    }
    let tenants = [method.tenant_id.clone()];
    let people = neighbours.people.users(conn, &tenants, std::slice::from_ref(&method.user_id))?;
    if !people.iter().any(|person| person.activated) {
        return Ok(Err("the person is not in use any more".to_owned()));
    }
    let destination = method.open(&*neighbours.seals)?;
    // A code and a test are told by it too: that is how its owner sees what comes of it.
    let template = destination.get("template").cloned().map(|text| (text, message.value()));
    let destination = destination.into_iter().map(|(name, text)| (name, Secret::new(text))).collect();
    Ok(super::presets::outgoing(&method, &destination, &message).map(|outgoing| Ready { outgoing, template }))
}
