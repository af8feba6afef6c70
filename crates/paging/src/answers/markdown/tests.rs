use super::*;

fn html(text: &str) -> String {
    render(text).0
}

#[test]
fn a_text_is_rendered() {
    let text =
        "# Disk\n\n**Stop** `it`, then:\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\ndf -h\n```";
    let html = html(text);
    for part in ["<h3>Disk</h3>", "<strong>Stop</strong>", "<code>it</code>", "<ol>", "<td>2</td>", "df -h"] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn html_stays_text() {
    for text in [
        "<script>alert(1)</script>",
        "a <script>alert(1)</script> b",
        "<div onclick=\"x()\">\n\n<img src=x onerror=x()>",
        "`<script>`",
        "```\n<script>\n```",
        "```\"><script>\nx\n```",
        "# <script> {onclick=x}",
        "| <script> |\n|---|\n| <iframe> |",
        "&lt;script&gt;",
        "[<script>](https://a.example/\"onclick=x())",
        "![<script>](<https://a.example/\"><script>>)",
        "<javascript:alert(1)>",
    ] {
        let html = html(text);
        for tag in html.split('<').skip(1) {
            let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
            let links = tag.starts_with("a href=\"https://a.example/") && !tag.contains("\" onclick");
            let known = ["", "p", "code", "pre", "h3", "table", "thead", "tbody", "tr", "th", "td"].contains(&&*name);
            assert!(known || links, "{text}: {html}");
        }
    }
}

#[test]
fn links_lead_to_other_sites_and_to_pages() {
    for good in ["https://a.example/x?y=1&z", "mailto:a@b.example", "/console/knowledge/KBA1", "/docs/"] {
        let html = html(&format!("[there]({good})"));
        let link = format!("<a href=\"{}\" rel=\"noopener noreferrer\">there</a>", escaped(good));
        assert!(html.contains(&link), "{html}");
    }
    for bad in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "/api/v2/me",
        "/console/../api/v2/me",
        "/console/%2e%2e/api",
        "//evil.example",
        "x",
        "vbscript:x",
    ] {
        let html = html(&format!("[there]({bad})"));
        assert!(html.contains("there") && !html.contains("<a"), "{html}");
    }
}

#[test]
fn an_image_is_a_link() {
    let html = html("![the rack](https://a.example/rack.png) [![one](https://a.example/1.png)](https://b.example/)");
    assert!(html.contains("<a href=\"https://a.example/rack.png\" rel=\"noopener noreferrer\">the rack</a>"));
    assert!(html.contains("<a href=\"https://b.example/\" rel=\"noopener noreferrer\">one</a>"), "{html}");
    assert!(!html.contains("<img") && !html.contains("1.png"), "{html}");
}

#[test]
fn what_is_shown_is_bounded() {
    assert!(render("short").1);
    let (html, whole) = render(&"ä".repeat(100_000));
    assert!(!whole && html.len() < LARGEST, "{}", html.len());
    let head = "a|".repeat(4_000);
    let table = format!("{head}\n{}\n{}", "-|".repeat(4_000), "x|\n".repeat(5_000));
    let reference = format!("[a]: https://a.example/{}\n\n{}", "x".repeat(10_000), "[a] ".repeat(5_000));
    for text in [table, reference, ">".repeat(30_000), "*a".repeat(15_000), "[".repeat(30_000), "<".repeat(30_000)] {
        let (html, _) = render(&text);
        assert!(html.len() <= LARGEST, "{}", html.len());
    }
}
