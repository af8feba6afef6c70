//! Create, get, update, delete; the four forms of a script; types.

use muster_tests::{Server, both_backends, uuid};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, script, text};

both_backends![
    a_job_is_shown_as_it_was_given,
    each_form_of_a_script_is_shown_as_documented,
    what_existing_clients_send_is_kept,
    an_update_changes_what_it_names,
    a_deleted_job_is_gone_with_its_runs,
    resources_are_those_of_the_tenant,
    a_job_of_a_decommissioned_machine_is_written_back,
    every_type_is_listed,
    changes_are_in_the_audit_log,
    authors_are_shown_as_everywhere,
];

fn a_job_is_shown_as_it_was_given(server: &Server) {
    let client = server.new_client();
    let resource = client.post("/resources", &json!({"name": "a"})).ok()["resourceUUID"].clone();
    let pattern = json!({"type": "DAILY", "frequency": "Recurrence", "repeatFrequency": "2", "repeatType": "Days"});
    let mut body = job(FAR_AHEAD, pattern);
    body["description"] = json!("by night");
    body["devices"] = json!([{"uniqueId": resource}, {"id": resource}]);
    body["labels"] = json!(["Linux", "linux"]);
    body["schedule"]["timeZone"] = json!({"name": "Europe/Paris"});
    body["maximumLateness"] = json!("600");
    let created = client.post("/jobs", &body);
    let made = created.ok();
    assert_eq!(
        made["schedule"],
        json!({"startDate": "2035-01-01T10:00:00+0000", "pattern":
        {"type": "daily", "frequency": "recurrence", "repeatFrequency": 2, "repeatType": "days"},
        "timeZone": {"name": "Europe/Paris"}})
    );
    assert_eq!(made["resources"], json!([{"id": resource}]));
    assert_eq!((&made["labels"], &made["maximumLateness"]), (&json!(["linux"]), &json!(600)));
    assert_eq!((&made["misfirePolicy"], &made["overlapPolicy"]), (&json!("once"), &json!("skip")));
    assert_eq!((&made["jobQueued"], &made["active"], &made["timeLimit"]), (&json!(false), &json!(true), &json!(3600)));
    assert_eq!(made["nextRun"], json!("2035-01-01T10:00:00+0000"));
    let path = format!("/jobs/{}", text(&made["id"]));
    let read = client.get(&path);
    assert_eq!(read.ok(), made);
    assert_eq!(read.header("ETag"), created.header("ETag"));
    assert_eq!(client.get(&path.to_uppercase().replace("/JOBS", "/jobs")).ok(), made);
    // Paris has summer time from 25 March 2035 on.
    let next = client.get(&format!("{path}/next?count=100")).ok();
    let next: Vec<&str> = next["nextRuns"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((next.len(), next[0], next[1]), (100, "2035-01-01T10:00:00+0000", "2035-01-03T10:00:00+0000"));
    assert!(next.contains(&"2035-03-26T09:00:00+0000"), "{next:?}");
    client.get(&format!("{path}/next?count=101")).invalid(&["count"]);
}

fn each_form_of_a_script_is_shown_as_documented(server: &Server) {
    let client = server.new_client();
    let id = client
        .post("/jobs/scripts", &json!({"name": "Clean", "description": "up", "platforms": ["linux"], "content": "ls"}))
        .ok()["id"]
        .clone();
    let forms = [
        (json!({"jobType": "adchecklist"}), json!({"jobType": "adCheckList"})),
        (
            json!({"jobType": "appinstall",
                "approvalType": {"approvalType": "1", "approvalReason": "ok", "alertRequired": "true"}}),
            json!({"jobType": "appinstall",
                "approvalType": {"approvalType": 1, "approvalReason": "ok", "alertRequired": true}}),
        ),
        (
            json!({"jobType": "networkconfigbackup", "configParams": {"versionsSaved": 5, "backUpTrigger": false}}),
            json!({"jobType": "networkconfigbackup", "configParams": {"versionsSaved": "5", "backUpTrigger": false}}),
        ),
        (
            json!({"jobType": "custom", "customScript": {"id": id}, "userType": "2"}),
            json!({"customScript": {"id": id, "name": "Clean", "description": "up", "platforms": ["LINUX"]},
                "userType": 2}),
        ),
    ];
    for (given, shown) in forms {
        let mut body = job(FAR_AHEAD, everyday());
        body["script"] = given;
        assert_eq!(client.post("/jobs", &body).ok()["script"], shown);
    }
    let found = client.search("/jobs/search", "jobType:custom").page();
    assert_eq!(found["totalResults"], json!(1));
}

fn an_update_changes_what_it_names(server: &Server) {
    let client = server.new_client();
    let path = format!("/jobs/{}", create(&client, &job(FAR_AHEAD, everyday())));
    let before = client.get(&path);
    let tag = before.header("ETag").unwrap().to_owned();
    let changed = client.post(&path, &json!({"description": "later", "active": false})).ok();
    assert_eq!((&changed["name"], &changed["schedule"]), (&before.ok()["name"], &before.ok()["schedule"]));
    assert_eq!((&changed["description"], changed.get("nextRun")), (&json!("later"), None));
    assert_eq!(client.get(&format!("{path}/next")).ok(), json!({"nextRuns": []}));
    let late = client.request("POST", &path).header("If-Match", &tag).json(&json!({"name": "x"})).send();
    late.problem(412, "0004");
    let schedule = json!({"startDate": "2020-01-01T10:00:00Z", "pattern": {"type": "run once"}});
    let past = client.post(&path, &json!({"active": true, "schedule": schedule})).ok();
    assert_eq!(past.get("nextRun"), None, "an update makes up for nothing");
}

fn a_deleted_job_is_gone_with_its_runs(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &job(FAR_AHEAD, everyday()));
    let run = text(&client.post_empty(&format!("/jobs/{id}/run")).ok()["id"]);
    assert_eq!(client.delete(&format!("/jobs/{id}")).ok(), json!({}));
    for path in [format!("/jobs/{id}"), format!("/jobs/{id}/runs"), format!("/jobs/runs/{run}")] {
        client.get(&path).not_found();
    }
    client.delete(&format!("/jobs/{id}")).not_found();
    assert_eq!(client.post("/jobs/runs/claim", &json!({"jobs": [id]})).ok(), json!({"runs": []}));
}

