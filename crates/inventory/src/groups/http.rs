//! Groups over HTTP, for both kinds. [`super::device`] and [`super::service`] name the operations.

use actix_web::{HttpResponse, web};
use api::{At, Body, answer, context::check_version, stream};
use base::{
    page::Page,
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use db::{Conn, Result};

use super::{
    lock,
    members::{self, Reach},
    rules::{self, Birth, Change, Filter, Kind, Reference, Setting},
    store::{self, Group, Parents},
    wire::{
        ChildReference, CreatedGroups, GroupChange, Named, NewGroup, NewGroups, ResourceGroup, ResourceGroupMinimal,
    },
};

/// Tenant and group of a path.
pub(super) type GroupPath = web::Path<(String, String)>;

fn reach(at: &At) -> Reach {
    Reach { tenant: at.tenant.id.to_string(), partner: at.tenant.partner.to_string(), scope: at.scope() }
}

/// The group that a path names; a text that can name none is an unknown group.
fn reference(kind: Kind, path: &GroupPath) -> api::Result<Reference> {
    Ok(Reference::parse(kind, &path.1).ok_or_else(|| kind.not_found())?)
}

/// Creates what a body describes.
pub(super) async fn create(at: &At, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (reach, now) = (reach(at), at.now);
    match NewGroups::read(kind, &body.0)? {
        NewGroups::One(new) => {
            let create = move |conn: &mut Conn| create_all(conn, &reach, kind, &[new], |_| String::new(), now);
            let (groups, parents) = at.db.write(create).await?;
            let missing = || db::Error::Fault("a group was created and is not there".to_owned());
            let group = groups.into_iter().next().ok_or_else(missing)?;
            let version = group.version;
            answer::entity(at, &CreatedGroups::One(ResourceGroup::of(group, &parents)?), version)
        }
        NewGroups::Many(all) => {
            let create =
                move |conn: &mut Conn| create_all(conn, &reach, kind, &all, |index| format!("[{index}]."), now);
            let (groups, parents) = at.db.write(create).await?;
            let groups = groups.into_iter().map(|group| ResourceGroup::of(group, &parents));
            answer::ok(&CreatedGroups::Many(groups.collect::<Result<_>>()?))
        }
    }
}

/// Creates groups in their order, so that a later one may name an earlier one as its parent. `place` is where in the
/// body one stands.
fn create_all(
    conn: &mut Conn,
    reach: &Reach,
    kind: Kind,
    all: &[NewGroup],
    place: impl Fn(usize) -> String,
    now: Timestamp,
) -> Result<(Vec<Group>, Parents)> {
    lock::alone(conn, &reach.partner)?;
    let (mut groups, mut errors) = (Vec::with_capacity(all.len()), Vec::new());
    for (index, new) in all.iter().enumerate() {
        let parent_id = match &new.parent {
            None => None,
            Some(named) => match parent(conn, &reach.tenant, kind, named)? {
                Ok(id) => Some(id),
                Err(error) => {
                    errors.push(FieldError::new(format!("{}{}", place(index), error.field_name), error.message));
                    None
                }
            },
        };
        let (tenant_id, id) = (reach.tenant.clone(), db::next_id(conn, "resource_groups", 1)?);
        let birth = Birth { tenant_id, id, uuid: uuid::Uuid::new_v4(), parent_id, now };
        let group = rules::created(kind, new, birth);
        store::insert(conn, kind, &group)?;
        if group.rules.is_some() {
            members::follow_criteria(conn, reach, &group)?;
        }
        groups.push(group);
    }
    if !errors.is_empty() {
        return Err(Problem::fields(errors).into());
    }
    let parents = store::parents(conn, &reach.scope, &groups)?;
    Ok((groups, parents))
}

/// The id of the parent that a body names, or what is wrong with it.
fn parent(conn: &mut Conn, tenant: &str, kind: Kind, named: &Named) -> Result<Result<i64, FieldError>> {
    let found = store::find(conn, &[tenant.to_owned()], kind, &named.reference)?;
    Ok(found.map(|group| group.id).ok_or_else(|| {
        let message = format!("names no {} group of this tenant; create it first", kind.word());
        FieldError::new(format!("parent.{}", named.field), message)
    }))
}

fn shown(at: &At, group: Group, parents: &Parents) -> api::Result<HttpResponse> {
    let version = group.version;
    answer::entity(at, &ResourceGroup::of(group, parents)?, version)
}

/// Answers a page of groups.
pub(super) async fn search(at: &At, kind: Kind) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let page = query.page();
    let sort = query.sort(&rules::SORTS, "id", true);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, scope) = (Filter::parse(kind, &text)?, at.scope());
    let (groups, total) = at
        .db
        .read(move |conn| {
            let (groups, total) = store::search(conn, &scope, kind, &filter, sort, &page)?;
            let parents = store::parents(conn, &scope, &groups)?;
            let groups = groups.into_iter().map(|group| ResourceGroup::of(group, &parents));
            Ok((groups.collect::<Result<Vec<_>>>()?, total))
        })
        .await?;
    answer::ok(&Page::new(&page, groups, total).ordered(sort.name, sort.descending))
}

