//! Requests for cover over HTTP.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, delete, get, post, spec::PageOf};
use base::{
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use calendar::Interval;
use db::{Condition, Conn, Json};
use outbox::Tx;
use ports::People;

use super::{
    row::{self, ACCEPTED, DECLINED, EXPIRED, OPEN, WITHDRAWN},
    store, view,
    wire::{Cover, CoverId, NewCover, OfStatus},
};
use crate::{
    overrides::{
        self,
        http::{named_shift, overriding},
        wire::time,
    },
    people::RosterPeople,
    roster::{
        self,
        http::lock_for_update,
        rules::{effective_ms, tenants_of},
        wire::RosterId,
    },
};

api::list! {
    /// The list of a roster's requests for cover.
    pub Covers by store::SORTS: SORT = "start"
}

/// Everybody whom requests name.
fn people_of(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    rows: &[row::Cover],
    more: Option<String>,
) -> db::Result<RosterPeople> {
    let named = rows.iter().flat_map(|row| {
        let of_row = [row.user_id.clone(), row.created_by.clone(), row.answered_by.clone()];
        row.asked.iter().cloned().chain(of_row)
    });
    RosterPeople::load(conn, people, tenants, [], named.chain(more).filter(|id| !id.is_empty()))
}

/// Request cover
///
/// Asks to be relieved for a time, or for somebody else to be. Anyone who accepts is on call in that user's place;
/// others who are on call stay. Nothing changes until then.
#[utoipa::path(
    operation_id = "createRosterCoverRequest",
    params(RosterId),
    request_body(content = NewCover),
    responses((status = 200, description = "The new request", body = Cover)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/coverRequests")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
    Body(new): Body<NewCover>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let time = time(new.start, new.end)?;
            let asked = new.asked_ids();
            let roster = lock_for_update(tx, scope, &id)?;
            let row = row::Cover {
                tenant_id: roster.tenant_id.clone(),
                roster_id: roster.id.clone(),
                id: format!("CVR-{}", uuid::Uuid::new_v4()),
                user_id: new.user.as_ref().map_or_else(|| tx.author().to_owned(), |user| user.user_id()),
                start_ms: time.start().millis(),
                end_ms: time.end().millis(),
                shift_id: new.shift.clone(),
                asked: Json(asked.clone()),
                note: new.note,
                state: OPEN.to_owned(),
                answered_by: String::new(),
                answered_ms: None,
                override_id: None,
                created_by: tx.author().to_owned(),
                created_ms: tx.now.millis(),
            };
            let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
            let staff = people_of(tx.conn, &**people, &tenants, std::slice::from_ref(&row), None)?;
            check_new(&row, &asked, &staff, tx.now).check()?;
            named_shift(tx, (&roster, &tenants), new.shift.as_deref(), time)?;
            store::insert(tx.conn, &row)?;
            view::record_change(tx, &staff, None, &row)?;
            Answer::ok(&view::one(&row, &staff, tx.now))
        })
        .await
}

/// What is wrong with a new request, as far as its form does not tell.
fn check_new(row: &row::Cover, asked: &[String], staff: &RosterPeople, now: Timestamp) -> FieldErrors {
    let mut wrong = FieldErrors::default();
    let named = (0..).zip(asked).map(|(place, id): (usize, _)| (format!("asked[{place}].id"), id));
    for (field, id) in [("user.id".to_owned(), &row.user_id)].into_iter().chain(named) {
        staff.check_user(id, &field, &mut wrong);
    }
    if asked.contains(&row.user_id) {
        wrong.add("asked", "must not name the user who is to be relieved");
    }
    if row.end_ms <= now.millis() {
        wrong.add("end", "must lie in the future");
    }
    wrong
}

