//! Reports of a problem are one alert.

use muster_tests::{Backend, Client, Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{at, each, found, get, host, post, report, text};

both_backends![
    repeats_are_one_alert_with_a_count,
    ok_closes_and_the_next_one_is_new,
    a_late_report_does_not_regress,
    an_array_has_a_result_for_each,
    a_resource_is_found_by_each_of_its_names,
    an_unknown_resource_loses_no_alert,
    another_tenants_resource_is_unknown,
    at_partner_level_alerts_are_the_clients_own,
    changes_are_audited,
    two_gateways_count_exactly,
];

fn repeats_are_one_alert_with_a_count(server: &Server) {
    let client = server.new_client();
    let (id, name) = host(&client);
    let mut first = report(&name, "warning", "system.load");
    first["component"] = json!("CPU");
    let made = post(&client, &first);
    assert_eq!(
        (&made["result"], &made["repeatCount"], &made["resourceId"]),
        (&json!("created"), &json!(1), &json!(id))
    );
    assert_eq!((&made["currentState"], &made["status"]), (&json!("Warning"), &json!("New")));
    let mut same = report(&name.to_uppercase(), "WARNING", "system.load");
    same["component"] = json!("CPU");
    let again = post(&client, &same);
    assert_eq!((&again["result"], &again["id"], &again["repeatCount"]), (&json!("repeated"), &made["id"], &json!(2)));
    same["currentState"] = json!("Critical");
    same["subject"] = json!("Load is 31");
    let worse = post(&client, &same);
    assert_eq!((&worse["result"], &worse["id"]), (&json!("changed"), &made["id"]));
    let alert = get(&client, &made);
    assert_eq!((&alert["currentState"], &alert["oldState"]), (&json!("Critical"), &json!("Warning")));
    assert_eq!((&alert["repeatCount"], &alert["lastEvent"]), (&json!(3), &json!("Changed")));
    assert_eq!((&alert["subject"], &alert["uniqueId"]), (&json!("Load is 31"), &made["id"]));
    assert_eq!((&alert["device"]["id"], &alert["device"]["hostName"]), (&json!(id), &json!(name)));
    assert_eq!((&alert["clientUniqueId"], &alert["alertType"]), (&json!(client.tenant_id()), &json!("Monitoring")));
    for (field, other) in
        [("metric", "system.cpu"), ("component", "other"), ("component", "cpu"), ("metric", "System.Load")]
    {
        let mut body = same.clone();
        body[field] = json!(other);
        assert_eq!(post(&client, &body)["result"], json!("created"), "{field}");
    }
    assert_eq!(found(&client, "").len(), 5);
}

fn ok_closes_and_the_next_one_is_new(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    assert_eq!(post(&client, &report(&name, "Ok", "disk"))["result"], json!("ignored"));
    assert_eq!(found(&client, ""), Vec::<String>::new());
    let first = post(&client, &report(&name, "Critical", "disk"));
    let closed = post(&client, &report(&name, "Ok", "disk"));
    assert_eq!(
        (&closed["result"], &closed["id"], &closed["status"]),
        (&json!("closed"), &first["id"], &json!("Closed"))
    );
    let alert = get(&client, &first);
    assert_eq!((&alert["currentState"], &alert["oldState"]), (&json!("Ok"), &json!("Critical")));
    assert!(alert["closure"]["time"].is_string() && alert["closure"].get("by").is_none(), "{alert}");
    assert_eq!(post(&client, &report(&name, "Ok", "disk"))["result"], json!("ignored"));
    let second = post(&client, &report(&name, "Info", "disk"));
    assert_eq!((&second["result"], &second["repeatCount"]), (&json!("created"), &json!(1)));
    assert_ne!(second["id"], first["id"]);
    assert_eq!(found(&client, "status:New"), [text(&second["id"])]);
}

fn a_late_report_does_not_regress(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let send = |state: &str, minute: u32| {
        post(&client, &at(report(&name, state, "m"), &format!("2026-05-01T10:{minute:02}:00Z")))
    };
    let made = send("Critical", 10);
    assert_eq!(send("Warning", 9)["result"], json!("late"));
    assert_eq!(send("Ok", 9)["result"], json!("late"), "of what was before it");
    let alert = get(&client, &made);
    assert_eq!(
        (&alert["currentState"], &alert["status"], &alert["repeatCount"]),
        (&json!("Critical"), &json!("New"), &json!(2))
    );
    assert_eq!(alert["firstAlertTime"], json!("2026-05-01T10:09:00+0000"));
    assert_eq!(alert["alertTime"], json!("2026-05-01T10:10:00+0000"));
    assert_eq!(send("Ok", 20)["result"], json!("closed"));
    assert_eq!(send("Critical", 15)["result"], json!("created"), "whatever time it has");
    // A clock that is ahead does not keep the others out.
    let (_, other) = host(&client);
    post(&client, &at(report(&other, "Critical", "m"), "2099-01-01T00:00:00Z"));
    assert_eq!(post(&client, &report(&other, "Ok", "m"))["result"], json!("closed"));
}

fn an_array_has_a_result_for_each(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let results = client
        .post(
            "/alerts",
            &json!([
                report(&name, "Critical", "a"),
                {"currentState": "sideways", "subject": "s", "alertTime": 5},
                report(&name, "Warning", "b"),
                report(&name, "Critical", "a"),
                7,
                report(&name, "Ok", "b"),
            ]),
        )
        .ok();
    assert_eq!(each(&results, "result"), ["created", "invalid", "created", "repeated", "invalid", "closed"]);
    let errors = &results[1]["errors"];
    assert_eq!(each(errors, "fieldName"), ["currentState", "alertTime"]);
    assert_eq!((&results[0]["id"], &results[0]["repeatCount"]), (&results[3]["id"], &json!(2)));
    assert_eq!(client.post("/alerts", &json!([])).list(), Vec::<Value>::new());
    assert_eq!(client.post("/alerts", &report(&name, "Info", "c")).list().len(), 1, "one counts as an array of one");
    let thousand: Vec<Value> = (0..1_000).map(|number| report(&name, "Info", &format!("m{number}"))).collect();
    assert_eq!(client.post("/alerts", &json!(thousand)).list().len(), 1_000);
    let mut more = thousand;
    more.push(report(&name, "Info", "one too many"));
    client.post("/alerts", &json!(more)).invalid(&["body"]);
    assert_eq!(client.search("/alerts/search?pageSize=1", "").page()["totalResults"], json!(1_003));
}

fn a_resource_is_found_by_each_of_its_names(server: &Server) {
    let client = server.new_client();
    let name = unique("named");
    let body = json!({"name": name, "hostName": name, "ipAddress": "10.77.1.1", "extResourceId": format!("ext-{name}"),
        "networkCardDetails": [{"networkName": "eth1", "ipAddress": "10.77.1.2", "macAddress": "02:00:5e:10:00:01"}]});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    for device in [
        json!({"id": id}),
        json!({"resourceUUID": id.to_uppercase()}),
        json!({"hostName": name}),
        json!({"extResourceId": format!("ext-{name}")}),
        json!({"ipAddress": "10.77.1.1"}),
        json!({"ipAddress": "10.77.1.2"}),
        json!({"macAddress": "02-00-5E-10-00-01"}),
        json!({"id": uuid(), "hostName": name}),
        json!(id),
        json!(name),
        json!(format!("ext-{name}")),
        json!("10.77.1.2"),
        json!("02:00:5e:10:00:01"),
    ] {
        for field in ["device", "resource"] {
            let result = post(&client, &json!({"currentState": "Warning", "metric": "m", field: device}));
            assert_eq!(result["resourceId"], json!(id), "{device}: {result}");
        }
    }
    assert_eq!(found(&client, "").len(), 1);
}

fn an_unknown_resource_loses_no_alert(server: &Server) {
    let client = server.new_client();
    let name = unique("later");
    let made = post(&client, &report(&name, "Critical", "ping"));
    assert_eq!((&made["result"], made.get("resourceId")), (&json!("created"), None));
    assert!(made["warnings"][0].as_str().is_some_and(|text| text.contains("no resource")), "{made}");
    assert_eq!(get(&client, &made)["device"], json!({"hostName": name}));
    client.post("/resources", &json!({"name": name, "hostName": name})).ok();
    let again = post(&client, &report(&name, "Critical", "ping"));
    assert_eq!((&again["id"], &again["repeatCount"]), (&made["id"], &json!(2)));
    assert!(again["resourceId"].is_string() && again.get("warnings").is_none(), "{again}");
    assert_eq!(post(&client, &report(&name, "Ok", "ping"))["result"], json!("closed"));
    let none = post(&client, &json!({"currentState": "Info", "subject": "Backup took long"}));
    assert_eq!((&none["result"], none.get("warnings")), (&json!("created"), None));
    client.post("/resources", &json!({"name": name, "hostName": name})).ok();
    let twice = post(&client, &report(&name, "Critical", "ping"));
    assert!(twice["warnings"][0].as_str().is_some_and(|text| text.contains("more than one")), "{twice}");
}

fn another_tenants_resource_is_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let (id, name) = host(&other);
    for device in [json!({"id": id}), json!({"hostName": name}), json!(id)] {
        let subject = unique("subject");
        let body = |device: &Value| json!({"currentState": "Warning", "subject": subject, "device": device});
        let foreign = post(&client, &body(&device));
        let nobody = json!({"id": uuid(), "hostName": unique("nobody")});
        assert_eq!(foreign["warnings"], post(&client, &body(&nobody))["warnings"]);
        assert_eq!((foreign.get("resourceId"), &foreign["result"]), (None, &json!("created")));
    }
    assert_eq!(found(&other, ""), Vec::<String>::new());
}

