//! Escalation chains, as escalation policies.

use serde_json::{Value, json};

use super::Directory;
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, text},
    policy,
};

/// How long a step waits unless something says otherwise, in seconds.
const DEFAULT_WAIT: i64 = 300;
/// How often a chain is gone through again.
const REPETITIONS: i64 = 5;

/// Escalation chains with their policies.
pub fn chains(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for chain in export.list("escalation_chains") {
        let Some(name) = conversion.required(chain, "escalation chain", &["name"], "name") else { continue };
        let source = object("escalation chain", name);
        let key = id(chain, "id");
        let mut actions: Vec<&Value> = export
            .list("escalation_policies")
            .into_iter()
            .filter(|policy| id(policy, "escalation_chain_id") == key)
            .collect();
        actions.sort_by_key(|policy| number(policy, "position").unwrap_or(0));
        let mut lost = Vec::new();
        let body = body(&actions, name, directory, &mut lost);
        lost.sort();
        lost.dedup();
        if conversion.convert(source, "EscalationPolicy", name, body, lost) {
            directory.chains.extend(key.map(|key| (key, cut(name, 200))));
        }
    }
}

fn body(actions: &[&Value], name: &str, directory: &Directory, lost: &mut Vec<String>) -> Result<Value, String> {
    let mut steps: Vec<policy::Step> = Vec::new();
    let mut repeat = 0;
    let mut waited = true;
    for action in actions {
        let kind = text(action, "type").unwrap_or_default();
        if kind == "wait" {
            let seconds = number(action, "duration").unwrap_or(0);
            let last = steps.last_mut();
            let last = last.ok_or("it begins with a wait, and the first step of a policy is taken at once")?;
            last.wait = if waited { last.wait.saturating_add(seconds) } else { seconds };
            waited = true;
            continue;
        }
        let targets = match kind {
            "repeat_escalation" => {
                repeat = REPETITIONS;
                continue;
            }
            "notify_persons" => {
                let persons = list(action, "persons_to_notify").iter().filter_map(Value::as_str);
                let target = |login| json!({"user": {"loginName": login}});
                persons.map(|person| directory.user(person).map(target)).collect::<Result<Vec<_>, _>>()?
            }
            "notify_on_call_from_schedule" => {
                let schedule = id(action, "notify_on_call_from_schedule").unwrap_or_default();
                let roster = directory.schedules.get(&schedule).ok_or("it tells a schedule that is not converted")?;
                vec![json!({"roster": {"name": roster}})]
            }
            "notify_team_members" => {
                let team = id(action, "notify_to_team_members").unwrap_or_default();
                let group = directory.teams.get(&team).ok_or("it tells a team that is not converted")?;
                vec![json!({"userGroup": {"name": group}})]
            }
            "notify_person_next_each_time"
            | "notify_if_time_from_to"
            | "notify_if_num_alerts_in_window"
            | "resolve" => {
                return Err(format!("it has a step {kind}, which a policy of Muster has not"));
            }
            other => {
                lost.push(format!("the step {other} is lost: install an integration and name it in a step"));
                continue;
            }
        };
        if flag(action, "important") == Some(true) {
            lost.push("a step is important: set the urgency of the policy, which is for all of its steps".to_owned());
        }
        match steps.last_mut() {
            Some(step) if !waited => step.targets.extend(targets),
            _ => steps.push(policy::Step { targets, wait: DEFAULT_WAIT }),
        }
        waited = false;
    }
    policy::body(name, None, &steps, repeat)
}
