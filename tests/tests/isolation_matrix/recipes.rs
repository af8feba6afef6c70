//! How each operation is called: the one table of the matrix, with a file for each domain.
//!
//! An operation that is not here fails the suite, unless it is an alias: that is called like the operation that it
//! stands for. To add it, write a row: `op("METHOD /path/below/the/tenant")`, then
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
//! - `.changes()`: when it is a `GET` that changes something all the same;
//! - `.answers_keys(status)`: when a key that may call it is told something else than 200, as where it has no session;
//! - `.not_restricted()`: when a key that is restricted to it is refused all the same;
//! - `.of_claimer()`: when only the key that claimed a run may call it, and another that may otherwise is told so
//!   (409);
//! - `.of_oneself()`: when only the user that it is about and admins may call it, and another is told so (403);
//! - `.of_others(role)`: when it takes this role where it is about somebody else, and another is told so (403);
//! - `.of_seen()`: when it may be called on what is seen of a partner, though it is not a `GET`.
//!
//! A new kind of entity is a line in `entities.rs`.

use super::{
    document::{Operation, ROLES},
    entities::Kind,
};

mod access;
mod changes;
mod incidents;
mod integrations;
mod inventory;
mod jobs;
mod kb;
mod maintenance;
mod paging;
mod rosters;

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
    /// Is it a `GET` that changes something?
    pub(super) changes: bool,
    /// Is it for the key alone that claimed the run?
    pub(super) of_claimer: bool,
    /// Is it for the user that it is about, and for admins?
    pub(super) of_oneself: bool,
    /// The role that it takes where it is about somebody else.
    pub(super) of_others: Option<&'static str>,
    /// What a key is answered that may call it.
    pub(super) to_keys: u16,
    /// Is a key that is restricted to it refused all the same?
    pub(super) not_narrowed: bool,
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
        changes: false,
        of_claimer: false,
        of_oneself: false,
        of_others: None,
        to_keys: 200,
        not_narrowed: false,
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

    const fn changes(self) -> Self {
        Self { changes: true, ..self }
    }

    const fn of_claimer(self) -> Self {
        Self { of_claimer: true, ..self }
    }

    const fn answers_keys(self, status: u16) -> Self {
        Self { to_keys: status, ..self }
    }

    const fn not_narrowed(self) -> Self {
        Self { not_narrowed: true, ..self }
    }

    /// What another key of the tenant is answered that may call it.
    pub(super) const fn allowed(&self) -> u16 {
        if self.of_claimer { 409 } else { self.to_keys }
    }

    const fn of_oneself(self) -> Self {
        Self { of_oneself: true, ..self }
    }

    const fn of_others(self, role: &'static str) -> Self {
        Self { of_others: Some(role), ..self }
    }

    /// The place among the roles of the weakest one that may call it on anybody.
    pub(super) fn weakest(&self, operation: &Operation) -> usize {
        let needed = if self.of_oneself { ROLES.last().copied() } else { self.of_others };
        let needed = needed.and_then(|needed| ROLES.iter().position(|role| *role == needed));
        needed.unwrap_or_else(|| operation.weaker_roles().count())
    }

    const fn of_seen(self) -> Self {
        Self { of_seen: true, ..self }
    }
}

/// The operations that anybody may call.
pub(super) const PUBLIC: &[&str] = &[
    "POST /auth/oauth/token",
    "POST /tenancy/auth/oauth/token",
    // Pages, and what their forms send; people/sessions.rs and people/origins.rs say to whom.
    "GET /",
    "GET /auth/sign-in",
    "POST /auth/session",
    // people/links.rs says who gets a link.
    "POST /auth/signInLink",
    "POST /auth/sign-out",
    // The issuer says who comes back; people/oidc.rs says to whom.
    "GET /auth/oidc/start",
    "GET /auth/oidc/callback",
    // The token of an inbound address opens these; alerts/inbound.rs and alerts/opsgenie.rs say to whom.
    "POST /api/v2/inbound/{token}",
    "POST /api/v2/inbound/{token}/{format}",
    "GET /api/v2/heartbeats/{token}",
    "POST /api/v2/heartbeats/{token}",
    // The token of a link opens these; paging/answers.rs and paging/answer_sessions.rs say to whom.
    "GET /api/v2/answers",
    "POST /api/v2/answers",
    "POST /api/v2/answers/session",
    "POST /v2/enqueue",
    "POST /v2/alerts",
    "POST /v2/alerts/{alias}/acknowledge",
    "POST /v2/alerts/{alias}/close",
    "POST /v2/change/enqueue",
    "POST /generic/2010-04-15/create_event.json",
    "GET /v2/alerts",
    "GET /v2/alerts/count",
    "GET /v2/alerts/requests/{requestId}",
    "GET /v2/alerts/{alias}",
    "GET /v2/alerts/{alias}/{part}",
    "DELETE /v2/alerts/{alias}",
    "DELETE /v2/alerts/{alias}/{part}",
    "POST /v2/alerts/{alias}/{part}",
    "POST /v2/alerts/{alias}/actions/{action}",
    "PUT /v2/alerts/{alias}/{part}",
    // The token of the address opens these.
    "GET /rosters/{rosterId}/calendar.ics",
    "GET /rosters/users/{userId}/calendar.ics",
    "GET /scheduleMaintenances/{windowId}/calendar.ics",
];

/// Every operation but the public ones.
pub(super) fn recipes() -> impl Iterator<Item = &'static Recipe> {
    [
        access::RECIPES,
        inventory::RECIPES,
        rosters::RECIPES,
        maintenance::RECIPES,
        incidents::RECIPES,
        kb::RECIPES,
        changes::RECIPES,
        jobs::RECIPES,
        integrations::RECIPES,
        paging::RECIPES,
    ]
    .into_iter()
    .flatten()
}
