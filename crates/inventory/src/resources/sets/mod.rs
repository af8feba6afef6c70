//! Which resources filters mean, as sets of numbers in memory: totals without counting, pages without searching.
//!
//! For each tenant a gateway keeps its resources, counted, and for filters that were asked for the set of resources that
//! they mean. Several filters together are the intersection of their sets, a total is its size, and a page by id is a
//! part of it. Nothing of it is ever older or newer than the rows of the answer: a set says of which instant it is, each
//! write notes which resource it changed ([`db::changes`]), and whoever reads looks at those again that changed between
//! the set's instant and its own, by the very condition that the set was made by.
//!
//! A set is made at once when an index leads to few entries. Where it leads to many, the request is answered by the
//! database as if there were no sets, and the set is made beside it, one at a time. All sets together take no more than
//! [`BUDGET`]; the tenant that has most gives first, what it did not use for longest.

pub mod gather;
pub mod numbers;
mod tenant;

use std::{
    collections::{BTreeSet, BinaryHeap, HashMap},
    ops::Bound,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
};

use db::{
    Conn, Db, Result,
    changes::{self, Changes, Snapshot},
};
use roaring::RoaringBitmap;

use self::{
    numbers::Numbers,
    tenant::{Cell, EVERYTHING, GROUP, Known, State},
};
use super::meant::Filter;

/// What all of it may take, in bytes.
const BUDGET: usize = 96 << 20;
/// Resources of a tenant beyond which nothing is kept of it: their numbers alone would take half.
const MOST_RESOURCES: i64 = 3_000_000;
/// Tenants of one question beyond which the database answers it.
const MOST_TENANTS: usize = 256;
/// Sets that wait to be made.
const MOST_WAITING: usize = 256;

/// Notes that a resource changed: anything by which it may be found, its groups included.
pub fn note(conn: &mut Conn, tenant: &str, id: &str) -> Result<()> {
    changes::note(conn, tenant, id)
}

/// Notes that the members of a group changed, all at once.
pub fn note_group(conn: &mut Conn, tenant: &str, group: i64) -> Result<()> {
    changes::note(conn, tenant, &format!("{GROUP}{group}"))
}

/// Notes that any resource of a tenant may have changed.
pub fn note_all(conn: &mut Conn, tenant: &str) -> Result<()> {
    changes::note(conn, tenant, EVERYTHING)
}

/// How much a request does before it leaves it to the database.
struct Limits {
    /// Entries of an index that it looks at to make a set, and resources that it counts.
    entries: i64,
    /// Resources that it looks at, one by one, for the filters that have no set.
    probes: u64,
    /// So few of them that no other set is made for them.
    few: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 5_000, probes: 5_000, few: 500 }
    }
}

/// The sets of all tenants of a database.
#[derive(Default)]
pub struct Sets {
    limits: Limits,
    tenants: Mutex<HashMap<String, Arc<Cell>>>,
    bytes: AtomicUsize,
    makers: OnceLock<Option<SyncSender<Job>>>,
}

/// A set to be made.
struct Job {
    sets: Arc<Sets>,
    db: Db,
    tenant: String,
    cell: Arc<Cell>,
    filter: Filter,
}

/// The resources that all of some filters mean, as of the transaction that asked.
pub struct Matches {
    /// By tenant, in their order.
    parts: Vec<Part>,
}

struct Part {
    tenant: String,
    cell: Arc<Cell>,
    count: u64,
    set: Arc<RoaringBitmap>,
}

/// A resource: the tenant's place in [`Matches`], and its id.
pub type Found = (usize, u128);

impl Sets {
    /// The resources of these tenants that all filters mean, of which one at least says a state; [`None`] when that
    /// cannot be told at once. Inside a transaction that reads.
    pub fn find(
        self: &Arc<Self>,
        db: &Db,
        conn: &mut Conn,
        scope: &[String],
        filters: &[Filter],
    ) -> Result<Option<Matches>> {
        let tenants: BTreeSet<&String> = scope.iter().collect();
        if tenants.len() > MOST_TENANTS || filters.is_empty() {
            return Ok(None);
        }
        let keyed: Vec<(String, &Filter)> = filters.iter().map(|filter| (filter.key(), filter)).collect();
        let mut parts = Some(Vec::with_capacity(tenants.len()));
        for tenant in tenants {
            let cell = self.cell(tenant);
            let found = self.find_in(db, conn, tenant, &cell, &keyed)?;
            self.settle(&cell);
            // The others are asked all the same, so that what they lack is made too.
            match (found, &mut parts) {
                (Some((count, set)), Some(parts)) => parts.push(Part { tenant: tenant.clone(), cell, count, set }),
                _ => parts = None,
            }
        }
        Ok(parts.map(|parts| Matches { parts }))
    }

