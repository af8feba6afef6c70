//! From rows to what clients see.

use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Change, Tx};
use ports::People;
use serde_json::{Value, json};

use super::{
    crew::Crew,
    rotation::{Place, Rotation, ShownRotation},
    rules, store,
    versions::Shift as Row,
    wire::{OffHours, Roster, RosterClient, Shift, User, UserGroup},
};
use crate::crowd::Crowd;

/// In which form a roster is shown.
#[derive(Clone, Debug)]
pub enum Form {
    /// In the answer to a create: with its tenant, and the mobile numbers of its users.
    Created(RosterClient),
    /// When it is read: with `allClients` at partner level, and when its groups changed.
    Read,
}

/// Rosters with their shifts, as both are at an instant, and those who stand in them. What was before, `is_past` says,
/// has people as they were then.
pub fn rosters(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    rows: &[store::Roster],
    shifts: &[Row],
    form: &Form,
    (at, is_past): (Timestamp, bool),
) -> Result<Vec<Roster>> {
    let read = |shift: &Row| {
        let rotation = shift.rotation.as_deref().map(Rotation::from_json).transpose()?;
        Ok((Crew::from_json(&shift.crew)?, rotation))
    };
    let crews = shifts.iter().map(read).collect::<Result<Vec<_>, Problem>>()?;
    let all = crews
        .iter()
        .flat_map(|(own, rotation)| std::iter::once(own).chain(rotation.iter().flat_map(|rotation| &rotation.order)));
    let crowd = Crowd::since(conn, people, tenants, (all, []), is_past.then_some(at))?;
    let seen = Seen { crowd: &crowd, read: matches!(form, Form::Read), at };
    let show = |row: &store::Roster| {
        let own = shifts.iter().zip(&crews).filter(|(shift, _)| shift.roster_id == row.id);
        let details = own.map(|(shift, (crew, rotation))| seen.shift(shift, crew, rotation.as_ref()));
        Ok(Roster {
            id: row.id.clone(),
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
            off_hours: OffHours::from_json(&row.off_hours)?,
        })
    };
    rows.iter().map(show).collect()
}

/// As whom people are seen.
struct Seen<'c> {
    crowd: &'c Crowd,
    read: bool,
    at: Timestamp,
}

impl Seen<'_> {
    fn shift(&self, shift: &Row, crew: &Crew, rotation: Option<&Rotation>) -> Result<Shift, Problem> {
        let turns = |rotation: &Rotation| ShownRotation {
            order: rotation
                .order
                .iter()
                .map(|crew| Place { users: self.users(crew), user_groups: self.groups(crew) })
                .collect(),
            length: rotation.turns.length(),
            start: rotation.turns.start(),
        };
        Ok(Shift {
            id: shift.id.clone(),
            name: shift.name.clone(),
            schedule: rules::schedule(&shift.schedule)?,
            users: self.users(crew),
            user_groups: self.groups(crew),
            rotation: rotation.map(turns),
            level: rules::level(shift.level.as_deref()),
        })
    }

    fn users(&self, crew: &Crew) -> Vec<User> {
        self.crowd.users(crew, self.at).map(if self.read { User::shown } else { User::full }).collect()
    }

    fn groups(&self, crew: &Crew) -> Vec<UserGroup> {
        self.crowd.groups(crew, self.at).map(|group| UserGroup::of(group, self.read)).collect()
    }
}

/// Notes that a roster changed, from one state with its shifts to another.
pub fn note(tx: &mut Tx<'_>, before: Option<(&store::Roster, &[Row])>, after: Option<(&store::Roster, &[Row])>) {
    let Some((roster, _)) = after.or(before) else { return };
    tx.note(Change {
        tenant_id: roster.tenant_id.clone(),
        entity: "Roster",
        entity_id: roster.id.clone(),
        before: before.map(|(roster, shifts)| state(roster, shifts)),
        after: after.map(|(roster, shifts)| state(roster, shifts)),
        publish: true,
    });
}

/// A roster as subscribers and the audit log have it: people by their ids alone.
fn state(roster: &store::Roster, shifts: &[Row]) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let shifts: Vec<Value> = shifts
        .iter()
        .map(|shift| {
            let crew = people(&Crew::from_json(&shift.crew).unwrap_or_default());
            let mut state = json!({
                "id": shift.id,
                "name": shift.name,
                "schedule": parsed(&shift.schedule),
                "users": crew["users"],
                "userGroups": crew["userGroups"],
            });
            if let Some(rotation) = shift.rotation.as_deref().and_then(|text| Rotation::from_json(text).ok()) {
                let order: Vec<Value> = rotation.order.iter().map(people).collect();
                let (length, start) = (rotation.turns.length(), rotation.turns.start());
                state["rotation"] = json!({"order": order, "length": length, "start": start});
            }
            if let Some(level) = &shift.level {
                state["level"] = json!(level);
            }
            state
        })
        .collect();
    json!({
        "id": roster.id,
        "name": roster.name,
        "description": roster.description,
        "createdTime": Timestamp::from_millis(roster.created_ms),
        "updatedTime": roster.updated_ms.map(|ms| Timestamp::from_millis(ms).to_string()).unwrap_or_default(),
        "timeZone": {"name": roster.zone},
        "shiftDetails": shifts,
        "offHours": parsed(&roster.off_hours),
    })
}

fn people(crew: &Crew) -> Value {
    let users: Vec<Value> = crew.users.iter().map(|id| json!({"id": id})).collect();
    let groups: Vec<Value> = crew.groups.iter().map(|id| json!({"uniqueId": id})).collect();
    json!({"users": users, "userGroups": groups})
}
