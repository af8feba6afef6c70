use super::*;

fn body(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn an_empty_place_of_a_rotation_is_said_to_be_empty() {
    let shift = json!({"name": "x", "rotation": {"order": [{"users": [{"id": "USR1"}]}, {}]}});
    let made = Value::Object(people_of_shifts(body(json!({"shiftDetails": [shift]}))));
    let order = made.pointer("/shiftDetails/0/rotation/order").cloned();
    let expected = json!([{"users": [{"id": "USR1"}], "userGroups": []}, {"users": [], "userGroups": []}]);
    assert_eq!((order, made.pointer("/shiftDetails/0/users")), (Some(expected), Some(&json!([]))));
}

#[test]
fn a_user_name_goes_with_its_password() {
    assert_eq!(both_halves(body(json!({"userName": ""}))), body(json!({"userName": "", "password": ""})));
    assert_eq!(both_halves(body(json!({"userName": "x"}))), body(json!({"userName": "x"})));
}

#[test]
fn an_event_uses_the_notifier_of_its_integration_unless_it_has_its_own() {
    assert_eq!(own_notifier(body(json!({}))), body(json!({"useBaseNotifier": true})));
    let own = body(json!({"notifier": {}, "useBaseNotifier": false}));
    assert_eq!(own_notifier(body(json!({"notifier": {}}))), own);
}

#[test]
fn what_is_not_a_device_is_of_the_type_of_its_name() {
    let volume = body(json!({"type": "EBS", "resourceType": "EBS"}));
    assert_eq!(resource_type(body(json!({"type": "EBS"}))), volume);
    let other = body(json!({"type": "EBS", "resourceType": "Disk"}));
    assert_eq!(resource_type(other.clone()), other);
    assert_eq!(resource_type(body(json!({"type": "DEVICE"}))), body(json!({"type": "DEVICE"})));
}

#[test]
fn only_days_have_a_frequency_by_a_word() {
    let pattern = |pattern: Value| body(json!({"schedule": {"pattern": pattern}}));
    let weekly = pattern(json!({"type": "weekly", "frequency": "recurrence", "weekDays": "Monday"}));
    assert_eq!(frequency_of_days(weekly), pattern(json!({"type": "weekly", "weekDays": "Monday"})));
    let daily = pattern(json!({"type": "daily", "frequency": "every weekday"}));
    assert_eq!(frequency_of_days(daily.clone()), daily);
}

#[test]
fn what_the_service_drops_is_refused_or_taken_for_nothing() {
    let idle = |notifier: Value| idle_of_notifier(&body(json!({"notifier": notifier})), "notifier").map(|one| one.0);
    assert_eq!(idle(json!({"userName": "u"})), Some("notifier.userName".to_owned()));
    assert_eq!(idle(json!({"authType": "BASIC", "userName": "u"})), None);
    let named = idle(json!({"authType": "BASIC", "userName": "u", "grantType": "PASSWORD"}));
    assert_eq!(named, Some("notifier.grantType".to_owned()));
    let token = |grant: &str| {
        json!({"authType": "OAUTH2", "grantType": grant, "userName": "u",
            "accessTokenURL": "https://example.net"})
    };
    assert_eq!(idle(token("PASSWORD")), None);
    assert_eq!(idle(token("CLIENT_CREDENTIALS")), Some("notifier.userName".to_owned()));
    assert!(ownerless(&body(json!({"default": true}))).is_some());
    assert_eq!(ownerless(&body(json!({"default": true, "userGroup": {"name": "Ops"}}))), None);

    let shift = |shift: Value| without_idle_holidays(body(json!({"shiftDetails": [shift]})));
    assert_eq!(shift(json!({"onHolidays": "skip"})), body(json!({"shiftDetails": [{}]})));
    let kept = json!({"onHolidays": "skip", "holidays": [{"name": "Berlin"}]});
    assert_eq!(shift(kept.clone()), body(json!({"shiftDetails": [kept]})));
    let window = without_idle_conditions(body(json!({"alertConditions": {"matchingType": "ANY"}})));
    assert_eq!(window, body(json!({})));

    let job = |pattern: Value| recurrence_of_hours(body(json!({"schedule": {"pattern": pattern}})));
    let hours = job(json!({"type": "daily", "repeatFrequency": 12, "repeatType": "hours"}));
    assert_eq!(hours["schedule"]["pattern"]["frequency"], json!("recurrence"));
    let weekdays = job(json!({"type": "daily", "frequency": "every weekday", "repeatType": "days"}));
    assert_eq!(weekdays["schedule"]["pattern"].get("repeatType"), None);
}

#[test]
fn what_a_file_cannot_say_is_named() {
    let window = |more: Value| unsaid_of_window(&body(more));
    assert_eq!(window(json!({"state": "Pending", "suspensions": [], "skipped": []})), None);
    assert_eq!(window(json!({"state": "Suspended"})), Some("it is suspended"));
    assert_eq!(window(json!({"state": "Completed"})), Some("it is over"));
    assert!(window(json!({"state": "Pending", "suspensions": [{}]})).is_some());
    assert!(window(json!({"state": "Pending", "skipped": [{}]})).is_some());
}

#[test]
fn a_cron_job_keeps_its_zone() {
    let of_cron = body(json!({"schedule": {"cron": "0 3 * * *", "timezone": "Europe/Berlin"}}));
    let of_file = body(json!({"schedule": {"cron": "0 3 * * *", "timeZone": {"name": "Europe/Berlin"}}}));
    assert_eq!(zone_of_cron(of_cron), of_file);
    assert_eq!(zone_of_cron(of_file.clone()), of_file);
}
