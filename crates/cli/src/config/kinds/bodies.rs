//! Where the body of an answer or of a request is not that of a file, and which objects files do not describe.

use serde_json::{Map, Value, json};

use super::kind::FieldFault;

pub fn same(body: Map<String, Value>) -> Map<String, Value> {
    body
}

pub fn nothing(_: &Map<String, Value>) -> Vec<&'static str> {
    Vec::new()
}

/// A notifier has a password beside a user name, and with OAuth 2 a key and its secret.
pub fn notifier_needs(notifier: Option<&Value>, secrets: [&'static str; 3]) -> Vec<&'static str> {
    let [password, key, secret] = secrets;
    let has = |name: &str| notifier.is_some_and(|notifier| notifier.get(name).is_some());
    let is_oauth = notifier.and_then(|notifier| notifier.get("authType")?.as_str()) == Some("OAUTH2");
    let mut needs = Vec::new();
    needs.extend(has("userName").then_some(password));
    needs.extend(is_oauth.then_some([key, secret]).into_iter().flatten());
    needs
}

pub fn method_needs(body: &Map<String, Value>) -> Vec<&'static str> {
    let mut needs = Vec::new();
    needs.extend((body.get("type").and_then(Value::as_str) == Some("HTTP")).then_some("url"));
    needs.extend(body.contains_key("userName").then_some("password"));
    needs
}

/// HTTP Basic has a user name and a password, or neither.
pub fn both_halves(mut body: Map<String, Value>) -> Map<String, Value> {
    if body.get("userName") == Some(&json!("")) {
        body.entry("password").or_insert_with(|| json!(""));
    }
    body
}

/// Everybody has a rule for each urgency; one that was never set has no steps.
pub fn has_steps(answer: &Map<String, Value>) -> bool {
    let steps = answer.get("steps").and_then(Value::as_array).is_some_and(|steps| !steps.is_empty());
    steps || answer.contains_key("quietHours") || answer.contains_key("beforeShift")
}

/// A rule that was never set has no steps.
pub fn without_steps(rule: &Map<String, Value>) -> Map<String, Value> {
    let mut reset = Map::new();
    reset.extend(rule.get("urgency").map(|urgency| ("urgency".to_owned(), urgency.clone())));
    reset.insert("steps".to_owned(), json!([]));
    reset
}

pub fn any(_: &Map<String, Value>) -> bool {
    true
}

/// API keys act as users, too, which come and go with them.
pub fn is_person(answer: &Map<String, Value>) -> bool {
    let login = answer.get("loginName").and_then(Value::as_str).unwrap_or_default();
    let number = login.strip_prefix("api-").unwrap_or_default();
    number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit())
}

pub fn is_without_agent(answer: &Map<String, Value>) -> bool {
    answer.get("agentInstalled").and_then(Value::as_bool) != Some(true)
}

/// `{kind: site, target: 3}` is `{site: {id: 3}}`.
pub fn owner_of_target(mut answer: Map<String, Value>) -> Map<String, Value> {
    let target = answer.remove("target");
    if let Some(kind) = answer.get("kind").and_then(Value::as_str).map(ToOwned::to_owned) {
        let value = target.map_or(Value::Bool(true), |id| json!({ "id": id }));
        answer.insert(kind, value);
    }
    answer
}

/// Categories are created by several names.
pub fn names_of_category(mut body: Map<String, Value>) -> Map<String, Value> {
    let name = body.remove("name").unwrap_or_default();
    body.insert("names".to_owned(), json!([name]));
    body
}

/// A shift says who is on call, and a place of a rotation who stands in it, even if nobody does.
pub fn people_of_shifts(mut body: Map<String, Value>) -> Map<String, Value> {
    for shift in objects(body.get_mut("shiftDetails")) {
        objects(shift.get_mut("rotation").and_then(|rotation| rotation.get_mut("order"))).for_each(say_people);
        say_people(shift);
    }
    body
}

fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn say_people(body: &mut Map<String, Value>) {
    for name in ["users", "userGroups"] {
        body.entry(name).or_insert_with(|| json!([]));
    }
}

/// A status by a word is one of yes or no.
pub fn enabled_of_status(mut answer: Map<String, Value>) -> Map<String, Value> {
    if let Some(status) = answer.get("status").and_then(Value::as_str) {
        let enabled = status != "DISABLED";
        answer.insert("enabled".to_owned(), Value::Bool(enabled));
    }
    answer
}

pub fn unsaid_of_window(answer: &Map<String, Value>) -> Option<&'static str> {
    let has_any = |name: &str| answer.get(name).and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    match answer.get("state").and_then(Value::as_str) {
        Some("Suspended") => Some("it is suspended"),
        Some("Completed") => Some("it is over"),
        _ if has_any("suspensions") => Some("it will be suspended"),
        _ if has_any("skipped") => Some("some of its times are skipped"),
        _ => None,
    }
}

pub fn all_is_said(_: &Map<String, Value>) -> Option<&'static str> {
    None
}

