//! Lengths of time as products and Muster write them.

use serde_json::Value;

use crate::json::{number, text};

/// The seconds of `{"timeAmount": 5, "timeUnit": "minutes"}`.
///
/// # Errors
/// When the unit is unknown.
pub fn wait(value: &Value) -> Result<i64, String> {
    let amount = number(value, "timeAmount").unwrap_or(0);
    let unit = match text(value, "timeUnit").unwrap_or("minutes") {
        "seconds" => 1,
        "minutes" => 60,
        "hours" => 3_600,
        "days" => 86_400,
        other => return Err(format!("a time in {other:?} is not known")),
    };
    amount.checked_mul(unit).filter(|seconds| *seconds >= 0).ok_or_else(|| format!("{amount} is not a length of time"))
}

/// Seconds in the largest unit that they are a whole number of: `5m`.
pub fn shown(seconds: i64) -> String {
    match seconds {
        0 => "0s".to_owned(),
        _ if seconds % 86_400 == 0 => format!("{}d", seconds / 86_400),
        _ if seconds % 3_600 == 0 => format!("{}h", seconds / 3_600),
        _ if seconds % 60 == 0 => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}
