//! Resource types: a seeded taxonomy that grows, for each tenant, with what it ingests.

use std::{collections::HashMap, sync::LazyLock};

use actix_web::{HttpRequest, HttpResponse};
use api::{RequestContext, get};
use base::{query::Query, text::fold};
use db::{Condition, Conn, Lock, Result};
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

/// Is this text a path, and no name alone?
pub fn is_path(given: &str) -> bool {
    given.contains(">>")
}

/// A path that was given, as paths are compared.
pub fn path_key(given: &str) -> String {
    levels_of(&fold(given)).join(" >> ")
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

/// The seeded type with this folded path, or else, for a name alone, the first with this name.
fn seed(key: &str) -> Option<ResourceType> {
    let by_path = SEED_KEYS.iter().position(|(_, path)| path == key);
    let place = by_path.or_else(|| SEED_KEYS.iter().position(|(name, _)| name == key))?;
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
        given.iter().map(|text| path_key(text)).partition(|key| is_path(key));
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

/// The path of a type of which the name alone does not tell it.
pub fn path_beside_name(conn: &mut Conn, tenant: &str, (id, name): &(i64, String)) -> Result<Option<String>> {
    if is_meant(*id, name) {
        return Ok(None);
    }
    Ok(Some(path(conn, tenant, *id, name)?).filter(|path| path != name))
}

/// Does its name alone mean this type?
fn is_meant(id: i64, name: &str) -> bool {
    seed(&fold(name)).is_some_and(|seed| seed.id == id)
}

/// The text by which a body names each type of these tenants: its name where that resolves to it, else its path.
pub fn labels(conn: &mut Conn, scope: &[String]) -> Result<HashMap<i64, String>> {
    let label = |kind: ResourceType| (kind.id, if is_meant(kind.id, &kind.name) { kind.name } else { kind.path });
    Ok(list(conn, scope)?.into_iter().map(label).collect())
}

/// Id and name of the type that a caller or a report names, by its path, or by its name alone; a new one is added.
pub fn resolve(conn: &mut Conn, tenant: &str, given: &str) -> Result<(i64, String)> {
    let levels = levels_of(given);
    let name = levels.last().copied().unwrap_or("Other");
    let path = if levels.is_empty() { name.to_owned() } else { levels.join(" >> ") };
    if let Some(seed) = seed(&fold(&path)) {
        return Ok((seed.id, seed.name));
    }
    if let Some(known) = find_own(conn, tenant, name, &path)? {
        return Ok(known);
    }
    // Of two that add a type at once, the second finds it.
    Lock::of("resource-types", tenant).take(conn)?;
    match find_own(conn, tenant, name, &path)? {
        Some(known) => Ok(known),
        None => add(conn, tenant, name, &path),
    }
}

/// A type of the tenant's own, by its path; by a name alone, also the first of that name.
fn find_own(conn: &mut Conn, tenant: &str, name: &str, path: &str) -> Result<Option<(i64, String)>> {
    use resource_types::dsl;
    let namesakes: Vec<ResourceType> = dsl::resource_types
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::name_key.eq(fold(name)))
        .order(dsl::id)
        .select((dsl::id, dsl::name, dsl::path))
        .load(conn)?;
    let key = fold(path);
    let by_path = namesakes.iter().find(|kind| fold(&kind.path) == key);
    let found = by_path.or_else(|| namesakes.first().filter(|_| name == path));
    Ok(found.map(|kind| (kind.id, kind.name.clone())))
}

fn add(conn: &mut Conn, tenant: &str, name: &str, path: &str) -> Result<(i64, String)> {
    use resource_types::dsl;
    let id = FIRST_OWN + db::next_id(conn, "resource_types")?;
    diesel::insert_into(dsl::resource_types)
        .values((
            dsl::tenant_id.eq(tenant),
            dsl::id.eq(id),
            dsl::name.eq(name),
            dsl::name_key.eq(fold(name)),
            dsl::path.eq(path),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::tests::Fixture;

    #[test]
    fn a_path_means_that_path_only() {
        let fixture = Fixture::new();
        let resolved = |given: &'static str| fixture.write(move |conn| resolve(conn, "client_1", given));
        let rack = resolved("Rack >> PDU");
        let room = resolved("Room >> PDU");
        let camera = resolved("Camera >> Linux");
        assert!(rack != room && camera.0 >= FIRST_OWN, "{rack:?} {room:?} {camera:?}");
        for (given, id) in [
            ("rack>>pdu", rack.0),
            ("ROOM >>  PDU", room.0),
            ("PDU", rack.0),
            ("camera >> linux", camera.0),
            ("Linux", 1),
            ("Server >> Linux", 1),
            ("Workstation >> Linux", 6),
            ("Server", 5),
            (" >> ", 30),
        ] {
            assert_eq!(resolved(given).0, id, "{given}");
        }
        let alone = resolved("Balloon");
        assert_eq!(resolved("balloon"), alone);
        let labels = fixture.read(|conn| labels(conn, &["client_1".to_owned()]));
        for (id, label) in labels {
            let (found, name) = fixture.write({
                let label = label.clone();
                move |conn| resolve(conn, "client_1", &label)
            });
            let path = fixture.read(|conn| path_beside_name(conn, "client_1", &(id, name.clone())));
            assert_eq!((found, path.unwrap_or(name)), (id, label));
        }
    }
}
