//! Sites over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, context::check_version, stream};
use base::Query;
use outbox::{Entity, Tx};

use super::{
    members,
    rules::{self, Filter},
    store,
    wire::{NewSite, Site, SiteChange, SiteMember, SiteMemberPage, SiteMemberReference, SiteMinimal, SitePage},
};

/// The number in the path; one that is no number names no site.
fn id_of(path: web::Path<(String, String)>) -> api::Result<i64> {
    Ok(path.1.parse().map_err(|_| rules::no_site())?)
}

/// Create a site
///
/// Adds a place to the tenant of the path. Its name is unique in the tenant, whatever the letter case.
#[utoipa::path(
    tag = "sites",
    operation_id = "createSite",
    request_body(content = NewSite, example = json!({
        "name": "Paris 1", "address": "12 rue de la Paix", "city": "Paris", "country": "France"
    })),
    responses(
        (status = 200, description = "The new site", body = Site),
        (status = 409, description = "The tenant has a site of this name"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/sites")]
pub async fn create(context: RequestContext, body: Body) -> api::Result<HttpResponse> {
    let new = NewSite::read(&body.0)?;
    let (tenant, now) = (context.tenant.id.to_string(), context.now);
    context
        .write(move |tx, _| {
            let site = rules::created(new, tenant, db::next_id(tx.conn, "sites")?, now);
            store::insert(tx.conn, &site)?;
            note(tx, None, Some(&site))?;
            let version = site.version;
            Answer::entity(&Site::from(site), version)
        })
        .await
}

/// Notes that a site changed.
fn note(tx: &mut Tx<'_>, before: Option<&store::Site>, after: Option<&store::Site>) -> db::Result<()> {
    let Some(site) = after.or(before) else { return Ok(()) };
    let id = site.id.to_string();
    let entity = Entity { tenant_id: &site.tenant_id, kind: "Site", id: &id, publish: false };
    let shown = |site: Option<&store::Site>| site.cloned().map(Site::from);
    tx.note_shown(entity, shown(before).as_ref(), shown(after).as_ref())
}

fn shown(context: &RequestContext, site: store::Site) -> api::Result<HttpResponse> {
    let version = site.version;
    answer::entity(context, &Site::from(site), version)
}

/// Search sites
///
/// A page of the sites of the tenant; at partner level, of its clients too. The variables of `queryString` are `id`,
/// `name`, `city`, `country` (they contain the value, whatever the letter case) and `isEquals` (`true`: they are the
/// value).
#[utoipa::path(
    tag = "sites",
    operation_id = "searchSites",
    params(
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`id` (default) or `name`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "city:paris+country:france"),
    ),
    responses((status = 200, description = "A page of sites", body = SitePage)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "id", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, scope) = (Filter::parse(&text)?, context.scope());
    let page = context.db.read(move |conn| {
        let found = store::search(conn, &scope, &filter, sort, &walk)?;
        Ok(walk.answer(found.map(Site::from)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// List minimal sites
///
/// Id and name of every site of the tenant, by name; at partner level, of its clients too. Streamed, not paged.
#[utoipa::path(
    tag = "sites",
    operation_id = "listMinimalSites",
    responses((status = 200, description = "Every site", body = Vec<SiteMinimal>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/minimal")]
pub async fn minimal(context: RequestContext) -> api::Result<HttpResponse> {
    let scope = context.scope();
    stream::array(&context.db, move |conn, rows| {
        store::each_minimal(conn, &scope, |id, name| {
            // Writing JSON to a Vec of a number and a string cannot fail.
            rows.push(|out| drop(serde_json::to_writer(out, &SiteMinimal { id, name })))
        })
    })
    .await
}

/// Get a site
#[utoipa::path(
    tag = "sites",
    operation_id = "getSite",
    params(("siteId" = i64, Path, description = "Id of the site", example = 12)),
    responses((status = 200, description = "The site", body = Site)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/{siteId}")]
pub async fn get(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (id, scope) = (id_of(path)?, context.scope());
    let site = context.db.point(move |conn| store::existing(conn, &scope, id)).await?;
    shown(&context, site)
}

/// Update a site
///
/// Fields left out stay as they are; an empty text removes a value. `If-Match` with the `ETag` of what you read makes
/// sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "sites",
    operation_id = "updateSite",
    params(("siteId" = i64, Path, description = "Id of the site", example = 12)),
    request_body(content = SiteChange, example = json!({"name": "Paris, rue de la Paix"})),
    responses(
        (status = 200, description = "The site after the change", body = Site),
        (status = 409, description = "The tenant has another site of this name"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/sites/{siteId}")]
pub async fn update(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let id = id_of(path)?;
    let change = SiteChange::read(&body.0)?;
    let (scope, partner, wanted, now) =
        (context.scope(), context.tenant.partner.clone(), context.if_match()?, context.now);
    context
        .write(move |tx, _| {
            let old = take_up(tx, &scope, id, wanted)?;
            let site = rules::changed(&old, change, now);
            store::update(tx.conn, &old, &site)?;
            if old.name != site.name {
                crate::groups::dynamic::refresh_site(tx.conn, partner.as_str(), &site.tenant_id, site.id)?;
            }
            note(tx, Some(&old), Some(&site))?;
            let version = site.version;
            Answer::entity(&Site::from(site), version)
        })
        .await
}

/// Delete a site
///
/// Refused while resources are there.
#[utoipa::path(
    tag = "sites",
    operation_id = "deleteSite",
    params(("siteId" = i64, Path, description = "Id of the site", example = 12)),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 409, description = "Resources are there"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/sites/{siteId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (id, scope, wanted) = (id_of(path)?, context.scope(), context.if_match()?);
    context
        .write(move |tx, _| {
            let site = take_up(tx, &scope, id, wanted)?;
            store::delete(tx.conn, &site)?;
            note(tx, Some(&site), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// List the resources at a site
///
/// A page of the resources of any state that are there.
#[utoipa::path(
    tag = "sites",
    operation_id = "listSiteMembers",
    params(
        ("siteId" = i64, Path, description = "Id of the site", example = 12),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`id` (default), `name` or `hostName`", example = "name"),
    ),
    responses((status = 200, description = "A page of resources", body = SiteMemberPage)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/{siteId}/members")]
pub async fn list_members(
    context: RequestContext<Query>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::MEMBER_SORTS, "id", false);
    let walk = query.walk(context.request().path(), sort);
    query.finish()?;
    let (id, scope, db) = (id_of(path)?, context.scope(), context.db.clone());
    let page = context.db.read(move |conn| {
        let site = store::existing(conn, &scope, id)?;
        let found = members::page(&db, conn, &site, sort, &walk)?;
        Ok(walk.answer(found.map(SiteMember::from)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Put resources at a site
///
/// Moves up to 1,000 resources of the site's tenant there, all or none. Those that are there already stay as they are.
#[utoipa::path(
    tag = "sites",
    operation_id = "addSiteMembers",
    params(("siteId" = i64, Path, description = "Id of the site", example = 12)),
    request_body(content = Vec<SiteMemberReference>, example = json!([{"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}])),
    responses(
        (status = 200, description = "They are there; an empty object"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/sites/{siteId}/members")]
pub async fn add_members(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    change_members(&context, path, &body, members::add).await
}

/// Take resources away from a site
///
/// Up to 1,000 resources are at no site afterwards, all or none. Those that were not there stay where they are.
#[utoipa::path(
    tag = "sites",
    operation_id = "removeSiteMembers",
    params(("siteId" = i64, Path, description = "Id of the site", example = 12)),
    request_body(content = Vec<SiteMemberReference>, example = json!([{"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}])),
    responses(
        (status = 200, description = "They are not there any more; an empty object"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/sites/{siteId}/members")]
pub async fn remove_members(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    change_members(&context, path, &body, members::remove).await
}

/// [`members::add`] or [`members::remove`].
type ChangeMembers = fn(&mut Tx<'_>, &str, &store::Site, &[SiteMemberReference]) -> db::Result<()>;

async fn change_members(
    context: &RequestContext,
    path: web::Path<(String, String)>,
    body: &Body,
    change: ChangeMembers,
) -> api::Result<HttpResponse> {
    let id = id_of(path)?;
    let given = SiteMemberReference::read_all(&body.0)?;
    let (scope, partner, wanted) = (context.scope(), context.tenant.partner.clone(), context.if_match()?);
    context
        .write(move |tx, _| {
            let site = take_up(tx, &scope, id, wanted)?;
            change(tx, partner.as_str(), &site, &given)?;
            Ok(Answer::empty())
        })
        .await
}

/// The site that is to be changed, which nobody else changes or moves to until the end of the transaction.
fn take_up(tx: &mut Tx<'_>, scope: &[String], id: i64, wanted: Option<i64>) -> db::Result<store::Site> {
    db::lock(tx.conn, &format!("site:{id}"))?;
    let site = store::existing(tx.conn, scope, id)?;
    check_version(wanted, site.version)?;
    Ok(site)
}
