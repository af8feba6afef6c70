//! Reader of an enum of words.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, DataEnum, DeriveInput, Error, Fields, LitStr, Result};

pub fn write(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let style = of_serde(&input.attrs, "rename_all")?.map(|style| style.value());
    let mut words = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a word has no fields"));
        }
        let own = of_serde(&variant.attrs, "rename")?;
        words.push(
            own.unwrap_or_else(|| {
                LitStr::new(&styled(&variant.ident.to_string(), style.as_deref()), Span::call_site())
            }),
        );
    }
    let (name, variants) = (&input.ident, data.variants.iter().map(|variant| &variant.ident));
    let first = data.variants.first().ok_or_else(|| Error::new_spanned(input, "has no words"))?;
    let first = &first.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::base::body::Field for #name {
            fn read(fields: &mut ::base::body::Fields<'_>, name: &str, _: &::base::body::Limits) -> ::core::option::Option<Self> {
                match fields.one_of(name, &[#(#words),*])? {
                    #(#words => ::core::option::Option::Some(Self::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }

            fn blank(_: &::base::body::Fields<'_>, _: &::base::body::Limits) -> Self {
                Self::#first
            }
        }
    })
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
