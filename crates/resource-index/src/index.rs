//! The index of all tenants of a database.

use std::{
    collections::{BTreeSet, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use db::{Conn, Db, Result};
use roaring::RoaringBitmap;

use crate::{
    builder::Builder,
    filter::Filter,
    matches::{Matches, TenantMatches},
    tenant::{State, TenantIndex},
    view::{KeyedFilter, TenantView},
};

/// Resources of a tenant beyond which it is not indexed: their ordinals alone would take half of the budget.
const MAX_RESOURCES: i64 = 3_000_000;
/// Tenants of one search beyond which the database answers it.
const MAX_TENANTS: usize = 256;
/// How long a request waits for builds. The database alone takes longer for a million names.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// How much a request does before it leaves the rest to the database or to a build.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Entries of a database index that it reads to build a bitmap, and resources that get ordinals.
    pub entries: i64,
    /// Resources that it checks one by one, for the filters that have no bitmap.
    pub probes: u64,
    /// So few resources are checked one by one without building another bitmap.
    pub few: u64,
    /// Resources of a tenant whose names it reads.
    pub names: usize,
    /// Bytes that the index of all tenants may take.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 5_000, probes: 5_000, few: 500, names: 5_000, bytes: 96 << 20 }
    }
}

/// The index of all tenants of a database.
#[derive(Default)]
pub struct ResourceIndex {
    limits: Limits,
    tenants: Mutex<HashMap<String, Arc<TenantIndex>>>,
    bytes: AtomicUsize,
    builder: OnceLock<Option<Builder>>,
}

/// Builds that are under way, to wait for.
pub struct PendingBuild {
    tenants: Vec<Arc<TenantIndex>>,
    keys: Vec<String>,
}

impl PendingBuild {
    /// Waits until they have ended, or have taken too long.
    pub async fn finished(self) {
        let all = async {
            for tenant in &self.tenants {
                tenant.wait_for(&self.keys).await;
            }
        };
        // After too long a wait the database answers.
        let _ = tokio::time::timeout(MAX_WAIT, all).await;
    }
}

/// What to build.
enum Task<F> {
    /// The bitmap of a filter.
    Bitmap(F),
    /// The names in a column.
    Names(&'static str),
}

impl<F: Filter> Task<F> {
    fn of(filter: &F) -> Self {
        match filter.name_pattern() {
            Some(pattern) => Self::Names(pattern.column),
            None => Self::Bitmap(filter.clone()),
        }
    }

