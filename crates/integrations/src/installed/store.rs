//! Rows of installed integrations. Every function takes the tenant, or the tenants in reach.

use base::{Found, Key, Walk, problem::Problem, query::Sort, secret::Secret, timestamp::Timestamp};
use db::{Column, Condition, Conn, Order, Quota, Result};
use diesel::prelude::*;
use serde_json::json;

use super::inbound::Inbound;
use crate::{
    notifier::{Notifier, Secrets},
    schema::{
        integration_deliveries, integration_events, integration_lanes, integration_messages, integration_revisions,
        integrations,
    },
    vault::{Place, Vault},
};

/// How many integrations a tenant has at most.
pub static QUOTA: Quota = Quota::new("integrations", "integrations", 1_000);

/// One row of `integrations`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = integrations, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `INTG-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// `CUSTOM`.
    pub kind: String,
    /// As it was given.
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// What it is for.
    pub description: String,
    /// Do its events fire?
    pub enabled: bool,
    /// The base notifier, JSON.
    pub notifier: Option<String>,
    /// Its secrets, sealed; empty when there are none.
    pub secrets: String,
    /// The signing secrets, sealed.
    pub signing: String,
    /// The user that installed it.
    pub created_by: String,
    /// When.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: Option<i64>,
    /// Who reports for it, JSON.
    pub inbound: Option<String>,
}

/// The signing secrets of an integration.
#[derive(Clone, Debug)]
pub struct Signing {
    /// Signs.
    pub current: Secret<String>,
    /// Signs too, until then.
    pub previous: Option<(Secret<String>, i64)>,
}

impl Signing {
    fn to_sealable(&self) -> Secret<String> {
        let previous = self.previous.as_ref().map(|(secret, until)| json!([secret.expose(), until]));
        Secret::new(json!({"current": self.current.expose(), "previous": previous}).to_string())
    }

    fn from_sealable(text: &Secret<String>) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text.expose()).ok()?;
        let secret = |value: &serde_json::Value| Some(Secret::new(value.as_str()?.to_owned()));
        let previous = value.get("previous").and_then(|pair| Some((secret(pair.get(0)?)?, pair.get(1)?.as_i64()?)));
        Some(Self { current: secret(value.get("current")?)?, previous })
    }
}

impl Row {
    fn place(&self, column: &'static str) -> Place<'_> {
        Place { tenant: &self.tenant_id, table: "integrations", row: &self.id, column }
    }

    /// The base notifier.
    pub fn notifier(&self) -> Option<Notifier> {
        serde_json::from_str(self.notifier.as_deref()?).ok()
    }

    /// The secrets of the base notifier.
    pub fn open_secrets(&self, vault: &Vault) -> Result<Secrets> {
        if self.secrets.is_empty() {
            return Ok(Secrets::default());
        }
        Ok(Secrets::from_sealable(&vault.open(self.place("secrets"), &self.secrets)?))
    }

    /// Takes another base notifier.
    pub fn set_notifier(&mut self, vault: &Vault, notifier: &Notifier, secrets: &Secrets) -> Result<()> {
        let text = serde_json::to_string(notifier).map_err(|error| db::Error::Fault(error.to_string()))?;
        self.secrets = match secrets.to_sealable() {
            Some(plain) => vault.seal(self.place("secrets"), &plain)?,
            None => String::new(),
        };
        self.notifier = Some(text);
        Ok(())
    }

    /// Who reports for it.
    pub fn inbound(&self) -> Option<Inbound> {
        serde_json::from_str(self.inbound.as_deref()?).ok()
    }

    /// Takes another reporter.
    pub fn set_inbound(&mut self, inbound: &Inbound) -> Result<()> {
        let text = serde_json::to_string(inbound).map_err(|error| db::Error::Fault(error.to_string()))?;
        self.inbound = Some(text);
        Ok(())
    }

    /// The signing secrets.
    pub fn open_signing(&self, vault: &Vault) -> Result<Signing> {
        let opened = vault.open(self.place("signing"), &self.signing)?;
        Signing::from_sealable(&opened).ok_or_else(|| db::Error::Fault("unreadable signing secrets".to_owned()))
    }

    /// Takes other signing secrets.
    pub fn set_signing(&mut self, vault: &Vault, signing: &Signing) -> Result<()> {
        self.signing = vault.seal(self.place("signing"), &signing.to_sealable())?;
        Ok(())
    }

    /// Seals what is sealed under a former key anew; says whether anything was.
    pub fn reseal(&mut self, vault: &Vault) -> Result<bool> {
        let mut any = false;
        if !self.secrets.is_empty() && !vault.is_current(&self.secrets) {
            let plain = vault.open(self.place("secrets"), &self.secrets)?;
            self.secrets = vault.seal(self.place("secrets"), &plain)?;
            any = true;
        }
        if !vault.is_current(&self.signing) {
            let plain = vault.open(self.place("signing"), &self.signing)?;
            self.signing = vault.seal(self.place("signing"), &plain)?;
            any = true;
        }
        Ok(any)
    }
}

/// Makes everybody else wait who changes integrations of a tenant, and counts the change.
pub fn take_up(conn: &mut Conn, tenant: &str) -> Result<()> {
    use integration_revisions::dsl;
    db::lock(conn, &format!("integrations:{tenant}"))?;
    let counted = diesel::update(dsl::integration_revisions.find(tenant)).set(dsl::revision.eq(dsl::revision + 1));
    if counted.execute(conn)? == 0 {
        let first = (dsl::tenant_id.eq(tenant), dsl::revision.eq(1));
        diesel::insert_into(dsl::integration_revisions).values(first).execute(conn)?;
    }
    Ok(())
}

/// How often the integrations of a tenant have changed.
pub fn revision(conn: &mut Conn, tenant: &str) -> Result<i64> {
    use integration_revisions::dsl;
    let query = dsl::integration_revisions.find(tenant).select(dsl::revision);
    Ok(db::direct!(conn, |conn| query.get_result(conn)).optional()?.unwrap_or(0))
}

/// 404.
pub fn none() -> Problem {
    Problem::not_found("Installed integration not found")
}

/// The integration with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Row>> {
    use integrations::dsl;
    let row = match scope {
        // Each read of a resource asks. The common case has a text that never changes, so that the statement stays prepared.
        [tenant] => db::direct!(conn, |conn| dsl::integrations.find((tenant, id)).get_result(conn)),
        tenants => dsl::integrations.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::id.eq(id)).get_result(conn),
    };
    Ok(row.optional()?)
}

