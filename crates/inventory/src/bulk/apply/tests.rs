//! Rows on SQLite.

use base::timestamp::Timestamp;
use outbox::Actor;
use serde_json::{Value, json};

use super::{
    super::{
        reader::{Format, Reader},
        wire::ERROR,
    },
    *,
};
use crate::sites::tests::{Fixture, NOW};

fn rows(format: Format, text: &str) -> Vec<Row> {
    let mut reader = Reader::new(format, "client_1");
    reader.push(text.as_bytes()).unwrap();
    reader.end().unwrap();
    reader.take(usize::MAX)
}

fn store_rows(fixture: &Fixture, rows: Vec<Row>, now: Timestamp) -> Vec<BulkResult> {
    let destination = Destination { tenant: "client_1".to_owned(), partner: "msp_1".to_owned() };
    let actor = Actor::without_change_set("u", "k", "r");
    fixture.write(move |conn| Tx::run(conn, &actor, now, |tx| apply(tx, &destination, &rows)))
}

fn lines(fixture: &Fixture, objects: &[Value]) -> Vec<BulkResult> {
    let text: String = objects.iter().map(|object| format!("{object}\n")).collect();
    store_rows(fixture, rows(Format::Ndjson, &text), NOW)
}

fn table(fixture: &Fixture, text: &str) -> Vec<BulkResult> {
    store_rows(fixture, rows(Format::Csv, text), NOW)
}

fn results(results: &[BulkResult]) -> Vec<&'static str> {
    results.iter().map(|row| row.result).collect()
}

fn id(results: &[BulkResult], row: usize) -> String {
    results[row].id.clone().unwrap()
}

fn resource(fixture: &Fixture, id: &str) -> Resource {
    fixture.read(|conn| store::find(conn, &["client_1".to_owned()], id)).unwrap().into_resource().unwrap()
}

#[test]
fn rows_are_stored_until_it_is_enough() {
    let fixture = Fixture::new();
    let text: String = (0..5).map(|number| format!("{}\n", json!({"name": format!("web-{number}")}))).collect();
    let destination = Destination { tenant: "client_1".to_owned(), partner: "msp_1".to_owned() };
    let actor = Actor::without_change_set("u", "k", "r");
    let all = rows(Format::Ndjson, &text);
    let asked = std::cell::Cell::new(0);
    let done = fixture.write(move |conn| {
        let is_enough = || asked.replace(asked.get() + 1) == 2;
        Tx::run(conn, &actor, NOW, |tx| apply_until(tx, &destination, &all, is_enough))
    });
    assert_eq!(results(&done), [CREATED; 3]);
    assert_eq!(resource(&fixture, &id(&done, 2)).document.text("name"), "web-2");
    let again = lines(&fixture, &(0..5).map(|number| json!({"name": format!("web-{number}")})).collect::<Vec<_>>());
    assert_eq!(results(&again), [UNCHANGED, UNCHANGED, UNCHANGED, CREATED, CREATED]);
}

#[test]
fn the_same_rows_again_change_nothing() {
    let fixture = Fixture::new();
    let objects = [
        json!({"name": "by uuid", "systemUID": "4C4C4544-0034-3010-8048-B6C04F503732"}),
        json!({"provider": "AWS", "accountNumber": "1", "instanceId": "i-1", "tags": [{"name": "env", "value": "x"}]}),
        json!({"name": "by serial", "make": "Dell Inc.", "serialNumber": "2FAGP34", "appRoles": [{"name": "nginx"}]}),
        json!({"name": "by mac", "macAddress": "68:B5:99:00:00:01"}),
        json!({"name": "by external id", "extResourceId": "CMDB-7", "bios": {"systemModel": "M"}}),
        json!({"hostName": "by.name", "ipAddress": "10.0.0.1", "launchDate": "2026-01-01T00:00:00Z"}),
        json!({"type": "EBS", "name": "by.name"}),
    ];
    let first = lines(&fixture, &objects);
    assert_eq!(results(&first), [CREATED; 7]);
    let again = lines(&fixture, &objects);
    assert_eq!(results(&again), [UNCHANGED; 7]);
    let ids = |rows: &[BulkResult]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&again));
    assert_eq!(resource(&fixture, &id(&first, 0)).version, 1);
}

