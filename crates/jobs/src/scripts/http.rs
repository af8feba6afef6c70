//! Scripts over HTTP.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, RequestContext, RequestScope, answer, delete, get, post, spec::PageOf};
use base::Query;
use db::Conn;
use outbox::{Entity, Tx};
use ports::{Authors, People};

use super::{
    row,
    rules::{self, Filter},
    store,
    wire::{NewScript, Script, ScriptChange, read},
};

api::texts! {
    /// What scripts are sorted by.
    Sorted = api::spec::one_of(&rules::SORTS);
}

/// Who shows scripts: the people, and the tenants whose people scripts may name.
type Directory<'a> = (&'a dyn People, &'a [String]);

fn authors(conn: &mut Conn, (people, tenants): Directory<'_>, rows: &[&row::Script]) -> db::Result<Authors> {
    Authors::load(conn, people, tenants, rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]))
}

fn shown(conn: &mut Conn, around: Directory<'_>, row: &row::Script) -> db::Result<Script> {
    Ok(Script::new(row, &authors(conn, around, &[row])?, true))
}

/// An id that is no number names nothing.
fn id_of(text: &str) -> i64 {
    text.parse().unwrap_or(0)
}

/// Records that a script is new, has changed or is gone.
fn record_change(
    tx: &mut Tx<'_>,
    around: Directory<'_>,
    before: Option<&row::Script>,
    after: Option<&row::Script>,
) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let (tenant_id, id) = (row.tenant_id.clone(), row.id.to_string());
    let entity = Entity::audited("JobScript", &tenant_id, &id);
    let (before, after) = (
        before.map(|row| shown(tx.conn, around, row)).transpose()?,
        after.map(|row| shown(tx.conn, around, row)).transpose()?,
    );
    tx.note_shown(entity, before.as_ref(), after.as_ref())
}

/// Create a script
///
/// Adds a script to the library of the tenant. Its name is unique there, whatever the letter case.
#[utoipa::path(
    tag = "jobs",
    operation_id = "createJobScript",
    request_body(content = NewScript),
    responses(
        (status = 200, description = "The new script", body = Script),
        (status = 409, description = "The tenant has a script of this name"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/scripts")]
pub async fn create(context: RequestContext, people: web::Data<dyn People>, body: Body) -> api::Result<HttpResponse> {
    let change = ScriptChange::from(read::<NewScript>(&body.0)?);
    context
        .write(move |tx, scope| {
            let (tenants, author) = (scope.scope_and_partner(), scope.author());
            let blank = rules::blank(scope.tenant_id(), db::next_id(tx.conn, "jobs.scripts")?, author, tx.now);
            let row = rules::changed(&blank, &change, author, tx.now);
            store::insert(tx.conn, &row)?;
            record_change(tx, (&**people, &tenants), None, Some(&row))?;
            Answer::entity(&shown(tx.conn, (&**people, &tenants), &row)?, row.version)
        })
        .await
}

/// Search scripts
///
/// A page of the scripts of the tenant, without their contents; at partner level, of its clients too. The variables of
/// `queryString` are `id`, `name` (it contains the value, whatever the letter case) and `platform`.
#[utoipa::path(
    tag = "jobs",
    operation_id = "searchJobScripts",
    params(
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = inline(Option<Sorted>), Query, description = "`name` (default), `id` or `createdDate`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "platform:LINUX"),
        ("withPartner" = Option<bool>, Query, description = "Those of the partner as well, which a client may run; default false"),
    ),
    responses((status = 200, description = "A page of scripts", body = PageOf<Script>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/scripts/search")]
pub async fn search(context: RequestContext<Query>, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "name", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    let with_partner = query.boolean("withPartner", false);
    query.finish()?;
    let filter = Filter::parse(&text)?;
    let tenants = context.scope_and_partner();
    let scope = if with_partner { tenants.clone() } else { context.scope() };
    let page = context.db.read(move |conn| {
        let found = store::search(conn, &scope, &filter, sort, &walk)?;
        let authors = authors(conn, (&**people, &tenants), &found.rows.iter().collect::<Vec<_>>())?;
        Ok(walk.answer(found.map(|row| Script::new(&row, &authors, false))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a script
///
/// With its content. A client may read those of its partner too.
#[utoipa::path(
    tag = "jobs",
    operation_id = "getJobScript",
    params(("scriptId" = i64, Path, description = "The script's number", example = 7)),
    responses((status = 200, description = "The script", body = Script)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/scripts/{scriptId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (tenants, id) = (context.scope_and_partner(), id_of(&path.into_inner().1));
    let read = context.db.point(move |conn| {
        let row = store::existing(conn, &tenants, id)?;
        Ok((shown(conn, (&**people, &tenants), &row)?, row.version))
    });
    let (script, version) = read.await?;
    // It shows names that change without it.
    answer::tagged(&script, version)
}

/// Update a script
///
/// Fields left out stay as they are. Runs that a runner takes from now on have the new content; one that is under way
/// does not change.
#[utoipa::path(
    tag = "jobs",
    operation_id = "updateJobScript",
    params(("scriptId" = i64, Path, description = "The script's number", example = 7)),
    request_body = NewScript,
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
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (change, id) = (read::<ScriptChange>(&body.0)?, id_of(&path.into_inner().1));
    context
        .write(move |tx, scope| {
            let tenants = scope.scope_and_partner();
            let old = lock_for_update(tx, scope, id)?;
            let new = rules::changed(&old, &change, scope.author(), tx.now);
            store::update(tx.conn, &old, &new)?;
            record_change(tx, (&**people, &tenants), Some(&old), Some(&new))?;
            Answer::entity(&shown(tx.conn, (&**people, &tenants), &new)?, new.version)
        })
        .await
}

/// Delete a script
///
/// One that a job runs stays, and the answer is a 409.
#[utoipa::path(
    tag = "jobs",
    operation_id = "deleteJobScript",
    params(("scriptId" = i64, Path, description = "The script's number", example = 7)),
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
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let id = id_of(&path.into_inner().1);
    context
        .write(move |tx, scope| {
            let row = lock_for_update(tx, scope, id)?;
            let jobs = store::jobs_of(tx.conn, &scope.scope(), id)?;
            if jobs > 0 {
                return Err(rules::in_use(jobs).into());
            }
            store::delete(tx.conn, &row)?;
            record_change(tx, (&**people, &scope.scope_and_partner()), Some(&row), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// The script that is to be changed, which nobody else changes, or gives to a job, until the end of the transaction.
fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, id: i64) -> db::Result<row::Script> {
    db::lock(tx.conn, &store::lock_name(id))?;
    let row = store::existing(tx.conn, &scope.scope(), id)?;
    scope.check_version(row.version)?;
    Ok(row)
}
