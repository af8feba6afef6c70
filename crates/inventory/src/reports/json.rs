//! The newer format: JSON into a [`Node`].

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::error::ReportError;
use super::node::{MAX_NODES, Node, clean};

/// Reads the whole text. The depth is bounded by serde_json (128), the number
/// of values by [`MAX_NODES`].
pub(super) fn read(text: &str) -> Result<Node, ReportError> {
    let budget = Budget { left: Cell::new(MAX_NODES), nul: Cell::new(false) };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let node = NodeVisitor(&budget).deserialize(&mut deserializer).and_then(|node| deserializer.end().map(|()| node));
    node.map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        if budget.left.get() == 0 {
            ReportError::too_large(format!("the report holds more than {MAX_NODES} values ({place})"))
        } else if budget.nul.get() {
            ReportError::malformed(format!("the report holds a NUL character ({place})"))
        } else if error.is_eof() {
            ReportError::malformed(format!("the JSON report ends before it is complete ({place})"))
        } else {
            // The texts of serde_json's syntax errors are fixed and end with the place.
            ReportError::malformed(format!("the report is not valid JSON: {error}"))
        }
    })
}

struct Budget {
    left: Cell<usize>,
    nul: Cell<bool>,
}

impl Budget {
    fn spend<E: Error>(&self) -> Result<(), E> {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        if left == 0 { Err(E::custom("too many values")) } else { Ok(()) }
    }

    fn check<E: Error>(&self, text: &str) -> Result<(), E> {
        if text.as_bytes().contains(&0) {
            self.nul.set(true);
            return Err(E::custom("NUL character"));
        }
        Ok(())
    }
}

struct NodeVisitor<'b>(&'b Budget);

impl<'de> DeserializeSeed<'de> for NodeVisitor<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.0.spend()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeVisitor<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(i64::try_from(value).map_or_else(|_| Node::Text(value.to_string()), Node::Int))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        self.0.check(text)?;
        Ok(Node::Text(clean(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(NodeVisitor(self.0))? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut object = Vec::new();
        while let Some(mut key) = members.next_key::<String>()? {
            self.0.check(&key)?;
            key.make_ascii_lowercase();
            object.push((key, members.next_value_seed(NodeVisitor(self.0))?));
        }
        Ok(Node::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::ErrorKind;

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn values_keep_their_types() {
        let node = read(r#"{"a": [1, -2, 2.5, 18446744073709551615, true, null, "t", "\u00e9"]}"#).unwrap();
        let Node::Object(members) = node else { panic!("not an object") };
        let Node::List(items) = &members[0].1 else { panic!("not a list") };
        assert!(matches!(items[0], Node::Int(1)));
        assert_eq!(items[3], Node::Text("18446744073709551615".to_owned()));
        assert_eq!(items[7], Node::Text("é".to_owned()));
    }

    #[test]
    fn refusals_name_the_place_and_not_the_content() {
        assert!(refused("{\"secret\": \n").contains("line 2 column 0"));
        assert!(refused(r#"{"a": "secret\u0000"}"#).contains("NUL"));
        assert!(refused("{\"a\u{0}\": 1}").contains("line 1"));
        assert!(refused(r#"{"\u0000": 1}"#).contains("NUL"));
        assert!(refused(r#"{"a": "\ud800"}"#).contains("line 1"));
        assert!(refused(r#"{"a": "\ud800secret"}"#).contains("line 1"));
        assert!(refused("{} {}").contains("trailing"));
        assert!(refused(&"[".repeat(400_000)).contains("recursion limit"));
        for text in
            ["{\"secret\": ", r#"{"a": "secret\u0000"}"#, r#"{"a": "\ud800secret"}"#, "{secret}", "{\"a\": secret}"]
        {
            assert!(!refused(text).contains("secret"), "{}", refused(text));
        }
    }

    #[test]
    fn the_number_of_values_is_bounded() {
        let many = format!("[{}0]", "0,".repeat(MAX_NODES));
        assert_eq!(read(&many).unwrap_err().kind(), ErrorKind::TooLarge);
    }
}
