//! All secrets of this domain sealed under the key in use, after a rotation of keys.

use std::sync::Arc;

use db::{Db, Result};
use ports::Seals;

use crate::configuration::methods::store;

/// Rows of one write.
const AT_ONCE: i64 = 200;

/// Seals what is sealed under a former key anew, while gateways run; answers how many rows hold secrets, and how many
/// of them were sealed anew.
///
/// # Errors
/// A secret does not open: its key is not among those given.
pub fn reseal(db: &Db, seals: &Arc<dyn Seals>) -> Result<(usize, usize)> {
    let mut rows = 0;
    let mut anew = 0;
    let mut behind = (String::new(), String::new());
    loop {
        let seals = Arc::clone(seals);
        let from = behind.clone();
        let part = db.write_here(move |conn| {
            let mut changed = 0;
            let some = store::sealed(conn, &from, AT_ONCE)?;
            for row in &some {
                store::lock(&row.tenant_id, &row.user_id).take(conn)?;
                let Some(mut row) = store::find(conn, &row.tenant_id, &row.id)? else { continue };
                if row.reseal(&*seals)? {
                    store::update(conn, &row)?;
                    changed += 1;
                }
            }
            Ok((some.len(), changed, some.last().map(|row| (row.tenant_id.clone(), row.id.clone()))))
        })?;
        rows += part.0;
        anew += part.1;
        let Some(last) = part.2 else { return Ok((rows, anew)) };
        behind = last;
    }
}

/// Are there any secrets at all?
pub fn any_secrets(db: &Db) -> Result<bool> {
    let first = (String::new(), String::new());
    Ok(!db.read_here(|conn| store::sealed(conn, &first, 1))?.is_empty())
}
