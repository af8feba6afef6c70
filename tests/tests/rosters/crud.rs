//! Create, get, search, update, delete.

use std::{collections::BTreeMap, thread};

use muster_tests::{Server, both_backends, unique};
use serde_json::{Value, json};

use super::{create, daily, group, path, roster, shift, text, user};

both_backends![
    create_and_get_have_their_forms,
    a_partners_roster_is_for_all_clients,
    what_recurs_comes_back_as_it_was_given,
    fifty_creates_of_one_name_make_one_roster,
    search_finds_by_name,
    an_update_keeps_what_it_leaves_out,
    an_update_knows_shifts_by_their_id,
    a_deleted_roster_is_gone,
    others_people_and_rosters_are_unknown,
    a_description_may_be_empty_and_weeks_are_many,
    a_partners_people_may_stand_in_a_clients_roster,
    time_zones_are_listed,
];

fn create_and_get_have_their_forms(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let everybody = group(&client, &[&ann]);
    let mut body = roster("Asia/Calcutta", &[shift("Day", daily("08:00:00", "20:00:00"), &ann.to_lowercase())]);
    body["shiftDetails"][0]["userGroups"] = json!([{"uniqueId": everybody}]);
    let created = client.post("/rosters", &body).ok();
    assert!(text(&created["id"]).starts_with("ES-"), "{created}");
    assert_eq!((&created["updatedTime"], &created["description"]), (&json!(""), &body["description"]));
    let zone = json!({"id": "19", "name": "Asia/Calcutta", "label": "GMT +05:30 India", "code": "IST"});
    assert_eq!(created["timeZone"], zone);
    let tenant = &created["client"];
    assert_eq!((&tenant["id"], &tenant["uniqueId"]), (&json!(client.tenant_number()), &json!(client.tenant_id())));
    assert_eq!(tenant["activated"], json!(true));
    assert!(created.get("allClients").is_none(), "{created}");
    let first = &created["shiftDetails"][0];
    assert!(text(&first["id"]).starts_with("ESD-"));
    assert_eq!((&first["users"][0]["id"], &first["users"][0]["mobileNumber"]), (&json!(ann), &json!("+1 555 0200")));
    assert_eq!(first["userGroups"][0]["uniqueId"], json!(everybody));
    assert_eq!(first["schedule"], daily("08:00:00", "20:00:00"));
    let read = client.get(&path(&created));
    assert!(read.header("ETag").is_some());
    let read = read.ok();
    assert!(read.get("client").is_none() && read.get("allClients").is_none(), "{read}");
    let first = &read["shiftDetails"][0];
    assert_eq!(first["users"][0]["phoneNumber"], json!("+1 555 0100"));
    assert!(first["users"][0].get("mobileNumber").is_none());
    assert!(first["userGroups"][0]["updatedTime"].is_string() && first["userGroups"][0]["createdTime"].is_string());
}

fn a_description_may_be_empty_and_weeks_are_many(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let mut schedule = daily("08:00:00", "20:00:00");
    schedule["pattern"] = json!({"type": "weekly", "repeatFrequency": 52, "weekDays": "Monday"});
    let mut body = roster("GMT", &[shift("Day", schedule, &ann)]);
    body["description"] = json!("");
    let made = client.post("/rosters", &body).ok();
    assert_eq!(made["description"], json!(""), "{made}");
    let read = client.get(&path(&made)).ok();
    assert_eq!(
        (&read["description"], &read["shiftDetails"][0]["schedule"]["pattern"]["repeatFrequency"]),
        (&json!(""), &json!(52))
    );
    assert_eq!(client.post(&path(&made), &json!({"description": "some"})).ok()["description"], json!("some"));
    assert_eq!(client.post(&path(&made), &json!({"description": " "})).ok()["description"], json!(" "));
    assert_eq!(client.post(&path(&made), &json!({"description": ""})).ok()["description"], json!(""));
    body["description"] = Value::Null;
    client.post("/rosters", &body).invalid(&["description"]);
}

