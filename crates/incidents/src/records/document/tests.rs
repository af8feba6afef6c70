use super::*;
use crate::records::row::{AlertName, Machine};

/// The placeholders that integrations offer; each has to be found by its path.
const PLACEHOLDERS: [&str; 25] = [
    "subject",
    "description",
    "priority.name",
    "status.name",
    "assignedTo.fullName",
    "assigneeGroup.name",
    "entityCategory.categoryName",
    "subCategory.categoryName",
    "client.name",
    "client.uniqueId",
    "msp.name",
    "deviceList",
    "deviceIds",
    "alertList",
    "createdDate",
    "dueDate",
    "requester.name",
    "uniqueId",
    "notes",
    "latestResponse.id",
    "latestResponse.content",
    "latestResponse.createdDate",
    "latestResponse.createdBy.fullName",
    "latestResponse.createdBy.email",
    "latestResponse.createdBy.loginName",
];

fn bare() -> Incident {
    Incident {
        id: "INC0000000001".to_owned(),
        client_unique_id: "client_1".to_owned(),
        subject: "Disk is full".to_owned(),
        description: String::new(),
        priority: "High".to_owned(),
        status: "New".to_owned(),
        category: None,
        sub_category: None,
        requester: None,
        assignee: None,
        assignee_group: None,
        roster: None,
        resources: Vec::new(),
        alerts: Vec::new(),
        note_count: 0,
        due_date: None,
        resolved_date: None,
        closed_date: None,
        created_by: Author::default(),
        updated_by: Author::default(),
        created_date: "2026-11-20T20:37:00+0000".to_owned(),
        updated_date: "2026-11-20T20:37:00+0000".to_owned(),
    }
}

fn at<'d>(document: &'d Value, path: &str) -> &'d Value {
    path.split('.').fold(document, |value, name| &value[name])
}

#[test]
fn every_placeholder_is_there_even_when_nothing_is_set() {
    let tenant = json!({"id": "", "uniqueId": "", "name": ""});
    let document = document(&bare(), &[], tenant.clone(), tenant);
    for path in PLACEHOLDERS {
        assert!(at(&document, path).is_string(), "{path} of {document}");
    }
}

#[test]
fn lists_are_texts() {
    let machine = |name: &str| Machine { id: format!("id-{name}"), name: name.to_owned(), host_name: String::new() };
    let ann = Author { first_name: Some("Ann".to_owned()), last_name: Some("Lee".to_owned()), ..Author::default() };
    let incident = Incident {
        resources: vec![machine("a"), machine("b")],
        alerts: vec![AlertName { id: "ALT-1".to_owned(), subject: "x".to_owned() }],
        assignee: Some(ann.clone()),
        ..bare()
    };
    let note = |id| Note { id, content: format!("n{id}"), created_by: ann.clone(), created_date: "d".to_owned() };
    let document = document(&incident, &[note(2), note(1)], json!({}), json!({}));
    assert_eq!(document["deviceList"], "a, b");
    assert_eq!(document["deviceIds"], "id-a, id-b");
    assert_eq!(document["alertList"], "ALT-1");
    assert_eq!(document["assignedTo"]["fullName"], "Ann Lee");
    assert_eq!(document["notes"], "d Ann Lee: n2\nd Ann Lee: n1");
    assert_eq!(at(&document, "latestResponse.content"), "n2");
}
