//! When any window of a tenant is open, over HTTP.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use api::{RequestContext, answer, get, spec::PageOf};
use base::{Key, PageRequest, PageRows, Query, problem::Problem, query::Sort, timestamp::Timestamp};
use calendar::Interval;
use db::{Conn, Result};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    filter::Filter,
    row::Window,
    search::covering,
    store,
    wire::{Instant, WindowName},
};
use crate::neighbours::Neighbours;

api::texts! {
    /// What occurrences are sorted by.
    Sorted = api::spec::one_of(&SORTS);
}

/// What a list may be sorted by.
const SORTS: [&str; 1] = ["start"];

/// How many occurrences one question may be about. They are counted while they are worked out, and none is kept but
/// those of the page.
const MOST: usize = 100_000;

/// A time at which a window is open.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WindowOccurrence)]
pub struct Open {
    /// Which window.
    pub window: WindowName,
    /// The tenant of the window.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// When it opens.
    #[schema(value_type = String, example = "2026-11-20T22:00:00+0000")]
    pub start: Timestamp,
    /// When it closes.
    #[schema(value_type = String, example = "2026-11-21T02:00:00+0000")]
    pub end: Timestamp,
}

/// List the occurrences of all maintenance windows
///
/// A page of the times at which windows of the tenant are open within a range of at most 400 days, whole and in order;
/// at partner level, those of windows of its clients too. What is skipped or suspended is left out. `queryString` has
/// the variables of `GET /scheduleMaintenances/search`. A range in which there are more than 100,000 is refused (400).
#[utoipa::path(
    operation_id = "listAllMaintenanceOccurrences",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = inline(Option<Sorted>), Query, description = "`start`", example = "start"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "site:Vienna+name:patch"),
    ),
    responses((status = 200, description = "A page of occurrences", body = PageOf<Open>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/occurrences")]
pub async fn list(context: RequestContext<Query>, neighbours: web::Data<Neighbours>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "start", false);
    let walk = query.page_request(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    let range = calendar::range::read(query, None)?;
    let filter = Filter::parse(&text)?;
    let page = context.read_many(move |conn, scope| {
        let only = covering(conn, &neighbours, &scope.scope(), &filter)?;
        let found = page(conn, &scope.scope(), (&filter, only.as_deref()), range, sort, &walk, scope.now)?;
        Ok(walk.answer(found))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Where an occurrence stands in the list: its start, then the id and the tenant of its window.
type SortKey = (i64, String, String);

/// The occurrences of a page, while windows are gone through one after the other: those that come first so far.
struct WindowRows {
    after: Option<SortKey>,
    descending: bool,
    most: usize,
    met: usize,
    rows: BTreeMap<SortKey, Open>,
}

impl WindowRows {
    fn take(&mut self, window: &Window, open: Interval) -> Result<()> {
        self.met += 1;
        if self.met > MOST {
            let message =
                format!("more than {MOST} occurrences lie in the range: ask for a shorter one, or for fewer windows");
            return Err(Problem::field("to", message).into());
        }
        let place = (open.start().millis(), window.id.clone(), window.tenant_id.clone());
        let behind = |after: &SortKey| if self.descending { place < *after } else { place > *after };
        if !self.after.as_ref().is_none_or(behind) {
            return Ok(());
        }
        let last = if self.descending { self.rows.first_key_value() } else { self.rows.last_key_value() };
        if self.rows.len() >= self.most
            && last.is_some_and(|(last, _)| if self.descending { place < *last } else { place > *last })
        {
            return Ok(());
        }
        let shown = Open {
            window: WindowName { unique_id: window.id.clone(), name: window.name.clone() },
            client_unique_id: window.tenant_id.clone(),
            start: open.start(),
            end: open.end(),
        };
        self.rows.insert(place, shown);
        if self.rows.len() > self.most {
            _ = if self.descending { self.rows.pop_first() } else { self.rows.pop_last() };
        }
        Ok(())
    }
}

fn page(
    conn: &mut Conn,
    scope: &[String],
    (filter, only): (&Filter, Option<&[String]>),
    range: Interval,
    sort: Sort,
    walk: &PageRequest,
    now: Timestamp,
) -> Result<PageRows<Open>> {
    let after = match walk.after() {
        None => None,
        Some([Key::Integer(start), Key::Text(id), Key::Text(tenant)]) => Some((*start, id.clone(), tenant.clone())),
        Some(_) => return Err(db::damaged_cursor()),
    };
    let skip = usize::try_from(walk.offset()).unwrap_or(usize::MAX);
    let wanted = usize::try_from(walk.row_limit()).unwrap_or(usize::MAX);
    let most = skip.saturating_add(wanted).min(MOST);
    let mut page = WindowRows { after, descending: sort.descending, most, met: 0, rows: BTreeMap::new() };
    store::each_open(conn, scope, (filter, only), range, now, |window, course| {
        course.open(range.start()..range.end()).try_for_each(|open| page.take(window, open))
    })?;
    let total = walk.total(|| Ok::<_, db::Error>(i64::try_from(page.met).unwrap_or(i64::MAX)))?;
    let rows: Vec<(SortKey, Open)> = if sort.descending {
        page.rows.into_iter().rev().skip(skip).take(wanted).collect()
    } else {
        page.rows.into_iter().skip(skip).take(wanted).collect()
    };
    let keys = |((start, id, tenant), _): &(SortKey, Open)| vec![Key::from(*start), Key::from(id), Key::from(tenant)];
    Ok(walk.cut(rows, total, keys).map(|(_, open)| open))
}
