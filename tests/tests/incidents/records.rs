//! Incidents: create, get, update, search, close, notes.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{category, text};

both_backends![
    an_incident_has_its_defaults_and_all_that_was_given,
    errors_are_listed_by_path,
    an_update_keeps_what_it_leaves_out_and_takes_away_what_is_empty,
    what_an_incident_has_already_is_written_back,
    a_closed_incident_is_only_opened_again,
    notes_are_only_added,
    search_finds_by_every_variable,
    a_roster_assigns_the_person_on_call,
    opened_for_an_alert_they_name_each_other,
    the_audit_log_has_it_before_and_after,
    others_incidents_are_unknown,
    a_name_that_changed_is_read_at_once,
];

fn create(client: &Client, body: Value) -> Value {
    client.post("/incidents", &body).ok()
}

fn path(incident: &Value) -> String {
    format!("/incidents/{}", text(&incident["id"]))
}

fn user(client: &Client, name: &str) -> String {
    text(&client.post("/users", &json!({"loginName": unique(name), "firstName": name, "lastName": "Lee"})).ok()["id"])
}

fn an_incident_has_its_defaults_and_all_that_was_given(server: &Server) {
    let client = server.new_client();
    let bare = create(&client, json!({"subject": " Disk is full "}));
    assert!(text(&bare["id"]).starts_with("INC"), "{bare}");
    let shown = ["subject", "priority", "status"].map(|field| bare[field].clone());
    assert_eq!(shown, ["Disk is full", "Normal", "New"].map(|text| json!(text)));
    assert_eq!(bare["requester"]["id"], bare["createdBy"]["id"]);
    let absent = ["category", "assignee", "assigneeGroup", "roster", "dueDate", "closedDate"];
    for absent in absent.into_iter().chain(["description", "resources", "alerts"]) {
        assert!(bare.get(absent).is_none(), "{absent}: {bare}");
    }
    let ann = user(&client, "Ann");
    let group = text(&client.post("/userGroups", &json!({"name": "desk"})).ok()["uniqueId"]);
    let top = category(&client, "Servers", None);
    let sub = category(&client, "Storage", Some(&top));
    client.post("/resources", &json!({"name": "db", "hostName": "db-01"})).ok();
    let full = create(
        &client,
        json!({
            "subject": "Disk", "description": "# full", "priority": "very low", "status": "OPEN",
            "category": {"uniqueId": top}, "subCategory": {"uniqueId": sub}, "requester": {"id": ann.to_lowercase()},
            "assignee": {"id": ann}, "assigneeGroup": {"uniqueId": group}, "resources": [{"hostName": "DB-01"}],
            "dueDate": "2030-01-01T00:00:00+05:30", "note": "first",
        }),
    );
    assert_eq!((&full["priority"], &full["status"]), (&json!("Very Low"), &json!("Open")));
    assert_eq!(full["subCategory"], json!({"uniqueId": sub, "name": "Storage"}));
    assert_eq!((&full["assignee"]["id"], &full["requester"]["firstName"]), (&json!(ann), &json!("Ann")));
    assert_eq!(full["assigneeGroup"], json!({"uniqueId": group, "name": "desk"}));
    assert_eq!(full["resources"][0]["hostName"], json!("db-01"));
    assert_eq!((&full["dueDate"], &full["noteCount"]), (&json!("2029-12-31T18:30:00+0000"), &json!(1)));
    let read = client.get(&path(&full));
    assert!(read.header("ETag").is_some());
    assert_eq!(read.ok(), full);
    assert_eq!(client.get(&path(&full).to_lowercase()).ok(), full);
}

