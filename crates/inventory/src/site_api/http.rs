//! Sites over HTTP.

use actix_web::HttpResponse;
use api::{
    Answer, Body, List, ListOf, PageQuery, PathIds, RequestContext, RequestScope, answer, delete, get, post, stream,
};
use outbox::Tx;

use super::members;
use crate::{
    groups,
    lists::{MOST, OrderedPageOf},
    sites::{
        row,
        rules::{self, Filter},
        store,
        wire::{NewSite, Site, SiteChange, SiteId, SiteMember, SiteMemberReference, SiteMinimal},
    },
};

/// Members that a body names.
type MemberReferences = ListOf<SiteMemberReference, 1, MOST>;

api::list! {
    /// The list of sites.
    pub Sites by store::SORTS: SORT = "id", DESCENDING = true, FILTER = "city:paris+country:france"
}

/// The list of the resources at a site.
#[derive(Clone, Debug)]
pub struct Members;

impl List for Members {
    const SORT: &'static str = "id";

    fn sorts() -> Vec<&'static str> {
        members::SORTS.to_vec()
    }
}

/// Create a site
///
/// Adds a place to the tenant of the path. Its name is unique in the tenant, whatever the letter case.
#[utoipa::path(
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
pub async fn create(context: RequestContext, Body(new): Body<NewSite>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let site = rules::created(new, scope.tenant_id().to_owned(), db::next_id(tx.conn, "sites")?, tx.now);
            store::insert(tx.conn, &site)?;
            tx.record_change(None, Some(&site))?;
            answered(site)
        })
        .await
}

fn answered(site: row::Site) -> db::Result<Answer> {
    let version = site.version;
    Answer::entity(&Site::from(site), version)
}

/// Search sites
///
/// A page of the sites of the tenant; at partner level, of its clients too. The variables of `queryString` are `id`,
/// `name`, `city`, `country` (they contain the value, whatever the letter case) and `isEquals` (`true`: they are the
/// value).
#[utoipa::path(
    operation_id = "searchSites",
    params(PageQuery<Sites>),
    responses((status = 200, description = "A page of sites", body = OrderedPageOf<Site>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/search")]
pub async fn search(context: RequestContext<PageQuery<Sites>>) -> api::Result<HttpResponse> {
    let filter = Filter::parse(&context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::search(conn, &scope.scope(), &filter, sort, walk)?;
        Ok(found.map(Site::from))
    });
    page.await
}

/// List minimal sites
///
/// Id and name of every site of the tenant, by name; at partner level, of its clients too. Streamed, not paged.
#[utoipa::path(
    operation_id = "listMinimalSites",
    responses((status = 200, description = "Every site", body = Vec<SiteMinimal>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/minimal")]
pub async fn minimal(context: RequestContext) -> api::Result<HttpResponse> {
    let scope = context.scope();
    stream::array(&context, move |conn, rows| {
        store::each_minimal(conn, &scope, |id, name| rows.push_json(&SiteMinimal { id, name }))
    })
    .await
}

/// Get a site
#[utoipa::path(
    operation_id = "getSite",
    params(SiteId),
    responses(
        (status = 200, description = "The site", body = Site),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/{siteId}")]
pub async fn get(context: RequestContext, PathIds(SiteId(id)): PathIds<SiteId>) -> api::Result<HttpResponse> {
    let scope = context.scope();
    let site = context.db.point(move |conn| store::find_required(conn, &scope, id)).await?;
    let version = site.version;
    answer::entity(&context, &Site::from(site), version)
}

/// Update a site
///
/// Fields left out stay as they are; an empty text removes a value. `If-Match` with the `ETag` of what you read makes
/// sure that nobody else changed it meanwhile.
#[utoipa::path(
    operation_id = "updateSite",
    params(SiteId),
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
    PathIds(id): PathIds<SiteId>,
    Body(change): Body<SiteChange>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, id)?;
            let site = rules::changed(&old, change, tx.now);
            store::update(tx.conn, &old, &site)?;
            if old.name != site.name {
                groups::dynamic::refresh_site(tx.conn, scope.tenant.partner.as_str(), &site.tenant_id, site.id)?;
            }
            tx.record_change(Some(&old), Some(&site))?;
            answered(site)
        })
        .await
}

/// Delete a site
///
/// Refused while resources are there.
#[utoipa::path(
    operation_id = "deleteSite",
    params(SiteId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 409, description = "Resources are there"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/sites/{siteId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<SiteId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let site = lock_for_update(tx, scope, id)?;
            store::delete(tx.conn, &site)?;
            tx.record_change(Some(&site), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// List the resources at a site
///
/// A page of the resources of any state that are there.
#[utoipa::path(
    operation_id = "listSiteMembers",
    params(SiteId, PageQuery<Members>),
    responses((status = 200, description = "A page of resources", body = OrderedPageOf<SiteMember>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/sites/{siteId}/members")]
pub async fn list_members(
    context: RequestContext<PageQuery<Members>>,
    PathIds(SiteId(id)): PathIds<SiteId>,
) -> api::Result<HttpResponse> {
    let db = context.db.clone();
    let page = context.page(move |conn, scope, sort, walk| {
        let site = store::find_required(conn, &scope.scope(), id)?;
        let found = members::page(&db, conn, &site, sort, walk)?;
        Ok(found.map(SiteMember::from))
    });
    page.await
}

/// Put resources at a site
///
/// Moves up to 1,000 resources of the site's tenant there, all or none. Resources already there stay as they are.
#[utoipa::path(
    operation_id = "addSiteMembers",
    params(SiteId),
    request_body(content = inline(MemberReferences), example = json!([{"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}])),
    responses(
        (status = 200, description = "They are there; an empty object"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/sites/{siteId}/members")]
pub async fn add_members(
    context: RequestContext,
    PathIds(id): PathIds<SiteId>,
    Body(given): Body<MemberReferences>,
) -> api::Result<HttpResponse> {
    change_members(&context, id, given.0, members::add).await
}

/// Take resources away from a site
///
/// Removes up to 1,000 resources from the site, all or none. Resources that were not there stay where they are.
#[utoipa::path(
    operation_id = "removeSiteMembers",
    params(SiteId),
    request_body(content = inline(MemberReferences), example = json!([{"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}])),
    responses(
        (status = 200, description = "They are not there any more; an empty object"),
        (status = 412, description = "The site has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/sites/{siteId}/members")]
pub async fn remove_members(
    context: RequestContext,
    PathIds(id): PathIds<SiteId>,
    Body(given): Body<MemberReferences>,
) -> api::Result<HttpResponse> {
    change_members(&context, id, given.0, members::remove).await
}

/// [`members::add`] or [`members::remove`].
type ChangeMembers = fn(&mut Tx<'_>, &str, &row::Site, &[SiteMemberReference]) -> db::Result<()>;

async fn change_members(
    context: &RequestContext,
    id: SiteId,
    given: Vec<SiteMemberReference>,
    change: ChangeMembers,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenant = store::find_required(tx.conn, &scope.scope(), id.0)?.tenant_id;
            members::lock_members(tx, &tenant, &given)?;
            let site = lock_for_update(tx, scope, id)?;
            change(tx, scope.tenant.partner.as_str(), &site, &given)?;
            Ok(Answer::empty())
        })
        .await
}

/// Locks the site that is to be changed, also against moves to it, until the end of the transaction.
fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, SiteId(id): SiteId) -> db::Result<row::Site> {
    store::lock(tx.conn, id)?;
    let site = store::find_required(tx.conn, &scope.scope(), id)?;
    scope.check_version(site.version)?;
    Ok(site)
}
