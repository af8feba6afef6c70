//! The answers to other domains about machines, on SQLite.

use std::collections::BTreeSet;

use base::matching::Meter;
use ports::{PlaceKind, ResourceKey as Key};
use serde_json::json;

use super::*;
use crate::{
    group_api::members,
    groups::{
        changes::{self, GroupAccess},
        input::{ChildReference, GroupEntries},
        kind::Kind,
        row::Group,
    },
    resources::{rules, store},
    sites::tests::{Fixture, NOW, in_tx},
};

fn tenants(all: &[&str]) -> Vec<String> {
    all.iter().map(|tenant| (*tenant).to_owned()).collect()
}

fn found(fixture: &Fixture, of: &[&str], keys: &[Key]) -> Vec<Vec<String>> {
    let all = fixture.read(|conn| Machines.find(conn, &tenants(of), keys));
    all.into_iter().map(|found| found.into_iter().map(|resource| resource.id).collect()).collect()
}

fn cards(fixture: &Fixture, id: &str, cards: serde_json::Value) {
    let id = id.to_owned();
    fixture.write(move |conn| {
        let old = store::find(conn, &tenants(&["client_1"]), &id)?.unwrap();
        let mut resource = rules::changed(&old.clone().into_resource()?, NOW);
        resource.document.set_part("networkCardDetails", cards);
        store::update(conn, "msp_1", &old, &resource)
    });
}

fn group(fixture: &Fixture, tenant: &str, body: serde_json::Value, members: &[&str]) -> Group {
    let partner = tenant == "msp_1";
    let scope = if partner { tenants(&["msp_1", "client_1", "client_2"]) } else { tenants(&[tenant]) };
    let access = GroupAccess { tenant: tenant.to_owned(), partner: "msp_1".to_owned(), scope };
    let ids: serde_json::Value = members.iter().map(|id| json!({"id": id})).collect();
    fixture.write(move |conn| {
        let meter = Meter::new(Meter::REQUEST);
        let GroupEntries::One(new) = GroupEntries::read(Kind::Device, &body, &meter).unwrap() else {
            panic!("one group")
        };
        let group = changes::save(conn, &access, Kind::Device, &[new], |_| String::new(), None, NOW)?.0.remove(0).group;
        if ids.as_array().is_some_and(Vec::is_empty) {
            return Ok(group);
        }
        let given = ChildReference::read_all(Kind::Device, &ids).unwrap();
        in_tx(conn, |tx| members::add(tx, &access, Kind::Device, &group, &given))?;
        Ok(group)
    })
}

#[test]
fn a_machine_is_found_by_any_of_its_keys() {
    let fixture = Fixture::new();
    let texts =
        [("hostName", "Web-01.example"), ("extResourceId", "EXT/7"), ("ipAddress", "10.0.0.7"), ("name", "Web 1")];
    let web = fixture.resource("client_1", &texts);
    cards(
        &fixture,
        &web,
        json!([
            {"ipAddress": "10.0.0.8", "aliasIps": "fd00::8, 10.0.0.9", "macAddress": "02:42:ac:11:00:02"},
            {"ipAddress": "127.0.0.1", "aliasIps": "fe80::8", "macAddress": "00:00:00:00:00:00"},
        ]),
    );
    let keys = [
        Key::Id(web.to_uppercase()),
        Key::Name(" WEB-01.Example".to_owned()),
        Key::ExtResourceId("ext/7".to_owned()),
        Key::IpAddress("10.0.0.7".to_owned()),
        Key::IpAddress("::ffff:10.0.0.8".to_owned()),
        Key::IpAddress("FD00:0::8".to_owned()),
        Key::MacAddress("0242.AC11.0002".to_owned()),
        Key::MacAddress("02-42-AC-11-00-02".to_owned()),
    ];
    assert_eq!(found(&fixture, &["client_1"], &keys), vec![vec![web.clone()]; keys.len()]);
    assert_eq!(found(&fixture, &["client_2", "msp_1"], &keys), vec![Vec::<String>::new(); keys.len()]);
    let nobody = ["", "web-02", "Web 1", "*", "%", "10.0.0.0/8", "127.0.0.1", "fe80::8", "00-00-00-00-00-00"];
    let nobody: Vec<Key> = nobody
        .iter()
        .flat_map(|text| {
            let text = (*text).to_owned();
            [Key::Name(text.clone()), Key::Id(text.clone()), Key::IpAddress(text.clone()), Key::MacAddress(text)]
        })
        .collect();
    assert!(found(&fixture, &["client_1"], &nobody).iter().all(Vec::is_empty));

    cards(&fixture, &web, json!([{"ipAddress": "10.0.0.10"}]));
    let moved = [Key::IpAddress("10.0.0.8".to_owned()), Key::IpAddress("10.0.0.10".to_owned()), keys[6].clone()];
    assert_eq!(found(&fixture, &["client_1"], &moved), [vec![], vec![web.clone()], vec![]]);
    fixture.decommission("client_1", &web);
    assert!(found(&fixture, &["client_1"], &keys).iter().all(Vec::is_empty));
}

