//! From rows to what clients see of windows.

use std::collections::{BTreeSet, HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::{Author, Authors, KnownResource, Place, PlaceKey, PlaceKind, ResourceKey, Resources};
use serde::Serialize;
use serde_json::Value;

use super::{
    rules,
    store::{self, Window as Row},
    targets::{Kind, Target},
    wire::{AlertConditions, DeviceTarget, GroupTarget, LocationTarget, Suspension, Window},
};
use crate::{course::stored_schedule, cover::Windows};

/// What targets are called, by target.
#[derive(Default)]
pub struct Names {
    devices: HashMap<Target, KnownResource>,
    places: HashMap<Target, Place>,
}

impl Names {
    /// Looks up what these targets are called. A target keeps the tenant that it was of when it was given.
    pub fn load<'t>(
        conn: &mut Conn,
        resources: &dyn Resources,
        targets: impl IntoIterator<Item = &'t Target>,
    ) -> Result<Self> {
        let distinct: BTreeSet<&Target> = targets.into_iter().collect();
        let mut by_place: HashMap<(Kind, &str), Vec<&Target>> = HashMap::new();
        for target in distinct {
            by_place.entry((target.kind, &target.tenant)).or_default().push(target);
        }
        let mut names = Self::default();
        for ((kind, tenant), targets) in by_place {
            let tenants = [tenant.to_owned()];
            if kind == Kind::Device {
                let keys: Vec<ResourceKey> = targets.iter().map(|target| ResourceKey::Id(target.id.clone())).collect();
                let found = resources.find(conn, &tenants, &keys)?;
                let named = targets.into_iter().cloned().zip(found);
                names.devices.extend(named.filter_map(|(target, found)| Some((target, found.into_iter().next()?))));
                continue;
            }
            let place = if kind == Kind::DeviceGroup { PlaceKind::DeviceGroup } else { PlaceKind::Location };
            let keys: Vec<PlaceKey> =
                targets.iter().map(|target| PlaceKey::Id(target.id.parse().unwrap_or(-1))).collect();
            let found = resources.places(conn, &tenants, place, &keys)?;
            let named = targets.into_iter().cloned().zip(found);
            names.places.extend(named.filter_map(|(target, found)| Some((target, found.into_iter().next()?))));
        }
        Ok(names)
    }

    /// The place of a target that is one.
    pub fn place(&self, target: &Target) -> Option<&Place> {
        self.places.get(target)
    }

    /// The resource of a target that is one.
    pub fn device(&self, target: &Target) -> Option<&KnownResource> {
        self.devices.get(target)
    }
}

/// What clients see of windows; `around` are the tenants whose people made them.
pub fn windows(
    conn: &mut Conn,
    asked: &Windows,
    around: &[String],
    rows: &[Row],
    now: Timestamp,
) -> Result<Vec<Window>> {
    let ids: Vec<(String, String)> = rows.iter().map(|row| (row.tenant_id.clone(), row.id.clone())).collect();
    let targets = store::targets(conn, &ids)?;
    let names = Names::load(conn, asked.resources(), targets.values().flatten())?;
    let authors = Authors::load(conn, asked.people(), around, rows.iter().map(|row| row.created_by.as_str()))?;
    let of = |id| targets.get(id).map(Vec::as_slice).unwrap_or_default();
    rows.iter().zip(&ids).map(|(row, id)| window(row, of(id), &names, authors.of(&row.created_by), now)).collect()
}

/// What clients see of one window.
pub fn one(conn: &mut Conn, asked: &Windows, around: &[String], row: &Row, now: Timestamp) -> Result<Window> {
    let shown = windows(conn, asked, around, std::slice::from_ref(row), now)?;
    Ok(shown.into_iter().next().ok_or_else(rules::no_window)?)
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
        current: course.open_at(now),
        next: course.next(now),
        suspensions: suspensions
            .map(|(from, until)| Suspension {
                start: Timestamp::from_millis(*from),
                end: until.map(Timestamp::from_millis),
            })
            .collect(),
        devices: of(Kind::Device)
            .map(|target| DeviceTarget {
                unique_id: target.id.clone(),
                host_name: names.devices.get(target).map(|known| known.host_name.clone()),
            })
            .collect(),
        device_groups: of(Kind::DeviceGroup)
            .map(|target| GroupTarget {
                id: number(target),
                unique_id: names.places.get(target).map(|place| place.unique_id.clone()),
                name: names.places.get(target).map(|place| place.name.clone()),
            })
            .collect(),
        locations: of(Kind::Location)
            .map(|target| LocationTarget {
                id: number(target),
                name: names.places.get(target).map(|place| place.name.clone()),
            })
            .collect(),
        run_rba: row.run_rba,
        install_patch: row.install_patch,
        run_escalation_action: row.run_escalation,
        alert_conditions: rules::conditions(row.conditions.as_deref())?.as_ref().map(AlertConditions::from),
        created_by: author,
        created_date: Timestamp::from_millis(row.created_ms),
        updated_date: Timestamp::from_millis(row.updated_ms),
        created_time: Timestamp::from_millis(row.created_ms),
        updated_time: Timestamp::from_millis(row.updated_ms),
    })
}

/// A window as subscribers and the audit log have it: what was said of it, without what follows from the clock.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    unique_id: &'a str,
    name: &'a str,
    description: &'a str,
    schedule: Value,
    holds: Value,
    targets: Vec<Value>,
    #[serde(rename = "runRBA")]
    run_rba: bool,
    install_patch: bool,
    run_escalation_action: bool,
    alert_conditions: Option<AlertConditions>,
}

fn told<'a>(row: &'a Row, targets: &[Target]) -> Result<Told<'a>> {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let target = |target: &Target| serde_json::json!({"kind": target.kind.word(), "id": target.id});
    Ok(Told {
        unique_id: &row.id,
        name: &row.name,
        description: &row.description,
        schedule: parsed(&row.schedule),
        holds: parsed(&row.holds),
        targets: targets.iter().map(target).collect(),
        run_rba: row.run_rba,
        install_patch: row.install_patch,
        run_escalation_action: row.run_escalation,
        alert_conditions: rules::conditions(row.conditions.as_deref())?.as_ref().map(AlertConditions::from),
    })
}

/// Notes that a window changed, from one state with its targets to another.
pub fn note(tx: &mut Tx<'_>, before: Option<(&Row, &[Target])>, after: Option<(&Row, &[Target])>) -> Result<()> {
    let Some((row, _)) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "MaintenanceWindow", id: &row.id, publish: true };
    let state = |state: Option<(&Row, &[Target])>| {
        state.map(|(row, targets)| told(row, targets).and_then(as_value)).transpose()
    };
    let (before, after) = (state(before)?, state(after)?);
    tx.note_shown(entity, before.as_ref(), after.as_ref())
}

fn as_value(told: Told<'_>) -> Result<Value> {
    serde_json::to_value(told).map_err(|error| db::Error::Fault(format!("a window cannot be told: {error}")))
}
