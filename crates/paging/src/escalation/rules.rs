//! When which step of a policy is taken. Pure: the time is an argument, and whom a step reaches is told.

use crate::configuration::policies::plan::{AtEnd, Plan};

/// Where an escalation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Steps are taken when they are due.
    Running,
    /// Somebody works on it.
    Acknowledged,
    /// Nobody needs to hear of it for now.
    Suppressed,
    /// It is over.
    Closed,
    /// All steps were taken, and nobody answered.
    Ended,
    /// There is no policy for it.
    NoPolicy,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::Acknowledged, Self::Suppressed, Self::Closed, Self::Ended, Self::NoPolicy];

    /// As it is stored and shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Acknowledged => "acknowledged",
            Self::Suppressed => "suppressed",
            Self::Closed => "closed",
            Self::Ended => "ended",
            Self::NoPolicy => "noPolicy",
        }
    }

    /// Reads [`Stage::word`].
    pub fn read(word: &str) -> Self {
        Self::ALL.into_iter().find(|stage| stage.word() == word).unwrap_or(Self::Ended)
    }
}

/// An escalation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Where it stands.
    pub stage: Stage,
    /// Which time it is that steps are taken, from 0: no step is taken twice in one round.
    pub round: i64,
    /// The step that is taken next, from 0.
    pub step: i64,
    /// How often the steps were gone through again.
    pub repeats: i64,
    /// When something is to be done next.
    pub next_ms: Option<i64>,
}

/// What became of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertChange {
    /// People need to hear of it.
    Open {
        /// It is worse than it was.
        worse: bool,
    },
    /// Somebody works on it.
    Acknowledged,
    /// Nobody needs to hear of it.
    Suppressed,
    /// It is over.
    Closed,
}

/// How long an alert waits at most for the alert of its place.
pub const WAITS_MS: i64 = 15 * 60_000;
/// How often one looks whether that is still open, and how long its machines have afterwards to recover.
const LOOK_MS: i64 = 30_000;
const RECOVER_MS: i64 = 60_000;

/// Until when an alert waits now, and when one looks again, while the alert of its place is open or not any more;
/// `None` when it has waited long enough.
pub fn held(waits_until_ms: i64, open: bool, now_ms: i64) -> Option<(i64, i64)> {
    if now_ms >= waits_until_ms {
        return None;
    }
    let until = if open { waits_until_ms } else { waits_until_ms.min(now_ms.saturating_add(RECOVER_MS)) };
    Some((until, until.min(now_ms.saturating_add(LOOK_MS))))
}

impl State {
    /// A new escalation, whose first step is due.
    pub const fn begun(round: i64, now_ms: i64) -> Self {
        Self { stage: Stage::Running, round, step: 0, repeats: 0, next_ms: Some(now_ms) }
    }

    /// One that nobody is told of.
    pub const fn without_policy(round: i64) -> Self {
        Self { stage: Stage::NoPolicy, round, step: 0, repeats: 0, next_ms: None }
    }

    /// Once more from the step that was taken last, which is due now.
    const fn resumed(self, now_ms: i64) -> Self {
        let step = if self.step > 0 { self.step - 1 } else { 0 };
        Self { stage: Stage::Running, round: self.round + 1, step, next_ms: Some(now_ms), ..self }
    }

    /// After the alert became urgent: who was told last is told again, as fits that. What had ended begins again.
    pub const fn urgent(self, now_ms: i64) -> Self {
        match self.stage {
            Stage::Running if self.step > 0 => self.resumed(now_ms),
            Stage::Ended => Self { step: 0, ..self.resumed(now_ms) },
            _ => self,
        }
    }

    /// After something became of the alert.
    pub fn after(self, plan: &Plan, heard: AlertChange, now_ms: i64) -> Self {
        let still = |stage: Stage| Self { stage, next_ms: None, ..self };
        match (heard, self.stage) {
            (_, Stage::Closed) => self,
            (AlertChange::Closed, _) => still(Stage::Closed),
            (_, Stage::NoPolicy) => self,
            (AlertChange::Suppressed, _) => still(Stage::Suppressed),
            (AlertChange::Acknowledged, Stage::Acknowledged) => self,
            (AlertChange::Acknowledged, _) => {
                let next_ms = plan.ack_timeout_ms.map(|timeout| now_ms.saturating_add(timeout));
                Self { next_ms, ..still(Stage::Acknowledged) }
            }
            (AlertChange::Open { .. }, Stage::Acknowledged | Stage::Suppressed) => self.resumed(now_ms),
            (AlertChange::Open { worse: true }, Stage::Ended) => Self { step: 0, ..self.resumed(now_ms) },
            (AlertChange::Open { .. }, Stage::Running | Stage::Ended) => self,
        }
    }

    /// Once its acknowledgement is taken back, where that held for its time: nobody has closed it in all this time.
    pub fn expired(self, now_ms: i64) -> Self {
        let is_over = self.stage == Stage::Acknowledged && self.next_ms.is_some_and(|next| next <= now_ms);
        if is_over { self.resumed(now_ms) } else { self }
    }

    /// Is a step to be taken now?
    pub fn is_due(self, now_ms: i64) -> bool {
        self.stage == Stage::Running && self.next_ms.is_some_and(|next| next <= now_ms)
    }

    /// The step that is to be taken now, and the escalation as it is then; no step when nothing is due, or when there
    /// is none left.
    pub fn due(self, plan: &Plan, now_ms: i64) -> (Self, Option<usize>) {
        if self.next_ms.is_none_or(|next| next > now_ms) {
            return (self, None);
        }
        let state = match self.stage {
            Stage::Running => self,
            // The scheduler finds that it is over, and takes the acknowledgement back.
            Stage::Acknowledged => return (self, None),
            _ => return (Self { next_ms: None, ..self }, None),
        };
        let last = i64::try_from(plan.steps.len()).unwrap_or(i64::MAX) - 1;
        let state = match plan.at_end {
            _ if state.step <= last => state,
            _ if state.repeats < plan.repeat => {
                Self { round: state.round + 1, step: 0, repeats: state.repeats + 1, ..state }
            }
            AtEnd::RepeatLast if last >= 0 => Self { round: state.round + 1, step: last, ..state },
            _ => return (Self { stage: Stage::Ended, next_ms: None, ..state }, None),
        };
        (state, usize::try_from(state.step).ok())
    }

    /// After the step was taken. One that reached nobody does not wait, unless it was the last: then those who could be
    /// asked were, and there is time.
    pub fn taken(self, plan: &Plan, reached: bool, now_ms: i64) -> Self {
        let step = usize::try_from(self.step).unwrap_or(0);
        let wait = plan.steps.get(step).map_or(0, |step| step.wait_ms);
        let is_last = step + 1 >= plan.steps.len();
        let wait = if reached || is_last { wait } else { 0 };
        Self { step: self.step + 1, next_ms: Some(now_ms.saturating_add(wait)), ..self }
    }

    /// After a step of a round turned out to have reached nobody: what [`State::taken`] would have made of that.
    /// `None` when it is not the one whose people are waited for.
    pub fn reached_nobody(self, plan: &Plan, (round, step): (i64, i64), now_ms: i64) -> Option<Self> {
        let waits = self.stage == Stage::Running && self.next_ms.is_some_and(|next| next > now_ms);
        let is_last = usize::try_from(self.step).is_ok_and(|taken| taken >= plan.steps.len());
        let is_it = (self.round, self.step) == (round, step + 1);
        (waits && is_it && !is_last).then_some(Self { next_ms: Some(now_ms), ..self })
    }
}

#[cfg(test)]
#[path = "rules/tests.rs"]
mod tests;
