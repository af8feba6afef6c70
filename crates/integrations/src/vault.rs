//! Secrets at rest: sealed with ChaCha20-Poly1305 under a key that is not in the database, each bound to the tenant,
//! row and column that it stands in, so that a sealed text that is moved elsewhere does not open.

use std::sync::{Arc, RwLock};

use base::{hex, secret::Secret};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use ports::SealedAt;
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    digest,
    rand::{SecureRandom as _, SystemRandom},
};

/// The length of a key, in bytes.
pub const KEY_BYTES: usize = 32;

/// Why a secret cannot be sealed or opened. None of these says anything of the secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// Not 32 bytes in base64.
    #[error("a key is 32 bytes in base64; several are separated by commas or line breaks, the one in use first")]
    BadKey,
    /// There is none at all.
    #[error("no key for secrets is given")]
    NoKey,
    /// Sealed under a key that is not known here.
    #[error("a secret is sealed under the key {0}, which is not among the keys of this gateway")]
    UnknownKey(String),
    /// Changed, or moved from another row.
    #[error("a sealed secret is damaged, or belongs to another row")]
    Damaged,
    /// The system has no random numbers.
    #[error("no random numbers")]
    NoRandom,
}

impl From<VaultError> for db::Error {
    fn from(error: VaultError) -> Self {
        Self::Fault(error.to_string())
    }
}

/// The place that a secret is bound to, as additional authenticated data.
fn bound_to(at: SealedAt<'_>) -> String {
    // No part holds a line break: ids are made here, the others are literals.
    format!("muster secret 1\n{}\n{}\n{}\n{}", at.tenant, at.table, at.row, at.column)
}

struct Key {
    id: String,
    /// More of what `id` begins with.
    fingerprint: i64,
    key: LessSafeKey,
}

/// The keys, the one in use first.
struct Keys(Vec<Key>);

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '\n', '\r', ' ']).map(str::trim).filter(|word| !word.is_empty())
}

/// The keys of a file with a new one behind the first: gateways open with it, and none seals with it yet.
pub fn with_another(text: &str) -> Result<Secret<String>, VaultError> {
    let new = Vault::new_key()?;
    let mut all: Vec<&str> = words(text).collect();
    all.insert(all.len().min(1), new.expose());
    Ok(Secret::new(format!("{}\n", all.join("\n"))))
}

/// The keys of a file with the second before the first. [`None`] when there is no second.
pub fn with_second_first(text: &str) -> Option<Secret<String>> {
    let mut all: Vec<&str> = words(text).collect();
    if all.len() < 2 {
        return None;
    }
    all.swap(0, 1);
    Some(Secret::new(format!("{}\n", all.join("\n"))))
}

impl Keys {
    fn read(text: &str) -> Result<Self, VaultError> {
        let keys: Vec<Key> = words(text).map(Key::read).collect::<Result<_, _>>()?;
        if keys.is_empty() { Err(VaultError::NoKey) } else { Ok(Self(keys)) }
    }
}

impl Key {
    fn read(word: &str) -> Result<Self, VaultError> {
        let bytes = STANDARD_NO_PAD.decode(word.trim_end_matches('=')).map_err(|_| VaultError::BadKey)?;
        if bytes.len() != KEY_BYTES {
            return Err(VaultError::BadKey);
        }
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_| VaultError::BadKey)?;
        let sum = digest::digest(&digest::SHA256, &bytes);
        let mut start = [0; 8];
        start.copy_from_slice(&sum.as_ref()[..8]);
        let fingerprint = i64::from_be_bytes(start);
        Ok(Self { id: id_of(fingerprint), fingerprint, key: LessSafeKey::new(key) })
    }
}

/// The id that stands in what is sealed under the key of a fingerprint.
pub fn id_of(fingerprint: i64) -> String {
    hex(&fingerprint.to_be_bytes()[..4])
}

type Source = dyn Fn() -> Option<Secret<String>> + Send + Sync;

/// Seals and opens secrets.
pub struct Vault {
    keys: RwLock<Arc<Keys>>,
    /// Reads the keys again: a command may have rotated them meanwhile.
    again: Box<Source>,
}

