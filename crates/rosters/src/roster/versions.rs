//! Rows of the versions of rosters and of their shifts: what they were, are and will be. Every function takes the
//! tenant, or the tenants of a scope.

use std::collections::HashMap;

use db::{Condition, Conn, Result};
use diesel::prelude::*;
use outbox::{Keep, Retention, Setting};

use super::{
    plan::Plan,
    row::{Roster, Shift, Version},
    watches,
};
use crate::schema::{roster_calendars, roster_overrides, roster_shifts, roster_versions, rosters};

/// Which rosters a statement is about.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// All of these tenants.
    Tenants(&'a [String]),
    /// Those with these tenants and ids.
    Rosters(&'a [(String, String)]),
}

impl Selection<'_> {
    /// Tenants and ids are looked for in pairs: each tenant with each id would be very many.
    fn condition(self, tenant: &'static str, roster: &'static str) -> Condition {
        match self {
            Self::Tenants(tenants) => Condition::text_in(tenant, tenants),
            Self::Rosters(keys) => Condition::pairs_in(roster, keys.iter().map(|(tenant, id)| (tenant, id))),
        }
    }

    fn shifts(self) -> Condition {
        self.condition("roster_shifts.tenant_id IN", "(roster_shifts.tenant_id, roster_shifts.roster_id) IN")
    }

    fn versions(self) -> Condition {
        self.condition("roster_versions.tenant_id IN", "(roster_versions.tenant_id, roster_versions.roster_id) IN")
    }

    /// Of their overrides.
    pub fn overrides(self) -> Condition {
        self.condition("roster_overrides.tenant_id IN", "(roster_overrides.tenant_id, roster_overrides.roster_id) IN")
    }
}

fn keys_of(rosters: &[Roster]) -> Vec<(String, String)> {
    rosters.iter().map(|roster| (roster.tenant_id.clone(), roster.id.clone())).collect()
}

/// The shifts of rosters at an instant, those of a roster in their order.
pub fn shifts_at(conn: &mut Conn, rosters: &[Roster], at_ms: i64) -> Result<Vec<Shift>> {
    use roster_shifts::dsl;
    db::in_chunks(&keys_of(rosters), |keys| {
        dsl::roster_shifts
            .filter(Selection::Rosters(keys).shifts())
            .filter(dsl::valid_from_ms.le(at_ms))
            .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(at_ms)))
            .order((dsl::roster_id, dsl::position, dsl::id))
            .load(conn)
    })
}

/// The versions of the shifts of a roster that end after an instant.
pub fn shifts_since(conn: &mut Conn, tenant: &str, roster: &str, since_ms: i64) -> Result<Vec<Shift>> {
    use roster_shifts::dsl;
    Ok(dsl::roster_shifts
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::roster_id.eq(roster))
        .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(since_ms)))
        .order((dsl::position, dsl::id, dsl::valid_from_ms))
        .load(conn)?)
}

/// As [`shifts_since`], of many rosters, by roster.
pub fn all_shifts_since(conn: &mut Conn, of: Selection<'_>, since_ms: i64) -> Result<Vec<Shift>> {
    use roster_shifts::dsl;
    Ok(dsl::roster_shifts
        .filter(of.shifts())
        .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(since_ms)))
        .order((dsl::roster_id, dsl::position, dsl::id, dsl::valid_from_ms))
        .load(conn)?)
}

/// The versions of a roster that end after an instant, oldest first.
pub fn since(conn: &mut Conn, tenant: &str, roster: &str, since_ms: i64) -> Result<Vec<Version>> {
    use roster_versions::dsl;
    Ok(dsl::roster_versions
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::roster_id.eq(roster))
        .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(since_ms)))
        .order(dsl::valid_from_ms)
        .load(conn)?)
}

/// As [`since`], of many rosters, by roster.
pub fn all_since(conn: &mut Conn, of: Selection<'_>, since_ms: i64) -> Result<Vec<Version>> {
    use roster_versions::dsl;
    Ok(dsl::roster_versions
        .filter(of.versions())
        .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(since_ms)))
        .order((dsl::roster_id, dsl::valid_from_ms))
        .load(conn)?)
}

