//! Backups of a SQLite database without a job: a folder of copies, a thread that adds to it, and the way back.
//!
//! Each copy is whole and of one instant, and was opened and checked before it got its name, which says when it was
//! taken: `muster-20261127T204500Z.sqlite`.

mod folder;
mod note;
mod restore;
mod worker;

pub use self::{
    folder::{Copy, Folder},
    note::{note, noted},
    restore::{Restored, latest, restore},
    worker::Worker,
};
