//! Change sets: the writes that belong together, with what they changed.
//!
//! A set is a row beside those of the audit log, stored in the same transaction. Of a request that names none it is
//! that request; requests of one caller with one name within 24 hours share one. What it changed is in the audit log: a
//! set knows at which times and under which requests.

pub mod objects;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::{Key, PageRequest, PageRows, timestamp::Timestamp};
use db::{Column, Condition, Conn, Lock, Order, Result};
use diesel::prelude::*;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::{
    Actor,
    audit::{self, Entry},
    retention::Retention,
    schema::{change_set_objects, change_set_parts, change_sets},
};

/// For how long the requests of a caller with one name belong together.
const JOINED_MS: i64 = 24 * 60 * 60 * 1000;

/// How many requests and objects a set has at most, after which another one of its name begins.
const MOST_REQUESTS: i64 = 20_000;
const MOST_OBJECTS: i64 = 100_000;

/// Rows that are inserted together on Postgres.
const TOGETHER: usize = 500;

/// The prefix of ids.
const PREFIX: &str = "CHG-";

/// Which change set the writes of a request belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetMembership {
    /// The tenant of the path.
    pub tenant_id: String,
    /// `X-Change-Set`; without it the request is a set of its own.
    pub name: Option<String>,
    /// When the request was taken up.
    pub begun: Timestamp,
    /// Is the request carried out in several transactions?
    pub in_parts: bool,
    /// The set that the request undoes.
    pub undoes: Option<String>,
}

/// A change set, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = change_sets, treat_none_as_default_value = false)]
pub struct ChangeSet {
    /// The tenant of the path of its first request.
    pub tenant_id: String,
    /// When that was taken up, in milliseconds.
    pub created_ms: i64,
    /// `CHG-<uuid>`.
    pub id: String,
    /// What its requests called it.
    pub name: Option<String>,
    /// The user that the caller acts as.
    pub user_id: String,
    /// The API key, or the session.
    pub key_id: String,
    owner_id: String,
    pub(crate) first_ms: i64,
    pub(crate) request_id: String,
    /// How many requests changed something.
    pub requests: i64,
    /// How many objects they changed.
    pub objects: i64,
    /// The set that it undoes.
    pub undoes: Option<String>,
}

/// What of the audit log belongs to a set, beyond its first part.
#[derive(Insertable)]
#[diesel(table_name = change_set_parts, treat_none_as_default_value = false)]
struct Part<'a> {
    tenant_id: &'a str,
    set_id: &'a str,
    owner_id: &'a str,
    at_ms: i64,
    request_id: &'a str,
}

#[derive(Insertable)]
#[diesel(table_name = change_set_objects, treat_none_as_default_value = false)]
struct Object<'a> {
    tenant_id: &'a str,
    set_id: &'a str,
    owner_id: &'a str,
    entity: &'a str,
    entity_id: &'a str,
}

/// Change sets are kept as long as the audit log.
pub(crate) const RETENTION: Retention = Retention {
    kind: "change-sets",
    keep: audit::KEEP,
    most: None,
    table: "change_sets",
    id: "id",
    since: "created_ms",
    only: "1 = 1",
    remove: Some(remove),
};

/// A set of many objects loses a part of what tells them, and stays for the next time.
fn remove(conn: &mut Conn, tenant: &str, ids: &[String], most: usize) -> Result<usize> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    for (gone, id) in ids.iter().enumerate() {
        let objects = change_set_objects::table
            .filter(change_set_objects::tenant_id.eq(tenant))
            .filter(change_set_objects::set_id.eq(id));
        let some: Vec<String> = objects.select(change_set_objects::entity_id).limit(limit).load(conn)?;
        let parts = change_set_parts::table
            .filter(change_set_parts::tenant_id.eq(tenant))
            .filter(change_set_parts::set_id.eq(id));
        let times: Vec<i64> = parts.select(change_set_parts::at_ms).limit(limit).load(conn)?;
        diesel::delete(objects.filter(change_set_objects::entity_id.eq_any(&some))).execute(conn)?;
        diesel::delete(parts.filter(change_set_parts::at_ms.eq_any(&times))).execute(conn)?;
        if some.len() >= most || times.len() >= most {
            return Ok(gone);
        }
        if let Some(created_ms) = created_ms(id) {
            diesel::delete(change_sets::table.find((tenant, created_ms, id))).execute(conn)?;
        }
    }
    Ok(ids.len())
}