fn errors_are_listed_by_path(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    client.post("/incidents", &json!({})).invalid(&["subject"]);
    let wrong = json!({
        "subject": "x".repeat(501), "priority": "Extreme", "status": 3, "dueDate": "tomorrow", "resources": [{}, 5],
        "category": "Network", "assignee": {}, "note": " ",
    });
    client.post("/incidents", &wrong).invalid(&[
        "subject",
        "priority",
        "status",
        "dueDate",
        "resources[0].id",
        "resources[1]",
        "category",
        "assignee.id",
        "note",
    ]);
    let theirs = json!({
        "subject": "x", "category": {"uniqueId": category(&other, "theirs", None)},
        "assignee": {"id": user(&other, "Eve")}, "requester": {"id": "USR9999999999"},
        "assigneeGroup": {"uniqueId": "USRGRP-x"}, "roster": {"id": "ES-x"},
        "resources": [{"hostName": "nowhere"}], "alerts": [{"id": "ALT-x"}],
    });
    client.post("/incidents", &theirs).invalid(&[
        "category.uniqueId",
        "assignee.id",
        "requester.id",
        "assigneeGroup.uniqueId",
        "roster.id",
        "resources[0].hostName",
        "alerts[0].id",
    ]);
    // Malformed values and unknown ids are reported together, each field once.
    let mut both = theirs.clone();
    both["subject"] = json!("x".repeat(501));
    both["priority"] = json!("Extreme");
    both["roster"] = json!({});
    both["resources"] = json!([{}, {"hostName": "nowhere"}]);
    both["alerts"] = json!([{"id": "ALT-x"}, {}]);
    let expected = [
        "subject",
        "priority",
        "category.uniqueId",
        "assignee.id",
        "requester.id",
        "assigneeGroup.uniqueId",
        "roster.id",
        "resources[0].id",
        "resources[1].hostName",
        "alerts[0].id",
        "alerts[1].id",
    ];
    let told = client.post("/incidents", &both).invalid(&expected);
    assert_eq!(told["errors"].as_array().map(Vec::len), Some(expected.len()), "{told}");
    let made = create(&client, json!({"subject": "good"}));
    let wrong = json!({"status": "Lost", "assignee": {"id": "USR9999999999"}, "category": {},
        "subCategory": {"uniqueId": "SCAT-x"}});
    let wrong = client.post(&path(&made), &wrong);
    wrong.invalid(&["status", "assignee.id", "category.uniqueId", "subCategory.uniqueId"]);
    client.post("/incidents", &json!({"alerts": [{"id": "ALT-x"}]})).invalid(&["alerts[0].id"]);
    let top = category(&client, "top", None);
    let stray = category(&client, "stray", None);
    let filed = json!({"subject": "x", "category": {"uniqueId": top}, "subCategory": {"uniqueId": stray}});
    client.post("/incidents", &filed).invalid(&["subCategory.uniqueId"]);
    // Without a category that can be read, nobody knows whether it stands below that.
    let filed = json!({"subject": "x", "category": {}, "subCategory": {"uniqueId": stray}});
    client.post("/incidents", &filed).invalid(&["category.uniqueId"]);
    let all = client.get("/incidents/search").page();
    assert_eq!((&all["totalResults"], &all["results"][0]["status"]), (&json!(1), &json!("New")));
}

fn an_update_keeps_what_it_leaves_out_and_takes_away_what_is_empty(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let due = "2030-01-01T00:00:00+0000";
    let made = create(&client, json!({"subject": "a", "assignee": {"id": ann}, "dueDate": due, "priority": "High"}));
    let tag = client.get(&path(&made)).header("ETag").unwrap_or_default().to_owned();
    let changed = client.post(&path(&made), &json!({"description": "more"})).ok();
    assert_eq!((&changed["assignee"]["id"], &changed["dueDate"]), (&json!(ann), &json!(due)));
    assert_eq!((&changed["priority"], &changed["description"]), (&json!("High"), &json!("more")));
    let late = client.request("POST", &path(&made)).header("If-Match", &tag).json(&json!({"subject": "b"})).send();
    late.problem(412, "0004");
    let bare = client.post(&path(&made), &json!({"assignee": {"id": ""}, "dueDate": ""})).ok();
    assert!(bare.get("assignee").is_none() && bare.get("dueDate").is_none(), "{bare}");
}

