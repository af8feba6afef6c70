//! Repairs text that is nearly JSON, as scripts and templates of monitors put it together.
//!
//! A monitor that is refused for a wrong byte wakes nobody, and does not try again in another spelling. So the
//! addresses of monitors and agents repair what has one sensible reading ("Inbound addresses" in `docs/interface.md`),
//! and say what they repaired. Everything else stays strict and reads by [`parse_json`] alone.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{body::parse_json, problem::Problem};

const CONTROLS: &str = "control characters in the JSON were escaped or left out";
const NUL: &str = "NUL characters in the JSON were left out";
const SURROGATES: &str = "halves of surrogate pairs in the JSON were replaced by U+FFFD";
const BACKSLASHES: &str = "backslashes in the JSON that escape nothing were taken as they are";
const QUOTES: &str = "quotes inside texts of the JSON were taken as they are";
const COMMAS: &str = "commas in the JSON that nothing follows were left out";
const WORDS: &str = "words in the JSON without quotes were taken as texts";
const NOT_UTF_8: &str = "the JSON is not UTF-8 and was read as Windows-1252 where it is not";
const UTF_16: &str = "the JSON is UTF-16 and was read as that";

/// From how many digits on an integer may be too large for a number of 64 bits.
const LONG_INTEGER: usize = 20;

/// Where Windows-1252 differs from ISO-8859-1 (0x80 to 0x9f); five are undefined.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}', '\u{fffd}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

/// Reads a body as [`parse_json`] does, and repairs one that is nearly JSON; also says what was repaired.
///
/// # Errors
/// Those of [`parse_json`] for what is still not JSON.
pub fn parse_nearly_json(bytes: &[u8]) -> Result<(Value, Vec<&'static str>), Problem> {
    parse_exactly(bytes).map(|value| (value, Vec::new())).or_else(|problem| {
        let (text, repairs) = repair(bytes);
        if repairs.is_empty() {
            return Err(problem);
        }
        Ok((parse_exactly(text.as_bytes())?, repairs))
    })
}

/// Reads JSON, in which integers of 20 digits or more are texts: as numbers, those that differ in the last digits would
/// be one, and so would be the problems that they are the keys of.
fn parse_exactly(bytes: &[u8]) -> Result<Value, Problem> {
    let is_long = |digits: &[u8]| digits.len() >= LONG_INTEGER && digits.iter().all(u8::is_ascii_digit);
    if !bytes.chunk_by(|one, other| one.is_ascii_digit() == other.is_ascii_digit()).any(is_long) {
        return parse_json(bytes);
    }
    let mut quoted = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        let length = match first {
            b'"' => text_length(rest),
            byte if is_of_number(*byte) => rest.iter().take_while(|byte| is_of_number(**byte)).count(),
            _ => 1,
        };
        let (token, behind) = rest.split_at(length.min(rest.len()));
        rest = behind;
        if is_long(token.strip_prefix(b"-").unwrap_or(token)) {
            quoted.push(b'"');
            quoted.extend_from_slice(token);
            quoted.push(b'"');
        } else {
            quoted.extend_from_slice(token);
        }
    }
    parse_json(&quoted)
}

/// May a number have this byte?
const fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// The length of the text that begins here, its quotes included.
fn text_length(bytes: &[u8]) -> usize {
    let mut escaped = false;
    let end = bytes.iter().skip(1).position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(bytes.len(), |end| end + 2)
}

/// Repairs a text that is nearly JSON; also says what was repaired, each kind once. JSON stays as it is, but for a byte
/// order mark in front and for NUL characters. The answer need not be JSON: what has no sensible reading stays, too.
///
/// The time is proportional to the length, and the answer has about three times the length at most.
pub fn repair(bytes: &[u8]) -> (Cow<'_, str>, Vec<&'static str>) {
    let (text, decoded) = decode(bytes);
    let (out, mut repairs) = match text {
        Cow::Borrowed(text) => repair_text(text),
        Cow::Owned(text) => {
            let (repaired, repairs) = repair_text(&text);
            (Cow::Owned(repaired.into_owned()), repairs)
        }
    };
    repairs.extend(decoded);
    (out, repairs)
}

fn repair_text(text: &str) -> (Cow<'_, str>, Vec<&'static str>) {
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let certain = Scanner::new(text, false).run();
    if is_json(&certain.0) {
        return certain;
    }
    // A quote that ends a text too early, or a backslash in front of the last one, is only told from a right one by
    // what comes of it.
    let guessed = Scanner::new(text, true).run();
    if is_json(&guessed.0) { guessed } else { certain }
}

/// The character of a byte in Windows-1252, which is what texts that claim to be ISO-8859-1 mostly are.
pub fn windows_1252(byte: u8) -> char {
    let differs = byte.checked_sub(0x80).and_then(|place| WINDOWS_1252.get(usize::from(place)));
    differs.copied().unwrap_or(char::from(byte))
}

/// The text of bytes that are UTF-8, or Windows-1252 where they are not.
pub fn mixed_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 4);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| windows_1252(*byte)));
    }
    text
}