    fn find_in(
        self: &Arc<Self>,
        db: &Db,
        conn: &mut Conn,
        tenant: &str,
        cell: &Arc<Cell>,
        filters: &[(String, &Filter)],
    ) -> Result<Option<(u64, Arc<RoaringBitmap>)>> {
        let now = catch_up(conn, tenant, cell)?;
        let want_all = |unknown: &[&(String, &Filter)]| {
            unknown.iter().for_each(|(key, filter)| self.want(db, tenant, cell, key, filter));
        };
        let Some(count) = count_few(conn, tenant, cell, self.limits.entries)? else {
            want_all(&filters.iter().collect::<Vec<_>>());
            return Ok(None);
        };
        let (mut sets, mut unknown) = (Vec::new(), Vec::new());
        for one in filters {
            let (key, filter) = one;
            let known = cell.lock().known(key, count, &now);
            let set = match known {
                Known::Set(set) => set,
                Known::Before(set, changed) => {
                    let meant = gather::among(conn, tenant, &[filter], &changed)?;
                    let Some(set) = changed_set(cell, count, set, &changed, &meant) else { return Ok(None) };
                    cell.lock().keep(key, filter.groups(), count, &now, &set);
                    set
                }
                Known::Nothing => {
                    unknown.push(one);
                    continue;
                }
            };
            sets.push(set);
        }
        unknown.sort_by_key(|(_, filter)| match filter {
            Filter::Tags(_) | Filter::Roles(_) | Filter::Groups(_) => 0,
            Filter::Row(_) => 1,
            Filter::Name(_) => 2,
            Filter::Walked(_) => 3,
        });
        let mut both = all_of(&sets);
        let mut left = Vec::new();
        for one in unknown {
            let (key, filter) = one;
            let few = both.as_ref().is_some_and(|set| set.len() <= self.limits.few);
            if few || matches!(filter, Filter::Walked(_)) || cell.lock().is_wanted(key) {
                left.push(one);
                continue;
            }
            let mut ids = Vec::new();
            let whole = gather::meant(conn, tenant, filter, self.limits.entries, |id| {
                ids.push(id);
                Ok(())
            })?;
            if !whole {
                left.push(one);
                continue;
            }
            let mut state = cell.lock();
            let Some(numbers) = state.numbers(count) else { return Ok(None) };
            let set = Arc::new(numbers.set(ids));
            state.keep(key, filter.groups(), count, &now, &set);
            drop(state);
            sets.push(set);
            both = all_of(&sets);
        }
        if left.is_empty() {
            return Ok(both.map(|set| (count, set)));
        }
        let Some(both) = both.filter(|set| set.len() <= self.limits.probes) else {
            want_all(&left);
            return Ok(None);
        };
        let ids: Vec<u128> = {
            let mut state = cell.lock();
            let Some(numbers) = state.numbers(count) else { return Ok(None) };
            numbers.ids(&both).collect()
        };
        if ids.len() as u64 > self.limits.few {
            want_all(&left);
        }
        let asked: Vec<&Filter> = left.iter().map(|(_, filter)| *filter).collect();
        let meant = gather::among(conn, tenant, &asked, &ids)?;
        let mut state = cell.lock();
        Ok(state.numbers(count).map(|numbers| (count, Arc::new(numbers.set(meant)))))
    }

    fn cell(&self, tenant: &str) -> Arc<Cell> {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = tenants.get(tenant) {
            return Arc::clone(cell);
        }
        let cell = Arc::<Cell>::default();
        tenants.insert(tenant.to_owned(), Arc::clone(&cell));
        cell
    }

    /// Counts what a tenant takes, and makes room when all take too much.
    fn settle(&self, cell: &Cell) {
        let state = cell.lock();
        let total = self.weigh(cell, &state);
        drop(state);
        if total > BUDGET {
            self.make_room();
        }
    }

