//! Reads YAML, and JSON as a part of it, into values with lines. No anchors, no tags, no more than a few levels.

use std::collections::HashSet;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::Number;

use super::node::{Content, Entry, Node};

/// How deep values may be nested.
const DEEPEST: usize = 32;

/// What is wrong with a text, and on which line.
pub type Fault = (usize, String);

/// The documents of a JSON text, which YAML reads but for letters beyond 16 bits that are written as two escapes.
pub fn read_json(text: &str) -> Result<Vec<Node>, Fault> {
    if text.contains("\\u") { read(&join_surrogates(text)) } else { read(text) }
}

/// `\ud83d\ude00` as `\U0001f600`. Escapes of JSON stand in texts alone.
fn join_surrogates(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        made.push_str(before);
        let pair = unit(behind).zip(behind.get(5..).and_then(|next| unit(next.strip_prefix('\\')?)));
        let letter = pair.and_then(|(high, low)| char::decode_utf16([high, low]).next()?.ok());
        if let Some(letter) = letter.filter(|letter| u32::from(*letter) > 0xffff) {
            made.push_str(&format!("\\U{:08x}", u32::from(letter)));
            rest = behind.get(11..).unwrap_or_default();
            continue;
        }
        // What is escaped goes with its backslash: it may be one itself.
        let escaped = behind.chars().next();
        made.push('\\');
        made.extend(escaped);
        rest = behind.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    made.push_str(rest);
    made
}

/// The 16 bits of an escape: of `ud83d` and what follows.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The documents of a text. What was read before a fault is lost: nothing is done with a file that has one.
///
/// # Errors
/// The first fault of the text as YAML.
pub fn read(text: &str) -> Result<Vec<Node>, Fault> {
    let mut reader = Reader { events: Parser::new_from_str(text) };
    let mut documents = Vec::new();
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(documents),
            (Event::DocumentStart(_), _) => {
                let (event, span) = reader.next()?;
                let node = reader.node(event, span, 0)?;
                // A separator with nothing behind it.
                if node.content != Content::Null {
                    documents.push(node);
                }
            }
            _ => {}
        }
    }
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), Fault> {
        match self.events.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err((error.marker().line(), format!("is not YAML: {}", error.info()))),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// The value that begins with an event.
    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, Fault> {
        let line = span.start.line();
        if depth > DEEPEST {
            return Err((line, format!("is nested deeper than {DEEPEST} levels")));
        }
        let (anchor, tagged) = match &event {
            Event::Scalar(_, _, anchor, tag) => (*anchor, tag.is_some()),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => (*anchor, tag.is_some()),
            _ => (0, false),
        };
        if anchor != 0 {
            return Err((line, "anchors (&name) are not taken: write the value out".to_owned()));
        }
        if tagged {
            return Err((line, "tags (!name) are not taken".to_owned()));
        }
        let content = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => Content::Text(text.into_owned()),
            Event::SequenceStart(..) => self.list(depth)?,
            Event::MappingStart(..) => self.object(depth)?,
            Event::Alias(_) => return Err((line, "aliases (*name) are not taken: write the value out".to_owned())),
            _ => return Err((line, "a value is missing".to_owned())),
        };
        Ok(Node { line, content })
    }

    fn list(&mut self, depth: usize) -> Result<Content, Fault> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Content::List(nodes)),
                (event, span) => nodes.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Content, Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut names = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            let line = span.start.line();
            let name = match event {
                Event::MappingEnd => return Ok(Content::Object(entries)),
                Event::Scalar(name, _, 0, None) => name.into_owned(),
                _ => return Err((line, "the name of a field has to be a text".to_owned())),
            };
            if !names.insert(name.clone()) {
                return Err((line, format!("{name} stands twice")));
            }
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            entries.push(Entry { name, line, value });
        }
    }
}

/// A value without quotes, by the core schema of YAML 1.2.
fn plain(text: &str) -> Content {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Content::Null,
        "true" | "True" | "TRUE" => Content::Boolean(true),
        "false" | "False" | "FALSE" => Content::Boolean(false),
        _ => number(text).map_or_else(|| Content::Text(text.to_owned()), Content::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.trim_start_matches(['-', '+']);
    if !digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let whole = unsigned.parse::<i64>().map(Number::from).ok();
    whole.or_else(|| unsigned.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_their_types_and_lines() {
        let text =
            "kind: Site\nname: '12'\ncode: 12\nopen: true\ntime: 20:00:00\nlist:\n- a\n- {b: 1.5}\n---\n[1, null]\n";
        let documents = read(text).unwrap();
        let expected = json!({"kind": "Site", "name": "12", "code": 12, "open": true, "time": "20:00:00",
            "list": ["a", {"b": 1.5}]});
        assert_eq!(documents[0].value(), expected);
        assert_eq!(documents[0].get("list").unwrap().value.line, 7);
        assert_eq!((documents[1].line, documents[1].value()), (10, json!([1, null])));
        assert_eq!(read("{\"a\": [1, \"x\\u00e4\"]}").unwrap()[0].value(), json!({"a": [1, "xä"]}));
        assert_eq!(read("# nothing\n---\n").unwrap(), []);
    }

    #[test]
    fn json_is_read_with_letters_of_two_escapes() {
        let read = |text: &str| read_json(text).map(|documents| documents[0].value());
        for text in [
            r#"{"name": "\ud83d\ude00 \u00e4 \\ud83d\\ude00 \\\uD83D\uDE00\/\n\"", "x": "\\"}"#,
            "{\n\t\"name\": \"x\\u0041\",\n\t\"list\": [1,\n\t\t2]\n}",
        ] {
            let expected: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        assert!(read(r#"{"name": "\ud83d"}"#).is_err() && read(r#"{"name": "\ud83d\u0041"}"#).is_err());
        assert_eq!(read_json("{\n\"a\": \"\\ud83d\\ude00\",\n\"b\": 1}").unwrap()[0].get("b").unwrap().line, 3);
    }

    #[test]
    fn what_expands_or_is_ambiguous_is_refused_with_its_line() {
        for (text, line, part) in [
            ("a: &x 1\nb: 2\n", 1, "anchors"),
            ("a: 1\nb: *x\n", 2, ""),
            ("a: 1\nb: !!str 2\n", 2, "tags"),
            ("a: 1\nb: 2\na: 3\n", 3, "a stands twice"),
            ("a: 1\n? [b]\n: 2\n", 2, "has to be a text"),
            ("a: [1\nb: 2\n", 2, "is not YAML"),
        ] {
            let (found, why) = read(text).unwrap_err();
            assert!(found == line && why.contains(part), "{text:?}: {found} {why}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read(&"- ".repeat(1_000)).is_err());
    }
}
