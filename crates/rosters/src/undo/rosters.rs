//! Undoing changes of rosters.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::{
    body::Request as _,
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use db::Result;
use outbox::{Recorded as _, Tx, change_sets::objects::ObjectChange};
use ports::People;
use serde_json::{Map, Value, json};

use super::earlier_plan::{self, OFF_HOURS, PLAN, SHIFTS, ZONE};
use crate::{
    deletion,
    roster::{
        http::{carry_out, check_new, lock_for_update, new_id, planned},
        input::{NewRoster, RosterChange},
        plan,
        row::{Roster, Shift},
        rules::{effective_ms, tenants_of},
        store, versions,
        view::WithShifts,
    },
};

/// The fields of a roster that hold at once.
const NAMES: [&str; 3] = ["name", "description", "conflictsTo"];
/// Those that follow from a change.
const DERIVED: [&str; 4] = ["id", "createdTime", "updatedTime", earlier_plan::EFFECTIVE_FROM];
/// What a roster loses when it is deleted, and the audit log does not have.
const LOST: &str = "calendar addresses";

/// Restores rosters.
pub struct Rosters(pub Arc<dyn People>);

impl Restorer for Rosters {
    fn kinds(&self) -> &'static [&'static str] {
        &["Roster"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        restore::is_complete(change, &self.left(change), &[SHIFTS])
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        let mut left = restore::left(change, &DERIVED, |name| NAMES.contains(&name) || PLAN.contains(&name));
        if earlier_plan::is_in_versions(change) {
            left.retain(|name| !PLAN.contains(&name.as_str()));
        }
        if !change.exists {
            left.push(LOST.to_owned());
        }
        left
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenants = tenants_of(&change.tenant_id, scope.tenant.partner.as_str());
        if !change.exists {
            return self.reopen(tx, &tenants, change);
        }
        let old = lock_for_update(tx, scope, &change.entity_id)?;
        if !change.existed {
            return deletion::end(tx, &old);
        }
        let now_ms = effective_ms(tx.now);
        let from_ms = earlier_plan::holds_from(tx.conn, &old, change, now_ms)?;
        let now = earlier_plan::payload_at(tx.conn, &old, from_ms)?.unwrap_or_default();
        let (mut body, ids) = body(tx, &old, change, &now)?;
        if from_ms > now_ms {
            body.insert("effectiveFrom".to_owned(), json!(Timestamp::from_millis(from_ms)));
        }
        let former = RosterChange::parse(&Value::Object(body))?;
        let mut wrong = FieldErrors::default();
        former.check_people(tx.conn, &*self.0, &tenants, &mut wrong)?;
        let (before, plan) = planned(tx.conn, &*self.0, &tenants, (&old, former, wrong), in_turn(ids), tx.now)?;
        carry_out(tx, &old, &before, &plan)
    }
}

impl Rosters {
    /// A roster that was deleted is there again, from now on.
    fn reopen(&self, tx: &mut Tx<'_>, tenants: &[String], change: &ObjectChange) -> Result<()> {
        let tenant = change.tenant_id.as_str();
        store::lock_for_update(tx.conn, tenant)?;
        let gone = store::existed(tx.conn, &[tenant.to_owned()], &change.entity_id)?;
        if gone.deleted_ms.is_none() {
            return Err(Problem::conflict("There is a roster with this id.").into());
        }
        let (former, shift_ids) = body(tx, &gone, change, &Value::Null)?;
        // Its row has what the log does not keep.
        let mut body = payload_fields(&gone)?;
        body.extend(former);
        let new = NewRoster::parse(&Value::Object(body))?;
        check_new(tx.conn, &*self.0, tenants, &new, FieldErrors::default())?;
        let now_ms = effective_ms(tx.now);
        let ids = std::iter::once(String::new()).chain(shift_ids).collect();
        let (roster, shifts) = plan::created(&new, tenant, in_turn(ids), tx.now);
        let roster = Roster {
            id: gone.id.clone(),
            version: gone.version + 1,
            sequence: gone.sequence + 1,
            created_ms: gone.created_ms,
            updated_ms: Some(tx.now.millis()),
            ..roster
        };
        let shifts: Vec<Shift> = shifts
            .into_iter()
            .map(|shift| Shift { roster_id: gone.id.clone(), valid_from_ms: now_ms, ..shift })
            .collect();
        store::reopen(tx.conn, &gone, &roster)?;
        versions::insert(tx.conn, &roster, now_ms, &shifts)?;
        tx.record_change(None, Some(&WithShifts(&roster, &shifts)))
    }
}

/// What a body says of the former values, for a roster that is as `now` says; with the UUIDs of shifts that it makes.
fn body(
    tx: &mut Tx<'_>,
    roster: &Roster,
    change: &ObjectChange,
    now: &Value,
) -> Result<(Map<String, Value>, Vec<String>)> {
    let mut body = match restore::body(change, &NAMES) {
        Value::Object(names) => names,
        _ => Map::new(),
    };
    if let Some(zone) = earlier_plan::plan_field(tx.conn, roster, change, ZONE)? {
        body.insert("timeZone".to_owned(), json!({"name": zone}));
    }
    if let Some(hours) = earlier_plan::plan_field(tx.conn, roster, change, OFF_HOURS)? {
        body.insert(OFF_HOURS.to_owned(), hours);
    }
    let shifts = earlier_plan::plan_field(tx.conn, roster, change, SHIFTS)?;
    let (shifts, ids) = shifts.map(|shifts| earlier_plan::shifts(&shifts, &now[SHIFTS])).unwrap_or_default();
    if !shifts.is_empty() {
        body.insert(SHIFTS.to_owned(), shifts.into());
    }
    Ok((body, ids))
}

/// What is told of a roster, without shifts.
fn payload_fields(roster: &Roster) -> Result<Map<String, Value>> {
    match WithShifts(roster, &[]).event_payload()? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

/// These ids, one after the other.
fn in_turn(ids: Vec<String>) -> impl FnMut() -> String {
    let mut ids = ids.into_iter();
    move || ids.next().unwrap_or_else(new_id)
}