    /// What all take, after one was weighed anew.
    fn weigh(&self, cell: &Cell, state: &State) -> usize {
        let (before, now) = cell.weigh(state);
        let total = self.bytes.fetch_add(now, Ordering::Relaxed) + now;
        self.bytes.fetch_sub(before, Ordering::Relaxed);
        total.saturating_sub(before)
    }

    fn make_room(&self) {
        loop {
            let over = self.bytes.load(Ordering::Relaxed).saturating_sub(BUDGET - BUDGET / 8);
            if over == 0 {
                return;
            }
            let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
            let largest = tenants.iter().max_by_key(|(_, cell)| cell.bytes());
            let Some((tenant, cell)) = largest.map(|(tenant, cell)| (tenant.clone(), Arc::clone(cell))) else { return };
            let mut state = cell.lock();
            let before = state.bytes();
            state.shrink(over);
            if state.bytes() >= before {
                // There is nothing to give but the tenant itself. Who still has it goes on with it alone.
                tenants.remove(&tenant);
                cell.leave();
            }
            self.weigh(&cell, &state);
        }
    }

    /// Has a set made, unless it is being made already.
    fn want(self: &Arc<Self>, db: &Db, tenant: &str, cell: &Arc<Cell>, key: &str, filter: &Filter) {
        let mut state = cell.lock();
        if state.beyond || !state.want(key) {
            return;
        }
        drop(state);
        let job = Job {
            sets: Arc::clone(self),
            db: db.clone(),
            tenant: tenant.to_owned(),
            cell: Arc::clone(cell),
            filter: filter.clone(),
        };
        let refused = match self.makers.get_or_init(start) {
            Some(queue) => queue.try_send(job).is_err(),
            None => true,
        };
        if refused {
            cell.lock().done(key);
        }
    }
}

/// The thread that makes sets, one after the other.
fn start() -> Option<SyncSender<Job>> {
    let (sender, jobs) = sync_channel::<Job>(MOST_WAITING);
    let thread = std::thread::Builder::new().name("filter-sets".to_owned()).spawn(move || {
        while let Ok(job) = jobs.recv() {
            let key = job.filter.key();
            let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                job.db.read_here(|conn| make(conn, &job.tenant, &job.cell, &job.filter, &key))
            }));
            job.cell.lock().done(&key);
            job.sets.settle(&job.cell);
            if !matches!(made, Ok(Ok(()))) {
                tracing::warn!(tenant = job.tenant, "the set of a filter could not be made");
            }
        }
    });
    match thread {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(%error, "no thread makes the sets of filters");
            None
        }
    }
}

/// Makes the set of a filter, and counts the tenant's resources before if nobody did.
fn make(conn: &mut Conn, tenant: &str, cell: &Cell, filter: &Filter, key: &str) -> Result<()> {
    let now = catch_up(conn, tenant, cell)?;
    let Some(count) = count(conn, tenant, cell, MOST_RESOURCES)? else {
        cell.lock().beyond = true;
        return Ok(());
    };
    let mut ids = Vec::new();
    gather::meant(conn, tenant, filter, i64::MAX, |id| {
        ids.push(id);
        Ok(())
    })?;
    let mut set = RoaringBitmap::new();
    // Others wait for a few of them, and not for all.
    for ids in ids.chunks(4096) {
        match cell.lock().numbers(count) {
            Some(numbers) => set |= numbers.set(ids.iter().copied()),
            None => return Ok(()),
        }
    }
    set.optimize();
    cell.lock().keep(key, filter.groups(), count, &now, &Arc::new(set));
    Ok(())
}

/// Takes in what changed until this transaction, and answers its instant.
fn catch_up(conn: &mut Conn, tenant: &str, cell: &Cell) -> Result<Snapshot> {
    let newest = cell.lock().newest().cloned();
    let changes = Changes::since(conn, tenant, newest.as_ref())?;
    cell.lock().catch_up(&changes);
    Ok(changes.now)
}

/// The count of a tenant's resources. Few are counted at once.
fn count_few(conn: &mut Conn, tenant: &str, cell: &Cell, most: i64) -> Result<Option<u64>> {
    let state = cell.lock();
    match state.count() {
        _ if state.beyond => return Ok(None),
        None if state.is_busy() => return Ok(None),
        None => drop(state),
        count => return Ok(count),
    }
    count(conn, tenant, cell, most)
}