/// List requests for cover
///
/// A page of those of a roster, by their start.
#[utoipa::path(
    operation_id = "listRosterCoverRequests",
    params(RosterId, PageQuery<Covers, OfStatus>),
    responses((status = 200, description = "A page of requests", body = PageOf<Cover>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/coverRequests")]
pub async fn list(
    context: RequestContext<PageQuery<Covers, OfStatus>>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    let PageQuery { own: OfStatus { status }, .. } = context.query.clone();
    let page = context.page(move |conn, scope, sort, walk| {
        let roster = roster::store::existing(conn, &scope.scope(), &id)?;
        let condition = in_status(status, scope.now);
        let found = store::page(conn, (&roster.tenant_id, &roster.id), &condition, sort, walk)?;
        let staff = people_of(conn, &**people, &scope.scope_and_partner(), &found.rows, None)?;
        Ok(found.map(|row| view::one(&row, &staff, scope.now)))
    });
    page.await
}

/// The requests of which this became; all for an empty word.
fn in_status(status: &'static str, now: Timestamp) -> Condition {
    let open =
        |text: &'static str| Condition::sql("roster_covers.state = 'OPEN' AND ").then(text).integer(now.millis());
    match status {
        "" => Condition::sql("1 = 1"),
        OPEN => open("roster_covers.end_ms > "),
        EXPIRED => open("roster_covers.end_ms <= "),
        other => Condition::sql("roster_covers.state = ").text(other),
    }
}

/// What somebody answers to a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reply {
    Accept,
    Decline,
    Withdraw,
}

async fn reply(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds((id, cover_id)): PathIds<(RosterId, CoverId)>,
    reply: Reply,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let user = tx.author().to_owned();
            let now = tx.now;
            let roster = lock_for_update(tx, scope, &id)?;
            let old = store::existing(tx.conn, &roster.tenant_id, &roster.id, &cover_id)?;
            check_reply(&old, reply, &user, now)?;
            let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
            let staff = people_of(tx.conn, &**people, &tenants, std::slice::from_ref(&old), Some(user.clone()))?;
            let mut new = row::Cover { answered_by: user.clone(), answered_ms: Some(now.millis()), ..old.clone() };
            match reply {
                Reply::Withdraw => new.state = WITHDRAWN.to_owned(),
                Reply::Decline => {
                    let mut asked = old.asked.0.clone();
                    // Everybody may accept, and nobody has to say that they will not.
                    if asked.is_empty() {
                        return Answer::ok(&view::one(&old, &staff, now));
                    }
                    asked.retain(|id| *id != user);
                    // The last one who was asked stays in it, so that it does not become a request to everybody.
                    if asked.is_empty() {
                        new.state = DECLINED.to_owned();
                    } else {
                        new.asked = Json(asked);
                    }
                }
                Reply::Accept => {
                    if staff.user(&user).is_none() {
                        return Err(Problem::conflict(
                            "Anyone who accepts must be a user of the tenant or its partner.",
                        )
                        .into());
                    }
                    new.state = ACCEPTED.to_owned();
                    new.override_id = Some(take_over(tx, (&roster, &tenants), &old, user)?);
                }
            }
            store::update(tx.conn, &new)?;
            view::record_change(tx, &staff, Some(&old), &new)?;
            Answer::ok(&view::one(&new, &staff, now))
        })
        .await
}

/// May this user reply so to a request?
fn check_reply(cover: &row::Cover, reply: Reply, user: &String, now: Timestamp) -> Result<(), Problem> {
    let status = cover.status(now);
    if status != OPEN {
        return Err(Problem::conflict(format!("The request for cover is {}.", status.to_lowercase())));
    }
    if reply == Reply::Withdraw {
        return Ok(());
    }
    if cover.user_id == *user {
        return Err(Problem::conflict("Somebody else has to answer your request for cover."));
    }
    if !cover.asked.is_empty() && !cover.asked.contains(user) {
        return Err(Problem::forbidden("Others were asked for cover."));
    }
    Ok(())
}

/// Makes the override by which a user relieves the one who asked; what is past of the time stays as it was.
fn take_over(
    tx: &mut Tx<'_>,
    (roster, tenants): (&roster::row::Roster, &[String]),
    cover: &row::Cover,
    user: String,
) -> db::Result<String> {
    let start_ms = cover.start_ms.max(effective_ms(tx.now));
    let time = Interval::new(Timestamp::from_millis(start_ms), Timestamp::from_millis(cover.end_ms));
    let time = time.ok_or_else(|| Problem::conflict("The period of the request for cover is over."))?;
    let shift = named_shift(tx, (roster, tenants), cover.shift_id.as_deref(), time)?;
    let note = cover.note.clone();
    let replaces = Some(cover.user_id.clone());
    let row = overrides::row::Override { note, replaces, ..overriding(tx, roster, shift, user, time)? };
    overrides::store::insert(tx.conn, &row)?;
    roster::store::touch(tx.conn, roster, tx.now)?;
    tx.record_change(None, Some(&row))?;
    Ok(row.id)
}

/// Accept a request for cover
///
/// The user that the caller acts as takes over, from now on when the time has begun: an override of that one person.
#[utoipa::path(
    operation_id = "acceptRosterCoverRequest",
    params(RosterId, CoverId),
    responses(
        (status = 200, description = "The request, accepted", body = Cover),
        (status = 409, description = "It was answered or withdrawn, is over, or is the caller's own"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/coverRequests/{coverRequestId}/accept")]
pub async fn accept(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: PathIds<(RosterId, CoverId)>,
) -> api::Result<HttpResponse> {
    reply(context, people, path, Reply::Accept).await
}

/// Decline a request for cover
///
/// For those who were asked by name; once all of them have declined, the request is declined. A request to everybody
/// stays open.
#[utoipa::path(
    operation_id = "declineRosterCoverRequest",
    params(RosterId, CoverId),
    responses(
        (status = 200, description = "The request", body = Cover),
        (status = 409, description = "It was answered or withdrawn, is over, or is the caller's own"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/coverRequests/{coverRequestId}/decline")]
pub async fn decline(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: PathIds<(RosterId, CoverId)>,
) -> api::Result<HttpResponse> {
    reply(context, people, path, Reply::Decline).await
}

/// Withdraw a request for cover
///
/// Only while it is open. An accepted request has become an override, which is deleted as such.
#[utoipa::path(
    operation_id = "withdrawRosterCoverRequest",
    params(RosterId, CoverId),
    responses(
        (status = 200, description = "The request, withdrawn", body = Cover),
        (status = 409, description = "It was answered or withdrawn, or is over"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}/coverRequests/{coverRequestId}")]
pub async fn withdraw(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: PathIds<(RosterId, CoverId)>,
) -> api::Result<HttpResponse> {
    reply(context, people, path, Reply::Withdraw).await
}
