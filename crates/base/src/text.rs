//! Comparison of texts, and bytes as text.

use std::path::Path;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Folds a text for matching without regard to letter case; two texts match when their folds are equal.
///
/// This is the only folding: names are stored folded and searched folded ("names match", in `docs/interface.md`). It is
/// Unicode NFC, every character in capitals and then in small letters, each on its own, and NFC again, because some
/// letters have a composed form in lower case only. The way over the capitals makes `ß` the same as `SS`, a ligature
/// the same as its letters, and the final Greek sigma the plain one. Folding twice is folding once. Blanks are kept.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Capitals may come apart into letters and marks that compose again, so they are put together before the next step.
    text.nfc().flat_map(capitals).nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// The capitals of a letter. The capital `ẞ` has none of its own, and the capital `İ` is another letter than `I`.
fn capitals(letter: char) -> impl Iterator<Item = char> {
    let letter = if letter == 'ẞ' { 'ß' } else { letter };
    letter.to_uppercase()
}

/// An id of a prefix, such as `EP-`, and a UUID in the spelling in which it is stored, whatever its letter case; a text
/// with another prefix is not such an id, and is folded.
pub fn spelled(id: &str, prefix: &str) -> String {
    let folded = fold(id.trim());
    folded.strip_prefix(&fold(prefix)).map(|uuid| format!("{prefix}{uuid}")).unwrap_or(folded)
}

/// Bytes, such as those of a hash, in hexadecimal digits with small letters.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// The words of a text, between blanks: for constants with more names than anybody wants to read a line each. A program
/// in which they are not as many as it says does not compile.
pub const fn listed<const N: usize>(text: &'static str) -> [&'static str; N] {
    let mut words = [""; N];
    let mut count = 0;
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b' ' {
            end += 1;
        }
        let (word, behind) = rest.split_at(end);
        words[count] = word;
        count += 1;
        rest = behind.trim_ascii_start();
    }
    assert!(count == N, "the words are not as many as the constant says");
    words
}

/// A text as it stands in HTML and XML, also within quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A word of a text, for full-text search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it stands in the text, in bytes.
    pub at: std::ops::Range<usize>,
    /// Folded, and cut to its first 64 characters.
    pub key: String,
}

/// The words of a text: its runs of letters and digits, with the marks that belong to them.
pub fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let tail = text.get(rest..)?;
        let start = rest + tail.find(char::is_alphanumeric)?;
        let tail = text.get(start..)?;
        let ends = |letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter);
        let end = tail.find(ends).map_or(text.len(), |length| start + length);
        rest = end;
        Some(Word { at: start..end, key: fold(text.get(start..end)?).chars().take(64).collect() })
    })
}

/// What is wrong with a text as a name, to be read after the field: a name is one line of at most `max_chars`
/// characters, and more than blanks.
pub fn name_error(text: &str, max_chars: usize) -> Option<String> {
    if text.trim().is_empty() {
        Some("is required".to_owned())
    } else if text.trim().chars().nth(max_chars).is_some() {
        Some(format!("must have at most {max_chars} characters"))
    } else {
        text.trim().chars().any(char::is_control).then(|| "must not contain control characters".to_owned())
    }
}

/// A word as it is compared where people write it in several ways: folded, without blanks, hyphens and underscores.
pub fn plain(word: &str) -> String {
    fold(word).chars().filter(|letter| !letter.is_whitespace() && !['-', '_'].contains(letter)).collect()
}

/// A path that `.` reads as a file, not as a command of the PATH.
pub fn shell_path(path: &Path) -> String {
    let text = path.display().to_string();
    shell_word(&if text.starts_with(['/', '.']) { text } else { format!("./{text}") })
}

/// As a shell takes it for one word.
pub fn shell_word(text: &str) -> String {
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b)) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests;
