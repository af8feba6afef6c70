//! A write: one transaction, with what it changed, and its answer for a client that asks again.

use std::{
    collections::HashSet,
    future::Future,
    sync::{Arc, Mutex},
};

use actix_web::{HttpMessage as _, HttpResponse, http::header, rt};
use base::{body::ignored, problem::Problem, secret::Secret};
use outbox::{
    Actor, Tx,
    idempotency::{self, Stored},
};
use serde::Serialize;

use crate::{
    RequestContext, RequestScope, Result, answer,
    body::{BodyDigest, idempotency_key},
    inbound, request_id,
};

/// Says that an answer was given before.
const REPLAYED: &str = "idempotency-replayed";

/// The answer of a write, or of a point read: 200 with a JSON body, which is made where the rows are, so that it can be
/// given again.
#[derive(Clone, Debug)]
pub struct Answer {
    stored: Stored,
    /// What is answered in place of the stored body, this one time.
    once: Option<Secret<String>>,
    /// Fields of the body that meant nothing, where it was read inside the transaction.
    ignored: Vec<String>,
}

impl Answer {
    /// A JSON body.
    pub fn ok<T: Serialize>(value: &T) -> db::Result<Self> {
        Ok(Self::stored(None, encode(value)?))
    }

    /// A JSON body that is told this one time, with a secret in it; asked for again, and kept, is the one without.
    pub fn once<T: Serialize, U: Serialize>(with_secret: &T, without: &U) -> db::Result<Self> {
        Ok(Self { once: Some(Secret::new(encode(with_secret)?)), ..Self::ok(without)? })
    }

    /// This answer, with a version as `ETag`.
    pub fn of_version(mut self, version: i64) -> Self {
        self.stored.etag = Some(version);
        self
    }

    fn stored(etag: Option<i64>, body: String) -> Self {
        Self::again(Stored { etag, body })
    }

    /// What was answered before.
    fn again(stored: Stored) -> Self {
        Self { stored, once: None, ignored: Vec::new() }
    }

    /// One entity, with its version as `ETag`.
    pub fn entity<T: Serialize>(value: &T, version: i64) -> db::Result<Self> {
        Ok(Self::stored(Some(version), encode(value)?))
    }

    /// An empty object: what a delete answers.
    pub fn empty() -> Self {
        Self::stored(None, "{}".to_owned())
    }

    /// Several JSON values, each on a line of its own; the handler says that type of content.
    pub fn lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> db::Result<Self> {
        let mut body = String::new();
        for value in values {
            body.push_str(&encode(&value)?);
            body.push('\n');
        }
        Ok(Self::stored(None, body))
    }

    /// As what was read.
    pub(crate) fn read(self) -> HttpResponse {
        answer::json(self.stored.etag).body(self.stored.body)
    }

    fn respond(self, replayed: bool) -> HttpResponse {
        ignored::report(self.ignored);
        let mut response = answer::json(self.stored.etag);
        if replayed {
            response.insert_header((REPLAYED, "true"));
        }
        match self.once {
            Some(body) => response.insert_header((header::CACHE_CONTROL, "no-store")).body(body.into_inner()),
            None => response.body(self.stored.body),
        }
    }
}

fn encode<T: Serialize>(value: &T) -> db::Result<String> {
    serde_json::to_string(value).map_err(|error| db::Error::Fault(format!("encoding an answer: {error}")))
}

impl<Q> RequestContext<Q> {
    /// On whose behalf this request writes.
    pub fn actor(&self) -> Actor {
        Actor {
            user_id: self.caller.user_id.clone(),
            key_id: self.caller.key_id.clone(),
            request_id: request_id::current(),
            change_set: self.change_set(false),
        }
    }

    /// As [`RequestContext::actor`], of a request that is carried out in several transactions: they are one change set.
    pub fn actor_of_parts(&self) -> Actor {
        Actor { change_set: self.change_set(true), ..self.actor() }
    }

