//! Escalation policies over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, Resource as _, delete, get, post, spec::PageOf,
};
use base::{problem::FieldErrors, query_string};
use db::{Condition, Conn};
use outbox::Tx;

use super::{
    row::Policy,
    rules, store, view,
    wire::{Document, EscalationPolicy, NewPolicy, PolicyChange, PolicyId, normal_id},
};
use crate::{Neighbours, configuration::filter};

const VARIABLES: [&str; 4] = ["id", "name", "isEquals", "allList"];

api::list! {
    /// The list of policies.
    pub Policies by store::SORTS: SORT = "name", FILTER = "name:web"
}

/// Create an escalation policy
///
/// Who is told of an alert, one step after the other, until somebody answers. Alert routes say which alerts go to it. A
/// step that would reach nobody at its time (a gap in a roster) moves on to the next at once, and says so.
#[utoipa::path(
    operation_id = "createEscalationPolicy",
    request_body(content = NewPolicy),
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
    Body(new): Body<NewPolicy>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            store::lock(scope.tenant_id()).take(tx.conn)?;
            let row = rules::created(scope.tenant_id(), new, tx.author(), tx.now);
            check_targets(tx.conn, &neighbours, &row.tenant_id, &row.document)?;
            store::insert(tx.conn, &row)?;
            answered(tx, scope, &neighbours, None, &row)
        })
        .await
}

/// Records a change of a policy, and answers the policy.
fn answered(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    neighbours: &Neighbours,
    old: Option<&Policy>,
    row: &Policy,
) -> db::Result<Answer> {
    tx.record_change(old, Some(row))?;
    Answer::entity(&view::one(tx.conn, &*neighbours.people, &scope.scope_and_partner(), row)?, row.version)
}

/// Search escalation policies
///
/// By name; at partner level those of its clients too, unless `allList` is `false`. `queryString` variables: `id`,
/// `name` (contains, unless `isEquals:true`) and `allList`.
#[utoipa::path(
    operation_id = "searchEscalationPolicies",
    params(PageQuery<Policies>),
    responses((status = 200, description = "A page of policies", body = PageOf<EscalationPolicy>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/escalationPolicies/search")]
pub async fn search(
    context: RequestContext<PageQuery<Policies>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let terms = query_string::parse(&context.query.filter, &VARIABLES)?;
    let columns = ["escalation_policies.id IN", "escalation_policies.name_key"];
    let named = filter::named(&terms, columns, normal_id)?;
    let all_list = filter::all_list(&terms)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let tenants = scope.scope_of_list(all_list);
        let condition = Condition::all([Condition::text_in("escalation_policies.tenant_id IN", tenants), named]);
        let found = store::page(conn, &condition, sort, walk)?;
        let shown = view::all(conn, &*neighbours.people, &scope.scope_and_partner(), &found.rows)?;
        Ok(found.with(shown))
    });
    page.await
}

/// Get an escalation policy
#[utoipa::path(
    operation_id = "getEscalationPolicy",
    params(PolicyId),
    responses((status = 200, description = "The policy", body = EscalationPolicy)),
    security(("bearer" = ["viewer"]))
)]
#[get("/escalationPolicies/{policyId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<PolicyId>,
) -> api::Result<HttpResponse> {
    let answered = context.point(move |conn, tenant| {
        let row = Policy::existing(conn, &tenant.scope(), &id)?;
        Answer::entity(&view::one(conn, &*neighbours.people, &tenant.scope_and_partner(), &row)?, row.version)
    });
    answered.await
}

/// Update an escalation policy
///
/// What is left out stays as it is; `steps` are replaced as a whole. Escalations that have begun keep the policy as it
/// was.
#[utoipa::path(
    operation_id = "updateEscalationPolicy",
    params(PolicyId),
    request_body(content = PolicyChange),
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
    PathIds(id): PathIds<PolicyId>,
    Body(change): Body<PolicyChange>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = Policy::locked(tx, scope, &id)?;
            let row = rules::changed(&old, change, tx.author(), tx.now);
            if row.document.steps != old.document.steps {
                check_targets(tx.conn, &neighbours, &row.tenant_id, &row.document)?;
            }
            store::update(tx.conn, &row)?;
            answered(tx, scope, &neighbours, Some(&old), &row)
        })
        .await
}

/// Delete an escalation policy
///
/// Escalations that have begun keep the policy as it was.
#[utoipa::path(
    operation_id = "deleteEscalationPolicy",
    params(PolicyId),
    responses(
        (status = 200, description = "Deleted; an empty object", body = Object),
        (status = 409, description = "An alert route leads to it"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/escalationPolicies/{policyId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<PolicyId>) -> api::Result<HttpResponse> {
    context.delete(id, store::delete).await
}

/// Refuses targets that are not there, each by its place. People may be of the tenant or of its partner, everything
/// else is of the tenant.
pub fn check_targets(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, document: &Document) -> db::Result<()> {
    let around = neighbours.people.own_and_partner(conn, tenant)?;
    let own = [tenant.to_owned()];
    let mut wrong = FieldErrors::new(Vec::new());
    for (step, targets) in document.steps.iter().enumerate() {
        for (place, target) in targets.targets.iter().enumerate() {
            let mut unknown = |field: &str, what: &str, id: &str| {
                wrong.unknown(&format!("steps[{step}].targets[{place}].{field}"), what, id);
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
