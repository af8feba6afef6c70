//! A tenant's index as of the snapshot of a transaction: cached bitmaps and names, brought up to it, and those that are
//! read to be cached.

use std::{
    marker::PhantomData,
    sync::{Arc, RwLock},
};

use db::{Conn, Result};
use roaring::RoaringBitmap;

use crate::{
    changes::{Changes, Snapshot},
    filter::Filter,
    names::{NameBatch, Names},
    ordinals::Ordinals,
    tenant::{Lookup, TenantIndex},
};

/// A filter with its key.
pub type KeyedFilter<'f, F> = (String, &'f F);

/// A tenant's index at the snapshot of a transaction, for one kind of filters.
pub struct TenantView<'a, F> {
    tenant: &'a str,
    /// Its index.
    pub index: &'a Arc<TenantIndex>,
    /// The generation of its ordinals.
    pub generation: u64,
    now: Snapshot,
    filters: PhantomData<F>,
}

impl<'a, F: Filter> TenantView<'a, F> {
    /// Takes in the changes until this transaction, and assigns ordinals if there are none: [`None`] when there are
    /// more than so many resources, or when a build is under way.
    pub fn open(conn: &mut Conn, tenant: &'a str, index: &'a Arc<TenantIndex>, most: i64) -> Result<Option<Self>> {
        let now = catch_up(conn, tenant, index)?;
        let state = index.lock();
        let generation = match state.generation() {
            _ if state.is_unindexable => return Ok(None),
            None if state.is_building() => return Ok(None),
            None => {
                drop(state);
                assign_ordinals::<F>(conn, tenant, index, most)?
            }
            generation => generation,
        };
        Ok(generation.map(|generation| Self { tenant, index, generation, now, filters: PhantomData }))
    }

    /// As [`TenantView::open`], for the build itself; marks the tenant as unindexable when it has too many resources.
    pub fn open_for_build(
        conn: &mut Conn,
        tenant: &'a str,
        index: &'a Arc<TenantIndex>,
        most: i64,
    ) -> Result<Option<Self>> {
        let now = catch_up(conn, tenant, index)?;
        let generation = assign_ordinals::<F>(conn, tenant, index, most)?;
        index.lock().is_unindexable |= generation.is_none();
        Ok(generation.map(|generation| Self { tenant, index, generation, now, filters: PhantomData }))
    }

    /// How many resources have ordinals.
    pub fn resources(&self) -> usize {
        self.index.lock().ordinals(self.generation).map_or(0, |ordinals| ordinals.len())
    }

    /// The cached bitmap of a filter; resources that changed since are checked again.
    pub fn cached(&self, conn: &mut Conn, (key, filter): &KeyedFilter<'_, F>) -> Result<Option<Arc<RoaringBitmap>>> {
        let cached = self.index.lock().lookup(key, self.generation, &self.now);
        let (bitmap, changed) = match cached {
            Lookup::Current(bitmap) => return Ok(Some(bitmap)),
            Lookup::Stale(bitmap, changed) => (bitmap, changed),
            Lookup::Missing => return Ok(None),
        };
        let matching = F::matching_among(conn, self.tenant, &[filter], &changed)?;
        let mut state = self.index.lock();
        let Some(ordinals) = state.ordinals(self.generation) else { return Ok(None) };
        let mut bitmap = Arc::unwrap_or_clone(bitmap);
        for ordinal in changed.iter().filter_map(|id| ordinals.get(*id)) {
            bitmap.remove(ordinal);
        }
        for id in matching {
            bitmap.insert(ordinals.assign(id));
        }
        let bitmap = Arc::new(bitmap);
        state.cache(key, filter.groups(), self.generation, &self.now, &bitmap);
        Ok(Some(bitmap))
    }

    /// The bitmap of a filter, read from the database; [`None`] after more than `most` entries of an index.
    pub fn read(
        &self,
        conn: &mut Conn,
        (key, filter): &KeyedFilter<'_, F>,
        most: i64,
    ) -> Result<Option<Arc<RoaringBitmap>>> {
        let mut ids = Vec::new();
        let is_complete = filter.for_each_match(conn, self.tenant, most, &mut |id| {
            ids.push(id);
            Ok(())
        })?;
        if !is_complete {
            return Ok(None);
        }
        Ok(self.ordinals_of(&ids).map(|mut ordinals| {
            ordinals.sort_unstable();
            let mut bitmap: RoaringBitmap = ordinals.into_iter().collect();
            bitmap.optimize();
            let bitmap = Arc::new(bitmap);
            self.index.lock().cache(key, filter.groups(), self.generation, &self.now, &bitmap);
            bitmap
        }))
    }

