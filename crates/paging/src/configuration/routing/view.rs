//! From rows to what clients see.

use api::Resource as _;
use base::{matching::unknown_key, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Entity, Recorded};
use ports::{Authors, People};
use serde_json::Value;

use super::{
    row::Route,
    wire::{AlertRoute, AlertRule, KEYS, PolicyReference},
};

/// These routes, in their order; `tenants` are those of the scope and their partner.
pub fn all(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Route]) -> Result<Vec<AlertRoute>> {
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, people, tenants, users)?;
    Ok(rows.iter().map(|row| shown(row, &authors)).collect())
}

/// One route.
pub fn one(conn: &mut Conn, people: &dyn People, tenants: &[String], row: &Route) -> Result<AlertRoute> {
    Ok(all(conn, people, tenants, std::slice::from_ref(row))?.pop().ok_or_else(Route::not_found)?)
}

fn shown(row: &Route, authors: &Authors) -> AlertRoute {
    let rules = &row.rules.0;
    let shown = rules.iter().flat_map(|rules| &rules.rules).map(|rule| AlertRule {
        key: rule.key.clone(),
        operator: rule.operator.word().to_owned(),
        value: rule.value.clone(),
        broken: unknown_key(&rule.key, &KEYS),
    });
    AlertRoute {
        id: row.id.clone(),
        name: row.name.clone(),
        matching_type: rules.as_ref().map_or("ALL", |rules| rules.match_type.word()),
        rules: shown.collect(),
        policy: PolicyReference { id: row.policy_id.clone() },
        position: row.position,
        is_default: row.is_default,
        created_by: authors.of(&row.created_by),
        updated_by: authors.of(&row.updated_by),
        created_date: Timestamp::from_millis(row.created_ms),
        updated_date: Timestamp::from_millis(row.updated_ms),
    }
}

impl Recorded for Route {
    fn entity(&self) -> Entity<'_> {
        Entity::published("AlertRoute", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&shown(self, &Authors::default()))
    }
}
