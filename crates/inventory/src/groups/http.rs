//! Groups over HTTP, for both kinds. [`super::device`] and [`super::service`] name the operations.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, RequestContext, RequestScope, answer, cpu, stream};
use base::{Query, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Change, Entity, Tx};
use serde_json::json;

use super::{
    changes::{self, Reach, Saved},
    members,
    rules::{self, Filter, Kind, Reference},
    store::{self, Group, Parents},
    wire::{ChildReference, CreatedGroups, GivenGroups, GroupChange, ResourceGroup, ResourceGroupMinimal},
};

/// Tenant and group of a path.
pub(super) type GroupPath = web::Path<(String, String)>;

fn reach(context: &RequestScope) -> Reach {
    Reach { tenant: context.tenant.id.to_string(), partner: context.tenant.partner.to_string(), scope: context.scope() }
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

/// Creates what a body describes, and changes what it names by id.
pub(super) async fn create(context: &RequestContext, body: Body, kind: Kind) -> api::Result<HttpResponse> {
    let (reach, now) = (reach(context), context.now);
    let given = cpu::read(context, body, move |body, meter| Ok(GivenGroups::read(kind, body, meter)?)).await?;
    // Of several, none is the one that `If-Match` could be about.
    let (all, alone, wanted) = match given {
        GivenGroups::One(one) => (vec![one], true, context.if_match()?),
        GivenGroups::Many(all) => (all, false, None),
    };
    context
        .write(move |tx, _| {
            let place = |index| if alone { String::new() } else { format!("[{index}].") };
            let (saved, parents) = changes::save(tx.conn, &reach, kind, &all, place, wanted, now)?;
            let (mut groups, mut version) = (Vec::with_capacity(saved.len()), 0);
            for Saved { before, group } in saved {
                let tenant = group.tenant_id.clone();
                version = group.version;
                let group = ResourceGroup::of(group, &parents)?;
                note(tx, kind, &tenant, before.as_ref(), Some(&group))?;
                groups.push(group);
            }
            match groups.pop() {
                Some(group) if alone => Answer::entity(&CreatedGroups::One(group), version),
                last => {
                    groups.extend(last);
                    Answer::ok(&CreatedGroups::Many(groups))
                }
            }
        })
        .await
}

fn shown(group: Group, parents: &Parents) -> api::Result<HttpResponse> {
    let version = group.version;
    answer::tagged(&ResourceGroup::of(group, parents)?, version)
}

/// Answers a page of groups.
pub(super) async fn search(context: &RequestContext<Query>, kind: Kind) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "id", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, scope) = (Filter::parse(kind, &text)?, context.scope());
    let page = context.db.read(move |conn| {
        let found = store::search(conn, &scope, kind, &filter, sort, &walk)?;
        let parents = store::parents(conn, &scope, &found.rows)?;
        let groups = found.rows.iter().map(|group| ResourceGroup::of(group.clone(), &parents));
        let groups = groups.collect::<Result<Vec<_>>>()?;
        Ok(walk.answer(found.with(groups)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Streams id, unique id and name of every group.
pub(super) async fn minimal(context: &RequestContext, kind: Kind) -> api::Result<HttpResponse> {
    let scope = context.scope();
    stream::array(&context.db, move |conn, rows| {
        store::each_minimal(conn, &scope, kind, |id, unique_id, name| {
            // Writing JSON to a Vec of a number and strings cannot fail.
            rows.push(|out| drop(serde_json::to_writer(out, &ResourceGroupMinimal { id, unique_id, name })))
        })
    })
    .await
}

/// Answers one group.
pub(super) async fn get(context: &RequestContext, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    let (reference, scope) = (reference(kind, path)?, context.scope());
    let (group, parents) = context
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
pub(super) async fn update(
    context: &RequestContext,
    path: &GroupPath,
    body: Body,
    kind: Kind,
) -> api::Result<HttpResponse> {
    let reference = reference(kind, path)?;
    let change = cpu::read(context, body, move |body, meter| Ok(GroupChange::read(kind, body, meter)?)).await?;
    let (reach, wanted, now) = (reach(context), context.if_match()?, context.now);
    context
        .write(move |tx, _| {
            let old = changes::take_up(tx.conn, &reach, kind, &reference, wanted)?;
            let before = changes::shown(tx.conn, &reach, &old)?;
            let group = changes::update(tx.conn, &reach, kind, &old, change, now)?;
            let (tenant, version) = (group.tenant_id.clone(), group.version);
            let group = changes::shown(tx.conn, &reach, &group)?;
            note(tx, kind, &tenant, Some(&before), Some(&group))?;
            Answer::entity(&group, version)
        })
        .await
}

/// Deletes one group.
pub(super) async fn delete(context: &RequestContext, path: &GroupPath, kind: Kind) -> api::Result<HttpResponse> {
    let reference = reference(kind, path)?;
    let (reach, wanted) = (reach(context), context.if_match()?);
    context
        .write(move |tx, _| {
            let group = changes::take_up(tx.conn, &reach, kind, &reference, wanted)?;
            let before = changes::shown(tx.conn, &reach, &group)?;
            store::delete(tx.conn, kind, &group, &reach.member_tenants(&group))?;
            note(tx, kind, &group.tenant_id, Some(&before), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// Answers a page of a group's children.
pub(super) async fn children(
    context: &RequestContext<Query>,
    path: &GroupPath,
    kind: Kind,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let walk = query.walk(context.request().path(), members::ORDER);
    query.finish()?;
    let (reference, reach, db) = (reference(kind, path)?, reach(context), context.db.clone());
    let page = context.db.read(move |conn| {
        let group = store::existing(conn, &reach.scope, kind, &reference)?;
        Ok(walk.answer(members::page(&db, conn, &reach, kind, &group, &walk)?))
    });
    answer::ok(&page.await?)
}

/// [`members::add`] or [`members::remove`].
type ChangeChildren = fn(&mut Conn, &Reach, Kind, &Group, &[ChildReference], Timestamp) -> Result<()>;

/// Adds children to a group.
pub(super) async fn add_children(
    context: &RequestContext,
    path: &GroupPath,
    body: &Body,
    kind: Kind,
) -> api::Result<HttpResponse> {
    change_children(context, path, body, kind, "childrenAdded", members::add).await
}

/// Removes children from a group.
pub(super) async fn remove_children(
    context: &RequestContext,
    path: &GroupPath,
    body: &Body,
    kind: Kind,
) -> api::Result<HttpResponse> {
    change_children(context, path, body, kind, "childrenRemoved", members::remove).await
}

async fn change_children(
    context: &RequestContext,
    path: &GroupPath,
    body: &Body,
    kind: Kind,
    what: &'static str,
    change: ChangeChildren,
) -> api::Result<HttpResponse> {
    let reference = reference(kind, path)?;
    let given = ChildReference::read_all(kind, &body.0)?;
    let (reach, wanted, now) = (reach(context), context.if_match()?, context.now);
    context
        .write(move |tx, _| {
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
