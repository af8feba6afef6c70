//! Partitions by month at the beginning of each round: those of the next months are made, those that are over go.

use std::sync::atomic::Ordering;

use base::timestamp::Timestamp;
use db::Partitioned;

use super::{Kind, Sweep};

impl Sweep {
    /// Makes and drops partitions. What fails, such as for a lock that somebody holds, is tried again in the next
    /// round: there are two months for it.
    pub(super) fn keep_partitions(&self, now: Timestamp) {
        for table in self.partitioned.iter().copied() {
            match self.db.make_partitions(table, now) {
                Ok(made) if made.is_empty() => {}
                Ok(made) => tracing::info!(partitions = made.join(" "), "made partitions of the months to come"),
                Err(error) => tracing::warn!(%error, table = table.table, "partitions are made later"),
            }
            if let Err(error) = self.drop_partitions(table, now) {
                tracing::warn!(%error, table = table.table, "partitions are dropped later");
            }
        }
    }

    fn drop_partitions(&self, table: &'static Partitioned, now: Timestamp) -> db::Result<()> {
        let kind = self.kinds.iter().find(|kind| kind.what.table == table.table);
        let keep_ms = kind.and_then(|kind| kind.kept.keep_ms());
        let expired = keep_ms.map(|keep_ms| Timestamp::from_millis(now.millis().saturating_sub(keep_ms)));
        for dropped in self.db.drop_partitions(table, now, expired)? {
            tracing::info!(
                partition = dropped.name,
                rows = dropped.rows,
                "dropped a partition of months that are over"
            );
            kind.map(|Kind { kept, .. }| kept.aged.fetch_add(dropped.rows, Ordering::Relaxed));
        }
        Ok(())
    }
}