fn resources_are_those_of_the_tenant(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let foreign = other.post("/resources", &json!({"name": "a"})).ok()["resourceUUID"].clone();
    let own = client.post("/resources", &json!({"name": "a"})).ok()["resourceUUID"].clone();
    let mut body = job(FAR_AHEAD, everyday());
    for unknown in [foreign.clone(), json!(uuid())] {
        body["resources"] = json!([{"id": own}, {"id": unknown}]);
        client.post("/jobs", &body).invalid(&["resources[1].id"]);
    }
    assert_eq!(client.get("/jobs/search").page()["totalResults"], json!(0), "nothing is stored");
    body["resources"] = json!([{"id": own}]);
    create(&client, &body);
    let found = client.search("/jobs/search", &format!("resourceId:{}", text(&own))).page();
    assert_eq!(found["totalResults"], json!(1));
    body["resources"] = json!([{"id": foreign}]);
    body["script"] = json!({"customScript": {"id": 987_654_321}});
    client.post("/jobs", &body).invalid(&["script.customScript.id", "resources[0].id"]);
    body["script"] = json!({"jobType": "antivirus"});
    // A partner's job may be about the machines of several clients.
    body["resources"] = json!([{"id": own}, {"id": foreign}]);
    let made = server.admin().post("/jobs", &body).ok();
    assert_eq!(made["resources"].as_array().map(Vec::len), Some(2));
    client.get(&format!("/jobs/{}", text(&made["id"]))).not_found();
}

fn a_job_of_a_decommissioned_machine_is_written_back(server: &Server) {
    let client = server.new_client();
    let [gone, other] =
        ["a", "b"].map(|name| client.post("/resources", &json!({"name": name})).ok()["resourceUUID"].clone());
    let mut body = job(FAR_AHEAD, everyday());
    body["resources"] = json!([{"id": gone}]);
    let id = create(&client, &body);
    client.delete(&format!("/resources/{}", text(&gone))).ok();
    let read = client.get(&format!("/jobs/{id}")).ok();
    let written = client.post(&format!("/jobs/{id}"), &read).ok();
    assert_eq!((&written["resources"], &written["entities"]), (&read["resources"], &read["entities"]));
    let both = json!({"resources": [{"id": text(&gone).to_uppercase()}, {"id": other}]});
    client.post(&format!("/jobs/{id}"), &both).ok();
    client.post(&format!("/jobs/{id}"), &json!({"resources": [{"id": other}]})).ok();
    client.post(&format!("/jobs/{id}"), &both).invalid(&["resources[0].id"]);
    assert_eq!(client.post("/jobs", &read).status, 400);
}

