//! Change sets: requests of one caller with one name belong together, and any other write is a set of its own.

use muster_tests::{Client, Response, Server, both_backends, encode, unique};
use serde_json::{Value, json};

both_backends![
    a_write_without_a_name_is_a_set_of_its_own,
    requests_of_a_caller_with_one_name_are_a_set,
    a_name_joins_requests_for_a_day,
    a_bulk_import_is_one_set,
    what_failed_or_changed_nothing_is_in_no_set,
    a_set_is_of_its_tenant,
    sets_are_found_by_their_variables,
    names_have_limits,
    reports_to_an_inbound_address_are_no_sets,
    rows_of_the_audit_log_name_their_set,
];

fn send(client: &Client, name: &str, path: &str, body: &Value) -> Response {
    client.request("POST", path).header("X-Change-Set", name).json(body).send()
}

/// The sets that a filter finds, oldest first.
#[track_caller]
fn sets(client: &Client, filter: &str) -> Vec<Value> {
    let page = client.search("/changeSets/search?isDescendingOrder=false", filter).page();
    page["results"].as_array().cloned().unwrap_or_default()
}

#[track_caller]
fn detail(client: &Client, set: &Value) -> Value {
    client.get(&format!("/changeSets/{}", super::text(&set["id"]))).ok()
}

#[track_caller]
fn counts(set: &Value) -> (i64, i64) {
    (set["requests"].as_i64().expect("requests"), set["objects"].as_i64().expect("objects"))
}

fn a_write_without_a_name_is_a_set_of_its_own(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Graz", "city": "Graz"})).ok()["id"].to_string();
    client.post(&format!("/sites/{site}"), &json!({"city": "Linz"})).ok();
    let sets = sets(&client, "");
    assert_eq!(sets.iter().map(counts).collect::<Vec<_>>(), [(1, 1), (1, 1)]);
    assert!(sets.iter().all(|set| set.get("name").is_none() && set["tenantId"] == json!(client.tenant_id())));
    assert!(sets.iter().all(|set| set["createdBy"]["id"].is_string() && set["createdDate"].is_string()), "{sets:?}");
    let changed = detail(&client, &sets[1]);
    let change = &changed["changes"]["results"][0];
    assert_eq!(
        (&change["entity"], &change["entityId"], &change["action"]),
        (&json!("Site"), &json!(site), &json!("UPDATE"))
    );
    assert_eq!(change["changes"]["city"], json!({"before": "Graz", "after": "Linz"}));
    assert_eq!((&changed["id"], &changed["changes"]["totalResults"]), (&sets[1]["id"], &json!(1)));
}

fn requests_of_a_caller_with_one_name_are_a_set(server: &Server) {
    let client = server.new_client();
    let other = server.caller(client.tenant_id(), "admin");
    let name = unique("deploy 42");
    let site = send(&client, &name, "/sites", &json!({"name": "Graz", "city": "Graz"})).ok()["id"].to_string();
    send(&client, &name, &format!("/sites/{site}"), &json!({"city": "Linz"})).ok();
    send(&client, &name, "/sites", &json!({"name": "Wien"})).ok();
    let gone = send(&client, &name, "/sites", &json!({"name": "Gone"})).ok()["id"].to_string();
    client.request("DELETE", &format!("/sites/{gone}")).header("X-Change-Set", &name).send().ok();
    send(&other, &name, &format!("/sites/{site}"), &json!({"city": "Wels"})).ok();
    let found = sets(&client, &format!("name:{name}"));
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [(5, 3), (1, 1)]);
    assert!(found.iter().all(|set| set["name"] == json!(name)));

    let all = detail(&client, &found[0]);
    let changes = all["changes"]["results"].as_array().cloned().unwrap_or_default();
    let told: Vec<_> =
        changes.iter().map(|change| (change["action"].clone(), change["changes"]["city"].clone())).collect();
    let expected = [("CREATE", json!({"after": "Linz"})), ("CREATE", Value::Null), ("NONE", Value::Null)];
    assert_eq!(told, expected.map(|(action, city)| (json!(action), city)), "{changes:?}");
    assert_eq!(changes[0]["changes"]["name"], json!({"after": "Graz"}));
    assert_eq!(detail(&client, &found[1])["changes"]["results"][0]["changes"]["city"]["before"], json!("Linz"));

    // By pages, with a cursor.
    let path = format!("/changeSets/{}?pageSize=2", super::text(&found[0]["id"]));
    let first = client.get(&path).ok();
    let cursor = super::text(&first["changes"]["nextCursor"]);
    let second = client.get(&format!("{path}&cursor={cursor}")).ok();
    let ids = |page: &Value| {
        let rows = page["changes"]["results"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["entityId"].clone()).collect::<Vec<_>>()
    };
    assert_eq!([ids(&first), ids(&second)].concat(), ids(&all));
    assert_eq!((ids(&second).len(), &second["changes"]["nextPage"]), (1, &json!(false)));
}

