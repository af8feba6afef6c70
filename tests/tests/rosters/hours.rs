//! Hours on call: by category, by person, group and roster, as JSON and as CSV.

use std::{collections::BTreeMap, time::Duration};

use muster_tests::{Backend, Client, Server, both_backends, encode, receiver::wait_for, unique};
use serde_json::{Value, json};

use super::{create, daily, group, path, shift, text, user};
use crate::{integrations::times::soon, paging::somebody};

both_backends![
    a_week_has_its_hours_in_the_zone_of_the_roster,
    hours_are_those_that_pass_when_the_clocks_change,
    hours_are_of_those_who_were_on_call,
    hours_of_groups_and_of_rosters_are_those_of_their_people,
    who_is_on_call_twice_at_once_is_told_so,
    pages_and_work_stand_beside_hours,
    a_table_has_no_formulas,
    a_tenant_says_where_categories_begin,
    categories_go_back_and_forth,
    wrong_questions_are_refused,
    hours_of_others_are_nobodys_business,
    clients_count_as_their_partner_does_unless_they_say_otherwise,
];

/// A week from Monday.
const WEEK: &str = "from=2026-11-23T00:00:00Z&to=2026-11-30T00:00:00Z";

fn hours(client: &Client, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/rosters/hours?{query}")).ok();
    answer["results"].as_array().cloned().unwrap_or_else(|| panic!("no rows: {answer}"))
}

/// Hours by category, and their total.
fn numbers(row: &Value) -> [f64; 6] {
    let of = |name| row["hours"][name].as_f64().unwrap_or(f64::NAN);
    let [working, evening, night, weekend, holiday] = ["working", "evening", "night", "weekend", "holiday"].map(of);
    [working, evening, night, weekend, holiday, row["total"].as_f64().unwrap_or(f64::NAN)]
}

/// The totals of users, by their ids.
fn totals(client: &Client, query: &str) -> BTreeMap<String, f64> {
    hours(client, query).iter().map(|row| (text(&row["user"]["id"]), numbers(row)[5])).collect()
}

fn always(user: &str) -> Value {
    shift("Always", daily("00:00:00", "00:00:00"), user)
}

fn a_week_has_its_hours_in_the_zone_of_the_roster(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    create(&client, "GMT", &[always(&ann)]);
    let rows = hours(&client, WEEK);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["user"]["id"], json!(ann));
    let login = client.get(&format!("/users/{ann}")).ok()["loginName"].clone();
    assert_eq!((&rows[0]["user"]["loginName"], &rows[0]["overlapping"]), (&login, &json!(0.0)));
    assert_eq!(numbers(&rows[0]), [50.0, 20.0, 50.0, 48.0, 0.0, 168.0]);
    let india = server.new_client();
    let bob = user(&india, "Bob");
    create(&india, "Asia/Calcutta", &[always(&bob)]);
    let rows = hours(&india, "from=2026-11-23T00:00:00Z&to=2026-11-23T12:40:12Z");
    // From 5:30 to 18:10:12.
    assert_eq!(numbers(&rows[0]), [10.0, 0.17, 2.5, 0.0, 0.0, 12.67]);
}

fn hours_are_those_that_pass_when_the_clocks_change(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    create(&client, "Europe/Paris", &[shift("Night", daily("22:00:00", "08:00:00"), &ann)]);
    let total = |from: &str, to: &str| numbers(&hours(&client, &format!("from={from}&to={to}"))[0]);
    let forward = total("2026-03-28T20:00:00Z", "2026-03-29T20:00:00Z");
    assert_eq!(forward, [0.0, 0.0, 0.0, 9.0, 0.0, 9.0]);
    let back = total("2026-10-24T18:00:00Z", "2026-10-25T18:00:00Z");
    assert_eq!(back, [0.0, 0.0, 0.0, 11.0, 0.0, 11.0]);
    let year = total("2025-12-31T23:00:00Z", "2026-12-31T23:00:00Z");
    assert_eq!((year[0] + year[1], year[5]), (0.0, 3_642.0));
}

