//! Whom the shifts of a request name.

use base::problem::{FieldErrors, shorten};
use db::{Conn, Result};
use ports::People;

use super::input::{NewRotation, NewShift, ShiftChange, calendar_ids, group_ids, user_ids};
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

/// Adds the people and calendars of holidays that are not of these tenants to what is wrong; answers with all people
/// who are named.
pub fn check<'s, S: Into<Named<'s>>>(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    shifts: impl IntoIterator<Item = S>,
    wrong: &mut FieldErrors,
) -> Result<RosterPeople> {
    let shifts: Vec<Named<'s>> = shifts.into_iter().map(Into::into).collect();
    let calendars: Vec<String> = shifts.iter().flat_map(|shift| shift.calendars.iter().cloned()).collect();
    let known = dated_holidays::store::versions(conn, tenants, &calendars)?;
    for (index, shift) in shifts.iter().enumerate() {
        for (place, id) in shift.calendars.iter().enumerate().filter(|(_, id)| !known.contains_key(*id)) {
            let field = format!("shiftDetails[{index}].holidays[{place}].id");
            wrong.unknown(&field, "calendar of holidays of the tenant or its partner", id);
        }
    }
    let lists: Vec<_> = (0..).zip(shifts).flat_map(|(index, shift)| shift.lists(index)).collect();
    let crews: Vec<Crew> = lists.iter().map(|(_, users, groups)| Crew::new(users, groups)).collect();
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
    Ok(known)
}
