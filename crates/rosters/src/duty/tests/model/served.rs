//! A case as it is served.

use base::timestamp::Timestamp;
use calendar::{Interval, Zone};
use ports::{Membership, Person};
use serde_json::{Value, json};

use super::{
    cases::{Case, MINUTE, Plan, Taken, USERS},
    clock::{Clock, first_day, later},
};
use crate::{
    absences::{Absence, Absences},
    duty::tests::*,
    lines::{Overridden, Override},
    roster::rotation::CrewRotation,
};

pub fn time_of_day(minute: i64) -> String {
    format!("{:02}:{:02}:00", minute / 60, minute % 60)
}

pub fn crew(named: &[usize]) -> Crew {
    let users: Vec<String> = named.iter().filter(|one| **one < 6).map(|one| USERS[*one].to_owned()).collect();
    let groups: Vec<String> = named.iter().filter(|one| **one == 6).map(|_| "G".to_owned()).collect();
    Crew::new(&users, &groups)
}

/// The same case as it is served.
pub fn served(case: &Case) -> (Schedule, RosterPeople) {
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
        let edited = [("", before, (start, minutes(*edit))), ("renamed", after, (minutes(*edit), never))];
        for (name, plan, (from, until)) in edited {
            let valid = Interval::new(from, until);
            let id = number.to_string();
            let name = name.to_owned();
            let version = Version { id, name, level: None, rule: rule(plan), places: None, valid: valid.unwrap() };
            schedule.add(version, crew(&plan.own), plan.turns.as_ref().map(rotation), zone);
        }
    }
    for cover in &case.overrides {
        let time = Interval::new(minutes(cover.from), minutes(cover.from + cover.length)).unwrap();
        let about = |number: usize| case.shifts.get(number).map(|(before, ..)| rule(before));
        let shift = cover.shift.map(|number| Overridden {
            id: number.to_string(),
            name: String::new(),
            level: None,
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
