//! The resource list: streamed whole, or searched page by page.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use api::{RequestContext, RequestScope, get, spec::PageOf};
use base::{
    PageRequest,
    page::Page,
    problem::Problem,
    query::{Query, Sort},
    query_string,
    tenant::TenantId,
};
use db::{Conn, Db, Result};
use ports::Integrations;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    detail,
    filter::{self, VARIABLES},
    http,
    predicate::Filter,
    query::{MinimalRow, ResourceQuery},
    store::Order,
    wire::MinimalResource,
};
use crate::{
    groups::{
        self,
        kind::{Kind, Reference},
    },
    model::row::Row,
    types,
};

api::texts! {
    /// The sort keys of resources.
    Sorted = api::spec::one_of(&SORTS);
    /// Which resources a list has.
    pub State = api::spec::one_of(&STATES);
}

/// The words of `state`.
const STATES: [&str; 4] = ["active", "inactive", "discovered", "all"];
/// The most resources of a page with their details.
const MOST_VERBOSE: i64 = 100;

/// The filter parameters of every list.
#[derive(Clone)]
pub struct ListQuery {
    location: i64,
    group: Option<Reference>,
    device_type: i64,
    states: Vec<&'static str>,
    terms: Vec<query_string::Term>,
}

impl ListQuery {
    /// Reads the parameters; what is wrong with them is noted.
    pub fn read(query: &mut Query) -> Self {
        let state = query.one_of("state", &STATES, "");
        let text = query.text("queryString").filter(|text| !text.trim().is_empty());
        let terms = text.map_or_else(Vec::new, |text| {
            query_string::parse(&text, &VARIABLES).unwrap_or_else(|problem| {
                problem.errors.into_iter().for_each(|error| query.error(&error.field_name, error.message));
                Vec::new()
            })
        });
        let states = match state {
            // A state in the expression replaces the default, but not an explicit `state`.
            "" if terms.iter().any(|term| term.name == "state") => None,
            "" => filter::states_of("active"),
            given => filter::states_of(given),
        };
        let group = query.text("deviceGroupId").and_then(|text| {
            let group = Reference::parse(Kind::Device, text.trim());
            if group.is_none() {
                query.error("deviceGroupId", "must be an integer, or DGP-<uuid>");
            }
            group
        });
        Self {
            location: query.integer("locationId", 0),
            group: group.filter(|group| *group != Reference::Id(0)),
            device_type: query.integer("deviceTypeId", 0),
            states: states.unwrap_or_default(),
            terms,
        }
    }

    /// The query on the resources of these tenants. Inside a transaction that reads.
    pub fn resource_query<'s>(&self, db: &Db, conn: &mut Conn, scope: &'s [String]) -> Result<ResourceQuery<'s>> {
        let filters = self.filters(conn, scope)?;
        ResourceQuery::new(db, conn, scope, filters)
    }

    /// As [`ListQuery::resource_query`], to read all matches.
    pub fn full_resource_query<'s>(&self, db: &Db, conn: &mut Conn, scope: &'s [String]) -> Result<ResourceQuery<'s>> {
        let filters = self.filters(conn, scope)?;
        ResourceQuery::for_all(db, conn, scope, filters)
    }

    fn filters(&self, conn: &mut Conn, scope: &[String]) -> Result<Vec<Filter>> {
        let mut all = Vec::new();
        if !self.states.is_empty() {
            all.push(Filter::Row(filter::states(self.states.iter().copied())));
        }
        if self.location != 0 {
            all.push(Filter::Row(filter::at_sites([self.location])));
        }
        if let Some(group) = &self.group {
            let id = match group {
                Reference::Id(id) => Some(*id),
                named => groups::store::find(conn, scope, Kind::Device, named)?.map(|group| group.id),
            };
            let ids = groups::store::with_descendants(conn, scope, id.into_iter().collect())?;
            all.push(Filter::Groups(ids));
        }
        if self.device_type != 0 {
            all.push(Filter::Row(types::id_condition(conn, scope, self.device_type)?));
        }
        all.extend(filter::filters(conn, scope, &self.terms)?);
        Ok(all)
    }
}

