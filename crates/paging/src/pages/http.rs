//! Pages over HTTP.

use actix_web::{HttpResponse, get};
use api::{RequestContext, answer, spec::PageOf};
use base::{Query, query_string};
use db::Condition;

use super::{
    store::{self, STATUSES},
    wire::Page,
};

const VARIABLES: [&str; 7] = ["id", "alertId", "userId", "contactMethodId", "policyId", "status", "kind"];
const KINDS: [&str; 3] = ["page", "code", "test"];

/// Search pages
///
/// What was sent to whom, and what could not be; newest first, at partner level those of its clients too. `queryString`
/// variables: `id`, `alertId`, `userId`, `contactMethodId`, `policyId`, `status`, `kind`.
#[utoipa::path(
    tag = "paging",
    operation_id = "searchPages",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`createdDate`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "status:gap"),
    ),
    responses((status = 200, description = "A page of pages", body = PageOf<Page>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/pages/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&["createdDate"], "createdDate", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let mut all = vec![Condition::text_in("pages.tenant_id IN", context.scope())];
    for term in query_string::parse(&text, &VARIABLES)? {
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
    let condition = Condition::all(all);
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &condition, sort.descending, &walk)?;
        Ok(walk.answer(found.map(|row| Page::from(&row))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// An id of a prefix and a UUID, as it is stored.
pub fn spelled(text: &str) -> String {
    match text.trim().split_once('-') {
        Some((prefix, rest)) => format!("{}-{}", prefix.to_ascii_uppercase(), rest.to_ascii_lowercase()),
        None => text.trim().to_owned(),
    }
}