/// What was read at a URL is not in a file.
pub fn without_days_of_url(mut answer: Map<String, Value>) -> Map<String, Value> {
    if answer.contains_key("url") {
        answer.remove("days");
    }
    answer
}

/// The days of a calendar are given or read at a URL: to be told of one source takes the other away.
pub fn one_source_of_days(mut body: Map<String, Value>) -> Map<String, Value> {
    if body.get("url") == Some(&json!("")) {
        body.remove("url");
        body.entry("days").or_insert_with(|| json!([]));
    } else if body.contains_key("url") {
        body.remove("days");
    }
    body
}

/// An event without a notifier of its own uses that of its integration.
pub fn own_notifier(mut document: Map<String, Value>) -> Map<String, Value> {
    let has_own = document.contains_key("notifier");
    document.entry("useBaseNotifier").or_insert(Value::Bool(!has_own));
    document
}

/// What of a notifier its `authType` has no use for: the service drops it.
pub fn idle_of_notifier(document: &Map<String, Value>, field: &str) -> Option<FieldFault> {
    let notifier = document.get(field)?;
    let text = |name: &str| notifier.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_oauth = text("authType") == "OAUTH2";
    let has_user = text("authType") == "BASIC" || is_oauth && text("grantType") != "CLIENT_CREDENTIALS";
    let is_idle = |name: &&str| !text(name).is_empty() && !(if *name == "userName" { has_user } else { is_oauth });
    let idle = ["userName", "grantType", "accessTokenURL"].into_iter().find(is_idle)?;
    Some((format!("{field}.{idle}"), "is not used with this authType, or without one"))
}

/// Without one, the service ends that something is owned.
pub fn ownerless(document: &Map<String, Value>) -> Option<FieldFault> {
    let is_owned = document.contains_key("userGroup");
    (!is_owned).then(|| ("userGroup".to_owned(), "is required: where nobody owns it, there is no Owner"))
}

pub fn nothing_refused(_: &Map<String, Value>) -> Option<FieldFault> {
    None
}

/// A shift without holidays does nothing on them.
pub fn without_idle_holidays(mut document: Map<String, Value>) -> Map<String, Value> {
    for shift in objects(document.get_mut("shiftDetails")) {
        let has_any = shift.get("holidays").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        if !has_any {
            shift.remove("onHolidays");
        }
    }
    document
}

/// Conditions without a rule are none.
pub fn without_idle_conditions(document: Map<String, Value>) -> Map<String, Value> {
    let mut document = frequency_of_days(document);
    let rules = document.get("alertConditions").and_then(|conditions| conditions.get("rules")?.as_array());
    if rules.is_none_or(Vec::is_empty) {
        document.remove("alertConditions");
    }
    document
}

/// Hours and minutes recur, and days of the week have no unit.
pub fn recurrence_of_hours(document: Map<String, Value>) -> Map<String, Value> {
    let mut document = frequency_of_days(document);
    let pattern = document.get_mut("schedule").and_then(|schedule| schedule.get_mut("pattern"));
    if let Some(pattern) = pattern.and_then(Value::as_object_mut)
        && pattern.get("type") == Some(&json!("daily"))
    {
        if [json!("hours"), json!("minutes")].iter().any(|unit| pattern.get("repeatType") == Some(unit)) {
            pattern.entry("frequency").or_insert_with(|| json!("recurrence"));
        } else if pattern.get("frequency") == Some(&json!("every weekday")) {
            pattern.remove("repeatType");
        }
    }
    document
}

/// Only a daily pattern has a frequency by a word; the service leaves out that of others.
pub fn frequency_of_days(mut document: Map<String, Value>) -> Map<String, Value> {
    let schedule = document.get_mut("schedule").and_then(|schedule| schedule.get_mut("pattern"));
    if let Some(pattern) =
        schedule.and_then(Value::as_object_mut).filter(|one| one.get("type") != Some(&json!("daily")))
    {
        for name in ["frequency", "dayFrequency"] {
            pattern.remove(name);
        }
    }
    document
}

/// What is not a device is of the resource type that its type is called.
pub fn resource_type(mut document: Map<String, Value>) -> Map<String, Value> {
    let other = document.get("type").filter(|kind| **kind != json!("DEVICE")).cloned();
    if let Some(kind) = other {
        document.entry("resourceType").or_insert(kind);
    }
    document
}

/// An event that uses the notifier of its integration shows that as its own.
pub fn without_idle_notifier(mut answer: Map<String, Value>) -> Map<String, Value> {
    if answer.get("useBaseNotifier").and_then(Value::as_bool) == Some(true) {
        answer.remove("notifier");
    }
    answer
}

/// The zone of a cron expression is answered by its name alone.
pub fn zone_of_cron(mut answer: Map<String, Value>) -> Map<String, Value> {
    if let Some(schedule) = answer.get_mut("schedule").and_then(Value::as_object_mut)
        && let Some(zone) = schedule.remove("timezone")
    {
        schedule.insert("timeZone".to_owned(), json!({ "name": zone }));
    }
    answer
}

#[cfg(test)]
mod tests;
