//! The one list of what the server is made of.

use std::sync::Arc;

use access::Directory;
use api::{Domain, Restorers, spec};
use db::{DueRows, Migrations, Partitioned, Quota};
use maintenance::Windows;
use outbox::Retention;
use ports::Notices;
use serde_json::Value;

/// Every domain, in the order of the document. Another one is a line here.
pub fn all() -> Vec<Domain> {
    vec![
        access::domain(),
        inventory::domain(),
        rosters::domain(),
        maintenance::domain(),
        incidents::domain(),
        kb::domain(),
        integrations::domain(),
        jobs::domain(),
        paging::domain(),
        changes::domain(),
    ]
}

/// The tables of every domain.
pub fn migrations() -> Vec<Migrations> {
    std::iter::once(outbox::migrations()).chain(all().iter().map(|domain| domain.migrations)).collect()
}

/// The rows that are not kept for ever, in the order in which they are looked at.
pub fn retention() -> Vec<Retention> {
    let domains = all();
    outbox::RETENTION.into_iter().chain(domains.iter().flat_map(|domain| domain.retention.iter().copied())).collect()
}

/// The tables that Postgres keeps in partitions by month.
pub fn partitioned() -> Vec<&'static Partitioned> {
    migrations().iter().flat_map(|domain| domain.partitioned).collect()
}

/// The work that waits for workers in the background, by what they are called.
pub fn due() -> Vec<(&'static str, DueRows)> {
    let pages = paging::DUE.map(|rows| ("pages", rows));
    [("outbox", outbox::DUE), ("deliveries", integrations::DUE)].into_iter().chain(pages).collect()
}

/// What moves to another database.
pub fn contents() -> transfer::Contents {
    let caches = vec![inventory::CHANGE_LOG, incidents::PACKED_DAYS, paging::PAGE_KEYS, db::GATEWAYS];
    transfer::Contents { migrations: migrations(), words: vec![kb::WORDS], caches }
}

/// How many rows of each kind a tenant may have.
pub fn quotas() -> Vec<&'static Quota> {
    all().iter().flat_map(|domain| domain.quotas.iter().copied()).collect()
}

/// Whom those ask who restore objects, and what they forget afterwards.
pub struct RestorerNeighbours<'n> {
    /// Who knows the callers.
    pub authenticator: Arc<access::Authenticator>,
    /// The pings of heartbeats that were heard.
    pub pings: Arc<incidents::Pings>,
    /// What integrations need.
    pub services: Arc<integrations::Services>,
    /// The maintenance windows.
    pub windows: &'n Windows,
    /// Who takes in what jobs notice.
    pub notices: Arc<dyn Notices>,
    /// Whom incidents ask.
    pub incidents: incidents::Neighbours,
    /// Whom paging asks.
    pub paging: paging::Neighbours,
}

/// What restores the objects of each domain when a change set is undone. A domain that has something to restore is a
/// line here.
pub fn restorers(neighbours: RestorerNeighbours<'_>) -> Restorers {
    let RestorerNeighbours { authenticator, pings, services, windows, notices, incidents, paging } = neighbours;
    let all = [
        access::restorers(authenticator),
        inventory::restorers(),
        rosters::restorers(Arc::new(Directory)),
        maintenance::restorers(windows),
        incidents::restorers(incidents, pings),
        kb::restorers(),
        jobs::restorers(Arc::new(Directory), Arc::new(inventory::Machines), notices),
        integrations::restorers(services),
        paging::restorers(paging),
    ];
    Restorers::new(all.into_iter().flatten().collect())
}

/// The document of the interface, as it is published.
pub fn document() -> anyhow::Result<Value> {
    Ok(spec::published(&spec::document(TITLE, &all()))?)
}

/// The title of the whole document.
pub const TITLE: &str = "Muster: infrastructure operations";

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use api::Extras;
    use db::{DatabaseUrl, Db, Options};

    use super::*;

    #[test]
    fn what_a_domain_says_of_its_rows_fits_its_tables() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&migrations()).unwrap();
        outbox::retention::sweep(&db, &retention(), |_| 1, api::clock::now()).unwrap();
        for quota in quotas() {
            db.write_here(|conn| quota.admit(conn, "client_1", 1)).unwrap();
            db.write_here(|conn| quota.admit(conn, "client_1", usize::MAX)).unwrap_err();
            assert_eq!(quota.refused(), 1, "{}", quota.name());
        }
    }

    #[test]
    fn a_domain_that_was_not_given_what_it_needs_is_not_served() {
        let lacking = |domain: &&Domain| !Extras::default().missing(domain).is_empty();
        let needs = |domain: &&Domain| !domain.needs.is_empty();
        assert_eq!(all().iter().filter(lacking).count(), all().iter().filter(needs).count());
        let (tell, told) = mpsc::channel();
        thread::spawn(move || tell.send(api::harness::serve(kb::domain(), |_| Ok(()))));
        let error = told.recv_timeout(Duration::from_secs(60)).expect("it serves").unwrap_err().to_string();
        assert!(error.contains("domain kb need dyn ports::") && error.contains("`kb::extras`"), "{error}");
    }
}
