//! Which windows cover what, and which alerts they catch.

use muster_tests::{Client, Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{NOON, always, create, group, join, resource, text, window};

both_backends![
    a_machine_is_named_in_any_way,
    a_machine_that_joins_a_group_is_covered,
    what_is_in_maintenance_is_listed_once_and_page_by_page,
    a_partners_window_covers_its_clients,
    the_rules_of_a_partners_window_are_its_own,
    an_alert_is_tried_rule_by_rule,
    an_alert_names_its_resource_as_people_do,
    a_trial_and_a_report_are_read_alike,
    a_name_that_two_clients_have_is_refused,
    what_is_in_maintenance_is_narrowed_to_a_machine_or_a_place,
    a_window_is_tried_before_it_is_saved,
];

/// What is in maintenance: host name, way, by the query.
fn active(client: &Client, query: &str) -> Vec<String> {
    let page = client.get(&format!("/scheduleMaintenances/active?at={NOON}{query}")).page();
    let all = page["results"].as_array().unwrap();
    all.iter().map(|one| format!("{} {}", text(&one["resource"]["hostName"]), text(&one["via"]))).collect()
}

/// A window on what these fields say.
fn on(targets: Value) -> Value {
    let mut body = json!({"name": unique("window"), "schedule": always()});
    body.as_object_mut().unwrap().extend(targets.as_object().unwrap().clone());
    body
}

fn a_machine_that_joins_a_group_is_covered(server: &Server) {
    let client = server.new_client();
    let (one, one_host) = resource(&client);
    let (two, two_host) = resource(&client);
    let (top, name) = group(&client, &[&one]);
    let child = client.post("/deviceGroups", &json!({"name": unique("child"), "parent": {"id": top}})).ok();
    create(&client, &on(json!({"deviceGroups": [{"name": name}]})));
    let of = |id: &str| active(&client, &format!("&resourceId={id}"));
    assert_eq!(of(&one), [format!("{one_host} deviceGroup")]);
    assert!(of(&two).is_empty());
    // A group below counts.
    join(&client, child["id"].as_i64().unwrap(), &[&two]);
    assert_eq!(of(&two), [format!("{two_host} deviceGroup")]);
    assert_eq!(active(&client, "").len(), 2);

    // By rule, as soon as the rule takes it in, and by location.
    let rule = json!({"key": "aliasName", "operator": "Equals", "value": "patched"});
    let criteria = json!({"matchType": "ALL", "rules": [rule]});
    let dynamic = client.post("/deviceGroups", &json!({"name": unique("dynamic"), "filterCriteria": criteria})).ok();
    let site = client.post("/sites", &json!({"name": unique("site")})).ok();
    create(&client, &on(json!({"deviceGroups": [{"id": dynamic["id"]}]})));
    create(&client, &on(json!({"locations": [{"id": site["id"]}]})));
    let (three, three_host) = resource(&client);
    assert!(of(&three).is_empty());
    client.post(&format!("/resources/{three}"), &json!({"aliasName": "patched", "location": {"id": site["id"]}})).ok();
    let mut ways = of(&three);
    ways.sort();
    assert_eq!(ways, [format!("{three_host} deviceGroup"), format!("{three_host} location")]);
    client.delete(&format!("/resources/{three}")).ok();
    assert!(of(&three).is_empty());
}

fn what_is_in_maintenance_is_listed_once_and_page_by_page(server: &Server) {
    let client = server.new_client();
    let machines: Vec<(String, String)> = (0..7).map(|_| resource(&client)).collect();
    let ids: Vec<&str> = machines.iter().map(|(id, _)| id.as_str()).collect();
    let (first, _) = group(&client, &ids[..5]);
    let (second, _) = group(&client, &ids[3..]);
    let targets = json!({"devices": [{"uniqueId": ids[0]}], "deviceGroups": [{"id": first}, {"id": second}]});
    create(&client, &on(targets));
    create(&client, &on(json!({"devices": [{"uniqueId": ids[6]}]})));
    let all = active(&client, "");
    assert_eq!(all.len(), 8, "{all:?}");
    assert!(
        all.contains(&format!("{} device", machines[0].1)) && !all.contains(&format!("{} deviceGroup", machines[0].1))
    );
    let numbered: Vec<String> =
        (1..=4).flat_map(|page| active(&client, &format!("&pageSize=3&pageNo={page}"))).collect();
    assert_eq!(numbered, all);
    let mut walked = Vec::new();
    let mut next = String::new();
    loop {
        let page = client.get(&format!("/scheduleMaintenances/active?at={NOON}&pageSize=3{next}")).page();
        assert_eq!(page["totalResults"], 8);
        walked.extend(page["results"].as_array().unwrap().clone());
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        next = format!("&cursor={cursor}");
    }
    let hosts: Vec<String> =
        walked.iter().map(|one| format!("{} {}", text(&one["resource"]["hostName"]), text(&one["via"]))).collect();
    assert_eq!(hosts, all);
    assert!(active(&client, &format!("&resourceId={}", uuid())).is_empty());
    for at in ["noon", "9999-12-31T23:59:59Z", "1776-07-04T00:00:00Z"] {
        client.get(&format!("/scheduleMaintenances/active?at={at}")).invalid(&["at"]);
    }
    for name in ["state", "status"] {
        client.get(&format!("/scheduleMaintenances/search?{name}=")).invalid(&[name]);
    }
}

fn a_partners_window_covers_its_clients(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let other = server.new_client();
    let (id, host) = resource(&client);
    let (foreign, foreign_host) = resource(&other);
    let (own, _) = resource(&admin);
    let (number, _) = group(&admin, &[&id, &own]);
    let path = create(&admin, &on(json!({"deviceGroups": [{"id": number}], "devices": [{"uniqueId": foreign}]})));
    // The client is told of it where it covers its own, and of nothing else.
    assert_eq!(active(&client, ""), [format!("{host} deviceGroup")]);
    assert_eq!(active(&client, &format!("&resourceId={id}")), [format!("{host} deviceGroup")]);
    assert!(active(&client, &format!("&resourceId={foreign}")).is_empty());
    assert_eq!(active(&other, ""), [format!("{foreign_host} device")]);
    client.get(&path).not_found();
    assert_eq!(client.get("/scheduleMaintenances/search").ok()["totalResults"], 0);
    // A client's window covers its own only, also when its partner changes it.
    let mine = create(&client, &window(&id, always()));
    let mine = mine.as_str();
    admin
        .post(&format!("{mine}/resources"), &json!({"devices": [{"uniqueId": foreign}]}))
        .invalid(&["devices[0].uniqueId"]);
    client
        .post("/scheduleMaintenances", &on(json!({"deviceGroups": [{"id": number}]})))
        .invalid(&["deviceGroups[0].id"]);
    assert_eq!(active(&client, "").len(), 2);
}

fn the_rules_of_a_partners_window_are_its_own(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let (id, _) = resource(&client);
    let secret = unique("internal");
    let rules = json!([{"key": "subject", "operator": "Contains", "value": secret}]);
    let mut body = window(&id, always());
    body["alertConditions"] = json!({"matchingType": "ANY", "rules": rules});
    create(&admin, &body);
    create(&client, &window(&id, always()));
    let alert = json!({"device": {"id": id}, "subject": "disk", "currentState": "Critical"});
    let told = |caller: &Client| caller.post(&format!("/scheduleMaintenances/match?at={NOON}"), &alert).ok();
    let seen = told(&client);
    assert_eq!(seen["windows"].as_array().map(Vec::len), Some(2), "{seen}");
    assert!(!seen.to_string().contains(&secret), "{seen}");
    let of_partner = |seen: &Value| {
        let windows = seen["windows"].as_array().cloned().unwrap_or_default();
        windows.into_iter().find(|one| one["matches"] == false).unwrap_or_default()
    };
    assert_eq!((&of_partner(&seen)["rules"], &of_partner(&seen)["matchingType"]), (&json!([]), &Value::Null), "{seen}");
    // The partner sees them.
    assert_eq!(of_partner(&told(&admin))["rules"][0]["value"], json!(secret));
}

fn an_alert_is_tried_rule_by_rule(server: &Server) {
    let client = server.new_client();
    let (id, host) = resource(&client);
    let mut body = window(&id, always());
    body["alertConditions"] = json!({"matchingType": "ALL", "rules": [
        {"key": "SUBJECT", "operator": "Contains", "value": "disk"},
        {"key": "device.hostName", "operator": "Regex", "value": "^HOST|^host"},
        {"key": "currentState", "operator": "NotEquals", "value": "ok"},
    ]});
    let path = create(&client, &body);
    let once = json!({"type": "One-Time", "startTime": "2031-05-05T11:00:00Z", "endTime": "2031-05-06T12:00:00Z"});
    let mut longer = window(&id, once);
    longer["alertConditions"] = json!({"rules": [{"key": "component", "operator": "Equals", "value": "C:"}]});
    let longer_path = create(&client, &longer);
    let alert = |subject: &str, component: &str| {
        let alert = json!({"device": {"hostName": host}, "subject": subject, "currentState": "Critical",
            "component": component});
        client.post(&format!("/scheduleMaintenances/match?at={NOON}"), &alert).ok()
    };
    let caught = alert("Disk full", "D:");
    assert_eq!((&caught["alertType"], &caught["resource"]["id"]), (&json!("Maintenance"), &json!(id)));
    assert!(path.ends_with(&text(&caught["window"]["uniqueId"])));
    let windows = caught["windows"].as_array().unwrap();
    let tried = windows.iter().find(|one| one["matches"] == true).unwrap();
    assert_eq!((&tried["via"], &tried["matchingType"]), (&json!("device"), &json!("ALL")));
    assert_eq!(tried["rules"][0]["found"], json!(["Disk full"]));
    assert_eq!(tried["rules"][1]["matches"], true);
    let not = windows.iter().find(|one| one["matches"] == false).unwrap();
    assert_eq!((&not["rules"][0]["found"], &not["rules"][0]["matches"]), (&json!(["D:"]), &json!(false)));
    // Of two, the one that is open longest.
    let both = alert("Disk full", "c:");
    assert!(longer_path.ends_with(&text(&both["window"]["uniqueId"])), "{both}");
    let none = alert("CPU", "D:");
    assert_eq!((&none["alertType"], &none["window"]), (&json!("Monitoring"), &Value::Null));
    assert_eq!(none["windows"].as_array().map(Vec::len), Some(2));
    // The conditions are those of now.
    client.post(&path, &json!({"alertConditions": {"rules": []}})).ok();
    assert_eq!(alert("CPU", "D:")["alertType"], "Maintenance");
    let closed = client
        .post(
            "/scheduleMaintenances/match?at=2031-05-05T23:59:59Z",
            &json!({"device": host, "subject": "x", "currentState": "Ok"}),
        )
        .ok();
    assert_eq!((&closed["alertType"], closed["windows"].as_array().map(Vec::len)), (&json!("Monitoring"), Some(1)));
}

fn an_alert_names_its_resource_as_people_do(server: &Server) {
    let client = server.new_client();
    let name = unique("named");
    let made = client
        .post(
            "/resources",
            &json!({"hostName": name, "extResourceId": format!("EXT-{name}"), "ipAddress": "10.9.8.7",
        "networkCardDetails": [{"ipAddress": "10.9.8.6", "macAddress": "00-16-3E-00-00-01"}]}),
        )
        .ok();
    let id = &made["resourceUUID"];
    create(&client, &window(&text(id), always()));
    let path = format!("/scheduleMaintenances/match?at={NOON}");
    for key in [
        json!({"id": id}),
        json!({"hostName": name.to_uppercase()}),
        json!({"extResourceId": format!("ext-{name}")}),
        json!({"ipAddress": "10.9.8.7"}),
        json!({"ipAddress": "10.9.8.6"}),
        json!({"macAddress": "0016.3e00.0001"}),
        json!(name),
        id.clone(),
    ] {
        let found = client.post(&path, &json!({"resource": key, "subject": "x", "currentState": "critical"})).ok();
        assert_eq!((&found["resource"]["id"], &found["alertType"]), (id, &json!("Maintenance")), "{key}");
    }
    let of = |device: Value| json!({"device": device, "subject": "x", "currentState": "critical"});
    client.post(&path, &json!({"subject": "x", "currentState": "critical"})).invalid(&["resource"]);
    client.post(&path, &of(json!({"hostName": "nobody"}))).invalid(&["device"]);
    client.post(&path, &of(json!({}))).invalid(&["device"]);
    client.post(&path, &json!({"device": name})).invalid(&["currentState", "subject"]);
    client.post(&path, &json!([])).invalid(&["body"]);
}

fn a_trial_and_a_report_are_read_alike(server: &Server) {
    let client = server.new_client();
    let name = unique("alike");
    let address = "10.77.1.11";
    client.post("/resources", &json!({"hostName": name, "ipAddress": address})).ok();
    let body = json!({"name": unique("window"), "devices": [{"hostName": name}], "schedule": always(),
    "alertConditions": {"matchingType": "ALL", "rules": [
        {"key": "metric", "operator": "Equals", "value": "svc"},
        {"key": "currentState", "operator": "Regex", "value": "^Critical$"},
        {"key": "alertType", "operator": "Equals", "value": "Monitoring"},
        {"key": "status", "operator": "Equals", "value": "New"},
        {"key": "device.hostName", "operator": "Equals", "value": name},
    ]}});
    create(&client, &body);
    for device in [json!(name), json!(address), json!({"id": "nope", "hostName": name})] {
        let alert = json!({"device": device, "subject": "s", "serviceName": "svc", "currentState": "critical"});
        let tried = client.post("/scheduleMaintenances/match", &alert).ok();
        assert_eq!(tried["alertType"], "Maintenance", "{tried}");
        assert_eq!(client.post("/alert", &alert).ok()["alertType"], "Maintenance", "{alert}");
    }
}

fn a_name_that_two_clients_have_is_refused(server: &Server) {
    let partner = server.admin();
    let name = unique("group");
    let clients = [server.new_client(), server.new_client()];
    for client in &clients {
        client.post("/deviceGroups", &json!({"name": name})).ok();
        client.post("/sites", &json!({"name": name})).ok();
    }
    let of = |list: &str| json!({"name": "w", "schedule": always(), list: [{"name": name}]});
    for list in ["deviceGroups", "locations"] {
        partner.post("/scheduleMaintenances", &of(list)).invalid(&[&format!("{list}[0].name")]);
        create(&clients[0], &of(list));
    }
    partner.post("/deviceGroups", &json!({"name": name})).ok();
    create(&partner, &of("deviceGroups"));
}

fn what_is_in_maintenance_is_narrowed_to_a_machine_or_a_place(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let machines: Vec<(String, String)> = (0..3).map(|_| resource(&client)).collect();
    let ids: Vec<&str> = machines.iter().map(|(id, _)| id.as_str()).collect();
    let (two, name) = group(&client, &ids[..2]);
    let (_, covered) = group(&client, &ids[1..]);
    let site = client.post("/sites", &json!({"name": unique("site")})).ok();
    client.post(&format!("/resources/{}", ids[2]), &json!({"location": {"id": site["id"]}})).ok();
    create(&client, &on(json!({"deviceGroups": [{"name": covered}]})));
    create(&client, &on(json!({"devices": [{"uniqueId": ids[0]}]})));
    let ways = |number: usize, via: &str| format!("{} {via}", machines[number].1);
    assert_eq!(active(&client, "").len(), 3);
    assert_eq!(active(&client, &format!("&hostName={}", machines[1].1.to_uppercase())), [ways(1, "deviceGroup")]);
    let mut of_group = vec![ways(0, "device"), ways(1, "deviceGroup")];
    of_group.sort();
    for query in [format!("&deviceGroupId={two}"), format!("&deviceGroup={}", name.to_uppercase())] {
        let mut found = active(&client, &query);
        found.sort();
        assert_eq!(found, of_group, "{query}");
    }
    for query in [format!("&siteId={}", site["id"]), format!("&site={}", text(&site["name"]))] {
        assert_eq!(active(&client, &query), [ways(2, "deviceGroup")], "{query}");
    }
    assert!(active(&client, "&hostName=nothing").is_empty() && active(&client, "&site=nowhere").is_empty());
    assert!(active(&other, &format!("&deviceGroup={name}")).is_empty());
    client.get("/scheduleMaintenances/active?hostName=a&site=b").invalid(&["site"]);
}

fn a_window_is_tried_before_it_is_saved(server: &Server) {
    let client = server.new_client();
    let (id, host) = resource(&client);
    let (_, group) = group(&client, &[&id]);
    let saved = create(&client, &on(json!({"devices": [{"uniqueId": id}]})));
    let saved_id = saved.rsplit('/').next().unwrap_or_default().to_owned();
    let mut draft = on(json!({"deviceGroups": [{"name": group}]}));
    draft["alertConditions"] = json!({"rules": [{"key": "subject", "operator": "Regex", "value": "^disk"}]});
    let alert = |windows: Value| {
        json!({"device": {"hostName": host}, "subject": "disk full", "currentState": "Critical",
            "windows": windows})
    };
    let tried = |windows: Value| client.post(&format!("/scheduleMaintenances/match?at={NOON}"), &alert(windows)).ok();
    let told = tried(json!([draft]));
    let all: Vec<(&Value, &Value)> =
        told["windows"].as_array().unwrap().iter().map(|one| (&one["saved"], &one["matches"])).collect();
    assert_eq!(all, [(&json!(false), &json!(true)), (&json!(true), &json!(true))], "{told}");
    assert_eq!(
        (&told["windows"][0]["via"], &told["windows"][0]["window"]["name"]),
        (&json!("deviceGroup"), &draft["name"])
    );
    assert_eq!(told["windows"][0]["rules"][0]["found"], json!(["disk full"]));
    // In the place of the saved one, with conditions that do not hold.
    draft["uniqueId"] = json!(saved_id);
    draft["alertConditions"]["rules"][0]["value"] = json!("^memory");
    let told = tried(json!([draft]));
    assert_eq!((told["windows"].as_array().unwrap().len(), &told["alertType"]), (1, &json!("Monitoring")));
    assert_eq!(told["windows"][0]["window"]["uniqueId"], json!(saved_id));
    // Nothing was stored; what is not open, or covers something else, says nothing.
    assert_eq!(client.get("/scheduleMaintenances/search").page()["totalResults"], json!(1));
    let once = json!({"type": "One-Time", "startTime": "2031-05-06T00:00:00+0000",
        "endTime": "2031-05-07T00:00:00+0000", "timezone": "GMT"});
    let closed = json!({"name": "x", "devices": [{"uniqueId": id}], "schedule": once});
    assert_eq!(tried(json!([closed]))["windows"].as_array().unwrap().len(), 1);
    let wrong = json!([{"name": "x"}, {"name": "y", "devices": [{"uniqueId": uuid()}], "schedule": always()}]);
    let refused = client.post("/scheduleMaintenances/match", &alert(wrong));
    refused.invalid(&["windows[0].schedule", "windows[0].devices", "windows[1].devices[0].uniqueId"]);
    let many = vec![closed; 11];
    client.post("/scheduleMaintenances/match", &alert(json!(many))).invalid(&["windows"]);
}

/// One resolution for windows, alerts, jobs and incidents.
fn a_machine_is_named_in_any_way(server: &Server) {
    let client = server.new_client();
    let host = unique("fq");
    let content = json!({"hardware": {"name": host}, "operatingsystem": {"full_name": "Debian", "kernel_name": "linux",
        "fqdn": format!("{host}.example.net")}});
    let report = json!({"action": "inventory", "deviceid": unique("dev"), "itemtype": "Computer", "content": content});
    client.post("/agents/reports", &report).ok();
    let agents = text(&client.search("/resources/minimal", &format!("hostName:{host}")).list()[0]["id"]);
    let short = unique("short");
    let full = unique("full");
    let shop = unique("shop");
    let target = |given: &Value| {
        let made = create(&client, &on(json!({"devices": [given]})));
        text(&client.get(&made).ok()["devices"][0]["uniqueId"])
    };
    let make = |body: Value| text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let short_id = make(json!({"hostName": short}));
    let full_id = make(json!({"hostName": format!("{full}.example.net.")}));
    let shop_id = make(
        json!({"resourceName": shop, "dnsName": format!("{shop}.example.com"), "aliasName": format!("Alias of {shop}"),
        "extResourceId": format!("EXT-{shop}"), "ipAddress": "10.7.7.7", "macAddress": "00:16:3e:7a:00:01"}),
    );
    for (id, names) in [
        (
            &agents,
            vec![
                host.clone(),
                format!("{host}.example.net"),
                format!("{}.Example.NET.", host.to_uppercase()),
                format!("{host}."),
            ],
        ),
        (&short_id, vec![short.clone(), format!("{short}.example.net"), format!("{short}.example.org.")]),
        (&full_id, vec![full.clone(), format!("{full}.example.net"), format!("{full}.")]),
        (
            &shop_id,
            vec![
                shop.to_uppercase(),
                format!("{shop}.example.com"),
                format!("alias of {shop}."),
                "10.7.7.7".to_owned(),
            ],
        ),
    ] {
        for name in names {
            for field in ["hostName", "dnsName", "resourceName", "aliasName"] {
                let given = json!({field: name});
                assert_eq!(target(&given), *id, "{given}");
                let alert =
                    json!({"currentState": "Critical", "metric": unique("m"), "component": name, "device": given});
                let alert = client.post("/alert", &alert).ok();
                let alert = client.get(&format!("/alerts/{}", text(&alert["id"]))).ok();
                assert_eq!(text(&alert["device"]["id"]), *id, "{given}");
                assert_eq!(alert["status"], json!("Suppressed"), "{alert}");
                let job = json!({"name": unique("job"), "schedule": {"startDate": "2035-01-01T10:00:00Z",
                    "pattern": {"type": "daily", "frequency": "everyday"}}, "script": {"jobType": "antivirus"},
                    "entities": [{"resource": given}]});
                assert_eq!(text(&client.post("/jobs", &job).ok()["resources"][0]["id"]), *id, "{given}");
                let incident = json!({"subject": "s", "resources": [given]});
                assert_eq!(text(&client.post("/incidents", &incident).ok()["resources"][0]["id"]), *id, "{given}");
            }
        }
    }
    for given in [
        json!({"extResourceId": format!("ext-{shop}"), "hostName": short}),
        json!({"ipAddress": "10.7.7.7", "hostName": short}),
        json!({"macAddress": "0016.3E7A.0001"}),
        json!({"extResourceId": "none", "resourceName": shop}),
    ] {
        assert_eq!(target(&given), shop_id, "{given}");
    }
    let unknown = format!("{full}.example.org");
    let refused = client.post("/scheduleMaintenances", &on(json!({"devices": [{"dnsName": unknown}]})));
    refused.invalid(&["devices[0].dnsName"]);
    assert!(refused.text().contains(&unknown), "{refused}");
    client.post("/scheduleMaintenances", &on(json!({"devices": [{}]}))).invalid(&["devices[0].hostName"]);
    make(json!({"hostName": format!("{full}.example.org")}));
    client
        .post("/scheduleMaintenances", &on(json!({"devices": [{"hostName": full}]})))
        .invalid(&["devices[0].hostName"]);
}
