//! Change sets over HTTP: which writes belong together, and what they changed. [`outbox`] stores them, in the
//! transactions of the changes.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use api::{List, PageQuery, PathIds, RequestContext, answer, get, spec::PageOf};
use base::{
    page::Page,
    problem::Problem,
    query_string::{self, Term},
    text::fold,
    timestamp::Timestamp,
};
use db::{Condition, Conn};
use outbox::{
    Action,
    change_sets::{
        self, ChangeSet as Row,
        objects::{self, ObjectChange},
    },
};
use ports::{Author, Authors};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::directory::Directory;

api::path_id! {
    /// `CHG-<uuid>`.
    pub(crate) ChangeSetId = "changeSetId", "CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c", normal_id
}

fn normal_id(text: &str) -> String {
    text.split_once('-').map_or_else(String::new, |(prefix, uuid)| {
        format!("{}-{}", prefix.to_ascii_uppercase(), uuid.to_ascii_lowercase())
    })
}

/// Change sets, as a list.
#[derive(Clone, Debug)]
pub struct ChangeSets;

impl List for ChangeSets {
    const SORT: &'static str = "createdDate";
    const DESCENDING: bool = true;
    const FILTER: &'static str = "name:deploy 42";

    fn sorts() -> Vec<&'static str> {
        vec![Self::SORT]
    }
}

/// The objects of a change set, as a list.
#[derive(Clone, Debug)]
pub struct ChangedObjects;

impl List for ChangedObjects {
    const SORT: &'static str = "time";
}

/// Writes that belong together: one request, or those to which a caller gave one name within 24 hours.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c", "name": "deploy 42", "tenantId": "client_1",
    "createdDate": "2026-11-20T20:37:00+0000", "createdBy": {"id": "USR0000000001", "loginName": "ann.lee"},
    "keyId": "Wd3kq0", "requests": 12, "objects": 9
}))]
pub struct ChangeSet {
    /// `CHG-<uuid>`.
    pub id: String,
    /// `X-Change-Set` of its requests; left out of a request that named none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tenant of the path of its requests.
    pub tenant_id: String,
    /// When its first request was taken up.
    #[schema(value_type = String)]
    pub created_date: Timestamp,
    /// The user that the caller acted as.
    pub created_by: Author,
    /// The API key that was used, or the session.
    pub key_id: String,
    /// How many requests changed something.
    pub requests: i64,
    /// How many objects they changed.
    pub objects: i64,
    /// The set that it undoes; left out of any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
}

/// A change set, and a page of what it changed.
#[derive(Serialize, ToSchema)]
pub struct ChangeSetDetail {
    /// The set.
    #[serde(flatten)]
    pub set: ChangeSet,
    /// A page of the objects that it changed, in the order in which they changed first.
    #[schema(value_type = PageOf<ChangedObject>)]
    pub changes: Page<ChangedObject>,
}

/// What all requests of a change set made of one object.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "tenantId": "client_1", "entity": "Site", "entityId": "7", "action": "UPDATE",
    "changes": {"city": {"before": "Graz", "after": "Linz"}}
}))]
pub struct ChangedObject {
    /// The tenant of the object.
    pub tenant_id: String,
    /// Its kind, such as `Resource`.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// `CREATE`, `UPDATE` or `DELETE`; `NONE` of an object that was created and deleted.
    #[schema(pattern = "^(CREATE|UPDATE|DELETE|NONE)$")]
    pub action: &'static str,
    /// `{field: {"before": …, "after": …}}`, as in the audit log: before the first request and after the last.
    #[schema(value_type = Object)]
    pub changes: BTreeMap<String, BeforeAfter>,
}

/// A field before and after.
#[derive(Serialize)]
pub struct BeforeAfter {
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Value>,
}

/// The variables of `queryString`.
const VARIABLES: [&str; 6] = ["id", "name", "createdBy", "keyId", "startDate", "endDate"];

