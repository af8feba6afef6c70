//! Limits on open alerts. No sender takes the room of the others: it may have as many open alerts as are still free, so
//! that something is left for everybody else. Alerts that are not `Critical` leave some room to
//! those that are. Alerts of the service itself (heartbeats, jobs) are never refused: there are at most as many as
//! heartbeats and jobs.
//!
//! Open alerts are counted as they open and close ([`Changes`]), since to count 100,000 of them for each report would
//! cost more than the report.

use std::collections::{BTreeMap, HashMap};

use base::problem::Problem;
use db::{Conn, Error, Quota, Result};

use super::{row::Alert, store};

/// How many open alerts a tenant has at most.
const MOST: i64 = 100_000;
/// How many of them are not `Critical` at most.
const MOST_OTHERS: i64 = MOST / 10 * 9;
/// The sender that stands for all senders of a tenant.
pub const ALL: &str = "*";
/// The sender of what the service says of all this; its alerts page the administrators where no route takes them.
pub const SENDER: &str = "openAlerts";

/// The quota, for metrics.
pub static QUOTA: Quota = Quota::new("open alerts", "alerts", MOST).of("closed_ms IS NULL");

/// The error of a report that would open an alert for which there is no room.
pub const NO_ROOM: &str =
    "A tenant has at most 100,000 open alerts, and a sender as many as are still free: close some.";

/// 409: there was no room for any alert of a request.
pub fn refusal() -> Error {
    Problem::conflict(NO_ROOM).into()
}

/// Does the service itself report by this name? Inbound addresses have an id with capitals, and API keys no name.
fn is_own(sender: &str) -> bool {
    sender.starts_with(|letter: char| letter.is_ascii_lowercase())
}

/// Tenant and sender.
type Key = (String, String);

/// How many alerts of a sender, and of all, are open, and how many a request opens.
#[derive(Debug, Default)]
pub struct Room {
    open: HashMap<Key, i64>,
    taken: HashMap<Key, i64>,
}

impl Room {
    /// Reads the counts of a sender at some tenants.
    pub fn read(conn: &mut Conn, tenants: &[String], sender: &str) -> Result<Self> {
        let counts = store::open_counts(conn, tenants, &[sender, ALL])?;
        let open = counts.into_iter().map(|(tenant, sender, open)| ((tenant, sender), open)).collect();
        Ok(Self { open, taken: HashMap::new() })
    }

    fn open(&self, tenant: &str, sender: &str) -> i64 {
        self.open.get(&(tenant.to_owned(), sender.to_owned())).copied().unwrap_or_default()
    }

    /// Takes the room of one more alert; false when there is none.
    pub fn take(&mut self, tenant: &str, sender: &str, state: &str) -> bool {
        let keys = [sender, ALL].map(|sender| (tenant.to_owned(), sender.to_owned()));
        let count = |key: &Key| self.open(&key.0, &key.1) + self.taken.get(key).copied().unwrap_or_default();
        let [own, all] = [count(&keys[0]), count(&keys[1])];
        if !has_room(own, all, state) && !is_own(sender) {
            QUOTA.refuse();
            return false;
        }
        keys.into_iter().for_each(|key| *self.taken.entry(key).or_default() += 1);
        true
    }
}

/// May a sender with so many of all open alerts of its tenant open another one?
fn has_room(own: i64, all: i64, state: &str) -> bool {
    let most = if state == "Critical" { MOST } else { MOST_OTHERS };
    own < most - all
}

/// The share of its room that a sender has taken, in percent. Its room is half of what others leave.
fn part(own: i64, all: i64) -> i64 {
    let others = all - own;
    own.saturating_mul(200) / (MOST - others).max(1)
}

/// How many alerts open and close in a transaction.
#[derive(Debug, Default)]
pub struct Changes {
    more: BTreeMap<Key, i64>,
}

/// How full the room of a sender, or of a tenant, was and is, in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pressure {
    pub tenant: String,
    pub sender: String,
    pub before: i64,
    pub after: i64,
}

impl Changes {
    /// Counts the change of an alert; `was_open_of` is its sender if it was open before.
    pub fn note(&mut self, alert: &Alert, was_open_of: Option<&str>) {
        let is_open_of = alert.closed_ms.is_none().then_some(alert.sender.as_str());
        let changes = [(was_open_of, -1), (is_open_of, 1)];
        for (sender, more) in changes.into_iter().filter_map(|(sender, more)| Some((sender?, more))) {
            for counted in [sender, ALL] {
                *self.more.entry((alert.tenant_id.clone(), counted.to_owned())).or_default() += more;
            }
        }
    }

    /// Counts them; answers how full that makes the room which was read.
    pub fn store(self, conn: &mut Conn, room: &Room) -> Result<Vec<Pressure>> {
        let changed: Vec<(&Key, i64)> =
            self.more.iter().filter(|(_, more)| **more != 0).map(|(key, more)| (key, *more)).collect();
        for ((tenant, sender), more) in &changed {
            store::count_open(conn, tenant, sender, *more)?;
        }
        let read = changed.iter().filter(|(key, _)| room.open.contains_key(*key) && !is_own(&key.1));
        let pressure = |((tenant, sender), more): &(&Key, i64)| {
            let more_of_all = self.more.get(&(tenant.clone(), ALL.to_owned())).copied().unwrap_or_default();
            let own = room.open(tenant, sender);
            let all = room.open(tenant, ALL);
            let part = |own, all| if sender == ALL { own * 100 / MOST } else { part(own, all) };
            let before = part(own, all);
            let after = part(own + more, all + more_of_all);
            Pressure { tenant: tenant.clone(), sender: sender.clone(), before, after }
        };
        Ok(read.map(pressure).filter(|pressure| pressure.before != pressure.after).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(open: &mut BTreeMap<&'static str, i64>, sender: &'static str, state: &str) -> i64 {
        let mut taken = 0;
        while has_room(open.get(sender).copied().unwrap_or(0), open.values().sum(), state) {
            *open.entry(sender).or_default() += 1;
            taken += 1;
        }
        taken
    }

    #[test]
    fn a_sender_that_fills_its_room_leaves_some_to_others() {
        let mut open = BTreeMap::new();
        assert_eq!(fill(&mut open, "a", "Warning"), 45_000);
        assert_eq!(fill(&mut open, "b", "Warning"), 22_500);
        assert_eq!(fill(&mut open, "c", "Critical"), 16_250, "what is critical has more");
        assert_eq!(fill(&mut open, "a", "Critical"), 0, "who has much has to wait");
        for sender in ["d", "e", "f", "g", "h"] {
            assert!(fill(&mut open, sender, "Critical") > 200, "{sender}: {open:?}");
        }
        assert_eq!(fill(&mut open, "i", "Warning"), 0);
    }

    #[test]
    fn a_part_is_of_what_a_sender_may_have() {
        assert_eq!((part(0, 0), part(25_000, 25_000), part(40_000, 40_000)), (0, 50, 80));
        assert_eq!((part(20_000, 70_000), part(0, 100_000), part(10, 100_005)), (80, 0, 400));
    }

    #[test]
    fn senders_of_the_service_have_names_of_their_own() {
        assert!(["heartbeat", "job", SENDER].iter().all(|sender| is_own(sender)));
        assert!(["", ALL, "INB-0b8f7c4e"].iter().all(|sender| !is_own(sender)));
    }
}
