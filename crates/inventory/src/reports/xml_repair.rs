//! Repairs XML with characters that no XML may have, as agents of old copy them from firmware and programs.

use std::borrow::Cow;

const NUL: &str = "NUL characters in the XML were left out";
const REFERENCES: &str = "references in the XML to no character were left out";
const AMPERSANDS: &str = "ampersands in the XML that begin no reference were taken as they are";

/// Leaves out NUL characters and references to no character, and escapes ampersands that begin no reference; also says
/// what was repaired. Marked sections stay as they are, but for NUL characters.
pub(super) fn repair(text: &str) -> (Cow<'_, str>, Vec<&'static str>) {
    let mut repairs = Vec::new();
    let mut note = |repair: &'static str| {
        if !repairs.contains(&repair) {
            repairs.push(repair);
        }
    };
    let mut out = String::new();
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
    ToNothing(usize),
    None,
}

fn reference(text: &str) -> Reference {
    const LONGEST: usize = 12;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';');
    let Some(name) = end.and_then(|end| text.get(1..end)) else { return Reference::None };
    let length = name.len() + 2;
    let Some(number) = name.strip_prefix('#') else {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        return if is_name { Reference::Whole(length) } else { Reference::None };
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
            ("<a>&nbsp;</a>", "<a>&nbsp;</a>", vec![]),
        ] {
            assert_eq!(repair(text), (Cow::Borrowed(expected), repairs), "{text}");
        }
    }

    proptest! {
        #[test]
        fn survives_any_text(text: String, near in "(&|#|x|0|;|amp|<!\\[CDATA\\[|\\]\\]>|\\PC|\u{0}){0,30}") {
            for text in [text, near] {
                let (once, _) = repair(&text);
                let (twice, repairs) = repair(&once);
                prop_assert_eq!((&*twice, repairs.len()), (&*once, 0));
            }
        }
    }
}
