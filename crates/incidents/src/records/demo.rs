//! Categories and incidents of the demo company, for `--demo`.

use base::{problem::Problem, tenant::TenantId, timestamp::Timestamp};
use db::{Db, Result};
use outbox::{Actor, Tx};

use crate::{
    categories,
    neighbours::Neighbours,
    records::{
        document, row,
        rules::{self, ResolvedReferences},
        store,
        wire::IncidentInput,
    },
};

/// A category and what stands below it.
const CATEGORIES: [(&str, [&str; 2]); 3] = [
    ("Network", ["Wireless", "VPN"]),
    ("Servers", ["Storage", "Operating system"]),
    ("Applications", ["Shop", "Mail"]),
];

/// Hours ago, subject, priority, status, category, sub category, note.
type DemoIncident = (i64, &'static str, i64, i64, &'static str, &'static str, &'static str);

const INCIDENTS: [DemoIncident; 5] = [
    (50, "The tunnel to Austin drops every few minutes", 2, 4, "Network", "VPN", "The provider replaced a line card."),
    (26, "db-01 runs out of space", 3, 1, "Servers", "Storage", "Grew by 40 GB since the last release."),
    (
        9,
        "Mail to one partner is late",
        1,
        2,
        "Applications",
        "Mail",
        "Their filter holds it back; waiting for an answer.",
    ),
    (3, "Checkout answers 502 at times", 4, 1, "Applications", "Shop", "Only web-02, and only under load."),
    (1, "No wireless in the meeting room", 0, 0, "Network", "Wireless", ""),
];

/// Adds them to a tenant that has none, by some of `people`. Says whether it did anything.
pub fn fill(db: &Db, tenant: &TenantId, people: &[String], neighbours: &Neighbours, now: Timestamp) -> Result<bool> {
    let tenant = tenant.to_string();
    let people = people.to_vec();
    let neighbours = neighbours.clone();
    let actor = Actor::without_change_set("", "demo", "");
    db.write_here(move |conn| {
        let Some(author) = people.first() else { return Ok(false) };
        if store::any(conn, &tenant)? {
            return Ok(false);
        }
        let filed = Tx::run(conn, &actor, now, |tx| fill_categories(tx, &tenant, author))?;
        for (told, assignee) in INCIDENTS.into_iter().zip(people.iter().cycle()) {
            // Opened when it happened, so that lists have something to sort.
            let then = Timestamp::from_millis(now.millis() - told.0 * 3_600_000);
            Tx::run(conn, &actor, then, |tx| open(tx, &neighbours, &tenant, &filed, told, (author, assignee)))?;
        }
        Ok(true)
    })
}

type Categories = Vec<categories::row::Category>;

fn fill_categories(tx: &mut Tx<'_>, tenant: &str, author: &str) -> Result<Categories> {
    categories::store::lock_of_tree(tenant).take(tx.conn)?;
    let mut made = Vec::new();
    for (name, below) in CATEGORIES {
        let add = |tx: &mut Tx<'_>, name: &str, parent: Option<&categories::row::Category>| {
            let id = uuid::Uuid::new_v4().to_string();
            let row = categories::rules::new_row(tenant, name.to_owned(), parent, &id, author, tx.now)?;
            let above = parent.map_or("", |parent| parent.id.as_str());
            categories::store::insert(tx.conn, tenant, above, std::slice::from_ref(&row))?;
            tx.record_change(None, Some(&row))?;
            Ok::<_, db::Error>(row)
        };
        let parent = add(tx, name, None)?;
        for name in below {
            made.push(add(tx, name, Some(&parent))?);
        }
        made.push(parent);
    }
    Ok(made)
}

fn open(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    tenant: &str,
    filed: &Categories,
    (_, subject, priority, status, category, sub, note): DemoIncident,
    (author, assignee): (&str, &str),
) -> Result<()> {
    let id = |name: &str| {
        let found = filed.iter().find(|category| category.name == name);
        found.map(|category| category.id.clone()).ok_or_else(|| Problem::internal())
    };
    let input = IncidentInput {
        subject: Some(subject.to_owned()),
        priority: Some(priority),
        status: Some(status),
        category: Some(id(category)?),
        sub_category: Some(id(sub)?),
        note: (!note.is_empty()).then(|| note.to_owned()),
        ..IncidentInput::default()
    };
    let references =
        ResolvedReferences { assignee: (status > 0).then(|| assignee.to_owned()), ..ResolvedReferences::default() };
    let number = store::next_number(tx.conn, tenant)?;
    let row = rules::new_row(tenant, &input, &references, number, author, tx.now);
    store::insert(tx.conn, &row, &[])?;
    if let Some(content) = input.note {
        let note = row::Note {
            tenant_id: row.tenant_id.clone(),
            incident_id: row.id.clone(),
            number: row.notes,
            content,
            created_by: assignee.to_owned(),
            created_ms: row.created_ms,
        };
        store::add_note(tx.conn, &note)?;
    }
    let after = document::load(tx.conn, neighbours, &row)?;
    document::record_change(tx, &row, None, after);
    Ok(())
}
