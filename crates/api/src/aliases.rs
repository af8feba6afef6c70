//! Further paths of operations: clients that know an operation by another path find it there.
//!
//! An alias is not a second operation. The document lists it, so that it has an id and a role and is counted on its
//! own; a request to it is admitted like any, and then goes on under the path of its operation, whose handler answers
//! it.

use actix_web::http::{Method, Uri, uri::PathAndQuery};
use utoipa::openapi::{OpenApi, PathItem, extensions::ExtensionsBuilder, path::Operation};

use crate::paths;

/// What an operation of the document says when it is an alias: the path of the operation that it stands for.
const SAME_AS: &str = "x-same-as";
/// What generators of clients look for to leave an operation out.
const INTERNAL: &str = "x-internal";

/// A further path of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    method: &'static Method,
    path: &'static str,
    of: &'static str,
    operation_id: &'static str,
}

impl Alias {
    /// The further path, below the tenant or, when it begins with `/api/`, from the root; the path of the operation,
    /// likewise, whose parameters have the same names; and the id of the alias in the document. The operation is a
    /// `GET`.
    pub const fn get(path: &'static str, of: &'static str, operation_id: &'static str) -> Self {
        Self { method: &Method::GET, path, of, operation_id }
    }

    /// As [`Alias::get`], of a `POST`.
    pub const fn post(path: &'static str, of: &'static str, operation_id: &'static str) -> Self {
        Self { method: &Method::POST, path, of, operation_id }
    }

    /// As [`Alias::get`], of a `DELETE`.
    pub const fn delete(path: &'static str, of: &'static str, operation_id: &'static str) -> Self {
        Self { method: &Method::DELETE, path, of, operation_id }
    }
}

/// Adds aliases to a document that has their operations. One without an operation is left out.
pub(crate) fn declare(document: &mut OpenApi, aliases: &[Alias]) {
    for alias in aliases {
        let path = full_path(alias.path);
        let of = full_path(alias.of);
        let target = document.paths.paths.get_mut(&of).and_then(|item| operation(item, alias.method)?.clone());
        let Some(mut same) = target else { continue };
        same.operation_id = Some(alias.operation_id.to_owned());
        let note = format!("The same operation as `{} {}`.", alias.method, alias.of);
        same.description = Some(match same.description.take() {
            Some(text) => format!("{note}\n\n{text}"),
            None => note,
        });
        same.extensions
            .get_or_insert_default()
            .merge(ExtensionsBuilder::new().add(SAME_AS, of).add(INTERNAL, true).build());
        if let Some(slot) = operation(document.paths.paths.entry(path).or_default(), alias.method) {
            *slot = Some(same);
        }
    }
}

fn full_path(path: &str) -> String {
    if path.starts_with("/api/") { path.to_owned() } else { format!("{}{path}", paths::TENANT_PREFIX) }
}

fn operation<'i>(item: &'i mut PathItem, method: &Method) -> Option<&'i mut Option<Operation>> {
    match *method {
        Method::GET => Some(&mut item.get),
        Method::POST => Some(&mut item.post),
        Method::DELETE => Some(&mut item.delete),
        _ => None,
    }
}

/// The path of the operation that this one of the document is an alias of.
pub(crate) fn target(operation: &Operation) -> Option<&str> {
    operation.extensions.as_ref()?.get(SAME_AS)?.as_str()
}

/// From a path of an alias to that of its operation, piece by piece.
#[derive(Debug)]
pub(crate) struct Rewrite(Vec<Segment>);

#[derive(Debug)]
enum Segment {
    Literal(String),
    /// The piece of the request's path with this number.
    Parameter(usize),
}

impl Rewrite {
    /// Between two paths of the document.
    ///
    /// # Errors
    /// When the alias has other parameters than the operation, or in another order.
    pub(crate) fn new(alias: &str, of: &str) -> Result<Self, String> {
        let parameters =
            |path: &str| path.split('/').filter(|segment| segment.contains('{')).collect::<Vec<_>>().join(", ");
        let own = parameters(alias);
        let needed = parameters(of);
        if own != needed {
            return Err(format!("{alias} has the parameters ({own}), and {of} needs ({needed})"));
        }
        let segment = |segment: &str| {
            if !segment.contains('{') {
                return Ok(Segment::Literal(segment.to_owned()));
            }
            let index = alias.split('/').position(|own| own == segment);
            index.map(Segment::Parameter).ok_or_else(|| format!("{alias} has no {segment}, which {of} needs"))
        };
        of.split('/').map(segment).collect::<Result<_, _>>().map(Self)
    }

    /// The address under which the operation finds this request; parameters and query stay as they were sent.
    pub(crate) fn apply(&self, uri: &Uri) -> Option<Uri> {
        let segments: Vec<&str> = uri.path().split('/').collect();
        let target_segments = self.0.iter().map(|segment| match segment {
            Segment::Literal(text) => Some(text.as_str()),
            Segment::Parameter(index) => segments.get(*index).copied(),
        });
        let mut target = target_segments.collect::<Option<Vec<_>>>()?.join("/");
        if let Some(query) = uri.query() {
            target.push('?');
            target.push_str(query);
        }
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(target).ok()?);
        Uri::from_parts(parts).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(alias: &str, of: &str, uri: &str) -> String {
        Rewrite::new(alias, of).unwrap().apply(&uri.parse().unwrap()).unwrap().to_string()
    }

    #[test]
    fn parameters_and_query_go_along() {
        let alias = "/t/{tenantId}/a/update/{aId}";
        let of = "/t/{tenantId}/a/{aId}";
        assert_eq!(rewritten(alias, of, "/t/client_1/a/update/x%2Fy?b=%20c&b"), "/t/client_1/a/x%2Fy?b=%20c&b");
        assert_eq!(rewritten("/a/{aId}/delete", "/a/{aId}", "http://h:1/a/7/delete"), "http://h:1/a/7");
        assert_eq!(rewritten("/b", "/b/search", "/b?pageNo=2"), "/b/search?pageNo=2");
    }

    #[test]
    fn an_alias_has_all_parameters_of_its_operation() {
        assert!(Rewrite::new("/a/delete", "/a/{aId}").unwrap_err().contains("{aId}"));
    }
}
