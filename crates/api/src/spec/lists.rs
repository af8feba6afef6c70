//! Bodies that are lists.

use std::marker::PhantomData;

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Ref, RefOr,
        schema::{ArrayBuilder, Schema},
    },
};

/// A body of `FEWEST` to `MOST` objects, for the document. An operation names it by an alias, `type Members = ListOf<…>`:
/// `request_body(content = inline(Members))`.
#[derive(Clone, Copy, Debug)]
pub struct ListOf<T, const FEWEST: usize, const MOST: usize>(PhantomData<T>);

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
