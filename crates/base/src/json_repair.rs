//! Repairs text that is nearly JSON, as scripts and templates of monitors put it together.
//!
//! A monitor that is refused for a wrong byte wakes nobody, and does not try again in another spelling. So the
//! addresses of monitors and agents repair what has one sensible reading ("Inbound addresses" in `docs/interface.md`),
//! and say what they repaired. Everything else stays strict and reads by [`parse_json`] alone.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{body::parse_json, json::weight, problem::Problem};

const CONTROLS: &str = "control characters in the JSON were escaped or left out";
const NUL: &str = "NUL characters in the JSON were left out";
const SURROGATES: &str = "halves of surrogate pairs in the JSON were replaced by U+FFFD";
const BACKSLASHES: &str = "backslashes in the JSON that escape nothing were taken as they are";
const QUOTES: &str = "quotes inside texts of the JSON were taken as they are";
const COMMAS: &str = "commas in the JSON that nothing follows were left out";
const SINGLE: &str = "texts of the JSON in single quotes were taken as texts";
const VALUES: &str = "values that are missing in the JSON were taken as null";
const LINES: &str = "lines of the JSON without a comma between were taken as several";
const BEHIND: &str = "marks behind the JSON were left out";
const SEVERAL: &str = "several JSON objects were taken as an array";
const CUT: &str = "the JSON ends too early: what was open was closed";
const WORDS: &str = "words in the JSON without quotes were taken as texts";
const NOT_UTF_8: &str = "the JSON is not UTF-8 and was read as Windows-1252 where it is not";
const UTF_16: &str = "the JSON is UTF-16 and was read as that";

/// From how many digits on an integer may be too large for a number of 64 bits.
const LONG_INTEGER: usize = 20;

/// How much more a repaired text may weigh than twice what was sent, by which its caller is counted.
const HEAVIER: usize = 4 << 20;

/// A key of an object that was read, and a value, where a scanner is.
const KEY: u8 = b'k';
const VALUE: u8 = b'v';

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
        let (text, repairs) = repair_or_mend(bytes, true);
        if repairs.is_empty() || weight(text.as_bytes()) > 2 * weight(bytes) + HEAVIER {
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
    repair_or_mend(bytes, false)
}

/// The same; `mends` says whether marks that are missing or too many may be mended, too. Of a report that says all
/// there is, such as that of an inventory agent, a part would say that the rest is gone.
fn repair_or_mend(bytes: &[u8], mends: bool) -> (Cow<'_, str>, Vec<&'static str>) {
    let (text, decoded) = decode(bytes);
    let (out, mut repairs) = match text {
        Cow::Borrowed(text) => repair_text(text, mends),
        Cow::Owned(text) => {
            let (repaired, repairs) = repair_text(&text, mends);
            (Cow::Owned(repaired.into_owned()), repairs)
        }
    };
    repairs.extend(decoded);
    (out, repairs)
}

