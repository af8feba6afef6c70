//! Runs, and what runners say of them.

use std::{collections::BTreeSet, sync::Barrier, time::Duration};

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{FAR_AHEAD, LONG_AGO, claim, create, everyday, job, runs, script, text, wait_for_runs};

both_backends![
    a_run_goes_from_queue_to_history,
    of_many_who_claim_each_run_goes_to_one,
    a_result_and_the_deletion_of_the_job_pass_each_other,
    who_comes_late_is_refused,
    runs_of_one_job_follow_its_overlap_policy,
    labels_platforms_and_filters_choose,
    output_is_bounded,
    a_cancelled_run_is_nobodys,
    a_lease_is_as_long_as_it_was_claimed_for,
    a_run_whose_runner_vanished_waits_again,
    who_read_an_old_state_changes_nothing,
    roles_decide_who_may,
    a_partner_claims_for_its_clients,
    nobody_else_speaks_for_a_run,
    a_suspended_client_runs_nothing,
    a_job_runs_by_get_too,
    a_run_that_is_due_in_maintenance_says_so,
];

fn queued(client: &Client, change: Value) -> String {
    let mut body = job(FAR_AHEAD, everyday());
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    let id = create(client, &body);
    client.post_empty(&format!("/jobs/{id}/run")).ok();
    id
}

fn a_run_goes_from_queue_to_history(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &job(LONG_AGO, everyday()));
    wait_for_runs(&client, &id, 1);
    let claimed = client.post("/jobs/runs/claim", &json!({"runner": "mine", "leaseSeconds": 120})).ok();
    let work = &claimed["runs"][0];
    assert_eq!((&work["run"]["status"], &work["run"]["attempt"]), (&json!("RUNNING"), &json!(1)));
    assert_eq!((&work["script"], &work["timeLimit"]), (&json!({"jobType": "antivirus"}), &json!(3600)));
    assert_eq!(work["run"]["runner"]["name"], json!("mine"));
    assert_eq!(client.get(&format!("/jobs/{id}")).ok()["jobQueued"], json!(false));
    let run = format!("/jobs/runs/{}", text(&work["run"]["id"]));
    let first = client.get(&run);
    assert_eq!(first.ok()["output"], json!(""));
    let log = json!({"attempt": 1, "lines": ["one", "zwei ä", ""]});
    let send = || client.request("POST", &format!("{run}/log")).header("Idempotency-Key", "k-1").json(&log).send();
    let told = send().ok();
    assert_eq!((&told["outputBytes"], &told["outputTruncated"]), (&json!(13), &json!(false)));
    assert_eq!(send().ok(), told, "lines that are sent again are kept once");
    client.post(&format!("{run}/heartbeat"), &json!({"attempt": 1})).ok();
    let done = client.post(&format!("{run}/result"), &json!({"attempt": 1, "exitCode": 3, "reason": "no disk"})).ok();
    assert_eq!((&done["status"], &done["exitCode"], &done["reason"]), (&json!("FAILED"), &json!(3), &json!("no disk")));
    let read = client.get(&run);
    assert_eq!(read.ok()["output"], json!("one\nzwei ä\n\n"));
    assert_ne!(read.header("ETag"), first.header("ETag"));
    for after in ["heartbeat", "log", "result", "cancel"] {
        let body = json!({"attempt": 1, "exitCode": 0, "lines": []});
        client.post(&format!("{run}/{after}"), &body).problem(409, "0004");
    }
    let failed = client.search(&format!("/jobs/{id}/runs"), "status:failed").page();
    assert_eq!(failed["results"][0]["id"], work["run"]["id"]);
    assert_eq!(client.search(&format!("/jobs/{id}/runs"), "trigger:manual").page()["totalResults"], json!(0));
    let log = client.search("/auditLog/search", &format!("entityId:{}", text(&work["run"]["id"]))).page();
    assert_eq!(log["results"][0]["entity"], json!("JobRun"));
}

