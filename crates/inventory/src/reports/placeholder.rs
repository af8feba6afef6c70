//! Placeholders: values of firmware, hypervisors and drivers that have none, and
//! the one spelling of those that are real.

use super::placeholder_lists::{
    LABELS, PLACEHOLDER_SERIALS, PLACEHOLDER_UUIDS, PLACEHOLDERS, SHARED_MAC_PREFIXES, SHARED_MACS,
};

/// From this length on the beginning of a placeholder is one too: firmware cuts what is longer than its field.
const CUT: usize = 8;

/// Whether a serial number (or make, model, asset tag) is a value that firmware
/// and people put where there is none: `To be filled by O.E.M.`, `0`, `None`,
/// `123456789`, `SN-12345`, `XXXXXXX`, `1.2.3`, and anything with fewer than three letters and digits.
#[must_use]
pub fn is_placeholder_serial(serial: &str) -> bool {
    let word = reduce(serial);
    word.len() < 3
        || is_filler(&word)
        || word.contains("tobefilled")
        || word.contains("byoem")
        || is_listed(&word)
        || is_in(PLACEHOLDER_SERIALS, &word)
        || LABELS.split(' ').any(|label| word.strip_prefix(label).is_some_and(|rest| rest.is_empty() || is_typed(rest)))
        || is_version(serial.trim())
        || groups(serial).all(is_filler)
}

/// Whether a system UUID is one that many machines have, in either byte order.
#[must_use]
pub fn is_placeholder_uuid(uuid: &str) -> bool {
    let word = reduce(uuid);
    if word.len() < CUT || is_placeholder_serial(uuid) {
        return true;
    }
    let Some(swapped) = swap_byte_order(&word) else { return false };
    let most_frequent =
        |word: &str| (b'0'..=b'f').map(|digit| word.bytes().filter(|byte| *byte == digit).count()).max();
    // Of 32 digits that were drawn, 28 are never alike.
    most_frequent(&word) >= Some(28)
        || [8, 16].into_iter().any(|period| is_periodic(&word, period))
        // Only the first part was filled in.
        || ["0", "f"].into_iter().any(|digit| word.ends_with(&digit.repeat(24)))
        || [word, swapped].iter().any(|word| PLACEHOLDER_UUIDS.contains(&word.as_str()) || is_blank_dell_tag(word))
}

