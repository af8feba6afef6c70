//! `GET /resources/antivirus/search`; the records come with agent reports.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{PATH, report, send_xml, xml};
use crate::inventory::{keys, text, timestamp};

both_backends![
    records_have_the_documented_shape,
    status_filters,
    it_is_sorted_and_paged,
    the_older_format_brings_records_too,
    records_follow_their_machine,
];

const SEARCH: &str = "/resources/antivirus/search";

fn machine(client: &Client, name: &str, up_to_date: bool) {
    let content = json!({
        "hardware": {"name": name},
        "operatingsystem": {"name": "Windows", "full_name": "Microsoft Windows 11 Pro", "kernel_name": "MSWin32"},
        "networks": [{"description": "Ethernet", "ipaddress": "10.0.0.7", "type": "ethernet", "status": "up",
                      "mac": "00:e0:4c:68:01:db"}],
        "antivirus": [{
            "name": format!("Shield of {name}"), "version": "4.18", "company": "ACME", "enabled": true,
            "uptodate": up_to_date, "base_version": "1.401.77.0", "base_creation": "2026-11-19",
        }],
    });
    let mut content = content;
    content["networks"][0]["mac"] =
        json!(format!("00:e0:4c:68:01:{:02x}", name.bytes().map(u32::from).sum::<u32>() % 256));
    client.post(PATH, &report(name, &content)).ok();
}

fn records_have_the_documented_shape(server: &Server) {
    let client = server.new_client();
    machine(&client, "pc-1", true);
    let page = client.get(SEARCH).page();
    assert_eq!((&page["orderBy"], &page["descendingOrder"]), (&json!("scanDate"), &json!(true)));
    assert_eq!(page["previousPageNo"], json!(0));
    let record = page["results"][0].clone();
    for name in keys(&record) {
        let documented = [
            "name",
            "version",
            "currentDefinition",
            "currentDefinitionDate",
            "scanDate",
            "supported",
            "status",
            "resource",
        ];
        assert!(documented.contains(&name), "{name} is not documented");
    }
    assert_eq!(record["name"], json!("Shield of pc-1"));
    assert_eq!(record["version"], json!("4.18"));
    assert_eq!(record["currentDefinition"], json!("1.401.77.0"));
    assert_eq!(timestamp(&record["currentDefinitionDate"]), "2026-11-19T00:00:00+0000");
    timestamp(&record["scanDate"]);
    assert!(record["supported"].is_boolean());
    assert_eq!(record["status"], json!("UPTODATE"));
    let listed = client.get("/resources/minimal").list();
    assert_eq!(record["resource"]["id"], listed[0]["id"]);
    assert_eq!(record["resource"]["hostName"], json!("pc-1"));
    assert_eq!(record["resource"]["ipAddress"], json!("10.0.0.7"));
    assert!(text(&record["resource"]["osName"]).contains("Windows"));
}

fn total(client: &Client, query_string: &str) -> Value {
    client.search(SEARCH, query_string).page()["totalResults"].clone()
}

fn status_filters(server: &Server) {
    let client = server.new_client();
    for (name, up_to_date) in [("pc-1", true), ("pc-2", false), ("pc-3", true)] {
        machine(&client, name, up_to_date);
    }
    assert_eq!(total(&client, "status:UPTODATE"), json!(2));
    assert_eq!(total(&client, "status:outofdate"), json!(1));
    assert_eq!(total(&client, "status:UPTODATE,OUTOFDATE"), json!(3));
    let refused = client.search(SEARCH, "status:SLEEPY").invalid(&["queryString"]);
    assert!(refused["message"].to_string().contains("UPTODATE"), "{refused}");
    assert_eq!(server.new_client().get(SEARCH).page()["totalResults"], json!(0));
    // Of one machine, or of some.
    let ids: Vec<String> = client.get("/resources/minimal").list().iter().map(|one| text(&one["id"])).collect();
    let page = client.search(SEARCH, &format!("resourceId:{}", ids[0].to_uppercase())).page();
    assert_eq!((&page["totalResults"], &page["results"][0]["resource"]["id"]), (&json!(1), &json!(ids[0])), "{page}");
    assert_eq!(total(&client, &format!("resourceId:{},{}", ids[0], ids[1])), json!(2));
    assert_eq!(total(&client, &format!("status:OUTOFDATE+resourceId:{}", ids.join(","))), json!(1));
    assert_eq!(total(&client, "resourceId:nobody"), json!(0));
}

fn it_is_sorted_and_paged(server: &Server) {
    let client = server.new_client();
    for number in 1..=5 {
        machine(&client, &format!("pc-{number}"), number % 2 == 0);
    }
    let mut seen = Vec::new();
    for number in 1..=3 {
        let page = client.get(&format!("{SEARCH}?pageSize=2&pageNo={number}")).page();
        assert_eq!(page["previousPageNo"], json!(number - 1));
        let items = page["results"].as_array().cloned().unwrap_or_default();
        seen.extend(items.iter().map(|item| text(&item["name"])));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5, "{seen:?}");
    let by_name = |descending: bool| {
        let page = client.get(&format!("{SEARCH}?sortName=name&isDescendingOrder={descending}")).page();
        text(&page["results"][0]["name"])
    };
    assert_eq!((by_name(false), by_name(true)), ("Shield of pc-1".to_owned(), "Shield of pc-5".to_owned()));
}

fn the_older_format_brings_records_too(server: &Server) {
    let client = server.new_client();
    let antivirus = |name: &str, up_to_date: u8| {
        format!("<ANTIVIRUS><ENABLED>1</ENABLED><NAME>{name}</NAME><UPTODATE>{up_to_date}</UPTODATE></ANTIVIRUS>")
    };
    let body = format!("{}{}<HARDWARE><NAME>pc</NAME></HARDWARE>", antivirus("Defender", 1), antivirus("Guard", 0));
    assert_eq!(send_xml(&client, &xml("pc", &body)).status, 200);
    assert_eq!(total(&client, "status:UPTODATE"), json!(1));
    let page = client.search(SEARCH, "status:OUTOFDATE").page();
    assert_eq!(page["results"][0]["name"], json!("Guard"));
}

fn records_follow_their_machine(server: &Server) {
    let client = server.new_client();
    machine(&client, "pc-1", false);
    machine(&client, "pc-1", true);
    assert_eq!(total(&client, "status:UPTODATE"), json!(1));
    assert_eq!(total(&client, "status:OUTOFDATE"), json!(0));
    let id = text(&client.get("/resources/minimal").list()[0]["id"]);
    client.delete(&format!("/resources/{id}")).ok();
    assert_eq!(client.get(SEARCH).page()["totalResults"], json!(0));
}
