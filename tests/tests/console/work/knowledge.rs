//! Articles: written, read safely, and not overwritten.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP,
};

in_browser![
    an_article_is_written_read_safely_and_not_overwritten,
    no_link_leads_into_the_interface_or_astray,
    markdown_is_laid_out_as_it_is_meant,
    markdown_that_is_too_much_is_shown_as_it_is_written,
    a_preview_says_what_becomes_of_images,
    fields_that_are_filled_in_together_all_count,
];

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
    let into = window.evaluate(
        "[...document.querySelectorAll('a')]\
         .filter(one => one.origin == location.origin && one.pathname.startsWith('/api/')).length",
    );
    assert_eq!((into, window.complaints()), (json!(0), Vec::<String>::new()));
}

/// Texts, and the elements that they become: without attributes but `href`, `start` and `class`.
const LAID_OUT: [(&str, &str); 19] = [
    ("# One\n\nTwo\n---\n\n###### Six", "<h2>One</h2><h3>Two</h3><h6>Six</h6>"),
    ("- a\n  - b\n    1. c\n- d\n", "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul>"),
    (
        "3. one\n\n   more of one\n\n4. two\n",
        "<ol start=\"3\"><li><p>one</p><p>more of one</p></li><li><p>two</p></li></ol>",
    ),
    (
        "- run\n  ```sh\n  df -h <x>\n  ```\n- look\n",
        "<ul><li>run<pre><code>df -h &lt;x&gt;</code></pre></li><li>look</li></ul>",
    ),
    (
        "| a | b \\| c |\n|:-:|--:|\n| `x \\| y` | **z** |\n| only |\n",
        "<div class=\"scroll\"><table class=\"plain\"><thead><tr><th class=\"center\">a</th>\
         <th class=\"right\">b | c</th></tr></thead>\
         <tbody><tr><td class=\"center\"><code>x | y</code></td><td class=\"right\"><strong>z</strong></td></tr>\
         <tr><td class=\"center\">only</td><td class=\"right\"></td></tr></tbody></table></div>",
    ),
    ("one  \ntwo\\\nthree\nfour", "<p>one<br>two<br>three\nfour</p>"),
    ("~~gone~~ ***both*** _a `*`_", "<p><del>gone</del> <em><strong>both</strong></em> <em>a <code>*</code></em></p>"),
    (
        "[ref][r], [r] and [none]\n\n[r]: https://a.example/?x=1 \"T\"\n",
        "<p><a href=\"https://a.example/?x=1\">ref</a>, <a href=\"https://a.example/?x=1\">r</a> and [none]</p>",
    ),
    (
        "<https://a.example/> https://b.example/x. <a@b.example>",
        "<p><a href=\"https://a.example/\">https://a.example/</a> \
         <a href=\"https://b.example/x\">https://b.example/x</a>. \
         <a href=\"mailto:a@b.example\">a@b.example</a></p>",
    ),
    ("<div onclick=\"x()\">a</div>", "<p>&lt;div onclick=\"x()\"&gt;a&lt;/div&gt;</p>"),
    ("a <b>c</b> <!-- d --> &lt;i&gt;", "<p>a &lt;b&gt;c&lt;/b&gt; &lt;!-- d --&gt; &lt;i&gt;</p>"),
    (
        "[a](javascript:alert(1)) [b](javascript&#58;alert)",
        "<p>[a](javascript:alert(1)) [b](javascript&amp;#58;alert)</p>",
    ),
    ("[a]\n\n[a]: javascript:alert(1)\n", "<p>[a]</p>"),
    ("![rack](https://a.example/r.png)", "<p><a href=\"https://a.example/r.png\">Image: rack</a></p>"),
    ("[![one](https://a.example/1.png)](https://b.example/)", "<p><a href=\"https://b.example/\">one</a></p>"),
    ("> a\n> - b\n\n***\n", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote><hr>"),
    ("    code & more\n", "<pre><code>code &amp; more</code></pre>"),
    ("\\*a\\* &copy; &#8594; &bogus;", "<p>*a* \u{a9} \u{2192} &amp;bogus;</p>"),
    ("- [ ] a\n- [x] b\n", "<ul><li>[ ] a</li><li>[x] b</li></ul>"),
];

/// Lists, tables, code, links: each as the page behind a link has it, and HTML as text.
fn markdown_is_laid_out_as_it_is_meant() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let category = text(&company.post("/kb/category", &json!({"name": unique("Markdown")})).ok()["id"]);
    let title = unique("Markdown");
    let article = json!({"title": title, "content": "x", "category": {"id": category}});
    let id = text(&company.post("/kb/article", &article).ok()["id"]);
    for (written, expected) in LAID_OUT {
        company.post(&format!("/kb/article/{id}"), &json!({"content": written})).ok();
        open(&window, server, &format!("knowledge/{id}"), &title);
        window.until("document.querySelector('.markdown')?.children.length");
        let found = window.evaluate(
            "[...document.querySelector('.markdown').querySelectorAll('*')].forEach(one => one.getAttributeNames()\
             .filter(name => !['href', 'start', 'class'].includes(name) || !one.getAttribute(name))\
             .forEach(name => one.removeAttribute(name))), document.querySelector('.markdown').innerHTML",
        );
        assert_eq!(text(&found), expected, "{written}");
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Texts that would be more work than a page has time for: they are there at once, whole.
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn markdown_that_is_too_much_is_shown_as_it_is_written() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "knowledge", "Knowledge");
    window.click("New article…");
    window.until("document.querySelector('dialog textarea')");
    // What a key that is pressed in the form waits for, and what the preview has then.
    let took = window.evaluate(
        "(async (area, took) => { \
         for (const part of ['*', '[', '>', '_', '`', '- ', '1. ', '> ', '*a_', '**a ', 'a\\n-\\n', '>a\\nb\\n', \
         '|a\\n|-|\\n', '![](', '- a\\n']) \
         for (const length of [10000, 65500]) { \
         area.value = part.repeat(length / part.length); const begun = performance.now(); \
         area.dispatchEvent(new Event('input', {bubbles: true})); \
         await new Promise(done => setTimeout(done)); document.body.offsetHeight; \
         took.push([performance.now() - begun, part, length, \
         document.querySelectorAll('dialog .markdown > *').length]); } \
         return took.sort((one, other) => other[0] - one[0]); })(document.querySelector('dialog textarea'), [])",
    );
    let took = took.as_array().expect("times").clone();
    println!("the slowest texts, in milliseconds: {:?}", &took[..3]);
    assert!(took.len() == 30 && took.iter().all(|one| one[3] != json!(0)), "{took:?}");
    assert!(took.iter().all(|one| one[0].as_f64().is_some_and(|took| took < 10_000.0)), "{took:?}");
    // Of a long text the beginning is laid out, and the rest is there.
    window.evaluate(
        "(area => { area.value = '**word** and more words\\n\\n'.repeat(3500) + '**end**'; \
         return area.dispatchEvent(new Event('input', {bubbles: true})); })(document.querySelector('dialog textarea'))",
    );
    window.until("document.querySelector('dialog .as-written')?.textContent.endsWith('**end**')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Nobody wonders where an image went: the preview says that it is a link.
fn a_preview_says_what_becomes_of_images() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "knowledge", "Knowledge");
    window.click("New article…");
    window.fill("dialog textarea", "No image `![x](y)`");
    window.until("document.querySelector('dialog .draft code')");
    let told = "document.querySelector('dialog .draft')?.textContent.includes('Images are shown as links')";
    assert_eq!(window.evaluate(told), json!(false));
    window.fill("dialog textarea", "| a |\n|---|\n| ![rack](https://a.example/r.png) |\n");
    window.until(told);
    assert_eq!(window.evaluate("document.querySelectorAll('dialog img').length"), json!(0));
    assert_eq!(window.evaluate("document.querySelector('dialog .draft a').textContent"), json!("Image: rack"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// A browser that fills in a form, or a list that arrives while somebody types, changes fields before the form is drawn
/// again.
fn fields_that_are_filled_in_together_all_count() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "knowledge", "Knowledge");
    let title = unique("Valve");
    window.click("New article…");
    window.until("document.querySelector('select[name=category]')?.value");
    window.evaluate(&format!(
        "for (const [selector, words] of [['input[name=title]', {}], ['textarea', 'Turn it']]) {{
           const field = document.querySelector(`dialog ${{selector}}`);
           field.value = words;
           field.dispatchEvent(new Event('input', {{ bubbles: true }}));
         }}",
        json!(title)
    ));
    window.click("Publish");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
    window.until("document.querySelector('.markdown')?.textContent == 'Turn it'");
}
