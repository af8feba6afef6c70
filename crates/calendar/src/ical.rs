//! iCalendar (RFC 5545): lines of at most 75 octets that end in CRLF, texts escaped; and [`reading`] of holidays. Pure.

mod reading;

use base::timestamp::Timestamp;

pub use reading::whole_days;

use crate::{interval::Interval, local::Day};

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The same for the same piece of work, however often it is asked for.
    pub uid: String,
    /// When; when it is endless, the first day of it.
    pub time: Interval,
    /// Does it go on day after day?
    pub is_endless: bool,
    /// The date of one that is a whole day, in the zone of the reader; `time` is not told then.
    pub date: Option<Day>,
    /// What people see.
    pub summary: String,
    /// More of it.
    pub description: String,
    /// Counts up with every change.
    pub sequence: i64,
    /// When that was.
    pub modified: Timestamp,
}

/// What a calendar holds that has no event: the time zone that all times of a feed are in.
const NO_EVENTS: [&str; 8] = [
    "BEGIN:VTIMEZONE",
    "TZID:UTC",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000",
    "END:STANDARD",
    "END:VTIMEZONE",
];

/// A calendar of a product of ours, such as `Rosters`, with a name.
pub fn calendar(product: &str, name: &str, events: &[Event]) -> String {
    let mut out = String::with_capacity(512 + events.len() * 384);
    write(&mut out, "BEGIN:VCALENDAR");
    write(&mut out, "VERSION:2.0");
    write(&mut out, &format!("PRODID:-//Muster//{product}//EN"));
    write(&mut out, "CALSCALE:GREGORIAN");
    write(&mut out, &format!("X-WR-CALNAME:{}", escape(name)));
    write(&mut out, "REFRESH-INTERVAL;VALUE=DURATION:PT1H");
    write(&mut out, "X-PUBLISHED-TTL:PT1H");
    // A calendar without any component is none (RFC 5545, 3.6).
    if events.is_empty() {
        NO_EVENTS.into_iter().for_each(|line| write(&mut out, line));
    }
    for event in events {
        write(&mut out, "BEGIN:VEVENT");
        write(&mut out, &format!("UID:{}", escape(&event.uid)));
        write(&mut out, &format!("DTSTAMP:{}", instant(event.modified)));
        write(&mut out, &format!("LAST-MODIFIED:{}", instant(event.modified)));
        write(&mut out, &format!("SEQUENCE:{}", event.sequence));
        match event.date {
            Some(day) => {
                write(&mut out, &format!("DTSTART;VALUE=DATE:{}", date(day)));
                write(&mut out, &format!("DTEND;VALUE=DATE:{}", date(day.plus(1))));
            }
            None => {
                write(&mut out, &format!("DTSTART:{}", instant(event.time.start())));
                write(&mut out, &format!("DTEND:{}", instant(event.time.end())));
            }
        }
        if event.is_endless {
            write(&mut out, "RRULE:FREQ=DAILY");
        }
        write(&mut out, &format!("SUMMARY:{}", escape(&event.summary)));
        if !event.description.is_empty() {
            write(&mut out, &format!("DESCRIPTION:{}", escape(&event.description)));
        }
        write(&mut out, "TRANSP:TRANSPARENT");
        write(&mut out, "END:VEVENT");
    }
    write(&mut out, "END:VCALENDAR");
    out
}

/// `20261120T203700Z`.
fn instant(at: Timestamp) -> String {
    let text = at.to_string();
    let digits: String = text.chars().take(19).filter(|letter| !matches!(letter, '-' | ':')).collect();
    digits + "Z"
}

/// `20261225`.
fn date(day: Day) -> String {
    day.to_string().replace('-', "")
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | ';' | ',' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Folds a line: what goes on starts with a blank, and no character is cut.
fn write(out: &mut String, line: &str) {
    let mut length = 0;
    for letter in line.chars() {
        if length + letter.len_utf8() > 75 {
            out.push_str("\r\n ");
            length = 1;
        }
        out.push(letter);
        length += letter.len_utf8();
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_texts_escaped() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let event = Event {
            uid: "ESD-1-5@muster".to_owned(),
            time: Interval::new(at("2026-11-20T20:37:00Z"), at("2026-11-21T00:00:00Z")).unwrap(),
            is_endless: false,
            date: None,
            summary: format!("Ann, Bob; {}", "ü".repeat(60)),
            description: "one\ntwo\r\0".to_owned(),
            sequence: 3,
            modified: at("2026-11-01T00:00:00Z"),
        };
        let holiday = Event { date: Day::parse("2026-12-31").ok(), ..event.clone() };
        let text = calendar("Rosters", "First\\line", &[event, holiday]);
        assert!(text.split("\r\n").all(|line| line.len() <= 75), "{text}");
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']));
        let whole = text.replace("\r\n ", "");
        for line in [
            "DTSTART:20261120T203700Z",
            "DTEND:20261121T000000Z",
            "DTSTART;VALUE=DATE:20261231",
            "DTEND;VALUE=DATE:20270101",
            "SEQUENCE:3",
            "LAST-MODIFIED:20261101T000000Z",
            "TRANSP:TRANSPARENT",
            "DESCRIPTION:one\\ntwo",
            "X-WR-CALNAME:First\\\\line",
        ] {
            assert!(whole.contains(&format!("{line}\r\n")), "{line} is not in {whole}");
        }
        assert!(!whole.contains("RRULE") && !whole.contains("VTIMEZONE"));
        assert!(whole.contains("SUMMARY:Ann\\, Bob\\; üü"));
    }
}