fn a_partners_roster_is_for_all_clients(server: &Server) {
    let partner = server.admin();
    let ann = user(&partner, "Ann");
    let created = create(&partner, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    assert_eq!(created["client"]["uniqueId"], json!("msp_1"));
    let read = partner.get(&path(&created)).ok();
    assert_eq!(read["allClients"], json!(true));
    server.new_client().get(&path(&created)).not_found();
    partner.delete(&path(&created)).ok();
}

fn what_recurs_comes_back_as_it_was_given(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let patterns = [
        json!({"type": "weekly", "repeatFrequency": 2, "weekDays": "Monday,Friday"}),
        json!({"type": "weekly", "repeatFrequency": 1}),
        json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_WEEK", "weekIndex": "Last",
            "dayOfWeek": "Friday"}),
        json!({"type": "monthly", "repeatFrequency": 10, "repeatType": "DAY_OF_MONTH", "dayOfMonth": 31}),
        json!({"type": "yearly", "repeatFrequency": 3}),
    ];
    let ends = [
        json!({"type": "NEVER"}),
        json!({"type": "OCCURRENCES", "occurrences": 5}),
        json!({"type": "DATE", "endDate": "2027-01-01T00:00:00+0000"}),
    ];
    let mut schedules: Vec<Value> = vec![json!({"type": "one-time", "startDate": "2026-11-20T08:00:00+0000",
        "endDate": "2026-11-21T08:00:00+0000"})];
    for (index, pattern) in patterns.iter().enumerate() {
        let mut schedule = daily("22:00:00", "06:00:00");
        schedule["pattern"] = pattern.clone();
        schedule["endPattern"] = ends[index % 3].clone();
        schedules.push(schedule);
    }
    let shifts: Vec<Value> =
        (0..).zip(&schedules).map(|(n, one): (i32, _)| shift(&n.to_string(), one.clone(), &ann)).collect();
    let created = create(&client, "GMT", &shifts);
    let read = client.get(&path(&created)).ok();
    let shown: Vec<Value> = (0..schedules.len()).map(|index| read["shiftDetails"][index]["schedule"].clone()).collect();
    assert_eq!(shown, schedules);
}

fn fifty_creates_of_one_name_make_one_roster(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let body = roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    let threads: Vec<_> = (0..50)
        .map(|_| {
            let client = client.clone();
            let body = body.clone();
            thread::spawn(move || client.post("/rosters", &body).status)
        })
        .collect();
    for thread in threads {
        *statuses.entry(thread.join().unwrap_or_default()).or_default() += 1;
    }
    assert_eq!(statuses, BTreeMap::from([(200, 1), (409, 49)]));
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(1));
    let mut other = body;
    other["name"] = json!(text(&other["name"]).to_uppercase());
    client.post("/rosters", &other).problem(409, "0004");
}

fn search_finds_by_name(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let mut last = String::new();
    for name in ["First line", "Second line", "Database"] {
        let mut body = roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
        body["name"] = json!(name);
        last = text(&client.post("/rosters", &body).ok()["id"]);
    }
    let names = |query: &str| -> Vec<String> {
        let page = client.get(&format!("/rosters/search{query}")).page();
        page["results"].as_array().into_iter().flatten().map(|one| text(&one["name"])).collect()
    };
    assert_eq!(names(""), ["Database", "First line", "Second line"]);
    assert_eq!(names("?queryString=name:LINE&isDescendingOrder=true"), ["Second line", "First line"]);
    assert_eq!(names("?name=database&allList=true"), ["Database"]);
    for id in [last.to_lowercase(), last.to_uppercase()] {
        assert_eq!(names(&format!("?queryString=id:{id}")), ["Database"]);
    }
    assert_eq!(names("?name=base"), Vec::<String>::new(), "a name is the whole of it");
    assert_eq!(names("?name=%20First%20LINE&queryString=name:line"), ["First line"]);
    assert_eq!(names("?name=First%20line&queryString=name:second"), Vec::<String>::new());
    assert_eq!(names("?queryString=name:line%2BisEquals:true"), Vec::<String>::new());
    assert_eq!(names("?pageSize=1&pageNo=2"), ["First line"]);
    client.get("/rosters/search?queryString=city:x").invalid(&["queryString"]);
    client.get("/rosters/search?sortName=x").invalid(&["sortName"]);
}

fn an_update_keeps_what_it_leaves_out(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let created = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let at = path(&created);
    let tag = client.get(&at).header("ETag").unwrap_or_default().to_owned();
    let updated = client.post(&at, &json!({"description": "other"})).ok();
    assert_eq!((&updated["name"], &updated["description"]), (&created["name"], &json!("other")));
    assert_eq!(updated["shiftDetails"][0]["id"], created["shiftDetails"][0]["id"]);
    assert_ne!(updated["updatedTime"], json!(""));
    client.request("POST", &at).header("If-Match", &tag).json(&json!({"name": "x"})).send().problem(412, "0004");
    let other = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    client.post(&at, &json!({"name": other["name"]})).problem(409, "0004");
    client.post(&at, &json!({"name": created["name"]})).ok();
    client.post(&at, &json!({"shiftDetails": []})).invalid(&["shiftDetails"]);
    client.post(&at, &json!({"timeZone": {"name": "Asia/Atlantis"}})).invalid(&["timeZone.name"]);
    assert_eq!(client.post(&at, &json!({"timeZone": {"name": "Asia/Kolkata"}})).ok()["timeZone"]["code"], "IST");
}

