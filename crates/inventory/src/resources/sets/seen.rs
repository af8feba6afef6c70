//! A tenant's resources as a transaction sees them: what is kept of them, brought to its instant, and what is read to
//! keep it.

use std::sync::{Arc, PoisonError, RwLock};

use db::{
    Conn, Result,
    changes::{Changes, Snapshot},
};
use roaring::RoaringBitmap;

use super::{
    super::meant::{Filter, NameFilter},
    gather,
    names::{Gathered, Names},
    numbers::Numbers,
    tenant::{Cell, Known},
};

/// A tenant at the instant of a transaction.
pub struct Seen<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// What is kept of it.
    pub cell: &'a Arc<Cell>,
    /// Which count of its resources there is.
    pub count: u64,
    now: Snapshot,
}

impl<'a> Seen<'a> {
    /// Takes in what changed until this transaction, and counts the resources if nobody did: [`None`] when there are
    /// more than so many, or when somebody is at it.
    pub fn new(conn: &mut Conn, tenant: &'a str, cell: &'a Arc<Cell>, most: i64) -> Result<Option<Self>> {
        let now = catch_up(conn, tenant, cell)?;
        let state = cell.lock();
        let count = match state.count() {
            _ if state.beyond => return Ok(None),
            None if state.is_busy() => return Ok(None),
            None => {
                drop(state);
                count(conn, tenant, cell, most)?
            }
            count => count,
        };
        Ok(count.map(|count| Self { tenant, cell, count, now }))
    }

    /// As [`Seen::new`], for who is at it: counts all, and notes when they are too many.
    pub fn whole(conn: &mut Conn, tenant: &'a str, cell: &'a Arc<Cell>, most: i64) -> Result<Option<Self>> {
        let now = catch_up(conn, tenant, cell)?;
        let count = count(conn, tenant, cell, most)?;
        cell.lock().beyond |= count.is_none();
        Ok(count.map(|count| Self { tenant, cell, count, now }))
    }

    /// How many resources were counted.
    pub fn resources(&self) -> usize {
        self.cell.lock().numbers(self.count).map_or(0, |numbers| numbers.len())
    }

    /// The set of a filter that has one; what changed since is looked at again.
    pub fn known(&self, conn: &mut Conn, (key, filter): &(String, &Filter)) -> Result<Option<Arc<RoaringBitmap>>> {
        let known = self.cell.lock().known(key, self.count, &self.now);
        let (set, changed) = match known {
            Known::Set(set) => return Ok(Some(set)),
            Known::Before(set, changed) => (set, changed),
            Known::Nothing => return Ok(None),
        };
        let meant = gather::among(conn, self.tenant, &[filter], &changed)?;
        let mut state = self.cell.lock();
        let Some(numbers) = state.numbers(self.count) else { return Ok(None) };
        let mut set = Arc::unwrap_or_clone(set);
        for number in changed.iter().filter_map(|id| numbers.number(*id)) {
            set.remove(number);
        }
        for id in meant {
            set.insert(numbers.take_in(id));
        }
        let set = Arc::new(set);
        state.keep(key, filter.groups(), self.count, &self.now, &set);
        Ok(Some(set))
    }

    /// The set of a filter whose index leads to so many entries at most.
    pub fn by_index(
        &self,
        conn: &mut Conn,
        (key, filter): &(String, &Filter),
        most: i64,
    ) -> Result<Option<Arc<RoaringBitmap>>> {
        let mut ids = Vec::new();
        let whole = gather::meant(conn, self.tenant, filter, most, |id| {
            ids.push(id);
            Ok(())
        })?;
        if !whole {
            return Ok(None);
        }
        Ok(self.numbers(&ids).map(|mut numbers| {
            numbers.sort_unstable();
            let mut set: RoaringBitmap = numbers.into_iter().collect();
            set.optimize();
            let set = Arc::new(set);
            self.cell.lock().keep(key, filter.groups(), self.count, &self.now, &set);
            set
        }))
    }