/// Streams id, unique id and name of every group.
pub(super) async fn minimal(at: &At, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let scope = at.scope();
    stream::array(&at.db, move |conn, rows| {
        store::each_minimal(conn, &scope, kind, |id, unique_id, name| {
            // Writing JSON to a Vec of a number and strings cannot fail.
            rows.push(|out| drop(serde_json::to_writer(out, &ResourceGroupMinimal { id, unique_id, name })))
        })
    })
    .await
}

/// Answers one group.
pub(super) async fn get(at: &At, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (reference, scope) = (reference(kind, path)?, at.scope());
    let (group, parents) = at
        .db
        .point(move |conn| {
            let group = store::existing(conn, &scope, kind, &reference)?;
            let parents = store::parents(conn, &scope, std::slice::from_ref(&group))?;
            Ok((group, parents))
        })
        .await?;
    shown(at, group, &parents)
}

/// Changes one group.
pub(super) async fn update(at: &At, path: &GroupPath, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let reference = reference(kind, path)?;
    let change = GroupChange::read(kind, &body.0)?;
    let (reach, wanted, now) = (reach(at), at.if_match()?, at.now);
    let (group, parents) = at
        .db
        .write(move |conn| {
            lock::alone(conn, &reach.partner)?;
            let old = store::existing(conn, &reach.scope, kind, &reference)?;
            check_version(wanted, old.version)?;
            let group = rules::changed(&old, resolved(conn, kind, &old, change)?, now);
            store::update(conn, kind, &old, &group)?;
            if group.rules != old.rules {
                members::follow_criteria(conn, &reach, &group)?;
            }
            let parents = store::parents(conn, &reach.scope, std::slice::from_ref(&group))?;
            Ok((group, parents))
        })
        .await?;
    shown(at, group, &parents)
}

fn resolved(conn: &mut Conn, kind: Kind, old: &Group, change: GroupChange) -> Result<Change> {
    let parent_id = match change.parent {
        Setting::Keep => Setting::Keep,
        Setting::Clear => Setting::Clear,
        Setting::Set(named) => match parent(conn, &old.tenant_id, kind, &named)? {
            Ok(id) => Setting::Set(id),
            Err(error) => return Err(Problem::fields(vec![error]).into()),
        },
    };
    let GroupChange { name, description, criteria, .. } = change;
    Ok(Change { name, description, parent: parent_id, criteria })
}

/// Deletes one group.
pub(super) async fn delete(at: &At, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let reference = reference(kind, path)?;
    let (reach, wanted) = (reach(at), at.if_match()?);
    at.db
        .write(move |conn| {
            lock::alone(conn, &reach.partner)?;
            let group = store::existing(conn, &reach.scope, kind, &reference)?;
            check_version(wanted, group.version)?;
            store::delete(conn, kind, &group, &reach.member_tenants(&group))
        })
        .await?;
    Ok(answer::empty())
}

/// Answers a page of a group's children.
pub(super) async fn children(at: &At, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let page = query.page();
    query.finish()?;
    let (reference, reach) = (reference(kind, path)?, reach(at));
    let (children, total) = at
        .db
        .read(move |conn| {
            let group = store::existing(conn, &reach.scope, kind, &reference)?;
            members::page(conn, &reach, kind, &group, &page)
        })
        .await?;
    answer::ok(&Page::new(&page, children, total))
}

/// [`members::add`] or [`members::remove`].
type ChangeChildren = fn(&mut Conn, &Reach, Kind, &Group, &[ChildReference], Timestamp) -> Result<()>;

/// Adds children to a group.
pub(super) async fn add_children(at: &At, path: &GroupPath, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    change_children(at, path, body, kind, members::add).await
}

/// Removes children from a group.
pub(super) async fn remove_children(at: &At, path: &GroupPath, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    change_children(at, path, body, kind, members::remove).await
}

async fn change_children(
    at: &At,
    path: &GroupPath,
    body: &Body,
    kind: Kind,
    change: ChangeChildren,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let reference = reference(kind, path)?;
    let given = ChildReference::read_all(kind, &body.0)?;
    let (reach, wanted, now) = (reach(at), at.if_match()?, at.now);
    at.db
        .write(move |conn| {
            lock::alone(conn, &reach.partner)?;
            let group = store::existing(conn, &reach.scope, kind, &reference)?;
            check_version(wanted, group.version)?;
            change(conn, &reach, kind, &group, &given, now)
        })
        .await?;
    Ok(answer::empty())
}