/// Rosters as they are at an instant; those that were not there then are left out.
pub fn as_of(conn: &mut Conn, rows: Vec<Roster>, at_ms: i64) -> Result<Vec<Roster>> {
    use roster_versions::dsl;
    let versions: Vec<Version> = db::in_chunks(&keys_of(&rows), |keys| {
        dsl::roster_versions
            .filter(Selection::Rosters(keys).versions())
            .filter(dsl::valid_from_ms.le(at_ms))
            .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(at_ms)))
            .load(conn)
    })?;
    let mut found: HashMap<String, Version> =
        versions.into_iter().map(|version| (version.roster_id.clone(), version)).collect();
    let overlaid = |row: Roster| {
        let Version { name, zone, off_hours, .. } = found.remove(&row.id)?;
        Some(Roster { name, zone, off_hours, ..row })
    };
    Ok(rows.into_iter().filter_map(overlaid).collect())
}

/// Stores the version of a new roster, which holds from an instant on, and its shifts.
pub fn insert(conn: &mut Conn, roster: &Roster, valid_from_ms: i64, shifts: &[Shift]) -> Result<()> {
    let first = Version {
        tenant_id: roster.tenant_id.clone(),
        roster_id: roster.id.clone(),
        valid_from_ms,
        valid_until_ms: None,
        name: roster.name.clone(),
        zone: roster.zone.clone(),
        off_hours: roster.off_hours.clone(),
    };
    diesel::insert_into(roster_versions::table).values(&first).execute(conn)?;
    db::insert_rows!(conn, roster_shifts::table, shifts)
}

/// Stores what an update does to the versions of a roster and of its shifts.
pub fn update(conn: &mut Conn, roster: &Roster, plan: &Plan) -> Result<()> {
    let own = || {
        use roster_versions::dsl;
        dsl::roster_versions
            .filter(dsl::tenant_id.eq(roster.tenant_id.clone()))
            .filter(dsl::roster_id.eq(roster.id.clone()))
    };
    let (known, new): (Vec<&Version>, Vec<&Version>) =
        plan.versions.iter().partition(|version| version.valid_from_ms < plan.now_ms);
    diesel::delete(own().filter(roster_versions::valid_from_ms.ge(plan.now_ms))).execute(conn)?;
    for version in known {
        let stored = own().filter(roster_versions::valid_from_ms.eq(version.valid_from_ms));
        diesel::update(stored).set(roster_versions::valid_until_ms.eq(version.valid_until_ms)).execute(conn)?;
    }
    for version in new {
        diesel::insert_into(roster_versions::table).values(version).execute(conn)?;
    }
    let Some(shifts) = &plan.shifts else { return Ok(()) };
    let own = || {
        use roster_shifts::dsl;
        dsl::roster_shifts
            .filter(dsl::tenant_id.eq(roster.tenant_id.clone()))
            .filter(dsl::roster_id.eq(roster.id.clone()))
    };
    // What was planned for later does not come, and a version that never held is none.
    let later = own().filter(roster_shifts::valid_from_ms.ge(plan.from_ms));
    let later: Vec<(String, i64)> = later.select((roster_shifts::id, roster_shifts::valid_from_ms)).load(conn)?;
    let stays = |id: &str, from: i64| shifts.kept.iter().any(|shift| shift.id == id && shift.valid_from_ms == from);
    for (id, from) in later.iter().filter(|(id, from)| !stays(id, *from)) {
        diesel::delete(roster_shifts::table.find((&roster.tenant_id, &roster.id, id, from))).execute(conn)?;
    }
    for id in &shifts.end {
        let ended = own()
            .filter(roster_shifts::id.eq(id))
            .filter(roster_shifts::valid_until_ms.is_null().or(roster_shifts::valid_until_ms.gt(plan.from_ms)));
        diesel::update(ended).set(roster_shifts::valid_until_ms.eq(Some(plan.from_ms))).execute(conn)?;
    }
    for shift in &shifts.kept {
        let stored = roster_shifts::table.find((&roster.tenant_id, &roster.id, &shift.id, shift.valid_from_ms));
        let placed = (roster_shifts::position.eq(shift.position), roster_shifts::valid_until_ms.eq(None::<i64>));
        diesel::update(stored).set(placed).execute(conn)?;
    }
    db::insert_rows!(conn, roster_shifts::table, shifts.begin.as_slice())
}