    /// The set of a filter by names that are at hand, unless that takes too long.
    pub fn by_names(
        &self,
        conn: &mut Conn,
        names: &RwLock<Names>,
        one: &(String, &Filter),
    ) -> Result<Option<Arc<RoaringBitmap>>> {
        let (key, Filter::Name(NameFilter { exact, keys, .. })) = one else { return Ok(None) };
        let (at, set) = {
            let names = names.read().unwrap_or_else(PoisonError::into_inner);
            (names.at.clone(), names.having(keys, *exact))
        };
        let Some(set) = set else { return Ok(None) };
        self.cell.lock().keep(key, &[], self.count, &at, &Arc::new(set));
        self.known(conn, one)
    }

    /// The names in a column, if they were read, as of this transaction or a later one.
    pub fn names(&self, conn: &mut Conn, column: &'static str) -> Result<Option<Arc<RwLock<Names>>>> {
        let kept = self.cell.lock().names(column, self.count);
        let Some(names) = kept else { return Ok(None) };
        if self.bring_up(conn, column, &names)? {
            return Ok(Some(names));
        }
        self.cell.lock().forget_names(column);
        Ok(None)
    }

    /// Reads the names in a column, of all resources.
    pub fn read_names(&self, conn: &mut Conn, column: &'static str) -> Result<Option<Arc<RwLock<Names>>>> {
        let Some(all) = self.gathered(conn, column, None)? else { return Ok(None) };
        let names = Names::new(self.now.clone(), all);
        let bytes = names.bytes();
        let names = Arc::new(RwLock::new(names));
        self.cell.lock().keep_names(column, self.count, &names, bytes);
        Ok(Some(names))
    }

    /// Brings names up to the instant of this transaction, unless they are further. `false` when too much changed
    /// since.
    fn bring_up(&self, conn: &mut Conn, column: &'static str, names: &Arc<RwLock<Names>>) -> Result<bool> {
        let at = names.read().unwrap_or_else(PoisonError::into_inner).at.clone();
        if !self.now.is_later_than(&at) {
            return Ok(true);
        }
        let Some(changed) = self.cell.lock().changed(&at, &self.now, &[]) else { return Ok(false) };
        let Some(new) = self.gathered(conn, column, Some(&changed))? else { return Ok(false) };
        let mut kept = names.write().unwrap_or_else(PoisonError::into_inner);
        if kept.at == at {
            kept.put(new);
            kept.at = self.now.clone();
            let bytes = kept.bytes();
            drop(kept);
            self.cell.lock().keep_names(column, self.count, names, bytes);
        }
        Ok(true)
    }

    /// Reads the names in a column, of all resources or of some; [`None`] when the count is gone.
    fn gathered(&self, conn: &mut Conn, column: &'static str, of: Option<&[u128]>) -> Result<Option<Gathered>> {
        let mut all = Gathered::default();
        let mut ids = Vec::new();
        // Who has no name any more has an empty one.
        for id in of.unwrap_or_default() {
            ids.push(*id);
            all.push("");
        }
        gather::names(conn, self.tenant, column, of, |id, name| {
            ids.push(id);
            all.push(name);
            Ok(())
        })?;
        Ok(self.numbers(&ids).map(|numbers| {
            all.number(numbers);
            all
        }))
    }

    /// The numbers of ids; [`None`] when the count is gone.
    fn numbers(&self, ids: &[u128]) -> Option<Vec<u32>> {
        let mut numbers = Vec::with_capacity(ids.len());
        // Others wait for a few of them, and not for all.
        for ids in ids.chunks(4096) {
            match self.cell.lock().numbers(self.count) {
                Some(known) => numbers.extend(ids.iter().map(|id| known.take_in(*id))),
                None => return None,
            }
        }
        Some(numbers)
    }
}

/// Takes in what changed until this transaction, and answers its instant.
fn catch_up(conn: &mut Conn, tenant: &str, cell: &Cell) -> Result<Snapshot> {
    let newest = cell.lock().newest().cloned();
    let changes = Changes::since(conn, tenant, newest.as_ref())?;
    cell.lock().catch_up(&changes);
    Ok(changes.now)
}

fn count(conn: &mut Conn, tenant: &str, cell: &Cell, most: i64) -> Result<Option<u64>> {
    if let Some(count) = cell.lock().count() {
        return Ok(Some(count));
    }
    let mut numbers = Numbers::default();
    let counted = gather::all(conn, tenant, most, |id| _ = numbers.take_in(id))?;
    Ok(counted.then(|| cell.lock().counted(numbers)))
}