impl Vault {
    /// With the keys that `source` gives: 32 bytes in base64 each, the one in use first. It is asked again before
    /// something is sealed, and when a key is not known.
    pub fn new(source: impl Fn() -> Option<Secret<String>> + Send + Sync + 'static) -> Result<Self, VaultError> {
        let text = source().ok_or(VaultError::NoKey)?;
        let keys = Keys::read(text.expose())?;
        Ok(Self { keys: RwLock::new(Arc::new(keys)), again: Box::new(source) })
    }

    /// With these keys, for good.
    pub fn of(keys: &str) -> Result<Self, VaultError> {
        let keys = Secret::new(keys.to_owned());
        Self::new(move || Some(keys.clone()))
    }

    /// A new key, as [`Vault::new`] reads it.
    pub fn new_key() -> Result<Secret<String>, VaultError> {
        Ok(Secret::new(STANDARD_NO_PAD.encode(random::<KEY_BYTES>()?)))
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&base::sync::read(&self.keys))
    }

    fn refresh(&self) {
        if let Some(text) = (self.again)()
            && let Ok(keys) = Keys::read(text.expose())
        {
            *base::sync::write(&self.keys) = Arc::new(keys);
        }
    }

    /// Seals a secret for its place.
    pub fn seal(&self, place: SealedAt<'_>, secret: &Secret<String>) -> Result<String, VaultError> {
        self.refresh();
        let keys = self.keys();
        let first = keys.0.first().ok_or(VaultError::NoKey)?;
        let nonce = random::<NONCE_LEN>()?;
        let mut bytes = secret.expose().clone().into_bytes();
        let sealed = first.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(bound_to(place)),
            &mut bytes,
        );
        sealed.map_err(|_| VaultError::Damaged)?;
        let whole: Vec<u8> = nonce.into_iter().chain(bytes).collect();
        Ok(format!("v1.{}.{}", first.id, STANDARD_NO_PAD.encode(whole)))
    }

    /// Opens what was sealed for this place.
    pub fn open(&self, place: SealedAt<'_>, sealed: &str) -> Result<Secret<String>, VaultError> {
        let (id, content) = split_sealed(sealed).ok_or(VaultError::Damaged)?;
        let keys = self.keys();
        match keys.0.iter().find(|key| key.id == id) {
            Some(key) => key.open(place, content),
            None => {
                self.refresh();
                let keys = self.keys();
                let key = keys.0.iter().find(|key| key.id == id);
                key.ok_or_else(|| VaultError::UnknownKey(id.to_owned()))?.open(place, content)
            }
        }
    }

    /// What the key in use is known by; of the key itself it says nothing.
    pub fn fingerprint(&self) -> i64 {
        self.keys().0.first().map_or(0, |first| first.fingerprint)
    }

    /// Is the key of this fingerprint one of these?
    pub fn has(&self, fingerprint: i64) -> bool {
        self.keys().0.iter().any(|key| key.fingerprint == fingerprint)
    }

    /// As [`Self::has`], once the keys were read again, where it is not among those that are known.
    pub fn finds(&self, fingerprint: i64) -> bool {
        self.has(fingerprint) || {
            self.refresh();
            self.has(fingerprint)
        }
    }

    /// Is this sealed under the key in use?
    pub fn is_current(&self, sealed: &str) -> bool {
        let keys = self.keys();
        keys.0.first().is_some_and(|first| split_sealed(sealed).is_some_and(|(id, _)| id == first.id))
    }
}

/// The key's id, and nonce and ciphertext.
fn split_sealed(sealed: &str) -> Option<(&str, &str)> {
    sealed.strip_prefix("v1.")?.split_once('.')
}

impl Key {
    fn open(&self, place: SealedAt<'_>, content: &str) -> Result<Secret<String>, VaultError> {
        let mut bytes = STANDARD_NO_PAD.decode(content).map_err(|_| VaultError::Damaged)?;
        if bytes.len() < NONCE_LEN {
            return Err(VaultError::Damaged);
        }
        let mut rest = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).map_err(|_| VaultError::Damaged)?;
        let aad = Aad::from(bound_to(place));
        let plain = self.key.open_in_place(nonce, aad, &mut rest).map_err(|_| VaultError::Damaged)?;
        String::from_utf8(plain.to_vec()).map(Secret::new).map_err(|_| VaultError::Damaged)
    }
}

/// Random bytes.
pub fn random<const N: usize>() -> Result<[u8; N], VaultError> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| VaultError::NoRandom)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