    /// The bitmap of a filter of names that are in memory, unless that takes too long.
    pub fn search_names(
        &self,
        conn: &mut Conn,
        names: &RwLock<Names>,
        one: &KeyedFilter<'_, F>,
    ) -> Result<Option<Arc<RoaringBitmap>>> {
        let (key, filter) = one;
        let Some(pattern) = filter.name_pattern() else { return Ok(None) };
        let (at, bitmap) = {
            let names = base::sync::read(names);
            (names.at.clone(), names.search(pattern.texts, pattern.exact))
        };
        let Some(bitmap) = bitmap else { return Ok(None) };
        self.index.lock().cache(key, &[], self.generation, &at, &Arc::new(bitmap));
        self.cached(conn, one)
    }

    /// The names in a column, if they were read, as of this transaction or a later one.
    pub fn names(&self, conn: &mut Conn, column: &'static str) -> Result<Option<Arc<RwLock<Names>>>> {
        let kept = self.index.lock().names(column, self.generation);
        let Some(names) = kept else { return Ok(None) };
        if self.refresh_names(conn, column, &names)? {
            return Ok(Some(names));
        }
        self.index.lock().drop_names(column);
        Ok(None)
    }

    /// Reads the names in a column, of all resources.
    pub fn read_names(&self, conn: &mut Conn, column: &'static str) -> Result<Option<Arc<RwLock<Names>>>> {
        let Some(all) = self.batch(conn, column, None)? else { return Ok(None) };
        let names = Names::new(self.now.clone(), all);
        let bytes = names.bytes();
        let names = Arc::new(RwLock::new(names));
        self.index.lock().cache_names(column, self.generation, &names, bytes);
        Ok(Some(names))
    }

    /// Brings names up to the snapshot of this transaction, unless they are of a later one. `false` when too much
    /// changed since.
    fn refresh_names(&self, conn: &mut Conn, column: &'static str, names: &Arc<RwLock<Names>>) -> Result<bool> {
        let at = base::sync::read(names).at.clone();
        if !self.now.is_later_than(&at) {
            return Ok(true);
        }
        let Some(changed) = self.index.lock().changed(&at, &self.now, &[]) else { return Ok(false) };
        let Some(new) = self.batch(conn, column, Some(&changed))? else { return Ok(false) };
        let mut kept = base::sync::write(names);
        if kept.at == at {
            kept.put(new);
            kept.at = self.now.clone();
            let bytes = kept.bytes();
            drop(kept);
            self.index.lock().cache_names(column, self.generation, names, bytes);
        }
        Ok(true)
    }

    /// Reads the names in a column, of all resources or of some; [`None`] when the ordinals were dropped.
    fn batch(&self, conn: &mut Conn, column: &'static str, of: Option<&[u128]>) -> Result<Option<NameBatch>> {
        let mut all = NameBatch::default();
        let mut ids = Vec::new();
        // A resource that has no name any more gets an empty one.
        for id in of.unwrap_or_default() {
            ids.push(*id);
            all.push("");
        }
        F::for_each_name(conn, self.tenant, column, of, &mut |id, name| {
            ids.push(id);
            all.push(name);
            Ok(())
        })?;
        Ok(self.ordinals_of(&ids).map(|ordinals| {
            all.set_ordinals(ordinals);
            all
        }))
    }

    /// The ordinals of ids; [`None`] when the ordinals were dropped.
    fn ordinals_of(&self, ids: &[u128]) -> Option<Vec<u32>> {
        let mut ordinals = Vec::with_capacity(ids.len());
        // Other requests wait for a chunk of them, not for all.
        for ids in ids.chunks(4096) {
            match self.index.lock().ordinals(self.generation) {
                Some(known) => ordinals.extend(ids.iter().map(|id| known.assign(*id))),
                None => return None,
            }
        }
        Some(ordinals)
    }
}

/// Takes in the changes until this transaction, and answers its snapshot.
fn catch_up(conn: &mut Conn, tenant: &str, index: &TenantIndex) -> Result<Snapshot> {
    let newest = index.lock().newest().cloned();
    let changes = Changes::since(conn, tenant, newest.as_ref())?;
    index.lock().apply(&changes);
    Ok(changes.now)
}

/// The generation of the ordinals, which are assigned if there are none; [`None`] when there are too many resources.
fn assign_ordinals<F: Filter>(conn: &mut Conn, tenant: &str, index: &TenantIndex, most: i64) -> Result<Option<u64>> {
    if let Some(generation) = index.lock().generation() {
        return Ok(Some(generation));
    }
    let mut ordinals = Ordinals::default();
    let is_complete = F::for_each_id(conn, tenant, most, &mut |id| _ = ordinals.assign(id))?;
    Ok(is_complete.then(|| index.lock().set_ordinals(ordinals)))
}
