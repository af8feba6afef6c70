//! Plans, of what lists of the service answer.

use std::{fs, path::PathBuf};

use serde_json::json;

use super::*;
use crate::{
    config::{documents, tests::document as interface},
    operations,
};

fn key(name: &str) -> ObjectKey {
    ObjectKey { canonical: name.to_owned(), shown: name.to_owned() }
}

fn document((name, previous): &(&str, &str)) -> Document {
    let body = json!({ "name": name }).as_object().cloned().unwrap();
    let previous = Some(*previous).filter(|name| !name.is_empty()).map(key);
    let (links, file, folder) = (Vec::new(), String::new(), PathBuf::new());
    let kind = kinds::kind("Site").unwrap();
    Document { kind, body, key: key(name), previous, links, file, folder, line: 1 }
}

/// The object of each document, by its former name.
fn objects(names: &[&str], documents: &[(&str, &str)]) -> Vec<(usize, Option<String>)> {
    let object = |name: &&str| {
        let (body, answer) = (Map::new(), Map::new());
        let id = (*name).to_owned();
        let (key, former) = (key(name), key(name));
        Object { id, owner: None, key, former, body, answer, is_own: true, is_on: true }
    };
    let objects: Vec<Object> = names.iter().map(object).collect();
    let documents: Vec<Document> = documents.iter().map(document).collect();
    let all: Vec<&Document> = documents.iter().collect();
    let known = KnownObjects::new(&all, &objects);
    let found = |one: &&Document| (known.place(one), known.find(one).first().map(|object| object.id.clone()));
    all.iter().map(found).collect()
}

#[test]
fn a_former_name_is_free_for_another_object() {
    let (any, of) = (usize::MAX, |name: &str| Some(name.to_owned()));
    assert_eq!(objects(&["a"], &[("b", "a"), ("a", "")]), [(0, of("a")), (any, None)]);
    // Once it is done, the same files mean the same objects.
    assert_eq!(objects(&["a", "b"], &[("b", "a"), ("a", "")]), [(any, of("b")), (any, of("a"))]);
    // In a row, each name comes free before it is given.
    assert_eq!(objects(&["a", "b"], &[("b", "a"), ("c", "b")]), [(1, of("a")), (0, of("b"))]);
    // Two do not exchange their names, which would be done again each time.
    assert_eq!(objects(&["a", "b"], &[("b", "a"), ("a", "b")]), [(any, of("b")), (any, of("a"))]);
    assert_eq!(objects(&["a"], &[("b", "x")]), [(any, None)]);
}

/// What lists answer: the kind, the object that the rows belong to, and the rows.
type Lists<'l> = &'l [(&'static str, Option<&'l str>, Value)];

/// The lines of a plan: of actions their titles and changes, then its notes.
fn planned(lists: Lists<'_>, text: &str, managed: &[(&'static str, &str)]) -> Vec<String> {
    let document = interface();
    let operations = operations::all(&document);
    let shapes = Shapes::new(&operations).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.yaml"), text).unwrap();
    let mut documents = documents::read(folder.path(), &shapes).unwrap();
    let mut tenant = Tenant::new(&shapes);
    documents.iter().for_each(|document| tenant.names.describe(document.kind.name, &document.key));
    tenant.keep_former_names();
    for (kind, owner, rows) in lists {
        let own: Vec<&Document> = documents.iter().filter(|one| one.kind.name == *kind).collect();
        let renamed = |objects: &[Object]| renames(&own, objects);
        tenant.add(kinds::kind(kind).unwrap(), rows.as_array().unwrap(), *owner, renamed);
    }
    documents.iter_mut().for_each(|document| document.resolve(&shapes, &tenant.names));
    let managed = ManagedObjects::of(managed);
    let now = Timestamp::parse("2026-11-21T00:00:00Z").unwrap();
    let plan = plan(&documents, &tenant, &shapes, &PlanInput { managed: &managed, send_secrets: false, now });
    let plan = plan.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let lines = plan.actions.iter().flat_map(|action| {
        let changes = action.changes.iter().filter(|_| action.effect != Effect::Create);
        let changes = changes.map(|change| format!("{}: {:?} -> {:?}", change.path, change.old, change.new));
        std::iter::once(action.title()).chain(changes).collect::<Vec<_>>()
    });
    let root = format!("{}/", folder.path().display());
    lines.chain(plan.notes.iter().map(|note| note.replace(&root, ""))).collect()
}

