//! Sites on SQLite. [`Fixture`] serves the tests of groups too.

use base::{
    PageRequest,
    cursor::List,
    page::NumberedPage,
    problem::{Kind, Problem},
    query::Sort,
    timestamp::Timestamp,
};
use db::{Conn, DatabaseUrl, Db, Options};

use super::{
    row::Site,
    rules::{self, Filter},
    store,
    wire::{NewSite, SiteChange, SiteMemberReference},
};
use crate::{
    model::document::{Document, Resource},
    resources::{self, rules as resource_rules},
    site_api::members,
};

/// When everything happens.
pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A database of its own, in a directory that goes with it.
pub struct Fixture {
    pub db: Db,
    _directory: tempfile::TempDir,
}

impl Fixture {
    /// Empty tables.
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("test.sqlite"));
        let db = Db::open(&url, Options::default()).unwrap();
        db.migrate(&[outbox::migrations(), crate::domain().migrations]).unwrap();
        Self { db, _directory: directory }
    }

    /// One write that must go well.
    pub fn write<T: Send + 'static>(&self, f: impl FnOnce(&mut Conn) -> db::Result<T> + Send + 'static) -> T {
        self.db.write_here(f).unwrap()
    }

    /// One write that a rule must refuse; nothing of it is stored.
    pub fn refused<T: Send + 'static>(&self, f: impl FnOnce(&mut Conn) -> db::Result<T> + Send + 'static) -> Problem {
        match self.db.write_here(f) {
            Err(db::Error::Problem(problem)) => problem,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("the write went well"),
        }
    }

    /// One read.
    pub fn read<T>(&self, f: impl FnOnce(&mut Conn) -> db::Result<T>) -> T {
        self.db.read_here(f).unwrap()
    }

    /// Stores a resource of a tenant with these text attributes; answers its id.
    pub fn resource(&self, tenant: &str, texts: &[(&str, &str)]) -> String {
        let mut document = Document::default();
        for (name, text) in texts {
            document.set(name, *text);
        }
        let resource = Resource {
            tenant_id: tenant.to_owned(),
            id: uuid::Uuid::new_v4().to_string(),
            version: 1,
            kind: "DEVICE".to_owned(),
            resource_type: (1, "Linux".to_owned()),
            state: "active".to_owned(),
            agent_installed: false,
            site_id: None,
            launched: None,
            created: NOW,
            updated: NOW,
            asset_managed: None,
            first_asset_managed: None,
            decommissioned: None,
            document,
        };
        let id = resource.id.clone();
        self.write(move |conn| resources::store::insert(conn, "msp_1", &resource, &[]));
        id
    }

    /// Changes a text attribute of a resource.
    pub fn set(&self, tenant: &str, id: &str, name: &'static str, text: &'static str) {
        let tenant = tenant.to_owned();
        let id = id.to_owned();
        self.write(move |conn| {
            let old = resources::store::find(conn, &[tenant], &id)?.unwrap();
            let mut resource = resource_rules::changed(&old.clone().into_resource()?, NOW);
            resource.document.set(name, text);
            resources::store::update(conn, "msp_1", &old, &resource)
        });
    }

    /// Gives a resource a type.
    pub fn set_type(&self, tenant: &str, id: &str, given: &'static str) {
        let tenant = tenant.to_owned();
        let id = id.to_owned();
        self.write(move |conn| {
            let old = resources::store::find(conn, std::slice::from_ref(&tenant), &id)?.unwrap();
            let mut resource = resource_rules::changed(&old.clone().into_resource()?, NOW);
            resource.resource_type = crate::types::resolve(conn, &tenant, given)?;
            resources::store::update(conn, "msp_1", &old, &resource)
        });
    }

    /// Moves a resource to history.
    pub fn decommission(&self, tenant: &str, id: &str) {
        let tenant = tenant.to_owned();
        let id = id.to_owned();
        self.write(move |conn| {
            let old = resources::store::find(conn, &[tenant], &id)?.unwrap();
            let resource = resource_rules::decommission(&old.into_resource()?, "gone", NOW);
            resources::store::decommission(conn, "msp_1", &resource)
        });
    }

    /// Stores a site.
    pub fn site(&self, tenant: &str, name: &str, city: &str) -> Site {
        let tenant = tenant.to_owned();
        let new = new(name, city);
        self.write(move |conn| {
            let site = rules::created(new, tenant, db::next_id(conn, "sites")?, NOW);
            store::insert(conn, &site)?;
            Ok(site)
        })
    }

    /// Puts resources at a site.
    pub fn put(&self, site: &Site, ids: &[&str]) {
        let site = site.clone();
        let given = references(ids);
        self.write(move |conn| in_tx(conn, |tx| members::add(tx, "msp_1", &site, &given)));
    }

    fn version(&self, tenant: &str, id: &str) -> i64 {
        self.read(|conn| resources::store::find(conn, &[tenant.to_owned()], id)).unwrap().version
    }

    fn at(&self, site: &Site) -> Vec<String> {
        let sort = Sort { name: "id", descending: false };
        let found = self.read(|conn| members::page(&self.db, conn, site, sort, &page(1, 100)));
        assert_eq!(i64::try_from(found.rows.len()).unwrap(), found.total);
        found.rows.into_iter().map(|row| row.id).collect()
    }
}

