use super::*;

#[test]
fn ids_have_one_spelling() {
    assert_eq!(spelled(" ep-0190A6B2 ", "EP-"), "EP-0190a6b2");
    assert_eq!(spelled("XX-0190A6B2", "EP-"), "xx-0190a6b2");
}

#[test]
fn words_of_a_constant_stand_between_blanks() {
    const NAMES: [&str; 3] = listed(
        " id name \
            hostName",
    );
    assert_eq!(NAMES, ["id", "name", "hostName"]);
    const NONE: [&str; 0] = listed("");
    assert!(NONE.is_empty());
}

#[test]
fn bytes_as_hexadecimal_digits() {
    assert_eq!(hex(&[0, 0x0a, 0x7f, 0xff]), "000a7fff");
    assert_eq!(hex(&[]), "");
}

#[test]
fn what_people_are_called_is_text() {
    assert_eq!(escaped("<b a='1'>&\"</b>"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;&lt;/b&gt;");
}

#[test]
fn letter_case_does_not_matter() {
    assert_eq!(fold("Web-01 "), "web-01 ");
    for (one, other) in
        [("ÄÖÜ", "äöü"), ("ΟΔΟΣ", "οδος"), ("ЖУРНАЛ", "журнал"), ("ẞ", "ß"), ("Straße", "STRASSE"), ("ﬁx", "FIX")]
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
fn words_are_runs_of_letters_and_digits() {
    let text = "Wie-geht's, ÄRGER2?";
    let found: Vec<Word> = words(text).collect();
    let keys: Vec<&str> = found.iter().map(|word| word.key.as_str()).collect();
    assert_eq!(keys, ["wie", "geht", "s", "ärger2"]);
    assert_eq!(&text[found[3].at.clone()], "ÄRGER2");
    let parted = words("A\u{308}rger").next().unwrap();
    assert_eq!((parted.key.as_str(), parted.at), ("ärger", 0..7));
    assert_eq!(words("").count() + words("!?… ").count(), 0);
    assert_eq!(words(&"x".repeat(100)).next().unwrap().key.len(), 64);
}

#[test]
fn names_are_one_line() {
    assert_eq!(name_error(" a ", 1), None);
    assert_eq!(name_error(" ", 1).unwrap(), "is required");
    assert_eq!(name_error("ab", 1).unwrap(), "must have at most 1 characters");
    assert_eq!(name_error("a\nb", 9).unwrap(), "must not contain control characters");
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
