//! The people who stand in rosters, as another domain knows them: now, and at any time before.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use base::{problem::FieldErrors, timestamp::Timestamp};
use calendar::Interval;
use db::{Conn, Result};
use ports::{Author, Membership, People, PeopleGroup, Person};

use crate::crew::Crew;

/// Users and groups by id, and the members of the groups.
#[derive(Clone, Debug, Default)]
pub struct RosterPeople {
    users: HashMap<String, Arc<Person>>,
    groups: HashMap<String, Arc<PeopleGroup>>,
    former: Former,
    /// When anybody became another, in order; worked out when it is asked for.
    changes: OnceLock<Vec<Timestamp>>,
}

/// How they were.
#[derive(Clone, Debug, Default)]
struct Former {
    /// Users as they were until an instant, oldest first.
    users: HashMap<String, Vec<(Timestamp, Person)>>,
    /// Groups as they were until an instant, oldest first.
    groups: HashMap<String, Vec<(Timestamp, PeopleGroup)>>,
    /// Of each group, who was not there always.
    members: HashMap<String, Vec<Membership>>,
}

impl RosterPeople {
    /// Those whom these crews and ids of users name, as they are now.
    pub fn load<'c>(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        crews: impl IntoIterator<Item = &'c Crew>,
        users: impl IntoIterator<Item = String>,
    ) -> Result<Self> {
        Self::since(conn, people, tenants, (crews, users), None)
    }

    /// The same, and as they were since an instant.
    pub fn since<'c>(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        (crews, users): (impl IntoIterator<Item = &'c Crew>, impl IntoIterator<Item = String>),
        since: Option<Timestamp>,
    ) -> Result<Self> {
        let (mut ids, mut groups): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        ids.extend(users);
        for crew in crews {
            ids.extend(crew.users.iter().cloned());
            groups.extend(crew.groups.iter().cloned());
        }
        Self::read(conn, people, tenants, (ids, groups), since)
    }

    /// Users and groups, and the members of the groups.
    fn read(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        (mut ids, group_ids): (BTreeSet<String>, BTreeSet<String>),
        since: Option<Timestamp>,
    ) -> Result<Self> {
        let group_ids: Vec<String> = group_ids.into_iter().collect();
        let mut former = Former::default();
        let groups = if group_ids.is_empty() { Vec::new() } else { people.groups(conn, tenants, &group_ids)? };
        ids.extend(groups.iter().flat_map(|group| group.members.iter().cloned()));
        if let Some(since) = since.filter(|_| !group_ids.is_empty()) {
            let were = people.former_groups(conn, tenants, &group_ids, since)?;
            ids.extend(were.members.iter().map(|member| member.user.clone()));
            for (until, group) in were.groups {
                former.groups.entry(group.unique_id.clone()).or_default().push((until, group));
            }
            for member in were.members {
                former.members.entry(member.group.clone()).or_default().push(member);
            }
        }
        let ids: Vec<String> = ids.into_iter().collect();
        let users = if ids.is_empty() { Vec::new() } else { people.users(conn, tenants, &ids)? };
        if let Some(since) = since.filter(|_| !ids.is_empty()) {
            for (until, user) in people.former_users(conn, tenants, &ids, since)? {
                former.users.entry(user.id.clone()).or_default().push((until, user));
            }
        }
        Ok(Self {
            users: users.into_iter().map(|user| (user.id.clone(), Arc::new(user))).collect(),
            groups: groups.into_iter().map(|group| (group.unique_id.clone(), Arc::new(group))).collect(),
            former,
            changes: OnceLock::new(),
        })
    }

    /// The same after the people of some tenants (`changed`) have changed, with those whom these crews and ids name
    /// newly; and the ids of users and groups that are not as they were. Newly named ones belong to one of `tenants`.
    pub fn renewed<'c>(
        &self,
        conn: &mut Conn,
        people: &dyn People,
        (tenants, changed): (&[String], &HashSet<&str>),
        (crews, users): (impl IntoIterator<Item = &'c Crew>, impl IntoIterator<Item = String>),
        since: Timestamp,
    ) -> Result<(Self, HashSet<String>)> {
        let of_changed = |tenant: &String| changed.contains(tenant.as_str());
        let known = self.users.iter().filter(|(_, user)| of_changed(&user.tenant_id)).map(|(id, _)| id.clone());
        let mut ids: BTreeSet<String> = known.collect();
        let known = self.groups.iter().filter(|(_, group)| of_changed(&group.tenant_id)).map(|(id, _)| id.clone());
        let mut group_ids: BTreeSet<String> = known.collect();
        ids.extend(users.into_iter().filter(|id| !self.users.contains_key(id)));
        for crew in crews {
            ids.extend(crew.users.iter().filter(|id| !self.users.contains_key(*id)).cloned());
            group_ids.extend(crew.groups.iter().filter(|id| !self.groups.contains_key(*id)).cloned());
        }
        let mut all = Self { changes: OnceLock::new(), ..self.clone() };
        let mut others = HashSet::new();
        if ids.is_empty() && group_ids.is_empty() {
            return Ok((all, others));
        }
        let read = Self::read(conn, people, tenants, (ids, group_ids), Some(since))?;
        for (id, user) in read.users {
            let former = read.former.users.get(&id);
            if self.users.get(&id) != Some(&user) || self.former.users.get(&id) != former {
                replace(&mut all.former.users, &id, former);
                all.users.insert(id.clone(), user);
                others.insert(id);
            }
        }
        for (id, group) in read.groups {
            let (former, members) = (read.former.groups.get(&id), read.former.members.get(&id));
            let before = (self.groups.get(&id), self.former.groups.get(&id), self.former.members.get(&id));
            if before != (Some(&group), former, members) {
                replace(&mut all.former.groups, &id, former);
                replace(&mut all.former.members, &id, members);
                all.groups.insert(id.clone(), group);
                others.insert(id);
            }
        }
        Ok((all, others))
    }

    /// How many there are, groups and former states among them.
    pub fn len(&self) -> usize {
        let Former { users, groups, members } = &self.former;
        let former = users.values().map(Vec::len).chain(groups.values().map(Vec::len));
        self.users.len() + self.groups.len() + former.chain(members.values().map(Vec::len)).sum::<usize>()
    }

    /// Notes an id that is not a user's.
    pub fn check_user(&self, id: &str, field: &str, wrong: &mut FieldErrors) {
        if self.user(id).is_none() {
            wrong.unknown(field, "user of the tenant or its partner", id);
        }
    }

    /// A user, as it is now.
    pub fn user(&self, id: &str) -> Option<&Person> {
        self.users.get(id).map(|user| &**user)
    }

    /// A user, as it was or is at an instant.
    pub fn user_at(&self, id: &str, at: Timestamp) -> Option<&Person> {
        let before = self.former.users.get(id).and_then(|states| states.iter().find(|(until, _)| at < *until));
        before.map(|(_, user)| user).or_else(|| self.user(id))
    }

    /// Is a user one of this tenant?
    pub fn is_of(&self, id: &str, tenant: &str) -> bool {
        self.user(id).is_some_and(|user| user.tenant_id == tenant)
    }

    /// The ids of those of this tenant.
    pub fn of_tenant(&self, tenant: &str) -> HashSet<String> {
        self.users.values().filter(|user| user.tenant_id == tenant).map(|user| user.id.clone()).collect()
    }

    /// Who made something; of one that cannot be found, the id alone.
    pub fn author(&self, id: &str) -> Author {
        self.user(id).map_or_else(|| Author { id: id.to_owned(), ..Author::default() }, Author::from)
    }

    /// A group, as it is now.
    pub fn group(&self, id: &str) -> Option<&PeopleGroup> {
        self.groups.get(id).map(|group| &**group)
    }

    fn group_at(&self, id: &str, at: Timestamp) -> Option<&PeopleGroup> {
        let before = self.former.groups.get(id).and_then(|states| states.iter().find(|(until, _)| at < *until));
        before.map(|(_, group)| group).or_else(|| self.group(id))
    }

    /// The users that a crew names itself.
    pub fn users<'s>(&'s self, crew: &'s Crew, at: Timestamp) -> impl Iterator<Item = &'s Person> {
        crew.users.iter().filter_map(move |id| self.user_at(id, at))
    }

    /// The groups that a crew names.
    pub fn groups<'s>(&'s self, crew: &'s Crew, at: Timestamp) -> impl Iterator<Item = &'s PeopleGroup> {
        crew.groups.iter().filter_map(move |id| self.group_at(id, at))
    }

    /// The ids of those who are in a group at an instant.
    fn members<'s>(&'s self, id: &str, at: Timestamp) -> Vec<&'s str> {
        let now = self.groups.get(id).map(|group| group.members.as_slice()).unwrap_or_default().iter();
        let Some(dated) = self.former.members.get(id) else { return now.map(String::as_str).collect() };
        let later: HashSet<&str> =
            dated.iter().filter(|one| one.until.is_none() && at < one.since).map(|one| one.user.as_str()).collect();
        let were = dated.iter().filter(|one| one.since <= at && one.until.is_some_and(|until| at < until));
        let present = now.map(String::as_str).filter(|user| !later.contains(user));
        present.chain(were.map(|one| one.user.as_str())).collect()
    }

    /// The ids of all whom a crew names, itself or by a group, now or before.
    pub fn ever<'s>(&'s self, crew: &'s Crew) -> BTreeSet<&'s str> {
        let now = crew.groups.iter().filter_map(|id| self.groups.get(id)).flat_map(|group| &group.members);
        let were = crew.groups.iter().filter_map(|id| self.former.members.get(id)).flatten().map(|one| &one.user);
        crew.users.iter().chain(now).chain(were).map(String::as_str).collect()
    }

    /// Those who are on call at an instant where their group is: nobody when the group is not in use.
    pub fn active_members<'s>(&'s self, group: &str, at: Timestamp) -> Vec<&'s str> {
        let is_active = self.group_at(group, at).is_some_and(|group| group.activated);
        if is_active { self.members(group, at) } else { Vec::new() }
    }

    /// Everybody whom a crew puts on call at an instant, each once: its users, and the members of its groups. Who is
    /// not in use, or only in a group that is not, cannot be called.
    pub fn on_call<'s>(&'s self, crew: &'s Crew, at: Timestamp) -> Vec<&'s str> {
        let groups = crew.groups.iter().filter(|id| self.group_at(id, at).is_some_and(|group| group.activated));
        let members = groups.flat_map(|id| self.members(id, at));
        let mut seen = HashSet::new();
        let named = crew.users.iter().map(String::as_str).chain(members);
        named.filter(|id| self.is_active(id, at) && seen.insert(*id)).collect()
    }

    /// Does a crew name a user, itself or by a group, now or before?
    pub fn may_name(&self, crew: &Crew, user: &str) -> bool {
        let in_group = |id: &String| {
            let now = self.groups.get(id).is_some_and(|group| group.members.iter().any(|member| member == user));
            now || self.former.members.get(id).into_iter().flatten().any(|member| member.user == user)
        };
        crew.users.iter().any(|id| id == user) || crew.groups.iter().any(in_group)
    }

    /// Does a crew name one of these users or groups, itself or by a group, now or before?
    pub fn concerns(&self, crew: &Crew, ids: &HashSet<String>) -> bool {
        let in_group = |id: &String| {
            let now = self.groups.get(id).is_some_and(|group| group.members.iter().any(|member| ids.contains(member)));
            let were = || self.former.members.get(id).into_iter().flatten();
            ids.contains(id) || now || were().any(|member| ids.contains(&member.user))
        };
        crew.users.iter().any(|id| ids.contains(id)) || crew.groups.iter().any(in_group)
    }

    /// Is a user in use at an instant?
    pub fn is_active(&self, id: &str, at: Timestamp) -> bool {
        self.user_at(id, at).is_some_and(|user| user.activated)
    }

    /// Has nobody ever been otherwise, as far as that was asked?
    pub fn is_steady(&self) -> bool {
        self.former.users.is_empty() && self.former.groups.is_empty() && self.former.members.is_empty()
    }

    /// The instants within a stretch of time at which a crew, or one of these users, may have become others.
    pub fn changes<'s>(
        &'s self,
        crew: Option<&'s Crew>,
        users: impl Iterator<Item = &'s str>,
        within: Interval,
    ) -> BTreeSet<Timestamp> {
        let mut changes = BTreeSet::new();
        if self.is_steady() {
            return changes;
        }
        let mut of_user = |id: &str| {
            changes.extend(self.former.users.get(id).into_iter().flatten().map(|(until, _)| *until));
        };
        users.for_each(&mut of_user);
        for id in crew.into_iter().flat_map(|crew| &crew.users) {
            of_user(id);
        }
        for id in crew.into_iter().flat_map(|crew| &crew.groups) {
            let present = self.groups.get(id).map(|group| group.members.as_slice()).unwrap_or_default();
            let dated = self.former.members.get(id).map(Vec::as_slice).unwrap_or_default();
            present.iter().chain(dated.iter().map(|one| &one.user)).for_each(|user| of_user(user));
        }
        changes.extend(crew.into_iter().flat_map(|crew| &crew.groups).flat_map(|id| self.changes_of_group(id)));
        changes.retain(|at| within.start() < *at && *at < within.end());
        changes
    }

    /// The instants at which a group, or who is in it, became another.
    pub fn changes_of_group(&self, id: &str) -> impl Iterator<Item = Timestamp> {
        let groups = self.former.groups.get(id).into_iter().flatten().map(|(until, _)| *until);
        let members = self.former.members.get(id).into_iter().flatten();
        groups.chain(members.flat_map(|one| [one.since].into_iter().chain(one.until)))
    }

    /// When anybody of it becomes another after an instant.
    pub fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        let sorted = || {
            let users = self.former.users.values().flatten().map(|(until, _)| *until);
            let groups = self.former.groups.values().flatten().map(|(until, _)| *until);
            let members = self.former.members.values().flatten();
            let members = members.flat_map(|one| [one.since].into_iter().chain(one.until));
            let mut changes: Vec<Timestamp> = users.chain(groups).chain(members).collect();
            changes.sort_unstable();
            changes
        };
        let changes = self.changes.get_or_init(sorted);
        changes.get(changes.partition_point(|at| *at <= after)).copied()
    }
}

