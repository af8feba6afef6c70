//! The page behind the link of a message, on a telephone.

use muster_tests::{Backend, Server, chromium::Window, in_browser, receiver::Receiver, unique};
use serde_json::json;

use super::{company, text};

in_browser![the_page_behind_a_link_is_for_a_thumb];

/// Buttons and links that are pressed: at least 48 pixels high, at least 8 apart.
const SMALL: &str = "(() => { const boxes = [...document.querySelectorAll('button, .wide, .call')]\
     .map(one => one.getBoundingClientRect()); \
     const near = (a, b) => a.left < b.right && b.left < a.right && b.top >= a.bottom && b.top - a.bottom < 8; \
     return boxes.some(one => one.height < 48) || boxes.some(a => boxes.some(b => near(a, b))); })()";

fn the_page_behind_a_link_is_for_a_thumb() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (company, receiver) = (company(&server), Receiver::willing());
    let Some(window) = Window::open() else { return };
    let person = |first: &str, mobile: &str| {
        let body = json!({"loginName": unique("person"), "firstName": first, "lastName": "Sand", "role": "operator",
            "mobileNumber": mobile});
        let id = text(&company.post("/users", &body).ok()["id"]);
        let hook = json!({"name": "hook", "type": "HTTP", "url": receiver.url(), "verified": true});
        company.post(&format!("/users/{id}/contactMethods"), &hook).ok();
        id
    };
    let (eva, ada) = (person("Eva", "+43 660 100"), person("Ada", "+43 660 200"));
    let quiet = json!({"urgency": "low", "steps": [],
        "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Asia/Calcutta"}});
    company.post(&format!("/users/{eva}/notificationRules"), &quiet).ok();
    let targets = json!([{"user": {"id": eva}}, {"user": {"id": ada}}]);
    let policy = json!({"name": unique("policy"), "steps": [{"targets": targets, "wait": "1h"}]});
    let policy = text(&company.post("/escalationPolicies", &policy).ok()["id"]);
    let subject = unique("No flow");
    let rules = json!([{"key": "subject", "operator": "Equals", "value": subject}]);
    let route = json!({"name": unique("route"), "position": 1, "rules": rules, "policy": {"id": policy}});
    company.post("/alertRoutes", &route).ok();
    let host = unique("pump");
    let machine = text(&company.post("/resources", &json!({"hostName": host})).ok()["resourceUUID"]);
    let metric = unique("flow");
    let category = company.post("/kb/category", &json!({"name": unique("Pumps")})).ok()["id"].clone();
    let schedule = json!({"startDate": "2035-01-01T10:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}});
    let job = json!({"name": "Restart pump", "schedule": schedule, "resources": [{"id": machine}],
        "script": {"jobType": "antivirus"}});
    company.post("/jobs", &job).ok();
    let content = format!(
        "## Steps for {metric}\n\n**Open the valve** first.\n\n<script>alert(1)</script>\n\n\
         ![the plan](https://pumps.example/plan.png)\n\n```\npump --start\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    );
    let article = json!({"title": "Runbook pump", "category": {"id": category}, "content": content});
    company.post("/kb/article", &article).ok();
    let report = json!({"currentState": "Critical", "subject": subject, "description": "**Pump** stands still",
        "metric": metric, "device": {"id": machine}});
    let alert = text(&company.post("/alert", &report).ok()["id"]);
    receiver.wait(2);
    let link = receiver.wait(2).iter().map(|message| text(&message.json()["link"])).find(|link| {
        window.go(link);
        window.shows("answers as");
        window.text().contains("answers as Eva Sand")
    });
    assert!(link.is_some(), "nobody answers as Eva");
    let begin = "2026-01-01T00:00:00+0000";
    let schedule = json!({"type": "Recurring", "startTime": begin, "endTime": "2026-01-01T23:59:59+0000",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let works = json!({"name": unique("Works"), "devices": [{"uniqueId": machine}], "schedule": schedule});
    company.post("/scheduleMaintenances", &works).ok();
    for dark in [false, true] {
        window.looks(390, dark);
        let link = link.as_deref().unwrap_or_default();
        window.go(link);
        for shown in ["Critical", &subject, "Ada Sand", "Acknowledge", "Escalate", "Snooze 1 h", "Close", "now"] {
            window.shows(shown);
        }
        let body = window.text();
        assert!(!["GMT", "UTC", "+0000"].iter().any(|zone| body.contains(zone)), "{body}");
        assert_eq!(window.evaluate(SMALL), json!(false), "a button is small or near another");
        assert_eq!(window.evaluate("document.documentElement.scrollWidth <= innerWidth"), json!(true));
        assert_eq!(window.evaluate("!!document.querySelector('a[href=\"tel:+43660200\"]')"), json!(true));
        for shown in [
            "Runbook pump",
            "Open the valve",
            "<script>",
            "Open in console",
            "Maintenance window",
            "Restart pump",
            "It has not run yet.",
        ] {
            window.shows(shown);
        }
        let rendered = "[document.querySelectorAll('.text strong').length, document.scripts.length, \
                        document.querySelector('.text a').rel, document.querySelector('.text a').href]";
        let expected = json!([2, 0, "noopener noreferrer", "https://pumps.example/plan.png"]);
        assert_eq!(window.evaluate(rendered), expected);
        assert_eq!(window.barriers(), Vec::<serde_json::Value>::new(), "dark: {dark}");
    }
    window.click("Run");
    window.shows("Run Restart pump now?");
    assert_eq!(window.barriers(), Vec::<serde_json::Value>::new());
    window.click("Run");
    window.shows("The run is requested.");
    window.shows("queued");
    assert_eq!(window.barriers(), Vec::<serde_json::Value>::new());
    window.go(link.as_deref().unwrap_or_default());
    window.click("Open in console");
    window.shows("Signed in through the link of a page until");
    window.shows(&subject);
    let place = json!(format!("/console/alerts/{alert}"));
    assert_eq!(window.evaluate("location.pathname"), place);
    for (text, shown) in [("Acknowledge", true), ("Close…", true), ("Open an incident", false), ("Run now", false)] {
        let found = format!("[...document.querySelectorAll('main button')].some(one => one.innerText === '{text}')");
        assert_eq!(window.evaluate(&found), json!(shown), "{text}");
    }
    assert_eq!(window.barriers(), Vec::<serde_json::Value>::new());
    window.click("Acknowledge");
    window.shows("Acknowledged.");
    assert_eq!(company.get(&format!("/alerts/{alert}")).ok()["acknowledgement"]["by"]["id"], json!(eva));
    window.go(link.as_deref().unwrap_or_default());
    window.click("Close");
    window.shows("Close this for everybody?");
    assert_eq!(window.evaluate(SMALL), json!(false), "a button is small or near another");
    assert_eq!(window.barriers(), Vec::<serde_json::Value>::new());
    assert_eq!(company.get(&format!("/alerts/{alert}")).ok()["status"], "Acknowledged");
    window.click("Close");
    window.shows("It is closed.");
    assert_eq!(company.get(&format!("/alerts/{alert}")).ok()["status"], "Closed");
}
