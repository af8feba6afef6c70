//! The set of pages against a model: random policies, rosters, people, their rules and quiet hours; alerts that are
//! reported, get worse, are acknowledged, suppressed (as by a window or a snooze) and closed; people who leave, clocks
//! that jump, restarts.

mod model;

use std::sync::Arc;

use base::timestamp::Timestamp;
use db::{Conn, Db, Json, MaybeJson};
use diesel::prelude::*;
use proptest::prelude::*;
use serde_json::{Value, json};

use self::model::{Model, Outcome};
use super::super::{scheduler, work::EscalationBatch};
use crate::{
    configuration::{
        methods, notification,
        policies::{
            self,
            wire::{Document, Id, Step, Target},
        },
        routing,
    },
    delivery::pages,
    fakes::{Fakes, TENANT, database},
};

const MINUTE: i64 = 60_000;
/// In minutes.
const DAY: i64 = 24 * 60;
const PEOPLE: usize = 4;
const ROSTERS: usize = 2;
const ALERTS: usize = 2;
const STATES: [&str; 3] = ["Info", "Warning", "Critical"];

/// Whom a step of the policy means.
#[derive(Clone, Copy, Debug)]
pub enum StepTarget {
    Person(usize),
    Roster(usize, Option<i64>),
}

/// Everything that stays as it is.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Targets of each step, and how many minutes it waits.
    steps: Vec<(Vec<StepTarget>, i64)>,
    repeat: i64,
    repeats_last: bool,
    ack_timeout: Option<i64>,
    urgency: Option<&'static str>,
    /// Only what is critical goes to the policy; without it, everything but information does. `None`: nothing does.
    only_critical: Option<bool>,
    /// In each roster, the person of each piece of time, as long as the first number says, in turns; nobody in a gap.
    /// The second level is the next one in turn.
    rosters: Vec<(i64, Vec<Option<usize>>)>,
    /// Of each person, after how many minutes each contact method is used at high urgency.
    methods: Vec<Vec<i64>>,
    /// Of each person, what they said of low urgency; nothing: all contact methods at once.
    low: Vec<Option<LowUrgency>>,
}

/// What a person said of low urgency.
#[derive(Clone, Debug)]
pub struct LowUrgency {
    /// Are contact methods used one after the other, as at high urgency?
    steps: bool,
    /// The first minute of the day in which nothing is sent, and how many those are.
    from: i64,
    long: i64,
    /// The zone of that day, and by how many minutes it is before GMT.
    zone: (&'static str, i64),
}

#[derive(Clone, Copy, Debug)]
enum Input {
    Reported(usize, usize),
    /// With another state, while its status stays as it is.
    Changed(usize, usize),
    Acknowledged(usize),
    Suppressed(usize),
    Closed(usize),
    Left(usize),
    Look,
    Restart,
}

fn user(number: usize) -> String {
    format!("USR{number}")
}

fn method(person: usize, number: usize) -> String {
    format!("CM-{person}-{number}")
}

impl Setup {
    /// Who is on call in a roster at a minute, with their level.
    pub fn on_call(&self, roster: usize, minute: i64) -> Vec<(usize, i64)> {
        let (length, turns) = &self.rosters[roster];
        let at = |offset: i64| turns[(minute.div_euclid(*length) + offset).rem_euclid(turns.len() as i64) as usize];
        [(at(0), 1), (at(1), 2)].into_iter().filter_map(|(person, level)| Some((person?, level))).collect()
    }

    fn document(&self) -> Document {
        let target = |aim: &StepTarget| match aim {
            StepTarget::Person(number) => Target { user: Some(Id { id: user(*number) }), ..Target::default() },
            StepTarget::Roster(number, level) => {
                Target { roster: Some(Id { id: format!("ES-{number}") }), level: *level, ..Target::default() }
            }
        };
        let steps = self.steps.iter();
        let steps = steps
            .map(|(aims, wait)| Step { targets: aims.iter().map(target).collect(), wait: format!("{wait}m") })
            .collect();
        Document {
            description: String::new(),
            steps,
            repeat: self.repeat,
            at_end: if self.repeats_last { "REPEAT_LAST" } else { "STOP" }.to_owned(),
            ack_timeout: self.ack_timeout.map(|minutes| format!("{minutes}m")).unwrap_or_default(),
            urgency: self.urgency.unwrap_or_default().to_owned(),
            ..Document::default()
        }
    }

