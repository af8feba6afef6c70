//! The configuration of an event.

use base::Fields;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::filter::Criteria;
use crate::{
    headers::Header,
    notifier::{Notifier, Secrets},
    template::Entity,
};

/// The words of `eventType`.
pub const ACTIONS: [&str; 8] = ["NONE", "CREATE", "UPDATE", "DELETE", "OPENED", "CLOSED", "ONCALLCHANGED", "UNCOVERED"];

/// The configuration of an event, without its secrets; stored as JSON under the names of the interface.
#[api::without_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    pub name: String,
    /// One of [`Entity::WORDS`]; without one it never fires.
    pub entity: Option<String>,
    /// One of [`ACTIONS`]; without one it never fires.
    pub event_type: Option<String>,
    /// Which entities it is about.
    pub filter_criteria: Option<Criteria>,
    /// Does it use the notifier of its integration?
    pub use_base_notifier: bool,
    /// Its own notifier.
    pub notifier: Option<Notifier>,
    /// What is joined to the base of the URL; may hold placeholders.
    #[serde(rename = "endPointURI", skip_serializing_if = "String::is_empty")]
    pub end_point_uri: String,
    /// The method.
    pub third_party_event_type: String,
    /// Headers; the values of secret ones are kept apart.
    pub headers: Vec<Header>,
    /// The template.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event_payload: String,
    /// Headers that the answer is expected to have.
    pub response_headers: Vec<Header>,
}

/// Notes an action that is none of an entity's.
pub fn check_event_type(fields: &mut Fields<'_>, entity: Option<&str>, action: Option<&str>) {
    let known = entity.and_then(Entity::find).filter(|entity| *entity != Entity::Alert);
    if let Some((entity, action)) = known.zip(action).filter(|(entity, action)| !entity.takes(action)) {
        fields.error("eventType", format!("must not be {action} for the entity {}", entity.word()));
    }
}

impl Config {
    /// The kind of entity that it is about.
    pub fn entity(&self) -> Option<Entity> {
        Entity::find(self.entity.as_deref()?)
    }

    /// The name of a missing field without which it cannot fire.
    pub fn lacks(&self, base: Option<&Notifier>) -> Option<&'static str> {
        let has = [
            ("notifier", self.effective(base).is_some()),
            ("entity", self.entity.is_some()),
            ("eventType", self.event_type.is_some()),
        ];
        has.into_iter().find(|(_, has)| !has).map(|(name, _)| name)
    }

    /// The notifier that it uses; `base` is that of its integration.
    pub fn effective<'n>(&'n self, base: Option<&'n Notifier>) -> Option<&'n Notifier> {
        if self.use_base_notifier { base } else { self.notifier.as_ref() }
    }

    /// As a request body, with its secrets: the base of an update.
    pub fn to_body(&self, secrets: &Secrets) -> Value {
        let mut body = serde_json::to_value(self).unwrap_or_default();
        if let (Some(notifier), Value::Object(fields)) = (&self.notifier, &mut body) {
            fields.insert("notifier".to_owned(), notifier.to_body(secrets));
        }
        body
    }
}
