//! Which resources filters mean, as sets of numbers in memory: totals without counting, pages without searching.
//!
//! For each tenant a gateway keeps its resources, counted, and for filters that were asked for the set of resources
//! that they mean. Several filters together are the intersection of their sets, a total is its size, and a page by id
//! is a part of it. Nothing of it is ever older or newer than the rows of the answer: a set says of which instant it
//! is, each write notes which resource it changed ([`db::changes`]), and whoever reads looks at those again that
//! changed between the set's instant and its own, by the very condition that the set was made by.
//!
//! A set is made at once when an index leads to few entries. Where it leads to many, the set is made beside the
//! request, one at a time, the tenants in turn; who asks for a page or a total waits for it, and is answered by the
//! database as if there were no sets when that takes too long. What is asked of names is looked for in the names
//! themselves ([`names`]), which are read once in the same way, and are as of an instant as sets are. All sets and
//! names together take no more than [`BUDGET`]; the tenant that has most gives first, what it did not use for longest.

mod gather;
mod matches;
mod names;
pub mod numbers;
mod seen;
mod tenant;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    time::Duration,
};

use base::turns::TurnQueue;
use db::{Conn, Db, Result, changes};
use roaring::RoaringBitmap;

pub use self::matches::{Found, Matches};
use self::{
    matches::Part,
    seen::Seen,
    tenant::{Cell, EVERYTHING, GROUP, State},
};
use super::meant::Filter;

/// What all of it may take, in bytes.
const BUDGET: usize = 96 << 20;
/// Resources of a tenant beyond which nothing is kept of it: their numbers alone would take half.
const MOST_RESOURCES: i64 = 3_000_000;
/// Tenants of one question beyond which the database answers it.
const MOST_TENANTS: usize = 256;
/// How long a request waits for what it takes. The database alone takes longer for a million names.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// Sets that wait to be made, of one tenant and of all.
const MOST_WAITING_OF_ONE: usize = 32;
const MOST_WAITING: usize = 1_024;

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
    /// Resources of a tenant whose names it reads.
    names: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 5_000, probes: 5_000, few: 500, names: 5_000 }
    }
}

/// The sets of all tenants of a database.
#[derive(Default)]
pub struct Sets {
    limits: Limits,
    tenants: Mutex<HashMap<String, Arc<Cell>>>,
    bytes: AtomicUsize,
    maker: OnceLock<Option<Maker>>,
}

/// The thread that makes sets: what waits for it, and how it is told so.
struct Maker {
    waiting: Arc<Mutex<TurnQueue<Job>>>,
    arrived: Sender<()>,
}

/// What is being made of some tenants, for somebody who waits for it.
pub struct Unmade {
    cells: Vec<Arc<Cell>>,
    keys: Vec<String>,
}

impl Unmade {
    /// Waits until it is made, or has taken too long.
    pub async fn made(self) {
        let all = async {
            for cell in &self.cells {
                cell.made(&self.keys).await;
            }
        };
        // Who waited enough is answered by the database.
        let _ = tokio::time::timeout(LONGEST_WAIT, all).await;
    }
}

/// A set to be made, or names to be read.
struct Job {
    sets: Arc<Sets>,
    db: Db,
    tenant: String,
    cell: Arc<Cell>,
    what: Work,
}

/// What a job makes.
enum Work {
    Set(Filter),
    Names(&'static str),
}

impl Work {
    /// What it is for a filter.
    fn of(filter: &Filter) -> Self {
        match filter {
            Filter::Name(name) => Self::Names(name.column),
            filter => Self::Set(filter.clone()),
        }
    }

