//! Keys, secrets and tokens: how they are made, hashed and compared ("Tenants and callers" in `docs/interface.md`).

use base::{hex, secret::Secret};
use outbox::{Entity, Tx, Unpublished};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

/// A SHA-256.
pub(crate) type Hash = [u8; 32];

/// Letters and digits only: a widespread client does not escape what it sends.
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// 62^43 is just over 2^256.
const LENGTH: usize = 43;

/// A new key, secret or token: 43 letters and digits, 256 random bits.
pub(crate) fn random() -> db::Result<Secret<String>> {
    let mut text = String::with_capacity(LENGTH);
    let mut bytes = [0; 64];
    while text.len() < LENGTH {
        getrandom::fill(&mut bytes).map_err(|error| db::Error::Fault(format!("no random bytes: {error}")))?;
        // 248 is the largest multiple of 62 in a byte; what lies above would favour the first letters.
        let letters = bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
        text.extend(letters.take(LENGTH - text.len()));
    }
    Ok(Secret::new(text))
}

/// The hash under which a secret or token is stored.
pub(crate) fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

/// Is this one of the secrets whose hashes are stored? Takes the same time wherever they differ, and looks at all.
/// Answers the hash that it has.
pub(crate) fn matching<'a>(secret: &Secret<String>, stored: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let given = hex(&hash(secret.expose()));
    let any = stored.into_iter().fold(Choice::from(0), |any, one| any | one.as_bytes().ct_eq(given.as_bytes()));
    bool::from(any).then_some(given)
}

/// The start of a secret's hash in hex: enough to tell the secrets of one key apart.
pub(crate) fn mark(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

/// May this text be the public part of an API key? Nothing else is looked up.
pub(crate) fn is_key(text: &str) -> bool {
    (8..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// May this text be the secret part?
pub(crate) fn is_secret(text: &str) -> bool {
    (16..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A row that comes with a secret, such as an API key: each change of it is a change of the secret too.
pub(crate) trait WithSecret {
    /// The name of the secret in the audit log.
    const SECRET: &'static str;

    /// The record of the row in the audit log, without the secret.
    type Record: Serialize + for<'r> From<&'r Self>;

    /// Its entity in the audit log.
    fn entity(&self) -> Entity<'_>;
}

/// Records that one is new, has another secret, or is gone.
pub(crate) fn record_change<T: WithSecret>(tx: &mut Tx<'_>, before: Option<&T>, after: Option<&T>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let secret = Unpublished::secret(T::SECRET, before.is_some(), after.is_some());
    let [before, after] = [before, after].map(|row| row.map(T::Record::from));
    tx.record_view_with(row.entity(), before.as_ref(), after.as_ref(), vec![secret])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_texts() {
        let one = random().unwrap();
        let two = random().unwrap();
        assert_eq!(one.expose().len(), 43);
        assert!(is_key(one.expose()) && is_secret(one.expose()));
        assert_ne!(one, two);
    }

    #[test]
    fn hashes() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&hash("abc")), known);
    }

    #[test]
    fn either_of_two_secrets_matches() {
        let secret = Secret::new("abc".to_owned());
        let right = hex(&hash("abc"));
        let wrong = hex(&hash("abd"));
        for live in [vec![right.as_str()], vec![&wrong, &right], vec![&right, &wrong]] {
            assert_eq!(matching(&secret, live), Some(right.clone()));
        }
        for live in [vec![wrong.as_str()], vec!["", "abc"], vec![]] {
            assert_eq!(matching(&secret, live), None);
        }
        assert_eq!(mark(&right), "ba7816bf8f01cfea");
    }

    #[test]
    fn shapes_of_keys_and_secrets() {
        assert!(is_key("abcd1234") && !is_key("abcd123") && !is_key("abcd-1234") && !is_key(&"a".repeat(129)));
        assert!(!is_key("abcd1234\0") && !is_key("äbcd12345"));
        assert!(is_secret("abcd1234abcd1234") && !is_secret("abcd1234abcd123") && !is_secret("abcd1234 abcd1234"));
    }
}
