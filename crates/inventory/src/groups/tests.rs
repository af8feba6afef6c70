//! Groups and their members on SQLite.

use base::{
    PageRequest, PageRows, cursor::List, matching::Meter, page::NumberedPage, problem::Kind as Case, query::Sort,
};
use serde_json::{Value, json};

use super::{
    changes::{self, GroupAccess},
    input::{ChildReference, GroupChange, GroupEntries},
    kind::{Kind, Reference},
    row::Group,
    rules::Filter,
    store,
    wire::ResourceGroup,
};
use crate::{
    group_api::members,
    sites::{
        self,
        tests::{Fixture, NOW, in_tx},
        wire::SiteChange,
    },
};

const KIND: Kind = Kind::Device;

/// At partner level, of a partner with two clients.
fn partner() -> GroupAccess {
    group_access("msp_1", &["msp_1", "client_1", "client_2"])
}

/// At the level of a client.
fn client() -> GroupAccess {
    group_access("client_1", &["client_1"])
}

fn group_access(tenant: &str, scope: &[&str]) -> GroupAccess {
    GroupAccess {
        tenant: tenant.to_owned(),
        partner: "msp_1".to_owned(),
        scope: scope.iter().map(|tenant| (*tenant).to_owned()).collect(),
    }
}

/// Creates the groups of a body.
fn create(access: GroupAccess, body: &Value) -> impl FnOnce(&mut db::Conn) -> db::Result<Vec<Group>> + Send + use<> {
    let all = match GroupEntries::read(KIND, body, &Meter::new(Meter::REQUEST)).unwrap() {
        GroupEntries::One(new) => vec![new],
        GroupEntries::Many(all) => all,
    };
    move |conn| {
        let place = |index| format!("[{index}].");
        let saved = changes::save(conn, &access, KIND, &all, place, None, NOW)?.0;
        Ok(saved.into_iter().map(|one| one.group).collect())
    }
}

fn one(fixture: &Fixture, access: GroupAccess, body: &Value) -> Group {
    fixture.write(create(access, body)).remove(0)
}

/// Changes a group as a body says.
fn update(
    access: GroupAccess,
    group: &Group,
    body: &Value,
) -> impl FnOnce(&mut db::Conn) -> db::Result<Group> + Send + use<> {
    let id = Reference::Id(group.id);
    let change = GroupChange::read(KIND, body, &Meter::new(Meter::REQUEST)).unwrap();
    move |conn| {
        let old = changes::lock_for_update(conn, &access, KIND, &id)?;
        changes::update(conn, &access, KIND, &old, change, NOW)
    }
}