fn of_many_who_claim_each_run_goes_to_one(server: &Server) {
    const JOBS: usize = 20;
    let client = server.new_client();
    let jobs: Vec<String> = (0..JOBS).map(|_| queued(&client, json!({}))).collect();
    let together = Barrier::new(8);
    let claimed: Vec<String> = std::thread::scope(|scope| {
        let client = &client;
        let together = &together;
        let claimers: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    together.wait();
                    let mut got = Vec::new();
                    loop {
                        let body = json!({"runner": format!("r{number}"), "limit": 1 + number % 3});
                        let answer = client.post("/jobs/runs/claim", &body).ok();
                        let runs = answer["runs"].as_array().cloned().unwrap_or_default();
                        if runs.is_empty() {
                            return got;
                        }
                        got.extend(runs.iter().map(|work| text(&work["run"]["id"])));
                    }
                })
            })
            .collect();
        claimers.into_iter().flat_map(|claimer| claimer.join().unwrap()).collect()
    });
    assert_eq!(claimed.len(), JOBS);
    assert_eq!(claimed.iter().collect::<BTreeSet<_>>().len(), JOBS, "each of them once");
    for id in jobs {
        assert_eq!(runs(&client, &id)[0]["attempt"], json!(1));
    }
}

fn a_result_and_the_deletion_of_the_job_pass_each_other(server: &Server) {
    let client = server.new_client();
    for _ in 0..12 {
        let id = queued(&client, json!({"alertOnFailure": true}));
        let claimed = client.post("/jobs/runs/claim", &json!({"runner": "r", "jobs": [id]})).ok();
        let run = text(&claimed["runs"][0]["run"]["id"]);
        let together = Barrier::new(2);
        let told = std::thread::scope(|scope| {
            let told = scope.spawn(|| {
                together.wait();
                client.post(&format!("/jobs/runs/{run}/result"), &json!({"attempt": 1, "exitCode": 1}))
            });
            together.wait();
            client.delete(&format!("/jobs/{id}")).ok();
            told.join().unwrap()
        });
        assert!([200, 404].contains(&told.status), "{}", told.status);
    }
}

fn who_comes_late_is_refused(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, json!({}));
    let wanted = json!({"runner": "slow", "jobs": [id], "leaseSeconds": 10});
    let run = text(&client.post("/jobs/runs/claim", &wanted).ok()["runs"][0]["run"]["id"]);
    assert_eq!(client.post("/jobs/runs/claim", &wanted).ok()["runs"], json!([]), "the lease holds");
    std::thread::sleep(Duration::from_millis(10_200));
    let other = client.post("/jobs/runs/claim", &json!({"runner": "fast", "jobs": [id]})).ok();
    assert_eq!((&other["runs"][0]["run"]["id"], &other["runs"][0]["run"]["attempt"]), (&json!(run), &json!(2)));
    let result =
        |attempt: i64| client.post(&format!("/jobs/runs/{run}/result"), &json!({"attempt": attempt, "exitCode": 0}));
    result(1).problem(409, "0004");
    client.post(&format!("/jobs/runs/{run}/heartbeat"), &json!({"attempt": 1})).problem(409, "0004");
    assert_eq!(client.get(&format!("/jobs/runs/{run}")).ok()["status"], json!("RUNNING"));
    result(3).problem(409, "0004");
    assert_eq!(result(2).ok()["runner"]["name"], json!("fast"));
}

fn runs_of_one_job_follow_its_overlap_policy(server: &Server) {
    let client = server.new_client();
    let again = |id: &str| client.post_empty(&format!("/jobs/{id}/run"));
    let claimed = |id: &str| {
        let answer = client.post("/jobs/runs/claim", &json!({"jobs": [id], "limit": 5})).ok();
        answer["runs"].as_array().map_or(0, Vec::len)
    };
    let skip = queued(&client, json!({"overlapPolicy": "skip"}));
    again(&skip).problem(409, "0004");
    let queue = queued(&client, json!({"overlapPolicy": "queue"}));
    again(&queue).ok();
    assert_eq!((claimed(&queue), claimed(&queue)), (1, 0), "the second waits for the first");
    let first = text(&runs(&client, &queue)[1]["id"]);
    client.post(&format!("/jobs/runs/{first}/result"), &json!({"attempt": 1, "exitCode": 0})).ok();
    assert_eq!(claimed(&queue), 1);
    let allow = queued(&client, json!({"overlapPolicy": "allow"}));
    again(&allow).ok();
    assert_eq!(claimed(&allow), 2);
}

