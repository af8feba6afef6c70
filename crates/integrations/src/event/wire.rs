//! What clients see of integration events, and what an event is made of.

use api::Request;
use base::{
    Fields, Problem,
    body::{Request as _, ignored},
    matching::Meter,
    timestamp::Timestamp,
};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    check,
    config::{ACTIONS, Config, check_event_type},
    filter::Criteria,
    row::Row,
};
use crate::{
    egress::Guard,
    headers::{self, Header},
    notifier::{self, Notifier, NotifierInput, Secrets},
    template::{Entity, LONGEST_TEMPLATE},
};

/// The longest name, and the longest `endPointURI`.
const LONGEST_NAME: usize = 200;
const LONGEST_TARGET: usize = 2_000;
/// Base64 of the longest template.
const LONGEST_ENCODED: usize = LONGEST_TEMPLATE / 3 * 4 + 1_000;

api::path_id! {
    /// `INTG-EVENT-<uuid>`
    pub EventId = "eventId", "INTG-EVENT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", prefix "INTG-EVENT-"
}

/// The words of `thirdPartyEventType`.
const METHODS: [&str; 5] = ["POST", "PUT", "GET", "DELETE", "PATCH"];

/// With or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A change of an event, or a new one, read in full.
#[derive(Debug)]
pub struct ParsedEvent {
    /// What it does.
    pub config: Config,
    pub secrets: Secrets,
}

impl ParsedEvent {
    /// Reads a body, laid over what is stored: the event, and the notifier that it used. `base` is the notifier of its
    /// integration. Secret headers do not follow to another host, as the secrets of a notifier do not.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong or missing.
    pub fn of(
        body: &Value,
        stored: Option<(&Config, &Secrets)>,
        base: Option<&Notifier>,
        guard: &Guard,
        meter: &Meter,
    ) -> Result<Self, Problem> {
        ignored::of_sent(body, || Self::laid_over(body, stored, base, guard, meter))
    }

