//! Undoing changes of jobs and of scripts.

mod jobs;
mod scripts;

use std::sync::Arc;

use api::Restorer;
use ports::{Notices, People, Resources};

/// What of this domain is restored when a change set is undone.
pub fn restorers(
    people: Arc<dyn People>,
    resources: Arc<dyn Resources>,
    notices: Arc<dyn Notices>,
) -> Vec<Arc<dyn Restorer>> {
    let scripts = Arc::new(scripts::Scripts(Arc::clone(&people)));
    vec![Arc::new(jobs::Jobs { people, resources, notices }), scripts]
}
