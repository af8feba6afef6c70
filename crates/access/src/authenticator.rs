//! Authentication: finds out who calls and for which tenant, first thing in every request.

use std::{future::ready, net::IpAddr, sync::Arc, time::Duration};

use actix_web::{HttpRequest, rt};
use api::{
    Access, Caller, Tenant,
    access::{Answer, Identity},
    clock,
    recent::Recent,
};
use base::{problem::Problem, secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::Db;
use moka::sync::Cache;

use crate::{
    api_keys::{self, store::LiveKey},
    inbound,
    secrets::{self, Hash},
    sessions::{self, store::LiveSession},
    tenants,
    throttle::Throttle,
    tokens::{self, store::TokenSource},
};

/// Callers and tenants that are remembered at most.
const CALLERS: u64 = 50_000;
const SENDERS: u64 = 10_000;
const SESSIONS: u64 = 10_000;
const TENANTS: u64 = 10_000;

/// How long after a use of a key another one is not noted: `lastUsedAt` is as exact as this, and a key that is in use
/// costs a write so often.
const USE: Duration = Duration::from_secs(60);

/// Keeps the tenants, keys and tokens of one database, and answers who a caller is ("Tenants and callers" in
/// `docs/interface.md`).
///
/// Answers are remembered for less than a second. A revocation or a suspension is felt at once on this process, within
/// a second on others; the expiry of a token is compared with the clock on every request.
pub struct Authenticator {
    db: Db,
    callers: Recent<Hash, CachedCaller>,
    /// Whom the token of an inbound address stands for, and whether their tenant is suspended.
    inbound: Recent<Hash, (Arc<Caller>, bool)>,
    /// The callers by their session cookies. Apart from `callers`, so that no cookie passes for a token.
    sessions: Recent<Hash, CachedCaller>,
    tenants: Recent<TenantId, Arc<Tenant>>,
    /// Keys and sessions whose use was noted within the last minute, by id.
    used: Cache<String, ()>,
    throttle: Throttle,
}

#[derive(Clone)]
struct CachedCaller {
    caller: Arc<Caller>,
    expires: Timestamp,
    suspended: bool,
}

impl CachedCaller {
    fn identity(self) -> Identity {
        if self.expires <= clock::now() {
            return Identity::Expired;
        }
        if self.suspended { Identity::Suspended } else { Identity::Caller(self.caller) }
    }
}

/// Key and secret, as given; not yet checked.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) key: String,
    pub(crate) secret: Secret<String>,
}

/// The outcome of a token request.
pub(crate) enum TokenOutcome {
    /// A new token, and the seconds that it lives.
    Token { token: Secret<String>, lives: i64 },
    /// Key and secret are right, but the key has sent too much.
    Throttled(Problem),
    /// Key and secret are right, but their tenant is suspended.
    Suspended,
    /// Key or secret are wrong; which of them is not told.
    BadCredentials,
}

impl Authenticator {
    /// The authenticator of a database. One process has one, so that what it changes is forgotten everywhere at once,
    /// and failed attempts are counted together.
    pub fn new(db: Db) -> Self {
        let callers = Recent::new(CALLERS);
        let inbound = Recent::new(SENDERS);
        let tenants = Recent::new(TENANTS);
        let sessions = Recent::new(SESSIONS);
        let used = Cache::builder().max_capacity(CALLERS).time_to_live(USE).build();
        Self { db, callers, inbound, sessions, tenants, used, throttle: Throttle::new(false) }
    }

    /// Says whether a proxy of ours stands in front: then the last address of `X-Forwarded-For`, which that proxy
    /// wrote, is where a request comes from. Without a proxy that header is anybody's to write.
    #[must_use]
    pub fn trust_forwarded(self, trust: bool) -> Self {
        Self { throttle: Throttle::new(trust), ..self }
    }

    /// To be called after a change to API keys, users or sessions, or to what their tenant may do.
    pub fn forget_callers(&self) {
        self.callers.forget();
        self.inbound.forget();
        self.sessions.forget();
    }

    /// To be called after a change to tenants.
    pub(crate) fn forget_tenants(&self) {
        self.tenants.forget();
    }

