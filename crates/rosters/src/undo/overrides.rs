//! Undoing changes of overrides: one that is new goes or ends, as when it is deleted, and one that was deleted is there
//! again for what is left of its time.

use std::sync::Arc;

use api::{RequestScope, Restorer, clock, restore};
use base::{body::Request as _, problem::Problem, timestamp::Timestamp};
use db::{Conn, Json, Result};
use outbox::{Tx, change_sets::objects::ObjectChange};
use ports::People;
use serde_json::{Map, Value, json};

use crate::{
    dated_holidays,
    overrides::{
        http::{check_new, remove},
        row::{Override, ShiftThen},
        rules, store,
        wire::NewOverride,
    },
    roster::{self, http::lock_for_update, rules::effective_ms},
};

/// What follows from a change, and the place of an override among the others.
const DERIVED: [&str; 4] = ["id", "createdBy", "createdTime", "number"];

/// What of an override does not come back where a holiday calendar is gone.
const HOLIDAYS: &str = "shift.settings.holidays";

/// Restores overrides.
pub struct Overrides(pub Arc<dyn People>);

impl Restorer for Overrides {
    fn kinds(&self) -> &'static [&'static str] {
        &["RosterOverride"]
    }

    /// Of one that was deleted with its roster nothing is left to come once its time is over, and rows of the log from
    /// before have not what its shift was: the roster comes back all the same.
    fn can_restore(&self, change: &ObjectChange) -> bool {
        let is_to_come = || end_of(change).is_some_and(|end| end.millis() > effective_ms(clock::now()));
        let has_shift = || restore::former(change, "shift.id").is_none() || shift_then(change).is_some();
        change.exists || (is_to_come() && has_shift())
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        // One that was ended stays so: nobody takes over in the past.
        let is_ended = change.existed && change.exists;
        restore::left(change, &DERIVED, |_| !is_ended)
    }

    /// A holiday calendar that its shift had and that is gone does not come back with it.
    fn find_left(
        &self,
        conn: &mut Conn,
        change: &ObjectChange,
        comes_back: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Vec<String>> {
        let mut left = self.left(change);
        let settings = shift_then(change).filter(|_| !change.exists).and_then(|then| then.settings);
        let calendars = settings.and_then(|settings| settings.holidays).map(|holidays| holidays.calendars);
        if let Some(calendars) = calendars {
            let tenants = self.0.own_and_partner(conn, &change.tenant_id)?;
            let there = dated_holidays::store::versions(conn, &tenants, &calendars)?;
            let is_gone = |id: &String| !there.contains_key(id) && !comes_back("HolidayCalendar", id);
            left.extend(calendars.iter().any(is_gone).then(|| HOLIDAYS.to_owned()));
        }
        Ok(left)
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let id = change.fields.get("roster.id").and_then(|field| field.before.as_ref().or(field.after.as_ref()));
        let id = id.and_then(Value::as_str).unwrap_or_default();
        let roster = lock_for_update(tx, scope, id)?;
        if change.exists {
            let old = store::existing(tx.conn, &roster.tenant_id, &roster.id, &change.entity_id)?;
            remove(tx, &old, rules::removal(&old, tx.now)?)?;
        } else {
            let new = NewOverride::parse(&body(change, tx.now)?)?;
            let (row, _) = check_new(tx, &*self.0, scope, &roster, new)?;
            let (created_by, created_ms) = restore::origin(change, tx);
            let text = |path| restore::former_text(change, path).map(str::to_owned);
            let then = shift_then(change).filter(|_| text("shift.id").is_some());
            let row = Override {
                shift_id: text("shift.id"),
                shift_name: text("shift.name"),
                zone: then.as_ref().and_then(|then| then.zone.clone()),
                schedule: then.as_ref().and_then(|then| then.schedule.clone()).map(Json),
                shift_settings: then.and_then(|then| then.settings).map(Json),
                created_by,
                created_ms,
                id: change.entity_id.clone(),
                number: restore::former(change, "number").and_then(Value::as_i64).unwrap_or(row.number),
                swap_id: text("swapId"),
                ..row
            };
            store::insert(tx.conn, &row)?;
            tx.record_change(None, Some(&row))?;
        }
        roster::store::touch(tx.conn, &roster, tx.now)
    }
}

/// When one that was deleted would have ended.
fn end_of(change: &ObjectChange) -> Option<Timestamp> {
    restore::former_text(change, "end").and_then(Timestamp::parse)
}

/// What its shift was when one that was deleted was made; `None` where the log does not have it.
fn shift_then(change: &ObjectChange) -> Option<ShiftThen> {
    let shift = restore::former_object(change, "shift", None)?;
    let then: ShiftThen = serde_json::from_value(Value::Object(shift)).ok()?;
    (then.zone.is_some() && then.schedule.is_some()).then_some(then)
}

/// What makes an override of the whole roster for what is left of its time.
fn body(change: &ObjectChange, now: Timestamp) -> Result<Value> {
    let instant = |name| restore::former_text(change, name).and_then(Timestamp::parse);
    let now = Timestamp::from_millis(effective_ms(now));
    if end_of(change).is_none_or(|end| end <= now) {
        return Err(Problem::conflict("Its time is over.").into());
    }
    let mut body = Map::new();
    for (name, path) in [("user", "user.id"), ("replaces", "replaces.id")] {
        if let Some(id) = restore::former(change, path) {
            body.insert(name.to_owned(), json!({"id": id}));
        }
    }
    for name in ["end", "note"] {
        body.extend(restore::former(change, name).map(|value| (name.to_owned(), value.clone())));
    }
    body.insert("start".to_owned(), json!(instant("start").map_or(now, |start| start.max(now))));
    Ok(Value::Object(body))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use outbox::{
        audit,
        change_sets::objects::{FieldChange, ObjectChange},
    };

    use super::*;

    /// The deletion of an override, as the log has it.
    fn deleted(shift: Option<&Value>) -> ObjectChange {
        let mut fields: BTreeMap<String, FieldChange> = BTreeMap::new();
        let logged = json!({"shift": {"id": "ESD-1", "name": "Day"}, "end": "9000-01-01T00:00:00+0000"});
        for (path, value) in [(None, Some(&logged)), (Some("shift"), shift)] {
            audit::flatten(path, value, &mut |path, value| {
                fields.insert(path.into_owned(), FieldChange { before: Some(value.clone()), after: None });
            });
        }
        ObjectChange {
            tenant_id: "client_1".to_owned(),
            entity: "RosterOverride".to_owned(),
            entity_id: "OVR-1".to_owned(),
            since: Timestamp::from_millis(0),
            existed: true,
            exists: false,
            fields,
        }
    }

    #[test]
    fn what_a_shift_was_is_read_from_the_log() {
        let (start, end) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        let schedule = json!({"type": "one-time", "startDate": start, "endDate": end});
        for settings in [
            json!({"zone": "GMT", "schedule": schedule}),
            json!({"zone": "GMT", "schedule": schedule, "settings": {}}),
            json!({"zone": "GMT", "schedule": schedule,
                "settings": {"level": "secondary", "holidays": {"calendars": ["HOL-1"], "skips": true}}}),
        ] {
            let then = shift_then(&deleted(Some(&settings))).unwrap();
            assert_eq!(serde_json::to_value(&then).unwrap(), settings);
        }
        assert_eq!(shift_then(&deleted(None)), None, "rows of the version before do not say it");
    }
}
