//! For which user group somebody is on call through a shift. Pure.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
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
    /// By the id of the shift, and how many of its edges lie before.
    known: HashMap<(Option<&'s str>, usize), Members<'s>>,
    /// By the id of the shift.
    edges: HashMap<Option<&'s str>, Rc<Vec<Timestamp>>>,
}

impl<'s> ShiftGroups<'s> {
    /// Of a roster with these people.
    pub fn new(schedule: &'s Schedule, staff: &'s RosterPeople) -> Self {
        Self { schedule, staff, known: HashMap::new(), edges: HashMap::new() }
    }

    /// The groups of a shift and who is in them at an instant. Those of an override while no shift takes place are
    /// those of all shifts.
    pub fn of(&mut self, shift: Label, at: Timestamp) -> Members<'s> {
        let id = self.id(shift);
        let before = self.edges(shift).partition_point(|edge| *edge <= at);
        if let Some(known) = self.known.get(&(id, before)) {
            return Rc::clone(known);
        }
        let versions = &self.schedule.lines.versions;
        let all = self.versions(id);
        let holds = |place: &usize| versions.get(*place).is_some_and(|version| version.valid.contains(at));
        let now: Vec<usize> = all.iter().copied().filter(holds).collect();
        // An override goes on when its shift has ended.
        let now = if now.is_empty() { all } else { now };
        let members = |group: &'s str| (group, self.staff.active_members(group, at).into_iter().collect());
        let found: Members<'s> = Rc::new(self.named(&now).into_iter().map(members).collect());
        self.known.insert((id, before), Rc::clone(&found));
        found
    }

    /// When the groups of a shift, or those who are in them, may have become others, in order.
    pub fn edges(&mut self, shift: Label) -> Rc<Vec<Timestamp>> {
        let id = self.id(shift);
        if let Some(known) = self.edges.get(&id) {
            return Rc::clone(known);
        }
        let versions = self.versions(id);
        let valid = versions.iter().filter_map(|place| self.schedule.lines.versions.get(*place));
        let valid = valid.flat_map(|version| [version.valid.start(), version.valid.end()]);
        let members = self.named(&versions).into_iter().flat_map(|group| self.staff.changes_of_group(group));
        let edges: BTreeSet<Timestamp> = valid.chain(members).collect();
        let found = Rc::new(edges.into_iter().collect());
        self.edges.insert(id, Rc::clone(&found));
        found
    }

    fn id(&self, shift: Label) -> Option<&'s str> {
        self.schedule.shift(shift).map(|(id, _)| id)
    }

    /// The versions of a shift, or of all of them, by their places.
    fn versions(&self, id: Option<&str>) -> Vec<usize> {
        let all = self.schedule.lines.versions.iter().enumerate();
        all.filter(|(_, version)| id.is_none_or(|id| id == version.id)).map(|(place, _)| place).collect()
    }

    /// The ids of the groups that versions of shifts name, themselves or in their rotations.
    fn named(&self, versions: &[usize]) -> Vec<&'s str> {
        let schedule = self.schedule;
        let posts = versions
            .iter()
            .flat_map(|version| (0..).map_while(|number| schedule.crew(Assignment { version: *version, number })));
        let mut seen = HashSet::new();
        posts.flat_map(|crew| &crew.groups).map(String::as_str).filter(|group| seen.insert(*group)).collect()
    }
}
