//! Articles: written, read safely, and not overwritten.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP,
};

in_browser![an_article_is_written_read_safely_and_not_overwritten];

fn an_article_is_written_read_safely_and_not_overwritten() {
    let (server, company) = (demo(), company(demo()));
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
