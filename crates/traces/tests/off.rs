//! While nothing is recorded, nothing is allocated, read or stored. One test of its own program, since to record is a
//! state of the process.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    hint::black_box,
};

use traces::{Context, Kind, Span, current, enter, is_on};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts what this thread allocates.
struct Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
// SAFETY: it hands everything to the allocator of the system as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// What the way of a request through the program asks of this crate.
fn request() -> bool {
    let parent = Context::from_text(black_box(PARENT));
    let span = Span::child_of(parent.as_ref(), Kind::Server, "GET").or_else(|| Span::root(Kind::Server, "GET"));
    let _entered = enter(span.as_ref().map(|span| span.context.clone()));
    parent.is_some() || span.is_some() || current().is_some()
}

#[test]
fn nothing_is_allocated_or_remembered_while_nothing_is_recorded() {
    assert!(!is_on());
    let before = ALLOCATIONS.get();
    let any = (0..1_000).any(|_| request());
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert!(!any);
    // The same way allocates once something is recorded, so that this counts what it is meant to.
    let spans = traces::start(1.0).expect("it is the first start");
    let before = ALLOCATIONS.get();
    assert!(request());
    assert!(ALLOCATIONS.get() > before);
    assert!(current().is_none(), "it is given back");
    drop(spans);
}
