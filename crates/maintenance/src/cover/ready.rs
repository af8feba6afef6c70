//! Windows made ready to be asked often: schedules worked out, expressions compiled.

use std::sync::Arc;

use base::matching::{Matcher, Rules};
use db::Result;
use moka::sync::Cache;

use super::Name;
use crate::{
    course::Course,
    window::{rules, store::Window},
};

/// How many windows are kept. One has some kilobytes, and with the largest of expressions some megabytes.
const MOST: u64 = 20_000;

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
}

impl Ready {
    pub(crate) fn new(row: &Window) -> Result<Self> {
        let conditions = rules::conditions(row.conditions.as_deref())?;
        Ok(Self {
            tenant_id: row.tenant_id.clone(),
            id: row.id.clone(),
            version: row.version,
            title: row.name.clone(),
            course: row.course()?,
            run_escalation: row.run_escalation,
            conditions: conditions.map(|rules| {
                let matcher = Matcher::new(&rules);
                (rules, matcher)
            }),
        })
    }

    /// Does it catch an alert of a resource that it covers?
    pub(crate) fn catches(&self, alert: &serde_json::Value) -> bool {
        self.conditions.as_ref().is_none_or(|(_, matcher)| matcher.matches(alert))
    }

    pub(crate) fn name(&self) -> (&str, &str) {
        (&self.tenant_id, &self.id)
    }

    /// How much of the cache it takes: expressions are what is large.
    fn weight(&self) -> u32 {
        let rules = self.conditions.as_ref().map_or(0, |(rules, _)| rules.rules.len());
        u32::try_from(1 + rules).unwrap_or(u32::MAX)
    }
}

/// Windows that were asked for lately, by tenant and id. The version tells whether one still holds; it is read each
/// time, so that several gateways on one database agree.
pub(super) struct Kept(Cache<Name, Arc<Ready>>);

impl Default for Kept {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).weigher(|_, ready: &Arc<Ready>| ready.weight()).build())
    }
}

impl Kept {
    pub(super) fn get(&self, name: &Name, version: i64) -> Option<Arc<Ready>> {
        self.0.get(name).filter(|ready| ready.version == version)
    }

    pub(super) fn insert(&self, ready: &Arc<Ready>) {
        self.0.insert((ready.tenant_id.clone(), ready.id.clone()), Arc::clone(ready));
    }
}