/// A system UUID in one spelling: lower case, with hyphens when it is a UUID
/// (some platforms report another opaque id there), and of its two byte orders
/// the one that sorts first. None for placeholders.
///
/// Firmware before SMBIOS 2.6 and operating systems differ in the order of the
/// bytes of the first three fields, so one machine may be reported with both.
#[must_use]
pub fn normal_uuid(uuid: &str) -> Option<String> {
    if is_placeholder_uuid(uuid) {
        return None;
    }
    let word = reduce(uuid);
    let Some(swapped) = swap_byte_order(&word) else { return Some(uuid.trim().to_lowercase()) };
    let word = word.min(swapped);
    let part = |from: usize, to: usize| word.get(from..to).unwrap_or_default();
    Some([part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-"))
}

/// The digits of a UUID in its other byte order; none for text that is not 32 hexadecimal digits.
fn swap_byte_order(word: &str) -> Option<String> {
    const ORDER: [usize; 8] = [6, 4, 2, 0, 10, 8, 14, 12];
    if word.len() != 32 || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let first: String = ORDER.iter().filter_map(|at| word.get(*at..at + 2)).collect();
    Some(first + word.get(16..)?)
}

/// Whether a UUID is one that Dell makes of a service tag (`DELL` and the characters of the tag), and the tag is blank.
fn is_blank_dell_tag(word: &str) -> bool {
    const TAG: [usize; 7] = [10, 12, 18, 20, 26, 28, 30];
    let is_blank = |at: &usize| {
        let byte = word.get(*at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        // The first bit of one of them says something else.
        byte.is_some_and(|byte| matches!(byte & 0x7f, 0 | 0x20))
    };
    word.starts_with("4c4c4544") && TAG.iter().all(is_blank)
}

/// A manufacturer's name without letter case, punctuation and legal form, so
/// that `Dell Inc.` and `DELL` are one. None for placeholders.
#[must_use]
pub fn normal_make(make: &str) -> Option<String> {
    const LEGAL: &[&str] = &[
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "co",
        "company",
        "ltd",
        "limited",
        "llc",
        "gmbh",
        "ag",
        "sa",
        "sas",
        "spa",
        "bv",
        "ab",
        "oy",
        "plc",
        "pty",
        "kk",
        "computer",
        "computers",
        "systems",
        "technologies",
        "international",
    ];
    let word = reduce(make);
    if word.len() < 2 || is_one_character(&word) || word.contains("tobefilled") || is_listed(&word) {
        return None;
    }
    let lower = make.to_lowercase();
    let mut words: Vec<&str> =
        lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    while words.len() > 1 && words.last().is_some_and(|word| LEGAL.contains(word)) {
        words.pop();
    }
    let make = words.join(" ");
    Some(match make.as_str() {
        "hewlett packard" | "hewlett packard enterprise" | "hpe" => "hp".to_owned(),
        _ => make,
    })
}

/// A hardware address as lower case pairs with colons; colons, hyphens, dots
/// and no separators are read. None when it is not six bytes.
#[must_use]
pub fn normal_mac(mac: &str) -> Option<String> {
    let mac = mac.trim();
    let mut bytes = Vec::with_capacity(6);
    let groups: Vec<&str> = mac.split([':', '-', '.', ' ']).collect();
    for group in &groups {
        let width = match (groups.len(), group.len()) {
            (6, 1 | 2) => group.len(),
            (3, 4) | (2, 6) | (1, 12) => 2,
            _ => return None,
        };
        for at in (0..group.len()).step_by(width) {
            let pair = group.get(at..at + width).filter(|pair| pair.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
        }
    }
    let bytes: [u8; 6] = bytes.try_into().ok()?;
    Some(bytes.map(|byte| format!("{byte:02x}")).join(":"))
}

/// Whether a normalised hardware address belongs to one machine alone. Not so: those that machines share, and locally
/// administered ones (containers, bridges, private addresses of phones) but for the random ones of QEMU.
#[must_use]
pub fn is_identifying_mac(mac: &str) -> bool {
    let local = first_byte(mac).is_none_or(|first| first & 2 != 0) && !mac.starts_with("52:54:00:");
    !local && !is_shared_mac(mac)
}

/// Whether a normalised hardware address is one that many machines have: zeros, broadcast and group addresses, those
/// that a program or a device gives to every machine, and those that routers share.
#[must_use]
pub fn is_shared_mac(mac: &str) -> bool {
    let bytes: String = mac.chars().filter(|character| *character != ':').collect();
    first_byte(mac).is_none_or(|first| first & 1 != 0)
        || is_one_character(&bytes)
        || bytes.ends_with("000000")
        || SHARED_MACS.contains(&mac)
        || SHARED_MAC_PREFIXES.iter().any(|prefix| mac.starts_with(prefix))
}

fn first_byte(mac: &str) -> Option<u8> {
    mac.get(..2).and_then(|pair| u8::from_str_radix(pair, 16).ok())
}

/// Lower-case letters and digits only.
fn reduce(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_one_character(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    first.is_some() && characters.all(|character| Some(character) == first)
}

/// The parts of a text between blanks and signs.
fn groups(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|group| !group.is_empty())
}

/// Whether a text is not a plausible serial number: one character, `0101`, `1212…`, `12345`, `987654`,
/// `123456789000`.
fn is_filler(text: &str) -> bool {
    let lower = text.to_lowercase();
    is_one_character(&lower)
        || lower.bytes().all(|byte| matches!(byte, b'0' | b'1'))
        || lower.len() >= 6 && is_periodic(&lower, 2) && lower.bytes().all(|byte| byte.is_ascii_digit())
        || is_counting(&lower)
        || is_typed(&lower)
}

/// Whether a text behind a label was typed to have something there: `xxxxxx`, `12345`, `123456789000`. `SN-0010` was
/// not.
fn is_typed(text: &str) -> bool {
    let significant = text.trim_end_matches('0');
    text.len() >= 3 && is_one_character(text)
        || text.len() >= 4 && is_counting(text)
        || significant.len() >= 5 && is_counting(significant)
}

/// Whether a text consists of its first `period` bytes again and again.
fn is_periodic(text: &str, period: usize) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > period && bytes.iter().skip(period).zip(bytes).all(|(later, byte)| later == byte)
}

/// `123456789`, `0123456789`, `1234567890`, `abcdef`, `987654`: each character follows the one before, or precedes it.
fn is_counting(text: &str) -> bool {
    let bytes = text.as_bytes();
    let follows = |before: u8, after: u8| {
        after == before.wrapping_add(1) || (before, after) == (b'9', b'0') || (before, after) == (b'9', b'a')
    };
    let all = |holds: &dyn Fn(u8, u8) -> bool| {
        bytes.windows(2).all(|pair| matches!(pair, [before, after] if holds(*before, *after)))
    };
    bytes.len() >= 3 && (all(&follows) || all(&|before, after| follows(after, before)))
}

/// `1.2.3`: numbers of at most two digits with dots.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    text.contains('.') && text.split('.').all(is_number)
}

/// Whether a word is a listed placeholder, or the beginning of one.
fn is_listed(word: &str) -> bool {
    is_in(PLACEHOLDERS, word)
        || word.len() >= CUT && PLACEHOLDERS.split(' ').any(|placeholder| placeholder.starts_with(word))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

#[cfg(test)]
mod tests;
