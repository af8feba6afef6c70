//! The people who stand in rosters, as another domain knows them.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::problem::{Wrong, shorten};
use db::{Conn, Result};
use ports::{Author, People, PeopleGroup, Person};

use crate::roster::{
    rules::{Crew, user_id},
    wire::ShiftChange,
};

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

    /// Who made something; of one that cannot be found, the id alone.
    pub fn author(&self, id: &str) -> Author {
        self.user(id).map_or_else(|| Author { id: id.to_owned(), ..Author::default() }, Author::from)
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

/// Looks up whom the shifts of a request name; whoever is not of these tenants is added to what is wrong.
pub fn check(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    shifts: &[ShiftChange],
    wrong: &mut Wrong,
) -> Result<()> {
    let crew = |shift: &ShiftChange| {
        Crew::new(shift.users.as_deref().unwrap_or_default(), shift.groups.as_deref().unwrap_or_default())
    };
    let crews: Vec<Crew> = shifts.iter().map(crew).collect();
    let crowd = Crowd::load(conn, people, tenants, &crews, [])?;
    for (index, shift) in shifts.iter().enumerate() {
        let users = shift.users.iter().flatten().enumerate();
        for (place, id) in users.filter(|(_, id)| !crowd.users.contains_key(&user_id(id))) {
            let path = format!("shiftDetails[{index}].users[{place}].id");
            wrong.add(&path, format!("names no user of the tenant or its partner: {}", shorten(id)));
        }
        let groups = shift.groups.iter().flatten().enumerate();
        for (place, id) in groups.filter(|(_, id)| !crowd.groups.contains_key(*id)) {
            let path = format!("shiftDetails[{index}].userGroups[{place}].uniqueId");
            wrong.add(&path, format!("names no user group of the tenant or its partner: {}", shorten(id)));
        }
    }
    Ok(())
}