fn what_an_incident_has_already_is_written_back(server: &Server) {
    let client = server.new_client();
    let [network, storage] = ["Network", "Storage"].map(|name| category(&client, name, None));
    let sub = category(&client, "Sub", Some(&network));
    let machine = text(&client.post("/resources", &json!({"name": "db", "hostName": "db-01"})).ok()["resourceUUID"]);
    let body = json!({"subject": "Disk", "category": {"uniqueId": network}, "subCategory": {"uniqueId": sub},
        "resources": [{"id": machine}]});
    let made = create(&client, body);
    client.post(&format!("/incidents/categories/{sub}/move"), &json!({"parentCategory": {"uniqueId": storage}})).ok();
    client.delete(&format!("/resources/{machine}")).ok();
    for fields in [&["subCategory"][..], &["category", "subCategory"], &["resources"]] {
        let change: serde_json::Map<_, _> =
            fields.iter().map(|field| ((*field).to_owned(), made[*field].clone())).collect();
        let kept = client.post(&path(&made), &json!(change)).ok();
        for field in ["category", "subCategory", "resources"] {
            assert_eq!(kept[field], made[field], "{fields:?}");
        }
    }
    // Another incident cannot be filed so, nor this one elsewhere.
    client.post("/incidents", &json!({"subject": "x", "resources": [{"id": machine}]})).invalid(&["resources[0].id"]);
    let filed = json!({"category": {"uniqueId": network}, "subCategory": {"uniqueId": sub}});
    let other = create(&client, json!({"subject": "x"}));
    client.post(&path(&other), &filed).invalid(&["subCategory.uniqueId"]);
    client.post(&path(&made), &json!({"category": {"uniqueId": storage}, "subCategory": {"uniqueId": sub}})).ok();
    client.post(&path(&made), &filed).invalid(&["subCategory.uniqueId"]);
}

fn a_closed_incident_is_only_opened_again(server: &Server) {
    let client = server.new_client();
    let made = create(&client, json!({"subject": "a"}));
    let resolved = client.post(&path(&made), &json!({"status": "Resolved"})).ok();
    assert!(resolved["resolvedDate"].is_string() && resolved.get("closedDate").is_none(), "{resolved}");
    let close = format!("{}/close", path(&made));
    let closed = client.post(&close, &json!({"note": "done"})).ok();
    assert_eq!((&closed["status"], &closed["noteCount"]), (&json!("Closed"), &json!(1)));
    assert!(closed["closedDate"].is_string());
    client.post_empty(&close).problem(409, "0004");
    client.post(&path(&made), &json!({"subject": "b"})).problem(409, "0004");
    let open = client.post(&path(&made), &json!({"status": "Open", "subject": "b"})).ok();
    assert_eq!((&open["status"], &open["subject"]), (&json!("Open"), &json!("b")));
    assert!(open.get("closedDate").is_none() && open.get("resolvedDate").is_none(), "{open}");
    assert_eq!(client.post_empty(&close).ok()["status"], json!("Closed"));
}

fn notes_are_only_added(server: &Server) {
    let client = server.new_client();
    let made = create(&client, json!({"subject": "a", "note": "one"}));
    let notes = format!("{}/notes", path(&made));
    let two = client.post(&notes, &json!({"content": "two"})).ok();
    assert_eq!((&two["id"], &two["content"]), (&json!(2), &json!("two")));
    assert!(text(&two["createdBy"]["id"]).starts_with("USR"));
    client.post_empty(&format!("{}/close", path(&made))).ok();
    client.post(&notes, &json!({"content": "three"})).ok();
    client.post(&notes, &json!({})).invalid(&["content"]);
    client.post(&notes, &json!({"content": "x".repeat(10_001)})).invalid(&["content"]);
    let contents = |query: &str| -> Vec<String> {
        let page = client.get(&format!("{notes}{query}")).page();
        page["results"].as_array().into_iter().flatten().map(|one| text(&one["content"])).collect()
    };
    assert_eq!(contents(""), ["three", "two", "one"]);
    assert_eq!(contents("?isDescendingOrder=false&pageSize=2"), ["one", "two"]);
    assert_eq!(client.get(&path(&made)).ok()["noteCount"], json!(3));
}

