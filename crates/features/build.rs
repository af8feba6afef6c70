//! Does nothing: it is there so that features of build dependencies, which macros have too, count.
fn main() {
    // Or else Cargo runs it again, and compiles every crate after it, when another folder leads to the same files.
    println!("cargo::rerun-if-changed=build.rs");
}
