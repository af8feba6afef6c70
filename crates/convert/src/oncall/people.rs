//! Users, how they are told, and teams.

use serde_json::Value;

use super::Directory;
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, text},
    people::{Person, Step, add_email, add_group, add_rule, add_user},
};

/// Users and their notification rules.
pub fn users(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for user in export.list("users") {
        let Some(login) = conversion.required(user, "user", &["email", "username"], "e-mail address and no user name")
        else {
            continue;
        };
        let email = text(user, "email");
        let role = match text(user, "role").unwrap_or_default() {
            "admin" => "admin",
            "viewer" => "viewer",
            _ => "operator",
        };
        let name = text(user, "name").unwrap_or_default();
        let person = Person { login, name, email, phone: None, mobile: None, role };
        let Some(added) = add_user(&person, conversion) else { continue };
        let key = id(user, "id").unwrap_or_default();
        directory.users.insert(key.clone(), login.to_owned());
        let mut becomes = vec![added];
        let mut lost = Vec::new();
        becomes.extend(email.map(|address| add_email(login, address, address, conversion)));
        for (urgency, important) in [("high", true), ("low", false)] {
            let steps = steps(export, &key, important, email, &mut lost);
            becomes.extend(add_rule(login, urgency, &steps, conversion));
        }
        lost.sort();
        lost.dedup();
        conversion.report.converted(object("user", login), becomes, lost);
    }
}

fn steps(export: &Export, user: &str, important: bool, email: Option<&str>, lost: &mut Vec<String>) -> Vec<Step> {
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
            ("notify_by_email", Some(address)) => steps.push((after, address.to_owned())),
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
        let Some(name) = conversion.required(team, "team", &["name"], "name") else { continue };
        let key = id(team, "id").unwrap_or_default();
        let is_member = |user: &&Value| list(user, "teams").iter().any(|one| one.as_str() == Some(key.as_str()));
        let members: Vec<String> = export
            .list("users")
            .into_iter()
            .filter(is_member)
            .filter_map(|user| directory.users.get(&id(user, "id")?).cloned())
            .collect();
        let mut lost = Vec::new();
        if members.is_empty() {
            lost.push("none of the users names it as a team: add its members".to_owned());
        }
        if add_group(name, None, members, lost, conversion) {
            directory.teams.insert(key, cut(name, 200));
        }
    }
}
