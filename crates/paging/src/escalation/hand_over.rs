//! An alert is handed over: its escalation goes on with those who have it now.
//!
//! They are a step of their own, which is taken at once. It stands before the steps that were not taken yet, which go
//! on behind it when nobody answers; where all were taken, they are gone through once more. Handed over again, that
//! step gives way to another one.

use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use serde_json::Value;

use super::{
    actions::EscalationAction,
    correlation::{self, Correlation},
    engine,
    resolve::{self, StepSubject, TargetRecipients},
    rules::{Stage, State},
    store::{self, Row},
    work::EscalationBatch,
};
use crate::{
    configuration::policies::wire::{Document, Step, Target},
    delivery::pages::store as pages,
};

/// How long those have to whom an alert without a policy is handed over, and how often they are told again.
const ALONE_WAIT: &str = "15m";
const ALONE_REPEATS: i64 = 3;
/// How long those have who are told before any step of the policy.
const FIRST_WAIT: &str = "5m";

/// Hands an alert over to the people of these targets: tells them, and stores the escalation. Answers it as it was;
/// `None` when there was none.
///
/// # Errors
/// 409 when nothing reaches any of them.
pub fn hand_over(
    conn: &mut Conn,
    work: &mut EscalationBatch<'_>,
    (tenant, alert): (&str, &Value),
    targets: Vec<Target>,
    action: EscalationAction,
) -> Result<Option<Row>> {
    let id = alert["id"].as_str().unwrap_or_default();
    let now = work.now;
    let old = work.find(conn, tenant, id)?;
    let row = match old.clone() {
        Some(row) if row.state().stage != Stage::NoPolicy => row,
        other => alone(tenant, id, alert, other, now),
    };
    let state = row.state();
    let (policy, step) = with_step(&row.policy, row.handed_over_step, state, targets);
    let number = usize::try_from(step).unwrap_or(0);
    let row = Row { policy: db::Json(policy), handed_over_step: Some(step), waits_until_ms: None, ..row };
    if let Some(step) = row.policy.steps.get(number) {
        let about = StepSubject {
            tenant,
            machine: &row.alert.machine_id,
            policy_tenant: row.tenant_of_step(number),
            urgency: &row.urgency,
        };
        check_reach(&resolve::step(conn, work.neighbours, about, step, now)?)?;
    }
    pages::stop(conn, tenant, id, "handed over")?;
    let next = State { stage: Stage::Running, round: state.round + 1, step, next_ms: Some(now.millis()), ..state };
    let row = engine::advanced(conn, work, row.with_action(action).with(next, now.millis()))?;
    match &old {
        Some(_) => store::update(conn, &row)?,
        None => work.begin(row),
    }
    Ok(old)
}

/// The escalation of an alert that no policy takes.
fn alone(tenant: &str, id: &str, alert: &Value, old: Option<Row>, now: Timestamp) -> Row {
    let correlation = Correlation { problem: correlation::problem(alert), ..Correlation::default() };
    let row = old.unwrap_or_else(|| engine::blank(tenant, id, alert, &correlation, now));
    let severity = alert["currentState"].as_str().unwrap_or_default();
    Row {
        policy: db::Json(Document { repeat: ALONE_REPEATS, ..Document::default() }),
        urgency: engine::urgency("", severity).to_owned(),
        conversation: format!("CNV-{}", uuid::Uuid::now_v7()),
        ..row
    }
}

/// What a policy says with a step for these targets as the next one, and the number of that step. A step of an earlier
/// hand-over goes.
fn with_step(policy: &Document, earlier: Option<i64>, state: State, targets: Vec<Target>) -> (Document, i64) {
    let mut policy = policy.clone();
    let mut next = usize::try_from(state.step).unwrap_or(0).min(policy.steps.len());
    if let Some(earlier) = earlier.and_then(|step| usize::try_from(step).ok()).filter(|step| *step < policy.steps.len())
    {
        policy.steps.remove(earlier);
        next -= usize::from(earlier < next);
    }
    let before = next.checked_sub(1).and_then(|step| policy.steps.get(step)).map(|step| step.wait.clone());
    let wait = before.unwrap_or_else(|| if policy.steps.is_empty() { ALONE_WAIT } else { FIRST_WAIT }.to_owned());
    let was_last = next == policy.steps.len();
    policy.steps.insert(next, Step { targets, wait });
    if was_last {
        policy.repeat = policy.repeat.max(state.repeats + 1);
    }
    (policy, i64::try_from(next).unwrap_or(0))
}

/// Refuses a hand-over to people of whom nobody would hear of it.
fn check_reach(meant: &[TargetRecipients]) -> Result<()> {
    if meant.iter().any(TargetRecipients::reaches) {
        return Ok(());
    }
    let people = meant.iter().flat_map(|one| &one.people);
    let people = people.filter_map(|one| Some(format!("{} {}", one.person.full_name(), one.gap.as_ref()?)));
    let why: Vec<String> = meant.iter().filter_map(|one| one.gap.clone()).chain(people).collect();
    Err(Problem::conflict(format!("Nobody would be told: {}.", why.join("; "))).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::policies::wire::Id;

    fn step(user: &str) -> Step {
        Step { targets: targets(user), wait: "7m".to_owned() }
    }

    fn targets(user: &str) -> Vec<Target> {
        vec![Target { user: Some(Id { id: user.to_owned() }), ..Target::default() }]
    }

    fn names(policy: &Document) -> Vec<&str> {
        policy.steps.iter().flat_map(|step| &step.targets).map(|target| &*target.user.as_ref().unwrap().id).collect()
    }

    fn at(step: i64) -> State {
        State { stage: Stage::Running, round: 0, step, repeats: 0, next_ms: None }
    }

    #[test]
    fn those_who_have_it_now_come_before_the_steps_that_are_left() {
        let policy = Document { steps: vec![step("a"), step("b")], ..Document::default() };
        let (first, number) = with_step(&policy, None, at(1), targets("x"));
        assert_eq!((names(&first), number, first.repeat), (vec!["a", "x", "b"], 1, 0));
        assert_eq!(first.steps[1].wait, "7m");
        // Handed over again, before and after the step that was next.
        let (again, number) = with_step(&first, Some(1), at(2), targets("y"));
        assert_eq!((names(&again), number), (vec!["a", "y", "b"], 1));
        let (later, number) = with_step(&first, Some(1), at(3), targets("z"));
        assert_eq!((names(&later), number, later.repeat), (vec!["a", "b", "z"], 2, 1));
        // Nothing was taken yet.
        let (early, number) = with_step(&policy, None, at(0), targets("x"));
        assert_eq!((names(&early), number, &*early.steps[0].wait), (vec!["x", "a", "b"], 0, "5m"));
    }

    #[test]
    fn where_nobody_is_left_those_who_have_it_are_told_again() {
        let nobody = Document { repeat: ALONE_REPEATS, ..Document::default() };
        let (policy, number) = with_step(&nobody, None, at(0), targets("x"));
        assert_eq!((names(&policy), number, policy.repeat, &*policy.steps[0].wait), (vec!["x"], 0, 3, "15m"));
        let (policy, number) = with_step(&policy, Some(0), State { repeats: 3, ..at(1) }, targets("y"));
        assert_eq!((names(&policy), number, policy.repeat, &*policy.steps[0].wait), (vec!["y"], 0, 4, "15m"));
    }
}
