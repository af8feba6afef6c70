//! What may be said of a roster, what an update does to its shifts, and which rosters a search means. Pure.

use std::collections::{HashMap, HashSet};

use base::{
    problem::{Problem, Wrong},
    query_string,
    text::fold,
    timestamp::Timestamp,
};
use calendar::{RosterSchedule, Zone};
use serde::{Deserialize, Serialize};

use super::{
    store::{Roster, Shift},
    wire::{NOBODY, NewRoster, NewShift, OffHours, RosterChange, ShiftChange},
};

/// What a search may be sorted by.
pub const SORTS: [&str; 3] = ["id", "name", "createdTime"];

/// The variables of a search.
const VARIABLES: [&str; 4] = ["id", "name", "allList", "isEquals"];

/// Who stands in a shift: ids, without repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crew {
    /// Of users.
    pub users: Vec<String>,
    /// Of user groups.
    pub groups: Vec<String>,
}

impl Crew {
    /// From what was given.
    pub fn new(users: &[String], groups: &[String]) -> Self {
        let distinct = |ids: &[String], read: fn(&str) -> String| {
            let mut seen = HashSet::new();
            ids.iter().map(|id| read(id)).filter(|id| seen.insert(id.clone())).collect()
        };
        Self { users: distinct(users, user_id), groups: distinct(groups, str::to_owned) }
    }

    /// Reads what [`Crew::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, Problem> {
        serde_json::from_str(text).map_err(|_| Problem::internal())
    }

    /// What is stored of it.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A user's id in its documented letter case.
pub fn user_id(text: &str) -> String {
    text.trim().to_ascii_uppercase()
}

/// An edit takes effect at this instant. Times are told in whole seconds, so it is the start of one.
pub fn effective_ms(now: Timestamp) -> i64 {
    now.millis().div_euclid(1_000) * 1_000
}

/// Reads a schedule that was stored.
pub fn schedule(text: &str) -> Result<RosterSchedule, Problem> {
    let value = serde_json::from_str(text).map_err(|_| Problem::internal())?;
    RosterSchedule::from_json(&value)
}

/// The zone of a name that was stored.
pub fn zone(name: &str) -> Result<Zone, Problem> {
    Zone::find(name).ok_or_else(Problem::internal)
}

/// A roster that is new, and its shifts, which hold as if they had always been. `id` names what is new.
pub fn created(new: &NewRoster, tenant: &str, mut id: impl FnMut() -> String, now: Timestamp) -> (Roster, Vec<Shift>) {
    let roster = Roster {
        tenant_id: tenant.to_owned(),
        id: format!("ES-{}", id()),
        version: 1,
        name: new.name.clone(),
        name_key: fold(&new.name),
        description: new.description.clone(),
        zone: new.zone.name().to_owned(),
        off_hours: OffHours::to_json(&new.off_hours),
        created_ms: now.millis(),
        updated_ms: None,
        sequence: 0,
        modified_ms: now.millis(),
    };
    let shifts =
        (0..).zip(&new.shifts).map(|(position, shift)| row(&roster, shift, format!("ESD-{}", id()), position, 0));
    let shifts = shifts.collect();
    (roster, shifts)
}

fn row(roster: &Roster, shift: &NewShift, id: String, position: i64, from_ms: i64) -> Shift {
    Shift {
        tenant_id: roster.tenant_id.clone(),
        roster_id: roster.id.clone(),
        id,
        valid_from_ms: from_ms,
        valid_until_ms: None,
        position,
        name: shift.name.clone(),
        zone: roster.zone.clone(),
        schedule: shift.schedule.to_json().to_string(),
        crew: Crew::new(&shift.users, &shift.groups).to_json(),
    }
}

/// Adds the shifts of a new roster whose names others have already to what is wrong.
pub fn check_names(shifts: &[ShiftChange], wrong: &mut Wrong) {
    distinct((0..).zip(shifts).filter_map(|(place, shift)| Some((place, shift.name.as_deref()?))), wrong);
}

/// The same, of names with the places of their shifts.
fn distinct<'n>(names: impl Iterator<Item = (i64, &'n str)>, wrong: &mut Wrong) {
    let mut seen: HashMap<String, i64> = HashMap::new();
    for (place, name) in names {
        let first = *seen.entry(fold(name)).or_insert(place);
        if first != place {
            let message = format!("must be unique in the roster; shiftDetails[{first}] has the name \"{name}\" too");
            wrong.add(&format!("shiftDetails[{place}].name"), message);
        }
    }
}

/// What an update does.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// The roster afterwards.
    pub roster: Roster,
    /// From when on.
    pub from_ms: i64,
    /// The shifts whose present version ends.
    pub end: Vec<String>,
    /// The versions that begin.
    pub begin: Vec<Shift>,
    /// Shifts that are as they were but for their place.
    pub moved: Vec<(String, i64)>,
    /// The present shifts afterwards, in their order.
    pub after: Vec<Shift>,
}