fn hours_are_of_those_who_were_on_call(server: &Server) {
    let client = server.new_client();
    let [ann, bob, eve] = ["Ann", "Bob", "Eve"].map(|name| user(&client, name));
    let rotation = json!({"order": [{"users": [{"id": ann}]}, {"users": [{"id": bob}]}], "length": {"days": 1},
        "start": "2026-11-23T00:00:00"});
    let line = json!({"name": "Line", "schedule": daily("00:00:00", "00:00:00"), "rotation": rotation});
    let made = create(&client, "GMT", &[line]);
    let of = |pairs: &[(&str, f64)]| pairs.iter().map(|(user, total)| ((*user).to_owned(), *total)).collect();
    let expected: BTreeMap<String, f64> = of(&[(&ann, 96.0), (&bob, 72.0)]);
    assert_eq!(totals(&client, WEEK), expected);
    // Eve takes twelve hours, and two people swap a day of 24 hours for one of 6.
    let over = json!({"user": {"id": eve}, "start": "2026-11-23T06:00:00Z", "end": "2026-11-23T18:00:00Z"});
    client.post(&format!("{}/overrides", path(&made)), &over).ok();
    let swap = json!({"first": {"user": {"id": ann}, "start": "2026-11-25T00:00:00Z", "end": "2026-11-26T00:00:00Z"},
        "second": {"user": {"id": bob}, "start": "2026-11-26T00:00:00Z", "end": "2026-11-26T06:00:00Z"}});
    client.post(&format!("{}/swaps", path(&made)), &swap).ok();
    let expected: BTreeMap<String, f64> =
        of(&[(&ann, 96.0 - 12.0 - 24.0 + 6.0), (&bob, 72.0 + 24.0 - 6.0), (&eve, 12.0)]);
    assert_eq!(totals(&client, WEEK), expected);
    let only: BTreeMap<String, f64> = of(&[(&eve, 12.0)]);
    assert_eq!(totals(&client, &format!("{WEEK}&userId={}", eve.to_lowercase())), only);
    // A deleted roster has its past.
    let past = || totals(&client, "from=2026-11-22T00:00:00Z&to=2026-11-25T00:00:00Z");
    let before = past();
    client.delete(&path(&made)).ok();
    assert_eq!((past(), before.values().sum::<f64>()), (before.clone(), 48.0), "nobody has the time before the start");
}

fn hours_of_groups_and_of_rosters_are_those_of_their_people(server: &Server) {
    let client = server.new_client();
    let [ann, bob, eve] = ["Ann", "Bob", "Eve"].map(|name| user(&client, name));
    let team = group(&client, &[&ann, &bob]);
    let other = group(&client, &[&bob, &eve]);
    let line = json!({"name": "Line", "schedule": daily("00:00:00", "00:00:00"), "users": [{"id": eve}],
        "userGroups": [{"uniqueId": team}, {"uniqueId": other}]});
    let first = create(&client, "GMT", &[line]);
    let second = create(&client, "GMT", &[shift("Day", daily("08:00:00", "18:00:00"), &ann)]);
    let groups: Vec<(Value, f64)> = hours(&client, &format!("{WEEK}&by=group"))
        .iter()
        .map(|row| (row["userGroup"]["uniqueId"].clone(), numbers(row)[5]))
        .collect();
    let mut expected = vec![(json!(team), 2.0 * 168.0), (json!(other), 168.0)];
    let by_name = |id: &Value| text(&client.get(&format!("/userGroups/{}", text(id))).ok()["name"]);
    expected.sort_by_key(|(id, _)| by_name(id).to_lowercase());
    expected.push((Value::Null, 70.0));
    assert_eq!(groups, expected);
    let rosters: BTreeMap<String, (String, f64)> = hours(&client, &format!("{WEEK}&by=roster"))
        .iter()
        .map(|row| (text(&row["roster"]["id"]), (text(&row["roster"]["name"]), numbers(row)[5])))
        .collect();
    let named = |made: &Value, total| (text(&made["id"]), (text(&made["name"]), total));
    assert_eq!(rosters, BTreeMap::from([named(&first, 3.0 * 168.0), named(&second, 70.0)]));
    let users = totals(&client, WEEK);
    assert_eq!(users, BTreeMap::from([(ann, 238.0), (bob, 168.0), (eve, 168.0)]));
    assert_eq!(totals(&client, &format!("{WEEK}&userGroupId={team}")).values().sum::<f64>(), 3.0 * 168.0);
    assert_eq!(totals(&client, &format!("{WEEK}&name={}", encode(&text(&second["name"])))).len(), 1);
}

