//! Jobs and scripts: made, changed and run.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP,
};

in_browser![
    a_job_is_run_and_its_run_is_called_off,
    jobs_are_made_and_changed_and_two_who_do_see_each_other,
    a_job_that_never_repeats_runs_once,
];

fn a_job_is_run_and_its_run_is_called_off() {
    let server = demo();
    // One of its own: the time of another's may be now, and then it is not run once more.
    let name = unique("Sweeping");
    let job = json!({"name": name, "script": {"jobType": "antivirus"}, "resources": [{"hostName": "web-01"}],
        "schedule": {"startDate": "2099-01-01T10:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}}});
    let job = text(&company(server).post("/jobs", &job).ok()["id"]);
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, &format!("jobs/{job}"), &name);
    window.shows("Missed runs");
    window.click("Run now");
    window.shows("Run requested.");
    window.until("document.querySelector('tbody .row-link')");
    window.evaluate("document.querySelector('tbody .row-link').click()");
    window.click("Stop run");
    window.shows("Cancelled");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn jobs_are_made_and_changed_and_two_who_do_see_each_other() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "jobs", "Jobs");
    let script = unique("sweep");
    window.click("New script…");
    window.fill("input[name=name]", &script);
    window.fill("textarea[name=content]", "echo swept");
    window.click("Create");
    window.until("!document.querySelector('dialog')");
    let name = format!("{} {MARKUP}", unique("Sweeping"));
    window.click("New job…");
    let choice = format!(
        "[...document.querySelectorAll('dialog [name=script] option')].find(one => one.textContent == {})",
        json!(script)
    );
    window.until(&choice);
    window.fill("input[name=name]", &name);
    let value = text(&window.evaluate(&format!("{choice}.value")));
    window.fill("select[name=script]", &value);
    window.fill("input[name=resources]", "web-01, nowhere-01");
    window.click("Create");
    window.until("document.querySelector('dialog')?.textContent.includes('no machine is called nowhere-01')");
    window.fill("input[name=resources]", "web-01, web-02");
    window.fill("select[name=repeat]", "cron");
    window.fill("input[name=cron]", "61 * * * *");
    window.click("Create");
    window.until(
        "document.querySelector('dialog [role=alert]') && \
         !document.querySelector('dialog').textContent.includes('nowhere')",
    );
    window.fill("input[name=cron]", "0 4 * * SUN");
    window.click("Create");
    window.until("location.pathname.startsWith('/console/jobs/')");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(name)));
    window.shows("web-02");
    let id = text(&window.evaluate("location.pathname.split('/').pop()"));
    let job = company.get(&format!("/jobs/{id}")).ok();
    assert_eq!(
        (&job["schedule"]["cron"], job["resources"].as_array().unwrap().len()),
        (&json!("0 4 * * SUN"), 2),
        "{job}"
    );
    window.click("Change…");
    window.until("document.querySelector('dialog [name=script]')");
    company.post(&format!("/jobs/{id}"), &json!({"overlapPolicy": "queue", "timeLimit": 120})).ok();
    window.fill("input[name=timeLimit]", "7");
    window.click("Save");
    window.until("document.querySelector('.theirs .after')");
    let theirs = text(&window.evaluate("document.querySelector('.theirs tbody').innerText"));
    assert!(theirs.contains("queue") && theirs.contains("60") && !theirs.contains("Machines"), "{theirs}");
    window.click("Save mine");
    window.until("!document.querySelector('dialog')");
    let job = company.get(&format!("/jobs/{id}")).ok();
    let kept = (
        &job["overlapPolicy"],
        &job["timeLimit"],
        &job["schedule"]["cron"],
        job["resources"].as_array().unwrap().len(),
    );
    assert_eq!(kept, (&json!("queue"), &json!(420), &json!("0 4 * * SUN"), 2));
    window.click("Pause");
    window.shows("paused");
    assert_eq!(company.get(&format!("/jobs/{id}")).ok()["active"], json!(false));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// The pattern `never` is one run at `startDate`, unless the job is not active.
fn a_job_that_never_repeats_runs_once() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("Never");
    let job = json!({"name": name, "script": {"jobType": "antivirus"},
        "schedule": {"startDate": "2099-01-01T10:00:00Z", "pattern": {"type": "never"}}});
    let job = text(&company.post("/jobs", &job).ok()["id"]);
    open(&window, server, &format!("jobs/{job}"), &name);
    assert!(!window.text().contains("by hand only"), "{}", window.text());
    window.click("Change…");
    window.until("document.querySelector('dialog [name=repeat]')?.value == 'once'");
    window.fill("input[name=startDate]", "2098-01-01T10:00");
    window.click("Save");
    window.until("!document.querySelector('dialog')");
    let found = company.get(&format!("/jobs/{job}")).ok();
    assert_eq!((&found["active"], &text(&found["nextRun"])[..4]), (&json!(true), "2098"));
    // By hand alone it is paused, and runs once again when it is changed back.
    window.click("Change…");
    window.fill("select[name=repeat]", "never");
    window.click("Save");
    window.shows("runs by hand only");
    assert_eq!(company.get(&format!("/jobs/{job}")).ok()["active"], json!(false));
    window.click("Change…");
    window.until("document.querySelector('dialog [name=repeat]')?.value == 'never'");
    window.fill("select[name=repeat]", "once");
    window.click("Save");
    window.until("!document.querySelector('dialog')");
    assert_eq!(company.get(&format!("/jobs/{job}")).ok()["active"], json!(true));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
