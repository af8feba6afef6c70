//! The storing of rows as resources: known ones are updated, others created, by the rules of the single operations.

use base::{
    problem::{FieldError, Problem},
    query_string::Term,
    text::fold,
};
use db::{Condition, Conn, Error, Result};
use outbox::Tx;

use super::{
    row::{Entry, Row},
    wire::{BulkResult, CREATED, UNCHANGED, UPDATED},
};
use crate::{
    model::{
        document::{Document, Resource, STATES, Tag},
        row,
    },
    reports::identity::{IdentityKey, are_told_apart},
    resources::{
        changes, filter, http, identities,
        input::{LocationReference, MOST_TAGS, too_many_tags},
        lock, rules, store,
    },
    sites,
};

/// Where rows are stored.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The tenant of all rows.
    pub tenant: String,
    /// Its partner, whose groups may take resources in.
    pub partner: String,
}

/// Carries out rows in one transaction. A row that is refused leaves nothing behind, and the others are stored.
///
/// Bulk requests of one tenant take turns, so that of two that bring the same machine the second finds it.
pub fn apply(tx: &mut Tx<'_>, destination: &Destination, rows: &[Row]) -> Result<Vec<BulkResult>> {
    apply_until(tx, destination, rows, || false)
}

/// As [`apply`], but stops after a row when `is_enough` says so.
pub fn apply_until(
    tx: &mut Tx<'_>,
    destination: &Destination,
    rows: &[Row],
    is_enough: impl Fn() -> bool,
) -> Result<Vec<BulkResult>> {
    lock::lock_many(tx.conn, &destination.tenant)?;
    share_sites(tx.conn, destination, rows)?;
    let mut results = Vec::with_capacity(rows.len());
    let mut together = TOGETHER;
    let mut enough = false;
    while let Some(rest) = rows.get(results.len()..).filter(|rest| !enough && !rest.is_empty()) {
        let some = rest.get(..together).unwrap_or(rest);
        if let [row] = some {
            results.push(apply_one(tx, destination, row)?);
            enough = is_enough();
            continue;
        }
        match tx.attempt(|tx| apply_together(tx, destination, some, &is_enough)) {
            Ok(done) => {
                enough = done.len() < some.len() || is_enough();
                results.extend(done);
            }
            // Where one is refused, others often are.
            Err(Error::Problem(_) | Error::Taken(_)) => together = 1,
            Err(error) => return Err(error),
        }
    }
    Ok(results)
}

/// Shares the sites that rows name before any row is stored: a change of a site waits for rows of resources there.
fn share_sites(conn: &mut Conn, destination: &Destination, rows: &[Row]) -> Result<()> {
    let entries = rows.iter().filter_map(|row| row.entry.as_ref().ok());
    let mut named: Vec<&LocationReference> = entries.filter_map(|entry| entry.input.location.as_ref()).collect();
    named.sort_unstable();
    named.dedup();
    for LocationReference { id, name } in named {
        sites::store::resolve(conn, &destination.tenant, *id, name.as_deref())?;
    }
    Ok(())
}

/// How many rows are undone together when one of them is refused, and then carried out one by one. To be able to undo
/// costs for each page that is changed, and rows that follow each other change the same ones.
const TOGETHER: usize = 64;

/// Carries out rows, until it is enough, unless one of them is refused.
fn apply_together(
    tx: &mut Tx<'_>,
    destination: &Destination,
    rows: &[Row],
    is_enough: impl Fn() -> bool,
) -> Result<Vec<BulkResult>> {
    let mut results = Vec::with_capacity(rows.len());
    for row in rows {
        results.push(match &row.entry {
            Ok(entry) => row_result(row, upsert(tx, destination, entry)?),
            Err(errors) => BulkResult::error(row.line, errors.clone()),
        });
        if results.len() < rows.len() && is_enough() {
            break;
        }
    }
    Ok(results)
}