    fn laid_over(
        body: &Value,
        stored: Option<(&Config, &Secrets)>,
        base: Option<&Notifier>,
        guard: &Guard,
        meter: &Meter,
    ) -> Result<Self, Problem> {
        Fields::of(body).finish()?;
        let stored_body = stored.map(|(config, secrets)| config.to_body(secrets));
        let merged = stored_body.as_ref().map_or_else(|| body.clone(), |stored| laid_over(stored, body));
        let former = stored.map(|(_, secrets)| secrets);
        let mut fields = Fields::of(&merged);
        let mut secrets = Secrets::default();
        let mut given = Input::read(&mut fields);
        if given.entity == Some("ALERT") {
            if given.event_type.is_some_and(|word| word != "NONE") {
                fields.error("eventType", "must be NONE for the entity ALERT");
            }
            given.event_type = Some("NONE");
        }
        check_event_type(&mut fields, given.entity, given.event_type);
        given.filter_criteria =
            fields.object("filterCriteria").map(|mut criteria| Criteria::read(&mut criteria, meter));
        let use_base = given.use_base_notifier.unwrap_or(!fields.has("notifier"));
        if !use_base {
            fields.require("notifier");
        }
        let refuse = |field: &str, message: String| fields.error(&format!("notifier.{field}"), message);
        let known = stored_body.as_ref().and_then(|body| body.get("notifier"));
        let read = given.notifier.and_then(|notifier| notifier.checked(known, guard, refuse));
        let (notifier, of_notifier) = read.map_or((None, Secrets::default()), |(one, two)| (Some(one), two));
        secrets.0.extend(of_notifier.0);
        let used = if use_base { base } else { notifier.as_ref() };
        let has_moved =
            stored.is_some_and(|(config, _)| notifier::origin_of(config.effective(base)) != notifier::origin_of(used));
        let mut headers = given.headers.unwrap_or_default();
        for (place, header) in headers.iter_mut().enumerate().filter(|(_, header)| headers::is_secret(&header.key)) {
            let name = format!("header:{}", header.key.to_ascii_lowercase());
            let given = std::mem::take(&mut header.value);
            // An empty value is what an answer showed: the former one stays.
            let value = if given.is_empty() {
                let known = former.and_then(|known| known.get(&name));
                if has_moved && known.is_some() {
                    fields.error(&format!("headers[{place}].value"), "is required: the event would call another host");
                }
                known.cloned()
            } else {
                Some(base::Secret::new(given))
            };
            if let Some(value) = value {
                secrets.0.insert(name, value);
            }
        }
        let event_payload = given.payload.or(given.event_payload).unwrap_or_default();
        let used = used.cloned();
        let config = Config {
            name: given.name.unwrap_or_default(),
            entity: given.entity.map(ToOwned::to_owned),
            event_type: given.event_type.map(ToOwned::to_owned),
            filter_criteria: given.filter_criteria,
            use_base_notifier: use_base,
            notifier,
            end_point_uri: given.end_point_uri.unwrap_or_default(),
            third_party_event_type: given.third_party_event_type.unwrap_or("POST").to_owned(),
            headers,
            // A byte order mark is none of the text, and would hide what the text is.
            event_payload: event_payload.strip_prefix('\u{FEFF}').map(ToOwned::to_owned).unwrap_or(event_payload),
            response_headers: given.response_headers.unwrap_or_default(),
        };
        check::templates(&mut fields, &config, &secrets, used.as_ref());
        fields.check()?;
        // What is stored stays, and is shown as broken.
        if let Some(criteria) = &config.filter_criteria
            && body.get("filterCriteria").is_some_and(|given| !given.is_null())
        {
            for (place, message) in criteria.unknown_keys(config.entity()).into_iter().enumerate() {
                message
                    .into_iter()
                    .for_each(|message| fields.error(&format!("filterCriteria.rules[{place}].key"), message));
            }
        }
        fields.finish()?;
        Ok(Self { config, secrets })
    }
}

/// Lays the fields of criteria over the former ones: who changes `matchType` alone keeps the rules.
fn over_criteria(stored: &Value, change: &Value) -> Value {
    let (Some(old), Some(new)) = (stored.as_object(), change.as_object()) else { return change.clone() };
    Value::Object(notifier::merge_object(old.clone(), new))
}

/// Lays the fields of a change over what is stored.
type LayOver = fn(&Value, &Value) -> Value;

/// Lays the fields of a change over a whole; those of the notifier and of the criteria one by one.
fn laid_over(stored: &Value, change: &Value) -> Value {
    let (Some(old), Some(new)) = (stored.as_object(), change.as_object()) else { return change.clone() };
    let mut merged = notifier::merge_object(old.clone(), new);
    for (name, lay_over) in [("notifier", notifier::laid_over as LayOver), ("filterCriteria", over_criteria)] {
        if let (Some(stored), Some(value)) = (old.get(name), notifier::given(new, name)) {
            merged.insert(name.to_owned(), lay_over(stored, value));
        }
    }
    let is_given = |name: &str| notifier::given(new, name).is_some();
    // Of the two ways to give the template, the one that the change has counts.
    if is_given("payload") {
        merged.remove("eventPayload");
    }
    // A notifier that is given alone is meant to be used.
    if is_given("notifier") && !is_given("useBaseNotifier") {
        merged.insert("useBaseNotifier".to_owned(), json!(false));
    }
    Value::Object(merged)
}

