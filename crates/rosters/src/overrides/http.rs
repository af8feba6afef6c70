//! Overrides over HTTP.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, delete, get, post, spec::PageOf};
use base::{
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use calendar::Interval;
use db::Json;
use outbox::{Tx, Unpublished};
use ports::People;

use super::{
    row::{self, ShiftSettings},
    rules::{self, Removal},
    store, view,
    wire::{self, NewOverride, Override, OverrideId, OverrideRange},
};
use crate::{
    dated_holidays,
    people::RosterPeople,
    roster::{self, http::lock_for_update, rules::tenants_of, wire::RosterId},
};

api::list! {
    /// The list of a roster's overrides.
    pub Overrides by store::SORTS: SORT = "start"
}

/// Create an override
///
/// A user takes a shift for a time, in place of the person on call through it; without `shift` the user takes the whole
/// roster, also while no shift takes place. Of several overrides of the same time the last one made wins. An override
/// of a shift takes place when the shift does as it is now: it follows no later edit.
#[utoipa::path(
    operation_id = "createRosterOverride",
    params(RosterId),
    request_body(content = NewOverride),
    responses((status = 200, description = "The new override", body = Override)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/overrides")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
    Body(new): Body<NewOverride>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let roster = lock_for_update(tx, scope, &id)?;
            let (row, staff) = check_new(tx, &**people, scope, &roster, new)?;
            store::insert(tx.conn, &row)?;
            roster::store::touch(tx.conn, &roster, tx.now)?;
            tx.record_change(None, Some(&row))?;
            Answer::ok(&view::one(row, &staff))
        })
        .await
}

/// Checks the body of a new override, and answers its row with those whom it names.
///
/// # Errors
/// 400 that names people or a shift that are not there.
pub fn check_new(
    tx: &mut Tx<'_>,
    people: &dyn People,
    scope: &RequestScope,
    roster: &roster::row::Roster,
    new: NewOverride,
) -> db::Result<(row::Override, RosterPeople)> {
    let time = wire::time(new.start, new.end)?;
    let (user, replaces) = (new.user.user_id(), new.replaces.as_ref().map(|user| user.user_id()));
    let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
    let named = [user.clone(), tx.author().to_owned()].into_iter().chain(replaces.clone());
    let staff = RosterPeople::load(tx.conn, people, &tenants, [], named)?;
    let mut wrong = FieldErrors::default();
    for (field, id) in [("user.id", Some(&user)), ("replaces.id", replaces.as_ref())] {
        id.into_iter().for_each(|id| staff.check_user(id, field, &mut wrong));
    }
    wrong.check()?;
    let shift = named_shift(tx, (roster, &tenants), new.shift.as_deref(), time)?;
    Ok((row::Override { replaces, note: new.note, ..overriding(tx, roster, shift, user, time)? }, staff))
}

/// The row of an override by which a user takes a shift, or the whole roster, for a time.
pub fn overriding(
    tx: &mut Tx<'_>,
    roster: &roster::row::Roster,
    shift: Option<roster::row::Shift>,
    user_id: String,
    time: Interval,
) -> db::Result<row::Override> {
    Ok(row::Override {
        tenant_id: roster.tenant_id.clone(),
        roster_id: roster.id.clone(),
        id: format!("OVR-{}", uuid::Uuid::new_v4()),
        number: db::next_id(tx.conn, "rosters.overrides")?,
        user_id,
        start_ms: time.start().millis(),
        end_ms: time.end().millis(),
        shift_id: shift.as_ref().map(|shift| shift.id.clone()),
        shift_name: shift.as_ref().map(|shift| shift.name.clone()),
        zone: shift.as_ref().map(|shift| shift.zone.clone()),
        shift_settings: shift.as_ref().map(|shift| Json(ShiftSettings::of(shift))),
        schedule: shift.map(|shift| shift.schedule),
        note: String::new(),
        created_by: tx.author().to_owned(),
        created_ms: tx.now.millis(),
        replaces: None,
        swap_id: None,
    })
}

