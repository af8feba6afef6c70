//! Users, how they are reached, and teams.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Directory, wait};
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{flag, id, list, part, text},
    people::{Person, Step, add_email, add_group, add_rule, add_user, number_note},
};

/// Users, their contact methods and their notification rules.
pub fn users(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for user in export.list("users") {
        let Some(login) = conversion.required(user, "user", &["username"], "user name") else { continue };
        let source = object("user", login);
        let names = [id(user, "id"), Some(login.to_owned())].into_iter().flatten().map(|name| name.to_lowercase());
        if flag(user, "blocked") == Some(true) {
            directory.blocked.extend(names);
            conversion.report.omitted(source, "the user is blocked");
            continue;
        }
        let mut lost = Vec::new();
        if let Some(becomes) = one_user(export, conversion, user, login, &mut lost) {
            directory.users.extend(names.map(|name| (name, login.to_owned())));
            conversion.report.converted(source, becomes, lost);
        }
    }
}

fn one_user(
    export: &Export,
    conversion: &mut Conversion,
    user: &Value,
    login: &str,
    lost: &mut Vec<String>,
) -> Option<Vec<String>> {
    let path = format!("users/{}", id(user, "id").unwrap_or_default());
    let contacts = contacts(export, &path, export.object(&path).unwrap_or(user));
    let number = |method: &str| {
        let number = contacts.iter().find(|contact| contact.method == method).map(|contact| contact.to.clone());
        // Opsgenie writes 49-1701234567.
        number.map(|number| if number.starts_with('+') { number } else { format!("+{number}") })
    };
    let role = match part(user, &["role", "name"]).and_then(Value::as_str).unwrap_or_default() {
        "Owner" | "Admin" => "admin",
        "Stakeholder" | "Observer" => "viewer",
        "User" | "" => "operator",
        other => {
            lost.push(format!("the role {other:?} is of the account's own making; the user is an operator"));
            "operator"
        }
    };
    let person = Person {
        login,
        name: text(user, "fullName").unwrap_or_default(),
        email: Some(login).filter(|login| login.contains('@')),
        phone: number("voice"),
        mobile: number("sms"),
        role,
    };
    let mut becomes = vec![add_user(&person, conversion)?];
    let mut methods = BTreeSet::new();
    for contact in &contacts {
        match contact.method.as_str() {
            "email" if methods.insert(contact.to.to_lowercase()) => {
                becomes.push(add_email(login, &contact.to, &contact.to, conversion));
            }
            "email" => {}
            "sms" | "voice" => lost.push(number_note(&contact.method, &contact.to)),
            other => lost.push(format!("the contact method {other} is lost: Muster has no app of its own")),
        }
    }
    if contacts.is_empty() {
        lost.push(format!("contact methods are not in the export ({path}.json): nothing reaches the user yet"));
    }
    for rule in export.below(&format!("{path}/notification-rules")).filter_map(|path| export.object(path)) {
        match steps(rule, &methods, lost) {
            Ok(steps) => {
                let rules = ["high", "low"].map(|urgency| add_rule(login, urgency, &steps, conversion));
                becomes.extend(rules.into_iter().flatten());
            }
            Err(reason) => lost.push(reason),
        }
    }
    Some(becomes)
}

/// A way to reach a user that is in use.
struct Contact {
    method: String,
    to: String,
}

fn contacts(export: &Export, path: &str, user: &Value) -> Vec<Contact> {
    let mut all: Vec<&Value> = list(user, "userContacts").iter().collect();
    all.extend(export.list(&format!("{path}/contacts")));
    let enabled = |contact: &Value| {
        flag(contact, "enabled").or_else(|| part(contact, &["status", "enabled"]).and_then(Value::as_bool))
            != Some(false)
    };
    let read = |contact: &Value| {
        let method = text(contact, "contactMethod").or_else(|| text(contact, "method"))?.to_lowercase();
        Some(Contact { method, to: text(contact, "to")?.to_owned() })
    };
    all.into_iter().filter(|contact| enabled(contact)).filter_map(read).collect()
}

/// The steps for both urgencies, from the rule for new alerts.
fn steps(rule: &Value, methods: &BTreeSet<String>, lost: &mut Vec<String>) -> Result<Vec<Step>, String> {
    let name = text(rule, "name").unwrap_or("unnamed");
    let refused = |reason: &str| Err(format!("the notification rule {name:?} is refused: {reason}"));
    if text(rule, "actionType") != Some("create-alert") || flag(rule, "enabled") == Some(false) {
        return Ok(Vec::new());
    }
    if part(rule, &["criteria", "type"]).and_then(Value::as_str).is_some_and(|kind| kind != "match-all") {
        return refused("it is for some alerts alone; Muster tells them apart by urgency");
    }
    if part(rule, &["timeRestriction"]).is_some() {
        return refused("it is for some times alone; Muster has quiet hours of low urgency");
    }
    let mut steps = Vec::new();
    for step in list(rule, "steps").iter().filter(|step| flag(step, "enabled") != Some(false)) {
        let method = part(step, &["contact", "method"]).and_then(Value::as_str).unwrap_or("?");
        let to = part(step, &["contact", "to"]).and_then(Value::as_str).unwrap_or_default();
        if method != "email" || !methods.contains(&to.to_lowercase()) {
            lost.push(format!(
                "the step of the notification rule {name:?} by {method} is lost with its contact method"
            ));
            continue;
        }
        let after = part(step, &["sendAfter"]).map(wait).transpose()?.unwrap_or(0);
        steps.push((after, to.to_owned()));
    }
    if steps.is_empty() {
        lost.push(format!(
            "nothing is left of the notification rule {name:?}: every verified contact method is used at once"
        ));
    }
    steps.sort_by_key(|(after, _)| *after);
    Ok(steps)
}

/// Teams, as user groups.
pub fn teams(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for team in export.list("teams") {
        let Some(name) = conversion.required(team, "team", &["name"], "name") else { continue };
        let team_id = id(team, "id").unwrap_or_default();
        let detail = export.object(&format!("teams/{team_id}")).unwrap_or(team);
        let mut lost = Vec::new();
        let mut members = BTreeSet::new();
        for member in list(detail, "members") {
            let Some(user) = part(member, &["user"]) else { continue };
            match directory.user(user) {
                Ok(login) => {
                    members.insert(login);
                }
                Err(reason) => lost.push(format!("a member is left out: {reason}")),
            }
            if text(member, "role").is_some_and(|role| role != "user") {
                lost.push("roles within the team are lost: groups have none".to_owned());
            }
        }
        lost.sort();
        lost.dedup();
        if detail.get("members").is_none() {
            lost.push(format!("members are not in the export (teams/{team_id}.json)"));
        }
        if add_group(name, text(team, "description"), members, lost, conversion) {
            directory.teams.insert(team_id.to_lowercase(), name.to_owned());
            directory.teams.insert(name.to_lowercase(), name.to_owned());
        }
    }
}
