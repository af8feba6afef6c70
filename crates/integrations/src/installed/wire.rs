//! What clients see of installed integrations.

use api::Request;
use base::{
    Problem,
    body::{Request as _, ignored},
    problem::FieldErrors,
    timestamp::Timestamp,
};
use outbox::{Entity, Recorded};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::row::{Inbound, Row};
use crate::{
    egress::Guard,
    notifier::{Notifier, NotifierInput, Secrets},
    reporters::{AuthType, Credentials},
};

const LONGEST_NAME: usize = 200;

api::path_id! {
    /// `INTG-<uuid>`
    pub IntegrationId = "installedIntgId", "INTG-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", prefix "INTG-"
}

/// An installed integration.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InstalledIntegration, example = json!({
    "id": "INTG-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "displayName": "Ticket system",
    "integration": {"id": "CUSTOM", "name": "Custom"}, "status": "ENABLED", "createdBy": "USR0000000007",
    "baseNotifier": {"type": "REST_API", "baseURI": "https://example.net/api", "authType": "NONE"},
    "createdDate": "2026-11-20T20:37:00+0000"
}))]
pub struct InstalledIntegration {
    /// `INTG-<uuid>`.
    pub id: String,
    /// What people call it.
    pub display_name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// What was installed.
    pub integration: IntegrationKind,
    /// `ENABLED`, or `DISABLED`: then none of its events fires or is delivered.
    #[schema(pattern = "^(ENABLED|DISABLED)$")]
    pub status: &'static str,
    /// The notifier of its events, unless they have their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_notifier: Option<Notifier>,
    /// How it reports alerts; left out while it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbound_config: Option<InboundConfig>,
    /// The user that installed it.
    pub created_by: String,
    /// When it was installed.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last; left out before the first change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:05+0000")]
    pub updated_date: Option<Timestamp>,
}

/// A kind of integration.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IntegrationKind {
    /// `CUSTOM`.
    pub id: String,
    /// Its name.
    pub name: &'static str,
}

impl InstalledIntegration {
    /// What is shown of a row.
    pub fn of(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            display_name: row.name.clone(),
            description: row.description.clone(),
            integration: IntegrationKind { id: row.kind.clone(), name: "Custom" },
            status: if row.enabled { "ENABLED" } else { "DISABLED" },
            base_notifier: row.notifier(),
            inbound_config: row.inbound.as_deref().map(InboundConfig::from),
            created_by: row.created_by.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: row.updated_ms.map(Timestamp::from_millis),
        }
    }
}

/// An installed integration with its signing secret, which is shown this once.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InstalledIntegrationWithSecret)]
pub struct IntegrationWithSecret {
    /// The integration.
    #[serde(flatten)]
    pub installed: InstalledIntegration,
    /// `whsec_…`: verifies `webhook-signature` (Standard Webhooks). Only in the first answer under an
    /// `Idempotency-Key`.
    #[schema(required = false, example = "whsec_…")]
    pub signing_secret: String,
}

/// A new signing secret, which is shown this once.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SigningSecret {
    /// `whsec_…`.
    #[schema(example = "whsec_…")]
    pub signing_secret: Option<String>,
    /// Until when deliveries are signed with the former secret too; left out when it was dropped at once.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:05+0000")]
    pub previous_valid_until: Option<Timestamp>,
}

/// An integration to install.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "InstalledIntegrationInput")]
#[request(update(
    name = ChangeInput,
    schema = "InstalledIntegrationUpdate",
    doc = "The changes to an integration: what is left out stays as it is."
))]
pub struct Input {
    /// What people call it. `name` is taken too.
    #[request(also = ["name"], filled, chars = LONGEST_NAME, parse = trimmed)]
    display_name: String,
    /// What it is for.
    description: Option<String>,
    /// The notifier of its events, unless they have their own.
    #[request(also = ["notifier"])]
    base_notifier: Option<NotifierInput>,
}

fn trimmed(text: String) -> Result<String, &'static str> {
    Ok(text.trim().to_owned())
}

/// What a body says, checked.
#[derive(Debug)]
pub struct Change {
    /// Without blanks around it.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another base notifier.
    pub notifier: Option<(Notifier, Secrets)>,
}

impl Change {
    /// Reads the body of an installation.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read_new(body: &Value, guard: &Guard) -> Result<Self, Problem> {
        let (Input { display_name, description, base_notifier }, wrong) = Input::parse_with_errors(body);
        ChangeInput { display_name: Some(display_name), description, base_notifier }.checked(body, None, wrong, guard)
    }

    /// Reads the body of a change. `stored` is the notifier that a change of it is laid over.
    pub fn read(body: &Value, stored: Option<&Value>, guard: &Guard) -> Result<Self, Problem> {
        let mut merged = body.clone();
        if let (Some(stored), Value::Object(given)) = (stored, &mut merged) {
            for name in ["baseNotifier", "notifier"] {
                if let Some(notifier) = given.get_mut(name) {
                    *notifier = crate::notifier::laid_over(stored, notifier);
                }
            }
        }
        let (change, wrong) = ignored::of_sent(body, || ChangeInput::parse_with_errors(&merged));
        change.checked(body, stored, wrong, guard)
    }
}

impl ChangeInput {
    fn checked(
        self,
        body: &Value,
        stored: Option<&Value>,
        mut wrong: FieldErrors,
        guard: &Guard,
    ) -> Result<Change, Problem> {
        let has = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
        let given = if has("notifier") && !has("baseNotifier") { "notifier" } else { "baseNotifier" };
        let notifier = self.base_notifier.and_then(|notifier| {
            notifier.checked(stored, guard, |field, message| wrong.add(&format!("{given}.{field}"), message))
        });
        wrong.check()?;
        Ok(Change { name: self.display_name, description: self.description, notifier })
    }
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
    pub fn with(mut self, credentials: Credentials, origin: &str) -> Self {
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
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "InboundAuthenticationInput")]
pub struct NewInboundAuthentication {
    /// `OAUTH2`, `BASIC` or `WEBHOOK`.
    pub auth_type: AuthType,
}

/// How the signing secret is rotated.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "SigningSecretRotation", example = json!({"revokePrevious": false}))]
pub struct SigningSecretRotation {
    /// Drops the former secret at once.
    #[request(default)]
    pub revoke_previous: bool,
}

/// Just as clients see it; that a secret changed is said beside it.
impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("Integration", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&InstalledIntegration::of(self))
    }
}
