//! The table of kinds and what is made of it, by the committed document.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{convert, diff, documents, documents::Shapes, json_schema, kinds, kinds::List};
use crate::operations;

pub fn document() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/openapi.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_table_names_operations_and_fields_of_the_document() {
    let document = document();
    let operations = operations::all(&document);
    let shapes = Shapes::new(&operations).unwrap();
    let mut earlier = Vec::new();
    for kind in kinds::all() {
        let (List::Rows(list, _) | List::Lines(list, _)) = kind.list;
        let switch = kind.switch.as_ref().map(|switch| switch.on);
        let state = kind.state.iter().flat_map(|state| [state.on, state.off]);
        let others = [kind.update, kind.delete, kind.get, kind.fields, kind.members, switch].into_iter().flatten();
        for id in others.chain(state).chain([kind.create, list]) {
            assert!(operations.iter().any(|one| one.id == id), "{}: {id}", kind.name);
        }
        assert!(!shapes.of(kind).is_empty(), "{}", kind.name);
        earlier.push(kind.name);
        let references = kind.references.iter().map(|one| one.kind).chain(kind.owner.iter().map(|one| one.kind));
        for name in references.filter(|name| *name != kinds::SHIFT) {
            assert!(earlier.contains(&name), "{} refers to {name}, which stands behind it", kind.name);
        }
    }
}

/// The paths of what an object of a kind has to change in to be as a file says.
fn changed(kind: &str, object: Value, file: Value) -> Vec<String> {
    let document = document();
    let operations = operations::all(&document);
    let shapes = Shapes::new(&operations).unwrap();
    let fields = shapes.of(kinds::kind(kind).unwrap());
    let said = |body: Value| convert::strip(fields, body.as_object().unwrap());
    let found = diff::changes(fields, &said(object), &said(file));
    found.into_iter().map(|change| change.path).collect()
}

#[test]
fn what_is_left_out_within_a_field_is_a_change_and_what_is_left_out_beside_it_stays() {
    let schedule = |pattern: Value| json!({"startDate": "2026-12-01T00:00:00Z", "pattern": pattern});
    let weekly = json!({"type": "weekly", "weekDays": "Monday", "repeatFrequency": 2});
    let old = json!({"name": "x", "schedule": schedule(weekly), "maximumLateness": 60,
        "script": {"customScript": {"name": "s"}, "parameters": {"target": "prod"}, "userType": 1}});
    let new = json!({"name": "x", "schedule": schedule(json!({"type": "weekly", "weekDays": "Monday"})),
        "script": {"customScript": {"name": "s"}, "userType": 1}});
    assert_eq!(changed("Job", old, new), ["schedule.pattern.repeatFrequency", "script.parameters"]);

    let shift = |more: Value| {
        let mut shift = json!({"name": "Days", "users": [{"loginName": "anna"}],
            "schedule": {"type": "recurring", "startDate": "2026-11-20T00:00:00Z", "startTime": "08:00:00"}});
        shift.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"name": "x", "description": "", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]})
    };
    let secondary = shift(json!({"level": "secondary", "onHolidays": "skip"}));
    let found = changed("Roster", secondary, shift(json!({})));
    assert_eq!(found, ["shiftDetails[0].level", "shiftDetails[0].onHolidays"]);
    // What the service takes by itself does not differ.
    let primary = shift(json!({"level": "primary", "onHolidays": "keep"}));
    assert_eq!(changed("Roster", shift(json!({})), primary), Vec::<String>::new());
    let cards = |card: Value| json!({"name": "x", "networkCardDetails": [card]});
    let (old, new) = (json!({"networkName": "e0", "dhcpEnabled": false}), json!({"networkName": "e0"}));
    assert_eq!(changed("Resource", cards(old), cards(new)), Vec::<String>::new());
}

