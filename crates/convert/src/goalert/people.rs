//! Users and how they are reached.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Directory;
use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
    people::{Person, Step, add_email, add_rule, add_user, number_note},
};

/// Users, their contact methods and their notification rules.
pub fn users(export: &Export, conversion: &mut Conversion, directory: &mut Directory<'_>) {
    for user in export.list("users") {
        let name = text(user, "name").unwrap_or_default();
        let Some(login) = conversion.required(user, "user", &["email", "name"], "e-mail address and no name") else {
            continue;
        };
        let methods: Vec<(&Value, String, &str)> = list(user, "contactMethods")
            .iter()
            .filter(|method| flag(method, "disabled") != Some(true))
            .map(|method| (method, kind(method), value(method)))
            .collect();
        let number_of = |wanted: &str| {
            let found = methods.iter().find(|(_, kind, _)| kind == wanted);
            found.map(|(_, _, value)| (*value).to_owned()).filter(|value| !value.is_empty())
        };
        let person = Person {
            login,
            name,
            email: text(user, "email"),
            phone: number_of("voice"),
            mobile: number_of("sms"),
            role: if text(user, "role") == Some("admin") { "admin" } else { "operator" },
        };
        let Some(added) = add_user(&person, conversion) else { continue };
        directory.users.extend(id(user, "id").map(|id| (id, login.to_owned())));
        let mut becomes = vec![added];
        let mut lost = Vec::new();
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for (method, kind, value) in &methods {
            let label = text(method, "name").unwrap_or(*value);
            match kind.as_str() {
                "email" if !value.is_empty() => {
                    let mut name = cut(label, 180);
                    while names.values().any(|taken| taken.eq_ignore_ascii_case(&name)) {
                        name.push_str(" 2");
                    }
                    becomes.push(add_email(login, &name, value, conversion));
                    names.extend(id(method, "id").map(|id| (id, name)));
                }
                "sms" | "voice" => lost.push(number_note(kind, value)),
                other => lost.push(format!(
                    "the contact method {label:?} ({other}) is lost, since its address may be a secret: add it"
                )),
            }
        }
        let mut steps: Vec<Step> = Vec::new();
        let rules = list(user, "notificationRules");
        for rule in rules {
            let method = id(rule, "contactMethodID")
                .or_else(|| part(rule, &["contactMethod"]).and_then(|method| id(method, "id")));
            match method.and_then(|method| names.get(&method)) {
                Some(name) => steps.push((number(rule, "delayMinutes").unwrap_or(0) * 60, name.clone())),
                None => lost.push("a step of the notification rules is lost with its contact method".to_owned()),
            }
        }
        steps.sort();
        if !rules.is_empty() && steps.is_empty() {
            lost.push(
                "nothing is left of the notification rules: every verified contact method is used at once".into(),
            );
        }
        for urgency in ["high", "low"] {
            becomes.extend(add_rule(login, urgency, &steps, conversion));
        }
        lost.dedup();
        conversion.report.converted(object("user", login), becomes, lost);
    }
}

/// The kind of a contact method, of former and of present versions: `sms`, `voice`, `email`, `webhook` or another.
fn kind(method: &Value) -> String {
    let former = text(method, "type").map(str::to_lowercase);
    let present = part(method, &["dest", "type"]).and_then(Value::as_str).unwrap_or_default();
    former.unwrap_or_else(|| {
        match present {
            "builtin-twilio-sms" => "sms",
            "builtin-twilio-voice" => "voice",
            "builtin-smtp-email" => "email",
            "builtin-webhook" => "webhook",
            other => other,
        }
        .to_owned()
    })
}

fn value(method: &Value) -> &str {
    let arguments = part(method, &["dest", "args"]).and_then(Value::as_object);
    let first = || arguments?.values().find_map(Value::as_str);
    text(method, "value").or_else(first).unwrap_or_default()
}