/// Works out what an update of a roster with these present shifts does. What is as it was keeps its version, so that
/// history is cut only where something changed. `wrong` is what the body was found to have wrong so far.
///
/// # Errors
/// 400 for that, for a shift id that is not one of the roster's or is given twice, for two shifts of one name, and for a shift
/// that is left without anybody.
pub fn planned(
    old: &Roster,
    present: &[Shift],
    change: RosterChange,
    mut wrong: Wrong,
    mut id: impl FnMut() -> String,
    now: Timestamp,
) -> Result<Plan, Problem> {
    let name = change.name.unwrap_or_else(|| old.name.clone());
    let roster = Roster {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.unwrap_or_else(|| old.description.clone()),
        zone: change.zone.map_or_else(|| old.zone.clone(), |zone| zone.name().to_owned()),
        off_hours: change.off_hours.map_or_else(|| old.off_hours.clone(), |hours| OffHours::to_json(&hours)),
        updated_ms: Some(now.millis()),
        sequence: old.sequence + 1,
        modified_ms: now.millis(),
        ..old.clone()
    };
    let from_ms = effective_ms(now);
    let wanted = change.shifts.unwrap_or_else(|| present.iter().map(kept).collect());
    let (mut after, mut taken) = (Vec::new(), HashSet::new());
    for (position, shift) in (0..).zip(wanted) {
        let path = |field: &str| format!("shiftDetails[{position}].{field}");
        let Some(shift_id) = shift.id.clone() else {
            match shift.complete() {
                Some(new) => after.push(row(&roster, &new, format!("ESD-{}", id()), position, from_ms)),
                None if wrong.has(&format!("shiftDetails[{position}]")) => {}
                None => return Err(Problem::internal()),
            }
            continue;
        };
        let Some(known) = present.iter().find(|known| known.id == shift_id) else {
            let message = format!("names no shift of the roster: {}", base::problem::shorten(&shift_id));
            wrong.add(&path("id"), message);
            continue;
        };
        if !taken.insert(shift_id) {
            wrong.add(&path("id"), "is given more than once");
            continue;
        }
        let next = changed(known, shift, &roster, position, from_ms)?;
        let crew = Crew::from_json(&next.crew)?;
        if crew.users.is_empty() && crew.groups.is_empty() {
            wrong.add(&path("users"), NOBODY);
        }
        after.push(next);
    }
    distinct(after.iter().map(|shift: &Shift| (shift.position, shift.name.as_str())), &mut wrong);
    wrong.check()?;
    let same = |one: &Shift, other: &Shift| Shift { position: other.position, ..one.clone() } == *other;
    let (mut begin, mut moved) = (Vec::new(), Vec::new());
    let mut end: Vec<String> = present.iter().map(|shift| shift.id.clone()).collect();
    for shift in &after {
        match present.iter().find(|known| same(known, shift)) {
            Some(known) => {
                end.retain(|id| *id != shift.id);
                if known.position != shift.position {
                    moved.push((shift.id.clone(), shift.position));
                }
            }
            None => begin.push(shift.clone()),
        }
    }
    Ok(Plan { roster, from_ms, end, begin, moved, after })
}

fn kept(shift: &Shift) -> ShiftChange {
    ShiftChange { id: Some(shift.id.clone()), ..ShiftChange::default() }
}

/// The shift after a change: the same version when nothing but its place differs.
fn changed(old: &Shift, change: ShiftChange, roster: &Roster, position: i64, from_ms: i64) -> Result<Shift, Problem> {
    let crew = Crew::from_json(&old.crew)?;
    let crew = Crew::new(&change.users.unwrap_or(crew.users), &change.groups.unwrap_or(crew.groups));
    let next = Shift {
        position,
        name: change.name.unwrap_or_else(|| old.name.clone()),
        zone: roster.zone.clone(),
        schedule: change.schedule.map_or_else(|| old.schedule.clone(), |schedule| schedule.to_json().to_string()),
        crew: crew.to_json(),
        ..old.clone()
    };
    let differs = Shift { position: old.position, ..next.clone() } != *old;
    Ok(Shift { valid_from_ms: if differs { from_ms.max(old.valid_from_ms) } else { old.valid_from_ms }, ..next })
}

/// Which rosters a search means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Exact.
    pub ids: Option<Vec<String>>,
    /// Folded names, whole or in part.
    pub names: Option<Vec<String>>,
    /// Do names match as a whole?
    pub whole: bool,
    /// The rosters of a partner's clients as well?
    pub all: Option<bool>,
}

impl Filter {
    /// Reads a `queryString`.
    ///
    /// # Errors
    /// 400 on `queryString` that names what is wrong.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for term in query_string::parse(text, &VARIABLES)? {
            match term.name {
                "id" => filter.ids = Some(term.values),
                "name" => filter.names = Some(term.values.iter().map(|name| fold(name)).collect()),
                "allList" => filter.all = Some(boolean(term.name, &term.value)?),
                _ => filter.whole = boolean(term.name, &term.value)?,
            }
        }
        Ok(filter)
    }
}

