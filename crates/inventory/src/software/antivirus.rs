//! Antivirus products, as agents report them.

use actix_web::{HttpResponse, get};
use api::{RequestContext, spec::PageOf};
use base::{Key, Query, Walk, problem::Problem, query::Sort, query_string, timestamp::Timestamp};
use db::{Column, Condition, Conn, Result};
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

/// What the search may be sorted by.
const SORTS: [&str; 7] =
    ["scanDate", "name", "version", "status", "currentDefinition", "currentDefinitionDate", "hostName"];

/// Search antivirus definitions
///
/// Every antivirus product that agents reported. `queryString` variable: `status` with `UPTODATE` or `OUTOFDATE`.
#[utoipa::path(
    tag = "software",
    operation_id = "searchAntivirus",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`scanDate` (default), `name`, `version`, `status`, `currentDefinition`, `currentDefinitionDate`, `hostName`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "status:OUTOFDATE"),
    ),
    responses((status = 200, description = "A page of antivirus records", body = PageOf<AntivirusRecord>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/antivirus/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "scanDate", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").filter(|text| !text.trim().is_empty());
    query.finish()?;
    let terms = text.as_deref().map(|text| query_string::parse(text, &["status"])).transpose()?.unwrap_or_default();
    let statuses = statuses(&terms)?;
    let scope = context.scope();
    let page = context.db.read(move |conn| Ok(walk.answer(find(conn, &scope, &statuses, sort, &walk)?.map(shown))));
    api::answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

fn statuses(terms: &[query_string::Term]) -> Result<Vec<&'static str>, Problem> {
    let mut found = Vec::new();
    for value in terms.iter().flat_map(|term| &term.values) {
        let status = [UP_TO_DATE, OUT_OF_DATE].into_iter().find(|known| known.eq_ignore_ascii_case(value));
        let wrong = || Problem::field("queryString", format!("status: must be {OUT_OF_DATE} or {UP_TO_DATE}"));
        found.push(status.ok_or_else(wrong)?);
    }
    Ok(if found.is_empty() { vec![UP_TO_DATE, OUT_OF_DATE] } else { found })
}

/// A product, and of its resource the folded host name, host name, address and document.
type Found = (Row, (String, String, String, String));

/// Before every instant: a date that nobody told.
const NEVER: i64 = -i64::MAX;

/// The order of a sort; [`key`] has the keys of its first column.
fn order(sort: Sort) -> db::Order {
    let first = match sort.name {
        "name" => Column::Text("antivirus.name"),
        "version" => Column::Text("antivirus.version"),
        "status" => Column::Text("antivirus.status"),
        "currentDefinition" => Column::Text("antivirus.definition"),
        "currentDefinitionDate" => Column::Integer("COALESCE(antivirus.definition_ms, -9223372036854775807)"),
        "hostName" => Column::Text("resources.host_key"),
        _ => Column::Integer("antivirus.scan_ms"),
    };
    let ties =
        [Column::Text("antivirus.resource_id"), Column::Integer("antivirus.id"), Column::Text("antivirus.tenant_id")];
    db::Order::by(std::iter::once(first).chain(ties), sort.descending)
}

fn key(sort: Sort, (row, (host_key, ..)): &Found) -> Key {
    match sort.name {
        "name" => Key::from(&row.name),
        "version" => Key::from(&row.version),
        "status" => Key::from(&row.status),
        "currentDefinition" => Key::from(&row.definition),
        "currentDefinitionDate" => Key::from(row.definition_ms.unwrap_or(NEVER)),
        "hostName" => Key::from(host_key),
        _ => Key::from(row.scan_ms),
    }
}

fn find(conn: &mut Conn, scope: &[String], statuses: &[&str], sort: Sort, walk: &Walk) -> Result<base::Found<Found>> {
    use antivirus::dsl;
    let condition = Condition::all([
        Condition::text_in("antivirus.tenant_id IN", scope),
        Condition::text_in("antivirus.status IN", statuses.iter().copied()),
    ]);
    let total = walk.total(|| dsl::antivirus.filter(condition.clone()).count().get_result(conn))?;
    let on = dsl::tenant_id.eq(resources::tenant_id).and(dsl::resource_id.eq(resources::id));
    let (order, machine) =
        (order(sort), (resources::host_key, resources::host_name, resources::ip_address, resources::document));
    let rows: Vec<Found> = dsl::antivirus
        .inner_join(resources::table.on(on))
        .filter(condition)
        .filter(order.after(walk.after())?)
        .select((antivirus::all_columns, machine))
        .order(order)
        .offset(walk.offset())
        .limit(walk.wanted())
        .load(conn)?;
    let keys = |found: &Found| {
        let row = &found.0;
        vec![key(sort, found), Key::from(&row.resource_id), Key::from(row.id), Key::from(&row.tenant_id)]
    };
    Ok(walk.cut(rows, total, keys))
}

fn shown((row, (_, host_name, ip_address, document)): Found) -> AntivirusRecord {
    let os_name = serde_json::from_str::<crate::resources::document::Shown<'_>>(&document)
        .map(|shown| shown.text("os").to_owned())
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
