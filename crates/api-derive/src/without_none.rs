//! `#[without_none]`.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{ItemStruct, Type, parse_quote};

/// The struct, each of whose `Option`s says to serde that it is left out when there is none.
pub fn write(mut answer: ItemStruct) -> TokenStream {
    for field in &mut answer.fields {
        if is_option(&field.ty) {
            field.attrs.push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
        }
    }
    answer.into_token_stream()
}

fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}
