//! What is read: packed days, and rows that are packed for one question.

use std::{collections::HashSet, ops::Range};

use base::timestamp::DAY_MS;
use db::{Condition, Conn, Result};

use super::super::store::Question;
use crate::alerts::{
    days::{
        pack::{Day, Packer},
        record::{Record, day_of, first_id_of_time, id_number, id_text, time_of_id},
        rows::{AlertSelection, Reader},
        store::{self as days, PackedDay},
    },
    store as alerts,
};

/// The most alerts that are read from rows: of more, the database answers as well.
const MOST_OF_ROWS: i64 = 400_000;

/// Alerts that are packed together, and those that are opened at once.
const PACKED_TOGETHER: usize = 20_000;
const OPENED_TOGETHER: i64 = 200_000;

/// Ids that one statement looks for.
const AT_ONCE: usize = 100;

/// A part of the alerts.
enum Source {
    /// A packed day.
    Kept(PackedDay),
    /// Packed from rows, with the ids.
    Fresh(Vec<u8>, Vec<u128>),
}

/// All alerts of a question.
pub struct Sources {
    /// The tenants in reach.
    pub tenants: Vec<String>,
    /// The place of a tenant, and what there is of it.
    all: Vec<(usize, Source)>,
}

/// An alert of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AlertPlace {
    /// The time of its id.
    pub time: u64,
    /// The source.
    pub source: u32,
    /// Its place in the order of ids.
    pub ordinal: u32,
    /// How many before it have the same time.
    pub before: u32,
}

