//! Takes the steps of an escalation that are due: whom they mean is asked, and each page becomes a row, in the
//! transaction that decides it. What is asked once for many escalations, and stored for many, is in
//! [`EscalationBatch`].

use std::collections::BTreeSet;

use base::{matching::Meter, timestamp::Timestamp};
use db::{Conn, Json, MaybeJson, Result};
use serde_json::Value;

use super::{
    correlation::{self, Correlation},
    outages,
    resolve::TargetRecipients,
    rules::{self, AlertChange, Stage, State},
    store::{self, Row},
    work::EscalationBatch,
};
use crate::{
    configuration::{
        methods::{self, row::Method},
        notification::rules::URGENCIES,
        policies,
        routing::choose,
    },
    delivery::pages::{
        facts::{Facts, rank},
        store as pages,
    },
};

/// The sender of what the service says of the room for alerts, by which no other alert is reported.
const OPEN_ALERTS: &str = "openAlerts";

/// Alerts of one policy that come within this time of each other are one conversation.
const CONVERSATION_MS: i64 = 10 * 60_000;

/// What became of an alert, by its states before and after; `None` when that is nobody's business.
pub fn change_of(before: Option<&Value>, after: &Value) -> Option<AlertChange> {
    let severity = |alert: &Value| rank(alert["currentState"].as_str().unwrap_or_default());
    Some(match after["status"].as_str()? {
        "New" => AlertChange::Open { worse: before.is_some_and(|before| severity(after) > severity(before)) },
        "Acknowledged" => AlertChange::Acknowledged,
        "Suppressed" => AlertChange::Suppressed,
        _ => AlertChange::Closed,
    })
}

/// Takes over what became of an alert that nobody else has in hand ([`store::alone`]).
pub fn on_alert_change(
    conn: &mut Conn,
    work: &mut EscalationBatch<'_>,
    tenant: &str,
    before: Option<&Value>,
    after: &Value,
) -> Result<()> {
    let (Some(heard), Some(id)) = (change_of(before, after), after["id"].as_str()) else { return Ok(()) };
    let now = work.now;
    let Some(old) = work.find(conn, tenant, id)? else {
        // What was open before there was anybody to hear of it is not news, unless it is worse now.
        let was_open = before.is_some_and(|before| before["status"] == "New");
        return match heard {
            AlertChange::Open { worse } if worse || !was_open => begin(conn, work, tenant, id, after, 0),
            _ => Ok(()),
        };
    };
    let state = old.state();
    if state.stage == Stage::NoPolicy && heard == (AlertChange::Open { worse: true }) {
        store::delete(conn, &old)?;
        // What was noted of it before stays.
        return begin(conn, work, tenant, id, after, old.round + 1);
    }
    // An acknowledgement counts once: one that held for its time may be reported with what was heard before.
    let known = heard == AlertChange::Acknowledged && before.is_some_and(|before| before["status"] == after["status"]);
    let next = if known { state } else { state.after(&old.policy.plan(), heard, now.millis()) };
    let told = old.alert.0.clone();
    let facts = Facts {
        flaps: told.flaps,
        raised: raised(before, after).unwrap_or_else(|| told.raised.clone()),
        ..Facts::of(after, &old.policy_name)
    };
    let becomes_urgent = becomes_urgent(&old, &facts.severity);
    let next = if becomes_urgent && next.stage == state.stage { next.urgent(now.millis()) } else { next };
    // That it was reported once more is not a change that anybody has to be told of.
    if next == state && (Facts { repeats: told.repeats, trace: told.trace.clone(), ..facts.clone() }) == told {
        return Ok(());
    }
    stop_pages(conn, &old, next, becomes_urgent)?;
    if let Some(places) = &old.stands_for.0 {
        let down = matches!(heard, AlertChange::Open { .. } | AlertChange::Acknowledged) && is_down(after);
        outages::set(conn, tenant, id, places, down, now.millis())?;
    }
    let urgency = if becomes_urgent { URGENCIES[0].to_owned() } else { old.urgency.clone() };
    let row = Row { alert: Json(facts), urgency, ..old }.with(next, now.millis());
    advance(conn, work, row)
}

/// Is what was not urgent urgent by its state now? It stays so, and is so, too, where nobody was to hear of it.
fn becomes_urgent(old: &Row, severity: &str) -> bool {
    old.urgency != URGENCIES[0] && urgency(&old.policy.urgency, severity) == URGENCIES[0]
}

/// Stops what was not sent yet and is answered, or is told as urgent instead. That all steps were taken is not an
/// answer: what they decided is sent all the same.
fn stop_pages(conn: &mut Conn, old: &Row, next: State, becomes_urgent: bool) -> Result<()> {
    let why = match next.stage {
        Stage::Acknowledged | Stage::Suppressed | Stage::Closed => next.stage.word(),
        _ if becomes_urgent => "urgent now",
        _ => return Ok(()),
    };
    pages::stop(conn, &old.tenant_id, &old.alert_id, why)
}

