//! A query for resources: their number, a page of them, all of them. The [`ResourceIndex`] answers where it can at
//! once, and the database otherwise.

use std::sync::Arc;

use base::{Key, PageRequest, PageRows};
use db::{Column, Condition, Conn, Db, Result};
use diesel::{
    dsl::sql,
    helper_types::IntoBoxed,
    prelude::*,
    sql_types::{BigInt, Nullable, Text},
};
use resource_index::{Hit, Matches, PendingBuild, ResourceIndex, format_id, parse_id};

use super::{
    predicate::{Filter, tenants},
    store::{self, Order},
};
use crate::{model::row::Row, schema::resources};

/// Up to this number, matches are listed by their ids, in chunks; for more, the database reads most rows anyway.
const SOME: i64 = 20_000;
/// Ids of one statement.
const PART: usize = 1_000;
/// The least and the most index entries that one statement reads.
const STRETCH: i64 = 500;
const LONGEST_STRETCH: i64 = 8_000;
/// The numbers of resources that decide how they are sorted.
#[derive(Clone, Copy, Debug)]
struct SortLimits {
    /// Up to this number, the database sorts them, selected by their ids.
    pub few: i64,
    /// For more, the index of the order is scanned, up to this number of entries.
    pub far: i64,
    /// Up to this number they are sorted in memory when the scan was not enough: the matches may all be at the end. For
    /// more the scan goes on.
    pub many: i64,
}

impl Default for SortLimits {
    fn default() -> Self {
        Self { few: 2_000, far: 30_000, many: 50_000 }
    }
}

/// A slice of an ordered list: after these keys, if any, without the first `skip`, `most` at most.
#[derive(Clone, Copy)]
struct Slice<'k> {
    order: Order,
    descending: bool,
    after: Option<&'k [Key]>,
    skip: i64,
    most: i64,
}

/// The resources of some tenants that match all of some filters.
pub struct ResourceQuery<'a> {
    scope: &'a [String],
    filters: Vec<Filter>,
    matches: Option<Matches>,
    limits: SortLimits,
}

/// The columns of the minimal list.
pub type MinimalRow = (String, String, String, String, String, String, String);

impl<'a> ResourceQuery<'a> {
    /// Begins a query in a transaction that only reads. One of the filters restricts the state.
    pub fn new(db: &Db, conn: &mut Conn, scope: &'a [String], filters: Vec<Filter>) -> Result<Self> {
        Self::with_index(&db.kept::<ResourceIndex>(), db, conn, scope, filters, true)
    }

    /// As [`ResourceQuery::new`], to read all matches: for a state alone no bitmap is built, since it would hold nearly
    /// everything and speed up nothing.
    pub fn for_all(db: &Db, conn: &mut Conn, scope: &'a [String], filters: Vec<Filter>) -> Result<Self> {
        let build = filters.len() > 1;
        Self::with_index(&db.kept::<ResourceIndex>(), db, conn, scope, filters, build)
    }

    fn with_index(
        index: &Arc<ResourceIndex>,
        db: &Db,
        conn: &mut Conn,
        scope: &'a [String],
        filters: Vec<Filter>,
        build: bool,
    ) -> Result<Self> {
        let matches = index.search(db, conn, scope, &filters, build)?;
        Ok(Self { scope, filters, matches, limits: SortLimits::default() })
    }

    /// The query as an SQL condition.
    pub fn condition(&self) -> Condition {
        let filters = self.filters.iter().map(|filter| filter.condition(self.scope));
        Condition::all(std::iter::once(tenants(self.scope)).chain(filters))
    }

    /// A condition on the ids of all matches, when they are few.
    pub fn id_condition(&self) -> Option<Condition> {
        let matches = self.matches.as_ref().filter(|matches| matches.total() <= self.limits.few)?;
        Some(id_condition(matches, &matches.by_id(false, None, 0, usize::MAX)?))
    }

    /// The build of the index that will answer sooner than the database; [`None`] when there is nothing to wait for.
    pub fn pending_build(&self, db: &Db, conn: &mut Conn) -> Result<Option<PendingBuild>> {
        if self.matches.is_some() {
            return Ok(None);
        }
        db.kept::<ResourceIndex>().pending_build(conn, self.scope, &self.filters)
    }

    /// Does the index answer?
    #[cfg(test)]
    fn is_indexed(&self) -> bool {
        self.matches.is_some()
    }

    /// The number of matches.
    pub fn total(&self, conn: &mut Conn) -> Result<i64> {
        match &self.matches {
            Some(matches) => Ok(matches.total()),
            None => store::count(conn, &self.condition()),
        }
    }