/// An integration event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationEvent, example = json!({
    "id": "INTG-EVENT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "Ticket for an incident", "entity": "INCIDENT",
    "eventType": "CREATE", "active": true, "state": "Active", "useBaseNotifier": false,
    "filterCriteria": {"id": 1, "name": "Ticket for an incident", "matchType": "ALL", "actions": [], "rules": [
        {"id": 1, "resourceType": "INCIDENT", "key": "Subject", "operator": "Contains", "value": "disk"}]},
    "notifier": {"type": "REST_API", "baseURI": "https://example.net/api", "authType": "BASIC", "userName": "muster"},
    "endPointURI": "/tickets", "thirdPartyEventType": "POST", "headers": [{"key": "X-Source", "value": "muster"}],
    "eventPayload": "{\"title\": \"$incident.subject\"}", "responseHeaders": [],
    "createdDate": "2026-11-20T20:37:00+0000"
}))]
pub struct Event {
    /// `INTG-EVENT-<uuid>`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is about; without it the event never fires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// On which action; without it the event never fires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// Is it switched on?
    pub active: bool,
    /// `Active`; `Inactive` when it is switched off; `Incomplete` when it lacks a notifier, an entity or an event type,
    /// and so never fires.
    #[schema(pattern = "^(Active|Inactive|Incomplete)$", example = "Active")]
    pub state: &'static str,
    /// Why it does not fire, when it was deactivated because of its endpoint, or lacks something.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub inactive_because: String,
    /// Which entities it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_criteria: Option<Criteria>,
    /// Does it use the notifier of its integration?
    pub use_base_notifier: bool,
    /// The notifier that it uses, without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifier: Option<Notifier>,
    /// What is joined to `baseURI`.
    #[serde(rename = "endPointURI", skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub end_point_uri: String,
    /// The method.
    #[schema(example = "POST")]
    pub third_party_event_type: String,
    /// Headers; those that hold a credential without their values.
    pub headers: Vec<Header>,
    /// The template, decoded.
    pub event_payload: String,
    /// Headers that the answer is expected to have.
    pub response_headers: Vec<Header>,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last; left out before the first change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:05+0000")]
    pub updated_date: Option<Timestamp>,
}

impl Event {
    /// What is shown of a row; `base` is the notifier of its integration.
    pub fn of(row: &Row, base: Option<Notifier>) -> Self {
        let mut config = row.config.0.clone();
        let entity = config.entity();
        if let Some(criteria) = &mut config.filter_criteria {
            let broken = criteria.unknown_keys(entity);
            criteria.rules.iter_mut().zip(broken).for_each(|(rule, broken)| rule.broken = broken);
        }
        let lacks = config.lacks(base.as_ref());
        let (state, inactive_because) = match (row.active, lacks) {
            (false, _) => ("Inactive", row.inactive_because.clone()),
            (true, Some(lacks)) => ("Incomplete", format!("it has no {lacks}, and never fires")),
            (true, None) => ("Active", String::new()),
        };
        let name = Some(config.name.clone()).filter(|name| !name.is_empty());
        Self {
            id: row.id.clone(),
            name: config.name,
            entity: config.entity,
            event_type: config.event_type,
            active: row.active,
            state,
            inactive_because,
            filter_criteria: config.filter_criteria.map(|criteria| Criteria { name, ..criteria }),
            use_base_notifier: config.use_base_notifier,
            notifier: if config.use_base_notifier { base } else { config.notifier },
            end_point_uri: config.end_point_uri,
            third_party_event_type: config.third_party_event_type,
            headers: config.headers,
            event_payload: config.event_payload,
            response_headers: config.response_headers,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: row.updated_ms.map(Timestamp::from_millis),
        }
    }
}

