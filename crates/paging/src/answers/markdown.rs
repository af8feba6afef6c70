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
mod tests;
