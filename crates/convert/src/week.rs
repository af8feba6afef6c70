//! Sets of times of the local week.

use calendar::{TimeOfDay, Weekday, Weekdays};

/// Seconds of a day.
pub const DAY: u32 = 86_400;
/// Seconds of a week.
pub const WEEK: u32 = 7 * DAY;

/// Times of a week that repeats, on the clocks of a zone: from each start until before its end, in seconds since
/// Monday, 00:00. Stretches are in order, do not touch, and lie within the week.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Week(Vec<(u32, u32)>);

/// A time of day on some days of the week, at most a day long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The days on which it begins.
    pub days: Weekdays,
    /// When it begins.
    pub start: TimeOfDay,
    /// When it ends: on the next day unless it is later than the start.
    pub end: TimeOfDay,
}

impl Week {
    /// The whole week.
    pub fn all() -> Self {
        Self(vec![(0, WEEK)])
    }

    /// A stretch that begins at a second of the week and is so many seconds long, at most a week.
    pub fn stretch(start: u32, length: u32) -> Self {
        let start = start % WEEK;
        let end = start + length.min(WEEK);
        if end <= WEEK {
            return Self::of(vec![(start, end)]);
        }
        Self::of(vec![(start, WEEK), (0, end - WEEK)])
    }

    /// The same stretch on each day.
    pub fn daily(start: u32, length: u32) -> Self {
        (0..7).fold(Self::default(), |all, day| all.union(&Self::stretch(day * DAY + start, length)))
    }

    fn of(mut stretches: Vec<(u32, u32)>) -> Self {
        stretches.retain(|(start, end)| start < end);
        stretches.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (start, end) in stretches {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Self(merged)
    }

    /// Times of either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::of(self.0.iter().chain(&other.0).copied().collect())
    }

    /// Times of this one that the other one does not have.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = self.0.clone();
        for &(from, to) in &other.0 {
            left = left
                .into_iter()
                .flat_map(|(start, end)| [(start, end.min(from)), (start.max(to), end)])
                .filter(|(start, end)| start < end)
                .collect();
        }
        Self::of(left)
    }

    /// Times that both have.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        self.without(&self.without(other))
    }

    /// Is it the whole week?
    pub fn is_all(&self) -> bool {
        *self == Self::all()
    }

    /// Is nothing in it?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The times of day at which a stretch begins or ends, in seconds.
    pub fn bounds(&self) -> Vec<u32> {
        if self.is_all() {
            return Vec::new();
        }
        let mut bounds: Vec<u32> = self.0.iter().flat_map(|(start, end)| [start % DAY, end % DAY]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }

    /// The same times as windows, as few as there can be without cutting at midnight: what is longer than a day is cut
    /// at the time of day at which it begins. The whole week is one window from `turn` to `turn` on all days.
    pub fn windows(&self, turn: TimeOfDay) -> Vec<Window> {
        if self.is_all() {
            return vec![Window { days: Weekday::ALL.into_iter().collect(), start: turn, end: turn }];
        }
        let mut stretches = self.0.clone();
        if let (Some(first), Some(last)) = (stretches.first().copied(), stretches.last_mut())
            && first.0 == 0
            && last.1 == WEEK
        {
            last.1 += first.1;
            stretches.remove(0);
        }
        let mut windows: Vec<(u32, u32, Vec<Weekday>)> = Vec::new();
        for (mut start, end) in stretches {
            while start < end {
                let until = end.min(start + DAY);
                let (from, to) = (start % DAY, until % DAY);
                let day = weekday(start / DAY % 7);
                match windows.iter_mut().find(|(start, end, _)| (*start, *end) == (from, to)) {
                    Some((_, _, days)) => days.push(day),
                    None => windows.push((from, to, vec![day])),
                }
                start = until;
            }
        }
        let window = |(start, end, days): (u32, u32, Vec<Weekday>)| {
            Some(Window { days: days.into_iter().collect(), start: time_of_day(start)?, end: time_of_day(end)? })
        };
        windows.into_iter().filter_map(window).collect()
    }
}

/// The n-th day after Monday.
pub fn weekday(day: u32) -> Weekday {
    let sunday_first = usize::try_from(day + 1).unwrap_or_default() % 7;
    Weekday::ALL.get(sunday_first).copied().unwrap_or(Weekday::Monday)
}

/// A second of a day as a time of day.
pub fn time_of_day(second: u32) -> Option<TimeOfDay> {
    TimeOfDay::parse(&format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: u32 = 3_600;

    fn shown(week: &Week) -> Vec<String> {
        let all = week.windows(TimeOfDay::MIDNIGHT).into_iter();
        all.map(|window| format!("{} {}-{}", window.days, window.start, window.end)).collect()
    }

    #[test]
    fn windows_are_what_people_would_write() {
        assert_eq!(shown(&Week::daily(22 * HOUR, 8 * HOUR)).len(), 1);
        let weekend = Week::stretch(4 * DAY + 18 * HOUR, 2 * DAY + 14 * HOUR);
        assert_eq!(shown(&weekend), ["Friday,Saturday 18:00:00-18:00:00", "Sunday 18:00:00-08:00:00"]);
        let office = (0..5).fold(Week::default(), |all, day| all.union(&Week::stretch(day * DAY + 9 * HOUR, 8 * HOUR)));
        assert_eq!(shown(&office), ["Monday,Tuesday,Wednesday,Thursday,Friday 09:00:00-17:00:00"]);
        assert_eq!(
            shown(&Week::all().without(&office)),
            ["Sunday,Monday,Tuesday,Wednesday,Thursday 17:00:00-09:00:00", "Friday,Saturday 17:00:00-17:00:00"]
        );
        assert_eq!(office.bounds(), [9 * HOUR, 17 * HOUR]);
        assert!(Week::daily(HOUR, DAY).is_all() && Week::all().bounds().is_empty());
    }

    proptest! {
        #[test]
        fn windows_have_the_seconds_of_the_week(
            stretches in prop::collection::vec((0..WEEK / 900, 1..WEEK / 900), 0..6),
            others in prop::collection::vec((0..WEEK / 900, 1..100_u32), 0..6),
        ) {
            let set = |all: &[(u32, u32)]| all.iter().fold(Week::default(), |week, (start, length)| {
                week.union(&Week::stretch(start * 900, length * 900))
            });
            let (one, other) = (set(&stretches), set(&others));
            let has = |all: &[(u32, u32)], second: u32| all.iter().any(|(start, length)| {
                (second + WEEK - start * 900) % WEEK < length * 900
            });
            let windows = one.without(&other).windows(TimeOfDay::MIDNIGHT);
            for second in (0..WEEK).step_by(450) {
                let expected = has(&stretches, second) && !has(&others, second);
                let found = windows.iter().any(|window| window.days.iter().any(|day| {
                    let day = (day as u32 + 6) % 7;
                    let start = u32::try_from(window.start.seconds()).unwrap();
                    let end = u32::try_from(window.end.seconds()).unwrap();
                    let length = if end > start { end - start } else { end + DAY - start };
                    (second + WEEK - day * DAY - start) % WEEK < length
                }));
                prop_assert_eq!(found, expected, "second {}", second);
            }
        }
    }
}
