//! Requests for cover over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, spec::PageOf};
use base::{
    Query,
    problem::{Problem, Wrong, shorten},
    timestamp::Timestamp,
};
use calendar::Interval;
use db::{Condition, Conn};
use outbox::{Entity, Tx};
use ports::People;

use super::{
    store::{self, ACCEPTED, DECLINED, OPEN, WITHDRAWN},
    wire::{Cover, CoverInput, NewCover, status},
};
use crate::{
    crowd::Crowd,
    overrides::{self, http::named_shift},
    roster::{
        self,
        http::{take_up, tenants_of, tenants_of_people},
        rules::effective_ms,
    },
};

/// What a list may be sorted by.
const SORTS: [&str; 1] = ["start"];

const STATUSES: [&str; 5] = [OPEN, ACCEPTED, DECLINED, WITHDRAWN, "EXPIRED"];

/// Everybody whom requests name.
fn crowd_of(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    rows: &[store::Cover],
    more: Option<String>,
) -> db::Result<Crowd> {
    let named = rows.iter().flat_map(|row| {
        let of_row = [row.user_id.clone(), row.created_by.clone(), row.answered_by.clone()];
        row.asked().into_iter().chain(of_row)
    });
    Crowd::load(conn, people, tenants, [], named.chain(more).filter(|id| !id.is_empty()))
}

fn note(tx: &mut Tx<'_>, crowd: &Crowd, before: Option<&store::Cover>, after: &store::Cover) -> db::Result<()> {
    let entity = Entity { tenant_id: &after.tenant_id, kind: "RosterCoverRequest", id: &after.id, publish: true };
    let now = tx.now;
    let shown = |row: &store::Cover| Cover::new(row, crowd, now);
    tx.note_shown(entity, before.map(shown).as_ref(), Some(&shown(after)))
}

/// Request cover
///
/// Asks to be relieved for a time, or for somebody else to be. Whoever accepts is on call in that user's place; others who are on
/// call stay. Nothing changes until then.
#[utoipa::path(
    tag = "rosters",
    operation_id = "createRosterCoverRequest",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = CoverInput),
    responses((status = 200, description = "The new request", body = Cover)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/coverRequests")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let new = NewCover::read(&body.0)?;
    let (scope, partner, now) = (context.scope(), context.tenant.partner.to_string(), context.now);
    let (people, id, author) = (people.into_inner(), path.into_inner().1, context.caller.user_id.clone());
    context
        .write(move |tx, _| {
            let roster = take_up(tx, &scope, &id, None)?;
            let row = store::Cover {
                tenant_id: roster.tenant_id.clone(),
                roster_id: roster.id.clone(),
                id: format!("CVR-{}", uuid::Uuid::new_v4()),
                user_id: new.user.clone().unwrap_or_else(|| author.clone()),
                start_ms: new.time.start().millis(),
                end_ms: new.time.end().millis(),
                shift_id: new.shift.clone(),
                asked: serde_json::json!(new.asked).to_string(),
                note: new.note,
                state: OPEN.to_owned(),
                answered_by: String::new(),
                answered_ms: None,
                override_id: None,
                created_by: author,
                created_ms: now.millis(),
            };
            let tenants = tenants_of(&roster.tenant_id, &partner);
            let crowd = crowd_of(tx.conn, &*people, &tenants, std::slice::from_ref(&row), None)?;
            let mut wrong = Wrong::default();
            let asked = (0..).zip(&new.asked).map(|(place, id): (usize, _)| (format!("asked[{place}].id"), id));
            for (field, id) in [("user.id".to_owned(), &row.user_id)].into_iter().chain(asked) {
                if crowd.user(id).is_none() {
                    wrong.add(&field, format!("names no user of the tenant or its partner: {}", shorten(id)));
                }
            }
            if new.asked.contains(&row.user_id) {
                wrong.add("asked", "must not name the user who is to be relieved");
            }
            if row.end_ms <= now.millis() {
                wrong.add("end", "must lie in the future");
            }
            wrong.check()?;
            named_shift(tx, &roster, new.shift.as_deref(), new.time, now)?;
            store::insert(tx.conn, &row)?;
            note(tx, &crowd, None, &row)?;
            Answer::ok(&Cover::new(&row, &crowd, now))
        })
        .await
}