/// Notes which set a write belongs to, in its transaction, behind its rows of the audit log.
pub(crate) fn record(conn: &mut Conn, actor: &Actor, now: Timestamp, entries: &[Entry]) -> Result<()> {
    let (Some(membership), Some(first)) = (&actor.change_set, entries.first()) else { return Ok(()) };
    let SetMembership { tenant_id, name, begun, in_parts, undoes } = membership;
    let mut write = Write { conn, actor, now, tenant_id, entries, is_counted: name.is_some() || *in_parts };
    let new = || ChangeSet {
        tenant_id: tenant_id.clone(),
        created_ms: begun.millis(),
        id: id_of(actor, *begun),
        name: name.clone(),
        user_id: actor.user_id.clone(),
        key_id: actor.key_id.clone(),
        owner_id: first.tenant_id.clone(),
        first_ms: now.millis(),
        request_id: actor.request_id.clone(),
        requests: 1,
        objects: i64::try_from(entries.len()).unwrap_or(i64::MAX),
        undoes: undoes.clone(),
    };
    if let Some(name) = name {
        Lock::of("change-set", format_args!("{tenant_id} {} {name}", actor.key_id)).take(write.conn)?;
        if let Some(open) = open(write.conn, membership, &actor.key_id)? {
            return write.join(&open);
        }
    }
    let new = new();
    let insert = diesel::insert_into(change_sets::table).values(&new).on_conflict_do_nothing();
    if db::direct!(&mut *write.conn, |conn| insert.execute(conn))? > 0 {
        return write.begin(&new);
    }
    // An earlier part of the same request made it.
    let found = find(write.conn, std::slice::from_ref(tenant_id), &new.id)?;
    found.map_or(Ok(()), |found| write.join(&found))
}

/// A write, as it becomes a part of a set.
struct Write<'a> {
    conn: &'a mut Conn,
    actor: &'a Actor,
    now: Timestamp,
    tenant_id: &'a str,
    entries: &'a [Entry],
    /// Are the objects of its set told apart one by one?
    is_counted: bool,
}

impl Write<'_> {
    fn begin(&mut self, set: &ChangeSet) -> Result<()> {
        self.insert_parts(set)?;
        if self.is_counted {
            self.insert_objects(set)?;
        }
        Ok(())
    }

    fn join(&mut self, set: &ChangeSet) -> Result<()> {
        let request = &self.actor.request_id;
        let parts = change_set_parts::table
            .filter(change_set_parts::tenant_id.eq(self.tenant_id))
            .filter(change_set_parts::set_id.eq(&set.id))
            .filter(change_set_parts::request_id.eq(request));
        let is_new = set.request_id != *request
            && !diesel::select(diesel::dsl::exists(parts)).get_result::<bool>(&mut *self.conn)?;
        self.insert_parts(set)?;
        let new_objects = if self.is_counted {
            self.insert_objects(set)?
        } else {
            i64::try_from(self.entries.len()).unwrap_or(i64::MAX)
        };
        let row = change_sets::table.find((self.tenant_id, set.created_ms, &set.id));
        diesel::update(row)
            .set((
                change_sets::requests.eq(change_sets::requests + i64::from(is_new)),
                change_sets::objects.eq(change_sets::objects + new_objects),
            ))
            .execute(&mut *self.conn)?;
        Ok(())
    }

    /// Where in the log the rows of this write are, unless the row of the set says so to [`of_entries`] too.
    fn insert_parts(&mut self, set: &ChangeSet) -> Result<()> {
        let owners: BTreeSet<&str> = self.entries.iter().map(|entry| entry.tenant_id.as_str()).collect();
        let at_ms = self.now.millis();
        let request_id = self.actor.request_id.as_str();
        for owner_id in owners {
            let is_first = (owner_id, at_ms, request_id) == (&*set.owner_id, set.first_ms, &*set.request_id);
            if is_first && (owner_id, at_ms) == (self.tenant_id, set.created_ms) {
                continue;
            }
            let part = Part { tenant_id: self.tenant_id, set_id: &set.id, owner_id, at_ms, request_id };
            let insert = diesel::insert_into(change_set_parts::table).values(&part).on_conflict_do_nothing();
            db::direct!(&mut *self.conn, |conn| insert.execute(conn))?;
        }
        Ok(())
    }

    /// Answers how many of the objects are new in the set.
    fn insert_objects(&mut self, set: &ChangeSet) -> Result<i64> {
        let mut objects = Vec::new();
        for Entry { tenant_id: owner_id, entity, entity_id, .. } in self.entries {
            objects.push(Object { tenant_id: self.tenant_id, set_id: &set.id, owner_id, entity, entity_id });
        }
        let insert = diesel::insert_into(change_set_objects::table);
        let mut new = 0;
        // Row by row on SQLite, as `db::insert_rows` does, which knows of no conflicts.
        match &mut *self.conn {
            Conn::Sqlite(conn) => {
                for object in &objects {
                    new += insert.values(object).on_conflict_do_nothing().execute(conn)?;
                }
            }
            Conn::Postgres(conn) => {
                for objects in objects.chunks(TOGETHER) {
                    new += insert.values(objects).on_conflict_do_nothing().execute(conn)?;
                }
            }
        }
        Ok(i64::try_from(new).unwrap_or(i64::MAX))
    }
}

