//! Which window would catch an alert, rule by rule; nothing is stored.

use actix_web::{HttpResponse, post, web};
use api::{At, Body, answer};
use base::{
    matching::{Outcome, Rule},
    problem::{Problem, shorten},
};
use db::Result;
use ports::{KnownResource, ResourceKey};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    Covered, Windows,
    port::longest,
    wire::{Match, ResourceName, Tried, TriedRule, WindowName},
};

/// An alert. Besides what names its resource it has whatever alerts have: the rules of windows look for their keys in it.
#[derive(ToSchema)]
#[schema(as = MaintenanceMatchInput)]
#[expect(dead_code, reason = "documents what is read as any object")]
pub struct MatchInput {
    /// The resource, by `id`, `hostName`, `extResourceId`, `ipAddress` or `macAddress`; `device` is the same.
    #[schema(value_type = Object)]
    resource: Value,
    /// What it is about.
    subject: Option<String>,
}

/// Try an alert on the maintenance windows
///
/// Says which window would make an alert a maintenance alert, now or at another time, and what each rule of each window
/// that covers its resource says of it. Nothing is stored.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "matchMaintenanceWindows",
    params(("at" = Option<String>, Query, description = "The instant; default now", example = "2026-11-20T23:00:00+0000")),
    request_body(content = MatchInput, example = json!({
        "resource": {"hostName": "web-01"}, "subject": "Disk /var is full", "currentState": "Critical", "metric": "disk"
    })),
    responses((status = 200, description = "What the windows say", body = Match)),
    security(("bearer" = ["viewer"]))
)]
#[post("/scheduleMaintenances/match")]
pub async fn try_alert(at: At, windows: web::Data<Windows>, body: Body) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let instant = query.timestamp("at").unwrap_or(at.now);
    query.finish()?;
    let (path, key) = resource_key(&body.0)?;
    let (scope, alert) = (at.scope(), body.0);
    let shown = at
        .db
        .read(move |conn| {
            let found = windows.resources().find(conn, &scope, std::slice::from_ref(&key))?;
            let resource = only(found.into_iter().flatten().collect(), &path)?;
            let ids = std::slice::from_ref(&resource.id);
            let covered = windows.covered(conn, &resource.tenant_id, ids, instant)?.into_iter().flatten();
            Ok(shown(&covered.collect::<Vec<_>>(), &resource, &alert))
        })
        .await?;
    answer::ok(&shown)
}

/// How an alert names its resource, and where.
fn resource_key(alert: &Value) -> std::result::Result<(String, ResourceKey), Problem> {
    let Some(alert) = alert.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let given = ["resource", "device"].into_iter().find_map(|name| Some((name, alert.get(name)?)));
    let Some((name, resource)) = given.filter(|(_, value)| !value.is_null()) else {
        return Err(Problem::field("resource", "is required"));
    };
    if let Some(text) = resource.as_str() {
        let is_id = uuid::Uuid::try_parse(text.trim()).is_ok();
        let key = if is_id { ResourceKey::Id(text.to_owned()) } else { ResourceKey::HostName(text.to_owned()) };
        return Ok((name.to_owned(), key));
    }
    let kinds: [(&str, fn(String) -> ResourceKey); 7] = [
        ("id", ResourceKey::Id),
        ("uniqueId", ResourceKey::Id),
        ("hostName", ResourceKey::HostName),
        ("extResourceId", ResourceKey::ExtResourceId),
        ("ipAddress", ResourceKey::IpAddress),
        ("macAddress", ResourceKey::MacAddress),
        ("name", ResourceKey::HostName),
    ];
    let text = |field: &str| resource.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let found =
        kinds.into_iter().find_map(|(field, key)| Some((format!("{name}.{field}"), key(text(field)?.to_owned()))));
    found.ok_or_else(|| {
        let fields = kinds.map(|(field, _)| field).join(", ");
        Problem::field(name, format!("must have a text in one of {fields}"))
    })
}

fn only(found: Vec<KnownResource>, path: &str) -> Result<KnownResource> {
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(Problem::field(path, "names no resource of the tenant").into()),
        (Some(one), Some(other)) => {
            let ids = shorten(&format!("{}, {}", one.id, other.id));
            Err(Problem::field(path, format!("names more than one resource, give the id: {ids}")).into())
        }
    }
}

fn shown(covered: &[Covered], resource: &KnownResource, alert: &Value) -> Match {
    let window = longest(covered, alert).map(|covered| WindowName::from(&*covered.window));
    Match {
        alert_type: if window.is_some() { "Maintenance" } else { "Monitoring" },
        resource: ResourceName::from(resource),
        window,
        windows: covered.iter().map(|covered| tried(covered, alert)).collect(),
    }
}

fn tried(covered: &Covered, alert: &Value) -> Tried {
    let conditions = covered.window.conditions.as_ref();
    let rules = conditions.map(|(rules, matcher)| {
        let rule = |(rule, outcome): (&Rule, Outcome)| TriedRule {
            key: rule.key.clone(),
            operator: rule.operator.word(),
            value: rule.value.clone(),
            found: outcome.texts,
            matches: outcome.holds,
        };
        rules.rules.iter().zip(matcher.explain(alert)).map(rule).collect()
    });
    Tried {
        window: WindowName::from(&*covered.window),
        via: covered.via.word(),
        since: covered.open.start(),
        until: covered.open.end(),
        matches: covered.window.catches(alert),
        matching_type: conditions.map(|(rules, _)| rules.match_type.word()),
        rules: rules.unwrap_or_default(),
    }
}