#[test]
fn each_natural_key_finds_its_resource() {
    let fixture = Fixture::new();
    let made = lines(
        &fixture,
        &[
            json!({"name": "a", "systemUID": "4C4C4544-0034-3010-8048-B6C04F503732",
                "macAddress": "68:B5:99:00:00:01"}),
            json!({"name": "b", "extResourceId": "CMDB-7", "make": "Dell", "serialNumber": "S1234567"}),
            json!({"hostName": "c", "resourceName": "c", "ipAddress": "10.0.0.1"}),
        ],
    );
    let changed = lines(
        &fixture,
        &[
            json!({"systemUID": "4c4c4544-0034-3010-8048-b6c04f503732", "description": "1"}),
            json!({"macAddress": "68-b5-99-00-00-01", "description": "2"}),
            json!({"extResourceId": "cmdb-7", "description": "3"}),
            json!({"hostName": "C", "description": "4"}),
            json!({"ipAddress": "::ffff:10.0.0.1", "hostName": "c", "description": "5"}),
            json!({"id": id(&made, 2).to_uppercase(), "hostName": "renamed"}),
            // Another system has one id for two machines, which tell themselves apart.
            json!({"name": "b", "extResourceId": "CMDB-7", "make": "Dell", "serialNumber": "S7654321"}),
            json!({"hostName": "renamed", "ipAddress": "10.0.0.2"}),
        ],
    );
    let [u, c] = [UPDATED, CREATED];
    assert_eq!(results(&changed), [u, u, u, u, u, u, c, c]);
    let of = |row: usize| made.iter().position(|made| made.id == changed[row].id);
    assert_eq!((0..8).map(of).collect::<Vec<_>>(), [Some(0), Some(0), Some(1), Some(2), Some(2), Some(2), None, None]);
    assert_eq!(resource(&fixture, &id(&made, 0)).document.text("description"), "2");
    assert_eq!(resource(&fixture, &id(&made, 2)).document.text("hostName"), "renamed");
}

#[test]
fn a_row_with_a_blank_name_finds_what_it_made() {
    let fixture = Fixture::new();
    for row in [
        json!({"name": " ", "hostName": "h"}),
        json!({"name": "n", "hostName": "\u{a0}"}),
        json!({"resourceName": "  ", "dnsName": "d", "ipAddress": " "}),
    ] {
        let row = std::slice::from_ref(&row);
        assert_eq!(
            [results(&lines(&fixture, row)), results(&lines(&fixture, row))],
            [[CREATED], [UNCHANGED]],
            "{row:?}"
        );
    }
}

#[test]
fn among_equal_names_the_resource_without_others_is_chosen() {
    let fixture = Fixture::new();
    let made = lines(
        &fixture,
        &[json!({"hostName": "web", "ipAddress": "10.0.0.1"}), json!({"hostName": "web", "ipAddress": "10.0.0.2"})],
    );
    let both = lines(&fixture, &[json!({"hostName": "web", "description": "which?"})]);
    assert_eq!(results(&both), [ERROR]);
    let error = &both[0].errors[0];
    assert_eq!((error.code, error.field_name.as_str()), ("0004", "row"));
    assert_eq!(error.message, "2 resources have these names: say by id which one is meant.");
    let bare = fixture.resource("client_1", &[("hostName", "web")]);
    let meant = lines(
        &fixture,
        &[json!({"hostName": "WEB", "description": "this"}), json!({"hostName": "web", "ipAddress": "10.0.0.2"})],
    );
    assert_eq!((id(&meant, 0), id(&meant, 1)), (bare, id(&made, 1)));
}

