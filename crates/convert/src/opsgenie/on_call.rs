//! Who is on call by the schedules of Opsgenie, by its documentation.

use base::Timestamp;
use jiff::civil::DateTime;
use serde_json::Value;

use super::{Directory, shown};
use crate::{
    clock::{optional_instant, required_instant},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
    source_schedule::{Edges, People, Reading, SourceSchedule, Term, TurnLength, Turns},
    wall_clock::{WallClock, second_of_day, second_of_week},
};

const DAY: i64 = 86_400;
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Schedules that are enabled.
pub fn schedules<'e>(export: &'e Export, directory: &Directory) -> Vec<SourceSchedule<'e>> {
    let all = export.list("schedules").into_iter().filter(|schedule| flag(schedule, "enabled") != Some(false));
    let named = all.filter_map(|schedule| Some((text(schedule, "name")?, schedule)));
    named
        .map(|(name, schedule)| SourceSchedule { name: cut(name, 200), reading: read(schedule, export, directory) })
        .collect()
}

struct Rotation {
    term: Term,
    turns: Turns,
    places: Vec<People>,
    restriction: Restriction,
}

/// When a rotation takes place.
enum Restriction {
    None,
    /// Seconds of the day.
    Day(i64, i64),
    /// Seconds of the week.
    Week(Vec<(i64, i64)>),
}

struct Override {
    term: Term,
    user: People,
    /// The places of rotations; all when empty.
    rotations: Vec<usize>,
}

fn read<'e>(schedule: &Value, export: &Export, directory: &Directory) -> Result<Reading<'e>, String> {
    let zone = text(schedule, "timezone").unwrap_or("UTC");
    let clock = WallClock::find(zone)?;
    if schedule.get("rotations").is_none() {
        return Err("its rotations are not in the export".to_owned());
    }
    let values = list(schedule, "rotations");
    let rotations = values.iter().map(|value| rotation(value, export, directory));
    let rotations: Vec<Rotation> = rotations.collect::<Result<_, _>>()?;
    let path = format!("schedules/{}/overrides", id(schedule, "id").unwrap_or_default());
    let overrides = export.list(&path).into_iter().map(|value| relief(value, values, directory));
    let overrides: Vec<Override> = overrides.collect::<Result<_, _>>()?;
    let hand_overs = rotations.iter().map(|rotation| second_of_day(clock.shown(rotation.turns.start)));
    let times: Vec<i64> = rotations.iter().flat_map(|one| one.restriction.bounds()).chain(hand_overs).collect();
    let mut edges = Edges::of(zone, &clock, times);
    let terms = rotations.iter().map(|one| one.term).chain(overrides.iter().map(|one| one.term));
    edges.instants.extend(terms.flat_map(Term::ends));
    Ok(Reading { on_call: Box::new(move |at| on_call(&rotations, &overrides, &clock, at)), edges })
}

fn on_call(rotations: &[Rotation], overrides: &[Override], clock: &WallClock, at: Timestamp) -> People {
    let active = || overrides.iter().filter(move |one| one.term.contains(at));
    if active().any(|one| one.rotations.is_empty()) {
        return active().filter(|one| one.rotations.is_empty()).flat_map(|one| one.user.clone()).collect();
    }
    let local = clock.reading(at);
    let mut all = People::new();
    for (place, rotation) in rotations.iter().enumerate() {
        if !rotation.term.contains(at) || !rotation.restriction.allows(local) {
            continue;
        }
        let mut own = active().filter(|one| one.rotations.contains(&place)).peekable();
        if own.peek().is_some() {
            all.extend(own.flat_map(|one| one.user.clone()));
        } else {
            all.extend(rotation.turns.place(clock, at, local, &rotation.places).into_iter().flatten().cloned());
        }
    }
    all
}

fn rotation(value: &Value, export: &Export, directory: &Directory) -> Result<Rotation, String> {
    let from = required_instant(value, "startDate")?;
    let length = number(value, "length").unwrap_or(1);
    let unit = match text(value, "type").unwrap_or("weekly") {
        "weekly" => TurnLength::Local(7 * DAY * length),
        "daily" => TurnLength::Local(DAY * length),
        "hourly" => TurnLength::Elapsed(3_600 * length),
        other => return Err(format!("a rotation of the type {other:?} is not known")),
    };
    if !(1..=100_000).contains(&length) {
        return Err(format!("a turn of {length} is not a length of time"));
    }
    let places = list(value, "participants").iter().map(|one| match text(one, "type").unwrap_or("user") {
        "user" => Ok(People::from([login(one, directory)])),
        "team" => Ok(members(one, export, directory)),
        "none" => Ok(People::new()),
        other => Err(format!("a participant of the type {other:?} takes a turn")),
    });
    Ok(Rotation {
        term: Term { from, until: optional_instant(value, "endDate")? },
        turns: Turns { start: from, length: unit },
        places: places.collect::<Result<_, _>>()?,
        restriction: restriction(value)?,
    })
}

