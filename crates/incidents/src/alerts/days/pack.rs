//! Many alerts as bytes.
//!
//! First come lists of what they have in common (resources, problems of resources, names, and who was told), then one
//! column after the other, with a number for each alert, in the order of their ids.

use std::collections::HashMap;

use super::{
    numbers::{Numbers, put, put_count, put_text, take_bytes, take_count, take_small, take_text},
    record::{Recipients, Record, time_of_id},
};

/// How the bytes are made up. A copy of another format is made again.
pub const FORMAT: i64 = 1;

/// The bytes of a problem.
const PROBLEM: usize = 12;

/// A column.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// The time of the id, from that of the alert before.
    Time,
    /// The place of problem and resource in [`Day::subjects`].
    Subject,
    /// The place in [`Day::told`].
    Told,
    /// The seconds until it was acknowledged, and one; 0 when it was not.
    Acknowledged,
    /// The seconds until it was closed, and one; 0 when it is not.
    Closed,
}

const COLUMNS: usize = 5;

/// Different things by when they came first.
#[derive(Clone, Debug)]
struct Places<T> {
    of: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { of: HashMap::new(), all: Vec::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Places<T> {
    fn place(&mut self, thing: T) -> u32 {
        let next = self.all.len() as u32;
        let all = &mut self.all;
        *self.of.entry(thing).or_insert_with_key(|thing| {
            all.push(thing.clone());
            next
        })
    }
}

/// Problem and resource of an alert, and nothing for no resource.
type SubjectOf = (u128, Option<u32>);

#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u128,
    subject: u32,
    told: u32,
    acknowledged: u32,
    closed: u32,
}

/// Takes alerts, and packs them.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    resources: Places<String>,
    subjects: Places<SubjectOf>,
    told: Places<Recipients>,
    entries: Vec<Entry>,
}

impl Packer {
    /// How many it took.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Takes one.
    pub fn add(&mut self, record: Record) {
        let Record { id, problem, resource, acknowledged, closed, told } = record;
        let resource = resource.map(|resource| self.resources.place(resource));
        let number = |seconds: Option<u32>| seconds.map_or(0, |seconds| seconds.saturating_add(1));
        self.entries.push(Entry {
            id,
            subject: self.subjects.place((problem, resource)),
            told: self.told.place(told),
            acknowledged: number(acknowledged),
            closed: number(closed),
        });
    }

    /// The bytes, and the ids in their order.
    pub fn finish(mut self) -> (Vec<u8>, Vec<u128>) {
        self.entries.sort_unstable_by_key(|entry| entry.id);
        let mut bytes = Vec::new();
        put_count(&mut bytes, self.entries.len());
        put_count(&mut bytes, self.resources.all.len());
        self.resources.all.iter().for_each(|resource| put_text(&mut bytes, resource));
        put_count(&mut bytes, self.subjects.all.len());
        for (problem, resource) in &self.subjects.all {
            bytes.extend(problem.to_be_bytes().iter().skip(16 - PROBLEM));
            put(&mut bytes, resource.map_or(0, |place| u64::from(place) + 1));
        }
        put_told(&mut bytes, &self.told.all);
        let mut columns: [Vec<u8>; COLUMNS] = Default::default();
        let mut before = 0;
        for Entry { id, subject, told, acknowledged, closed } in &self.entries {
            let time = time_of_id(*id);
            let numbers = [time - before, (*subject).into(), (*told).into(), (*acknowledged).into(), (*closed).into()];
            columns.iter_mut().zip(numbers).for_each(|(column, number)| put(column, number));
            before = time;
        }
        for column in &columns {
            put_count(&mut bytes, column.len());
            bytes.extend(column);
        }
        (bytes, self.entries.iter().map(|entry| entry.id).collect())
    }
}

fn put_told(bytes: &mut Vec<u8>, all: &[Recipients]) {
    let mut names = Places::default();
    let mut told = Vec::new();
    put_count(&mut told, all.len());
    for Recipients { route, pages, escalated, people, rosters } in all {
        let mut name = |told: &mut Vec<u8>, text: &String| put(told, names.place(text.clone()).into());
        told.push(u8::from(route.is_some()) | u8::from(*escalated) << 1);
        if let Some((tenant, id)) = route {
            name(&mut told, tenant);
            name(&mut told, id);
        }
        put(&mut told, (*pages).into());
        put_count(&mut told, people.len());
        for (id, pages) in people {
            name(&mut told, id);
            put(&mut told, (*pages).into());
        }
        put_count(&mut told, rosters.len());
        for (tenant, id, pages) in rosters {
            name(&mut told, tenant);
            name(&mut told, id);
            put(&mut told, (*pages).into());
        }
    }
    put_count(bytes, names.all.len());
    names.all.iter().for_each(|name| put_text(bytes, name));
    bytes.extend(told);
}

/// Problem and resource that alerts have in common.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// [`Record::problem`].
    pub problem: u128,
    /// The place of the resource in [`Day::resources`].
    pub resource: Option<usize>,
}

