//! The header of a gzip member (RFC 1952): flate2 reads it only from a reader, and
//! bodies arrive in pieces.

use super::error::ReportError;

/// The length of the gzip header at the start of `bytes`, or none when it needs more.
pub(super) fn header_length(bytes: &[u8]) -> Result<Option<usize>, ReportError> {
    let Some([_, _, method, flags]) = bytes.first_chunk::<4>() else {
        return Ok(None);
    };
    if *method != 8 || flags & 0b1110_0000 != 0 {
        return Err(ReportError::malformed("the gzip header is not valid"));
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(length) = bytes.get(at..at + 2) else {
            return Ok(None);
        };
        at += 2 + usize::from(length[0]) + 256 * usize::from(length[1]);
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let Some(end) = bytes.get(at..).and_then(|b| b.iter().position(|&b| b == 0)) else {
                return Ok(None);
            };
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    Ok((at <= bytes.len()).then_some(at))
}