fn page(page_no: u32, page_size: u32) -> PageRequest {
    PageRequest::numbered(NumberedPage { page_no, page_size }, List::default())
}

fn new(name: &str, city: &str) -> NewSite {
    NewSite { name: name.to_owned(), city: city.to_owned(), ..NewSite::default() }
}

fn references(ids: &[&str]) -> Vec<SiteMemberReference> {
    ids.iter().map(|id| SiteMemberReference { id: (*id).to_owned() }).collect()
}

fn scope(tenants: &[&str]) -> Vec<String> {
    tenants.iter().map(|tenant| (*tenant).to_owned()).collect()
}

/// Runs `f` in a transaction of nobody.
pub fn in_tx<T>(conn: &mut db::Conn, f: impl FnOnce(&mut outbox::Tx<'_>) -> db::Result<T>) -> db::Result<T> {
    let actor = outbox::Actor::without_change_set("", "", "");
    outbox::Tx::run(conn, &actor, NOW, f)
}

#[test]
fn a_site_is_found_by_its_own_tenants_only() {
    let fixture = Fixture::new();
    let site = fixture.site("client_1", "Paris 1", "Paris");
    fixture.read(|conn| {
        assert_eq!(store::find(conn, &scope(&["client_1"]), site.id)?, Some(site.clone()));
        assert_eq!(store::find(conn, &scope(&["msp_1", "client_1"]), site.id)?, Some(site.clone()));
        assert_eq!(store::find(conn, &scope(&["client_2"]), site.id)?, None);
        assert_eq!(store::find(conn, &scope(&["msp_1", "client_2"]), site.id)?, None);
        assert_eq!(store::resolve(conn, "client_1", None, Some(" PARIS 1 "))?, Some(site.id));
        assert_eq!(store::resolve(conn, "client_1", Some(site.id), Some("x"))?, Some(site.id));
        assert_eq!(store::resolve(conn, "client_2", Some(site.id), None)?, None);
        assert_eq!(store::resolve(conn, "client_1", None, None)?, None);
        assert_eq!(store::find_ids_by_name(conn, &scope(&["client_1"]), &["aris".to_owned()], false)?, [site.id]);
        assert_eq!(store::find_ids_by_name(conn, &scope(&["client_1"]), &["aris".to_owned()], true)?, [] as [i64; 0]);
        assert_eq!(store::find_ids_by_name(conn, &scope(&["client_1"]), &["%".to_owned()], false)?, [] as [i64; 0]);
        assert_eq!(
            store::find_ids_by_name(conn, &scope(&["client_2"]), &["Paris 1".to_owned()], true)?,
            [] as [i64; 0]
        );
        Ok(())
    });
}

#[test]
fn names_are_unique_in_a_tenant() {
    let fixture = Fixture::new();
    let first = fixture.site("client_1", "Paris", "");
    let other = fixture.site("client_2", "Paris", "");
    assert_ne!(first.id, other.id);
    let problem = fixture.refused(|conn| {
        let site = rules::created(new("PARIS", ""), "client_1".to_owned(), db::next_id(conn, "sites")?, NOW);
        store::insert(conn, &site)
    });
    assert_eq!(problem.kind, Kind::Conflict);
    let second = fixture.site("client_1", "Lyon", "");
    let change = SiteChange { name: Some("paris".to_owned()), ..SiteChange::default() };
    let changed = rules::changed(&second, change, NOW);
    assert_eq!(fixture.refused(move |conn| store::update(conn, &second, &changed)).kind, Kind::Conflict);
}

#[test]
fn the_second_of_two_changes_is_refused() {
    let fixture = Fixture::new();
    let old = fixture.site("client_1", "Paris", "");
    let change = |address: &str| {
        let change = SiteChange { address: Some(address.to_owned()), ..SiteChange::default() };
        rules::changed(&old, change, NOW)
    };
    let first = change("a");
    let second = change("b");
    let seen = old.clone();
    fixture.write(move |conn| store::update(conn, &seen, &first));
    let seen = old.clone();
    assert_eq!(fixture.refused(move |conn| store::update(conn, &seen, &second)).kind, Kind::Conflict);
    assert_eq!(fixture.read(|conn| store::find_required(conn, &scope(&["client_1"]), old.id)).address, "a");
}

#[test]
fn a_search_filters_sorts_and_pages() {
    let fixture = Fixture::new();
    let sites = [("c", "München"), ("a", "Paris"), ("b", "MÜNCHEN"), ("d", "Paris")];
    let ids = sites.map(|(name, city)| fixture.site("client_1", name, city).id);
    fixture.site("client_2", "e", "Paris");
    let search = |tenants: &[&str], text: &str, name: &'static str, descending: bool, page_no: u32, page_size: u32| {
        let filter = Filter::parse(text).unwrap();
        let sort = Sort { name, descending };
        let walk = page(page_no, page_size);
        let found = fixture.read(|conn| store::search(conn, &scope(tenants), &filter, sort, &walk));
        (found.rows.into_iter().map(|site| site.name).collect::<Vec<_>>().join(""), found.total)
    };
    let found = |names: &str, total: i64| (names.to_owned(), total);
    assert_eq!(search(&["client_1"], "", "id", true, 1, 100), found("dbac", 4));
    assert_eq!(search(&["client_1"], "", "name", false, 1, 3), found("abc", 4));
    assert_eq!(search(&["client_1"], "", "name", false, 2, 3), found("d", 4));
    assert_eq!(search(&["client_1"], "", "name", false, 9, 3), found("", 4));
    assert_eq!(search(&["client_1"], "city:münch", "name", true, 1, 1), found("c", 2));
    assert_eq!(search(&["client_1"], "city:münch", "name", true, 2, 1), found("b", 2));
    assert_eq!(search(&["msp_1", "client_1", "client_2"], "city:Paris", "name", false, 1, 9), found("ade", 3));
    let some = format!("id:{},{},99", ids[0], ids[1]);
    assert_eq!(search(&["client_1"], &some, "name", false, 1, 9), found("ac", 2));
    let mut names = String::new();
    fixture.read(|conn| {
        store::each_minimal(conn, &scope(&["client_1"]), |_, name| {
            names.push_str(&name);
            Ok(())
        })
    });
    assert_eq!(names, "abcd");
}

