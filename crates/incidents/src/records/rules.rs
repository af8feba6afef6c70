//! Changes of incidents, as pure functions.

use base::{problem::Problem, text::fold, timestamp::Timestamp};
use db::Json;

use super::{
    row::{AlertName, CLOSED, Machine, NEVER_DUE, NORMAL, RESOLVED, Row},
    wire::IncidentInput,
};

/// The records that the ids of a body refer to; `None` where the body has no id, so that the field stays as it is.
#[derive(Clone, Debug, Default)]
pub struct ResolvedReferences {
    /// The new assignee.
    pub assignee: Option<String>,
    /// The new user group.
    pub group: Option<String>,
    /// The new machines.
    pub resources: Option<Vec<Machine>>,
    /// The alerts that it is opened for.
    pub alerts: Vec<AlertName>,
}

/// The id with this number.
pub fn id(number: i64) -> String {
    format!("INC{number:010}")
}

/// A new incident. Without a requester it is the caller who asks.
pub fn new_row(
    tenant: &str,
    input: &IncidentInput,
    references: &ResolvedReferences,
    number: i64,
    author: &str,
    now: Timestamp,
) -> Row {
    let blank = Row {
        tenant_id: tenant.to_owned(),
        id: id(number),
        version: 0,
        subject: String::new(),
        subject_key: String::new(),
        description: String::new(),
        priority: NORMAL,
        status: 0,
        category_id: String::new(),
        sub_category_id: String::new(),
        requester_id: author.to_owned(),
        assignee_id: String::new(),
        group_id: String::new(),
        roster_id: String::new(),
        resources: Json::default(),
        alerts: Json(references.alerts.clone()),
        notes: 0,
        due_ms: NEVER_DUE,
        resolved_ms: None,
        closed_ms: None,
        created_by: author.to_owned(),
        updated_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    };
    next_version(&blank, input, references, author, now)
}

/// An incident after a change.
///
/// # Errors
/// 409 for one that is closed, unless the change opens it again.
pub fn apply_change(
    old: &Row,
    input: &IncidentInput,
    references: &ResolvedReferences,
    author: &str,
    now: Timestamp,
) -> Result<Row, Problem> {
    if old.status == CLOSED && input.status.is_none_or(|status| status == CLOSED) {
        return Err(closed_error(&old.id));
    }
    Ok(next_version(old, input, references, author, now))
}

fn next_version(
    old: &Row,
    input: &IncidentInput,
    references: &ResolvedReferences,
    author: &str,
    now: Timestamp,
) -> Row {
    let text = |new: &Option<String>, old: &String| new.clone().unwrap_or_else(|| old.clone());
    // An incident that is opened for an alert is called like it.
    let called = references.alerts.first().filter(|_| old.subject.is_empty()).map(|alert| &alert.subject);
    let subject = text(&input.subject, called.unwrap_or(&old.subject));
    let status = input.status.unwrap_or(old.status);
    let category_id = text(&input.category, &old.category_id);
    // A change of the category clears the sub category.
    let kept = if category_id == old.category_id { old.sub_category_id.clone() } else { String::new() };
    let since = |reached: i64, known: Option<i64>| (status >= reached).then(|| known.unwrap_or(now.millis()));
    Row {
        version: old.version + 1,
        subject_key: fold(&subject),
        subject,
        description: text(&input.description, &old.description),
        priority: input.priority.unwrap_or(old.priority),
        status,
        sub_category_id: input.sub_category.clone().unwrap_or(kept),
        category_id,
        requester_id: text(&input.requester, &old.requester_id),
        assignee_id: text(&references.assignee, &old.assignee_id),
        group_id: text(&references.group, &old.group_id),
        roster_id: text(&input.roster, &old.roster_id),
        resources: references.resources.clone().map_or_else(|| old.resources.clone(), Json),
        notes: old.notes + i64::from(input.note.is_some()),
        due_ms: input.due.map_or(old.due_ms, |due| due.map_or(NEVER_DUE, Timestamp::millis)),
        resolved_ms: since(RESOLVED, old.resolved_ms),
        closed_ms: since(CLOSED, old.closed_ms),
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// 409: the incident is closed.
pub fn closed_error(id: &str) -> Problem {
    Problem::conflict(format!("The incident {id} is closed: give it another status to open it again."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incident() -> Row {
        let input = IncidentInput { subject: Some("Disk is full".to_owned()), ..IncidentInput::default() };
        new_row("client_1", &input, &ResolvedReferences::default(), 7, "USR0000000001", Timestamp::from_millis(1_000))
    }

    fn with_status(status: i64) -> IncidentInput {
        IncidentInput { status: Some(status), ..IncidentInput::default() }
    }

    fn at(row: &Row, input: &IncidentInput, ms: i64) -> Result<Row, Problem> {
        apply_change(row, input, &ResolvedReferences::default(), "USR0000000002", Timestamp::from_millis(ms))
    }

    #[test]
    fn a_new_incident_has_its_defaults() {
        let row = incident();
        assert_eq!((row.id.as_str(), row.version, row.priority, row.status), ("INC0000000007", 1, NORMAL, 0));
        assert_eq!((row.requester_id.as_str(), row.subject_key.as_str()), ("USR0000000001", "disk is full"));
        assert_eq!((row.due_ms, row.resolved_ms, row.closed_ms), (NEVER_DUE, None, None));
    }

    #[test]
    fn closing_says_when_and_opening_again_forgets_it() {
        let resolved = at(&incident(), &with_status(RESOLVED), 2_000).unwrap();
        assert_eq!((resolved.resolved_ms, resolved.closed_ms), (Some(2_000), None));
        let done = at(&resolved, &with_status(CLOSED), 3_000).unwrap();
        assert_eq!((done.resolved_ms, done.closed_ms), (Some(2_000), Some(3_000)));
        assert_eq!(at(&done, &IncidentInput::default(), 4_000).unwrap_err().kind, base::Kind::Conflict);
        assert_eq!(at(&done, &with_status(CLOSED), 4_000).unwrap_err().kind, base::Kind::Conflict);
        let again = at(&done, &with_status(1), 5_000).unwrap();
        assert_eq!((again.resolved_ms, again.closed_ms, again.status), (None, None, 1));
    }

    #[test]
    fn another_category_takes_the_sub_category_away() {
        let set = |category: &str, sub: Option<&str>| IncidentInput {
            category: Some(category.to_owned()),
            sub_category: sub.map(ToOwned::to_owned),
            ..IncidentInput::default()
        };
        let filed = at(&incident(), &set("a", Some("a1")), 2_000).unwrap();
        assert_eq!(filed.sub_category_id, "a1");
        assert_eq!(at(&filed, &set("a", None), 3_000).unwrap().sub_category_id, "a1");
        assert_eq!(at(&filed, &set("b", None), 3_000).unwrap().sub_category_id, "");
    }
}
