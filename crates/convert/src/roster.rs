//! Rosters: from people, turns and weekly times to the body of a roster ("Rosters" of `docs/interface/rosters.md`).

use std::collections::BTreeSet;

use base::Timestamp;
use calendar::{End, Interval, Pattern, Recurring, Rotation, Rule, TimeOfDay, Weekday, rotation::Length};
use serde_json::{Value, json};

use crate::{
    clock::Clock,
    conversion::{Conversion, object},
    json::cut,
    week::{Week, Window},
};

/// The most shifts of a roster.
const MOST_SHIFTS: usize = 100;
/// The most places of a rotation.
const MOST_PLACES: usize = 100;
/// The longest name of a roster or a shift, in characters.
const LONGEST_NAME: usize = 200;
/// Longer than any window.
const TWO_DAYS_MS: i64 = 2 * 86_400_000;

/// Who is on call together, as a place of a rotation names them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Login names.
    pub users: Vec<String>,
    /// Names of user groups.
    pub groups: Vec<String>,
}

/// Who is on call in a layer.
#[derive(Clone, Debug, PartialEq)]
pub enum Staff {
    /// The same people always.
    Same(Place),
    /// Places that take turns.
    Turns(Vec<Place>, Rotation),
}

/// People who are on call at some times of the week, from an instant on.
#[derive(Clone, Debug)]
pub struct Layer {
    /// What its shifts are called after.
    pub name: String,
    /// At which times.
    pub week: Week,
    /// From when.
    pub from: Timestamp,
    /// Until when; without it, for ever.
    pub until: Option<Timestamp>,
    /// Who.
    pub staff: Staff,
}

/// When a shift takes place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Times {
    Once(Interval),
    Weekly { window: Window, from: Timestamp, until: Option<Timestamp> },
}

/// A shift of a roster.
#[derive(Clone, Debug)]
pub struct Shift {
    /// Unique in the roster.
    pub name: String,
    times: Times,
    staff: Staff,
}

impl Place {
    /// One user.
    pub fn user(login: String) -> Self {
        Self { users: vec![login], groups: Vec::new() }
    }

    fn value(&self) -> Value {
        let users: Vec<Value> = self.users.iter().map(|user| json!({"loginName": user})).collect();
        let groups: Vec<Value> = self.groups.iter().map(|group| json!({"name": group})).collect();
        match (users.is_empty(), groups.is_empty()) {
            (false, false) => json!({"users": users, "userGroups": groups}),
            (true, false) => json!({"userGroups": groups}),
            _ => json!({"users": users}),
        }
    }
}

impl Staff {
    /// Places that take turns; where it makes no difference whose turn it is, the same people always.
    ///
    /// # Errors
    /// When there are too many.
    pub fn turns(places: Vec<Place>, turns: Result<Rotation, String>) -> Result<Self, String> {
        if places.len() > MOST_PLACES {
            return Err(format!("{} people take turns, and a rotation has at most {MOST_PLACES} places", places.len()));
        }
        match places.as_slice() {
            [] => Ok(Self::Same(Place::default())),
            [first, rest @ ..] if rest.iter().all(|place| place == first) => Ok(Self::Same(first.clone())),
            _ => Ok(Self::Turns(places, turns?)),
        }
    }

    /// The second of the day at which turns of whole days hand over.
    pub fn hand_over(&self, clock: &Clock) -> Option<u32> {
        match self {
            Self::Turns(_, rotation) if !matches!(rotation.length, Length::Hours(_)) => {
                u32::try_from(clock.zone.time_of_day(rotation.start.at(clock.zone)).seconds()).ok()
            }
            _ => None,
        }
    }

    /// Is nobody ever on call?
    pub fn is_nobody(&self) -> bool {
        *self == Self::Same(Place::default())
    }
}

impl Layer {
    /// Its shifts: a recurring one for each window, and one that takes place once where its beginning or its end cuts
    /// an occurrence of a window.
    fn shifts(&self, clock: &Clock, now: Timestamp) -> Vec<Shift> {
        let mut shifts = Vec::new();
        let turn = clock.zone.time_of_day(self.from);
        let windows = self.week.windows(turn);
        let several = windows.len() > 1;
        for window in windows {
            let all = self.times(window, clock);
            for (place, times) in all.into_iter().filter(|one| !one.is_over(now)).enumerate() {
                let mut name = cut(&self.name, LONGEST_NAME - 60);
                if several || !self.week.is_all() {
                    name.push_str(&format!(" {}", described(window)));
                }
                if place > 0 {
                    name.push_str(" (part)");
                }
                shifts.push(Shift { name, times, staff: self.staff.clone() });
            }
        }
        shifts
    }

