//! A step whose pages have all failed for good reached nobody: the next one does not wait.

use std::collections::BTreeSet;

use base::timestamp::Timestamp;
use db::{Conn, Result};

use super::{rules::State, store};
use crate::delivery::{
    pages::{
        queue::ClaimedPage,
        store::{self as pages, PENDING, SENT, SUMMARISED},
    },
    sender::Escalations,
};

/// What the sender of pages asks.
pub const ESCALATIONS: Escalations = Escalations { lock, after_failures };

fn lock(conn: &mut Conn, failed: &[&ClaimedPage]) -> Result<()> {
    let alerts: BTreeSet<(&str, &str)> = failed.iter().map(|page| (&*page.tenant_id, &*page.alert_id)).collect();
    if alerts.is_empty() { Ok(()) } else { store::lock_all(conn, &alerts) }
}

/// Makes the next steps due at once where these pages have failed, and nothing else of their steps reaches anybody.
fn after_failures(conn: &mut Conn, failed: &[&ClaimedPage], now: Timestamp) -> Result<()> {
    let steps: BTreeSet<(&str, &str, i64, i64)> =
        failed.iter().map(|page| (&*page.tenant_id, &*page.alert_id, page.round, page.step)).collect();
    for (tenant, alert, round, step) in steps {
        let Some(row) = store::find(conn, tenant, alert)? else { continue };
        let next: Option<State> = row.state().reached_nobody(&row.policy.plan(), (round, step), now.millis());
        let Some(next) = next else { continue };
        let decided = pages::of_step(conn, tenant, alert, (round, step))?;
        let reaches = |(status, user, method): &(String, String, String)| {
            // The gap without a person and a target is the one that is told below.
            [PENDING, SENT, SUMMARISED].contains(&status.as_str()) || (user.is_empty() && method.is_empty())
        };
        if decided.iter().any(reaches) {
            continue;
        }
        let gap = row.gap(round, step, "", "", "none of its pages could be sent", now);
        pages::insert(conn, &[gap])?;
        store::update(conn, &row.with(next, now.millis()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        configuration::policies::wire::{Document, Step},
        delivery::pages::store::{FAILED, GAP, STOPPED},
        escalation::{correlation::Correlation, engine, rules::Stage},
        fakes::{TENANT, database, method},
    };

    const ALERT: &str = "ALT-1";

    /// When the next step of an alert is due at the instant 1,000, and whether there is a gap, where the pages of its
    /// step have these statuses: the step with this number of two was taken, and the next one is due at 9,000.
    fn next(step: i64, statuses: &[&str]) -> (Option<i64>, bool) {
        let directory = tempfile::tempdir().unwrap();
        let db = database(directory.path());
        let now = Timestamp::from_millis(0);
        let steps = vec![Step { targets: Vec::new(), wait: "9s".to_owned() }; 2];
        let alert = engine::blank(TENANT, ALERT, &json!({}), &Correlation::default(), now);
        let policy = db::Json(Document { steps, ..Document::default() });
        let taken = State { stage: Stage::Running, round: 1, step: step + 1, repeats: 0, next_ms: Some(9_000) };
        let row = store::Row { policy, ..alert }.with(taken, 0);
        let page = |(number, status): (usize, &&str)| pages::Row {
            status: (*status).to_owned(),
            ..row.page(1, step, &method("USR1", &format!("CM-{number}")), now, now)
        };
        let decided: Vec<pages::Row> = statuses.iter().enumerate().map(page).collect();
        let failed = decided.first().map(ClaimedPage::from).unwrap();
        db.write_here(move |conn| {
            store::insert_all(conn, std::slice::from_ref(&row))?;
            pages::insert(conn, &decided)?;
            // Heard twice, it is noted once.
            after_failures(conn, &[&failed], Timestamp::from_millis(1_000))?;
            after_failures(conn, &[&failed], Timestamp::from_millis(1_000))
        })
        .unwrap();
        let found = db.read_here(|conn| Ok((store::find(conn, TENANT, ALERT)?, pages::of_alert(conn, TENANT, ALERT)?)));
        let (row, pages) = found.unwrap();
        (row.unwrap().next_ms, pages.iter().any(|page| page.status == GAP && page.method_id.is_empty()))
    }

    #[test]
    fn the_next_step_is_due_at_once_where_all_pages_of_one_have_failed() {
        assert_eq!(next(0, &[FAILED]), (Some(1_000), true));
        assert_eq!(next(0, &[FAILED, FAILED, GAP, STOPPED]), (Some(1_000), true));
    }

    #[test]
    fn one_that_arrived_or_may_arrive_is_waited_for() {
        for other in [PENDING, SENT, SUMMARISED] {
            assert_eq!(next(0, &[FAILED, FAILED, other]), (Some(9_000), false), "{other}");
        }
        // Behind the last step there is time.
        assert_eq!(next(1, &[FAILED]), (Some(9_000), false));
    }
}