fn a_name_joins_requests_for_a_day(server: &Server) {
    let client = server.new_client();
    let name = unique("daily");
    send(&client, &name, "/sites", &json!({"name": "one"})).ok();
    let earlier = |hours: i64| {
        let tenant = client.tenant_id();
        let millis = hours * 3_600_000;
        server.sql(&format!(
            "UPDATE change_sets SET created_ms = created_ms - {millis} WHERE tenant_id = '{tenant}' AND name = '{name}'"
        ));
    };
    earlier(23);
    send(&client, &name, "/sites", &json!({"name": "two"})).ok();
    assert_eq!(sets(&client, &format!("name:{name}")).iter().map(counts).collect::<Vec<_>>(), [(2, 2)]);
    earlier(2);
    send(&client, &name, "/sites", &json!({"name": "three"})).ok();
    assert_eq!(sets(&client, &format!("name:{name}")).iter().map(counts).collect::<Vec<_>>(), [(2, 2), (1, 1)]);
}

fn a_bulk_import_is_one_set(server: &Server) {
    let client = server.new_client();
    let rows: Vec<Value> =
        (0..1_200).map(|row| json!({"name": format!("m{row}"), "hostName": format!("m{row}")})).collect();
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let answer = client.request("POST", "/resources/bulk").body("application/x-ndjson", text.clone()).send();
    assert_eq!(answer.status, 200, "{answer}");
    let found = sets(&client, "");
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [(1, 1_200)]);
    let changed = client.get(&format!("/changeSets/{}?pageSize=1000&pageNo=2", super::text(&found[0]["id"]))).ok();
    assert_eq!(changed["changes"]["results"].as_array().map(Vec::len), Some(200));
    assert_eq!(changed["changes"]["totalResults"], json!(1_200));
    // What is stored as it was changes nothing.
    assert_eq!(client.request("POST", "/resources/bulk").body("application/x-ndjson", text).send().status, 200);
    assert_eq!(sets(&client, "").len(), 1);
}

fn what_failed_or_changed_nothing_is_in_no_set(server: &Server) {
    let client = server.new_client();
    let name = unique("nothing");
    send(&client, &name, "/sites", &json!({"name": 7})).problem(400, "0002");
    assert!(sets(&client, "").is_empty());
    let body = json!({"name": "Graz"});
    let key = unique("key");
    for replayed in [None, Some("true")] {
        let request = client.request("POST", "/sites").header("X-Change-Set", &name);
        let answer = request.header("Idempotency-Key", &key).json(&body).send();
        answer.ok();
        assert_eq!(answer.header("Idempotency-Replayed"), replayed);
    }
    assert_eq!(sets(&client, "").iter().map(counts).collect::<Vec<_>>(), [(1, 1)]);
}

fn a_set_is_of_its_tenant(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    client.post("/sites", &json!({"name": "Graz"})).ok();
    let set = sets(&client, "").remove(0);
    let path = format!("/changeSets/{}", super::text(&set["id"]));
    other.get(&path).not_found();
    assert!(sets(&other, "").is_empty());
    client.get(&path.to_lowercase().replace("/changesets/", "/changeSets/")).ok();
    for unknown in ["CHG-", "nobody", "CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c"] {
        client.get(&format!("/changeSets/{unknown}")).not_found();
    }
    for role in ["viewer", "operator", "integrator"] {
        let caller = server.caller(client.tenant_id(), role);
        caller.get(&path).forbidden();
        caller.get("/changeSets/search").forbidden();
    }
}

