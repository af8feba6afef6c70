//! Random rosters against a model that looks at one instant at a time, walks from day to day and from hand-over to
//! hand-over, and reads the clocks by itself. `MUSTER_TESTS_ROSTERS` says how many rosters, 10,000 for all that is
//! promised.

mod cases;
mod clock;
mod served;

use std::collections::BTreeSet;

use calendar::Interval;
use proptest::prelude::*;

use self::{
    cases::{Away, Case, Cover, MINUTE, Plan, Taken, USERS, cases},
    clock::{Clock, first_day, later},
    served::served,
};
use super::*;
use crate::moves::WhenAway;

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

/// How turns move, who would have a turn of somebody else, and the numbers of the absences for which they have not.
type Why = (u8, Vec<usize>, Vec<usize>);
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
    let mut had = vec![0_i64; count];
    let mut last: Vec<i64> = (0..count).map(|place| place as i64 - count as i64).collect();
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
        let mode = taken.when_away as u8;
        match taken.when_away {
            WhenAway::Keep => {}
            WhenAway::Skip => {
                let most = had.iter().copied().max().unwrap();
                had.iter_mut().for_each(|had| *had = (*had).max(most - 3));
                let mut line: Vec<usize> = (0..count).collect();
                line.sort_by_key(|place| (last[*place] + 1 == turn as i64, had[*place], last[*place]));
                let first = line[0];
                let is_moved = is_decided && away(first);
                let found = if is_moved { line.iter().copied().find(|place| there(*place)) } else { None };
                let place = found.unwrap_or(first);
                had[place] += 1;
                last[place] = turn as i64;
                let why = found.map(|_| (mode, people(first).into_iter().collect(), absences(first)));
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
                    let reason = |instead: usize, turn: usize| Some((mode, of(instead, turn), absences(first)));
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

fn shown(schedule: &Schedule, duties: &[Duty<'_>]) -> OnCall {
    let number = |id: &str| USERS.iter().position(|user| *user == id).unwrap();
    let of = |duty: &Duty<'_>| {
        let shift = schedule.shift(duty.shift).map(|(id, _)| id.parse().unwrap());
        let why = duty.why.map(|why| {
            let mut instead_of: Vec<usize> = why.instead_of.iter().map(|id| number(id)).collect();
            instead_of.sort_unstable();
            (why.mode as u8, instead_of, why.time_off.iter().map(|id| id.parse().unwrap()).collect())
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
        let (all, cut) = duties.within(range, LineSelection::All);
        prop_assert!(!cut);
        for duty in all.iter().take(20) {
            let whole = duties.whole(duty.clone());
            prop_assert_eq!(duties.whole_of(duty.clone(), range), whole, "nothing is left beyond the range");
        }
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
