//! Takes the steps of an escalation that are due: whom they mean is asked, and each page becomes a row, in the transaction
//! that decides it.

use base::{matching::Meter, timestamp::Timestamp};
use db::{Conn, Result};
use serde_json::Value;

use super::{
    resolve::{self, About, Meant},
    rules::{Heard, Stage, State},
    store::{self, Row},
};
use crate::{
    Neighbours,
    notification::rules::URGENCIES,
    pages::{
        facts::{Facts, rank},
        store as pages,
    },
    policies,
    routing::choose,
};

/// Alerts of one policy that come within this time of each other are one conversation.
const CONVERSATION_MS: i64 = 10 * 60_000;

/// What became of an alert, by its states before and after; `None` when that is nobody's business.
pub fn heard(before: Option<&Value>, after: &Value) -> Option<Heard> {
    let severity = |alert: &Value| rank(alert["currentState"].as_str().unwrap_or_default());
    Some(match after["status"].as_str()? {
        "New" => Heard::Open { worse: before.is_some_and(|before| severity(after) > severity(before)) },
        "Acknowledged" => Heard::Acknowledged,
        "Suppressed" => Heard::Suppressed,
        _ => Heard::Closed,
    })
}

/// Takes over what became of an alert.
pub fn hear(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    before: Option<&Value>,
    after: &Value,
    now: Timestamp,
) -> Result<()> {
    let (Some(heard), Some(id)) = (heard(before, after), after["id"].as_str()) else { return Ok(()) };
    store::take_up(conn, tenant, id)?;
    let Some(old) = store::find(conn, tenant, id)? else {
        // What was open before there was anybody to hear of it is not news, unless it is worse now.
        let was_open = before.is_some_and(|before| before["status"] == "New");
        return match heard {
            Heard::Open { worse } if worse || !was_open => begin(conn, neighbours, tenant, id, after, now),
            _ => Ok(()),
        };
    };
    let state = old.state();
    if state.stage == Stage::NoPolicy && heard == (Heard::Open { worse: true }) {
        store::delete(conn, &old)?;
        return begin(conn, neighbours, tenant, id, after, now);
    }
    let next = state.after(&old.plan(), heard, now.millis());
    let facts = Facts::of(after, &old.policy_name);
    // That it was reported once more is no change that anybody has to be told of.
    let told = old.facts();
    if next == state && (Facts { repeats: told.repeats, ..facts.clone() }) == told {
        return Ok(());
    }
    if next.stage != Stage::Running {
        pages::stop(conn, tenant, id, next.stage.word())?;
    }
    let row = Row { alert: encode(&facts)?, ..old }.with(next, now.millis());
    advance(conn, neighbours, row, now)
}

/// Begins the escalation of an alert: finds its policy, and takes the first step. An alert without one is a gap that is
/// shown.
fn begin(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    id: &str,
    alert: &Value,
    now: Timestamp,
) -> Result<()> {
    let choice = choose::choose(conn, neighbours, tenant, alert, now, &Meter::new(Meter::WRITE))?;
    let severity = alert["currentState"].as_str().unwrap_or_default();
    let Some(policy) = choice.policy else {
        if severity == "Info" {
            return Ok(());
        }
        let row = blank(tenant, id, alert, now)?.with(State::without_policy(), now.millis());
        store::insert(conn, &row)?;
        let why = "no alert route takes it, and there is no default";
        return pages::insert(conn, &[pages::Row::gap(&row, 0, 0, "", "", why, now)]);
    };
    let row = Row {
        policy_tenant: policy.tenant_id.clone(),
        policy_id: policy.id.clone(),
        policy_name: policy.name.clone(),
        route_id: choice.considered.last().map(|asked| asked.route.id.clone()).unwrap_or_default(),
        urgency: urgency(&policy.document().urgency, severity).to_owned(),
        conversation: conversation(conn, tenant, &policy, now)?,
        alert: encode(&Facts::of(alert, &policy.name))?,
        policy: policy.document,
        ..blank(tenant, id, alert, now)?
    };
    store::insert(conn, &row)?;
    advance(conn, neighbours, row.with(State::begun(now.millis()), now.millis()), now)
}

