//! Rows of incidents, of their links, and of their notes. Every function takes the tenant, or the tenants of a
//! scope.

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;
use outbox::{Keep, Retention, Setting};

use super::{
    row::{Link, Note, Row},
    rules,
};
use crate::schema::{incident_links, incident_notes, incidents};

/// How many open incidents a tenant has at most.
pub static QUOTA: Quota = Quota::new("open incidents", "incidents", 100_000).of("closed_ms IS NULL");

/// The number of the next incident of a tenant. A partner sees its own and those of its clients together, so that none
/// of others has it.
pub fn next_number(conn: &mut Conn, tenant: &str) -> Result<i64> {
    db::next_short_id(conn, "incidents", tenant, |conn, number| {
        let same = incidents::table.filter(incidents::id.eq(rules::id(number)));
        Ok(diesel::select(diesel::dsl::exists(same)).get_result(conn)?)
    })
}

/// The sort orders of the search.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[
        SortBy::integer("createdDate", "incidents.created_ms", |row| Key::from(row.created_ms)),
        SortBy::integer("updatedDate", "incidents.updated_ms", |row| Key::from(row.updated_ms)),
        SortBy::integer("dueDate", "incidents.due_ms", |row| Key::from(row.due_ms)),
        SortBy::integer("priority", "incidents.priority", |row| Key::from(row.priority)),
        SortBy::integer("status", "incidents.status", |row| Key::from(row.status)),
        SortBy::text("subject", "incidents.subject_key", |row| Key::from(&row.subject_key)),
    ],
    then: &[SortBy::text("id", "incidents.id", |row| Key::from(&row.id))],
};

/// The sort order of notes: a later note has a higher number.
pub const NOTE_SORTS: Sorts<Note> =
    Sorts { by: &[], then: &[SortBy::integer("createdDate", "incident_notes.number", |note| Key::from(note.number))] };

/// Incidents that are closed.
pub const RETENTION: Retention = Retention {
    kind: "incidents",
    keep: Keep::Setting(Setting {
        option: "keep-incidents",
        variable: "MUSTER_KEEP_INCIDENTS",
        days: 0,
        help: "How many days an incident is kept after it was closed; 0 for ever",
    }),
    most: Some(1_000_000),
    table: "incidents",
    id: "id",
    since: "closed_ms",
    only: "closed_ms IS NOT NULL",
    remove: Some(remove),
};

/// Removes incidents with their notes and links, as a [`Retention`] does. An alert that names one goes on naming it.
fn remove(conn: &mut Conn, tenant: &str, ids: &[String], most: usize) -> Result<usize> {
    let mut left = i64::try_from(most).unwrap_or(i64::MAX);
    for (gone, id) in ids.iter().enumerate() {
        use incident_notes::dsl;
        let own = dsl::incident_notes.filter(dsl::tenant_id.eq(tenant)).filter(dsl::incident_id.eq(id));
        let first: Vec<i64> = own.order(dsl::number).limit(left).select(dsl::number).load(conn)?;
        diesel::delete(own.filter(dsl::number.eq_any(&first))).execute(conn)?;
        left -= i64::try_from(first.len()).unwrap_or(left);
        if left <= 0 {
            return Ok(gone);
        }
        let links = incident_links::table
            .filter(incident_links::tenant_id.eq(tenant))
            .filter(incident_links::incident_id.eq(id));
        diesel::delete(links).execute(conn)?;
        diesel::delete(incidents::table.find((tenant, id))).execute(conn)?;
    }
    Ok(ids.len())
}

api::resource! {
    Row, "incident",
    find: |conn, tenants, id| db::one!(conn, incidents, tenants, id),
    lock: |incident, conn| db::Lock::of("incident", &incident.id).take(conn),
}

/// Has the tenant any incident?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, incidents, tenant))
}

/// A page of the incidents that meet a condition.
pub fn search(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    Ok(db::page!(conn, incidents::table.filter(condition), SORTS, sort, walk))
}

/// Stores a new incident.
pub fn insert(conn: &mut Conn, row: &Row, links: &[Link]) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(incidents::table).values(row).execute(conn)?;
    db::insert_rows!(conn, incident_links::table, links)
}

/// Stores the next version of an incident.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(incidents::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// Replaces the links of an incident of one kind.
pub fn link(conn: &mut Conn, row: &Row, kind: &str, links: &[Link]) -> Result<()> {
    use incident_links::dsl;
    let known = dsl::incident_links
        .filter(dsl::tenant_id.eq(&row.tenant_id))
        .filter(dsl::incident_id.eq(&row.id))
        .filter(dsl::kind.eq(kind));
    diesel::delete(known).execute(conn)?;
    db::insert_rows!(conn, incident_links::table, links)
}

/// Stores a note, whose number the incident counts already.
pub fn add_note(conn: &mut Conn, note: &Note) -> Result<()> {
    diesel::insert_into(incident_notes::table).values(note).execute(conn)?;
    Ok(())
}

/// The latest notes of an incident, latest first.
pub fn latest_notes(conn: &mut Conn, row: &Row, most: i64) -> Result<Vec<Note>> {
    use incident_notes::dsl;
    Ok(dsl::incident_notes
        .filter(dsl::tenant_id.eq(&row.tenant_id))
        .filter(dsl::incident_id.eq(&row.id))
        .order(dsl::number.desc())
        .limit(most)
        .load(conn)?)
}

/// A page of the notes of an incident.
pub fn notes(conn: &mut Conn, row: &Row, sort: Sort, walk: &PageRequest) -> Result<PageRows<Note>> {
    use incident_notes::dsl;
    let own = dsl::incident_notes
        .filter(dsl::tenant_id.eq(row.tenant_id.clone()))
        .filter(dsl::incident_id.eq(row.id.clone()));
    Ok(db::page!(conn, own, NOTE_SORTS, sort, walk))
}