/// What an alert was and is, where it got worse.
fn raised(before: Option<&Value>, after: &Value) -> Option<String> {
    let state = |alert: &Value| alert["currentState"].as_str().map(ToOwned::to_owned);
    let was = state(before?)?;
    let is = state(after)?;
    (rank(&is) > rank(&was)).then(|| format!("raised from {was} to {is}"))
}

/// Takes over what became of an escalation whose facts stay as they are, but for the state that it counts as having.
pub fn follow(
    conn: &mut Conn,
    work: &mut EscalationBatch<'_>,
    row: Row,
    heard: Option<AlertChange>,
    severity: &str,
) -> Result<()> {
    let now = work.now.millis();
    let state = row.state();
    let next = heard.map_or(state, |heard| state.after(&row.policy.plan(), heard, now));
    let becomes_urgent = becomes_urgent(&row, severity);
    let next = if becomes_urgent && next.stage == state.stage { next.urgent(now) } else { next };
    if next == state && !becomes_urgent {
        return Ok(());
    }
    stop_pages(conn, &row, next, becomes_urgent)?;
    let mut row = row.with(next, now);
    if becomes_urgent {
        URGENCIES[0].clone_into(&mut row.urgency);
        severity.clone_into(&mut row.alert.severity);
    }
    advance(conn, work, row)
}

/// Begins an escalation by a policy that somebody chose.
pub fn begin_by(
    conn: &mut Conn,
    work: &mut EscalationBatch<'_>,
    tenant: &str,
    told: &Value,
    policy: policies::row::Policy,
    round: i64,
) -> Result<()> {
    let id = told["id"].as_str().unwrap_or_default();
    let blank = blank(tenant, id, told, &Correlation::default(), work.now);
    let severity = told["currentState"].as_str().unwrap_or_default();
    let row = Row {
        policy_tenant: policy.tenant_id.clone(),
        policy_id: policy.id.clone(),
        policy_name: policy.name.clone(),
        urgency: urgency(&policy.document.urgency, severity).to_owned(),
        conversation: format!("CNV-{}", uuid::Uuid::now_v7()),
        alert: Json(Facts::of(told, &policy.name)),
        policy: policy.document,
        ..blank
    };
    start(conn, work, row, round)
}

/// Begins the escalation of an alert: finds its policy, and takes the first step. An alert without one is a gap that is
/// shown. `round` is one that there was not yet.
fn begin(
    conn: &mut Conn,
    work: &mut EscalationBatch<'_>,
    tenant: &str,
    id: &str,
    alert: &Value,
    round: i64,
) -> Result<()> {
    let now = work.now;
    let meter = Meter::new(Meter::WRITE);
    let choice = choose::choose(conn, work.neighbours, &mut work.routing, tenant, alert, now, &meter)?;
    let severity = alert["currentState"].as_str().unwrap_or_default();
    if choice.policy.is_none() && severity == "Info" {
        return Ok(());
    }
    let problem = correlation::problem(alert);
    let before = correlation::count(conn, work, tenant, &problem)?;
    let correlation = correlation::of(conn, work.neighbours, tenant, alert, problem, before)?;
    if !correlation.stands_for.is_empty() {
        outages::set(conn, tenant, id, &correlation.stands_for, is_down(alert), now.millis())?;
    }
    let blank = blank(tenant, id, alert, &correlation, now);
    let route = choice.considered.last().filter(|asked| asked.takes == Some(true));
    let policy = match choice.policy {
        None if alert["sender"] == OPEN_ALERTS => for_administrators(conn, work, tenant, now)?,
        chosen => chosen,
    };
    let Some(policy) = policy else {
        let row = blank.with(State::without_policy(round), now.millis());
        let why = "no alert route takes it, and there is no default";
        work.tell(vec![row.gap(round, 0, "", "", why, now)]);
        work.begin(row);
        return Ok(());
    };
    let row = Row {
        policy_tenant: policy.tenant_id.clone(),
        policy_id: policy.id.clone(),
        policy_name: policy.name.clone(),
        route_id: route.map(|asked| asked.route.id.clone()).unwrap_or_default(),
        urgency: urgency(&policy.document.urgency, severity).to_owned(),
        conversation: work.conversation(conn, tenant, &policy.id, now.millis() - CONVERSATION_MS)?,
        alert: Json(Facts { flaps: correlation.flaps, ..Facts::of(alert, &policy.name) }),
        policy: policy.document,
        waits_until_ms: correlation.outage.as_ref().map(|_| now.millis() + rules::WAITS_MS),
        waits_for: correlation.outage.map(|outage| outage.alert).unwrap_or_default(),
        ..blank
    };
    start(conn, work, row, round)
}

/// A policy for what the service itself has to say to a tenant and no route takes: all of its administrators, or of its
/// partner's where it has none, until one of them answers.
fn for_administrators(
    conn: &mut Conn,
    work: &EscalationBatch<'_>,
    tenant: &str,
    now: Timestamp,
) -> Result<Option<policies::row::Policy>> {
    let people = &work.neighbours.people;
    for owner in people.own_and_partner(conn, tenant)? {
        let administrators = people.administrators(conn, &owner)?;
        let methods = methods::store::of_users(conn, std::slice::from_ref(&owner), &administrators)?;
        let reached: BTreeSet<String> =
            methods.into_iter().filter(|method| method.verified).map(|method| method.user_id).collect();
        if !reached.is_empty() {
            return Ok(Some(policies::rules::for_people(&owner, "Administrators", reached, now)));
        }
    }
    Ok(None)
}