    /// A page of the matches, in the order of a sort.
    pub fn page(&self, conn: &mut Conn, order: Order, descending: bool, walk: &PageRequest) -> Result<PageRows<Row>> {
        let total = walk.total(|| self.total(conn))?;
        let rows = self.slice(conn, order, descending, walk.after(), walk.offset(), walk.row_limit())?;
        Ok(walk.cut(rows, total, |row| order.keys(row)))
    }

    /// A slice of the matches: after these keys, if any, without the first `skip`.
    pub fn slice(
        &self,
        conn: &mut Conn,
        order: Order,
        descending: bool,
        after: Option<&[Key]>,
        skip: i64,
        most: i64,
    ) -> Result<Vec<Row>> {
        if let Some(matches) = &self.matches {
            if order == Order::Id {
                if let Some(ids) = by_id(matches, descending, after, skip, most) {
                    let mut rows: Vec<Row> = load(matches, &ids, |tenant, ids| rows(conn, tenant, ids))?;
                    sort_by_id(&mut rows, descending, |row| (&row.id, &row.tenant_id));
                    return Ok(rows);
                }
            } else if let Some(named) = self.id_condition() {
                return store::slice(conn, &named, &order.order(descending), after, skip, most);
            } else if let Some(hits) =
                in_order(conn, matches, self.limits, Slice { order, descending, after, skip, most })?
            {
                let mut rows: Vec<Row> = load(matches, &hits, |tenant, ids| rows(conn, tenant, ids))?;
                rows.sort_by_cached_key(|row| order.keys(row));
                if descending {
                    rows.reverse();
                }
                return Ok(rows);
            }
        }
        store::slice(conn, &self.condition(), &order.order(descending), after, skip, most)
    }

    /// A page of the minimal list in the order of ids; [`None`] when the index cannot answer.
    pub fn brief_page(
        &self,
        conn: &mut Conn,
        descending: bool,
        walk: &PageRequest,
    ) -> Result<Option<PageRows<MinimalRow>>> {
        let Some(matches) = &self.matches else { return Ok(None) };
        let Some(ids) = by_id(matches, descending, walk.after(), walk.offset(), walk.row_limit()) else {
            return Ok(None);
        };
        let total = walk.total(|| Ok::<_, db::Error>(matches.total()))?;
        let keys =
            ids.get(usize::try_from(walk.limit()).unwrap_or_default().saturating_sub(1)).map(|(tenant_index, id)| {
                vec![Key::Text(format_id(*id)), Key::Text(matches.tenant(*tenant_index).to_owned())]
            });
        let mut rows: Vec<(MinimalRow, String)> = load(matches, &ids, |tenant, ids| briefs(conn, tenant, ids))?;
        sort_by_id(&mut rows, descending, |(brief, tenant)| (&brief.0, tenant));
        let rows: Vec<MinimalRow> = rows.into_iter().map(|(brief, _)| brief).collect();
        Ok(Some(walk.cut(rows, total, |_| keys.unwrap_or_default())))
    }

    /// Passes on all matches, in no order.
    pub fn each_brief(&self, conn: &mut Conn, mut each: impl FnMut(MinimalRow) -> Result<()>) -> Result<()> {
        if let Some(matches) = self.matches.as_ref().filter(|matches| matches.total() <= SOME)
            && let Some(ids) = matches.by_id(false, None, 0, usize::MAX)
        {
            for ids in ids.chunks(PART) {
                let mut rows: Vec<(MinimalRow, String)> = load(matches, ids, |tenant, ids| briefs(conn, tenant, ids))?;
                // A stable order, though none is promised.
                sort_by_id(&mut rows, false, |(brief, tenant)| (&brief.0, tenant));
                rows.into_iter().try_for_each(|(brief, _)| each(brief))?;
            }
            return Ok(());
        }
        use resources::dsl;
        let query = dsl::resources.filter(self.condition()).select((
            dsl::id,
            dsl::name,
            dsl::host_name,
            dsl::ip_address,
            dsl::alias_name,
            dsl::resource_name,
            dsl::resource_type,
        ));
        db::for_each_row(conn, query, each)
    }
}

fn by_id(matches: &Matches, descending: bool, after: Option<&[Key]>, skip: i64, most: i64) -> Option<Vec<Hit>> {
    let after = match after {
        None => None,
        Some([Key::Text(id), Key::Text(tenant)]) => Some((parse_id(id)?, tenant.as_str())),
        Some(_) => return None,
    };
    let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    matches.by_id(descending, after, count(skip), count(most))
}