    /// The same for those that make the same.
    fn key(&self) -> String {
        match self {
            Self::Set(filter) => filter.key(),
            Self::Names(column) => (*column).to_owned(),
        }
    }
}

impl Sets {
    /// The resources of these tenants that all filters mean, of which one at least says a state; [`None`] when that
    /// cannot be told at once; then what it takes to tell next time is made beside, if so wished. Inside a transaction
    /// that reads.
    pub fn find(
        self: &Arc<Self>,
        db: &Db,
        conn: &mut Conn,
        scope: &[String],
        filters: &[Filter],
        make: bool,
    ) -> Result<Option<Matches>> {
        let tenants: BTreeSet<&String> = scope.iter().collect();
        if tenants.len() > MOST_TENANTS || filters.is_empty() {
            return Ok(None);
        }
        let keyed: Vec<(String, &Filter)> = filters.iter().map(|filter| (filter.key(), filter)).collect();
        let mut parts = Some(Vec::with_capacity(tenants.len()));
        for tenant in tenants {
            let cell = self.cell(tenant);
            let want = |filter: &Filter| {
                if make {
                    self.want(db, tenant, &cell, Work::of(filter));
                }
            };
            let found = self.find_in(conn, tenant, &cell, &keyed, want)?;
            self.settle(&cell);
            // The others are asked all the same, so that what they lack is made too.
            match (found, &mut parts) {
                (Some((count, set)), Some(parts)) => parts.push(Part { tenant: tenant.clone(), cell, count, set }),
                _ => parts = None,
            }
        }
        Ok(parts.map(|parts| Matches { parts }))
    }

    /// What is being made that it takes to [tell](Self::find); [`None`] when it is nothing, or when the database
    /// answers sooner: by one filter whose index leads to few entries.
    pub fn unmade(&self, conn: &mut Conn, scope: &[String], filters: &[Filter]) -> Result<Option<Unmade>> {
        let keys: Vec<String> = filters.iter().map(|filter| Work::of(filter).key()).collect();
        let tenants: BTreeSet<&String> = scope.iter().take(MOST_TENANTS).collect();
        let cells = tenants.into_iter().map(|tenant| (tenant, self.cell(tenant)));
        let cells: Vec<_> = cells.filter(|(_, cell)| cell.lock().is_any_wanted(&keys)).collect();
        for filter in filters.iter().filter(|filter| filter.is_indexed()) {
            let mut are_few = true;
            for (tenant, _) in &cells {
                are_few = are_few && gather::meant(conn, tenant, filter, self.limits.entries, |_| Ok(()))?;
            }
            if are_few {
                return Ok(None);
            }
        }
        let cells: Vec<_> = cells.into_iter().map(|(_, cell)| cell).collect();
        Ok((!cells.is_empty()).then_some(Unmade { cells, keys }))
    }

    fn find_in(
        &self,
        conn: &mut Conn,
        tenant: &str,
        cell: &Arc<Cell>,
        filters: &[(String, &Filter)],
        want: impl Fn(&Filter),
    ) -> Result<Option<(u64, Arc<RoaringBitmap>)>> {
        let want_all = |unknown: &[&(String, &Filter)]| unknown.iter().for_each(|(_, filter)| want(filter));
        let Some(seen) = Seen::new(conn, tenant, cell, self.limits.entries)? else {
            want_all(&filters.iter().collect::<Vec<_>>());
            return Ok(None);
        };
        let mut sets = Vec::new();
        let mut unknown = Vec::new();
        for one in filters {
            match seen.known(conn, one)? {
                Some(set) => sets.push(set),
                None => unknown.push(one),
            }
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
            let few = both.as_ref().is_some_and(|set| set.len() <= self.limits.few);
            let set = if few { None } else { self.look_up(conn, &seen, one)? };
            match set {
                Some(set) => sets.push(set),
                None => left.push(one),
            }
            both = all_of(&sets);
        }
        if left.is_empty() {
            return Ok(both.map(|set| (seen.count, set)));
        }
        let Some(both) = both.filter(|set| set.len() <= self.limits.probes) else {
            want_all(&left);
            return Ok(None);
        };
        let ids: Vec<u128> = {
            let mut state = cell.lock();
            let Some(numbers) = state.numbers(seen.count) else { return Ok(None) };
            numbers.ids(&both).collect()
        };
        if ids.len() as u64 > self.limits.few {
            want_all(&left);
        }
        let asked: Vec<&Filter> = left.iter().map(|(_, filter)| *filter).collect();
        let meant = gather::among(conn, tenant, &asked, &ids)?;
        let mut state = cell.lock();
        Ok(state.numbers(seen.count).map(|numbers| (seen.count, Arc::new(numbers.set(meant)))))
    }