fn repair_text(text: &str, mends: bool) -> (Cow<'_, str>, Vec<&'static str>) {
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    // A quote that ends a text too early, a backslash in front of the last one, and a mark too many or too few are only
    // told from right ones by what comes of them.
    let readings = [(false, false), (true, false), (false, true), (true, true)];
    let readings = readings.into_iter().filter(|(_, mended)| mends || !mended);
    let mut readings = readings.map(|(guesses, mends)| Scanner::new(text, guesses, mends).run());
    readings.find(|(text, _)| is_json(text)).unwrap_or_else(|| Scanner::new(text, false, false).run())
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
    /// Are marks that are missing put in, and those that are too many left out?
    mends: bool,
    /// What closes the objects and lists that are open, and what was read last: a mark, [`KEY`] or [`VALUE`].
    open: Vec<u8>,
    last: u8,
    /// Did a line end since?
    line: bool,
    several: bool,
    /// Is it known that nothing ends a text in single quotes from here on?
    no_single: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, guesses: bool, mends: bool) -> Self {
        Self {
            text,
            at: 0,
            copied: 0,
            out: String::new(),
            repairs: Vec::new(),
            guesses,
            mends,
            open: Vec::new(),
            last: 0,
            line: false,
            several: false,
            no_single: false,
        }
    }

    fn run(mut self) -> (Cow<'t, str>, Vec<&'static str>) {
        while let Some(byte) = self.byte(self.at) {
            if self.mends && self.mend(byte) {
                continue;
            }
            match byte {
                b'"' => self.string(byte),
                b'\'' if self.has_single() => self.string(byte),
                b',' if matches!(self.after_blanks(self.at + 1), (_, Some(b'}' | b']'))) => self.replace(1, "", COMMAS),
                b'{' | b'}' | b'[' | b']' | b':' | b',' | b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                0 => self.replace(1, "", NUL),
                0x01..=0x1f | 0x7f => self.replace(1, " ", CONTROLS),
                _ => self.word(),
            }
        }
        self.close();
        if self.repairs.is_empty() {
            return (Cow::Borrowed(self.text), self.repairs);
        }
        self.out.push_str(self.text.get(self.copied..).unwrap_or_default());
        if self.several {
            self.out = format!("[{}]", self.out);
        }
        (Cow::Owned(self.out), self.repairs)
    }

    /// Mends what is wrong around this mark or in front of this text, and goes on behind a mark; false where the text,
    /// or a blank, is still to be read.
    fn mend(&mut self, byte: u8) -> bool {
        if byte.is_ascii_whitespace() || byte.is_ascii_control() {
            self.line |= byte == b'\n';
            return false;
        }
        let is_behind = self.open.is_empty() && self.last == VALUE;
        if is_behind && matches!(byte, b'}' | b']' | b',' | b';') {
            self.replace(1, "", BEHIND);
            return true;
        }
        if self.last == b':' && matches!(byte, b',' | b'}' | b']') {
            self.replace(0, "null", VALUES);
            self.last = VALUE;
        }
        let line = std::mem::take(&mut self.line);
        match byte {
            b',' if self.last != VALUE
                || matches!(self.after_blanks(self.at + 1).1, None | Some(b'}' | b']' | b',')) =>
            {
                self.replace(1, "", COMMAS);
                return true;
            }
            b'}' | b']' => {
                if self.open.last() == Some(&byte) {
                    self.open.pop();
                }
                self.last = VALUE;
            }
            b',' | b':' => self.last = byte,
            _ => {
                if is_behind && byte == b'{' {
                    self.replace(0, ",", SEVERAL);
                    self.several = true;
                } else if self.last == VALUE && line {
                    self.replace(0, ",", LINES);
                    self.last = b',';
                }
                match byte {
                    b'{' | b'[' => {
                        self.open.push(if byte == b'{' { b'}' } else { b']' });
                        self.last = byte;
                    }
                    _ => {
                        let is_key = self.open.last() == Some(&b'}') && matches!(self.last, b'{' | b',');
                        self.last = if is_key { KEY } else { VALUE };
                        return false;
                    }
                }
            }
        }
        self.at += 1;
        true
    }

    /// Closes what is open at the end.
    fn close(&mut self) {
        if !self.open.is_empty() {
            match self.last {
                KEY => self.replace(0, ":null", CUT),
                b':' => self.replace(0, "null", CUT),
                _ => {}
            }
        }
        while let Some(closing) = self.open.pop() {
            self.replace(0, if closing == b'}' { "}" } else { "]" }, CUT);
        }
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

    /// Does a text in single quotes, as Python writes it, begin here?
    fn has_single(&mut self) -> bool {
        if !self.no_single {
            let rest = self.text.get(self.at + 1..).unwrap_or_default();
            self.no_single = !rest.match_indices('\'').any(|(at, _)| self.can_end(self.at + 1 + at));
        }
        !self.no_single
    }

    /// A text, from its first quote, which is this one, to behind its last.
    fn string(&mut self, quote: u8) {
        let is_single = quote == b'\'';
        if is_single {
            self.replace(1, "\"", SINGLE);
        } else {
            self.at += 1;
        }
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\'' if is_single && self.can_end(self.at) => {
                    self.replace(1, "\"", SINGLE);
                    return;
                }
                b'\\' if is_single && self.byte(self.at + 1) == Some(b'\'') => {
                    self.replace(1, "", SINGLE);
                    self.at += 1;
                }
                b'"' if is_single => self.replace(1, "\\\"", SINGLE),
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
        // A part of a key must not be another key.
        if !self.open.is_empty() {
            self.replace(0, "…\"", CUT);
        }
    }

    /// Can the quote at this place be the last of its text, by what follows it?
    fn can_end(&self, at: usize) -> bool {
        match self.after_blanks(at + 1) {
            (_, None | Some(b'}' | b']' | b':')) => true,
            (comma, Some(b',')) => {
                let (next, byte) = self.after_blanks(comma + 1);
                let rest = self.text.get(next..).unwrap_or_default();
                byte.is_none_or(|byte| {
                    b"\"{[}]-".contains(&byte) || byte.is_ascii_digit() || Some(byte) == self.byte(at)
                }) || ["true", "false", "null", "True", "False", "None"].iter().any(|word| rest.starts_with(word))
            }
            // The last text of a line that has no comma.
            (next, Some(b'"')) if self.mends => self.text.get(at..next).is_some_and(|blanks| blanks.contains('\n')),
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
            None if self.mends => self.replace(1, "", CUT),
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
            // The end of it may be missing.
            _ if length == rest.len() && !self.open.is_empty() => {
                self.replace(length, &Value::from(format!("{word}…")).to_string(), CUT);
            }
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