/// The text of a body, without a byte order mark.
fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    let utf_16 = match bytes {
        [0xff, 0xfe, rest @ ..] => Some((rest, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0xfe, 0xff, rest @ ..] => Some((rest, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        [b'{' | b'[', 0, ..] => Some((bytes, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0, b'{' | b'[', ..] => Some((bytes, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        _ => None,
    };
    if let Some((rest, unit)) = utf_16 {
        let units = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        let text = char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER));
        return (Cow::Owned(text.collect()), Some(UTF_16));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), None);
    }
    (Cow::Owned(mixed_text(bytes)), Some(NOT_UTF_8))
}

/// Goes through a text once, and copies it from the first repair on.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// How far the text is in `out`.
    copied: usize,
    out: String,
    repairs: Vec<&'static str>,
    /// Are quotes taken for a part of the text that they stand in, where they cannot end it?
    guesses: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, guesses: bool) -> Self {
        Self { text, at: 0, copied: 0, out: String::new(), repairs: Vec::new(), guesses }
    }

    fn run(mut self) -> (Cow<'t, str>, Vec<&'static str>) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'"' => self.string(),
                b',' if matches!(self.after_blanks(self.at + 1), (_, Some(b'}' | b']'))) => self.replace(1, "", COMMAS),
                b'{' | b'}' | b'[' | b']' | b':' | b',' | b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                0 => self.replace(1, "", NUL),
                0x01..=0x1f | 0x7f => self.replace(1, " ", CONTROLS),
                _ => self.word(),
            }
        }
        if self.repairs.is_empty() {
            return (Cow::Borrowed(self.text), self.repairs);
        }
        self.out.push_str(self.text.get(self.copied..).unwrap_or_default());
        (Cow::Owned(self.out), self.repairs)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Puts something in the place of the next bytes, and goes on behind them.
    fn replace(&mut self, length: usize, by: &str, repair: &'static str) {
        self.out.push_str(self.text.get(self.copied..self.at).unwrap_or_default());
        self.out.push_str(by);
        self.at += length;
        self.copied = self.at;
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    /// The first byte that is not a blank, and its index.
    fn after_blanks(&self, mut at: usize) -> (usize, Option<u8>) {
        while self.byte(at).is_some_and(|byte| byte.is_ascii_whitespace() || byte == 0) {
            at += 1;
        }
        (at, self.byte(at))
    }

    /// A text, from its first quote to behind its last.
    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'"' if self.guesses && !self.can_end(self.at) => self.replace(1, "\\\"", QUOTES),
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' => self.escape(),
                b'\n' => self.replace(1, "\\n", CONTROLS),
                b'\r' => self.replace(1, "\\r", CONTROLS),
                b'\t' => self.replace(1, "\\t", CONTROLS),
                0 => self.replace(1, "", NUL),
                0x01..=0x1f => self.replace(1, "", CONTROLS),
                _ => self.at += 1,
            }
        }
    }

    /// Can the quote at this place be the last of its text, by what follows it?
    fn can_end(&self, at: usize) -> bool {
        match self.after_blanks(at + 1) {
            (_, None | Some(b'}' | b']' | b':')) => true,
            (comma, Some(b',')) => {
                let (next, byte) = self.after_blanks(comma + 1);
                let rest = self.text.get(next..).unwrap_or_default();
                byte.is_none_or(|byte| b"\"{[}]-".contains(&byte) || byte.is_ascii_digit())
                    || ["true", "false", "null"].iter().any(|word| rest.starts_with(word))
            }
            _ => false,
        }
    }

    fn escape(&mut self) {
        match self.byte(self.at + 1) {
            Some(b'"') if self.guesses && self.can_end(self.at + 1) => self.replace(1, "\\\\", BACKSLASHES),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => match (self.unit(self.at), self.unit(self.at + 6)) {
                (None, _) => self.replace(1, "\\\\", BACKSLASHES),
                (Some(0), _) => self.replace(6, "", NUL),
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => self.at += 12,
                (Some(0xd800..=0xdfff), _) => self.replace(6, "\\ufffd", SURROGATES),
                _ => self.at += 6,
            },
            Some(_) => self.replace(1, "\\\\", BACKSLASHES),
            None => self.at += 1,
        }
    }

    /// The number in the escape `\uXXXX` at this place.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if is_hex { u16::from_str_radix(digits, 16).ok() } else { None }
    }

    /// A number or a word, to the next mark of JSON.
    fn word(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_mark = |letter: char| letter.is_whitespace() || letter.is_control() || "{}[]:,\"".contains(letter);
        let length = rest.find(is_mark).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        match word {
            // A blank that is not of ASCII.
            "" => self.replace(rest.chars().next().map_or(1, char::len_utf8), " ", CONTROLS),
            "true" | "false" | "null" => self.at += length,
            "True" | "TRUE" => self.replace(length, "true", WORDS),
            "False" | "FALSE" => self.replace(length, "false", WORDS),
            "None" | "NULL" | "NaN" | "nan" | "Infinity" | "-Infinity" | "undefined" => {
                self.replace(length, "null", WORDS);
            }
            _ if serde_json::from_str::<f64>(word).is_ok() => self.at += length,
            _ => self.replace(length, &Value::from(word).to_string(), WORDS),
        }
    }
}

#[cfg(test)]
mod tests;
