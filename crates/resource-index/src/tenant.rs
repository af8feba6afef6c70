//! The part of the index of one tenant: the ordinals of its resources, the bitmaps of filters, and the latest changes.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use roaring::RoaringBitmap;
use tokio::sync::Notify;

use crate::{
    changes::{Changes, Snapshot},
    names::Names,
    ordinals::{Ordinals, parse_id},
};

/// Changes that are kept; a bitmap that is further behind is built anew.
const MAX_CHANGES: usize = 16_384;

/// The key of a change of all resources of a tenant.
pub const EVERYTHING: &str = "*";
/// The key of a change of a group begins so; its id follows.
pub const GROUP: &str = "group:";

/// The index of one tenant, and the bytes it takes.
#[derive(Default)]
pub struct TenantIndex {
    state: Mutex<State>,
    built: Notify,
    bytes: AtomicUsize,
    detached: AtomicBool,
}

impl TenantIndex {
    /// The state, for a moment: no caller queries the database meanwhile.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        base::lock(&self.state)
    }

    /// Ends a build, and wakes those that wait for it.
    pub fn end_build(&self, key: &str) {
        self.lock().building.remove(key);
        self.built.notify_waiters();
    }

    /// Waits until none of these is being built.
    pub async fn wait_for(&self, keys: &[String]) {
        loop {
            // A build that ends from here on wakes it.
            let built = self.built.notified();
            if !self.lock().is_any_building(keys) {
                return;
            }
            built.await;
        }
    }

    /// The bytes it takes, as of the last [`TenantIndex::weigh`].
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Weighs it; answers the bytes it took before and the bytes it takes.
    pub fn weigh(&self, state: &State) -> (usize, usize) {
        let now = if self.detached.load(Ordering::Relaxed) { 0 } else { state.bytes() };
        (self.bytes.swap(now, Ordering::Relaxed), now)
    }

    /// Its bytes count no more: only requests that hold it already still use it.
    pub fn detach(&self) {
        self.detached.store(true, Ordering::Relaxed);
    }
}

/// A change, by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Resource(u128),
    Group(i64),
    Everything,
}

/// The bitmap of a filter, as of a snapshot.
struct CachedBitmap {
    at: Snapshot,
    bitmap: Arc<RoaringBitmap>,
    groups: Vec<i64>,
    bytes: usize,
    used: u64,
}

/// The names in one column of a tenant's resources.
struct CachedNames {
    names: Arc<RwLock<Names>>,
    bytes: usize,
    used: u64,
}

/// The state of a tenant's index.
#[derive(Default)]
pub struct State {
    /// The latest snapshot whose changes were taken in; [`None`] before the first.
    newest: Option<Snapshot>,
    /// The changes since `base`, stamp by stamp, but for those that were dropped, which are below `floor`.
    changed: VecDeque<(i64, Change)>,
    base: Option<Snapshot>,
    floor: i64,
    /// Its resources, once ordinals are assigned.
    ordinals: Option<Ordinals>,
    /// It has too many resources, or ids of another kind: nothing is cached.
    pub is_unindexable: bool,
    bitmaps: HashMap<String, CachedBitmap>,
    bitmap_bytes: usize,
    /// By column.
    names: HashMap<&'static str, CachedNames>,
    /// The filters whose bitmaps are being built, and the columns whose names are read.
    building: HashSet<String>,
    clock: u64,
}

/// The cached bitmap of a filter, at a snapshot.
pub enum Lookup {
    /// There is none.
    Missing,
    /// It is as of this snapshot.
    Current(Arc<RoaringBitmap>),
    /// It is as of another snapshot; these resources changed in between.
    Stale(Arc<RoaringBitmap>, Vec<u128>),
}

impl State {
    /// The latest snapshot whose changes were taken in.
    pub fn newest(&self) -> Option<&Snapshot> {
        self.newest.as_ref()
    }

