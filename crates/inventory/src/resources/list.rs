//! The resource list: streamed whole, or searched page by page.

use actix_web::{HttpResponse, get};
use api::{At, spec::PageOf};
use base::{query::Query, query_string};
use db::{Condition, Conn, Result};
use diesel::prelude::*;

use super::{
    filter::{self, VARIABLES},
    row::Row,
    store::{self, Order},
    wire::MinimalResource,
};
use crate::{groups, schema::resources};

/// What every list takes.
pub struct Wanted {
    location: i64,
    group: i64,
    device_type: i64,
    states: Vec<&'static str>,
    terms: Vec<query_string::Term>,
}

impl Wanted {
    /// Reads the parameters.
    pub fn read(query: &mut Query) -> api::Result<Self> {
        let state = query.one_of("state", &["active", "inactive", "discovered", "all"], "");
        let text = query.text("queryString").filter(|text| !text.trim().is_empty());
        let terms = text.as_deref().map(|text| query_string::parse(text, &VARIABLES)).transpose()?.unwrap_or_default();
        let states = match state {
            // A state in the expression replaces the default, not what was asked for.
            "" if terms.iter().any(|term| term.name == "state") => None,
            "" => filter::states_of("active"),
            given => filter::states_of(given),
        };
        Ok(Self {
            location: query.integer("locationId", 0),
            group: query.integer("deviceGroupId", 0),
            device_type: query.integer("deviceTypeId", 0),
            states: states.unwrap_or_default(),
            terms,
        })
    }

    /// The resources of these tenants that are asked for.
    pub fn condition(&self, conn: &mut Conn, scope: &[String]) -> Result<Condition> {
        let mut all = vec![filter::tenants(scope)];
        if !self.states.is_empty() {
            all.push(filter::states(self.states.iter().copied()));
        }
        if self.location != 0 {
            all.push(filter::at_sites([self.location]));
        }
        if self.group != 0 {
            let ids = groups::store::with_descendants(conn, scope, vec![self.group])?;
            all.push(filter::in_groups(scope, ids));
        }
        if self.device_type != 0 {
            all.push(Condition::sql("resources.resource_type_id = ").integer(self.device_type));
        }
        if !self.terms.is_empty() {
            all.push(filter::condition(conn, scope, &self.terms)?);
        }
        Ok(Condition::all(all))
    }
}

type Columns = (String, String, String, String, String, String, String);

fn minimal_of((id, name, host_name, ip_address, alias_name, resource_name, resource_type): Columns) -> MinimalResource {
    MinimalResource { id, name, host_name, ip_address, alias_name, resource_name, resource_type }
}

/// List minimal resources
///
/// Every resource that matches, as one array that is streamed: its size has no limit and costs no memory. At partner
/// level it covers all clients. `queryString` holds `name:value` terms joined by `+` (`%2B`), alternatives of one
/// term separated by `,`. Names match by substring without case unless `isEquals:true`; ids and addresses match
/// exactly; `ipAddress` also takes a block such as `10.0.0.0/8`. Variables: `id`, `hostName`, `dnsName`,
/// `resourceName`, `aliasName`, `serialNumber`, `systemUID`, `ipAddress`, `state`, `type`, `deviceType`,
/// `resourceType`, `startCreationDate`, `endCreationDate`, `startUpdationDate`, `endUpdationDate`, `tags`,
/// `template`, `agentProfile`, `gatewayProfile`, `instanceId`, `accountNumber`, `installedIntgId`, `agentInstalled`,
/// `deviceGroup`, `serviceGroup`, `deviceLocation`, `isEquals`, `assetManagedTime`, `firstAssetManagedTime`,
/// `appRoles`.
#[utoipa::path(
    tag = "resources",
    operation_id = "listMinimalResources",
    params(
        ("locationId" = Option<i64>, Query, description = "Only at this site; 0 for all"),
        ("deviceGroupId" = Option<i64>, Query, description = "Only members of this device group and of its children; 0 for all"),
        ("deviceTypeId" = Option<i64>, Query, description = "Only of this resource type; 0 for all"),
        ("state" = Option<String>, Query, description = "`active` (default), `inactive`, `discovered` or `all`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "hostName:web+tags:env"),
    ),
    responses((status = 200, description = "The resources", body = Vec<MinimalResource>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/minimal")]
pub async fn minimal(at: At) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let wanted = Wanted::read(&mut query)?;
    query.finish()?;
    let scope = at.scope();
    api::stream::array(&at.db, move |conn, rows| {
        use resources::dsl;
        let condition = wanted.condition(conn, &scope)?;
        let query = dsl::resources.filter(condition).select((
            dsl::id,
            dsl::name,
            dsl::host_name,
            dsl::ip_address,
            dsl::alias_name,
            dsl::resource_name,
            dsl::resource_type,
        ));
        db::for_each_row(conn, query, |row: Columns| {
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
/// The minimal list, page by page, with the same filters.
#[utoipa::path(
    tag = "resources",
    operation_id = "searchResources",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`id` (default), `name`, `hostName`, `resourceName`, `ipAddress`, `createdDate`, `updatedDate`"),
        ("locationId" = Option<i64>, Query, description = "Only at this site; 0 for all"),
        ("deviceGroupId" = Option<i64>, Query, description = "Only members of this device group and of its children; 0 for all"),
        ("deviceTypeId" = Option<i64>, Query, description = "Only of this resource type; 0 for all"),
        ("state" = Option<String>, Query, description = "`active` (default), `inactive`, `discovered` or `all`"),
        ("queryString" = Option<String>, Query, description = "Filter expression, as in the minimal list"),
    ),
    responses((status = 200, description = "A page of resources", body = PageOf<MinimalResource>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/search")]
pub async fn search(at: At) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let wanted = Wanted::read(&mut query)?;
    let sort = query.sort(&SORTS, "id", true);
    let walk = query.walk(at.request().path(), sort);
    query.finish()?;
    let order = match sort.name {
        "name" => Order::Name,
        "hostName" => Order::HostName,
        "resourceName" => Order::ResourceName,
        "ipAddress" => Order::Address,
        "createdDate" => Order::Created,
        "updatedDate" => Order::Updated,
        _ => Order::Id,
    };
    let scope = at.scope();
    let page = at.db.read(move |conn| {
        let condition = wanted.condition(conn, &scope)?;
        let found = store::page(conn, &condition, order, sort.descending, &walk)?;
        Ok(walk.answer(found.map(minimal_of_row)))
    });
    api::answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

fn minimal_of_row(row: Row) -> MinimalResource {
    minimal_of((row.id, row.name, row.host_name, row.ip_address, row.alias_name, row.resource_name, row.resource_type))
}
