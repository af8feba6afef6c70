//! Groups over HTTP, for both kinds. [`super::operations`] names the operations.

use actix_web::HttpResponse;
use api::{Answer, Body, List, PageQuery, RequestContext, RequestScope, answer, cpu, stream};
use base::Problem;
use db::Result;
use outbox::{Entity, Tx};
use serde_json::json;

use super::members;
use crate::groups::{
    changes::{self, GroupAccess, SavedGroup},
    input::{ChildReference, GroupChange, GroupEntries, GroupEntry},
    kind::{Kind, Reference},
    row::Group,
    rules::Filter,
    store,
    wire::{CreatedGroups, ResourceGroup, ResourceGroupMinimal},
};

api::list! {
    /// The list of groups of a kind.
    pub Groups by store::SORTS: SORT = "id", DESCENDING = true, FILTER = "name:web"
}

/// The list of the children of a group.
#[derive(Clone, Debug)]
pub struct ChildList;

impl List for ChildList {
    const SORT: &'static str = members::ORDER.name;
}

fn group_access(scope: &RequestScope) -> GroupAccess {
    GroupAccess {
        tenant: scope.tenant_id().to_owned(),
        partner: scope.tenant.partner.to_string(),
        scope: scope.scope(),
    }
}

/// The group that a path names; a text that can name none is an unknown group.
fn reference(kind: Kind, id: &str) -> api::Result<Reference> {
    Ok(Reference::parse(kind, id).ok_or_else(|| kind.not_found())?)
}

/// The group that is to be changed, of the version that the caller saw.
fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, kind: Kind, reference: &Reference) -> Result<Group> {
    let group = changes::lock_for_update(tx.conn, &group_access(scope), kind, reference)?;
    scope.check_version(group.version)?;
    Ok(group)
}

/// Creates the groups of a body, and changes those that have an id.
pub(super) async fn create(context: &RequestContext, body: Body, kind: Kind) -> api::Result<HttpResponse> {
    let given = cpu::read(body, move |body, meter| Ok(GroupEntries::read(kind, body, meter)?)).await?;
    let (all, alone) = match given {
        GroupEntries::One(one) => (vec![one], true),
        GroupEntries::Many(all) => (all, false),
    };
    let wanted = context.if_match()?;
    let changed = all.iter().filter(|entry| matches!(entry, GroupEntry::Existing(..))).count();
    if wanted.is_some() && changed > 1 {
        let detail = "If-Match is about one group, and the array changes several. Send them one by one, or without it.";
        return Err(Problem::invalid(detail).into());
    }
    context
        .write(move |tx, scope| {
            let place = |index| if alone { String::new() } else { format!("[{index}].") };
            let (saved, parents) = changes::save(tx.conn, &group_access(scope), kind, &all, place, wanted, tx.now)?;
            let mut groups = Vec::with_capacity(saved.len());
            let mut version = 0;
            for SavedGroup { before, group } in saved {
                version = group.version;
                let group = ResourceGroup::of(group, &parents);
                changes::record_change(tx, kind, before.as_ref(), Some(&group))?;
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

/// Answers a page of groups.
pub(super) async fn search(context: &RequestContext<PageQuery<Groups>>, kind: Kind) -> api::Result<HttpResponse> {
    let filter = Filter::parse(kind, &context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let scope = scope.scope();
        let found = store::search(conn, &scope, kind, &filter, sort, walk)?;
        let parents = store::parents(conn, &scope, &found.rows)?;
        let groups = found.rows.iter().map(|group| ResourceGroup::of(group.clone(), &parents));
        let groups = groups.collect();
        Ok(found.with(groups))
    });
    page.await
}

/// Streams id, unique id and name of every group.
pub(super) async fn minimal(context: &RequestContext, kind: Kind) -> api::Result<HttpResponse> {
    let scope = context.scope();
    stream::array(context, move |conn, rows| {
        store::each_minimal(conn, &scope, kind, |id, unique_id, name| {
            rows.push_json(&ResourceGroupMinimal { id, unique_id, name })
        })
    })
    .await
}

/// Answers one group.
pub(super) async fn get(context: &RequestContext, id: &str, kind: Kind) -> api::Result<HttpResponse> {
    let reference = reference(kind, id)?;
    let access = group_access(context);
    let answered = context.point(move |conn, _| {
        let group = store::find_required(conn, &access.scope, kind, &reference)?;
        Answer::entity(&changes::to_wire(conn, &access, &group)?, group.version)
    });
    answered.await
}

/// Changes one group.
pub(super) async fn update(context: &RequestContext, id: &str, body: Body, kind: Kind) -> api::Result<HttpResponse> {
    let reference = reference(kind, id)?;
    let change = cpu::read(body, move |body, meter| Ok(GroupChange::read(kind, body, meter)?)).await?;
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, kind, &reference)?;
            let access = group_access(scope);
            let before = changes::to_wire(tx.conn, &access, &old)?;
            let group = changes::update(tx.conn, &access, kind, &old, change, tx.now)?;
            let version = group.version;
            let group = changes::to_wire(tx.conn, &access, &group)?;
            changes::record_change(tx, kind, Some(&before), Some(&group))?;
            Answer::entity(&group, version)
        })
        .await
}