    /// Equal for equal tasks.
    fn key(&self) -> String {
        match self {
            Self::Bitmap(filter) => filter.key(),
            Self::Names(column) => (*column).to_owned(),
        }
    }
}

impl ResourceIndex {
    /// An index with other limits.
    pub fn with_limits(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The resources of these tenants that match all filters, one of which at least restricts the state; [`None`] when
    /// the index cannot answer at once. With `build`, it then begins to build what it lacks. Inside a transaction that
    /// reads.
    pub fn search<F: Filter>(
        self: &Arc<Self>,
        db: &Db,
        conn: &mut Conn,
        scope: &[String],
        filters: &[F],
        build: bool,
    ) -> Result<Option<Matches>> {
        let tenants: BTreeSet<&String> = scope.iter().collect();
        if tenants.len() > MAX_TENANTS || filters.is_empty() {
            return Ok(None);
        }
        let keyed: Vec<KeyedFilter<'_, F>> = filters.iter().map(|filter| (filter.key(), filter)).collect();
        let mut parts = Some(Vec::with_capacity(tenants.len()));
        for tenant in tenants {
            let index = self.tenant(tenant);
            let enqueue = |filter: &F| {
                if build {
                    self.enqueue(db, tenant, &index, Task::of(filter));
                }
            };
            let matches = self.search_tenant(conn, tenant, &index, &keyed, enqueue)?;
            self.account(&index);
            // The other tenants are searched all the same, so that what they lack is built too.
            match (matches, &mut parts) {
                (Some((generation, bitmap)), Some(parts)) => {
                    parts.push(TenantMatches { tenant: tenant.clone(), index, generation, bitmap });
                }
                _ => parts = None,
            }
        }
        Ok(parts.map(|parts| Matches { parts }))
    }

    /// The builds under way that a [search](Self::search) needs; [`None`] when there are none, or when the database
    /// answers sooner: by one filter whose index leads to few entries.
    pub fn pending_build<F: Filter>(
        &self,
        conn: &mut Conn,
        scope: &[String],
        filters: &[F],
    ) -> Result<Option<PendingBuild>> {
        let keys: Vec<String> = filters.iter().map(|filter| Task::of(filter).key()).collect();
        let tenants: BTreeSet<&String> = scope.iter().take(MAX_TENANTS).collect();
        let tenants = tenants.into_iter().map(|tenant| (tenant, self.tenant(tenant)));
        let tenants: Vec<_> = tenants.filter(|(_, index)| index.lock().is_any_building(&keys)).collect();
        for filter in filters.iter().filter(|filter| filter.is_indexed()) {
            let mut are_few = true;
            for (tenant, _) in &tenants {
                are_few = are_few && filter.for_each_match(conn, tenant, self.limits.entries, &mut |_| Ok(()))?;
            }
            if are_few {
                return Ok(None);
            }
        }
        let tenants: Vec<_> = tenants.into_iter().map(|(_, index)| index).collect();
        Ok((!tenants.is_empty()).then_some(PendingBuild { tenants, keys }))
    }

    fn search_tenant<F: Filter>(
        &self,
        conn: &mut Conn,
        tenant: &str,
        index: &Arc<TenantIndex>,
        filters: &[KeyedFilter<'_, F>],
        enqueue: impl Fn(&F),
    ) -> Result<Option<(u64, Arc<RoaringBitmap>)>> {
        let enqueue_all = |missing: &[&KeyedFilter<'_, F>]| missing.iter().for_each(|(_, filter)| enqueue(filter));
        let Some(view) = TenantView::<F>::open(conn, tenant, index, self.limits.entries)? else {
            enqueue_all(&filters.iter().collect::<Vec<_>>());
            return Ok(None);
        };
        let mut bitmaps = Vec::new();
        let mut missing = Vec::new();
        for one in filters {
            match view.cached(conn, one)? {
                Some(bitmap) => bitmaps.push(bitmap),
                None => missing.push(one),
            }
        }
        missing.sort_by_key(|(_, filter)| filter.cost());
        let mut matching = intersection(&bitmaps);
        let mut left = Vec::new();
        for one in missing {
            let are_few = matching.as_ref().is_some_and(|bitmap| bitmap.len() <= self.limits.few);
            let bitmap = if are_few { None } else { self.look_up(conn, &view, one)? };
            match bitmap {
                Some(bitmap) => bitmaps.push(bitmap),
                None => left.push(one),
            }
            matching = intersection(&bitmaps);
        }
        if left.is_empty() {
            return Ok(matching.map(|bitmap| (view.generation, bitmap)));
        }
        let Some(matching) = matching.filter(|bitmap| bitmap.len() <= self.limits.probes) else {
            enqueue_all(&left);
            return Ok(None);
        };
        let ids: Vec<u128> = {
            let mut state = index.lock();
            let Some(ordinals) = state.ordinals(view.generation) else { return Ok(None) };
            ordinals.ids(&matching).collect()
        };
        if ids.len() as u64 > self.limits.few {
            enqueue_all(&left);
        }
        let left: Vec<&F> = left.iter().map(|(_, filter)| *filter).collect();
        let matching = F::matching_among(conn, tenant, &left, &ids)?;
        let mut state = index.lock();
        let ordinals = state.ordinals(view.generation);
        Ok(ordinals.map(|ordinals| (view.generation, Arc::new(ordinals.bitmap(matching)))))
    }

    /// The bitmap of a filter that has none, when it can be had at once: by few entries of a database index, or by
    /// names in memory.
    fn look_up<F: Filter>(
        &self,
        conn: &mut Conn,
        view: &TenantView<'_, F>,
        one: &KeyedFilter<'_, F>,
    ) -> Result<Option<Arc<RoaringBitmap>>> {
        let (key, filter) = one;
        if filter.is_indexed()
            && !view.index.lock().is_building_key(key)
            && let Some(bitmap) = view.read(conn, one, self.limits.entries)?
        {
            return Ok(Some(bitmap));
        }
        let Some(pattern) = filter.name_pattern() else { return Ok(None) };
        let mut names = view.names(conn, pattern.column)?;
        if names.is_none() && view.resources() <= self.limits.names {
            names = view.read_names(conn, pattern.column)?;
        }
        match names {
            Some(names) => view.search_names(conn, &names, one),
            None => Ok(None),
        }
    }

    fn tenant(&self, tenant: &str) -> Arc<TenantIndex> {
        let mut tenants = base::lock(&self.tenants);
        if let Some(index) = tenants.get(tenant) {
            return Arc::clone(index);
        }
        let index = Arc::<TenantIndex>::default();
        tenants.insert(tenant.to_owned(), Arc::clone(&index));
        index
    }

    /// The bytes that all tenants take.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Is anything being built?
    pub fn is_building(&self) -> bool {
        let tenants = base::lock(&self.tenants);
        tenants.values().any(|index| index.lock().is_building())
    }

    /// Drops everything that is cached.
    pub fn clear(&self) {
        let tenants = base::lock(&self.tenants);
        tenants.values().for_each(|index| index.lock().clear());
    }

    /// Weighs a tenant, and evicts when all take too much.
    fn account(&self, index: &TenantIndex) {
        let state = index.lock();
        let total = self.weigh(index, &state);
        drop(state);
        if total > self.limits.bytes {
            self.evict();
        }
    }

    /// The bytes of all, after one was weighed anew.
    fn weigh(&self, index: &TenantIndex, state: &State) -> usize {
        let (before, now) = index.weigh(state);
        let total = self.bytes.fetch_add(now, Ordering::Relaxed) + now;
        self.bytes.fetch_sub(before, Ordering::Relaxed);
        total.saturating_sub(before)
    }

    fn evict(&self) {
        let target = self.limits.bytes - self.limits.bytes / 8;
        loop {
            let excess = self.bytes().saturating_sub(target);
            if excess == 0 {
                return;
            }
            let mut tenants = base::lock(&self.tenants);
            let largest = tenants.iter().max_by_key(|(_, index)| index.bytes());
            let Some((tenant, index)) = largest.map(|(tenant, index)| (tenant.clone(), Arc::clone(index))) else {
                return;
            };
            let mut state = index.lock();
            let before = state.bytes();
            state.shrink(excess);
            if state.bytes() >= before {
                // There is nothing left to drop but the tenant itself. Requests that hold it go on with it alone.
                tenants.remove(&tenant);
                index.detach();
            }
            self.weigh(&index, &state);
        }
    }

    /// Queues a build, unless it is under way already.
    fn enqueue<F: Filter>(self: &Arc<Self>, db: &Db, tenant: &str, index: &Arc<TenantIndex>, task: Task<F>) {
        let key = task.key();
        let mut state = index.lock();
        if state.is_unindexable || !state.begin_build(&key) {
            return;
        }
        drop(state);
        let this = Arc::clone(self);
        let db = db.clone();
        let owned_tenant = tenant.to_owned();
        let tenant_index = Arc::clone(index);
        let job = move || this.run(&db, &owned_tenant, &tenant_index, &task);
        let builder = self.builder.get_or_init(Builder::start).as_ref();
        if builder.is_none_or(|builder| !builder.push(tenant, Box::new(job))) {
            index.end_build(&key);
        }
    }

    fn run<F: Filter>(&self, db: &Db, tenant: &str, index: &Arc<TenantIndex>, task: &Task<F>) {
        let built = catch_unwind(AssertUnwindSafe(|| db.read_here(|conn| build(conn, tenant, index, task))));
        index.end_build(&task.key());
        self.account(index);
        if !matches!(built, Ok(Ok(()))) {
            tracing::warn!(tenant, "the bitmap of a filter could not be built");
        }
    }
}

fn build<F: Filter>(conn: &mut Conn, tenant: &str, index: &Arc<TenantIndex>, task: &Task<F>) -> Result<()> {
    let Some(view) = TenantView::<F>::open_for_build(conn, tenant, index, MAX_RESOURCES)? else { return Ok(()) };
    match task {
        Task::Bitmap(filter) => view.read(conn, &(filter.key(), filter), i64::MAX).map(drop),
        // The names are in memory already; a search that scans too many of them finds them no faster.
        Task::Names(column) if view.names(conn, column)?.is_some() => Ok(()),
        Task::Names(column) => view.read_names(conn, column).map(drop),
    }
}

/// The intersection of some bitmaps; [`None`] of none.
fn intersection(bitmaps: &[Arc<RoaringBitmap>]) -> Option<Arc<RoaringBitmap>> {
    let mut bitmaps: Vec<&Arc<RoaringBitmap>> = bitmaps.iter().collect();
    bitmaps.sort_by_key(|bitmap| bitmap.len());
    let (first, rest) = bitmaps.split_first()?;
    if rest.is_empty() {
        return Some(Arc::clone(first));
    }
    let mut all: RoaringBitmap = (***first).clone();
    rest.iter().for_each(|bitmap| all &= &***bitmap);
    Some(Arc::new(all))
}