/// The login name of a user; of one that is not converted, what Opsgenie calls the user.
fn login(reference: &Value, directory: &Directory) -> String {
    let known = directory.user(reference);
    let known = known.unwrap_or_else(|_| text(reference, "username").unwrap_or(shown(reference)).to_owned());
    known.to_lowercase()
}

/// The members of a team, without those who are blocked.
fn members(reference: &Value, export: &Export, directory: &Directory) -> People {
    let is_it = |team: &&Value| {
        ["id", "name"].iter().any(|field| text(reference, field).is_some_and(|known| text(team, field) == Some(known)))
    };
    let team = export.list("teams").into_iter().find(is_it);
    let path = format!("teams/{}", team.and_then(|team| id(team, "id")).unwrap_or_default());
    let members = export.object(&path).map(|team| list(team, "members")).unwrap_or_default();
    let users = members.iter().filter_map(|member| directory.user(member.get("user")?).ok());
    users.map(|login| login.to_lowercase()).collect()
}

fn relief(value: &Value, rotations: &[Value], directory: &Directory) -> Result<Override, String> {
    let term = Term { from: required_instant(value, "startDate")?, until: optional_instant(value, "endDate")? };
    let user = part(value, &["user"]).filter(|user| text(user, "type") != Some("none"));
    let is_of = |rotation: &Value, reference: &Value| {
        ["id", "name"].iter().any(|name| text(reference, name).is_some_and(|known| text(rotation, name) == Some(known)))
    };
    let references = list(value, "rotations");
    let of: Vec<usize> = (0..)
        .zip(rotations)
        .filter(|(_, rotation)| references.iter().any(|reference| is_of(rotation, reference)))
        .map(|(place, _)| place)
        .collect();
    // One of rotations that are gone overrides nothing.
    let is_void = of.is_empty() && !references.is_empty();
    let of = if is_void { vec![usize::MAX] } else { of };
    Ok(Override { term, user: user.map(|user| login(user, directory)).into_iter().collect(), rotations: of })
}

impl Restriction {
    fn allows(&self, local: DateTime) -> bool {
        let within = |start: i64, end: i64, second: i64| {
            if start < end { (start..end).contains(&second) } else { second >= start || second < end }
        };
        match self {
            Self::None => true,
            Self::Day(start, end) => within(*start, *end, second_of_day(local)),
            Self::Week(all) => all.iter().any(|(start, end)| within(*start, *end, second_of_week(local))),
        }
    }

    fn bounds(&self) -> Vec<i64> {
        match self {
            Self::None => Vec::new(),
            Self::Day(start, end) => vec![*start, *end],
            Self::Week(all) => all.iter().flat_map(|(start, end)| [*start, *end]).collect(),
        }
    }
}

fn restriction(rotation: &Value) -> Result<Restriction, String> {
    let Some(value) = part(rotation, &["timeRestriction"]) else { return Ok(Restriction::None) };
    let second = |value: &Value, which: &str| {
        let field = |unit: &str| number(value, &format!("{which}{unit}")).unwrap_or(0);
        field("Hour") * 3_600 + field("Min") * 60
    };
    let ends_when_it_begins = || Err("a time restriction begins when it ends".to_owned());
    match text(value, "type").unwrap_or_default() {
        "time-of-day" => {
            let times = part(value, &["restriction"]).ok_or("its time restriction is empty")?;
            let (start, end) = (second(times, "start"), second(times, "end"));
            if start == end { ends_when_it_begins() } else { Ok(Restriction::Day(start, end)) }
        }
        "weekday-and-time-of-day" => {
            let mut all = Vec::new();
            for one in list(value, "restrictions") {
                let day = |name: &str| {
                    let found = text(one, name).unwrap_or_default().to_lowercase();
                    let place = (0..).zip(DAYS).find(|(_, day)| *day == found).map(|(place, _)| place);
                    place.ok_or_else(|| format!("{name} {found:?} is not a day of the week"))
                };
                let (first, last) = (day("startDay")?, day("endDay")?);
                let (start, end): (i64, i64) = (first * DAY + second(one, "start"), last * DAY + second(one, "end"));
                if start == end || (first == last && end < start) {
                    return ends_when_it_begins();
                }
                all.push((start, end));
            }
            Ok(Restriction::Week(all))
        }
        other => Err(format!("a time restriction of the type {other:?} is not known")),
    }
}
