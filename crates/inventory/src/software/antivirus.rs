//! Antivirus products, as agents report them.

use actix_web::HttpResponse;
use api::{PageQuery, RequestContext, get, spec::PageOf};
use base::{Key, PageRequest, problem::Problem, query::Sort, query_string, timestamp::Timestamp};
use db::{Condition, Conn, Result, SortBy, Sorts};
use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    reports::{self, DefinitionStatus},
    schema::{antivirus, resources},
};

/// An antivirus product on a resource (`docs/interface.md`, "Antivirus record").
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AntivirusRecord {
    /// Product name.
    pub name: String,
    /// Product version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Definition number.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_definition: String,
    /// When the definition was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub current_definition_date: Option<Timestamp>,
    /// When the product last scanned, or was last seen.
    #[schema(value_type = String)]
    pub scan_date: Timestamp,
    /// Does the agent read its state?
    pub supported: bool,
    /// `UPTODATE` or `OUTOFDATE`.
    #[schema(pattern = "^(UPTODATE|OUTOFDATE)$")]
    pub status: String,
    /// Where it runs.
    pub resource: AntivirusResource,
}

/// The resource that an antivirus product runs on.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AntivirusResource {
    /// UUID.
    pub id: String,
    /// Host name.
    pub host_name: String,
    /// Address.
    pub ip_address: String,
    /// Operating system.
    pub os_name: String,
}

#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = antivirus, treat_none_as_default_value = false)]
struct Row {
    tenant_id: String,
    resource_id: String,
    id: i64,
    name: String,
    version: String,
    definition: String,
    definition_ms: Option<i64>,
    scan_ms: i64,
    supported: bool,
    status: String,
}

const UP_TO_DATE: &str = "UPTODATE";
const OUT_OF_DATE: &str = "OUTOFDATE";

/// Makes the stored products of a resource those of a report. A product without a scan date counts as seen now; one
/// that does not say whether its definitions are current does not count as up to date.
pub fn replace(
    conn: &mut Conn,
    tenant: &str,
    resource: &str,
    reported: &[reports::Antivirus],
    now: Timestamp,
) -> Result<()> {
    use antivirus::dsl;
    diesel::delete(dsl::antivirus)
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::resource_id.eq(resource))
        .execute(conn)?;
    let rows: Vec<Row> = (1..)
        .zip(reported)
        .map(|(id, product)| Row {
            tenant_id: tenant.to_owned(),
            resource_id: resource.to_owned(),
            id,
            name: product.name.clone(),
            version: product.version.clone().unwrap_or_default(),
            definition: product.definition.clone().unwrap_or_default(),
            definition_ms: product.definition_date,
            scan_ms: product.scan_date.unwrap_or(now.millis()),
            supported: product.status.is_some(),
            status: match product.status {
                Some(DefinitionStatus::UpToDate) => UP_TO_DATE.to_owned(),
                _ => OUT_OF_DATE.to_owned(),
            },
        })
        .collect();
    db::insert_rows!(conn, antivirus::table, &rows)
}

api::list! {
    /// The list of antivirus products.
    pub Products by SORTS: SORT = "scanDate", DESCENDING = true, FILTER = "status:OUTOFDATE"
}

