//! Escalations, as escalation policies.

use base::duration;
use serde_json::{Value, json};

use super::{Directory, wait};
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
    policy,
};

/// How long a step waits unless something says otherwise.
const DEFAULT: i64 = 300;

/// Escalations.
pub fn escalations(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for escalation in export.list("escalations") {
        let Some(name) = conversion.required(escalation, "escalation", &["name"], "name") else { continue };
        let source = object("escalation", name);
        let mut lost = Vec::new();
        let body = body(escalation, name, directory, &mut lost);
        if conversion.convert(source, "EscalationPolicy", name, body, lost) {
            let names = [id(escalation, "id"), Some(name.to_owned())].into_iter().flatten();
            directory.escalations.extend(names.map(|known| (known.to_lowercase(), cut(name, 200))));
        }
    }
}

fn body(escalation: &Value, name: &str, directory: &Directory, lost: &mut Vec<String>) -> Result<Value, String> {
    let mut rules = Vec::new();
    for rule in list(escalation, "rules") {
        let delay = part(rule, &["delay"]).map(wait).transpose()?.unwrap_or(0);
        rules.push((delay, target(rule, directory)?));
        if text(rule, "condition") == Some("if-not-closed") {
            lost.push(
                "a rule goes on until the alert is closed; in Muster an acknowledgement stops the policy (an \
                 ackTimeout limits how long)"
                    .to_owned(),
            );
        }
    }
    rules.sort_by_key(|(delay, _)| *delay);
    let mut steps: Vec<(i64, Vec<Value>)> = Vec::new();
    for (delay, target) in rules {
        match steps.last_mut() {
            Some((last, targets)) if *last == delay => targets.push(target),
            _ => steps.push((delay, vec![target])),
        }
    }
    if let Some((delay, _)) = steps.first().filter(|(delay, _)| *delay > 0) {
        let wait = duration::text(delay.saturating_mul(1_000));
        return Err(format!("its first rule waits for {wait}, and the first step of a policy is taken at once"));
    }
    let repeat = part(escalation, &["repeat"]);
    let count = repeat.and_then(|repeat| number(repeat, "count")).unwrap_or(0);
    let last = repeat.and_then(|repeat| number(repeat, "waitInterval")).filter(|minutes| *minutes > 0 && count > 0);
    if let Some(repeat) = repeat {
        if flag(repeat, "closeAlertAfterAll") == Some(true) {
            lost.push("the alert is not closed after the last repetition: it stays open until it is over".to_owned());
        }
        if flag(repeat, "resetRecipientStates") == Some(true) && count > 0 {
            lost.push("a repetition does not take acknowledgements back".to_owned());
        }
    }
    let delays: Vec<i64> = steps.iter().map(|(delay, _)| *delay).collect();
    let last = last.map_or(DEFAULT, |minutes| minutes.saturating_mul(60));
    let step = |(place, (delay, targets)): (usize, (i64, Vec<Value>))| {
        let wait = delays.get(place + 1).map_or(last, |next| next - delay);
        policy::Step { targets, wait }
    };
    let steps: Vec<policy::Step> = steps.into_iter().enumerate().map(step).collect();
    lost.sort();
    lost.dedup();
    policy::body(name, text(escalation, "description"), &steps, count)
}

/// Who is told by a rule.
fn target(rule: &Value, directory: &Directory) -> Result<Value, String> {
    let recipient = part(rule, &["recipient"]).ok_or("a rule has no recipient")?;
    let how = text(rule, "notifyType").unwrap_or("default");
    match (text(recipient, "type").unwrap_or_default(), how) {
        ("user", _) => Ok(json!({"user": {"loginName": directory.user(recipient)?}})),
        ("schedule", "default") => Ok(json!({"roster": {"name": directory.schedule(recipient)?}})),
        ("schedule", "next" | "previous") => Err(format!(
            "a rule tells who is on call {how} in a schedule; make a roster with a shift of the level secondary"
        )),
        ("team", "all" | "users") => Ok(json!({"userGroup": {"name": directory.team(recipient)?}})),
        ("team", "default") => Err("a rule tells a team by the team's own routing rules; name the escalation or the \
                                    schedule instead"
            .to_owned()),
        (kind, how) => Err(format!("a rule tells {how:?} of a {kind}, and a step tells all of a roster or a group")),
    }
}
