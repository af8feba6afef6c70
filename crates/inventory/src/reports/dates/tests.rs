use super::parse_date;

/// 2019-12-19T00:00:00Z.
const DAY: i64 = 1_576_713_600_000;
/// 2019-12-19T14:30:16Z.
const MOMENT: i64 = DAY + (14 * 3_600 + 30 * 60 + 16) * 1_000;

#[test]
fn every_format_that_was_seen() {
    for text in [
        "2019-12-19",
        "2019/12/19",
        "20191219",
        "19/12/2019",
        "12/19/2019",
        "19.12.2019",
        "Dec 19, 2019",
        "1576713600",
        "1576713600000",
    ] {
        assert_eq!(parse_date(text), Some(DAY), "{text}");
    }
    for text in [
        "2019-12-19 14:30:16",
        "2019-12-19T14:30:16Z",
        "2019-12-19 16:30:16:00+02:00",
        "2019-12-19T09:00:16-0530",
        "20191219143016.000000+000",
        "Thu 19 Dec 2019 02:30:16 PM CET",
        "Thu Dec 19 14:30:16 2019",
        " 19/12/2019 14:30:16 ",
    ] {
        assert_eq!(parse_date(text), Some(MOMENT), "{text}");
    }
    assert_eq!(parse_date("2019-12-19 14:30"), Some(MOMENT - 16_000));
    assert_eq!(parse_date("Thu 19 Dec 2019 12:00:00 AM CET"), Some(DAY));
}

#[test]
fn slashes_are_day_first_when_both_orders_are_dates() {
    assert_eq!(parse_date("03/04/2019"), parse_date("2019-04-03"));
    assert_eq!(parse_date("04/13/2019"), parse_date("2019-04-13"));
}

#[test]
fn other_text_is_not_a_date() {
    for text in [
        "",
        "N/A",
        "0000-00-00",
        "2019-13-13",
        "2019-02-30",
        "1601-01-01",
        "1970-01-01",
        "31/31/2019",
        "1.2.3.4",
        "12",
        "99999999999999999999",
        "2019-54-17 10:54:37",
        "Mon Feb 20 14:21",
        "é/é/éééé",
        "９９９９-01-01",
    ] {
        assert_eq!(parse_date(text), None, "{text}");
    }
    // The date holds although the time is nonsense.
    assert_eq!(parse_date("2019-12-19 99:99"), Some(DAY));
    assert_eq!(parse_date(&"1".repeat(100_000)), None);
}
