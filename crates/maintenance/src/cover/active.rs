//! Which windows cover which resources at an instant, over HTTP.

use std::{collections::BTreeSet, ops::ControlFlow, sync::Arc};

use actix_web::{HttpResponse, web};
use api::{RequestContext, answer, get, spec::PageOf};
use base::{Key, PageRequest, PageRows, Query, fold, problem::Problem, query::Sort, timestamp::Timestamp};
use calendar::Interval;
use db::{Conn, Result};
use ports::{Place, PlaceKey, PlaceKind, ResourceKey, ResourceSummary};

use super::{
    ready::Ready,
    windows::{CoveringWindow, Windows},
    wire::Active,
};
use crate::window::{
    names::Names,
    store,
    targeting::Name,
    targets::{Kind, Target},
    wire::{Instant, filled},
};

/// The one order: by window, target and resource.
const ORDER: Sort = Sort { name: "window", descending: false };

/// Windows that are looked at together, and resources of a place.
const BATCH: usize = 500;

/// List what is in maintenance
///
/// Which windows are open and cover which resources, directly or through which kind of place, until when; a window and
/// a resource once, by the most direct way. With `resourceId`, only what covers that resource. A client is told of the
/// windows of its partner that cover its resources. `hostName`, `deviceGroup` or `deviceGroupId`, `site` or `siteId`
/// narrow it to what covers that resource, or resources in that place; one name that several have is a 400.
#[utoipa::path(
    operation_id = "listActiveMaintenance",
    params(
        ("at" = inline(Option<Instant>), Query, description = "The instant; default now",
            example = "2026-11-20T23:00:00+0000"),
        ("resourceId" = Option<String>, Query, description = "UUID", example = "f65fa9e1-3f9a-4f0e-9d5a-3c1d7a5b2e90"),
        ("hostName" = Option<String>, Query, description = "Only what covers the resource with this host name",
            example = "web-01"),
        ("deviceGroupId" = Option<String>, Query, description = "Only what covers resources in this group, by either \
            of its ids", example = "7"),
        ("deviceGroup" = Option<String>, Query, description = "The same by its name", example = "Web servers"),
        ("siteId" = Option<String>, Query, description = "Only what covers resources at this site", example = "7"),
        ("site" = Option<String>, Query, description = "The same by its name", example = "Vienna"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
    ),
    responses((status = 200, description = "A page of what is covered", body = PageOf<Active>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/active")]
pub async fn list(context: RequestContext<Query>, windows: web::Data<Windows>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let walk = query.page_request(context.request().path(), ORDER);
    let instant = query.timestamp("at").unwrap_or(context.now);
    if let Err(message) = calendar::Instant::of(instant) {
        query.error("at", message);
    }
    let mut given = |name: &'static str| filled(&mut query, name);
    let asked = [
        ("resourceId", given("resourceId").map(|id| MaintenanceQuery::Resource(ResourceKey::Id(fold(&id))))),
        ("hostName", given("hostName").map(|name| MaintenanceQuery::Resource(ResourceKey::Name(fold(&name))))),
        (
            "deviceGroupId",
            given("deviceGroupId").map(|id| MaintenanceQuery::Place(PlaceKind::DeviceGroup, id_of_place(id))),
        ),
        (
            "deviceGroup",
            given("deviceGroup")
                .map(|name| MaintenanceQuery::Place(PlaceKind::DeviceGroup, PlaceKey::Name(fold(&name)))),
        ),
        ("siteId", given("siteId").map(|id| MaintenanceQuery::Place(PlaceKind::Location, id_of_place(id)))),
        ("site", given("site").map(|name| MaintenanceQuery::Place(PlaceKind::Location, PlaceKey::Name(fold(&name))))),
    ];
    let mut asked = asked.into_iter().filter_map(|(name, asked)| Some((name, asked?)));
    let first = asked.next();
    let second = asked.next();
    if let (Some((first, _)), Some((second, _))) = (&first, &second) {
        query.error(second, format!("must be absent when {first} is there"));
    }
    query.finish()?;
    let page = context.read_many(move |conn, scope| {
        let (scope, partner) = (scope.scope(), scope.tenant.partner.to_string());
        let mut rows = Rows::new(&walk)?;
        match first {
            Some((name, MaintenanceQuery::Resource(key))) => {
                of_resource(conn, &windows, &scope, (name, key), instant, &mut rows)?;
            }
            Some((name, MaintenanceQuery::Place(kind, key))) => {
                let mut places =
                    windows.neighbours().resources().places(conn, &scope, kind, &[key])?.pop().unwrap_or_default();
                check_one(places.len(), name)?;
                if let Some(place) = places.pop() {
                    all(conn, &windows, (&scope, &partner), Some(&place), instant, &mut rows)?;
                }
            }
            None => all(conn, &windows, (&scope, &partner), None, instant, &mut rows)?,
        }
        Ok(walk.answer(rows.found(&walk)?))
    });
    answer::ok(&page.await?.ordered(ORDER.name, ORDER.descending))
}

/// Where a row stands: tenant and id of the window, place of the target among its targets, id of the resource.
type RowPlace = (String, String, i64, String);

/// The rows of a page, as they are met.
struct Rows {
    after: Option<RowPlace>,
    skip: i64,
    wanted: usize,
    met: i64,
    /// A walk by cursor has counted already.
    counts: bool,
    rows: Vec<(RowPlace, Active)>,
}

impl Rows {
    fn new(walk: &PageRequest) -> Result<Self> {
        let after = match walk.after() {
            None => None,
            Some([Key::Text(tenant), Key::Text(id), Key::Integer(target), Key::Text(resource)]) => {
                Some((tenant.clone(), id.clone(), *target, resource.clone()))
            }
            Some(_) => return Err(db::damaged_cursor()),
        };
        let counts = after.is_none();
        let wanted = usize::try_from(walk.row_limit()).unwrap_or(usize::MAX);
        Ok(Self { after, skip: walk.offset(), wanted, met: 0, counts, rows: Vec::new() })
    }

    /// Takes the next row. Breaks when no further one is needed.
    fn take(&mut self, place: RowPlace, covered: &CoveringWindow, resource: &ResourceSummary) -> ControlFlow<()> {
        if self.after.as_ref().is_some_and(|after| place <= *after) {
            return ControlFlow::Continue(());
        }
        self.met += 1;
        if self.met > self.skip && self.rows.len() < self.wanted {
            self.rows.push((place, Active::new(covered, resource)));
        }
        if self.counts || self.rows.len() < self.wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn found(self, walk: &PageRequest) -> Result<PageRows<Active>> {
        let total = walk.total(|| Ok::<_, db::Error>(self.met))?;
        let keys = |((tenant, id, target, resource), _): &(RowPlace, Active)| {
            vec![Key::from(tenant), Key::from(id), Key::from(*target), Key::from(resource)]
        };
        Ok(walk.cut(self.rows, total, keys).map(|(_, active)| active))
    }
}

/// What a question is narrowed to.
#[derive(Clone)]
enum MaintenanceQuery {
    Resource(ResourceKey),
    Place(PlaceKind, PlaceKey),
}

/// A number, or a unique id.
fn id_of_place(text: String) -> PlaceKey {
    text.parse().map_or(PlaceKey::UniqueId(text), PlaceKey::Id)
}

/// Refuses a name that several things have.
fn check_one(found: usize, name: &'static str) -> Result<()> {
    if found < 2 {
        return Ok(());
    }
    Err(Problem::field(name, "names more than one: give an id").into())
}

fn of_resource(
    conn: &mut Conn,
    windows: &Windows,
    scope: &[String],
    (name, key): (&'static str, ResourceKey),
    at: Timestamp,
    rows: &mut Rows,
) -> Result<()> {
    let mut found = windows.neighbours().resources().find(conn, scope, &[key])?.pop().unwrap_or_default();
    check_one(found.len(), name)?;
    let Some(resource) = found.pop() else { return Ok(()) };
    for covered in windows.covered(conn, &resource.tenant_id, std::slice::from_ref(&resource.id), at)?.iter().flatten()
    {
        let (tenant, window) = covered.window.name();
        let place = (tenant.to_owned(), window.to_owned(), 0, resource.id.clone());
        if rows.take(place, covered, &resource).is_break() {
            break;
        }
    }
    Ok(())
}

/// Walks through the open windows of the tenants, and of their partner, and through what they cover of a place, or all
/// of it.
fn all(
    conn: &mut Conn,
    windows: &Windows,
    (scope, partner): (&[String], &String),
    within: Option<&Place>,
    at: Timestamp,
    rows: &mut Rows,
) -> Result<()> {
    let mut tenants = scope.to_vec();
    if !tenants.contains(partner) {
        tenants.push(partner.clone());
    }
    let mut possible = store::possible(conn, &tenants, at)?;
    if let Some((tenant, id, _, _)) = &rows.after {
        possible.retain(|(known, window, _)| (known, window) >= (tenant, id));
    }
    for versions in possible.chunks(BATCH) {
        let ready = windows.load_versions(conn, versions.to_vec())?;
        let mut open: Vec<(Name, Arc<Ready>, Interval)> = ready
            .into_iter()
            .filter_map(|(name, ready)| ready.course.open_at(at).map(|open| (name, Arc::clone(&ready), open)))
            .collect();
        open.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let names: Vec<Name> = open.iter().map(|(name, ..)| name.clone()).collect();
        let mut targets = store::targets(conn, &names)?;
        let titles = Names::load(conn, windows.neighbours().resources(), targets.values().flatten())?;
        for (name, window, open) in open {
            let mut targets = targets.remove(&name).unwrap_or_default();
            targets.sort();
            let one = OpenWindow { windows, scope, within, titles: &titles, window, open, targets };
            if one.page_request(conn, rows)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// An open window, and what it covers.
struct OpenWindow<'w> {
    windows: &'w Windows,
    /// The tenants whose resources are meant.
    scope: &'w [String],
    /// The place whose resources are meant; `None` for all.
    within: Option<&'w Place>,
    titles: &'w Names,
    window: Arc<Ready>,
    open: Interval,
    /// The most direct kinds first.
    targets: Vec<Target>,
}

impl OpenWindow<'_> {
    fn page_request(&self, conn: &mut Conn, rows: &mut Rows) -> Result<ControlFlow<()>> {
        for (position, target) in (0..).zip(&self.targets) {
            let covered = CoveringWindow { window: Arc::clone(&self.window), open: self.open, via: target.kind };
            let (tenant, id) = self.window.name();
            let mut take = |resource: &ResourceSummary| {
                let place = (tenant.to_owned(), id.to_owned(), position, resource.id.clone());
                rows.take(place, &covered, resource)
            };
            if let Some(resource) = self.titles.device(target).filter(|known| self.scope.contains(&known.tenant_id)) {
                let is_within = self.are_within(conn, std::slice::from_ref(resource))?;
                if is_within.first() == Some(&true) && take(resource).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if let Some(place) = self.titles.place(target)
                && self.members(conn, place, target, &mut take)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Are these resources in the place that is meant?
    fn are_within(&self, conn: &mut Conn, resources: &[ResourceSummary]) -> Result<Vec<bool>> {
        let Some(meant) = self.within else { return Ok(vec![true; resources.len()]) };
        let mut tenants = self.scope.to_vec();
        if !tenants.contains(&meant.tenant_id) {
            tenants.push(meant.tenant_id.clone());
        }
        let ids: Vec<String> = resources.iter().map(|resource| resource.id.clone()).collect();
        let is_meant =
            |place: &Place| (place.kind, place.id, &place.tenant_id) == (meant.kind, meant.id, &meant.tenant_id);
        let places = self.windows.neighbours().resources().places_of(conn, &tenants, &ids)?;
        Ok(places.iter().map(|places| places.iter().any(is_meant)).collect())
    }

    /// What is in a place, but for what a target before it covers already.
    fn members(
        &self,
        conn: &mut Conn,
        place: &Place,
        target: &Target,
        take: &mut impl FnMut(&ResourceSummary) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let mut tenants = self.scope.to_vec();
        if !tenants.contains(&place.tenant_id) {
            tenants.push(place.tenant_id.clone());
        }
        let before: BTreeSet<&Target> = self.targets.iter().take_while(|known| *known != target).collect();
        let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
        let mut after: Option<String> = None;
        loop {
            let mut some =
                self.windows.neighbours().resources().members(conn, &tenants, place, after.as_deref(), limit)?;
            let Some(last) = some.last() else { return Ok(ControlFlow::Continue(())) };
            after = Some(last.id.clone());
            some.retain(|resource| self.scope.contains(&resource.tenant_id));
            let within = self.are_within(conn, &some)?;
            let met = self.met_before(conn, &tenants, &some, &before)?;
            let left = some.iter().zip(within.into_iter().zip(met)).filter(|(_, (within, met))| *within && !met);
            for (resource, _) in left {
                if take(resource).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }

    fn met_before(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        resources: &[ResourceSummary],
        before: &BTreeSet<&Target>,
    ) -> Result<Vec<bool>> {
        if before.is_empty() {
            return Ok(vec![false; resources.len()]);
        }
        let ids: Vec<String> = resources.iter().map(|resource| resource.id.clone()).collect();
        let places = self.windows.neighbours().resources().places_of(conn, tenants, &ids)?;
        let met = |(resource, places): (&ResourceSummary, Vec<Place>)| {
            let itself = Target { kind: Kind::Device, tenant: resource.tenant_id.clone(), id: resource.id.clone() };
            before.contains(&itself)
                || places.into_iter().any(|place| {
                    let kind = Kind::of(place.kind);
                    let tenant = place.tenant_id;
                    let id = place.id.to_string();
                    before.contains(&Target { kind, tenant, id })
                })
        };
        Ok(resources.iter().zip(places).map(met).collect())
    }
}
