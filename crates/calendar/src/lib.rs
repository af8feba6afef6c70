//! Time zones, recurrence rules, occurrences and intervals, as rosters, maintenance windows and jobs share them.
//!
//! Pure: nothing here reads a clock, a file or the machine's time zone database. The caller passes the instant or
//! range. The meaning of a rule is documented at [`Rule`]. How the JSON of a schedule looks is the business of its
//! domain, which declares it in the words that all of them share ([`fields`]), and makes a rule of it.
//!
//! A [`Rule`] is made, and asked, in about a microsecond, however long ago it started, so nothing has to be
//! materialised or cached.
//!
//! - [`zones`]: the zones that exist here
//! - [`pattern`], [`rule`]: what repeats, and how
//! - [`rotation`]: who of several has which turn
//! - [`due`], [`cron`]: when a job is due
//! - [`occurrences`]: the asking
//! - [`interval`], [`sets`]: stretches of time, and their union, gaps and overlaps
//! - [`hours`]: which hours are in the day, the evening, the night and the weekend
//! - [`fields`], [`forms`]: the words of schedules in a body, and in a document
//! - [`range`]: the stretch that a question is about
//! - [`ical`]: what takes place, for calendar programs

mod count;
pub mod cron;
mod dates;
pub mod due;
pub mod fields;
pub mod forms;
pub mod hours;
pub mod ical;
pub mod interval;
mod local;
mod months;
pub mod occurrences;
pub mod pattern;
pub mod range;
pub mod rotation;
pub mod rule;
pub mod sets;
pub mod zones;

pub use cron::CronExpression;
pub use due::Due;
pub use fields::Instant;
pub use hours::{CategorizedTime, HourCategories, HourCategory};
pub use interval::Interval;
pub use local::{Day, TimeOfDay};
pub use occurrences::Occurrences;
pub use pattern::{Frequency, MonthDays, Months, OnDay, Pattern, WeekIndex, Weekday, Weekdays};
pub use rotation::{Rotation, Turns};
pub use rule::{End, Recurring, Repeated, Rule};
pub use zones::Zone;
