//! Rosters over HTTP.

use std::sync::Arc;

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, RequestScope, answer, context::check_version, spec::PageOf};
use base::{Query, problem::Wrong, timestamp::Timestamp};
use db::Conn;
use outbox::Tx;
use ports::People;

use super::{
    change::{NewRoster, RosterChange},
    documented::{RosterInput, RosterUpdate},
    named,
    plan::{self, Old, Plan},
    rules::{self, Filter},
    shown::{self, Form},
    store, versions,
    wire::{Roster, RosterClient},
};
use crate::on_call::http::instant;

/// The tenants whose people may stand in the rosters that a request sees.
pub fn tenants_of_people(context: &RequestScope) -> Vec<String> {
    context.scope_and_partner()
}

/// The tenants whose people may stand in a roster of one tenant.
pub fn tenants_of(tenant: &str, partner: &str) -> Vec<String> {
    if tenant == partner { vec![tenant.to_owned()] } else { vec![tenant.to_owned(), partner.to_owned()] }
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Create a roster
///
/// Adds a roster to the tenant of the path. Its name is unique in the tenant, those of its shifts are in the roster,
/// whatever the letter case. Users and user groups are those of the tenant and of its partner.
#[utoipa::path(
    tag = "rosters",
    operation_id = "createRoster",
    request_body(content = RosterInput, example = json!({
        "name": "First line", "description": "Around the clock", "timeZone": {"name": "Europe/Paris"},
        "shiftDetails": [{
            "name": "Night",
            "schedule": {
                "type": "recurring", "startDate": "2026-11-20T00:00:00+0000", "startTime": "22:00:00",
                "endTime": "06:00:00", "pattern": {"type": "weekly", "repeatFrequency": 1, "weekDays": "Monday,Friday"},
                "endPattern": {"type": "NEVER"}
            },
            "users": [{"id": "USR0000000007"}], "userGroups": []
        }]
    })),
    responses(
        (status = 200, description = "The new roster", body = Roster),
        (status = 409, description = "The tenant has a roster of this name"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters")]
pub async fn create(context: RequestContext, people: web::Data<dyn People>, body: Body) -> api::Result<HttpResponse> {
    let (new, wrong) = RosterChange::read(&body.0, true);
    let (tenant, people, now) = (Arc::clone(&context.tenant), people.into_inner(), context.now);
    context
        .write(move |tx, _| {
            store::take_up(tx.conn, tenant.id.as_str())?;
            let tenants = tenants_of(tenant.id.as_str(), tenant.partner.as_str());
            let new = check_new(tx.conn, &*people, &tenants, new, wrong)?;
            let (roster, shifts) = plan::created(&new, tenant.id.as_str(), new_id, now);
            store::insert(tx.conn, &roster)?;
            versions::insert(tx.conn, &roster, &shifts)?;
            shown::note(tx, None, Some((&roster, &shifts)));
            let client = RosterClient {
                id: tenant.id.number(),
                unique_id: tenant.id.to_string(),
                name: tenant.name.clone(),
                activated: people.is_active(tx.conn, tenant.id.as_str())?,
            };
            respond(tx, &*people, &tenants, (&roster, &shifts), &Form::Created(client), None)
        })
        .await
}

/// The new roster of a body, of which nothing is wrong.
///
/// # Errors
/// 400 that lists what is wrong in it, with whoever is not of these tenants.
pub fn check_new(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    new: RosterChange,
    mut wrong: Wrong,
) -> db::Result<NewRoster> {
    let shifts = new.shifts.as_deref().unwrap_or_default();
    plan::check_names(shifts, &mut wrong);
    named::check(conn, people, tenants, shifts, &mut wrong)?;
    wrong.check()?;
    Ok(new.complete()?)
}

fn respond(
    tx: &mut Tx<'_>,
    people: &dyn People,
    tenants: &[String],
    (roster, shifts): (&store::Roster, &[versions::Shift]),
    form: &Form,
    from: Option<Timestamp>,
) -> db::Result<Answer> {
    let (rows, now) = (std::slice::from_ref(roster), (tx.now, false));
    let shown = shown::rosters(tx.conn, people, tenants, rows, shifts, form, now)?;
    let shown = shown.into_iter().next().ok_or_else(rules::no_roster)?;
    Answer::entity(&Roster { effective_from: from.map(|from| from.to_string()), ..shown }, roster.version)
}

/// Search rosters
///
/// A page of the rosters of the tenant; at partner level, of its clients too, unless `allList` is `false`. The
/// variables of `queryString` are `id`, `name` (it contains the value, whatever the letter case), `isEquals` (`true`:
/// it is the value) and `allList`. As parameters, `allList` says the same and `name` is the whole name.
#[utoipa::path(
    tag = "rosters",
    operation_id = "searchRosters",
    params(
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default), `id` or `createdTime`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "name:line"),
        ("name" = Option<String>, Query, description = "The whole name, whatever the letter case", example = "First line"),
        ("allList" = Option<bool>, Query, description = "As the variable; default true"),
    ),
    responses((status = 200, description = "A page of rosters", body = PageOf<Roster>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/search")]
pub async fn search(context: RequestContext<Query>, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "name", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    let name = query.text("name");
    let all = query.boolean("allList", true);
    query.finish()?;
    let mut filter = Filter::parse(&text)?;
    if let Some(name) = name.filter(|name| !name.trim().is_empty()) {
        filter.called = Some(base::fold(name.trim()));
    }
    let scope = if filter.all.unwrap_or(all) { context.scope() } else { vec![context.tenant.id.to_string()] };
    let (tenants, people, now) = (tenants_of_people(&context), people.into_inner(), context.now);
    let page = context.db.read(move |conn| {
        let found = store::search(conn, &scope, &filter, sort, &walk)?;
        let ids: Vec<String> = found.rows.iter().map(|row| row.id.clone()).collect();
        let shifts = versions::shifts_at(conn, &scope, &ids, now.millis())?;
        let rows = versions::as_of(conn, &scope, found.rows.clone(), now.millis())?;
        let shown = shown::rosters(conn, &*people, &tenants, &rows, &shifts, &Form::Read, (now, false))?;
        Ok(walk.answer(found.with(shown)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a roster
///
/// As it is now, or with `at` as it was or will be then. One that was deleted can be asked for by the time before.
#[utoipa::path(
    tag = "rosters",
    operation_id = "getRoster",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("at" = Option<String>, Query, description = "Default now", example = "2026-11-20T20:37:00+0000"),
    ),
    responses((status = 200, description = "The roster", body = Roster)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}")]
pub async fn get(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (instant, now) = (instant(&context)?, context.now);
    let (scope, tenants, people, id) =
        (context.scope(), tenants_of_people(&context), people.into_inner(), path.into_inner().1);
    let (shown, version) = context
        .db
        .read(move |conn| {
            let row = store::existed(conn, &scope, &id)?;
            let shifts = versions::shifts_at(conn, &scope, std::slice::from_ref(&row.id), instant.millis())?;
            let version = row.version;
            let rows = versions::as_of(conn, &scope, vec![row], instant.millis())?;
            let then = (instant, instant < now);
            let mut shown = shown::rosters(conn, &*people, &tenants, &rows, &shifts, &Form::Read, then)?;
            Ok((shown.pop().ok_or_else(rules::no_roster)?, version))
        })
        .await?;
    answer::tagged(&shown, version)
}

/// Update a roster
///
/// Fields left out stay as they are. `shiftDetails`, when given, lists all shifts: one with an `id` changes that shift,
/// one without is new, and those that are not listed end. Shifts, zone and off hours take effect from now on, or from
/// `effectiveFrom` on, and replace what was planned for later than that: who was on call before does not change. A name
/// and a description take effect at once. `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "rosters",
    operation_id = "updateRoster",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = RosterUpdate, example = json!({"description": "Nights and weekends"})),
    responses(
        (status = 200, description = "The roster after the change", body = Roster),
        (status = 409, description = "The tenant has another roster of this name"),
        (status = 412, description = "The roster has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (change, mut wrong) = RosterChange::read(&body.0, false);
    let (scope, partner, wanted, now) =
        (context.scope(), context.tenant.partner.to_string(), context.if_match()?, context.now);
    let (people, id) = (people.into_inner(), path.into_inner().1);
    context
        .write(move |tx, _| {
            let old = take_up(tx, &scope, &id, wanted)?;
            let tenants = tenants_of(&old.tenant_id, &partner);
            named::check(tx.conn, &*people, &tenants, change.shifts.as_deref().unwrap_or_default(), &mut wrong)?;
            let (before, plan) = planned(tx.conn, &old, change, wrong, new_id, now)?;
            store::update(tx.conn, &old, &plan.roster)?;
            versions::update(tx.conn, &old, &plan)?;
            shown::note(tx, Some((&old, &before)), Some((&plan.roster, &plan.after)));
            let from = (plan.from_ms > now.millis()).then(|| Timestamp::from_millis(plan.from_ms));
            respond(tx, &*people, &tenants, (&plan.roster, &plan.after), &Form::Read, from)
        })
        .await
}

/// What an update does to a roster, and its shifts when the update takes effect; `new_id` gives new shifts their UUIDs.
pub fn planned(
    conn: &mut Conn,
    old: &store::Roster,
    change: RosterChange,
    wrong: Wrong,
    new_id: impl FnMut() -> String,
    now: Timestamp,
) -> db::Result<(Vec<versions::Shift>, Plan)> {
    let from_ms = change.from.map_or(rules::effective_ms(now), Timestamp::millis);
    let (tenant, id) = (std::slice::from_ref(&old.tenant_id), std::slice::from_ref(&old.id));
    let shifts = versions::shifts_at(conn, tenant, id, from_ms)?;
    let known = versions::since(conn, &old.tenant_id, &old.id, rules::effective_ms(now))?;
    let plan = plan::planned(Old { roster: old, versions: &known, shifts: &shifts }, change, wrong, new_id, now)?;
    Ok((shifts, plan))
}

/// Delete a roster
///
/// It has no future then: its shifts and overrides end, and its calendar addresses are closed. Its past stays: who was
/// on call, and its timeline, can be asked for by its id. Its name is free.
#[utoipa::path(
    tag = "rosters",
    operation_id = "deleteRoster",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "The roster has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    context
        .write(move |tx, _| {
            let roster = take_up(tx, &scope, &id, wanted)?;
            let (tenant, id) = (std::slice::from_ref(&roster.tenant_id), std::slice::from_ref(&roster.id));
            let shifts = versions::shifts_at(tx.conn, tenant, id, tx.now.millis())?;
            versions::end(tx.conn, &roster, rules::effective_ms(tx.now))?;
            shown::note(tx, Some((&roster, &shifts)), None);
            Ok(Answer::empty())
        })
        .await
}

/// The roster that is to be changed, which nobody else changes until the end of the transaction.
pub fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> db::Result<store::Roster> {
    let seen = store::existing(tx.conn, scope, id)?;
    store::take_up(tx.conn, &seen.tenant_id)?;
    let roster = store::existing(tx.conn, scope, id)?;
    check_version(wanted, roster.version)?;
    Ok(roster)
}
