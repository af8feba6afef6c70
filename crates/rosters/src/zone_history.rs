//! Which time zone a roster has when. Pure.

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Interval, Zone};

use crate::roster::{row::Version, rules};

/// From when on a roster has which zone, in order; before the first instant it has the first, and without any GMT.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneHistory(Vec<(Timestamp, Zone)>);

impl ZoneHistory {
    /// By the versions of a roster, oldest first.
    ///
    /// # Errors
    /// 500 when something that was stored cannot be read.
    pub fn of(versions: &[Version]) -> Result<Self, Problem> {
        let mut zones: Vec<(Timestamp, Zone)> = Vec::with_capacity(1);
        for version in versions {
            let zone = rules::zone(&version.zone)?;
            if zones.last().is_none_or(|(_, last)| *last != zone) {
                zones.push((Timestamp::from_millis(version.valid_from_ms), zone));
            }
        }
        Ok(Self(zones))
    }

    /// One zone all the time.
    pub fn always(zone: Zone) -> Self {
        Self(vec![(Timestamp::from_millis(0), zone)])
    }

    /// The zone at an instant.
    pub fn at(&self, at: Timestamp) -> Zone {
        let last = self.0.iter().rfind(|(since, _)| *since <= at).or(self.0.first());
        last.map_or(Zone::GMT, |(_, zone)| *zone)
    }

    /// The parts of a stretch of time, each with its zone.
    pub fn parts(&self, time: Interval) -> impl Iterator<Item = (Interval, Zone)> {
        let changes = self.0.iter().skip(1).map(|(since, _)| *since);
        parts(time, changes).map(|part| (part, self.at(part.start())))
    }
}

/// The parts of a stretch of time between these instants, which are in order.
pub fn parts(time: Interval, cuts: impl Iterator<Item = Timestamp>) -> impl Iterator<Item = Interval> {
    let mut start = time.start();
    let inner = cuts.filter(move |cut| time.start() < *cut && *cut < time.end());
    inner.chain([time.end()]).filter_map(move |cut| Interval::new(std::mem::replace(&mut start, cut), cut))
}

#[cfg(test)]
impl ZoneHistory {
    /// From these instants on these zones.
    pub fn since(zones: Vec<(Timestamp, Zone)>) -> Self {
        Self(zones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(from: i64, to: i64) -> Interval {
        Interval::new(Timestamp::from_millis(from), Timestamp::from_millis(to)).unwrap()
    }

    #[test]
    fn a_stretch_has_the_zone_that_the_roster_has_then() {
        let (paris, lima) = (Zone::find("Europe/Paris").unwrap(), Zone::find("America/Lima").unwrap());
        let zones = ZoneHistory::since(vec![(Timestamp::from_millis(10), paris), (Timestamp::from_millis(20), lima)]);
        let parts = |from, to| zones.parts(time(from, to)).collect::<Vec<_>>();
        assert_eq!(parts(0, 30), [(time(0, 20), paris), (time(20, 30), lima)]);
        assert_eq!((parts(0, 20), parts(20, 21)), (vec![(time(0, 20), paris)], vec![(time(20, 21), lima)]));
        assert_eq!(ZoneHistory::default().at(Timestamp::from_millis(5)), Zone::GMT);
    }
}
