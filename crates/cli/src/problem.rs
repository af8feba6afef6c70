//! What the service says when it refuses, in plain words.

use std::io::Read as _;

use reqwest::blocking::Response;
use serde_json::Value;

/// The most that is read of a refusal, in bytes, and shown of one in no known form, in characters.
const READ: u64 = 64 << 10;
const SHOWN: usize = 200;

/// A refusal as lines: the status and the reason, each wrong field, and the request as the log of the service names it.
pub fn explain(answer: Response) -> String {
    let status = answer.status();
    let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let request = header("X-Request-Id");
    let location = header("Location");
    let mut body = Vec::new();
    // What could be read of it is shown.
    let _ = answer.take(READ).read_to_end(&mut body);
    let mut lines = describe(&status.to_string(), &body);
    if let Some(location) = location {
        lines.push(format!("  it points to {location}"));
    }
    if let Some(request) = request {
        lines.push(format!("  request {request}"));
    }
    plain(&lines.join("\n"))
}

fn describe(status: &str, body: &[u8]) -> Vec<String> {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let reason = text("detail").or_else(|| text("error_description")).or_else(|| text("error"));
    let fields = value.get("errors").and_then(Value::as_array);
    let fields: Vec<String> = fields.into_iter().flatten().filter_map(field).collect();
    let reason = match (fields.is_empty(), reason, text("title")) {
        (false, _, Some(title)) => title.to_owned(),
        (_, Some(reason), _) => reason.to_owned(),
        (_, None, Some(title)) => title.to_owned(),
        (_, None, None) => {
            let text = String::from_utf8_lossy(body);
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect()
        }
    };
    let says_more = !reason.is_empty() && !status.ends_with(&reason);
    let first = if says_more { format!("{status}: {reason}") } else { status.to_owned() };
    [first].into_iter().chain(fields).collect()
}

fn field(value: &Value) -> Option<String> {
    let message = value.get("message")?.as_str()?;
    Some(match value.get("fieldName").and_then(Value::as_str).filter(|name| !name.is_empty()) {
        Some(name) => format!("  {name}: {message}"),
        None => format!("  {message}"),
    })
}

/// A text without what a terminal would obey.
pub fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() && letter != '\n' { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_with_its_fields() {
        let body = br#"{"title": "Invalid request", "detail": "a: b; c: d", "errors": [
            {"fieldName": "device.hostName", "message": "is too long"}, {"message": "no"}]}"#;
        let expected = ["400 Bad Request: Invalid request", "  device.hostName: is too long", "  no"];
        assert_eq!(describe("400 Bad Request", body), expected);
        assert_eq!(describe("404 Not Found", br#"{"title": "Not Found"}"#), ["404 Not Found"]);
        assert_eq!(describe("404 Not Found", br#"{"title": "x", "detail": "no such"}"#), ["404 Not Found: no such"]);
        assert_eq!(describe("502", b"<p>\nBad  gateway"), ["502: <p> Bad gateway"]);
        assert_eq!(describe("502", b""), ["502"]);
        assert_eq!(plain("a\u{1b}[31mb\n"), "a [31mb\n");
    }
}
