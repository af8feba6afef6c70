//! What happened with an alert in fact: from its report to pages, to attempts, to what people did.

use actix_web::{HttpResponse, web};
use api::{PathIds, RequestContext, answer, get};
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use ports::{Author, Authors};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    actions::{ESCALATED, EscalationAction, HANDED_OVER},
    rules::Stage,
    store as escalations,
};
use crate::{
    Neighbours,
    delivery::pages::{
        store::{self, Row},
        wire::{AlertId, Page},
    },
};

/// What happened with an alert.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertTimeline {
    /// `ALT-<uuid>`.
    pub alert_id: String,
    /// Where its escalation stands: `waiting` (for the alert of its site or group), `running`, `acknowledged`,
    /// `suppressed`, `closed`, `ended` or `noPolicy`; left out when there is none.
    #[schema(example = "running", pattern = "^(waiting|running|acknowledged|suppressed|closed|ended|noPolicy)$")]
    pub escalation: Option<String>,
    /// When its next step is due.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:42:00+0000")]
    pub next_step_date: Option<Timestamp>,
    /// What happened, in its order.
    pub events: Vec<Event>,
}

/// Something that happened.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimelineEvent)]
pub struct Event {
    /// When.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub time: Timestamp,
    /// How long after the alert was taken in, in milliseconds.
    #[schema(example = 1200)]
    pub after_ms: i64,
    /// `reported`, `routed`, `waits`, `page`, `gap`, `attempt`, `acknowledged`, `unacknowledged`, `suppressed`,
    /// `unsuppressed`, `escalated` (somebody took the next step), `handedOver`, `note`, `closed`.
    #[schema(
        example = "page",
        pattern = "^(reported|routed|waits|page|gap|attempt|acknowledged|unacknowledged|suppressed|unsuppressed|\
                   escalated|handedOver|note|closed)$"
    )]
    pub what: &'static str,
    /// A sentence.
    pub text: String,
    /// The page that it is about.
    pub page: Option<Page>,
    /// Who did it, by id.
    pub user: Option<String>,
    /// Who did it.
    pub by: Option<Author>,
    /// To whom it was handed over; of a roster, which `text` names, it is left out.
    pub to: Option<Vec<Author>>,
}

/// Get the timeline of an alert
///
/// What really happened: the report, the route, each page with its attempts, and what people did, with the time that
/// passed since the alert was taken in; of the pages the first 1,000.
#[utoipa::path(
    operation_id = "getAlertTimeline",
    params(AlertId),
    responses((status = 200, description = "What happened", body = AlertTimeline)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/{alertId}/timeline")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
) -> api::Result<HttpResponse> {
    let timeline = context.read_many(move |conn, scope| load(conn, &neighbours, &scope.scope(), &id, neighbours.now()));
    answer::ok(&timeline.await?)
}

/// What happened with an alert of these tenants.
pub fn load(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: &[String],
    id: &str,
    now: Timestamp,
) -> Result<AlertTimeline> {
    let unknown = || Problem::not_found("The alert was not found.");
    let alert = neighbours.alerts.find(conn, tenants, id, now)?.ok_or_else(unknown)?;
    let text = |name: &str| alert[name].as_str().unwrap_or_default().to_owned();
    let tenant = text("clientUniqueId");
    let id = text("id");
    let escalation = escalations::find(conn, &tenant, &id)?;
    let pages = store::of_alert(conn, &tenant, &id)?;
    let acted = escalation.iter().flat_map(escalations::Row::people_of_actions);
    let users = pages.iter().map(|row| row.user_id.clone()).chain(people_in(&alert)).chain(acted);
    let around = neighbours.people.own_and_partner(conn, &tenant)?;
    let names = Authors::load(conn, &*neighbours.people, &around, users)?;
    let taken_in = neighbours.alerts.taken_in(conn, &tenant, &id)?;
    Ok(build((&alert, taken_in), id, escalation.as_ref(), &pages, &names))
}

/// What people did to an alert, each in a member of its own.
const ACTIONS: [(&str, &str); 6] = [
    ("acknowledged", "previousAcknowledgement"),
    ("acknowledged", "acknowledgement"),
    ("unacknowledged", "unacknowledgement"),
    ("suppressed", "suppression"),
    ("unsuppressed", "unsuppression"),
    ("closed", "closure"),
];

/// What people say to those who are told.
const ANSWERS: [&str; 3] = ["acknowledged", "unacknowledged", "closed"];

