//! Users, how they are reached, and teams.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Directory;
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, id, list, number, text},
    minutes::shown,
};

/// Users, their contact methods and their notification rules.
pub fn users(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for user in export.list("users") {
        let Some(login) = text(user, "email") else { continue };
        let source = object("user", login);
        if let Err(reason) = conversion.claim("User", login) {
            conversion.report.refused(source, reason);
            continue;
        }
        directory.users.extend(id(user, "id").map(|id| (id, login.to_owned())));
        let mut lost = Vec::new();
        let methods = list(user, "contact_methods");
        let number_of = |kind: &str| {
            let method = methods.iter().find(|method| text(method, "type") == Some(kind))?;
            let country = number(method, "country_code").unwrap_or(1);
            Some(cut(&format!("+{country} {}", text(method, "address")?), 50))
        };
        let name = text(user, "name").unwrap_or_default();
        let (first, last) = name.rsplit_once(' ').unwrap_or((name, ""));
        let given = |name: &str| Some(cut(name.trim(), 200)).filter(|name| !name.is_empty());
        let role = match text(user, "role").unwrap_or_default() {
            "owner" | "admin" => "admin",
            "user" | "limited_user" | "manager" | "responder" => "operator",
            _ => "viewer",
        };
        let body = json!({
            "loginName": login, "firstName": given(first), "lastName": given(last), "email": login,
            "phoneNumber": number_of("phone_contact_method"), "mobileNumber": number_of("sms_contact_method"),
            "role": role,
        });
        let mut becomes = vec![conversion.add("User", login, body)];
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut addresses = BTreeSet::new();
        for method in methods {
            let kind = text(method, "type").unwrap_or_default();
            let address = text(method, "address").unwrap_or_default();
            match kind.trim_end_matches("_reference") {
                "email_contact_method" if !address.is_empty() => {
                    names.extend(id(method, "id").map(|id| (id, address.to_owned())));
                    if addresses.insert(address.to_lowercase()) {
                        let body = json!({
                            "user": {"loginName": login}, "name": address, "type": "EMAIL", "address": address,
                            "verified": true,
                        });
                        becomes.push(conversion.add("ContactMethod", login, body));
                    }
                }
                "phone_contact_method" | "sms_contact_method" => lost.push(format!(
                    "{} to {address}: the number is kept with the user; Muster calls and texts by a gateway of one's \
                     own, so add a contact method with the preset sms, voice, twilio or twilioVoice",
                    kind.split('_').next().unwrap_or_default()
                )),
                _ => lost.push(format!("the contact method {kind} is lost: Muster has no app of its own")),
            }
        }
        if user.get("contact_methods").is_none() {
            lost.push("contact methods are not in the export: nothing reaches the user yet".to_owned());
        }
        for urgency in ["high", "low"] {
            let steps = steps(user, urgency, &names, &mut lost);
            if !steps.is_empty() {
                let body = json!({"user": {"loginName": login}, "urgency": urgency, "steps": steps});
                becomes.push(conversion.add("NotificationRule", login, body));
            }
        }
        conversion.report.converted(source, becomes, lost);
    }
}

fn steps(user: &Value, urgency: &str, names: &BTreeMap<String, String>, lost: &mut Vec<String>) -> Vec<Value> {
    let rules = list(user, "notification_rules").iter().filter(|rule| text(rule, "urgency") == Some(urgency));
    let mut steps = Vec::new();
    let mut count = 0;
    for rule in rules {
        count += 1;
        let method = rule.get("contact_method").unwrap_or(&Value::Null);
        match id(method, "id").and_then(|id| names.get(&id)) {
            Some(name) => steps.push((number(rule, "start_delay_in_minutes").unwrap_or(0) * 60, name)),
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
    steps.into_iter().map(|(after, name)| json!({"contactMethod": {"name": name}, "after": shown(after)})).collect()
}

/// Teams, as user groups.
pub fn teams(export: &Export, conversion: &mut Conversion, directory: &Directory) {
    for team in export.list("teams") {
        let Some(name) = text(team, "name").or_else(|| text(team, "summary")) else { continue };
        let source = object("team", name);
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
        if members.len() > 1_000 {
            conversion.report.refused(source, "it has more than 1,000 members, the most of a group");
            continue;
        }
        if let Err(reason) = conversion.claim("UserGroup", name) {
            conversion.report.refused(source, reason);
            continue;
        }
        let users: Vec<Value> = members.into_iter().map(|login| json!({"loginName": login})).collect();
        let description = text(team, "description").map(|text| cut(text, 4_000));
        let body = json!({"name": cut(name, 200), "description": description, "users": users});
        let becomes = conversion.add("UserGroup", name, body);
        conversion.report.converted(source, vec![becomes], lost);
    }
}
