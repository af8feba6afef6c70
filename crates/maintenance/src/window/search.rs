//! The search for windows.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::{HttpResponse, web};
use api::{PageQuery, RequestContext, get, spec::PageOf};
use base::{fold, problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use ports::{PlaceKey, ResourceKey};

use super::{
    filter::Filter,
    store,
    targeting::targeting,
    targets::{Kind, Target},
    view,
    wire::{Narrowed, Window},
};
use crate::neighbours::Neighbours;

api::list! {
    /// The list of windows.
    pub Search by store::SORTS: SORT = "name", FILTER = "state:Active,Pending+name:patch"
}

/// Search maintenance windows
///
/// A page of the windows of the tenant; at partner level, of its clients too. The variables of `queryString` are `id`,
/// `name` (it contains the value, whatever the letter case; `isEquals:true`: it is the value), `state`, `resourceId`
/// and `hostName` (those that cover it, directly or through a group or its location), `deviceGroupId`, `deviceGroup`,
/// `siteId` and `site` (those that have it among their targets; the latter of each are names), `startTime` and
/// `endTime` (those that are open at some time between the two), `startCreationDate`, `endCreationDate`,
/// `startUpdationDate` and `endUpdationDate`. `name`, `state`, `resourceId`, `startTime` and `endTime` may be
/// parameters of their own.
#[utoipa::path(
    operation_id = "searchMaintenanceWindows",
    params(PageQuery<Search, Narrowed>),
    responses((status = 200, description = "A page of windows", body = PageOf<Window>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/search")]
pub async fn search(
    context: RequestContext<PageQuery<Search, Narrowed>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let PageQuery { own, .. } = context.query.clone();
    let mut filter = Filter::parse(&context.query.filter)?;
    filter.names = own.name.map_or(filter.names, |name| vec![fold(&name)]);
    filter.resources = own.resource_id.map_or(filter.resources, |id| vec![fold(&id)]);
    filter.states = own.state.or(own.status).map_or(filter.states, |state| vec![state]);
    (filter.from, filter.until) = (own.start_time.or(filter.from), own.end_time.or(filter.until));
    let page = context.page(move |conn, scope, sort, walk| {
        let only = covering(conn, &neighbours, &scope.scope(), &filter)?;
        let found = store::search(conn, &scope.scope(), &filter, only.as_deref(), sort, walk, scope.now)?;
        let shown = view::windows(conn, &neighbours, &scope.scope_and_partner(), &found.rows, scope.now)?;
        Ok(found.with(shown))
    });
    page.await
}

/// The ids of the windows that cover all that a filter names, at any time; `None` when it names nothing.
pub(super) fn covering(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &[String],
    filter: &Filter,
) -> Result<Option<Vec<String>>> {
    let mut found = Vec::new();
    if !filter.resources.is_empty() {
        let owners = neighbours.owners(conn, scope, &filter.resources)?;
        found.push(over(conn, neighbours, scope, owners)?);
    }
    if !filter.hosts.is_empty() {
        let owners = called(conn, neighbours, scope, &filter.hosts)?;
        found.push(over(conn, neighbours, scope, owners)?);
    }
    for (kind, keys) in &filter.places {
        let mut targets = BTreeSet::new();
        for (place, key) in neighbours.resources().places(conn, scope, *kind, keys)?.into_iter().zip(keys) {
            check_one(place.len(), || key_text(key))?;
            targets.extend(place.into_iter().map(|place| Target {
                kind: Kind::of(*kind),
                tenant: place.tenant_id,
                id: place.id.to_string(),
            }));
        }
        let ids: Vec<String> = targets.iter().map(|target| target.id.clone()).collect();
        let having = store::covering(conn, scope, Kind::of(*kind), &ids, always())?;
        found.push(having.into_iter().filter(|(target, _)| targets.contains(target)).map(|(_, (_, id))| id).collect());
    }
    let all = found.into_iter().reduce(|some, others: BTreeSet<String>| some.intersection(&others).cloned().collect());
    Ok(all.map(|ids| ids.into_iter().collect()))
}

/// Before anything that a window does.
fn always() -> Timestamp {
    Timestamp::from_millis(i64::MIN)
}

/// The windows that cover one of these resources, which stand below their tenants.
fn over(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &[String],
    owners: BTreeMap<String, Vec<String>>,
) -> Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for (tenant, resources) in owners {
        for (_, names) in targeting(conn, neighbours, scope, &tenant, &resources, always())? {
            ids.extend(names.into_iter().map(|(_, (_, id))| id));
        }
    }
    Ok(ids)
}

/// The resources with these host names, below their tenants.
///
/// # Errors
/// 400 when several have one of the names: not all of them are known then.
fn called(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &[String],
    hosts: &[String],
) -> Result<BTreeMap<String, Vec<String>>> {
    let keys: Vec<ResourceKey> = hosts.iter().cloned().map(ResourceKey::Name).collect();
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (known, host) in neighbours.resources().find(conn, scope, &keys)?.into_iter().zip(hosts) {
        check_one(known.len(), || host.clone())?;
        for resource in known {
            owners.entry(resource.tenant_id).or_default().push(resource.id);
        }
    }
    Ok(owners)
}

fn key_text(key: &PlaceKey) -> String {
    match key {
        PlaceKey::Id(id) => id.to_string(),
        PlaceKey::UniqueId(text) | PlaceKey::Name(text) => text.clone(),
    }
}

/// Refuses a name that several things have: a search for one of them would leave out the others' windows.
fn check_one(found: usize, name: impl FnOnce() -> String) -> Result<()> {
    if found < 2 {
        return Ok(());
    }
    Err(Problem::field("queryString", format!("{} names more than one: give its id", base::problem::shorten(&name())))
        .into())
}