fn at_partner_level_alerts_are_the_clients_own(server: &Server) {
    let client = server.new_client();
    let partner = server.admin();
    let (_, name) = host(&client);
    let made = post(&partner, &report(&name, "Critical", "load"));
    assert_eq!(get(&client, &made)["clientUniqueId"], json!(client.tenant_id()));
    assert_eq!(post(&client, &report(&name, "Critical", "load"))["id"], made["id"]);
    let own = post(&partner, &report(&unique("unknown"), "Critical", "load"));
    assert_eq!(get(&partner, &own)["clientUniqueId"], json!("msp_1"));
    client.get(&format!("/alerts/{}", text(&own["id"]))).not_found();
    assert_eq!(found(&partner, &format!("id:{}", text(&made["id"]))), [text(&made["id"])]);
}

fn changes_are_audited(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let made = post(&client, &report(&name, "Warning", "load"));
    post(&client, &report(&name, "Critical", "load"));
    let log = client.search("/auditLog/search", &format!("entityId:{}", text(&made["id"]))).page();
    let mut actions = each(&log["results"], "action");
    actions.sort();
    assert_eq!(actions, ["CREATE", "UPDATE"]);
    let update = log["results"].as_array().into_iter().flatten().find(|entry| entry["action"] == "UPDATE");
    let update = update.cloned().unwrap_or_default();
    assert_eq!(update["entity"], json!("ALERT"), "{update}");
    assert_eq!(update["changes"]["currentState"], json!({"before": "Warning", "after": "Critical"}), "{update}");
}

/// The same problems, from many senders at once and, on Postgres, at two gateways: one alert each, and every report
/// counts once.
fn two_gateways_count_exactly(backend: Backend) {
    const SENDERS: usize = 6;
    const ROUNDS: usize = 10;
    let first = Server::start(backend);
    let client = first.new_client();
    let (_, name) = host(&client);
    let second = first.database_url().map(|_| Server::start_beside(&first, &[]));
    let gateways: Vec<Client> = match &second {
        Some(second) => vec![client.clone(), client.at(second.base())],
        None => vec![client.clone()],
    };
    let batch: Value = (0..10).map(|number| report(&name, "Critical", &format!("m{number}"))).collect();
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let gateway = &gateways[sender % gateways.len()];
            let batch = &batch;
            scope.spawn(move || (0..ROUNDS).for_each(|_| drop(gateway.post("/alerts", batch).ok())));
        }
    });
    let page = client.get("/alerts/search").page();
    let counts: Vec<i64> =
        page["results"].as_array().into_iter().flatten().filter_map(|alert| alert["repeatCount"].as_i64()).collect();
    assert_eq!(counts, [(SENDERS * ROUNDS) as i64; 10]);
}
