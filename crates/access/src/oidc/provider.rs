//! The issuer of OpenID Connect: its metadata, and the exchange of a code for an account. Calls block, so they run on
//! threads of their own.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use actix_web::rt::time::timeout;
use api::clock;
use base::{
    secret::Secret,
    share::{Kind, Lease, Parties, Pool},
    tenant::TenantId,
    timestamp::Timestamp,
};
use openidconnect::{
    AdditionalClaims, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret,
    CsrfToken, EmptyExtraTokenFields, HttpRequest, HttpResponse, IdTokenFields, IssuerUrl, Nonce, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, Scope, StandardErrorResponse, StandardTokenResponse, TokenResponse as _,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
        CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm as Algorithm, CoreProviderMetadata,
        CoreResponseType, CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse,
        CoreTokenType,
    },
};
use ports::{SealedAt, Seals};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rules::{self, Account, Pending};

/// How long the metadata of the issuer is cached.
const FRESH_MS: i64 = 3_600_000;

/// How soon it is asked again, when its keys do not fit or it did not answer.
const AGAIN_MS: i64 = 5_000;

/// How many steps of sign-ins call the issuer at once, how many may wait to do so, and how long.
const CALLS: usize = 16;
const WAITING: usize = 512;
const WAIT: Duration = Duration::from_secs(5);

/// Signatures that are made with a key of the issuer's own. Those made with a shared secret are not among them, nor is
/// none.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RsaSsaPkcs1V15Sha256,
    Algorithm::RsaSsaPkcs1V15Sha384,
    Algorithm::RsaSsaPkcs1V15Sha512,
    Algorithm::RsaSsaPssSha256,
    Algorithm::RsaSsaPssSha384,
    Algorithm::RsaSsaPssSha512,
    Algorithm::EcdsaP256Sha256,
    Algorithm::EcdsaP384Sha384,
    Algorithm::EdDsa,
];

/// How the issuer is reached, and which of its claims count.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its address, as it calls itself.
    pub issuer: String,
    /// The `client_id` of this service at the issuer.
    pub client_id: String,
    /// The `client_secret` of this service at the issuer.
    pub client_secret: Secret<String>,
    /// How browsers reach this service.
    pub origin: String,
    /// Is somebody bound to an account, the first time, by a verified address?
    pub link_by_email: bool,
    /// The claim that holds the role of a person.
    pub role_claim: Option<String>,
    /// The tenant whose people sign in this way; all tenants when it is `None`.
    pub tenant: Option<TenantId>,
}

/// The answer to a call.
pub type FetchResult = Result<HttpResponse, std::io::Error>;

/// Makes a call within limits of time and size; redirects are not followed.
pub type Fetch = dyn Fn(HttpRequest) -> FetchResult + Send + Sync;

/// The place that a cookie is sealed for.
const COOKIE: SealedAt<'static> = SealedAt { tenant: "", table: "cookies", row: "oidc", column: "pending" };

/// An issuer.
pub struct Provider {
    pub(crate) settings: Settings,
    fetch: Box<Fetch>,
    /// Seals the cookie of a sign-in under way.
    seals: Arc<dyn Seals>,
    /// The calls, which addresses share as they share requests.
    calls: Arc<Pool>,
    addresses: Parties,
    cached: Mutex<CachedMetadata>,
    /// Held while the metadata is fetched.
    asking: Mutex<()>,
}

