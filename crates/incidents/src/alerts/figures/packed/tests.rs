//! Answers from packed days, compared with those from the rows.

use std::fmt::Write as _;

use base::timestamp::DAY_MS;
use db::{Conn, Result};
use diesel::connection::SimpleConnection as _;
use proptest::prelude::*;

use super::{super::read::from_rows, *};
use crate::alerts::{
    days::{
        store as days,
        tests::{PAGED, TABLES},
        worker::copy,
    },
    figures::{rules::By, store::Question},
    tests::{Fixture, fixture},
};

const TENANTS: [&str; 3] = ["client_1", "client_2", "msp_1"];
const ROSTER_TENANTS: [&str; 3] = ["client_1", "", "msp_1"];
const FIRST_DAY: i64 = 20_000;

/// What is told of a page: person, roster, step, and whether it was sent.
type PageOf = (usize, usize, i64, bool);

#[derive(Clone, Debug)]
struct AlertOf {
    tenant: usize,
    day: i64,
    ms: i64,
    jitter: i64,
    problem: usize,
    resource: Option<usize>,
    acknowledged: Option<i64>,
    closed: Option<i64>,
    pages: Vec<PageOf>,
    route: Option<usize>,
}

fn alerts() -> impl Strategy<Value = Vec<AlertOf>> {
    let ms = prop_oneof![Just(0), Just(1), Just(DAY_MS - 1), 0..DAY_MS, 0..20_i64];
    let seconds = || prop_oneof![0..90_i64, 0..40_000_i64, 0..3_000_000_i64];
    let place = (0..2_usize, 0..6_i64, ms, 0..3_i64);
    let what = (0..5_usize, prop::option::of(0..4_usize), prop::option::of(seconds()));
    let closed = prop_oneof![3 => seconds().prop_map(Some), 1 => Just(None)];
    let pages = prop::collection::vec((0..4_usize, 0..3_usize, 0..2_i64, prop::bool::weighted(0.8)), 0..4);
    let alert = (place, what, closed, pages, prop::option::of(0..3_usize));
    let alert =
        alert.prop_map(|((tenant, day, ms, jitter), (problem, resource, acknowledged), closed, pages, route)| {
            AlertOf { tenant, day, ms, jitter, problem, resource, acknowledged, closed, pages, route }
        });
    prop::collection::vec(alert, 1..80)
}

/// The statements that store alerts.
fn stored(alerts: &[AlertOf]) -> String {
    let mut sql =
        "DELETE FROM alerts; DELETE FROM alert_days; DELETE FROM told_pages; DELETE FROM told_routes;".to_owned();
    for (number, alert) in alerts.iter().enumerate() {
        let tenant = TENANTS[alert.tenant];
        let created_ms = (FIRST_DAY + alert.day) * DAY_MS + alert.ms;
        let time = created_ms + alert.jitter;
        let id = format!("ALT-{:08x}-{:04x}-7000-8000-{number:012x}", time >> 16, time & 0xffff);
        let text = |value: Option<String>| value.map_or("NULL".to_owned(), |value| format!("'{value}'"));
        let end = |seconds: Option<i64>| {
            seconds.map_or("NULL".to_owned(), |seconds| (created_ms + seconds * 1_000).to_string())
        };
        let AlertOf { problem, resource, acknowledged, closed, .. } = alert;
        let _ = write!(
            sql,
            "INSERT INTO alerts (tenant_id, id, version, problem, resource_id, host_key, subject_key, metric_key, \
             service_key, monitor_key, app_key, component_key, type_key, ext_key, current_state, repeats, first_ms, \
             last_ms, created_ms, updated_ms, acknowledged, suppression, document, sender, acknowledged_ms, closed_ms) \
             VALUES ('{tenant}', '{id}', 1, 'p{problem}', {}, '', '', '', '', '', '', '', '', '', 'Ok', 1, 0, 0, \
             {created_ms}, 0, FALSE, '', '{{}}', '', {}, {});",
            text(resource.map(|resource| format!("m{resource}"))),
            end(*acknowledged),
            end(*closed),
        );
        for (person, roster, step, sent) in &alert.pages {
            let person = if *person == 3 { String::new() } else { format!("u{person}") };
            let roster_tenant = ROSTER_TENANTS[*roster];
            let _ = write!(
                sql,
                "INSERT INTO told_pages VALUES ('{tenant}', '{id}', '{person}', '{roster_tenant}', \
                 CASE WHEN '{roster_tenant}' = '' THEN '' ELSE 'r{roster}' END, {step}, {created_ms}, {});",
                i64::from(*sent)
            );
        }
        if let Some(route) = alert.route {
            let route_tenant = TENANTS[route];
            let _ = write!(sql, "INSERT INTO told_routes VALUES ('{tenant}', '{id}', '{route_tenant}', 'a{route}');");
        }
    }
    sql
}

