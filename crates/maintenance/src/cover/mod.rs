//! Which windows cover which resources, and catch which alerts.
//!
//! Nothing is kept of what a group or a site holds: where a resource belongs is asked when the question is asked, and
//! the windows that have one of those places, or the resource itself, among their targets are found by an index. So
//! the cost follows the windows that could cover the resource, and not the number of windows.

pub mod active;
mod drafts;
mod port;
mod ready;
pub mod trial;
mod windows;
pub mod wire;

pub use self::windows::Windows;