fn an_update_knows_shifts_by_their_id(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let day = shift("Day", daily("08:00:00", "20:00:00"), &ann);
    let created = create(&client, "GMT", &[day.clone(), shift("Night", daily("20:00:00", "08:00:00"), &ann)]);
    let at = path(&created);
    let id = created["shiftDetails"][0]["id"].clone();
    let unknown = json!({"shiftDetails": [{"id": id}, {"id": "ESD-x", "name": "x"}]});
    client.post(&at, &unknown).invalid(&["shiftDetails[1].id"]);
    client
        .post(&at, &json!({"shiftDetails": [{"id": id, "users": [{"id": "USR9"}]}]}))
        .invalid(&["shiftDetails[0].users[0].id"]);
    let late = shift("Late", daily("20:00:00", "23:00:00"), &bob);
    let updated = client.post(&at, &json!({"shiftDetails": [late, {"id": id, "name": "Early"}]})).ok();
    let shifts: Vec<(&Value, &Value)> = updated["shiftDetails"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| (&one["name"], &one["users"][0]["id"]))
        .collect();
    assert_eq!(shifts, [(&json!("Late"), &json!(bob)), (&json!("Early"), &json!(ann))]);
    assert_eq!(updated["shiftDetails"][1]["id"], id);
    assert_eq!(client.get(&at).ok()["shiftDetails"], updated["shiftDetails"]);
}

fn a_deleted_roster_is_gone(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let created = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let at = path(&created);
    let body = json!({"user": {"id": ann}, "start": "2030-01-01T00:00:00Z", "end": "2030-01-02T00:00:00Z"});
    client.post(&format!("{at}/overrides"), &body).ok();
    assert_eq!(client.delete(&at).ok(), json!({}));
    client.get(&at).not_found();
    client.delete(&at).not_found();
    client.get(&format!("{at}/onCall")).not_found();
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0));
}

fn others_people_and_rosters_are_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let ann = user(&client, "Ann");
    let stranger = user(&other, "Eve");
    let theirs = group(&other, &[&stranger]);
    let mut body = roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &stranger)]);
    body["shiftDetails"][0]["userGroups"] = json!([{"uniqueId": theirs}]);
    let named = ["shiftDetails[0].users[0].id", "shiftDetails[0].userGroups[0].uniqueId"];
    let refused = client.post("/rosters", &body).invalid(&named);
    assert!(text(&refused["detail"]).contains(&stranger), "{refused}");
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0));
    let created = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    for path in [path(&created), format!("{}/onCall", path(&created)), format!("{}/overrides", path(&created))] {
        other.get(&path).not_found();
    }
    other.post(&path(&created), &json!({"name": unique("x")})).not_found();
    other.delete(&path(&created)).not_found();
}

fn a_partners_people_may_stand_in_a_clients_roster(server: &Server) {
    let partner = server.admin();
    let client = server.new_client();
    let ann = user(&partner, "Ann");
    let ours = group(&partner, &[&ann]);
    let mut body = roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    body["shiftDetails"][0]["userGroups"] = json!([{"uniqueId": ours}]);
    let created = client.post("/rosters", &body).ok();
    assert_eq!(created["shiftDetails"][0]["users"][0]["id"], json!(ann));
    // The partner reads and changes it from above.
    assert_eq!(partner.get(&path(&created)).ok()["shiftDetails"][0]["users"][0]["id"], json!(ann));
    partner.post(&path(&created), &json!({"description": "from above"})).ok();
}

fn time_zones_are_listed(server: &Server) {
    let client = server.caller(server.new_client().tenant_id(), "viewer");
    let zones = client.absolute("GET", "/api/v2/cfg/timezones").send().list();
    assert_eq!(zones.len(), 27);
    assert_eq!(zones[0], json!({"id": "1", "name": "Pacific/Asia", "label": "GMT -11:00 Samoa", "code": "SST"}));
    assert_eq!(zones[18]["name"], json!("Asia/Calcutta"));
    let answer = client.absolute("GET", "/api/v2/cfg/timezones?all=true").send();
    let all = answer.ok();
    assert_eq!(all["timeZones"], json!(zones));
    assert!(text(&all["version"]).starts_with("20"), "{}", all["version"]);
    assert_eq!(answer.header("X-Time-Zone-Database"), all["version"].as_str());
    assert_eq!(
        client.absolute("GET", "/api/v2/cfg/timezones").send().header("X-Time-Zone-Database"),
        all["version"].as_str()
    );
    let others = all["others"].as_array().unwrap();
    let known = |name: &str| others.iter().any(|zone| zone["name"] == json!(name) && zone["id"] == json!(name));
    assert!(others.len() > 500 && known("Europe/Kiev") && known("Asia/Kolkata") && !known("Asia/Calcutta"));
    client.absolute("GET", "/api/v2/cfg/timezones?x=1").send().invalid(&["x"]);
    server.anonymous().absolute("GET", "/api/v2/cfg/timezones").send().unauthenticated();
}
