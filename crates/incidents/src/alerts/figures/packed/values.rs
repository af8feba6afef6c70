//! What alerts are counted by, and how many there are of each value.

use std::collections::{HashMap, HashSet};

use base::problem::Problem;

use super::super::{
    rules::{By, Counts, MOST_VALUES, too_much},
    store::Question,
};
use crate::alerts::days::{
    numbers::{put_text, text},
    pack::{Column, Day},
};

/// A value, and what there is of it.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// The place of its tenant; of values that mean the same to all tenants, 0.
    pub tenant: usize,
    /// The value.
    pub text: String,
    /// How many alerts.
    pub counts: Counts,
    /// How many of them were escalated.
    pub escalated: i64,
}

/// The values that alerts have, by what a question asks for.
pub struct Values {
    by: By,
    scope: HashSet<String>,
    places: Vec<HashMap<Box<[u8]>, u32>>,
    /// All of them.
    pub all: Vec<Value>,
}

/// The values of the alerts of a day, with their own pages: by problem and resource, or by who was told.
pub struct ValuesOfDay {
    by_told: bool,
    ends: Vec<usize>,
    values: Vec<(u32, u32)>,
}

impl ValuesOfDay {
    const fn new(by_told: bool) -> Self {
        Self { by_told, ends: Vec::new(), values: Vec::new() }
    }

    fn push(&mut self, values: impl IntoIterator<Item = (u32, u32)>) {
        self.values.extend(values);
        self.ends.push(self.values.len());
    }

    /// Those of an alert.
    #[inline]
    pub fn of(&self, subject: usize, told: usize) -> &[(u32, u32)] {
        let place = if self.by_told { told } else { subject };
        let from = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let to = self.ends.get(place).copied().unwrap_or(from);
        &self.values[from..to]
    }

    /// Do they follow from problem and resource?
    pub const fn is_of_subject(&self) -> bool {
        !self.by_told
    }
}

impl Values {
    /// None yet.
    pub fn new(asked: &Question) -> Self {
        let tenants = if asked.by.is_of_resource() { asked.scope.len() } else { 1 };
        let scope = asked.scope.iter().cloned().collect();
        Self { by: asked.by, scope, places: vec![HashMap::new(); tenants], all: Vec::new() }
    }

    /// The number of a value; a new one when it is not known.
    ///
    /// # Errors
    /// 400 when there are too many values.
    fn number(&mut self, tenant: usize, packed: &[u8]) -> Result<u32, Problem> {
        let tenant = if self.by.is_of_resource() { tenant } else { 0 };
        let places = &mut self.places[tenant];
        if let Some(number) = places.get(packed) {
            return Ok(*number);
        }
        if self.all.len() >= MOST_VALUES {
            return Err(too_much());
        }
        let number = self.all.len() as u32;
        places.insert(packed.into(), number);
        let text = text(packed).unwrap_or_default();
        self.all.push(Value { tenant, text, ..Value::default() });
        Ok(number)
    }

    /// The values of the alerts of a day.
    ///
    /// # Errors
    /// 400 when there are too many values.
    pub fn of_day(&mut self, tenant: usize, day: &Day<'_>) -> Result<ValuesOfDay, Problem> {
        match self.by {
            By::Service | By::Owner | By::Resource => self.of_resources(tenant, day),
            By::Person | By::Roster | By::Route => self.of_told(tenant, day),
        }
    }

    fn of_resources(&mut self, tenant: usize, day: &Day<'_>) -> Result<ValuesOfDay, Problem> {
        let mut found = ValuesOfDay::new(false);
        let mut numbers = Vec::with_capacity(day.resources.len());
        for packed in &day.resources {
            numbers.push(self.number(tenant, packed)?);
        }
        let mut without = None;
        if self.by.is_of_resource() && day.subjects.iter().any(|subject| subject.resource.is_none()) {
            let mut nothing = Vec::new();
            put_text(&mut nothing, "");
            without = Some(self.number(tenant, &nothing)?);
        }
        for subject in &day.subjects {
            let number = subject.resource.map_or(without, |place| numbers.get(place).copied());
            found.push(number.map(|number| (number, 0)));
        }
        Ok(found)
    }

    fn of_told(&mut self, tenant: usize, day: &Day<'_>) -> Result<ValuesOfDay, Problem> {
        let mut found = ValuesOfDay::new(true);
        let in_scope = |packed: &&[u8]| text(packed).is_some_and(|name| self.scope.contains(&name));
        let in_scope: Vec<bool> = day.names.iter().map(in_scope).collect();
        let is_in_scope = |name: usize| in_scope.get(name).copied().unwrap_or_default();
        for told in &day.told {
            // Of what its partner has, a client is not told.
            let named: Vec<(usize, u32)> = match self.by {
                By::Person => told.people.clone(),
                By::Roster => {
                    let own = told.rosters.iter().filter(|(tenant, ..)| is_in_scope(*tenant));
                    own.map(|(_, id, pages)| (*id, *pages)).collect()
                }
                _ => told.route.filter(|(tenant, _)| is_in_scope(*tenant)).map(|(_, id)| (id, 0)).into_iter().collect(),
            };
            let mut values: Vec<(u32, u32)> = Vec::new();
            for (name, pages) in named {
                let Some(packed) = day.names.get(name) else { continue };
                let number = self.number(tenant, packed)?;
                match values.iter_mut().find(|(known, _)| *known == number) {
                    Some(known) => known.1 += pages,
                    None => values.push((number, pages)),
                }
            }
            found.push(values);
        }
        Ok(found)
    }

    /// Counts the alerts of a day.
    ///
    /// # Errors
    /// 400 when there are too many values.
    pub fn count(&mut self, tenant: usize, day: &Day<'_>) -> Result<(), Problem> {
        let values = self.of_day(tenant, day)?;
        let has_own = self.by.has_own_pages();
        let columns = day.column(Column::Subject).zip(day.column(Column::Told));
        let times = day.column(Column::Acknowledged).zip(day.column(Column::Closed));
        for ((subject, place), (acknowledged, closed)) in columns.zip(times) {
            let Some(told) = day.told.get(place as usize) else { continue };
            for (number, own) in values.of(subject as usize, place as usize) {
                let Value { counts, escalated, .. } = &mut self.all[*number as usize];
                counts.alerts += 1;
                counts.pages += i64::from(if has_own { *own } else { told.pages });
                counts.acknowledged += i64::from(acknowledged > 0);
                counts.closed += i64::from(closed > 0);
                counts.noise += i64::from(closed > 0 && acknowledged == 0);
                *escalated += i64::from(told.escalated);
            }
        }
        Ok(())
    }
}
