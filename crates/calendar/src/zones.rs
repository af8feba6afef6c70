//! The time zones that the service knows, and their database.

use std::{fmt, sync::OnceLock};

use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::{Serialize, Serializer, ser::SerializeStruct};

/// One supported time zone: `{id,name,label,code}` on the wire (operation 11 of `docs/interface.md`).
///
/// There is one value per zone, so copies are cheap and compare by identity.
#[derive(Clone, Copy)]
pub struct Zone(&'static Entry);

struct Entry {
    id: &'static str,
    name: &'static str,
    label: &'static str,
    code: &'static str,
    /// The name in the IANA database where the interface has one of its own.
    iana: &'static str,
    loaded: OnceLock<TimeZone>,
}

const fn entry(id: &'static str, name: &'static str, label: &'static str, code: &'static str) -> Entry {
    renamed(id, name, label, code, name)
}

const fn renamed(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    code: &'static str,
    iana: &'static str,
) -> Entry {
    Entry { id, name, label, code, iana, loaded: OnceLock::new() }
}

/// The interface's list in its order, which gives the ids, and then what only maintenance windows know. Label and code
/// are those of standard time.
static ZONES: [Entry; 28] = [
    // No such zone exists elsewhere; the offset and the code say that Samoa is meant.
    renamed("1", "Pacific/Asia", "GMT -11:00 Samoa", "SST", "Pacific/Pago_Pago"),
    entry("2", "Pacific/Honolulu", "GMT -10:00 Hawaii", "HST"),
    entry("3", "America/Anchorage", "GMT -09:00 Alaska", "AKST"),
    entry("4", "America/Los_Angeles", "GMT -08:00 Pacific Time", "PST"),
    entry("5", "America/Denver", "GMT -07:00 Mountain Time", "MST"),
    entry("6", "America/Chicago", "GMT -06:00 Central Time", "CST"),
    entry("7", "America/New_York", "GMT -05:00 Eastern Time", "EST"),
    entry("8", "America/Puerto_Rico", "GMT -04:00 Puerto Rico", "AST"),
    entry("9", "America/St_Johns", "GMT -03:30 Newfoundland", "NST"),
    entry("10", "America/Buenos_Aires", "GMT -03:00 Argentina", "ART"),
    entry("11", "Atlantic/Azores", "GMT -01:00 Azores", "AZOT"),
    entry("12", "GMT", "GMT +00:00 Greenwich Mean Time", "GMT"),
    entry("13", "Europe/Paris", "GMT +01:00 Central Europe", "CET"),
    entry("14", "Europe/Istanbul", "GMT +03:00 Turkey", "TRT"),
    entry("15", "Africa/Addis_Ababa", "GMT +03:00 East Africa", "EAT"),
    entry("16", "Asia/Tehran", "GMT +03:30 Iran", "IRST"),
    entry("17", "Asia/Yerevan", "GMT +04:00 Armenia", "AMT"),
    entry("18", "Asia/Karachi", "GMT +05:00 Pakistan", "PKT"),
    entry("19", "Asia/Calcutta", "GMT +05:30 India", "IST"),
    entry("20", "Asia/Dacca", "GMT +06:00 Bangladesh", "BDT"),
    entry("21", "Asia/Saigon", "GMT +07:00 Vietnam", "ICT"),
    entry("22", "Asia/Shanghai", "GMT +08:00 China", "CST"),
    entry("23", "Asia/Tokyo", "GMT +09:00 Japan", "JST"),
    entry("24", "Australia/Darwin", "GMT +09:30 Northern Territory", "ACST"),
    entry("25", "Australia/Sydney", "GMT +10:00 Eastern Australia", "AEST"),
    entry("26", "Pacific/Guadalcanal", "GMT +11:00 Solomon Islands", "SBT"),
    entry("27", "Pacific/Auckland", "GMT +12:00 New Zealand", "NZST"),
    entry("28", "Europe/London", "GMT +00:00 United Kingdom", "GMT"),
];

/// How many zones a roster may name; the rest is for maintenance windows only.
const FOR_ROSTERS: usize = 27;

impl Zone {
    /// Greenwich Mean Time, where a schedule has no zone of its own.
    pub const GMT: Zone = Zone(&ZONES[11]);

    /// The zones that a roster may name, in the interface's order.
    pub fn all() -> impl Iterator<Item = Zone> {
        Zone::all_for_maintenance().take(FOR_ROSTERS)
    }

    /// The zones that a maintenance window may name: those of [`Zone::all`] and `Europe/London`.
    pub fn all_for_maintenance() -> impl Iterator<Item = Zone> {
        ZONES.iter().map(Zone)
    }

    /// A zone that a roster may name, given in any letter case.
    pub fn find(name: &str) -> Option<Zone> {
        Zone::all().find(|zone| zone.name().eq_ignore_ascii_case(name))
    }

    /// A zone that a maintenance window may name, given in any letter case.
    pub fn find_for_maintenance(name: &str) -> Option<Zone> {
        Zone::all_for_maintenance().find(|zone| zone.name().eq_ignore_ascii_case(name))
    }

    /// The position in the interface's list, from `1`; `28` is `Europe/London`.
    pub fn id(self) -> &'static str {
        self.0.id
    }

    /// The name, as the interface spells it: `Asia/Calcutta`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What people read: `GMT +05:30 India`, the offset being that of standard time.
    pub fn label(self) -> &'static str {
        self.0.label
    }

    /// The abbreviation of standard time: `IST`.
    pub fn code(self) -> &'static str {
        self.0.code
    }

    /// The zone in the bundled database, so that an answer does not depend on the machine.
    pub(crate) fn time_zone(self) -> &'static TimeZone {
        self.0.loaded.get_or_init(|| {
            // A test loads every entry, so the fallback is for the compiler.
            TimeZoneDatabase::bundled().get(self.0.iana).unwrap_or(TimeZone::UTC)
        })
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Zone {}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.0.name)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Serialize for Zone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Zone", 4)?;
        object.serialize_field("id", self.0.id)?;
        object.serialize_field("name", self.0.name)?;
        object.serialize_field("label", self.0.label)?;
        object.serialize_field("code", self.0.code)?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn ids_are_positions_and_the_database_has_every_zone() {
        for (index, zone) in Zone::all_for_maintenance().enumerate() {
            assert_eq!(zone.id(), (index + 1).to_string());
            let loaded = TimeZoneDatabase::bundled().get(zone.0.iana).unwrap();
            assert_eq!(zone.time_zone(), &loaded, "{zone}");
        }
        assert_eq!(Zone::all().count(), 27);
        assert_eq!(Zone::GMT.name(), "GMT");
    }

    #[test]
    fn labels_have_the_standard_offset() {
        for zone in Zone::all_for_maintenance() {
            let offset = |month| {
                let noon = date(2026, month, 15).at(12, 0, 0, 0).to_zoned(zone.time_zone().clone()).unwrap();
                noon.offset().seconds()
            };
            let seconds = offset(1).min(offset(7));
            let (hours, minutes) = (seconds.abs() / 3_600, seconds.abs() / 60 % 60);
            let sign = if seconds < 0 { '-' } else { '+' };
            let expected = format!("GMT {sign}{hours:02}:{minutes:02} ");
            assert!(zone.label().starts_with(&expected), "{zone}: {} is no {expected}", zone.label());
        }
    }

    #[test]
    fn looks_like_the_interface() {
        let calcutta = Zone::find("asia/CALCUTTA").unwrap();
        let expected = r#"{"id":"19","name":"Asia/Calcutta","label":"GMT +05:30 India","code":"IST"}"#;
        assert_eq!(serde_json::to_string(&calcutta).unwrap(), expected);
        let samoa = Zone::find("Pacific/Asia").unwrap();
        assert_eq!((samoa.id(), samoa.code()), ("1", "SST"));
    }

    #[test]
    fn only_the_listed_names_exist() {
        for name in ["Asia/Kolkata", "Pacific/Pago_Pago", "Europe/Berlin", "UTC", "", " GMT", "Europe/London"] {
            assert_eq!(Zone::find(name), None, "{name}");
        }
        assert_eq!(Zone::find_for_maintenance("Europe/london").map(Zone::id), Some("28"));
        assert_eq!(Zone::find_for_maintenance("gmt"), Some(Zone::GMT));
    }
}