/// Search change sets
///
/// A page of the sets of writes that belong together: those of one request, or of the requests to which a caller gave
/// one name by `X-Change-Set` within 24 hours. Newest first. At partner level the sets of its clients are among them.
/// `queryString` variables: `id`, `name` (contains), `createdBy` (the user's id), `keyId`,
/// `startDate` and `endDate`.
#[utoipa::path(
    operation_id = "searchChangeSets",
    params(PageQuery<ChangeSets>),
    responses((status = 200, description = "A page of change sets", body = PageOf<ChangeSet>)),
    security(("bearer" = ["admin"]))
)]
#[get("/changeSets/search")]
pub(crate) async fn search_change_sets(context: RequestContext<PageQuery<ChangeSets>>) -> api::Result<HttpResponse> {
    let terms = query_string::parse(&context.query.filter, &VARIABLES)?;
    let mut all = vec![Condition::text_in("change_sets.tenant_id IN", context.scope())];
    for term in &terms {
        all.push(condition(term)?);
    }
    let condition = Condition::all(all);
    let page = context.page(move |conn, scope, sort, walk| {
        let mut found = change_sets::page(conn, &condition, sort.descending, walk)?;
        let rows = std::mem::take(&mut found.rows);
        let sets = shown(conn, &scope.scope_and_partner(), rows)?;
        Ok(found.with(sets))
    });
    page.await
}

fn condition(term: &Term) -> Result<Condition, Problem> {
    let values = || term.values.iter().map(|value| fold(value));
    Ok(match term.name {
        "id" => Condition::text_in("change_sets.id IN", term.values.iter().map(|value| normal_id(value))),
        "name" => Condition::sql("change_sets.name IS NOT NULL AND (")
            .append(Condition::named("lower(change_sets.name)", values(), false))
            .then(")"),
        "createdBy" => Condition::text_in("lower(change_sets.user_id) IN", values()),
        "keyId" => Condition::text_in("lower(change_sets.key_id) IN", values()),
        "startDate" => Condition::sql("change_sets.created_ms >= ").integer(term.time()?.millis()),
        _ => Condition::sql("change_sets.created_ms < ").integer(term.time()?.millis().saturating_add(1000)),
    })
}

/// Get a change set
///
/// The set, and a page of what it changed: of each object the fields that differ, before its first request and after
/// its last. `pageNo`, `pageSize` and `cursor` are those of `changes`.
#[utoipa::path(
    operation_id = "getChangeSet",
    params(ChangeSetId, PageQuery<ChangedObjects>),
    responses(
        (status = 200, description = "The change set", body = ChangeSetDetail),
        (status = 404, description = "The tenant has no such change set"),
    ),
    security(("bearer" = ["admin"]))
)]
#[get("/changeSets/{changeSetId}")]
pub(crate) async fn get_change_set(
    context: RequestContext<PageQuery<ChangedObjects>>,
    PathIds(id): PathIds<ChangeSetId>,
) -> api::Result<HttpResponse> {
    let walk = context.query.walk.clone();
    let detail = context.read(move |conn, scope| {
        let found = change_sets::find(conn, &scope.scope(), &id)?;
        let row = found.ok_or_else(|| Problem::not_found("The change set was not found."))?;
        let changes = objects::page(conn, &row, &walk)?.map(changed);
        let changes = walk.answer(changes);
        let set = shown(conn, &scope.scope_and_partner(), vec![row])?.pop();
        let set = set.ok_or_else(|| Problem::not_found("The change set was not found."))?;
        Ok(ChangeSetDetail { set, changes })
    });
    let detail = detail.await?;
    // Both only grow, and one of them does with every request that joins the set.
    let version = detail.set.requests + detail.set.objects;
    answer::tagged(&detail, version)
}

fn shown(conn: &mut Conn, tenants: &[String], rows: Vec<Row>) -> db::Result<Vec<ChangeSet>> {
    let authors = Authors::load(conn, &Directory, tenants, rows.iter().map(|row| row.user_id.as_str()))?;
    let shown = |row: Row| ChangeSet {
        created_date: Timestamp::from_millis(row.created_ms),
        created_by: authors.of(&row.user_id),
        id: row.id,
        name: row.name,
        tenant_id: row.tenant_id,
        key_id: row.key_id,
        requests: row.requests,
        objects: row.objects,
        undoes: row.undoes,
    };
    Ok(rows.into_iter().map(shown).collect())
}

fn changed(object: ObjectChange) -> ChangedObject {
    let action = match (object.existed, object.exists) {
        (false, true) => Action::Create.as_str(),
        (true, true) => Action::Update.as_str(),
        (true, false) => Action::Delete.as_str(),
        (false, false) => "NONE",
    };
    let sides = object.fields.into_iter().map(|(name, field)| {
        let sides = BeforeAfter { before: field.before, after: field.after };
        (name, sides)
    });
    ChangedObject {
        tenant_id: object.tenant_id,
        entity: object.entity,
        entity_id: object.entity_id,
        action,
        changes: sides.collect(),
    }
}