fn labels_platforms_and_filters_choose(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": unique("script"), "platforms": ["WINDOWS"], "content": "dir"});
    let windows = client.post("/jobs/scripts", &body).ok()["id"].clone();
    let resource = client.post("/resources", &json!({"name": "a"})).ok()["resourceUUID"].clone();
    let plain = queued(&client, json!({}));
    let labelled = queued(&client, json!({"labels": ["Linux", "gpu"]}));
    let custom = queued(&client, json!({"script": {"customScript": {"id": windows}}}));
    let bound = queued(&client, json!({"resources": [{"id": resource}]}));
    let gets = |wanted: Value| -> BTreeSet<String> {
        let mut wanted = wanted;
        wanted["limit"] = json!(20);
        wanted["leaseSeconds"] = json!(10);
        let answer = client.post("/jobs/runs/claim", &wanted).ok();
        let runs = answer["runs"].as_array().cloned().unwrap_or_default();
        runs.iter().map(|work| text(&work["run"]["job"]["id"])).collect()
    };
    assert!(gets(json!({"jobTypes": ["custom"], "platform": "LINUX"})).is_empty());
    assert!(gets(json!({"jobs": [labelled], "labels": ["linux"]})).is_empty());
    assert_eq!(gets(json!({"resources": [resource]})), BTreeSet::from([bound]));
    assert_eq!(gets(json!({"jobTypes": ["custom"], "platform": "windows"})), BTreeSet::from([custom]));
    assert_eq!(gets(json!({"labels": ["GPU", "linux", "fast"]})), BTreeSet::from([plain, labelled]));
}

fn output_is_bounded(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, json!({}));
    let run = format!("/jobs/runs/{}", claim(&client, &id));
    let line = "x".repeat((1 << 19) - 1);
    for (sent, cut) in [(1, false), (2, false), (3, true)] {
        let told = client.post(&format!("{run}/log"), &json!({"attempt": 1, "lines": [line]})).ok();
        assert_eq!((&told["outputBytes"], &told["outputTruncated"]), (&json!(sent.min(2) << 19), &json!(cut)));
    }
    let read = client.get(&run).ok();
    assert_eq!(read["output"].as_str().map(str::len), Some(1 << 20));
    assert_eq!(read["outputTruncated"], json!(true));
}

fn a_cancelled_run_is_nobodys(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, json!({}));
    let waiting = text(&runs(&client, &id)[0]["id"]);
    assert_eq!(client.post_empty(&format!("/jobs/runs/{waiting}/cancel")).ok()["status"], json!("CANCELLED"));
    assert_eq!(client.post("/jobs/runs/claim", &json!({"jobs": [id]})).ok()["runs"], json!([]));
    client.post_empty(&format!("/jobs/{id}/run")).ok();
    let running = claim(&client, &id);
    client.post_empty(&format!("/jobs/runs/{running}/cancel")).ok();
    client.post(&format!("/jobs/runs/{running}/heartbeat"), &json!({"attempt": 1})).problem(409, "0004");
}

fn roles_decide_who_may(server: &Server) {
    let client = server.new_client();
    let viewer = server.caller(client.tenant_id(), "viewer");
    let operator = server.caller(client.tenant_id(), "operator");
    viewer.post("/jobs/runs/claim", &json!({})).forbidden();
    viewer.post("/jobs/scripts", &json!({"name": "a", "content": "b"})).forbidden();
    let id = queued(&operator, json!({"script": {"customScript": {"id": script(&operator, "exit 0")}}}));
    let work = operator.post("/jobs/runs/claim", &json!({})).ok();
    assert_eq!((&work["runs"][0]["content"], &work["runs"][0]["interpreter"]), (&json!("exit 0"), &json!("sh")));
    assert_eq!(runs(&viewer, &id)[0]["status"], json!("RUNNING"));
}

fn a_partner_claims_for_its_clients(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let id = queued(&client, json!({}));
    assert_eq!(other.post("/jobs/runs/claim", &json!({})).ok()["runs"], json!([]), "not another client's");
    assert_eq!(
        server.admin().post("/jobs/runs/claim", &json!({"jobs": [id]})).ok()["runs"],
        json!([]),
        "not asked for"
    );
    let claimed = server.admin().post("/jobs/runs/claim", &json!({"jobs": [id], "clients": true})).ok();
    let run = text(&claimed["runs"][0]["run"]["id"]);
    other.get(&format!("/jobs/runs/{run}")).not_found();
    other.post(&format!("/jobs/runs/{run}/result"), &json!({"attempt": 1, "exitCode": 0})).not_found();
    server.admin().post(&format!("/jobs/runs/{run}/result"), &json!({"attempt": 1, "exitCode": 0})).ok();
    assert_eq!(runs(&client, &id)[0]["status"], json!("SUCCEEDED"));
}

