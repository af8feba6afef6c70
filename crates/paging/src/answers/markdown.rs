//! Markdown as HTML for the page behind a link. HTML in a text stays text, images are links, and links lead to other
//! sites or to pages of the service, never into the interface.

use base::text::escaped;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The longest text that is rendered, in bytes; of a longer one its beginning is.
const LONGEST: usize = 32 << 10;
/// The most events of the parser, and the largest HTML in bytes: a text that takes more is shown as it is.
const MOST_EVENTS: usize = 20_000;
const LARGEST: usize = 256 << 10;

/// Paths of the service that links may lead to.
const PAGES: [&str; 2] = ["/console/", "/docs/"];

/// The HTML of a text, and whether that is all of it.
pub fn render(text: &str) -> (String, bool) {
    let end = text.floor_char_boundary(LONGEST);
    let shown = &text[..end];
    let html = blocks(shown).unwrap_or_else(|| format!("<p class=\"plain\">{}</p>\n", escaped(shown)));
    (html, end == text.len())
}

/// The blocks of a text; `None` for one that is too much work.
fn blocks(text: &str) -> Option<String> {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut writer = Writer::default();
    let mut html = String::new();
    let mut events = Vec::new();
    for (count, event) in parser.enumerate() {
        if count >= MOST_EVENTS {
            return None;
        }
        events.extend(writer.rewrite(event));
    }
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    (html.len() <= LARGEST).then_some(html)
}

/// What the writer is in the middle of.
#[derive(Default)]
struct Writer {
    /// For each link and image that is open: is it a link on the page?
    open: Vec<bool>,
}

impl Writer {
    fn rewrite<'t>(&mut self, event: Event<'t>) -> Option<Event<'t>> {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading { level, .. }) => {
                let level = lowered(level);
                Some(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }))
            }
            Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lowered(level)))),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                // An image in a link is the text of that link.
                let links = !self.open.contains(&true) && may_link(&dest_url);
                self.open.push(links);
                links.then(|| Event::InlineHtml(opening(&dest_url)))
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                self.open.pop().unwrap_or_default().then_some(Event::InlineHtml(CowStr::Borrowed("</a>")))
            }
            other => Some(other),
        }
    }
}

fn opening(address: &str) -> CowStr<'static> {
    format!("<a href=\"{}\" rel=\"noopener noreferrer\">", escaped(address)).into()
}

/// The page has the first heading, and its sections the second.
fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

/// May a link lead there? Another site is named in full.
fn may_link(address: &str) -> bool {
    if PAGES.iter().any(|page| address.starts_with(page)) {
        // `/console/../api` is not below `/console/`.
        return !address.contains("..") && !address.contains('%') && !address.contains('\\');
    }
    url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"))
}

#[cfg(test)]
mod tests {
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
                let known =
                    ["", "p", "code", "pre", "h3", "table", "thead", "tbody", "tr", "th", "td"].contains(&&*name);
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
        let html =
            html("![the rack](https://a.example/rack.png) [![one](https://a.example/1.png)](https://b.example/)");
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
        for text in [table, reference, ">".repeat(30_000), "*a".repeat(15_000), "[".repeat(30_000), "<".repeat(30_000)]
        {
            let (html, _) = render(&text);
            assert!(html.len() <= LARGEST, "{}", html.len());
        }
    }
}
