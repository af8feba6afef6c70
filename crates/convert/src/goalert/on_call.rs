//! Who is on call by the schedules of GoAlert, from the instant of its answers on.

use base::Timestamp;
use calendar::Interval;
use jiff::{Span, civil::DateTime};
use serde_json::Value;

use super::Directory;
use crate::{
    clock::{instant, interval},
    export::Export,
    json::{cut, id, list, number, part, text},
    source_schedule::{Edges, People, Reading, SourceSchedule},
    wall_clock::{WallClock, passed, second_of_day},
};

/// Schedules, and rotations that steps of escalation policies tell.
pub fn schedules<'e>(export: &'e Export, directory: &Directory<'_>, now: Timestamp) -> Vec<SourceSchedule<'e>> {
    let named = export.list("schedules").into_iter().filter_map(|schedule| Some((text(schedule, "name")?, schedule)));
    let schedules = named.map(|(name, schedule)| SourceSchedule {
        name: cut(name, 200),
        reading: read(schedule, export, directory, now),
    });
    let steps = export.list("escalationPolicies").into_iter().flat_map(|policy| list(policy, "steps"));
    let targets = steps.flat_map(|step| list(step, "targets").iter().chain(list(step, "actions")));
    let key = |target: &Value| {
        let argument = part(target, &["args", "rotation_id"]).and_then(Value::as_str).map(ToOwned::to_owned);
        id(target, "id").or(argument)
    };
    let is_told = |rotation: &Value| {
        let of = |target: &Value| text(target, "type").is_some_and(|kind| kind.ends_with("rotation"));
        targets.clone().any(|target| of(target) && key(target) == id(rotation, "id"))
    };
    let told = export.list("rotations").into_iter().filter(|rotation| is_told(rotation));
    let rotations = told.map(|value| SourceSchedule {
        name: cut(&format!("Rotation: {}", text(value, "name").unwrap_or("unnamed")), 200),
        reading: rotation(value, directory, now).map(|rotation| {
            let mut edges = Edges::default();
            rotation.add_edges(&mut edges);
            Reading { on_call: Box::new(move |at| rotation.on_call(at)), edges }
        }),
    });
    schedules.chain(rotations).collect()
}

/// Those whom the rules of a target put on call.
enum Target {
    User(String),
    Rotation(Rotation),
}

/// Turns of a length, on the clocks of a zone.
struct Rotation {
    zone: String,
    clock: WallClock,
    start: DateTime,
    seconds: i64,
    /// In the order of turns, and the turn that goes on at the instant of the answers.
    users: Vec<String>,
    first: i64,
}

/// Times of day on days of the week, from Sunday.
struct Rule {
    start: i64,
    end: i64,
    days: Vec<bool>,
}

struct Override {
    time: Interval,
    added: Option<String>,
    removed: Option<String>,
}

struct Schedule {
    clock: WallClock,
    targets: Vec<(Target, Vec<Rule>)>,
    temporary: Vec<(Interval, Vec<(Interval, String)>)>,
    overrides: Vec<Override>,
}

fn read<'e>(
    schedule: &Value,
    export: &Export,
    directory: &Directory<'_>,
    now: Timestamp,
) -> Result<Reading<'e>, String> {
    let zone = text(schedule, "timeZone").unwrap_or("UTC");
    let clock = WallClock::find(zone)?;
    let mut edges = Edges::default();
    let mut targets = Vec::new();
    for value in list(schedule, "targets") {
        let rules: Vec<Rule> = list(value, "rules").iter().map(rule).collect::<Result<_, _>>()?;
        let reference = part(value, &["target"]).unwrap_or(value);
        let key = id(reference, "id").unwrap_or_default();
        let target = match text(reference, "type").unwrap_or_default() {
            "user" => Target::User(login(&key, directory)),
            "rotation" => {
                let found = directory.rotations.get(&key).ok_or("one of its rotations is not in the export")?;
                Target::Rotation(rotation(found, directory, now)?)
            }
            other => return Err(format!("a rule names a {other:?}, which is not known")),
        };
        edges.add_times(zone, &clock, rules.iter().flat_map(|rule| [rule.start, rule.end]));
        if let Target::Rotation(rotation) = &target {
            rotation.add_edges(&mut edges);
        }
        targets.push((target, rules));
    }
    let mut temporary = Vec::new();
    for value in list(schedule, "temporarySchedules") {
        let shift = |value: &Value| {
            let user = login(text(value, "userID").unwrap_or_default(), directory);
            Ok::<_, String>((interval(value, "start", "end")?, user))
        };
        let shifts = list(value, "shifts").iter().map(shift).collect::<Result<Vec<_>, _>>()?;
        temporary.push((interval(value, "start", "end")?, shifts));
    }
    let key = id(schedule, "id");
    let mut overrides = export.list("userOverrides");
    overrides.retain(|one| part(one, &["target"]).and_then(|target| id(target, "id")) == key);
    let relief = |value: &Value| {
        let user = |name: &str| text(value, name).map(|id| login(id, directory));
        let time = interval(value, "start", "end")?;
        Ok::<_, String>(Override { time, added: user("addUserID"), removed: user("removeUserID") })
    };
    let overrides: Vec<Override> = overrides.into_iter().map(relief).collect::<Result<_, _>>()?;
    let of_temporary =
        temporary.iter().flat_map(|(time, shifts)| [*time].into_iter().chain(shifts.iter().map(|one| one.0)));
    let times = of_temporary.chain(overrides.iter().map(|one| one.time));
    edges.instants.extend(times.flat_map(|time| [time.start(), time.end()]));
    let schedule = Schedule { clock, targets, temporary, overrides };
    Ok(Reading { on_call: Box::new(move |at| schedule.on_call(at)), edges })
}