fn who_is_on_call_twice_at_once_is_told_so(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    create(&client, "GMT", &[shift("Day", daily("08:00:00", "18:00:00"), &ann)]);
    create(&client, "GMT", &[shift("Late", daily("16:00:00", "22:00:00"), &ann)]);
    let rows = hours(&client, "from=2026-11-23T00:00:00Z&to=2026-11-24T00:00:00Z");
    assert_eq!((rows.len(), numbers(&rows[0])), (1, [12.0, 4.0, 0.0, 0.0, 0.0, 16.0]));
    assert_eq!(rows[0]["overlapping"], json!(2.0));
}

fn pages_and_work_stand_beside_hours(server: &Server) {
    const HOUR: u64 = 3_600;
    let client = server.new_client();
    let (caller, ann) = somebody(server, &client, "operator");
    let bob = user(&client, "Bob");
    let mail = json!({"name": "mail", "type": "EMAIL", "address": "ann@example.net", "verified": true});
    client.post(&format!("/users/{ann}/contactMethods"), &mail).ok();
    let team = group(&client, &[&ann]);
    let mut both = always(&bob);
    both["userGroups"] = json!([{"uniqueId": team}]);
    let roster = create(&client, "GMT", &[both]);
    // It is night but for some hours later than now.
    let later = |hours: u64| format!("{}:00:00", soon(hours * HOUR).get(11..13).unwrap_or_default());
    let categories =
        json!({"workingFrom": later(3), "eveningFrom": later(4), "nightFrom": later(4), "weekendDays": ""});
    client.post("/rosters/hourCategories", &categories).ok();
    let step = json!({"targets": [{"roster": {"id": roster["id"]}}], "wait": "1h"});
    let policy = json!({"name": unique("policy"), "steps": [step]});
    let policy = text(&client.post("/escalationPolicies", &policy).ok()["id"]);
    client.post("/alertRoutes", &json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy}})).ok();
    let alert = |subject: &str| {
        text(&client.post("/alert", &json!({"currentState": "Critical", "subject": subject})).ok()["id"])
    };
    let alerts = [alert("first"), alert("second")];
    let paged = |alert: &String| {
        let page = client.search("/pages/search", &format!("alertId:{alert}+userId:{ann}")).page();
        page["totalResults"].as_i64() == Some(1)
    };
    wait_for(Duration::from_secs(60), || alerts.iter().all(paged), || "nobody is told".to_owned());
    let range = format!("from={}&to={}", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z");
    let range = if soon(0).starts_with("2026") { range } else { range.replace("2026", &soon(0)[..4]) };
    let counts = |by: &str, key: &str, id: &str| {
        let rows = hours(&client, &format!("{range}&by={by}"));
        let row = rows.into_iter().find(|row| row[by.replace("group", "userGroup")][key] == json!(id));
        let row = row.unwrap_or_else(|| panic!("no row of {id}"));
        ["pages", "nightPages", "nightsBroken"].map(|name| row[name].as_i64().unwrap_or(-1))
    };
    assert_eq!(counts("user", "id", &ann), [2, 2, 1]);
    assert_eq!(counts("user", "id", &bob), [0, 0, 0], "nothing reaches him");
    assert_eq!(counts("group", "uniqueId", &team), [2, 2, 1]);
    assert_eq!(counts("roster", "id", &text(&roster["id"])), [2, 2, 1]);
    for alert in &alerts {
        caller.post(&format!("/alerts/{alert}/actions/acknowledge"), &json!({})).ok();
    }
    let worked = || {
        let rows = hours(&client, &format!("{range}&userId={ann}"));
        rows[0]["incidentHours"].as_f64().unwrap_or(-1.0)
    };
    assert!((0.0..=0.01).contains(&worked()), "{}", worked());
    wait_for(Duration::from_secs(60), || worked() > 0.0, || format!("{}", worked()));
    assert!(worked() < 0.02, "both at once count once: {}", worked());
    for alert in &alerts {
        caller.post(&format!("/alerts/{alert}/actions/close"), &json!({})).ok();
    }
    let narrowed = hours(&client, &format!("{range}&userGroupId={team}"));
    assert!(narrowed.iter().all(|row| row.get("incidentHours").is_none()), "{narrowed:?}");
}

