//! Who calls, and for which tenant: what every request asks first.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use api::{Access, Caller, Tenant, access::Answer, clock};
use base::{secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::Db;

use crate::{
    api_keys,
    cache::Recent,
    secrets::{self, Hash},
    tenants,
    tokens::{self, rules::Credentials},
};

/// Callers and tenants that are remembered at most.
const CALLERS: u64 = 50_000;
const TENANTS: u64 = 10_000;

/// Milliseconds between two removals of expired tokens.
const SWEEP_EVERY: i64 = 60_000;

/// A token of nobody is at most this long; more is not even hashed.
const LONGEST_TOKEN: usize = 256;

/// Keeps the tenants, keys and tokens of one database, and answers who a caller is ("Tenants and callers" in
/// `docs/interface.md`).
///
/// Answers are remembered for two seconds. A revocation is felt at once on this process, within two seconds on
/// others; the expiry of a token is compared with the clock on every request.
pub struct Keeper {
    db: Db,
    callers: Recent<Hash, (Arc<Caller>, Timestamp)>,
    tenants: Recent<TenantId, Arc<Tenant>>,
    swept: AtomicI64,
}

impl Keeper {
    /// The keeper of a database. One process has one, so that what it changes is forgotten everywhere at once.
    pub fn new(db: Db) -> Self {
        let (callers, tenants) = (Recent::new(CALLERS), Recent::new(TENANTS));
        Self { db, callers, tenants, swept: AtomicI64::new(0) }
    }

    /// To be called after a change to API keys.
    pub(crate) fn forget_callers(&self) {
        self.callers.forget();
    }

    /// To be called after a change to tenants.
    pub(crate) fn forget_tenants(&self) {
        self.tenants.forget();
    }

    /// A new token for the right key and secret; `None` for others.
    pub(crate) async fn issue(&self, credentials: Credentials, now: Timestamp) -> db::Result<Option<Secret<String>>> {
        let Some(key) = self.key(credentials.key, credentials.secret).await? else { return Ok(None) };
        let token = secrets::random()?;
        let hash = secrets::hex(&secrets::hash(token.expose()));
        let expires = tokens::rules::expiry(now);
        self.db.write(move |conn| tokens::store::insert(conn, &key.caller.home, &key.id, &hash, now, expires)).await?;
        self.sweep(now).await;
        Ok(Some(token))
    }

    /// Removes expired tokens now and then. A failure is of no consequence: the next attempt is a minute away.
    async fn sweep(&self, now: Timestamp) {
        let last = self.swept.load(Ordering::Relaxed);
        let due = now.millis() - last >= SWEEP_EVERY;
        if !due || self.swept.compare_exchange(last, now.millis(), Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        match self.db.write(move |conn| tokens::store::sweep(conn, now)).await {
            Ok(removed) => tracing::debug!(removed, "expired tokens"),
            Err(error) => tracing::warn!(%error, "expired tokens were not removed"),
        }
    }

    /// The live key with this public part, when the secret is one of its.
    async fn key(&self, key: String, secret: Secret<String>) -> db::Result<Option<api_keys::store::LiveKey>> {
        if !secrets::is_key(&key) || !secrets::is_secret(secret.expose()) {
            return Ok(None);
        }
        let found = self.db.point(move |conn| api_keys::store::live(conn, &key)).await?;
        // An unknown key costs a comparison as well, so that its answer does not come sooner.
        let nothing = [""];
        let right = match &found {
            Some(key) => secrets::matches(&secret, key.hashes()),
            None => secrets::matches(&secret, nothing),
        };
        Ok(found.filter(|_| right))
    }

    async fn look_up_caller(&self, hash: Hash) -> db::Result<Option<Arc<Caller>>> {
        let began = self.callers.generation();
        let text = secrets::hex(&hash);
        let Some((caller, expires)) = self.db.point(move |conn| tokens::store::caller(conn, &text)).await? else {
            return Ok(None);
        };
        if expires <= clock::now() {
            return Ok(None);
        }
        let caller = Arc::new(caller);
        self.callers.put(hash, (Arc::clone(&caller), expires), began);
        Ok(Some(caller))
    }

    async fn look_up_tenant(&self, id: TenantId) -> db::Result<Option<Arc<Tenant>>> {
        let began = self.tenants.generation();
        let wanted = id.clone();
        let Some(tenant) = self.db.point(move |conn| tenants::store::tenant(conn, &wanted)).await? else {
            return Ok(None);
        };
        let tenant = Arc::new(tenant);
        self.tenants.put(id, Arc::clone(&tenant), began);
        Ok(Some(tenant))
    }
}

impl Access for Keeper {
    fn bearer<'a>(&'a self, token: &'a str) -> Answer<'a, Option<Arc<Caller>>> {
        if token.is_empty() || token.len() > LONGEST_TOKEN {
            return Box::pin(ready(Ok(None)));
        }
        let hash = secrets::hash(token);
        match self.callers.get(&hash) {
            Some((caller, expires)) => Box::pin(ready(Ok((expires > clock::now()).then_some(caller)))),
            None => Box::pin(self.look_up_caller(hash)),
        }
    }

    fn basic<'a>(&'a self, key: &'a str, secret: Secret<String>) -> Answer<'a, Option<Arc<Caller>>> {
        Box::pin(async move { Ok(self.key(key.to_owned(), secret).await?.map(|key| Arc::new(key.caller))) })
    }

    fn tenant<'a>(&'a self, id: &'a TenantId) -> Answer<'a, Option<Arc<Tenant>>> {
        match self.tenants.get(id) {
            Some(tenant) => Box::pin(ready(Ok(Some(tenant)))),
            None => Box::pin(self.look_up_tenant(id.clone())),
        }
    }
}
