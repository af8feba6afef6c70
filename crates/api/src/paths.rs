//! Which declared path a request means, without trying one expression after the other.

use std::{borrow::Cow, collections::HashMap, str::Split};

/// The prefix of every operation of a tenant.
pub const TENANT_PREFIX: &str = "/api/v2/tenants/{tenantId}";

/// A parameter that is a secret by itself: whoever has the address may use it.
const SECRET: &str = "{token}";

/// What stands in the log in place of a secret.
const HIDDEN: &str = "[secret]";

/// A piece of a path that leads nowhere is no secret up to this length: all tokens are longer.
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

/// Paths with parameters, such as `/a/{id}/b`, each with a value. A literal piece goes before a parameter in its place.
pub(crate) struct Paths<T>(Node<T>);

struct Node<T> {
    literal: HashMap<String, Node<T>>,
    parameters: Vec<Parameter<T>>,
    value: Option<T>,
}

/// A piece such as `{id}` or `{token}.ics`.
struct Parameter<T> {
    before: String,
    after: String,
    next: Node<T>,
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self { literal: HashMap::new(), parameters: Vec::new(), value: None }
    }
}

impl<T> Default for Paths<T> {
    fn default() -> Self {
        Self(Node::default())
    }
}

impl<T> Paths<T> {
    /// Adds a path. One that is there already gets the new value.
    pub(crate) fn insert(&mut self, pattern: &str, value: T) {
        let node = pattern.split('/').fold(&mut self.0, Node::step);
        node.value = Some(value);
    }

    /// The value of the path that this one is an instance of.
    pub(crate) fn find(&self, path: &str) -> Option<&T> {
        self.0.find(path.split('/'))
    }
}

impl<T> Node<T> {
    fn step(&mut self, piece: &str) -> &mut Self {
        let Some((before, rest)) = piece.split_once('{') else {
            return self.literal.entry(piece.to_owned()).or_default();
        };
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        let known = self.parameters.iter().position(|known| known.before == before && known.after == after);
        let place = known.unwrap_or_else(|| {
            self.parameters.push(Parameter {
                before: before.to_owned(),
                after: after.to_owned(),
                next: Self::default(),
            });
            self.parameters.len() - 1
        });
        &mut self.parameters[place].next
    }

    fn find(&self, mut pieces: Split<'_, char>) -> Option<&T> {
        let Some(piece) = pieces.next() else { return self.value.as_ref() };
        let literal = self.literal.get(piece).and_then(|next| next.find(pieces.clone()));
        literal.or_else(|| {
            let taking = self.parameters.iter().filter(|parameter| parameter.takes(piece));
            taking.map(|parameter| parameter.next.find(pieces.clone())).find_map(|found| found)
        })
    }
}

impl<T> Parameter<T> {
    fn takes(&self, piece: &str) -> bool {
        let value = piece.strip_prefix(self.before.as_str()).and_then(|rest| rest.strip_suffix(self.after.as_str()));
        value.is_some_and(|value| !value.is_empty())
    }
}

/// Where the parameters of a declared path are.
#[derive(Debug)]
pub(crate) struct Parameters(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    piece: usize,
    name: String,
    before: usize,
    after: usize,
}

impl Parameters {
    /// Of this path.
    pub(crate) fn of(pattern: &str) -> Self {
        let place = |(piece, text): (usize, &str)| {
            let (before, rest) = text.split_once('{')?;
            let (name, after) = rest.split_once('}')?;
            Some(Slot { piece, name: name.to_owned(), before: before.len(), after: after.len() })
        };
        Self(pattern.split('/').enumerate().filter_map(place).collect())
    }

    /// Their names, and their values in an instance of the path, in its order.
    pub(crate) fn values(&self, path: &str) -> impl Iterator<Item = (String, String)> {
        let mut pieces = path.split('/').enumerate();
        self.0.iter().filter_map(move |place| {
            let (_, piece) = pieces.find(|(number, _)| *number == place.piece)?;
            let value = piece.get(place.before..piece.len().checked_sub(place.after)?)?;
            Some((place.name.clone(), value.to_owned()))
        })
    }
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

    #[test]
    fn the_values_of_a_path_are_told_in_its_order() {
        let told = |pattern: &str, path: &str| {
            let parameters = Parameters::of(pattern);
            let values = parameters.values(path).map(|(name, value)| format!("{name}={value}"));
            values.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told("/t/{tenantId}/a/{id}", "/t/client_1/a/x%2Fy"), "tenantId=client_1 id=x%2Fy");
        assert_eq!(told("/f/{id}/{token}.ics", "/f/1/é.ics"), "id=1 token=é");
        assert_eq!(told("/f/search", "/f/search"), "");
        assert_eq!(told("/f/{token}.ics", "/f/x"), "");
    }

    #[test]
    fn a_path_is_found_by_its_pieces() {
        let patterns =
            ["/a", "/a/{id}", "/a/{id}/x", "/a/search", "/a/search/{name}/y", "/{kind}/search", "/a/{id}/{token}.ics"];
        let mut paths = Paths::default();
        patterns.iter().for_each(|pattern| paths.insert(pattern, *pattern));
        for (path, expected) in [
            ("/a", Some("/a")),
            ("/a/", None),
            ("/a/1", Some("/a/{id}")),
            ("/a/search", Some("/a/search")),
            ("/b/search", Some("/{kind}/search")),
            ("/a/1/x", Some("/a/{id}/x")),
            ("/a/search/x", Some("/a/{id}/x")),
            ("/a/search/1/y", Some("/a/search/{name}/y")),
            ("/a/1/f.ics", Some("/a/{id}/{token}.ics")),
            ("/a/1/.ics", None),
            ("/a//x", None),
            ("/b", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(paths.find(path).copied(), expected, "{path}");
        }
    }
}