/// The ids of those who did something to an alert.
pub fn people_in(alert: &Value) -> impl Iterator<Item = String> {
    let by = |(_, action): (_, &str)| alert.pointer(&format!("/{action}/by/id"))?.as_str().map(ToOwned::to_owned);
    ACTIONS.into_iter().filter_map(by).chain(notes_of(alert).filter_map(|note| author_of(note).map(ToOwned::to_owned)))
}

/// The notes of an alert.
fn notes_of(alert: &Value) -> impl Iterator<Item = &Value> {
    alert["notes"].as_array().into_iter().flatten()
}

/// Who wrote a note, by id.
fn author_of(note: &Value) -> Option<&str> {
    note.pointer("/by/id").and_then(Value::as_str)
}

/// What somebody did with the escalation, in a sentence: to whom, and the note.
fn action_text(action: &EscalationAction, row: &escalations::Row, people: &Authors) -> String {
    let named = |id: &String| {
        let name = people.of(id).full_name();
        if name.is_empty() { id.clone() } else { name }
    };
    let to = match &action.roster {
        // What its partner has is not told.
        Some(roster) if roster.tenant != row.tenant_id => "to a roster of its partner".to_owned(),
        Some(roster) => format!("to the roster {}", roster.name),
        None if action.users.is_empty() => String::new(),
        None => format!("to {}", action.users.iter().map(named).collect::<Vec<_>>().join(", ")),
    };
    let texts = [to, action.note.clone()];
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")
}

/// The timeline of an alert, which was taken in then, with the people who stand in it.
///
/// Some times are told in milliseconds, others in whole seconds, which an event may be later than. Within its second
/// such an event comes behind those that it follows from: an attempt behind its page, an answer behind what was
/// answered, and all of them behind the report.
pub fn build(
    (alert, taken_in): (&Value, Option<Timestamp>),
    id: String,
    escalation: Option<&escalations::Row>,
    pages: &[Row],
    people: &Authors,
) -> AlertTimeline {
    let time = |path: &str| alert.pointer(path).and_then(Value::as_str).and_then(Timestamp::parse);
    let begun = taken_in.or_else(|| time("/createdDate")).unwrap_or(Timestamp::from_millis(0));
    let same_second =
        |one: Timestamp, other: Timestamp| one.millis().div_euclid(1_000) == other.millis().div_euclid(1_000);
    let event = |time: Timestamp, what: &'static str, text: String| {
        let time = if same_second(time, begun) { time.max(begun) } else { time };
        Event {
            time,
            after_ms: (time.millis() - begun.millis()).max(0),
            what,
            text,
            page: None,
            user: None,
            by: None,
            to: None,
        }
    };
    let mut events = vec![event(begun, "reported", alert["subject"].as_str().unwrap_or_default().to_owned())];
    if let Some(row) = escalation.filter(|row| !row.policy_id.is_empty()) {
        let own = row.policy_tenant == row.tenant_id;
        let text =
            if own { format!("goes to the policy {}", row.policy_name) } else { "goes to its partner".to_owned() };
        events.push(event(Timestamp::from_millis(row.created_ms), "routed", text));
    }
    if let Some(row) = escalation.filter(|row| !row.waits_for.is_empty()) {
        let text = format!("its site or group is down: waits for {}", row.waits_for);
        events.push(event(Timestamp::from_millis(row.created_ms), "waits", text));
    }
    for row in pages {
        let (what, text) = match row.status.as_str() {
            store::GAP => ("gap", row.why.clone()),
            status => ("page", format!("step {}: {status}", row.step + 1)),
        };
        let decided = Timestamp::from_millis(row.created_ms);
        events.push(Event { page: Some(Page::of(row, people)), ..event(decided, what, text) });
        let mut last = decided;
        for attempt in &row.log.0 {
            let Some(at) = Timestamp::parse(&attempt.time).map(|at| at.max(last)) else { continue };
            last = at;
            let outcome = match (attempt.status, attempt.error.as_str()) {
                (Some(status), "") => format!("{}: answered {status} after {} ms", row.id, attempt.duration_ms),
                (_, error) => format!("{}: {error}", row.id),
            };
            events.push(event(at, "attempt", outcome));
        }
    }
    for action in escalation.iter().flat_map(|row| row.actions.iter().flatten().map(move |action| (row, action))) {
        let (row, action) = action;
        let what = if action.what == HANDED_OVER { HANDED_OVER } else { ESCALATED };
        let by = people.of(&action.by);
        let to = (!action.users.is_empty()).then(|| action.users.iter().map(|id| people.of(id)).collect());
        // Those who are told of it are told at the same instant: it comes before them.
        let place = events.iter().position(|event| event.time.millis() == action.time_ms).unwrap_or(events.len());
        let event = event(Timestamp::from_millis(action.time_ms), what, action_text(action, row, people));
        events.insert(place, Event { user: Some(by.id.clone()), by: Some(by), to, ..event });
    }
    for note in notes_of(alert) {
        let at = note["time"].as_str().and_then(Timestamp::parse);
        let Some(at) = at else { continue };
        let by = author_of(note).map(|id| people.of(id));
        let text = note["note"].as_str().unwrap_or_default().to_owned();
        events.push(Event { user: by.as_ref().map(|by| by.id.clone()), by, ..event(at, "note", text) });
    }
    for (what, path) in ACTIONS {
        let Some(at) = time(&format!("/{path}/time")) else { continue };
        let said = alert.pointer(&format!("/{path}/note")).and_then(Value::as_str).unwrap_or_default();
        let by = alert.pointer(&format!("/{path}/by/id")).and_then(Value::as_str);
        let before = events.iter().map(|event| event.time).filter(|time| same_second(*time, at)).max();
        // What begins or ends by itself is noted before anybody is told.
        let at = if ANSWERS.contains(&what) { before.map_or(at, |before| at.max(before)) } else { at };
        let by = by.map(|id| people.of(id));
        events.push(Event { user: by.as_ref().map(|by| by.id.clone()), by, ..event(at, what, said.to_owned()) });
    }
    // Events of one instant stay in the order in which one follows from the other.
    events.sort_by_key(|event| event.time);
    AlertTimeline {
        alert_id: id,
        escalation: escalation.map(|row| match row.waits_until_ms {
            Some(_) if row.stage == Stage::Running.word() => "waiting".to_owned(),
            _ => row.stage.clone(),
        }),
        next_step_date: escalation.and_then(|row| row.next_ms).map(Timestamp::from_millis),
        events,
    }
}

