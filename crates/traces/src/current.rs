//! The context of what this thread does right now.

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
};

use crate::{Context, is_on};

thread_local! {
    static CURRENT: RefCell<Option<Arc<Context>>> = const { RefCell::new(None) };
}

/// The context of what this thread does; `None` when that belongs to no trace, and always while nothing is recorded.
pub fn current() -> Option<Arc<Context>> {
    if is_on() { CURRENT.with_borrow(Clone::clone) } else { None }
}

/// Makes a context the current one of this thread until the answer is dropped. `None` changes nothing.
pub fn enter(context: Option<Arc<Context>>) -> Entered {
    Entered(context.map(|context| CURRENT.replace(Some(context))))
}

/// Gives back the context that was the current one before.
#[must_use]
pub struct Entered(Option<Option<Arc<Context>>>);

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(former) = self.0.take() {
            CURRENT.set(former);
        }
    }
}

/// Awaits a future under a context. `None` changes nothing.
pub async fn scope<F: Future>(context: Option<Arc<Context>>, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|task| {
        let _entered = enter(context.clone());
        future.as_mut().poll(task)
    })
    .await
}
