//! Declared paths, and how a path is logged.

use std::borrow::Cow;

/// The prefix of every operation of a tenant.
pub const TENANT_PREFIX: &str = "/api/v2/tenants/{tenantId}";

/// A parameter that is a secret by itself: anyone who has the address may use it.
const SECRET: &str = "{token}";

/// What stands in the log in place of a secret.
const HIDDEN: &str = "[secret]";

/// A piece of a path that leads nowhere is not a secret up to this length: all tokens are longer.
const NO_SECRET: usize = 24;

/// A path as it is logged, without the secrets in it, however it was written. `pattern` is the declared path that it is
/// an instance of; of a path that is an instance of none, every piece that may be a secret is left out.
pub(crate) fn loggable<'p>(path: &'p str, pattern: Option<&str>) -> Cow<'p, str> {
    let hidden: Vec<&str> = match pattern {
        Some(pattern) if !pattern.contains(SECRET) => return Cow::Borrowed(path),
        Some(pattern) => {
            let pieces = pattern.split('/').zip(path.split('/'));
            pieces.map(|(declared, piece)| if declared.contains(SECRET) { HIDDEN } else { piece }).collect()
        }
        None if path.len() <= NO_SECRET => return Cow::Borrowed(path),
        None => path.split('/').map(|piece| if piece.len() > NO_SECRET { HIDDEN } else { piece }).collect(),
    };
    Cow::Owned(hidden.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_logged_however_they_are_written() {
        let token = "0123456789abcdef0123456789abcdef";
        for (path, pattern, logged) in [
            ("/i/T/zabbix", Some("/i/{token}/{format}"), "/i/[secret]/zabbix"),
            ("/%69/%61bc", Some("/i/{token}"), "/%69/[secret]"),
            ("/t/client_1/a/T", Some("/t/{tenantId}/a/{id}"), "/t/client_1/a/T"),
            ("/i/T/nothing/here", None, "/i/[secret]/nothing/here"),
            ("/i/T%2Fx", None, "/i/[secret]"),
            ("/I/T;x=y", None, "/I/[secret]"),
            ("/nowhere", None, "/nowhere"),
        ] {
            assert_eq!(loggable(&path.replace('T', token), pattern), logged.replace('T', token), "{path}");
        }
    }

    /// Slashes and letters of other scripts stay within their piece, and the search goes back from a literal.
    #[test]
    fn a_literal_goes_before_a_parameter_in_its_place() {
        let patterns = ["/a", "/a/{id}", "/a/{id}/x", "/a/search", "/a/search/{name}/y", "/{kind}/search"];
        let mut router = matchit::Router::new();
        patterns.iter().for_each(|pattern| router.insert(*pattern, *pattern).unwrap());
        for (path, pattern, value) in [
            ("/a/search", Some("/a/search"), None),
            ("/a/search/x", Some("/a/{id}/x"), Some("search")),
            ("/a/search/1/y", Some("/a/search/{name}/y"), Some("1")),
            ("/b/search", Some("/{kind}/search"), Some("b")),
            ("/a/é%2Fy", Some("/a/{id}"), Some("é%2Fy")),
            ("/a/", None, None),
            ("/a//x", None, None),
            ("/b", None, None),
            ("a", None, None),
            ("", None, None),
        ] {
            let matched = router.at(path).ok();
            assert_eq!(matched.as_ref().map(|matched| *matched.value), pattern, "{path}");
            let params = matched.iter().flat_map(|matched| matched.params.iter());
            assert_eq!(params.map(|(_, value)| value).next(), value, "{path}");
        }
    }
}
