//! The one field of a certificate that is read here: until when it holds (RFC 5280, section 4.1).

use base::timestamp::Timestamp;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// `notAfter`; `None` when this is no certificate.
pub(super) fn not_after(certificate: &[u8]) -> Option<Timestamp> {
    let (certificate, _) = field(certificate, SEQUENCE)?;
    let (signed, _) = field(certificate, SEQUENCE)?;
    let rest = field(signed, VERSION).map_or(signed, |(_, rest)| rest);
    let (_serial, rest) = field(rest, INTEGER)?;
    let (_algorithm, rest) = field(rest, SEQUENCE)?;
    let (_issuer, rest) = field(rest, SEQUENCE)?;
    let (validity, _) = field(rest, SEQUENCE)?;
    let (_, _not_before, rest) = any(validity)?;
    let (tag, text, _) = any(rest)?;
    let text = std::str::from_utf8(text).ok()?;
    let (year, rest) = match tag {
        UTC_TIME => {
            let (year, rest) = text.split_at_checked(2)?;
            (if year < "50" { format!("20{year}") } else { format!("19{year}") }, rest)
        }
        GENERALIZED_TIME => text.split_at_checked(4).map(|(year, rest)| (year.to_owned(), rest))?,
        _ => return None,
    };
    let part = |from: usize| rest.get(from..from + 2);
    let [month, day, hour, minute, second] = [part(0)?, part(2)?, part(4)?, part(6)?, part(8)?];
    Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

/// The content of the first field, which has this tag, and what follows it.
fn field(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    any(bytes).filter(|(tag, ..)| *tag == wanted).map(|(_, content, rest)| (content, rest))
}

/// Tag and content of the first field, and what follows it.
fn any(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        (length.iter().try_fold(0_usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)))?, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn until(year: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(vec!["a.test".to_owned()]).unwrap();
        params.not_after = date_time_ymd(year, 3, 7);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn both_kinds_of_time() {
        assert_eq!(not_after(&until(2031)), Timestamp::parse("2031-03-07T00:00:00Z"));
        assert_eq!(not_after(&until(2062)), Timestamp::parse("2062-03-07T00:00:00Z"));
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        let certificate = until(2031);
        for length in 0..certificate.len() {
            let _ = not_after(&certificate[..length]);
        }
        assert_eq!(not_after(&certificate[..100]), None);
        assert_eq!(not_after(&[0x30, 0xff]), None);
        assert_eq!(not_after(&[0x30, 0x88, 255, 255, 255, 255, 255, 255, 255, 255]), None);
    }
}
