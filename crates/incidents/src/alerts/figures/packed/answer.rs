//! From a question to figures, by walks over packed alerts.

use std::collections::HashMap;

use db::{Conn, Result};

use super::{
    super::{
        rules::{Figures, MOST_REPEATS, Repeat},
        store::Question,
    },
    repeats::{Candidate, Repeats, number_of},
    sources::{AlertPlace, Sources},
    spread::{ACKNOWLEDGED, CLOSED, Spreads},
    values::{Value, Values, ValuesOfDay},
};
use crate::alerts::days::{
    pack::{Column, Day},
    record::id_text,
};

/// The figures of a question.
pub struct Answer {
    /// By key.
    pub figures: Figures,
    /// Were keys left out?
    pub truncated: bool,
    /// How many alerts there are, those without a value among them.
    pub total: i64,
}

/// The keys of values that stand for keys: tenant, value, and its keys.
pub type KeysOf<'a> = &'a mut dyn FnMut(&mut Conn, Vec<(String, String)>) -> Result<Vec<(String, String, Vec<String>)>>;

/// Answers a question about all alerts of a range; `None` when it has to be answered from the rows.
pub fn answer(conn: &mut Conn, asked: &Question, keys_of: KeysOf<'_>) -> Result<Option<Answer>> {
    if !asked.is_of_all {
        return Ok(None);
    }
    let Some(sources) = Sources::find(conn, asked)? else { return Ok(None) };
    let mut values = Values::new(asked);
    let mut total = 0;
    let is_whole = sources.each(conn, &mut |_, tenant, day| {
        total += day.alerts as i64;
        Ok(values.count(tenant, day)?)
    })?;
    if !is_whole {
        tracing::warn!("a copy of the alerts of a day cannot be read");
        return Ok(None);
    }
    let mut figures = figures(conn, asked, &sources, &values.all, keys_of)?;
    let truncated = figures.keep();
    let places = |value: &Value| figures.places(&sources.tenants[value.tenant], &value.text).to_vec();
    let keys = values.all.iter().map(places).collect();
    let mut walk = Passes::new(keys, figures.all().len());
    walk.run(conn, &sources, &mut values, &figures)?;
    for (place, figure) in figures.all_mut().iter_mut().enumerate() {
        let spread = |what, count| walk.spreads.read(place, what, count);
        let counts = [figure.acknowledged.read().count, figure.closed.read().count];
        figure.acknowledged = spread(ACKNOWLEDGED, counts[0]).into();
        figure.closed = spread(CLOSED, counts[1]).into();
    }
    name_repeats(conn, &sources, walk.repeats.read(), &mut figures)?;
    Ok(Some(Answer { figures, truncated, total }))
}

/// What there is of each key.
fn figures(
    conn: &mut Conn,
    asked: &Question,
    sources: &Sources,
    values: &[Value],
    keys_of: KeysOf<'_>,
) -> Result<Figures> {
    let mut figures = if asked.by.is_of_resource() {
        let resources = values.iter().map(|value| (sources.tenants[value.tenant].clone(), value.text.clone()));
        let resources = resources.collect();
        Figures::by_keys(keys_of(conn, resources)?)
    } else {
        Figures::by_value()
    };
    for Value { tenant, text, counts, escalated } in values {
        let tenant = &sources.tenants[*tenant];
        figures.add_counts(tenant, text, counts)?;
        figures.add_pages(tenant, text, 0, *escalated);
    }
    Ok(figures)
}

/// What walks over all alerts collect for the keys of the answer.
struct Passes {
    /// The keys of each value.
    keys: Vec<Vec<usize>>,
    spreads: Spreads,
    repeats: Repeats,
    /// What is not known yet.
    wants_times: bool,
    wants_repeats: bool,
}

impl Passes {
    fn new(keys: Vec<Vec<usize>>, count: usize) -> Self {
        let (spreads, repeats) = (Spreads::new(count), Repeats::new(count));
        Self { keys, spreads, repeats, wants_times: true, wants_repeats: true }
    }