    fn times(&self, window: Window, clock: &Clock) -> Vec<Times> {
        let earlier = |at: Timestamp, by: i64| Timestamp::from_millis(at.millis().saturating_sub(by));
        let mut parts = Vec::new();
        let before = weekly(window, earlier(self.from, TWO_DAYS_MS), None).rule(clock);
        if let Some(cut) = before.contains(self.from).filter(|cut| cut.start() < self.from) {
            let end = self.until.map_or(cut.end(), |until| cut.end().min(until));
            parts.extend(Interval::new(self.from, end).map(Times::Once));
        }
        let rule = weekly(window, self.from, None).rule(clock);
        let mut until = self.until;
        let mut last = None;
        if let Some(end) = self.until
            && let Some(cut) = rule.contains(end).filter(|cut| cut.start() < end)
        {
            last = Interval::new(cut.start(), end).map(Times::Once);
            until = Some(cut.start());
        }
        let recurring = weekly(window, self.from, until);
        if !recurring.rule(clock).next(1, earlier(self.from, 1)).is_empty() {
            parts.insert(0, recurring);
        }
        parts.extend(last);
        parts
    }
}

fn weekly(window: Window, from: Timestamp, until: Option<Timestamp>) -> Times {
    Times::Weekly { window, from, until }
}

/// `Mon-Fri 09:00-17:00`.
fn described(window: Window) -> String {
    let order = |day: &Weekday| (*day as usize + 6) % 7;
    let mut days: Vec<Weekday> = window.days.iter().collect();
    days.sort_by_key(order);
    let short = |day: &Weekday| day.name().get(..3).unwrap_or_default().to_owned();
    let days = match days.as_slice() {
        all if all.len() == 7 => "daily".to_owned(),
        [first, .., last] if days.len() > 2 && order(last) - order(first) + 1 == days.len() => {
            format!("{}-{}", short(first), short(last))
        }
        some => some.iter().map(short).collect::<Vec<_>>().join(", "),
    };
    let short = |time: TimeOfDay| {
        let text = time.to_string();
        text.strip_suffix(":00").map(ToOwned::to_owned).unwrap_or(text)
    };
    format!("{days} {}-{}", short(window.start), short(window.end))
}

impl Times {
    fn is_over(self, now: Timestamp) -> bool {
        matches!(self, Self::Once(interval) if interval.end() <= now)
    }

    fn rule(self, clock: &Clock) -> Rule {
        match self {
            Self::Once(interval) => Rule::OneTime(interval),
            Self::Weekly { window, from, until } => Rule::recurring(Recurring {
                zone: clock.zone,
                start_date: from,
                start_time: window.start,
                end_time: window.end,
                pattern: match window.days.iter().count() {
                    7 => Pattern::Daily { every: 1 },
                    _ => Pattern::Weekly { every: 1, days: window.days },
                },
                end: until.map_or(End::Never, End::Date),
            }),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Once(interval) => json!({
                "type": "one-time", "startDate": interval.start().to_string(), "endDate": interval.end().to_string(),
            }),
            Self::Weekly { window, from, until } => json!({
                "type": "recurring",
                "startDate": from.to_string(),
                "startTime": window.start.to_string(),
                "endTime": window.end.to_string(),
                "pattern": match window.days.iter().count() {
                    7 => json!({"type": "daily", "repeatFrequency": 1}),
                    _ => json!({"type": "weekly", "repeatFrequency": 1, "weekDays": window.days.to_string()}),
                },
                "endPattern": match until {
                    Some(until) => json!({"type": "DATE", "endDate": until.to_string()}),
                    None => json!({"type": "NEVER"}),
                },
            }),
        }
    }
}

impl Shift {
    /// When it takes place.
    pub fn rule(&self, clock: &Clock) -> Rule {
        self.times.rule(clock)
    }

