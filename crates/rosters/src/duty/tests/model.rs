//! Random rosters against a model that looks at one instant at a time, walks from day to day and from hand-over to
//! hand-over, and reads the clocks by itself. `MUSTER_TESTS_ROSTERS` says how many rosters, 10,000 for all that is
//! promised.

use std::collections::BTreeSet;

use calendar::Interval;
use jiff::{
    Timestamp as Instant,
    civil::{Date, DateTime, Time},
    tz::{TimeZone, TimeZoneDatabase},
};
use ports::{Membership, Person};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use super::*;
use crate::{
    absences::{Absence, Absences},
    lines::{Overridden, Override},
    moves::WhenAway,
    roster::rotation::CrewRotation,
};

/// Those with strange clocks, and those of most people.
const ZONES: [&str; 40] = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "America/Anchorage",
    "America/Asuncion",
    "America/Caracas",
    "America/Chicago",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Beirut",
    "Asia/Dhaka",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/Kyiv",
    "Europe/Lisbon",
    "Europe/London",
    "Europe/Moscow",
    "Europe/Volgograd",
    "GMT",
    "Pacific/Apia",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Easter",
    "Pacific/Fiji",
];

const USERS: [&str; 6] = ["U0", "U1", "U2", "U3", "U4", "U5"];
const MINUTE: i64 = 60_000;

/// How a shift is planned. Times are minutes of the day.
#[derive(Clone, Debug)]
struct Plan {
    start: i64,
    end: i64,
    /// Every day, or these weekdays from Sunday.
    days: Option<u8>,
    own: Vec<usize>,
    turns: Option<Taken>,
    /// Holidays on which it does not take place, in days from the first day.
    holidays: BTreeSet<i64>,
}

#[derive(Clone, Debug)]
struct Taken {
    /// Users of each place; 6 is the group.
    places: Vec<Vec<usize>>,
    unit: &'static str,
    number: i64,
    /// Days from the first day.
    day: i64,
    minute: i64,
    when_away: WhenAway,
    /// Since when that holds, in minutes from the change.
    since: i64,
}

/// Somebody is away; in minutes from the change.
#[derive(Clone, Debug)]
struct Away {
    user: usize,
    from: i64,
    length: i64,
    /// Since when that is known, and until when.
    known: (i64, Option<i64>),
}

#[derive(Clone, Debug)]
struct Case {
    zone: &'static str,
    /// Which change of the clocks it is about, and the minute around which the edits and overrides are.
    around: i64,
    /// Each shift before and after an edit, at minutes from the change.
    shifts: Vec<(Plan, Plan, i64)>,
    overrides: Vec<Cover>,
    /// Until when each user was not in use, if ever.
    gone: Vec<Option<(i64, i64)>>,
    /// Since when each user is in the group, and until when; in minutes from the change.
    members: Vec<(usize, i64, Option<i64>)>,
    away: Vec<Away>,
}

#[derive(Clone, Debug)]
struct Cover {
    from: i64,
    length: i64,
    user: usize,
    replaces: Option<usize>,
    shift: Option<usize>,
}

fn places() -> impl Strategy<Value = Vec<Vec<usize>>> {
    vec(vec(0..7_usize, 1..3), 1..6)
}

fn plans() -> impl Strategy<Value = Plan> {
    let unit = prop_oneof![
        Just("weeks").prop_flat_map(|unit| (Just(unit), 1..3_i64)),
        Just("days").prop_flat_map(|unit| (Just(unit), 1..5_i64)),
        Just("hours").prop_flat_map(|unit| (Just(unit), 3..40_i64)),
        Just("occurrences").prop_flat_map(|unit| (Just(unit), 1..5_i64)),
    ];
    let modes = select(vec![WhenAway::Keep, WhenAway::Skip, WhenAway::Swap]);
    let turns = (places(), unit, 0..40_i64, 0..96_i64, modes, -4_000..1_000_i64);
    let turns = turns.prop_map(|(places, (unit, number), day, quarter, when_away, since)| Taken {
        places,
        unit,
        number,
        day,
        minute: quarter * 15,
        when_away,
        since: since * 30,
    });
    let times = (0..48_i64, 0..48_i64, any::<bool>())
        .prop_map(|(start, end, whole)| (start * 30, if whole { start } else { end } * 30));
    let holidays = vec(70..110_i64, 0..15).prop_map(BTreeSet::from_iter);
    (times, option::of(1..128_u8), vec(0..7_usize, 0..2), option::weighted(0.8, turns), holidays)
        .prop_map(|((start, end), days, own, turns, holidays)| Plan { start, end, days, own, turns, holidays })
}

