//! Templates: texts with placeholders. Each value is escaped, so that it stays a value.
//!
//! A template is read once, when an event is saved, and every placeholder is known then. What it is filled with is
//! escaped for the place it stands in: a JSON payload stays JSON, an XML payload XML, a path a path, a header one
//! header.

mod dates;
mod read;
#[cfg(test)]
mod tests;

use base::matching::{Exhausted, Meter, lookup};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::facts::{self, Facts};
pub use crate::placeholders::Entity;

/// The longest template, in bytes.
pub const LONGEST_TEMPLATE: usize = 256 << 10;
/// The longest text that a template makes, in bytes.
pub const LONGEST_OUTPUT: usize = 1 << 20;
/// How many placeholders a template has at most.
pub const MOST_PLACEHOLDERS: usize = 1_000;

/// The kind of a text, which decides how values are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Json,
    Xml,
    /// What says that it is XML and is not, or has values where none can stand.
    Markup,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// Any text.
    Plain,
    /// Path and query of a URL.
    Target,
    /// The value of a header.
    Header,
}

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    kind: Kind,
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq)]
enum Segment {
    Text(String),
    /// A placeholder.
    Value {
        of: Source,
        place: Place,
    },
}

/// Where in a text of its kind a placeholder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Any,
    /// Inside a JSON string.
    Quoted,
    /// Inside `<![CDATA[`.
    Data,
    /// Inside an XML comment.
    Comment,
}

/// Ends such a section and begins another one.
const DATA_SPLIT: &str = "]]><![CDATA[";

#[derive(Clone, Debug, PartialEq)]
enum Source {
    /// Of the entity as it is now.
    Now(String),
    /// Of the entity as it was before.
    Before(String),
    /// Of the event itself.
    Event(String),
    /// An instant in another form.
    Date(Box<Source>, dates::Format),
}

/// Why a template is not filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    /// The output would be longer than [`LONGEST_OUTPUT`].
    #[error("the message would be larger than 1 MiB")]
    TooLong,
    /// It takes more steps than there are.
    #[error("the message takes too long to fill in")]
    Exhausted(#[from] Exhausted),
}

