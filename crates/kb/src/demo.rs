//! A few categories and articles, for `--demo`.

use base::{problem::Problem, tenant::TenantId, timestamp::Timestamp};
use db::{Db, Result};
use outbox::{Actor, Tx};

use crate::{
    articles,
    categories::{
        self,
        wire::{CategoryReference, NewCategory},
    },
    state,
};

/// A category, the one above it, and what it is about.
const CATEGORIES: [(&str, &str, &str); 5] = [
    ("Network", "", "Everything between two machines"),
    ("Wireless", "Network", "Access points and their controllers"),
    ("VPN", "Network", "Tunnels to the branch offices"),
    ("Servers", "", "Physical and virtual machines"),
    ("Backup", "Servers", "What is saved, where, and how to get it back"),
];

/// A category, a title, and Markdown.
const ARTICLES: [(&str, &str, &str); 5] = [
    (
        "Wireless",
        "An access point does not answer",
        "1. Look at the **LED**: amber is *no uplink*, off is *no power*.\n2. Check the port of the switch.\n3. Only \
         then \
         reset it; the configuration comes back from the controller within five minutes.\n",
    ),
    (
        "VPN",
        "The tunnel to Austin is up, but nothing comes through",
        "The provider changes the MTU at times. Try `ping -M do -s 1372`; when that fails, lower the MTU of the tunnel \
         to **1400**.\n",
    ),
    (
        "Servers",
        "A disk is nearly full",
        "Find what grew:\n\n```sh\ndu -xh / | sort -h | tail\n```\n\nLogs are rotated daily. A core file in \
         `/var/crash` \
         belongs to an incident before it is deleted.\n",
    ),
    (
        "Backup",
        "Restore a single file",
        "Every machine is saved at 02:00. Restores go to `/restore` on the same machine, never over the original.\n",
    ),
    (
        "Backup",
        "A backup was missed",
        "A run is missed when the machine was away. It catches up by itself; two in a row are an incident of priority \
         **High**.\n",
    ),
];

/// Adds them to a tenant that has no category, by the first of `people`; without one nothing happens. Says whether it
/// did anything.
pub fn fill(db: &Db, tenant: &TenantId, people: &[String], now: Timestamp) -> Result<bool> {
    let Some(author) = people.first().cloned() else { return Ok(false) };
    let tenant = tenant.to_string();
    let actor = Actor::without_change_set(author.clone(), "demo", "");
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| fill_empty(tx, &tenant, &author)))
}

fn fill_empty(tx: &mut Tx<'_>, tenant: &str, author: &str) -> Result<bool> {
    crate::lock(tenant).take(tx.conn)?;
    if categories::store::any(tx.conn, tenant)? {
        return Ok(false);
    }
    let now = tx.now;
    let mut made: Vec<categories::row::Category> = Vec::new();
    for (name, above, description) in CATEGORIES {
        let new = NewCategory {
            name: name.to_owned(),
            description: description.to_owned(),
            parent: None,
            state: state::ACTIVE,
        };
        let above = made.iter().find(|category| category.name == above);
        let number = categories::store::next_number(tx.conn, tenant)?;
        let row = categories::rules::new_row(tenant, new, above, number, author, now)?;
        categories::store::insert(tx.conn, &row)?;
        tx.record_change(None, Some(&row))?;
        made.push(row);
    }
    for (category, title, content) in ARTICLES {
        let category = made.iter().find(|known| known.name == category).ok_or_else(|| Problem::internal())?;
        let new = articles::wire::NewArticle {
            title: title.to_owned(),
            content: content.to_owned(),
            category: CategoryReference { id: category.id.clone() },
            state: state::ACTIVE,
        };
        let number = articles::store::next_number(tx.conn, tenant)?;
        let row = articles::rules::new_row(tenant, &new, number, author, now);
        articles::store::insert(tx.conn, &row, content)?;
        tx.record_change(None, Some(&row))?;
    }
    Ok(true)
}