fn a_table_has_no_formulas(server: &Server) {
    let client = server.new_client();
    let name = unique("=cmd");
    let ann = text(&client.post("/users", &json!({"loginName": name, "lastName": "Lee"})).ok()["id"]);
    create(&client, "GMT", &[always(&ann)]);
    let table = |query: &str| {
        let request = client.request("GET", &format!("/rosters/hours?{WEEK}{query}")).header("Accept", "text/csv");
        let answer = request.send();
        assert_eq!(answer.status, 200, "{answer}");
        assert_eq!(answer.header("Content-Type"), Some("text/csv; charset=utf-8"));
        assert_eq!(answer.header("Vary"), Some("Accept"));
        answer.text()
    };
    let expected = format!(
        "userId,loginName,working,evening,night,weekend,holiday,total,overlapping,pages,nightPages,nightsBroken,\
         incidentHours\r\n{ann},'{name},50.00,20.00,50.00,48.00,0.00,168.00,0.00,0,0,0,0.00\r\n"
    );
    assert_eq!(table(""), expected);
    let groups = "userGroupId,userGroup,working,evening,night,weekend,holiday,total,pages,nightPages,nightsBroken\r\n\
                  ,,50.00,20.00,50.00,48.00,0.00,168.00,0,0,0\r\n";
    assert_eq!(table("&by=group"), groups);
    assert!(table("&by=roster").starts_with("rosterId,roster,working,"));
}

fn categories(client: &Client) -> Value {
    client.get("/rosters/hourCategories").ok()
}

fn a_tenant_says_where_categories_begin(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    create(&client, "GMT", &[always(&ann)]);
    let set = |body: &Value| client.post("/rosters/hourCategories", body);
    let changed = set(&json!({"eveningFrom": "16:00:00", "nightFrom": "01:00:00", "weekendDays": "sunday"})).ok();
    let expected = json!({"workingFrom": "08:00:00", "eveningFrom": "16:00:00", "nightFrom": "01:00:00",
        "weekendDays": "Sunday"});
    assert_eq!((&changed, categories(&client)), (&expected, expected.clone()));
    assert_eq!(numbers(&hours(&client, WEEK)[0]), [48.0, 54.0, 42.0, 24.0, 0.0, 168.0]);
    let row = &client.search("/auditLog/search", "entity:RosterHourCategories").page()["results"][0];
    assert_eq!((&row["action"], &row["entityId"]), (&json!("CREATE"), &json!(client.tenant_id())), "{row}");
    assert_eq!(set(&json!({"weekendDays": ""})).ok()["weekendDays"], json!(""));
    set(&json!({"nightFrom": "09:00:00"})).invalid(&["nightFrom"]);
    set(&json!({"workingFrom": "16:00:00"})).invalid(&["nightFrom"]);
    set(&json!({"workingFrom": "8", "eveningFrom": 7, "nightFrom": "24:00:00", "weekendDays": "Someday"})).invalid(&[
        "workingFrom",
        "eveningFrom",
        "nightFrom",
        "weekendDays",
    ]);
    for role in ["viewer", "operator", "integrator"] {
        let caller = server.caller(client.tenant_id(), role);
        caller.post("/rosters/hourCategories", &json!({})).forbidden();
        assert_eq!(categories(&caller)["nightFrom"], json!("01:00:00"));
        assert_eq!(hours(&caller, WEEK).len(), 1);
    }
}