fn cases() -> impl Strategy<Value = Case> {
    let covers = (-120..120_i64, 1..100_i64, 0..6_usize, option::of(0..6_usize), option::of(0..3_usize));
    let covers = covers.prop_map(|(from, length, user, replaces, shift)| Cover {
        from: from * 30,
        length: length * 30,
        user,
        replaces,
        shift,
    });
    let gone = option::weighted(0.3, (-100..100_i64, 1..100_i64))
        .prop_map(|gone| gone.map(|(from, length)| (from * 30, (from + length) * 30)));
    let known = (-4_000..200_i64, option::of(1..2_000_i64));
    let away = (0..6_usize, -4_000..400_i64, prop_oneof![1..100_i64, 1..2_000_i64], known);
    let away = away.prop_map(|(user, from, length, (known, until))| Away {
        user,
        from: from * 30,
        length: length * 30,
        known: (known * 30, until.map(|until| (known + until) * 30)),
    });
    let member = (0..6_usize, -100..100_i64, option::of(1..100_i64));
    let member = member.prop_map(|(user, from, length)| (user, from * 30, length.map(|length| (from + length) * 30)));
    (
        select(ZONES.to_vec()),
        any::<prop::sample::Index>(),
        vec((plans(), plans(), -120..120_i64), 1..4),
        vec(covers, 0..6),
        vec(gone, 6),
        vec(member, 0..4),
        vec(away, 0..16),
    )
        .prop_map(|(zone, change, shifts, overrides, gone, mut members, away)| {
            let clock = Clock::of(zone);
            members.sort_by_key(|(user, ..)| *user);
            members.dedup_by_key(|(user, ..)| *user);
            let around = clock.changes();
            let around = if around.is_empty() { 1_300_000_000_000 } else { around[change.index(around.len())] };
            Case { zone, around, shifts, overrides, gone, members, away }
        })
}

/// The clocks of a zone.
struct Clock(TimeZone);

impl Clock {
    fn of(zone: &str) -> Self {
        Self(TimeZoneDatabase::bundled().get(zone).unwrap())
    }

    fn changes(&self) -> Vec<i64> {
        let from = 1_167_609_600_000;
        let until = 2_145_916_800_000;
        let all = self.0.following(Instant::from_millisecond(from).unwrap());
        all.map(|change| change.timestamp().as_millisecond()).take_while(|at| *at < until).collect()
    }

    fn shows(&self, at: i64) -> DateTime {
        self.0.to_datetime(Instant::from_millisecond(at).unwrap())
    }

    /// When the clocks first show a local time, or one after it.
    fn first(&self, date: Date, minute: i64) -> i64 {
        let time = Time::new((minute / 60) as i8, (minute % 60) as i8, 0, 0).unwrap();
        let wanted = date.to_datetime(time);
        let naive = TimeZone::UTC.to_timestamp(wanted).unwrap().as_millisecond();
        let offset = |at: i64| i64::from(self.0.to_offset(Instant::from_millisecond(at).unwrap()).seconds()) * 1_000;
        let reaches = |at: &i64| self.shows(*at) == wanted;
        let near = [naive - 26 * 60 * MINUTE, naive + 26 * 60 * MINUTE].map(|at| naive - offset(at));
        near.into_iter().filter(reaches).min().unwrap_or_else(|| {
            // It is left out: the clocks jump over it.
            (-26 * 60..=26 * 60).map(|step| naive + step * MINUTE).find(|at| self.shows(*at) >= wanted).unwrap()
        })
    }
}

/// The day before the change, far enough for everything to have begun.
fn first_day(case: &Case) -> Date {
    Clock::of(case.zone).shows(case.around - 90 * 24 * 60 * MINUTE).date()
}

fn later(date: Date, days: i64) -> Date {
    date.checked_add(jiff::Span::new().days(days)).unwrap()
}

