//! Whom the shifts of a request name.

use base::problem::{FieldErrors, shorten};
use db::{Conn, Result};
use ports::People;

use super::input::{
    ConflictRecipient, NewRotation, NewShift, RosterChange, ShiftChange, calendar_ids, group_ids, user_ids,
};
use crate::{
    crew::{Crew, user_id},
    dated_holidays,
    people::RosterPeople,
};

/// The users and groups that a shift of a request names.
pub struct Named<'s> {
    users: Vec<String>,
    groups: Vec<String>,
    rotation: Option<&'s NewRotation>,
    calendars: Vec<String>,
}

impl<'s> From<&'s NewShift> for Named<'s> {
    fn from(shift: &'s NewShift) -> Self {
        let users = user_ids(&shift.users);
        let groups = group_ids(&shift.groups);
        Self { users, groups, rotation: shift.rotation.as_ref(), calendars: calendar_ids(&shift.holidays) }
    }
}

impl<'s> From<&'s ShiftChange> for Named<'s> {
    fn from(change: &'s ShiftChange) -> Self {
        let users = change.users.as_deref().map(user_ids).unwrap_or_default();
        let groups = change.groups.as_deref().map(group_ids).unwrap_or_default();
        let calendars = change.holidays.as_deref().map(calendar_ids).unwrap_or_default();
        Self { users, groups, rotation: change.rotation.as_ref(), calendars }
    }
}

impl Named<'_> {
    /// The users and groups of the shift itself and of the places of its rotation, each with its path.
    fn lists(self, index: usize) -> impl Iterator<Item = (String, Vec<String>, Vec<String>)> {
        let places = self.rotation.into_iter().flat_map(|rotation| &rotation.order).enumerate();
        let places = places.map(move |(place, named)| {
            let path = format!("shiftDetails[{index}].rotation.order[{place}]");
            (path, user_ids(&named.users), group_ids(&named.groups))
        });
        std::iter::once((format!("shiftDetails[{index}]"), self.users, self.groups)).chain(places)
    }
}

impl RosterChange {
    /// Adds the people that it names and that are not of these tenants to what is wrong.
    pub fn check_people(
        &self,
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        wrong: &mut FieldErrors,
    ) -> Result<RosterPeople> {
        let recipients = self.conflicts_to.as_deref().unwrap_or_default();
        check(conn, people, tenants, (self.shifts.iter().flatten(), recipients), wrong)
    }
}

/// Adds the people and holiday calendars that are not of these tenants to what is wrong; answers with all people
/// who are named.
pub fn check<'s, S: Into<Named<'s>>>(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    (shifts, recipients): (impl IntoIterator<Item = S>, &[ConflictRecipient]),
    wrong: &mut FieldErrors,
) -> Result<RosterPeople> {
    let shifts: Vec<Named<'s>> = shifts.into_iter().map(Into::into).collect();
    let calendars: Vec<String> = shifts.iter().flat_map(|shift| shift.calendars.iter().cloned()).collect();
    let known = dated_holidays::store::versions(conn, tenants, &calendars)?;
    for (index, shift) in shifts.iter().enumerate() {
        for (place, id) in shift.calendars.iter().enumerate().filter(|(_, id)| !known.contains_key(*id)) {
            let field = format!("shiftDetails[{index}].holidays[{place}].id");
            wrong.unknown(&field, "holiday calendar of the tenant or its partner", id);
        }
    }
    let lists: Vec<_> = (0..).zip(shifts).flat_map(|(index, shift)| shift.lists(index)).collect();
    let crews: Vec<Crew> = lists.iter().map(|(_, users, groups)| Crew::new(users, groups)).collect();
    let crews: Vec<Crew> = crews.into_iter().chain(ConflictRecipient::crew(recipients)).collect();
    let known = RosterPeople::load(conn, people, tenants, &crews, [])?;
    for (path, users, groups) in lists {
        for (place, id) in users.iter().enumerate().filter(|(_, id)| known.user(&user_id(id)).is_none()) {
            let message = format!("names no user of the tenant or its partner: {}", shorten(id));
            wrong.add(&format!("{path}.users[{place}].id"), message);
        }
        for (place, id) in groups.iter().enumerate().filter(|(_, id)| known.group(id).is_none()) {
            let message = format!("names no user group of the tenant or its partner: {}", shorten(id));
            wrong.add(&format!("{path}.userGroups[{place}].uniqueId"), message);
        }
    }
    for (place, one) in recipients.iter().enumerate() {
        if let Some(user) = one.user.as_ref().filter(|user| known.user(&user.user_id()).is_none()) {
            let message = format!("names no user of the tenant or its partner: {}", shorten(&user.id));
            wrong.add(&format!("conflictsTo[{place}].user.id"), message);
        }
        if let Some(group) = one.user_group.as_ref().filter(|group| known.group(&group.id).is_none()) {
            let message = format!("names no user group of the tenant or its partner: {}", shorten(&group.id));
            wrong.add(&format!("conflictsTo[{place}].userGroup.uniqueId"), message);
        }
    }
    Ok(known)
}