    /// Stores policy, route, contact methods and rules, and tells the rosters of some days.
    fn store(&self, db: &Db, fakes: &Fakes) {
        let rosters = (0..ROSTERS).map(|roster| {
            let minutes = -10..400;
            let pieces = minutes.flat_map(|minute| {
                let people = self.on_call(roster, minute).into_iter();
                people.map(move |(person, level)| (minute * MINUTE, (minute + 1) * MINUTE, level, user(person)))
            });
            pieces.collect()
        });
        fakes.0.lock().unwrap().rosters = rosters.collect();
        let document = Json(self.document());
        let setup = self.clone();
        db.write_here(move |conn| {
            for (person, waits) in setup.methods.iter().enumerate() {
                let mut steps = Vec::new();
                for (number, after) in waits.iter().enumerate() {
                    methods::store::insert(conn, &contact(person, number, true))?;
                    let step = notification::rules::Step { method: method(person, number), after_ms: after * MINUTE };
                    steps.push(step);
                }
                // One that was never verified is not used.
                methods::store::insert(conn, &contact(person, 9, false))?;
                let said = setup.low[person].as_ref().map(|low| notification::rules::Plan {
                    steps: if low.steps { steps.clone() } else { Vec::new() },
                    quiet: Some(low.quiet()),
                    ..notification::rules::Plan::default()
                });
                let high = notification::rules::Plan { steps, ..notification::rules::Plan::default() };
                for (urgency, plan) in [("high", Some(high)), ("low", said)] {
                    let Some(plan) = plan else { continue };
                    let row = notification::row::Rule {
                        tenant_id: TENANT.to_owned(),
                        user_id: user(person),
                        urgency: urgency.to_owned(),
                        version: 1,
                        document: Json(plan),
                        updated_ms: 0,
                    };
                    notification::store::set(conn, &row)?;
                }
            }
            let policy = policies::row::Policy {
                tenant_id: TENANT.to_owned(),
                id: "EP-1".to_owned(),
                version: 1,
                name: "p".to_owned(),
                name_key: "p".to_owned(),
                document,
                created_by: String::new(),
                updated_by: String::new(),
                created_ms: 0,
                updated_ms: 0,
            };
            policies::store::insert(conn, &policy)?;
            let Some(only_critical) = setup.only_critical else { return Ok(()) };
            let rule = json!({"matchType": "ALL",
                "rules": [{"key": "currentState", "operator": "Equals", "value": "Critical"}]});
            let rules: base::matching::Rules = serde_json::from_value(rule).unwrap();
            let route = routing::row::Route {
                tenant_id: TENANT.to_owned(),
                id: "AR-1".to_owned(),
                version: 1,
                name: "r".to_owned(),
                name_key: "r".to_owned(),
                position: 10,
                is_default: !only_critical,
                rules: MaybeJson(only_critical.then_some(rules)),
                policy_id: "EP-1".to_owned(),
                created_by: String::new(),
                updated_by: String::new(),
                created_ms: 0,
                updated_ms: 0,
            };
            routing::store::insert(conn, &route)
        })
        .unwrap();
    }
}

impl LowUrgency {
    fn quiet(&self) -> notification::rules::Quiet {
        let to = (self.from + self.long) % DAY;
        notification::rules::Quiet { from: self.from, to, zone: self.zone.0.to_owned() }
    }
}

fn contact(person: usize, number: usize, verified: bool) -> methods::row::Method {
    methods::row::Method {
        verified,
        created_ms: number as i64,
        ..crate::fakes::method(&user(person), &method(person, number))
    }
}

/// Plays what happens; answers the pages that were decided.
fn play(setup: &Setup, inputs: &[(i64, Input)]) -> Vec<Outcome> {
    let directory = tempfile::tempdir().unwrap();
    let mut db = database(directory.path());
    let fakes = Fakes::default();
    let neighbours = Arc::new(fakes.neighbours());
    setup.store(&db, &fakes);
    let mut alerts: Vec<Option<Value>> = vec![None; ALERTS];
    for (minute, input) in inputs {
        let now = Timestamp::from_millis(minute * MINUTE);
        let status = |number: usize, status: &str, state: Option<usize>| {
            let old = alerts[number].clone();
            let state = state
                .map_or_else(|| old.as_ref().map(|old| old["currentState"].clone()), |one| Some(json!(STATES[one])));
            let id = format!("ALT-{number}");
            (
                number,
                old,
                json!({"id": id, "clientUniqueId": TENANT, "status": status, "currentState": state, "subject": "s"}),
            )
        };
        let known = |number: usize| alerts[number].as_ref().is_some_and(|alert| alert["status"] != "Closed");
        let current = |number: usize| alerts[number].as_ref().and_then(|alert| alert["status"].as_str());
        let heard = match *input {
            // One that is closed does not come again: the next report is another alert.
            Input::Reported(number, state) if alerts[number].is_none() || known(number) => {
                Some(status(number, "New", Some(state)))
            }
            Input::Changed(number, state) if known(number) => {
                current(number).map(|stays| status(number, stays, Some(state)))
            }
            Input::Acknowledged(number) if known(number) => Some(status(number, "Acknowledged", None)),
            Input::Suppressed(number) if known(number) => Some(status(number, "Suppressed", None)),
            Input::Closed(number) if known(number) => Some(status(number, "Closed", None)),
            Input::Left(person) => {
                fakes.0.lock().unwrap().gone.insert(user(person));
                None
            }
            Input::Restart => {
                drop(db);
                db = database(directory.path());
                None
            }
            _ => None,
        };
        let hear = |before: Option<Value>, after: Value| {
            let asked = Arc::clone(&neighbours);
            let hear = move |conn: &mut Conn| {
                EscalationBatch::run(conn, &asked, now, |conn, work| {
                    super::on_alert_change(conn, work, TENANT, before.as_ref(), &after)
                })
            };
            db.write_here(hear).unwrap();
        };
        if let Some((number, before, after)) = heard {
            hear(before, after.clone());
            alerts[number] = Some(after);
        }
        for _ in 0..8 {
            scheduler::turn(&db, &mut outbox::TenantTurns::new("escalations"), &neighbours, now).unwrap();
        }
        // What was acknowledged for too long is new again, which is heard of behind the steps that follow from it.
        let expired = std::mem::take(&mut fakes.0.lock().unwrap().expired);
        for alert in alerts.iter_mut().flatten().filter(|alert| expired.iter().any(|id| alert["id"] == **id)) {
            let before = alert.clone();
            alert["status"] = json!("New");
            hear(Some(before), alert.clone());
        }
    }
    let rows: Vec<pages::store::Row> = db.read_here(|conn| Ok(crate::schema::pages::table.load(conn)?)).unwrap();
    let mut told: Vec<Outcome> = rows
        .into_iter()
        .map(|row| Outcome {
            alert: row.alert_id,
            step: row.step,
            user: row.user_id,
            method: row.method_id,
            status: row.status,
            urgency: row.urgency,
            decided: row.created_ms / MINUTE,
            after: match (row.channel.as_str(), row.due_ms) {
                ("", _) => 0,
                (_, due) => due.map_or(-1, |due| (due - row.created_ms) / MINUTE),
            },
        })
        .collect();
    told.sort();
    told
}

fn setup() -> impl Strategy<Value = Setup> {
    let aim = prop_oneof![
        (0..PEOPLE).prop_map(StepTarget::Person),
        (0..ROSTERS, proptest::option::of(1_i64..=2)).prop_map(|(roster, level)| StepTarget::Roster(roster, level)),
    ];
    let steps = proptest::collection::vec((proptest::collection::vec(aim, 1..4), 1_i64..10), 1..5);
    let line = (1_i64..30, proptest::collection::vec(proptest::option::weighted(0.7, 0..PEOPLE), 1..5));
    let methods = proptest::collection::vec(proptest::collection::vec(0_i64..5, 0..3), PEOPLE);
    // What happens takes some two hours, so that quiet hours begin and end meanwhile, in one zone or the other.
    let low = (any::<bool>(), -100_i64..200, 1_i64..150, prop_oneof![Just(("GMT", 0)), Just(("Asia/Calcutta", 330))]);
    let low = low.prop_map(|(steps, from, long, zone)| LowUrgency {
        steps,
        from: (from + zone.1).rem_euclid(DAY),
        long,
        zone,
    });
    let low = proptest::collection::vec(proptest::option::of(low), PEOPLE);
    let times = (0_i64..3, any::<bool>(), proptest::option::of(1_i64..20));
    let urgency = proptest::option::of(prop_oneof![Just("high"), Just("low")]);
    let route = proptest::option::weighted(0.9, any::<bool>());
    (steps, times, urgency, route, proptest::collection::vec(line, ROSTERS), methods, low).prop_map(
        |(steps, (repeat, repeats_last, ack_timeout), urgency, only_critical, rosters, methods, low)| Setup {
            steps,
            repeat,
            repeats_last,
            ack_timeout,
            urgency,
            only_critical,
            rosters,
            methods,
            low,
        },
    )
}

fn inputs() -> impl Strategy<Value = Vec<(i64, Input)>> {
    let input = prop_oneof![
        4 => (0..ALERTS, 0..STATES.len()).prop_map(|(alert, state)| Input::Reported(alert, state)),
        6 => Just(Input::Look),
        2 => (0..ALERTS, 0..STATES.len()).prop_map(|(alert, state)| Input::Changed(alert, state)),
        2 => (0..ALERTS).prop_map(Input::Acknowledged),
        1 => (0..ALERTS).prop_map(Input::Suppressed),
        1 => (0..ALERTS).prop_map(Input::Closed),
        1 => (0..PEOPLE).prop_map(Input::Left),
        1 => Just(Input::Restart),
    ];
    // Mostly forwards; now and then the clock is set back.
    let later = prop_oneof![12 => 0_i64..8, 1 => -6_i64..0];
    proptest::collection::vec((later, input), 1..30).prop_map(|steps| {
        let mut minute = 0;
        let moved = steps.into_iter().map(|(later, input)| {
            minute = (minute + later).max(0);
            (minute, input)
        });
        moved.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_pages_are_those_of_the_model(setup in setup(), inputs in inputs()) {
        prop_assert_eq!(play(&setup, &inputs), Model::play(&setup, &inputs));
    }
}
