//! Numbers and texts as bytes: seven bits of a number a byte, the lowest first.

use uuid::Uuid;

/// What stands before a text, and before a UUID.
const TEXT: u8 = 0;
const UUID: u8 = 1;

/// Adds a number.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Adds how many there are of something.
pub fn put_count(bytes: &mut Vec<u8>, count: usize) {
    put(bytes, count as u64);
}

/// Adds a text; a UUID takes 16 bytes.
pub fn put_text(bytes: &mut Vec<u8>, text: &str) {
    match Uuid::try_parse(text).ok().filter(|uuid| uuid.to_string() == text) {
        Some(uuid) => {
            bytes.push(UUID);
            bytes.extend(uuid.as_bytes());
        }
        None => {
            bytes.push(TEXT);
            put_count(bytes, text.len());
            bytes.extend(text.as_bytes());
        }
    }
}

/// The text that [`put_text`] made these bytes of.
pub fn text(packed: &[u8]) -> Option<String> {
    let mut bytes = packed.get(1..)?;
    if packed.first() == Some(&UUID) {
        return Some(Uuid::from_slice(bytes).ok()?.to_string());
    }
    let length = take_count(&mut bytes)?;
    String::from_utf8(bytes.get(..length)?.to_vec()).ok()
}

/// Takes a number from the front.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

/// Takes a count, or a place in a list.
pub fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take(bytes)?).ok()
}

/// Takes a number of 32 bits.
pub fn take_small(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(bytes)?).ok()
}

/// Takes so many bytes from the front.
pub fn take_bytes<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// Takes the bytes that [`put_text`] added.
pub fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let all = *bytes;
    let kind = take_bytes(bytes, 1)?;
    let length = if kind == [UUID] { 16 } else { take_count(bytes)? };
    take_bytes(bytes, length)?;
    all.get(..all.len() - bytes.len())
}

/// The numbers that some bytes are.
#[derive(Clone, Debug)]
pub struct Numbers<'a>(pub &'a [u8]);

impl Numbers<'_> {
    /// How many there are.
    pub fn total(&self) -> usize {
        self.0.iter().filter(|byte| **byte < 0x80).count()
    }
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken() {
        let all = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let texts = ["", "ROS-1", "0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "0190A6B2-8F0E-7F6E-9D5A-3C1D7A5B2E90", "ü"];
        let mut bytes = Vec::new();
        all.iter().for_each(|number| put(&mut bytes, *number));
        assert_eq!(Numbers(&bytes).collect::<Vec<_>>(), all);
        assert_eq!(Numbers(&bytes).total(), all.len());
        texts.iter().for_each(|text| put_text(&mut bytes, text));
        let mut rest = bytes.as_slice();
        assert!(all.iter().all(|number| take(&mut rest) == Some(*number)));
        assert!(texts.iter().all(|known| text(take_text(&mut rest).unwrap()).as_deref() == Some(*known)));
        assert_eq!((rest, take(&mut rest)), (&[][..], None));
        assert_eq!((take(&mut &[0xff; 11][..]), take_text(&mut &[0, 9, 1][..])), (None, None));
    }
}
