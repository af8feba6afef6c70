//! Effects of maintenance windows on alerts.

use base::{text::fold, timestamp::Timestamp};
use ports::Cover;

use crate::alerts::{
    alert::MAINTENANCE,
    row::{Alert, KEPT, WINDOW},
    wire::{Escalation, Suppression, Window},
};

/// The last event of an alert that was escalated when its window ended.
const ESCALATED: &str = "Escalated";

/// Suppresses an alert that a window covers.
pub fn suppress_by_window(alert: &mut Alert, cover: &Cover, now: Timestamp) {
    let until = cover.until.to_string();
    let window = &cover.window;
    let document = &mut *alert.document;
    MAINTENANCE.clone_into(&mut document.alert_type);
    alert.type_key = fold(MAINTENANCE);
    WINDOW.clone_into(&mut alert.suppression);
    alert.suppressed_until_ms = Some(cover.until.millis());
    alert.window_tenant = Some(window.tenant_id.clone());
    alert.window_id = Some(window.unique_id.clone());
    document.suppression = Some(Suppression {
        reason: "maintenance".to_owned(),
        by: None,
        time: now.to_string(),
        until: Some(until.clone()),
        note: String::new(),
    });
    document.maintenance = Some(Window {
        unique_id: window.unique_id.clone(),
        name: window.name.clone(),
        since: cover.since.to_string(),
        until,
        run_escalation_action: cover.run_escalation_action,
    });
}

/// Moves the suppression of an open alert to another window that covers it.
pub fn hand_over_to_window(alert: &mut Alert, cover: &Cover, now: Timestamp) {
    suppress_by_window(alert, cover, now);
    alert.updated_ms = now.millis();
    alert.version += 1;
}

/// Ends the window of an open alert. `on_call` are the people to escalate it to; with `None` the window does not
/// escalate, and the alert stays suppressed until it is reported again.
pub fn end_window(alert: &mut Alert, on_call: Option<Escalation>, now: Timestamp) {
    // One that was ended early shows when it was, and not when it was planned to.
    let early = |until: &mut String| {
        let is_early = Timestamp::parse(until).is_some_and(|planned| planned > now);
        if is_early {
            *until = now.to_string();
        }
        is_early
    };
    let document = &mut alert.document;
    let window = document.maintenance.as_mut().is_some_and(|window| early(&mut window.until));
    let until = document.suppression.as_mut().and_then(|suppression| suppression.until.as_mut());
    if until.is_some_and(early) {
        alert.suppressed_until_ms = Some(now.millis());
    }
    if window {
        alert.version += 1;
    }
    match on_call {
        Some(escalation) => {
            alert.suppression.clear();
            alert.suppressed_until_ms = None;
            alert.document.suppression = None;
            alert.document.escalation = Some(escalation);
            alert.record_event(ESCALATED, now);
        }
        None => KEPT.clone_into(&mut alert.suppression),
    }
}

/// Changes the end of the window of an alert.
pub fn extend_window(alert: &mut Alert, until: Timestamp, now: Timestamp) {
    alert.suppressed_until_ms = Some(until.millis());
    alert.updated_ms = now.millis();
    alert.version += 1;
    let text = until.to_string();
    if let Some(window) = &mut alert.document.maintenance {
        window.until.clone_from(&text);
    }
    if let Some(suppression) = &mut alert.document.suppression {
        suppression.until = Some(text);
    }
}
