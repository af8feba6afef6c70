//! `$utils.convertDate`: an instant in the form that somebody else expects.

use base::timestamp::Timestamp;
use calendar::{Months, Weekday};

/// A pattern of letters as widely used ones have it: `yyyy-MM-dd HH:mm:ss`, text between `'`. All of GMT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Text(String),
    Field(char, usize),
}

impl Format {
    /// Reads a pattern. What stands between `'` is text, and `''` is a quote.
    ///
    /// # Errors
    /// Which letter is unknown, or that a quote is not closed.
    pub fn read(pattern: &str) -> Result<Self, String> {
        if pattern.trim().is_empty() || pattern.len() > 100 {
            return Err("a date pattern that is empty or longer than 100 bytes".to_owned());
        }
        let mut segments: Vec<Segment> = Vec::new();
        let mut quoted = false;
        let mut letters = pattern.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter == '\'' && letters.peek() != Some(&'\'') {
                quoted = !quoted;
                continue;
            }
            if letter == '\'' {
                letters.next();
            }
            match (letter, segments.last_mut()) {
                (letter, Some(Segment::Text(text))) if quoted => text.push(letter),
                (letter, _) if quoted => segments.push(Segment::Text(letter.to_string())),
                (letter, Some(Segment::Field(known, count))) if *known == letter => *count += 1,
                ('y' | 'M' | 'd' | 'H' | 'h' | 'm' | 's' | 'S' | 'a' | 'E' | 'Z' | 'X' | 'z', _) => {
                    segments.push(Segment::Field(letter, 1));
                }
                ('A'..='Z' | 'a'..='z', _) if letter != 'T' => {
                    return Err(format!(
                        "the date letter {letter}, which is none of y M d H h m s S a E Z X z: text stands in quotes"
                    ));
                }
                (letter, Some(Segment::Text(text))) => text.push(letter),
                (letter, _) => segments.push(Segment::Text(letter.to_string())),
            }
        }
        if quoted {
            return Err("a date pattern with a quote that is not closed".to_owned());
        }
        Ok(Self(segments))
    }

    /// The instant of a text (a timestamp, or milliseconds since the epoch) in this form; `None` for any other text.
    pub fn of(&self, text: &str) -> Option<String> {
        let at = Timestamp::parse(text).or_else(|| text.parse().ok().map(Timestamp::from_millis))?;
        let written = at.to_string();
        let number = |from: usize, to: usize| written.get(from..to)?.parse::<usize>().ok();
        let year = number(0, 4)?;
        let month = number(5, 7)?;
        let day = number(8, 10)?;
        let hour = number(11, 13)?;
        let minute = number(14, 16)?;
        let second = number(17, 19)?;
        // The first day of all was a Thursday.
        let weekday = usize::try_from((at.millis().div_euclid(86_400_000) + 4).rem_euclid(7)).ok()?;
        let name = |names: &[&str], index: usize, count: usize| {
            let whole = names.get(index).copied().unwrap_or_default();
            if count > 3 { whole.to_owned() } else { whole.get(..3).unwrap_or_default().to_owned() }
        };
        let mut out = String::new();
        for piece in &self.0 {
            let text = match piece {
                Segment::Text(text) => text.clone(),
                Segment::Field('y', 2) => format!("{:02}", year % 100),
                Segment::Field('y', count) => format!("{year:0count$}"),
                Segment::Field('M', count @ 3..) => name(&Months::NAMES, month.saturating_sub(1), *count),
                Segment::Field('M', count) => format!("{month:0count$}"),
                Segment::Field('d', count) => format!("{day:0count$}"),
                Segment::Field('H', count) => format!("{hour:0count$}"),
                Segment::Field('h', count) => format!("{:0count$}", (hour + 11) % 12 + 1),
                Segment::Field('m', count) => format!("{minute:0count$}"),
                Segment::Field('s', count) => format!("{second:0count$}"),
                Segment::Field('S', count) => format!("{:0count$}", at.millis().rem_euclid(1000)),
                Segment::Field('a', _) => if hour < 12 { "AM" } else { "PM" }.to_owned(),
                Segment::Field('E', count) => name(&Weekday::NAMES, weekday, *count),
                Segment::Field('Z', _) => "+0000".to_owned(),
                Segment::Field('z', _) => "GMT".to_owned(),
                Segment::Field(_, _) => "Z".to_owned(),
            };
            out.push_str(&text);
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_asked() {
        for (pattern, expected) in [
            ("yyyy-MM-dd HH:mm:ss", "2026-11-20 20:07:05"),
            ("dd/MM/yy h:mm a", "20/11/26 8:07 PM"),
            ("EEE, d MMM yyyy", "Fri, 20 Nov 2026"),
            ("EEEE d MMMM", "Friday 20 November"),
            ("yyyy-MM-ddTHH:mm:ss.SSSX", "2026-11-20T20:07:05.000Z"),
            ("H.m Z", "20.7 +0000"),
            ("yyyy-MM-dd'T'HH:mm:ssZ", "2026-11-20T20:07:05+0000"),
            ("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "2026-11-20T20:07:05.000Z"),
            ("'on' d MMMM 'at' H 'o''clock'", "on 20 November at 20 o'clock"),
        ] {
            let format = Format::read(pattern).unwrap();
            assert_eq!(format.of("2026-11-20T20:07:05+0000").as_deref(), Some(expected));
            assert_eq!(format.of("1795205225000").as_deref(), Some(expected));
            assert_eq!(format.of("soon"), None);
        }
        assert!(Format::read("").is_err() && Format::read("yyyy-QQ").is_err());
        assert!(Format::read("yyyy-MM-dd'T").is_err_and(|message| message.contains("quote")));
    }
}
