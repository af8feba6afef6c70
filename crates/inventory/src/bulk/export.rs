//! `GET /resources/export`: the columns that `POST /resources/bulk` takes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use actix_web::HttpResponse;
use api::{RequestContext, get, spool::NDJSON, stream};
use base::{Query, problem::Problem, text::fold};
use db::{Condition, Conn, Db, Result};
use diesel::prelude::*;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, Type},
    },
};

use super::export_row::{ExportItem, Line, write_header, write_record};
use crate::{
    model::row::Row,
    resources::{
        detail,
        input::ResourceInput,
        list::{ListQuery, State},
    },
    schema::{resource_tags, resources, sites},
    types,
};

api::texts! {
    /// How the lines are written.
    Format = api::spec::one_of(&FORMATS);
}

/// The words of `format`.
const FORMATS: [&str; 2] = ["ndjson", "csv"];
/// More tags than any table needs; lines of JSON have no such bound.
const MOST_TAGS: usize = 1000;

/// Export resources
///
/// Every resource that matches, with the fields that `POST /resources/bulk` takes, so that the answer can be sent
/// there: to the same tenant as it is, to another without ids. As NDJSON a row has all that a create body has; as CSV
/// it has the same in cells, nested parts and what is special about tags as JSON. A cell that a spreadsheet would
/// calculate, since it begins with `=`, `+`, `-`, `@`, a tab or a line break, has an apostrophe in front, which an
/// import takes away. Streamed, of any size; the filters are those of the minimal list.
#[utoipa::path(
    operation_id = "exportResources",
    params(
        ("format" = inline(Option<Format>), Query, description = "`ndjson` (default) or `csv`"),
        ("includeIds" = Option<bool>, Query, description = "With the columns `id` and `clientUniqueId`; default true. \
                                                            Without them for a file that goes to another tenant"),
        ("locationId" = Option<i64>, Query, description = "Only at this site; 0 for all"),
        ("deviceGroupId" = Option<String>, Query, description = "Only members of this device group, by its integer id \
            or `DGP-<uuid>`, and of its children; 0 for all",
            pattern = "^([0-9]{1,18}|[Dd][Gg][Pp]-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"),
        ("deviceTypeId" = Option<i64>, Query, description = "Only of this resource type; 0 for all"),
        ("state" = inline(Option<State>), Query, description = "`active` (default), `inactive`, `discovered` or `all`"),
        ("queryString" = Option<String>, Query, description = "Filter expression, as in the minimal list"),
    ),
    responses((status = 200, description = "A line for each resource", content(
        (ExportedResource = "application/x-ndjson"), (String = "text/csv")
    ))),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/export")]
pub async fn export(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let wanted = ListQuery::read(&mut query);
    let csv = query.one_of("format", &FORMATS, FORMATS[0]) == "csv";
    let ids = query.boolean("includeIds", true);
    query.finish()?;
    let scope = context.scope();
    let db = context.db.clone();
    if !csv {
        return stream::lines(&context, NDJSON, move |conn, rows| {
            let condition = matching_condition(&wanted, &db, conn, &scope)?;
            let kinds = types::labels(conn, &scope)?;
            for_each_resource(conn, condition, &kinds, |resource| {
                rows.push(|out| {
                    // Writing JSON of texts to a Vec cannot fail.
                    let _ = serde_json::to_writer(&mut *out, &Line { resource, ids });
                    out.push(b'\n');
                })
            })
        })
        .await;
    }
    stream::lines(&context, "text/csv; charset=utf-8", move |conn, rows| {
        let condition = matching_condition(&wanted, &db, conn, &scope)?;
        let kinds = types::labels(conn, &scope)?;
        let tags = tags(conn, &condition)?;
        rows.push(|out| write_header(out, ids, &tags))?;
        for_each_resource(conn, condition, &kinds, |resource| rows.push(|out| write_record(out, resource, ids, &tags)))
    })
    .await
}

/// A line of the export in the document: what a create takes, and with `includeIds` who it is.
pub struct ExportedResource;

impl PartialSchema for ExportedResource {
    fn schema() -> RefOr<Schema> {
        let mut schema = ResourceInput::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            let text = |description: &str| {
                ObjectBuilder::new().schema_type(Type::String).description(Some(description)).into()
            };
            object.properties.insert("id".to_owned(), text("UUID; not with `includeIds=false`"));
            object.properties.insert("clientUniqueId".to_owned(), text("The tenant; not with `includeIds=false`"));
            object.description = Some("A resource, as a create or an update takes it.".to_owned());
        }
        schema
    }
}

impl ToSchema for ExportedResource {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ResourceInput::schemas(schemas);
    }
}

/// The resources that are wanted: each by name, when they are few.
fn matching_condition(wanted: &ListQuery, db: &Db, conn: &mut Conn, scope: &[String]) -> Result<Condition> {
    let asked = wanted.full_resource_query(db, conn, scope)?;
    Ok(asked.id_condition().unwrap_or_else(|| asked.condition()))
}

/// Hands on every resource that meets a condition, in the order of their ids, which is that in which they were made.
fn for_each_resource(
    conn: &mut Conn,
    condition: Condition,
    kinds: &HashMap<i64, String>,
    mut one: impl FnMut(&ExportItem<'_>) -> Result<()>,
) -> Result<()> {
    let here = resources::tenant_id.eq(sites::tenant_id).and(resources::site_id.eq(sites::id.nullable()));
    let query = resources::table
        .left_join(sites::table.on(here))
        .filter(condition)
        // As they came: sent elsewhere, they come there in the same order.
        .order((resources::tenant_id, resources::id))
        .select((resources::all_columns, sites::name.nullable()));
    db::for_each_row(conn, query, |(row, site): (Row, Option<String>)| {
        let kind = kinds.get(&row.resource_type_id).unwrap_or(&row.resource_type);
        one(&ExportItem { document: detail::parse_document(&row)?, row: &row, site: site.as_deref(), kind })
    })
}

/// The names of all tags that these resources have, by their folded name; of several spellings, one.
fn tags(conn: &mut Conn, condition: &Condition) -> Result<BTreeMap<String, String>> {
    use resource_tags::dsl;
    let on = dsl::tenant_id.eq(resources::tenant_id).and(dsl::resource_id.eq(resources::id));
    let keys: Vec<(String, Option<String>)> = dsl::resource_tags
        .inner_join(resources::table.on(on))
        .filter(condition.clone())
        .group_by(dsl::name_key)
        .select((dsl::name_key, diesel::dsl::max(dsl::resource_id)))
        .limit(MOST_TAGS as i64 + 1)
        .load(conn)?;
    if keys.len() > MOST_TAGS {
        let message = format!("csv has a column for each tag, and there are more than {MOST_TAGS}: take ndjson");
        return Err(Problem::field("format", message).into());
    }
    // One resource may be the newest with all of the tags.
    let mut keys_by_resource: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, id) in keys {
        keys_by_resource.entry(id.unwrap_or_default()).or_default().insert(key);
    }
    let mut names = BTreeMap::new();
    for (id, keys) in keys_by_resource {
        let one = resources::table.filter(condition.clone()).filter(resources::id.eq(id));
        let row: Option<Row> = one.first(conn).optional()?;
        let resource = row.map(Row::into_resource).transpose()?;
        let mut spelled: HashMap<String, String> = HashMap::new();
        for tag in resource.into_iter().flat_map(|resource| resource.document.tags) {
            spelled.entry(fold(&tag.name)).or_insert(tag.name);
        }
        names.extend(keys.into_iter().map(|key| (key.clone(), spelled.remove(&key).unwrap_or(key))));
    }
    Ok(names)
}
