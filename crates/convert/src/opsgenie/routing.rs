//! Routing rules of teams, as alert routes.
//!
//! In Opsgenie an alert is sent to a team; in Muster it is about a machine, which a user group owns. So each route asks
//! for the owner first.

use serde_json::{Value, json};

use super::{Directory, find};
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
};

/// Routing rules of all teams.
pub fn routing(export: &Export, conversion: &mut Conversion, directory: &Directory) {
    let mut position = 0;
    for team in export.list("teams") {
        let Some(name) = text(team, "name") else { continue };
        let Ok(group) = directory.team(team) else { continue };
        let path = format!("teams/{}/routing-rules", id(team, "id").unwrap_or_default());
        let mut rules = export.list(&path);
        rules.sort_by_key(|rule| (flag(rule, "isDefault") == Some(true), number(rule, "order").unwrap_or(i64::MAX)));
        for rule in rules {
            let rule_name = text(rule, "name").unwrap_or("Default");
            let source = object("routing rule", &format!("{rule_name} of {name}"));
            match routes(rule, &group, conversion, directory) {
                Ok((policy, alternatives)) => {
                    let mut becomes = Vec::new();
                    let several = alternatives.len() > 1;
                    for (number, rules) in alternatives.into_iter().enumerate() {
                        position += 10;
                        let base = cut(&format!("{name}: {rule_name}"), 180);
                        let mut route = if several { format!("{base} ({})", number + 1) } else { base.clone() };
                        let mut again = 2;
                        while conversion.claim("AlertRoute", &route).is_err() {
                            route = format!("{base} - {again}");
                            again += 1;
                        }
                        let body = json!({
                            "name": route, "matchingType": "ALL", "rules": rules, "policy": {"name": policy},
                            "position": position,
                        });
                        becomes.push(conversion.add("AlertRoute", &route, body));
                    }
                    let lost = format!(
                        "it takes alerts of machines that the user group {group:?} owns, where Opsgenie takes those \
                         that are sent to the team: say with an Owner which machines these are"
                    );
                    conversion.report.converted(source, becomes, vec![lost]);
                }
                Err(reason) => conversion.report.refused(source, reason),
            }
        }
    }
}

/// The policy that a rule leads to, and the rules of each route that takes its alerts.
fn routes(
    rule: &Value,
    group: &str,
    conversion: &mut Conversion,
    directory: &Directory,
) -> Result<(String, Vec<Vec<Value>>), String> {
    if part(rule, &["timeRestriction"]).is_some() {
        return Err("it is for some times alone, in the team's zone; routes know the hours of GMT".to_owned());
    }
    let owner = json!({"key": "owner", "operator": "Equals", "value": group});
    let criteria = part(rule, &["criteria"]);
    let conditions = criteria.map(|criteria| list(criteria, "conditions")).unwrap_or_default();
    let conditions: Vec<Value> = conditions.iter().map(condition).collect::<Result<_, _>>()?;
    let kind = criteria.and_then(|criteria| text(criteria, "type")).unwrap_or("match-all");
    let alternatives = match kind {
        "match-all" => vec![vec![owner]],
        "match-all-conditions" => vec![[vec![owner], conditions].concat()],
        "match-any-condition" => conditions.into_iter().map(|one| vec![owner.clone(), one]).collect(),
        other => return Err(format!("criteria of the type {other:?} are not known")),
    };
    let notify = part(rule, &["notify"]).ok_or("it does not say whom it tells")?;
    let policy = match text(notify, "type").unwrap_or_default() {
        "escalation" => find(&directory.escalations, notify, &["id", "name"])
            .ok_or_else(|| format!("the escalation {:?} is not converted", text(notify, "name").unwrap_or("?")))?,
        "schedule" => on_call_policy(&directory.schedule(notify)?, conversion),
        "none" => return Err("it tells nobody, and a route leads to a policy".to_owned()),
        other => return Err(format!("it tells a {other:?}, and a route leads to a policy")),
    };
    Ok((policy, alternatives))
}

/// The name of the policy that tells the people on call in a roster; it is made when there is none.
fn on_call_policy(roster: &str, conversion: &mut Conversion) -> String {
    let name = cut(&format!("On call: {roster}"), 200);
    if conversion.claim("EscalationPolicy", &name).is_ok() {
        let body = json!({"name": name, "steps": [{"targets": [{"roster": {"name": roster}}], "wait": "5m"}]});
        conversion.add("EscalationPolicy", &name, body);
    }
    name
}

/// A condition as a rule of a route.
fn condition(condition: &Value) -> Result<Value, String> {
    let field = text(condition, "field").unwrap_or_default();
    let key = match field {
        "message" => "subject".to_owned(),
        "description" => "description".to_owned(),
        "entity" => "device.hostName".to_owned(),
        "extra-properties" | "details" => {
            format!("tags.{}", text(condition, "key").ok_or("a condition of a detail does not say which")?)
        }
        other => return Err(format!("a condition asks for {other:?}, which no field of Muster's alerts is")),
    };
    let operation = text(condition, "operation").unwrap_or_default();
    let not = flag(condition, "not") == Some(true);
    let operator = match (operation, not) {
        ("equals", false) => "Equals",
        ("equals", true) => "NotEquals",
        ("contains", false) => "Contains",
        ("contains", true) => "NotContains",
        ("starts-with", false) => "Startswith",
        ("ends-with", false) => "Endswith",
        ("matches", false) => "Regex",
        (other, not) => {
            let not = if not { "not " } else { "" };
            return Err(format!("a condition compares by {not}{other:?}, which routes do not"));
        }
    };
    let value = text(condition, "expectedValue").ok_or("a condition has nothing to compare with")?;
    Ok(json!({"key": key, "operator": operator, "value": value}))
}
