//! What an override says of its shift, whichever versions of that are loaded.

use db::Json;
use serde_json::{Value, json};

use super::*;
use crate::{
    dated_holidays::row::DayRow,
    overrides::row::{Override as OverrideRow, ShiftSettings},
};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn millis(day: &str) -> i64 {
    at(&format!("{day}T00:00:00Z")).millis()
}

fn daily() -> Value {
    json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "08:00:00", "endTime": "16:00:00",
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}})
}

fn holidays(days: &[&str]) -> DatedHolidays {
    let row = |day: &&str| DayRow {
        tenant_id: "client_1".to_owned(),
        calendar_id: "HOL-1".to_owned(),
        day: calendar::Day::parse(day).unwrap().number(),
        known_from_ms: 0,
        known_until_ms: None,
        name: "Feast".to_owned(),
    };
    DatedHolidays::of(days.iter().map(row).collect(), &HashMap::new())
}

/// A version of a shift of the second level, which skips holidays.
fn shift(from_ms: i64, until_ms: Option<i64>) -> row::Shift {
    row::Shift {
        tenant_id: "client_1".to_owned(),
        roster_id: "ES-1".to_owned(),
        id: "ESD-1".to_owned(),
        valid_from_ms: from_ms,
        valid_until_ms: until_ms,
        position: 0,
        name: "Day".to_owned(),
        zone: "GMT".to_owned(),
        schedule: Json(daily()),
        crew: Json(Crew::new(&["ANN".to_owned()], &[])),
        rotation: None,
        level: Some("secondary".to_owned()),
        holidays: Some(Json(ShiftHolidays { calendars: vec!["HOL-1".to_owned()], skips: true })),
    }
}

/// An override of the shift from 2026-12-03 to 2026-12-08, which was made two days before.
fn taken(settings: Option<ShiftSettings>) -> OverrideRow {
    OverrideRow {
        tenant_id: "client_1".to_owned(),
        roster_id: "ES-1".to_owned(),
        id: "OVR-1".to_owned(),
        number: 1,
        user_id: "BOB".to_owned(),
        start_ms: millis("2026-12-03"),
        end_ms: millis("2026-12-08"),
        shift_id: Some("ESD-1".to_owned()),
        shift_name: Some("Day".to_owned()),
        zone: Some("GMT".to_owned()),
        schedule: Some(Json(daily())),
        note: String::new(),
        created_by: "BOB".to_owned(),
        created_ms: millis("2026-12-01"),
        replaces: None,
        swap_id: None,
        shift_settings: settings.map(Json),
    }
}

/// The days on which the override takes place, and its level.
fn told(versions: &[row::Shift], taken: OverrideRow) -> (Vec<String>, Vec<Level>) {
    let schedule = Schedule::stored(versions, &[taken], &holidays(&["2026-12-05"])).unwrap();
    let range = Interval::new(at("2026-12-02T00:00:00Z"), at("2026-12-09T00:00:00Z")).unwrap();
    let pieces = schedule.lines.pieces(range, crate::lines::LineSelection::All).list;
    let of_override: Vec<_> = pieces.iter().filter(|piece| !piece.over.is_empty()).collect();
    let days = of_override.iter().map(|piece| piece.time.start().to_string()[8..10].to_owned()).collect();
    let mut levels: Vec<Level> =
        of_override.iter().map(|piece| schedule.level(piece.shift).unwrap_or_default()).collect();
    levels.dedup();
    (days, levels)
}

#[test]
fn an_override_has_what_its_shift_said_when_it_was_made() {
    let edit = millis("2026-12-01");
    let expected = (["03", "04", "06", "07"].map(str::to_owned).to_vec(), vec![Level::Secondary]);
    let (before, after) = (shift(0, Some(edit)), shift(edit, None));
    let settings = ShiftSettings::of(&before);
    let edited = row::Shift { name: "Renamed".to_owned(), ..after.clone() };
    for versions in [vec![before.clone(), edited.clone()], vec![edited], vec![before.clone()], vec![]] {
        assert_eq!(told(&versions, taken(Some(settings.clone()))), expected, "{versions:?}");
    }
    // A later version says nothing of it, and what said nothing stays so.
    let later = row::Shift {
        level: None,
        holidays: None,
        schedule: Json(json!({"type": "one-time",
        "startDate": "2030-01-01T00:00:00Z", "endDate": "2030-01-02T00:00:00Z"})),
        ..after
    };
    assert_eq!(told(&[before.clone(), later], taken(Some(settings))), expected);
    let (days, levels) = told(&[], taken(Some(ShiftSettings::default())));
    assert_eq!((days.len(), levels), (5, vec![Level::Primary]));
    // Rows of the version before have that of the version that is known, even of one that began after they were made.
    assert_eq!(told(&[before], taken(None)), expected);
    let planned =
        [row::Shift { holidays: None, ..shift(0, Some(millis("2026-12-02"))) }, shift(millis("2026-12-02"), None)];
    assert_eq!(told(&planned, taken(None)), expected);
}

#[test]
fn hours_of_an_override_know_the_holidays_of_its_shift() {
    let named = ShiftHolidays { calendars: vec!["HOL-1".to_owned()], skips: false };
    let settings = ShiftSettings { level: None, holidays: Some(named) };
    let schedule = Schedule::stored(&[], &[taken(Some(settings))], &holidays(&["2026-12-05"])).unwrap();
    assert_eq!(schedule.holidays(Label::Override(0)).len(), 1);
    assert!(schedule.calendars().contains("HOL-1"), "it is read again when the calendar changes");
}

#[test]
fn holidays_of_versions_are_in_order_though_the_shift_moved_up() {
    let edit = millis("2026-12-10");
    let versions = [shift(edit, None), row::Shift { position: 1, ..shift(0, Some(edit)) }];
    let schedule = Schedule::stored(&versions, &[], &holidays(&["2026-12-05", "2026-12-15"])).unwrap();
    assert!(schedule.holidays(Label::Version(0)).is_sorted_by_key(|one| one.time));
}
