//! Rosters over HTTP.

use std::collections::HashMap;

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, answer, get, post, spec::PageOf};
use base::{problem::FieldErrors, timestamp::Timestamp};
use db::Conn;
use outbox::{Tx, Unpublished};
use ports::People;
use serde_json::json;

use super::{
    filter,
    input::{NewRoster, RosterChange, calendar_ids},
    moved, named,
    plan::{self, Plan, RosterBefore},
    row,
    rules::{self, tenants_of},
    store, versions,
    view::{self, Form, WithShifts},
    wire::{InstantQuery, Narrowed, Roster, RosterClient, RosterId},
};
use crate::{dated_holidays, people::RosterPeople};

api::list! {
    /// The list of rosters.
    pub Rosters by store::SORTS: SORT = "name", FILTER = "name:line"
}

/// The UUID of what is new.
pub fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Create a roster
///
/// Adds a roster to the tenant of the path. Its name is unique in the tenant, those of its shifts are in the roster,
/// whatever the letter case. Users and user groups are those of the tenant and of its partner.
#[utoipa::path(
    operation_id = "createRoster",
    request_body(content = NewRoster, example = json!({
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
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    Body((new, wrong)): Body<(NewRoster, FieldErrors)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenant = &scope.tenant;
            store::lock_for_update(tx.conn, scope.tenant_id())?;
            let tenants = tenants_of(scope.tenant_id(), tenant.partner.as_str());
            let staff = check_new(tx.conn, &**people, &tenants, &new, wrong)?;
            let (roster, shifts) = plan::created(&new, scope.tenant_id(), new_id, tx.now);
            store::insert(tx.conn, &roster)?;
            versions::insert(tx.conn, &roster, 0, &shifts)?;
            tx.record_change(None, Some(&WithShifts(&roster, &shifts)))?;
            let client = RosterClient {
                id: tenant.id.number(),
                unique_id: tenant.id.to_string(),
                name: tenant.name.clone(),
                activated: people.is_active(tx.conn, scope.tenant_id())?,
            };
            answered(&staff, WithShifts(&roster, &shifts), &Form::Created(client), tx.now, None)
        })
        .await
}

/// Checks the body of a new roster; answers with the people whom it names.
///
/// # Errors
/// 400 that lists what is wrong in it, with the people who are not of these tenants.
pub fn check_new(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    new: &NewRoster,
    mut wrong: FieldErrors,
) -> db::Result<RosterPeople> {
    plan::check_names(&new.shifts, &mut wrong);
    let staff = named::check(conn, people, tenants, (&new.shifts, &new.conflicts_to), &mut wrong)?;
    wrong.check()?;
    Ok(staff)
}

fn answered(
    staff: &RosterPeople,
    WithShifts(roster, shifts): WithShifts<'_>,
    form: &Form,
    now: Timestamp,
    from: Option<Timestamp>,
) -> db::Result<Answer> {
    let shown = view::rosters(staff, std::slice::from_ref(roster), shifts, form, now)?;
    let shown = shown.into_iter().next().ok_or_else(rules::no_roster)?;
    Answer::entity(&Roster { effective_from: from.map(|from| from.to_string()), ..shown }, roster.version)
}

