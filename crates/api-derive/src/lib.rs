//! `#[derive(Request)]`: one declaration of what a request says, from which its reader and its schema in the OpenAPI
//! document are made. The name in the document, the limits and the words are said once, where the field is.
//!
//! ```ignore
//! /// A category to create.
//! #[derive(Request)]
//! #[request(schema = "KbCategoryInput")]
//! #[request(update(name = CategoryChange, schema = "KbCategoryUpdate", doc = "The changes; what is left out stays."))]
//! pub struct NewCategory {
//!     /// Unique among its siblings.
//!     #[request(line, chars = 200)]
//!     pub name: String,
//!     /// What it is about.
//!     #[request(default)]
//!     pub description: String,
//!     /// `ACTIVE` or `INACTIVE`.
//!     #[request(words = state::OUTSIDE_TRASH, default = state::ACTIVE)]
//!     pub state: &'static str,
//!     /// What it stands below.
//!     pub parent_category: Option<Reference>,
//! }
//! ```
//!
//! A field is required, unless its type is an `Option` or it has a `default`. `Option<Option<T>>` tells an explicit
//! `null` (`Some(None)`) from absence. Names are in camel case.
//!
//! Of a struct:
//! - `schema = "Name"`: its name in the document, else its own; `example = json`: its example there
//! - `check = path`: a `fn(&mut Self, &mut Fields)` that notes what fields say together, and may complete what was read
//! - `update(name = Type, schema = "Name", doc = "…")`: makes a second request of the same fields, in which all are
//!   optional
//!
//! Of a field:
//! - `name = "…"`: its name on the wire; `also = ["…"]`: other names, looked at when it is absent
//! - `chars = n`, `line`, `filled`, `range = a..=b`, `items = a..=b`, `words = LIST`: its limits (`base::body::Limits`)
//! - `default` or `default = value`
//! - `blank`: a text of blanks is absence; `when = path`, or `when = says("type", &["a"])` (`base::body::says`): a
//!   `fn(&Fields) -> bool` without which the field is not read
//! - `parse = path`, with `from = Type` when that is another one than the field's: a `fn(Type) -> Result<FieldType, E>`
//!   that takes over what was read, or says what is wrong with it
//! - `with = path`: a `fn(&mut Fields, &str) -> Option<FieldType>` that reads the field in place of all that
//! - `schema = Type`: what the document says it is; `example = value`, `undocumented`
//! - `pattern = "…"`, or a constant: that of a text, or of each element, in the document; the reader sees to it by
//!   itself
//! - `text = "…"`: in the document a text of this pattern
//! - `create`: not part of the update
//!
//! `#[derive(Parameters)]` does the same for the parameters of a URL: texts, `&'static str` with `words`, booleans,
//! integers and times, each with `default`, `name`, `example` and `with` (a `fn(&mut Query, &str) -> FieldType`).
//!
//! `#[get("/path")]`, `#[post("/path")]` and `#[delete("/path")]` make an `api::operations::Operation` of a handler,
//! below the `#[utoipa::path]` that documents it.
//!
//! `#[without_none]`, above the derives of a struct of an answer: what is `None` is left out, field by field.
//!
//! Of an enum without fields it makes a `base::body::Field` that reads its variants, by the names that `serde` gives
//! them; of one with `#[serde(tag = "type")]`, each variant of which holds a request, a request that is told apart by
//! that field. Where that is wrong, nothing more is said, but for `#[request(otherwise = Variant)]`: what would be
//! missing there is missing. Both are in the document as `utoipa::ToSchema` has them.

mod declared;
mod object;
mod operation;
mod parameters;
mod without_none;
mod words;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, ItemStruct, parse_macro_input};

/// Reader and schema of a request; see the crate's page.
#[proc_macro_derive(Request, attributes(request, serde, schema))]
pub fn request(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let written = match &input.data {
        Data::Enum(data) => words::write(&input, data),
        _ => declared::Declared::read(&input).and_then(|declared| object::write(&declared)),
    };
    written.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Reader and document of the parameters of a URL; see the crate's page.
#[proc_macro_derive(Parameters, attributes(request))]
pub fn parameters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let written = declared::Declared::read(&input).and_then(|declared| parameters::write(&declared));
    written.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Leaves out the fields of an answer that are `None`; see the crate's page.
#[proc_macro_attribute]
pub fn without_none(_: TokenStream, answer: TokenStream) -> TokenStream {
    without_none::write(parse_macro_input!(answer as ItemStruct)).into()
}

/// The handler of an operation that reads.
#[proc_macro_attribute]
pub fn get(path: TokenStream, handler: TokenStream) -> TokenStream {
    operation_of(path, handler)
}

/// The handler of an operation that changes something.
#[proc_macro_attribute]
pub fn post(path: TokenStream, handler: TokenStream) -> TokenStream {
    operation_of(path, handler)
}

/// The handler of an operation that changes something, as clients of another service call it.
#[proc_macro_attribute]
pub fn put(path: TokenStream, handler: TokenStream) -> TokenStream {
    operation_of(path, handler)
}

/// The handler of an operation that deletes something.
#[proc_macro_attribute]
pub fn delete(path: TokenStream, handler: TokenStream) -> TokenStream {
    operation_of(path, handler)
}

fn operation_of(path: TokenStream, handler: TokenStream) -> TokenStream {
    operation::write(path.into(), handler.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
