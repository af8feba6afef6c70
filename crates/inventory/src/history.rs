//! History: decommissioned resources.

use std::collections::HashMap;

use actix_web::HttpResponse;
use api::{List, PageQuery, PathIds, RequestContext, Routes, answer, get, spec::PageOf};
use base::{problem::Problem, query_string, text::fold};
use db::Condition;

use crate::{
    model::document::{BorrowedDocument, DECOMMISSIONED},
    resources::{
        decommissioned::{DecommissionedResource, record},
        detail,
        filter::{self, HISTORY_VARIABLES},
        predicate::Filter,
        query::ResourceQuery,
        rules::no_resource,
        store::{self, Order},
        wire::ResourceId,
    },
    types,
};

/// The operations, in reading order.
pub fn routes(config: &mut Routes) {
    config.tagged("Decommissioned resources").service(search).service(get);
}

/// The list of decommissioned resources.
#[derive(Clone, Debug)]
pub struct Decommissioned;

impl List for Decommissioned {
    const SORT: &'static str = "decommissionedDate";
    const DESCENDING: bool = true;
    const FILTER: &'static str = "state:DECOMMISSIONED+hostName:web";
}

/// Search decommissioned resources
///
/// Newest first. `queryString` variables: `id`, `state` (`DECOMMISSIONED`), `hostName`, `ipAddress`, `instanceId`,
/// `tags`, `startDate` and `endDate` (when it was decommissioned), `type`, `accountNumber`, `provider`, `owner`,
/// `instanceType`, `instanceState` (`DECOMMISSIONED`), `zone`, `region`, `ami`, `hostedServiceName`,
/// `startLaunchDate` and `endLaunchDate`.
#[utoipa::path(
    operation_id = "searchDecommissionedResources",
    params(PageQuery<Decommissioned>),
    responses((status = 200, description = "A page of history", body = PageOf<DecommissionedResource<'static>>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/history/resources")]
pub async fn search(context: RequestContext<PageQuery<Decommissioned>>) -> api::Result<HttpResponse> {
    let PageQuery { sort, walk, filter, .. } = context.query.clone();
    let mut terms = query_string::parse(&filter, &HISTORY_VARIABLES)?;
    if terms.iter().any(|term| term.name == "state" && term.values.iter().any(|v| fold(v) != DECOMMISSIONED)) {
        return Err(Problem::field("queryString", "state: history holds only DECOMMISSIONED").into());
    }
    terms.retain(|term| term.name != "state");
    let db = context.db.clone();
    let read_walk = walk.clone();
    let (found, paths) = context
        .read_many(move |conn, scope| {
            let scope = scope.scope();
            let mut filters = filter::filters(conn, &scope, &terms)?;
            filters.push(Filter::Row(filter::states([DECOMMISSIONED])));
            // The state implies this condition; it makes the database use the index of history.
            filters.push(Filter::Row(Condition::sql("resources.decommissioned_ms IS NOT NULL")));
            let query = ResourceQuery::new(&db, conn, &scope, filters)?;
            let found = query.page(conn, Order::Decommissioned, sort.descending, &read_walk)?;
            let paths: HashMap<i64, String> =
                types::list(conn, &scope)?.into_iter().map(|kind| (kind.id, kind.path)).collect();
            Ok((found, paths))
        })
        .await?;
    let shown: Vec<BorrowedDocument<'_>> = found.rows.iter().map(detail::parse_document).collect::<Result<_, _>>()?;
    let results = found.rows.iter().zip(&shown).map(|(row, shown)| {
        let path = paths.get(&row.resource_type_id).unwrap_or(&row.resource_type);
        record(row, shown, path)
    });
    let mut page = walk.answer(found.with(results.collect()));
    page.descending_order = sort.descending;
    answer::ok(&page)
}

/// Get a decommissioned resource
#[utoipa::path(
    operation_id = "getDecommissionedResource",
    params(ResourceId),
    responses(
        (status = 200, description = "The record", body = DecommissionedResource<'static>),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/history/resources/{resourceId}")]
pub async fn get(context: RequestContext, PathIds(id): PathIds<ResourceId>) -> api::Result<HttpResponse> {
    let scope = context.scope();
    let found = context.db.point(move |conn| {
        let row = store::find(conn, &scope, &id.to_ascii_lowercase())?.filter(|row| row.state == DECOMMISSIONED);
        let row = row.ok_or_else(|| no_resource(&id))?;
        let path = types::path(conn, &row.tenant_id, row.resource_type_id, &row.resource_type)?;
        Ok((row, path))
    });
    let (row, path) = found.await?;
    let shown = detail::parse_document(&row)?;
    answer::entity(&context, &record(&row, &shown, &path), row.version)
}