/// List requests for cover
///
/// A page of those of a roster, by their start.
#[utoipa::path(
    tag = "rosters",
    operation_id = "listRosterCoverRequests",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("status" = Option<String>, Query, description = "`OPEN`, `ACCEPTED`, `DECLINED`, `WITHDRAWN` or `EXPIRED`", example = "OPEN"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`start`", example = "start"),
    ),
    responses((status = 200, description = "A page of requests", body = PageOf<Cover>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/coverRequests")]
pub async fn list(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "start", false);
    let walk = query.walk(context.request().path(), sort);
    let words = ["", STATUSES[0], STATUSES[1], STATUSES[2], STATUSES[3], STATUSES[4]];
    let wanted = query.one_of("status", &words, "");
    query.finish()?;
    let now = context.now;
    let over =
        |text: &'static str| Condition::sql("roster_covers.state = 'OPEN' AND ").then(text).integer(now.millis());
    let condition = match wanted {
        "" => Condition::sql("1 = 1"),
        OPEN => over("roster_covers.end_ms > "),
        "EXPIRED" => over("roster_covers.end_ms <= "),
        other => Condition::sql("roster_covers.state = ").text(other),
    };
    let (scope, tenants, people, id) =
        (context.scope(), tenants_of_people(&context), people.into_inner(), path.into_inner().1);
    let page = context.db.read(move |conn| {
        let roster = roster::store::existing(conn, &scope, &id)?;
        let found = store::page(conn, (&roster.tenant_id, &roster.id), &condition, sort.descending, &walk)?;
        let crowd = crowd_of(conn, &*people, &tenants, &found.rows, None)?;
        Ok(walk.answer(found.map(|row| Cover::new(&row, &crowd, now))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
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
    path: web::Path<(String, String, String)>,
    reply: Reply,
) -> api::Result<HttpResponse> {
    let (scope, partner, now) = (context.scope(), context.tenant.partner.to_string(), context.now);
    let (people, (_, id, cover_id), user) = (people.into_inner(), path.into_inner(), context.caller.user_id.clone());
    context
        .write(move |tx, _| {
            let roster = take_up(tx, &scope, &id, None)?;
            let old = store::existing(tx.conn, &roster.tenant_id, &roster.id, &cover_id)?;
            let known = status(&old, now);
            if known != OPEN {
                return Err(Problem::conflict(format!("The request for cover is {}.", known.to_lowercase())).into());
            }
            let mut new = store::Cover { answered_by: user.clone(), answered_ms: Some(now.millis()), ..old.clone() };
            let mut asked = old.asked();
            if reply != Reply::Withdraw {
                if old.user_id == user {
                    return Err(Problem::conflict("Somebody else has to answer your request for cover.").into());
                }
                if !asked.is_empty() && !asked.contains(&user) {
                    return Err(Problem::forbidden("Others were asked for cover.").into());
                }
            }
            let tenants = tenants_of(&roster.tenant_id, &partner);
            let crowd = crowd_of(tx.conn, &*people, &tenants, std::slice::from_ref(&old), Some(user.clone()))?;
            match reply {
                Reply::Withdraw => new.state = WITHDRAWN.to_owned(),
                Reply::Decline => {
                    // Everybody may accept, and nobody has to say that they will not.
                    if asked.is_empty() {
                        return Answer::ok(&Cover::new(&old, &crowd, now));
                    }
                    asked.retain(|id| *id != user);
                    // The last one who was asked stays in it, so that it does not become a request to everybody.
                    if asked.is_empty() {
                        new.state = DECLINED.to_owned();
                    } else {
                        new.asked = serde_json::json!(asked).to_string();
                    }
                }
                Reply::Accept => {
                    if crowd.user(&user).is_none() {
                        return Err(
                            Problem::conflict("Who accepts must be a user of the tenant or its partner.").into()
                        );
                    }
                    new.state = ACCEPTED.to_owned();
                    new.override_id = Some(take_over(tx, &roster, &old, &user, now)?);
                }
            }
            store::update(tx.conn, &new)?;
            note(tx, &crowd, Some(&old), &new)?;
            Answer::ok(&Cover::new(&new, &crowd, now))
        })
        .await
}

/// Makes the override by which a user relieves the one who asked; what is past of the time stays as it was.
fn take_over(
    tx: &mut Tx<'_>,
    roster: &roster::store::Roster,
    cover: &store::Cover,
    user: &str,
    now: Timestamp,
) -> db::Result<String> {
    let start_ms = cover.start_ms.max(effective_ms(now));
    let time = Interval::new(Timestamp::from_millis(start_ms), Timestamp::from_millis(cover.end_ms));
    let time = time.ok_or_else(|| Problem::conflict("The time of the request for cover is over."))?;
    let shift = named_shift(tx, roster, cover.shift_id.as_deref(), time, now)?;
    let row = overrides::store::Override {
        tenant_id: roster.tenant_id.clone(),
        roster_id: roster.id.clone(),
        id: format!("OVR-{}", uuid::Uuid::new_v4()),
        number: db::next_id(tx.conn, "rosters.overrides")?,
        user_id: user.to_owned(),
        start_ms,
        end_ms: cover.end_ms,
        shift_id: shift.as_ref().map(|shift| shift.id.clone()),
        shift_name: shift.as_ref().map(|shift| shift.name.clone()),
        zone: shift.as_ref().map(|shift| shift.zone.clone()),
        schedule: shift.map(|shift| shift.schedule),
        note: cover.note.clone(),
        created_by: user.to_owned(),
        created_ms: now.millis(),
        replaces: Some(cover.user_id.clone()),
        swap_id: None,
    };
    overrides::store::insert(tx.conn, &row)?;
    roster::store::touch(tx.conn, roster, now)?;
    overrides::http::note(tx, None, Some(&row));
    Ok(row.id)
}

/// Accept a request for cover
///
/// The user that the caller acts as takes over, from now on when the time has begun: an override of that one person.
#[utoipa::path(
    tag = "rosters",
    operation_id = "acceptRosterCoverRequest",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("coverRequestId" = String, Path, description = "`CVR-<uuid>`", example = "CVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
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
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    reply(context, people, path, Reply::Accept).await
}

/// Decline a request for cover
///
/// Of those who were asked by name; when all of them have, the request is declined. One that asks everybody stays as it is.
#[utoipa::path(
    tag = "rosters",
    operation_id = "declineRosterCoverRequest",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("coverRequestId" = String, Path, description = "`CVR-<uuid>`", example = "CVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
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
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    reply(context, people, path, Reply::Decline).await
}

/// Withdraw a request for cover
///
/// One that is open. What came of one that was accepted is an override, and is deleted as such.
#[utoipa::path(
    tag = "rosters",
    operation_id = "withdrawRosterCoverRequest",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("coverRequestId" = String, Path, description = "`CVR-<uuid>`", example = "CVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
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
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    reply(context, people, path, Reply::Withdraw).await
}
