//! The index against the database: after any writes, whatever is cached, under construction or dropped.

use base::{cursor::List, page::NumberedPage};
use proptest::prelude::*;
use resource_index::{Limits, log_change};

use super::*;
use crate::{
    model::document::{Document, Resource, STATES, Tag},
    resources::{filter, predicate::NameFilter, rules},
    sites::tests::{Fixture, NOW},
};

const TENANTS: [&str; 2] = ["client_1", "client_2"];

#[derive(Clone, Debug)]
enum Step {
    /// Make a machine: tenant, host, tag.
    Make(usize, String, Option<&'static str>),
    /// Change one of the created resources.
    Change(usize, String, Option<&'static str>, usize),
    /// Move it to history.
    Remove(usize),
    /// Clear the index.
    Forget,
    /// Wait for the index that are being made.
    Wait,
    /// Ask: filters, order, descending, how many.
    Ask(Vec<Filter>, Order, bool, u32),
}

fn host() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["web", "db", "-", "é", "x"]), 1..4).prop_map(|parts| parts.concat())
}

fn tag() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![None, Some("env"), Some("rack")])
}

fn filter() -> impl Strategy<Value = Filter> {
    let name = |column| {
        (prop::collection::vec(host(), 1..3), any::<bool>())
            .prop_map(move |(keys, exact)| Filter::Name(NameFilter { column, exact, keys }))
    };
    prop_oneof![
        name("resources.host_key"),
        name("resources.alias_key"),
        tag().prop_map(|tag| Filter::Tags(vec![tag.unwrap_or("none").to_owned()])),
        Just(Filter::Row(db::Condition::sql("resources.agent_installed = FALSE"))),
        Just(Filter::Walked(db::Condition::sql("resources.version > ").integer(1))),
        Just(Filter::Groups(vec![7])),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let order = prop::sample::select(vec![Order::Id, Order::HostName, Order::Updated]);
    let ask = (prop::collection::vec(filter(), 0..3), order, any::<bool>(), 1_u32..6)
        .prop_map(|(filters, order, descending, size)| Step::Ask(filters, order, descending, size));
    prop_oneof![
        3 => (0..2_usize, host(), tag()).prop_map(|(tenant, host, tag)| Step::Make(tenant, host, tag)),
        3 => (any::<usize>(), host(), tag(), 0..3_usize)
            .prop_map(|(one, host, tag, state)| Step::Change(one, host, tag, state)),
        1 => any::<usize>().prop_map(Step::Remove),
        1 => Just(Step::Forget),
        2 => Just(Step::Wait),
        6 => ask,
    ]
}

fn machine(tenant: usize, host: &str, tag: Option<&str>) -> Resource {
    let mut document = Document::default();
    document.texts.insert("hostName".to_owned(), host.to_owned());
    if host.contains('x') {
        document.texts.insert("aliasName".to_owned(), format!("{host}web"));
    }
    document.tags =
        tag.map(|name| Tag { name: name.to_owned(), value: "y".to_owned(), ..Tag::default() }).into_iter().collect();
    Resource {
        tenant_id: TENANTS[tenant].to_owned(),
        id: store::new_id(),
        version: 1,
        kind: "DEVICE".to_owned(),
        resource_type: (1, "Linux".to_owned()),
        state: "active".to_owned(),
        agent_installed: host.contains("db"),
        site_id: None,
        launched: None,
        created: NOW,
        updated: NOW,
        asset_managed: None,
        first_asset_managed: None,
        decommissioned: None,
        document,
    }
}

/// The answers of the index and of the database, in one transaction.
fn compare(fixture: &Fixture, index: &Arc<ResourceIndex>, limits: &SortLimits, scope: &[String], step: &Step) {
    let Step::Ask(filters, order, descending, size) = step else { return };
    let mut filters = filters.clone();
    filters.push(Filter::Row(filter::states(STATES)));
    fixture.read(|conn| {
        let mut query = ResourceQuery::with_index(index, &fixture.db, conn, scope, filters, true)?;
        query.limits = *limits;
        let condition = query.condition();
        assert_eq!(query.total(conn)?, store::count(conn, &condition)?, "{step:?}");
        let by = order.order(*descending);
        let all = store::slice(conn, &condition, &by, None, 0, i64::MAX)?;
        let mut listed = Vec::new();
        query.each_brief(conn, |brief| {
            listed.push(brief.0);
            Ok(())
        })?;
        listed.sort();
        let mut expected: Vec<String> = all.iter().map(|row| row.id.clone()).collect();
        let in_order = expected.clone();
        expected.sort();
        assert_eq!(listed, expected, "{step:?}");
        let mut after: Option<Vec<Key>> = None;
        let mut walked = Vec::new();
        loop {
            let rows = query.slice(conn, *order, *descending, after.as_deref(), 0, i64::from(*size))?;
            let Some(last) = rows.last() else { break };
            after = Some(order.keys(last));
            walked.extend(rows.into_iter().map(|row| row.id));
        }
        assert_eq!(walked, in_order, "{step:?}");
        let page = NumberedPage { page_no: 2, page_size: *size };
        let page = query.page(conn, *order, *descending, &PageRequest::numbered(page, List::default()))?;
        let second: Vec<String> = in_order.into_iter().skip(*size as usize).take(*size as usize).collect();
        assert_eq!(page.rows.into_iter().map(|row| row.id).collect::<Vec<_>>(), second, "{step:?}");
        Ok(())
    });
}

fn wait(index: &ResourceIndex) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while index.is_building() {
        assert!(std::time::Instant::now() < until, "the builds do not end");
        std::thread::yield_now();
    }
}