    /// A new token for the right key and secret. `count` is told of the key once they are known to be right, and may
    /// refuse: a stranger uses up nobody's limit.
    pub(crate) async fn issue(
        &self,
        credentials: &Credentials,
        now: Timestamp,
        count: impl FnOnce(&String) -> Result<(), Problem>,
    ) -> db::Result<TokenOutcome> {
        let Some((key, secret_hash)) = self.key(&credentials.key, &credentials.secret).await? else {
            return Ok(TokenOutcome::BadCredentials);
        };
        if key.caller.expires.is_some_and(|end| end <= now) {
            return Ok(TokenOutcome::BadCredentials);
        }
        if key.suspended {
            return Ok(TokenOutcome::Suspended);
        }
        if let Err(problem) = count(&key.caller.key_id) {
            return Ok(TokenOutcome::Throttled(problem));
        }
        self.note_use(&key.caller.home, &key.id, key.last_used_ms, now);
        let token = secrets::random()?;
        let hash = base::hex(&secrets::hash(token.expose()));
        let expires = tokens::rules::expiry(now, key.caller.expires);
        let stored = self.db.write(move |conn| {
            let of =
                TokenSource { tenant: &key.caller.home, key_id: &key.id, secret_mark: secrets::mark(&secret_hash) };
            tokens::store::insert(conn, &of, &hash, now, expires)
        });
        stored.await?;
        Ok(TokenOutcome::Token { token, lives: tokens::rules::lives(now, expires) })
    }

    /// Sees to it that the database knows of a use of a key, once a minute. A request does not wait for that: it is for
    /// people who ask which keys are still needed.
    fn note_use(&self, tenant: &TenantId, id: &str, known_ms: Option<i64>, now: Timestamp) {
        let before = minute_before(now);
        if known_ms.is_some_and(|known| known > before.millis()) {
            return;
        }
        if !self.used.entry_by_ref(id).or_insert(()).is_fresh() {
            return;
        }
        let db = self.db.clone();
        let tenant = tenant.clone();
        let id = id.to_owned();
        drop(rt::spawn(async move {
            let home = tenant.clone();
            let note = move |conn: &mut db::Conn| api_keys::store::note_use(conn, &tenant, &id, now, before);
            let noted = db.write_for(home.as_str(), note).await;
            if let Err(error) = noted {
                tracing::warn!(%error, "the use of an API key was not noted");
            }
        }));
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
        let text = base::hex(&hash);
        let Some(live) = self.db.point(move |conn| tokens::store::find_live(conn, &text)).await? else {
            return Ok(Identity::Unknown);
        };
        let expires = live.caller.expires.map_or(live.expires, |end| end.min(live.expires));
        let found = CachedCaller { caller: Arc::new(live.caller), expires, suspended: live.suspended };
        if let Identity::Caller(caller) = found.clone().identity() {
            self.note_use(&caller.home, &live.key_id, live.last_used_ms, clock::now());
        }
        self.callers.put(hash, found.clone(), began);
        Ok(found.identity())
    }

    async fn look_up_key(&self, hash: Hash, key: &str, secret: &Secret<String>) -> db::Result<Identity> {
        let began = self.callers.generation();
        let Some((key, _)) = self.key(key, secret).await? else { return Ok(Identity::Unknown) };
        let expires = key.caller.expires.unwrap_or(Timestamp::from_millis(i64::MAX));
        let found = CachedCaller { caller: Arc::new(key.caller), expires, suspended: key.suspended };
        if let Identity::Caller(caller) = found.clone().identity() {
            self.note_use(&caller.home, &key.id, key.last_used_ms, clock::now());
        }
        self.callers.put(hash, found.clone(), began);
        Ok(found.identity())
    }

    async fn look_up_session(&self, hash: Hash) -> db::Result<Identity> {
        let began = self.sessions.generation();
        let text = base::hex(&hash);
        let Some(live) = self.db.point(move |conn| sessions::store::find_live(conn, &text)).await? else {
            return Ok(Identity::Unknown);
        };
        let LiveSession { caller, used_ms, ends, suspended } = live;
        let found = CachedCaller { caller: Arc::new(caller), expires: ends, suspended };
        if let Identity::Caller(caller) = found.clone().identity() {
            self.note_session(&caller, used_ms, clock::now());
        }
        self.sessions.put(hash, found.clone(), began);
        Ok(found.identity())
    }

