//! A point read: one record by its id, and the answer that is given again as long as nothing was committed since.
//!
//! What a point read answers depends on the rows that it reads, on its path and on the tenant, and on nothing else. SQLite tells
//! for the price of a look whether anybody has committed ([`Db::data_version`](db::Db::data_version)); until then the same
//! question gets the same bytes. Each worker thread remembers what it answered itself, without a lock, and at most so much.

use std::{cell::RefCell, collections::HashMap, mem, sync::Arc};

use actix_web::{HttpResponse, web::Bytes};
use db::{Conn, DataVersion};

use crate::{Answer, RequestContext, Result, Tenant, answer, context::NoQuery};

/// How many bytes a thread remembers, in two halves: when the newer is full, the older is forgotten.
const HALF: usize = 2 << 20;
/// The longest answer that is remembered.
const LONGEST: usize = 64 << 10;
/// About what an answer takes beside its path and its body.
const BESIDE: usize = 160;

thread_local! {
    static ANSWERS: RefCell<Answers> = RefCell::default();
}

/// The answer of a point read.
#[derive(Clone, Debug)]
struct Known {
    etag: Option<i64>,
    body: Bytes,
    /// As it was when this was answered: with other clients, a partner sees something else.
    tenant: Arc<Tenant>,
}

#[derive(Default)]
struct Answers {
    /// Of which version of the data they are.
    version: Option<DataVersion>,
    newer: HashMap<Box<str>, Known>,
    older: HashMap<Box<str>, Known>,
    /// What the newer half takes.
    bytes: usize,
}

impl RequestContext<NoQuery> {
    /// Reads one record by its id, and what it shows of others, and answers that. `f` may read by keys, a few rows, and look at
    /// nothing else: not at the clock, nor at who asks.
    ///
    /// # Errors
    /// Those of `f` and of the database.
    pub async fn point<F>(&self, f: F) -> Result<HttpResponse>
    where
        F: FnOnce(&mut Conn, &Tenant) -> db::Result<Answer> + Send + 'static,
    {
        let (path, tenant) = (self.request().path(), Arc::clone(&self.tenant));
        // From before the rows are read: what was read while somebody committed, nobody finds.
        let version = self.db.data_version();
        let known = version.and_then(|version| ANSWERS.with_borrow_mut(|answers| answers.find(path, &tenant, version)));
        if let Some(Known { etag, body, .. }) = known {
            return Ok(answer::json(etag).body(body));
        }
        let (etag, body) = self.db.point(move |conn| f(conn, &tenant)).await?.into_parts();
        let body = Bytes::from(body.into_boxed_str().into_boxed_bytes());
        if let Some(version) = version {
            let known = Known { etag, body: body.clone(), tenant: Arc::clone(&self.tenant) };
            ANSWERS.with_borrow_mut(|answers| answers.remember(path, known, version));
        }
        Ok(answer::json(etag).body(body))
    }
}

impl Answers {
    /// What was answered to this path, if the data is the same.
    fn find(&mut self, path: &str, tenant: &Arc<Tenant>, version: DataVersion) -> Option<Known> {
        if self.version != Some(version) {
            return None;
        }
        let same = |known: &&Known| Arc::ptr_eq(&known.tenant, tenant) || known.tenant == *tenant;
        if let Some(known) = self.newer.get(path) {
            return Some(known).filter(same).cloned();
        }
        let known = self.older.remove(path).filter(|known| same(&known))?;
        self.put(path, known.clone());
        Some(known)
    }

    /// Remembers an answer of a version of the data, and forgets those of others.
    fn remember(&mut self, path: &str, known: Known, version: DataVersion) {
        if self.version != Some(version) {
            *self = Self { version: Some(version), ..Self::default() };
        }
        if known.body.len() <= LONGEST {
            self.put(path, known);
        }
    }

    fn put(&mut self, path: &str, known: Known) {
        let taken = path.len() + known.body.len() + BESIDE;
        if self.bytes + taken > HALF {
            self.older = mem::take(&mut self.newer);
            self.bytes = 0;
        }
        self.bytes += taken;
        self.newer.insert(path.into(), known);
    }
}

#[cfg(test)]
mod tests {
    use base::tenant::TenantId;

    use super::*;

    fn tenant(clients: &[&str]) -> Arc<Tenant> {
        let id = |text: &str| TenantId::parse(text).unwrap();
        let (id, clients) = (id("msp_1"), clients.iter().map(|text| id(text)).collect());
        Arc::new(Tenant { partner: id.clone(), name: id.to_string(), id, clients })
    }

    fn known(tenant: &Arc<Tenant>, length: usize) -> Known {
        Known { etag: Some(1), body: vec![b'x'; length].into(), tenant: Arc::clone(tenant) }
    }

    /// Versions that differ: of two databases.
    fn versions() -> [DataVersion; 2] {
        [(); 2].map(|()| {
            let directory = tempfile::tempdir().unwrap();
            let url = db::DatabaseUrl::parse(&format!("sqlite:{}", directory.path().join("v.db").display())).unwrap();
            db::Db::open(&url, db::Options::default()).unwrap().data_version().unwrap()
        })
    }

    #[test]
    fn an_answer_is_found_while_data_and_tenant_are_the_same() {
        let [first, second] = versions();
        let (alone, with_clients) = (tenant(&[]), tenant(&["client_1"]));
        let mut answers = Answers::default();
        answers.remember("/a", known(&alone, 10), first);
        assert_eq!(answers.find("/a", &tenant(&[]), first).unwrap().body.len(), 10);
        assert!(answers.find("/b", &alone, first).is_none());
        assert!(answers.find("/a", &with_clients, first).is_none(), "it has a client now");
        assert!(answers.find("/a", &alone, second).is_none(), "something was committed");
        answers.remember("/b", known(&alone, 10), second);
        assert!(answers.find("/a", &alone, second).is_none());
        assert!(answers.find("/b", &alone, second).is_some());
    }

    #[test]
    fn what_was_asked_for_least_lately_is_forgotten_first() {
        let [version, _] = versions();
        let tenant = tenant(&[]);
        let mut answers = Answers::default();
        answers.remember("/long", known(&tenant, LONGEST + 1), version);
        assert!(answers.find("/long", &tenant, version).is_none());
        for number in 0..100_000 {
            answers.remember(&format!("/{number}"), known(&tenant, 1_000), version);
            assert!(number < 10 || answers.find("/5", &tenant, version).is_some(), "{number}");
        }
        assert!(answers.find("/99999", &tenant, version).is_some() && answers.find("/10", &tenant, version).is_none());
        let held: usize = answers.newer.values().chain(answers.older.values()).map(|known| known.body.len()).sum();
        assert!((HALF / 2..2 * HALF).contains(&held), "{held}");
    }
}
