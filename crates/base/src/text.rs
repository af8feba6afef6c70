//! How texts are compared.

use unicode_normalization::UnicodeNormalization;

/// Folds a text for matching without regard to letter case; two texts match when their folds are equal.
///
/// This is the only folding: names are stored folded and searched folded ("names match", in
/// `docs/interface.md`). It is Unicode NFC, every character lower-cased on its own, and NFC again,
/// because some letters have a composed form in lower case only. The final Greek sigma counts as
/// the plain one, as it does in capitals. Folding twice is folding once. Blanks are kept.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfc().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter }).nfc().collect()
}

/// A word as it is compared where people write it in several ways: folded, without blanks, hyphens and underscores.
pub fn plain(word: &str) -> String {
    fold(word).chars().filter(|letter| !letter.is_whitespace() && !['-', '_'].contains(letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_does_not_matter() {
        assert_eq!(fold("Web-01 "), "web-01 ");
        for (one, other) in [("ÄÖÜ", "äöü"), ("ΟΔΟΣ", "οδος"), ("ЖУРНАЛ", "журнал"), ("ẞ", "ß")]
        {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
    }

    #[test]
    fn composition_does_not_matter() {
        assert_eq!(fold("E\u{301}te\u{301}"), fold("été"));
        // This letter is composed in lower case only.
        assert_eq!(fold("J\u{30C}"), fold("\u{1F0}"));
    }

    #[test]
    fn folding_twice_is_folding_once() {
        let cased = |letter: &char| letter.to_lowercase().ne([*letter]) || letter.to_uppercase().ne([*letter]);
        for letter in ('\0'..=char::MAX).filter(cased) {
            for mark in ["", "\u{301}", "\u{307}", "\u{30C}", "\u{345}"] {
                let once = fold(&format!("{letter}{mark}"));
                assert_eq!(fold(&once), once, "{letter:?} {mark:?}");
            }
        }
    }
}
