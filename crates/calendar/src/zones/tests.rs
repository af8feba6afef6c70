use jiff::civil::date;

use super::*;

fn every() -> impl Iterator<Item = Zone> {
    Zone::all().chain(OTHERS.iter().map(|(_, entry)| Zone(entry)))
}

#[test]
fn ids_are_positions_and_the_database_has_every_zone() {
    for (index, zone) in Zone::all().enumerate() {
        assert_eq!(zone.id(), (index + 1).to_string());
    }
    for zone in every() {
        let loaded = TimeZoneDatabase::bundled().get(&zone.0.iana).unwrap();
        assert_eq!(zone.time_zone(), &loaded, "{zone}");
        assert_eq!(Zone::find(&zone.name().to_uppercase()), Some(zone));
        assert!(zone.name().len() <= LONGEST_NAME && !zone.code().is_empty(), "{zone}");
    }
    assert_eq!(Zone::all().count(), 27);
    assert_eq!(Zone::GMT.name(), "GMT");
    assert!(OTHERS.len() > 400, "{}", OTHERS.len());
}

#[test]
fn labels_have_the_standard_offset() {
    for zone in every() {
        let offset = |month| {
            let noon = date(2026, month, 15).at(12, 0, 0, 0).to_zoned(zone.time_zone().clone()).unwrap();
            noon.offset().seconds()
        };
        let seconds = offset(1).min(offset(7));
        let hours = seconds.abs() / 3_600;
        let minutes = seconds.abs() / 60 % 60;
        let sign = if seconds < 0 { '-' } else { '+' };
        let expected = format!("GMT {sign}{hours:02}:{minutes:02} ");
        assert!(zone.label().starts_with(&expected), "{zone}: {} is not {expected}", zone.label());
    }
}

#[test]
fn the_database_says_which_it_is() {
    let version = Zone::database_version();
    let (year, release) = version.split_at(4);
    assert!(year.parse::<u16>().unwrap() >= 2024 && release.len() == 1, "{version}");
    assert!(Zone::others().any(|zone| zone.name() == "Europe/Kiev"), "links are names too");
}

#[test]
fn looks_like_the_interface() {
    let calcutta = Zone::find("asia/CALCUTTA").unwrap();
    let expected = r#"{"id":"19","name":"Asia/Calcutta","label":"GMT +05:30 India","code":"IST"}"#;
    assert_eq!(serde_json::to_string(&calcutta).unwrap(), expected);
    let samoa = Zone::find("Pacific/Asia").unwrap();
    assert_eq!((samoa.id(), samoa.code()), ("1", "SST"));
    let berlin = Zone::find("europe/berlin").unwrap();
    let expected = r#"{"id":"Europe/Berlin","name":"Europe/Berlin","label":"GMT +01:00 Europe/Berlin","code":"CET"}"#;
    assert_eq!(serde_json::to_string(&berlin).unwrap(), expected);
    for (name, code) in
        [("Asia/Kolkata", "IST"), ("Europe/London", "GMT"), ("UTC", "UTC"), ("America/Sao_Paulo", "-03")]
    {
        assert_eq!(Zone::find(name).unwrap().code(), code, "{name}");
    }
}

#[test]
fn a_name_that_does_not_exist_has_near_ones() {
    for name in ["Mars/Olympus", "Factory", "", " GMT", "Europe", &"x".repeat(5_000)] {
        assert_eq!(Zone::find(name), None, "{name}");
    }
    for (name, near) in [
        ("Europe/Berlinn", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("europe/sao_paulo", "America/Sao_Paulo"),
        ("America/New York", "America/New_York"),
        (" GMT", "GMT"),
        ("Asia/Kalkutta", "Asia/Calcutta"),
    ] {
        assert_eq!(Zone::suggestions(name).first(), Some(&near), "{name}");
        assert!(Zone::suggestions(name).len() <= SUGGESTED);
    }
    assert_eq!(Zone::suggestions("Middle-earth/Minas_Tirith"), Vec::<&str>::new());
    assert_eq!(Zone::suggestions(&"x".repeat(5_000)), Vec::<&str>::new());
}