/// Does a shift take place?
fn is_on(case: &Case, clock: &Clock, plan: &Plan, at: i64) -> bool {
    let first = first_day(case);
    let today = clock.shows(at).date();
    (-3..=2).any(|step| {
        let date = later(today, step);
        let day = date.weekday().to_sunday_zero_offset();
        if date < first || plan.days.is_some_and(|days| days & (1 << day) == 0) {
            return false;
        }
        if plan.holidays.iter().any(|holiday| later(first, *holiday) == date) {
            return false;
        }
        let last = if plan.end <= plan.start { later(date, 1) } else { date };
        (clock.first(date, plan.start)..clock.first(last, plan.end)).contains(&at)
    })
}

/// Who has a turn.
fn turn(case: &Case, clock: &Clock, plan: &Plan, taken: &Taken, at: i64) -> Option<usize> {
    let first = later(first_day(case), taken.day);
    if taken.unit == "occurrences" {
        let from = clock.first(first, taken.minute);
        let worked = (0..).filter(|day| !plan.holidays.contains(day));
        let days = worked.map(|day| later(first_day(case), day));
        let here =
            days.filter(|date| plan.days.is_none_or(|days| days & (1 << date.weekday().to_sunday_zero_offset()) != 0));
        let starts = here.map(|date| clock.first(date, plan.start));
        let begun = starts.take_while(|start| *start <= at).filter(|start| *start >= from).count();
        return begun.checked_sub(1).map(|last| last / taken.number as usize % taken.places.len());
    }
    let begins = |number: i64| match taken.unit {
        "weeks" => clock.first(later(first, 7 * number * taken.number), taken.minute),
        "days" => clock.first(later(first, number * taken.number), taken.minute),
        _ => clock.first(first, taken.minute) + number * taken.number * 60 * MINUTE,
    };
    let mut now = None;
    for number in 0.. {
        if begins(number) > at {
            return now;
        }
        now = Some(number as usize % taken.places.len());
    }
    None
}

fn in_use(case: &Case, user: usize, at: i64) -> bool {
    case.gone[user]
        .is_none_or(|(from, until)| !(case.around + from * MINUTE..case.around + until * MINUTE).contains(&at))
}

/// Users by their numbers, of which 6 is a group.
fn resolved(case: &Case, named: &[usize], at: i64) -> BTreeSet<usize> {
    let member = |(_, from, until): &&(usize, i64, Option<i64>)| {
        case.around + from * MINUTE <= at && until.is_none_or(|until| at < case.around + until * MINUTE)
    };
    let group = || case.members.iter().filter(member).map(|(user, ..)| *user);
    let all = named.iter().flat_map(|one| if *one == 6 { group().collect() } else { vec![*one] });
    all.filter(|user| in_use(case, *user, at)).collect()
}

/// Who would have a turn of somebody else, and the numbers of the absences for which they have not.
type Why = (Vec<usize>, Vec<usize>);
type OnCall = BTreeSet<(Option<usize>, usize, Option<usize>, Option<Why>)>;

/// A turn as it is taken: when it begins, by which place, and why by that one.
struct TakenTurn {
    begins: i64,
    place: usize,
    why: Option<Why>,
}

/// When occurrences begin and end, date by date.
fn occurrences<'c>(case: &'c Case, clock: &'c Clock, plan: &'c Plan) -> impl Iterator<Item = (i64, i64)> + 'c {
    let days = (0..).filter(|day| !plan.holidays.contains(day)).map(|day| later(first_day(case), day));
    let here =
        days.filter(|date| plan.days.is_none_or(|days| days & (1 << date.weekday().to_sunday_zero_offset()) != 0));
    here.map(|date| {
        let last = if plan.end <= plan.start { later(date, 1) } else { date };
        (clock.first(date, plan.start), clock.first(last, plan.end))
    })
}