fn boolean(name: &str, value: &str) -> Result<bool, Problem> {
    match fold(value).as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Problem::field("queryString", format!("{name}: must be true or false"))),
    }
}

/// What an unknown roster is answered with, and one of another tenant.
pub fn no_roster() -> Problem {
    Problem::not_found("The roster was not found.")
}

/// What a second roster of the same name is answered with.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a roster named \"{name}\" already."))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new(shifts: &[(&str, &str)]) -> NewRoster {
        let shifts: Vec<_> = shifts
            .iter()
            .map(|(name, user)| {
                json!({"name": name, "users": [{"id": user}], "userGroups": [], "schedule": {
                    "type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "00:00:00",
                    "endTime": "08:00:00", "pattern": {"type": "daily", "repeatFrequency": 1},
                    "endPattern": {"type": "NEVER"}}})
            })
            .collect();
        let body = json!({"name": "R", "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": shifts});
        RosterChange::read(&body, true).0.complete().unwrap()
    }

    fn ids() -> impl FnMut() -> String {
        let mut number = 0;
        move || {
            number += 1;
            number.to_string()
        }
    }

    const THEN: Timestamp = Timestamp::from_millis(5_500);

    fn stored() -> (Roster, Vec<Shift>) {
        created(&new(&[("a", "u1"), ("b", "u2")]), "client_1", ids(), THEN)
    }

    fn change(value: serde_json::Value) -> RosterChange {
        RosterChange::read(&value, false).0
    }

    #[test]
    fn an_update_cuts_history_only_where_something_changed() {
        let (roster, shifts) = stored();
        assert_eq!(shifts[0].valid_from_ms, 0, "a new roster holds for the past, too");
        let body = json!({"description": "e", "shiftDetails": [
            {"id": shifts[1].id}, {"id": shifts[0].id, "users": [{"id": "u3"}, {"id": "U3 "}]},
        ]});
        let plan = planned(&roster, &shifts, change(body), Wrong::default(), ids(), THEN).unwrap();
        assert_eq!((plan.roster.version, plan.roster.updated_ms, plan.from_ms), (2, Some(5_500), 5_000));
        assert_eq!(plan.end, [shifts[0].id.clone()]);
        assert_eq!(plan.moved, [(shifts[1].id.clone(), 0)]);
        assert_eq!(plan.begin.len(), 1);
        assert_eq!((plan.begin[0].valid_from_ms, plan.begin[0].position), (5_000, 1));
        assert_eq!(Crew::from_json(&plan.begin[0].crew).unwrap().users, ["U3"]);
    }

    #[test]
    fn another_zone_is_another_version_of_every_shift() {
        let (roster, shifts) = stored();
        let plan = planned(
            &roster,
            &shifts,
            change(json!({"timeZone": {"name": "Asia/Tokyo"}})),
            Wrong::default(),
            ids(),
            THEN,
        )
        .unwrap();
        assert_eq!((plan.end.len(), plan.begin.len()), (2, 2));
        let plan = planned(&roster, &shifts, change(json!({"name": "Q"})), Wrong::default(), ids(), THEN).unwrap();
        assert_eq!((plan.end.len(), plan.begin.len(), plan.after.len()), (0, 0, 2));
    }

    #[test]
    fn shifts_are_known_by_their_id() {
        let (roster, shifts) = stored();
        let refused = |body| {
            let errors = planned(&roster, &shifts, change(body), Wrong::default(), ids(), THEN).unwrap_err().errors;
            errors.into_iter().map(|error| error.field_name).collect::<Vec<_>>()
        };
        let id = &shifts[0].id;
        assert_eq!(refused(json!({"shiftDetails": [{"id": "ESD-x"}]})), ["shiftDetails[0].id"]);
        assert_eq!(refused(json!({"shiftDetails": [{"id": id}, {"id": id}]})), ["shiftDetails[1].id"]);
        assert_eq!(refused(json!({"shiftDetails": [{"id": id, "users": []}]})), ["shiftDetails[0].users"]);
        let same = json!({"shiftDetails": [{"id": id}, {"id": shifts[1].id, "name": "A"}]});
        assert_eq!(refused(same), ["shiftDetails[1].name"]);
        let plan =
            planned(&roster, &shifts, change(json!({"shiftDetails": [{"id": id}]})), Wrong::default(), ids(), THEN)
                .unwrap();
        assert_eq!(plan.end, [shifts[1].id.clone()]);
    }

    #[test]
    fn searches() {
        let filter = Filter::parse("name:Night,DAY+allList:true+isEquals:TRUE").unwrap();
        assert_eq!(filter.names, Some(vec!["night".to_owned(), "day".to_owned()]));
        assert_eq!((filter.all, filter.whole), (Some(true), true));
        assert!(Filter::parse("allList:x").is_err() && Filter::parse("city:x").is_err());
    }
}
