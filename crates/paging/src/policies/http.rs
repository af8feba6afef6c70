//! Escalation policies over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, context::check_version, spec::PageOf};
use base::{
    Query, fold,
    problem::{Wrong, shorten},
    query_string,
};
use db::{Condition, Conn};
use outbox::{Entity, Tx};
use ports::Authors;

use super::{
    documented::EscalationPolicyInput,
    store::{self, Row},
    wire::{Change, Document, EscalationPolicy},
};
use crate::Neighbours;

const SORTS: [&str; 2] = ["name", "id"];
const VARIABLES: [&str; 3] = ["id", "name", "isEquals"];

fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "EscalationPolicy", id: &row.id, publish: true };
    let authors = Authors::default();
    let shown = |row: Option<&Row>| row.map(|row| EscalationPolicy::new(row, &authors));
    tx.note_shown(entity, shown(before).as_ref(), shown(after).as_ref())
}

fn shown(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: &[String],
    rows: &[Row],
) -> db::Result<Vec<EscalationPolicy>> {
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, &*neighbours.people, tenants, users)?;
    Ok(rows.iter().map(|row| EscalationPolicy::new(row, &authors)).collect())
}

fn answered(conn: &mut Conn, neighbours: &Neighbours, tenants: &[String], row: &Row) -> db::Result<Answer> {
    let all = shown(conn, neighbours, tenants, std::slice::from_ref(row))?;
    Answer::entity(all.first().ok_or_else(store::unknown)?, row.version)
}

/// Refuses targets that are not there, each by its place. People may be of the tenant or of its partner, everything else
/// is of the tenant.
fn check(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, document: &Document) -> db::Result<()> {
    let (around, own) = (neighbours.people.around(conn, tenant)?, [tenant.to_owned()]);
    let mut wrong = Wrong::new(Vec::new());
    for (step, targets) in document.steps.iter().enumerate() {
        for (place, target) in targets.targets.iter().enumerate() {
            let mut unknown = |field: &str, what: &str, id: &str| {
                let path = format!("steps[{step}].targets[{place}].{field}");
                wrong.add(&path, format!("names no {what}: {}", shorten(id)));
            };
            if let Some(roster) = &target.roster
                && neighbours.on_call.roster(conn, &own, &roster.id)?.is_none()
            {
                unknown("roster.id", "roster of the tenant", &roster.id);
            }
            if let Some(user) = &target.user
                && neighbours.people.users(conn, &around, std::slice::from_ref(&user.id))?.is_empty()
            {
                unknown("user.id", "user of the tenant or its partner", &user.id);
            }
            if let Some(group) = &target.user_group
                && neighbours.people.groups(conn, &around, std::slice::from_ref(&group.unique_id))?.is_empty()
            {
                unknown("userGroup.uniqueId", "user group of the tenant or its partner", &group.unique_id);
            }
            if let Some(integration) = &target.integration
                && neighbours.integrations.installed(conn, &own, &integration.id)?.is_none()
            {
                unknown("integration.id", "integration of the tenant", &integration.id);
            }
        }
    }
    Ok(wrong.check()?)
}

fn encode(document: &Document) -> db::Result<String> {
    serde_json::to_string(document).map_err(|error| db::Error::Fault(error.to_string()))
}

