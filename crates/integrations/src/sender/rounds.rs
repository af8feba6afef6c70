//! Rounds over the due queues: as many of each tenant, and where a tenant has more, the next ones in the next round.

use std::collections::HashMap;

use base::{
    timestamp::Timestamp,
    turns::{self, Turns},
};
use db::{Conn, Result};

use crate::delivery::queue::{self, Lane};

/// How many queues of a tenant a look takes in at least.
const EACH: usize = 8;

/// A queue, and since when it is due.
type Due = (Lane, i64);

/// The progress of the rounds.
#[derive(Default)]
pub struct Rounds {
    turns: Turns,
    /// The last queue that was looked at of each tenant that has more.
    reached: HashMap<String, Due>,
}

impl Rounds {
    /// Some `most` queues in which something is due: one of each tenant, and then the next of each, the longest overdue
    /// first.
    pub fn find(&mut self, conn: &mut Conn, now: Timestamp, most: usize) -> Result<Vec<Due>> {
        let tenants = queue::LANES.tenants(conn, now.millis())?;
        self.reached.retain(|tenant, _| tenants.contains(tenant));
        let mut tenants = self.turns.order(tenants, now.millis());
        tenants.truncate(most);
        let each = (most / tenants.len().max(1)).max(EACH);
        let mut due = Vec::new();
        for tenant in &tenants {
            let reached = self.reached.remove(tenant);
            let mut found = queue::due(conn, tenant, now, reached.as_ref(), each)?;
            if found.is_empty() && reached.is_some() {
                found = queue::due(conn, tenant, now, None, each)?;
            }
            if found.len() == each
                && let Some(last) = found.last()
            {
                self.reached.insert(tenant.clone(), last.clone());
            }
            due.extend(found);
        }
        if let Some(last) = tenants.last() {
            self.turns.succeed(last);
        }
        Ok(turns::interleave(due, |(lane, _)| lane.0.clone(), |(lane, _)| lane.1.clone()))
    }
}

#[cfg(test)]
mod tests {
    use db::{DatabaseUrl, Db, Options};
    use diesel::connection::SimpleConnection as _;

    use super::*;

    #[test]
    fn the_queues_of_one_tenant_hide_none_of_another() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| {
            let lanes: String = (0..600)
                .map(|number| {
                    format!(
                        "INSERT INTO integration_lanes VALUES ('greedy', 'E{number:03}', {number}, \
                                       NULL);"
                    )
                })
                .collect();
            let good = "INSERT INTO integration_lanes VALUES ('good', 'E', 9000, NULL), ('idle', 'E', \
                        9000000000000000, NULL);";
            let table = "CREATE TABLE integration_lanes (tenant_id TEXT, event_id TEXT, due_ms BIGINT, \
                         failing_since_ms BIGINT);";
            Ok(conn.batch_execute(&format!("{table}{lanes}{good}"))?)
        })
        .unwrap();
        let mut rounds = Rounds::default();
        let mut find = || {
            let found = db.read_here(|conn| rounds.find(conn, Timestamp::from_millis(10_000), 500)).unwrap();
            found.into_iter().map(|((tenant, event), _)| format!("{tenant} {event}")).collect::<Vec<_>>()
        };
        let looks: Vec<Vec<String>> = (0..4).map(|_| find()).collect();
        for look in &looks {
            assert!(look.iter().take(2).any(|lane| lane == "good E"), "{:?}", look.first());
            assert!(look.len() <= 251, "{}", look.len());
        }
        let all: std::collections::BTreeSet<&String> = looks[..3].iter().flatten().collect();
        assert_eq!(all.len(), 601, "the next look goes on where the last one ended");
        assert_eq!(looks[3], looks[0], "and begins again in the end");
    }
}
