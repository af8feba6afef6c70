//! Hashes of tables, which two databases work out alike.

use std::fmt::{self, Display, Formatter};

use sha2::{Digest as _, Sha256};

use crate::value::{Row, Value};

/// The number of rows and the sum of their SHA-256, so that it does not matter in which order they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hash {
    pub(crate) rows: u64,
    sum: [u64; 4],
}

impl Hash {
    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Row) {
        let digest = Sha256::digest(canonical(row));
        for (sum, bytes) in self.sum.iter_mut().zip(digest.as_slice().chunks_exact(8)) {
            let part = bytes.try_into().map_or(0, u64::from_be_bytes);
            *sum = sum.wrapping_add(part);
        }
        self.rows += 1;
    }
}

impl Display for Hash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [first, second, ..] = self.sum;
        write!(f, "{first:016x}{second:016x}")
    }
}

/// The values one after the other, each with its type and length, so that no two rows are written alike.
fn canonical(row: &Row) -> Vec<u8> {
    let mut text = Vec::with_capacity(row.size() + 9 * row.0.len());
    for value in &row.0 {
        let number;
        let (kind, bytes): (u8, &[u8]) = match value {
            Value::Null => (b'n', &[]),
            Value::Integer(value) => {
                number = value.to_string();
                (b'i', number.as_bytes())
            }
            Value::Text(text) => (b't', text.as_bytes()),
            Value::Bytes(bytes) => (b'b', bytes),
        };
        text.push(kind);
        text.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        text.extend_from_slice(bytes);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[Vec<Value>]) -> Hash {
        let mut hash = Hash::default();
        rows.iter().for_each(|row| hash.add(&Row(row.clone())));
        hash
    }

    #[test]
    fn rows_count_and_their_order_does_not() {
        let text = |text: &str| Value::Text(text.to_owned());
        let [one, two] = [vec![text("a"), text("bc")], vec![text("ab"), text("c")]];
        assert_eq!(of(&[one.clone(), two.clone()]), of(&[two.clone(), one.clone()]));
        assert_ne!(of(std::slice::from_ref(&one)), of(std::slice::from_ref(&two)));
        assert_ne!(of(&[one.clone(), one.clone()]), of(&[one, two]));
        assert_ne!(of(&[vec![Value::Null]]), of(&[vec![text("")]]));
        assert_ne!(of(&[vec![Value::Integer(1)]]), of(&[vec![text("1")]]));
        assert_ne!(of(&[vec![text("a")]]), of(&[vec![Value::Bytes(b"a".to_vec())]]));
    }
}