fn sets_are_found_by_their_variables(server: &Server) {
    let client = server.new_client();
    let other = server.caller(client.tenant_id(), "admin");
    send(&client, "Deploy one", "/sites", &json!({"name": "one"})).ok();
    send(&other, "deploy two", "/sites", &json!({"name": "two"})).ok();
    let all = sets(&client, "name:deploy");
    let id = |index: usize| super::text(&all[index]["id"]);
    for (filter, count) in [
        ("name:deploy".to_owned(), 2),
        ("name:TWO".to_owned(), 1),
        (format!("id:{}", id(0)), 1),
        (format!("createdBy:{}", super::text(&all[1]["createdBy"]["id"])), 1),
        (format!("name:one+keyId:{}", super::text(&all[0]["keyId"])), 1),
        ("name:deploy+startDate:2020-01-01T00:00:00Z".to_owned(), 2),
        ("endDate:2020-01-01T00:00:00Z".to_owned(), 0),
    ] {
        assert_eq!(sets(&client, &filter).len(), count, "{filter}");
    }
    client.get("/changeSets/search?queryString=colour:red").problem(400, "0002");
    let page = |more: &str| client.search(&format!("/changeSets/search?pageSize=1{more}"), "name:deploy").page();
    let newest = page("");
    assert_eq!(newest["results"][0]["id"], all[1]["id"]);
    let cursor = super::text(&newest["nextCursor"]);
    assert_eq!(page(&format!("&cursor={cursor}"))["results"][0]["id"], all[0]["id"]);
}

fn names_have_limits(server: &Server) {
    let client = server.new_client();
    for wrong in ["", " ", &"x".repeat(101), "tab\there"] {
        let answer = send(&client, wrong, "/sites", &json!({"name": "Graz"}));
        assert_eq!(answer.status, 400, "{wrong:?}: {answer}");
    }
    let request = client.request("POST", "/sites").header("X-Change-Set", "a").header("X-Change-Set", "b");
    assert_eq!(request.json(&json!({"name": "Graz"})).send().status, 400);
    send(&client, &"x".repeat(100), "/sites", &json!({"name": "Graz"})).ok();
    assert_eq!(sets(&client, "").len(), 1);
}

fn reports_to_an_inbound_address_are_no_sets(server: &Server) {
    let client = server.new_client();
    let address = client.post("/inbound", &json!({"name": "monitor"})).ok();
    let before = sets(&client, "").len();
    let url = super::text(&address["url"]);
    let path = url.find("/api/").map_or(url.as_str(), |at| &url[at..]);
    let report = json!({"currentState": "Critical", "subject": "disk full", "uniqueId": "disk"});
    let answer = client.absolute("POST", path).header("X-Change-Set", "storm").json(&report).send();
    assert!(answer.status < 300, "{answer}");
    assert_eq!(sets(&client, "").len(), before);
}

/// The sets that rows of the audit log name, in no order.
#[track_caller]
fn named(client: &Client, filter: &str) -> Vec<Value> {
    let page = client.get(&format!("/auditLog/search?pageSize=1000&queryString={}", encode(filter))).page();
    let rows = page["results"].as_array().expect("rows").iter();
    rows.map(|row| row.get("changeSet").cloned().unwrap_or_default()).collect()
}

fn rows_of_the_audit_log_name_their_set(server: &Server) {
    let client = server.new_client();
    let name = unique("deploy");
    let alone = client.post("/sites", &json!({"name": "Alone"})).ok()["id"].to_string();
    let first = send(&client, &name, "/sites", &json!({"name": "First"})).ok()["id"].to_string();
    send(&client, &name, &format!("/sites/{first}"), &json!({"city": "Graz"})).ok();
    let rows: String = (0..600).map(|row| format!("{}\n", json!({"hostName": format!("m{row}")}))).collect();
    let answer = client.request("POST", "/resources/bulk").body("application/x-ndjson", rows).send();
    assert_eq!(answer.status, 200, "{answer}");
    let [one, two, import] = &sets(&client, "")[..] else { panic!("three sets") };
    assert_eq!(named(&client, &format!("entity:Site+entityId:{alone}")), [one["id"].clone()]);
    assert_eq!(named(&client, &format!("entity:Site+entityId:{first}")), [two["id"].clone(), two["id"].clone()]);
    assert_eq!(named(&client, "entity:Resource"), vec![import["id"].clone(); 600]);

    // What the partner did at its own path is a set of the partner, which it sees and the client does not.
    let partner = server.admin();
    let own = server.caller(client.tenant_id(), "admin");
    partner.post(&format!("/sites/{alone}"), &json!({"city": "Linz"})).ok();
    let filter = format!("entity:Site+entityId:{alone}+action:UPDATE");
    assert_eq!(named(&own, &filter), [Value::Null]);
    let [set] = &named(&partner, &filter)[..] else { panic!("one row") };
    let found = partner.get(&format!("/changeSets/{}", super::text(set))).ok();
    assert_eq!(found["tenantId"], json!(partner.tenant_id()));
    assert_eq!(named(&partner, &format!("entity:Site+entityId:{alone}+action:CREATE")), [one["id"].clone()]);
    // Nobody asked for it.
    assert_eq!(named(&partner, "keyId:bootstrap").into_iter().find(|set| !set.is_null()), None);
}