    /// Runs `f` in a transaction, with who asks and for which tenant, and answers what it answers, once that is
    /// durable. What `f` notes ([`Tx::note`]) commits with it: audit rows and events.
    ///
    /// A POST with an `Idempotency-Key` is carried out once: the same request again gets the first answer, another
    /// request under that key a 422, one that comes while the first is under way a 409. A request that failed left
    /// nothing behind, and may be sent again under its key.
    pub async fn write<F>(&self, f: F) -> Result<HttpResponse>
    where
        F: FnOnce(&mut Tx<'_>, &RequestScope) -> db::Result<Answer> + Send + 'static,
    {
        self.write_as(false, f).await
    }

    /// As [`RequestContext::write`], for a write of many parts ([`Tx::attempt`]).
    pub async fn write_parts<F>(&self, f: F) -> Result<HttpResponse>
    where
        F: FnOnce(&mut Tx<'_>, &RequestScope) -> db::Result<Answer> + Send + 'static,
    {
        self.write_as(true, f).await
    }

    async fn write_as<F>(&self, parts: bool, f: F) -> Result<HttpResponse>
    where
        F: FnOnce(&mut Tx<'_>, &RequestScope) -> db::Result<Answer> + Send + 'static,
    {
        let request = self.idempotency_request()?;
        let keyed_request = request.as_ref().map(KeyedRequest::enter).transpose()?;
        let actor = self.actor();
        let scope = self.request_scope();
        let named = request.clone();
        let now = scope.now;
        let work = move |conn: &mut db::Conn| {
            if let Some(request) = &named
                && let Some(stored) = idempotency::find(conn, request, now)?
            {
                return Ok((Answer::again(stored), true));
            }
            // What is collected where requests are answered is not collected on this thread.
            let (answer, ignored) = ignored::collect(|| Tx::run(conn, &actor, now, |tx| f(tx, &scope)));
            let answer = Answer { ignored, ..answer? };
            if let Some(request) = &named {
                idempotency::insert(conn, request, &answer.stored, now)?;
            }
            Ok((answer, false))
        };
        let home = self.caller.home.as_str();
        let done = if parts { self.db.write_parts_for(home, work).await } else { self.db.write_for(home, work).await };
        let (answer, replayed) = match (done, request) {
            // Another gateway may have carried out the same request meanwhile: then its answer is the answer.
            (Err(db::Error::Taken(taken)), Some(request)) => {
                let stored = self.db.read(move |conn| idempotency::find(conn, &request, now)).await?;
                (Answer::again(stored.ok_or(db::Error::Taken(taken))?), true)
            }
            (done, _) => done?,
        };
        drop(keyed_request);
        Ok(answer.respond(replayed))
    }

    /// Takes steps, each a transaction of its own, until one says that there is nothing left to do: for what a write
    /// then ends, where others would wait for long if that did it all. A caller who goes away may end it between two.
    pub async fn in_steps<F>(&self, step: F) -> Result<()>
    where
        F: Fn(&mut db::Conn, &RequestScope) -> db::Result<bool> + Send + Sync + 'static,
    {
        let scope = Arc::new(self.request_scope());
        let step = Arc::new(step);
        loop {
            let scope = Arc::clone(&scope);
            let step = Arc::clone(&step);
            if !self.db.write_for(self.caller.home.as_str(), move |conn| step(conn, &scope)).await? {
                return Ok(());
            }
        }
    }

    /// Does what no transaction undoes, such as a call to somebody else, and answers what that answers.
    ///
    /// With an `Idempotency-Key` it is done at most once: that it is under way is durable before it is, and the answer
    /// is kept afterwards, also when the caller went away meanwhile. What fails has done nothing, and may be sent
    /// again. When the process stops in between, nobody knows whether it was done, and the same request is told so
    /// (409).
    pub async fn carry_out<W>(&self, work: W) -> Result<HttpResponse>
    where
        W: Future<Output = Result<Answer>> + 'static,
    {
        let Some(request) = self.idempotency_request()? else { return Ok(work.await?.respond(false)) };
        let keyed_request = KeyedRequest::enter(&request)?;
        let db = self.db.clone();
        let now = self.now;
        let named = request.clone();
        let home = self.caller.home.clone();
        let task = async move {
            let _keyed_request = keyed_request;
            if let Some(stored) = db.write_for(home.as_str(), move |conn| idempotency::begin(conn, &named, now)).await?
            {
                return Ok((Answer::again(stored), true));
            }
            match work.await {
                Ok(answer) => {
                    let stored = answer.stored.clone();
                    db.write_for(home.as_str(), move |conn| idempotency::finish(conn, &request, &stored)).await?;
                    Ok((answer, false))
                }
                Err(error) => {
                    db.write_for(home.as_str(), move |conn| idempotency::abandon(conn, &request)).await?;
                    Err(error)
                }
            }
        };
        // A handler may be dropped when its caller goes away (over HTTP/1.1 it goes on all the same), a task is not.
        let task = traces::scope(traces::current(), request_id::scope(request_id::current(), task));
        let done = rt::spawn(db::on_same_behalf(task)).await;
        let (answer, replayed) = done.map_err(|error| db::Error::Fault(format!("a task: {error}")))??;
        Ok(answer.respond(replayed))
    }

    fn idempotency_request(&self) -> Result<Option<idempotency::Request>> {
        let request = self.request();
        let Some(key) = idempotency_key(request)? else { return Ok(None) };
        let extensions = request.extensions();
        let digest = extensions.get::<BodyDigest>().map(|digest| digest.0.as_slice()).unwrap_or_default();
        let target = request.uri().path_and_query().map_or("", |target| target.as_str());
        Ok(Some(idempotency::Request {
            tenant_id: self.tenant.id.to_string(),
            caller: self.caller.key_id.clone(),
            key,
            fingerprint: idempotency::Request::fingerprint(request.method().as_str(), target, digest),
            is_report: inbound::is_address(request.path()),
        }))
    }
}

/// Tenant, caller, key and, of a report, fingerprint.
type Name = (String, String, String, String);

/// The keyed requests that this process is carrying out.
static KEYED_REQUESTS: Mutex<Option<HashSet<Name>>> = Mutex::new(None);

/// A keyed request under way; over when dropped. While it waits for its turn to write it is under way, also when its
/// caller has gone away.
struct KeyedRequest(Name);

impl KeyedRequest {
    fn enter(request: &idempotency::Request) -> Result<Self> {
        // Reports under one key are no retries of each other, unless they are equal.
        let report = if request.is_report { request.fingerprint.clone() } else { String::new() };
        let name = (request.tenant_id.clone(), request.caller.clone(), request.key.clone(), report);
        let mut all = base::lock(&KEYED_REQUESTS);
        if all.get_or_insert_default().insert(name.clone()) {
            return Ok(Self(name));
        }
        let mut problem =
            Problem::conflict("A request with this Idempotency-Key is being carried out; ask again in a moment.");
        problem.retry_after = Some(1);
        Err(problem.into())
    }
}

impl Drop for KeyedRequest {
    fn drop(&mut self) {
        if let Some(all) = base::lock(&KEYED_REQUESTS).as_mut() {
            all.remove(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_one_by_their_key_and_reports_by_what_they_say_too() {
        let enter = |key: &str, fingerprint: &str, is_report: bool| {
            KeyedRequest::enter(&idempotency::Request {
                tenant_id: "client_1".into(),
                caller: if is_report { "inbound" } else { "key" }.into(),
                key: key.into(),
                fingerprint: fingerprint.into(),
                is_report,
            })
        };
        let first = enter("k-1", "a", false);
        assert!(first.is_ok() && enter("k-1", "b", false).is_err());
        drop(first);
        assert!(enter("k-1", "b", false).is_ok(), "the first is over");
        let report = enter("k-1", "down", true);
        assert!(report.is_ok() && enter("k-1", "down", true).is_err(), "sent again at once");
        assert!(enter("k-1", "up", true).is_ok(), "another report under a fixed key");
        assert!(enter("k-2", "down", true).is_ok(), "an equal report under a key of its own");
    }
}
