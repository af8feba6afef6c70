//! No code. The manifest of this crate says why it is there.
