//! The search for windows.

use actix_web::{HttpResponse, get, web};
use api::{At, answer, spec::PageOf};
use base::{fold, timestamp::Timestamp};
use db::{Conn, Result};

use super::{
    rules::{self, Filter},
    shown, store,
    wire::Window,
};
use crate::{course::State, cover::Windows};

/// Search maintenance windows
///
/// A page of the windows of the tenant; at partner level, of its clients too. The variables of `queryString` are `id`,
/// `name` (it contains the value, whatever the letter case; `isEquals:true`: it is the value), `state`, `resourceId`
/// (those that cover it, directly or through a group or its location), `startTime` and `endTime` (those that are open
/// at some time between the two). Each but `id` and `isEquals` may be a parameter of its own.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "searchMaintenanceWindows",
    params(
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default), `id`, `createdDate` or `startTime`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "state:Active,Pending+name:patch"),
        ("name" = Option<String>, Query, description = "As the variable", example = "patch"),
        ("state" = Option<String>, Query, description = "As the variable", example = "Active"),
        ("resourceId" = Option<String>, Query, description = "As the variable", example = "f65fa9e1-3f9a-4f0e-9d5a-3c1d7a5b2e90"),
        ("startTime" = Option<String>, Query, description = "As the variable", example = "2026-11-20T00:00:00Z"),
        ("endTime" = Option<String>, Query, description = "As the variable", example = "2026-11-27T00:00:00Z"),
    ),
    responses((status = 200, description = "A page of windows", body = PageOf<Window>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/search")]
pub async fn search(at: At, windows: web::Data<Windows>) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let sort = query.sort(&rules::SORTS, "name", false);
    let walk = query.walk(at.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let (name, resource) = (given(query.text("name")), given(query.text("resourceId")));
    let state = query.one_of("state", &["", State::WORDS[0], State::WORDS[1], State::WORDS[2], State::WORDS[3]], "");
    let (from, until) = (query.timestamp("startTime"), query.timestamp("endTime"));
    query.finish()?;
    let mut filter = Filter::parse(&text)?;
    filter.names = name.map_or(filter.names, |name| vec![fold(&name)]);
    filter.resources = resource.map_or(filter.resources, |id| vec![fold(&id)]);
    filter.states = State::parse(state).map_or(filter.states, |state| vec![state]);
    (filter.from, filter.until) = (from.or(filter.from), until.or(filter.until));
    let (scope, around, now) = (at.scope(), at.scope_and_partner(), at.now);
    let page = at.db.read(move |conn| {
        let only = covering(conn, &windows, &scope, &filter)?;
        let found = store::search(conn, &scope, &filter, only.as_deref(), sort, &walk, now)?;
        let shown = shown::windows(conn, &windows, &around, &found.rows, now)?;
        Ok(walk.answer(found.with(shown)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// The ids of the windows that cover the resources of a filter, at any time; `None` when it names none.
fn covering(conn: &mut Conn, windows: &Windows, scope: &[String], filter: &Filter) -> Result<Option<Vec<String>>> {
    if filter.resources.is_empty() {
        return Ok(None);
    }
    let mut ids = Vec::new();
    let always = Timestamp::from_millis(i64::MIN);
    for (tenant, resources) in windows.owners(conn, scope, &filter.resources)? {
        for (_, names) in windows.targeting(conn, scope, &tenant, &resources, always)? {
            ids.extend(names.into_iter().map(|(_, (_, id))| id));
        }
    }
    ids.sort();
    ids.dedup();
    Ok(Some(ids))
}
