//! Articles: written, read safely, and not overwritten.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP,
};

in_browser![an_article_is_written_read_safely_and_not_overwritten, no_link_leads_into_the_interface_or_astray];

fn an_article_is_written_read_safely_and_not_overwritten() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "knowledge", "Knowledge");
    let title = format!("{} <i>title</i>", unique("Pump"));
    window.click("New article…");
    window.fill("input[name=title]", &title);
    window.fill(
        "textarea",
        &format!(
            "## First\n\n{MARKUP} [bad](javascript:alert(1)) **strong**\n\n<script>document.title='owned'</script>"
        ),
    );
    window.click("Publish");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
    window.until("document.querySelector('.markdown strong')?.textContent == 'strong'");
    window.shows("<script>document.title='owned'</script>");
    let made = window.evaluate("document.querySelectorAll('main img, main script, main a[href^=javascript]').length");
    assert_eq!(made, json!(0));
    let id = text(&window.evaluate("location.pathname.split('/').pop()"));
    // Somebody else is faster: both texts are shown, and nothing is lost.
    window.click("Change…");
    company.post(&format!("/kb/article/{id}"), &json!({"content": "theirs"})).ok();
    window.fill("textarea", "mine");
    window.click("Save");
    window.until("document.querySelector('dialog .output')?.textContent == 'theirs'");
    assert_eq!(company.get(&format!("/kb/article/{id}")).ok()["content"], "theirs");
    window.click("Save mine");
    window.until("document.querySelector('.markdown')?.textContent == 'mine'");
    open(&window, server, &format!("knowledge?q={}", title.split(' ').next().unwrap()), "Knowledge");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Links of texts and alerts: to pages of the console, and away where that is written in full. All others are text.
fn no_link_leads_into_the_interface_or_astray() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let base = server.base();
    let run = "api/v2/tenants/client_1/jobs/JOB-1/run";
    let kept = [
        "https://example.com/a?b=c".to_owned(),
        "HTTP://example.com/".to_owned(),
        "mailto:a@example.com".to_owned(),
        "/console/alerts".to_owned(),
        "/docs/".to_owned(),
        "#here".to_owned(),
        format!("{base}/console/on-call"),
    ];
    let shown_as_text = [
        format!("{base}/{run}"),
        format!("{}/{run}", base.to_uppercase()),
        format!("{base}/%61pi/v2/me"),
        format!("{base}//{run}"),
        format!("{base}\\{run}"),
        format!("{base}/console/../{run}"),
        format!("{base}/console/%2e%2e/{run}"),
        format!("{base}/docs/..\\{run}"),
        format!("http:/{run}"),
        format!("http:{run}"),
        format!("/{run}"),
        "/%61pi/v2/me".to_string(),
        format!("/./{run}"),
        format!("/console/../{run}"),
        "/auth/oidc/start".to_owned(),
        "/".to_owned(),
        "//evil.example/".to_owned(),
        "///evil.example/".to_owned(),
        r"/\evil.example/".to_owned(),
        r"\\evil.example/".to_owned(),
        r"\/evil.example/".to_owned(),
        r"/\/evil.example/".to_owned(),
        r"http:\\evil.example/".to_owned(),
        "/\u{1}/evil.example/".to_owned(),
        "\u{1}//evil.example/".to_owned(),
        "javascript:alert(1)".to_owned(),
        "data:text/html,x".to_owned(),
        "evil.example".to_owned(),
    ];
    let links = kept.iter().chain(&shown_as_text).map(|address| format!("- [label]({address})\n"));
    let bare = format!("- {base}/{run}\n- https://example.com/bare\n");
    let content = links.chain([bare]).collect::<String>();
    let category = text(&company.post("/kb/category", &json!({"name": unique("Links")})).ok()["id"]);
    let article = json!({"title": unique("Links"), "content": content, "category": {"id": category}});
    let made = company.post("/kb/article", &article);
    let id = text(&made.ok()["id"]);
    open(&window, server, &format!("knowledge/{id}"), article["title"].as_str().unwrap());
    window.until("document.querySelectorAll('.markdown a').length > 0");
    let found = window.evaluate("[...document.querySelectorAll('.markdown a')].map(one => one.getAttribute('href'))");
    let expected: Vec<&str> = kept.iter().map(String::as_str).chain(["https://example.com/bare"]).collect();
    assert_eq!(found, json!(expected));
    // The address that an alert brings along.
    for (url, links) in [(format!("{base}/{run}"), 0), ("https://example.com/graph".to_owned(), 1)] {
        let alert = json!({"subject": unique("linked"), "currentState": "Warning", "metric": unique("m"), "url": url});
        company.post("/alerts", &alert).ok();
        let found = company.search("/alerts/search", &format!("subject:{}", alert["subject"].as_str().unwrap())).page();
        let id = text(&found["results"][0]["id"]);
        open(&window, server, &format!("alerts/{id}"), alert["subject"].as_str().unwrap());
        window.shows(&url);
        let made = window
            .evaluate(&format!("[...document.querySelectorAll('a')].filter(one => one.href == {}).length", json!(url)));
        assert_eq!(made, json!(links), "{url}");
    }
    let into = window.evaluate("[...document.querySelectorAll('a')].filter(one => one.origin == location.origin && one.pathname.startsWith('/api/')).length");
    assert_eq!((into, window.complaints()), (json!(0), Vec::<String>::new()));
}
