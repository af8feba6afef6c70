//! Pages over HTTP.

use actix_web::{HttpResponse, web};
use api::{PageQuery, RequestContext, get, spec::PageOf};
use base::query_string;
use db::Condition;

use super::{
    store::{self, STATUSES},
    view,
    wire::{Page, spelled},
};
use crate::Neighbours;

const VARIABLES: [&str; 7] = ["id", "alertId", "userId", "contactMethodId", "policyId", "status", "kind"];
const KINDS: [&str; 5] = ["page", "code", "test", store::SHIFT, store::MESSAGE];

api::list! {
    /// The list of pages.
    pub Pages by store::SORTS: SORT = "createdDate", DESCENDING = true, FILTER = "status:gap"
}

/// Search pages
///
/// What was sent to whom, and what could not be; newest first, at partner level those of its clients too. `queryString`
/// variables: `id`, `alertId`, `userId`, `contactMethodId`, `policyId`, `status`, `kind`.
#[utoipa::path(
    operation_id = "searchPages",
    params(PageQuery<Pages>),
    responses((status = 200, description = "A page of pages", body = PageOf<Page>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/pages/search")]
pub async fn search(
    context: RequestContext<PageQuery<Pages>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let mut all = vec![Condition::text_in("pages.tenant_id IN", context.scope())];
    for term in query_string::parse(&context.query.filter, &VARIABLES)? {
        let ids = || term.values.iter().map(|id| spelled(id));
        all.push(match term.name {
            "id" => Condition::text_in("pages.id IN", ids()),
            "alertId" => Condition::text_in("pages.alert_id IN", ids()),
            "userId" => Condition::text_in("pages.user_id IN", term.values.iter().map(|id| id.to_ascii_uppercase())),
            "contactMethodId" => Condition::text_in("pages.method_id IN", ids()),
            "policyId" => Condition::text_in("pages.policy_id IN", ids()),
            "status" => Condition::text_in("pages.status IN", term.words(&STATUSES)?),
            _ => Condition::text_in("pages.kind IN", term.words(&KINDS)?),
        });
    }
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::page(conn, &Condition::all(all), sort, walk)?;
        Ok(found.with(view::pages(conn, &*neighbours.people, &scope.scope_and_partner(), &found.rows)?))
    });
    page.await
}
