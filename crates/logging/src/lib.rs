//! What this process says on standard error.

use std::{
    collections::HashMap,
    fmt,
    io::IsTerminal as _,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter, Layer,
    layer::{Context, SubscriberExt as _},
    registry::Registry,
    reload,
    util::SubscriberInitExt as _,
};

/// The HTTP library calls it an error when a client sends what is not a request, or goes away. The client is told;
/// anyone who wants to see it all the same names it in the filter.
const QUIET: &str = "actix_http=off";

/// A warning is told again, for the same cause, after so long.
const REPEAT_AFTER: Duration = Duration::from_secs(10);

/// How many causes are remembered.
const CAUSES: usize = 256;

/// For whom the log is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Anyone who keeps the log of a service: one JSON object a line, or text when a terminal watches.
    Service,
    /// The person who typed a command, or their script: text.
    Person,
}

/// How a line is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One JSON object a line.
    Json,
    /// Text for people.
    Text,
}

impl Format {
    /// The formats by their names.
    pub const NAMES: [&str; 2] = ["json", "text"];

    /// The format of this name.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "text" => Some(Self::Text),
            _ => None,
        }
    }
}

/// The log of this process, whose filter may change.
#[derive(Clone)]
pub struct Log(reload::Handle<EnvFilter, Registry>);

impl Log {
    /// Logs by another filter from now on; one that cannot be read changes nothing.
    pub fn set_filter(&self, text: &str) {
        if let Ok(filter) = filter(text)
            && let Err(error) = self.0.reload(filter)
        {
            tracing::warn!(%error, "the filter of the log stays");
        }
    }
}

/// The levels, from the one that logs nothing to the one that logs all.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Reads a filter of the log: parts with commas between them, each a level, or a target with its level, such as
/// `info,api=debug`. A part of the program without a level of its own logs by the level, or else its errors.
///
/// # Errors
/// What is wrong with it, in words.
pub fn filter(text: &str) -> Result<EnvFilter, String> {
    text.split(',').try_for_each(|part| check_part(part.trim()))?;
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    EnvFilter::try_new(format!("error,{QUIET},{}", parts.join(",")))
        .map_err(|error| format!("is neither a level nor a filter of the log: {error}"))
}

/// A filter that can be read, as it was written.
///
/// # Errors
/// As [`filter`] says.
pub fn checked(text: &str) -> Result<String, String> {
    filter(text).map(|_| text.to_owned())
}

/// The library takes a word that is not a level for a part of the program, and would log nothing of all the others.
fn check_part(part: &str) -> Result<(), String> {
    let (target, level) = part.split_once('=').map_or((None, part), |(target, level)| (Some(target), level));
    let wanted = "write off, error, warn, info, debug or trace, and after a comma perhaps a part of the program with \
                  its level, such as info,api=debug";
    let level = level.to_ascii_lowercase();
    if level.is_empty() {
        let place = target.map_or_else(|| "a part between commas".to_owned(), |target| format!("{target}="));
        return Err(format!("{place} has no level: {wanted}"));
    }
    if !LEVELS.contains(&level.as_str()) {
        let near = LEVELS.iter().find(|known| known.starts_with(&level) || level.starts_with(*known));
        let hint = near.map(|known| format!("; did you mean {known}?")).unwrap_or_default();
        let end = if hint.is_empty() { format!(": {wanted}") } else { hint };
        return Err(format!("{level} is not a level{end}"));
    }
    match target {
        Some(target)
            if target.is_empty() || !target.chars().all(|letter| letter.is_alphanumeric() || "_:".contains(letter)) =>
        {
            Err(format!("\"{target}\" is not a part of the program: {wanted}"))
        }
        _ => Ok(()),
    }
}