/// All turns until long after the change, one after the other.
fn all_turns(case: &Case, clock: &Clock, plan: &Plan, taken: &Taken) -> Vec<TakenTurn> {
    let until = case.around + 45 * 24 * 60 * MINUTE;
    let first = later(first_day(case), taken.day);
    let dates: Vec<(i64, i64)> = occurrences(case, clock, plan).take(160).collect();
    let mut begins: Vec<i64> = match taken.unit {
        "occurrences" => {
            let from = clock.first(first, taken.minute);
            let starts = dates.iter().map(|(start, _)| *start).filter(|start| *start >= from);
            starts.step_by(taken.number as usize).collect()
        }
        "hours" => (0..)
            .map(|number| clock.first(first, taken.minute) + number * taken.number * 60 * MINUTE)
            .take_while(|begin| *begin < until)
            .collect(),
        unit => {
            let days = taken.number * if unit == "weeks" { 7 } else { 1 };
            (0..)
                .map(|number| clock.first(later(first, number * days), taken.minute))
                .take_while(|begin| *begin < until)
                .collect()
        }
    };
    begins.retain(|begin| *begin < until);
    let count = taken.places.len();
    let since = case.around + taken.since * MINUTE;
    let mut order: Vec<(usize, Option<Why>)> = (0..begins.len() + 3 * count).map(|turn| (turn % count, None)).collect();
    let mut queue: Vec<usize> = (0..count).collect();
    for turn in 0..begins.len().saturating_sub(1) {
        let (begin, end) = (begins[turn], begins[turn + 1]);
        let decided = begin.max(since);
        let is_decided = since < end && taken.when_away != WhenAway::Keep;
        let people = |place: usize| resolved(case, &taken.places[place], decided);
        let of = |user: usize| {
            let known = move |away: &Away| {
                let (from, until) = away.known;
                case.around + from * MINUTE <= decided
                    && until.is_none_or(|until| decided < case.around + until * MINUTE)
            };
            let all = case.away.iter().enumerate();
            all.filter(move |(_, away)| away.user == user && known(away)).map(|(number, away)| {
                (number, case.around + away.from * MINUTE, case.around + (away.from + away.length) * MINUTE)
            })
        };
        let shift: Vec<(i64, i64)> = dates
            .iter()
            .map(|(from, to)| (*from.max(&decided), *to.min(&end)))
            .filter(|(from, to)| from < to)
            .collect();
        let is_away = |user: usize| {
            let mut cuts: Vec<i64> = shift.iter().flat_map(|(from, to)| [*from, *to]).collect();
            cuts.extend(of(user).flat_map(|(_, from, to)| [from, to]));
            cuts.sort_unstable();
            let (mut all, mut away) = (0, 0);
            for pair in cuts.windows(2) {
                if shift.iter().any(|(from, to)| (*from..*to).contains(&pair[0])) {
                    all += pair[1] - pair[0];
                    away +=
                        if of(user).any(|(_, from, to)| (from..to).contains(&pair[0])) { pair[1] - pair[0] } else { 0 };
                }
            }
            all > 0 && 2 * away >= all
        };
        let away = |place: usize| !people(place).is_empty() && people(place).into_iter().all(is_away);
        let there = |place: usize| !people(place).is_empty() && !away(place);
        let absences = |place: usize| -> Vec<usize> {
            let meets = |(_, from, to): &(usize, i64, i64)| shift.iter().any(|(start, end)| from < end && start < to);
            let mut found: Vec<usize> =
                people(place).into_iter().flat_map(|user| of(user).filter(meets).map(|(number, ..)| number)).collect();
            found.sort_unstable();
            found
        };
        match taken.when_away {
            WhenAway::Keep => {}
            WhenAway::Skip => {
                let first = queue[0];
                let found = if is_decided && away(first) { queue.iter().position(|place| there(*place)) } else { None };
                let place = queue.remove(found.unwrap_or_default());
                queue.push(place);
                let why = found.map(|_| (people(first).into_iter().collect(), absences(first)));
                order[turn] = (place, why);
            }
            WhenAway::Swap => {
                let first = order[turn].0;
                if is_decided && away(first) {
                    let other = (turn + 1..turn + 2 * count).find(|other| {
                        let place = order.get(*other).map_or(*other % count, |other| other.0);
                        place != first && there(place)
                    });
                    let Some(other) = other.filter(|other| *other < order.len()) else { continue };
                    let place = order[other].0;
                    let of = |place: usize, turn: usize| {
                        let begin = begins.get(turn).copied().unwrap_or(i64::MAX / 4).max(since);
                        resolved(case, &taken.places[place], begin).into_iter().collect::<Vec<_>>()
                    };
                    let reason = |instead: usize, turn: usize| Some((of(instead, turn), absences(first)));
                    order[turn] = (place, reason(first, turn).filter(|_| turn % count != place));
                    order[other] = (first, reason(place, other).filter(|_| other % count != first));
                }
            }
        }
    }
    begins.into_iter().zip(order).map(|(begins, (place, why))| TakenTurn { begins, place, why }).collect()
}