#[cfg(test)]
mod tests {
    use db::Json;
    use serde_json::json;

    use super::*;
    use crate::delivery::pages::facts::Attempt;

    fn row(created_ms: i64, attempts: &[&str]) -> Row {
        let attempt = |time: &&str| Attempt { time: (*time).to_owned(), status: Some(200), ..Attempt::default() };
        let log = Json(attempts.iter().map(attempt).collect());
        let user_id = "USR0000000001".to_owned();
        Row { created_ms, log, user_id, ..Row::blank("client_1", "page", Timestamp::from_millis(created_ms)) }
    }

    #[test]
    fn what_happens_in_one_second_is_in_order() {
        // 2026-11-20T20:37:00Z.
        const BEGUN: i64 = 1_795_207_020_000;
        let second = |seconds: i64| Timestamp::from_millis(BEGUN + seconds * 1_000).to_string();
        let alert = json!({"subject": "down", "createdDate": second(0),
            "acknowledgement": {"time": second(0), "by": {"id": "USR0000000001"}},
            "closure": {"time": second(3), "by": {"id": "USR0000000002"}}});
        let pages =
            [row(BEGUN + 700, &[&second(0), &second(2)]), row(BEGUN + 900, &[&second(1)]), row(BEGUN + 3_400, &[])];
        let told = build((&alert, None), "ALT-1".to_owned(), None, &pages, &Authors::default());
        let whats: Vec<(&str, i64)> = told.events.iter().map(|event| (event.what, event.after_ms)).collect();
        let expected = [
            ("reported", 0),
            ("page", 700),
            ("attempt", 700),
            ("page", 900),
            ("acknowledged", 900),
            ("attempt", 1_000),
            ("attempt", 2_000),
            ("page", 3_400),
            ("closed", 3_400),
        ];
        assert_eq!(whats, expected);
        let by: Vec<&str> = told.events.iter().filter_map(|event| event.by.as_ref()).map(|by| by.id.as_str()).collect();
        assert_eq!(by, ["USR0000000001", "USR0000000002"]);
        // Counted from when it was taken in, and not from the beginning of that second.
        let taken_in = Some(Timestamp::from_millis(BEGUN + 600));
        let told = build((&alert, taken_in), "ALT-1".to_owned(), None, &pages, &Authors::default());
        let times: Vec<i64> = told.events.iter().map(|event| event.after_ms).collect();
        assert_eq!(times, [0, 100, 100, 300, 300, 400, 1_400, 2_800, 2_800]);
        let whats: Vec<&str> = told.events.iter().map(|event| event.what).collect();
        assert_eq!(whats, expected.map(|(what, _)| what));
    }
}
