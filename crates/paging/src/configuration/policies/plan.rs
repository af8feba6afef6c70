//! When the steps of a policy are taken.

/// What a policy says of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// At least one.
    pub steps: Vec<PlanStep>,
    /// How many more times the steps are gone through.
    pub repeat: i64,
    /// What is done after the last step.
    pub at_end: AtEnd,
    /// How long an acknowledgement holds; `None` for as long as it stands.
    pub ack_timeout_ms: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// How long those who are told have before the next step.
    pub wait_ms: i64,
}

/// What is done after the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Nothing.
    Stop,
    /// The last step again, until somebody answers.
    RepeatLast,
}