/// Create an escalation policy
///
/// Who is told of an alert, one step after the other, until somebody answers. Alert routes say which alerts go to it. A step
/// whose targets are nobody at its time (a gap of a roster) goes to the next at once, and says so.
#[utoipa::path(
    tag = "paging",
    operation_id = "createEscalationPolicy",
    request_body(content = EscalationPolicyInput),
    responses(
        (status = 200, description = "The policy", body = EscalationPolicy),
        (status = 409, description = "Another one of the tenant has this name, or there are 1,000"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/escalationPolicies")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let change = Change::read(&body.0, true)?;
    let (tenant, tenants, author) =
        (context.tenant.id.to_string(), context.scope_and_partner(), context.caller.user_id.clone());
    let now_ms = context.now.millis();
    context
        .write(move |tx, _| {
            store::take_up(tx.conn, &tenant)?;
            let (name, document) = change.over("", Change::nothing());
            check(tx.conn, &neighbours, &tenant, &document)?;
            let row = Row {
                tenant_id: tenant,
                id: format!("EP-{}", uuid::Uuid::now_v7()),
                version: 1,
                name_key: fold(&name),
                name,
                document: encode(&document)?,
                created_by: author.clone(),
                updated_by: author,
                created_ms: now_ms,
                updated_ms: now_ms,
            };
            store::insert(tx.conn, &row)?;
            note(tx, None, Some(&row))?;
            answered(tx.conn, &neighbours, &tenants, &row)
        })
        .await
}

/// Search escalation policies
///
/// By name; at partner level those of its clients too. `queryString` variables: `id`, `name` (contains, unless
/// `isEquals:true`).
#[utoipa::path(
    tag = "paging",
    operation_id = "searchEscalationPolicies",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default) or `id`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "name:web"),
    ),
    responses((status = 200, description = "A page of policies", body = PageOf<EscalationPolicy>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/escalationPolicies/search")]
pub async fn search(context: RequestContext<Query>, neighbours: web::Data<Neighbours>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "name", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let condition = crate::filter::named(
        &query_string::parse(&text, &VARIABLES)?,
        ["escalation_policies.id IN", "escalation_policies.name_key IN", "escalation_policies.name_key"],
        store::normal_id,
    )?;
    let (scope, tenants) = (context.scope(), context.scope_and_partner());
    let condition = Condition::all([Condition::text_in("escalation_policies.tenant_id IN", &scope), condition]);
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &condition, sort.name == "name", sort.descending, &walk)?;
        Ok(walk.answer(found.with(shown(conn, &neighbours, &tenants, &found.rows)?)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get an escalation policy
#[utoipa::path(
    tag = "paging",
    operation_id = "getEscalationPolicy",
    params(("policyId" = String, Path, description = "`EP-<uuid>`", example = "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The policy", body = EscalationPolicy)),
    security(("bearer" = ["viewer"]))
)]
#[get("/escalationPolicies/{policyId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (scope, tenants, id) = (context.scope(), context.scope_and_partner(), path.into_inner().1);
    let found = context.db.point(move |conn| {
        let row = store::existing(conn, &scope, &id)?;
        let policy =
            shown(conn, &neighbours, &tenants, std::slice::from_ref(&row))?.pop().ok_or_else(store::unknown)?;
        Ok((policy, row.version))
    });
    let (policy, version) = found.await?;
    answer::tagged(&policy, version)
}

/// Update an escalation policy
///
/// What is left out stays as it is; `steps` are replaced as a whole. Escalations that have begun go on as the policy was.
#[utoipa::path(
    tag = "paging",
    operation_id = "updateEscalationPolicy",
    params(("policyId" = String, Path, description = "`EP-<uuid>`", example = "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = EscalationPolicyInput),
    responses(
        (status = 200, description = "The policy after the change", body = EscalationPolicy),
        (status = 409, description = "Another one of the tenant has this name"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/escalationPolicies/{policyId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let change = Change::read(&body.0, false)?;
    let (scope, tenants, wanted, id) =
        (context.scope(), context.scope_and_partner(), context.if_match()?, path.into_inner().1);
    let (author, now_ms) = (context.caller.user_id.clone(), context.now.millis());
    context
        .write(move |tx, _| {
            let tenant = store::existing(tx.conn, &scope, &id)?.tenant_id;
            store::take_up(tx.conn, &tenant)?;
            let old = store::existing(tx.conn, std::slice::from_ref(&tenant), &id)?;
            check_version(wanted, old.version)?;
            let before = old.document();
            let (name, document) = change.over(&old.name, before.clone());
            if document.steps != before.steps {
                check(tx.conn, &neighbours, &tenant, &document)?;
            }
            let row = Row {
                version: old.version + 1,
                name_key: fold(&name),
                name,
                document: encode(&document)?,
                updated_by: author,
                updated_ms: now_ms,
                ..old.clone()
            };
            store::update(tx.conn, &row)?;
            note(tx, Some(&old), Some(&row))?;
            answered(tx.conn, &neighbours, &tenants, &row)
        })
        .await
}

/// Delete an escalation policy
///
/// Escalations that have begun go on as the policy was.
#[utoipa::path(
    tag = "paging",
    operation_id = "deleteEscalationPolicy",
    params(("policyId" = String, Path, description = "`EP-<uuid>`", example = "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "It is gone", body = Object),
        (status = 409, description = "An alert route leads to it"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/escalationPolicies/{policyId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    context
        .write(move |tx, _| {
            let tenant = store::existing(tx.conn, &scope, &id)?.tenant_id;
            store::take_up(tx.conn, &tenant)?;
            let old = store::existing(tx.conn, std::slice::from_ref(&tenant), &id)?;
            check_version(wanted, old.version)?;
            store::delete(tx.conn, &old)?;
            note(tx, Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}
