//! Operations in groups, of which one is asked for each request.
//!
//! actix-web asks the routes of a scope one after the other, each by a regular expression. The guard has found the
//! declared path of a request by then: its [`Group`] says in which of some forty short lists the handler stands.

use std::sync::Arc;

use actix_web::{
    dev::HttpServiceFactory,
    guard::fn_guard,
    web::{ServiceConfig, scope},
};

use crate::paths;

/// The declared paths that begin with the same piece and have the same number of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    below_tenant: bool,
    pieces: usize,
    first: Arc<str>,
}

impl Group {
    /// The group of a declared path.
    pub(crate) fn of(pattern: &str) -> Self {
        let below = pattern.strip_prefix(paths::TENANT_PREFIX);
        let mut pieces = below.unwrap_or(pattern).split('/');
        // Many paths that are not below a tenant have these in common.
        let first = pieces.find(|piece| !["", "api", "v2"].contains(piece)).unwrap_or_default();
        Self { below_tenant: below.is_some(), first: first.into(), pieces: pieces.count() }
    }
}

type Register = Box<dyn FnOnce(&mut ServiceConfig)>;

/// The operations of a server, before it has them.
#[derive(Default)]
pub(crate) struct Groups(Vec<(Group, Vec<Register>)>);

impl Groups {
    /// Adds an operation of this declared path; within a group the order stays.
    pub(crate) fn add(&mut self, pattern: &str, operation: impl HttpServiceFactory + 'static) {
        let group = Group::of(pattern);
        let register: Register = Box::new(|config| {
            config.service(operation);
        });
        match self.0.iter_mut().find(|(known, _)| *known == group) {
            Some((_, operations)) => operations.push(register),
            None => self.0.push((group, vec![register])),
        }
    }

    /// Each group as a scope, which takes the requests that the guard has put into it.
    pub(crate) fn configure(self, config: &mut ServiceConfig) {
        for (group, operations) in self.0 {
            let takes = fn_guard(move |request| request.req_data().get::<Group>() == Some(&group));
            config.service(
                scope("").guard(takes).configure(|config| operations.into_iter().for_each(|register| register(config))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_together_that_begin_alike_and_are_as_long() {
        let below = |path: &str| format!("{}{path}", paths::TENANT_PREFIX);
        for (one, other, together) in [
            (below("/a/{id}"), below("/a/search"), true),
            (below("/a/{id}"), below("/a"), false),
            (below("/a/{id}"), below("/b/{id}"), false),
            (below("/a/{id}"), "/api/v2/a/{id}".to_owned(), false),
            ("/api/v2/me".to_owned(), "/api/v2/you".to_owned(), false),
            ("/".to_owned(), "/auth/session".to_owned(), false),
        ] {
            assert_eq!(Group::of(&one) == Group::of(&other), together, "{one} {other}");
        }
    }
}
