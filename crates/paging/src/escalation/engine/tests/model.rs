//! What should happen, told as a walk through the steps of a policy: it knows no rounds, no rows and no due times.

use std::collections::BTreeSet;

use super::{ALERTS, DAY, Input, STATES, Setup, StepTarget, method, user};

/// A page, or a gap in place of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    pub alert: String,
    pub step: i64,
    pub user: String,
    pub method: String,
    pub status: String,
    pub urgency: String,
    /// The minute of the decision.
    pub decided: i64,
    /// How many minutes later it is sent; -1 when it is not any more.
    pub after: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nobody has to hear of it.
    #[default]
    Unknown,
    NoPolicy,
    Walking,
    Acknowledged(i64),
    Quiet,
    Silent,
    Over,
}

/// An alert on its way through the policy.
#[derive(Default)]
struct PageRequest {
    status: &'static str,
    severity: usize,
    phase: Phase,
    /// The step that is next, when it may be taken, and how often all were.
    at: usize,
    wait_until: i64,
    lap: i64,
    high: bool,
}

impl Setup {
    /// How many minutes a person is told later at low urgency: minute by minute, until it is not quiet any more.
    fn after(&self, person: usize, wait: i64, minute: i64) -> i64 {
        let Some(low) = &self.low[person] else { return 0 };
        let first = if low.steps { wait } else { 0 };
        let is_quiet = |after: i64| {
            let local = minute + after + low.zone.1;
            (0..low.long).any(|into| (low.from + into - local) % DAY == 0)
        };
        (first..).find(|after| !is_quiet(*after)).unwrap()
    }
}

pub struct Model<'s> {
    setup: &'s Setup,
    walks: Vec<PageRequest>,
    gone: BTreeSet<usize>,
    pages: Vec<Outcome>,
}

impl<'s> Model<'s> {
    pub fn play(setup: &'s Setup, inputs: &[(i64, Input)]) -> Vec<Outcome> {
        let walks = (0..ALERTS).map(|_| PageRequest::default()).collect();
        let mut model = Self { setup, walks, gone: BTreeSet::new(), pages: Vec::new() };
        for (minute, input) in inputs {
            match *input {
                Input::Reported(alert, severity) => model.report(alert, *minute, "New", Some(severity)),
                Input::Changed(alert, severity) => {
                    let status = model.walks[alert].status;
                    if !status.is_empty() {
                        model.report(alert, *minute, status, Some(severity));
                    }
                }
                Input::Acknowledged(alert) => model.report(alert, *minute, "Acknowledged", None),
                Input::Suppressed(alert) => model.report(alert, *minute, "Suppressed", None),
                Input::Closed(alert) => model.report(alert, *minute, "Closed", None),
                Input::Left(person) => _ = model.gone.insert(person),
                Input::Look | Input::Restart => {}
            }
            (0..ALERTS).for_each(|alert| model.look(alert, *minute));
        }
        model.pages.sort();
        model.pages
    }

    fn report(&mut self, alert: usize, minute: i64, status: &'static str, severity: Option<usize>) {
        let walk = &mut self.walks[alert];
        if walk.status == "Closed" || walk.status.is_empty() && severity.is_none() {
            return;
        }
        let first = walk.status.is_empty();
        let was_open = walk.status == "New";
        let severity = severity.unwrap_or(walk.severity);
        let worse = !first && severity > walk.severity;
        walk.status = status;
        walk.severity = severity;
        let urgent = self.setup.urgency.map_or(severity == 2, |urgency| urgency == "high");
        let rises = urgent && !walk.high && !matches!(walk.phase, Phase::Unknown | Phase::NoPolicy);
        walk.high |= rises;
        let back = walk.at.saturating_sub(1);
        match (status, walk.phase) {
            ("Closed", Phase::Unknown) => {}
            ("Closed", _) => walk.phase = Phase::Over,
            ("New", Phase::Unknown) if worse || !was_open => return self.begin(alert, minute),
            ("New", Phase::NoPolicy) if worse => return self.begin(alert, minute),
            (_, Phase::Unknown | Phase::NoPolicy) => return,
            ("Suppressed", _) => walk.phase = Phase::Quiet,
            ("Acknowledged", Phase::Acknowledged(_)) => return,
            ("Acknowledged", _) => walk.phase = Phase::Acknowledged(minute),
            (_, Phase::Acknowledged(_) | Phase::Quiet) => {
                walk.phase = Phase::Walking;
                walk.at = back;
                walk.wait_until = minute;
            }
            (_, Phase::Silent) if worse => (walk.phase, walk.at, walk.wait_until) = (Phase::Walking, 0, minute),
            // Those who were told last are told again.
            (_, Phase::Walking) if rises && walk.at > 0 => (walk.at, walk.wait_until) = (back, minute),
            _ => {}
        }
        if status != "New" || rises {
            let id = format!("ALT-{alert}");
            for page in self.pages.iter_mut().filter(|page| page.alert == id && page.status == "pending") {
                page.status = "stopped".to_owned();
                page.after = -1;
            }
        }
    }

