//! Resource types: a seeded taxonomy that grows, for each tenant, with what it ingests.

use std::{collections::HashMap, sync::LazyLock};

use actix_web::{HttpRequest, HttpResponse};
use api::{RequestContext, get};
use base::{query::Query, text::fold};
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{model::document::KINDS, reports::kind::SEED, schema::resource_types};

/// A tenant's own types are numbered from here; below are those of [`SEED`], by position.
const FIRST_OWN: i64 = 1001;

/// A type of resource (`docs/interface.md`, "Resource type").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, Queryable)]
#[schema(example = json!({"id": 1, "name": "Linux", "path": "Server >> Linux"}))]
pub struct ResourceType {
    /// Its id, as `deviceTypeId` takes it.
    pub id: i64,
    /// Its name, as `resourceType` and `deviceType` take it.
    pub name: String,
    /// Its place in the hierarchy, levels separated by ` >> `.
    pub path: String,
}

/// The type of a resource that names none, by its kind: cloud resources and checks have a type of that name.
pub fn default_for(kind: &str) -> &str {
    if kind == "DEVICE" { "Other" } else { kind }
}

/// The kind that a type decides, given by its name or its path in any letter case: what [`default_for`] turns around.
/// `None` for the type of a device.
pub fn kind_of(given: &str) -> Option<&'static str> {
    let name = levels_of(given).pop()?.to_ascii_uppercase();
    KINDS.into_iter().find(|kind| *kind != "DEVICE" && *kind == name)
}

fn levels_of(path: &str) -> Vec<&str> {
    path.split(">>").map(str::trim).filter(|level| !level.is_empty()).collect()
}

fn seeds() -> impl Iterator<Item = ResourceType> {
    (1..).zip(SEED).map(|(id, (name, path))| ResourceType { id, name: (*name).to_owned(), path: (*path).to_owned() })
}

/// The seeded types by their folded name and path, since every write looks one up.
static SEED_KEYS: LazyLock<Vec<(String, String)>> =
    LazyLock::new(|| SEED.iter().map(|(name, path)| (fold(name), fold(path))).collect());

/// The seeded type with this folded path, else the first with this folded name.
fn seed(path_key: &str, name_key: &str) -> Option<ResourceType> {
    let by_path = SEED_KEYS.iter().position(|(_, path)| path == path_key);
    let place = by_path.or_else(|| SEED_KEYS.iter().position(|(name, _)| name == name_key))?;
    seeds().nth(place)
}

/// All types that these tenants see.
pub fn list(conn: &mut Conn, scope: &[String]) -> Result<Vec<ResourceType>> {
    use resource_types::dsl;
    let own: Vec<ResourceType> = dsl::resource_types
        .filter(dsl::tenant_id.eq_any(scope))
        .order((dsl::id, dsl::tenant_id))
        .select((dsl::id, dsl::name, dsl::path))
        .load(conn)?;
    Ok(seeds().chain(own).collect())
}

/// The resources of the types that a filter names, each by its name or by its whole path.
pub fn condition(conn: &mut Conn, scope: &[String], given: &[String]) -> Result<Condition> {
    let (paths, names): (Vec<String>, Vec<String>) =
        given.iter().map(|text| levels_of(&fold(text)).join(" >> ")).partition(|key| key.contains(">>"));
    let by_name = Condition::text_in("resources.resource_type_key IN", names);
    if paths.is_empty() {
        return Ok(by_name);
    }
    Ok(Condition::any([by_name, type_condition(conn, scope, |kind| paths.contains(&fold(&kind.path)))?]))
}

/// The resources of the type with this id.
pub fn id_condition(conn: &mut Conn, scope: &[String], id: i64) -> Result<Condition> {
    type_condition(conn, scope, |kind| kind.id == id)
}

/// The resources of some types: by their names, which have an index, and among those by their ids, since two types may
/// have one name.
fn type_condition(conn: &mut Conn, scope: &[String], is_wanted: impl Fn(&ResourceType) -> bool) -> Result<Condition> {
    let known: Vec<ResourceType> = list(conn, scope)?.into_iter().filter(is_wanted).collect();
    let names = known.iter().map(|kind| fold(&kind.name));
    let by_name = Condition::text_in("resources.resource_type_key IN", names);
    let by_id = Condition::integer_in("resources.resource_type_id IN", known.iter().map(|kind| kind.id));
    Ok(Condition::all([by_name, by_id]))
}

/// The path of a type that a tenant sees; its name where it is unknown.
pub fn path(conn: &mut Conn, tenant: &str, id: i64, name: &str) -> Result<String> {
    use resource_types::dsl;
    if let Some(seed) = seeds().find(|seed| seed.id == id) {
        return Ok(seed.path);
    }
    let path = dsl::resource_types.find((tenant, id)).select(dsl::path).get_result(conn).optional()?;
    Ok(path.unwrap_or_else(|| name.to_owned()))
}

/// The text by which a body names each type of these tenants: its name where that resolves to it, else its path.
pub fn labels(conn: &mut Conn, scope: &[String]) -> Result<HashMap<i64, String>> {
    let label = |kind: ResourceType| {
        let is_wanted = seeds().find(|seed| seed.name == kind.name);
        let by_name = is_wanted.is_some_and(|seed| seed.id == kind.id);
        (kind.id, if by_name { kind.name } else { kind.path })
    };
    Ok(list(conn, scope)?.into_iter().map(label).collect())
}

/// Id and name of the type that a caller or a report names, by its name or its path; a new one is added.
pub fn resolve(conn: &mut Conn, tenant: &str, given: &str, path: Option<&str>) -> Result<(i64, String)> {
    use resource_types::dsl;
    let levels = levels_of(given);
    let name = levels.last().copied().unwrap_or("Other");
    let key = fold(name);
    if let Some(seed) = seed(&fold(&levels.join(" >> ")), &key) {
        return Ok((seed.id, seed.name));
    }
    let known: Option<(i64, String)> = dsl::resource_types
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::name_key.eq(&key))
        .select((dsl::id, dsl::name))
        .get_result(conn)
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let id = FIRST_OWN + db::next_id(conn, "resource_types")?;
    let path = path.map_or_else(|| levels.join(" >> "), str::to_owned);
    diesel::insert_into(dsl::resource_types)
        .values((
            dsl::tenant_id.eq(tenant),
            dsl::id.eq(id),
            dsl::name.eq(name),
            dsl::name_key.eq(&key),
            dsl::path.eq(if path.is_empty() { name } else { &path }),
        ))
        .execute(conn)?;
    Ok((id, name.to_owned()))
}

/// List resource types
///
/// All types that a resource of this tenant may have: the seeded ones and the ones from its own resources.
#[utoipa::path(
    operation_id = "listResourceTypes",
    responses((status = 200, description = "Every resource type", body = Vec<ResourceType>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resourceType/minimal")]
pub async fn minimal(context: RequestContext) -> api::Result<HttpResponse> {
    api::answer::ok(&context.read(|conn, scope| list(conn, &scope.scope())).await?)
}

/// List device types
///
/// The seeded resource types, which every tenant has. Further types of a tenant are in its own list.
#[utoipa::path(
    operation_id = "listDeviceTypes",
    responses((status = 200, description = "Every seeded resource type", body = Vec<ResourceType>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/api/v2/cfg/devices/types")]
pub async fn device_types(request: HttpRequest) -> api::Result<HttpResponse> {
    Query::parse(request.query_string())?.finish()?;
    api::answer::ok(&seeds().collect::<Vec<_>>())
}
