//! Which window would catch an alert, rule by rule; nothing is stored.

use actix_web::{HttpResponse, web};
use api::{Body, RequestContext, answer, cpu, post};
use base::{
    body::ignored,
    matching::{Exhausted, Meter, Outcome, Rule},
    problem::Problem,
    timestamp::Timestamp,
};
use ports::{AlertPreview, Alerts, ResourceSummary};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    drafts::Drafts,
    port::catching,
    windows::{CoveringWindow, Windows},
    wire::{Match, ResourceName, TriedRule, WindowMatch},
};
use crate::window::wire::{NewWindow, WindowName};

/// An alert, as it is reported. The rules of windows look for their keys in what would become of it.
#[derive(ToSchema)]
#[schema(as = MaintenanceMatchInput, rename_all = "camelCase")]
#[expect(dead_code, reason = "an alert is read by those who take alerts in, behind `ports`")]
pub struct MatchInput {
    /// The resource, by `id`, `hostName`, `extResourceId`, `ipAddress` or `macAddress`, or a text that is one of them;
    /// `resource` is the same.
    #[schema(value_type = Object)]
    device: Value,
    /// `Critical`, `Warning`, `Ok` or `Info`, in any letter case.
    #[schema(pattern = "^(Critical|Warning|Info|Ok)$")]
    current_state: String,
    /// What it is about; required where no metric is named.
    subject: Option<String>,
    /// Windows to try beside those that are stored, as a create takes them. One with the `uniqueId` of a stored window
    /// is tried in its place.
    #[schema(max_items = 10)]
    windows: Option<Vec<NewWindow>>,
}

/// The instant for which an alert is tried.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct InstantQuery {
    /// The instant; default now.
    #[request(example = "2026-11-20T23:00:00+0000")]
    pub at: Option<Timestamp>,
}

/// Try an alert against the maintenance windows
///
/// Says which window would make an alert a maintenance alert, now or at another time, and what each rule of each window
/// that covers its resource says of it. It is read as one that is reported. `windows` are tried beside those that are
/// stored. Nothing is stored.
#[utoipa::path(
    operation_id = "matchMaintenanceWindows",
    params(InstantQuery),
    request_body(content = MatchInput, example = json!({
        "device": {"hostName": "web-01"}, "subject": "Disk /var is full", "currentState": "Critical"
    })),
    responses((status = 200, description = "What the windows say", body = Match)),
    security(("bearer" = ["viewer"]))
)]
#[post("/scheduleMaintenances/match")]
pub async fn try_alert(
    context: RequestContext<InstantQuery>,
    windows: web::Data<Windows>,
    alerts: web::Data<dyn Alerts>,
    body: Body,
) -> api::Result<HttpResponse> {
    let at = context.query.at.unwrap_or(context.now);
    let read = cpu::read(body, |body, meter| {
        let mut alert = body.clone();
        let windows = alert.as_object_mut().and_then(|members| members.shift_remove("windows"));
        let (drafts, wrong) = Drafts::read(&json!({"windows": windows}), meter);
        Ok((drafts, wrong, alert))
    });
    let (drafts, wrong, body) = read.await?;
    let read = context.read(move |conn, scope| {
        let tenant = scope.tenant_id();
        let seen = scope.scope();
        // What is collected where requests are answered is not collected on this thread.
        let (told, ignored) = ignored::collect(|| alerts.preview(conn, tenant, &seen, &body, at));
        let told = told?;
        let resource = resource_of(&body, &told)?;
        let ids = std::slice::from_ref(&resource.id);
        let (more, stands_for) = drafts.covering(conn, &windows, (tenant, &seen), wrong, (&resource, at))?;
        let stored = windows.covered(conn, &resource.tenant_id, ids, at)?.into_iter().flatten();
        let mut covered: Vec<CoveringWindow> =
            stored.filter(|covered| !stands_for.contains(&covered.window.id)).chain(more).collect();
        covered.sort_by(|one, other| one.window.name().cmp(&other.window.name()));
        Ok((covered, resource, told.alert, seen, ignored))
    });
    let (covered, resource, alert, seen, ignored) = read.await?;
    ignored::report(ignored);
    let tried = cpu::run(move |meter| {
        shown(&covered, &resource, &alert, &seen, meter).map_err(|_| {
            Problem::invalid("The conditions of the windows take too long to match against this alert.").into()
        })
    });
    answer::ok(&tried.await?)
}

/// The resource of an alert, which windows cover or do not.
fn resource_of(body: &Value, told: &AlertPreview) -> Result<ResourceSummary, Problem> {
    let name = if body.get("device").is_some_and(|given| !given.is_null()) { "device" } else { "resource" };
    told.resource.clone().ok_or_else(|| Problem::field(name, told.problem.unwrap_or("is required")))
}

fn shown(
    covered: &[CoveringWindow],
    resource: &ResourceSummary,
    alert: &Value,
    scope: &[String],
    meter: &Meter,
) -> Result<Match, Exhausted> {
    let window = catching(covered, alert, meter)?.first().map(|covered| WindowName::from(&*covered.window));
    Ok(Match {
        alert_type: if window.is_some() { "Maintenance" } else { "Monitoring" },
        resource: ResourceName::from(resource),
        window,
        windows: covered.iter().map(|covered| tried(covered, alert, scope, meter)).collect::<Result<_, _>>()?,
    })
}

/// The rules of a window are told to those who may read the window: not to a client, when it is its partner's.
fn tried(covered: &CoveringWindow, alert: &Value, scope: &[String], meter: &Meter) -> Result<WindowMatch, Exhausted> {
    let conditions = covered.window.conditions.as_ref().filter(|_| scope.contains(&covered.window.tenant_id));
    let mut shown = Vec::new();
    if let Some((rules, matcher)) = conditions {
        let rule = |(rule, outcome): (&Rule, Outcome)| TriedRule {
            key: rule.key.clone(),
            operator: rule.operator.word(),
            value: rule.value.clone(),
            found: outcome.texts,
            matches: outcome.holds,
        };
        shown.extend(rules.rules.iter().zip(matcher.explain(alert, meter)?).map(rule));
    }
    Ok(WindowMatch {
        window: WindowName::from(&*covered.window),
        saved: covered.window.is_saved(),
        via: covered.via.word(),
        since: covered.open.start(),
        until: covered.open.end(),
        matches: covered.window.catches(alert, meter)?,
        matching_type: conditions.map(|(rules, _)| rules.match_type.word()),
        rules: shown,
    })
}