/// A group of the partner and one of the client have one name.
fn groups() -> Value {
    let group = |id: u8, tenant: &str| {
        json!({"id": id, "uniqueId": format!("USRGRP-{id}"), "name": "Ops",
        "tenantId": tenant, "activated": true, "users": []})
    };
    json!([group(1, "msp_1"), group(2, "client_1")])
}

fn roster(group: u8) -> Value {
    json!([{"id": "RST-1", "name": "Night", "description": "", "timeZone": {"name": "GMT"}, "shiftDetails": [{
        "id": "ESD-1", "name": "All",
        "userGroups": [{"id": group, "uniqueId": format!("USRGRP-{group}"), "name": "Ops"}],
        "schedule": {"type": "recurring", "startDate": "2026-11-20T00:00:00+0000", "startTime": "00:00:00"}}]}])
}

fn roster_of(group: &str) -> String {
    format!(
        "kind: Roster\nname: Night\ndescription: ''\ntimeZone: {{name: GMT}}\nshiftDetails:\n- name: All\n  \
         userGroups: [{group}]\n  schedule: {{type: recurring, startDate: 2026-11-20T00:00:00+0000, \
         startTime: '00:00:00'}}\n"
    )
}

#[test]
fn a_reference_to_an_object_whose_name_another_has_differs_from_one_to_that() {
    let lists = |group: u8| [("UserGroup", None, groups()), ("Roster", None, roster(group))];
    let (by_name, by_id) = (roster_of("{name: ops}"), roster_of("{id: USRGRP-1}"));
    // An export names the group of the client, and has the id of that of the partner.
    assert_eq!(planned(&lists(2), &by_name, &[]), Vec::<String>::new());
    assert_eq!(planned(&lists(1), &by_id, &[]), Vec::<String>::new());
    let [title, change] = planned(&lists(1), &by_name, &[]).try_into().unwrap();
    assert_eq!(title, "~ Roster \"Night\"");
    assert!(change.starts_with("shiftDetails[0].userGroups:") && change.contains("USRGRP-1"), "{change}");
    assert_eq!(planned(&lists(2), &roster_of("{id: USRGRP-2}"), &[]), Vec::<String>::new());
}

#[test]
fn a_name_that_files_describe_is_not_that_of_the_partners_object() {
    let partners = Value::from(vec![groups()[0].clone()]);
    let lists = [("UserGroup", None, partners), ("Roster", None, roster(1))];
    assert_eq!(planned(&lists, &roster_of("{name: Ops}"), &[]), Vec::<String>::new());
    let text = format!("kind: UserGroup\nname: Ops\n---\n{}", roster_of("{name: Ops}"));
    let found = planned(&lists, &text, &[]);
    assert_eq!(found[..2], ["+ UserGroup \"Ops\"", "~ Roster \"Night\""]);
}

#[test]
fn one_of_several_resources_of_a_name_is_referred_to_by_its_id() {
    let resource = |id: &str| json!({"id": id, "name": "localhost", "type": "DEVICE", "clientUniqueId": "client_1"});
    let owner = json!([{"id": "OWN-1", "kind": "resource", "target": "b", "userGroup": {"uniqueId": "USRGRP-2"}}]);
    let groups = Value::from(vec![groups()[1].clone()]);
    let resources = json!([resource("a"), resource("b")]);
    let lists = [("UserGroup", None, groups), ("Resource", None, resources), ("Owner", None, owner)];
    let text = "kind: Owner\nresource: {id: b}\nuserGroup: {name: Ops}\n";
    assert_eq!(planned(&lists, text, &[]), Vec::<String>::new());
    let other = planned(&lists, &text.replace("id: b", "id: a"), &[("Owner", "OWN-1")]);
    assert_eq!(other, ["+ Owner \"a\"", "- Owner \"b\""]);
}

