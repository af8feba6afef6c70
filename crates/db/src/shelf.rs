//! What domains keep in memory beside a database: one thing of each type, for as long as the database is open.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use crate::Db;

/// What is kept, by its type.
#[derive(Default)]
pub(crate) struct Shelf(RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Db {
    /// What is kept of this type, made when it is asked for first.
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let shelf = &self.0.shelf.0;
        let found = shelf.read().unwrap_or_else(PoisonError::into_inner).get(&TypeId::of::<T>()).cloned();
        let found = found.unwrap_or_else(|| {
            let mut shelf = shelf.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(shelf.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default()))
        });
        // What is found by its type is of that type.
        found.downcast::<T>().unwrap_or_default()
    }
}