type ChangeChildren = fn(&mut outbox::Tx<'_>, &GroupAccess, Kind, &Group, &[ChildReference]) -> db::Result<()>;

/// Adds or removes children.
fn children(
    change: ChangeChildren,
    access: GroupAccess,
    group: &Group,
    ids: &[&str],
) -> impl FnOnce(&mut db::Conn) -> db::Result<()> + Send + use<> {
    let body: Value = ids.iter().map(|id| json!({"id": id})).collect();
    let id = Reference::Id(group.id);
    let given = ChildReference::read_all(KIND, &body).unwrap();
    move |conn| {
        let group = changes::lock_for_update(conn, &access, KIND, &id)?;
        in_tx(conn, |tx| change(tx, &access, KIND, &group, &given))
    }
}

fn page(page_no: u32, page_size: u32) -> PageRequest {
    PageRequest::numbered(NumberedPage { page_no, page_size }, List::default())
}

/// The names of a group's children, in their order, with `*` behind members by rule.
fn held(fixture: &Fixture, access: &GroupAccess, group: &Group) -> Vec<String> {
    let found = fixture.read(|conn| members::page(&fixture.db, conn, access, KIND, group, &page(1, 100)));
    assert_eq!((i64::try_from(found.rows.len()).unwrap(), &found.next), (found.total, &None));
    let mut names: Vec<String> = found
        .rows
        .into_iter()
        .map(|child| if child.by_rule == Some(true) { format!("{}*", child.name) } else { child.name })
        .collect();
    names.sort();
    names
}

fn rules(rules: &[(&str, &str, &str)]) -> Value {
    let rules: Vec<Value> =
        rules.iter().map(|(key, operator, value)| json!({"key": key, "operator": operator, "value": value})).collect();
    json!({"matchType": "ALL", "rules": rules})
}

#[test]
fn an_array_nests_by_name_and_is_created_whole() {
    let fixture = Fixture::new();
    let body = json!([{"name": "Shop"}, {"name": "Web", "parent": {"name": "SHOP"}, "description": "x"}]);
    let groups = fixture.write(create(client(), &body));
    assert_eq!((groups[0].parent_id, groups[1].parent_id), (None, Some(groups[0].id)));
    let parents = fixture.read(|conn| store::parents(conn, &client().scope, &groups));
    let shown = json!(ResourceGroup::of(groups[1].clone(), &parents));
    assert_eq!(shown["parent"], json!({"id": groups[0].id, "uniqueId": groups[0].unique_id, "name": "Shop"}));
    assert!(groups[1].unique_id.starts_with("DGP-"));

    let body = json!([{"name": "A"}, {"name": "B", "parent": {"id": 99}}, {"name": "C", "parent": {"name": "no"}}]);
    let problem = fixture.refused(create(client(), &body));
    let fields: Vec<_> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
    assert_eq!(fields, ["[1].parent.id", "[2].parent.name"]);
    let problem = fixture.refused(create(client(), &json!([{"name": "A"}, {"name": "a"}])));
    assert_eq!(problem.kind, Case::Conflict);
    let found = fixture.read(|conn| store::find_ids_by_name(conn, &client().scope, "device", &["a".to_owned()], true));
    assert_eq!(found, [] as [i64; 0]);
}

#[test]
fn kinds_and_tenants_never_mix() {
    let fixture = Fixture::new();
    let group = one(&fixture, client(), &json!({"name": "Web"}));
    one(&fixture, group_access("client_2", &["client_2"]), &json!({"name": "Web"}));
    fixture.read(|conn| {
        let id = Reference::Id(group.id);
        assert!(store::find(conn, &client().scope, Kind::Device, &id)?.is_some());
        assert!(store::find(conn, &client().scope, Kind::Service, &id)?.is_none());
        assert!(store::find(conn, &["client_2".to_owned()], Kind::Device, &id)?.is_none());
        assert_eq!(store::with_descendants(conn, &["client_2".to_owned()], vec![group.id])?, [] as [i64; 0]);
        assert_eq!(
            store::find_required(conn, &partner().scope, KIND, &Reference::UniqueId(group.unique_id.clone()))?,
            group
        );
        assert_eq!(
            store::find_ids_by_name(conn, &client().scope, "service", &["Web".to_owned()], false)?,
            [] as [i64; 0]
        );
        Ok(())
    });
    let body = json!({"name": "x", "parent": {"uniqueId": group.unique_id}});
    assert_eq!(fixture.refused(create(partner(), &body)).kind, Case::Invalid);
}

#[test]
fn a_search_takes_either_id() {
    let fixture = Fixture::new();
    let groups = fixture.write(create(client(), &json!([{"name": "b"}, {"name": "C"}, {"name": "a"}])));
    let search = |text: &str, name: &'static str, descending: bool, page_no: u32| {
        let filter = Filter::parse(KIND, text).unwrap();
        let sort = Sort { name, descending };
        let walk = page(page_no, 2);
        let found = fixture.read(|conn| store::search(conn, &client().scope, KIND, &filter, sort, &walk));
        (found.rows.into_iter().map(|group| group.name).collect::<Vec<_>>().join(""), found.total)
    };
    assert_eq!(search("", "name", false, 1), ("ab".to_owned(), 3));
    assert_eq!(search("", "name", false, 2), ("C".to_owned(), 3));
    assert_eq!(search("", "id", true, 1), ("aC".to_owned(), 3));
    assert_eq!(search(&format!("id:{},{}", groups[0].unique_id, groups[1].id), "id", false, 1), ("bC".to_owned(), 2));
    assert_eq!(search("name:c+isEquals:true", "id", false, 1), ("C".to_owned(), 1));
    let mut names = String::new();
    fixture.read(|conn| {
        store::each_minimal(conn, &client().scope, KIND, |_, _, name| {
            names.push_str(&name);
            Ok(())
        })
    });
    assert_eq!(names, "abC");
}

