//! What is kept in memory of a tenant: its resources by number, the sets that filters mean, and what changed lately.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use db::changes::{Changes, Snapshot};
use roaring::RoaringBitmap;
use tokio::sync::Notify;

use super::{
    names::Names,
    numbers::{Numbers, parse},
};

/// Changes that are remembered; a set that is further behind is made anew.
const MOST_CHANGES: usize = 16_384;

/// A note that all of a tenant's sets are out of date, and one that those of a group are (with its id behind it).
pub const EVERYTHING: &str = "*";
pub const GROUP: &str = "group:";

/// A tenant, and what it takes in bytes.
#[derive(Default)]
pub struct Cell {
    state: Mutex<State>,
    made: Notify,
    bytes: AtomicUsize,
    gone: AtomicBool,
}

impl Cell {
    /// The state, for a moment: nobody asks the database meanwhile.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that something is not being made any more, and tells those who wait for it.
    pub fn done(&self, key: &str) {
        self.lock().wanted.remove(key);
        self.made.notify_waiters();
    }

    /// Waits until none of these is being made.
    pub async fn made(&self, keys: &[String]) {
        loop {
            // What is made from here on wakes it.
            let made = self.made.notified();
            if !self.lock().is_any_wanted(keys) {
                return;
            }
            made.await;
        }
    }

    /// What it takes, as of the last [`Cell::weigh`].
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Weighs it; answers what it took before and what it takes.
    pub fn weigh(&self, state: &State) -> (usize, usize) {
        let now = if self.gone.load(Ordering::Relaxed) { 0 } else { state.bytes() };
        (self.bytes.swap(now, Ordering::Relaxed), now)
    }

    /// It counts no more: only those have it who had it already.
    pub fn leave(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Resource(u128),
    Group(i64),
    Everything,
}

/// A set, as of an instant.
struct Kept {
    at: Snapshot,
    set: Arc<RoaringBitmap>,
    groups: Vec<i64>,
    bytes: usize,
    used: u64,
}

/// The names in one column of a tenant's resources.
struct KeptNames {
    names: Arc<RwLock<Names>>,
    bytes: usize,
    used: u64,
}

/// What is kept of a tenant.
#[derive(Default)]
pub struct State {
    /// Until when what changed is known; [`None`] before the first look.
    newest: Option<Snapshot>,
    /// What changed since `base`, stamp by stamp, but for what is forgotten: that was below `floor`.
    changed: VecDeque<(i64, What)>,
    base: Option<Snapshot>,
    floor: i64,
    /// Its resources, once they are counted.
    numbers: Option<Numbers>,
    /// It has too many of them, or some with ids of another kind: nothing is kept.
    pub beyond: bool,
    sets: HashMap<String, Kept>,
    set_bytes: usize,
    /// By column.
    names: HashMap<&'static str, KeptNames>,
    /// The filters whose sets are being made, and the columns whose names are read.
    wanted: HashSet<String>,
    clock: u64,
}

/// What is known of a filter.
pub enum Known {
    /// Nothing.
    Nothing,
    /// What it means.
    Set(Arc<RoaringBitmap>),
    /// What it meant before these resources changed, or after.
    Before(Arc<RoaringBitmap>, Vec<u128>),
}

impl State {
    /// Until when what changed is known.
    pub fn newest(&self) -> Option<&Snapshot> {
        self.newest.as_ref()
    }

    /// Takes in what changed, as somebody saw it who asked for what an earlier `newest` does not see.
    pub fn catch_up(&mut self, changes: &Changes) {
        let Some(newest) = &self.newest else {
            self.newest = Some(changes.now.clone());
            self.base = self.newest.clone();
            return;
        };
        if !changes.whole {
            let later = if changes.now.is_later_than(newest) { &changes.now } else { newest };
            self.base = Some(later.clone());
            self.newest = Some(later.clone());
            self.forget_all();
            self.changed.clear();
            return;
        }
        for (stamp, key) in changes.notes.iter().filter(|(stamp, _)| !newest.sees(*stamp)) {
            let what = match (parse(key), key.strip_prefix(GROUP).and_then(|id| id.parse().ok())) {
                (Some(id), _) => What::Resource(id),
                (None, Some(group)) => What::Group(group),
                (None, None) => {
                    // Something of another kind: resources that cannot be counted, perhaps.
                    self.beyond |= key != EVERYTHING;
                    What::Everything
                }
            };
            self.changed.push_back((*stamp, what));
        }
        if changes.now.is_later_than(newest) {
            self.newest = Some(changes.now.clone());
        }
        while self.changed.len() > MOST_CHANGES
            && let Some((stamp, _)) = self.changed.pop_front()
        {
            self.floor = self.floor.max(stamp + 1);
        }
        if self.numbers.as_ref().is_some_and(Numbers::is_muddled) {
            self.empty();
        }
    }

    /// Is it known what changed since an instant?
    fn covers(&self, instant: &Snapshot) -> bool {
        self.base.as_ref().is_some_and(|base| !base.is_later_than(instant)) && instant.sees_all_below(self.floor)
    }

    /// Which count of its resources there is.
    pub fn count(&self) -> Option<u64> {
        self.numbers.as_ref().map(Numbers::count)
    }

    /// The numbers of a count, unless they are gone.
    pub fn numbers(&mut self, count: u64) -> Option<&mut Numbers> {
        self.numbers.as_mut().filter(|numbers| numbers.count() == count)
    }

