//! Antivirus products, as agents report them.

use actix_web::{HttpResponse, get};
use api::{At, spec::PageOf};
use base::{page::Page, problem::Problem, query_string, timestamp::Timestamp};
use db::{Condition, Conn, Result};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub scan_date: Option<Timestamp>,
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
#[diesel(table_name = antivirus)]
struct Row {
    tenant_id: String,
    resource_id: String,
    id: i64,
    name: String,
    version: String,
    definition: String,
    definition_ms: Option<i64>,
    scan_ms: Option<i64>,
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
            scan_ms: product.scan_date.or(Some(now.millis())),
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
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`scanDate` (default), `name`, `version`, `status`, `currentDefinition`, `currentDefinitionDate`, `hostName`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "status:OUTOFDATE"),
    ),
    responses((status = 200, description = "A page of antivirus records", body = PageOf<AntivirusRecord>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/antivirus/search")]
pub async fn search(at: At) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let page = query.page();
    let sort = query.sort(&SORTS, "scanDate", true);
    let text = query.text("queryString").filter(|text| !text.trim().is_empty());
    query.finish()?;
    let terms = text.as_deref().map(|text| query_string::parse(text, &["status"])).transpose()?.unwrap_or_default();
    let statuses = statuses(&terms)?;
    let scope = at.scope();
    let (offset, limit) = (page.offset(), page.limit());
    let (results, total) =
        at.db.read(move |conn| find(conn, &scope, &statuses, sort.name, sort.descending, offset, limit)).await?;
    api::answer::ok(&Page::new(&page, results, total).ordered(sort.name, sort.descending))
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

fn find(
    conn: &mut Conn,
    scope: &[String],
    statuses: &[&str],
    sort: &str,
    descending: bool,
    offset: i64,
    limit: i64,
) -> Result<(Vec<AntivirusRecord>, i64)> {
    use antivirus::dsl;
    let condition = Condition::all([
        Condition::text_in("antivirus.tenant_id IN", scope),
        Condition::text_in("antivirus.status IN", statuses.iter().copied()),
    ]);
    let total: i64 = dsl::antivirus.filter(condition.clone()).count().get_result(conn)?;
    let on = dsl::tenant_id.eq(resources::tenant_id).and(dsl::resource_id.eq(resources::id));
    let query = dsl::antivirus
        .inner_join(resources::table.on(on))
        .filter(condition)
        .select((antivirus::all_columns, (resources::host_name, resources::ip_address, resources::document)))
        .offset(offset)
        .limit(limit)
        .into_boxed::<db::Sql>();
    macro_rules! ordered {
        ($column:expr) => {
            if descending {
                query.order(($column.desc(), dsl::resource_id.desc(), dsl::id.desc()))
            } else {
                query.order(($column, dsl::resource_id, dsl::id))
            }
        };
    }
    let query = match sort {
        "name" => ordered!(dsl::name),
        "version" => ordered!(dsl::version),
        "status" => ordered!(dsl::status),
        "currentDefinition" => ordered!(dsl::definition),
        "currentDefinitionDate" => ordered!(dsl::definition_ms),
        "hostName" => ordered!(resources::host_key),
        _ => ordered!(dsl::scan_ms),
    };
    let rows: Vec<(Row, (String, String, String))> = query.load(conn)?;
    Ok((rows.into_iter().map(|(row, on)| shown(row, on)).collect(), total))
}

fn shown(row: Row, (host_name, ip_address, document): (String, String, String)) -> AntivirusRecord {
    let os_name = serde_json::from_str::<crate::resources::document::Shown<'_>>(&document)
        .map(|shown| shown.text("os").to_owned())
        .unwrap_or_default();
    AntivirusRecord {
        name: row.name,
        version: row.version,
        current_definition: row.definition,
        current_definition_date: row.definition_ms.map(Timestamp::from_millis),
        scan_date: row.scan_ms.map(Timestamp::from_millis),
        supported: row.supported,
        status: row.status,
        resource: AntivirusResource { id: row.resource_id, host_name, ip_address, os_name },
    }
}
