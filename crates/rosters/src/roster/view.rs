//! From rows to what clients see.

use std::collections::HashMap;

use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Entity, Recorded};
use ports::People;
use serde_json::{Value, json};

use super::{
    input,
    rotation::CrewRotation,
    row::{Roster as Row, Shift as ShiftRow},
    rules,
    wire::{self, ConflictRecipient, OffHours, Roster, RosterClient, Shift, Turn, User, UserGroup},
};
use crate::{crew::Crew, moves::WhenAway, people::RosterPeople};

/// In which form a roster is shown.
#[derive(Clone, Debug)]
pub enum Form {
    /// In the answer to a create: with its tenant, and the mobile numbers of its users.
    Created(RosterClient),
    /// When it is read: with `allClients` at partner level, and when its groups changed.
    Read,
}

/// Those who stand in shifts of rosters at an instant, or are told of their conflicts. What was before, `is_past` says,
/// has people as they were then.
pub fn people(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    (rows, shifts): (&[Row], &[ShiftRow]),
    (at, is_past): (Timestamp, bool),
) -> Result<RosterPeople> {
    let all = shifts.iter().flat_map(|shift| {
        let rotation = shift.rotation.as_deref().into_iter();
        std::iter::once(&shift.crew.0).chain(rotation.flat_map(|rotation| rotation.crews(at)))
    });
    let all = all.chain(rows.iter().filter_map(|row| row.conflicts_to.as_deref()));
    RosterPeople::since(conn, people, tenants, (all, []), is_past.then_some(at))
}

/// Rosters with their shifts, as both are at an instant, and those who stand in them.
pub fn rosters(
    staff: &RosterPeople,
    rows: &[Row],
    shifts: &[ShiftRow],
    form: &Form,
    at: Timestamp,
) -> Result<Vec<Roster>, Problem> {
    let seen = PeopleView { staff, read: matches!(form, Form::Read), at };
    let mut shifts_of: HashMap<&str, Vec<&ShiftRow>> = HashMap::new();
    for shift in shifts {
        shifts_of.entry(&shift.roster_id).or_default().push(shift);
    }
    let show = |row: &Row| {
        let own = shifts_of.get(row.id.as_str()).into_iter().flatten();
        let details = own.map(|shift| seen.shift(shift, &shift.crew, shift.rotation.as_deref()));
        Ok(Roster {
            id: row.id.clone(),
            client_unique_id: row.tenant_id.clone(),
            name: row.name.clone(),
            description: row.description.clone(),
            created_time: Timestamp::from_millis(row.created_ms).to_string(),
            updated_time: row.updated_ms.map(|ms| Timestamp::from_millis(ms).to_string()).unwrap_or_default(),
            time_zone: rules::zone(&row.zone)?,
            client: match form {
                Form::Created(client) => Some(client.clone()),
                Form::Read => None,
            },
            all_clients: (matches!(form, Form::Read) && row.tenant_id.starts_with("msp_")).then_some(true),
            deleted_time: row.deleted_ms.map(|ms| Timestamp::from_millis(ms).to_string()),
            effective_from: None,
            shift_details: details.collect::<Result<_, Problem>>()?,
            off_hours: input::OffHours::from_json(&row.off_hours)?.into_iter().map(OffHours::from).collect(),
            conflicts_to: row.conflicts_to.as_deref().map(|crew| seen.recipients(crew)).unwrap_or_default(),
        })
    };
    rows.iter().map(show).collect()
}

/// As whom people are seen.
struct PeopleView<'c> {
    staff: &'c RosterPeople,
    read: bool,
    at: Timestamp,
}