fn search_finds_by_every_variable(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let top = category(&client, "top", None);
    let machine = text(&client.post("/resources", &json!({"name": "db"})).ok()["resourceUUID"]);
    let group = text(&client.post("/userGroups", &json!({"name": "desk"})).ok()["uniqueId"]);
    let sub = category(&client, "sub", Some(&top));
    let a = create(
        &client,
        json!({
            "subject": "Disk 100%_'", "priority": "Urgent", "status": "Open", "assignee": {"id": ann},
            "category": {"uniqueId": top}, "subCategory": {"uniqueId": sub}, "resources": [{"id": machine}],
            "assigneeGroup": {"uniqueId": group}, "dueDate": "2030-01-01T00:00:00Z",
        }),
    );
    create(&client, json!({"subject": "Mail", "requester": {"id": ann}}));
    create(&client, json!({"subject": "mailbox", "priority": "Low"}));
    let found = |query: &str| -> Vec<String> {
        let page = client.search("/incidents/search?sortName=subject&isDescendingOrder=false", query).page();
        page["results"].as_array().into_iter().flatten().map(|one| text(&one["subject"])).collect()
    };
    let disk = text(&a["subject"]);
    for query in [
        format!("id:{}", text(&a["id"]).to_lowercase()),
        "subject:100%_'".to_owned(),
        "priority:urgent,high".to_owned(),
        "status:Open".to_owned(),
        format!("categoryId:{top}"),
        format!("categoryId:{sub}"),
        format!("assigneeId:{ann}"),
        format!("assignedTo:{ann}+uniqueId:{}+hasAlerts:false", text(&a["id"])),
        format!("assigneeGroupId:{group}"),
        format!("assigneeGroupId:{}", group.to_lowercase()),
        format!("resourceId:{machine}+status:Open"),
    ] {
        assert_eq!(found(&query), [disk.clone()], "{query}");
    }
    assert_eq!(found("subject:MAIL"), ["Mail", "mailbox"]);
    assert_eq!(found("subject:mail+isEquals:true"), ["Mail"]);
    assert_eq!(found(&format!("requesterId:{ann}")), ["Mail"]);
    assert_eq!(found(&format!("requester:{ann}+requesterId:{ann}")), ["Mail"]);
    assert_eq!(found("hasAlerts:true"), [""; 0]);
    assert_eq!(found("startUpdationDate:2020-01-01T00:00:00Z+subject:mailbox"), ["mailbox"]);
    assert_eq!(found("endUpdationDate:2020-01-01T00:00:00Z"), [""; 0]);
    assert_eq!(found("startCreationDate:2020-01-01T00:00:00Z+endCreationDate:2021-01-01T00:00:00Z"), [""; 0]);
    let sorted = |sort: &str| -> String {
        let page = client.get(&format!("/incidents/search?sortName={sort}&isDescendingOrder=false&pageSize=1")).page();
        text(&page["results"][0]["subject"])
    };
    assert_eq!((sorted("dueDate"), sorted("priority"), sorted("status")), (disk, "mailbox".into(), "Mail".into()));
    client.get("/incidents/search?queryString=priority:x").invalid(&["queryString"]);
    client.get("/incidents/search?sortName=x").invalid(&["sortName"]);
}

fn a_roster_assigns_the_person_on_call(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let roster = |start: &str, end: &str| {
        let schedule = json!({"type": "one-time", "startDate": start, "endDate": end});
        let shift = json!({"name": "All", "schedule": schedule, "users": [{"id": ann}], "userGroups": []});
        let body =
            json!({"name": unique("roster"), "description": "x", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]});
        text(&client.post("/rosters", &body).ok()["id"])
    };
    let now = roster("2020-01-01T00:00:00Z", "2090-01-01T00:00:00Z");
    let once = roster("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z");
    let given = create(&client, json!({"subject": "a", "roster": {"id": now}}));
    assert_eq!((&given["assignee"]["id"], &given["roster"]["id"]), (&json!(ann), &json!(now)));
    let nobody = create(&client, json!({"subject": "a", "roster": {"id": once}}));
    assert!(nobody.get("assignee").is_none() && nobody["roster"]["id"] == json!(once), "{nobody}");
    let named = create(&client, json!({"subject": "a", "roster": {"id": now}, "assignee": {"id": bob}}));
    assert_eq!(named["assignee"]["id"], json!(bob));
    let later = client.post(&path(&nobody), &json!({"roster": {"id": now}})).ok();
    assert_eq!(later["assignee"]["id"], json!(ann));
    // Who is called first has it, whoever began earlier.
    let shift = |level: &str, start: &str, user: &str| {
        json!({"name": level, "level": level, "users": [{"id": user}], "userGroups": [],
            "schedule": {"type": "one-time", "startDate": start, "endDate": "2090-01-01T00:00:00Z"}})
    };
    let body = json!({"name": unique("roster"), "description": "x", "timeZone": {"name": "GMT"}, "shiftDetails":
        [shift("secondary", "2020-01-01T00:00:00Z", &bob), shift("primary", "2020-02-01T00:00:00Z", &ann)]});
    let levels = text(&client.post("/rosters", &body).ok()["id"]);
    let given = create(&client, json!({"subject": "a", "roster": {"id": levels}}));
    assert_eq!(given["assignee"]["id"], json!(ann));
}

