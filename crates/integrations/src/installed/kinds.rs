//! The kinds of integrations that can be installed.

use actix_web::HttpResponse;
use api::{List, PageQuery, RequestContext, answer, get, spec::PageOf};
use base::{fold, query_string};
use serde::Serialize;
use utoipa::ToSchema;

/// A kind of integration that can be installed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AvailableIntegration, example = json!({
    "id": "CUSTOM", "name": "Custom", "category": "CUSTOM_INTEGRATION"
}))]
pub struct AvailableIntegration {
    /// What `POST /integrations/install/…` takes.
    id: &'static str,
    /// Its name.
    name: &'static str,
    /// What it is for.
    category: &'static str,
}

/// All kinds.
const KINDS: [AvailableIntegration; 1] =
    [AvailableIntegration { id: "CUSTOM", name: "Custom", category: "CUSTOM_INTEGRATION" }];

/// The kinds that match the terms of a search; all when there are no terms.
pub fn matching_kinds<'t>(terms: impl Iterator<Item = &'t query_string::Term> + Clone) -> Vec<AvailableIntegration> {
    let takes = |kind: &AvailableIntegration, term: &query_string::Term| {
        let said = match term.name {
            "category" => kind.category,
            "name" => kind.name,
            _ => kind.id,
        };
        term.values.iter().any(|value| fold(value) == fold(said))
    };
    KINDS.into_iter().filter(|kind| terms.clone().all(|term| takes(kind, term))).collect()
}

impl AvailableIntegration {
    /// As it is stored with what was installed of it.
    pub const fn id(&self) -> &'static str {
        self.id
    }
}

/// The list of what can be installed.
#[derive(Clone, Debug)]
pub struct Kinds;

impl List for Kinds {
    const SORT: &'static str = "id";
    const FILTER: &'static str = "category:CUSTOM_INTEGRATION";
}

/// Search available integrations
///
/// A page of what can be installed. The variables of `queryString` are `id` or `uId`, `name` and `category`, each as a
/// whole and whatever the letter case.
#[utoipa::path(
    operation_id = "searchAvailableIntegrations",
    params(PageQuery<Kinds>),
    responses((status = 200, description = "A page of kinds", body = PageOf<AvailableIntegration>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/available/search")]
pub async fn search(context: RequestContext<PageQuery<Kinds>>) -> api::Result<HttpResponse> {
    let PageQuery { walk, filter, .. } = context.query.clone();
    let terms = query_string::parse(&filter, &["id", "uId", "name", "category"])?;
    answer::ok(&walk.answer(walk.of_all(matching_kinds(terms.iter()), |kind| kind.id.to_owned())))
}