#[test]
fn a_refused_row_leaves_nothing_and_stops_no_other() {
    let fixture = Fixture::new();
    fixture.site("client_1", "Graz", "Graz");
    let foreign = fixture.resource("client_2", &[("name", "theirs")]);
    let done = lines(
        &fixture,
        &[
            json!({"name": "a", "location": {"name": "Graz"}}),
            json!({"name": "b", "location": {"name": "nowhere"}, "resourceType": "Never Seen"}),
            json!({"name": "c", "state": "odd"}),
            json!({"description": "nameless"}),
            json!({"id": foreign, "name": "mine"}),
            json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "name": "x"}),
            json!({"name": "d"}),
        ],
    );
    assert_eq!(results(&done), [CREATED, ERROR, ERROR, ERROR, ERROR, ERROR, CREATED]);
    let named: Vec<_> = done.iter().flat_map(|row| &row.errors).map(|e| (e.code, e.field_name.as_str())).collect();
    assert_eq!(named, [("0002", "location"), ("0002", "state"), ("0002", "name"), ("0003", "id"), ("0003", "id")]);
    let types = fixture.read(|conn| crate::types::list(conn, &["client_1".to_owned()]));
    assert!(!types.iter().any(|kind| kind.name == "Never Seen"));
    let count = fixture.read(|conn| store::count(conn, &filter::tenants(&["client_1".to_owned()])));
    assert_eq!(count, 2);
}

#[test]
fn another_machines_identity_is_refused() {
    let fixture = Fixture::new();
    let made = lines(
        &fixture,
        &[
            json!({"name": "a", "make": "Dell", "serialNumber": "S1234567"}),
            json!({"name": "b", "make": "Dell", "serialNumber": "S7654321"}),
        ],
    );
    let done = lines(&fixture, &[json!({"id": id(&made, 0), "serialNumber": "S7654321"})]);
    assert_eq!((done[0].result, done[0].errors[0].code), (ERROR, "0004"));
}

#[test]
fn a_table_sets_its_columns() {
    let fixture = Fixture::new();
    let made = lines(
        &fixture,
        &[json!({
            "hostName": "web", "make": "Dell", "description": "old",
            "tags": [{"name": "env", "value": "test"}, {"name": "Owner", "value": "ops", "tagSource": "AGENT"}],
        })],
    );
    let done = table(&fixture, "hostName,description,make,tags.Env,tags.owner\r\nweb,,HP,prod,ops\r\nnew,,,dev,\r\n");
    assert_eq!(results(&done), [UPDATED, CREATED]);
    let resource = |row: &[BulkResult], at: usize| resource(&fixture, &id(row, at)).document;
    let document = resource(&made, 0);
    assert_eq!((document.text("make"), document.text("description")), ("HP", "old"));
    let tags: Vec<_> = document.tags.iter().map(|t| [t.name.as_str(), &t.value, &t.tag_source]).collect();
    assert_eq!(tags, [["env", "prod", "API"], ["Owner", "ops", "AGENT"]]);
    assert_eq!(resource(&done, 1).tags.len(), 1);
    assert_eq!(results(&table(&fixture, "hostName,tags.env\nweb,prod\n")), [UNCHANGED]);
}

#[test]
fn one_machine_twice_in_a_batch_is_one_change() {
    let fixture = Fixture::new();
    let done = lines(
        &fixture,
        &[json!({"name": "a"}), json!({"name": "a", "make": "HP"}), json!({"name": "a", "make": "HP"})],
    );
    assert_eq!(results(&done), [CREATED, UPDATED, UNCHANGED]);
    let all = Condition::sql("1 = 1");
    let logged = fixture.read(|conn| outbox::audit::page(conn, &all, true, &base::PageRequest::default()));
    assert_eq!(logged.total, 1);
}
