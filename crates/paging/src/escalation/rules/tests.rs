//! The rules against a model that knows no states: it walks through the minutes and says who is told in each.

use proptest::prelude::*;

use super::*;
use crate::configuration::policies::plan::PlanStep;

const MINUTE: i64 = 60_000;

fn plan(waits: &[i64], repeat: i64, at_end: AtEnd, ack_timeout: Option<i64>) -> Plan {
    Plan {
        steps: waits.iter().map(|wait| PlanStep { wait_ms: wait * MINUTE }).collect(),
        repeat,
        at_end,
        ack_timeout_ms: ack_timeout.map(|minutes| minutes * MINUTE),
    }
}

/// What happens to an alert, and when it is looked at in between: the service may sleep, and its clock may jump.
#[derive(Clone, Copy, Debug)]
enum Input {
    Hear(AlertChange),
    Look,
}

/// Plays what happens; answers `(minute, round, step)` of each step that was taken.
fn play(plan: &Plan, gaps: &[bool], inputs: &[(i64, Input)]) -> (State, Vec<(i64, i64, i64)>) {
    let mut state = State::begun(0, 0);
    let mut taken = Vec::new();
    let mut look = |state: &mut State, minute: i64| {
        *state = state.expired(minute * MINUTE);
        for _ in 0..=2 * plan.steps.len() {
            let (next, step) = state.due(plan, minute * MINUTE);
            *state = next;
            let Some(step) = step else { break };
            taken.push((minute, state.round, state.step));
            *state = state.taken(plan, !gaps[step], minute * MINUTE);
        }
    };
    look(&mut state, 0);
    for (minute, input) in inputs {
        if let Input::Hear(heard) = input {
            state = state.after(plan, *heard, minute * MINUTE);
        }
        look(&mut state, *minute);
    }
    (state, taken)
}

/// The steps that are taken at which minutes, by walking through all of them.
fn model(plan: &Plan, gaps: &[bool], inputs: &[(i64, Input)]) -> Vec<(i64, i64)> {
    let waits: Vec<i64> = plan.steps.iter().map(|step| step.wait_ms / MINUTE).collect();
    let mut taken = Vec::new();
    let mut at = 0_usize;
    let mut wait_until = 0;
    let mut lap = 0;
    let mut acknowledged = None::<i64>;
    let mut quiet = false;
    let mut over = false;
    let mut silent = false;
    let moments = std::iter::once((0, Input::Look)).chain(inputs.iter().copied());
    for (minute, input) in moments {
        let back = |at: usize| at.saturating_sub(1);
        match input {
            _ if over => break,
            Input::Look => {}
            Input::Hear(AlertChange::Closed) => over = true,
            Input::Hear(AlertChange::Suppressed) => (quiet, acknowledged) = (true, None),
            Input::Hear(AlertChange::Acknowledged) => {
                if acknowledged.is_none() {
                    acknowledged = Some(minute);
                    quiet = false;
                    silent = false;
                }
            }
            Input::Hear(AlertChange::Open { worse }) => {
                if acknowledged.is_some() || quiet {
                    acknowledged = None;
                    quiet = false;
                    silent = false;
                    at = back(at);
                    wait_until = minute;
                } else if silent && worse {
                    silent = false;
                    at = 0;
                    wait_until = minute;
                }
            }
        }
        if let (Some(since), Some(timeout)) = (acknowledged, plan.ack_timeout_ms)
            && minute >= since + timeout / MINUTE
        {
            acknowledged = None;
            at = back(at);
            wait_until = minute;
        }
        while !over && !quiet && !silent && acknowledged.is_none() && minute >= wait_until {
            if at == waits.len() {
                if lap < plan.repeat {
                    lap += 1;
                    at = 0;
                } else if plan.at_end == AtEnd::RepeatLast {
                    at -= 1;
                } else {
                    silent = true;
                    break;
                }
            }
            taken.push((minute, at as i64));
            let waits_now = !gaps[at] || at + 1 == waits.len();
            wait_until = if waits_now { minute + waits[at] } else { minute };
            at += 1;
        }
    }
    taken
}

