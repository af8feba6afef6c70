//! From rows to what clients see.

use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Change, Tx};
use ports::People;
use serde_json::{Value, json};

use super::{
    rules::{self, Crew},
    store,
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

/// Rosters with their present shifts, and those who stand in them.
pub fn rosters(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    rows: &[store::Roster],
    shifts: &[store::Shift],
    form: &Form,
) -> Result<Vec<Roster>> {
    let crews = shifts.iter().map(|shift| Crew::from_json(&shift.crew)).collect::<Result<Vec<_>, Problem>>()?;
    let crowd = Crowd::load(conn, people, tenants, &crews, [])?;
    let show = |row: &store::Roster| {
        let own = shifts.iter().zip(&crews).filter(|(shift, _)| shift.roster_id == row.id);
        let details = own.map(|(shift, crew)| details(shift, crew, &crowd, form)).collect::<Result<_, Problem>>()?;
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
            shift_details: details,
            off_hours: OffHours::from_json(&row.off_hours)?,
        })
    };
    rows.iter().map(show).collect()
}

fn details(shift: &store::Shift, crew: &Crew, crowd: &Crowd, form: &Form) -> Result<Shift, Problem> {
    let read = matches!(form, Form::Read);
    Ok(Shift {
        id: shift.id.clone(),
        name: shift.name.clone(),
        schedule: rules::schedule(&shift.schedule)?,
        users: crowd.users(crew).map(if read { User::shown } else { User::full }).collect(),
        user_groups: crowd.groups(crew).map(|group| UserGroup::of(group, read)).collect(),
    })
}

/// Notes that a roster changed, from one state with its shifts to another.
pub fn note(
    tx: &mut Tx<'_>,
    before: Option<(&store::Roster, &[store::Shift])>,
    after: Option<(&store::Roster, &[store::Shift])>,
) {
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
fn state(roster: &store::Roster, shifts: &[store::Shift]) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let shifts: Vec<Value> = shifts
        .iter()
        .map(|shift| {
            let crew = Crew::from_json(&shift.crew).unwrap_or_default();
            let users: Vec<Value> = crew.users.iter().map(|id| json!({"id": id})).collect();
            let groups: Vec<Value> = crew.groups.iter().map(|id| json!({"uniqueId": id})).collect();
            json!({
                "id": shift.id,
                "name": shift.name,
                "schedule": parsed(&shift.schedule),
                "users": users,
                "userGroups": groups,
            })
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
