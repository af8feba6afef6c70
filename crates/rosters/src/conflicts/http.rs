//! Conflicts over HTTP.

use actix_web::{HttpResponse, web};
use api::{RequestContext, answer, cpu, get};
use base::{duration, problem::Problem, query::Query};
use ports::People;

use super::{
    render::{self, Question, WhoIsAway},
    rules::{self, Limits},
    wire::Conflicts,
};
use crate::{
    cache::RosterCache,
    crew::user_id,
    dated_holidays::own::OwnHolidays,
    filter::{Filter, chosen},
    roster::wire::Instant,
    time_off,
    timeline::render::too_large,
};

/// The longest that may be asked for: a week.
const LONGEST_REST_MS: i64 = 7 * 86_400_000;
/// The most that may be asked for.
const MOST_NIGHTS: i64 = 31;

api::texts! {
    /// A duration, as a parameter.
    pub Rest = api::spec::of_form(duration::PATTERN);
}

/// List the conflicts of rosters
///
/// What is wrong with the plans of the rosters of the tenant within a range of at most 400 days, overrides and swaps
/// included, by when it begins: gaps, people who are on call through several shifts at once or while they are away,
/// those with less than `rest` between two shifts, and those who are on call in more than `nights` nights in a row; at
/// partner level, in the rosters of its clients too.
#[utoipa::path(
    operation_id = "listRosterConflicts",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
        ("rest" = inline(Option<Rest>), Query, description = "How long people rest between two shifts, at most 7d; \
            default 11h", example = "11h"),
        ("nights" = Option<i64>, Query, minimum = 1, maximum = 31, description = "How many nights in a row are not too \
            many; default 7", example = 7),
        ("userId" = Option<String>, Query, description = "Only what concerns this user", example = "USR0000000007"),
    ),
    responses((status = 200, description = "The conflicts", body = Conflicts)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/conflicts")]
pub async fn list(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
) -> api::Result<HttpResponse> {
    let asked = asked(context.query())?;
    let whole = rules::looked_at(asked.range, asked.limits);
    let range = asked.range;
    let read = context.read(move |conn, scope| {
        let own = scope.scope();
        let all = known.read(conn, &**people, (&own, &scope.scope_and_partner()), whole.start())?;
        let away = time_off::store::within(conn, &own, range, time_off::store::MOST_AT_ONCE)?;
        if i64::try_from(away.len()).is_ok_and(|count| count >= time_off::store::MOST_AT_ONCE) {
            return Err(too_large().into());
        }
        let holidays = OwnHolidays::load(conn, &**people, &own, whole.start())?.ok_or_else(too_large)?;
        Ok((all, away, holidays))
    });
    let (all, away, holidays) = read.await?;
    // Without the connection, which others wait for.
    let found = cpu::run(move |_| {
        let filter = Filter { user: asked.user.clone(), ..Filter::default() };
        let away = WhoIsAway { times_off: &away, holidays: &holidays };
        Ok(render::conflicts(&chosen(&all, whole, &filter), &all.staff, &away, &asked)?)
    });
    answer::ok(&found.await?)
}

fn asked(mut query: Query) -> Result<Question, Problem> {
    let rest = query.text("rest").map(|text| duration::parse(text.trim()));
    let usual = Limits::default();
    let rest_ms = rest.unwrap_or(Some(usual.rest_ms)).filter(|rest| (0..=LONGEST_REST_MS).contains(rest));
    if rest_ms.is_none() {
        query.error("rest", "must be a time from 0s to 7d, such as 11h");
    }
    let nights = i64::try_from(usual.nights).unwrap_or(MOST_NIGHTS);
    let nights = query.integer_in("nights", nights, 1..=MOST_NIGHTS);
    let user = query.text("userId").map(|id| user_id(&id));
    let range = calendar::range::read(query, None)?;
    let nights = usize::try_from(nights).unwrap_or_default();
    Ok(Question { range, limits: Limits { rest_ms: rest_ms.unwrap_or(usual.rest_ms), nights }, user })
}
