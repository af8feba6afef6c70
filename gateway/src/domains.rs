//! The one list of what the server is made of.

use api::Domain;
use db::{Migrations, Quota};
use outbox::Retention;

/// Every domain, in the order of the document. An eighth domain is a line here.
pub fn all() -> Vec<Domain> {
    vec![
        access::domain(),
        inventory::domain(),
        rosters::domain(),
        maintenance::domain(),
        incidents::domain(),
        kb::domain(),
        integrations::domain(),
        // One line each, in the order of the document.
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

/// How many rows of each kind a tenant may have.
pub fn quotas() -> Vec<&'static Quota> {
    all().iter().flat_map(|domain| domain.quotas.iter().copied()).collect()
}

/// The title of the whole document.
pub const TITLE: &str = "Muster: infrastructure operations";

#[cfg(test)]
mod tests {
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
            assert_eq!(quota.refused(), 1, "{}", quota.what());
        }
    }
}