/// The integration with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    Ok(find(conn, scope, id)?.ok_or_else(none)?)
}

/// What a search looks for: ids, and folded parts of names.
#[derive(Debug, Default)]
pub struct Filter {
    /// Any of these.
    pub ids: Option<Vec<String>>,
    /// A name contains one of these.
    pub names: Option<Vec<String>>,
    /// What was installed is one of these.
    pub kinds: Vec<&'static str>,
}

/// A page of the integrations of these tenants.
pub fn search(conn: &mut Conn, scope: &[String], filter: &Filter, sort: Sort, walk: &Walk) -> Result<Found<Row>> {
    use integrations::dsl;
    let ids = filter.ids.iter().map(|ids| Condition::text_in("integrations.id IN", ids.iter().cloned()));
    let names = filter.names.iter().map(|names| {
        Condition::any(names.iter().map(|name| {
            Condition::sql("replace(integrations.name_key, ").text(name.clone()).then(", '') <> integrations.name_key")
        }))
    });
    let kinds = Condition::text_in("integrations.kind IN", filter.kinds.iter().copied());
    let condition = Condition::all(ids.chain(names).chain([kinds]));
    let wanted = || dsl::integrations.filter(dsl::tenant_id.eq_any(scope.to_vec())).filter(condition.clone());
    let first = match sort.name {
        "displayName" => Some(Column::Text("integrations.name_key")),
        "createdDate" => Some(Column::Integer("integrations.created_ms")),
        _ => None,
    };
    let order = Order::by(first.into_iter().chain([Column::Text("integrations.id")]), sort.descending);
    let total = walk.total(|| wanted().count().get_result(conn))?;
    let query = wanted().filter(order.after(walk.after())?).order(order);
    let keys = |row: &Row| {
        let first = first.map(|column| match column {
            Column::Text(_) => Key::from(&row.name_key),
            Column::Integer(_) => Key::from(row.created_ms),
        });
        first.into_iter().chain([Key::from(&row.id)]).collect()
    };
    Ok(walk.cut(query.offset(walk.offset()).limit(walk.wanted()).load(conn)?, total, keys))
}

/// All integrations of a tenant.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<Row>> {
    Ok(integrations::table.filter(integrations::tenant_id.eq(tenant)).order(integrations::id).load(conn)?)
}

/// Stores a new one.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(integrations::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores a changed one.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(integrations::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// The row after a change, with the next version.
pub fn changed(row: &Row, now: Timestamp) -> Row {
    Row { version: row.version + 1, updated_ms: Some(now.millis()), ..row.clone() }
}

/// Removes an integration with its events and their deliveries.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    let events: Vec<String> = integration_events::table
        .filter(integration_events::tenant_id.eq(&row.tenant_id))
        .filter(integration_events::integration_id.eq(&row.id))
        .select(integration_events::id)
        .load(conn)?;
    for event in &events {
        delete_event(conn, &row.tenant_id, event)?;
    }
    diesel::delete(integrations::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// Removes an event with its deliveries.
pub fn delete_event(conn: &mut Conn, tenant: &str, event: &str) -> Result<()> {
    let of_event = Condition::sql(
        "integration_messages.delivery_id IN (SELECT d.id FROM integration_deliveries d \
         WHERE d.tenant_id = integration_messages.tenant_id AND d.event_id = ",
    );
    let messages = integration_messages::table
        .filter(integration_messages::tenant_id.eq(tenant))
        .filter(of_event.text(event).then(")"));
    diesel::delete(messages).execute(conn)?;
    let deliveries = integration_deliveries::table
        .filter(integration_deliveries::tenant_id.eq(tenant))
        .filter(integration_deliveries::event_id.eq(event));
    diesel::delete(deliveries).execute(conn)?;
    diesel::delete(integration_lanes::table.find((tenant, event))).execute(conn)?;
    diesel::delete(integration_events::table.find((tenant, event))).execute(conn)?;
    db::expressions::forget(conn, crate::event::store::holder(tenant, event))
}

/// The tenants that have integrations.
pub fn tenants(conn: &mut Conn) -> Result<Vec<String>> {
    Ok(integrations::table.select(integrations::tenant_id).distinct().order(integrations::tenant_id).load(conn)?)
}

/// One integration of a tenant.
pub fn first(conn: &mut Conn, tenant: &str) -> Result<Option<Row>> {
    let of = integrations::table.filter(integrations::tenant_id.eq(tenant)).order(integrations::id);
    Ok(of.first(conn).optional()?)
}
