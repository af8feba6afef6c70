//! Whose turn it is, and how many calls may be under way for whom.
//!
//! Pages stand in one line, codes and tests in another, so that nobody is woken later because of those. Calls are
//! shared by tenant and host ([`base::calls`]), codes and tests by person too, whatever contact method or URL leads
//! there.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard},
};

use base::{
    calls::{self, Calls},
    share::{Kind, Lease, Parties, Pool},
    timestamp::Timestamp,
    turns::{self, Turns},
};
use db::{Conn, DueRows, Error, Result};

use crate::{
    Neighbours,
    configuration::methods::{store as methods, wire::EMAIL},
    delivery::pages::queue::{self, DuePage},
};

/// How many calls may be under way in all, and for a tenant whatever others have under way; then the same of codes and
/// tests.
const PAGES: usize = 512;
const LEAST: usize = 4;
const CODES: usize = 32;
const LEAST_CODES: usize = 1;
/// How many of those for one person.
const CODES_OF_PERSON: usize = 2;
/// How many tenants one look serves, and what it takes of each at least.
const TENANTS: usize = 64;
const EACH: usize = 8;

/// How long a contact method is left alone whose pages cannot be read.
const UNREADABLE_MS: i64 = 10_000;

/// A host, as a tenant calls it.
pub type Endpoint = (String, String);

/// Where a page goes: the host, and the person.
type Destination = (Endpoint, String);

/// What waits in one line, and what is under way of it.
pub struct Line {
    /// The rows.
    pub rows: DueRows,
    calls: Calls,
    people: Arc<Pool>,
    parties: Parties,
    most_of_person: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    turns: Turns,
    /// Contact methods that lead to where no further call may go now, by tenant.
    full: HashMap<String, BTreeMap<String, Destination>>,
    /// Contact methods whose pages this gateway cannot read, by tenant, and until when they are left alone.
    unreadable: HashMap<String, BTreeMap<String, i64>>,
}

/// The right to make a call.
pub struct Permit {
    /// Where it goes.
    pub endpoint: Endpoint,
    _call: calls::Permit,
    _of_person: Lease,
}

/// Pages that may be sent, each with its permit.
#[derive(Default)]
pub struct PermittedPages {
    /// By tenant, in the order of their turns.
    pub pages: Vec<(DuePage, Permit)>,
    /// There may be more: a contact method was left out that was not known to lead to a full endpoint.
    pub more: bool,
}

impl Line {
    /// Of pages.
    pub fn of_pages() -> Self {
        Self::new(queue::PAGES, Calls::new(PAGES, LEAST), usize::MAX)
    }

    /// Of codes and tests.
    pub fn of_codes() -> Self {
        Self::new(queue::CODES, Calls::new(CODES, LEAST_CODES), CODES_OF_PERSON)
    }

