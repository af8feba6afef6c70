//! Reader and schema of a struct.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{ExprRange, Result, Type};

use crate::declared::{Declared, Field};

pub fn write(declared: &Declared) -> Result<TokenStream> {
    let reader = reader(declared);
    let schema = schema(declared);
    let Some(update) = declared.updating() else { return Ok(quote!(#reader #schema)) };
    let structure = structure(&update);
    let of_update = self::reader(&update);
    let its_schema = self::schema(&update);
    Ok(quote!(#reader #schema #structure #of_update #its_schema))
}

/// The struct of an update.
fn structure(update: &Declared) -> TokenStream {
    let Declared { visibility, name, docs, fields, .. } = update;
    let fields = fields.iter().map(|Field { visibility, name, docs, ty, .. }| quote!(#(#docs)* #visibility #name: #ty));
    quote! {
        #(#docs)*
        #[derive(Clone, Debug, Default, PartialEq)]
        #visibility struct #name { #(#fields,)* }
    }
}

/// A name of the generated code that no expression of an attribute can mean.
pub fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

fn reader(Declared { name, check, fields, .. }: &Declared) -> TokenStream {
    let of = own("fields");
    let read = own("read");
    let names = fields.iter().map(|field| &field.name);
    let values = fields.iter().map(value);
    let is_mutable = check.iter().map(|_| quote!(mut));
    let check = check.iter().map(|check| quote!(#check(&mut #read, #of);));
    quote! {
        #[automatically_derived]
        impl ::base::body::Request for #name {
            fn read(#of: &mut ::base::body::Fields<'_>) -> Self {
                let #(#is_mutable)* #read = Self { #(#names: #values,)* };
                #(#check)*
                #read
            }
        }
    }
}

/// The expression that reads a field.
fn value(field: &Field) -> TokenStream {
    let held = field.inner_type();
    let limits = limits(field);
    let given = name_given(field);
    let fields = own("fields");
    let name = own("name");
    let read = match (&field.with, &field.parse) {
        (Some(with), _) => quote!(#with(#fields, #name)),
        (None, Some(parse)) => {
            let from = field.from.as_ref().unwrap_or(held);
            quote!(::base::body::parsed::<#from, #held, _>(#fields, #name, &#limits, #parse))
        }
        (None, None) => quote!(<#held as ::base::body::Field>::read(#fields, #name, &#limits)),
    };
    let blank = field.blank.then(|| quote!(!#fields.is_blank(#name)));
    let when = field.when.iter().map(|when| quote!(#when(&*#fields)));
    let conditions: Vec<_> = when.chain(blank).collect();
    let read = if conditions.is_empty() {
        read
    } else {
        quote!((if #(#conditions)&&* { #read } else { ::core::option::Option::None }))
    };
    let is_plain = field.with.is_none() && field.parse.is_none();
    let value = match &field.default {
        Some(Some(default)) => quote!(#read.unwrap_or_else(|| #default)),
        Some(None) => quote!(#read.unwrap_or_default()),
        None if !field.is_required() => read,
        None if field.blank => quote!({
            #fields.require_filled(#name);
            #read.unwrap_or_else(|| <#held as ::base::body::Field>::blank(#fields, &#limits))
        }),
        None if is_plain => quote!(::base::body::required::<#held>(#fields, #name, &#limits)),
        None => quote!({ #fields.require(#name); #read.unwrap_or_default() }),
    };
    quote!({ let #name = #given; #value })
}

/// The name by which a field is given: its own, or the first of its other names that is there.
fn name_given(Field { wire, also, .. }: &Field) -> TokenStream {
    if also.is_empty() {
        return quote!(#wire);
    }
    let fields = own("fields");
    quote!(#fields.name_given(#wire, &[#(#also),*]))
}

fn limits(field: &Field) -> TokenStream {
    let Field { chars, line, filled, range, items, words, .. } = field;
    let range = pair(range.as_ref());
    let items = pair(items.as_ref());
    let is_text = field.with.is_none() && is(field.from.as_ref().unwrap_or_else(|| field.inner_type()), "String");
    let chars = match chars {
        Some(chars) => quote!(::core::option::Option::Some(#chars)),
        None if is_text => quote!(::core::option::Option::Some(::base::body::MAX_TEXT)),
        None => quote!(::core::option::Option::None),
    };
    let words = words.as_ref().map_or_else(|| quote!(&[]), |words| quote!(&#words));
    quote! {
        ::base::body::Limits { chars: #chars, line: #line, filled: #filled, range: #range, items: #items,
            words: #words }
    }
}

/// Is it a type of this name?
fn is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}

/// The ends of a range, as an `Option`.
pub fn pair(range: Option<&ExprRange>) -> TokenStream {
    let ends = range.and_then(|range| Some((range.start.as_ref()?, range.end.as_ref()?)));
    ends.map_or_else(
        || quote!(::core::option::Option::None),
        |(first, last)| quote!(::core::option::Option::Some((#first, #last))),
    )
}

/// The schema: that of a twin whose fields are what stands on the wire, with the limits of the reader added.
fn schema(declared: &Declared) -> TokenStream {
    let Declared { name, docs, fields, .. } = declared;
    let twin = format_ident!("{}Schema", name);
    let known = declared.schema.as_ref().map_or_else(|| name.to_string(), syn::LitStr::value);
    let example = declared.example.iter().map(|example| quote!(, example = #example));
    let shown: Vec<_> = fields.iter().filter(|field| !field.undocumented).collect();
    let twins = shown.iter().map(|field| twin_of(field));
    let limited = shown.iter().map(|field| limited(field));
    quote! {
        const _: () = {
            #(#docs)*
            #[derive(::utoipa::ToSchema)]
            #[schema(as = #twin #(#example)*)]
            #[expect(dead_code, reason = "only its schema is used")]
            struct #twin { #(#twins,)* }

            #[automatically_derived]
            impl ::utoipa::PartialSchema for #name {
                fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::schema::Schema> {
                    let mut schema = <#twin as ::utoipa::PartialSchema>::schema();
                    #(#limited)*
                    schema
                }
            }

            #[automatically_derived]
            impl ::utoipa::ToSchema for #name {
                fn name() -> ::std::borrow::Cow<'static, str> {
                    ::std::borrow::Cow::Borrowed(#known)
                }

                fn schemas(
                    schemas: &mut ::std::vec::Vec<(::std::string::String,
                        ::utoipa::openapi::RefOr<::utoipa::openapi::schema::Schema>)>,
                ) {
                    <#twin as ::utoipa::ToSchema>::schemas(schemas);
                }
            }
        };
    }
}

fn twin_of(field: &Field) -> TokenStream {
    let Field { name, docs, wire, .. } = field;
    let mut attributes = vec![quote!(rename = #wire)];
    attributes.extend(field.example.iter().map(|example| quote!(example = #example)));
    let held = on_the_wire(field.documented_type());
    // `null` is absence everywhere.
    let ty = if field.is_required() { held } else { quote!(::core::option::Option<#held>) };
    quote!(#(#docs)* #[schema(#(#attributes),*)] #name: #ty)
}

/// The type that a schema knows: times are texts.
fn on_the_wire(ty: &Type) -> TokenStream {
    match ty {
        Type::Reference(_) => quote!(::std::string::String),
        _ if is(ty, "Timestamp") => quote!(::std::string::String),
        _ if is(ty, "Map") => quote!(::utoipa::openapi::Object),
        _ => quote!(#ty),
    }
}

/// Adds the limits of a field to the schema, and the pattern of a time, or of its own.
fn limited(field: &Field) -> TokenStream {
    let Field { wire, .. } = field;
    let limits = limits(field);
    let pattern = match &field.pattern {
        Some(pattern) => quote!(::core::option::Option::Some(#pattern)),
        None if is(field.documented_type(), "Timestamp") => {
            quote!(::core::option::Option::Some(::base::Timestamp::PATTERN))
        }
        None => quote!(::core::option::Option::None),
    };
    quote!(::api::spec::limit(&mut schema, #wire, &#limits, #pattern);)
}