fn inputs() -> impl Strategy<Value = Vec<(i64, Input)>> {
    let input = prop_oneof![
        6 => Just(Input::Look),
        1 => any::<bool>().prop_map(|worse| Input::Hear(AlertChange::Open { worse })),
        1 => Just(Input::Hear(AlertChange::Acknowledged)),
        1 => Just(Input::Hear(AlertChange::Suppressed)),
        1 => Just(Input::Hear(AlertChange::Closed)),
    ];
    proptest::collection::vec((0_i64..12, input), 0..40).prop_map(|steps| {
        let mut minute = 0;
        steps
            .into_iter()
            .map(|(later, input)| {
                minute += later;
                (minute, input)
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn who_is_told_when_is_what_the_model_says(
        waits in proptest::collection::vec(1_i64..10, 1..5),
        gaps in proptest::collection::vec(any::<bool>(), 5),
        repeat in 0_i64..3,
        repeats_last in any::<bool>(),
        ack_timeout in proptest::option::of(1_i64..20),
        inputs in inputs(),
    ) {
        let at_end = if repeats_last { AtEnd::RepeatLast } else { AtEnd::Stop };
        let plan = plan(&waits, repeat, at_end, ack_timeout);
        let (state, taken) = play(&plan, &gaps, &inputs);
        let plain: Vec<(i64, i64)> = taken.iter().map(|(minute, _, step)| (*minute, *step)).collect();
        prop_assert_eq!(plain, model(&plan, &gaps, &inputs));
        // No step twice in one round, however often it is looked at.
        let mut keys: Vec<(i64, i64)> = taken.iter().map(|(_, round, step)| (*round, *step)).collect();
        keys.sort_unstable();
        keys.dedup();
        prop_assert_eq!(keys.len(), taken.len());
        // A clock that is set back does nothing.
        prop_assert_eq!(state.due(&plan, -1).1, None);
    }
}

#[test]
fn a_gap_goes_on_at_once_and_a_policy_of_gaps_ends() {
    let two = plan(&[5, 5], 0, AtEnd::Stop, None);
    let (state, taken) = play(&two, &[true, true], &[(4, Input::Look), (5, Input::Look)]);
    assert_eq!(taken, [(0, 0, 0), (0, 0, 1)]);
    assert_eq!(state.stage, Stage::Ended);
}

#[test]
fn an_acknowledgement_holds_for_its_time() {
    let two = plan(&[5, 5], 0, AtEnd::Stop, Some(10));
    let inputs = [(1, Input::Hear(AlertChange::Acknowledged)), (10, Input::Look), (11, Input::Look), (16, Input::Look)];
    let (_, taken) = play(&two, &[false, false], &inputs);
    assert_eq!(taken, [(0, 0, 0), (11, 1, 0), (16, 1, 1)]);
}

#[test]
fn one_waits_for_its_place_no_longer_than_it_may() {
    let second = 1_000;
    // It is open all the time.
    let mut until = WAITS_MS;
    let mut now = 0;
    let mut looks = 0;
    while let Some((next_until, look)) = held(until, true, now) {
        assert!(next_until == WAITS_MS && look > now && look <= now + 30 * second);
        until = next_until;
        now = look;
        looks += 1;
    }
    assert_eq!((now, looks), (WAITS_MS, 30));
    // It is over after a while: a minute to recover, and no longer if it is open again.
    assert_eq!(held(WAITS_MS, false, 100 * second), Some((160 * second, 130 * second)));
    assert_eq!(held(160 * second, true, 130 * second), Some((160 * second, 160 * second)));
    assert_eq!(held(160 * second, false, 130 * second), Some((160 * second, 160 * second)));
    assert_eq!(held(160 * second, false, 160 * second), None);
    // A clock that is set back makes nobody wait for longer than that.
    assert_eq!(held(WAITS_MS, true, -5 * second), Some((WAITS_MS, 25 * second)));
}

#[test]
fn a_step_that_turns_out_to_reach_nobody_waits_no_longer_than_one_that_is_known_to() {
    let plan = plan(&[1, 1, 1], 0, AtEnd::Stop, None);
    let taken = State { stage: Stage::Running, round: 2, step: 1, repeats: 0, next_ms: Some(900) };
    assert_eq!(taken.reached_nobody(&plan, (2, 0), 500), Some(State { next_ms: Some(500), ..taken }));
    // Of another round, of a step before it, and of one that is answered.
    assert_eq!(taken.reached_nobody(&plan, (1, 0), 500), None);
    assert_eq!(State { step: 2, ..taken }.reached_nobody(&plan, (2, 0), 500), None);
    assert_eq!(State { stage: Stage::Acknowledged, ..taken }.reached_nobody(&plan, (2, 0), 500), None);
    // The next one is due already, and there is none.
    assert_eq!(taken.reached_nobody(&plan, (2, 0), 900), None);
    assert_eq!(State { step: 3, ..taken }.reached_nobody(&plan, (2, 2), 500), None);
}
