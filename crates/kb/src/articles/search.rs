//! Search for words.

use actix_web::{HttpResponse, web};
use api::{RequestContext, Resource as _, answer, get, list::Parameters as _, spec::PageOf};
use base::{Query, Sort};
use ports::People;

use super::{row, rules, store, view, wire::Article};
use crate::{
    categories::{row::Category, wire::normal_id},
    state,
};

api::texts! {
    /// What is searched for.
    Words = api::spec::of_form(base::body::FILLED);
    /// Which articles are searched.
    State = api::spec::one_of(&state::OR_ALL);
}

/// Search knowledge-base articles
///
/// The articles in whose title or content every word of `query` occurs, or begins a word; best first: a word
/// of the title counts more than one of the content, a whole word more than a beginning, and among equals the latest
/// comes first. Neither letter case nor punctuation between words matters. Each has a `snippet`: HTML
/// in which the words are marked up as `<mark>` and all else is escaped. With `categoryId` only those in that category
/// and below it.
#[utoipa::path(
    operation_id = "searchKbArticles",
    params(
        ("query" = inline(Words), Query, description = "Words; at most 1,000 characters and 32 different words",
            example = "access point"),
        ("categoryId" = Option<String>, Query, description = "`KBC` and digits", example = "KBC0000000001"),
        ("state" = inline(Option<State>), Query, description = "`ACTIVE`, `INACTIVE`, `TRASH` or `ALL`; default: all \
            outside the trash", example = "ACTIVE"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 20", example = 20),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
    ),
    responses((status = 200, description = "A page of articles, best first", body = PageOf<Article>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/article/search")]
pub async fn search(context: RequestContext<Query>, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let walk = query.page_request_sized(context.request().path(), Sort { name: "score", descending: true }, 20);
    let states = state::StateQuery::read(&mut query).or_outside_trash();
    let category = query.text("categoryId").map(|id| normal_id(&id));
    let text = query.text("query").unwrap_or_default();
    query.finish()?;
    let words = rules::query_words(&text)?;
    let paged = walk.clone();
    let found = context
        .read_many(move |conn, scope| {
            let tenants = scope.scope_and_partner();
            let scope = scope.scope();
            let below = category.map(|id| Category::find(conn, &scope, &id)).transpose()?;
            let below = match &below {
                // A category that is not there has no articles.
                Some(None) => Some(("", "")),
                Some(Some(category)) => Some((category.tenant_id.as_str(), category.id.as_str())),
                None => None,
            };
            let show = |_: &row::ArticleHead, content: &str| rules::snippet(content, &words);
            let found = store::search(conn, &scope, &words, &states, below, &paged, show)?;
            let (heads, snippets): (Vec<_>, Vec<_>) = found.rows.iter().cloned().unzip();
            let mut articles = view::all(conn, &**people, &tenants, &heads)?;
            articles.iter_mut().zip(snippets).for_each(|(article, snippet)| article.snippet = Some(snippet));
            Ok(found.with(articles))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered("score", true))
}