#[test]
fn other_spellings_of_a_value_are_no_change() {
    let job = |pattern: Value| json!({"name": "x", "schedule": {"pattern": pattern}});
    let weekly = |days: &str| json!({"type": "weekly", "weekDays": days});
    let article = |state: &str| json!({"title": "x", "content": "x", "category": {"path": "x"}, "state": state});
    let step = |after: Value| json!({"user": {"loginName": "a"}, "urgency": "low", "steps": [after]});
    for (kind, one, other) in [
        (
            "HolidayCalendar",
            json!({"name": "x", "days": [{"date": "2026-12-26"}, {"date": "2026-12-25", "name": "Christmas Day"}]}),
            json!({"name": "x", "days": [{"date": "2026-12-25", "name": "Christmas Day"}, {"date": "2026-12-26"}]}),
        ),
        ("Job", job(weekly("Monday,Friday")), job(weekly("friday, Monday,Friday"))),
        (
            "Job",
            job(json!({"type": "monthly", "dayOfMonth": "1,15"})),
            job(json!({"type": "monthly", "dayOfMonth": "15, 01"})),
        ),
        ("Job", json!({"name": "x", "labels": ["b", "a"]}), json!({"name": "x", "labels": ["a", "b"]})),
        (
            "Job",
            json!({"name": "x", "schedule": {"cron": "0 3 * * *"}}),
            json!({"name": "x", "schedule": {"cron": "0  3 * *  *"}}),
        ),
        (
            "JobScript",
            json!({"name": "x", "content": "x", "platforms": ["WINDOWS", "LINUX"]}),
            json!({"name": "x", "content": "x", "platforms": ["linux", "Windows"]}),
        ),
        ("KbArticle", article("INACTIVE"), article("DRAFT")),
        ("KbArticle", article("ACTIVE"), article("published")),
        (
            "EscalationPolicy",
            json!({"name": "x", "steps": [], "ackTimeout": "2h"}),
            json!({"name": "x", "steps": [], "ackTimeout": "120m"}),
        ),
        ("NotificationRule", step(json!({"after": "0s"})), step(json!({}))),
        ("InboundAddress", json!({"name": "mon"}), json!({"name": "Mon"})),
        ("NotificationRule", step(json!({})), step(json!({"after": "0"}))),
        (
            "Resource",
            json!({"name": "x", "appRoles": [{"name": "haproxy"}, {"name": "nginx"}]}),
            json!({"name": "x", "appRoles": [{"name": "nginx"}, {"name": "haproxy"}]}),
        ),
    ] {
        assert_eq!(changed(kind, one.clone(), other.clone()), Vec::<String>::new(), "{kind}: {one} {other}");
    }
    assert_eq!(changed("KbArticle", article("ACTIVE"), article("DRAFT")), ["state"]);
    let days = changed("Job", job(weekly("Monday")), job(weekly("Monday,Friday")));
    assert_eq!(days, ["schedule.pattern.weekDays"]);
    let labels = changed("Job", json!({"labels": ["a", "b"]}), json!({"labels": ["c", "a"]}));
    assert_eq!(labels, ["labels"]);
    let policy = |time: &str| json!({"steps": [], "ackTimeout": time});
    assert_eq!(changed("EscalationPolicy", policy("2h"), policy("2m")), ["ackTimeout"]);
}

fn errors(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let document = document();
    let operations = operations::all(&document);
    let shapes = Shapes::new(&operations).unwrap();
    let errors = documents::read(folder.path(), &shapes).map(|_| ()).unwrap_err();
    let root = format!("{}/", folder.path().display());
    errors.into_iter().map(|error| error.replace(&root, "")).collect()
}

#[test]
fn everything_wrong_with_all_files_is_told_with_its_line() {
    let found = errors(&[
        ("a.yaml", "kind: Site\nname: Rome\ncitty: Rome\n---\nkind: Siet\n---\nkind: Site\nname: 12\n"),
        ("b/c.yml", "kind: UserGroup\nname: Ops\nusers: [{loginNam: anna}, anna, {loginName: ben}]\n"),
        ("b/d.yaml", "kind: ContactMethod\nuser: {loginName: anna}\nname: Phone\ntype: HTP\ntoken: hush\n"),
        ("b/e.json", "[{\"kind\": \"Site\",\n  \"name\": \"rome\"}, {\"kind\": \"Site\", \"name\": \"Rome \"}]"),
        ("b/f.yaml", "kind: Heartbeat\nname: Backup\ninterval: soon\n"),
        ("g.yaml", "kind: Site\nname: 'x\n"),
        (".hidden.yaml", "no"),
        ("README.md", "no"),
    ]);
    let expected = [
        "a.yaml:3: citty: is not a field of Site; did you mean city?",
        "a.yaml:5: kind: \"Siet\" is not a kind; did you mean Site? (docs/configuration.md has them)",
        "a.yaml:8: name: is a number, and has to be a text: put it in quotes",
        "b/c.yml:3: users[0].loginNam: does not name a User: write loginName",
        "b/c.yml:3: users[1]: is a text: write {loginName: …}",
        "b/d.yaml:4: type: \"HTP\" is none of HTTP, EMAIL; did you mean HTTP?",
        "b/d.yaml:5: token: is a secret: write {fromEnv: NAME} or {fromFile: PATH}",
    ];
    assert_eq!(found[..expected.len()], expected);
    assert!(found[expected.len()].starts_with("b/f.yaml:3: interval: \"soon\" is not written"), "{found:#?}");
    assert!(found[expected.len() + 1].starts_with("g.yaml:"), "{found:#?}");
    assert_eq!(found[expected.len() + 2], "b/e.json:2: Site \"Rome\" is described at b/e.json:1 already");
    assert!(!found.iter().any(|error| error.contains("hush")), "{found:#?}");
}

#[test]
fn the_json_schema_has_every_kind_with_its_references_and_secrets() {
    let document = document();
    let operations = operations::all(&document);
    let schema = json_schema::schema(&Shapes::new(&operations).unwrap());
    let kinds = schema["$defs"]["document"]["oneOf"].as_array().unwrap();
    assert_eq!(kinds.len(), kinds::all().len());
    let group = &schema["$defs"]["UserGroup"];
    assert_eq!(group["required"], json!(["kind", "name"]));
    let user = &group["properties"]["users"]["items"]["properties"]["loginName"];
    assert_eq!(user["type"], "string");
    let method = &schema["$defs"]["ContactMethod"]["properties"];
    assert_eq!(method["token"]["$ref"], "#/$defs/secret");
    assert_eq!(method["preset"]["default"], "webhook");
    assert_eq!(method["type"]["enum"], json!(["HTTP", "EMAIL"]));
    let level = &schema["$defs"]["EscalationPolicy"]["properties"]["steps"]["items"]["properties"]["wait"];
    assert_eq!(level["default"], "5m");
}