#[test]
fn no_group_stands_below_itself() {
    let fixture = Fixture::new();
    let body = json!([{"name": "a"}, {"name": "b", "parent": {"name": "a"}}, {"name": "c", "parent": {"name": "b"}}]);
    let groups = fixture.write(create(client(), &body));
    for name in ["a", "b", "c"] {
        let change = update(client(), &groups[0], &json!({"parent": {"name": name}}));
        assert_eq!(fixture.refused(change).kind, Case::Conflict, "{name}");
    }
    let add = children(members::add, client(), &groups[2], &[&groups[0].unique_id]);
    assert_eq!(fixture.refused(add).kind, Case::Conflict);
    fixture.write(update(client(), &groups[1], &json!({"parent": {}})));
    let moved = fixture.write(update(client(), &groups[0], &json!({"parent": {"uniqueId": groups[2].unique_id}})));
    assert_eq!(moved.parent_id, Some(groups[2].id));
    let ids = fixture.read(|conn| store::with_descendants(conn, &client().scope, vec![groups[1].id]));
    assert_eq!(ids, [groups[0].id, groups[1].id, groups[2].id]);
}

#[test]
fn a_parent_cannot_be_deleted_and_its_name_shows_in_its_children() {
    let fixture = Fixture::new();
    let body = json!([{"name": "a"}, {"name": "b", "parent": {"name": "a"}}]);
    let groups = fixture.write(create(client(), &body));
    let parent = groups[0].clone();
    let problem = fixture.refused(move |conn| store::delete(conn, KIND, &parent, &client().scope));
    assert_eq!(problem.kind, Case::Conflict);
    fixture.write(update(client(), &groups[0], &json!({"name": "A"})));
    let child = fixture.read(|conn| store::find_required(conn, &client().scope, KIND, &Reference::Id(groups[1].id)));
    assert_eq!(child.version, 2);
    fixture.write(children(members::remove, client(), &groups[0], &[&groups[1].unique_id]));
    let parent = groups[0].clone();
    fixture.write(move |conn| store::delete(conn, KIND, &parent, &client().scope));
    let ids = fixture.read(|conn| store::with_descendants(conn, &client().scope, vec![groups[0].id, groups[1].id]));
    assert_eq!(ids, [groups[1].id]);
}

#[test]
fn members_by_hand() {
    let fixture = Fixture::new();
    let groups = fixture.write(create(client(), &json!([{"name": "a"}, {"name": "b"}])));
    let one = fixture.resource("client_1", &[("name", "one")]);
    let two = fixture.resource("client_1", &[("name", "two")]);
    let ids = [one.as_str(), &two, &groups[1].unique_id, &one];
    fixture.write(children(members::add, client(), &groups[0], &ids));
    fixture.write(children(members::add, client(), &groups[0], &ids));
    assert_eq!(held(&fixture, &client(), &groups[0]), ["b", "one", "two"]);
    let rest = fixture.read(|conn| members::page(&fixture.db, conn, &client(), KIND, &groups[0], &page(2, 2)));
    assert_eq!((rest.rows.len(), rest.total), (1, 3));
    fixture.write(children(members::remove, client(), &groups[0], &[&one, &one]));
    assert_eq!(held(&fixture, &client(), &groups[0]), ["b", "two"]);
    fixture.decommission("client_1", &two);
    assert_eq!(held(&fixture, &client(), &groups[0]), ["b"]);
    let other = fixture.resource("client_2", &[("name", "other")]);
    let unknown =
        children(members::add, client(), &groups[0], &[&one, &other, &two, "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"]);
    let problem = fixture.refused(unknown);
    let fields: Vec<_> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
    assert_eq!(fields, ["[1].id", "[2].id", "[3].id"]);
    assert_eq!(held(&fixture, &client(), &groups[0]), ["b"]);
}

#[test]
fn members_by_rule_follow_resources() {
    let fixture = Fixture::new();
    let old = fixture.resource("client_1", &[("name", "old"), ("hostName", "web-1")]);
    let body = json!({"name": "web", "filterCriteria": rules(&[("hostName", "Starts with", "WEB-")])});
    let group = one(&fixture, client(), &body);
    assert_eq!(held(&fixture, &client(), &group), ["old*"]);
    fixture.resource("client_1", &[("name", "new"), ("hostName", "web-2")]);
    fixture.resource("client_1", &[("name", "db"), ("hostName", "db-1")]);
    fixture.resource("client_2", &[("name", "other"), ("hostName", "web-3")]);
    assert_eq!(held(&fixture, &client(), &group), ["new*", "old*"]);
    fixture.set("client_1", &old, "hostName", "db-2");
    assert_eq!(held(&fixture, &client(), &group), ["new*"]);
    fixture.set("client_1", &old, "hostName", "web-4");
    assert_eq!(held(&fixture, &client(), &group), ["new*", "old*"]);
    fixture.decommission("client_1", &old);
    assert_eq!(held(&fixture, &client(), &group), ["new*"]);
}