/// Search rosters
///
/// A page of the rosters of the tenant; at partner level, of its clients too, unless `allList` is `false`. The
/// variables of `queryString` are `id`, `name` (it contains the value, whatever the letter case), `isEquals` (`true`:
/// it is the value) and `allList`. As parameters, `allList` says the same and `name` is the whole name.
#[utoipa::path(
    operation_id = "searchRosters",
    params(PageQuery<Rosters, Narrowed>),
    responses((status = 200, description = "A page of rosters", body = PageOf<Roster>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/search")]
pub async fn search(
    context: RequestContext<PageQuery<Rosters, Narrowed>>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let PageQuery { sort, walk, filter, own: Narrowed { name, all_list }, .. } = context.query.clone();
    let condition = filter::condition(&context, &filter, all_list, name.as_deref())?;
    let page = context.read_many(move |conn, scope| {
        let found = store::search(conn, condition, sort, &walk)?;
        let shifts = versions::shifts_at(conn, &found.rows, scope.now.millis())?;
        let rows = versions::as_of(conn, found.rows.clone(), scope.now.millis())?;
        let tenants = scope.scope_and_partner();
        let staff = view::people(conn, &**people, &tenants, (&rows, &shifts), (scope.now, false))?;
        let shown = view::rosters(&staff, &rows, &shifts, &Form::Read, scope.now)?;
        Ok(walk.answer(found.with(shown)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a roster
///
/// As it is now, or with `at` as it was or will be then. A deleted roster can be read with an `at` before its deletion.
#[utoipa::path(
    operation_id = "getRoster",
    params(RosterId, InstantQuery),
    responses((status = 200, description = "The roster", body = Roster)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}")]
pub async fn get(
    context: RequestContext<InstantQuery>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    let at = context.query.at;
    let read = context.read(move |conn, scope| {
        let at = at.unwrap_or(scope.now);
        let row = store::existed(conn, &scope.scope(), &id)?;
        let shifts = versions::shifts_at(conn, std::slice::from_ref(&row), at.millis())?;
        let version = row.version;
        let tenants = tenants_of(&row.tenant_id, scope.tenant.partner.as_str());
        let rows = versions::as_of(conn, vec![row], at.millis())?;
        let staff = view::people(conn, &**people, &tenants, (&rows, &shifts), (at, at < scope.now))?;
        let mut shown = view::rosters(&staff, &rows, &shifts, &Form::Read, at)?;
        Ok((shown.pop().ok_or_else(rules::no_roster)?, version))
    });
    let (shown, version) = read.await?;
    answer::tagged(&shown, version)
}

/// Update a roster
///
/// Fields left out stay as they are. `shiftDetails`, when given, lists all shifts: one with an `id` changes that shift,
/// one without is new, and those that are not listed end. Shifts, zone and off hours take effect from now on, or from
/// `effectiveFrom` on, and replace what was planned for later than that: who was on call before does not change. A name
/// and a description take effect at once. `If-Match` with the `ETag` of what you read makes sure that nobody else
/// changed it meanwhile.
#[utoipa::path(
    operation_id = "updateRoster",
    params(RosterId),
    request_body(content = RosterChange, example = json!({"description": "Nights and weekends"})),
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
    PathIds(id): PathIds<RosterId>,
    Body((change, mut wrong)): Body<(RosterChange, FieldErrors)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            scope.check_version(old.version)?;
            let tenants = tenants_of(&old.tenant_id, scope.tenant.partner.as_str());
            change.check_people(tx.conn, &**people, &tenants, &mut wrong)?;
            let asked = (&old, change, wrong);
            let (before, plan) = planned(tx.conn, &**people, &tenants, asked, new_id, tx.now)?;
            carry_out(tx, &old, &before, &plan)?;
            let after = WithShifts(&plan.roster, &plan.after);
            let from = (plan.from_ms > tx.now.millis()).then(|| Timestamp::from_millis(plan.from_ms));
            let rows = std::slice::from_ref(&plan.roster);
            let staff = view::people(tx.conn, &**people, &tenants, (rows, &plan.after), (tx.now, false))?;
            answered(&staff, after, &Form::Read, tx.now, from)
        })
        .await
}

/// Stores what an update does to a roster, which had these shifts. The audit log also has when it takes effect, if that
/// is later.
pub fn carry_out(tx: &mut Tx<'_>, old: &row::Roster, before: &[row::Shift], plan: &Plan) -> db::Result<()> {
    store::update(tx.conn, old, &plan.roster)?;
    versions::update(tx.conn, old, plan)?;
    let from = (plan.from_ms > tx.now.millis()).then(|| json!(Timestamp::from_millis(plan.from_ms)));
    let from = Unpublished::field("effectiveFrom", None, from.as_ref());
    let after = WithShifts(&plan.roster, &plan.after);
    tx.record_change_with(Some(&WithShifts(old, before)), Some(&after), from.into_iter().collect())
}

/// What an update does to a roster, and its shifts when the update takes effect; `new_id` gives new shifts their UUIDs.
/// Its people and holiday calendars are those of `tenants`.
pub fn planned(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    (old, change, wrong): (&row::Roster, RosterChange, FieldErrors),
    new_id: impl FnMut() -> String,
    now: Timestamp,
) -> db::Result<(Vec<row::Shift>, Plan)> {
    let from_ms = change.from.map_or(rules::effective_ms(now), Timestamp::millis);
    let shifts = versions::shifts_at(conn, std::slice::from_ref(old), from_ms)?;
    let known = versions::since(conn, &old.tenant_id, &old.id, rules::effective_ms(now))?;
    let named = change.shifts.iter().flatten().filter_map(|shift| shift.holidays.as_deref());
    let before = shifts.iter().filter_map(|shift| shift.holidays.as_deref());
    let ids = named.flat_map(calendar_ids).chain(before.flat_map(|holidays| holidays.calendars.iter().cloned()));
    let holidays = dated_holidays::store::dated_of(conn, tenants, &ids.collect::<Vec<_>>())?;
    let moves = match change.keep_current {
        Some(true) => moved::turns(conn, people, tenants, &shifts, &holidays)?,
        _ => HashMap::new(),
    };
    let all = RosterBefore { roster: old, versions: &known, shifts: &shifts, holidays: &holidays, moves: &moves };
    let plan = plan::planned(all, change, wrong, new_id, now)?;
    Ok((shifts, plan))
}

/// The roster that is to be changed, which nobody else changes until the end of the transaction.
pub fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, id: &str) -> db::Result<row::Roster> {
    let seen = store::existing(tx.conn, &scope.scope(), id)?;
    store::lock_for_update(tx.conn, &seen.tenant_id)?;
    store::existing(tx.conn, &scope.scope(), id)
}