fn a_run_that_is_due_in_maintenance_says_so(server: &Server) {
    let client = server.new_client();
    let [busy, idle] =
        ["a", "b"].map(|name| client.post("/resources", &json!({"name": name})).ok()["resourceUUID"].clone());
    let schedule = json!({"type": "One-Time", "startTime": "2026-01-01T00:00:00Z", "endTime": "2034-01-01T00:00:00Z"});
    let window = json!({"name": "Patches", "devices": [{"uniqueId": busy}], "schedule": schedule});
    let window = client.post("/scheduleMaintenances", &window).ok()["uniqueId"].clone();
    let mut body = job(LONG_AGO, everyday());
    body["resources"] = json!([{"id": idle}, {"id": busy}]);
    let id = create(&client, &body);
    let expected = json!([{"resourceId": busy, "uniqueId": window, "name": "Patches",
        "until": "2034-01-01T00:00:00+0000"}]);
    assert_eq!(wait_for_runs(&client, &id, 1)[0]["maintenance"], expected);
    let by_hand = queued(&client, json!({"resources": [{"id": busy}]}));
    assert_eq!(runs(&client, &by_hand)[0]["maintenance"], expected);
    let other = queued(&client, json!({"resources": [{"id": idle}]}));
    assert_eq!(runs(&client, &other)[0].get("maintenance"), None);
}

fn a_lease_is_as_long_as_it_was_claimed_for(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, json!({}));
    // Lists that are empty ask for nothing.
    let wanted = json!({"jobs": [id], "jobTypes": [], "resources": [], "labels": [], "leaseSeconds": 3600});
    let claimed = client.post("/jobs/runs/claim", &wanted).ok();
    let work = &claimed["runs"][0];
    assert_eq!(work["run"]["runner"].get("name"), None, "it did not say: {work}");
    let run = format!("/jobs/runs/{}", text(&work["run"]["id"]));
    let until = text(&work["leaseUntil"]);
    for (path, body) in [("log", json!({"attempt": 1, "lines": ["a"]})), ("heartbeat", json!({"attempt": 1}))] {
        let lease = client.post(&format!("{run}/{path}"), &body).ok();
        assert!(text(&lease["leaseUntil"]) >= until, "{path}: {lease}");
    }
    let shorter = client.post(&format!("{run}/heartbeat"), &json!({"attempt": 1, "leaseSeconds": 10})).ok();
    assert!(text(&shorter["leaseUntil"]) < until, "{shorter}");
    let longer = client.post(&format!("{run}/heartbeat"), &json!({"attempt": 1})).ok();
    assert!(text(&longer["leaseUntil"]) >= until, "{longer}");
    let problem = client.post(&format!("{run}/heartbeat"), &json!({"attempt": 99})).problem(409, "0004");
    assert!(problem.to_string().contains("there is no attempt 99"), "{problem}");
    client.post(&format!("{run}/result"), &json!({"attempt": 1, "exitCode": 2_147_483_648_i64})).invalid(&["exitCode"]);
}

fn a_run_whose_runner_vanished_waits_again(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, json!({}));
    let claimed = client.post("/jobs/runs/claim", &json!({"jobs": [id], "leaseSeconds": 10})).ok();
    let run = format!("/jobs/runs/{}", text(&claimed["runs"][0]["run"]["id"]));
    let tag = client.get(&run).header("ETag").map(str::to_owned);
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while client.get(&run).ok()["status"] != json!("QUEUED") {
        assert!(std::time::Instant::now() < until, "nobody took it back");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_ne!(client.get(&run).header("ETag").map(str::to_owned), tag);
    assert_eq!(client.get(&format!("/jobs/{id}")).ok()["jobQueued"], json!(true));
    // Its runner was only late.
    client.post(&format!("{run}/heartbeat"), &json!({"attempt": 1, "leaseSeconds": 60})).ok();
    let taken_up = client.get(&run).ok();
    assert_eq!((&taken_up["status"], &taken_up["attempt"]), (&json!("RUNNING"), &json!(1)));
    client.post(&format!("{run}/result"), &json!({"attempt": 1, "exitCode": 0})).ok();
}

