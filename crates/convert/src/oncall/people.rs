//! Users, how they are told, and teams.

use serde_json::{Value, json};

use super::Directory;
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, text},
    minutes::shown,
};

/// Users and their notification rules.
pub fn users(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for user in export.list("users") {
        let Some(login) = text(user, "email").or_else(|| text(user, "username")) else { continue };
        let source = object("user", login);
        if let Err(reason) = conversion.claim("User", login) {
            conversion.report.refused(source, reason);
            continue;
        }
        let key = id(user, "id").unwrap_or_default();
        directory.users.insert(key.clone(), login.to_owned());
        let name = text(user, "name").unwrap_or_default();
        let (first, last) = name.rsplit_once(' ').unwrap_or((name, ""));
        let given = |name: &str| Some(cut(name.trim(), 200)).filter(|name| !name.is_empty());
        let role = match text(user, "role").unwrap_or_default() {
            "admin" => "admin",
            "viewer" => "viewer",
            _ => "operator",
        };
        let email = text(user, "email");
        let body = json!({
            "loginName": login, "firstName": given(first), "lastName": given(last), "email": email, "role": role,
        });
        let mut becomes = vec![conversion.add("User", login, body)];
        let mut lost = Vec::new();
        if let Some(address) = email {
            let body = json!({
                "user": {"loginName": login}, "name": address, "type": "EMAIL", "address": address, "verified": true,
            });
            becomes.push(conversion.add("ContactMethod", login, body));
        }
        for (urgency, important) in [("high", true), ("low", false)] {
            let steps = steps(export, &key, important, email, &mut lost);
            if !steps.is_empty() {
                let body = json!({"user": {"loginName": login}, "urgency": urgency, "steps": steps});
                becomes.push(conversion.add("NotificationRule", login, body));
            }
        }
        lost.sort();
        lost.dedup();
        conversion.report.converted(source, becomes, lost);
    }
}

fn steps(export: &Export, user: &str, important: bool, email: Option<&str>, lost: &mut Vec<String>) -> Vec<Value> {
    let mut rules: Vec<&Value> = export
        .list("personal_notification_rules")
        .into_iter()
        .filter(|rule| text(rule, "user_id") == Some(user) && flag(rule, "important").unwrap_or(false) == important)
        .collect();
    rules.sort_by_key(|rule| number(rule, "position").unwrap_or(0));
    let mut after = 0_i64;
    let mut steps = Vec::new();
    for rule in rules {
        match (text(rule, "type").unwrap_or_default(), email) {
            ("wait", _) => after = after.saturating_add(number(rule, "duration").unwrap_or(0).max(0)),
            ("notify_by_email", Some(address)) => {
                steps.push(json!({"contactMethod": {"name": address}, "after": shown(after)}));
            }
            (other, _) => lost.push(format!(
                "the step {other} of the notification rules is lost: add a contact method for it, by a gateway of \
                 one's own or a chat"
            )),
        }
    }
    steps
}

/// Teams, as user groups.
pub fn teams(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for team in export.list("teams") {
        let Some(name) = text(team, "name") else { continue };
        let source = object("team", name);
        let key = id(team, "id").unwrap_or_default();
        let is_member = |user: &&Value| list(user, "teams").iter().any(|one| one.as_str() == Some(key.as_str()));
        let members: Vec<Value> = export
            .list("users")
            .into_iter()
            .filter(is_member)
            .filter_map(|user| directory.users.get(&id(user, "id")?))
            .map(|login| json!({"loginName": login}))
            .collect();
        if members.len() > 1_000 {
            conversion.report.refused(source, "it has more than 1,000 members, the most of a group");
            continue;
        }
        if let Err(reason) = conversion.claim("UserGroup", name) {
            conversion.report.refused(source, reason);
            continue;
        }
        let mut lost = Vec::new();
        if members.is_empty() {
            lost.push("none of the users names it as a team: add its members".to_owned());
        }
        directory.teams.insert(key, cut(name, 200));
        let becomes = conversion.add("UserGroup", name, json!({"name": cut(name, 200), "users": members}));
        conversion.report.converted(source, vec![becomes], lost);
    }
}
