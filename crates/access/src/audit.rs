//! The audit log over HTTP: who changed what, when. Rows are written by [`outbox`], in the transaction of the change.

use actix_web::HttpResponse;
use api::{List, PageQuery, RequestContext, get, spec::PageOf};
use base::{
    problem::Problem,
    query_string::{self, Term},
    text::fold,
    timestamp::Timestamp,
};
use db::Condition;
use outbox::{
    Action,
    audit::{self, Entry},
    change_sets,
};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// The audit log, as a list.
#[derive(Clone, Debug)]
pub struct AuditLog;

impl List for AuditLog {
    const SORT: &'static str = "time";
    const DESCENDING: bool = true;
    const FILTER: &'static str = "entity:Resource+action:DELETE";

    fn sorts() -> Vec<&'static str> {
        vec![Self::SORT]
    }
}

/// One change of one entity.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "AUD-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c", "time": "2026-11-20T20:37:00+0000", "tenantId": "client_1",
    "userId": "USR0000000001", "keyId": "Wd3kq0", "action": "UPDATE", "entity": "Resource",
    "entityId": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f",
    "changes": {"state": {"before": "active", "after": "inactive"}}, "requestId": "b7e1c9d04f6a4f0f9a3a1c5f0a8d2e11",
    "changeSet": "CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c"
}))]
pub struct AuditEntry {
    /// `AUD-<uuid>`.
    pub id: String,
    /// When.
    #[schema(value_type = String)]
    pub time: Timestamp,
    /// The tenant of the entity.
    pub tenant_id: String,
    /// The user that the caller acted as; left out for commands.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user_id: String,
    /// The API key that was used, or the command.
    pub key_id: String,
    /// `CREATE`, `UPDATE` or `DELETE`.
    #[schema(pattern = "^(CREATE|UPDATE|DELETE)$")]
    pub action: String,
    /// Its kind, such as `Resource`.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// `{field: {"before": …, "after": …}}`; of a secret only that it changed, as `[secret]`.
    #[schema(value_type = Object)]
    pub changes: Box<RawValue>,
    /// The request that did it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub request_id: String,
    /// The change set that it belongs to; left out of what belongs to none, or to one of a tenant out of reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_set: Option<String>,
}

/// The variables of `queryString`.
const VARIABLES: [&str; 8] = ["userId", "keyId", "action", "entity", "entityId", "requestId", "startDate", "endDate"];

/// Search the audit log
///
/// Every change of the tenant's entities; at partner level, of its clients' too. Newest first. `queryString`
/// variables: `userId`, `keyId`, `action`, `entity`, `entityId`, `requestId`, `startDate` and `endDate`.
#[utoipa::path(
    operation_id = "searchAuditLog",
    params(PageQuery<AuditLog>),
    responses((status = 200, description = "A page of the log", body = PageOf<AuditEntry>)),
    security(("bearer" = ["admin"]))
)]
#[get("/auditLog/search")]
pub async fn search(context: RequestContext<PageQuery<AuditLog>>) -> api::Result<HttpResponse> {
    let terms = query_string::parse(&context.query.filter, &VARIABLES)?;
    let mut all = vec![Condition::text_in("audit_log.tenant_id IN", context.scope())];
    for term in &terms {
        all.push(condition(term)?);
    }
    let condition = Condition::all(all);
    let page = context.page(move |conn, scope, sort, walk| {
        let mut found = audit::page(conn, &condition, sort.descending, walk)?;
        let rows = std::mem::take(&mut found.rows);
        let sets = change_sets::of_entries(conn, &scope.scope(), &rows)?;
        let entries = rows.into_iter().zip(sets).map(|(entry, set)| shown(entry, set));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        Ok(found.with(entries))
    });
    page.await
}

fn condition(term: &Term) -> Result<Condition, Problem> {
    let values = || term.values.iter().map(|value| fold(value));
    Ok(match term.name {
        "userId" => Condition::text_in("lower(audit_log.user_id) IN", values()),
        "keyId" => Condition::text_in("lower(audit_log.key_id) IN", values()),
        "action" => Condition::text_in(
            "audit_log.action IN",
            term.words(&[Action::Create, Action::Update, Action::Delete].map(Action::as_str))?,
        ),
        "entity" => Condition::text_in("lower(audit_log.entity) IN", values()),
        "entityId" => Condition::text_in("lower(audit_log.entity_id) IN", values()),
        "requestId" => Condition::text_in("lower(audit_log.request_id) IN", values()),
        "startDate" => Condition::sql("audit_log.at_ms >= ").integer(term.time()?.millis()),
        _ => Condition::sql("audit_log.at_ms < ").integer(term.time()?.millis().saturating_add(1000)),
    })
}

fn shown(entry: Entry, change_set: Option<String>) -> Result<AuditEntry, db::Error> {
    let changes = RawValue::from_string(entry.changes()?);
    Ok(AuditEntry {
        id: entry.id(),
        time: Timestamp::from_millis(entry.at_ms),
        tenant_id: entry.tenant_id,
        user_id: entry.user_id,
        key_id: entry.key_id,
        action: entry.action,
        entity: entry.entity,
        entity_id: entry.entity_id,
        changes: changes.map_err(|error| db::Error::Fault(format!("a row of the audit log: {error}")))?,
        request_id: entry.request_id,
        change_set,
    })
}