    /// The set of a filter that has none, when it can be had at once: by few entries of an index, or by names that are
    /// at hand.
    fn look_up(&self, conn: &mut Conn, seen: &Seen<'_>, one: &(String, &Filter)) -> Result<Option<Arc<RoaringBitmap>>> {
        let (key, filter) = one;
        let column = match filter {
            Filter::Walked(_) => return Ok(None),
            Filter::Name(name) => Some(name.column),
            _ => None,
        };
        if filter.is_indexed()
            && !seen.cell.lock().is_wanted(key)
            && let Some(set) = seen.by_index(conn, one, self.limits.entries)?
        {
            return Ok(Some(set));
        }
        let Some(column) = column else { return Ok(None) };
        let mut names = seen.names(conn, column)?;
        if names.is_none() && seen.resources() <= self.limits.names {
            names = seen.read_names(conn, column)?;
        }
        match names {
            Some(names) => seen.by_names(conn, &names, one),
            None => Ok(None),
        }
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
    fn want(self: &Arc<Self>, db: &Db, tenant: &str, cell: &Arc<Cell>, what: Work) {
        let key = what.key();
        let mut state = cell.lock();
        if state.beyond || !state.want(&key) {
            return;
        }
        drop(state);
        let job =
            Job { sets: Arc::clone(self), db: db.clone(), tenant: tenant.to_owned(), cell: Arc::clone(cell), what };
        if self.maker.get_or_init(Maker::start).as_ref().is_none_or(|maker| !maker.push(job)) {
            cell.done(&key);
        }
    }
}

impl Maker {
    /// Starts the thread. It makes one set after the other, the next tenant's next, until nobody can send it another.
    fn start() -> Option<Self> {
        let waiting = Arc::new(Mutex::new(TurnQueue::<Job>::new(MOST_WAITING_OF_ONE, MOST_WAITING)));
        let (arrived, arrivals) = channel();
        let queue = Arc::clone(&waiting);
        let thread = std::thread::Builder::new().name("filter-sets".to_owned()).spawn(move || {
            while arrivals.recv().is_ok() {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next(|_| true);
                if let Some((_, job)) = next {
                    job.run();
                }
            }
        });
        match thread {
            Ok(_) => Some(Self { waiting, arrived }),
            Err(error) => {
                tracing::warn!(%error, "no thread makes the sets of filters");
                None
            }
        }
    }

    /// Has something made; false when too much waits already.
    fn push(&self, job: Job) -> bool {
        let tenant = job.tenant.clone();
        let waits = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(&tenant, job);
        waits.is_ok() && self.arrived.send(()).is_ok()
    }
}

impl Job {
    fn run(&self) {
        let key = self.what.key();
        let made =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.db.read_here(|conn| make(conn, self))));
        self.cell.done(&key);
        self.sets.settle(&self.cell);
        if !matches!(made, Ok(Ok(()))) {
            tracing::warn!(tenant = self.tenant, "the set of a filter could not be made");
        }
    }
}

/// Makes what a job is for.
fn make(conn: &mut Conn, job: &Job) -> Result<()> {
    let Some(seen) = Seen::whole(conn, &job.tenant, &job.cell, MOST_RESOURCES)? else { return Ok(()) };
    match &job.what {
        Work::Set(filter) => seen.by_index(conn, &(filter.key(), filter), i64::MAX).map(drop),
        // Names that are there do not help whoever asks for too much of them.
        Work::Names(column) if seen.names(conn, column)?.is_some() => Ok(()),
        Work::Names(column) => seen.read_names(conn, column).map(drop),
    }
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

#[cfg(test)]
mod tests;