impl PeopleView<'_> {
    fn shift(&self, shift: &ShiftRow, crew: &Crew, rotation: Option<&CrewRotation>) -> Result<Shift, Problem> {
        let turns = |rotation: &CrewRotation| wire::RosterRotation {
            order: rotation
                .order
                .iter()
                .map(|crew| Turn { users: self.users(crew), user_groups: self.groups(crew) })
                .collect(),
            length: rotation.turns.length,
            start: rotation.turns.start,
            when_away: Some(rotation.when_away).filter(|when| *when != WhenAway::Keep),
            kept: rotation.kept_at(self.at).map(|kept| wire::KeptTurn {
                users: self.users(&kept.crew),
                user_groups: self.groups(&kept.crew),
                until: Timestamp::from_millis(kept.until_ms).to_string(),
            }),
        };
        Ok(Shift {
            id: shift.id.clone(),
            name: shift.name.clone(),
            schedule: rules::schedule(&shift.schedule)?,
            users: self.users(crew),
            user_groups: self.groups(crew),
            rotation: rotation.map(turns),
            level: rules::level(shift.level.as_deref()),
            holidays: shift
                .holidays
                .as_deref()
                .map(|holidays| holidays.calendars.iter().map(|id| wire::ShiftCalendar { id: id.clone() }).collect()),
            on_holidays: shift.holidays.as_deref().map(|holidays| holidays.does()),
        })
    }

    fn recipients(&self, crew: &Crew) -> Vec<ConflictRecipient> {
        let user = |user| ConflictRecipient { user: Some(user), user_group: None };
        let group = |group| ConflictRecipient { user: None, user_group: Some(group) };
        let users = self.staff.users(crew, self.at).map(User::shown).map(user);
        users.chain(self.groups(crew).into_iter().map(group)).collect()
    }

    fn users(&self, crew: &Crew) -> Vec<User> {
        self.staff.users(crew, self.at).map(if self.read { User::shown } else { User::full }).collect()
    }

    fn groups(&self, crew: &Crew) -> Vec<UserGroup> {
        self.staff.groups(crew, self.at).map(|group| UserGroup::of(group, self.read)).collect()
    }
}

/// A roster with its shifts, as changes of it are recorded: people by their ids alone.
#[derive(Clone, Copy, Debug)]
pub struct WithShifts<'r>(pub &'r Row, pub &'r [ShiftRow]);

impl Recorded for WithShifts<'_> {
    fn entity(&self) -> Entity<'_> {
        Entity::published("Roster", &self.0.tenant_id, &self.0.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        let Self(roster, shifts) = self;
        Ok(json!({
            "id": roster.id,
            "name": roster.name,
            "description": roster.description,
            "clientUniqueId": roster.tenant_id,
            "createdTime": Timestamp::from_millis(roster.created_ms),
            "updatedTime": roster.updated_ms.map(|ms| Timestamp::from_millis(ms).to_string()).unwrap_or_default(),
            "timeZone": {"name": roster.zone},
            "shiftDetails": shifts.iter().map(shift_payload).collect::<Vec<_>>(),
            "offHours": *roster.off_hours,
            "conflictsTo": roster.conflicts_to.as_deref().map(recipients_payload).unwrap_or_default(),
        }))
    }
}

fn shift_payload(shift: &ShiftRow) -> Value {
    let crew = crew_payload(&shift.crew);
    let mut payload = json!({
        "id": shift.id,
        "name": shift.name,
        "schedule": *shift.schedule,
        "users": crew["users"],
        "userGroups": crew["userGroups"],
    });
    if let Some(rotation) = shift.rotation.as_deref() {
        let order: Vec<Value> = rotation.order.iter().map(crew_payload).collect();
        payload["rotation"] = json!({"order": order, "length": rotation.turns.length, "start": rotation.turns.start});
        if rotation.when_away != WhenAway::Keep {
            payload["rotation"]["whenAway"] = json!(rotation.when_away);
        }
    }
    if let Some(level) = &shift.level {
        payload["level"] = json!(level);
    }
    if let Some(holidays) = shift.holidays.as_deref() {
        payload["holidays"] = holidays.calendars.iter().map(|id| json!({"id": id})).collect();
        payload["onHolidays"] = json!(holidays.does());
    }
    payload
}

fn recipients_payload(crew: &Crew) -> Vec<Value> {
    let users = crew.users.iter().map(|id| json!({"user": {"id": id}}));
    users.chain(crew.groups.iter().map(|id| json!({"userGroup": {"uniqueId": id}}))).collect()
}

fn crew_payload(crew: &Crew) -> Value {
    let users: Vec<Value> = crew.users.iter().map(|id| json!({"id": id})).collect();
    let groups: Vec<Value> = crew.groups.iter().map(|id| json!({"uniqueId": id})).collect();
    json!({"users": users, "userGroups": groups})
}
