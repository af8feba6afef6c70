//! In-memory values that domains attach to a database: one of each type, for as long as the database is open.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{Arc, RwLock},
};

use crate::Db;

/// The attached values, by type.
#[derive(Default)]
pub(crate) struct Extensions(RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Db {
    /// The attached value of this type; the first call makes it.
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let extensions = &self.0.extensions.0;
        let extension = base::sync::read(extensions).get(&TypeId::of::<T>()).cloned();
        let extension = extension.unwrap_or_else(|| {
            let mut extensions = base::sync::write(extensions);
            Arc::clone(extensions.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default()))
        });
        // The map's key is the type of the value, so the downcast succeeds.
        extension.downcast::<T>().unwrap_or_default()
    }
}