    fn run(&mut self, conn: &mut Conn, sources: &Sources, values: &mut Values, figures: &Figures) -> Result<()> {
        while self.wants_times || self.wants_repeats {
            sources.each(conn, &mut |source, tenant, day| {
                let values = values.of_day(tenant, day)?;
                if self.wants_times {
                    self.add_times(day, &values);
                }
                if self.wants_repeats {
                    self.add_repeats((source, tenant), day, &values);
                    self.repeats.divide();
                }
                Ok(())
            })?;
            if self.wants_times {
                let counts = figures.all().iter().map(|figure| {
                    let of = [&figure.acknowledged, &figure.closed];
                    of.map(|times| times.read().count)
                });
                self.wants_times = self.spreads.end_walk(counts);
            }
            if self.wants_repeats {
                let keys = |value: u32| self.keys.get(value as usize).map_or(&[][..], Vec::as_slice);
                self.wants_repeats = self.repeats.end_walk(keys);
            }
        }
        Ok(())
    }

    fn add_times(&mut self, day: &Day<'_>, values: &ValuesOfDay) {
        let places = day.column(Column::Subject).zip(day.column(Column::Told));
        let times = day.column(Column::Acknowledged).zip(day.column(Column::Closed));
        for ((subject, told), (acknowledged, closed)) in places.zip(times) {
            for (value, _) in values.of(subject as usize, told as usize) {
                for key in &self.keys[*value as usize] {
                    if acknowledged > 0 {
                        self.spreads.add(*key, ACKNOWLEDGED, (acknowledged - 1) as u32);
                    }
                    if closed > 0 {
                        self.spreads.add(*key, CLOSED, (closed - 1) as u32);
                    }
                }
            }
        }
    }

    fn add_repeats(&mut self, (source, tenant): (u32, usize), day: &Day<'_>, values: &ValuesOfDay) {
        let Self { keys, repeats, .. } = self;
        let group = |repeats: &mut Repeats, value: u32, subject: usize| {
            let problem = number_of(day.subjects.get(subject)?.problem, tenant);
            if keys[value as usize].is_empty() { None } else { repeats.group(value, problem) }
        };
        // Where value and problem belong together, they are looked for once a day.
        let groups: Vec<Option<u32>> = if values.is_of_subject() {
            let of_subject = |subject| {
                let (value, _) = values.of(subject, 0).first()?;
                group(repeats, *value, subject)
            };
            (0..day.subjects.len()).map(of_subject).collect()
        } else {
            Vec::new()
        };
        let mut alert = AlertPlace { source, ..AlertPlace::default() };
        let places = day.column(Column::Subject).zip(day.column(Column::Told));
        for (ordinal, (passed, (subject, told))) in day.column(Column::Time).zip(places).enumerate() {
            alert.before = if passed == 0 && ordinal > 0 { alert.before + 1 } else { 0 };
            alert.time += passed;
            alert.ordinal = ordinal as u32;
            if values.is_of_subject() {
                if let Some(Some(group)) = groups.get(subject as usize) {
                    repeats.add(*group, alert);
                }
                continue;
            }
            for (value, _) in values.of(subject as usize, told as usize) {
                if let Some(group) = group(repeats, *value, subject as usize) {
                    repeats.add(group, alert);
                }
            }
        }
    }
}

/// Puts the problems that came back most often in their order, with the ids of their latest alerts.
fn name_repeats(
    conn: &mut Conn,
    sources: &Sources,
    candidates: Vec<Vec<Candidate>>,
    figures: &mut Figures,
) -> Result<()> {
    let alerts_of = |one: &Candidate| [&[one.latest][..], &one.tied].concat();
    let mut places: Vec<AlertPlace> = candidates.iter().flatten().flat_map(alerts_of).collect();
    places.sort_unstable();
    places.dedup();
    let ids = sources.ids(conn, &places)?;
    let known: HashMap<AlertPlace, u128> =
        places.into_iter().zip(ids).filter_map(|(place, id)| Some((place, id?))).collect();
    for (figure, candidates) in figures.all_mut().iter_mut().zip(candidates) {
        let named = candidates.iter().filter_map(|one| {
            let id = alerts_of(one).iter().filter_map(|place| known.get(place)).max()?;
            Some((one.count, *id, one.latest.source))
        });
        let mut named: Vec<(u32, u128, u32)> = named.collect();
        named.sort_unstable_by(|one, other| other.cmp(one));
        named.truncate(MOST_REPEATS);
        let repeats = named.into_iter().map(|(count, id, source)| Repeat {
            count: count.into(),
            tenant: sources.tenant(source).to_owned(),
            alert: id_text(id),
        });
        figure.repeats = repeats.collect();
    }
    Ok(())
}
