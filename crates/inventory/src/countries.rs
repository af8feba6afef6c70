//! The countries that an address may name.

use std::sync::LazyLock;

use actix_web::{HttpRequest, HttpResponse};
use api::{answer, get};
use base::query::Query;
use serde::Serialize;
use utoipa::ToSchema;

/// A country.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"code": "IN", "name": "India"}))]
pub struct Country {
    /// Two letters (ISO 3166-1).
    code: &'static str,
    /// Its usual name in English.
    name: &'static str,
}

/// List countries
///
/// Sorted by name. Addresses are free text, and may name a country in other words.
#[utoipa::path(
    operation_id = "listCountries",
    responses((status = 200, description = "All countries", body = Vec<Country>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/api/v2/cfg/countries")]
pub async fn list(request: HttpRequest) -> api::Result<HttpResponse> {
    Query::parse(request.query_string())?.finish()?;
    answer::ok(&*COUNTRIES)
}

/// One in each line: its code, a space, its name.
static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let pairs = include_str!("countries.txt").lines().filter_map(|line| line.split_once(' '));
    pairs.map(|(code, name)| Country { code, name }).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_country() {
        assert_eq!(COUNTRIES.len(), include_str!("countries.txt").lines().count());
        assert!(COUNTRIES.iter().all(|country| country.code.len() == 2 && !country.name.is_empty()));
    }
}