#[derive(Default)]
struct CachedMetadata {
    metadata: Option<Arc<CoreProviderMetadata>>,
    asked_ms: i64,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Why a sign-in failed.
#[derive(Debug)]
pub(crate) enum SignInFailure {
    /// The issuer does not answer, or there are too many at once.
    Unavailable,
    /// The answer of the issuer, or the token in it, is not valid; the log has the reason.
    Rejected(String),
}

/// The claims beside the standard ones.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct ExtraClaims(Map<String, Value>);

impl AdditionalClaims for ExtraClaims {}

type Fields =
    IdTokenFields<ExtraClaims, EmptyExtraTokenFields, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, Algorithm>;

type Client<A, B, C, D, E, F> = openidconnect::Client<
    ExtraClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<Fields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    A,
    B,
    C,
    D,
    E,
    F,
>;

type DiscoveredClient = Client<
    openidconnect::EndpointSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointMaybeSet,
    openidconnect::EndpointMaybeSet,
>;

impl Provider {
    /// An issuer; nothing is fetched yet.
    ///
    /// # Errors
    /// When an address is not a URL.
    pub fn new(settings: Settings, fetch: Box<Fetch>, seals: Arc<dyn Seals>) -> anyhow::Result<Self> {
        IssuerUrl::new(settings.issuer.clone())?;
        RedirectUrl::new(settings.redirect())?;
        let calls = Pool::new(Kind::Requests, CALLS, 1, WAITING);
        let addresses = Default::default();
        let cached = Default::default();
        let asking = Default::default();
        Ok(Self { settings, fetch, seals, calls, addresses, cached, asking })
    }

    /// A call to the issuer for a request from this address, as soon as it is its turn: the rule of [`base::share`].
    /// However many requests come from one address, others find calls free.
    pub(crate) async fn call(&self, address: IpAddr) -> Result<Lease, SignInFailure> {
        let party = self.addresses.of_address(address);
        match timeout(WAIT, self.calls.take(&party, 1)).await {
            Ok(Ok(call)) => Ok(call),
            Ok(Err(_)) | Err(_) => Err(SignInFailure::Unavailable),
        }
    }

    /// The URL at the issuer where a browser signs in, and the sealed cookie that it carries meanwhile. Makes no call.
    pub(crate) fn begin_sign_in(
        &self,
        metadata: &CoreProviderMetadata,
        now: Timestamp,
    ) -> Result<(String, String), SignInFailure> {
        let client = self.client(metadata)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = AuthenticationFlow::<CoreResponseType>::AuthorizationCode;
        let request = client.authorize_url(flow, CsrfToken::new_random, Nonce::new_random);
        let request = request.add_scope(Scope::new("email".to_owned())).set_pkce_challenge(challenge);
        let (url, state, nonce) = request.url();
        let pending = Pending::new(state.into_secret(), nonce.secret().clone(), verifier.into_secret(), now);
        let text = serde_json::to_string(&pending).map_err(wrong)?;
        let sealed = self.seals.seal(COOKIE, &Secret::new(text)).map_err(wrong)?;
        Ok((url.to_string(), sealed))
    }

    /// Opens the cookie of a sign-in under way.
    pub(crate) fn open_pending(&self, sealed: &str) -> Option<Pending> {
        serde_json::from_str(self.seals.open(COOKIE, sealed).ok()??.expose()).ok()
    }

    /// Exchanges the code that the issuer gave the browser for the account that signed in.
    pub(crate) fn finish_sign_in(&self, code: String, pending: Pending) -> Result<Account, SignInFailure> {
        let metadata = self.metadata(false)?;
        let client = self.client(&metadata)?;
        let exchange = client.exchange_code(AuthorizationCode::new(code)).map_err(wrong)?;
        let verifier = PkceCodeVerifier::new(pending.verifier);
        let answer = exchange.set_pkce_verifier(verifier).request(&|request| (self.fetch)(request));
        let tokens = answer.map_err(|error| match error {
            openidconnect::RequestTokenError::ServerResponse(told) => wrong(format!("the issuer: {}", told.error())),
            openidconnect::RequestTokenError::Request(error) => unreachable(&error),
            // The answer may hold tokens, so it is not logged.
            openidconnect::RequestTokenError::Parse(..) => wrong("the issuer's answer has no tokens"),
            openidconnect::RequestTokenError::Other(why) => wrong(why),
        })?;
        let token = tokens.id_token().ok_or_else(|| wrong("the issuer gave no ID token"))?;
        let nonce = Nonce::new(pending.nonce);
        let verify = |client: &DiscoveredClient| {
            let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
            let claims = token.claims(&verifier, &nonce)?;
            // An audience other than this service was refused above; the token may still be issued to another client.
            match claims.authorized_party() {
                Some(party) if party.as_str() != self.settings.client_id => {
                    let why = format!("the token was issued to the client {}", party.as_str());
                    Err(ClaimsVerificationError::InvalidAudience(why))
                }
                _ => Ok(self.account(claims)),
            }
        };
        match verify(&client) {
            // It may have other keys now.
            Err(ClaimsVerificationError::SignatureVerification(_)) => {
                verify(&self.client(&*self.metadata(true)?)?).map_err(wrong)
            }
            done => done.map_err(wrong),
        }
    }