/// The set that further requests of this caller with this name belong to.
fn open(conn: &mut Conn, membership: &SetMembership, key_id: &str) -> Result<Option<ChangeSet>> {
    let SetMembership { tenant_id, name, begun, .. } = membership;
    let newest = change_sets::table
        .filter(change_sets::tenant_id.eq(tenant_id))
        .filter(change_sets::key_id.eq(key_id))
        .filter(change_sets::name.eq(name))
        .filter(change_sets::created_ms.gt(begun.millis().saturating_sub(JOINED_MS)))
        .order((change_sets::created_ms.desc(), change_sets::id.desc()));
    let newest: Option<ChangeSet> = newest.first(conn).optional()?;
    Ok(newest.filter(|set| set.requests < MOST_REQUESTS && set.objects < MOST_OBJECTS))
}

/// The id of the set that a write of this caller begins, unless it joins one.
pub fn new_id(actor: &Actor) -> Option<String> {
    actor.change_set.as_ref().map(|membership| id_of(actor, membership.begun))
}

/// The id of the set that a request begins: the time at which it was taken up, then what tells requests apart.
fn id_of(actor: &Actor, begun: Timestamp) -> String {
    let mut hash = Sha256::new();
    for part in [&actor.key_id, &actor.request_id] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    let random = u128::from_be_bytes(bytes);
    let millis = u128::from(begun.millis().unsigned_abs()) << 80;
    let uuid = millis | 0x7 << 76 | (random >> 64 & 0xfff) << 64 | 1 << 63 | random & ((1 << 62) - 1);
    format!("{PREFIX}{}", Uuid::from_u128(uuid))
}

/// When the first request of the set with this id was taken up.
fn created_ms(id: &str) -> Option<i64> {
    let uuid = Uuid::try_parse(id.strip_prefix(PREFIX)?).ok()?;
    i64::try_from(uuid.as_u128() >> 80).ok()
}

/// A page of the sets that meet a condition, by time.
pub fn page(
    conn: &mut Conn,
    condition: &Condition,
    descending: bool,
    walk: &PageRequest,
) -> Result<PageRows<ChangeSet>> {
    use change_sets::dsl;
    let order = Order::by([Column::Integer("change_sets.created_ms"), Column::Text("change_sets.id")], descending);
    let total = walk.total(|| dsl::change_sets.filter(condition.clone()).count().get_result(conn))?;
    let query = dsl::change_sets.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    let rows = query.offset(walk.offset()).limit(walk.row_limit()).load(conn)?;
    Ok(walk.cut(rows, total, |set: &ChangeSet| vec![Key::from(set.created_ms), Key::from(&set.id)]))
}

