//! The parameters of lists, and of URLs in general: read and documented from one declaration.

use std::marker::PhantomData;

use actix_web::HttpResponse;
use base::{
    PageRequest, PageRows, Query,
    page::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE},
    problem::Problem,
    query::Sort,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::{
    IntoParams, PartialSchema,
    openapi::{
        RefOr, Required,
        path::{Parameter, ParameterBuilder, ParameterIn},
        schema::{ObjectBuilder, Schema, Type},
    },
};

use crate::{RequestContext, RequestScope, answer, context::FromQuery};

/// Parameters of a URL that read and document themselves: `#[derive(api::Parameters)]` writes it.
pub trait Parameters: Sized {
    /// Reads them, and notes what is wrong.
    fn read(query: &mut Query) -> Self;

    /// What the document says of them.
    fn document() -> Vec<Parameter>;
}

/// No parameters beside those of every list.
impl Parameters for () {
    fn read(_: &mut Query) -> Self {}

    fn document() -> Vec<Parameter> {
        Vec::new()
    }
}

/// What is said once of a list: in which orders it can be had, and by what it is filtered.
pub trait List {
    /// The sort key of a request that names none; of a list with one order, what that is called.
    const SORT: &'static str;
    /// Does the largest come first unless asked otherwise?
    const DESCENDING: bool = false;
    /// The rows of a page unless asked otherwise.
    const PAGE_SIZE: u32 = DEFAULT_PAGE_SIZE;
    /// A filter, for the document: an example of `queryString`. Empty: the list has no such parameter.
    const FILTER: &'static str = "";

    /// The sort keys (`db::Sorts::names`). Without any the list has one order, and no parameters for it.
    fn sorts() -> Vec<&'static str> {
        Vec::new()
    }
}

/// Makes a list that is sorted by a `db::Sorts`, and says what else is said of it ([`List`]):
/// `api::list! { /** The list of policies. */ pub Policies by store::SORTS: SORT = "name", FILTER = "name:web" }`.
#[macro_export]
macro_rules! list {
    ($(#[doc = $doc:literal])+ $visibility:vis $name:ident by $($sorts:ident)::+: $($said:ident = $value:expr),+) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        $visibility struct $name;

        impl $crate::List for $name {
            $(const $said: $crate::list!(@type $said) = $value;)+

            fn sorts() -> Vec<&'static str> {
                $($sorts)::+.names()
            }
        }
    };
    (@type DESCENDING) => { bool };
    (@type PAGE_SIZE) => { u32 };
    (@type $text:ident) => { &'static str };
}

/// The parameters of a request for a page of the list `L`, with parameters of its own `P` ("Paginated envelope" in
/// `docs/interface.md`).
#[derive(Clone, Debug)]
pub struct PageQuery<L, P = ()> {
    /// The order.
    pub sort: Sort,
    /// The page, by number or by cursor.
    pub walk: PageRequest,
    /// `queryString`, as it is; empty when there is none.
    pub filter: String,
    /// What only this list has.
    pub own: P,
    list: PhantomData<L>,
}

impl<L: List, P: Parameters> FromQuery for PageQuery<L, P> {
    fn from_query(query: &str, path: &str) -> Result<Self, Problem> {
        let mut query = Query::parse(query)?;
        let sort = match L::sorts().as_slice() {
            [] => Sort { name: L::SORT, descending: L::DESCENDING },
            sorts => query.sort(sorts, L::SORT, L::DESCENDING),
        };
        let walk = query.page_request_sized(path, sort, L::PAGE_SIZE);
        let own = P::read(&mut query);
        let filter = if L::FILTER.is_empty() { None } else { query.text("queryString") };
        query.finish()?;
        Ok(Self { sort, walk, filter: filter.unwrap_or_default(), own, list: PhantomData })
    }
}

impl<L, P> RequestContext<PageQuery<L, P>> {
    /// Answers the page that is asked for: what `f` finds in the database of it, in the order that is asked for.
    pub async fn page<T, F>(&self, f: F) -> crate::Result<HttpResponse>
    where
        T: Serialize + Send + 'static,
        F: FnOnce(&mut db::Conn, &RequestScope, Sort, &PageRequest) -> db::Result<PageRows<T>> + Clone + Send + 'static,
    {
        let sort = self.query.sort;
        let walk = self.query.walk.clone();
        let page = self.read_many(move |conn, scope| Ok(walk.answer(f(conn, scope, sort, &walk)?)));
        answer::ok(&page.await?.ordered(sort.name, sort.descending))
    }
}

impl<L: List, P: Parameters> IntoParams for PageQuery<L, P> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let integer = |most| ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(most);
        let mut all = P::document();
        all.extend([
            parameter("pageNo", "From 1", integer(None), Some(1.into())),
            parameter(
                "pageSize",
                &format!("1 to {MAX_PAGE_SIZE}, default {}", L::PAGE_SIZE),
                integer(Some(MAX_PAGE_SIZE)),
                Some(L::PAGE_SIZE.into()),
            ),
            parameter(
                "cursor",
                "The `nextCursor` of the page before, in place of `pageNo`",
                ObjectBuilder::new().schema_type(Type::String),
                None,
            ),
        ]);
        let sorts = L::sorts();
        if !sorts.is_empty() {
            let words = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(sorts));
            let flag = ObjectBuilder::new().schema_type(Type::Boolean);
            let default = format!("Default {}", L::DESCENDING);
            all.push(parameter("sortName", &format!("Default `{}`", L::SORT), words, Some(L::SORT.into())));
            all.push(parameter("isDescendingOrder", &default, flag, None));
        }
        if !L::FILTER.is_empty() {
            let text = ObjectBuilder::new().schema_type(Type::String);
            all.push(parameter("queryString", "Filter expression", text, Some(L::FILTER.into())));
        }
        all
    }
}

fn parameter(name: &str, description: &str, schema: ObjectBuilder, example: Option<Value>) -> Parameter {
    documented(name, description, RefOr::T(schema.into()), false, example)
}

/// A parameter of a URL, for the document.
pub fn documented(
    name: &str,
    description: &str,
    schema: RefOr<Schema>,
    required: bool,
    example: Option<Value>,
) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(if required { Required::True } else { Required::False })
        .description(Some(description))
        .schema(Some(schema))
        .example(example)
        .build()
}

/// The schema of a parameter of type `T`, one of `words` if there are any.
pub fn schema_of<T: PartialSchema>(
    words: &[&'static str],
    range: Option<(i64, i64)>,
    pattern: Option<&'static str>,
) -> RefOr<Schema> {
    let mut schema = T::schema();
    if let RefOr::T(Schema::Object(object)) = &mut schema {
        if !words.is_empty() {
            object.enum_values = Some(words.iter().copied().map(Value::from).collect());
        }
        if let Some((first, last)) = range {
            object.minimum = Some(first.into());
            object.maximum = Some(last.into());
        }
        object.pattern = pattern.map(str::to_owned).or(object.pattern.take());
    }
    schema
}

/// Reads parameters to the end.
///
/// # Errors
/// 400 that names every parameter that is wrong or unknown.
pub fn read<P: Parameters>(query: &str) -> Result<P, Problem> {
    let mut query = Query::parse(query)?;
    let read = P::read(&mut query);
    query.finish()?;
    Ok(read)
}
