//! How a worker does what is due: tenant after tenant, each in a part of a transaction that fails alone.

use std::time::{Duration, Instant};

use base::{timestamp::Timestamp, turns::Turns};
use db::{Conn, Db, Result};

use crate::{Actor, Tx};

/// How many tenants have their turns in one transaction, and for how long others wait for that on SQLite.
const TENANTS: usize = 32;
const TIME: Duration = Duration::from_millis(20);

/// A worker that serves tenants in turn.
///
/// The database says which tenants have something due, the worker does a bounded part of the work of each, in a savepoint of its
/// own. A failure undoes the part of that tenant, is logged, and lets that tenant pause; the others go on.
#[derive(Debug)]
pub struct TenantTurns {
    worker: &'static str,
    turns: Turns,
}

/// How the turn of a tenant went: whether it has more that is due.
type Outcome = (String, Result<bool>);

impl TenantTurns {
    /// `worker` is its name in the log and in the audit log, such as `heartbeats`.
    pub fn new(worker: &'static str) -> Self {
        Self { worker, turns: Turns::default() }
    }

    /// Serves those of these tenants that do not pause, each once. `work` does a bounded part of what is due for one tenant and answers
    /// whether there is more. True when some tenant has more.
    ///
    /// # Errors
    /// When the database cannot be written at all. What fails for one tenant is no error here.
    pub fn serve<F>(&mut self, db: &Db, tenants: Vec<String>, now: Timestamp, work: F) -> Result<bool>
    where
        F: Fn(&mut Tx<'_>, &str) -> Result<bool> + Clone + Send + 'static,
    {
        let mut order = self.turns.order(tenants, now.millis());
        let mut more = false;
        while !order.is_empty() {
            let rest = order.split_off(order.len().min(TENANTS));
            let (mut part, actor, work) = (order, Actor::service(self.worker), work.clone());
            // In one order, so that two gateways do not wait for each other.
            part.sort_unstable();
            let batch = part.clone();
            let outcomes = db.write_here(move |conn| serve_part(conn, &actor, part, now, &work))?;
            order = batch.into_iter().skip(outcomes.len()).chain(rest).collect();
            for (tenant, outcome) in outcomes {
                match outcome {
                    Ok(has_more) => {
                        self.turns.succeed(&tenant);
                        more |= has_more;
                    }
                    Err(error) => {
                        let pause_ms = self.turns.fail(&tenant, now.millis());
                        tracing::warn!(%error, tenant, worker = self.worker, pause_ms, "the work of a tenant failed");
                    }
                }
            }
        }
        Ok(more)
    }
}

/// Serves tenants until the time is over, each in a savepoint; at least one.
fn serve_part(
    conn: &mut Conn,
    actor: &Actor,
    tenants: Vec<String>,
    now: Timestamp,
    work: &impl Fn(&mut Tx<'_>, &str) -> Result<bool>,
) -> Result<Vec<Outcome>> {
    let begun = Instant::now();
    let mut outcomes = Vec::with_capacity(tenants.len());
    for tenant in tenants {
        let outcome = db::savepoint(conn, |conn| Tx::run(conn, actor, now, |tx| work(tx, &tenant)));
        outcomes.push((tenant, outcome));
        if begun.elapsed() > TIME {
            break;
        }
    }
    Ok(outcomes)
}
