//! What the page behind a link has to help: the article that fits, and the jobs of the machine.

use muster_tests::{Backend, Client, Response, Server, both_backends, receiver::Receiver, unique};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![an_article_is_rendered_and_is_no_markup, a_job_of_the_machine_is_run_and_watched];

/// A page about an alert of a machine: its tenant, the person, and the path of the link.
struct Page {
    client: Client,
    person: String,
    machine: String,
    path: String,
}

impl Page {
    /// `prepare` makes what the page is to show, before the alert.
    fn new(server: &Server, description: &str, prepare: impl FnOnce(&Client, &str)) -> Self {
        let client = server.new_client();
        let receiver = Receiver::willing();
        let person = reachable(&client, &receiver.url());
        let steps = json!([{"targets": [{"user": {"id": person}}], "wait": "1h"}]);
        let policy = client.post("/escalationPolicies", &json!({"name": unique("help"), "steps": steps})).ok();
        client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
        let machine = text(&client.post("/resources", &json!({"hostName": unique("host")})).ok()["resourceUUID"]);
        prepare(&client, &machine);
        let report = json!({"currentState": "Critical", "subject": "Down", "metric": "pumpflow",
            "description": description, "device": {"id": machine}});
        client.post("/alert", &report).ok();
        let link = text(&receiver.wait(1)[0].json()["link"]);
        let path = link.strip_prefix(server.base()).unwrap_or_else(|| panic!("{link} leads elsewhere")).to_owned();
        Self { client, person, machine, path }
    }
}

fn write_article(client: &Client, title: &str, content: &str) -> String {
    let category = client.post("/kb/category", &json!({"name": unique("help")})).ok()["id"].clone();
    let article = json!({"title": title, "category": {"id": category}, "content": content});
    text(&client.post("/kb/article", &article).ok()["id"])
}

fn an_article_is_rendered_and_is_no_markup(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let foreign = server.new_client();
    write_article(&foreign, "Of somebody else", "pumpflow");
    let content = "# pumpflow\n\n**Open** the valve.\n\n<script>alert(1)</script>\n\n\
        [over](javascript:alert(1)) [call](/api/v2/me) ![plan](https://a.example/plan.png) \
        <img src=x onerror=alert(1)>\n\n```\n</pre><script>\n```";
    let description = "*Slow*\n\n<iframe src=x>\n\n[here](https://b.example/\"onclick=x)";
    let mut article = String::new();
    let page = Page::new(&server, description, |client, _| {
        article = write_article(client, "A \"pump\" <b>", content);
    });
    let shown = server.get(&page.path);
    let html = shown.text();
    for part in [
        "<h2>A &quot;pump&quot; &lt;b&gt;</h2>",
        "<h3>pumpflow</h3>",
        "<strong>Open</strong>",
        "<a href=\"https://a.example/plan.png\" rel=\"noopener noreferrer\">plan</a>",
        "&lt;script&gt;",
        "<em>Slow</em>",
    ] {
        assert!(html.contains(part), "{part}: {shown}");
    }
    for part in
        ["<script", "<img", "<iframe", "href=\"javascript", "href=\"/api/v2/me\"", "\"onclick", "Of somebody else"]
    {
        assert!(!html.contains(part), "{part}: {shown}");
    }
    let policy = shown.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    // Of a long article the beginning is shown, and what is much work is text.
    let long = format!("pumpflow {}\n\nthe end", "word ".repeat(18_000));
    let table = format!("pumpflow\n\n{}\n{}\n{}", "a|".repeat(4_000), "-|".repeat(4_000), "x|\n".repeat(5_000));
    for content in [long, table] {
        page.client.post(&format!("/kb/article/{article}"), &json!({"content": content})).ok();
        let shown = server.get(&page.path);
        assert!(shown.status == 200 && shown.text().len() < 600_000, "{}", shown.text().len());
        let cut = shown.text().contains("The rest of the article in console");
        assert_eq!((cut, shown.text().contains("the end")), (content.len() > 32 << 10, false));
    }
}

