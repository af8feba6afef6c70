//! Repairs XML with characters that no XML may have, as agents of old copy them from firmware and programs.

use std::borrow::Cow;

use base::text::listed;

const NUL: &str = "NUL characters in the XML were left out";
const REFERENCES: &str = "references in the XML to no character were left out";
const NAMES: &str = "characters of the XML by their names in HTML were taken for what they mean";
const AMPERSANDS: &str = "ampersands in the XML that begin no reference were taken as they are";

/// What XML itself has names for.
const PREDEFINED: [&str; 5] = ["amp", "apos", "gt", "lt", "quot"];

/// The names that HTML has for the characters from U+00A0 to U+00FF, in their order.
const LATIN_1: [&str; 96] = listed(
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
    Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
    Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
    ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
    uuml yacute thorn yuml",
);

/// Others that stand in the names of programs.
const OTHERS: [(&str, char); 10] = [
    ("trade", '™'),
    ("euro", '€'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bull", '•'),
    ("hellip", '…'),
];

/// Leaves out NUL characters and references to no character, puts characters in the place of their names in HTML, and
/// escapes ampersands that begin no reference; also says what was repaired. Marked sections stay as they are, but for
/// NUL characters.
pub(super) fn repair(text: &str) -> (Cow<'_, str>, Vec<&'static str>) {
    let mut repairs = Vec::new();
    let mut note = |repair: &'static str| {
        if !repairs.contains(&repair) {
            repairs.push(repair);
        }
    };
    let mut out = String::new();
    let mut buffer = [0; 4];
    let mut rest = text;
    while let Some(at) = rest.find(['\0', '&', '<']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (kept, length) = match from.as_bytes() {
            [0, ..] => {
                note(NUL);
                ("", 1)
            }
            [b'<', ..] => {
                let section = from.strip_prefix("<![CDATA[").and_then(|section| section.find("]]>"));
                let length = section.map_or(1, |end| end + "<![CDATA[]]>".len());
                (from.get(..length).unwrap_or("<"), length)
            }
            _ => match reference(from) {
                Reference::Whole(length) => (from.get(..length).unwrap_or("&"), length),
                Reference::Named(character, length) => {
                    note(NAMES);
                    (&*character.encode_utf8(&mut buffer), length)
                }
                Reference::ToNothing(length) => {
                    note(REFERENCES);
                    ("", length)
                }
                Reference::None => {
                    note(AMPERSANDS);
                    ("&amp;", 1)
                }
            },
        };
        if kept.contains('\0') {
            note(NUL);
            out.extend(kept.split('\0'));
        } else {
            out.push_str(kept);
        }
        rest = from.get(length..).unwrap_or_default();
    }
    if repairs.is_empty() {
        return (Cow::Borrowed(text), repairs);
    }
    out.push_str(rest);
    (Cow::Owned(out), repairs)
}

/// The reference at an ampersand, with its length.
enum Reference {
    Whole(usize),
    Named(char, usize),
    ToNothing(usize),
    None,
}

fn reference(text: &str) -> Reference {
    const LONGEST: usize = 12;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';');
    let Some(name) = end.and_then(|end| text.get(1..end)) else { return Reference::None };
    let length = name.len() + 2;
    let Some(number) = name.strip_prefix('#') else {
        if PREDEFINED.contains(&name) {
            return Reference::Whole(length);
        }
        return named(name).map_or(Reference::None, |character| Reference::Named(character, length));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    match code {
        Ok(code) if code != 0 && char::from_u32(code).is_some() => Reference::Whole(length),
        Ok(_) => Reference::ToNothing(length),
        Err(_) => Reference::None,
    }
}

/// The character that HTML has a name for.
fn named(name: &str) -> Option<char> {
    let latin = ('\u{a0}'..='\u{ff}').zip(LATIN_1).map(|(character, name)| (name, character));
    latin.chain(OTHERS).find(|(known, _)| *known == name).map(|(_, character)| character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn illegal_characters_are_repaired() {
        for (text, expected, repairs) in [
            ("<a>AT&amp;T &#233; &#xe9;</a>", "<a>AT&amp;T &#233; &#xe9;</a>", vec![]),
            ("<a>a\0b&#0;&#x0;c</a>", "<a>abc</a>", vec![NUL, REFERENCES]),
            ("<a>x&#xD83D;&#xDE00;y</a>", "<a>xy</a>", vec![REFERENCES]),
            ("<a>AT&T & co; &; &#z;</a>", "<a>AT&amp;T &amp; co; &amp;; &amp;#z;</a>", vec![AMPERSANDS]),
            ("<a><![CDATA[R&D\0 &#0;]]>&</a>", "<a><![CDATA[R&D &#0;]]>&amp;</a>", vec![NUL, AMPERSANDS]),
            ("<a>&lt;&gt;&quot;&apos;</a>", "<a>&lt;&gt;&quot;&apos;</a>", vec![]),
            ("<a>a&nbsp;&copy; &yuml;&szlig;&trade;</a>", "<a>a\u{a0}© ÿß™</a>", vec![NAMES]),
            ("<a>&Copy; &unknown;</a>", "<a>&amp;Copy; &amp;unknown;</a>", vec![AMPERSANDS]),
        ] {
            assert_eq!(repair(text), (Cow::Borrowed(expected), repairs), "{text}");
        }
    }

    proptest! {
        #[test]
        fn survives_any_text(text: String, near in "(&|#|x|0|;|amp|copy|<!\\[CDATA\\[|\\]\\]>|\\PC|\u{0}){0,30}") {
            for text in [text, near] {
                let (once, _) = repair(&text);
                let (twice, repairs) = repair(&once);
                prop_assert_eq!((&*twice, repairs.len()), (&*once, 0));
            }
        }
    }
}