    fn begin(&mut self, alert: usize, minute: i64) {
        let severity = self.walks[alert].severity;
        let goes = match self.setup.only_critical {
            Some(true) => severity == 2,
            Some(false) => severity > 0,
            None => false,
        };
        let high = self.setup.urgency.map_or(severity == 2, |urgency| urgency == "high");
        let phase = match (goes, STATES[severity]) {
            (true, _) => Phase::Walking,
            (false, "Info") => Phase::Unknown,
            (false, _) => Phase::NoPolicy,
        };
        let walk = &mut self.walks[alert];
        *walk =
            PageRequest { status: walk.status, severity, phase, at: 0, wait_until: minute, lap: 0, high: goes && high };
        if phase == Phase::NoPolicy {
            self.note(alert, 0, String::new(), String::new(), minute, None);
        }
    }

    fn look(&mut self, alert: usize, minute: i64) {
        let steps = self.setup.steps.len();
        let walk = &mut self.walks[alert];
        if let (Phase::Acknowledged(since), Some(timeout)) = (walk.phase, self.setup.ack_timeout)
            && minute >= since + timeout
        {
            (walk.phase, walk.at, walk.wait_until) = (Phase::Walking, walk.at.saturating_sub(1), minute);
            walk.status = "New";
        }
        loop {
            let walk = &mut self.walks[alert];
            if walk.phase != Phase::Walking || minute < walk.wait_until {
                return;
            }
            if walk.at == steps {
                if walk.lap < self.setup.repeat {
                    walk.lap += 1;
                    walk.at = 0;
                } else if self.setup.repeats_last {
                    walk.at = steps - 1;
                } else {
                    walk.phase = Phase::Silent;
                    return;
                }
            }
            let at = walk.at;
            let reached = self.tell(alert, at, minute);
            let waits = if reached || at + 1 == steps { self.setup.steps[at].1 } else { 0 };
            let walk = &mut self.walks[alert];
            walk.at = at + 1;
            walk.wait_until = minute + waits;
        }
    }

    /// Tells whom a step means; does that reach anybody?
    fn tell(&mut self, alert: usize, step: usize, minute: i64) -> bool {
        let setup = self.setup;
        let high = self.walks[alert].high;
        let mut met = BTreeSet::new();
        let mut noted = BTreeSet::new();
        let mut reached = false;
        for aim in &setup.steps[step].0 {
            let (target, people) = match *aim {
                StepTarget::Person(person) => (user(person), vec![person]),
                StepTarget::Roster(roster, level) => {
                    let on_call = setup.on_call(roster, minute).into_iter();
                    let of_level = on_call.filter(|(_, has)| level.is_none_or(|level| level == *has));
                    (format!("ES-{roster}"), of_level.map(|(person, _)| person).collect())
                }
            };
            let people: Vec<usize> = people.into_iter().filter(|person| !self.gone.contains(person)).collect();
            if people.is_empty() && noted.insert(target.clone()) {
                self.note(alert, step, String::new(), target, minute, None);
            }
            for person in people {
                if !met.insert(person) {
                    continue;
                }
                let methods = &setup.methods[person];
                reached |= !methods.is_empty();
                if methods.is_empty() {
                    self.note(alert, step, user(person), String::new(), minute, None);
                }
                for (number, wait) in methods.iter().enumerate() {
                    let after = if high { *wait } else { setup.after(person, *wait, minute) };
                    self.note(alert, step, user(person), method(person, number), minute, Some(after));
                }
            }
        }
        reached
    }

    fn note(&mut self, alert: usize, step: usize, user: String, method: String, decided: i64, after: Option<i64>) {
        self.pages.push(Outcome {
            alert: format!("ALT-{alert}"),
            step: step as i64,
            user,
            method,
            status: if after.is_some() { "pending" } else { "gap" }.to_owned(),
            urgency: if self.walks[alert].high { "high" } else { "low" }.to_owned(),
            decided,
            after: after.unwrap_or(0),
        });
    }
}
