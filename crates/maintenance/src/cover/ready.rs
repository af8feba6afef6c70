//! Windows made ready to be asked often: schedules worked out, expressions compiled.

use std::sync::Arc;

use base::matching::{Exhausted, Matcher, Meter, Rules};
use db::{Error, Result};
use moka::sync::Cache;
use serde::Serialize;

use crate::{
    course::Course,
    window::{row::Window, targeting::Name},
};

/// The memory of the windows that are kept, in bytes. What their expressions are compiled to is not part of them.
const MOST: u64 = 16 << 20;
/// What a window takes beside its texts.
const OVERHEAD: usize = 1 << 10;

/// A window made ready.
pub(crate) struct Ready {
    pub(crate) tenant_id: String,
    pub(crate) id: String,
    version: i64,
    /// What people call it.
    pub(crate) title: String,
    pub(crate) course: Course,
    pub(crate) run_escalation: bool,
    /// Which alerts it catches; all when it has none.
    pub(crate) conditions: Option<(Rules, Matcher)>,
    /// How much memory it takes, in bytes.
    weight: u32,
}

impl Ready {
    pub(crate) fn new(row: &Window) -> Result<Self> {
        // The rules are there twice: as they are shown, and made ready.
        let conditions = row.conditions.as_deref();
        let texts = 2 * length(&conditions)? + length(&*row.holds)? + length(&*row.schedule)?;
        Ok(Self {
            weight: u32::try_from(OVERHEAD + row.name.len() + texts).unwrap_or(u32::MAX),
            tenant_id: row.tenant_id.clone(),
            id: row.id.clone(),
            version: row.version,
            title: row.name.clone(),
            course: row.course()?,
            run_escalation: row.run_escalation,
            conditions: conditions.map(|rules| (rules.clone(), Matcher::new(rules))),
        })
    }

    /// Does it catch an alert of a resource that it covers?
    ///
    /// # Errors
    /// To find that out takes more steps than there are.
    pub(crate) fn catches(&self, alert: &serde_json::Value, meter: &Meter) -> Result<bool, Exhausted> {
        self.conditions.as_ref().map_or(Ok(true), |(_, matcher)| matcher.matches(alert, meter))
    }

    /// Is it stored, and no draft?
    pub(crate) fn is_saved(&self) -> bool {
        self.version > 0
    }

    pub(crate) fn name(&self) -> (&str, &str) {
        (&self.tenant_id, &self.id)
    }
}

/// How long something is as it is stored.
fn length(stored: &impl Serialize) -> Result<usize> {
    let text = serde_json::to_string(stored).map_err(|error| Error::Fault(format!("a window: {error}")))?;
    Ok(text.len())
}

/// Windows that were asked for lately, by tenant and id. The version tells whether one still holds; it is read each
/// time, so that several gateways on one database agree.
pub(super) struct ReadyWindows(Cache<Name, Arc<Ready>>);

impl Default for ReadyWindows {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).weigher(|_, ready: &Arc<Ready>| ready.weight).build())
    }
}

impl ReadyWindows {
    pub(super) fn get(&self, name: &Name, version: i64) -> Option<Arc<Ready>> {
        self.0.get(name).filter(|ready| ready.version == version)
    }

    pub(super) fn insert(&self, ready: &Arc<Ready>) {
        self.0.insert((ready.tenant_id.clone(), ready.id.clone()), Arc::clone(ready));
    }
}

#[cfg(test)]
mod tests {
    use db::Json;

    use super::*;

    fn window(conditions: Option<Json<Rules>>) -> Ready {
        let schedule = serde_json::json!({
            "type": "One-Time", "startTime": "2026-11-20T22:00:00+0000", "endTime": "2026-11-21T02:00:00+0000",
            "timezone": "UTC"
        });
        let row = Window {
            tenant_id: "client_1".to_owned(),
            id: "SM-1".to_owned(),
            version: 1,
            name: "window".to_owned(),
            name_key: "window".to_owned(),
            description: String::new(),
            schedule: Json(schedule),
            holds: Json::default(),
            conditions,
            run_rba: false,
            install_patch: false,
            run_escalation: true,
            opens_ms: 0,
            closes_ms: 1,
            created_by: String::new(),
            created_ms: 0,
            updated_ms: 0,
        };
        Ready::new(&row).unwrap()
    }

    #[test]
    fn a_window_weighs_what_it_takes() {
        let rule = serde_json::json!({"key": "subject", "operator": "Regex", "value": "x".repeat(1_000)});
        let conditions = serde_json::json!({"matchType": "ALL", "rules": vec![rule; 50]});
        let conditions: Json<Rules> = Json(serde_json::from_value(conditions).unwrap());
        let plain = window(None);
        let large = window(Some(conditions.clone()));
        assert!(plain.weight < 2_048, "{}", plain.weight);
        assert!(large.weight as usize > 2 * 50 * 1_000);
        let kept = ReadyWindows::default();
        for number in 0..1_000 {
            let mut one = window(Some(conditions.clone()));
            one.id = format!("SM-{number}");
            kept.insert(&Arc::new(one));
        }
        kept.0.run_pending_tasks();
        assert!(kept.0.weighted_size() <= MOST && kept.0.entry_count() < 200, "{}", kept.0.entry_count());
    }
}
