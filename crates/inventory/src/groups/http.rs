//! Groups over HTTP, for both kinds. [`super::device`] and [`super::service`] name the operations.

use actix_web::{HttpResponse, web};
use api::{Answer, At, Body, answer, stream};
use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Change, Entity, Tx};
use serde_json::json;

use super::{
    changes::{self, Reach},
    members,
    rules::{self, Filter, Kind, Reference},
    store::{self, Group, Parents},
    wire::{ChildReference, CreatedGroups, GroupChange, NewGroups, ResourceGroup, ResourceGroupMinimal},
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

/// Notes that a group changed.
fn note(
    tx: &mut Tx<'_>,
    kind: Kind,
    tenant: &str,
    before: Option<&ResourceGroup>,
    after: Option<&ResourceGroup>,
) -> Result<()> {
    let Some(group) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: tenant, kind: kind.entity(), id: &group.unique_id, publish: false };
    tx.note_shown(entity, before, after)
}

/// Creates what a body describes.
pub(super) async fn create(at: &At, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (reach, now) = (reach(at), at.now);
    match NewGroups::read(kind, &body.0)? {
        NewGroups::One(new) => {
            at.write(move |tx| {
                let (groups, parents) = changes::create(tx.conn, &reach, kind, &[new], |_| String::new(), now)?;
                let missing = || db::Error::Fault("a group was created and is not there".to_owned());
                let group = groups.into_iter().next().ok_or_else(missing)?;
                let (tenant, version) = (group.tenant_id.clone(), group.version);
                let group = ResourceGroup::of(group, &parents)?;
                note(tx, kind, &tenant, None, Some(&group))?;
                Answer::entity(&CreatedGroups::One(group), version)
            })
            .await
        }
        NewGroups::Many(all) => {
            let place = |index| format!("[{index}].");
            at.write(move |tx| {
                let (groups, parents) = changes::create(tx.conn, &reach, kind, &all, place, now)?;
                let groups = groups.into_iter().map(|group| ResourceGroup::of(group, &parents));
                let groups = groups.collect::<Result<Vec<_>>>()?;
                for group in &groups {
                    note(tx, kind, &reach.tenant, None, Some(group))?;
                }
                Answer::ok(&CreatedGroups::Many(groups))
            })
            .await
        }
    }
}

fn shown(group: Group, parents: &Parents) -> api::Result<HttpResponse> {
    let version = group.version;
    answer::tagged(&ResourceGroup::of(group, parents)?, version)
}

/// Answers a page of groups.
pub(super) async fn search(at: &At, kind: Kind) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let sort = query.sort(&rules::SORTS, "id", true);
    let walk = query.walk(at.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, scope) = (Filter::parse(kind, &text)?, at.scope());
    let page = at.db.read(move |conn| {
        let found = store::search(conn, &scope, kind, &filter, sort, &walk)?;
        let parents = store::parents(conn, &scope, &found.rows)?;
        let groups = found.rows.iter().map(|group| ResourceGroup::of(group.clone(), &parents));
        let groups = groups.collect::<Result<Vec<_>>>()?;
        Ok(walk.answer(found.with(groups)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
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
    shown(group, &parents)
}

/// Changes one group.
pub(super) async fn update(at: &At, path: &GroupPath, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let reference = reference(kind, path)?;
    let change = GroupChange::read(kind, &body.0)?;
    let (reach, wanted, now) = (reach(at), at.if_match()?, at.now);
    at.write(move |tx| {
        let old = changes::take_up(tx.conn, &reach, kind, &reference, wanted)?;
        let before =
            ResourceGroup::of(old.clone(), &store::parents(tx.conn, &reach.scope, std::slice::from_ref(&old))?)?;
        let group = changes::update(tx.conn, &reach, kind, &old, change, now)?;
        let parents = store::parents(tx.conn, &reach.scope, std::slice::from_ref(&group))?;
        let (tenant, version) = (group.tenant_id.clone(), group.version);
        let group = ResourceGroup::of(group, &parents)?;
        note(tx, kind, &tenant, Some(&before), Some(&group))?;
        Answer::entity(&group, version)
    })
    .await
}

/// Deletes one group.
pub(super) async fn delete(at: &At, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    at.no_query()?;
    let reference = reference(kind, path)?;
    let (reach, wanted) = (reach(at), at.if_match()?);
    at.write(move |tx| {
        let group = changes::take_up(tx.conn, &reach, kind, &reference, wanted)?;
        let parents = store::parents(tx.conn, &reach.scope, std::slice::from_ref(&group))?;
        let before = ResourceGroup::of(group.clone(), &parents)?;
        store::delete(tx.conn, kind, &group, &reach.member_tenants(&group))?;
        note(tx, kind, &group.tenant_id, Some(&before), None)?;
        Ok(Answer::empty())
    })
    .await
}

/// Answers a page of a group's children.
pub(super) async fn children(at: &At, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let walk = query.walk(at.request().path(), members::ORDER);
    query.finish()?;
    let (reference, reach) = (reference(kind, path)?, reach(at));
    let page = at.db.read(move |conn| {
        let group = store::existing(conn, &reach.scope, kind, &reference)?;
        Ok(walk.answer(members::page(conn, &reach, kind, &group, &walk)?))
    });
    answer::ok(&page.await?)
}

/// [`members::add`] or [`members::remove`].
type ChangeChildren = fn(&mut Conn, &Reach, Kind, &Group, &[ChildReference], Timestamp) -> Result<()>;

/// Adds children to a group.
pub(super) async fn add_children(at: &At, path: &GroupPath, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    change_children(at, path, body, kind, "childrenAdded", members::add).await
}

/// Removes children from a group.
pub(super) async fn remove_children(at: &At, path: &GroupPath, body: &Body, kind: Kind) -> api::Result<HttpResponse> {
    change_children(at, path, body, kind, "childrenRemoved", members::remove).await
}

async fn change_children(
    at: &At,
    path: &GroupPath,
    body: &Body,
    kind: Kind,
    what: &'static str,
    change: ChangeChildren,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let reference = reference(kind, path)?;
    let given = ChildReference::read_all(kind, &body.0)?;
    let (reach, wanted, now) = (reach(at), at.if_match()?, at.now);
    at.write(move |tx| {
        let group = changes::take_up(tx.conn, &reach, kind, &reference, wanted)?;
        change(tx.conn, &reach, kind, &group, &given, now)?;
        // What was asked for; who is a member now is not kept twice.
        let asked: Vec<String> = given.iter().map(ToString::to_string).collect();
        tx.note(Change {
            tenant_id: group.tenant_id,
            entity: kind.entity(),
            entity_id: group.unique_id,
            before: Some(json!({})),
            after: Some(json!({ what: asked })),
            publish: false,
        });
        Ok(Answer::empty())
    })
    .await
}
