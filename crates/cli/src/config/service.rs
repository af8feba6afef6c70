//! The operations of the service that files are made of and carried out by.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    panic, thread,
};

use reqwest::{Method, StatusCode, Url, blocking::Response};
use serde_json::{Map, Value};

use crate::{
    call::{self, Request, Session},
    content::Content,
    failure::{Failure, ended_early, parse, read_body},
    operations::{Operation, PAGE_SIZE},
    problem,
};

/// The largest answer that is held in memory, in bytes.
const LARGEST: u64 = 64 << 20;
/// The longest line of an export, in bytes.
const LONGEST_LINE: u64 = 16 << 20;
/// How many requests are under way at once where many objects are read.
const AT_ONCE: usize = 4;

/// Why a request came to nothing.
pub enum Refusal {
    /// The service said no.
    Status(StatusCode, String),
    /// There was no answer, or none that can be read.
    Failure(Failure),
}

/// What the service answered.
pub struct Answer {
    pub value: Value,
    /// The version of the object, for `If-Match`.
    pub version: Option<String>,
}

/// The service, as one tenant.
pub struct Service<'d> {
    session: Session,
    root: Url,
    tenant: String,
    operations: &'d [Operation<'d>],
    change_set: Option<String>,
}

impl Refusal {
    pub fn text(self) -> String {
        match self {
            Self::Status(_, text) => text,
            Self::Failure(Failure::Usage(errors)) => errors.join("; "),
            Self::Failure(Failure::Refused(text) | Failure::Unreachable(text)) => text,
            Self::Failure(Failure::Output(error)) => error.to_string(),
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl<'d> Service<'d> {
    pub const fn new(session: Session, root: Url, tenant: String, operations: &'d [Operation<'d>]) -> Self {
        Self { session, root, tenant, operations, change_set: None }
    }

    /// The tenant that is asked for.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Every write from now on belongs to a change set of this name.
    pub fn set_change_set(&mut self, name: &str) {
        self.change_set = Some(name.to_owned());
    }

    /// Has the service an operation?
    pub fn has(&self, id: &str) -> bool {
        self.operation(id).is_ok()
    }

    /// Does an operation take the version that the caller has seen?
    pub fn takes_version(&self, id: &str) -> bool {
        self.operation(id).is_ok_and(|operation| operation.parameter("If-Match").is_some())
    }

    /// Calls an operation. `ids` fill its path behind the tenant.
    ///
    /// # Errors
    /// What the service refused, or why there is no answer.
    pub fn call(
        &mut self,
        id: &str,
        ids: &[&str],
        body: Option<&Map<String, Value>>,
        version: Option<&str>,
    ) -> Result<Answer, Refusal> {
        let operation = self.operation(id)?;
        let mut request = self.request(operation, ids, &[])?;
        if operation.method != "GET" {
            let key = uuid::Uuid::new_v4().to_string();
            let takes_key = operation.parameter("Idempotency-Key").is_some();
            request.headers.extend(takes_key.then(|| ("Idempotency-Key".to_owned(), key)));
            request.repeatable = takes_key || operation.method == "DELETE";
            request.headers.extend(self.change_set.iter().map(|name| ("X-Change-Set".to_owned(), name.clone())));
        }
        request.headers.extend(version.map(|version| ("If-Match".to_owned(), version.to_owned())));
        if let Some(body) = body {
            request.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
            let bytes = serde_json::to_vec(body).map_err(|error| Failure::Refused(error.to_string()))?;
            request.content = Content::Bytes(bytes);
        }
        let answer = self.send(&mut request)?;
        let version = answer.headers().get("ETag").and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
        let body = read_body(answer, LARGEST)?;
        // A deletion is answered by nothing.
        let value = if body.is_empty() { Value::Null } else { parse(&body)? };
        Ok(Answer { value, version })
    }

    /// What an operation answers that writes nothing. `ids` fill its path behind the tenant.
    pub fn read(&mut self, id: &str, ids: &[&str], query: &[(&str, &str)]) -> Result<Value, Refusal> {
        let mut request = self.request(self.operation(id)?, ids, query)?;
        Ok(parse(&read_body(self.send(&mut request)?, LARGEST)?)?)
    }

    /// All rows of a list: of each page, or of an array.
    pub fn rows(&mut self, id: &str, ids: &[&str], query: &[(&str, &str)]) -> Result<Vec<Value>, Refusal> {
        let operation = self.operation(id)?;
        let mut request = self.request(operation, ids, query)?;
        if let Some(most) = operation.largest_page() {
            request.url.query_pairs_mut().append_pair(PAGE_SIZE, &most.to_string());
        }
        let mut rows = Vec::new();
        loop {
            let mut page = parse(&read_body(self.send(&mut request)?, LARGEST)?)?;
            // The page of a change set stands beside what the set is.
            if let Some(changes) = page.get_mut("changes").filter(|changes| changes.is_object()) {
                page = changes.take();
            }
            let is_more = request.turn_page(&page)?;
            let results = page.get_mut("results").map(Value::take).unwrap_or(page);
            let Value::Array(results) = results else {
                return Err(Failure::Refused(format!("{id} did not answer a list")).into());
            };
            rows.extend(results);
            if !is_more {
                return Ok(rows);
            }
        }
    }

    /// All rows of an export, a line each.
    pub fn lines(&mut self, id: &str, query: &[(&str, &str)]) -> Result<Vec<Value>, Refusal> {
        let mut request = self.request(self.operation(id)?, &[], query)?;
        let mut reader = BufReader::new(self.send(&mut request)?);
        let mut rows = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|error| ended_early(&error))? == 0 {
                return Ok(rows);
            }
            rows.push(parse(&line)?);
        }
    }

