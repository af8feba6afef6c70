//! The people who stand in rosters, as another domain knows them.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::problem::{FieldError, Problem, shorten};
use db::{Conn, Result};
use ports::{People, PeopleGroup, Person};

use crate::roster::rules::{Crew, user_id};

/// Users and groups by id, and the members of the groups.
#[derive(Debug, Default)]
pub struct Crowd {
    users: HashMap<String, Person>,
    groups: HashMap<String, PeopleGroup>,
}

impl Crowd {
    /// Those whom these crews and ids of users name.
    pub fn load<'c>(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        crews: impl IntoIterator<Item = &'c Crew>,
        users: impl IntoIterator<Item = String>,
    ) -> Result<Self> {
        let (mut ids, mut group_ids): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        ids.extend(users);
        for crew in crews {
            ids.extend(crew.users.iter().cloned());
            group_ids.extend(crew.groups.iter().cloned());
        }
        let group_ids: Vec<String> = group_ids.into_iter().collect();
        let groups = if group_ids.is_empty() { Vec::new() } else { people.groups(conn, tenants, &group_ids)? };
        ids.extend(groups.iter().flat_map(|group| group.members.iter().cloned()));
        let ids: Vec<String> = ids.into_iter().collect();
        let users = if ids.is_empty() { Vec::new() } else { people.users(conn, tenants, &ids)? };
        Ok(Self {
            users: users.into_iter().map(|user| (user.id.clone(), user)).collect(),
            groups: groups.into_iter().map(|group| (group.unique_id.clone(), group)).collect(),
        })
    }

    /// A user.
    pub fn user(&self, id: &str) -> Option<&Person> {
        self.users.get(id)
    }

    /// The users that a crew names itself.
    pub fn users<'s>(&'s self, crew: &'s Crew) -> impl Iterator<Item = &'s Person> {
        crew.users.iter().filter_map(|id| self.users.get(id))
    }

    /// The groups that a crew names.
    pub fn groups<'s>(&'s self, crew: &'s Crew) -> impl Iterator<Item = &'s PeopleGroup> {
        crew.groups.iter().filter_map(|id| self.groups.get(id))
    }

    /// Everybody whom a crew puts on call, each once: its users, and the members of its groups. Who is not in use any
    /// more, or only in a group that is not, cannot be called.
    pub fn on_call<'s>(&'s self, crew: &'s Crew) -> Vec<&'s Person> {
        let members = self.groups(crew).filter(|group| group.activated).flat_map(|group| &group.members);
        let members = members.filter_map(|id| self.users.get(id));
        let mut seen = HashSet::new();
        self.users(crew).chain(members).filter(|person| person.activated && seen.insert(person.id.as_str())).collect()
    }
}

/// The ids that a shift of a request names, by the place of the shift.
pub struct Named<'r> {
    /// The place of the shift in `shiftDetails`.
    pub index: usize,
    /// As they were given.
    pub users: &'r [String],
    /// As they were given.
    pub groups: &'r [String],
}

/// Refuses whoever is not of these tenants.
///
/// # Errors
/// 400 that names each of them, by its path.
pub fn check(conn: &mut Conn, people: &dyn People, tenants: &[String], named: &[Named<'_>]) -> Result<()> {
    let crews: Vec<Crew> = named.iter().map(|shift| Crew::new(shift.users, shift.groups)).collect();
    let crowd = Crowd::load(conn, people, tenants, &crews, [])?;
    let mut errors = Vec::new();
    for Named { index, users, groups } in named {
        for (place, id) in users.iter().enumerate().filter(|(_, id)| !crowd.users.contains_key(&user_id(id))) {
            let path = format!("shiftDetails[{index}].users[{place}].id");
            errors.push(FieldError::new(path, format!("names no user of the tenant or its partner: {}", shorten(id))));
        }
        for (place, id) in groups.iter().enumerate().filter(|(_, id)| !crowd.groups.contains_key(*id)) {
            let path = format!("shiftDetails[{index}].userGroups[{place}].uniqueId");
            let message = format!("names no user group of the tenant or its partner: {}", shorten(id));
            errors.push(FieldError::new(path, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Problem::fields(errors).into()) }
}
