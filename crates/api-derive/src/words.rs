//! Readers of enums: of words, and of unions that are told apart by a field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Attribute, DataEnum, DeriveInput, Error, Fields, LitStr, Result};

use crate::object::own;

pub fn write(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let style = of_serde(&input.attrs, "rename_all")?.map(|style| style.value());
    let mut words = Vec::new();
    for variant in &data.variants {
        let own = of_serde(&variant.attrs, "rename")?;
        words.push(
            own.unwrap_or_else(|| {
                LitStr::new(&styled(&variant.ident.to_string(), style.as_deref()), Span::call_site())
            }),
        );
    }
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let first = *variants.first().ok_or_else(|| Error::new_spanned(input, "has no variants"))?;
    let holds_one = |fields: &Fields| matches!(fields, Fields::Unnamed(all) if all.unnamed.len() == 1);
    match of_serde(&input.attrs, "tag")? {
        Some(tag) if data.variants.iter().all(|variant| holds_one(&variant.fields)) => {
            let otherwise = otherwise(&input.attrs)?;
            let otherwise = otherwise.map_or_else(|| (first.clone(), false), |variant| (variant, true));
            Ok(union(&input.ident, &tag, &words, &variants, &otherwise))
        }
        None if data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit)) => {
            Ok(of_words(&input.ident, &words, &variants, first))
        }
        _ => Err(Error::new_spanned(input, "has words alone, or a tag and one struct in each variant")),
    }
}

/// The reader of a union: the field of its tag says which struct it is.
fn union(
    name: &Ident,
    tag: &LitStr,
    words: &[LitStr],
    variants: &[&Ident],
    (otherwise, is_read): &(Ident, bool),
) -> TokenStream {
    let fields = own("fields");
    let rest = if *is_read { quote!(#fields) } else { quote!(&mut #fields.nothing()) };
    quote! {
        #[automatically_derived]
        impl ::base::body::Request for #name {
            fn read(#fields: &mut ::base::body::Fields<'_>) -> Self {
                #fields.require(#tag);
                match #fields.one_of(#tag, &[#(#words),*]) {
                    #(::core::option::Option::Some(#words) => Self::#variants(::base::body::Request::read(#fields)),)*
                    _ => Self::#otherwise(::base::body::Request::read(#rest)),
                }
            }
        }
    }
}

/// The variant as which the rest is read where the tag is wrong, so that what is missing in all of them is told.
fn otherwise(attributes: &[Attribute]) -> Result<Option<Ident>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("request")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("otherwise") {
                return Err(meta.error("not known of a union"));
            }
            found = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(found)
}

fn of_words(name: &Ident, words: &[LitStr], variants: &[&Ident], first: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::base::body::Field for #name {
            fn read(fields: &mut ::base::body::Fields<'_>, name: &str,
                _: &::base::body::Limits) -> ::core::option::Option<Self> {
                match fields.one_of(name, &[#(#words),*])? {
                    #(#words => ::core::option::Option::Some(Self::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }

            fn blank(_: &::base::body::Fields<'_>, _: &::base::body::Limits) -> Self {
                Self::#first
            }
        }
    }
}

/// A text of the attributes of serde.
fn of_serde(attributes: &[Attribute], wanted: &str) -> Result<Option<LitStr>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            if meta.input.peek(syn::Token![=]) {
                let value: LitStr = meta.value()?.parse()?;
                if meta.path.is_ident(wanted) {
                    found = Some(value);
                }
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// A variant's name in a style of serde.
fn styled(name: &str, style: Option<&str>) -> String {
    let parted = |separator: char| {
        let mut parted = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !parted.is_empty() {
                parted.push(separator);
            }
            parted.extend(letter.to_lowercase());
        }
        parted
    };
    match style {
        Some("lowercase") => name.to_lowercase(),
        Some("UPPERCASE") => name.to_uppercase(),
        Some("snake_case") => parted('_'),
        Some("SCREAMING_SNAKE_CASE") => parted('_').to_uppercase(),
        Some("kebab-case") => parted('-'),
        Some("camelCase") => {
            let mut letters = name.chars();
            letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
        }
        _ => name.to_owned(),
    }
}
