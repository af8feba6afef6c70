//! The older format: XML into a [`Node`].
//!
//! An element with children becomes an object, any other one a text;
//! attributes are not part of the format and are ignored. Only the five
//! predefined entities and character references are resolved. A document type
//! declaration is refused where it stands, so nothing can be declared, and
//! nothing outside the document is ever opened.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::error::ReportError;
use super::node::{MAX_NODES, Node, clean};

/// Reports nest five elements deep.
const MAX_DEPTH: usize = 64;

struct OpenElement {
    name: String,
    text: String,
    children: Vec<(String, Node)>,
}

/// Reads the whole text; gives the name of the root element and its content.
pub(super) fn read(text: &str) -> Result<(String, Node), ReportError> {
    // Character references to NUL are refused where they stand.
    if text.as_bytes().contains(&0) {
        let at = text.find('\0').unwrap_or_default();
        return Err(malformed_at(line_of(text, at as u64), "the report holds a NUL character"));
    }
    let mut reader = Reader::from_str(text);
    let mut open: Vec<OpenElement> = Vec::new();
    let mut root = None;
    let mut left = MAX_NODES;
    loop {
        let start = reader.buffer_position();
        let line = |at: u64| line_of(text, at);
        let event = reader.read_event().map_err(|error| syntax(&error, line(reader.error_position().max(start))))?;
        match event {
            Event::Start(tag) => {
                spend(&mut left, || line(start))?;
                if root.is_some() {
                    return Err(malformed_at(line(start), "the XML report has a second root element"));
                }
                if open.len() >= MAX_DEPTH {
                    let message = format!("the XML report nests more than {MAX_DEPTH} elements");
                    return Err(malformed_at(line(start), &message));
                }
                open.push(OpenElement { name: name(&tag), text: String::new(), children: Vec::new() });
            }
            Event::Empty(tag) => {
                spend(&mut left, || line(start))?;
                let empty = Node::Text(String::new());
                match open.last_mut() {
                    Some(parent) => parent.children.push((name(&tag).to_ascii_lowercase(), empty)),
                    None if root.is_none() => root = Some((name(&tag), empty)),
                    None => {
                        return Err(malformed_at(line(start), "the XML report has a second root element"));
                    }
                }
            }
            Event::End(_) => {
                // The reader has checked that the names match.
                let Some(element) = open.pop() else { continue };
                let node = if element.children.is_empty() {
                    Node::Text(clean(&element.text))
                } else {
                    Node::Object(element.children)
                };
                match open.last_mut() {
                    Some(parent) => parent.children.push((element.name.to_ascii_lowercase(), node)),
                    None => root = Some((element.name, node)),
                }
            }
            Event::Text(piece) => append(&mut open, &piece, || line(start))?,
            Event::CData(piece) => append(&mut open, &piece, || line(start))?,
            Event::GeneralRef(reference) => {
                let character = referenced_character(&reference, || line(start))?;
                append(&mut open, character.encode_utf8(&mut [0; 4]), || line(start))?;
            }
            Event::DocType(_) => {
                return Err(malformed_at(
                    line(start),
                    "the XML report holds a document type declaration, which is not accepted",
                ));
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            Event::Eof => break,
        }
    }
    if !open.is_empty() {
        let message = format!("the XML report ends inside {} open element(s)", open.len());
        return Err(malformed_at(line_of(text, text.len() as u64), &message));
    }
    root.ok_or_else(|| ReportError::malformed("the XML report has no root element"))
}

fn malformed_at(line: usize, message: &str) -> ReportError {
    ReportError::malformed(format!("{message} (line {line})"))
}

/// The character that a reference such as `&amp;` or `&#65;` stands for.
fn referenced_character(reference: &BytesRef<'_>, line: impl Fn() -> usize) -> Result<char, ReportError> {
    Ok(match reference.as_ref() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => match reference.resolve_char_ref() {
            Ok(Some(character)) => character,
            Ok(None) => {
                let message = "the XML report uses an entity; only the five predefined ones are read";
                return Err(malformed_at(line(), message));
            }
            Err(_) => {
                return Err(malformed_at(line(), "the XML report holds a character reference to no character"));
            }
        },
    })
}

fn name(tag: &BytesStart<'_>) -> String {
    tag.name().as_ref().to_owned()
}

fn append(open: &mut [OpenElement], piece: &str, line: impl Fn() -> usize) -> Result<(), ReportError> {
    let Some(element) = open.last_mut() else {
        if piece.trim().is_empty() {
            return Ok(());
        }
        return Err(malformed_at(line(), "the XML report has text outside its root element"));
    };
    // The text of an element that has children is only its indentation.
    if element.children.is_empty() {
        element.text.push_str(piece);
    }
    Ok(())
}