    /// Takes in changes that a transaction read since an earlier `newest`.
    pub fn apply(&mut self, changes: &Changes) {
        let Some(newest) = &self.newest else {
            self.newest = Some(changes.now.clone());
            self.base = self.newest.clone();
            return;
        };
        if !changes.is_complete {
            let later = if changes.now.is_later_than(newest) { &changes.now } else { newest };
            self.base = Some(later.clone());
            self.newest = Some(later.clone());
            self.clear_cache();
            self.changed.clear();
            return;
        }
        for (stamp, key) in changes.entries.iter().filter(|(stamp, _)| !newest.sees(*stamp)) {
            let change = match (parse_id(key), key.strip_prefix(GROUP).and_then(|id| id.parse().ok())) {
                (Some(id), _) => Change::Resource(id),
                (None, Some(group)) => Change::Group(group),
                (None, None) => {
                    // A key of another kind: a resource that can have no ordinal.
                    self.is_unindexable |= key != EVERYTHING;
                    Change::Everything
                }
            };
            self.changed.push_back((*stamp, change));
        }
        if changes.now.is_later_than(newest) {
            self.newest = Some(changes.now.clone());
        }
        while self.changed.len() > MAX_CHANGES
            && let Some((stamp, _)) = self.changed.pop_front()
        {
            self.floor = self.floor.max(stamp + 1);
        }
        if self.ordinals.as_ref().is_some_and(Ordinals::is_fragmented) {
            self.clear();
        }
    }

    /// Are all changes since a snapshot known?
    fn covers(&self, snapshot: &Snapshot) -> bool {
        self.base.as_ref().is_some_and(|base| !base.is_later_than(snapshot)) && snapshot.sees_all_below(self.floor)
    }

    /// The generation of its ordinals, once they are assigned.
    pub fn generation(&self) -> Option<u64> {
        self.ordinals.as_ref().map(Ordinals::generation)
    }

    /// The ordinals of a generation, unless they were dropped.
    pub fn ordinals(&mut self, generation: u64) -> Option<&mut Ordinals> {
        self.ordinals.as_mut().filter(|ordinals| ordinals.generation() == generation)
    }

    /// Sets the ordinals, unless there are some; answers their generation.
    pub fn set_ordinals(&mut self, ordinals: Ordinals) -> u64 {
        self.ordinals.get_or_insert(ordinals).generation()
    }

    /// Drops the bitmaps, the names and the ordinals.
    pub fn clear(&mut self) {
        self.ordinals = None;
        self.clear_cache();
    }

    /// Drops the bitmaps and the names.
    fn clear_cache(&mut self) {
        self.names.clear();
        self.bitmaps.clear();
        self.bitmap_bytes = 0;
    }

    /// The resources that changed between two snapshots; [`None`] when that is not known, or when one of these groups
    /// or everything changed.
    pub fn changed(&self, one: &Snapshot, other: &Snapshot, groups: &[i64]) -> Option<Vec<u128>> {
        if one == other {
            return Some(Vec::new());
        }
        if !self.covers(one) || !self.covers(other) {
            return None;
        }
        let mut changed = BTreeSet::new();
        // One snapshot sees all that the other sees, so a change that only one of them sees lies in between.
        for (_, change) in self.changed.iter().filter(|(stamp, _)| one.sees(*stamp) != other.sees(*stamp)) {
            match change {
                Change::Resource(id) => _ = changed.insert(*id),
                Change::Group(group) if groups.contains(group) => return None,
                Change::Group(_) => {}
                Change::Everything => return None,
            }
        }
        Some(changed.into_iter().collect())
    }

    /// The cached bitmap of a filter, at a snapshot whose changes were taken in.
    pub fn lookup(&mut self, key: &str, generation: u64, now: &Snapshot) -> Lookup {
        self.clock += 1;
        if self.generation() != Some(generation) {
            return Lookup::Missing;
        }
        let Some(kept) = self.bitmaps.get(key) else { return Lookup::Missing };
        let changed = self.changed(&kept.at, now, &kept.groups);
        let is_later = now.is_later_than(&kept.at);
        if changed.is_none() && is_later {
            self.drop_bitmap(key);
        }
        let (Some(changed), Some(kept)) = (changed, self.bitmaps.get_mut(key)) else { return Lookup::Missing };
        kept.used = self.clock;
        if !changed.is_empty() {
            return Lookup::Stale(Arc::clone(&kept.bitmap), changed);
        }
        if is_later {
            kept.at = now.clone();
        }
        Lookup::Current(Arc::clone(&kept.bitmap))
    }