/// Search antivirus definitions
///
/// Every antivirus product that agents reported. The variables of `queryString` are `status` with `UPTODATE` or
/// `OUTOFDATE`, and `resourceId`, the UUID of the resource that it runs on.
#[utoipa::path(
    operation_id = "searchAntivirus",
    params(PageQuery<Products>),
    responses((status = 200, description = "A page of antivirus records", body = PageOf<AntivirusRecord>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/antivirus/search")]
pub async fn search(context: RequestContext<PageQuery<Products>>) -> api::Result<HttpResponse> {
    let filter = &context.query.filter;
    let blank = filter.trim().is_empty();
    let terms = if blank { Vec::new() } else { query_string::parse(filter, &["status", "resourceId"])? };
    let wanted = Condition::all([status_condition(&terms)?, resource_condition(&terms)]);
    let page =
        context.page(move |conn, scope, sort, walk| Ok(find(conn, &scope.scope(), wanted, sort, walk)?.map(to_record)));
    page.await
}

fn status_condition(terms: &[query_string::Term]) -> Result<Condition, Problem> {
    let mut found = Vec::new();
    for value in terms.iter().filter(|term| term.name == "status").flat_map(|term| &term.values) {
        let status = [UP_TO_DATE, OUT_OF_DATE].into_iter().find(|known| known.eq_ignore_ascii_case(value));
        let wrong = || Problem::field("queryString", format!("status: must be {OUT_OF_DATE} or {UP_TO_DATE}"));
        found.push(status.ok_or_else(wrong)?);
    }
    let found = if found.is_empty() { vec![UP_TO_DATE, OUT_OF_DATE] } else { found };
    Ok(Condition::text_in("antivirus.status IN", found))
}

/// The products on the resources that a filter names; all of them where it names none.
fn resource_condition(terms: &[query_string::Term]) -> Condition {
    let named = terms.iter().find(|term| term.name == "resourceId");
    let ids = |term: &query_string::Term| term.values.iter().map(|id| id.to_ascii_lowercase()).collect::<Vec<_>>();
    named.map_or_else(|| Condition::all([]), |term| Condition::text_in("antivirus.resource_id IN", ids(term)))
}

/// A product, and of its resource the folded host name, host name, address and document.
type ProductRow = (Row, (String, String, String, String));

/// Before every instant: the sort key of an unknown date.
const NEVER: i64 = -i64::MAX;

/// The sort keys of the search.
const SORTS: Sorts<ProductRow> = Sorts {
    by: &[
        SortBy::integer("scanDate", "antivirus.scan_ms", |(row, _)| Key::from(row.scan_ms)),
        SortBy::text("name", "antivirus.name", |(row, _)| Key::from(&row.name)),
        SortBy::text("version", "antivirus.version", |(row, _)| Key::from(&row.version)),
        SortBy::text("status", "antivirus.status", |(row, _)| Key::from(&row.status)),
        SortBy::text("currentDefinition", "antivirus.definition", |(row, _)| Key::from(&row.definition)),
        SortBy::integer(
            "currentDefinitionDate",
            "COALESCE(antivirus.definition_ms, -9223372036854775807)",
            |(row, _)| Key::from(row.definition_ms.unwrap_or(NEVER)),
        ),
        SortBy::text("hostName", "resources.host_key", |(_, (host_key, ..))| Key::from(host_key)),
    ],
    then: &[
        SortBy::text("", "antivirus.resource_id", |(row, _)| Key::from(&row.resource_id)),
        SortBy::integer("", "antivirus.id", |(row, _)| Key::from(row.id)),
        SortBy::text("", "antivirus.tenant_id", |(row, _)| Key::from(&row.tenant_id)),
    ],
};

fn find(
    conn: &mut Conn,
    scope: &[String],
    wanted: Condition,
    sort: Sort,
    walk: &PageRequest,
) -> Result<base::PageRows<ProductRow>> {
    use antivirus::dsl;
    let condition = Condition::all([Condition::text_in("antivirus.tenant_id IN", scope), wanted]);
    let total = walk.total(|| dsl::antivirus.filter(condition.clone()).count().get_result(conn))?;
    let on = dsl::tenant_id.eq(resources::tenant_id).and(dsl::resource_id.eq(resources::id));
    let order = SORTS.order(sort);
    let machine = (resources::host_key, resources::host_name, resources::ip_address, resources::document);
    let rows: Vec<ProductRow> = dsl::antivirus
        .inner_join(resources::table.on(on))
        .filter(condition)
        .filter(order.after(walk.after())?)
        .select((antivirus::all_columns, machine))
        .order(order)
        .offset(walk.offset())
        .limit(walk.row_limit())
        .load(conn)?;
    Ok(walk.cut(rows, total, |found| SORTS.keys(sort, found)))
}

fn to_record((row, (_, host_name, ip_address, document)): ProductRow) -> AntivirusRecord {
    let os_name = serde_json::from_str::<crate::model::document::BorrowedDocument<'_>>(&document)
        .map(|document| document.text("os").to_owned())
        .unwrap_or_default();
    AntivirusRecord {
        name: row.name,
        version: row.version,
        current_definition: row.definition,
        current_definition_date: row.definition_ms.map(Timestamp::from_millis),
        scan_date: Timestamp::from_millis(row.scan_ms),
        supported: row.supported,
        status: row.status,
        resource: AntivirusResource { id: row.resource_id, host_name, ip_address, os_name },
    }
}
