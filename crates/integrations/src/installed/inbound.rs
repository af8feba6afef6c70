//! How an integration reports alerts: with credentials of its own, which end with it.

use actix_web::{HttpResponse, post, web};
use api::{Answer, Body, RequestContext};
use base::{Fields, Problem, secret::Secret};
use outbox::{Tx, Unpublished};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    http::{note, take_up},
    store,
    wire::Installed,
};
use crate::Services;

/// The part of an integration that the audit log names.
const CREDENTIALS: &str = "inboundConfig.authentication";

/// The credentials with which an integration reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = InboundAuthType)]
pub enum AuthType {
    /// Key and secret, for a token.
    OAuth2,
    /// The same, sent with each report.
    Basic,
    /// An address that is a secret itself.
    Webhook,
}

impl AuthType {
    const ALL: [(&'static str, Self); 3] =
        [("OAUTH2", Self::OAuth2), ("BASIC", Self::Basic), ("WEBHOOK", Self::Webhook)];
}

/// Who may report for an integration, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inbound {
    /// With which credentials.
    pub auth_type: AuthType,
    /// The API key, or the inbound address.
    pub id: String,
}

/// New credentials, which are shown once.
pub enum Credentials {
    /// Of an API key.
    Key {
        /// Its public part.
        key: String,
        /// Its secret.
        secret: Secret<String>,
    },
    /// Of an inbound address.
    Token(Secret<String>),
}

/// Somebody who may report alerts at a tenant, and do nothing else.
pub struct Reporter {
    /// `KEY-<uuid>` or `INB-<uuid>`.
    pub id: String,
    /// With what.
    pub credentials: Credentials,
}

/// Who keeps the credentials of reporters.
pub trait Reporters: Send + Sync {
    /// A new reporter of a tenant, of this name.
    ///
    /// # Errors
    /// 409 when the tenant has as many as it may have.
    fn admit(&self, tx: &mut Tx<'_>, tenant: &str, name: &str, by: AuthType, author: &str) -> db::Result<Reporter>;

    /// Ends a reporter; one that is gone already is no error.
    fn dismiss(&self, tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<()>;
}

/// How an integration reports alerts.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InboundConfig {
    /// With what.
    pub authentication: InboundAuthentication,
}

/// The credentials of an integration that reports alerts; the secret parts are shown once.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboundAuthentication {
    /// Their kind.
    pub auth_type: Option<AuthType>,
    /// The API key (`KEY-<uuid>`) or the inbound address (`INB-<uuid>`) that was made for the integration.
    pub id: String,
    /// Of `OAUTH2` and `BASIC`, when they are new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub api_key_pairs: Vec<ApiKeyPair>,
    /// Of `WEBHOOK`, when it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Where reports go with that token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Key and secret of an integration.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ApiKeyPair {
    /// The user name of Basic, the `client_id` of a token.
    pub key: String,
    /// The password, the `client_secret`.
    pub secret: String,
}

impl From<&Inbound> for InboundConfig {
    fn from(inbound: &Inbound) -> Self {
        let authentication = InboundAuthentication {
            auth_type: Some(inbound.auth_type),
            id: inbound.id.clone(),
            ..InboundAuthentication::default()
        };
        Self { authentication }
    }
}

impl InboundConfig {
    /// The one place where the secret parts are told; `origin` is how the caller reached the service.
    fn with(mut self, credentials: Credentials, origin: &str) -> Self {
        match credentials {
            Credentials::Key { key, secret } => {
                self.authentication.api_key_pairs = vec![ApiKeyPair { key, secret: secret.into_inner() }];
            }
            Credentials::Token(token) => {
                let token = token.into_inner();
                self.authentication.url = Some(format!("{origin}{}{token}", api::inbound::PREFIX));
                self.authentication.token = Some(token);
            }
        }
        self
    }
}

/// The kind of credentials that an integration is to have.
#[derive(ToSchema)]
#[schema(as = InboundAuthenticationInput, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct Input {
    /// `OAUTH2`, `BASIC` or `WEBHOOK`.
    auth_type: AuthType,
}

fn read(body: &serde_json::Value) -> Result<AuthType, Problem> {
    let mut fields = Fields::of(body);
    fields.require("authType");
    let named = fields.one_of("authType", &AuthType::ALL.map(|(name, _)| name));
    fields.finish()?;
    let found = AuthType::ALL.into_iter().find(|(name, _)| Some(*name) == named);
    Ok(found.map_or(AuthType::OAuth2, |(_, kind)| kind))
}

/// Let an integration report alerts
///
/// Makes credentials for it that report alerts at its tenant and can do nothing else: key and secret for `OAUTH2` and
/// `BASIC`, an address for `WEBHOOK`. The answer is the only time that they are shown. Those that it had before end, and
/// with the integration these do: at once on the gateway that answers, within five seconds on others.
#[utoipa::path(
    tag = "integrations",
    operation_id = "setInboundAuthentication",
    params(("installedIntgId" = String, Path, description = "`INTG-<uuid>`", example = "INTG-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Input, example = json!({"authType": "WEBHOOK"})),
    responses(
        (status = 200, description = "The integration, with the new credentials", body = Installed),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["admin"]))
)]
#[post("/integrations/installed/{installedIntgId}/inbound/authentication")]
pub async fn set_inbound(
    context: RequestContext,
    services: web::Data<Services>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let auth_type = read(&body.0)?;
    let origin = api::session::origin(context.request());
    let (scope, wanted, now, id) = (context.scope(), context.if_match()?, context.now, path.into_inner().1);
    let author = context.caller.user_id.clone();
    context
        .write(move |tx, _| {
            let old = take_up(tx, &scope, &id, wanted)?;
            let former = old.inbound();
            if let Some(former) = &former {
                services.reporters.dismiss(tx, &old.tenant_id, &former.id)?;
            }
            let Reporter { id, credentials } =
                services.reporters.admit(tx, &old.tenant_id, &old.id, auth_type, &author)?;
            let mut row = store::changed(&old, now);
            row.set_inbound(&Inbound { auth_type, id })?;
            store::update(tx.conn, &row)?;
            note(tx, Some(&old), Some(&row), vec![Unpublished::secret(CREDENTIALS, former.is_some(), true)])?;
            let shown = Installed::of(&row);
            let mut told = shown.clone();
            told.inbound_config = told.inbound_config.map(|config| config.with(credentials, &origin));
            Ok(Answer::once(&told, &shown)?.of_version(row.version))
        })
        .await
}
