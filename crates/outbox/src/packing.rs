//! Compression of audit log rows: an LZ4 block with a dictionary of their common texts.
//!
//! A row alone is too short to have much in common with itself. With the dictionary, to which the row's own tenant, id
//! and time belong, the 800 bytes that tell of a new machine take 125, in a microsecond or two: the one writer of a
//! SQLite file packs each row. Rows of earlier versions are DEFLATE (RFC 1951) with the same dictionary; that took 75
//! bytes, and ten microseconds.

use std::io::Read as _;

use base::timestamp::Timestamp;
use db::{Error, Result};
use flate2::{Decompress, bufread::ZlibDecoder};
use lz4_flex::block::{compress_into_with_dict, decompress_with_dict, get_maximum_output_size};

/// What rows often say, the most common last. It is never changed, or rows that were packed with it could not be
/// read: a better one would have another first byte.
const DICTIONARY: &str = include_str!("packing-1.txt");

/// What a packed text begins with: how it was packed. Behind the first stands the text's length, in four bytes, the
/// lowest first.
const LZ4: u8 = 2;
const DEFLATE: u8 = 1;

/// The longest text that is taken for one that was packed: more is a damaged row. A row tells of some hundred fields
/// with at most 2,000 characters each.
const LONGEST: usize = 64 << 20;

/// What a row says elsewhere, and what changed often says again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowContext<'a> {
    pub(crate) tenant_id: &'a str,
    pub(crate) entity_id: &'a str,
    pub(crate) at: Timestamp,
}

/// The text, packed; [`None`] when packing does not make it shorter.
pub(crate) fn pack(text: &str, about: RowContext<'_>) -> Option<Vec<u8>> {
    let length = u32::try_from(text.len()).ok()?.to_le_bytes();
    let mut packed = vec![0; 1 + length.len() + get_maximum_output_size(text.len())];
    let (head, block) = packed.split_at_mut(1 + length.len());
    head.copy_from_slice(&[&[LZ4][..], &length].concat());
    let taken = head.len() + compress_into_with_dict(text.as_bytes(), block, dictionary(about).as_bytes()).ok()?;
    packed.truncate(taken);
    packed.shrink_to_fit();
    (packed.len() < text.len()).then_some(packed)
}

/// The text that was packed, by what was the row's then.
pub(crate) fn unpack(packed: &[u8], about: RowContext<'_>) -> Result<String> {
    let dictionary = dictionary(about);
    let text = match packed.split_first() {
        Some((&LZ4, packed)) => expand(packed, dictionary.as_bytes()),
        Some((&DEFLATE, packed)) => inflate(packed, dictionary.as_bytes()),
        _ => Err("an unknown way".to_owned()),
    };
    text.and_then(|text| String::from_utf8(text).map_err(|error| error.to_string()))
        .map_err(|what| Error::Fault(format!("a row of the audit log cannot be unpacked: {what}")))
}

fn expand(packed: &[u8], dictionary: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let (length, block) = packed.split_first_chunk().ok_or("no length")?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|error| error.to_string())?;
    if length > LONGEST {
        return Err("no such length".to_owned());
    }
    let text = decompress_with_dict(block, length, dictionary).map_err(|error| error.to_string())?;
    if text.len() < length { Err("no end".to_owned()) } else { Ok(text) }
}

fn inflate(packed: &[u8], dictionary: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut decompress = Decompress::new(false);
    decompress.set_dictionary(dictionary).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    let reader = ZlibDecoder::new_with_decompress(packed, decompress);
    reader.take(LONGEST as u64).read_to_end(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// [`DICTIONARY`] as one line, with what the row says elsewhere in the place of `<tenant>`, `<id>` and `<time>`.
fn dictionary(about: RowContext<'_>) -> String {
    let time = about.at.to_string();
    let mut text = String::with_capacity(DICTIONARY.len() + 300);
    for line in DICTIONARY.lines() {
        let mut pieces = line.split('<');
        text.extend(pieces.next());
        for (name, rest) in pieces.filter_map(|piece| piece.split_once('>')) {
            text.push_str(match name {
                "tenant" => about.tenant_id,
                "id" => about.entity_id,
                _ => &time,
            });
            text.push_str(rest);
        }
    }
    text
}

#[cfg(test)]
mod tests;
