//! Hours on call over HTTP.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, Accept, Header as _, Quality},
    web,
};
use api::{RequestContext, cpu, get};
use base::{problem::Problem, query::Query, text::fold};
use calendar::Interval;
use ports::{People, SentPages, WorkedTimes};

use super::{
    load::AlertLoad,
    render::Names,
    sums::{By, CountedRoster, Question, sums},
    wire::Hours,
};
use crate::{
    cache::{RosterCache, Snapshot},
    coverage::too_large,
    crew::user_id,
    dated_holidays::own::OwnHolidays,
    filter::{Filter, chosen},
    hour_categories::http::CategoriesOfTenants,
    roster::wire::Instant,
    zone_history::ZoneHistory,
};

api::texts! {
    /// What the rows of an answer are about.
    HoursBy = api::spec::one_of(&BY);
}

/// The words of `by`.
const BY: [&str; 3] = ["user", "group", "roster"];

/// Get hours on call
///
/// How long people are on call through the rosters of the tenant in a range of at most 400 days, at partner level of
/// its clients too: in the zone of each roster, by category (`GET /rosters/hourCategories`). Overrides, swaps and cover
/// count for those who did it. Two people who are on call together have two hours in an hour. Beside them are the pages
/// that people got, those at night, the nights with one, and the hours that they worked on alerts. With
/// `Accept: text/csv` the answer is a table.
#[utoipa::path(
    operation_id = "getRosterHours",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-01T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-12-01T00:00:00+0000"),
        ("by" = inline(Option<HoursBy>), Query, description = "A row for each `user` (default); for each user `group`, \
            the first one of the shift that the person is in; or for each `roster`"),
        ("name" = Option<String>, Query, description = "Only rosters whose name contains this, whatever the letter \
                                                        case", example = "line"),
        ("userId" = Option<String>, Query, description = "Only the hours of this user", example = "USR0000000007"),
        ("userGroupId" = Option<String>, Query, description = "Only rosters that name this group",
            example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
    ),
    responses((status = 200, description = "The hours", content((Hours = "application/json"), (String = "text/csv")))),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/hours")]
pub async fn hours(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    pages: web::Data<dyn SentPages>,
    worked: web::Data<dyn WorkedTimes>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let by = match query.one_of("by", &BY, BY[0]) {
        "group" => By::Group,
        "roster" => By::Roster,
        _ => By::User,
    };
    let filter = Filter {
        name: query.text("name").map(|name| fold(name.trim())).filter(|name| !name.is_empty()),
        user: query.text("userId").map(|id| user_id(&id)),
        group: query.text("userGroupId").map(|id| id.trim().to_owned()),
    };
    let range = calendar::range::read(query, None)?;
    let csv = wants_csv(context.request());
    let read = context.read_many(move |conn, scope| {
        let partner = scope.tenant.partner.as_str();
        let categories = CategoriesOfTenants::read(conn, &scope.scope(), partner)?;
        let all = known.read(conn, &**people, (&scope.scope(), &scope.scope_and_partner()), range.start())?;
        let own = OwnHolidays::load(conn, &**people, &scope.scope_and_partner(), range.start())?;
        let own = own.ok_or_else(too_large)?;
        let times = (range.start(), range.end());
        let load = AlertLoad::read(conn, (&**pages, &**worked), &scope.scope(), times, scope.now)?;
        Ok((all, categories, own, load))
    });
    let (all, categories, own, load) = read.await?;
    // It is given up when nobody waits for the answer any more.
    let waiting = Arc::new(());
    let asked = Arc::downgrade(&waiting);
    let work = cpu::run(move |_| {
        let is_wanted = || asked.strong_count() > 0;
        Ok(answer(&all, (&categories, &own, &load), (range, by, &filter), csv, &is_wanted)?)
    });
    let text = work.await?;
    drop(waiting);
    let kind = if csv { "text/csv; charset=utf-8" } else { "application/json" };
    Ok(HttpResponse::Ok().content_type(kind).insert_header((header::VARY, "Accept")).body(text))
}

/// The answer, or nothing when nobody waits for it.
fn answer(
    all: &Snapshot,
    (categories, own, load): (&CategoriesOfTenants, &OwnHolidays, &AlertLoad),
    (range, by, filter): (Interval, By, &Filter),
    csv: bool,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, Problem> {
    let chosen = chosen(all, range, filter);
    let mut rosters = Vec::with_capacity(chosen.len());
    for (_, roster) in &chosen {
        let stored = &roster.stored;
        let categories = categories.of(stored.tenant_id());
        rosters.push(CountedRoster {
            id: stored.id(),
            schedule: &stored.schedule,
            zones: ZoneHistory::of(&stored.versions)?,
            categories,
        });
    }
    let user = filter.user.as_deref();
    let question = Question { rosters: &rosters, staff: &all.staff, own, range, by, user };
    let Some(mut sums) = sums(question, is_wanted)? else { return Ok(Vec::new()) };
    let narrowed = filter.name.is_some() || filter.group.is_some();
    load.credit(&mut sums, question, narrowed);
    let names = Names {
        staff: &all.staff,
        rosters: chosen.iter().map(|(name, roster)| (roster.stored.id(), *name)).collect(),
        has_worked: by == By::User && !narrowed,
    };
    if csv { names.csv(by, &sums) } else { names.json(by, range, &sums) }
}

/// Does a caller want CSV? The first type that it accepts and there is counts, unless a quality says otherwise.
fn wants_csv(request: &HttpRequest) -> bool {
    let Ok(mut accepted) = Accept::parse(request) else { return false };
    accepted.retain(|one| one.quality > Quality::ZERO);
    let types = accepted.ranked();
    let is_there = |name: &&str| ["text/csv", "application/json", "application/*", "*/*"].contains(name);
    types.iter().map(|one| one.essence_str()).find(is_there) == Some("text/csv")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn csv_is_for_those_who_ask_for_it() {
        let wants =
            |accept: &str| wants_csv(&TestRequest::default().insert_header((header::ACCEPT, accept)).to_http_request());
        for accept in ["text/csv", "Text/CSV; charset=utf-8", "text/csv, */*;q=0.1", "text/csv,application/json"] {
            assert!(wants(accept), "{accept}");
        }
        for accept in ["", "*/*", "application/json", "application/json, text/csv;q=0.5", "text/csv;q=0", "text/html"] {
            assert!(!wants(accept), "{accept}");
        }
        assert!(!wants_csv(&TestRequest::default().to_http_request()));
    }
}