#[test]
fn members_by_rule_follow_the_group() {
    let fixture = Fixture::new();
    let web = fixture.resource("client_1", &[("name", "web"), ("os", "Debian 12")]);
    let db = fixture.resource("client_1", &[("name", "db"), ("os", "Windows")]);
    let group = one(&fixture, client(), &json!({"name": "g"}));
    fixture.write(children(members::add, client(), &group, &[&db]));
    fixture.write(update(client(), &group, &json!({"filterCriteria": rules(&[("osName", "Regex", "^[DW]")])})));
    assert_eq!(held(&fixture, &client(), &group), ["db", "web*"]);
    let problem = fixture.refused(children(members::remove, client(), &group, &[&web]));
    assert_eq!(problem.kind, Case::Conflict);
    fixture.write(children(members::remove, client(), &group, &[&db]));
    assert_eq!(held(&fixture, &client(), &group), ["db*", "web*"]);
    fixture.write(children(members::add, client(), &group, &[&web]));
    fixture.write(update(client(), &group, &json!({"filterCriteria": rules(&[("os", "Equals", "windows")])})));
    assert_eq!(held(&fixture, &client(), &group), ["db*", "web"]);
    fixture.write(update(client(), &group, &json!({"filterCriteria": {}})));
    assert_eq!(held(&fixture, &client(), &group), ["web"]);
}

#[test]
fn a_partner_s_group_holds_the_resources_of_its_clients() {
    let fixture = Fixture::new();
    fixture.resource("client_1", &[("name", "one"), ("make", "Dell")]);
    let two = fixture.resource("client_2", &[("name", "two"), ("make", "Dell")]);
    let far = fixture.resource("client_9", &[("name", "far"), ("make", "Dell")]);
    let group =
        one(&fixture, partner(), &json!({"name": "dell", "filterCriteria": rules(&[("make", "Equals", "dell")])}));
    assert_eq!(held(&fixture, &partner(), &group), ["one*", "two*"]);
    fixture.resource("client_2", &[("name", "three"), ("make", "Dell")]);
    assert_eq!(held(&fixture, &partner(), &group), ["one*", "three*", "two*"]);
    fixture.write(children(members::add, partner(), &group, &[&two]));
    assert_eq!(held(&fixture, &partner(), &group), ["one*", "three*", "two"]);
    assert_eq!(fixture.refused(children(members::add, partner(), &group, &[&far])).kind, Case::Invalid);
    // A client's group, changed at partner level, still holds its own client's resources only.
    let own = one(&fixture, client(), &json!({"name": "own"}));
    assert_eq!(fixture.refused(children(members::add, partner(), &own, &[&two])).kind, Case::Invalid);
    fixture.write(update(partner(), &own, &json!({"filterCriteria": rules(&[("make", "Equals", "dell")])})));
    assert_eq!(held(&fixture, &partner(), &own), ["one*"]);
    assert_eq!(held(&fixture, &client(), &own), ["one*"]);
}

#[test]
fn a_rule_about_the_site_follows_moves_and_names() {
    let fixture = Fixture::new();
    let paris = fixture.site("client_1", "Paris", "");
    let lyon = fixture.site("client_1", "Lyon", "");
    let server = fixture.resource("client_1", &[("name", "server")]);
    fixture.put(&lyon, &[&server]);
    let body = json!({"name": "g", "filterCriteria": rules(&[("deviceLocation", "Contains", "paris")])});
    let group = one(&fixture, client(), &body);
    assert_eq!(held(&fixture, &client(), &group), [] as [String; 0]);
    fixture.put(&paris, &[&server]);
    assert_eq!(held(&fixture, &client(), &group), ["server*"]);
    let rename = |old: sites::row::Site, name: &str| {
        let change = SiteChange { name: Some(name.to_owned()), ..SiteChange::default() };
        let new = sites::rules::changed(&old, change, NOW);
        fixture.write(move |conn| {
            sites::store::update(conn, &old, &new)?;
            super::dynamic::refresh_site(conn, "msp_1", "client_1", new.id)?;
            Ok(new)
        })
    };
    let renamed = rename(paris, "Rome");
    assert_eq!(held(&fixture, &client(), &group), [] as [String; 0]);
    rename(renamed, "Paris 2");
    assert_eq!(held(&fixture, &client(), &group), ["server*"]);
}

