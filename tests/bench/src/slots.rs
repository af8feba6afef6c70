//! What is different in each copy of a template's row: texts that stand for a number, an address or the copy's own id,
//! and times.

use std::{borrow::Cow, fmt::Write as _};

use crate::sqlite::Value;

/// Eight digits: which copy it is.
pub const NUMBER: &str = "97531864";
/// Five digits that one in 97 copies shares.
pub const FAMILY: &str = "86427";
/// The end of a hardware address.
pub const MAC: &str = "78:97:53:18";
/// An address.
pub const IP: &str = "198.18.97.53";
/// The same as the server keeps it for comparison.
const IP_KEY: &str = "00000000000000000000ffffc6126135";

const FAMILIES: u32 = 97;

/// The first address of a copy: 10.0.0.0.
const FIRST_IP: u32 = 0x0a00_0000;

#[derive(Clone, Copy)]
enum Variable {
    Number,
    Family,
    Mac,
    Ip,
    IpKey,
    Id,
}

/// A row of a template, ready to be copied.
pub struct Mould(Vec<Part>);

enum Part {
    /// The same in each copy.
    Same(Value<'static>),
    /// A text: what stands before each slot, the slots, and what follows the last.
    Text(Vec<(String, Variable)>, String),
    /// So many milliseconds after the copy's own time.
    Time(i64),
}

/// What is a copy's own.
pub struct Own<'o> {
    /// Which copy it is.
    pub number: u32,
    /// Its UUID.
    pub id: &'o str,
    /// When it appeared, in milliseconds since the epoch.
    pub time: i64,
}

impl Mould {
    /// The mould of a template's row. `columns` are the names of its values, `id` is the template's own.
    pub fn new(columns: &[String], row: &[Value<'static>], id: &str) -> Self {
        let part = |(place, (column, value)): (i64, (&String, &Value<'static>))| match value {
            Value::Text(text) => Self::text(text, id),
            Value::Integer(_) if column.ends_with("_ms") => Part::Time(place * 1000),
            other => Part::Same(other.clone()),
        };
        Self((0..).zip(columns.iter().zip(row)).map(part).collect())
    }

    fn text(text: &str, id: &str) -> Part {
        let slots = [
            (NUMBER, Variable::Number),
            (FAMILY, Variable::Family),
            (MAC, Variable::Mac),
            (IP, Variable::Ip),
            (IP_KEY, Variable::IpKey),
            (id, Variable::Id),
        ];
        let mut pieces = Vec::new();
        let mut rest = text;
        loop {
            let first = slots.iter().filter_map(|(text, slot)| Some((rest.find(text)?, text.len(), *slot)));
            let Some((at, length, slot)) = first.min_by_key(|(at, ..)| *at) else { break };
            pieces.push((rest[..at].to_owned(), slot));
            rest = &rest[at + length..];
        }
        if pieces.is_empty() {
            return Part::Same(Value::Text(Cow::Owned(text.to_owned())));
        }
        Part::Text(pieces, rest.to_owned())
    }

    /// The row of a copy.
    pub fn cast<'m>(&'m self, own: &Own<'_>) -> Vec<Value<'m>> {
        let cast = |part: &'m Part| match part {
            Part::Same(Value::Text(text)) => Value::text(text),
            Part::Same(other) => other.clone(),
            Part::Time(after) => Value::Integer(own.time + after),
            Part::Text(pieces, end) => {
                let length: usize = pieces.iter().map(|(before, _)| before.len() + 40).sum();
                let mut text = String::with_capacity(length + end.len());
                for (before, slot) in pieces {
                    text.push_str(before);
                    slot.write(&mut text, own);
                }
                text.push_str(end);
                Value::Text(Cow::Owned(text))
            }
        };
        self.0.iter().map(cast).collect()
    }
}

impl Variable {
    fn write(self, text: &mut String, own: &Own<'_>) {
        let [a, b, c, d] = (FIRST_IP + own.number).to_be_bytes();
        // Writing to a String cannot fail.
        let _ = match self {
            Self::Number => write!(text, "{:08}", own.number),
            Self::Family => write!(text, "{:05}", 10_000 + own.number % FAMILIES),
            Self::Mac => write!(text, "{a:02x}:{b:02x}:{c:02x}:{d:02x}"),
            Self::Ip => write!(text, "{a}.{b}.{c}.{d}"),
            Self::IpKey => write!(text, "00000000000000000000ffff{:08x}", FIRST_IP + own.number),
            Self::Id => write!(text, "{}", own.id),
        };
    }
}
