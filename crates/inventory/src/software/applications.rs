//! Installed applications of a resource.

use actix_web::HttpResponse;
use api::{PathIds, RequestContext, answer, get};
use base::timestamp::Timestamp;
use db::{Conn, Result};
use diesel::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use utoipa::ToSchema;

use crate::{
    reports::Software,
    resources::{store::find_required, wire::ResourceId},
    schema::applications,
};

/// An installed application (`docs/interface.md`, "Installed application").
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": 1, "name": "nginx", "vendor": "Debian", "version": "1.22.1-9",
    "createdDate": "2026-11-20T20:37:00+0000", "modifiedDate": "2026-11-20T20:37:00+0000"
}))]
pub struct InstalledApplication {
    /// Unique on its resource; an application keeps it across versions.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Vendor; empty when unknown.
    pub vendor: String,
    /// Version; empty when unknown.
    pub version: String,
    /// When it was installed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub installed_date: Option<Timestamp>,
    /// When it was first reported.
    #[schema(value_type = String)]
    pub created_date: Timestamp,
    /// When its vendor, version or date last changed.
    #[schema(value_type = String)]
    pub modified_date: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = applications, treat_none_as_null = true, treat_none_as_default_value = false)]
struct Row {
    tenant_id: String,
    resource_id: String,
    id: i64,
    name: String,
    vendor: String,
    version: String,
    installed_ms: Option<i64>,
    created_ms: i64,
    modified_ms: i64,
}

/// Makes the stored applications of a resource those of a report: new ones are added, changed ones updated, vanished
/// ones deleted. Of several with one name, each is told apart by its version.
pub fn replace(conn: &mut Conn, tenant: &str, resource: &str, reported: &[Software], now: Timestamp) -> Result<bool> {
    use applications::dsl;
    let stored: Vec<Row> = dsl::applications
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::resource_id.eq(resource))
        .order(dsl::id)
        .load(conn)?;
    let mut next = stored.last().map_or(1, |row| row.id + 1);
    let mut by_name: HashMap<&str, Vec<&Row>> = HashMap::with_capacity(stored.len());
    for row in &stored {
        by_name.entry(&row.name).or_default().push(row);
    }
    let mut added = Vec::new();
    let mut changed = false;
    for (software, version) in distinct_by_name(reported) {
        let row = Row {
            tenant_id: tenant.to_owned(),
            resource_id: resource.to_owned(),
            id: next,
            name: software.name.clone(),
            vendor: software.vendor.clone().unwrap_or_default(),
            version: version.to_owned(),
            installed_ms: software.installed_at,
            created_ms: now.millis(),
            modified_ms: now.millis(),
        };
        match take(&mut by_name, &row) {
            None => {
                next += 1;
                added.push(row);
            }
            Some(old) => {
                let row = Row { id: old.id, created_ms: old.created_ms, modified_ms: old.modified_ms, ..row };
                if row != *old {
                    changed = true;
                    let row = Row { modified_ms: now.millis(), ..row };
                    let target = dsl::applications.find((tenant, resource, row.id));
                    diesel::update(target).set(&row).execute(conn)?;
                }
            }
        }
    }
    changed |= !added.is_empty();
    for vanished in by_name.into_values().flatten() {
        changed = true;
        diesel::delete(dsl::applications.find((tenant, resource, vanished.id))).execute(conn)?;
    }
    db::insert_rows!(conn, applications::table, &added)?;
    Ok(changed)
}

/// The reported applications, each name and version once.
fn distinct_by_name(reported: &[Software]) -> impl Iterator<Item = (&Software, &str)> {
    let mut seen = std::collections::HashSet::with_capacity(reported.len());
    reported.iter().filter_map(move |software| {
        let version = software.version.as_deref().unwrap_or("");
        seen.insert((software.name.as_str(), version)).then_some((software, version))
    })
}

/// The stored row that a reported application is: the same name and version, or else another version of that name.
fn take<'a>(by_name: &mut HashMap<&str, Vec<&'a Row>>, row: &Row) -> Option<&'a Row> {
    let candidates = by_name.get_mut(row.name.as_str())?;
    let same = candidates.iter().position(|old| old.version == row.version);
    let at = same.or((candidates.len() == 1).then_some(0))?;
    Some(candidates.swap_remove(at))
}

/// List applications of a resource
///
/// The applications that its agent reported, by name.
#[utoipa::path(
    operation_id = "listApplications",
    params(ResourceId),
    responses((status = 200, description = "The applications", body = Vec<InstalledApplication>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/{resourceId}/applications")]
pub async fn list(context: RequestContext, PathIds(id): PathIds<ResourceId>) -> api::Result<HttpResponse> {
    let rows = context.read_many(move |conn, scope| {
        use applications::dsl;
        let resource = find_required(conn, &scope.scope(), &id)?;
        let rows: Vec<Row> = dsl::applications
            .filter(dsl::tenant_id.eq(&resource.tenant_id))
            .filter(dsl::resource_id.eq(&resource.id))
            .order((dsl::name, dsl::id))
            .load(conn)?;
        Ok(rows)
    });
    let found: Vec<InstalledApplication> = rows.await?.into_iter().map(to_wire).collect();
    answer::ok(&found)
}

fn to_wire(row: Row) -> InstalledApplication {
    InstalledApplication {
        id: row.id,
        name: row.name,
        vendor: row.vendor,
        version: row.version,
        installed_date: row.installed_ms.map(Timestamp::from_millis),
        created_date: Timestamp::from_millis(row.created_ms),
        modified_date: Timestamp::from_millis(row.modified_ms),
    }
}
