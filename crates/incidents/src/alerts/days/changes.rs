//! Who changes who was told of an alert of a past day removes the copy of that day. Changes of the alert itself do so
//! by triggers of the database (`incidents0016_day_changes`), since gateways of older versions make some, too.

use std::collections::BTreeSet;

use db::{Condition, Conn, Result, SqlQuery};
use diesel::{RunQueryDsl, sql_types::BigInt};

use super::{
    record::{day_of, id_number, time_of_id},
    store,
};

/// For how long a day has to be over before it is copied.
pub const SETTLED_MS: i64 = 6 * 3_600_000;

/// An alert that is younger is of a day that has no copy, by whatever clock of a gateway.
const YOUNG_MS: i64 = SETTLED_MS / 2;

/// Alerts that one statement names at most.
const AT_ONCE: usize = 500;

/// What says of which version a UUID is, and what it is of one that begins with the time.
const VERSION: u128 = 0xf << 76;
const BY_TIME: u128 = 7 << 76;

/// As [`ports::told_changes`] says: takes the changes of who was told of alerts.
pub fn told_changes(conn: &mut Conn, tenant: &str, alerts: &[&str]) -> Result<()> {
    let young_ms = api::clock::now().millis().saturating_sub(YOUNG_MS);
    let old: Vec<&str> = alerts.iter().copied().filter(|id| may_have_copy(id, young_ms)).collect();
    let mut days: BTreeSet<i64> = BTreeSet::new();
    for alerts in old.chunks(AT_ONCE) {
        let text = Condition::sql("SELECT created_ms, created_ms FROM alerts WHERE tenant_id = ").text(tenant);
        let text = text.then(" AND closed_ms IS NOT NULL AND ");
        let text = text.append(Condition::text_in("id IN", alerts.iter().copied()));
        let created: Vec<(i64, i64)> = SqlQuery::<(BigInt, BigInt)>::of(text).load(conn)?;
        days.extend(created.into_iter().map(|(created_ms, _)| day_of(created_ms)));
    }
    store::remove(conn, tenant, &days.into_iter().collect::<Vec<_>>())
}

/// Can a copy have an alert with this id, unless it was made after an instant?
fn may_have_copy(id: &str, after_ms: i64) -> bool {
    id_number(id).is_some_and(|number| {
        let is_young = i64::try_from(time_of_id(number)).is_ok_and(|time_ms| time_ms > after_ms);
        number & VERSION != BY_TIME || !is_young
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_begin_with_a_time_tell_who_is_young() {
        let time = 0x0190_a6b2_8f0e;
        let by_time = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90";
        assert_eq!((may_have_copy(by_time, time - 1), may_have_copy(by_time, time)), (false, true));
        assert!(may_have_copy("ALT-0190a6b2-8f0e-4f6e-9d5a-3c1d7a5b2e90", 0), "it begins with no time");
        assert!(!may_have_copy("INC-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", i64::MAX) && !may_have_copy("", i64::MAX));
    }
}