    fn value(&self) -> Value {
        let mut value = json!({"name": self.name, "schedule": self.times.value()});
        let Value::Object(fields) = &mut value else { return value };
        match &self.staff {
            Staff::Same(place) => {
                if let Value::Object(people) = place.value() {
                    fields.extend(people);
                }
            }
            Staff::Turns(places, rotation) => {
                let order: Vec<Value> = places.iter().map(Place::value).collect();
                let length = match rotation.length {
                    Length::Weeks(weeks) => json!({"weeks": weeks}),
                    Length::Days(days) => json!({"days": days}),
                    Length::Hours(hours) => json!({"hours": hours}),
                    Length::Occurrences(each) => json!({"occurrences": each}),
                };
                let rotation = json!({"order": order, "length": length, "start": rotation.start.to_string()});
                fields.insert("rotation".to_owned(), rotation);
            }
        }
        value
    }
}

/// The shifts of layers, each with the place of its layer; names are made unique. A part that was over before `now` is
/// left out.
///
/// # Errors
/// When a roster cannot have them.
pub fn shifts(layers: &[Layer], clock: &Clock, now: Timestamp) -> Result<Vec<(usize, Shift)>, String> {
    let mut shifts: Vec<(usize, Shift)> = Vec::new();
    for (place, layer) in layers.iter().enumerate().filter(|(_, layer)| !layer.staff.is_nobody()) {
        shifts.extend(layer.shifts(clock, now).into_iter().map(|shift| (place, shift)));
    }
    if shifts.is_empty() {
        return Err("nobody is ever on call in it, and a roster has at least one shift".to_owned());
    }
    if shifts.len() > MOST_SHIFTS {
        return Err(format!("it takes {} shifts, and a roster has at most {MOST_SHIFTS}", shifts.len()));
    }
    let mut taken = BTreeSet::new();
    for (_, shift) in &mut shifts {
        let name = shift.name.clone();
        let mut number = 2;
        while !taken.insert(base::fold(&shift.name)) {
            shift.name = format!("{name} {number}");
            number += 1;
        }
    }
    Ok(shifts)
}

/// A roster that a schedule becomes: its clock, and its shifts with the places of their layers.
pub type Roster = (Clock, Vec<(usize, Shift)>);

/// A schedule of a product.
#[derive(Debug)]
pub struct Schedule<'s> {
    /// Its name.
    pub name: &'s str,
    /// What it is for.
    pub description: &'s str,
    /// How many overrides it has.
    pub overrides: usize,
}

/// Adds the roster of a schedule, or says why there is none. Answers it when it was added.
pub fn add(
    schedule: &Schedule<'_>,
    roster: Result<Roster, String>,
    notes: Vec<String>,
    conversion: &mut Conversion,
) -> Option<Roster> {
    let name = schedule.name;
    let source = object("schedule", name);
    match roster.and_then(|roster| conversion.claim("Roster", name).map(|()| roster)) {
        Ok((clock, shifts)) => {
            let becomes = conversion.add("Roster", name, body(name, schedule.description, &clock, &shifts));
            conversion.report.converted(source, vec![becomes], notes);
            Some((clock, shifts))
        }
        Err(reason) => {
            let also = match schedule.overrides {
                0 => String::new(),
                overrides => format!("; so are its overrides ({overrides})"),
            };
            conversion.report.refused(source, format!("{reason}{also}"));
            None
        }
    }
}

/// The body of a roster.
pub fn body(name: &str, description: &str, clock: &Clock, shifts: &[(usize, Shift)]) -> Value {
    let details: Vec<Value> = shifts.iter().map(|(_, shift)| shift.value()).collect();
    json!({
        "name": cut(name, LONGEST_NAME), "description": cut(description, 4_000),
        "timeZone": {"name": clock.zone.name()}, "shiftDetails": details,
    })
}

/// The length of a turn of so many days of the local calendar.
///
/// # Errors
/// When a rotation cannot have it.
pub fn days(days: i64) -> Result<Length, String> {
    let number = |number: i64| u16::try_from(number).ok().and_then(std::num::NonZeroU16::new);
    let weeks = Some(days / 7).filter(|weeks| days % 7 == 0 && *weeks <= 53).and_then(number);
    weeks
        .map(Length::Weeks)
        .or_else(|| number(days).filter(|days| days.get() <= 366).map(Length::Days))
        .ok_or_else(|| format!("a turn of {days} days is longer than 366 days"))
}

/// The length of a turn of so many hours that pass.
///
/// # Errors
/// When a rotation cannot have it.
pub fn hours(hours: i64) -> Result<Length, String> {
    let number = u16::try_from(hours).ok().and_then(std::num::NonZeroU16::new);
    let number = number.filter(|hours| hours.get() <= 8_784);
    number.map(Length::Hours).ok_or_else(|| format!("a turn of {hours} hours is not of 1 to 8,784 hours"))
}
