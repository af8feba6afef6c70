//! For which user group somebody is on call through a shift. Pure.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use base::timestamp::Timestamp;

use crate::{
    lines::{Assignment, Label},
    people::RosterPeople,
    schedule::Schedule,
};

/// Groups, in the order in which a shift names them, with their members.
type Members<'s> = Rc<Vec<(&'s str, HashSet<&'s str>)>>;

/// Finds the groups of the shifts of a roster.
pub struct ShiftGroups<'s> {
    schedule: &'s Schedule,
    staff: &'s RosterPeople,
    known: HashMap<Label, Members<'s>>,
}

impl<'s> ShiftGroups<'s> {
    /// Of a roster with these people.
    pub fn new(schedule: &'s Schedule, staff: &'s RosterPeople) -> Self {
        Self { schedule, staff, known: HashMap::new() }
    }

    /// The groups of a shift and who is in them at an instant. Those of an override while no shift takes place are
    /// those of all shifts.
    pub fn of(&mut self, shift: Label, at: Timestamp) -> Members<'s> {
        if let Some(known) = self.known.get(&shift).filter(|_| self.staff.is_steady()) {
            return Rc::clone(known);
        }
        let members = |group: &'s str| (group, self.staff.active_members(group, at).into_iter().collect());
        let found: Members<'s> = Rc::new(self.named(shift).into_iter().map(members).collect());
        self.known.insert(shift, Rc::clone(&found));
        found
    }

    /// The ids of the groups that a shift names, itself or in its rotation.
    fn named(&self, shift: Label) -> Vec<&'s str> {
        let schedule = self.schedule;
        let id = schedule.shift(shift).map(|(id, _)| id);
        let versions = (0..).zip(&schedule.lines.versions).filter(|(place, version)| match shift {
            Label::Version(own) => own == *place,
            _ => id.is_none_or(|id| id == version.id),
        });
        let posts = versions
            .flat_map(|(version, _)| (0..).map_while(move |number| schedule.crew(Assignment { version, number })));
        let mut seen = HashSet::new();
        posts.flat_map(|crew| &crew.groups).map(String::as_str).filter(|group| seen.insert(*group)).collect()
    }
}
