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

/// Starts the log. A line that cannot be written, because a disk is full, is lost; to complain of it there would panic.
pub fn start(filter: &str, reader: Reader) {
    let filter = EnvFilter::try_new(format!("{QUIET},{filter}")).unwrap_or_else(|_| EnvFilter::new("info"));
    let terminal = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let lines = lines.with_ansi(terminal);
    let log = tracing_subscriber::registry().with(filter);
    match (reader, terminal) {
        (Reader::Person, _) => log.with(lines.compact().without_time().with_target(false)).init(),
        (Reader::Service, true) => log.with(lines.compact()).with(RepeatFilter::default()).init(),
        (Reader::Service, false) => {
            let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
            log.with(lines).with(RepeatFilter::default()).init();
        }
    }
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