    /// Does something for each item, several at once; the results are in the order of the items.
    ///
    /// # Errors
    /// The first that anyone met.
    pub fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&mut Self, &T) -> Result<R, Refusal> + Sync,
    ) -> Result<Vec<R>, Refusal> {
        let share = items.len().div_ceil(AT_ONCE).max(1);
        thread::scope(|scope| {
            let threads = items.chunks(share).map(|items| {
                scope.spawn(|| {
                    let mut service = self.duplicate();
                    items.iter().map(|item| work(&mut service, item)).collect::<Result<Vec<R>, Refusal>>()
                })
            });
            let threads: Vec<_> = threads.collect();
            let mut results = Vec::new();
            for thread in threads {
                results.extend(thread.join().unwrap_or_else(|why| panic::resume_unwind(why))?);
            }
            Ok(results)
        })
    }

    fn duplicate(&self) -> Self {
        Self {
            session: self.session.duplicate(),
            root: self.root.clone(),
            tenant: self.tenant.clone(),
            operations: self.operations,
            change_set: self.change_set.clone(),
        }
    }

    fn operation(&self, id: &str) -> Result<&'d Operation<'d>, Failure> {
        let found = self.operations.iter().find(|operation| operation.id == id);
        found.ok_or_else(|| Failure::Refused(format!("there is no operation {id}")))
    }

    fn request(&self, operation: &Operation<'_>, ids: &[&str], query: &[(&str, &str)]) -> Result<Request, Failure> {
        let mut values = std::iter::once(self.tenant.as_str()).chain(ids.iter().copied());
        let segments = operation
            .path
            .split('/')
            .skip(1)
            .map(|segment| if segment.starts_with('{') { values.next().unwrap_or_default() } else { segment });
        let segments: Vec<&str> = segments.collect();
        let mut url = call::below(&self.root, segments).map_err(Failure::Refused)?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let method = Method::from_bytes(operation.method.as_bytes());
        let method = method.map_err(|error| Failure::Refused(error.to_string()))?;
        let repeatable = method == Method::GET;
        Ok(Request { method, url, headers: Vec::new(), content: Content::None, repeatable, caller: true })
    }

    fn send(&mut self, request: &mut Request) -> Result<Response, Refusal> {
        let answer = self.session.send(request)?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        Err(Refusal::Status(answer.status(), problem::explain(answer)))
    }
}
