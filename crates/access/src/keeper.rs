//! Who calls, and for which tenant: what every request asks first.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use actix_web::HttpRequest;
use api::{
    Access, Caller, Tenant,
    access::{Answer, Identity},
    clock,
};
use base::{problem::Problem, secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::Db;

use crate::{
    api_keys::{self, store::LiveKey},
    cache::Recent,
    secrets::{self, Hash},
    tenants,
    throttle::Throttle,
    tokens::{self, rules::Credentials, store::Of},
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
/// Answers are remembered for two seconds. A revocation or a suspension is felt at once on this process, within two
/// seconds on others; the expiry of a token is compared with the clock on every request.
pub struct Keeper {
    db: Db,
    callers: Recent<Hash, Remembered>,
    tenants: Recent<TenantId, Arc<Tenant>>,
    swept: AtomicI64,
    throttle: Throttle,
}

#[derive(Clone)]
struct Remembered {
    caller: Arc<Caller>,
    expires: Timestamp,
    suspended: bool,
}

impl Remembered {
    fn identity(self) -> Identity {
        if self.expires <= clock::now() {
            return Identity::Expired;
        }
        if self.suspended { Identity::Suspended } else { Identity::Caller(self.caller) }
    }
}

/// What a token request comes to.
pub(crate) enum Issued {
    /// A new token.
    Token(Secret<String>),
    /// Key and secret are right, but their tenant is suspended.
    Suspended,
    /// Key or secret are wrong; which of them is not told.
    Wrong,
}

impl Keeper {
    /// The keeper of a database. One process has one, so that what it changes is forgotten everywhere at once, and
    /// failed attempts are counted together.
    pub fn new(db: Db) -> Self {
        let (callers, tenants) = (Recent::new(CALLERS), Recent::new(TENANTS));
        Self { db, callers, tenants, swept: AtomicI64::new(0), throttle: Throttle::new(false) }
    }

    /// Says whether a proxy of ours stands in front: then the last address of `X-Forwarded-For`, which that proxy
    /// wrote, is where a request comes from. Without a proxy that header is anybody's to write.
    #[must_use]
    pub fn trust_forwarded(self, trust: bool) -> Self {
        Self { throttle: Throttle::new(trust), ..self }
    }

    /// To be called after a change to API keys, or to what their tenant may do.
    pub(crate) fn forget_callers(&self) {
        self.callers.forget();
    }

    /// To be called after a change to tenants.
    pub(crate) fn forget_tenants(&self) {
        self.tenants.forget();
    }

    /// A new token for the right key and secret.
    pub(crate) async fn issue(&self, credentials: &Credentials, now: Timestamp) -> db::Result<Issued> {
        let Some((key, secret_hash)) = self.key(&credentials.key, &credentials.secret).await? else {
            return Ok(Issued::Wrong);
        };
        if key.suspended {
            return Ok(Issued::Suspended);
        }
        let token = secrets::random()?;
        let hash = secrets::hex(&secrets::hash(token.expose()));
        let expires = tokens::rules::expiry(now);
        let stored = self.db.write(move |conn| {
            let of = Of { tenant: &key.caller.home, key_id: &key.id, secret_mark: secrets::mark(&secret_hash) };
            tokens::store::insert(conn, &of, &hash, now, expires)
        });
        stored.await?;
        self.sweep(now).await;
        Ok(Issued::Token(token))
    }

    /// Removes expired tokens now and then. A failure is of no consequence: the next attempt is a minute away.
    async fn sweep(&self, now: Timestamp) {
        let last = self.swept.load(Ordering::Relaxed);
        let due = now.millis() - last >= SWEEP_EVERY;
        if !due || self.swept.compare_exchange(last, now.millis(), Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        match self.db.write(move |conn| tokens::store::sweep(conn, now)).await {
            Ok(removed) => {
                tracing::debug!(removed, "expired tokens");
                if removed >= tokens::store::SWEEP {
                    // There are more: the next token takes the next ones with it.
                    self.swept.store(last, Ordering::Relaxed);
                }
            }
            Err(error) => tracing::warn!(%error, "expired tokens were not removed"),
        }
    }

    /// The live key with this public part, when the secret is one of its; and that secret's hash.
    async fn key(&self, key: &str, secret: &Secret<String>) -> db::Result<Option<(LiveKey, String)>> {
        if !secrets::is_key(key) || !secrets::is_secret(secret.expose()) {
            return Ok(None);
        }
        let key = key.to_owned();
        let found = self.db.point(move |conn| api_keys::store::live(conn, &key)).await?;
        // An unknown key costs a comparison as well, so that its answer does not come sooner.
        let hash = match &found {
            Some(key) => secrets::matching(secret, key.hashes()),
            None => secrets::matching(secret, [""]),
        };
        Ok(found.zip(hash))
    }

    async fn look_up_caller(&self, hash: Hash) -> db::Result<Identity> {
        let began = self.callers.generation();
        let text = secrets::hex(&hash);
        let Some(known) = self.db.point(move |conn| tokens::store::known(conn, &text)).await? else {
            return Ok(Identity::Unknown);
        };
        let found = Remembered { caller: Arc::new(known.caller), expires: known.expires, suspended: known.suspended };
        self.callers.put(hash, found.clone(), began);
        Ok(found.identity())
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
    fn bearer<'a>(&'a self, token: &'a str) -> Answer<'a, Identity> {
        if token.is_empty() || token.len() > LONGEST_TOKEN {
            return Box::pin(ready(Ok(Identity::Unknown)));
        }
        let hash = secrets::hash(token);
        match self.callers.get(&hash) {
            Some(known) => Box::pin(ready(Ok(known.identity()))),
            None => Box::pin(self.look_up_caller(hash)),
        }
    }

    fn basic<'a>(&'a self, key: &'a str, secret: Secret<String>) -> Answer<'a, Identity> {
        Box::pin(async move {
            Ok(match self.key(key, &secret).await? {
                Some((key, _)) if key.suspended => Identity::Suspended,
                Some((key, _)) => Identity::Caller(Arc::new(key.caller)),
                None => Identity::Unknown,
            })
        })
    }

    fn refused(&self, request: &HttpRequest, key: Option<&str>) -> Option<Problem> {
        self.throttle.failed(request, key)
    }

    fn tenant<'a>(&'a self, id: &'a TenantId) -> Answer<'a, Option<Arc<Tenant>>> {
        match self.tenants.get(id) {
            Some(tenant) => Box::pin(ready(Ok(Some(tenant)))),
            None => Box::pin(self.look_up_tenant(id.clone())),
        }
    }
}