fn replace<T: Clone>(all: &mut HashMap<String, T>, id: &str, by: Option<&T>) {
    match by {
        Some(by) => all.insert(id.to_owned(), by.clone()),
        None => all.remove(id),
    };
}

#[cfg(test)]
impl RosterPeople {
    /// Users that are in use.
    pub fn of(ids: &[&str]) -> Self {
        let user = |id: &&str| Arc::new(Person { id: (*id).to_owned(), activated: true, ..Person::default() });
        Self { users: ids.iter().map(|id| ((*id).to_owned(), user(id))).collect(), ..Self::default() }
    }

    /// The same with a user as it is now.
    pub fn now(mut self, user: Person) -> Self {
        self.users.insert(user.id.clone(), Arc::new(user));
        self
    }

    /// The same with users as they were until an instant, and a group.
    pub fn with(mut self, group: &str, former: Vec<(Timestamp, Person)>, members: Vec<Membership>) -> Self {
        for (until, user) in former {
            self.former.users.entry(user.id.clone()).or_default().push((until, user));
        }
        let now = members.iter().filter(|one| one.until.is_none()).map(|one| one.user.clone()).collect();
        let whole = PeopleGroup {
            tenant_id: String::new(),
            unique_id: group.to_owned(),
            name: group.to_owned(),
            description: String::new(),
            created: Timestamp::from_millis(0),
            updated: None,
            activated: true,
            members: now,
        };
        self.groups.insert(group.to_owned(), Arc::new(whole));
        self.former.members.insert(group.to_owned(), members);
        self
    }
}
