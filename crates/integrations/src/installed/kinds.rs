//! What can be installed.

use actix_web::HttpResponse;
use api::{RequestContext, answer, get, spec::PageOf};
use base::{Query, Sort, fold, query_string};
use serde::Serialize;
use utoipa::ToSchema;

/// A kind of integration that can be installed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AvailableIntegration, example = json!({
    "id": "CUSTOM", "name": "Custom", "category": "CUSTOM_INTEGRATION"
}))]
pub struct Available {
    /// What `POST /integrations/install/…` takes.
    id: &'static str,
    /// Its name.
    name: &'static str,
    /// What it is for.
    category: &'static str,
}

/// All that there are.
const KINDS: [Available; 1] = [Available { id: "CUSTOM", name: "Custom", category: "CUSTOM_INTEGRATION" }];

/// The kinds that variables of a search ask for: all where they ask for none.
pub fn meant<'t>(terms: impl Iterator<Item = &'t query_string::Term> + Clone) -> Vec<Available> {
    let takes = |kind: &Available, term: &query_string::Term| {
        let said = match term.name {
            "category" => kind.category,
            "name" => kind.name,
            _ => kind.id,
        };
        term.values.iter().any(|value| fold(value) == fold(said))
    };
    KINDS.into_iter().filter(|kind| terms.clone().all(|term| takes(kind, term))).collect()
}

impl Available {
    /// As it is stored with what was installed of it.
    pub const fn id(&self) -> &'static str {
        self.id
    }
}

/// Search available integrations
///
/// A page of what can be installed. The variables of `queryString` are `id` or `uId`, `name` and `category`, each as a
/// whole and whatever the letter case.
#[utoipa::path(
    tag = "integrations",
    operation_id = "searchAvailableIntegrations",
    params(
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "category:CUSTOM_INTEGRATION"),
    ),
    responses((status = 200, description = "A page of kinds", body = PageOf<Available>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/available/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let walk = query.walk(context.request().path(), Sort { name: "id", descending: false });
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let terms = query_string::parse(&text, &["id", "uId", "name", "category"])?;
    answer::ok(&walk.answer(walk.of_all(meant(terms.iter()), |kind| kind.id.to_owned())))
}