fn carry_out(fixture: &Fixture, made: &mut Vec<Resource>, step: Step) {
    match step {
        Step::Make(tenant, host, tag) => {
            let new = machine(tenant, &host, tag);
            made.push(new.clone());
            fixture.write(move |conn| store::insert(conn, "msp_1", &new, &[]));
        }
        Step::Change(one, host, tag, state) if !made.is_empty() => {
            let one = one % made.len();
            let tenant = usize::from(made[one].tenant_id == TENANTS[1]);
            let old = made[one].clone();
            let new = machine(tenant, &host, tag);
            let new = Resource {
                id: old.id.clone(),
                version: old.version + 1,
                state: STATES[state].to_owned(),
                updated: base::timestamp::Timestamp::from_millis(NOW.millis() + made.len() as i64),
                ..new
            };
            made[one] = new.clone();
            fixture.write(move |conn| {
                let row = store::find(conn, std::slice::from_ref(&old.tenant_id), &old.id)?.unwrap();
                store::update(conn, "msp_1", &row, &new)
            });
        }
        Step::Remove(one) if !made.is_empty() => {
            let one = made.remove(one % made.len());
            fixture.write(move |conn| store::decommission(conn, "msp_1", &rules::decommission(&one, "", NOW)));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_the_database(
        steps in prop::collection::vec(step(), 1..60),
        entries in 0_i64..12,
        few in 0_u64..4,
        many in 0_i64..12,
    ) {
        let fixture = Fixture::new();
        let limits = Limits { entries, probes: few * 2, few, names: few as usize * 3, ..Limits::default() };
        let index = Arc::new(ResourceIndex::with_limits(limits));
        let limits = SortLimits { few: many / 4, far: many / 2, many };
        let scopes: Vec<Vec<String>> = vec![
            vec![TENANTS[0].to_owned()],
            TENANTS.iter().map(|tenant| (*tenant).to_owned()).collect(),
        ];
        let mut made = Vec::new();
        for step in steps {
            match step {
                Step::Forget => index.clear(),
                Step::Wait => wait(&index),
                Step::Ask(..) => scopes.iter().for_each(|scope| compare(&fixture, &index, &limits, scope, &step)),
                other => carry_out(&fixture, &mut made, other),
            }
        }
        wait(&index);
    }
}

fn ask(fixture: &Fixture, index: &Arc<ResourceIndex>) -> (bool, i64) {
    fixture.read(|conn| {
        let scope = [TENANTS[0].to_owned()];
        let filters = vec![Filter::Row(filter::states(STATES)), Filter::Tags(vec!["env".to_owned()])];
        let query = ResourceQuery::with_index(index, &fixture.db, conn, &scope, filters, true)?;
        Ok((query.is_indexed(), query.total(conn)?))
    })
}

/// A bitmap older than the change log is rebuilt, with the same content.
#[test]
fn more_changes_than_are_remembered() {
    let fixture = Fixture::new();
    let index = Arc::<ResourceIndex>::default();
    fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "web", Some("env")), &[]));
    assert_eq!(ask(&fixture, &index), (true, 1));
    fixture.write(|conn| (0..25_000).try_for_each(|_| log_change(conn, TENANTS[0], &store::new_id())));
    fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "db", Some("env")), &[]));
    assert_eq!(ask(&fixture, &index).1, 2);
    wait(&index);
    assert_eq!(ask(&fixture, &index), (true, 2));
}