    /// The names in a column, as of some snapshot.
    pub fn names(&mut self, column: &str, generation: u64) -> Option<Arc<RwLock<Names>>> {
        self.clock += 1;
        if self.generation() != Some(generation) {
            return None;
        }
        let kept = self.names.get_mut(column)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.names))
    }

    /// Caches the names in a column, in place of others or with their new size.
    pub fn cache_names(&mut self, column: &'static str, generation: u64, names: &Arc<RwLock<Names>>, bytes: usize) {
        if !self.is_unindexable && self.generation() == Some(generation) {
            self.clock += 1;
            self.names.insert(column, CachedNames { names: Arc::clone(names), bytes, used: self.clock });
        }
    }

    /// Drops the names in a column.
    pub fn drop_names(&mut self, column: &str) {
        self.names.remove(column);
    }

    /// Caches the bitmap of a filter as of a snapshot, unless a later one is cached.
    pub fn cache(&mut self, key: &str, groups: &[i64], generation: u64, at: &Snapshot, bitmap: &Arc<RoaringBitmap>) {
        if self.is_unindexable
            || self.generation() != Some(generation)
            || self.bitmaps.get(key).is_some_and(|kept| kept.at.is_later_than(at))
        {
            return;
        }
        self.drop_bitmap(key);
        self.clock += 1;
        let bytes = bitmap.serialized_size() + 2 * key.len() + groups.len() * 8 + 256;
        let kept = CachedBitmap {
            at: at.clone(),
            bitmap: Arc::clone(bitmap),
            groups: groups.to_vec(),
            bytes,
            used: self.clock,
        };
        self.bitmap_bytes += bytes;
        self.bitmaps.insert(key.to_owned(), kept);
    }

    fn drop_bitmap(&mut self, key: &str) {
        if let Some(kept) = self.bitmaps.remove(key) {
            self.bitmap_bytes -= kept.bytes;
        }
    }

    /// Is any bitmap being built, or any column read?
    pub fn is_building(&self) -> bool {
        !self.building.is_empty()
    }

    /// Is this being built?
    pub fn is_building_key(&self, key: &str) -> bool {
        self.building.contains(key)
    }

    /// Is any of these being built?
    pub fn is_any_building(&self, keys: &[String]) -> bool {
        keys.iter().any(|key| self.is_building_key(key))
    }

    /// Begins a build; `false` when it was begun already.
    pub fn begin_build(&mut self, key: &str) -> bool {
        self.building.insert(key.to_owned())
    }

    /// The bytes that all of it takes.
    pub fn bytes(&self) -> usize {
        let ordinals = self.ordinals.as_ref().map_or(0, Ordinals::bytes);
        let names: usize = self.names.values().map(|kept| kept.bytes).sum();
        ordinals + names + self.bitmap_bytes + self.changed.len() * size_of::<(i64, Change)>() + 1024
    }

    /// Drops the bitmaps and the names that were not used for longest, until they take so many bytes less; then all
    /// else when that does not suffice.
    pub fn shrink(&mut self, less: usize) {
        let target = self.bytes().saturating_sub(less);
        let bitmaps = self.bitmaps.iter().map(|(key, kept)| (kept.used, false, key.clone()));
        let names = self.names.iter().map(|(column, kept)| (kept.used, true, (*column).to_owned()));
        let mut oldest: Vec<(u64, bool, String)> = bitmaps.chain(names).collect();
        oldest.sort_unstable();
        for (_, is_names, key) in oldest {
            if self.bytes() <= target {
                return;
            }
            if is_names { self.drop_names(&key) } else { self.drop_bitmap(&key) }
        }
        if self.bytes() > target {
            self.clear();
        }
    }
}