#[test]
fn any_name_finds_a_machine_and_a_full_one_by_its_first_label() {
    let fixture = Fixture::new();
    let agent = fixture.resource("client_1", &[("hostName", "fq1"), ("dnsName", "fq1.example.net")]);
    let short = fixture.resource("client_1", &[("hostName", "Short")]);
    let full = fixture.resource("client_1", &[("hostName", "full.example.net.")]);
    let named = fixture.resource("client_1", &[("resourceName", "Shop"), ("aliasName", "shop.example.com")]);
    let one = fixture.resource("client_1", &[("hostName", "twin"), ("dnsName", "twin.a.net")]);
    let other = fixture.resource("client_1", &[("hostName", "twin"), ("dnsName", "twin.b.net")]);
    let prefers_host = fixture.resource("client_1", &[("hostName", "both")]);
    fixture.resource("client_1", &[("hostName", "x"), ("aliasName", "both")]);
    for (name, expected) in [
        ("fq1", vec![&agent]),
        ("FQ1.example.NET", vec![&agent]),
        ("fq1.example.net.", vec![&agent]),
        ("fq1.", vec![&agent]),
        ("fq1.example.org", vec![]),
        ("short.example.net", vec![&short]),
        ("short.example.org.", vec![&short]),
        ("full", vec![&full]),
        ("full.example.net", vec![&full]),
        ("full.example.org", vec![]),
        ("shop", vec![&named]),
        ("shop.example.com", vec![&named]),
        ("shop.example.net", vec![]),
        ("twin", vec![&one, &other]),
        ("twin.b.net", vec![&other]),
        ("twin.c.net", vec![]),
        ("both", vec![&prefers_host]),
        ("example.net", vec![]),
        ("ful", vec![]),
        (".", vec![]),
        (".net", vec![]),
        ("10.0.0.1", vec![]),
    ] {
        let found = found(&fixture, &["client_1"], &[Key::Name(name.to_owned())]).remove(0);
        let (found, expected): (BTreeSet<_>, BTreeSet<_>) = (found.iter().collect(), expected.into_iter().collect());
        assert_eq!(found, expected, "{name}");
    }
    // Two full names begin with the label, so the short name is ambiguous.
    fixture.resource("client_1", &[("hostName", "full.example.org")]);
    assert_eq!(found(&fixture, &["client_1"], &[Key::Name("full".to_owned())]), [Vec::<String>::new()]);
    let all: Vec<Key> = (0..250).map(|number| Key::Name(format!("none-{number}"))).collect();
    let all = [all, vec![Key::Name("fq1.".to_owned())]].concat();
    assert_eq!(found(&fixture, &["client_1"], &all).concat(), [agent]);
}

#[test]
fn a_key_that_many_share_brings_in_two_and_hides_no_other() {
    let fixture = Fixture::new();
    for _ in 0..30 {
        fixture.resource("client_1", &[("hostName", "localhost"), ("ipAddress", "10.0.0.1")]);
    }
    let web = fixture.resource("client_1", &[("hostName", "web")]);
    let keys = [
        Key::Name("localhost".to_owned()),
        Key::Name("web".to_owned()),
        Key::Name("none".to_owned()),
        Key::IpAddress("10.0.0.1".to_owned()),
    ];
    let all = found(&fixture, &["client_1"], &keys);
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 0, 2]);
    assert_eq!(all[1], [web]);
}

