//! The two formats in which Prometheus and its kin take metrics, and which of them a client asks for.

use std::collections::HashSet;

/// A text format for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// Prometheus text, version 0.0.4: what everything reads.
    Text,
}

impl Format {
    /// What an `Accept` header asks for: OpenMetrics when it is named and nothing else is wanted more, else text.
    pub(crate) fn accepted(accept: Option<&str>) -> Self {
        let accept = accept.unwrap_or_default().to_ascii_lowercase();
        let mut open = 0.0;
        let mut text = 0.0;
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default();
            let quality = parts.find_map(|part| part.strip_prefix("q=")).and_then(|q| q.parse().ok());
            let quality: f32 = quality.unwrap_or(1.0);
            match kind {
                "application/openmetrics-text" => open = quality.max(open),
                "text/plain" => text = quality.max(text),
                _ => {}
            }
        }
        if open > 0.0 && open >= text { Self::OpenMetrics } else { Self::Text }
    }

    /// The value of `Content-Type`.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// The metrics in this format, from those in OpenMetrics.
    pub(crate) fn write(self, open_metrics: String) -> String {
        match self {
            Self::OpenMetrics => open_metrics,
            Self::Text => to_text(&open_metrics),
        }
    }
}

/// OpenMetrics as version 0.0.4. There a counter and an information are called like their samples, with the suffix, and
/// an information is a gauge; units and the mark of the end do not exist. All else is the same.
fn to_text(open_metrics: &str) -> String {
    let types = open_metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let suffixed = |kind: &'static str| -> HashSet<&str> {
        types
            .clone()
            .filter_map(|comment| comment.split_once(' '))
            .filter(|comment| comment.1 == kind)
            .map(|comment| comment.0)
            .collect()
    };
    let counters = suffixed("counter");
    let information = suffixed("info");
    let mut text = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines() {
        let comment = line.strip_prefix("# ").and_then(|comment| {
            let (keyword, comment) = comment.split_once(' ')?;
            let (name, value) = comment.split_once(' ')?;
            Some((keyword, name, value))
        });
        match comment {
            Some(("HELP" | "TYPE", name, _)) if counters.contains(name) => {
                text.push_str(&line.replacen(name, &format!("{name}_total"), 1));
            }
            Some(("HELP", name, help)) if information.contains(name) => {
                text.push_str(&format!("# HELP {name}_info {help}"));
            }
            Some(("TYPE", name, _)) if information.contains(name) => {
                text.push_str(&format!("# TYPE {name}_info gauge"));
            }
            Some(("HELP" | "TYPE", ..)) => text.push_str(line),
            _ if line.starts_with('#') => continue,
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