fn who_read_an_old_state_changes_nothing(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &job(FAR_AHEAD, everyday()));
    let path = format!("/jobs/{id}");
    let post = |path: &str, tag: &str| client.request("POST", path).header("If-Match", tag).send();
    let tag = client.get(&path).header("ETag").unwrap().to_owned();
    post(&format!("{path}/run"), "\"77\"").problem(412, "0004");
    let run = post(&format!("{path}/run"), &tag).ok();
    let run = format!("/jobs/runs/{}", text(&run["id"]));
    let tag = client.get(&run).header("ETag").unwrap().to_owned();
    client.post("/jobs/runs/claim", &json!({"jobs": [id]})).ok();
    post(&format!("{run}/cancel"), &tag).problem(412, "0004");
    let tag = client.get(&run).header("ETag").unwrap().to_owned();
    post(&format!("{run}/cancel"), &tag).ok();
}

fn nobody_else_speaks_for_a_run(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, json!({}));
    let claimer = server.caller(client.tenant_id(), "operator");
    let other = server.caller(client.tenant_id(), "operator");
    let run = format!("/jobs/runs/{}", claim(&claimer, &id));
    for caller in [&other, &client] {
        caller.post(&format!("{run}/heartbeat"), &json!({"attempt": 1})).problem(409, "0004");
        caller.post(&format!("{run}/log"), &json!({"attempt": 1, "lines": ["no"]})).problem(409, "0004");
        caller.post(&format!("{run}/result"), &json!({"attempt": 1, "exitCode": 0})).problem(409, "0004");
    }
    assert_eq!(
        (&runs(&client, &id)[0]["status"], &runs(&client, &id)[0]["outputBytes"]),
        (&json!("RUNNING"), &json!(0))
    );
    claimer.post(&format!("{run}/heartbeat"), &json!({"attempt": 1})).ok();
    claimer.post(&format!("{run}/result"), &json!({"attempt": 1, "exitCode": 0})).ok();
    assert_eq!(runs(&client, &id)[0]["status"], json!("SUCCEEDED"));
}

fn a_suspended_client_runs_nothing(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let path = format!("/clients/{}", client.tenant_id());
    let waiting = queued(&client, json!({}));
    let next = || {
        let run = client.get(&format!("/jobs/{waiting}")).ok().get("nextRun").cloned();
        let runs = client.get(&format!("/jobs/{waiting}/next?count=2")).ok()["nextRuns"].as_array().map(Vec::len);
        (run.is_some(), runs)
    };
    assert_eq!(next(), (true, Some(2)));
    admin.post_empty(&format!("{path}/suspend")).ok();
    assert_eq!(next(), (false, Some(0)));
    let due = create(&client, &job(LONG_AGO, everyday()));
    let wanted = json!({"jobs": [waiting, due], "clients": true, "limit": 20});
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(runs(&client, &due), Vec::<Value>::new(), "it was due");
    assert_eq!(admin.post("/jobs/runs/claim", &wanted).ok()["runs"], json!([]));
    assert_eq!(client.post("/jobs/runs/claim", &wanted).ok()["runs"], json!([]));
    admin.post_empty(&format!("{path}/resume")).ok();
    wait_for_runs(&client, &due, 1);
    let claimed = admin.post("/jobs/runs/claim", &wanted).ok();
    assert_eq!(claimed["runs"].as_array().map(Vec::len), Some(2), "{claimed}");
}

fn a_job_runs_by_get_too(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &job(FAR_AHEAD, everyday()));
    let path = format!("/api/v2/tenants/{}/jobs/{id}/run", client.tenant_id());
    let refused = client.absolute("HEAD", &path).send();
    let allowed = refused.header("Allow").unwrap_or_default().to_owned();
    assert!(refused.status == 405 && allowed.contains("GET") && !allowed.contains("HEAD"), "{allowed}: {refused}");
    assert_eq!(runs(&client, &id), Vec::<Value>::new(), "a HEAD changes nothing");
    server.caller(client.tenant_id(), "viewer").get(&format!("/jobs/{id}/run")).forbidden();
    let run = client.get(&format!("/jobs/{id}/run")).ok();
    assert_eq!((&run["trigger"], &run["status"]), (&json!("manual"), &json!("QUEUED")));
    client.get(&format!("/jobs/{id}/run")).problem(409, "0004");
    assert_eq!(runs(&client, &id).len(), 1);
}
