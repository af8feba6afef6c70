//! Who is on call by the body of a roster and its overrides, as rosters mean them (`crates/rosters`, by `calendar`).

use std::collections::{BTreeMap, BTreeSet};

use base::Timestamp;
use calendar::{End, Interval, Pattern, Recurring, Rotation, Rule, TimeOfDay, Turns, Weekdays, Zone};
use serde_json::Value;

use super::at;

/// A roster that was written.
pub struct Roster {
    shifts: Vec<Shift>,
    overrides: Vec<Override>,
}

struct Shift {
    name: String,
    rule: Rule,
    own: BTreeSet<String>,
    turns: Option<(Turns, Vec<BTreeSet<String>>)>,
}

struct Override {
    time: Interval,
    shift: Option<String>,
    user: String,
}

fn instant(value: &Value) -> Timestamp {
    at(value.as_str().unwrap())
}

fn people(value: &Value) -> BTreeSet<String> {
    let named = |list: &str, field: &str| -> Vec<String> {
        let all = value[list].as_array().into_iter().flatten();
        all.map(|one| one[field].as_str().unwrap().to_owned()).collect()
    };
    named("users", "loginName").into_iter().chain(named("userGroups", "name")).collect()
}

fn rule(schedule: &Value, zone: Zone) -> Rule {
    if schedule["type"] == "one-time" {
        return Rule::OneTime(Interval::new(instant(&schedule["startDate"]), instant(&schedule["endDate"])).unwrap());
    }
    let time = |name: &str| TimeOfDay::parse(schedule[name].as_str().unwrap()).unwrap();
    let pattern = &schedule["pattern"];
    assert_eq!(pattern["repeatFrequency"], 1);
    Rule::recurring(Recurring {
        zone,
        start_date: instant(&schedule["startDate"]),
        start_time: time("startTime"),
        end_time: time("endTime"),
        pattern: match pattern["type"].as_str().unwrap() {
            "daily" => Pattern::Daily { every: 1 },
            _ => Pattern::Weekly { every: 1, days: Weekdays::parse(pattern["weekDays"].as_str().unwrap()).unwrap() },
        },
        end: match schedule["endPattern"]["type"].as_str().unwrap() {
            "NEVER" => End::Never,
            _ => End::Date(instant(&schedule["endPattern"]["endDate"])),
        },
    })
}

impl Roster {
    /// Of the documents of a roster and of overrides, of which those of the roster count.
    pub fn new(roster: &Value, overrides: &[Value]) -> Self {
        let zone = Zone::find(roster["timeZone"]["name"].as_str().unwrap()).unwrap();
        let details = roster["shiftDetails"].as_array().unwrap();
        assert!((1..=100).contains(&details.len()));
        let names: BTreeSet<String> = details.iter().map(|shift| shift["name"].to_string().to_lowercase()).collect();
        assert_eq!(names.len(), details.len(), "names of shifts are unique");
        let shifts = details.iter().map(|shift| {
            let rule = rule(&shift["schedule"], zone);
            let turns = shift.get("rotation").map(|rotation| {
                let read: Rotation = serde_json::from_value(rotation.clone()).unwrap();
                let order = rotation["order"].as_array().unwrap().iter().map(people).collect();
                (read.turns(zone, &rule), order)
            });
            let name = shift["name"].as_str().unwrap().to_owned();
            Shift { name, rule, own: people(shift), turns }
        });
        let own = overrides.iter().filter(|one| one["roster"]["name"] == roster["name"]);
        let overrides = own.map(|one| Override {
            time: Interval::new(instant(&one["start"]), instant(&one["end"])).unwrap(),
            shift: one.get("shift").map(|shift| shift["name"].as_str().unwrap().to_owned()),
            user: one["user"]["loginName"].as_str().unwrap().to_owned(),
        });
        Self { shifts: shifts.collect(), overrides: overrides.collect() }
    }

    /// Who is on call at an instant.
    pub fn on_call(&self, at: Timestamp) -> BTreeSet<String> {
        let here: Vec<&Override> = self.overrides.iter().filter(|one| one.time.contains(at)).collect();
        if let Some(whole) = here.iter().rfind(|one| one.shift.is_none()) {
            return BTreeSet::from([whole.user.clone()]);
        }
        let by_shift: BTreeMap<&str, &str> =
            here.iter().filter_map(|one| Some((one.shift.as_deref()?, one.user.as_str()))).collect();
        let mut all = BTreeSet::new();
        for shift in self.shifts.iter().filter(|shift| shift.rule.contains(at).is_some()) {
            if let Some(user) = by_shift.get(shift.name.as_str()) {
                all.insert((*user).to_owned());
                continue;
            }
            all.extend(shift.own.iter().cloned());
            if let Some((turns, order)) = &shift.turns
                && let Some(turn) = turns.at(at)
            {
                let place = usize::try_from(turn).unwrap() % order.len();
                all.extend(order[place].iter().cloned());
            }
        }
        all
    }
}