/// An event to create or to change; what a change leaves out stays as it is.
#[derive(Debug, Request)]
#[request(schema = "IntegrationEventInput")]
pub struct Input {
    /// Its name.
    #[request(chars = LONGEST_NAME, parse = trimmed)]
    name: Option<String>,
    /// `INCIDENT`, `SERVICEREQUEST`, `CHANGE`, `PROBLEM`, `TASK`, `Resource` or `ALERT`, and others that are told of.
    #[request(words = Entity::WORDS)]
    entity: Option<&'static str>,
    /// `NONE`, `CREATE`, `UPDATE` or `DELETE`, and others that some entities have; for `ALERT` it is `NONE`.
    #[request(words = ACTIONS)]
    event_type: Option<&'static str>,
    /// Which entities it is about.
    #[request(with = read_apart)]
    filter_criteria: Option<Criteria>,
    /// `true` uses the notifier of the integration; `false` makes `notifier` required.
    use_base_notifier: Option<bool>,
    /// A notifier of its own.
    notifier: Option<NotifierInput>,
    /// What is joined to `baseURI`; may hold placeholders.
    #[request(name = "endPointURI", chars = LONGEST_TARGET, parse = trimmed)]
    end_point_uri: Option<String>,
    /// `POST` (default), `PUT`, `GET`, `DELETE` or `PATCH`.
    #[request(words = METHODS)]
    third_party_event_type: Option<&'static str>,
    /// Headers of the call; values may hold placeholders.
    #[request(with = headers::read, items = 0..=headers::MOST)]
    headers: Option<Vec<Header>>,
    /// The template, encoded in base 64.
    #[request(with = decoded, chars = LONGEST_ENCODED)]
    payload: Option<String>,
    /// The template as it is, in place of `payload`.
    #[request(with = plain_payload, chars = LONGEST_TEMPLATE)]
    event_payload: Option<String>,
    /// Headers that the answer is expected to have; they are recorded with each attempt.
    #[request(with = headers::read_expected, items = 0..=headers::MOST)]
    response_headers: Option<Vec<Header>>,
}

fn trimmed(text: String) -> Result<String, &'static str> {
    Ok(text.trim().to_owned())
}

/// Criteria are read where their expressions are counted.
fn read_apart(_: &mut Fields<'_>, _: &str) -> Option<Criteria> {
    None
}

fn decoded(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    let encoded = fields.text_max(name, LONGEST_ENCODED)?;
    let compact: String = encoded.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    match BASE64.decode(compact).ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) if text.contains('\0') => fields.error(name, "must not contain a NUL character"),
        Some(text) => return Some(text),
        None => fields.error(name, "must be text encoded in base 64"),
    }
    None
}

/// Not read beside a `payload`.
fn plain_payload(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    if fields.has("payload") { None } else { fields.text_max(name, LONGEST_TEMPLATE) }
}

/// The placeholders of an entity.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventPlaceholders)]
pub struct Placeholders {
    /// The entity.
    #[schema(example = "INCIDENT")]
    pub entity: &'static str,
    /// What a template may hold.
    #[schema(example = json!(["$incident.subject", "$incident.tags.*", "$event.id"]))]
    pub place_holders: Vec<String>,
    /// Calls.
    #[schema(example = json!(["$utils.convertDate($incident.createdDate,'yyyy-MM-dd')"]))]
    pub functions: Vec<String>,
    /// Which page of the placeholders this is; its `results` are `placeHolders` once more.
    #[serde(flatten)]
    #[schema(inline, value_type = api::spec::PageOf<String>)]
    pub page: base::page::Page<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_changes_nothing() {
        let notifier = json!({"baseURI": "https://a.net/x"});
        let stored = json!({"name": "n", "eventPayload": "{}", "useBaseNotifier": true, "notifier": notifier,
            "filterCriteria": {"matchType": "ANY"}});
        for name in ["payload", "eventPayload", "notifier", "useBaseNotifier", "filterCriteria", "name"] {
            assert_eq!(laid_over(&stored, &json!({ name: null })), stored, "{name}");
        }
        let both = laid_over(&stored, &json!({"payload": null, "eventPayload": "new"}));
        assert_eq!(both["eventPayload"], json!("new"));
        let alone = laid_over(&stored, &json!({"notifier": notifier, "useBaseNotifier": null}));
        assert_eq!(alone["useBaseNotifier"], json!(false));
    }
}
