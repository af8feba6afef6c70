//! One night, from the telephone beside the bed to the hand-over: what somebody who is on call does, with the console
//! alone.

use std::time::{Duration, Instant};

use muster_tests::{
    Backend, Client, Server,
    chromium::Window,
    in_browser,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{company, open, signed_in, text};

in_browser![one_night];

/// Less than the boards take to ask by themselves (15 seconds): what is there sooner was told by the stream of changes.
const LIVE: Duration = Duration::from_secs(10);

/// The machine that goes wrong, and the job that somebody made for it by day.
fn pump(company: &Client) -> (String, String) {
    let host = unique("pump");
    let machine = json!({"hostName": host, "type": "DEVICE", "resourceType": "Linux"});
    let machine = text(&company.post("/resources", &machine).ok()["resourceUUID"]);
    let script = json!({"name": unique("restart"), "content": "systemctl restart pump"});
    let script = company.post("/jobs/scripts", &script).ok()["id"].clone();
    let job = json!({"name": format!("Restart {host}"), "resources": [{"id": machine}],
        "script": {"customScript": {"id": script}},
        "schedule": {"startDate": "2099-01-01T00:00:00+0000", "pattern": {"type": "run once"}}});
    company.post("/jobs", &job).ok();
    (host, machine)
}

/// The one who sleeps: reached by a page that a service hands on, which is verified and tried.
fn reached(window: &Window, server: &Server, receiver: &Receiver) {
    open(window, server, "settings", "Settings");
    window.click("Add push or chat…");
    window.fill("input[name=name]", "Bedside");
    window.fill("select[name=preset]", "webhook");
    window.fill("input[name=url]", &receiver.url());
    window.click("Add");
    window.shows("not verified");
    window.click("Send a code");
    let code = receiver.wait(1)[0].text();
    let code = code.split_once("Your Muster code is ").and_then(|(_, rest)| rest.get(..6));
    window.fill("input[name=code]", code.expect("a code of six digits"));
    window.click("Verify");
    window
        .until("!document.querySelector('dialog') && document.querySelector('[aria-labelledby=reach] .session .good')");
    window.click("Edit rule for high urgency…");
    window.until("document.querySelector('dialog input')");
    window.fill("dialog input[name^=after]", "0s");
    window.click("Save");
    window.shows("Bedside after 0s");
    window.click("Test paging");
    window.shows("Test page sent by one contact method.");
    receiver.wait(2);
}

/// Who is on call now, by name.
fn on_call(company: &Client) -> Vec<String> {
    let board = company.get("/rosters/onCall").ok();
    board["onCall"].as_array().unwrap().iter().map(|one| text(&one["user"]["firstName"])).collect()
}

fn one_night() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (server, company, receiver) = (&server, company(&server), Receiver::willing());
    let Some(window) = signed_in(server, "operator") else { return };
    let (host, machine) = pump(&company);
    window.looks(360, true);
    window.requests();
    reached(&window, server, &receiver);

    // Evening: she takes over whatever roster is on call.
    open(&window, server, "on-call", "On call");
    window.until("document.querySelector('.person') && document.querySelector('.lane')");
    let roster = text(&company.get("/rosters/onCall").ok()["onCall"][0]["roster"]["id"]);
    window.click("Take over…");
    window.until("document.querySelectorAll('dialog select[name=user] option').length > 5");
    window.fill("select[name=roster]", &roster);
    let eva =
        "[...document.querySelector('dialog [name=user]').options].find(one => one.textContent == 'Eva Sand').value";
    let eva = text(&window.evaluate(eva));
    window.fill("select[name=user]", &eva);
    window.fill("input[name=note]", "for the night");
    window.click("Take over");
    window.until("document.querySelector('.person')?.textContent.includes('Eva Sand')");
    assert!(on_call(&company).contains(&"Eva".to_owned()), "{:?}", on_call(&company));

    // An alert arrives on the board that is open, told and not asked for.
    let subject = format!("No flow at {host}");
    open(&window, server, &format!("alerts?host={host}"), "Alerts");
    window.shows("No alert matches");
    let sent = Instant::now();
    let report = |metric: &str, subject: &str| {
        let alert =
            json!({"currentState": "Critical", "subject": subject, "metric": metric, "device": {"hostName": host}});
        text(&company.post("/alert", &alert).ok()["id"])
    };
    let alert = report("flow", &subject);
    window.shows(&subject);
    assert!(sent.elapsed() < LIVE, "the board took {:?}", sent.elapsed());

    // The page has a link, which answers without signing in; to look changes nothing.
    let page = receiver.wait(3)[2].json();
    window.go(&text(&page["link"]));
    window.shows(&subject);
    assert_eq!(company.get(&format!("/alerts/{alert}")).ok()["status"], "New");
    window.click("Acknowledge");
    window.shows("You work on it.");

    // The console knows who was told and who works on it.
    open(&window, server, &format!("alerts/{alert}"), &subject);
    window.shows("Notified Eva Sand");
    window.shows("Acknowledged by Eva Sand");
    window.until("document.querySelector('#responders').closest('section').textContent.includes('Eva Sand')");
    window.click("Open an incident");
    window.until("location.pathname.startsWith('/console/incidents/INC')");
    let incident = text(&window.evaluate("location.pathname.split('/').pop()"));
    window.shows(&host);
    window.fill("textarea[name=content]", "The pump stands still. I restart it.");
    window.click("Add note");
    window.until("document.querySelector('.notes')?.textContent.includes('stands still')");

    // A window, so that what the restart brings wakes nobody.
    open(&window, server, "maintenance", "Maintenance");
    window.click("New window…");
    window.fill("input[name=name]", &format!("Repair of {host}"));
    window.fill("input[name=devices]", &host);
    let now = text(
        &window
            .evaluate("new Date(Date.now() - new Date().getTimezoneOffset() * 6e4 - 6e4).toISOString().slice(0, 16)"),
    );
    window.fill("input[name=start]", &now);
    window.click("Preview");
    window.shows(&format!("{host}: 1 machine"));
    window.click("Create");
    window.shows("open until");
    let pages = receiver.count();
    let noise = report("pressure", &format!("No pressure at {host}"));
    open(&window, server, &format!("alerts/{noise}"), &format!("No pressure at {host}"));
    window.shows("Held back by a maintenance window");
    window.shows("In maintenance:");

    // The job of the machine, beside the alert; what it writes is shown while it runs.
    open(&window, server, &format!("alerts/{alert}"), &subject);
    window.click("Run now");
    window.shows("Run requested:");
    window.click(&format!("Restart {host}"));
    window.until("document.querySelector('tbody .row-link')");
    window.evaluate("document.querySelector('tbody .row-link').click()");
    window.shows("Queued");
    let work = company.post("/jobs/runs/claim", &json!({"runner": "night", "resources": [machine]})).ok();
    let run = &work["runs"][0]["run"];
    let (run, attempt) = (text(&run["id"]), run["attempt"].clone());
    company
        .post(&format!("/jobs/runs/{run}/log"), &json!({"attempt": attempt, "lines": ["stopping", "starting"]}))
        .ok();
    window.shows("starting");
    window.shows("Running");
    company
        .post(&format!("/jobs/runs/{run}/result"), &json!({"attempt": attempt, "status": "SUCCEEDED", "exitCode": 0}))
        .ok();
    window.shows("Succeeded");

    // What was learnt is written down, and found beside the alert from then on.
    open(&window, server, "knowledge", "Knowledge");
    window.click("New article…");
    window.fill("input[name=title]", &format!("When {host} has no flow"));
    window.fill("textarea[name=content]", "1. Plan a window\n2. Run **Restart**\n3. Wait for the flow");
    window.click("Publish");
    window.until("document.querySelector('.markdown strong')?.textContent == 'Restart'");
    open(&window, server, &format!("alerts/{alert}"), &subject);
    window.until("document.querySelector('#articles').closest('section').textContent.includes('has no flow')");
    window.click("Close…");
    window.fill("dialog textarea", "Runs again after a restart");
    window.click("Close");
    window.shows("Closed by Eva Sand");

    // Morning: the incident goes on with somebody else, and so does the telephone.
    open(&window, server, &format!("incidents/{incident}"), &subject);
    window.click("Change…");
    let anna =
        "[...document.querySelector('dialog [name=assignee]').options].find(one => one.textContent == 'Anna Huber')";
    window.until(anna);
    let anna = text(&window.evaluate(&format!("{anna}.value")));
    window.fill("select[name=assignee]", &anna);
    window.fill("select[name=status]", "Pending");
    window.click("Save");
    window.until("document.querySelector('.sub')?.textContent.includes('Pending')");
    open(&window, server, "on-call", "On call");
    window.shows("for the night");
    window.evaluate(
        "[...document.querySelectorAll('.overrides li')]\
         .find(one => one.textContent.includes('for the night')).querySelector('button').click()",
    );
    window.until("document.body && !document.body.innerText.includes('for the night')");
    let handed_over = || !on_call(&company).is_empty() && !on_call(&company).contains(&"Eva".to_owned());
    wait_for(Duration::from_secs(10), handed_over, || format!("{:?}", on_call(&company)));

    let found = company.get(&format!("/incidents/{incident}")).ok();
    assert_eq!(
        (&found["assignee"]["id"], &found["status"], &found["noteCount"]),
        (&json!(anna), &json!("Pending"), &json!(1))
    );
    let found = company.get(&format!("/alerts/{alert}")).ok();
    let said = [&found["status"], &found["closure"]["note"], &found["incidentId"]].map(Value::clone);
    assert_eq!(said, [json!("Closed"), json!("Runs again after a restart"), json!(incident)]);
    assert_eq!(receiver.count(), pages, "nobody was woken during the window");
    // All night nothing was asked of anybody else, and nothing went wrong that nobody saw.
    let others: Vec<_> = window
        .requests()
        .into_iter()
        .map(|(_, url)| url)
        .filter(|url| !url.starts_with(server.base()) && !url.starts_with("data:"))
        .collect();
    assert_eq!(others, Vec::<String>::new());
    assert_eq!(window.complaints(), Vec::<String>::new());
}