impl Sources {
    /// Those of a question; `None` when there are no packed days that it can be answered by.
    pub fn find(conn: &mut Conn, asked: &Question) -> Result<Option<Self>> {
        let (first, end) = (-(-asked.from_ms).div_euclid(DAY_MS), asked.to_ms.div_euclid(DAY_MS));
        let mut found = Self { tenants: asked.scope.clone(), all: Vec::new() };
        let mut rest = Vec::new();
        let mut count = 0;
        for (place, tenant) in asked.scope.iter().enumerate() {
            let kept = days::kept(conn, tenant, first, end)?;
            let ranges = uncovered(asked.from_ms..asked.to_ms, &kept);
            for range in &ranges {
                count += count_of_rows(conn, tenant, range)?;
            }
            rest.push((ranges, kept.iter().map(|kept| kept.day).collect::<HashSet<i64>>()));
            found.all.extend(kept.into_iter().map(|kept| (place, Source::Kept(kept))));
        }
        if found.all.is_empty() || count > MOST_OF_ROWS {
            return Ok(None);
        }
        for (place, (ranges, days)) in rest.into_iter().enumerate() {
            if !found.read_rows(conn, asked, place, &ranges, &days)? {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Adds what is to be read from the rows of a tenant; false when it cannot be packed.
    fn read_rows(
        &mut self,
        conn: &mut Conn,
        asked: &Question,
        place: usize,
        ranges: &[Range<i64>],
        days: &HashSet<i64>,
    ) -> Result<bool> {
        let mut packer = Packer::default();
        let all = &mut self.all;
        let mut finish = |packer: &mut Packer| {
            let (bytes, ids) = std::mem::take(packer).finish();
            all.push((place, Source::Fresh(bytes, ids)));
        };
        let mut take = |record: Record| {
            packer.add(record);
            if packer.len() >= PACKED_TOGETHER {
                finish(&mut packer);
            }
            true
        };
        let mut reader = Reader::new(&asked.scope[place], asked.paged);
        for range in ranges {
            if !reader.range(conn, (range.start, range.end), AlertSelection::All, &mut take)? {
                return Ok(false);
            }
        }
        let is_whole = reader.finish(conn, &mut take)? && (days.is_empty() || reader.open(conn, days, &mut take)?);
        if packer.len() > 0 {
            finish(&mut packer);
        }
        Ok(is_whole)
    }

    /// Opens all of them, one after the other: place of the source, place of the tenant, and the alerts. False when one
    /// cannot be opened.
    pub fn each(&self, conn: &mut Conn, each: &mut dyn FnMut(u32, usize, &Day<'_>) -> Result<()>) -> Result<bool> {
        let mut place = 0;
        while let Some((tenant, source)) = self.all.get(place) {
            let read = match source {
                Source::Fresh(bytes, _) => {
                    let Some(day) = Day::open(bytes) else { return Ok(false) };
                    each(place as u32, *tenant, &day)?;
                    1
                }
                Source::Kept(first) => self.open_kept(conn, place, *tenant, *first, each)?,
            };
            if read == 0 {
                return Ok(false);
            }
            place += read;
        }
        Ok(true)
    }

    /// Opens packed days from one on; answers how many, and 0 when one cannot be opened.
    fn open_kept(
        &self,
        conn: &mut Conn,
        place: usize,
        tenant: usize,
        first: PackedDay,
        each: &mut dyn FnMut(u32, usize, &Day<'_>) -> Result<()>,
    ) -> Result<usize> {
        let (mut last, mut count, mut alerts) = (first, 0, 0);
        for (_, source) in self.all[place..].iter().take_while(|(other, _)| *other == tenant) {
            let Source::Kept(kept) = source else { break };
            alerts += kept.alerts;
            if count > 0 && alerts > OPENED_TOGETHER {
                break;
            }
            (last, count) = (*kept, count + 1);
        }
        let contents = days::contents(conn, &self.tenants[tenant], first.day, last.day)?;
        if contents.len() != count {
            return Ok(0);
        }
        for (offset, (_, bytes)) in contents.iter().enumerate() {
            let Some(day) = Day::open(bytes) else { return Ok(0) };
            each((place + offset) as u32, tenant, &day)?;
        }
        Ok(count)
    }

    /// The tenant of a source.
    pub fn tenant(&self, source: u32) -> &str {
        &self.tenants[self.all[source as usize].0]
    }

    /// The ids of some alerts.
    pub fn ids(&self, conn: &mut Conn, places: &[AlertPlace]) -> Result<Vec<Option<u128>>> {
        let mut ids = vec![None; places.len()];
        let mut by_tenant: Vec<Vec<usize>> = vec![Vec::new(); self.tenants.len()];
        for (index, place) in places.iter().enumerate() {
            match &self.all[place.source as usize] {
                (_, Source::Fresh(_, known)) => ids[index] = known.get(place.ordinal as usize).copied(),
                (tenant, Source::Kept(_)) => by_tenant[*tenant].push(index),
            }
        }
        for (tenant, indexes) in by_tenant.iter().enumerate() {
            for indexes in indexes.chunks(AT_ONCE) {
                let times = indexes.iter().map(|index| places[*index].time);
                let found = ids_of_times(conn, &self.tenants[tenant], times)?;
                for index in indexes {
                    let place = places[*index];
                    let (_, Source::Kept(kept)) = &self.all[place.source as usize] else { continue };
                    let same = found.iter().filter(|(time, day, _)| (*time, *day) == (place.time, kept.day));
                    ids[*index] = same.map(|(_, _, id)| *id).nth(place.before as usize);
                }
            }
        }
        Ok(ids)
    }
}

/// Closed alerts whose ids have one of these times, in the order of ids: that time, the day and the id.
fn ids_of_times(conn: &mut Conn, tenant: &str, times: impl Iterator<Item = u64>) -> Result<Vec<(u64, i64, u128)>> {
    let range = |time: u64| (id_text(first_id_of_time(time)), id_text(first_id_of_time(time + 1) - 1));
    let times: HashSet<u64> = times.collect();
    let found = alerts::closed_ids(conn, tenant, times.into_iter().map(range))?;
    let mut ids: Vec<(u64, i64, u128)> = found
        .into_iter()
        .filter_map(|(id, created_ms)| {
            let number = id_number(&id)?;
            Some((time_of_id(number), day_of(created_ms), number))
        })
        .collect();
    ids.sort_unstable_by_key(|(_, _, id)| *id);
    Ok(ids)
}

/// How many alerts of a tenant were taken in within a range.
fn count_of_rows(conn: &mut Conn, tenant: &str, range: &Range<i64>) -> Result<i64> {
    let own = Condition::sql("alerts.tenant_id = ").text(tenant).then(" AND alerts.created_ms >= ");
    let own = own.integer(range.start).then(" AND alerts.created_ms < ").integer(range.end);
    alerts::count(conn, &own)
}

/// The parts of a range that no packed day covers. Those come in their order.
fn uncovered(range: Range<i64>, kept: &[PackedDay]) -> Vec<Range<i64>> {
    let mut from = range.start;
    let mut parts = Vec::new();
    for kept in kept {
        let begin = kept.day * DAY_MS;
        if from < begin {
            parts.push(from..begin);
        }
        from = begin + DAY_MS;
    }
    if from < range.end {
        parts.push(from..range.end);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_day_covers_is_left() {
        let kept = |days: &[i64]| days.iter().map(|day| PackedDay { day: *day, alerts: 1 }).collect::<Vec<_>>();
        let day = |number: i64| number * DAY_MS;
        assert_eq!(uncovered(5..day(9), &[]), [5..day(9), day(9)..day(9)][..1]);
        assert_eq!(
            uncovered(5..day(9) + 7, &kept(&[1, 2, 4, 8])),
            [5..day(1), day(3)..day(4), day(5)..day(8), day(9)..day(9) + 7]
        );
        assert_eq!(uncovered(day(1)..day(3), &kept(&[1, 2])), []);
    }
}
