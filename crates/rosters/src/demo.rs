//! Rosters that follow the sun over three zones, for `--demo`, and one override.

use base::{
    body::Request as _,
    problem::Problem,
    tenant::TenantId,
    timestamp::{DAY_MS, Timestamp},
};
use calendar::Interval;
use db::{Db, Result};
use outbox::{Actor, Tx};
use serde_json::json;

use crate::{
    overrides::{self, http::overriding},
    roster::{input::NewRoster, plan, row, store, versions, view::WithShifts},
};

/// Name, zone, and when its day starts and ends there: together they last around the clock.
const ROSTERS: [(&str, &str, &str, &str); 3] = [
    ("Service desk Vienna", "Europe/Paris", "08:00:00", "16:00:00"),
    ("Service desk Austin", "America/Chicago", "09:00:00", "17:00:00"),
    ("Service desk Singapore", "Asia/Shanghai", "07:00:00", "15:00:00"),
];

/// Adds the rosters to a tenant that has none. Each has two of `people`, who take turns by the week; without six of
/// them nothing happens. Says whether it did anything.
pub fn fill(db: &Db, tenant: &TenantId, people: &[String], now: Timestamp) -> Result<bool> {
    let tenant = tenant.to_string();
    let people = people.to_vec();
    let actor = Actor::without_change_set("", "demo", "");
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| fill_empty(tx, &tenant, &people)))
}

fn fill_empty(tx: &mut Tx<'_>, tenant: &str, people: &[String]) -> Result<bool> {
    if people.len() < 2 * ROSTERS.len() || !store::all(tx.conn, tenant)?.is_empty() {
        return Ok(false);
    }
    let now = tx.now;
    store::lock_for_update(tx.conn, tenant)?;
    for ((name, zone, start, end), pair) in ROSTERS.iter().zip(people.chunks(2)) {
        let shifts: Vec<_> = [("Odd weeks", 7), ("Even weeks", 14)]
            .iter()
            .zip(pair)
            .map(|((shift, days_ago), user)| {
                json!({
                    "name": shift,
                    "schedule": {
                        "type": "recurring",
                        "startDate": Timestamp::from_millis(now.millis() - days_ago * DAY_MS),
                        "startTime": start,
                        "endTime": end,
                        "pattern": {
                            "type": "weekly",
                            "repeatFrequency": 2,
                            "weekDays": "Sunday,Monday,Tuesday,Wednesday,Thursday,Friday,Saturday",
                        },
                        "endPattern": {"type": "NEVER"},
                    },
                    "users": [{"id": user}],
                    "userGroups": [],
                })
            })
            .collect();
        let new = NewRoster::parse(&json!({
            "name": name,
            "description": "Follows the sun",
            "timeZone": {"name": zone},
            "shiftDetails": shifts,
        }))?;
        let (roster, shifts) = plan::created(&new, tenant, || uuid::Uuid::new_v4().to_string(), now);
        store::insert(tx.conn, &roster)?;
        versions::insert(tx.conn, &roster, 0, &shifts)?;
        tx.record_change(None, Some(&WithShifts(&roster, &shifts)))?;
        if *zone == ROSTERS[0].1 {
            take_over(tx, &roster, people.last().ok_or_else(|| Problem::internal())?)?;
        }
    }
    Ok(true)
}

/// Somebody from another desk takes tomorrow.
fn take_over(tx: &mut Tx<'_>, roster: &row::Roster, user: &str) -> Result<()> {
    let midnight = (tx.now.millis().div_euclid(DAY_MS) + 1) * DAY_MS;
    let start = Timestamp::from_millis(midnight + DAY_MS / 2);
    let time =
        Interval::new(start, Timestamp::from_millis(start.millis() + DAY_MS / 8)).ok_or_else(|| Problem::internal())?;
    let row = overrides::row::Override {
        note: "Visiting the dentist".to_owned(),
        ..overriding(tx, roster, None, user.to_owned(), time)?
    };
    overrides::store::insert(tx.conn, &row)?;
    tx.record_change(None, Some(&row))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        sync::{Arc, Mutex},
        time::Duration,
    };

    use db::{Conn, DatabaseUrl, Options};
    use outbox::{Event, Subscriber, Worker};

    use super::*;

    /// Keeps what it hears.
    #[derive(Default)]
    struct Ear(Mutex<Vec<Event>>);

    impl Subscriber for Ear {
        fn name(&self) -> &'static str {
            "ear"
        }

        fn take(&self, _: &mut Conn, event: &Event) -> Result<()> {
            self.0.lock().unwrap().push(event.clone());
            Ok(())
        }
    }

    #[test]
    fn the_outbox_tells_of_rosters_and_of_the_override() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&[outbox::migrations(), crate::domain().migrations]).unwrap();
        let now = Timestamp::from_millis(1_795_000_000_000);
        let people: Vec<String> = (1..=6).map(|number| format!("USR{number:010}")).collect();
        assert!(fill(&db, &TenantId::client(1), &people, now).unwrap());
        let ear = Arc::new(Ear::default());
        let _worker = Worker::start(db, vec![Arc::clone(&ear) as Arc<dyn Subscriber>], move || now).unwrap();
        let heard = || ear.0.lock().unwrap().clone();
        for _ in 0..500 {
            if heard().len() == ROSTERS.len() + 1 {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let told: Vec<(String, String)> = heard().into_iter().map(|event| (event.entity, event.action)).collect();
        let of = |kind: &str| told.iter().filter(|(entity, action)| entity == kind && action == "CREATE").count();
        assert_eq!((of("Roster"), told.len()), (ROSTERS.len(), ROSTERS.len() + 1), "{told:?}");
        let zones: BTreeSet<&str> = ROSTERS.iter().map(|(_, zone, ..)| *zone).collect();
        assert_eq!(zones.len(), 3, "they follow the sun");
        assert!(heard().iter().all(|event| event.tenant_id == "client_1" && event.after.is_some()));
    }
}