fn minimal_of(
    (id, name, host_name, ip_address, alias_name, resource_name, resource_type): MinimalRow,
) -> MinimalResource {
    MinimalResource { id, name, host_name, ip_address, alias_name, resource_name, resource_type }
}

/// List minimal resources
///
/// Every resource that matches, as one array that is streamed: its size has no limit and costs no memory. At partner
/// level it covers all clients. `queryString` holds `name:value` terms joined by `+` (`%2B`), alternatives of one
/// term separated by `,`. Names match by substring without case unless `isEquals:true`; ids and addresses match
/// exactly; `ipAddress` also takes a block such as `10.0.0.0/8`. Variables: `id`, `name`, `hostName`, `dnsName`,
/// `resourceName`, `aliasName`, `serialNumber`, `systemUID`, `ipAddress`, `state`, `type`, `deviceType`,
/// `resourceType`, `startCreationDate`, `endCreationDate`, `startUpdationDate`, `endUpdationDate`, `tags`,
/// `template`, `agentProfile`, `gatewayProfile`, `instanceId`, `accountNumber`, `installedIntgId`, `agentInstalled`,
/// `deviceGroup`, `serviceGroup`, `deviceLocation`, `isEquals`, `assetManagedTime`, `firstAssetManagedTime`,
/// `appRoles`.
#[utoipa::path(
    operation_id = "listMinimalResources",
    params(
        ("locationId" = Option<i64>, Query, description = "Only at this site; 0 for all"),
        ("deviceGroupId" = Option<String>, Query, description = "Only members of this device group, by its integer id \
            or `DGP-<uuid>`, and of its children; 0 for all",
            pattern = "^([0-9]{1,18}|[Dd][Gg][Pp]-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"),
        ("deviceTypeId" = Option<i64>, Query, description = "Only of this resource type; 0 for all"),
        ("state" = inline(Option<State>), Query, description = "`active` (default), `inactive`, `discovered` or `all`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "hostName:web+tags:env"),
    ),
    responses((status = 200, description = "The resources", body = Vec<MinimalResource>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/minimal")]
pub async fn minimal(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let list_query = ListQuery::read(&mut query);
    query.finish()?;
    let scope = context.scope();
    let db = context.db.clone();
    api::stream::array(&context, move |conn, rows| {
        list_query.full_resource_query(&db, conn, &scope)?.each_brief(conn, |row| {
            rows.push(|out| {
                // Writing JSON to a Vec of plain strings cannot fail.
                let _ = serde_json::to_writer(out, &minimal_of(row));
            })
        })
    })
    .await
}

/// The sort keys of the paged search.
const SORTS: [&str; 7] = ["id", "name", "hostName", "resourceName", "ipAddress", "createdDate", "updatedDate"];

/// Search resources
///
/// The minimal list, page by page, with the same filters. With `verbose=true` each resource has the fields of its
/// detail beside those of the minimal list, and a page has at most 100.
#[utoipa::path(
    operation_id = "searchResources",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = inline(Option<Sorted>), Query,
            description = "`id` (default), `name`, `hostName`, `resourceName`, `ipAddress`, `createdDate`, \
                           `updatedDate`"),
        ("verbose" = Option<bool>, Query, description = "Default false"),
        ("locationId" = Option<i64>, Query, description = "Only at this site; 0 for all"),
        ("deviceGroupId" = Option<String>, Query, description = "Only members of this device group, by its integer id \
            or `DGP-<uuid>`, and of its children; 0 for all",
            pattern = "^([0-9]{1,18}|[Dd][Gg][Pp]-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"),
        ("deviceTypeId" = Option<i64>, Query, description = "Only of this resource type; 0 for all"),
        ("state" = inline(Option<State>), Query, description = "`active` (default), `inactive`, `discovered` or `all`"),
        ("queryString" = Option<String>, Query, description = "Filter expression, as in the minimal list"),
    ),
    responses((status = 200, description = "A page of resources", body = PageOf<MinimalResource>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/search")]
pub async fn search(
    context: RequestContext<Query>,
    integrations: web::Data<dyn Integrations>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let list_query = ListQuery::read(&mut query);
    let sort = query.sort(&SORTS, "id", true);
    let verbose = query.boolean("verbose", false);
    let walk = query.page_request(context.request().path(), sort);
    query.finish()?;
    if verbose && walk.limit() > MOST_VERBOSE {
        return Err(Problem::field("pageSize", format!("must be at most {MOST_VERBOSE} with verbose=true")).into());
    }
    let search = Arc::new(Search { list_query, sort, verbose, walk, db: context.db.clone(), integrations });
    let first = Arc::clone(&search);
    let found = context.read_many(move |conn, scope| {
        let tenants = scope.scope();
        let query = first.list_query.resource_query(&first.db, conn, &tenants)?;
        match query.pending_build(&first.db, conn)? {
            Some(pending) => Ok(Err(pending)),
            None => first.page(conn, scope, &query).map(Ok),
        }
    });
    let page = match found.await? {
        Ok(page) => page,
        // Meanwhile it has no connection to the database, of which there are few.
        Err(pending) => {
            pending.finished().await;
            let again = context.read_many(move |conn, scope| {
                let tenants = scope.scope();
                let query = search.list_query.resource_query(&search.db, conn, &tenants)?;
                search.page(conn, scope, &query)
            });
            again.await?
        }
    };
    api::answer::ok(&page.ordered(sort.name, sort.descending))
}

/// The parameters of a search.
struct Search {
    list_query: ListQuery,
    sort: Sort,
    verbose: bool,
    walk: PageRequest,
    db: Db,
    integrations: web::Data<dyn Integrations>,
}

impl Search {
    fn page(&self, conn: &mut Conn, scope: &RequestScope, query: &ResourceQuery<'_>) -> Result<Page<ResourceItem>> {
        let order = match self.sort.name {
            "name" => Order::Name,
            "hostName" => Order::HostName,
            "resourceName" => Order::ResourceName,
            "ipAddress" => Order::Address,
            "createdDate" => Order::Created,
            "updatedDate" => Order::Updated,
            _ => Order::Id,
        };
        if !self.verbose
            && order == Order::Id
            && let Some(found) = query.brief_page(conn, self.sort.descending, &self.walk)?
        {
            return Ok(self.walk.answer(found.map(|row| ResourceItem::Minimal(minimal_of(row)))));
        }
        let found = query.page(conn, order, self.sort.descending, &self.walk)?;
        let partner = &scope.tenant.partner;
        let tenants = scope.scope();
        let items = found.rows.iter().map(|row| match self.verbose {
            true => with_detail(conn, &**self.integrations, &tenants, row, partner).map(ResourceItem::Verbose),
            false => Ok(ResourceItem::Minimal(minimal_of_row(row.clone()))),
        });
        let items = items.collect::<Result<Vec<_>>>()?;
        Ok(self.walk.answer(found.with(items)))
    }
}

/// A resource of a page.
#[derive(Serialize)]
#[serde(untagged)]
enum ResourceItem {
    Minimal(MinimalResource),
    Verbose(Map<String, Value>),
}

/// The detail of a resource, with the fields of the minimal list.
fn with_detail(
    conn: &mut Conn,
    integrations: &dyn Integrations,
    scope: &[String],
    row: &Row,
    partner: &TenantId,
) -> Result<Map<String, Value>> {
    let linked = http::linked_records(conn, integrations, scope, row)?;
    let document = detail::parse_document(row)?;
    let mut all = json(&minimal_of_row(row.clone()))?;
    all.extend(json(&detail::detail(row, &document, &linked, partner))?);
    Ok(all)
}

fn json(fields: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(fields) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(db::Error::Fault("a resource is shown as an object".to_owned())),
        Err(error) => Err(db::Error::Fault(error.to_string())),
    }
}

fn minimal_of_row(row: Row) -> MinimalResource {
    minimal_of((row.id, row.name, row.host_name, row.ip_address, row.alias_name, row.resource_name, row.resource_type))
}
