//! `muster migrate`.

use anyhow::bail;

use super::print;
use crate::{command_line::Migrate, domains};

/// Brings the tables up to date, or says what that would be.
pub fn migrate(arguments: &Migrate) -> anyhow::Result<()> {
    let Migrate { storage, plan, status } = arguments;
    if !plan && !status {
        return storage.open().map(drop);
    }
    storage.exists()?;
    let url = storage.url();
    let state = db::migration_state(&url, &domains::migrations())?;
    if *status {
        print(&state.status_text())?;
    }
    if let Some(newer) = &state.newer {
        bail!("{}: {newer}", url.without_password());
    }
    if *plan { print(&state.plan_text(url.backend())) } else { Ok(()) }
}