    /// Takes a count of its resources, unless there is one.
    pub fn counted(&mut self, numbers: Numbers) -> u64 {
        self.numbers.get_or_insert(numbers).count()
    }

    /// Forgets the sets, the names and the numbers.
    pub fn empty(&mut self) {
        self.numbers = None;
        self.forget_all();
    }

    /// Forgets the sets and the names: what changed since is not known.
    fn forget_all(&mut self) {
        self.names.clear();
        self.sets.clear();
        self.set_bytes = 0;
    }

    /// The resources that changed between two instants; [`None`] when that is not known, or is more than some
    /// resources: one of these groups, or everything.
    pub fn changed(&self, one: &Snapshot, other: &Snapshot, groups: &[i64]) -> Option<Vec<u128>> {
        if one == other {
            return Some(Vec::new());
        }
        if !self.covers(one) || !self.covers(other) {
            return None;
        }
        let mut changed = BTreeSet::new();
        // One of the two sees all that the other does, so what only one sees is what changed in between.
        for (_, what) in self.changed.iter().filter(|(stamp, _)| one.sees(*stamp) != other.sees(*stamp)) {
            match what {
                What::Resource(id) => _ = changed.insert(*id),
                What::Group(group) if groups.contains(group) => return None,
                What::Group(_) => {}
                What::Everything => return None,
            }
        }
        Some(changed.into_iter().collect())
    }

    /// What is known of a filter at an instant, whose changes were taken in.
    pub fn known(&mut self, key: &str, count: u64, now: &Snapshot) -> Known {
        self.clock += 1;
        if self.count() != Some(count) {
            return Known::Nothing;
        }
        let Some(kept) = self.sets.get(key) else { return Known::Nothing };
        let changed = self.changed(&kept.at, now, &kept.groups);
        let is_later = now.is_later_than(&kept.at);
        if changed.is_none() && is_later {
            self.forget(key);
        }
        let (Some(changed), Some(kept)) = (changed, self.sets.get_mut(key)) else { return Known::Nothing };
        kept.used = self.clock;
        if !changed.is_empty() {
            return Known::Before(Arc::clone(&kept.set), changed);
        }
        if is_later {
            kept.at = now.clone();
        }
        Known::Set(Arc::clone(&kept.set))
    }

    /// The names in a column, as of some instant.
    pub fn names(&mut self, column: &str, count: u64) -> Option<Arc<RwLock<Names>>> {
        self.clock += 1;
        if self.count() != Some(count) {
            return None;
        }
        let kept = self.names.get_mut(column)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.names))
    }

    /// Keeps the names in a column, in place of others; also to say that they take more now.
    pub fn keep_names(&mut self, column: &'static str, count: u64, names: &Arc<RwLock<Names>>, bytes: usize) {
        if !self.beyond && self.count() == Some(count) {
            self.clock += 1;
            self.names.insert(column, KeptNames { names: Arc::clone(names), bytes, used: self.clock });
        }
    }

    /// Forgets the names in a column.
    pub fn forget_names(&mut self, column: &str) {
        self.names.remove(column);
    }

    /// Keeps what a filter means at an instant, unless something later is kept.
    pub fn keep(&mut self, key: &str, groups: &[i64], count: u64, at: &Snapshot, set: &Arc<RoaringBitmap>) {
        if self.beyond
            || self.count() != Some(count)
            || self.sets.get(key).is_some_and(|kept| kept.at.is_later_than(at))
        {
            return;
        }
        self.forget(key);
        self.clock += 1;
        let bytes = set.serialized_size() + 2 * key.len() + groups.len() * 8 + 256;
        let kept = Kept { at: at.clone(), set: Arc::clone(set), groups: groups.to_vec(), bytes, used: self.clock };
        self.set_bytes += bytes;
        self.sets.insert(key.to_owned(), kept);
    }

    fn forget(&mut self, key: &str) {
        if let Some(kept) = self.sets.remove(key) {
            self.set_bytes -= kept.bytes;
        }
    }

    /// Is any set being made, or names being read?
    pub fn is_busy(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Is this being made?
    pub fn is_wanted(&self, key: &str) -> bool {
        self.wanted.contains(key)
    }

    /// Is any of these being made?
    pub fn is_any_wanted(&self, keys: &[String]) -> bool {
        keys.iter().any(|key| self.is_wanted(key))
    }

    /// Notes that it is to be made; `false` when it is already.
    pub fn want(&mut self, key: &str) -> bool {
        self.wanted.insert(key.to_owned())
    }

    /// What all of it takes.
    pub fn bytes(&self) -> usize {
        let numbers = self.numbers.as_ref().map_or(0, Numbers::bytes);
        let names: usize = self.names.values().map(|kept| kept.bytes).sum();
        numbers + names + self.set_bytes + self.changed.len() * size_of::<(i64, What)>() + 1024
    }

    /// Forgets the sets and the names that were not used for longest, until they take so much less; all else too when
    /// there are none left.
    pub fn shrink(&mut self, less: usize) {
        let target = self.bytes().saturating_sub(less);
        let sets = self.sets.iter().map(|(key, kept)| (kept.used, false, key.clone()));
        let names = self.names.iter().map(|(column, kept)| (kept.used, true, (*column).to_owned()));
        let mut oldest: Vec<(u64, bool, String)> = sets.chain(names).collect();
        oldest.sort_unstable();
        for (_, is_names, key) in oldest {
            if self.bytes() <= target {
                return;
            }
            if is_names { self.forget_names(&key) } else { self.forget(&key) }
        }
        if self.bytes() > target {
            self.empty();
        }
    }
}
