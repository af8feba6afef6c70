//! The keys that rules may name: a rule with a misspelt key matches nothing for ever, and nobody notices.

use crate::text::fold;

/// Keys of a kind of document, in their documented spelling; letter case does not count.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'k> {
    /// Properties, by name or path.
    pub names: &'k [&'k str],
    /// Properties that hold others of any name, such as tags.
    pub open: &'k [&'k str],
}

impl Keys<'_> {
    /// Is this one of them?
    pub fn has(&self, key: &str) -> bool {
        let key = fold(key.trim());
        let is = |name: &&str| fold(name) == key;
        let holds =
            |name: &&str| key.strip_prefix(&fold(name)).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.names.iter().any(is) || self.open.iter().any(holds)
    }
}

/// Why a key is none of these; `None` for one that is.
pub fn unknown_key(key: &str, known: &[Keys<'_>]) -> Option<String> {
    if known.iter().any(|keys| keys.has(key)) {
        return None;
    }
    let names = known.iter().flat_map(|keys| keys.names.iter().copied().map(str::to_owned));
    let open = known.iter().flat_map(|keys| keys.open.iter().map(|name| format!("{name}.*")));
    Some(format!("must be one of: {}", names.chain(open).collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALERT: Keys<'_> = Keys { names: &["subject", "device.hostName"], open: &["tags"] };

    #[test]
    fn names_paths_and_what_is_open() {
        for key in ["subject", "Subject", " DEVICE.HOSTNAME ", "tags", "tags.env", "tags.kubernetes.io/name"] {
            assert_eq!(unknown_key(key, &[ALERT]), None, "{key}");
        }
        for key in ["subjct", "device.hostnme", "tagsenv", "subject.x", ""] {
            let message = unknown_key(key, &[ALERT]);
            assert_eq!(message.as_deref(), Some("must be one of: subject, device.hostName, tags.*"), "{key}");
        }
    }
}