/// Ends a roster and all that belongs to it. What was stays; nothing comes any more, and its calendars are closed.
pub fn end(conn: &mut Conn, roster: &Roster, at_ms: i64) -> Result<()> {
    let tenant = &roster.tenant_id;
    let id = &roster.id;
    let calendars = roster_calendars::table
        .filter(roster_calendars::tenant_id.eq(tenant))
        .filter(roster_calendars::roster_id.eq(Some(id)));
    diesel::delete(calendars).execute(conn)?;
    let overrides = || {
        use roster_overrides::dsl;
        dsl::roster_overrides.filter(dsl::tenant_id.eq(tenant.clone())).filter(dsl::roster_id.eq(id.clone()))
    };
    diesel::delete(overrides().filter(roster_overrides::start_ms.ge(at_ms))).execute(conn)?;
    let running = overrides().filter(roster_overrides::end_ms.gt(at_ms));
    diesel::update(running).set(roster_overrides::end_ms.eq(at_ms)).execute(conn)?;
    let shifts = || {
        use roster_shifts::dsl;
        dsl::roster_shifts.filter(dsl::tenant_id.eq(tenant.clone())).filter(dsl::roster_id.eq(id.clone()))
    };
    diesel::delete(shifts().filter(roster_shifts::valid_from_ms.ge(at_ms))).execute(conn)?;
    let running = shifts().filter(roster_shifts::valid_until_ms.is_null().or(roster_shifts::valid_until_ms.gt(at_ms)));
    diesel::update(running).set(roster_shifts::valid_until_ms.eq(Some(at_ms))).execute(conn)?;
    let versions = || {
        use roster_versions::dsl;
        dsl::roster_versions.filter(dsl::tenant_id.eq(tenant.clone())).filter(dsl::roster_id.eq(id.clone()))
    };
    diesel::delete(versions().filter(roster_versions::valid_from_ms.ge(at_ms))).execute(conn)?;
    let running =
        versions().filter(roster_versions::valid_until_ms.is_null().or(roster_versions::valid_until_ms.gt(at_ms)));
    diesel::update(running).set(roster_versions::valid_until_ms.eq(Some(at_ms))).execute(conn)?;
    diesel::update(rosters::table.find((tenant, id))).set(rosters::deleted_ms.eq(Some(at_ms))).execute(conn)?;
    watches::delete(conn, tenant, id)?;
    Ok(())
}

/// Deleted rosters keep their past for ten years.
pub const RETENTION: Retention = Retention {
    kind: "deleted-rosters",
    keep: Keep::Setting(Setting {
        option: "keep-deleted-rosters",
        variable: "MUSTER_KEEP_DELETED_ROSTERS",
        days: 3_653,
        help: "How many days the past of deleted rosters is kept; 0 for ever",
    }),
    most: Some(10_000),
    table: "rosters",
    id: "id",
    since: "deleted_ms",
    only: "deleted_ms IS NOT NULL",
    remove: Some(remove),
};

/// Removes rosters with all that was, as a [`Retention`] does.
fn remove(conn: &mut Conn, tenant: &str, ids: &[String], most: usize) -> Result<usize> {
    let mut left = i64::try_from(most).unwrap_or(i64::MAX);
    for (gone, id) in ids.iter().enumerate() {
        let overrides = {
            use roster_overrides::dsl;
            dsl::roster_overrides.filter(dsl::tenant_id.eq(tenant)).filter(dsl::roster_id.eq(id))
        };
        let first: Vec<String> =
            overrides.order(roster_overrides::id).limit(left).select(roster_overrides::id).load(conn)?;
        diesel::delete(overrides.filter(roster_overrides::id.eq_any(&first))).execute(conn)?;
        left -= i64::try_from(first.len()).unwrap_or(i64::MAX);
        if left <= 0 {
            return Ok(gone);
        }
        let shifts = roster_shifts::table.filter(roster_shifts::tenant_id.eq(tenant));
        diesel::delete(shifts.filter(roster_shifts::roster_id.eq(id))).execute(conn)?;
        let versions = roster_versions::table.filter(roster_versions::tenant_id.eq(tenant));
        diesel::delete(versions.filter(roster_versions::roster_id.eq(id))).execute(conn)?;
        diesel::delete(rosters::table.find((tenant, id))).execute(conn)?;
    }
    Ok(ids.len())
}
