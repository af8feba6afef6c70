//! Scripts over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, Parameters, PathIds, RequestContext, RequestScope, delete, get, post, spec::PageOf,
};
use db::Conn;
use outbox::{Entity, Tx};
use ports::{Authors, People};

use super::{
    filter, row, rules, store,
    wire::{NewScript, OfScript, Script, ScriptChange, ScriptId},
};

api::list! {
    /// The list of scripts.
    pub Scripts by store::SORTS: SORT = "name", FILTER = "platform:LINUX"
}

/// Whose scripts a list shows.
#[derive(Clone, Debug, Parameters)]
pub struct ScriptListQuery {
    /// Those of the partner as well, which a client may run; default false.
    #[request(default)]
    pub with_partner: bool,
}

/// Who shows scripts: the people, and the tenants whose people scripts may name.
pub type Directory<'a> = (&'a dyn People, &'a [String]);

fn authors(conn: &mut Conn, (people, tenants): Directory<'_>, rows: &[&row::Script]) -> db::Result<Authors> {
    Authors::load(conn, people, tenants, rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]))
}

fn shown(conn: &mut Conn, around: Directory<'_>, row: &row::Script) -> db::Result<Script> {
    Ok(Script::new(row, &authors(conn, around, &[row])?, true))
}

/// Records a change of a script, and answers what it is now.
pub fn answered(
    tx: &mut Tx<'_>,
    around: Directory<'_>,
    before: Option<&row::Script>,
    after: &row::Script,
) -> db::Result<Answer> {
    let before = before.map(|row| shown(tx.conn, around, row)).transpose()?;
    let script = shown(tx.conn, around, after)?;
    tx.record_view(entity(after), before.as_ref(), Some(&script))?;
    Answer::entity(&script, after.version)
}

fn entity(row: &row::Script) -> Entity<'_> {
    Entity::audited("JobScript", &row.tenant_id, row.id.to_string())
}

/// Create a script
///
/// Adds a script to the library of the tenant. Its name is unique there, whatever the letter case.
#[utoipa::path(
    operation_id = "createJobScript",
    request_body(content = NewScript),
    responses(
        (status = 200, description = "The new script", body = Script),
        (status = 409, description = "The tenant has a script of this name"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/scripts")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    Body(OfScript(new)): Body<OfScript<NewScript>>,
) -> api::Result<HttpResponse> {
    let change = ScriptChange::from(new);
    context
        .write(move |tx, scope| {
            let author = scope.author();
            let blank = rules::blank(scope.tenant_id(), db::next_id(tx.conn, "jobs.scripts")?, author, tx.now);
            let row = rules::changed(&blank, &change, author, tx.now);
            store::insert(tx.conn, &row)?;
            answered(tx, (&**people, &scope.scope_and_partner()), None, &row)
        })
        .await
}

/// Search scripts
///
/// A page of the scripts of the tenant, without their contents; at partner level, of its clients too. The variables of
/// `queryString` are `id`, `name` (it contains the value, whatever the letter case), `platform` and `allList` (`false`:
/// the tenant's own alone).
#[utoipa::path(
    operation_id = "searchJobScripts",
    params(PageQuery<Scripts, ScriptListQuery>),
    responses((status = 200, description = "A page of scripts", body = PageOf<Script>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/scripts/search")]
pub async fn search(
    context: RequestContext<PageQuery<Scripts, ScriptListQuery>>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let PageQuery { own: ScriptListQuery { with_partner }, .. } = context.query.clone();
    let condition = filter::condition(&context, &context.query.filter, with_partner)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let tenants = scope.scope_and_partner();
        let found = store::search(conn, condition, sort, walk)?;
        let authors = authors(conn, (&**people, &tenants), &found.rows.iter().collect::<Vec<_>>())?;
        Ok(found.map(|row| Script::new(&row, &authors, false)))
    });
    page.await
}

/// Get a script
///
/// With its content. A client may read those of its partner too.
#[utoipa::path(
    operation_id = "getJobScript",
    params(ScriptId),
    responses((status = 200, description = "The script", body = Script)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/scripts/{scriptId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(ScriptId(id)): PathIds<ScriptId>,
) -> api::Result<HttpResponse> {
    let answered = context.point(move |conn, tenant| {
        let tenants = tenant.scope_and_partner();
        let row = store::existing(conn, &tenants, id)?;
        Answer::entity(&shown(conn, (&**people, &tenants), &row)?, row.version)
    });
    answered.await
}

/// Update a script
///
/// Fields left out stay as they are. Runs that a runner takes from now on have the new content; one that is under way
/// does not change.
#[utoipa::path(
    operation_id = "updateJobScript",
    params(ScriptId),
    request_body = ScriptChange,
    responses(
        (status = 200, description = "The script after the change", body = Script),
        (status = 409, description = "The tenant has another script of this name"),
        (status = 412, description = "The script has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/scripts/{scriptId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(ScriptId(id)): PathIds<ScriptId>,
    Body(OfScript(change)): Body<OfScript<ScriptChange>>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, id)?;
            let new = rules::changed(&old, &change, scope.author(), tx.now);
            store::update(tx.conn, &old, &new)?;
            answered(tx, (&**people, &scope.scope_and_partner()), Some(&old), &new)
        })
        .await
}

/// Delete a script
///
/// One that a job runs stays, and the answer is a 409.
#[utoipa::path(
    operation_id = "deleteJobScript",
    params(ScriptId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 409, description = "A job runs it"),
        (status = 412, description = "The script has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/jobs/scripts/{scriptId}")]
pub async fn delete(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(ScriptId(id)): PathIds<ScriptId>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let row = lock_for_update(tx, scope, id)?;
            delete_locked(tx, scope, &**people, &row)?;
            Ok(Answer::empty())
        })
        .await
}

/// Deletes a script that is locked.
///
/// # Errors
/// 409 when a job runs it.
pub fn delete_locked(tx: &mut Tx<'_>, scope: &RequestScope, people: &dyn People, row: &row::Script) -> db::Result<()> {
    let jobs = store::jobs_of(tx.conn, &scope.scope(), row.id)?;
    if jobs > 0 {
        return Err(rules::in_use(jobs).into());
    }
    store::delete(tx.conn, row)?;
    let script = shown(tx.conn, (people, &scope.scope_and_partner()), row)?;
    tx.record_view(entity(row), Some(&script), None)
}

/// The script that is to be changed, which nobody else changes, or gives to a job, until the end of the transaction.
pub fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, id: i64) -> db::Result<row::Script> {
    store::lock(id).take(tx.conn)?;
    let row = store::existing(tx.conn, &scope.scope(), id)?;
    scope.check_version(row.version)?;
    Ok(row)
}
