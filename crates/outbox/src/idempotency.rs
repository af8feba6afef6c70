//! Safe retries: a request that names a key is carried out once, and answered the same for 24 hours.

use base::{
    hex,
    problem::{Kind, Problem},
    timestamp::Timestamp,
};
use db::{Conn, Error, Result};
use diesel::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::{
    retention::{Keep, Retention},
    schema::idempotency,
};

/// How long an answer is kept.
pub const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// How long a report of a monitor counts as sent again: what it says word for word after that is another report. A lost
/// answer is asked for again within seconds; an alert may be closed by then, and what is down once more wakes somebody.
const RETRIED_MS: i64 = 60 * 1000;

/// Answers that are given no more. A caller has no blank in its name.
pub(crate) const RETENTION: Retention = Retention {
    kind: "idempotency",
    keep: Keep::Millis(KEPT_MS),
    most: None,
    table: "idempotency",
    id: "caller || ' ' || idempotency_key",
    since: "created_ms",
    only: "1 = 1",
    remove: Some(|conn, tenant, ids, _| {
        for (caller, key) in ids.iter().filter_map(|id| id.split_once(' ')) {
            diesel::delete(idempotency::table.find((tenant, caller, key))).execute(conn)?;
        }
        Ok(ids.len())
    }),
};

/// The body of a record whose request is under way. It is not JSON, so no stored answer equals it.
const BEGUN: &str = "begun";

/// A request that names a key.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tenant of the path.
    pub tenant_id: String,
    /// The API key: two callers may choose the same idempotency key.
    pub caller: String,
    /// `Idempotency-Key`.
    pub key: String,
    /// Method, path, query and body, hashed.
    pub fingerprint: String,
    /// Is it the report of a monitor? Many send one fixed key with all they say: only what comes again right after it
    /// was said is a retry, and anything else under the key takes its place.
    pub is_report: bool,
}

impl Request {
    /// Is what was answered at this time, to a request of this fingerprint, of no concern to the request?
    fn is_over(&self, fingerprint: &str, created_ms: i64, now: Timestamp) -> bool {
        let kept_ms = if self.is_report { RETRIED_MS } else { KEPT_MS };
        created_ms < now.millis() - kept_ms || self.is_report && fingerprint != self.fingerprint
    }

    /// The fingerprint of a request.
    pub fn fingerprint(method: &str, path_and_query: &str, body: &[u8]) -> String {
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), path_and_query.as_bytes(), body] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

/// A stored answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The entity's version, where the answer carries one.
    pub etag: Option<i64>,
    /// The JSON body.
    pub body: String,
}

/// The answer that was given to this request before; 422 when the key was used for another request, 409 when this one
/// was [begun](begin) and has none.
pub fn find(conn: &mut Conn, request: &Request, now: Timestamp) -> Result<Option<Stored>> {
    use idempotency::dsl;
    let found: Option<(String, Option<i64>, String, i64)> = dsl::idempotency
        .find((&request.tenant_id, &request.caller, &request.key))
        .select((dsl::fingerprint, dsl::etag, dsl::body, dsl::created_ms))
        .get_result(conn)
        .optional()?;
    match found {
        Some((fingerprint, _, _, created)) if request.is_over(&fingerprint, created, now) => {
            diesel::delete(dsl::idempotency.find((&request.tenant_id, &request.caller, &request.key))).execute(conn)?;
            Ok(None)
        }
        Some((fingerprint, _, body, _)) if fingerprint == request.fingerprint && body == BEGUN => {
            Err(Error::Problem(unanswered()))
        }
        Some((fingerprint, etag, body, _)) if fingerprint == request.fingerprint => Ok(Some(Stored { etag, body })),
        Some(_) => Err(Error::Problem(Problem::new(
            Kind::KeyReused,
            "This Idempotency-Key was used for another request; a new request needs a new key.",
        ))),
        None => Ok(None),
    }
}

/// Stores the answer, in the transaction of what it answers. Of two reports under one key at once, one is stored.
pub fn insert(conn: &mut Conn, request: &Request, answer: &Stored, now: Timestamp) -> Result<()> {
    use idempotency::dsl;
    let row = (
        dsl::tenant_id.eq(&request.tenant_id),
        dsl::caller.eq(&request.caller),
        dsl::idempotency_key.eq(&request.key),
        dsl::fingerprint.eq(&request.fingerprint),
        dsl::etag.eq(answer.etag),
        dsl::body.eq(&answer.body),
        dsl::created_ms.eq(now.millis()),
    );
    let insert = diesel::insert_into(idempotency::table).values(row);
    if request.is_report {
        let insert = insert.on_conflict_do_nothing();
        db::direct!(conn, |conn| insert.execute(conn))?;
    } else {
        insert.execute(conn)?;
    }
    Ok(())
}

/// Says, before a request does what no transaction undoes, that it is under way; or answers what [`find`] does. From
/// now on it is not carried out again, unless it is [abandoned](abandon).
pub fn begin(conn: &mut Conn, request: &Request, now: Timestamp) -> Result<Option<Stored>> {
    if let Some(stored) = find(conn, request, now)? {
        return Ok(Some(stored));
    }
    match insert(conn, request, &Stored { etag: None, body: BEGUN.to_owned() }, now) {
        Err(Error::Taken(_)) => Err(Error::Problem(unanswered())),
        done => done.map(|()| None),
    }
}

/// Stores the answer of a request that was begun.
pub fn finish(conn: &mut Conn, request: &Request, answer: &Stored) -> Result<()> {
    use idempotency::dsl;
    let stored = dsl::idempotency.find((&request.tenant_id, &request.caller, &request.key));
    let answered = (dsl::etag.eq(answer.etag), dsl::body.eq(&answer.body));
    diesel::update(stored.filter(dsl::body.eq(BEGUN))).set(answered).execute(conn)?;
    Ok(())
}

/// Forgets a request that was begun and then did nothing.
pub fn abandon(conn: &mut Conn, request: &Request) -> Result<()> {
    use idempotency::dsl;
    let begun = dsl::idempotency.find((&request.tenant_id, &request.caller, &request.key)).filter(dsl::body.eq(BEGUN));
    diesel::delete(begun).execute(conn)?;
    Ok(())
}

/// Another gateway may be at it, or one that stopped was: who cannot tell does not do it twice.
fn unanswered() -> Problem {
    Problem::conflict(
        "A request with this Idempotency-Key was begun and has no answer: it is under way, or the service stopped \
         while it \
         was. It may have been carried out, and is not carried out again; to do so takes a new key.",
    )
}