#[test]
fn resources_come_and_go() {
    let fixture = Fixture::new();
    let paris = fixture.site("client_1", "Paris", "");
    let lyon = fixture.site("client_1", "Lyon", "");
    let one = fixture.resource("client_1", &[("hostName", "one")]);
    let two = fixture.resource("client_1", &[("hostName", "two")]);
    fixture.put(&paris, &[&one, &two, &one]);
    fixture.put(&paris, &[&one]);
    let mut both = [one.clone(), two.clone()];
    both.sort();
    assert_eq!(fixture.at(&paris), both);
    assert_eq!(fixture.version("client_1", &one), 2);
    fixture.put(&lyon, &[&one]);
    assert_eq!((fixture.at(&paris), fixture.at(&lyon)), (vec![two.clone()], vec![one.clone()]));
    let site = paris.clone();
    let given = references(&[&one, &two]);
    fixture.write(move |conn| in_tx(conn, |tx| members::remove(tx, "msp_1", &site, &given)));
    assert_eq!((fixture.at(&paris), fixture.at(&lyon)), (vec![], vec![one.clone()]));
    fixture.decommission("client_1", &one);
    assert_eq!(fixture.at(&lyon), [] as [String; 0]);
}

#[test]
fn a_resource_of_another_tenant_is_unknown() {
    let fixture = Fixture::new();
    let site = fixture.site("client_1", "Paris", "");
    let own = fixture.resource("client_1", &[("hostName", "own")]);
    let other = fixture.resource("client_2", &[("hostName", "other")]);
    let gone = fixture.resource("client_1", &[("hostName", "gone")]);
    fixture.decommission("client_1", &gone);
    let there = site.clone();
    let given = references(&[&own, &other, "x", &gone]);
    let problem = fixture.refused(move |conn| in_tx(conn, |tx| members::add(tx, "msp_1", &there, &given)));
    let fields: Vec<_> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
    assert_eq!((problem.kind, fields), (Kind::Invalid, vec!["[1].id", "[2].id", "[3].id"]));
    assert_eq!(fixture.at(&site), [] as [String; 0]);
}

