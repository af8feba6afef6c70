//! From rows to what clients see of windows.

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Recorded};
use ports::{Author, Authors};
use serde_json::{Value, json};

use super::{
    conditions::AlertConditions,
    names::Names,
    row::Window as Row,
    store,
    targets::{Kind, Target},
    wire::{DeviceTarget, GroupTarget, LocationTarget, Occurrence, Suspension, Window},
};
use crate::{course::stored_schedule, neighbours::Neighbours};

/// What clients see of windows; `around` are the tenants whose people made them.
pub fn windows(
    conn: &mut Conn,
    neighbours: &Neighbours,
    around: &[String],
    rows: &[Row],
    now: Timestamp,
) -> Result<Vec<Window>> {
    let ids: Vec<(String, String)> = rows.iter().map(|row| (row.tenant_id.clone(), row.id.clone())).collect();
    let targets = store::targets(conn, &ids)?;
    let names = Names::load(conn, neighbours.resources(), targets.values().flatten())?;
    let authors = Authors::load(conn, neighbours.people(), around, rows.iter().map(|row| row.created_by.as_str()))?;
    let of = |id| targets.get(id).map(Vec::as_slice).unwrap_or_default();
    rows.iter().zip(&ids).map(|(row, id)| window(row, of(id), &names, authors.of(&row.created_by), now)).collect()
}

/// What clients see of one window.
pub fn one(conn: &mut Conn, neighbours: &Neighbours, around: &[String], row: &Row, now: Timestamp) -> Result<Window> {
    let shown = windows(conn, neighbours, around, std::slice::from_ref(row), now)?;
    Ok(shown.into_iter().next().ok_or_else(Row::not_found)?)
}

fn window(row: &Row, targets: &[Target], names: &Names, author: Author, now: Timestamp) -> Result<Window> {
    let course = row.course()?;
    let of = |kind: Kind| targets.iter().filter(move |target| target.kind == kind);
    let number = |target: &Target| target.id.parse().unwrap_or(0);
    let suspensions =
        course.holds().suspensions.iter().filter(|(_, until)| until.is_none_or(|until| until > now.millis()));
    Ok(Window {
        unique_id: row.id.clone(),
        client_unique_id: row.tenant_id.clone(),
        name: row.name.clone(),
        description: row.description.clone(),
        state: course.state(now).word(),
        status: course.state(now).word(),
        schedule: stored_schedule(&row.schedule)?,
        current: course.open_at(now).map(Occurrence::from),
        next: course.next(now).map(Occurrence::from),
        suspensions: suspensions
            .map(|(from, until)| Suspension {
                start: Timestamp::from_millis(*from),
                end: until.map(Timestamp::from_millis),
            })
            .collect(),
        skipped: course.skipped(now).map(Occurrence::from).collect(),
        devices: of(Kind::Device)
            .map(|target| DeviceTarget {
                unique_id: target.id.clone(),
                host_name: names.device(target).map(|known| known.host_name.clone()),
            })
            .collect(),
        device_groups: of(Kind::DeviceGroup)
            .map(|target| GroupTarget {
                id: number(target),
                unique_id: names.place(target).map(|place| place.unique_id.clone()),
                name: names.place(target).map(|place| place.name.clone()),
            })
            .collect(),
        locations: of(Kind::Location)
            .map(|target| LocationTarget {
                id: number(target),
                name: names.place(target).map(|place| place.name.clone()),
            })
            .collect(),
        run_rba: row.run_rba,
        install_patch: row.install_patch,
        run_escalation_action: row.run_escalation,
        alert_conditions: row.conditions.as_deref().map(AlertConditions::from),
        created_by: author,
        created_date: Timestamp::from_millis(row.created_ms),
        updated_date: Timestamp::from_millis(row.updated_ms),
        created_time: Timestamp::from_millis(row.created_ms),
        updated_time: Timestamp::from_millis(row.updated_ms),
    })
}

/// A window with its targets, as changes of it are recorded: what was said of it, without what follows from the clock.
#[derive(Clone, Copy, Debug)]
pub struct WithTargets<'w>(pub &'w Row, pub &'w [Target]);

impl Recorded for WithTargets<'_> {
    fn entity(&self) -> Entity<'_> {
        Entity::published("MaintenanceWindow", &self.0.tenant_id, &self.0.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        let Self(row, targets) = self;
        let target = |target: &Target| json!({"kind": target.kind.word(), "id": target.id});
        let created = Timestamp::from_millis(row.created_ms);
        let updated = Timestamp::from_millis(row.updated_ms);
        Ok(json!({
            "id": row.id,
            "uniqueId": row.id,
            "name": row.name,
            "description": row.description,
            "clientUniqueId": row.tenant_id,
            "createdBy": {"id": row.created_by},
            "createdDate": created,
            "createdTime": created,
            "updatedDate": updated,
            "updatedTime": updated,
            "schedule": *row.schedule,
            "holds": *row.holds,
            "targets": targets.iter().map(target).collect::<Vec<_>>(),
            "runRBA": row.run_rba,
            "installPatch": row.install_patch,
            "runEscalationAction": row.run_escalation,
            "alertConditions": row.conditions.as_deref().map(AlertConditions::from),
        }))
    }
}