/// A condition on the tenant and id of each match.
fn id_condition(matches: &Matches, hits: &[Hit]) -> Condition {
    let mut by_tenant: Vec<(usize, Vec<String>)> = Vec::new();
    for (tenant_index, id) in hits {
        match by_tenant.iter_mut().find(|(one, _)| one == tenant_index) {
            Some((_, ids)) => ids.push(format_id(*id)),
            None => by_tenant.push((*tenant_index, vec![format_id(*id)])),
        }
    }
    Condition::any(by_tenant.into_iter().map(|(tenant_index, ids)| {
        let tenant = Condition::sql("resources.tenant_id = ").text(matches.tenant(tenant_index));
        Condition::all([tenant, Condition::text_in("resources.id IN", ids)])
    }))
}

/// Loads resources by their ids, tenant by tenant.
fn load<R>(matches: &Matches, hits: &[Hit], mut each: impl FnMut(&str, &[String]) -> Result<Vec<R>>) -> Result<Vec<R>> {
    let mut tenant_indexes: Vec<usize> = hits.iter().map(|(tenant_index, _)| *tenant_index).collect();
    tenant_indexes.sort_unstable();
    tenant_indexes.dedup();
    let mut rows = Vec::with_capacity(hits.len());
    for tenant_index in tenant_indexes {
        let ids: Vec<String> =
            hits.iter().filter(|(one, _)| *one == tenant_index).map(|(_, id)| format_id(*id)).collect();
        rows.extend(each(matches.tenant(tenant_index), &ids)?);
    }
    Ok(rows)
}

/// Puts rows in the order of their ids and tenants.
fn sort_by_id<R>(rows: &mut [R], descending: bool, keys: impl Fn(&R) -> (&String, &String)) {
    rows.sort_unstable_by(|one, other| {
        let order = keys(one).cmp(&keys(other));
        if descending { order.reverse() } else { order }
    });
}

diesel::table! {
    /// The table form of a JSON array in SQLite: `SELECT value FROM json_each WHERE json = '["a", "b"]'`.
    json_each (value) {
        value -> Text,
        json -> Text,
    }
}
diesel::allow_tables_to_appear_in_same_query!(resources, json_each);

/// The values of an array, for SQLite: a list of values would be another statement for each length.
#[diesel::dsl::auto_type(no_type_alias)]
fn json_list(ids: &[String]) -> _ {
    let json: String = serde_json::json!(ids).to_string();
    json_each::table.filter(json_each::json.eq(json)).select(json_each::value)
}

