//! Mailboxes: decides whether two email addresses are the same mailbox, for identifying a person.
//!
//! Searches fold texts so that people find what they look for. Folding is not identity: it makes `ß` of `ss`, and `k`
//! of the Kelvin sign, while a mail server delivers to two different people.

use std::fmt;

use base::text::fold;

/// A mailbox. Of the name only the letter case of ASCII does not count, nothing else of Unicode; of the domain its
/// registered form (A-labels).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mailbox {
    name: String,
    domain: String,
}

impl Mailbox {
    /// Reads an address. `None` for a text that is none, and for a domain that IDNA would have to change beyond its
    /// letter case: such a spelling can be taken for another domain, so that it is nobody's.
    pub(crate) fn parse(address: &str) -> Option<Self> {
        let (name, domain) = address.rsplit_once('@')?;
        let is_empty = name.is_empty() || domain.is_empty();
        (!is_empty).then_some(Self { name: name.to_ascii_lowercase(), domain: registered(domain)? })
    }

    /// Folded forms of the addresses that may be this mailbox, for looking them up among folded ones. Not every address
    /// that has one of them is.
    pub(crate) fn folds(&self) -> [String; 2] {
        let shown = idna::domain_to_unicode(&self.domain).0;
        [&self.domain, &shown].map(|domain| fold(&format!("{}@{domain}", self.name)))
    }
}

/// One spelling for all that are this mailbox.
impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.domain)
    }
}

/// A domain as it is registered: its A-labels in small letters.
fn registered(domain: &str) -> Option<String> {
    let small: String = domain.chars().map(small).collect();
    if small.is_ascii() {
        return Some(small);
    }
    let registered = idna::domain_to_ascii_strict(&small).ok()?;
    let labels =
        |text: &str| -> Vec<String> { text.split('.').map(|label| idna::domain_to_unicode(label).0).collect() };
    (labels(&registered) == small.split('.').map(plain).collect::<Vec<_>>()).then_some(registered)
}

/// A label as people read it, when it is written as an A-label.
fn plain(label: &str) -> String {
    if label.is_ascii() { idna::domain_to_unicode(label).0 } else { label.to_owned() }
}

/// The small letter of a capital. A letter beyond ASCII has none within it.
fn small(letter: char) -> char {
    let mut small = letter.to_lowercase();
    match (small.next(), small.next()) {
        (Some(one), None) if one.is_ascii() == letter.is_ascii() => one,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(one: &str, other: &str) -> bool {
        let one = Mailbox::parse(one);
        let other = Mailbox::parse(other);
        one.is_some() && one == other
    }

    #[test]
    fn a_domain_has_many_spellings_and_a_name_one() {
        for (one, other) in [
            ("Ann.Lee@Example.NET", "ann.lee@example.net"),
            ("ann@fußball.example", "ann@xn--fuball-cta.example"),
            ("ann@FUẞBALL.Example", "ANN@XN--FUBALL-CTA.example"),
            ("ann@Ärzte.example", "ann@ärzte.example"),
            ("änn@example.net", "änn@EXAMPLE.net"),
            ("ann@bücher.xn--fuball-cta.example", "ann@xn--bcher-kva.fußball.example"),
        ] {
            assert!(is_one(one, other), "{one} {other}");
            let text = |address| Mailbox::parse(address).unwrap().to_string();
            assert_eq!(text(one), text(other));
            let folds = Mailbox::parse(one).unwrap().folds();
            assert!(folds.contains(&fold(other)) || other.contains("xn--bcher"), "{folds:?} {other}");
        }
    }

    #[test]
    fn letters_that_look_alike_or_fold_alike_are_others() {
        for (one, other) in [
            ("ceo@fußball.example", "ceo@fussball.example"),
            ("\u{212a}im@example.net", "kim@example.net"),
            ("\u{17f}am@example.net", "sam@example.net"),
            ("stra\u{df}e@example.net", "strasse@example.net"),
            ("ﬁn@example.net", "fin@example.net"),
            ("Änn@example.net", "änn@example.net"),
            ("a\u{308}nn@example.net", "änn@example.net"),
            ("ann@ban\u{212a}.example", "ann@bank.example"),
            ("ann@\u{17f}am.example", "ann@sam.example"),
            ("ann@ｂank.example", "ann@bank.example"),
            ("ann@bank。example", "ann@bank.example"),
            ("ann@ba\u{ad}nk.example", "ann@bank.example"),
            ("ann@ba\u{200b}nk.example", "ann@bank.example"),
            ("ann@bаnk.example", "ann@bank.example"),
            ("İ@example.net", "i@example.net"),
            ("ann@b\u{131}nk.example", "ann@bink.example"),
            ("ann@example.net.", "ann@example.net"),
        ] {
            assert!(!is_one(one, other), "{one} {other}");
        }
    }

    #[test]
    fn what_is_no_address_is_nobody() {
        for text in ["", "ann", "@example.net", "ann@", "ann@ba nk\u{e4}.example"] {
            assert_eq!(Mailbox::parse(text), None, "{text}");
        }
    }
}