/// The turns of each shift before and after its edit that depend on who is away.
type AllTurns = Vec<[Option<Vec<TakenTurn>>; 2]>;

fn all_turns_of(case: &Case, clock: &Clock) -> AllTurns {
    let of = |plan: &Plan| {
        let taken = plan.turns.as_ref().filter(|taken| taken.when_away != WhenAway::Keep);
        taken.map(|taken| all_turns(case, clock, plan, taken))
    };
    case.shifts.iter().map(|(before, after, _)| [of(before), of(after)]).collect()
}

/// Who is on call at an instant: shift, user, override.
fn model(case: &Case, clock: &Clock, turns: &AllTurns, at: i64) -> OnCall {
    let minutes = |minute: i64| case.around + minute * MINUTE;
    let here = |cover: &Cover| (minutes(cover.from)..minutes(cover.from + cover.length)).contains(&at);
    let mut found = OnCall::new();
    let mut active = false;
    for (number, (before, after, edit)) in case.shifts.iter().enumerate() {
        let plan = if at < minutes(*edit) { before } else { after };
        // Overrides were made before the edit.
        let own = is_on(case, clock, plan, at);
        let covered =
            |cover: &Cover| cover.shift == Some(number) && cover.replaces.is_none() && is_on(case, clock, before, at);
        if !own && !case.overrides.iter().any(|cover| here(cover) && covered(cover)) {
            continue;
        }
        active = true;
        let mut now: Vec<(usize, Option<usize>, Option<Why>)> = Vec::new();
        if own {
            let known = turns[number][usize::from(at >= minutes(*edit))].as_ref();
            let last = known.and_then(|known| known.iter().rfind(|turn| turn.begins <= at));
            let place = plan.turns.as_ref().and_then(|taken| {
                let place = match known {
                    Some(_) => last?.place,
                    None => turn(case, clock, plan, taken, at)?,
                };
                Some(taken.places[place].clone())
            });
            let why = last.and_then(|turn| turn.why.clone());
            let named = [plan.own.clone(), place.unwrap_or_default()].concat();
            now.extend(resolved(case, &named, at).into_iter().map(|user| (user, None, why.clone())));
        }
        for (place, cover) in case.overrides.iter().enumerate().filter(|(_, cover)| here(cover)) {
            let user = Some(cover.user).filter(|user| in_use(case, *user, at));
            match cover.replaces {
                None if cover.shift.is_none() || covered(cover) => {
                    now = user.map(|user| (user, Some(place), None)).into_iter().collect()
                }
                Some(relieved)
                    if cover.shift.is_none_or(|shift| shift == number)
                        && now.iter().any(|(user, ..)| *user == relieved) =>
                {
                    now.retain(|(user, ..)| *user != relieved);
                    if let Some(user) = user.filter(|user| now.iter().all(|(other, ..)| other != user)) {
                        now.push((user, Some(place), None));
                    }
                }
                _ => {}
            }
        }
        found.extend(now.into_iter().map(|(user, by, why)| (Some(number), user, by, why)));
    }
    if !active {
        let last =
            case.overrides.iter().rposition(|cover| here(cover) && cover.shift.is_none() && cover.replaces.is_none());
        let user = last.map(|last| case.overrides[last].user).filter(|user| in_use(case, *user, at));
        found.extend(user.map(|user| (None, user, last, None)));
    }
    found
}

fn time_of_day(minute: i64) -> String {
    format!("{:02}:{:02}:00", minute / 60, minute % 60)
}

fn crew(named: &[usize]) -> Crew {
    let users: Vec<String> = named.iter().filter(|one| **one < 6).map(|one| USERS[*one].to_owned()).collect();
    let groups: Vec<String> = named.iter().filter(|one| **one == 6).map(|_| "G".to_owned()).collect();
    Crew::new(&users, &groups)
}