    /// As [`Self::note_use`], of a session: one that is in use does not end for being idle.
    fn note_session(&self, caller: &Caller, known_ms: i64, now: Timestamp) {
        let before = minute_before(now);
        if known_ms > before.millis() || !self.used.entry_by_ref(&caller.key_id).or_insert(()).is_fresh() {
            return;
        }
        let db = self.db.clone();
        let tenant = caller.home.clone();
        let id = caller.key_id.clone();
        drop(rt::spawn(async move {
            let home = tenant.clone();
            let note = move |conn: &mut db::Conn| sessions::store::note_use(conn, &tenant, &id, now, before);
            let noted = db.write_for(home.as_str(), note).await;
            if let Err(error) = noted {
                tracing::warn!(%error, "the use of a session was not noted");
            }
        }));
    }

    /// Counts a code that opens nothing; answers the 429 once there are too many from one address.
    pub(crate) fn wrong_code(&self, request: &HttpRequest) -> Option<Problem> {
        self.throttle.wrong_code(request)
    }

    /// Counts a request for a sign-in link.
    ///
    /// # Errors
    /// 429 once there are too many from one address.
    pub(crate) fn count_link_request(&self, request: &HttpRequest) -> Result<(), Problem> {
        self.throttle.count_link_request(request)
    }

    /// Where a request comes from.
    pub(crate) fn address(&self, request: &HttpRequest) -> IpAddr {
        self.throttle.address(request)
    }

    /// The database that it keeps.
    pub(crate) fn db(&self) -> &Db {
        &self.db
    }

    async fn look_up_inbound(&self, hash: Hash) -> db::Result<Identity> {
        let began = self.inbound.generation();
        let text = base::hex(&hash);
        let Some((caller, suspended)) = self.db.point(move |conn| inbound::store::caller(conn, &text)).await? else {
            return Ok(Identity::Unknown);
        };
        let found = (Arc::new(caller), suspended);
        self.inbound.put(hash, found.clone(), began);
        Ok(reports(found))
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

fn minute_before(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.millis() - i64::try_from(USE.as_millis()).unwrap_or(i64::MAX))
}

fn reports((caller, suspended): (Arc<Caller>, bool)) -> Identity {
    if suspended { Identity::Suspended } else { Identity::Caller(caller) }
}

impl Access for Authenticator {
    fn bearer<'a>(&'a self, token: &'a str) -> Answer<'a, Identity> {
        // Key and secret are remembered beside tokens, by what they are with a colon between them: no token has one.
        if !secrets::is_secret(token) {
            return Box::pin(ready(Ok(Identity::Unknown)));
        }
        let hash = secrets::hash(token);
        match self.callers.get(&hash) {
            Some(known) => Box::pin(ready(Ok(known.identity()))),
            None => Box::pin(self.look_up_caller(hash)),
        }
    }

    fn basic<'a>(&'a self, key: &'a str, secret: Secret<String>) -> Answer<'a, Identity> {
        let hash = secrets::hash(&format!("{key}:{}", secret.expose()));
        match self.callers.get(&hash) {
            Some(known) => Box::pin(ready(Ok(known.identity()))),
            None => Box::pin(async move { self.look_up_key(hash, key, &secret).await }),
        }
    }

    fn session<'a>(&'a self, token: &'a str) -> Answer<'a, Identity> {
        if !secrets::is_secret(token) {
            return Box::pin(ready(Ok(Identity::Unknown)));
        }
        let hash = secrets::hash(token);
        match self.sessions.get(&hash) {
            Some(known) => Box::pin(ready(Ok(known.identity()))),
            None => Box::pin(self.look_up_session(hash)),
        }
    }

    fn inbound<'a>(&'a self, token: &'a str) -> Answer<'a, Identity> {
        if !secrets::is_secret(token) {
            return Box::pin(ready(Ok(Identity::Unknown)));
        }
        let hash = secrets::hash(token);
        match self.inbound.get(&hash) {
            Some(known) => Box::pin(ready(Ok(reports(known)))),
            None => Box::pin(self.look_up_inbound(hash)),
        }
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