fn spend(left: &mut usize, line: impl Fn() -> usize) -> Result<(), ReportError> {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return Err(ReportError::too_large(format!(
            "the report holds more than {MAX_NODES} elements (line {})",
            line()
        )));
    }
    Ok(())
}

/// The reader's errors quote names from the report, so they are told anew.
fn syntax(error: &quick_xml::Error, line: usize) -> ReportError {
    use quick_xml::Error as E;
    use quick_xml::errors::IllFormedError as Ill;
    let what = match error {
        E::Syntax(error) => format!("{error}"),
        E::IllFormed(Ill::UnmatchedEndTag(_)) => "an end tag has no start tag".to_owned(),
        E::IllFormed(Ill::MismatchedEndTag { .. }) => "an end tag does not match its start tag".to_owned(),
        E::IllFormed(Ill::UnclosedReference) => "an `&` is not the start of a reference".to_owned(),
        E::Encoding(_) => "it is not valid UTF-8".to_owned(),
        _ => "it is not well formed".to_owned(),
    };
    ReportError::malformed(format!("the report is not valid XML: {what} (line {line})"))
}

fn line_of(text: &str, at: u64) -> usize {
    let at = usize::try_from(at).unwrap_or(text.len()).min(text.len());
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::ErrorKind;

    fn refused(text: &str) -> String {
        let message = read(text).unwrap_err().to_string();
        assert!(!message.to_ascii_lowercase().contains("secret"), "{message}");
        message
    }

    #[test]
    fn elements_texts_references_and_cdata() {
        let (root, node) = read(
            "<?xml version=\"1.0\"?>\n<!-- c --><R>\n <A x='1'> a &amp;&#x20;b&lt;<![CDATA[<&>]]> </A>\n <B/><A></A>\n \
             <C><D>1</D></C></R>\n",
        )
        .unwrap();
        assert_eq!(root, "R");
        let all = node.all("a");
        assert_eq!(all[0].as_text().as_deref(), Some("a & b<<&>"));
        assert_eq!(all[1].as_text(), None);
        assert_eq!(node.text("b"), None);
        assert_eq!(node.get("c").and_then(|c| c.text("d")).as_deref(), Some("1"));
    }

    #[test]
    fn hostile_documents_are_refused() {
        let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE l [<!ENTITY a \"secret\"><!ENTITY b \
                    \"&a;&a;&a;&a;\">]>\n<REQUEST>&b;</REQUEST>";
        assert!(refused(bomb).contains("document type declaration, which is not accepted (line 2)"));
        assert!(refused("<!DOCTYPE r SYSTEM \"file:///etc/secret\"><r>&x;</r>").contains("document type"));
        assert!(refused("<!DOCTYPE r [<!ENTITY % p SYSTEM \"http://secret/\"> %p;]><r/>").contains("document type"));
        assert!(refused("<r>\n&secret;</r>").contains("five predefined ones are read (line 2)"));
        assert!(refused("<r>&#0;</r>").contains("line 1"));
        assert!(refused("<r>&#xD800;</r>").contains("line 1"));
        assert!(refused("<r>&#99999999999;</r>").contains("line 1"));
        assert!(refused("<r>a\0b</r>").contains("NUL"));
        assert!(refused("<r><![CDATA[\0]]></r>").contains("NUL"));
        assert!(refused(&"<secret>".repeat(100_000)).contains("nests more than 64"));
        let many = format!("<r>{}</r>", "<a/>".repeat(MAX_NODES));
        assert_eq!(read(&many).unwrap_err().kind(), ErrorKind::TooLarge);
    }

    #[test]
    fn broken_documents_name_their_line() {
        assert!(refused("<r>\n<secret>\n</r>").contains("does not match its start tag (line 3)"));
        assert!(refused("<r>\n</r>\n</secret>").contains("no start tag (line 3)"));
        assert!(refused("<r>\n<secret>").contains("ends inside 2 open element(s) (line 2)"));
        assert!(refused("<r>\n<secret").contains("line 2"));
        assert!(refused("<r/><secret/>").contains("second root"));
        assert!(refused("<r></r><secret></secret>").contains("second root"));
        assert!(refused("<r></r>secret").contains("outside its root"));
        assert!(refused("<r>a & secret</r>").contains("line 1"));
        assert!(refused("").contains("no root element"));
    }
}