/// How urgent an alert is, by what the policy says and by its state.
pub fn urgency<'a>(said: &'a str, severity: &str) -> &'a str {
    match said {
        "" if severity == "Critical" => URGENCIES[0],
        "" => URGENCIES[1],
        said => said,
    }
}

fn blank(tenant: &str, id: &str, alert: &Value, now: Timestamp) -> Result<Row> {
    Ok(Row {
        tenant_id: tenant.to_owned(),
        alert_id: id.to_owned(),
        version: 0,
        policy_tenant: String::new(),
        policy_id: String::new(),
        policy_name: String::new(),
        policy: "{}".to_owned(),
        route_id: String::new(),
        stage: Stage::Running.word().to_owned(),
        round: 0,
        step: 0,
        repeats: 0,
        next_ms: None,
        urgency: URGENCIES[1].to_owned(),
        conversation: String::new(),
        alert: encode(&Facts::of(alert, ""))?,
        created_ms: now.millis(),
        updated_ms: now.millis(),
    })
}

fn encode(facts: &Facts) -> Result<String> {
    serde_json::to_string(facts).map_err(|error| db::Error::Fault(error.to_string()))
}

fn conversation(conn: &mut Conn, tenant: &str, policy: &policies::store::Row, now: Timestamp) -> Result<String> {
    let recent = store::conversation(conn, tenant, &policy.id, now.millis() - CONVERSATION_MS)?;
    Ok(recent.unwrap_or_else(|| format!("CNV-{}", uuid::Uuid::now_v7())))
}

/// Takes all steps that are due, and stores where the escalation stands then.
pub fn advance(conn: &mut Conn, neighbours: &Neighbours, row: Row, now: Timestamp) -> Result<()> {
    let (plan, document, mut state) = (row.plan(), row.document(), row.state());
    // Each step at once and the first again is the most that can be due: after the last one there is a wait.
    for _ in 0..=plan.steps.len() {
        let (next, step) = state.due(&plan, now.millis());
        state = next;
        let Some(step) = step else { break };
        let reached = match document.steps.get(step) {
            Some(said) => {
                let facts = row.facts();
                let about = About {
                    tenant: &row.tenant_id,
                    machine: &facts.machine_id,
                    policy_tenant: &row.policy_tenant,
                    urgency: &row.urgency,
                };
                let meant = resolve::step(conn, neighbours, about, said, now)?;
                decide(conn, &row, state, &meant, now)?;
                meant.iter().any(Meant::reaches)
            }
            None => false,
        };
        state = state.taken(&plan, reached, now.millis());
    }
    store::update(conn, &row.with(state, now.millis()))
}

/// Stores what a step sends, and what it could not.
fn decide(conn: &mut Conn, row: &Row, state: State, meant: &[Meant], now: Timestamp) -> Result<()> {
    let (round, step) = (state.round, state.step);
    let mut new = Vec::new();
    for one in meant {
        if let Some(gap) = &one.gap {
            new.push(pages::Row::gap(row, round, step, "", &one.id, gap, now));
        }
        if one.calls {
            new.push(pages::Row::integration(row, round, step, &one.id, now));
        }
        for reached in &one.people {
            if let Some(gap) = &reached.gap {
                new.push(pages::Row::gap(row, round, step, &reached.person.id, "", gap, now));
            }
            let pages = reached.methods.iter();
            new.extend(pages.map(|(method, due)| pages::Row::page(row, round, step, method, *due, now)));
        }
    }
    // Two targets may have the same gap, and an integration stand in a step twice.
    let mut met = std::collections::BTreeSet::new();
    new.retain(|page| met.insert((page.user_id.clone(), page.method_id.clone())));
    pages::insert(conn, &new)
}
