//! The categories of hours over HTTP.

use std::collections::HashMap;

use actix_web::HttpResponse;
use api::{Answer, Body, RequestContext, answer, get, post};
use base::problem::Problem;
use calendar::HourCategories;
use db::{Conn, Result};
use outbox::{Entity, Recorded, Tx};
use serde_json::Value;

use super::{
    row::Row,
    store,
    wire::{Categories, CategoriesChange},
};

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("RosterHourCategories", &self.tenant_id, &self.tenant_id)
    }

    fn event_payload(&self) -> Result<Value> {
        outbox::payload(&Categories::from(self.categories()))
    }
}

/// The categories of tenants: a tenant's own, else its partner's, else those of the service.
pub struct CategoriesOfTenants {
    own: HashMap<String, HourCategories>,
    otherwise: HourCategories,
}

impl CategoriesOfTenants {
    /// Those of some tenants, all of one partner.
    pub fn read(conn: &mut Conn, tenants: &[String], partner: &str) -> Result<Self> {
        let with_partner: Vec<String> = tenants.iter().cloned().chain([partner.to_owned()]).collect();
        let rows = store::of_tenants(conn, &with_partner)?;
        let own: HashMap<String, HourCategories> =
            rows.iter().map(|row| (row.tenant_id.clone(), row.categories())).collect();
        let otherwise = own.get(partner).copied().unwrap_or_default();
        Ok(Self { own, otherwise })
    }

    /// Those of a tenant.
    pub fn of(&self, tenant: &str) -> HourCategories {
        self.own.get(tenant).copied().unwrap_or(self.otherwise)
    }
}

/// Get the categories of hours
///
/// What counts as working hours, evening, night and weekend in `GET /rosters/hours`: what the tenant set, else what its
/// partner set, else working hours from 8 to 18, evening until 22, and Saturday and Sunday as weekend.
#[utoipa::path(
    operation_id = "getRosterHourCategories",
    responses((status = 200, description = "The categories", body = Categories)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/hourCategories")]
pub async fn get(context: RequestContext) -> api::Result<HttpResponse> {
    let shown = context.read(|conn, scope| {
        let tenant = scope.tenant_id();
        let all = CategoriesOfTenants::read(conn, &[tenant.to_owned()], scope.tenant.partner.as_str())?;
        Ok(Categories::from(all.of(tenant)))
    });
    answer::ok(&shown.await?)
}

/// Set the categories of hours
///
/// For the rosters of the tenant; at partner level, also for those of clients that set none. What is left out stays as
/// it is. Working hours, evening and night follow each other in this order around the clock. They hold for the past,
/// too: hours are worked out when they are asked for.
#[utoipa::path(
    operation_id = "setRosterHourCategories",
    request_body(content = CategoriesChange),
    responses((status = 200, description = "The categories", body = Categories)),
    security(("bearer" = ["admin"]))
)]
#[post("/rosters/hourCategories")]
pub async fn set(context: RequestContext, Body(change): Body<CategoriesChange>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenant = scope.tenant_id().to_owned();
            let categories = set_categories(tx, &tenant, scope.tenant.partner.as_str(), &change)?;
            Answer::ok(&Categories::from(categories))
        })
        .await
}

/// Sets the categories of a tenant.
///
/// # Errors
/// 400 when they do not follow each other.
pub fn set_categories(
    tx: &mut Tx<'_>,
    tenant: &str,
    partner: &str,
    change: &CategoriesChange,
) -> Result<HourCategories> {
    store::lock(tx.conn, tenant)?;
    let before = store::find(tx.conn, tenant)?;
    let old = CategoriesOfTenants::read(tx.conn, &[tenant.to_owned()], partner)?.of(tenant);
    let categories = change.of(old);
    if !categories.are_in_order() {
        let message = "must follow each other: eveningFrom after workingFrom, nightFrom at or after eveningFrom, and \
                       before the next workingFrom";
        return Err(Problem::field("nightFrom", message).into());
    }
    let row = Row::new(tenant, &categories, tx.now.millis());
    store::set(tx.conn, tenant, Some(&row))?;
    tx.record_change(before.as_ref(), Some(&row))?;
    Ok(categories)
}
