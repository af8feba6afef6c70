//! Incidents and resources as they are published: rules match them, and every documented placeholder is filled.

use muster_tests::{Backend, both_backends, unique};
use serde_json::{Value, json};

use super::{event, install, receiver::Receiver, server, text};

both_backends![
    documented_placeholders_of_incidents_are_filled,
    rules_match_the_status_of_real_incidents,
    nested_facts_of_resources_match_and_are_filled,
    general_info_of_resources_matches_and_is_filled,
];

/// The paths of "Placeholders of incidents" in `docs/interface.md`.
const INCIDENT: [&str; 50] = [
    "id",
    "uniqueId",
    "subject",
    "description",
    "priority",
    "priority.name",
    "status",
    "status.name",
    "entityCategory.categoryName",
    "entityCategory.uniqueId",
    "subCategory.categoryName",
    "subCategory.uniqueId",
    "requester.name",
    "requester.id",
    "requester.loginName",
    "requester.firstName",
    "requester.lastName",
    "requester.email",
    "assignedTo.fullName",
    "createdBy.fullName",
    "updatedBy.fullName",
    "assigneeGroup.name",
    "assigneeGroup.uniqueId",
    "roster.name",
    "roster.id",
    "client.name",
    "client.uniqueId",
    "client.id",
    "msp.name",
    "msp.uniqueId",
    "msp.id",
    "deviceList",
    "deviceIds",
    "resources",
    "alertList",
    "alerts",
    "notes",
    "noteCount",
    "latestResponse.content",
    "latestResponse.createdDate",
    "latestResponse.createdBy.fullName",
    "latestResponse.createdBy.email",
    "latestResponse.createdBy.loginName",
    "latestResponse.id",
    "createdDate",
    "updatedDate",
    "dueDate",
    "resolvedDate",
    "closedDate",
    "previous.status.name",
];

fn documented_placeholders_of_incidents_are_filled(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let fields: Vec<String> = INCIDENT.iter().map(|path| format!("\"{path}\": \"$incident.{path}\"")).collect();
    let template = format!("{{{}, \"raw\": $incident.subCategory.name}}", fields.join(", "));
    let body = json!({"entity": "INCIDENT", "eventType": "CREATE", "eventPayload": template});
    event(&client, &install(&client, &receiver.url()), &body);
    client.post("/resources", &json!({"name": "db", "hostName": "db-01"})).ok();
    let made = json!({"subject": "Disk", "resources": [{"hostName": "db-01"}], "note": "first", "priority": "High"});
    let made = client.post("/incidents", &made).ok();
    let told = receiver.wait(1)[0].json();
    for (path, expected) in [
        ("id", text(&made["id"])),
        ("status", "New".to_owned()),
        ("status.name", "New".to_owned()),
        ("priority", "High".to_owned()),
        ("priority.name", "High".to_owned()),
        ("deviceList", "db".to_owned()),
        ("noteCount", "1".to_owned()),
        ("latestResponse.content", "first".to_owned()),
        ("client.uniqueId", client.tenant_id().to_owned()),
        ("entityCategory.categoryName", String::new()),
        ("previous.status.name", String::new()),
    ] {
        assert_eq!(told[path], json!(expected), "{path}: {told}");
    }
    assert!(!text(&told["msp.uniqueId"]).is_empty() && !text(&told["latestResponse.createdDate"]).is_empty(), "{told}");
}

fn rules_match_the_status_of_real_incidents(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    let on = |action: &str, name: &str, operator: &str, value: &str| {
        json!({"entity": "INCIDENT", "eventType": action,
            "eventPayload": format!("{name} $incident.previous.status>$incident.status"),
            "filterCriteria": {"rules": [{"key": "Status", "operator": operator, "value": value}]}})
    };
    for body in [
        on("CREATE", "is", "Equals", "new"),
        on("CREATE", "never", "Not Equals", "New"),
        on("UPDATE", "changed", "Changed", ""),
        on("UPDATE", "to", "Changed To", "Open"),
        on("UPDATE", "never", "Changed To", "Closed"),
        on("UPDATE", "from", "Changed From", "New"),
    ] {
        event(&client, &made, &body);
    }
    let incident = client.post("/incidents", &json!({"subject": "x"})).ok();
    client.post(&format!("/incidents/{}", text(&incident["id"])), &json!({"status": "Open"})).ok();
    let mut told: Vec<String> = receiver.wait(4).iter().map(|one| one.text()).collect();
    told.sort_unstable();
    assert_eq!(told, ["changed New>Open", "from New>Open", "is >New", "to New>Open"]);
}

