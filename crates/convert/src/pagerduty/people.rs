//! Users, how they are reached, and teams.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Directory;
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{id, list, number, text},
    people::{Person, Step, add_email, add_group, add_rule, add_user, number_note},
};

/// Users, their contact methods and their notification rules.
pub fn users(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for user in export.list("users") {
        let Some(login) = conversion.required(user, "user", &["email"], "e-mail address") else { continue };
        let mut lost = Vec::new();
        let methods = list(user, "contact_methods");
        let number_of = |kind: &str| {
            let method = methods.iter().find(|method| text(method, "type") == Some(kind))?;
            let country = number(method, "country_code").unwrap_or(1);
            Some(format!("+{country} {}", text(method, "address")?))
        };
        let role = match text(user, "role").unwrap_or_default() {
            "owner" | "admin" => "admin",
            "user" | "limited_user" | "manager" | "responder" => "operator",
            _ => "viewer",
        };
        let person = Person {
            login,
            name: text(user, "name").unwrap_or_default(),
            email: Some(login),
            phone: number_of("phone_contact_method"),
            mobile: number_of("sms_contact_method"),
            role,
        };
        let Some(added) = add_user(&person, conversion) else { continue };
        directory.users.extend(id(user, "id").map(|id| (id, login.to_owned())));
        let mut becomes = vec![added];
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut addresses = BTreeSet::new();
        for method in methods {
            let kind = text(method, "type").unwrap_or_default();
            let address = text(method, "address").unwrap_or_default();
            match kind.trim_end_matches("_reference") {
                "email_contact_method" if !address.is_empty() => {
                    names.extend(id(method, "id").map(|id| (id, address.to_owned())));
                    if addresses.insert(address.to_lowercase()) {
                        becomes.push(add_email(login, address, address, conversion));
                    }
                }
                "phone_contact_method" | "sms_contact_method" => {
                    lost.push(number_note(kind.split('_').next().unwrap_or_default(), address));
                }
                _ => lost.push(format!("the contact method {kind} is lost: Muster has no app of its own")),
            }
        }
        if user.get("contact_methods").is_none() {
            lost.push("contact methods are not in the export: nothing reaches the user yet".to_owned());
        }
        for urgency in ["high", "low"] {
            let steps = steps(user, urgency, &names, &mut lost);
            becomes.extend(add_rule(login, urgency, &steps, conversion));
        }
        conversion.report.converted(object("user", login), becomes, lost);
    }
}

fn steps(user: &Value, urgency: &str, names: &BTreeMap<String, String>, lost: &mut Vec<String>) -> Vec<Step> {
    let rules = list(user, "notification_rules").iter().filter(|rule| text(rule, "urgency") == Some(urgency));
    let mut steps = Vec::new();
    let mut count = 0;
    for rule in rules {
        count += 1;
        let method = rule.get("contact_method").unwrap_or(&Value::Null);
        match id(method, "id").and_then(|id| names.get(&id)) {
            Some(name) => steps.push((number(rule, "start_delay_in_minutes").unwrap_or(0) * 60, name.clone())),
            None => lost.push(format!(
                "the step of {urgency} urgency by {} is lost with its contact method",
                text(method, "type").unwrap_or("an unknown contact method").trim_end_matches("_reference")
            )),
        }
    }
    if count > 0 && steps.is_empty() {
        lost.push(format!(
            "nothing is left of the rules of {urgency} urgency: every verified contact method is used at once"
        ));
    }
    steps.sort();
    steps.dedup();
    steps
}

/// Teams, as user groups.
pub fn teams(export: &Export, conversion: &mut Conversion, directory: &Directory) {
    for team in export.list("teams") {
        let Some(name) = conversion.required(team, "team", &["name", "summary"], "name") else { continue };
        let path = format!("teams/{}/members", id(team, "id").unwrap_or_default());
        let mut lost = Vec::new();
        let mut members = BTreeSet::new();
        for member in export.list(&path) {
            match directory.user(member.get("user").unwrap_or(&Value::Null)) {
                Ok(login) => {
                    members.insert(login);
                }
                Err(reason) => lost.push(format!("a member is left out: {reason}")),
            }
        }
        if !export.has(&path) {
            lost.push(format!("members are not in the export ({path}.json)"));
        }
        add_group(name, text(team, "description"), members, lost, conversion);
    }
}