/// As [`Recipients`], with the places of ids in [`Day::names`].
#[derive(Clone, Debug)]
pub struct RecipientPlaces {
    /// Tenant and id.
    pub route: Option<(usize, usize)>,
    /// How many pages.
    pub pages: u32,
    /// Was somebody to be told by a step behind the first?
    pub escalated: bool,
    /// Id and pages.
    pub people: Vec<(usize, u32)>,
    /// Tenant, id and pages.
    pub rosters: Vec<(usize, usize, u32)>,
}

/// Packed alerts, opened.
#[derive(Debug)]
pub struct Day<'a> {
    /// How many there are.
    pub alerts: usize,
    /// The resources, as [`numbers::text`](super::numbers::text) reads them.
    pub resources: Vec<&'a [u8]>,
    /// Problems and resources.
    pub subjects: Vec<Subject>,
    /// The names of people, rosters, routes and their tenants, as those of resources.
    pub names: Vec<&'a [u8]>,
    /// Who was told.
    pub told: Vec<RecipientPlaces>,
    columns: [&'a [u8]; COLUMNS],
}

impl<'a> Day<'a> {
    /// Opens what [`Packer::finish`] made; `None` when it did not make it.
    pub fn open(mut bytes: &'a [u8]) -> Option<Self> {
        let from = &mut bytes;
        let alerts = take_count(from)?;
        let resources = list(from, take_text)?;
        let subjects = list(from, subject)?;
        let names = list(from, take_text)?;
        let told = list(from, told)?;
        let mut columns: [&[u8]; COLUMNS] = Default::default();
        for column in &mut columns {
            let length = take_count(from)?;
            *column = take_bytes(from, length)?;
            if Numbers(column).total() != alerts {
                return None;
            }
        }
        Some(Self { alerts, resources, subjects, names, told, columns })
    }

    /// The numbers of a column.
    pub const fn column(&self, column: Column) -> Numbers<'a> {
        Numbers(self.columns[column as usize])
    }
}

fn list<'a, T>(from: &mut &'a [u8], each: impl Fn(&mut &'a [u8]) -> Option<T>) -> Option<Vec<T>> {
    let count = take_count(from)?;
    let mut all = Vec::with_capacity(count.min(from.len()));
    for _ in 0..count {
        all.push(each(from)?);
    }
    Some(all)
}

fn subject(from: &mut &[u8]) -> Option<Subject> {
    let problem = take_bytes(from, PROBLEM)?.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
    Some(Subject { problem, resource: take_count(from)?.checked_sub(1) })
}

fn told(from: &mut &[u8]) -> Option<RecipientPlaces> {
    let flags = *take_bytes(from, 1)?.first()?;
    let route = if flags & 1 == 1 { Some((take_count(from)?, take_count(from)?)) } else { None };
    Some(RecipientPlaces {
        route,
        pages: take_small(from)?,
        escalated: flags & 2 == 2,
        people: list(from, |from| Some((take_count(from)?, take_small(from)?)))?,
        rosters: list(from, |from| Some((take_count(from)?, take_count(from)?, take_small(from)?)))?,
    })
}

#[cfg(test)]
mod tests {
    use super::{super::record::id_number, *};

    #[test]
    fn alerts_are_packed_in_the_order_of_their_ids() {
        let id = |last: u32| id_number(&format!("ALT-0190a6b2-8f0e-7f6e-9d5a-{last:012x}")).unwrap();
        let told = Recipients {
            route: Some(("t".into(), "r".into())),
            pages: 3,
            escalated: true,
            people: vec![("u".into(), 2)],
            rosters: vec![("t".into(), "o".into(), 2)],
        };
        let record = Record {
            id: id(2),
            problem: 7,
            resource: Some("m".into()),
            acknowledged: None,
            closed: Some(0),
            told: told.clone(),
        };
        let mut packer = Packer::default();
        packer.add(record.clone());
        packer.add(Record {
            id: id(1),
            resource: None,
            acknowledged: Some(300),
            told: Recipients::default(),
            ..record
        });
        let (bytes, ids) = packer.finish();
        assert_eq!(ids, [id(1), id(2)]);
        let day = Day::open(&bytes).unwrap();
        let column = |column| day.column(column).collect::<Vec<_>>();
        assert_eq!((day.alerts, day.resources.len(), day.subjects.len(), day.told.len()), (2, 1, 2, 2));
        assert_eq!(column(Column::Time), [0x0190_a6b2_8f0e, 0]);
        assert_eq!((column(Column::Subject), column(Column::Told)), (vec![1, 0], vec![1, 0]));
        assert_eq!((column(Column::Acknowledged), column(Column::Closed)), (vec![301, 0], vec![1, 1]));
        assert_eq!((day.subjects[0].problem, day.subjects[0].resource, day.subjects[1].resource), (7, Some(0), None));
        let first = &day.told[0];
        assert_eq!((first.pages, first.escalated, first.route), (3, true, Some((0, 1))));
        assert_eq!((&*first.people, &*first.rosters), (&[(2, 2)][..], &[(0, 3, 2)][..]));
        // A part of it, and anything else, is not taken for it.
        assert!((0..bytes.len()).all(|length| Day::open(&bytes[..length]).is_none()));
    }
}