fn nested_facts_of_resources_match_and_are_filled(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let paths = [
        "location.name",
        "location",
        "osName",
        "dns",
        "bios.systemModel",
        "properties.region",
        "metaData.rack",
        "networkCardDetails.macAddress",
        "clientUniqueId",
    ];
    let fields: Vec<String> = paths.iter().map(|path| format!("\"{path}\": \"$resource.{path}\"")).collect();
    let site = unique("Graz");
    let rules = json!([{"key": "location.name", "operator": "Equals", "value": site},
        {"key": "osName", "operator": "Starts with", "value": "debian"},
        {"key": "properties.region", "operator": "Equals", "value": "eu"}]);
    let body = json!({"entity": "Resource", "eventType": "CREATE", "filterCriteria": {"rules": rules},
        "eventPayload": format!("{{{}}}", fields.join(","))});
    event(&client, &install(&client, &receiver.url()), &body);
    client.post("/sites", &json!({"name": site})).ok();
    client
        .post(
            "/resources",
            &json!({"name": "a", "os": "Debian 13", "dnsName": "a.net", "location": {"name": site}, "region": "eu",
            "bios": {"systemModel": "Acme"}, "metaData": {"rack": "r1"},
            "networkCardDetails": [{"macAddress": "00:11:22:33:44:55"}],
            "credential": {"name": "root", "password": "never-told"}}),
        )
        .ok();
    let told: Value = receiver.wait(1)[0].json();
    let expected = json!({"location.name": site, "location": site, "osName": "Debian 13", "dns": "a.net",
        "bios.systemModel": "Acme", "properties.region": "eu", "metaData.rack": "r1",
        "networkCardDetails.macAddress": "00:11:22:33:44:55", "clientUniqueId": client.tenant_id()});
    assert_eq!(told, expected);
}

/// `generalInfo` of a resource in `docs/interface.md`.
const GENERAL: [&str; 18] = [
    "name",
    "osName",
    "make",
    "description",
    "hostName",
    "dns",
    "resourceType",
    "keyboardType",
    "encodingType",
    "physicalMemory",
    "systemUID",
    "resourceName",
    "aliasName",
    "createdTime",
    "updatedTime",
    "agentDeploytime",
    "assetManagedTime",
    "firstAssetManagedTime",
];

fn general_info_of_resources_matches_and_is_filled(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    let fields: Vec<String> =
        GENERAL.iter().map(|name| format!("\"{name}\": \"$resource.generalInfo.{name}\"")).collect();
    let on = |kind: &str, template: &str, rules: Value| {
        json!({"entity": "Resource", "eventType": kind, "filterCriteria": {"rules": rules},
            "eventPayload": template})
    };
    let template = format!("{{{}}}", fields.join(","));
    let rule = |key: &str, operator: &str, value: &str| json!({"key": key, "operator": operator, "value": value});
    let of_debian = rule("generalInfo.osName", "Starts with", "debian");
    let by_name = rule("GeneralInfo.HostName", "Equals", "DB-01");
    event(&client, &made, &on("CREATE", &template, json!([of_debian, by_name])));
    event(&client, &made, &on("CREATE", "never", json!([rule("generalInfo.make", "Equals", "Acme")])));
    let body = json!({"name": "db", "hostName": "db-01", "dnsName": "db.net", "os": "Debian 13", "make": "Dell",
        "description": "old", "keyboardType": "us", "encodingType": "UTF-8", "physicalMemory": "8 GB",
        "systemUID": "u-1", "resourceName": "r", "aliasName": "a"});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let told = receiver.wait(1)[0].json();
    assert_eq!(told, client.get(&format!("/resources/{id}")).ok()["generalInfo"]);
    // What changed is seen by either name, and what was is told.
    let template = "$resource.generalInfo.description was $resource.previous.generalInfo.description, $resource.name.x";
    event(&client, &made, &on("UPDATE", template, json!([rule("generalInfo.description", "Changed To", "new")])));
    event(&client, &made, &on("UPDATE", "never", json!([rule("generalInfo.make", "Changed", "")])));
    client.post(&format!("/resources/{id}"), &json!({"description": "new"})).ok();
    assert_eq!(receiver.wait(2)[1].text(), "new was old, db.x");
    // A report of nothing new is still no change.
    client.post(&format!("/resources/{id}"), &json!({"description": "new"})).ok();
    let unknown = on("CREATE", "$resource.generalInfo.shoeSize", json!([]));
    client.post(&format!("{}/event", super::path(&made)), &unknown).invalid(&["eventPayload"]);
    let known = client.get("/integrations/events/placeHolders/Resource").ok()["placeHolders"].to_string();
    assert!(GENERAL.iter().all(|name| known.contains(&format!("\"$resource.generalInfo.{name}\""))), "{known}");
    // What other systems tell of may have it as an object, as answers have.
    let object = json!({"generalInfo": {"osName": "Debian 12", "hostName": "db-01", "name": "told"}});
    let action = json!({"entity": "Resource", "eventType": "CREATE", "object": object});
    client.post("/integrations/actions", &action).ok();
    assert_eq!(receiver.wait(3)[2].json()["name"], json!("told"));
}
