//! Every variable of the history's `queryString`, found and not found.

use muster_tests::{Client, Server, both_backends, encode, uuid};
use serde_json::{Value, json};

use super::{create, names, next_second, timestamp};

both_backends![
    by_identity,
    by_names_and_addresses,
    by_cloud_attributes,
    by_launch_date,
    by_decommission_date,
    conditions_combine,
];

#[track_caller]
fn gone(client: &Client, body: &Value) -> String {
    let id = create(client, body);
    client.delete(&format!("/resources/{id}")).ok();
    id
}

#[track_caller]
fn finds(client: &Client, table: &[(&str, &str)]) {
    for (query_string, expected) in table {
        let page = client.get(&format!("/history/resources?queryString={}", encode(query_string))).page();
        let items: Vec<Value> = page["results"].as_array().cloned().unwrap_or_default();
        assert_eq!(names(&items).join(" "), *expected, "{query_string}");
    }
}

fn by_identity(server: &Server) {
    let client = server.new_client();
    let a = gone(&client, &json!({"name": "a"}));
    let b = gone(&client, &json!({"name": "b", "type": "EBS"}));
    finds(
        &client,
        &[
            (&format!("id:{a}"), "a"),
            (&format!("id:{a},{b}"), "a b"),
            (&format!("id:{}", uuid()), ""),
            ("type:DEVICE", "a"),
            ("type:ebs", "b"),
            ("type:SYNTHETIC", ""),
            ("state:DECOMMISSIONED", "a b"),
            ("state:Decommissioned+type:EBS", "b"),
        ],
    );
    client.search("/history/resources", "type:TEAPOT").invalid(&["queryString"]);
}

fn by_names_and_addresses(server: &Server) {
    let client = server.new_client();
    let tag = |name: &str| json!([{"name": name, "value": "v"}]);
    gone(&client, &json!({"name": "a", "hostName": "Web-01", "ipAddress": "10.0.0.1", "tags": tag("env")}));
    gone(&client, &json!({"name": "b", "hostName": "web-02", "ipAddress": "10.0.1.1", "tags": tag("owner")}));
    finds(
        &client,
        &[
            ("hostName:web", "a b"),
            ("hostName:WEB-01", "a"),
            ("hostName:%", ""),
            ("ipAddress:10.0.0.1", "a"),
            ("ipAddress:10.0.0.0/23", "a b"),
            ("ipAddress:10.0.1.0/24", "b"),
            ("tags:env", "a"),
            ("tags:env,owner", "a b"),
            ("tags:en", ""),
            ("state:DECOMMISSIONED+hostName:web-02", "b"),
        ],
    );
}

fn by_cloud_attributes(server: &Server) {
    let client = server.new_client();
    let variables = [
        "instanceId",
        "accountNumber",
        "provider",
        "owner",
        "instanceType",
        "zone",
        "region",
        "ami",
        "hostedServiceName",
    ];
    for (name, suffix) in [("a", "one"), ("b", "two")] {
        let mut body = json!({"name": name, "instanceState": "running"});
        for variable in variables {
            body[variable] = json!(format!("{variable}-{suffix}"));
        }
        gone(&client, &body);
    }
    gone(&client, &json!({"name": "c"}));
    for variable in variables {
        finds(
            &client,
            &[
                (&format!("{variable}:{variable}-one"), "a"),
                (&format!("{variable}:{}-TWO", variable.to_uppercase()), "b"),
                (&format!("{variable}:{variable}-one,{variable}-two"), "a b"),
                (&format!("{variable}:{variable}"), ""),
            ],
        );
    }
    // Whatever state a cloud instance had before: in history it is decommissioned.
    finds(&client, &[("instanceState:DECOMMISSIONED+instanceId:instanceId-one", "a")]);
}

fn by_launch_date(server: &Server) {
    let client = server.new_client();
    for (name, launched) in [("a", "2026-01-01T00:00:00+0000"), ("b", "2026-06-01T02:00:00+02:00")] {
        gone(&client, &json!({"name": name, "provider": "AWS", "launchDate": launched}));
    }
    gone(&client, &json!({"name": "c"}));
    finds(
        &client,
        &[
            ("startLaunchDate:2026-01-01T00:00:00Z", "a b"),
            ("startLaunchDate:2026-01-01T00:00:01Z", "b"),
            ("endLaunchDate:2026-01-01T00:00:00Z", "a"),
            ("endLaunchDate:2025-12-31T23:59:59Z", ""),
            ("startLaunchDate:2026-05-01T00:00:00Z+endLaunchDate:2026-06-01T00:00:00Z", "b"),
            ("endLaunchDate:2026-05-31T23:59:59Z", "a"),
            ("startLaunchDate:2026-01-01T00:00:01+0000", "b"),
        ],
    );
    client.search("/history/resources", "startLaunchDate:soon").invalid(&["queryString"]);
}

fn by_decommission_date(server: &Server) {
    let client = server.new_client();
    let decommissioned = |id: &str| {
        let record = client.get(&format!("/history/resources/{id}")).ok();
        timestamp(&record["updatedDate"]).replace("+0000", "Z")
    };
    let first = decommissioned(&gone(&client, &json!({"name": "a"})));
    next_second();
    let second = decommissioned(&gone(&client, &json!({"name": "b"})));
    assert!(first < second);
    finds(
        &client,
        &[
            ("startDate:2001-01-01T00:00:00Z", "a b"),
            ("endDate:2001-01-01T00:00:00Z", ""),
            (&format!("startDate:{second}"), "b"),
            (&format!("endDate:{first}"), "a"),
            (&format!("startDate:{first}+endDate:{second}"), "a b"),
            ("startDate:2999-01-01T00:00:00Z", ""),
        ],
    );
    client.search("/history/resources", "startDate:2026-11-20").invalid(&["queryString"]);
}

fn conditions_combine(server: &Server) {
    let client = server.new_client();
    gone(&client, &json!({"name": "a", "hostName": "web", "provider": "AWS", "zone": "z1"}));
    gone(&client, &json!({"name": "b", "hostName": "web", "provider": "AZURE", "zone": "z1"}));
    finds(
        &client,
        &[
            ("hostName:web+zone:z1", "a b"),
            ("hostName:web+zone:z1+provider:azure", "b"),
            ("hostName:db+zone:z1", ""),
            ("type:DEVICE+state:DECOMMISSIONED+hostName:web+provider:AWS", "a"),
        ],
    );
}