#[test]
fn of_several_tenants_the_first_counts() {
    let fixture = Fixture::new();
    let own = fixture.resource("client_1", &[("hostName", "db")]);
    let other = fixture.resource("client_2", &[("hostName", "db")]);
    let key = [Key::Name("DB".to_owned())];
    assert_eq!(found(&fixture, &["client_1", "client_2"], &key), [[own.clone(), other.clone()]]);
    assert_eq!(found(&fixture, &["client_2", "client_1"], &key), [[other, own]]);
}

#[test]
fn places_hold_the_members_of_groups_below() {
    let fixture = Fixture::new();
    let web = fixture.resource("client_1", &[("hostName", "web")]);
    let db = fixture.resource("client_1", &[("hostName", "db")]);
    let site = fixture.site("client_1", "Köln", "");
    fixture.put(&site, &[&web]);
    let top = group(&fixture, "client_1", json!({"name": "All"}), &[]);
    let below = group(&fixture, "client_1", json!({"name": "Web", "parent": {"id": top.id}}), &[&web]);
    let partner = group(&fixture, "msp_1", json!({"name": "Everywhere"}), &[&db, &web]);
    let both = tenants(&["client_1", "msp_1"]);

    let of = |of: &[String]| {
        let ids = [web.clone(), "none".to_owned(), db.clone()];
        let all = fixture.read(|conn| Machines.places_of(conn, of, &ids));
        all.into_iter()
            .map(|places| places.into_iter().map(|place| (place.kind, place.id)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let group = |id: i64| (PlaceKind::DeviceGroup, id);
    let location = (PlaceKind::Location, site.id);
    let web_in = vec![location, group(top.id), group(below.id), group(partner.id)];
    assert_eq!(of(&both), [web_in, vec![], vec![group(partner.id)]]);
    assert_eq!(of(&both[..1]), [vec![location, group(top.id), group(below.id)], vec![], vec![]]);

    let keys = [
        PlaceKey::Id(top.id),
        PlaceKey::UniqueId(below.unique_id.to_lowercase()),
        PlaceKey::Name(" everyWHERE".to_owned()),
        PlaceKey::Name("Every".to_owned()),
    ];
    let places = fixture.read(|conn| Machines.places(conn, &both, PlaceKind::DeviceGroup, &keys));
    let ids: Vec<_> = places.iter().map(|named| named.iter().map(|place| place.id).collect::<Vec<_>>()).collect();
    assert_eq!(ids, [vec![top.id], vec![below.id], vec![partner.id], vec![]]);
    let keys = [PlaceKey::Name("KÖLN".to_owned()), PlaceKey::Id(site.id), PlaceKey::Id(site.id + 1)];
    let sites = fixture.read(|conn| Machines.places(conn, &both, PlaceKind::Location, &keys));
    assert_eq!(sites.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 0]);
    let foreign = fixture.read(|conn| Machines.places(conn, &tenants(&["client_2"]), PlaceKind::Location, &keys));
    assert!(foreign.iter().all(Vec::is_empty));

    let members = |of: &[String], place: &Place, after: Option<&str>, limit| {
        let all = fixture.read(|conn| Machines.members(conn, of, place, after, limit));
        all.into_iter().map(|resource| resource.id).collect::<Vec<_>>()
    };
    let mut sorted = [web.clone(), db.clone()];
    let place = |index: usize| places[index][0].clone();
    sorted.sort();
    assert_eq!(members(&both, &place(0), None, 10), std::slice::from_ref(&web), "a child's members are its parent's");
    assert_eq!(members(&both, &place(2), None, 1), sorted[..1]);
    assert_eq!(members(&both, &place(2), Some(&sorted[0]), 10), sorted[1..]);
    assert_eq!(members(&both[..1], &place(2), None, 10), [""; 0], "a place that may not be seen");
    assert_eq!(members(&both, &sites[0][0], None, 10), [web]);
}
