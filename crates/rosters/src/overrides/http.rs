//! Overrides over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, spec::PageOf};
use base::{
    Query,
    problem::{Problem, Wrong},
    timestamp::Timestamp,
};
use calendar::Interval;
use outbox::{Change, Tx};
use ports::People;
use serde_json::{Value, json};

use super::{
    rules::{self, Removal},
    store,
    wire::{NewOverride, Override, OverrideInput},
};
use crate::{
    crowd::Crowd,
    roster::{
        self,
        http::{take_up, tenants_of, tenants_of_people},
    },
};

/// Create an override
///
/// A user takes a shift for a time, in place of whoever is on call through it; without `shift` the user takes the whole
/// roster, also while no shift takes place. Of several overrides of the same time the last one made wins. An override
/// of a shift takes place when the shift does as it is now: it follows no later edit.
#[utoipa::path(
    tag = "rosters",
    operation_id = "createRosterOverride",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = OverrideInput),
    responses((status = 200, description = "The new override", body = Override)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/overrides")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let new = NewOverride::read(&body.0)?;
    let (scope, partner, now) = (context.scope(), context.tenant.partner.to_string(), context.now);
    let (people, id, author) = (people.into_inner(), path.into_inner().1, context.caller.user_id.clone());
    context
        .write(move |tx, _| {
            let roster = take_up(tx, &scope, &id, None)?;
            let tenants = tenants_of(&roster.tenant_id, &partner);
            let named = [new.user.clone(), author.clone()].into_iter().chain(new.replaces.clone());
            let crowd = Crowd::load(tx.conn, &*people, &tenants, [], named)?;
            let mut wrong = Wrong::default();
            for (field, id) in [("user.id", Some(&new.user)), ("replaces.id", new.replaces.as_ref())] {
                if let Some(id) = id.filter(|id| crowd.user(id).is_none()) {
                    let message = format!("names no user of the tenant or its partner: {}", base::problem::shorten(id));
                    wrong.add(field, message);
                }
            }
            wrong.check()?;
            let shift = named_shift(tx, &roster, new.shift.as_deref(), new.time, now)?;
            let row = store::Override {
                tenant_id: roster.tenant_id.clone(),
                roster_id: roster.id.clone(),
                id: format!("OVR-{}", uuid::Uuid::new_v4()),
                number: db::next_id(tx.conn, "rosters.overrides")?,
                user_id: new.user,
                start_ms: new.time.start().millis(),
                end_ms: new.time.end().millis(),
                shift_id: shift.as_ref().map(|shift| shift.id.clone()),
                shift_name: shift.as_ref().map(|shift| shift.name.clone()),
                zone: shift.as_ref().map(|shift| shift.zone.clone()),
                schedule: shift.map(|shift| shift.schedule),
                note: new.note,
                created_by: author,
                created_ms: now.millis(),
                replaces: new.replaces,
                swap_id: None,
            };
            store::insert(tx.conn, &row)?;
            roster::store::touch(tx.conn, &roster, now)?;
            note(tx, None, Some(&row));
            Answer::ok(&Override::new(row, &crowd))
        })
        .await
}

/// The shift that an override is about, as it is when the override begins.
pub fn named_shift(
    tx: &mut Tx<'_>,
    roster: &roster::store::Roster,
    wanted: Option<&str>,
    time: Interval,
    now: Timestamp,
) -> db::Result<Option<roster::versions::Shift>> {
    let Some(wanted) = wanted else { return Ok(None) };
    let (tenant, id) = (std::slice::from_ref(&roster.tenant_id), std::slice::from_ref(&roster.id));
    let at = time.start().max(now).millis();
    let shifts = roster::versions::shifts_at(tx.conn, tenant, id, at)?;
    let Some(shift) = shifts.into_iter().find(|shift| shift.id == wanted) else {
        let message = format!("names no shift of the roster: {}", base::problem::shorten(wanted));
        return Err(Problem::field("shift", message).into());
    };
    if !rules::takes_place(&shift, time)? {
        return Err(Problem::field("shift", "does not take place between start and end").into());
    }
    Ok(Some(shift))
}