impl Schedule {
    fn on_call(&self, at: Timestamp) -> People {
        let temporary: Vec<_> = self.temporary.iter().filter(|(time, _)| time.contains(at)).collect();
        if !temporary.is_empty() {
            let shifts = temporary.into_iter().flat_map(|(_, shifts)| shifts).filter(|(time, _)| time.contains(at));
            return shifts.map(|(_, user)| user.clone()).collect();
        }
        let mut all = People::new();
        for (target, rules) in &self.targets {
            if rules.iter().any(|rule| rule.is_active(at, &self.clock)) {
                match target {
                    Target::User(user) => all.extend([user.clone()]),
                    Target::Rotation(rotation) => all.extend(rotation.on_call(at)),
                }
            }
        }
        let before = all.clone();
        for one in self.overrides.iter().filter(|one| one.time.contains(at)) {
            if let Some(removed) = &one.removed {
                // Nobody stands in for a person who is not on call.
                if !before.contains(removed) {
                    continue;
                }
                all.remove(removed);
            }
            all.extend(one.added.clone());
        }
        all
    }
}

impl Rotation {
    fn on_call(&self, at: Timestamp) -> People {
        let count = i64::try_from(self.users.len()).unwrap_or(i64::MAX).max(1);
        let turn = passed(self.start, self.clock.reading(at), self.seconds) - self.first;
        let place = usize::try_from(turn.rem_euclid(count)).ok();
        place.and_then(|place| self.users.get(place)).into_iter().cloned().collect()
    }

    fn add_edges(&self, edges: &mut Edges) {
        let begin = second_of_day(self.start);
        let hours = if self.seconds < 86_400 { 0..24 } else { 0..1 };
        edges.add_times(&self.zone, &self.clock, hours.map(|hour| begin + hour * 3_600));
    }
}

impl Rule {
    /// A time that the clocks show twice begins a rule the first time, and ends it the second time.
    fn is_active(&self, at: Timestamp, clock: &WallClock) -> bool {
        let today = clock.shown(at).date();
        let is_on = |back: i64| {
            let date = today.checked_sub(Span::new().days(back)).ok()?;
            let day = usize::try_from(date.weekday().to_sunday_zero_offset()).ok()?;
            let is_overnight = self.end <= self.start;
            if !*self.days.get(day)? || (back > 0 && !is_overnight) {
                return None;
            }
            let local = |date: jiff::civil::Date, second: i64| {
                date.to_datetime(jiff::civil::Time::midnight()).checked_add(Span::new().seconds(second)).ok()
            };
            let end = if is_overnight { self.end + 86_400 } else { self.end };
            let (start, end) = (clock.first(local(date, self.start)?), clock.last(local(date, end)?));
            Some(start <= at && at < end)
        };
        [0, 1].into_iter().filter_map(is_on).any(|is_on| is_on)
    }
}

/// The login name of a user; of one that is not converted, the id.
fn login(id: &str, directory: &Directory<'_>) -> String {
    directory.user(id).unwrap_or_else(|_| id.to_owned()).to_lowercase()
}

fn rule(value: &Value) -> Result<Rule, String> {
    let time = |name: &str| {
        let found = text(value, name).unwrap_or_default();
        let time: Result<jiff::civil::Time, _> = found.parse();
        let time = time.map_err(|_| format!("{name} {found:?} of a rule is not a time of day"))?;
        Ok::<_, String>(second_of_day(jiff::civil::Date::MIN.to_datetime(time)))
    };
    let days: Vec<bool> = list(value, "weekdayFilter").iter().map(|day| *day == true || *day == 1).collect();
    Ok(Rule { start: time("start")?, end: time("end")?, days })
}

fn rotation(value: &Value, directory: &Directory<'_>, now: Timestamp) -> Result<Rotation, String> {
    let name = text(value, "name").unwrap_or("?");
    let missing = |what: &str| format!("rotation {name:?} does not say {what}");
    let zone = text(value, "timeZone").unwrap_or("UTC");
    let clock = WallClock::find(zone)?;
    let users: Vec<String> =
        list(value, "userIDs").iter().filter_map(Value::as_str).map(|id| login(id, directory)).collect();
    let active = number(value, "activeUserIndex").ok_or_else(|| missing("whose turn it is"))?;
    let unit = match text(value, "type").unwrap_or_default() {
        "weekly" => 7 * 86_400,
        "daily" => 86_400,
        "hourly" => 3_600,
        other => return Err(format!("rotation {name:?} is {other:?}, which is not compared")),
    };
    let seconds = unit * number(value, "shiftLength").unwrap_or(1).clamp(1, 100_000);
    let start = text(value, "start").and_then(instant).ok_or_else(|| missing("when turns begin"))?;
    // Seconds do not count.
    let start = Timestamp::from_millis(start.millis().div_euclid(60_000) * 60_000);
    let start = clock.shown(start);
    let first = passed(start, clock.reading(now), seconds) - active;
    Ok(Rotation { zone: zone.to_owned(), clock, start, seconds, users, first })
}