/// The shift that an override is about, as it is when the override begins. Its holiday calendars are of these tenants.
pub fn named_shift(
    tx: &mut Tx<'_>,
    (roster, tenants): (&roster::row::Roster, &[String]),
    wanted: Option<&str>,
    time: Interval,
) -> db::Result<Option<roster::row::Shift>> {
    let Some(wanted) = wanted else { return Ok(None) };
    let at = time.start().max(tx.now).millis();
    let shifts = roster::versions::shifts_at(tx.conn, std::slice::from_ref(roster), at)?;
    let Some(shift) = shifts.into_iter().find(|shift| shift.id == wanted) else {
        return Err(Problem::unknown("shift", "shift of the roster", wanted).into());
    };
    let holidays = dated_holidays::store::dated(tx.conn, tenants, shift.holidays.as_deref())?;
    if !rules::takes_place(&shift, &holidays, time)? {
        return Err(Problem::field("shift", "does not take place between start and end").into());
    }
    Ok(Some(shift))
}

/// List overrides
///
/// A page of the overrides of a roster, past ones included.
#[utoipa::path(
    operation_id = "listRosterOverrides",
    params(RosterId, PageQuery<Overrides, OverrideRange>),
    responses((status = 200, description = "A page of overrides", body = PageOf<Override>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/overrides")]
pub async fn list(
    context: RequestContext<PageQuery<Overrides, OverrideRange>>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    let PageQuery { own: OverrideRange { from, to }, .. } = context.query.clone();
    let within = (from.map_or(i64::MIN, Timestamp::millis), to.map_or(i64::MAX, Timestamp::millis));
    let page = context.page(move |conn, scope, sort, walk| {
        let roster = roster::store::existing(conn, &scope.scope(), &id)?;
        let found = store::page(conn, &roster.tenant_id, &roster.id, within, sort, walk)?;
        let users = found
            .rows
            .iter()
            .flat_map(|row| [row.user_id.clone(), row.created_by.clone()].into_iter().chain(row.replaces.clone()));
        let staff = RosterPeople::load(conn, &**people, &scope.scope_and_partner(), [], users)?;
        Ok(found.map(|row| view::one(row, &staff)))
    });
    page.await
}

/// Delete an override
///
/// One that has not begun goes; one that is under way ends now. One that is over stays as history, also when it was
/// entered after the fact, and the answer is a 409.
#[utoipa::path(
    operation_id = "deleteRosterOverride",
    params(RosterId, OverrideId),
    responses(
        (status = 200, description = "Deleted, or ended; an empty object"),
        (status = 409, description = "The override is over"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}/overrides/{overrideId}")]
pub async fn delete(
    context: RequestContext,
    PathIds((id, override_id)): PathIds<(RosterId, OverrideId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let roster = lock_for_update(tx, scope, &id)?;
            let row = store::existing(tx.conn, &roster.tenant_id, &roster.id, &override_id)?;
            remove(tx, &row, rules::removal(&row, tx.now)?)?;
            // The other half of a swap goes with it, unless that is past.
            for other in store::other_half(tx.conn, &row)? {
                if let Ok(removal) = rules::removal(&other, tx.now) {
                    remove(tx, &other, removal)?;
                }
            }
            roster::store::touch(tx.conn, &roster, tx.now)?;
            Ok(Answer::empty())
        })
        .await
}

/// Removes an override, or ends it.
pub fn remove(tx: &mut Tx<'_>, row: &row::Override, removal: Removal) -> db::Result<()> {
    match removal {
        Removal::Whole => {
            store::delete(tx.conn, row)?;
            // The audit log has its place among the others, and what its shift was, so that an undo puts it back as it
            // was.
            let number = Unpublished::field("number", Some(&row.number.into()), None);
            let shift = view::shift_then(row)?;
            let shift = Unpublished::field("shift", shift.as_ref(), None);
            tx.record_change_with(Some(row), None, number.into_iter().chain(shift).collect())?;
        }
        Removal::EndAt(end_ms) => {
            store::end(tx.conn, row, end_ms)?;
            tx.record_change(Some(row), Some(&row::Override { end_ms, ..row.clone() }))?;
        }
    }
    Ok(())
}
