//! Rows of scripts. Every function takes the tenant, or the tenants in reach.

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort};
use db::{Condition, Conn, Json, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{row::Script, rules};
use crate::schema::{job_scripts, jobs};

/// How many scripts a tenant has at most.
pub static QUOTA: Quota = Quota::new("scripts", "job_scripts", 20_000);

/// What a list of scripts is sorted by.
pub const SORTS: Sorts<Script> = Sorts {
    by: &[
        SortBy::text("name", "job_scripts.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdDate", "job_scripts.created_ms", |row| Key::from(row.created_ms)),
    ],
    then: &[SortBy::integer("id", "job_scripts.id", |row| Key::from(row.id))],
};

/// The script with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: i64) -> Result<Script> {
    let found = find(conn, scope, &[id])?.pop();
    Ok(found.ok_or_else(rules::no_script)?)
}

/// The scripts with these ids among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], ids: &[i64]) -> Result<Vec<Script>> {
    use job_scripts::dsl;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(dsl::job_scripts.filter(dsl::tenant_id.eq_any(scope)).filter(dsl::id.eq_any(ids)).load(conn)?)
}

/// What jobs show of a script: id, name, description, platforms.
pub type Summary = (i64, String, String, Json<Vec<String>>);

/// What jobs show of these scripts.
pub fn summaries(conn: &mut Conn, scope: &[String], ids: &[i64]) -> Result<Vec<Summary>> {
    use job_scripts::dsl;
    db::in_chunks(ids, |ids| {
        dsl::job_scripts
            .filter(dsl::tenant_id.eq_any(scope))
            .filter(dsl::id.eq_any(ids))
            .select((dsl::id, dsl::name, dsl::description, dsl::platforms))
            .load(conn)
    })
}

/// A page of the scripts that meet a condition; their contents are left out.
pub fn search(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Script>> {
    use job_scripts::dsl;
    let total = walk.total(|| dsl::job_scripts.filter(condition.clone()).count().get_result(conn))?;
    let order = SORTS.order(sort);
    let rows: Vec<Script> = dsl::job_scripts
        .filter(condition)
        .filter(order.after(walk.after())?)
        .select((
            (dsl::tenant_id, dsl::id, dsl::version, dsl::name, dsl::name_key, dsl::description, dsl::platforms),
            (dsl::interpreter, dsl::bytes, dsl::created_by, dsl::created_ms, dsl::updated_by, dsl::updated_ms),
        ))
        .order(order)
        .offset(walk.offset())
        .limit(walk.row_limit())
        .load::<(Head, Tail)>(conn)?
        .into_iter()
        .map(without_content)
        .collect();
    Ok(walk.cut(rows, total, |row| SORTS.keys(sort, row)))
}

type Head = (String, i64, i64, String, String, String, Json<Vec<String>>);
type Tail = (String, i64, String, i64, String, i64);

fn without_content(((tenant_id, id, version, name, name_key, description, platforms), tail): (Head, Tail)) -> Script {
    let (interpreter, bytes, created_by, created_ms, updated_by, updated_ms) = tail;
    Script {
        tenant_id,
        id,
        version,
        name,
        name_key,
        description,
        platforms,
        interpreter,
        content: String::new(),
        bytes,
        created_by,
        created_ms,
        updated_by,
        updated_ms,
    }
}

fn check_name(conn: &mut Conn, script: &Script) -> Result<()> {
    if db::has_namesake!(conn, job_scripts, script) {
        return Err(rules::taken(&script.name).into());
    }
    Ok(())
}

/// Stores a new script.
///
/// # Errors
/// 409 when the tenant has a script of this name.
pub fn insert(conn: &mut Conn, script: &Script) -> Result<()> {
    check_name(conn, script)?;
    QUOTA.admit(conn, &script.tenant_id, 1)?;
    diesel::insert_into(job_scripts::table).values(script).execute(conn)?;
    Ok(())
}

/// Stores a changed script.
///
/// # Errors
/// 409 when the tenant has another script of this name, or somebody else changed this one meanwhile.
pub fn update(conn: &mut Conn, old: &Script, new: &Script) -> Result<()> {
    check_name(conn, new)?;
    let stored = job_scripts::table.find((&old.tenant_id, old.id)).filter(job_scripts::version.eq(old.version));
    if diesel::update(stored).set(new).execute(conn)? == 0 {
        return Err(Problem::conflict("Somebody else changed the script meanwhile. Read it again.").into());
    }
    Ok(())
}

/// How many jobs run a script: of its tenant, and when that is a partner, of its clients.
pub fn jobs_of(conn: &mut Conn, scope: &[String], id: i64) -> Result<i64> {
    Ok(jobs::table
        .filter(jobs::tenant_id.eq_any(scope))
        .filter(jobs::script_id.eq(Some(id)))
        .count()
        .get_result(conn)?)
}

/// Removes a script.
pub fn delete(conn: &mut Conn, script: &Script) -> Result<()> {
    diesel::delete(job_scripts::table.find((&script.tenant_id, script.id))).execute(conn)?;
    Ok(())
}

/// Who gives a script to a job holds this shared, who changes or deletes the script holds it alone.
pub fn lock(id: i64) -> db::Lock {
    db::Lock::of("jobs.script", id)
}