/// Starts the log; without a format it is the one of its reader. A line that cannot be written, because a disk is full,
/// is lost; to complain of it there would panic.
pub fn start(text: &str, format: Option<Format>, reader: Reader) -> Log {
    let (filter, handle) = reload::Layer::new(filter(text).unwrap_or_else(|_| EnvFilter::new("info")));
    let terminal = std::io::stderr().is_terminal();
    let format = format.unwrap_or(if reader == Reader::Person || terminal { Format::Text } else { Format::Json });
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let lines = lines.with_ansi(terminal);
    let log = tracing_subscriber::registry().with(filter);
    match (format, reader) {
        (Format::Json, _) => {
            let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
            log.with(lines).with(RepeatFilter::default()).init();
        }
        (Format::Text, Reader::Service) => log.with(lines.compact()).with(RepeatFilter::default()).init(),
        (Format::Text, Reader::Person) => log.with(lines.compact().without_time().with_target(false)).init(),
    }
    Log(handle)
}

/// Lets a warning through once in a while for each cause: in an outage all that goes on by itself fails again and
/// again, and for the same reason. What has the id of a request is let through always.
#[derive(Default)]
struct RepeatFilter(Mutex<HashMap<String, Instant>>);

impl RepeatFilter {
    fn is_new(&self, cause: String, now: Instant) -> bool {
        let mut last_logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last_logged.len() >= CAUSES {
            last_logged.retain(|_, logged_at| now.duration_since(*logged_at) < REPEAT_AFTER);
        }
        match last_logged.get(&cause) {
            Some(logged_at) if now.duration_since(*logged_at) < REPEAT_AFTER => false,
            _ if last_logged.len() >= CAUSES => true,
            _ => {
                last_logged.insert(cause, now);
                true
            }
        }
    }
}

impl<S: Subscriber> Layer<S> for RepeatFilter {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        if *event.metadata().level() > Level::WARN {
            return true;
        }
        let mut visitor = CauseVisitor::default();
        event.record(&mut visitor);
        match visitor {
            CauseVisitor { cause: Some(cause), of_request: false } => self.is_new(cause, Instant::now()),
            _ => true,
        }
    }
}

/// What an event says of its cause.
#[derive(Default)]
struct CauseVisitor {
    cause: Option<String>,
    of_request: bool,
}

impl Visit for CauseVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            // Ports and processes change from one attempt to the next.
            "error" => self.cause = Some(format!("{value:?}").replace(|letter: char| letter.is_ascii_digit(), "")),
            "request_id" => self.of_request = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_of_the_log_says_its_levels() {
        for text in ["info", "INFO", "info,api=debug", "off", "warn, db::reach=trace"] {
            assert!(filter(text).is_ok(), "{text}");
        }
        for (text, told) in [
            ("warning", "warning is not a level; did you mean warn?"),
            ("inf", "inf is not a level; did you mean info?"),
            ("verbose", "verbose is not a level: write off, error, warn, info, debug or trace"),
            ("info,api", "api is not a level: "),
            ("info,api=loud", "loud is not a level: "),
            ("nonsense=", "nonsense= has no level: "),
            ("info,api=", "api= has no level: "),
            ("", "a part between commas has no level: "),
            ("info,", "a part between commas has no level: "),
            ("=info", "\"\" is not a part of the program: "),
            ("fo=o=bar", "o=bar is not a level: "),
            ("a b=info", "\"a b\" is not a part of the program: "),
        ] {
            let error = filter(text).unwrap_err();
            assert!(error.starts_with(told), "{text}: {error}");
        }
    }

    #[test]
    fn errors_are_logged_where_a_filter_names_one_part_only() {
        assert!(filter("api=debug").unwrap().to_string().split(',').any(|part| part == "error"));
    }

    #[test]
    fn a_cause_is_told_once_in_a_while() {
        let storm = RepeatFilter::default();
        let begun = Instant::now();
        assert!(storm.is_new("away".to_owned(), begun));
        assert!(!storm.is_new("away".to_owned(), begun + REPEAT_AFTER / 2));
        assert!(storm.is_new("full".to_owned(), begun + REPEAT_AFTER / 2));
        assert!(storm.is_new("away".to_owned(), begun + REPEAT_AFTER));
        for cause in 0..2 * CAUSES {
            assert!(storm.is_new(format!("cause {cause}"), begun + REPEAT_AFTER), "none is lost for want of room");
        }
        assert!(storm.0.lock().unwrap().len() <= CAUSES);
    }
}
