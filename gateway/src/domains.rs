//! The one list of what the server is made of.

use api::Domain;
use db::Migrations;

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
    ]
}

/// The tables of every domain.
pub fn migrations() -> Vec<Migrations> {
    std::iter::once(outbox::migrations()).chain(all().iter().map(|domain| domain.migrations)).collect()
}

/// The title of the whole document.
pub const TITLE: &str = "Muster: infrastructure operations";