/// Takes the first step of a new one, and keeps where it stands then.
fn start(conn: &mut Conn, work: &mut EscalationBatch<'_>, row: Row, round: i64) -> Result<()> {
    let begun = row.with(State::begun(round, work.now.millis()), work.now.millis());
    let row = advanced(conn, work, begun)?;
    work.begin(row);
    Ok(())
}

/// How urgent an alert is, by what the policy says and by its state.
pub fn urgency<'a>(said: &'a str, severity: &str) -> &'a str {
    match said {
        "" if severity == "Critical" => URGENCIES[0],
        "" => URGENCIES[1],
        said => said,
    }
}

/// Is what an alert stands for down?
fn is_down(alert: &Value) -> bool {
    alert["currentState"] == "Critical"
}

/// An escalation that nothing is decided of yet.
pub fn blank(tenant: &str, id: &str, alert: &Value, correlation: &Correlation, now: Timestamp) -> Row {
    Row {
        tenant_id: tenant.to_owned(),
        alert_id: id.to_owned(),
        version: 0,
        policy_tenant: String::new(),
        policy_id: String::new(),
        policy_name: String::new(),
        policy: Json::default(),
        route_id: String::new(),
        stage: Stage::Running.word().to_owned(),
        round: 0,
        step: 0,
        repeats: 0,
        next_ms: None,
        urgency: URGENCIES[1].to_owned(),
        conversation: String::new(),
        alert: Json(Facts::of(alert, "")),
        created_ms: now.millis(),
        updated_ms: now.millis(),
        problem: correlation.problem.clone(),
        stands_for: MaybeJson(Some(correlation.stands_for.clone()).filter(|places| !places.is_empty())),
        waits_for: String::new(),
        waits_until_ms: None,
        actions: MaybeJson(None),
        handed_over_step: None,
    }
}

/// Takes all steps that are due, and stores where the escalation stands then.
pub fn advance(conn: &mut Conn, work: &mut EscalationBatch<'_>, row: Row) -> Result<()> {
    let row = advanced(conn, work, row)?;
    store::update(conn, &row)
}

/// Takes all steps that are due, and answers where the escalation stands then.
pub fn advanced(conn: &mut Conn, work: &mut EscalationBatch<'_>, mut row: Row) -> Result<Row> {
    let now = work.now;
    if let Some(until) = row.waits_until_ms.filter(|_| row.state().is_due(now.millis())) {
        let open = outages::is_open(conn, &row.tenant_id, &row.waits_for)?;
        let held = rules::held(until, open, now.millis());
        row.waits_until_ms = held.map(|(until, _)| until);
        if let Some((_, look)) = held {
            let state = State { next_ms: Some(look), ..row.state() };
            return Ok(row.with(state, now.millis()));
        }
    }
    let plan = row.policy.plan();
    let mut state = row.state();
    // Each step at once and the first again is the most that can be due: after the last one there is a wait.
    for _ in 0..=plan.steps.len() {
        let (next, number) = state.due(&plan, now.millis());
        state = next;
        let Some(number) = number else { break };
        let reached = match row.policy.steps.get(number) {
            Some(step) => {
                let meant = work.recipients_of_step(conn, &row, number, step)?;
                work.tell(decided(&row, state, &meant, now));
                meant.iter().any(TargetRecipients::reaches)
            }
            None => false,
        };
        state = state.taken(&plan, reached, now.millis());
    }
    Ok(row.with(state, now.millis()))
}

/// What a step sends, and what it could not.
fn decided(row: &Row, state: State, meant: &[TargetRecipients], now: Timestamp) -> Vec<pages::Row> {
    let round = state.round;
    let step = state.step;
    let mut new = Vec::new();
    for one in meant {
        if let Some(gap) = &one.gap {
            new.push(row.gap(round, step, "", &one.id, gap, now));
        }
        if one.calls {
            new.push(row.integration(round, step, &one.id, now));
        }
        for reached in &one.people {
            if let Some(gap) = &reached.gap {
                new.push(row.gap(round, step, &reached.person.id, "", gap, now));
            }
            let (roster_tenant, roster_id) = one.roster.clone().unwrap_or_default();
            let page = |(method, due): &(Method, Timestamp)| pages::Row {
                roster_tenant: roster_tenant.clone(),
                roster_id: roster_id.clone(),
                ..row.page(round, step, method, *due, now)
            };
            new.extend(reached.methods.iter().map(page));
        }
    }
    // Two targets may have the same gap, and an integration stand in a step twice.
    let mut met = BTreeSet::new();
    new.retain(|page| met.insert((page.user_id.clone(), page.method_id.clone())));
    new
}

#[cfg(test)]
mod tests;