/// The same case as it is served.
fn served(case: &Case) -> (Schedule, RosterPeople) {
    let zone = Zone::find(case.zone).unwrap();
    let minutes = |minute: i64| Timestamp::from_millis(case.around + minute * MINUTE);
    let first = first_day(case);
    let begin = Timestamp::from_millis(Clock::of(case.zone).first(first, 0));
    let rule = |plan: &Plan| {
        const NAMES: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
        let days =
            |bits: u8| (0..7).filter(|day| bits & (1 << day) != 0).map(|day| NAMES[day]).collect::<Vec<_>>().join(",");
        let pattern = match plan.days {
            None => json!({"type": "daily", "repeatFrequency": 1}),
            Some(bits) => json!({"type": "weekly", "repeatFrequency": 1, "weekDays": days(bits)}),
        };
        let schedule = json!({"type": "recurring", "startDate": begin, "startTime": time_of_day(plan.start),
            "endTime": time_of_day(plan.end), "pattern": pattern, "endPattern": {"type": "NEVER"}});
        let holidays =
            plan.holidays.iter().map(|day| calendar::Day::parse(&later(first, *day).to_string()).unwrap()).collect();
        crate::roster::rules::schedule(&schedule).unwrap().rule(zone).without(zone, &holidays, |_, _| true)
    };
    let rotation = |taken: &Taken| -> CrewRotation {
        let date = later(first, taken.day);
        let body: Value = json!({"order": taken.places.iter().map(|place| crew(place)).collect::<Vec<_>>(),
            "length": {taken.unit: taken.number}, "start": format!("{date}T{}", time_of_day(taken.minute)),
            "whenAway": taken.when_away, "awaySince": minutes(taken.since).millis()});
        serde_json::from_value(body).unwrap()
    };
    let mut schedule = Schedule::default();
    for (number, (before, after, edit)) in case.shifts.iter().enumerate() {
        let start = Timestamp::from_millis(0);
        let never = Timestamp::from_millis(i64::MAX);
        for (plan, valid) in
            [(before, Interval::new(start, minutes(*edit))), (after, Interval::new(minutes(*edit), never))]
        {
            let id = number.to_string();
            let name = number.to_string();
            let version = Version { id, name, level: None, rule: rule(plan), places: None, valid: valid.unwrap() };
            schedule.add(version, crew(&plan.own), plan.turns.as_ref().map(rotation), zone);
        }
    }
    for cover in &case.overrides {
        let time = Interval::new(minutes(cover.from), minutes(cover.from + cover.length)).unwrap();
        let about = |number: usize| case.shifts.get(number).map(|(before, ..)| rule(before));
        let shift = cover.shift.map(|number| Overridden {
            id: number.to_string(),
            name: number.to_string(),
            rule: about(number).unwrap_or_else(|| daily("00:00:00", "00:00:00")),
        });
        schedule.lines.overrides.push(Override { time, shift, of_one: cover.replaces.is_some() });
        schedule.overrides.push(crate::schedule::Relief {
            user: USERS[cover.user].to_owned(),
            replaces: cover.replaces.map(|user| USERS[user].to_owned()),
            ..crate::schedule::Relief::default()
        });
    }
    let person = |id: &str, activated| Person { id: id.to_owned(), activated, ..Person::default() };
    let mut former = Vec::new();
    for (user, gone) in case.gone.iter().enumerate() {
        if let Some((from, until)) = gone {
            former.push((minutes(*from), person(USERS[user], true)));
            former.push((minutes(*until), person(USERS[user], false)));
        }
    }
    let members = case.members.iter().map(|(user, from, until)| Membership {
        group: "G".to_owned(),
        user: USERS[*user].to_owned(),
        since: minutes(*from),
        until: until.map(minutes),
    });
    let staff = RosterPeople::of(&USERS).with("G", former, members.collect());
    let mut absences = Absences::default();
    for (number, away) in case.away.iter().enumerate() {
        let (from, until) = away.known;
        let absence = Absence {
            time: Interval::new(minutes(away.from), minutes(away.from + away.length)).unwrap(),
            known: Interval::new(minutes(from), until.map_or(NEVER, minutes)).unwrap(),
            tenant_id: "own".to_owned(),
            time_off: Some(format!("{number:02}")),
        };
        absences.add(USERS[away.user].to_owned(), absence);
    }
    schedule.move_turns(&staff, &absences, "own");
    (schedule, staff)
}