fn opened_for_an_alert_they_name_each_other(server: &Server) {
    let client = server.new_client();
    client.post("/resources", &json!({"name": "db", "hostName": "db-01"})).ok();
    let report = json!({"currentState": "Critical", "subject": "Disk is full", "metric": "disk",
        "device": {"hostName": "db-01"}});
    let alert = text(&client.post("/alert", &report).ok()["id"]);
    let made = create(&client, json!({"alerts": [{"id": alert}]}));
    assert_eq!(made["alerts"], json!([{"id": alert, "subject": "Disk is full"}]));
    assert_eq!((&made["subject"], &made["resources"][0]["hostName"]), (&json!("Disk is full"), &json!("db-01")));
    let named = client.get(&format!("/alerts/{alert}")).ok();
    assert_eq!((&named["incidentId"], &named["lastEvent"]), (&made["id"], &json!("Incident")));
    client.post("/incidents", &json!({"alerts": [{"id": alert}]})).problem(409, "0004");
    for id in [&alert, &alert.to_lowercase(), &alert.to_uppercase()] {
        let found = client.search("/incidents/search", &format!("alertId:{id}")).page();
        assert_eq!(found["results"][0]["id"], made["id"], "{id}");
    }
    let own = json!({"subject": "Mine", "resources": [], "alerts": [{"id": alert}]});
    client.post("/incidents", &own).problem(409, "0004");
}

fn the_audit_log_has_it_before_and_after(server: &Server) {
    let client = server.new_client();
    let made = create(&client, json!({"subject": "a"}));
    client.post(&path(&made), &json!({"priority": "High", "note": "look"})).ok();
    let log = client.search("/auditLog/search", &format!("entityId:{}", text(&made["id"]))).page();
    let rows = log["results"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.len(), 2, "{log}");
    let told = log.to_string();
    for part in ["INCIDENT", "priority.name", "latestResponse.content", "client.uniqueId", "msp.name"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

fn others_incidents_are_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let made = create(&client, json!({"subject": "a"}));
    for id in [text(&made["id"]), "INC0".to_owned(), "INC".to_owned(), "x".to_owned(), "%FF".to_owned()] {
        other.get(&format!("/incidents/{id}")).not_found();
        other.post(&format!("/incidents/{id}"), &json!({"subject": "b"})).not_found();
        other.post_empty(&format!("/incidents/{id}/close")).not_found();
        other.post(&format!("/incidents/{id}/notes"), &json!({"content": "b"})).not_found();
        other.get(&format!("/incidents/{id}/notes")).not_found();
    }
    // From above it is one of the partner's.
    let partner = server.admin();
    assert_eq!(partner.get(&path(&made)).ok()["clientUniqueId"], json!(client.tenant_id()));
    partner.post(&path(&made), &json!({"priority": "Low"})).ok();
}

fn a_name_that_changed_is_read_at_once(server: &Server) {
    let client = server.new_client();
    let group = text(&client.post("/userGroups", &json!({"name": "desk"})).ok()["uniqueId"]);
    let path = path(&create(&client, json!({"subject": "a", "assigneeGroup": {"uniqueId": group}})));
    let tag = client.get(&path).header("ETag").unwrap().to_owned();
    client.post(&format!("/userGroups/{group}"), &json!({"name": "front desk"})).ok();
    let read = client.request("GET", &path).header("If-None-Match", &tag).send();
    assert_eq!(read.ok()["assigneeGroup"]["name"], json!("front desk"));
    assert_eq!(read.header("ETag"), Some(tag.as_str()), "it is the version for If-Match");
}
