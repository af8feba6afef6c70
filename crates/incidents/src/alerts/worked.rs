//! How long people worked on alerts, for other domains.

use std::collections::HashMap;

use base::timestamp::Timestamp;
use db::{Condition, Conn, Result, SqlQuery};
use diesel::sql_types::{BigInt, Nullable, Text};
use ports::WorkedTimes;

/// Answers [`WorkedTimes`] from the alerts that are stored.
pub struct AcknowledgedAlerts;

/// Who acknowledged an alert first, when, and when it was closed.
type AcknowledgedRow = (String, i64, Option<i64>);

impl WorkedTimes for AcknowledgedAlerts {
    fn worked(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        (from, to): (Timestamp, Timestamp),
        now: Timestamp,
    ) -> Result<HashMap<String, u64>> {
        let text = Condition::sql(
            "SELECT alerts.acknowledged_by, alerts.acknowledged_ms, alerts.closed_ms FROM alerts WHERE ",
        );
        let text = text.append(Condition::text_in("alerts.tenant_id IN", tenants));
        let text = text.then(" AND alerts.acknowledged_by IS NOT NULL AND alerts.acknowledged_ms < ");
        let text = text.integer(to.millis()).then(" AND (alerts.closed_ms IS NULL OR alerts.closed_ms > ");
        let text = text.integer(from.millis()).then(") ORDER BY 1, 2");
        let mut worked = WorkedTime::new((from.millis(), to.millis().min(now.millis())));
        let each = |(user, acknowledged_ms, closed_ms): AcknowledgedRow| {
            worked.add(user, acknowledged_ms, closed_ms);
            Ok::<_, db::Error>(())
        };
        db::for_each_row(conn, SqlQuery::<(Text, BigInt, Nullable<BigInt>)>::of(text), each)?;
        Ok(worked.sums)
    }
}

/// Sums of times that come by person and by when they begin.
struct WorkedTime {
    range: (i64, i64),
    sums: HashMap<String, u64>,
    /// Until when the times of this person are counted.
    counted: (String, i64),
}

impl WorkedTime {
    fn new(range: (i64, i64)) -> Self {
        Self { range, sums: HashMap::new(), counted: (String::new(), range.0) }
    }

    fn add(&mut self, user: String, begin_ms: i64, end_ms: Option<i64>) {
        let (from, to) = self.range;
        if self.counted.0 != user {
            self.counted = (user, from);
        }
        let (user, counted) = &mut self.counted;
        let begin = begin_ms.max(*counted);
        let end = end_ms.unwrap_or(to).min(to);
        if begin < end {
            let more = u64::try_from(end - begin).unwrap_or_default();
            match self.sums.get_mut(user.as_str()) {
                Some(sum) => *sum += more,
                None => drop(self.sums.insert(user.clone(), more)),
            }
            *counted = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let mut worked = WorkedTime::new((100, 200));
        let times = [
            ("a", 50, Some(120)),
            ("a", 110, Some(130)),
            ("a", 115, Some(118)),
            ("a", 190, None),
            ("b", 150, Some(160)),
        ];
        for (user, begin, end) in times {
            worked.add(user.to_owned(), begin, end);
        }
        worked.add("c".to_owned(), 250, Some(260));
        assert_eq!(worked.sums, HashMap::from([("a".to_owned(), 40), ("b".to_owned(), 10)]));
    }
}
