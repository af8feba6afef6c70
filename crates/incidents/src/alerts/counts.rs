//! Counts of alerts by state, status and hour.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use actix_web::HttpResponse;
use api::{RequestContext, answer, get};
use base::{query::Query, timestamp::Timestamp};
use db::{Condition, Conn};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    filter::{self, STATUSES, Search},
    report::STATES,
    store::{self, CountedValues},
};

/// The fields that alerts are counted by.
const FIELDS: [&str; 3] = ["state", "status", "hour"];

/// The most hours of an answer: 31 days.
const MOST_HOURS: usize = 744;

/// Which alerts are counted, and by what.
#[derive(Clone, Debug, api::Parameters)]
pub struct CountQuery {
    /// The fields that alerts are counted by, with commas between: `state`, `status`, `hour`; default `state,status`.
    #[request(with = fields, schema = String, pattern = "^(state|status|hour)(,(state|status|hour)){0,2}$")]
    #[request(example = "state,status")]
    pub by: CountFields,
    /// Filter expression.
    #[request(default, example = "state:Critical+status:New")]
    pub query_string: String,
}

/// The fields that alerts are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountFields {
    state: bool,
    status: bool,
    hour: bool,
}

/// How many alerts there are.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AlertCounts {
    /// One for each combination of values that some alert has: the newest hour first, the worst state first, and
    /// statuses from `New` to `Closed`.
    pub results: Vec<AlertCount>,
    /// All alerts that match, those of hours that were left out among them.
    #[schema(example = 17)]
    pub total: i64,
    /// Were hours left out? Of alerts that are counted by hour, those of the newest 744 hours that have any are there.
    pub truncated: bool,
}

/// How many alerts have the same values. The fields that alerts are not counted by are left out.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AlertCount {
    /// `Critical`, `Warning`, `Info` or `Ok`.
    #[schema(example = "Critical", pattern = "^(Critical|Warning|Ok|Info)$")]
    pub state: Option<String>,
    /// `New`, `Acknowledged`, `Suppressed` or `Closed`.
    #[schema(example = "New", pattern = "^(New|Acknowledged|Suppressed|Closed)$")]
    pub status: Option<String>,
    /// The beginning of the hour, in UTC, in which they were taken in; with `alertTimeBase:updated`, in which they
    /// changed last.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:00:00+0000")]
    pub hour: Option<Timestamp>,
    /// How many there are.
    #[schema(example = 17)]
    pub count: i64,
}

/// Count alerts
///
/// By any of `state`, `status` and `hour`. `queryString` is that of the search for alerts, and the sum of all counts is
/// what that finds.
#[utoipa::path(
    operation_id = "countAlerts",
    params(CountQuery),
    responses((status = 200, description = "The counts", body = AlertCounts)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/counts")]
pub async fn count_alerts(context: RequestContext<CountQuery>) -> api::Result<HttpResponse> {
    let CountQuery { by, query_string } = context.query.clone();
    let now = context.now;
    let search = Arc::new(filter::search(&context.scope(), &query_string, now)?);
    answer::ok(&context.db.read_list(move |conn| AlertCounts::read(conn, &search, by, now)).await?)
}

/// Reads `by`.
fn fields(query: &mut Query, name: &str) -> CountFields {
    let Some(text) = query.text(name) else { return CountFields { state: true, status: true, hour: false } };
    let field = |word: &str| FIELDS.into_iter().find(|field| field.eq_ignore_ascii_case(word.trim()));
    let words: Option<Vec<_>> = text.split(',').map(field).collect();
    if words.is_none() {
        query.error(name, format!("must be some of {}, with commas between", FIELDS.join(", ")));
    }
    let words = words.unwrap_or_default();
    let has = |word: &str| words.contains(&word);
    CountFields { state: has("state"), status: has("status"), hour: has("hour") }
}

impl CountFields {
    /// The SQL of the values; of a field that is not asked for, one value that all alerts have.
    fn values(self, time: &'static str, now: Timestamp) -> CountedValues {
        let same_text = || Condition::sql("CAST('' AS TEXT)");
        CountedValues {
            state: if self.state { Condition::sql("alerts.current_state") } else { same_text() },
            status: if self.status { filter::status_value(now) } else { same_text() },
            hour: if self.hour {
                Condition::sql(time).then(" - ").then(time).then(" % 3600000")
            } else {
                Condition::sql("CAST(0 AS BIGINT)")
            },
        }
    }

    /// How many rows an hour has at most.
    fn rows_of_an_hour(self) -> usize {
        let states = if self.state { STATES.len() } else { 1 };
        let statuses = if self.status { STATUSES.len() } else { 1 };
        states * statuses
    }
}

impl AlertCounts {
    fn read(conn: &mut Conn, search: &Search, by: CountFields, now: Timestamp) -> db::Result<Self> {
        // One row more than the hours of an answer may have shows that there are more hours.
        let most = i64::try_from(MOST_HOURS * by.rows_of_an_hour() + 1).unwrap_or(i64::MAX);
        let mut rows = store::counts(conn, &search.condition, by.values(search.time, now), most)?;
        let hours: BTreeSet<i64> = rows.iter().map(|(_, _, hour, _)| *hour).collect();
        let oldest = hours.iter().rev().nth(MOST_HOURS - 1).copied();
        let truncated = hours.len() > MOST_HOURS;
        if let Some(oldest) = oldest {
            rows.retain(|(_, _, hour, _)| *hour >= oldest);
        }
        let total = match truncated {
            true => store::count(conn, &search.condition)?,
            false => rows.iter().map(|(.., count)| count).sum(),
        };
        let place = |words: &[&str], text: &str| words.iter().position(|word| *word == text);
        rows.sort_by_cached_key(|(state, status, hour, _)| {
            (Reverse(*hour), place(&STATES, state), place(&STATUSES, status))
        });
        let results = rows.into_iter().map(|(state, status, hour, count)| AlertCount {
            state: by.state.then_some(state),
            status: by.status.then_some(status),
            hour: by.hour.then(|| Timestamp::from_millis(hour)),
            count,
        });
        Ok(Self { results: results.collect(), total, truncated })
    }
}