/// Packs days of a tenant.
fn pack(fixture: &Fixture, tenant: &'static str, days: &[i64]) {
    let begun = days.to_vec();
    fixture.db.write_here(move |conn| days::begin(conn, tenant, &begun, b"m", 0)).unwrap();
    for day in days {
        let (kept, content) = fixture.db.read_here(|conn| copy(conn, PAGED, tenant, *day)).unwrap();
        fixture.db.write_here(move |conn| days::put(conn, tenant, kept, b"m", &content)).unwrap();
    }
}

fn question(by: By, scope: &[&str], (from_ms, to_ms): (i64, i64)) -> Question {
    let own = db::Condition::text_in("alerts.tenant_id IN", scope.iter().copied());
    let since = db::Condition::sql("alerts.created_ms >= ").integer(from_ms);
    Question {
        by,
        scope: scope.iter().map(|tenant| (*tenant).to_owned()).collect(),
        condition: db::Condition::all([own, since.then(" AND alerts.created_ms < ").integer(to_ms)]),
        from_ms,
        to_ms,
        is_of_all: true,
        paged: PAGED,
    }
}

/// Two keys of some resources, and one of others.
fn keys_of(_: &mut Conn, found: Vec<(String, String)>) -> Result<Vec<(String, String, Vec<String>)>> {
    let keys = |resource: &str| match resource {
        "m0" => vec!["a".to_owned(), "b".to_owned()],
        "m1" => vec!["b".to_owned()],
        "" => vec!["none".to_owned()],
        "m2" => Vec::new(),
        other => vec![other.to_owned()],
    };
    let keyed = found.into_iter().map(|(tenant, resource)| {
        let keys = keys(&resource);
        (tenant, resource, keys)
    });
    Ok(keyed.collect())
}

#[test]
fn answers_from_packed_days_are_those_from_rows() {
    let fixture = fixture();
    fixture.batch(TABLES);
    let cases = (alerts(), prop::collection::vec(0..12_i64, 1..9), 0..3 * DAY_MS, 0..3 * DAY_MS);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
    let from_copies = std::cell::Cell::new(0);
    let tried = runner.run(&cases, |(alerts, packed, from, to)| {
        let sql = stored(&alerts);
        fixture.db.write_here(move |conn| Ok(conn.batch_execute(&sql)?)).unwrap();
        for (tenant, name) in TENANTS.iter().enumerate().take(2) {
            let mut days: Vec<i64> =
                packed.iter().filter(|day| **day / 6 == tenant as i64).map(|day| FIRST_DAY + day % 6).collect();
            days.sort_unstable();
            days.dedup();
            pack(&fixture, name, &days);
        }
        let range = (FIRST_DAY * DAY_MS + from, (FIRST_DAY + 6) * DAY_MS - to);
        for word in By::WORDS {
            for scope in [&TENANTS[..1], &TENANTS[..]] {
                let asked = question(By::read(word).unwrap(), scope, range);
                fixture
                    .db
                    .read_here(|conn| {
                        let rows = from_rows(conn, &asked, &mut keys_of)?;
                        if let Some(found) = answer(conn, &asked, &mut keys_of)? {
                            assert_eq!(found.figures.all(), rows.figures.all(), "{word} {scope:?}");
                            assert_eq!((found.total, found.truncated), (rows.total, rows.truncated));
                            from_copies.set(from_copies.get() + 1);
                        }
                        Ok(())
                    })
                    .unwrap();
            }
        }
        Ok(())
    });
    tried.unwrap();
    assert!(from_copies.get() > 100, "{}", from_copies.get());
}
