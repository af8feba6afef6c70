//! Does nothing: it is there so that features of build dependencies, which macros have too, count.
fn main() {}
