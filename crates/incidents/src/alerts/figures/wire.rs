//! What clients see of figures.

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

api::texts! {
    /// An instant of the range.
    pub Instant = api::spec::of_form(calendar::forms::INSTANT);
}

/// What alerts have in common, with how many there were of each.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AlertFigures {
    /// The range.
    #[schema(value_type = String, example = "2026-11-01T00:00:00+0000")]
    pub from: Timestamp,
    /// The range.
    #[schema(value_type = String, example = "2026-12-01T00:00:00+0000")]
    pub to: Timestamp,
    /// `service`, `owner`, `roster`, `person`, `resource` or `route`.
    #[schema(example = "service", pattern = "^(service|owner|roster|person|resource|route)$")]
    pub by: &'static str,
    /// One for each value that some alert has: that with most alerts first, of as many by its key.
    pub results: Vec<AlertFigure>,
    /// All alerts that were taken in, those that have no such value among them.
    #[schema(example = 17)]
    pub total: i64,
    /// Were values left out? The 1,000 with most alerts are there.
    pub truncated: bool,
}

/// The figures of the alerts that have something in common.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AlertFigure {
    /// What they have in common: the id of a service group (`SGP-…`), of a user group (`USRGRP-…`), of a roster, of a
    /// user, of a resource or of an alert route.
    #[schema(example = "SGP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub key: String,
    /// What it is called now; left out when it is not there any more.
    #[schema(example = "Web shop")]
    pub name: Option<String>,
    /// How many there were.
    #[schema(example = 17)]
    pub alerts: i64,
    /// How many pages about them went out, or are to; by `roster` and `person` those through it or to them.
    #[schema(example = 23)]
    pub pages: i64,
    /// Those that somebody acknowledged, and after how many seconds the first did.
    pub acknowledged: AlertTimes,
    /// Those that are closed, and after how many seconds.
    pub closed: AlertTimes,
    /// Those of which somebody was to be told by a step behind the first.
    #[schema(example = 2)]
    pub escalated: i64,
    /// Those that were closed without an acknowledgement.
    #[schema(example = 5)]
    pub noise: i64,
    /// The problems that came back most often: three at most, those with most alerts first.
    pub repeats: Vec<RepeatedAlert>,
}

/// How long something took, in seconds from when an alert was taken in.
#[api::without_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AlertTimes {
    /// Of how many alerts.
    #[schema(example = 12)]
    pub count: i64,
    /// Half of them took so long, or less; left out when there are none.
    #[schema(example = 240)]
    pub p50: Option<i64>,
    /// Nine of ten took so long, or less; left out when there are none.
    #[schema(example = 900)]
    pub p90: Option<i64>,
}

/// A problem of which there was more than one alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RepeatedAlert {
    /// The latest of its alerts, `ALT-<uuid>`.
    #[schema(example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// The subject of that.
    #[schema(example = "Disk full")]
    pub subject: String,
    /// How many alerts there were.
    #[schema(example = 4)]
    pub count: i64,
}
