//! `#[get("/path")]` and its like: a handler as a type that its domain lists, and as a route of actix-web, which
//! `#[utoipa::path]` asks for.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, ItemFn, LitStr};

/// Writes the type of the handler's name. The path is for the document, which reads it from the attribute.
pub fn write(path: TokenStream, handler: TokenStream) -> syn::Result<TokenStream> {
    let path: LitStr = syn::parse2(path)?;
    let handler: ItemFn = syn::parse2(handler)?;
    let name = &handler.sig.ident;
    let visibility = &handler.vis;
    let docs: Vec<&Attribute> = handler.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    Ok(quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #visibility struct #name;

        impl ::api::operations::Operation for #name {
            fn route() -> ::actix_web::Route {
                #handler
                ::actix_web::Route::new().to(#name)
            }
        }

        impl ::actix_web::dev::HttpServiceFactory for #name {
            fn register(self, config: &mut ::actix_web::dev::AppService) {
                let route = <Self as ::api::operations::Operation>::route();
                ::actix_web::dev::HttpServiceFactory::register(::actix_web::Resource::new(#path).route(route), config);
            }
        }
    })
}
