//! Texts that are one of some words, or of a form that a pattern tells, as types for the document.

use base::Timestamp;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// Declares types that stand for such texts where the document is written by hand: in the parameters of an operation as
/// `inline(Name)`, in a struct as `#[schema(inline, value_type = Name)]`.
///
/// ```ignore
/// api::texts! {
///     /// What jobs are sorted by.
///     pub Sorted = api::spec::one_of(&rules::SORTS);
/// }
/// ```
#[macro_export]
macro_rules! texts {
    ($($(#[$doc:meta])* $visibility:vis $name:ident = $text:expr;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $name;

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::schema::Schema> {
                ::utoipa::openapi::RefOr::T(::utoipa::openapi::schema::Schema::Object($text))
            }
        }

        impl ::utoipa::ToSchema for $name {}
    )* };
}

crate::texts! {
    /// A time.
    pub Time = of_form(Timestamp::PATTERN);
}

/// One of some words.
pub fn one_of(words: &[&'static str]) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.iter().copied())).build()
}

/// The same, with what is said of it.
pub fn described(text: Object, description: &str) -> Object {
    ObjectBuilder::from(text).description(Some(description)).build()
}

/// A text of the form of a pattern.
pub fn of_form(pattern: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).build()
}

/// An integer from `first` to `last`.
pub fn integer(first: i64, last: i64) -> Object {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(first)).maximum(Some(last)).build()
}