fn apply_one(tx: &mut Tx<'_>, destination: &Destination, row: &Row) -> Result<BulkResult> {
    let entry = match &row.entry {
        Ok(entry) => entry,
        Err(errors) => return Ok(BulkResult::error(row.line, errors.clone())),
    };
    let mut done = tx.attempt(|tx| upsert(tx, destination, entry));
    if matches!(done, Err(Error::Taken(_))) {
        // A single request or an agent made the same machine meanwhile: now it is known.
        done = tx.attempt(|tx| upsert(tx, destination, entry));
    }
    match done {
        Ok(done) => Ok(row_result(row, done)),
        Err(Error::Problem(problem)) => Ok(BulkResult::error(row.line, errors_of(problem))),
        Err(error @ Error::Taken(_)) => Ok(BulkResult::error(row.line, errors_of(error.into_problem()))),
        Err(error) => Err(error),
    }
}

fn row_result(row: &Row, (result, id): (&'static str, String)) -> BulkResult {
    BulkResult { line: row.line, result, id: Some(id), errors: Vec::new() }
}

fn errors_of(problem: Problem) -> Vec<FieldError> {
    if !problem.errors.is_empty() {
        return problem.errors;
    }
    vec![FieldError { code: problem.kind.code(), field_name: "row".to_owned(), message: problem.detail }]
}

fn upsert(tx: &mut Tx<'_>, destination: &Destination, entry: &Entry) -> Result<(&'static str, String)> {
    let (document, keys) = document_and_keys(entry);
    let Some(id) = find_resource(tx.conn, destination, entry, &document, &keys)? else {
        let mut input = entry.input.clone();
        input.tags = input.tags.or_else(|| Some(entry.tags.clone()));
        input.resource_type = input.resource_type.or_else(|| entry.type_if_new.map(str::to_owned));
        if entry.no_source_if_new {
            input.texts.push(("source", String::new()));
        }
        let resource = http::create_known_by(tx, &destination.partner, &destination.tenant, &input, &keys)?;
        return Ok((CREATED, resource.id));
    };
    lock::lock_resource(tx.conn, &id)?;
    let row = store::find_current(tx.conn, std::slice::from_ref(&destination.tenant), &id)?;
    let row = row.ok_or_else(|| unknown(&id))?;
    let before = row.clone().into_resource()?;
    let mut input = entry.input.clone();
    if !entry.tags.is_empty() {
        let tags = with_tags(&before.document.tags, &entry.tags);
        if tags.len() > MOST_TAGS.max(before.document.tags.len()) {
            return Err(Problem::field("tags", too_many_tags()).into());
        }
        input.tags = Some(tags);
    }
    let after = http::next_version(tx.conn, &input, &before, tx.now)?;
    if is_same(&before, &after) {
        return Ok((UNCHANGED, id));
    }
    store::update(tx.conn, &destination.partner, &row, &after)?;
    changes::record_change(tx, Some(&before), Some(&after))?;
    Ok((UPDATED, id))
}

fn unknown(id: &str) -> Problem {
    let problem = rules::no_resource(id);
    let error = FieldError { code: problem.kind.code(), field_name: "id".to_owned(), message: problem.detail.clone() };
    Problem { errors: vec![error], ..problem }
}

/// The tags of a resource after setting some.
fn with_tags(known: &[Tag], set: &[Tag]) -> Vec<Tag> {
    let mut tags = known.to_vec();
    for tag in set {
        match tags.iter_mut().find(|known| fold(&known.name) == fold(&tag.name)) {
            Some(known) if known.value == tag.value => {}
            Some(known) => *known = Tag { name: known.name.clone(), ..tag.clone() },
            None => tags.push(tag.clone()),
        }
    }
    tags
}

/// Do two versions differ in nothing but their number and time?
fn is_same(before: &Resource, after: &Resource) -> bool {
    *before == Resource { version: before.version, updated: before.updated, ..after.clone() }
}

/// The document of a row, and its identity keys.
fn document_and_keys(entry: &Entry) -> (Document, Vec<IdentityKey>) {
    let mut document = Document::default();
    entry.input.apply(&mut document);
    let keys = rules::identities_in(&document);
    (document, keys)
}

/// The resource of a row: by its id; else by its identity keys; else by its id in another system; else, without any of
/// these, by its names and its address.
fn find_resource(
    conn: &mut Conn,
    destination: &Destination,
    entry: &Entry,
    document: &Document,
    keys: &[IdentityKey],
) -> Result<Option<String>> {
    if let Some(id) = &entry.id {
        return Ok(Some(id.clone()));
    }
    if let Some(known) = identities::find(conn, &destination.tenant, keys, document.text("hostName"))? {
        return Ok(Some(known.id));
    }
    let mine = filter::tenants(std::slice::from_ref(&destination.tenant));
    let here = Condition::all([mine, filter::states(STATES)]);
    let external = document.text("extResourceId");
    if !external.is_empty() {
        if store::is_taken(conn, &destination.tenant, "extResourceId", external)? == Some(false) {
            return Ok(None);
        }
        let same = Condition::sql("resources.ext_key = ").text(fold(external));
        let mut found = store::find_some(conn, &Condition::all([here, same]), MOST_ALIKE)?;
        let mut alike = Vec::new();
        for row in found.drain(..) {
            // Another system may have counted two machines as one; their own signs know better.
            if !are_told_apart(&identities::keys_of(conn, &destination.tenant, &row.id)?, keys) {
                alike.push(row);
            }
        }
        return only_match(alike, "this extResourceId", |_| false);
    }
    if !keys.is_empty() {
        return Ok(None);
    }
    let (given, missing): (Vec<_>, Vec<_>) = rules::NAMES.into_iter().partition(|name| has_text(document, name));
    if given.is_empty() {
        return Ok(None);
    }
    // Most rows mean something new, which one name tells.
    for name in &given {
        if store::is_taken(conn, &destination.tenant, name, document.text(name))? == Some(false) {
            return Ok(None);
        }
    }
    let kind = Condition::sql("resources.type = ").text(entry.input.kind_hint().unwrap_or("DEVICE"));
    let others = given.iter().filter(|name| **name != "name");
    let mut terms: Vec<Term> = others.map(|name| term(name, document.text(name))).collect();
    terms.push(term("isEquals", "true"));
    let mut all = vec![here, kind, filter::condition(conn, std::slice::from_ref(&destination.tenant), &terms)?];
    if given.contains(&"name") {
        all.push(Condition::sql("resources.name_key = ").text(fold(document.text("name"))));
    }
    let found = store::find_some(conn, &Condition::all(all), MOST_ALIKE)?;
    // Of several, the one that has these names and no others.
    only_match(found, "these names", |document| !missing.iter().any(|name| has_text(document, name)))
}

/// Is a name there that anything is called by? One of blanks alone is none.
fn has_text(document: &Document, name: &str) -> bool {
    !document.text(name).trim().is_empty()
}

/// The most resources that are compared to find that of a row.
const MOST_ALIKE: i64 = 100;

fn term(name: &'static str, value: &str) -> Term {
    Term { name, value: value.to_owned(), values: vec![value.to_owned()] }
}

/// The only row, or else the only one for which `just` holds.
fn only_match(mut found: Vec<row::Row>, by: &str, just: impl Fn(&Document) -> bool) -> Result<Option<String>> {
    if found.len() > 1 {
        let count = found.len();
        let mut exact = Vec::new();
        for row in found {
            let resource = row.clone().into_resource()?;
            if just(&resource.document) {
                exact.push(row);
            }
        }
        if exact.len() != 1 {
            let many = if count as i64 == MOST_ALIKE { format!("{count} or more") } else { count.to_string() };
            let detail = format!("{many} resources have {by}: say by id which one is meant.");
            return Err(Problem::conflict(detail).into());
        }
        found = exact;
    }
    Ok(found.pop().map(|row| row.id))
}

#[cfg(test)]
mod tests;
