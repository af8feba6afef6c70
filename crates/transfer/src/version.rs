//! Whether a database has the tables of this program.

use anyhow::bail;
use db::DatabaseUrl;

use crate::Contents;

/// Refuses a database that is empty, of another program, or of another version of this one.
pub(crate) fn check(url: &DatabaseUrl, contents: &Contents) -> anyhow::Result<()> {
    let shown = url.without_password();
    let found = db::inspect(url, 1, &contents.migrations)?;
    if found.is_empty {
        // With tables of another program there is a fault or a warning that names them.
        match found.faults.iter().chain(&found.warnings).next() {
            Some(why) => bail!("{shown} is not a database of Muster: {why}"),
            None => bail!("{shown} is empty"),
        }
    }
    let state = db::migration_state(url, &contents.migrations)?;
    if let Some(newer) = state.newer {
        bail!("{shown}: {newer}");
    }
    if !state.pending.is_empty() {
        bail!("the tables of {shown} are of an older version: start the service with this version on it first");
    }
    Ok(())
}