fn categories_go_back_and_forth(server: &Server) {
    let client = server.new_client();
    let newest = || text(&client.search("/changeSets/search", "").page()["results"][0]["id"]);
    let undo = |set: &str| text(&client.post_empty(&format!("/changeSets/{set}/undo")).ok()["changeSet"]);
    let default = categories(&client);
    let set = |body: Value| client.post("/rosters/hourCategories", &body).ok();
    set(json!({"nightFrom": "21:00:00", "weekendDays": ""}));
    let first = newest();
    let before = categories(&client);
    let undone = undo(&first);
    assert_eq!(categories(&client), default);
    undo(&undone);
    assert_eq!(categories(&client), before);
    set(json!({"workingFrom": "07:00:00", "weekendDays": "Friday"}));
    let after = categories(&client);
    let undone = undo(&newest());
    assert_eq!(categories(&client), before);
    undo(&undone);
    assert_eq!(categories(&client), after);
}

fn wrong_questions_are_refused(server: &Server) {
    let client = server.new_client();
    client.get("/rosters/hours").invalid(&["from", "to"]);
    client.get("/rosters/hours?from=2026-11-23T00:00:00Z&to=2026-11-23T00:00:00Z").invalid(&["to"]);
    client.get("/rosters/hours?from=2026-01-01T00:00:00Z&to=2027-02-06T00:00:00Z").invalid(&["to"]);
    let problem = client.get(&format!("/rosters/hours?{WEEK}&by=team&x=1")).invalid(&["by", "x"]);
    let message = text(&problem["errors"][0]["message"]);
    assert!(["user", "group", "roster"].iter().all(|word| message.contains(word)), "{message}");
    assert_eq!(hours(&client, WEEK), Vec::<Value>::new());
}

fn hours_of_others_are_nobodys_business(server: &Server) {
    let partner = server.admin();
    let (client, other) = (server.new_client(), server.new_client());
    let pat = user(&partner, "Pat");
    let eve = user(&other, "Eve");
    create(&client, "GMT", &[always(&pat)]);
    create(&other, "GMT", &[always(&pat), shift("Day", daily("08:00:00", "18:00:00"), &eve)]);
    let rows = hours(&client, WEEK);
    let login = partner.get(&format!("/users/{pat}")).ok()["loginName"].clone();
    // Of a person of the partner who is on call here, a client is told who it is.
    assert_eq!((rows.len(), &rows[0]["user"]), (1, &json!({"id": pat, "loginName": login})));
    assert_eq!(numbers(&rows[0])[5], 168.0, "what the person does elsewhere is not told");
    assert_eq!(hours(&client, &format!("{WEEK}&userId={eve}")), Vec::<Value>::new());
    let all = totals(&partner, &format!("{WEEK}&userId={pat}"));
    assert_eq!(all.get(&pat), Some(&336.0), "a partner sees the rosters of its clients");
}

fn clients_count_as_their_partner_does_unless_they_say_otherwise(backend: Backend) {
    let server = Server::start(backend);
    let partner = server.admin();
    let client = server.new_client();
    let other = server.new_client();
    other.post("/rosters/hourCategories", &json!({"workingFrom": "09:00:00"})).ok();
    partner.post("/rosters/hourCategories", &json!({"weekendDays": "Friday,Saturday"})).ok();
    assert_eq!(categories(&client)["weekendDays"], json!("Friday,Saturday"));
    assert_eq!(categories(&other)["weekendDays"], json!("Sunday,Saturday"));
    for (at, working) in [(&client, 40.0 + 10.0), (&other, 45.0)] {
        let ann = user(at, "Ann");
        let made = create(at, "GMT", &[always(&ann)]);
        assert_eq!(numbers(&hours(at, WEEK)[0])[0], working);
        let seen = hours(&partner, &format!("{WEEK}&by=roster&name={}", encode(&text(&made["name"]))));
        assert_eq!(numbers(&seen[0])[0], working, "each roster by what its tenant says");
    }
}