    fn new(rows: DueRows, calls: Calls, most_of_person: usize) -> Self {
        // Of people there is a number for each, and none for all.
        let people = Pool::new(Kind::Calls, usize::MAX >> 8, 1, 0);
        Self { rows, calls, people, parties: Parties::default(), most_of_person, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        base::lock(&self.state)
    }

    /// Finds up to `most` pages that are due and may be sent: tenant after tenant, and of each endpoint after endpoint.
    pub fn find(
        &self,
        conn: &mut Conn,
        neighbours: &Neighbours,
        now: Timestamp,
        most: usize,
    ) -> Result<PermittedPages> {
        let tenants = self.rows.tenants(conn, now.millis())?;
        let mut tenants = {
            let mut state = self.state();
            state.full.retain(|tenant, _| tenants.contains(tenant));
            state.unreadable.retain(|tenant, _| tenants.contains(tenant));
            state.turns.order(tenants, now.millis())
        };
        tenants.truncate(TENANTS);
        let each = (most / tenants.len().max(1)).max(EACH);
        let mut due = Vec::new();
        let mut destinations = HashMap::new();
        for tenant in &tenants {
            match self.due_of(conn, neighbours, tenant, now, each, &mut destinations) {
                Ok(rows) => due.extend(rows),
                Err(error @ Error::Unavailable(_)) => return Err(error),
                Err(error) => self.fail(tenant, &error, now),
            }
        }
        let destination = |row: &DuePage| destinations.get(&(row.tenant_id.clone(), row.method_id.clone())).cloned();
        let due = turns::interleave(due, |row: &DuePage| row.tenant_id.clone(), destination);
        let mut found = PermittedPages::default();
        for row in due {
            if found.pages.len() == most {
                found.more = true;
                break;
            }
            let Some(destination) = destination(&row) else { continue };
            match self.permit(&destination) {
                Some(permit) => found.pages.push((row, permit)),
                None => {
                    let mut state = self.state();
                    let full = state.full.entry(row.tenant_id).or_default();
                    found.more |= full.insert(row.method_id, destination).is_none();
                }
            }
        }
        Ok(found)
    }

    /// The first pages of a tenant that are due, and where they go.
    fn due_of(
        &self,
        conn: &mut Conn,
        neighbours: &Neighbours,
        tenant: &str,
        now: Timestamp,
        most: usize,
        destinations: &mut HashMap<(String, String), Destination>,
    ) -> Result<Vec<DuePage>> {
        let mut without = self.full_methods(tenant);
        without.extend(self.unreadable_methods(tenant, now));
        let rows = queue::due(conn, self.rows, tenant, now.millis(), &without, most)?;
        for row in &rows {
            let method = (tenant.to_owned(), row.method_id.clone());
            if let Entry::Vacant(new) = destinations.entry(method) {
                let host = host(conn, neighbours, row)?;
                new.insert(((tenant.to_owned(), host), row.user_id.clone()));
            }
        }
        Ok(rows)
    }

    /// The contact methods of a tenant that lead to where no further call may go.
    fn full_methods(&self, tenant: &str) -> Vec<String> {
        let mut state = self.state();
        let Some(methods) = state.full.get_mut(tenant) else { return Vec::new() };
        methods.retain(|_, destination| !self.has_room(destination));
        if methods.is_empty() {
            state.full.remove(tenant);
            return Vec::new();
        }
        methods.keys().cloned().collect()
    }

    /// The contact methods of a tenant that are left alone now.
    fn unreadable_methods(&self, tenant: &str, now: Timestamp) -> Vec<String> {
        let mut state = self.state();
        let Some(methods) = state.unreadable.get_mut(tenant) else { return Vec::new() };
        // A clock that was moved back makes it no longer.
        methods.retain(|_, until_ms| (1..=UNREADABLE_MS).contains(&until_ms.saturating_sub(now.millis())));
        methods.keys().cloned().collect()
    }

    /// Leaves contact methods of a tenant alone for a while whose pages cannot be read here.
    pub fn leave_alone(&self, tenant: &str, methods: Vec<String>, now: Timestamp) {
        if !methods.is_empty() {
            let until = methods.into_iter().map(|method| (method, now.millis() + UNREADABLE_MS));
            self.state().unreadable.entry(tenant.to_owned()).or_default().extend(until);
        }
    }

    fn has_room(&self, ((tenant, host), person): &Destination) -> bool {
        self.calls.room(tenant, host) > 0 && self.parties.of_key(tenant, person).held(Kind::Calls) < self.most_of_person
    }

    /// Permits a call, if there is room for it.
    fn permit(&self, destination: &Destination) -> Option<Permit> {
        if !self.has_room(destination) {
            return None;
        }
        let ((tenant, host), person) = destination;
        let of_person = self.people.try_take(&self.parties.of_key(tenant, person), 1).ok()?;
        let call = self.calls.take(tenant, host, 1)?;
        Some(Permit { endpoint: destination.0.clone(), _call: call, _of_person: of_person })
    }

    /// A tenant had its turn.
    pub fn succeed(&self, tenant: &str) {
        self.state().turns.succeed(tenant);
    }

    /// A tenant cannot be served now: it pauses.
    pub fn fail(&self, tenant: &str, error: &Error, now: Timestamp) {
        let pause_ms = self.state().turns.fail(tenant, now.millis());
        tracing::warn!(%error, tenant, pause_ms, "taking the pages of a tenant in hand");
    }

    /// A call has ended, with an answer or without.
    pub fn end(&self, (tenant, host): &Endpoint, answered: bool) {
        self.calls.end(tenant, host, answered);
    }
}

/// The host that a page goes to, or what stands for it.
fn host(conn: &mut Conn, neighbours: &Neighbours, page: &DuePage) -> Result<String> {
    Ok(match page.channel.as_str() {
        "INTEGRATION" => {
            let tenants = std::slice::from_ref(&page.method_tenant);
            let installed = neighbours.integrations.installed(conn, tenants, &page.method_id)?;
            installed.map(|integration| integration.host).unwrap_or_default()
        }
        EMAIL => "mail".to_owned(),
        _ => {
            let method = methods::find(conn, &page.method_tenant, &page.method_id)?;
            method.and_then(|mut method| method.settings.remove("host")).unwrap_or_default()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(tenant: &str, host: &str, person: &str) -> Destination {
        ((tenant.to_owned(), host.to_owned()), person.to_owned())
    }

    #[test]
    fn the_codes_of_a_person_are_few_at_once_wherever_they_go() {
        let line = Line::of_codes();
        let codes: Vec<_> =
            (0..9).filter_map(|host| line.permit(&to("client_1", &format!("{host}.example"), "a"))).collect();
        assert_eq!(codes.len(), CODES_OF_PERSON);
        assert!(line.permit(&to("client_1", "0.example", "b")).is_some());
    }
}