#[test]
fn many_resources_are_looked_at_batch_by_batch() {
    let fixture = Fixture::new();
    let hand = fixture.resource("client_1", &[("name", "n"), ("make", "m")]);
    for _ in 0..1100 {
        fixture.resource("client_1", &[("name", "n"), ("make", "m")]);
    }
    let group = one(&fixture, client(), &json!({"name": "g"}));
    fixture.write(children(members::add, client(), &group, &[&hand]));
    fixture.write(update(client(), &group, &json!({"filterCriteria": rules(&[("make", "Equals", "M")])})));
    let found = fixture.read(|conn| members::page(&fixture.db, conn, &client(), KIND, &group, &page(1, 1000)));
    assert_eq!((found.rows.len(), found.total), (1000, 1101));
}

#[test]
fn a_walk_goes_from_child_groups_to_resources() {
    let fixture = Fixture::new();
    let top = one(&fixture, client(), &json!({"name": "top"}));
    let below = json!([0, 1, 2].map(|number| json!({"name": format!("g{number}"), "parent": {"id": top.id}})));
    fixture.write(create(client(), &below));
    let ids: Vec<String> =
        (0..4).map(|number| fixture.resource("client_1", &[("name", &format!("r{number}"))])).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    fixture.write(children(members::add, client(), &top, &ids));
    for size in 1..=8 {
        let mut walk = page(1, size);
        let mut seen = Vec::new();
        loop {
            let PageRows { rows, total, next } =
                fixture.read(|conn| members::page(&fixture.db, conn, &client(), KIND, &top, &walk));
            assert_eq!(total, 7);
            seen.extend(rows.iter().map(|child| child.name.clone()));
            let answer = walk.answer(PageRows { rows, total, next });
            let Some(next) = answer.next_cursor else { break };
            walk =
                PageRequest::from_cursor(NumberedPage { page_no: 1, page_size: size }, List::default(), &next).unwrap();
        }
        assert_eq!(seen[..3], ["g0", "g1", "g2"], "{size} a page");
        seen.sort();
        assert_eq!(seen, ["g0", "g1", "g2", "r0", "r1", "r2", "r3"], "{size} a page");
    }
}

#[test]
fn a_rule_about_a_path_tells_types_of_one_name_apart() {
    let fixture = Fixture::new();
    let server = fixture.resource("client_1", &[("name", "server")]);
    let desk = fixture.resource("client_1", &[("name", "desk")]);
    let camera = fixture.resource("client_1", &[("name", "camera")]);
    fixture.set_type("client_1", &desk, "Workstation >> Linux");
    fixture.set_type("client_1", &camera, "Camera >> Linux");
    let by = |key: &str, operator: &str, value: &str| {
        let body =
            json!({"name": format!("{key} {operator} {value}"), "filterCriteria": rules(&[(key, operator, value)])});
        one(&fixture, client(), &body)
    };
    let servers = by("resourceType", "Equals", "server>>LINUX");
    let desks = by("deviceType", "Equals", "Workstation >> Linux");
    let others = by("resourceType", "Not Equals", "Server >> Linux");
    let all = by("resourceType", "Equals", "linux");
    let body = json!({"name": "of a type", "filterCriteria": {"rules": [
        {"resourceType": "camera>>linux", "key": "name", "operator": "Regex", "value": "."}
    ]}});
    let cameras = one(&fixture, client(), &body);
    let held = |group: &Group| held(&fixture, &client(), group);
    assert_eq!([held(&servers), held(&desks), held(&cameras)], [["server*"], ["desk*"], ["camera*"]]);
    assert_eq!([held(&others), held(&all)], [vec!["camera*", "desk*"], vec!["camera*", "desk*", "server*"]]);
    fixture.set_type("client_1", &server, "Workstation >> Linux");
    fixture.set_type("client_1", &desk, "Server >> Linux");
    assert_eq!(
        [held(&servers), held(&desks), held(&others)],
        [vec!["desk*"], vec!["server*"], vec!["camera*", "server*"]]
    );
}

#[test]
fn other_members_are_another_version_of_their_group() {
    let fixture = Fixture::new();
    let web = fixture.resource("client_1", &[("name", "web")]);
    let group = one(&fixture, client(), &json!({"name": "g"}));
    let version = || {
        let id = Reference::Id(group.id);
        fixture.read(|conn| super::store::find_required(conn, &["client_1".to_owned()], KIND, &id)).version
    };
    for (change, expected) in
        [(members::add as ChangeChildren, 2), (members::add, 2), (members::remove, 3), (members::remove, 3)]
    {
        fixture.write(children(change, client(), &group, &[&web]));
        assert_eq!(version(), expected);
    }
}
