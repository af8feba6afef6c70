//! The variables of `queryString` about time.

use muster_tests::{Client, Server, both_backends};
use serde_json::json;

use super::{create, detail, finds, next_second, timestamp};

both_backends![
    by_creation_date,
    by_update_date,
    by_managed_times,
    every_documented_spelling_of_a_time_is_taken,
    other_spellings_are_refused_by_name,
];

/// `2026-11-20T20:37:00+0000` as the form of query values, `2026-11-20T20:37:00Z`.
fn zulu(time: &str) -> String {
    time.replace("+0000", "Z")
}

fn times(client: &Client, id: &str, field: &str) -> String {
    zulu(&timestamp(&detail(client, id)["generalInfo"][field]))
}

const LONG_AGO: &str = "2001-02-03T04:05:06Z";
const FAR_AHEAD: &str = "2999-12-31T23:59:59Z";

fn by_creation_date(server: &Server) {
    let client = server.new_client();
    let a = create(&client, &json!({"name": "a"}));
    next_second();
    let b = create(&client, &json!({"name": "b"}));
    let first = times(&client, &a, "createdTime");
    let second = times(&client, &b, "createdTime");
    assert!(first < second);
    range(&client, "startCreationDate", "endCreationDate", &first, &second);
}

/// `a` happened at `first`, `b` at `second`, a second or more later. Both ends belong to a range.
#[track_caller]
fn range(client: &Client, start: &str, end: &str, first: &str, second: &str) {
    finds(
        client,
        &[
            (&format!("{start}:{LONG_AGO}"), "a b"),
            (&format!("{start}:{FAR_AHEAD}"), ""),
            (&format!("{end}:{FAR_AHEAD}"), "a b"),
            (&format!("{end}:{LONG_AGO}"), ""),
            (&format!("{start}:{first}"), "a b"),
            (&format!("{start}:{second}"), "b"),
            (&format!("{end}:{first}"), "a"),
            (&format!("{end}:{second}"), "a b"),
            (&format!("{start}:{first}+{end}:{first}"), "a"),
            (&format!("{start}:{LONG_AGO}+{end}:{FAR_AHEAD}+hostName:none"), ""),
        ],
    );
}

fn by_update_date(server: &Server) {
    let client = server.new_client();
    let b = create(&client, &json!({"name": "b"}));
    let a = create(&client, &json!({"name": "a"}));
    next_second();
    client.post(&format!("/resources/{b}"), &json!({"description": "later"})).ok();
    let first = times(&client, &a, "updatedTime");
    let second = times(&client, &b, "updatedTime");
    assert!(first < second);
    range(&client, "startUpdationDate", "endUpdationDate", &first, &second);
}

fn by_managed_times(server: &Server) {
    let client = server.new_client();
    let a = create(&client, &json!({"name": "a"}));
    let b = create(&client, &json!({"name": "b"}));
    next_second();
    client.post_empty(&format!("/devices/{a}/unmanage")).ok();
    next_second();
    client.post_empty(&format!("/devices/{a}/manage")).ok();
    let most_recent = times(&client, &a, "assetManagedTime");
    let first = times(&client, &a, "firstAssetManagedTime");
    assert!(first < most_recent, "{first} {most_recent}");
    let other = times(&client, &b, "firstAssetManagedTime");
    finds(
        &client,
        &[
            (&format!("assetManagedTime:{most_recent}"), "a"),
            (&format!("assetManagedTime:{LONG_AGO}"), ""),
            (&format!("firstAssetManagedTime:{most_recent}"), ""),
            (&format!("firstAssetManagedTime:{LONG_AGO}"), ""),
        ],
    );
    assert!(super::found(&client, &format!("firstAssetManagedTime:{first}")).contains(&"a".to_owned()));
    assert!(super::found(&client, &format!("firstAssetManagedTime:{other}")).contains(&"b".to_owned()));
}

fn every_documented_spelling_of_a_time_is_taken(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "a"}));
    let now = times(&client, &super::text(&client.get("/resources/minimal").list()[0]["id"]), "createdTime");
    let seconds = &now[..19];
    let listed = |encoded: String| {
        let path = format!("/resources/minimal?queryString={encoded}");
        client.get(&path).list().len()
    };
    for zone in ["Z", "%2B0000", "+0000", "%200000"] {
        assert_eq!(listed(format!("startCreationDate:{seconds}{zone}")), 1, "{zone}");
        assert_eq!(listed(format!("endCreationDate:{seconds}{zone}")), 1, "{zone}");
        assert_eq!(listed(format!("startCreationDate:{seconds}{zone}%2Bstate:active")), 1, "{zone} then a term");
        assert_eq!(listed(format!("startCreationDate:{seconds}{zone}+state:inactive")), 0, "{zone} then a term");
    }
    // Five and a half hours ahead of Greenwich, the same local time was an earlier instant.
    for zone in ["%2B05:30", "+05:30", "%2005:30"] {
        assert_eq!(listed(format!("startCreationDate:{seconds}{zone}")), 1, "{zone}");
        assert_eq!(listed(format!("endCreationDate:{seconds}{zone}")), 0, "{zone}");
    }
    assert_eq!(listed(format!("startCreationDate:{seconds}-05:30")), 0);
}

fn other_spellings_are_refused_by_name(server: &Server) {
    let client = server.new_client();
    for variable in [
        "startCreationDate",
        "endCreationDate",
        "startUpdationDate",
        "endUpdationDate",
        "assetManagedTime",
        "firstAssetManagedTime",
    ] {
        for value in [
            "yesterday",
            "2026-11-20",
            "2026-11-20T20:37:00",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "1700000000",
        ] {
            let refused = client.search("/resources/minimal", &format!("{variable}:{value}")).invalid(&["queryString"]);
            assert!(refused["message"].to_string().contains(variable), "the term is named: {refused}");
        }
    }
}
