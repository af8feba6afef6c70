//! Escalation policies from the steps that a product has.

use base::duration;
use serde_json::{Value, json};

use crate::json::cut;

/// The most steps of a policy, and the most targets of a step.
const MOST: usize = 20;
/// How often a policy may be repeated.
const MOST_REPETITIONS: i64 = 20;
/// The longest wait, in seconds.
const LONGEST_WAIT: i64 = 7 * 86_400;

/// A step: whom it tells, and how many seconds it waits.
#[derive(Debug)]
pub struct Step {
    /// References to users, user groups and rosters.
    pub targets: Vec<Value>,
    /// In seconds.
    pub wait: i64,
}

/// The body of a policy.
///
/// # Errors
/// When a policy cannot have that.
pub fn body(name: &str, description: Option<&str>, steps: &[Step], repeat: i64) -> Result<Value, String> {
    if steps.is_empty() || steps.len() > MOST {
        return Err(format!("it has {} steps that tell somebody, and a policy has 1 to {MOST}", steps.len()));
    }
    for step in steps {
        if step.targets.is_empty() || step.targets.len() > MOST {
            let count = step.targets.len();
            return Err(format!("a step has {count} targets that Muster has, and needs 1 to {MOST}"));
        }
        if !(1..=LONGEST_WAIT).contains(&step.wait) {
            let wait = duration::text(step.wait.saturating_mul(1_000));
            return Err(format!("a step waits for {wait}, and a step of a policy from a second to 7 days"));
        }
    }
    if !(0..=MOST_REPETITIONS).contains(&repeat) {
        return Err(format!("it is repeated {repeat} times, and a policy at most {MOST_REPETITIONS} times"));
    }
    let step = |step: &Step| json!({"targets": step.targets, "wait": duration::text(step.wait * 1_000)});
    let steps: Vec<Value> = steps.iter().map(step).collect();
    Ok(json!({
        "name": cut(name, 200), "description": description.map(|text| cut(text, 4_000)),
        "repeat": Some(repeat).filter(|repeat| *repeat > 0), "steps": steps,
    }))
}