    fn account(&self, claims: &openidconnect::IdTokenClaims<ExtraClaims, CoreGenderClaim>) -> Account {
        let email = claims.email().filter(|_| claims.email_verified() == Some(true));
        let ExtraClaims(extra) = claims.additional_claims();
        Account {
            subject: claims.subject().to_string(),
            verified_email: email.map(|email| email.to_string()),
            role: self.settings.role_claim.as_ref().map(|name| rules::role_of(extra.get(name))),
        }
    }

    fn client(&self, metadata: &CoreProviderMetadata) -> Result<DiscoveredClient, SignInFailure> {
        let id = &self.settings.client_id;
        let secret = self.settings.client_secret.expose();
        let id = ClientId::new(id.clone());
        let secret = ClientSecret::new(secret.clone());
        let redirect = RedirectUrl::new(self.settings.redirect()).map_err(wrong)?;
        Ok(Client::from_provider_metadata(metadata.clone(), id, Some(secret)).set_redirect_uri(redirect))
    }

    /// The cached metadata, if there is any, and whether it is due to be fetched again.
    pub(crate) fn cached_metadata(&self) -> Option<(Arc<CoreProviderMetadata>, bool)> {
        let cached = base::lock(&self.cached);
        let is_old = clock::now().millis() - cached.asked_ms >= FRESH_MS;
        cached.metadata.clone().map(|metadata| (metadata, is_old))
    }

    /// The metadata of the issuer, with its keys. Fetched again after an hour, or when `again` says that the keys do
    /// not fit. Of several calls at once, one fetches.
    pub(crate) fn metadata(&self, again: bool) -> Result<Arc<CoreProviderMetadata>, SignInFailure> {
        let enough = |cached: &CachedMetadata| {
            let age = clock::now().millis() - cached.asked_ms;
            cached.metadata.clone().filter(|_| age < if again { AGAIN_MS } else { FRESH_MS })
        };
        if let Some(metadata) = enough(&base::lock(&self.cached)) {
            return Ok(metadata);
        }
        let _asking = match (self.asking.try_lock(), self.cached_metadata()) {
            (Ok(asking), _) => asking,
            (Err(_), Some((before, _))) if !again => return Ok(before),
            (Err(_), _) => base::lock(&self.asking),
        };
        {
            let mut cached = base::lock(&self.cached);
            if let Some(metadata) = enough(&cached) {
                return Ok(metadata);
            }
            let now = clock::now().millis();
            if cached.metadata.is_none() && now - cached.asked_ms < AGAIN_MS {
                return Err(SignInFailure::Unavailable);
            }
            cached.asked_ms = now;
        }
        let issuer = IssuerUrl::new(self.settings.issuer.clone()).map_err(wrong)?;
        let found = CoreProviderMetadata::discover(&issuer, &|request| (self.fetch)(request));
        let mut cached = base::lock(&self.cached);
        match found {
            Ok(metadata) => Ok(Arc::clone(cached.metadata.insert(Arc::new(metadata)))),
            Err(error) => {
                tracing::warn!(%error, "the issuer of OpenID Connect does not say what it is");
                cached.metadata.clone().ok_or(SignInFailure::Unavailable)
            }
        }
    }
}

impl Settings {
    fn redirect(&self) -> String {
        format!("{}/auth/oidc/callback", self.origin)
    }
}

fn wrong(error: impl fmt::Display) -> SignInFailure {
    SignInFailure::Rejected(error.to_string())
}

fn unreachable(error: &dyn fmt::Display) -> SignInFailure {
    tracing::warn!(%error, "the issuer of OpenID Connect does not answer");
    SignInFailure::Unavailable
}