fn shown(schedule: &Schedule, duties: &[Duty<'_>]) -> OnCall {
    let number = |id: &str| USERS.iter().position(|user| *user == id).unwrap();
    let of = |duty: &Duty<'_>| {
        let shift = schedule.shift(duty.shift).map(|(id, _)| id.parse().unwrap());
        let why = duty.why.map(|why| {
            let mut instead_of: Vec<usize> = why.instead_of.iter().map(|id| number(id)).collect();
            instead_of.sort_unstable();
            (instead_of, why.time_off.iter().map(|id| id.parse().unwrap()).collect())
        });
        duty.users.iter().map(move |user| (shift, number(user), duty.by, why.clone())).collect::<Vec<_>>()
    };
    duties.iter().flat_map(of).collect()
}

/// How many rosters are tried.
fn rosters() -> u32 {
    std::env::var("MUSTER_TESTS_ROSTERS").ok().and_then(|number| number.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(rosters()) })]

    #[test]
    fn who_is_on_call_is_what_a_day_by_day_model_says(mut case in cases()) {
        // An override names a shift that there is.
        case.overrides.retain(|cover| cover.shift.is_none_or(|shift| shift < case.shifts.len()));
        let clock = Clock::of(case.zone);
        let turns = all_turns_of(&case, &clock);
        let (schedule, staff) = served(&case);
        let mut duties = Duties::new(&schedule, &staff);
        let range = Interval::new(
            Timestamp::from_millis(case.around - 72 * 60 * MINUTE),
            Timestamp::from_millis(case.around + 72 * 60 * MINUTE),
        ).unwrap();
        let (all, cut) = duties.within(range, Of::All);
        prop_assert!(!cut);
        for step in -48..48_i64 {
            let at = case.around + (step * 90 + step.rem_euclid(7) * 5) * MINUTE;
            let expected = model(&case, &clock, &turns, at);
            let instant = Timestamp::from_millis(at);
            let here: Vec<Duty<'_>> = all.iter().filter(|duty| duty.time.contains(instant)).cloned().collect();
            prop_assert_eq!(shown(&schedule, &here), expected.clone(), "the timeline at {}", instant);
            if step % 12 == 0 {
                let state = duties.state(instant);
                prop_assert_eq!(shown(&schedule, &state.current), expected, "on call at {}", instant);
                for duty in &state.current {
                    prop_assert!(duty.time.contains(instant));
                    // It began when it says, and it ends when it says.
                    let one = shown(&schedule, std::slice::from_ref(duty));
                    let of = |at: i64| -> OnCall {
                        let shift = one.first().and_then(|(shift, ..)| *shift);
                        let by = one.first().and_then(|(_, _, by, _)| *by);
                        let all = model(&case, &clock, &turns, at).into_iter();
                        all.filter(|other| other.0 == shift && other.2 == by).collect()
                    };
                    let start = duty.time.start().millis();
                    let end = duty.time.end().millis();
                    let near = |at: i64| (at - case.around).abs() < 25 * 24 * 60 * MINUTE;
                    if near(start) {
                        prop_assert_eq!(of(start), one.clone(), "since {}", duty.time.start());
                        prop_assert_ne!(of(start - MINUTE), one.clone(), "before {}", duty.time.start());
                    }
                    if near(end) {
                        prop_assert_eq!(of(end - MINUTE), one.clone(), "until {}", duty.time.end());
                        prop_assert_ne!(of(end), one, "from {}", duty.time.end());
                    }
                }
                let until = state.until.unwrap();
                prop_assert!(until > instant);
                let half = Timestamp::from_millis(at + (until.millis().min(at + 40 * 24 * 60 * MINUTE) - at) / 2);
                let again = duties.state(half);
                prop_assert_eq!(again.current, state.current, "nothing changes before {}", until);
                prop_assert_eq!(again.next, state.next, "nothing changes before {}", until);
            }
        }
    }
}

/// Random rosters with their people, each with its zone and the instant around which it changes.
pub fn rosters_in_zones() -> impl Strategy<Value = (Schedule, RosterPeople, Zone, i64)> {
    cases().prop_map(|mut case| {
        case.overrides.retain(|cover| cover.shift.is_none_or(|shift| shift < case.shifts.len()));
        let (schedule, staff) = served(&case);
        (schedule, staff, Zone::find(case.zone).unwrap(), case.around)
    })
}