fn a_job_of_the_machine_is_run_and_watched(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let job = |client: &Client, machine: Option<&str>| {
        let resources: Vec<Value> = machine.iter().map(|id| json!({"id": id})).collect();
        let schedule =
            json!({"startDate": "2035-01-01T10:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}});
        let body = json!({"name": unique("Restart <b>"), "schedule": schedule, "resources": resources,
            "script": {"jobType": "antivirus"}});
        text(&client.post("/jobs", &body).ok()["id"])
    };
    let foreign = server.new_client();
    let strange = job(&foreign, None);
    let mut made = Vec::new();
    let page = Page::new(&server, "", |client, machine| {
        made = vec![job(client, Some(machine)), job(client, None)];
    });
    let [id, elsewhere] = made.as_slice() else { panic!("two jobs") };
    let runs = |client: &Client, id: &str| client.get(&format!("/jobs/{id}/runs")).page()["totalResults"].clone();
    let press = |id: &str| -> Response { server.request("POST", &format!("{}&action=run&job={id}", page.path)).send() };
    let first = server.get(&page.path);
    assert!(first.text().contains("It has not run yet.") && !first.text().contains("<b>"), "{first}");
    assert!(!first.text().contains("action=run") && !first.text().contains(elsewhere.as_str()), "{first}");
    // The first press asks, and runs nothing.
    let asks = server.get(&format!("{}&confirm=run&job={id}", page.path));
    assert!(asks.text().contains(&format!("action=run&amp;job={id}")), "{asks}");
    assert!(!server.get(&format!("{}&confirm=run&job={strange}", page.path)).text().contains("action=run"));
    assert_eq!(runs(&page.client, id), json!(0));
    // Neither another tenant's, nor one that has not this machine.
    for wrong in [strange.as_str(), elsewhere, "", "x"] {
        assert_eq!(press(wrong).status, 404, "{wrong}");
    }
    assert_eq!((runs(&foreign, &strange), runs(&page.client, elsewhere)), (json!(0), json!(0)));
    let role = |role: &str| page.client.post(&format!("/users/{}", page.person), &json!({"role": role})).ok();
    role("viewer");
    let viewer = server.get(&page.path);
    assert!(viewer.text().contains("To run a job takes the role operator"), "{viewer}");
    assert!(!viewer.text().contains("value=\"run\""), "{viewer}");
    assert_eq!(press(id).status, 403);
    role("operator");
    let pressed = press(id);
    assert!(pressed.text().contains("The run is requested.") && pressed.text().contains("queued"), "{pressed}");
    let refresh = pressed.header("refresh").unwrap_or_else(|| panic!("no refresh: {pressed}"));
    assert_eq!(refresh, format!("5; url={}&watch={id}#jobs", page.path));
    // While it is under way, the job says no to another.
    assert!(press(id).text().contains("is waiting or under way"));
    assert_eq!(runs(&page.client, id), json!(1));
    let claimed = page.client.post("/jobs/runs/claim", &json!({"runner": "test", "jobs": [id]})).ok();
    let run = format!("/jobs/runs/{}", text(&claimed["runs"][0]["run"]["id"]));
    let lines: Vec<String> = (0..2_000).map(|number| format!("line {number} <script>")).collect();
    page.client.post(&format!("{run}/log"), &json!({"attempt": 1, "lines": lines})).ok();
    let watch = format!("{}&watch={id}", page.path);
    let live = server.get(&watch);
    assert!(live.text().contains("running") && live.text().contains("line 1999 &lt;script&gt;"), "{live}");
    assert!(!live.text().contains("line 7 ") && !live.text().contains("<script"), "{live}");
    assert!(live.header("refresh").is_some() && server.get(&page.path).header("refresh").is_none());
    page.client.post(&format!("{run}/result"), &json!({"attempt": 1, "exitCode": 3, "reason": "no disk"})).ok();
    let over = server.get(&watch);
    assert!(over.text().contains("failed") && over.text().contains("no disk"), "{over}");
    assert!(over.header("refresh").is_none(), "{over}");
    let audit = page.client.search("/auditLog/search", &format!("entity:JobRun+userId:{}", page.person)).page();
    assert_eq!((&audit["totalResults"], &audit["results"][0]["keyId"]), (&json!(1), &json!("link")), "{audit}");
    assert!(!page.machine.is_empty());
}
