//! Bodies that are lists.

use base::{
    body::{FromBody, Request, read_each},
    problem::Problem,
};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Ref, RefOr,
        schema::{ArrayBuilder, Schema},
    },
};

/// A body of `FEWEST` to `MOST` requests. The document names it by an alias, `type Members = ListOf<…>`:
/// `request_body(content = inline(Members))`.
#[derive(Clone, Debug)]
pub struct ListOf<T, const FEWEST: usize, const MOST: usize>(pub Vec<T>);

impl<T: Request, const FEWEST: usize, const MOST: usize> FromBody for ListOf<T, FEWEST, MOST> {
    fn from_body(body: Value) -> Result<Self, Problem> {
        read_each(&body, FEWEST..=MOST, T::read).map(Self)
    }
}

impl<T: ToSchema, const FEWEST: usize, const MOST: usize> PartialSchema for ListOf<T, FEWEST, MOST> {
    fn schema() -> RefOr<Schema> {
        let fewest = (FEWEST > 0).then_some(FEWEST);
        ArrayBuilder::new().items(Ref::from_schema_name(T::name())).min_items(fewest).max_items(Some(MOST)).into()
    }
}

impl<T: ToSchema, const FEWEST: usize, const MOST: usize> ToSchema for ListOf<T, FEWEST, MOST> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into(), T::schema()));
        T::schemas(schemas);
    }
}