fn overrides(start: &str, end: &str) -> Vec<(&'static str, Option<&'static str>, Value)> {
    let users = json!([{"id": "USR1", "loginName": "anna", "tenantId": "client_1", "activated": true}]);
    let own = json!([{"id": "OVR-1", "user": {"id": "USR1"}, "start": start, "end": end, "note": "x"}]);
    vec![("User", None, users), ("Roster", None, roster(1)), ("RosterOverride", Some("RST-1"), own)]
}

fn override_of(start: &str, end: &str) -> String {
    format!(
        "kind: RosterOverride\nroster: {{name: Night}}\nuser: {{loginName: anna}}\nstart: {start}\n\
         end: {end}\nnote: y\n"
    )
}

#[test]
fn an_override_that_is_over_is_neither_changed_nor_made_again_nor_deleted() {
    let (start, early, end, later) =
        ("2026-11-20T08:00:00Z", "2026-11-20T12:00:00Z", "2026-11-20T20:00:00Z", "2026-11-22T20:00:00Z");
    let managed = [("RosterOverride", "OVR-1")];
    let left = |lists: &[(&'static str, Option<&str>, Value)], text: &str| planned(lists, text, &managed);
    // Its note differs.
    let told = |line: &str| vec![format!("{line}, so nothing of it is changed or made again")];
    let over = "all.yaml:1: RosterOverride \"Night / 2026-11-20T08:00:00Z / 2026-11-20T20:00:00Z / anna\" is over";
    assert_eq!(left(&overrides(start, end), &override_of(start, end)), told(over));
    // Somebody ended it.
    let ended = "all.yaml:1: RosterOverride \"Night / 2026-11-20T08:00:00Z / 2026-11-20T12:00:00Z / anna\" is over";
    assert_eq!(left(&overrides(start, early), &override_of(start, later)), told(ended));
    // No file describes it any more.
    let [line] = left(&overrides(start, end), "kind: User\nloginName: anna\n").try_into().unwrap();
    assert!(line.starts_with("RosterOverride") && line.ends_with("is over, and stays as history"), "{line}");
    // One that is not over is changed and deleted.
    let changed = left(&overrides(start, later), &override_of(start, later));
    assert!(changed[0].starts_with("± RosterOverride"), "{changed:?}");
    let deleted = left(&overrides(start, later), "kind: User\nloginName: anna\n");
    assert!(deleted[0].starts_with("- RosterOverride"), "{deleted:?}");
}

#[test]
fn a_rule_that_no_file_describes_is_reset_and_what_nothing_deletes_is_said_to_stay() {
    let user = json!({"id": "USR1", "loginName": "anna", "tenantId": "client_1", "activated": true});
    let rule = |steps: Value| json!({"user": {"id": "USR1"}, "urgency": "high", "steps": steps});
    let lists = |steps: Value| {
        let rules = json!([rule(steps)]);
        [("User", None, json!([user])), ("NotificationRule", Some("USR1"), rules)]
    };
    let managed = [("NotificationRule", "USR1:high"), ("Client", "client_7")];
    let step = json!([{"contactMethod": {"id": "CM-1"}, "after": "0s"}]);
    let files = "kind: User\nloginName: anna\n";
    assert_eq!(planned(&lists(step), files, &managed), ["- NotificationRule \"anna / high\""]);
    assert_eq!(planned(&lists(json!([])), files, &managed), Vec::<String>::new());
    let client = [("Client", None, json!([{"uniqueId": "client_7", "name": "Seven"}]))];
    assert_eq!(
        planned(&client, "kind: Client\nname: Eight\n", &managed)[1],
        "Client \"Seven\" stays: no operation deletes it"
    );
}

#[test]
fn what_is_switched_off_differs_from_a_file_that_does_not_say_so() {
    let integration = json!([{"id": "INTG-1", "displayName": "Hook", "status": "DISABLED"}]);
    let event = json!([{"id": "INTG-EVENT-1", "name": "First", "active": false, "useBaseNotifier": true}]);
    let client = json!([{"uniqueId": "client_7", "name": "Seven", "activated": false}]);
    let lists =
        [("Integration", None, integration), ("IntegrationEvent", Some("INTG-1"), event), ("Client", None, client)];
    let off = "kind: Integration\ndisplayName: Hook\nenabled: false\n---\nkind: IntegrationEvent\nname: First\n\
               integration: {displayName: Hook}\nactive: false\n---\nkind: Client\nname: Seven\nactivated: false\n";
    assert_eq!(planned(&lists, off, &[]), Vec::<String>::new());
    let on = off.replace("enabled: false\n", "").replace("active: false\n", "").replace("activated: false\n", "");
    let found = planned(&lists, &on, &[]);
    let is_switch = |line: &String| line.ends_with(": Some(Bool(false)) -> Some(Bool(true))");
    assert_eq!(found.iter().filter(|line| is_switch(line)).count(), 3, "{found:#?}");
}

/// A category below another, with an article, and with another category below it.
fn knowledge() -> [(&'static str, Option<&'static str>, Value); 2] {
    let category = |id: &str, name: &str, above: &str| {
        json!({"id": id, "name": name,
        "parentCategory": if above.is_empty() { Value::Null } else { json!({"id": above}) }})
    };
    let categories = json!([category("1", "A", ""), category("2", "B", "1"), category("3", "C", "2")]);
    let article = json!([{"id": "9", "title": "T", "content": "x", "category": {"id": "2"}}]);
    [("KbCategory", None, categories), ("KbArticle", None, article)]
}

#[test]
fn several_levels_of_a_tree_are_renamed_at_once() {
    let text = |b: &str, c: &str, t: &str| {
        format!(
            "kind: KbCategory\nname: A2\npreviousName: A\n---\n\
             kind: KbCategory\nname: B2\npreviousName: {b}\nparentCategory: {{path: A2}}\n---\n\
             kind: KbCategory\nname: C2\npreviousName: {c}\nparentCategory: {{path: A2 >> B2}}\n---\n\
             kind: KbArticle\ntitle: T2\npreviousName: {t}\ncontent: x\ncategory: {{path: A2 >> B2}}\n"
        )
    };
    let expected = [
        "> KbCategory \"A\" -> \"A2\"",
        "> KbCategory \"A >> B\" -> \"A2 >> B2\"",
        "> KbCategory \"A >> B >> C\" -> \"A2 >> B2 >> C2\"",
        "> KbArticle \"A >> B >> T\" -> \"A2 >> B2 >> T2\"",
    ];
    // By the ways through the tree as it is, and by names alone.
    for text in [text("A >> B", "A >> B >> C", "A >> B >> T"), text("B", "C", "T")] {
        let titles: Vec<String> =
            planned(&knowledge(), &text, &[]).into_iter().filter(|one| one.starts_with('>')).collect();
        assert_eq!(titles, expected, "{text}");
    }
}

#[test]
fn what_keeps_its_name_moves_with_the_category_above_it() {
    let text = "kind: KbCategory\nname: A2\npreviousName: A\n---\n\
                kind: KbCategory\nname: B\npreviousName: A >> B\nparentCategory: {path: A2}\n---\n\
                kind: KbArticle\ntitle: T\npreviousName: A >> B >> T\ncontent: x\ncategory: {path: A2 >> B}\n";
    let found = planned(&knowledge(), text, &[]);
    assert_eq!(found[0], "> KbCategory \"A\" -> \"A2\"");
    assert!(!found.iter().any(|line| line.starts_with('+')), "{found:#?}");
}
