//! What an answer says of rows that were refused, each by itself, while the request went well.

use std::io::{self, Write};

use serde_json::Value;

use crate::{failure::Failure, operations::Operation};

/// What a row is that was refused.
const REFUSED_RESULTS: [&str; 2] = ["error", "invalid"];
/// What the last line of a bulk request is, and the field beside the results.
const SUMMARY: &str = "summary";
/// The longest last line that is looked at, in bytes.
const LONGEST: usize = 64 << 10;

/// Does an operation answer what became of each row of its body, in an array?
pub fn has_results(operation: &Operation<'_>) -> bool {
    operation.method == "POST" && operation.row.is_some_and(|row| row.property("result").is_some())
}

/// Looks at an array of results, or at the summary that ends lines of them or stands beside them.
///
/// # Errors
/// When some were refused, or the body was not read to its end.
pub fn check_results(answer: &Value) -> Result<(), Failure> {
    let number = |name: &str| answer.get(name).and_then(Value::as_u64).unwrap_or_default();
    let word = |value: &Value| value.get("result").and_then(Value::as_str).map(ToOwned::to_owned);
    let (refused, of) = match answer {
        Value::Array(rows) => {
            let refused = rows.iter().filter_map(word).filter(|word| REFUSED_RESULTS.contains(&word.as_str())).count();
            (u64::try_from(refused).unwrap_or(u64::MAX), u64::try_from(rows.len()).unwrap_or(u64::MAX))
        }
        summary if word(summary).as_deref() == Some(SUMMARY) => (number("errors"), number("rows")),
        both => return both.get(SUMMARY).map_or(Ok(()), check_results),
    };
    if answer.get("complete").and_then(Value::as_bool) == Some(false) {
        let why = answer.get("message").and_then(Value::as_str).unwrap_or("the answer says no more");
        return Err(Failure::Refused(format!("the body was not read to its end: {why}")));
    }
    match refused {
        0 => Ok(()),
        refused => Err(Failure::Refused(format!("{refused} of {of} rows were refused; the answer says why"))),
    }
}

/// Passes lines on, and keeps the last.
pub struct LastLine<W> {
    to: W,
    last: Vec<u8>,
    /// Has the last one ended?
    ended: bool,
}

impl<W: Write> LastLine<W> {
    /// Passes them on to a writer.
    pub const fn new(to: W) -> Self {
        Self { to, last: Vec::new(), ended: false }
    }

    /// Looks at the last line.
    pub fn check_results(&self) -> Result<(), Failure> {
        serde_json::from_slice(&self.last).map_or(Ok(()), |last: Value| check_results(&last))
    }
}

impl<W: Write> Write for LastLine<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        for piece in bytes.get(..written).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            if std::mem::take(&mut self.ended) {
                self.last.clear();
            }
            let room = LONGEST.saturating_sub(self.last.len());
            self.last.extend_from_slice(piece.get(..piece.len().min(room)).unwrap_or_default());
            self.ended = piece.ends_with(b"\n");
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(answer: &Value) -> String {
        match check_results(answer) {
            Err(Failure::Refused(why)) => why,
            _ => String::new(),
        }
    }

    #[test]
    fn what_was_refused_is_counted() {
        assert_eq!(refusal(&json!([{"result": "created"}, {"result": "changed"}])), "");
        assert!(refusal(&json!([{"result": "created"}, {"result": "invalid"}])).starts_with("1 of 2 rows"));
        let summary = |errors: u64, complete: bool| {
            json!({"result": "summary", "rows": 3, "errors": errors,
            "complete": complete})
        };
        assert_eq!(refusal(&summary(0, true)), "");
        assert!(refusal(&summary(2, true)).starts_with("2 of 3 rows"));
        assert!(refusal(&summary(0, false)).starts_with("the body was not read to its end"));
        assert!(refusal(&json!({"results": [], "summary": summary(2, true)})).starts_with("2 of 3 rows"));
        assert_eq!(refusal(&json!({"hostName": "web-01", "result": 7})), "");
    }

    #[test]
    fn the_last_line_is_kept_however_it_arrives() {
        for size in 1..60 {
            let mut lines = LastLine::new(Vec::new());
            let text = "{\"result\":\"error\"}\n{\"result\":\"summary\",\"rows\":1,\"errors\":1}\n";
            text.as_bytes().chunks(size).for_each(|piece| lines.write_all(piece).unwrap());
            assert!(lines.check_results().is_err(), "in pieces of {size}");
            assert_eq!(lines.to, text.as_bytes());
        }
    }
}
