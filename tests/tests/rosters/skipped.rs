//! Why nobody is on call, or somebody else: shifts that do not take place on holidays are named.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text, user};

both_backends![
    who_is_on_call_names_shifts_that_holidays_leave_out,
    an_explanation_names_the_holiday,
    a_client_sees_a_calendar_of_its_partner_by_its_id,
];

/// A calendar of one day, and its name.
fn calendar(client: &Client) -> (String, String) {
    let name = unique("holidays");
    let days = json!([{"date": "2037-01-07", "name": "Twelfth Day"}]);
    let made = client.post("/holidayCalendars", &json!({"name": name, "days": days})).ok();
    (text(&made["id"]), name)
}

/// A shift from eight to four that does not take place on these holidays.
fn skipping(user: &str, calendar: &str) -> Value {
    let mut shift = shift("Day", daily("08:00:00", "16:00:00"), user);
    shift["holidays"] = json!([{"id": calendar}]);
    shift["onHolidays"] = json!("skip");
    shift
}

fn who_is_on_call_names_shifts_that_holidays_leave_out(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let (calendar, name) = calendar(&client);
    let made = create(&client, "Europe/Paris", &[skipping(&ann, &calendar)]);
    let whole = |at: &str, more: &str| client.get(&format!("/rosters/onCall?at=2037-01-{at}:00Z{more}")).ok();
    let one = |at: &str| client.get(&format!("{}/onCall?at=2037-01-{at}:00Z", path(&made))).ok();
    let skipped = |name: &str| {
        json!([{"roster": {"id": made["id"], "name": made["name"]},
            "shift": {"id": made["shiftDetails"][0]["id"], "name": "Day"},
            "since": "2037-01-07T07:00:00+0000", "until": "2037-01-07T15:00:00+0000",
            "holiday": {"date": "2037-01-07", "name": "Twelfth Day", "calendar": {"id": calendar, "name": name}}}])
    };
    // In this order, so that an answer that is kept too long shows.
    for (at, is_skipped) in [("06T12:00", false), ("07T06:59", false), ("07T07:00", true), ("07T14:59", true)]
        .into_iter()
        .chain([("07T15:00", false), ("08T12:00", false)])
    {
        for told in [whole(at, ""), one(at)] {
            let expected = is_skipped.then(|| skipped(&name));
            assert_eq!(told.get("skipped").cloned(), expected, "{at}");
            assert_eq!(told["onCall"].as_array().is_some_and(Vec::is_empty), !at.ends_with("12:00"), "{at}");
        }
    }
    assert_eq!(whole("07T12:00", &format!("&userId={ann}")).get("skipped"), None);
    // It is called as the calendar is, and is gone with the holiday.
    client.post(&format!("/holidayCalendars/{calendar}"), &json!({"name": format!("{name} 2")})).ok();
    assert_eq!(whole("07T12:00", "")["skipped"], skipped(&format!("{name} 2")));
    client.post(&format!("/holidayCalendars/{calendar}"), &json!({"days": []})).ok();
    let told = whole("07T12:00", "");
    assert_eq!((told.get("skipped"), told["onCall"].as_array().map(Vec::len)), (None, Some(1)));
}

fn an_explanation_names_the_holiday(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let (calendar, name) = calendar(&client);
    let alone = create(&client, "Europe/Paris", &[skipping(&ann, &calendar)]);
    let always = shift("Always", daily("00:00:00", "00:00:00"), &bob);
    let both = create(&client, "Europe/Paris", &[skipping(&ann, &calendar), always]);
    let target = |roster: &Value| json!({"targets": [{"roster": {"id": roster["id"]}}]});
    let policy = json!({"name": unique("policy"), "steps": [target(&alone), target(&both)]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    let route = json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy["id"]}});
    client.post("/alertRoutes", &route).ok();
    let explained = |day: &str| {
        let alert = json!({"currentState": "Critical", "subject": "x"});
        client.post("/paging/explain", &json!({"alert": alert, "at": format!("2037-01-{day}T08:00:00Z")})).ok()
    };
    let told = explained("07");
    let target = |step: usize| told["steps"][step]["targets"][0].clone();
    let skipped = |roster: &Value| {
        json!([{"shift": {"id": roster["shiftDetails"][0]["id"], "name": "Day"},
            "holiday": {"date": "2037-01-07", "name": "Twelfth Day", "calendar": {"id": calendar, "name": name}}}])
    };
    assert_eq!([&target(0)["skipped"], &target(1)["skipped"]], [&skipped(&alone), &skipped(&both)]);
    assert_eq!(target(1)["users"].as_array().map(Vec::len), Some(1), "somebody else is on call: {told}");
    let gap = format!(
        "step 1: nobody is on call in the roster: the shift \"Day\" does not take place on 2037-01-07 (Twelfth Day), \
         a holiday of the calendar \"{name}\""
    );
    assert_eq!(told["gaps"][0], json!(gap));
    let told = explained("08");
    assert!(!told.to_string().contains("skipped") && !told.to_string().contains("Twelfth"), "{told}");
}

fn a_client_sees_a_calendar_of_its_partner_by_its_id(server: &Server) {
    let (partner, client) = (server.admin(), server.new_client());
    let ann = user(&client, "Ann");
    let (calendar, name) = calendar(&partner);
    let made = create(&client, "GMT", &[skipping(&ann, &calendar)]);
    let told = client.get(&format!("{}/onCall?at=2037-01-07T12:00:00Z", path(&made))).ok();
    assert_eq!(told["skipped"][0]["holiday"]["calendar"], json!({"id": calendar}));
    assert!(!told.to_string().contains(&name));
}