/// Deletes one group.
pub(super) async fn delete(context: &RequestContext, id: &str, kind: Kind) -> api::Result<HttpResponse> {
    let reference = reference(kind, id)?;
    context
        .write(move |tx, scope| {
            let group = lock_for_update(tx, scope, kind, &reference)?;
            let access = group_access(scope);
            let before = changes::to_wire(tx.conn, &access, &group)?;
            store::delete(tx.conn, kind, &group, &access.member_tenants(&group))?;
            changes::record_change(tx, kind, Some(&before), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// Answers a page of a group's children.
pub(super) async fn children(
    context: &RequestContext<PageQuery<ChildList>>,
    id: &str,
    kind: Kind,
) -> api::Result<HttpResponse> {
    let walk = context.query.walk.clone();
    let reference = reference(kind, id)?;
    let db = context.db.clone();
    let page = context.read_many(move |conn, scope| {
        let access = group_access(scope);
        let group = store::find_required(conn, &access.scope, kind, &reference)?;
        Ok(walk.answer(members::page(&db, conn, &access, kind, &group, &walk)?))
    });
    answer::ok(&page.await?)
}

/// [`members::add`] or [`members::remove`].
type ChangeChildren = fn(&mut Tx<'_>, &GroupAccess, Kind, &Group, &[ChildReference]) -> Result<()>;

/// Adds children to a group.
pub(super) async fn add_children(
    context: &RequestContext,
    id: &str,
    body: &Body,
    kind: Kind,
) -> api::Result<HttpResponse> {
    change_children(context, id, body, kind, "childrenAdded", members::add).await
}

/// Removes children from a group.
pub(super) async fn remove_children(
    context: &RequestContext,
    id: &str,
    body: &Body,
    kind: Kind,
) -> api::Result<HttpResponse> {
    change_children(context, id, body, kind, "childrenRemoved", members::remove).await
}

async fn change_children(
    context: &RequestContext,
    id: &str,
    body: &Body,
    kind: Kind,
    what: &'static str,
    change: ChangeChildren,
) -> api::Result<HttpResponse> {
    let reference = reference(kind, id)?;
    let given = ChildReference::read_all(kind, &body.0)?;
    context
        .write(move |tx, scope| {
            let group = lock_for_update(tx, scope, kind, &reference)?;
            change(tx, &group_access(scope), kind, &group, &given)?;
            // Groups that moved have rows of their own; members are not a part of the group, so the log has their ids.
            let members = given.iter().filter(|child| matches!(child, ChildReference::Resource(_)));
            let members: Vec<String> = members.map(ToString::to_string).collect();
            if !members.is_empty() {
                let entity = Entity::audited(kind.entity(), &group.tenant_id, &group.unique_id);
                tx.record_payloads(entity, Some(json!({})), Some(json!({ what: members })));
            }
            Ok(Answer::empty())
        })
        .await
}