/// The set with this id of one of these tenants.
pub fn find(conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<ChangeSet>> {
    let Some(created_ms) = created_ms(id) else { return Ok(None) };
    let found = change_sets::table
        .filter(change_sets::tenant_id.eq_any(tenants))
        .filter(change_sets::created_ms.eq(created_ms))
        .filter(change_sets::id.eq(id));
    Ok(found.first(conn).optional()?)
}

/// Where in the log rows of a set are: their owner, time, request and caller.
type Place = (String, i64, String, String);

/// Owners whose sets are looked for by one query.
const OWNERS_AT_ONCE: usize = 100;

/// The ids of the sets that rows of the audit log belong to, in the order of the rows; [`None`] where there is none of
/// these tenants.
pub fn of_entries(conn: &mut Conn, tenants: &[String], entries: &[Entry]) -> Result<Vec<Option<String>>> {
    let mut times: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for entry in entries {
        times.entry(&entry.tenant_id).or_default().insert(entry.at_ms);
    }
    let times: Vec<(&str, BTreeSet<i64>)> = times.into_iter().collect();
    let tenants: BTreeSet<&str> = tenants.iter().map(String::as_str).collect();
    let mut found: HashMap<Place, String> = HashMap::new();
    for owners in times.chunks(OWNERS_AT_ONCE) {
        for set in begun_by(conn, owners)? {
            if set.owner_id == set.tenant_id && tenants.contains(&*set.tenant_id) {
                found.insert((set.owner_id, set.first_ms, set.request_id, set.key_id), set.id);
            }
        }
        for (place, tenant_id, id) in parts_of(conn, owners)? {
            if tenants.contains(&*tenant_id) {
                found.insert(place, id);
            }
        }
    }
    let of = |entry: &Entry| {
        let Entry { tenant_id, at_ms, request_id, key_id, .. } = entry;
        found.get(&(tenant_id.clone(), *at_ms, request_id.clone(), key_id.clone())).cloned()
    };
    Ok(entries.iter().map(of).collect())
}

/// The sets of tenants that began at these times.
fn begun_by(conn: &mut Conn, owners: &[(&str, BTreeSet<i64>)]) -> Result<Vec<ChangeSet>> {
    let of_one = |(tenant, times): &(&str, BTreeSet<i64>)| {
        let times = Condition::integer_in(" AND change_sets.created_ms IN", times.iter().copied());
        Condition::sql("(change_sets.tenant_id = ").text(*tenant).append(times).then(")")
    };
    Ok(change_sets::table.filter(Condition::any(owners.iter().map(of_one))).load(conn)?)
}

/// The parts of sets at these times of owners: each with the tenant and the id of its set.
fn parts_of(conn: &mut Conn, owners: &[(&str, BTreeSet<i64>)]) -> Result<Vec<(Place, String, String)>> {
    let of_one = |(owner, times): &(&str, BTreeSet<i64>)| {
        let times = Condition::integer_in(" AND change_set_parts.at_ms IN", times.iter().copied());
        Condition::sql("(change_set_parts.owner_id = ").text(*owner).append(times).then(")")
    };
    let parts: Vec<(String, String, String, i64, String)> =
        change_set_parts::table.filter(Condition::any(owners.iter().map(of_one))).load(conn)?;
    let sets: BTreeSet<(&str, &str)> = parts.iter().map(|(tenant, id, ..)| (tenant.as_str(), id.as_str())).collect();
    let by_id = |&(tenant, id): &(&str, &str)| {
        let found = Condition::sql("(change_sets.tenant_id = ").text(tenant).then(" AND change_sets.created_ms = ");
        found.integer(created_ms(id).unwrap_or_default()).then(" AND change_sets.id = ").text(id).then(")")
    };
    let keys = change_sets::table.select((change_sets::id, change_sets::key_id));
    let keys: HashMap<String, String> =
        keys.filter(Condition::any(sets.iter().map(by_id))).load(conn)?.into_iter().collect();
    let placed = parts.into_iter().filter_map(|(tenant, id, owner, at_ms, request)| {
        let key = keys.get(&id)?.clone();
        Some(((owner, at_ms, request, key), tenant, id))
    });
    Ok(placed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_when_its_set_began() {
        let actor = Actor::without_change_set("u", "k", "r");
        let at = Timestamp::from_millis(1_795_433_736_901);
        let id = id_of(&actor, at);
        assert_eq!(created_ms(&id), Some(at.millis()));
        assert_eq!(id, id_of(&actor, at), "each part of a request finds its set");
        assert_ne!(id, id_of(&Actor::without_change_set("u", "k", "other"), at));
        for wrong in ["", "CHG-", "AUD-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c"] {
            assert_eq!(created_ms(wrong), None, "{wrong}");
        }
    }
}