fn count(conn: &mut Conn, tenant: &str, cell: &Cell, most: i64) -> Result<Option<u64>> {
    if let Some(count) = cell.lock().count() {
        return Ok(Some(count));
    }
    let mut numbers = Numbers::default();
    let counted = gather::all(conn, tenant, most, |id| _ = numbers.take_in(id))?;
    Ok(counted.then(|| cell.lock().counted(numbers)))
}

/// A set in which some resources are as they are found now.
fn changed_set(
    cell: &Cell,
    count: u64,
    set: Arc<RoaringBitmap>,
    changed: &[u128],
    meant: &[u128],
) -> Option<Arc<RoaringBitmap>> {
    let mut state = cell.lock();
    let numbers = state.numbers(count)?;
    let mut set = Arc::unwrap_or_clone(set);
    for id in changed {
        if let Some(number) = numbers.number(*id) {
            set.remove(number);
        }
    }
    for id in meant {
        set.insert(numbers.take_in(*id));
    }
    Some(Arc::new(set))
}

/// What is in all of some sets; [`None`] of none.
fn all_of(sets: &[Arc<RoaringBitmap>]) -> Option<Arc<RoaringBitmap>> {
    let mut sets: Vec<&Arc<RoaringBitmap>> = sets.iter().collect();
    sets.sort_by_key(|set| set.len());
    let (first, rest) = sets.split_first()?;
    if rest.is_empty() {
        return Some(Arc::clone(first));
    }
    let mut both: RoaringBitmap = (***first).clone();
    rest.iter().for_each(|set| both &= &***set);
    Some(Arc::new(both))
}

impl Matches {
    /// How many there are.
    pub fn total(&self) -> i64 {
        let total: u64 = self.parts.iter().map(|part| part.set.len()).sum();
        i64::try_from(total).unwrap_or(i64::MAX)
    }

    /// The tenant at a place.
    pub fn tenant(&self, place: usize) -> &str {
        self.parts.get(place).map_or("", |part| part.tenant.as_str())
    }

    /// Some of them by id, and by tenant where ids are equal: those behind one, but for the first few. [`None`] when what
    /// was counted is gone meanwhile.
    pub fn by_id(&self, descending: bool, after: Option<(u128, &str)>, skip: usize, most: usize) -> Option<Vec<Found>> {
        let mut states: Vec<_> = self.parts.iter().map(|part| part.cell.lock()).collect();
        let mut walks = Vec::with_capacity(self.parts.len());
        for (part, state) in self.parts.iter().zip(&mut states) {
            let from = match after {
                None => Bound::Unbounded,
                Some((id, tenant)) if (part.tenant.as_str() > tenant) != descending && part.tenant != tenant => {
                    Bound::Included(id)
                }
                Some((id, _)) => Bound::Excluded(id),
            };
            walks.push(state.numbers(part.count)?.in_order(&part.set, descending, from));
        }
        let sign = |(place, id): Found| if descending { (id, place) } else { (u128::MAX - id, usize::MAX - place) };
        let mut heads: BinaryHeap<((u128, usize), usize)> = BinaryHeap::new();
        for (place, walk) in walks.iter_mut().enumerate() {
            heads.extend(walk.next().map(|id| (sign((place, id)), place)));
        }
        let mut found = Vec::with_capacity(most.min(1024));
        let mut passed = 0;
        while found.len() < most
            && let Some(((signed, _), place)) = heads.pop()
        {
            let id = if descending { signed } else { u128::MAX - signed };
            if passed < skip {
                passed += 1;
            } else {
                found.push((place, id));
            }
            if let Some(walk) = walks.get_mut(place) {
                heads.extend(walk.next().map(|id| (sign((place, id)), place)));
            }
        }
        Some(found)
    }

    /// The tenant of all of them; [`None`] when there are several.
    pub fn only_tenant(&self) -> Option<&str> {
        let [part] = self.parts.as_slice() else { return None };
        Some(part.tenant.as_str())
    }

    /// Which ids are among those of the only tenant; [`None`] when there are several, or what was counted is gone.
    pub fn contained(&self, ids: &[String]) -> Option<Vec<bool>> {
        let [part] = self.parts.as_slice() else { return None };
        let mut state = part.cell.lock();
        let numbers = state.numbers(part.count)?;
        let contains = |id: &String| {
            let number = numbers::parse(id).and_then(|id| numbers.number(id));
            number.is_some_and(|number| part.set.contains(number))
        };
        Some(ids.iter().map(contains).collect())
    }
}

#[cfg(test)]
mod tests;