/// The characters that are percent-encoded: all but letters, digits and `-._~`.
pub const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it and where, to be read after the name of its field.
    pub fn read(text: &str, entity: Option<Entity>, kind: Kind) -> Result<Self, String> {
        if text.len() > LONGEST_TEMPLATE {
            return Err(format!("must have at most {LONGEST_TEMPLATE} bytes"));
        }
        let template = Self { kind, segments: read::read_segments(text, entity, kind)? };
        template.check()?;
        Ok(template)
    }

    /// Checks that the text is still JSON, or XML, once it is filled in.
    fn check(&self) -> Result<(), String> {
        match self.kind {
            Kind::Json => {
                let sample = self.sample("null");
                match serde_json::from_str::<serde::de::IgnoredAny>(&sample) {
                    Ok(_) => Ok(()),
                    Err(error) => {
                        let line = error.line();
                        let column = error.column();
                        Err(format!("is not JSON once its placeholders are filled in (line {line}, column {column})"))
                    }
                }
            }
            Kind::Xml => read::well_formed(&self.sample("x")),
            _ => Ok(()),
        }
    }

    /// Is it XML wherever its values stand?
    pub fn is_xml(&self) -> bool {
        read::well_formed(&self.sample("x")).is_ok()
    }

    /// Filled with an `x` wherever a text may stand, and with `bare` elsewhere.
    fn sample(&self, bare: &str) -> String {
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Text(text) => text.as_str(),
            Segment::Value { place: Place::Quoted, .. } => "x",
            Segment::Value { .. } => bare,
        });
        segments.collect()
    }

    /// Fills it in.
    ///
    /// # Errors
    /// The output would be too long, or take too long.
    pub fn fill(&self, facts: &Facts<'_>, meter: &Meter) -> Result<String, FillError> {
        let mut out = String::new();
        let weight = || lookup::weight(facts.object).max(facts.previous.map_or(0, lookup::weight));
        let weight =
            if self.segments.iter().any(|segment| matches!(segment, Segment::Value { .. })) { weight() } else { 0 };
        let mut in_data = false;
        for segment in &self.segments {
            let before = out.len();
            match segment {
                Segment::Text(text) => {
                    if in_data && ends_data(&out, text) {
                        out.push_str(DATA_SPLIT);
                    }
                    out.push_str(text);
                }
                Segment::Value { of, place } => {
                    meter.charge(weight)?;
                    self.put(&mut out, of.value(facts), *place);
                }
            }
            in_data = matches!(segment, Segment::Value { place: Place::Data, .. });
            meter.charge((out.len() - before) as u64 / 8)?;
            if out.len() > LONGEST_OUTPUT {
                return Err(FillError::TooLong);
            }
        }
        Ok(if self.kind == Kind::Target { without_dots(&out) } else { out })
    }

    /// Could it have made this text, of whatever values?
    pub fn could_make(&self, made: &str) -> bool {
        let mut rest = made;
        let mut is_behind_value = false;
        let mut segments = self.segments.iter().peekable();
        while let Some(segment) = segments.next() {
            let Segment::Text(text) = segment else {
                is_behind_value = true;
                continue;
            };
            let after = match (is_behind_value, segments.peek()) {
                (true, None) => return rest.ends_with(text),
                (true, Some(_)) => rest.split_once(text).map(|(_, after)| after),
                (false, _) => rest.strip_prefix(text.as_str()),
            };
            let Some(after) = after else { return false };
            rest = after;
            is_behind_value = false;
        }
        is_behind_value || rest.is_empty()
    }

    fn put(&self, out: &mut String, value: Option<Value>, place: Place) {
        match self.kind {
            Kind::Json if place != Place::Quoted => out.push_str(&value.unwrap_or(Value::Null).to_string()),
            Kind::Json => {
                let escaped = Value::String(facts::text(value.as_ref())).to_string();
                out.push_str(escaped.get(1..escaped.len() - 1).unwrap_or_default());
            }
            Kind::Xml | Kind::Markup => match place {
                Place::Data => put_data(out, &facts::text(value.as_ref())),
                Place::Comment => escape_xml(out, &facts::text(value.as_ref()).replace('-', "_")),
                _ => escape_xml(out, &facts::text(value.as_ref())),
            },
            Kind::Form | Kind::Target => {
                out.extend(utf8_percent_encode(&facts::text(value.as_ref()), ENCODED));
            }
            Kind::Plain => out.push_str(&facts::text(value.as_ref())),
            Kind::Header => {
                let text = facts::text(value.as_ref());
                out.extend(text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }));
            }
        }
    }
}

impl Source {
    fn value(&self, facts: &Facts<'_>) -> Option<Value> {
        match self {
            Self::Now(path) => facts.now(path).cloned(),
            Self::Before(path) => facts.before(path).cloned(),
            Self::Event(name) => facts.event(name),
            Self::Date(of, format) => {
                let value = of.value(facts)?;
                let text = facts::text(Some(&value));
                Some(Value::String(format.of(&text).unwrap_or(text)))
            }
        }
    }
}

/// Characters that XML does not have are left out.
fn escape_xml(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // A parser would turn them into blanks where they stand in an attribute.
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            letter if is_xml_letter(letter) => out.push(letter),
            _ => {}
        }
    }
}

fn is_xml_letter(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Nothing is escaped in such a section; what would end it is cut in two.
fn put_data(out: &mut String, text: &str) {
    for letter in text.chars().filter(|letter| is_xml_letter(*letter)) {
        if letter == '>' && out.ends_with("]]") {
            out.push_str(DATA_SPLIT);
        }
        out.push(letter);
    }
}

/// Would a text end the section behind what stands there, which it does not by itself?
fn ends_data(out: &str, text: &str) -> bool {
    (out.ends_with("]]") && text.starts_with('>')) || (out.ends_with(']') && text.starts_with("]>"))
}

/// A value of dots alone would lead to another path: no segment is one.
fn without_dots(target: &str) -> String {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let segments = path.split('/').map(|segment| if matches!(segment, "." | "..") { "_" } else { segment });
    let path = segments.collect::<Vec<_>>().join("/");
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}
