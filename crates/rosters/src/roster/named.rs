//! Whom the shifts of a request name.

use base::problem::{Wrong, shorten};
use db::{Conn, Result};
use ports::People;

use super::{
    change::ShiftChange,
    crew::{Crew, user_id},
};
use crate::crowd::Crowd;

/// Adds whoever is not of these tenants to what is wrong.
pub fn check(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    shifts: &[ShiftChange],
    wrong: &mut Wrong,
) -> Result<()> {
    let lists: Vec<(String, &[String], &[String])> =
        (0..).zip(shifts).flat_map(|(index, shift)| lists(index, shift)).collect();
    let crews: Vec<Crew> = lists.iter().map(|(_, users, groups)| Crew::new(users, groups)).collect();
    let crowd = Crowd::load(conn, people, tenants, &crews, [])?;
    for (path, users, groups) in lists {
        for (place, id) in users.iter().enumerate().filter(|(_, id)| crowd.user(&user_id(id)).is_none()) {
            let message = format!("names no user of the tenant or its partner: {}", shorten(id));
            wrong.add(&format!("{path}.users[{place}].id"), message);
        }
        for (place, id) in groups.iter().enumerate().filter(|(_, id)| crowd.group(id).is_none()) {
            let message = format!("names no user group of the tenant or its partner: {}", shorten(id));
            wrong.add(&format!("{path}.userGroups[{place}].uniqueId"), message);
        }
    }
    Ok(())
}

/// The users and groups of a shift and of the places of its rotation, each with its path.
fn lists(index: usize, shift: &ShiftChange) -> impl Iterator<Item = (String, &[String], &[String])> {
    let own = (format!("shiftDetails[{index}]"), shift.users.as_deref(), shift.groups.as_deref());
    let places = shift.rotation.iter().flat_map(|rotation| &rotation.order).enumerate();
    let places = places.map(move |(place, (users, groups))| {
        (format!("shiftDetails[{index}].rotation.order[{place}]"), Some(users.as_slice()), Some(groups.as_slice()))
    });
    std::iter::once(own)
        .chain(places)
        .map(|(path, users, groups)| (path, users.unwrap_or_default(), groups.unwrap_or_default()))
}
