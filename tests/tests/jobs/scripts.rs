//! The library of scripts.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{FAR_AHEAD, create, everyday, job, script};

both_backends![
    a_script_is_kept_as_it_is,
    more_than_a_mebibyte_is_too_large,
    a_script_that_a_job_runs_stays,
    a_search_finds_by_name_and_platform,
    clients_read_what_their_partner_has,
];

fn a_script_is_kept_as_it_is(server: &Server) {
    let client = server.new_client();
    let content = "#!/bin/sh\necho 'ä \"quoted\" \\ $HOME'\n";
    let body = json!({"name": " Greet ", "platforms": ["linux", "LINUX"], "content": content});
    let made = client.post("/jobs/scripts", &body).ok();
    assert_eq!(
        (&made["name"], &made["content"], &made["interpreter"]),
        (&json!("Greet"), &json!(content), &json!("sh"))
    );
    assert_eq!((&made["platforms"], &made["size"]), (&json!(["LINUX"]), &json!(content.len())));
    let path = format!("/jobs/scripts/{}", made["id"]);
    assert_eq!(client.get(&path).ok(), made);
    client.post("/jobs/scripts", &json!({"name": "GREET", "content": "x"})).problem(409, "0004");
    let changed = client.post(&path, &json!({"interpreter": "BASH"})).ok();
    assert_eq!((&changed["interpreter"], &changed["content"]), (&json!("bash"), &json!(content)));
    assert_eq!(client.delete(&path).ok(), json!({}));
    client.get(&path).not_found();
}

fn more_than_a_mebibyte_is_too_large(server: &Server) {
    let client = server.new_client();
    let body = |size: usize| json!({"name": "Large", "content": "x".repeat(size)});
    client.post("/jobs/scripts", &body((1 << 20) + 1)).problem(413, "0002");
    assert_eq!(client.get("/jobs/scripts/search").page()["totalResults"], json!(0));
    let made = client.post("/jobs/scripts", &body(1 << 20)).ok();
    let path = format!("/jobs/scripts/{}", made["id"]);
    client.post(&path, &json!({"content": "x".repeat((1 << 20) + 1)})).problem(413, "0002");
    assert_eq!(client.get(&path).ok()["size"], json!(1 << 20));
}

fn a_script_that_a_job_runs_stays(server: &Server) {
    let client = server.new_client();
    let id = script(&client, "exit 0");
    let mut body = job(FAR_AHEAD, everyday());
    body["script"] = json!({"customScript": {"id": id}});
    let job = create(&client, &body);
    client.delete(&format!("/jobs/scripts/{id}")).problem(409, "0004");
    client.delete(&format!("/jobs/{job}")).ok();
    client.delete(&format!("/jobs/scripts/{id}")).ok();
}

fn a_search_finds_by_name_and_platform(server: &Server) {
    let client = server.new_client();
    for (name, platforms) in
        [("Clean disks", json!(["LINUX"])), ("clean caches", json!([])), ("Report", json!(["WINDOWS"]))]
    {
        client.post("/jobs/scripts", &json!({"name": name, "platforms": platforms, "content": "x"})).ok();
    }
    let names = |query: &str| -> Vec<String> {
        let page = client.search("/jobs/scripts/search", query).page();
        let results = page["results"].as_array().cloned().unwrap_or_default();
        assert!(results.iter().all(|script| script.get("content").is_none()), "lists have no contents");
        results.iter().filter_map(|script| script["name"].as_str().map(ToOwned::to_owned)).collect()
    };
    assert_eq!(names("name:CLEAN"), ["clean caches", "Clean disks"]);
    assert_eq!(names("platform:windows,linux"), ["Clean disks", "Report"]);
    let first = client.get("/jobs/scripts/search?pageSize=2").page();
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = client.get(&format!("/jobs/scripts/search?pageSize=2&cursor={cursor}")).page();
    assert_eq!(second["results"][0]["name"], json!("Report"));
}

fn clients_read_what_their_partner_has(server: &Server) {
    let client = server.new_client();
    let id = script(&server.admin(), "exit 7");
    let path = format!("/jobs/scripts/{id}");
    assert_eq!(client.get(&path).ok()["content"], json!("exit 7"));
    client.post(&path, &json!({"name": "mine"})).not_found();
    client.delete(&path).not_found();
    let has = |path: &str| {
        let page = client.search(path, &format!("id:{id}")).page();
        page["totalResults"] == 1
    };
    assert!(!has("/jobs/scripts/search") && has("/jobs/scripts/search?withPartner=true"));
}