fn rows(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<Vec<Row>> {
    use resources::dsl;
    let query = dsl::resources.filter(dsl::tenant_id.eq(tenant));
    Ok(match conn {
        Conn::Sqlite(conn) => query.filter(dsl::id.eq_any(json_list(ids))).load(conn),
        Conn::Postgres(conn) => query.filter(dsl::id.eq_any(ids)).load(conn),
    }?)
}

fn briefs(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<Vec<(MinimalRow, String)>> {
    use resources::dsl;
    let query = dsl::resources.filter(dsl::tenant_id.eq(tenant)).select((
        dsl::id,
        dsl::name,
        dsl::host_name,
        dsl::ip_address,
        dsl::alias_name,
        dsl::resource_name,
        dsl::resource_type,
    ));
    let rows: Vec<MinimalRow> = match conn {
        Conn::Sqlite(conn) => query.filter(dsl::id.eq_any(json_list(ids))).load(conn),
        Conn::Postgres(conn) => query.filter(dsl::id.eq_any(ids)).load(conn),
    }?;
    Ok(rows.into_iter().map(|row| (row, tenant.to_owned())).collect())
}

/// A slice of many resources in the order of a sort: by the index of that order, or sorted in memory.
fn in_order(conn: &mut Conn, matches: &Matches, limits: SortLimits, slice: Slice<'_>) -> Result<Option<Vec<Hit>>> {
    let are_many = matches.total() > limits.many;
    let far = if are_many { i64::MAX } else { limits.far };
    if let Some(tenant) = matches.only_tenant()
        && let Some(hits) = in_index_order(conn, matches, tenant, slice, far)?
    {
        return Ok(Some(hits));
    }
    if are_many { Ok(None) } else { by_keys(conn, matches, slice) }
}

/// Scans the index of the order and leaves out other resources; [`None`] when that goes too far.
fn in_index_order(
    conn: &mut Conn,
    matches: &Matches,
    tenant: &str,
    slice: Slice<'_>,
    far: i64,
) -> Result<Option<Vec<Hit>>> {
    let mut behind = slice.after.map(<[Key]>::to_vec);
    let mut skip = slice.skip;
    let mut hits = Vec::new();
    let mut length = STRETCH;
    let mut walked = 0;
    while walked < far {
        let stretch = stretch(conn, tenant, slice.order, slice.descending, behind.as_deref(), length)?;
        let ids: Vec<String> = stretch.iter().map(|(id, _)| id.clone()).collect();
        let Some(kept) = matches.contains_each(&ids) else { return Ok(None) };
        for id in ids.into_iter().zip(kept).filter_map(|(id, kept)| kept.then_some(id)) {
            if skip > 0 {
                skip -= 1;
            } else {
                hits.extend(parse_id(&id).map(|id| (0, id)));
                if hits.len() as i64 >= slice.most {
                    return Ok(Some(hits));
                }
            }
        }
        let Some((id, key)) = stretch.last().filter(|_| stretch.len() as i64 >= length) else {
            return Ok(Some(hits));
        };
        behind = Some(vec![key.clone(), Key::from(id), Key::Text(tenant.to_owned())]);
        walked += length;
        length = (length * 2).min(LONGEST_STRETCH);
    }
    Ok(None)
}

/// Sorts the matches in memory by their sort keys; [`None`] when the ordinals were dropped.
fn by_keys(conn: &mut Conn, matches: &Matches, slice: Slice<'_>) -> Result<Option<Vec<Hit>>> {
    let Slice { order, descending, after, skip, most } = slice;
    // A made-up cursor is refused.
    order.order(descending).after(after)?;
    let Some(mut all) = matches.by_id(false, None, 0, usize::MAX) else { return Ok(None) };
    all.sort_by_key(|(tenant_index, _)| *tenant_index);
    let mut keyed = Vec::with_capacity(all.len());
    for of_one in all.chunk_by(|(one, _), (other, _)| one == other) {
        for part in of_one.chunks(PART) {
            let tenant =
                Key::Text(part.first().map_or("", |(tenant_index, _)| matches.tenant(*tenant_index)).to_owned());
            let rows = keys(conn, order, resources::table.filter(id_condition(matches, part)).into_boxed())?;
            keyed.extend(rows.into_iter().map(|(id, key)| [key, Key::Text(id), tenant.clone()]));
        }
    }
    let wanted =
        |keys: &[Key; 3]| after.is_none_or(|after| if descending { &keys[..] < after } else { &keys[..] > after });
    keyed.retain(wanted);
    keyed.sort_unstable();
    if descending {
        keyed.reverse();
    }
    let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let hits = keyed.iter().skip(count(skip)).take(count(most)).filter_map(|[_, id, tenant]| {
        let (Key::Text(id), Key::Text(tenant)) = (id, tenant) else { return None };
        Some((matches.place(tenant)?, parse_id(id)?))
    });
    Ok(Some(hits.collect()))
}

/// Reads up to `most` resources after `behind`, with their sort keys.
fn stretch(
    conn: &mut Conn,
    tenant: &str,
    order: Order,
    descending: bool,
    behind: Option<&[Key]>,
    most: i64,
) -> Result<Vec<(String, Key)>> {
    use resources::dsl;
    let by = order.order(descending);
    let query =
        dsl::resources.filter(dsl::tenant_id.eq(tenant.to_owned())).filter(by.after(behind)?).into_boxed::<db::Sql>();
    let query = match order {
        // The index of history holds history alone.
        Order::Decommissioned => query.filter(dsl::decommissioned_ms.is_not_null()),
        _ => query,
    };
    keys(conn, order, query.order(by).limit(most))
}

/// Ids of resources with their sort keys.
fn keys(conn: &mut Conn, order: Order, query: IntoBoxed<'_, resources::table, db::Sql>) -> Result<Vec<(String, Key)>> {
    use resources::dsl;
    match order.column() {
        Some(Column::Text(column)) => {
            let rows: Vec<(String, String)> = query.select((dsl::id, sql::<Text>(column))).load(conn)?;
            Ok(rows.into_iter().map(|(id, key)| (id, Key::Text(key))).collect())
        }
        Some(Column::Integer(column)) => {
            let rows: Vec<(String, Option<i64>)> =
                query.select((dsl::id, sql::<Nullable<BigInt>>(column))).load(conn)?;
            Ok(rows.into_iter().map(|(id, key)| (id, Key::Integer(key.unwrap_or_default()))).collect())
        }
        None => Err(db::Error::Fault("ids are in order by themselves".to_owned())),
    }
}

#[cfg(test)]
mod tests;