/// List overrides
///
/// A page of the overrides of a roster, past ones included.
#[utoipa::path(
    tag = "rosters",
    operation_id = "listRosterOverrides",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("from" = Option<String>, Query, description = "Only those that end after this instant", example = "2026-11-20T00:00:00+0000"),
        ("to" = Option<String>, Query, description = "Only those that start before this instant", example = "2026-11-27T00:00:00+0000"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`start` (default) or `createdTime`", example = "start"),
    ),
    responses((status = 200, description = "A page of overrides", body = PageOf<Override>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/overrides")]
pub async fn list(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "start", false);
    let walk = query.walk(context.request().path(), sort);
    let from = query.timestamp("from").map_or(i64::MIN, Timestamp::millis);
    let to = query.timestamp("to").map_or(i64::MAX, Timestamp::millis);
    query.finish()?;
    let (scope, tenants, people, id) =
        (context.scope(), tenants_of_people(&context), people.into_inner(), path.into_inner().1);
    let page = context.db.read(move |conn| {
        let roster = roster::store::existing(conn, &scope, &id)?;
        let found = store::page(conn, &roster.tenant_id, &roster.id, (from, to), sort, &walk)?;
        let users = found
            .rows
            .iter()
            .flat_map(|row| [row.user_id.clone(), row.created_by.clone()].into_iter().chain(row.replaces.clone()));
        let crowd = Crowd::load(conn, &*people, &tenants, [], users)?;
        Ok(walk.answer(found.map(|row| Override::new(row, &crowd))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Delete an override
///
/// One that has not begun goes; one that is under way ends now. One that is over stays as history, also when it was entered
/// after the fact, and the answer is a 409.
#[utoipa::path(
    tag = "rosters",
    operation_id = "deleteRosterOverride",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("overrideId" = String, Path, description = "`OVR-<uuid>`", example = "OVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
    responses(
        (status = 200, description = "Deleted, or ended; an empty object"),
        (status = 409, description = "The override is over"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}/overrides/{overrideId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String, String)>) -> api::Result<HttpResponse> {
    let (scope, now) = (context.scope(), context.now);
    let (_, id, override_id) = path.into_inner();
    context
        .write(move |tx, _| {
            let roster = take_up(tx, &scope, &id, None)?;
            let row = store::existing(tx.conn, &roster.tenant_id, &roster.id, &override_id)?;
            remove(tx, &row, rules::removal(&row, now)?)?;
            // The other half of a swap goes with it, unless that is past.
            for other in store::other_half(tx.conn, &row)? {
                if let Ok(removal) = rules::removal(&other, now) {
                    remove(tx, &other, removal)?;
                }
            }
            roster::store::touch(tx.conn, &roster, now)?;
            Ok(Answer::empty())
        })
        .await
}

fn remove(tx: &mut Tx<'_>, row: &store::Override, removal: Removal) -> db::Result<()> {
    match removal {
        Removal::Whole => {
            store::delete(tx.conn, row)?;
            note(tx, Some(row), None);
        }
        Removal::EndAt(end_ms) => {
            store::end(tx.conn, row, end_ms)?;
            let ended = store::Override { end_ms, ..row.clone() };
            note(tx, Some(row), Some(&ended));
        }
    }
    Ok(())
}

/// Notes that an override changed.
pub fn note(tx: &mut Tx<'_>, before: Option<&store::Override>, after: Option<&store::Override>) {
    let Some(row) = after.or(before) else { return };
    tx.note(Change {
        tenant_id: row.tenant_id.clone(),
        entity: "RosterOverride",
        entity_id: row.id.clone(),
        before: before.map(state),
        after: after.map(state),
        publish: true,
    });
}

/// An override as subscribers and the audit log have it.
fn state(row: &store::Override) -> Value {
    json!({
        "id": row.id,
        "roster": {"id": row.roster_id},
        "user": {"id": row.user_id},
        "start": Timestamp::from_millis(row.start_ms),
        "end": Timestamp::from_millis(row.end_ms),
        "shift": row.shift_id.as_ref().map(|id| json!({"id": id, "name": row.shift_name})),
        "replaces": row.replaces.as_ref().map(|id| json!({"id": id})),
        "swapId": row.swap_id,
        "note": row.note,
    })
}