#[test]
fn a_site_in_use_cannot_be_deleted() {
    let fixture = Fixture::new();
    let site = fixture.site("client_1", "Paris", "");
    let one = fixture.resource("client_1", &[("hostName", "one")]);
    fixture.put(&site, &[&one]);
    let there = site.clone();
    assert_eq!(fixture.refused(move |conn| store::delete(conn, &there)).kind, Kind::Conflict);
    fixture.decommission("client_1", &one);
    let there = site.clone();
    fixture.write(move |conn| store::delete(conn, &there));
    assert_eq!(fixture.read(|conn| store::find(conn, &scope(&["client_1"]), site.id)), None);
    assert_eq!(fixture.read(|conn| resources::store::find(conn, &scope(&["client_1"]), &one)).unwrap().site_id, None);
}

#[test]
fn a_new_name_is_a_change_of_the_resources_there() {
    let fixture = Fixture::new();
    let old = fixture.site("client_1", "Paris", "");
    let here = fixture.resource("client_1", &[("name", "a")]);
    let away = fixture.resource("client_1", &[("name", "b")]);
    fixture.put(&old, &[&here]);
    let change = SiteChange { name: Some("Paris 1".to_owned()), ..SiteChange::default() };
    let site = rules::changed(&old, change, NOW);
    fixture.write(move |conn| store::update(conn, &old, &site));
    assert_eq!((fixture.version("client_1", &here), fixture.version("client_1", &away)), (3, 1));
}

#[test]
fn a_reported_place_is_created_once() {
    let fixture = Fixture::new();
    let long = "x".repeat(300);
    let ids = fixture.write(move |conn| {
        in_tx(conn, |tx| {
            let names = ["Lyon", " lyon ", &long, &long].into_iter();
            names.map(|name| store::find_or_create(tx, "client_1", name)).collect::<db::Result<Vec<_>>>()
        })
    });
    assert_eq!((ids[0], ids[2]), (ids[1], ids[3]));
    assert_ne!(ids[0], ids[2]);
}

#[test]
fn a_resource_that_somebody_else_changed_is_not_written_over() {
    let fixture = Fixture::new();
    let id = fixture.resource("client_1", &[("name", "one")]);
    let seen = fixture.read(|conn| resources::store::find(conn, &["client_1".to_owned()], &id)).unwrap();
    fixture.set("client_1", &id, "description", "theirs");
    let before = seen.clone().into_resource().unwrap();
    let mine = resource_rules::changed(&before, NOW);
    let stale = seen.clone();
    let updated = fixture.refused(move |conn| resources::store::update(conn, "msp_1", &stale, &mine).map(drop));
    let gone = resource_rules::decommission(&before, "gone", NOW);
    let decommissioned = fixture.refused(move |conn| resources::store::decommission(conn, "msp_1", &gone).map(drop));
    assert_eq!([updated.kind, decommissioned.kind], [Kind::Conflict; 2]);
    let now = fixture.read(|conn| resources::store::find(conn, &["client_1".to_owned()], &id)).unwrap();
    assert_eq!((now.version, now.state.as_str()), (seen.version + 1, "active"));
}