fn every_type_is_listed(server: &Server) {
    let client = server.new_client();
    let types = client.get("/jobs/types").list();
    assert_eq!(types.len(), 15);
    for kind in &types {
        let mut body = job(FAR_AHEAD, everyday());
        body["script"] = json!({"jobType": kind["jobType"]});
        if kind["jobType"] == "custom" {
            body["script"] = json!({"customScript": {"id": script(&client, "exit 0")}});
        }
        client.post("/jobs", &body).ok();
    }
}

fn changes_are_in_the_audit_log(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &job(FAR_AHEAD, everyday()));
    client.post(&format!("/jobs/{id}"), &json!({"description": "x"})).ok();
    client.delete(&format!("/jobs/{id}")).ok();
    let log = client.search("/auditLog/search", &format!("entityId:{id}")).page();
    let mut actions: Vec<String> =
        log["results"].as_array().unwrap().iter().map(|entry| text(&entry["action"])).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["CREATE", "DELETE", "UPDATE"]);
}

fn authors_are_shown_as_everywhere(server: &Server) {
    let client = server.new_client();
    let author = client.post("/incidents", &json!({"subject": "x"})).ok()["createdBy"].clone();
    assert!(author["loginName"].is_string(), "{author}");
    let job = client.post("/jobs", &job(FAR_AHEAD, everyday())).ok();
    let body = json!({"name": "s", "content": "true"});
    let script = client.post("/jobs/scripts", &body).ok();
    let (id, number) = (text(&job["id"]), &script["id"]);
    let found = |path: &str| client.get(path).page()["results"][0].clone();
    for shown in [
        client.post(&format!("/jobs/{id}"), &json!({"active": false})).ok(),
        client.get(&format!("/jobs/{id}")).ok(),
        found("/jobs/search"),
        client.post(&format!("/jobs/scripts/{number}"), &json!({"description": "d"})).ok(),
        client.get(&format!("/jobs/scripts/{number}")).ok(),
        found("/jobs/scripts/search"),
        job,
        script,
    ] {
        assert_eq!((&shown["createdBy"], &shown["updatedBy"]), (&author, &author), "{shown}");
    }
}

fn what_existing_clients_send_is_kept(server: &Server) {
    let client = server.new_client();
    let id = client.post("/resources", &json!({"name": "a"})).ok()["resourceUUID"].clone();
    let mut body = job(FAR_AHEAD, everyday());
    body["entities"] = json!([{"resource": {"id": id, "type": "DEVICE"}}]);
    body["jobQueued"] = json!("true");
    body["script"]["parameters"] = json!([{"name": "path", "value": "/tmp"}]);
    let made = client.post("/jobs", &body).ok();
    assert_eq!((&made["entities"], &made["resources"]), (&body["entities"], &json!([{"id": id}])));
    assert_eq!((&made["jobQueued"], &made["script"]), (&json!(true), &body["script"]));
    let path = format!("/jobs/{}", text(&made["id"]));
    assert_eq!(client.get(&path).ok(), made);
    let found = client.search("/jobs/search", &format!("resourceId:{}+jobQueued:true", text(&id))).page();
    assert_eq!(found["results"], json!([made]));
    let changed = client.post(&path, &json!({"jobQueued": false, "entities": []})).ok();
    assert_eq!((&changed["jobQueued"], &changed["entities"]), (&json!(false), &Value::Null));
    body["entities"] = json!([{"resource": {"id": "x"}}, {"resource": 5}]);
    client.post("/jobs", &body).invalid(&["entities[0].resource.id", "entities[1].resource"]);
    body["entities"] = json!([{"resource": {"id": "00000000-0000-4000-8000-000000000000"}}]);
    client.post("/jobs", &body).invalid(&["entities[0].resource.id"]);
    let names = client.get("/jobs/types?names=true").list();
    assert!(names.len() == 15 && names.contains(&json!("custom")), "{names:?}");
}
