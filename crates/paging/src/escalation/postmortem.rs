//! How an incident went, in Markdown, for people to write on.

use std::fmt::Write as _;

use actix_web::{HttpResponse, http::header, web};
use api::{PathIds, RequestContext, get};
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use ports::{Authors, IncidentRecord};

use super::{store as escalations, timeline};
use crate::{
    Neighbours,
    delivery::pages::{
        store::{self, SENT},
        wire::IncidentId,
    },
};

/// The most alerts, events and notes that are told.
const ALERTS: usize = 50;
const EVENTS: usize = 2_000;
const NOTES: i64 = 200;
/// The longest text of an event, in characters.
const LINE: usize = 300;

/// Get the postmortem of an incident
///
/// The draft of a postmortem, in Markdown: what is known of the incident, how long it took until somebody was told and
/// answered, and what happened, minute by minute: of the incident, of its alerts and of the pages about them. The first
/// 50 alerts, the first 2,000 events and the latest 200 notes.
#[utoipa::path(
    operation_id = "getIncidentPostmortem",
    params(IncidentId),
    responses((status = 200, description = "The document", body = String, content_type = "text/markdown")),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/{incidentId}/postmortem")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
) -> api::Result<HttpResponse> {
    let written = context.read(move |conn, scope| {
        let found = neighbours.alerts.incident(conn, &scope.scope(), &id, NOTES)?;
        let incident = found.ok_or_else(|| Problem::not_found("The incident was not found."))?;
        let story = gathered(conn, &neighbours, &incident, scope.now)?;
        Ok(written(&incident, &story))
    });
    let written = written.await?;
    Ok(HttpResponse::Ok()
        .content_type("text/markdown; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(written))
}

/// What happened.
#[derive(Default)]
struct Story {
    /// When, what kind and what, in order.
    events: Vec<(Timestamp, &'static str, String)>,
    /// How many there were beyond those.
    more: usize,
    /// Alerts that are not there any more, or beyond those that are told.
    untold: usize,
    told: Vec<String>,
    first_report: Option<Timestamp>,
    first_sent: Option<Timestamp>,
    first_answer: Option<Timestamp>,
    names: Authors,
}

fn earlier(known: &mut Option<Timestamp>, at: Timestamp) {
    *known = Some(known.map_or(at, |known| known.min(at)));
}

fn gathered(conn: &mut Conn, neighbours: &Neighbours, incident: &IncidentRecord, now: Timestamp) -> Result<Story> {
    let tenant = &incident.tenant_id;
    let tenants = [incident.tenant_id.clone()];
    let mut story = Story::default();
    let mut people = vec![incident.created_by.clone(), incident.assignee.clone()];
    people.extend(incident.notes.iter().map(|(_, by, _)| by.clone()));
    let around = neighbours.people.own_and_partner(conn, tenant)?;
    let mut raw: Vec<(Timestamp, &'static str, String, String)> = Vec::new();
    for id in incident.alerts.iter().take(ALERTS) {
        let Some(alert) = neighbours.alerts.find(conn, &tenants, id, now)? else {
            story.untold += 1;
            continue;
        };
        let escalation = escalations::find(conn, tenant, id)?;
        let pages = store::of_alert(conn, tenant, id)?;
        people.extend(pages.iter().map(|page| page.user_id.clone()));
        for page in pages.iter().filter(|page| page.status == SENT) {
            story.told.push(page.user_id.clone());
            page.sent_ms.into_iter().for_each(|sent| earlier(&mut story.first_sent, Timestamp::from_millis(sent)));
        }
        let named = escalation.iter().flat_map(escalations::Row::people_of_actions);
        let named = Authors::load(conn, &*neighbours.people, &around, named)?;
        let taken_in = neighbours.alerts.taken_in(conn, tenant, id)?;
        for event in timeline::build((&alert, taken_in), id.clone(), escalation.as_ref(), &pages, &named).events {
            match event.what {
                "reported" => earlier(&mut story.first_report, event.time),
                "acknowledged" => earlier(&mut story.first_answer, event.time),
                _ => {}
            }
            let by = event.user.or_else(|| Some(event.page?.user?.id)).unwrap_or_default();
            people.push(by.clone());
            raw.push((event.time, event.what, by, format!("{} ({id})", event.text)));
        }
    }
    for page in store::of_alert(conn, tenant, &incident.id)? {
        people.push(page.user_id.clone());
        let text = format!("step {}: {} ({})", page.step + 1, page.status, incident.id);
        raw.push((Timestamp::from_millis(page.created_ms), "page", page.user_id, text));
    }
    story.untold += incident.alerts.len().saturating_sub(ALERTS);
    story.names = Authors::load(conn, &*neighbours.people, &around, people)?;
    raw.push((incident.created, "opened", incident.created_by.clone(), incident.subject.clone()));
    let notes = incident.notes.iter();
    raw.extend(notes.map(|(at, by, text)| (*at, "note", by.clone(), text.clone())));
    raw.extend(incident.resolved.map(|at| (at, "resolved", String::new(), incident.id.clone())));
    raw.extend(incident.closed.map(|at| (at, "closed", String::new(), incident.id.clone())));
    raw.sort_by_key(|(at, ..)| *at);
    story.more = raw.len().saturating_sub(EVENTS);
    raw.truncate(EVENTS);
    story.events = raw
        .into_iter()
        .map(|(at, what, by, text)| {
            let by = if by.is_empty() { String::new() } else { format!("{}: ", story.names.of(&by).full_name()) };
            (at, what, format!("{by}{text}"))
        })
        .collect();
    story.told.sort();
    story.told.dedup();
    Ok(story)
}

/// A text that is nothing but text in Markdown, on one line.
fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(line.len());
    for letter in line.chars().filter(|letter| !letter.is_control()).take(LINE) {
        match letter {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '>' => out.extend(['\\', letter]),
            other => out.push(other),
        }
    }
    out
}

/// A length of time as people say it.
fn lasted(from: Timestamp, to: Timestamp) -> String {
    let seconds = (to.millis() - from.millis()).max(0) / 1_000;
    let hours = seconds / 3_600;
    let minutes = seconds / 60 % 60;
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

fn written(incident: &IncidentRecord, story: &Story) -> String {
    let begun = story.first_report.map_or(incident.created, |first| first.min(incident.created));
    let name = |id: &str| plain(&story.names.of(id).full_name());
    let people: Vec<String> = story.told.iter().filter(|id| !id.is_empty()).map(|id| name(id)).collect();
    let after = |at: Option<Timestamp>| at.map(|at| lasted(begun, at)).unwrap_or_default();
    let shown = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    let facts = [
        ("Incident", incident.id.clone()),
        ("Priority", incident.priority.clone()),
        ("Status", incident.status.clone()),
        ("Works on it", if incident.assignee.is_empty() { String::new() } else { name(&incident.assignee) }),
        ("Machines", incident.machines.iter().map(|name| plain(name)).collect::<Vec<_>>().join(", ")),
        ("Alerts", incident.alerts.len().to_string()),
        ("Began", begun.to_string()),
        ("Somebody was told after", after(story.first_sent)),
        ("Somebody answered after", after(story.first_answer)),
        ("Was told", people.join(", ")),
        ("Resolved", shown(incident.resolved)),
        ("Closed", shown(incident.closed)),
        ("Lasted", after(incident.resolved.or(incident.closed))),
    ];
    // Writing to a String cannot fail.
    let mut out = format!("# {}\n\n", plain(&incident.subject));
    if !incident.description.is_empty() {
        let _ = write!(out, "{}\n\n", plain(&incident.description));
    }
    out.push_str("| | |\n|---|---|\n");
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "| {name} | {value} |");
    }
    out.push_str("\n## What happened\n\n| Time | After | | |\n|---|---|---|---|\n");
    for (at, what, text) in &story.events {
        let _ = writeln!(out, "| {at} | {} | {what} | {} |", lasted(begun, *at), plain(text));
    }
    if story.more > 0 {
        let _ = writeln!(out, "\nAnd {} more.", story.more);
    }
    if story.untold > 0 {
        let _ = writeln!(out, "\nNothing is told here of {} more alerts.", story.untold);
    }
    out.push_str("\n## Why it happened\n\n## What helped\n\n## What is to be done\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_alert_says_is_text() {
        assert_eq!(plain("a | b\n# c"), "a \\| b \\# c");
        assert_eq!(plain("<script>[x](javascript:1)`&"), "&lt;script\\>\\[x\\](javascript:1)\\`&amp;");
        assert_eq!(plain(&"x".repeat(500)).len(), LINE);
    }

    #[test]
    fn time_is_told_as_people_do() {
        let told = |seconds: i64| lasted(Timestamp::from_millis(0), Timestamp::from_millis(seconds * 1_000));
        assert_eq!([told(-5), told(59), told(61), told(7_260)], ["0 s", "59 s", "1 min 1 s", "2 h 1 min"]);
    }
}
