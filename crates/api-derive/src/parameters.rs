//! Reader and document of the parameters of a URL.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Result, Type};

use crate::{
    declared::{Declared, Field},
    object::{own, pair},
};

pub fn write(Declared { name, fields, .. }: &Declared) -> Result<TokenStream> {
    let query = own("query");
    let names = fields.iter().map(|field| &field.name);
    let values = fields.iter().map(value);
    let documents = fields.iter().filter(|field| !field.undocumented).map(document);
    Ok(quote! {
        #[automatically_derived]
        impl ::api::list::Parameters for #name {
            fn read(#query: &mut ::base::Query) -> Self {
                Self { #(#names: #values,)* }
            }

            fn document() -> ::std::vec::Vec<::utoipa::openapi::path::Parameter> {
                ::std::vec![#(#documents,)*]
            }
        }

        #[automatically_derived]
        impl ::api::context::FromQuery for #name {
            fn from_query(query: &str, _: &str) -> ::core::result::Result<Self, ::base::problem::Problem> {
                ::api::list::read(query)
            }
        }

        #[automatically_derived]
        impl ::utoipa::IntoParams for #name {
            fn into_params(
                _: impl Fn() -> ::core::option::Option<::utoipa::openapi::path::ParameterIn>,
            ) -> ::std::vec::Vec<::utoipa::openapi::path::Parameter> {
                <Self as ::api::list::Parameters>::document()
            }
        }
    })
}

/// The expression that reads a parameter.
fn value(field: &Field) -> TokenStream {
    let Field { wire, words, .. } = field;
    let query = own("query");
    if let Some(with) = &field.with {
        return quote!(#with(#query, #wire));
    }
    let default = match &field.default {
        Some(Some(default)) => quote!(#default),
        _ => quote!(::core::default::Default::default()),
    };
    match (kind(field.inner_type()).as_str(), words) {
        ("str", Some(words)) => quote!(#query.one_of(#wire, &#words, #default)),
        ("bool", _) => quote!(#query.boolean(#wire, #default)),
        ("i64", _) => match &field.range {
            Some(range) => quote!(#query.integer_in(#wire, #default, #range)),
            None => quote!(#query.integer(#wire, #default)),
        },
        ("Timestamp", _) => quote!(#query.timestamp(#wire)),
        _ if matches!(field.default, Some(Some(_))) => {
            quote!(#query.text(#wire).unwrap_or_else(|| ::std::string::String::from(#default)))
        }
        _ if field.is_required() || field.default.is_some() => quote!(#query.text(#wire).unwrap_or_default()),
        _ => quote!(#query.text(#wire)),
    }
}

fn document(field: &Field) -> TokenStream {
    let Field { wire, .. } = field;
    let said = said(&field.docs);
    let words = field.words.as_ref().map_or_else(|| quote!(&[]), |words| quote!(&#words));
    let range = pair(field.range.as_ref());
    let pattern = field
        .pattern
        .as_ref()
        .map_or_else(|| quote!(::core::option::Option::None), |pattern| quote!(::core::option::Option::Some(#pattern)));
    let schema = match (&field.schema, kind(field.inner_type()).as_str()) {
        (Some(schema), _) => quote!(#schema),
        (None, "bool") => quote!(bool),
        (None, "i64") => quote!(i64),
        (None, "Timestamp") => quote!(::api::spec::Time),
        _ => quote!(::std::string::String),
    };
    let example = match &field.example {
        Some(example) => quote!(::core::option::Option::Some(::serde_json::json!(#example))),
        None => quote!(::core::option::Option::None),
    };
    quote!(::api::list::documented(#wire, #said, ::api::list::schema_of::<#schema>(#words, #range, #pattern), false,
        #example))
}

/// The last word of a type: `str` of `&'static str`.
fn kind(ty: &Type) -> String {
    match ty {
        Type::Reference(reference) => kind(&reference.elem),
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The text of documentation.
fn said(docs: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(meta) => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    };
    let text = docs.iter().filter_map(line).collect::<Vec<_>>().join(" ");
    // As all other descriptions of parameters are written.
    text.strip_suffix('.').map_or(text.clone(), ToOwned::to_owned)
}