/// A reader that began before a bitmap was updated still sees the old state.
#[test]
fn an_earlier_reader_sees_the_old_state() {
    let fixture = Fixture::new();
    let index = Arc::<ResourceIndex>::default();
    fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "web", Some("env")), &[]));
    assert_eq!(ask(&fixture, &index), (true, 1));
    fixture.read(|conn| {
        let scope = [TENANTS[0].to_owned()];
        store::count(conn, &tenants(&scope))?;
        fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "db", Some("env")), &[]));
        assert_eq!(ask(&fixture, &index), (true, 2));
        let filters = vec![Filter::Row(filter::states(STATES)), Filter::Tags(vec!["env".to_owned()])];
        let query = ResourceQuery::with_index(&index, &fixture.db, conn, &scope, filters, true)?;
        assert_eq!((query.is_indexed(), query.total(conn)?), (true, 1));
        Ok(())
    });
}

/// A full list does not make the index build a bitmap of everything; a count does.
#[test]
fn no_bitmap_is_built_for_a_full_list() {
    let fixture = Fixture::new();
    let limits = Limits { entries: 0, ..Limits::default() };
    let index = Arc::new(ResourceIndex::with_limits(limits));
    fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "web", None), &[]));
    let is_indexed = |make| {
        let is_indexed = fixture.read(|conn| {
            let scope = [TENANTS[0].to_owned()];
            let filters = vec![Filter::Row(filter::states(STATES))];
            Ok(ResourceQuery::with_index(&index, &fixture.db, conn, &scope, filters, make)?.is_indexed())
        });
        wait(&index);
        is_indexed
    };
    assert_eq!([is_indexed(false), is_indexed(false), is_indexed(true), is_indexed(true)], [false, false, false, true]);
}

/// A query after the pending build is answered by the index; a filter with few matches has no build to wait for.
#[test]
fn a_query_after_the_pending_build_is_indexed() {
    let fixture = Fixture::new();
    let fresh = || Arc::new(ResourceIndex::with_limits(Limits { entries: 0, ..Limits::default() }));
    fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "web", Some("env")), &[]));
    let ask = |index: &Arc<ResourceIndex>, tag: &str| {
        fixture.read(|conn| {
            let scope = [TENANTS[0].to_owned()];
            let filters = vec![Filter::Row(filter::states(STATES)), Filter::Tags(vec![tag.to_owned()])];
            let is_indexed =
                ResourceQuery::with_index(index, &fixture.db, conn, &scope, filters.clone(), true)?.is_indexed();
            Ok((is_indexed, index.pending_build(conn, &scope, &filters)?))
        })
    };
    let few = fresh();
    assert!(matches!(ask(&few, "rack"), (false, None)));
    wait(&few);
    let index = fresh();
    let (is_indexed, pending) = ask(&index, "env");
    assert!(!is_indexed);
    if let Some(pending) = pending {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(pending.finished());
    }
    assert!(matches!(ask(&index, "env"), (true, None)));
}

/// An index over its budget drops the tenant, and is built again.
#[test]
fn an_index_over_budget_is_dropped() {
    let fixture = Fixture::new();
    let index = Arc::new(ResourceIndex::with_limits(Limits { bytes: 0, ..Limits::default() }));
    fixture.write(|conn| store::insert(conn, "msp_1", &machine(0, "web", Some("env")), &[]));
    for _ in 0..2 {
        assert_eq!(ask(&fixture, &index), (true, 1));
        assert_eq!(index.bytes(), 0);
    }
}
