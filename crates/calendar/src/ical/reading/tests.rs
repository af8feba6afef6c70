use super::*;

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

fn read(events: &str) -> Result<Vec<String>, String> {
    let text = format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n");
    let days = whole_days(&text, day("2026-01-01")..=day("2028-12-31"), 40)?;
    Ok(days.into_iter().map(|(day, name)| format!("{day} {name}")).collect())
}

fn event(lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:1\n{}\nEND:VEVENT\n", lines.replace(", ", "\n"))
}

#[test]
fn events_of_whole_days_are_holidays() {
    let found = read(&event("DTSTART;VALUE=DATE:20261225, DTEND;VALUE=DATE:20261227, SUMMARY:Christ\n mas\\,both"));
    assert_eq!(found.unwrap(), ["2026-12-25 Christmas,both", "2026-12-26 Christmas,both"]);
    let found = read(&event("DTSTART;X=\"a:b\":20260501, DURATION:P2D, SUMMARY:May"));
    assert_eq!(found.unwrap(), ["2026-05-01 May", "2026-05-02 May"]);
    for left_out in [
        "DTSTART:20261225T090000Z, SUMMARY:Breakfast",
        "DTSTART;VALUE=DATE:20251225, SUMMARY:Earlier",
        "DTSTART;VALUE=DATE:20261225, STATUS:CANCELLED",
        "STATUS:CANCELLED",
    ] {
        assert_eq!(read(&event(left_out)).unwrap(), Vec::<String>::new(), "{left_out}");
    }
    let alarm = "DTSTART:20260101, BEGIN:VALARM, DTSTART:20260202, END:VALARM, SUMMARY:New Year";
    assert_eq!(read(&event(alarm)).unwrap(), ["2026-01-01 New Year"]);
    let two = event("DTSTART:20260101, SUMMARY:A") + &event("DTSTART:20260101, SUMMARY:B");
    assert_eq!(read(&(two.clone() + &two)).unwrap(), ["2026-01-01 A, B"]);
}

#[test]
fn what_repeats_yearly_is_followed() {
    let dates = |rule: &str| {
        let found = read(&event(rule)).unwrap();
        found.iter().map(|day| day[2..10].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(dates("DTSTART:20001225, RRULE:FREQ=YEARLY"), ["26-12-25", "27-12-25", "28-12-25"]);
    assert_eq!(dates("DTSTART:20240229, RRULE:FREQ=YEARLY"), ["28-02-29"]);
    assert_eq!(dates("DTSTART:20240101, RRULE:FREQ=YEARLY;INTERVAL=2"), ["26-01-01", "28-01-01"]);
    assert_eq!(dates("DTSTART:20240101, RRULE:FREQ=YEARLY;COUNT=3"), ["26-01-01"]);
    assert_eq!(dates("DTSTART:20240101, RRULE:FREQ=YEARLY;UNTIL=20270101T000000Z"), ["26-01-01", "27-01-01"]);
    let thanksgiving = "DTSTART:20201126, RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH";
    assert_eq!(dates(thanksgiving), ["26-11-26", "27-11-25", "28-11-23"]);
    let memorial = "DTSTART:20200525, RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO";
    assert_eq!(dates(memorial), ["26-05-25", "27-05-31", "28-05-29"]);
    assert_eq!(dates("DTSTART:20200101, RRULE:FREQ=YEARLY, EXDATE:20270101"), ["26-01-01", "28-01-01"]);
    let third = dates("DTSTART:20250103, RRULE:FREQ=YEARLY;BYMONTHDAY=3");
    assert_eq!((third.len(), &third[..3]), (36, &["26-01-03", "26-02-03", "26-03-03"].map(str::to_owned)[..]));
    assert_eq!(dates("DTSTART:20260131, RRULE:FREQ=YEARLY;BYMONTHDAY=-1;COUNT=2"), ["26-01-31", "26-02-28"]);
    let moved = event("DTSTART:20200101, RRULE:FREQ=YEARLY")
        + &event("DTSTART:20270104, RECURRENCE-ID;VALUE=DATE:20270101, SUMMARY:Later");
    assert_eq!(read(&moved).unwrap(), ["2026-01-01 ", "2027-01-04 Later", "2028-01-01 "]);
}

#[test]
fn what_cannot_be_read_is_said() {
    for text in ["", "BEGIN:VEVENT", "<html>"] {
        assert!(whole_days(text, day("2026-01-01")..=day("2026-12-31"), 9).unwrap_err().starts_with("must be"));
    }
    for rule in ["FREQ=WEEKLY", "FREQ=YEARLY;BYDAY=20MO", "FREQ=YEARLY;BYWEEKNO=1", "FREQ=YEARLY;BYDAY=MO", "x"] {
        let found = read(&event(&format!("DTSTART:20260101, RRULE:{rule}, SUMMARY:Fair")));
        assert_eq!(found.unwrap_err(), "has an event that repeats otherwise than yearly: Fair", "{rule}");
    }
    assert_eq!(read(&event("DTSTART:20260101, DURATION:P6W")).unwrap_err(), "has more than 40 days");
    for (wrong, message) in [
        ("DTSTART;VALUE=DATE:20270230", "has an event with a date that is none, 20270230: Fair"),
        ("DTSTART:20270230T090000Z", "has an event with a date that is none, 20270230T090000Z: Fair"),
        ("DTSTART:20260101, DTEND:2026", "has an event with a date that is none, 2026: Fair"),
        ("DTSTART:20260101, EXDATE:20260101,x", "has an event with a date that is none, x: Fair"),
        ("DTEND:20260101", "has an event without DTSTART: Fair"),
        ("DTSTART:20260101, DTEND:20270103", "has an event of more than 366 days: Fair"),
    ] {
        assert_eq!(read(&event(&format!("{wrong}, SUMMARY:Fair"))).unwrap_err(), message);
    }
    assert_eq!(read(&event("DTEND:20260101")).unwrap_err(), "has an event without DTSTART: 1");
}

#[test]
fn a_text_that_is_cut_off_is_refused() {
    let whole = format!("BEGIN:VCALENDAR\n{}END:VCALENDAR", event("DTSTART:20260101, SUMMARY:Fair"));
    let read = |text: &str| whole_days(text, day("2026-01-01")..=day("2026-12-31"), 9).map(|days| days.len());
    assert_eq!(read(&whole), Ok(1));
    assert_eq!(read(&format!("{whole}\r\n\r\n{whole}\n")), Ok(1));
    let mut cut = whole.clone();
    while cut.pop().is_some() {
        assert!(read(&cut).is_err(), "{cut}");
    }
    let none = whole.replace("END:VCALENDAR", "");
    assert_eq!(read(&none).unwrap_err(), "is cut off: it has no END:VCALENDAR");
    let open = whole.replace("END:VEVENT\n", "");
    assert_eq!(read(&open).unwrap_err(), "is cut off: it has an event without END:VEVENT: Fair");
}
