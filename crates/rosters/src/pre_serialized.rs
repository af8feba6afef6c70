//! JSON that is written once and shown often.

use std::marker::PhantomData;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A value as JSON, with room for so many bytes. Texts, numbers and lists of them cannot fail to be written.
pub fn json<T: Serialize>(value: &T, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length);
    serde_json::to_writer(&mut out, value).map_or_else(|_| Vec::new(), |()| out)
}

/// A `T` as JSON: an answer holds it where it would hold the `T`.
pub struct PreSerialized<T>(Box<RawValue>, PhantomData<fn() -> T>);

impl<T: Serialize> PreSerialized<T> {
    /// Texts, numbers and lists of them cannot fail to be written.
    pub fn of(value: &T) -> Self {
        Self(to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()), PhantomData)
    }
}

impl<T> PreSerialized<T> {
    /// How long it is, in bytes.
    pub fn len(&self) -> usize {
        self.0.get().len()
    }
}

impl<T> Serialize for PreSerialized<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
