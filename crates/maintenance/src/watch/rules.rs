//! What a look at a window finds. Pure.

use base::timestamp::Timestamp;
use calendar::Interval;

use crate::course::Course;

/// How far back an occurrence is looked for that came and went between two looks, in milliseconds: longer absences tell
/// of what is so at their end.
const BACK_MS: i64 = 35 * 86_400_000;

/// The state of a window at a check, and the change that is to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowCheck {
    /// When it is to be looked at next; `None` when nothing changes any more by itself.
    pub due_ms: Option<i64>,
    /// Since when it is open; `None` when it is not.
    pub open_ms: Option<i64>,
    /// What happened last since the look before.
    pub turn: Option<Turn>,
}

/// A window that opened or closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Did it open?
    pub opened: bool,
    /// The time in which it is open, or was.
    pub open: Interval,
}

/// Looks at a window. `looked` is when that was done last, and `was_open` since when it was open then.
pub fn look(course: &Course, looked: Option<i64>, was_open: Option<i64>, now: Timestamp) -> WindowCheck {
    let open = course.open_at(now);
    let due = open.map(Interval::end).or_else(|| course.next(now).map(|next| next.start()));
    let turn = looked.and_then(|looked| {
        match (was_open, open) {
            (Some(was), Some(open)) if was == open.start().millis() => None,
            (_, Some(open)) => Some(Turn { opened: true, open }),
            // It is told of the last one that is over, even if that came and went meanwhile.
            (was, None) => {
                let since = was.unwrap_or(looked).max(now.millis().saturating_sub(BACK_MS));
                let last = course.open(Timestamp::from_millis(since)..now).last();
                let over = last.filter(|open| was.is_some() || open.start().millis() >= looked);
                let began = was.map(Timestamp::from_millis).and_then(|was| Interval::new(was, now));
                over.or(began).map(|open| Turn { opened: false, open })
            }
        }
    });
    WindowCheck { due_ms: due.map(Timestamp::millis), open_ms: open.map(|open| open.start().millis()), turn }
}
