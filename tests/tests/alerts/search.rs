//! The search for alerts.

use muster_tests::{Server, both_backends, encode};
use serde_json::json;

use super::{found, get, host, post, report, text};

both_backends![every_variable_finds, pages_follow_each_other];

fn every_variable_finds(server: &Server) {
    let client = server.new_client();
    let (id, name) = host(&client);
    let body = json!({"currentState": "Critical", "subject": "Load, is 31% high", "metric": "System.Load",
        "serviceName": "svc", "monitorName": "Linux Load", "component": "CPU", "app": "monitord", "alertType": "Agent",
        "extAlertId": "x-1", "device": {"hostName": name}});
    let one = text(&post(&client, &body)["id"]);
    let (_, other) = host(&client);
    let two = text(&post(&client, &report(&other, "Warning", "disk"))["id"]);
    client.post_empty(&format!("/alerts/{two}/actions/acknowledge")).ok();
    let created = text(&get(&client, &json!({"id": one}))["createdDate"]);
    for (query, expected) in [
        (format!("id:{one}"), vec![&one]),
        (format!("uniqueId:{}", one.to_uppercase()), vec![&one]),
        ("extAlertId:X-1".to_owned(), vec![&one]),
        (format!("resourceId:{id}"), vec![&one]),
        (format!("hostName:{}", name[1..].to_uppercase()), vec![&one]),
        (format!("hostName:{}+isEquals:true", &name[1..]), vec![]),
        (format!("hostName:{name}+isEquals:true"), vec![&one]),
        ("state:critical".to_owned(), vec![&one]),
        ("currentState:Critical,Warning".to_owned(), vec![&one, &two]),
        ("status:New".to_owned(), vec![&one]),
        ("status:Acknowledged".to_owned(), vec![&two]),
        ("status:Closed,Suppressed".to_owned(), vec![]),
        ("alertType:agent".to_owned(), vec![&one]),
        ("alertType:Monitoring".to_owned(), vec![&two]),
        ("component:cpu".to_owned(), vec![&one]),
        ("metric:system.load".to_owned(), vec![&one]),
        ("monitorName:linux load".to_owned(), vec![&one]),
        ("app:MONITORD".to_owned(), vec![&one]),
        ("serviceName:svc".to_owned(), vec![&one]),
        ("subject:31% HIGH".to_owned(), vec![&one]),
        ("subject:_".to_owned(), vec![]),
        (format!("startDate:{created}"), vec![&one, &two]),
        ("startDate:2036-01-01T00:00:00Z".to_owned(), vec![]),
        ("endDate:2020-01-01T00:00:00Z".to_owned(), vec![]),
        ("endUpdationDate:2036-01-01T00:00:00Z+startAlertTime:2020-01-01T00:00:00Z".to_owned(), vec![&one, &two]),
        ("incidentId:INC1".to_owned(), vec![]),
        ("maintenanceId:SM-1".to_owned(), vec![]),
        ("state:Critical+status:Acknowledged".to_owned(), vec![]),
        // By the names of the public service.
        ("states:CRITICAL,OK".to_owned(), vec![&one]),
        (format!("clientIds:{}", client.tenant_id().to_uppercase()), vec![&one, &two]),
        ("clientIds:client_0".to_owned(), vec![]),
        ("duration:7+alertTimeBase:updated".to_owned(), vec![&one, &two]),
        ("endDate:2020-01-01T00:00:00Z+alertTimeBase:updated".to_owned(), vec![]),
    ] {
        let mut found = found(&client, &query);
        found.sort();
        let mut expected: Vec<String> = expected.into_iter().cloned().collect();
        expected.sort();
        assert_eq!(found, expected, "{query}");
    }
    for query in ["duration:0", "duration:x", "duration:99999999999", "alertTimeBase:never", "priority:P1"] {
        client.search("/alerts/search", query).invalid(&["queryString"]);
    }
}

fn pages_follow_each_other(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let all: Vec<_> = (0..25).map(|number| report(&name, "Info", &format!("m{number}"))).collect();
    let results = client.post("/alerts", &json!(all)).list();
    let mut made: Vec<String> = results.iter().map(|result| text(&result["id"])).collect();
    made.sort();
    for sort in ["createdDate", "updatedDate", "alertTime", "id"] {
        for descending in [true, false] {
            let path = format!("/alerts/search?pageSize=7&sortName={sort}&isDescendingOrder={descending}");
            let mut walked = Vec::new();
            let mut cursor = None::<String>;
            loop {
                let next = cursor.as_ref().map(|cursor| format!("&cursor={}", encode(cursor))).unwrap_or_default();
                let page = client.get(&(path.clone() + &next)).page();
                walked.extend(super::each(&page["results"], "id"));
                let Some(next) = page["nextCursor"].as_str() else { break };
                cursor = Some(next.to_owned());
            }
            let mut expected = made.clone();
            if descending {
                expected.reverse();
            }
            assert_eq!(walked, expected, "{path}: all were made at one time, and so come by id");
        }
    }
}
