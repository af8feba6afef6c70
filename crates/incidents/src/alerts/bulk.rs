//! Actions on all alerts that a search finds.
//!
//! The alerts that the search finds are listed first, then changed in batches, each of which is one transaction. A
//! batch looks whether its alerts still meet the search, so that nobody closes an alert that became another one
//! meanwhile.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, clock, post};
use base::{
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use db::Condition;
use outbox::Tx;
use ports::People;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    actions::UserAction,
    filter,
    rules::Action,
    store::{self, AlertKey},
    wire::AlertBulkActionInput,
};
use crate::neighbours::Neighbours;

/// The most alerts of one request.
const MOST: usize = 10_000;

/// Alerts that are changed in one transaction.
const BATCH: usize = 100;

/// How long batches are begun: the answer must be there before the time of the request is over.
const TIME: Duration = Duration::from_secs(7);

/// The actions, as the path names them.
const ACTIONS: [&str; 5] = ["acknowledge", "unacknowledge", "suppress", "unsuppress", "close"];

const CHANGED: &str = "changed";
const REFUSED: &str = "refused";
const UNCHANGED: &str = "unchanged";

// Why alerts are unchanged.
const NOT_MET: &str = "It does not meet queryString any more.";
const NO_TIME: &str = "The request took too long before its turn came: send another one for the rest.";
const NO_DATABASE: &str = "The database could not answer when its turn came: send another request for the rest.";

api::texts! {
    /// An action on alerts.
    ActionWord = api::spec::one_of(&ACTIONS);
}

/// What became of all alerts that a search found.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct AlertBulkActionAnswer {
    /// One for each alert.
    pub results: Vec<AlertBulkActionResult>,
    /// How many are changed.
    #[schema(example = 1)]
    pub changed: usize,
    /// How many refused it.
    #[schema(example = 0)]
    pub refused: usize,
    /// How many are unchanged for another reason.
    #[schema(example = 0)]
    pub unchanged: usize,
}

/// What became of an alert.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlertBulkActionResult {
    /// The alert.
    #[schema(example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// `changed`; `refused`, where the action on that alert alone is a 409; or `unchanged`, when it does not meet
    /// `queryString` any more, or its turn did not come.
    #[schema(example = "changed", pattern = "^(changed|refused|unchanged)$")]
    pub status: &'static str,
    /// Why it is not changed.
    #[schema(example = "The alert is closed.")]
    pub reason: Option<String>,
}

/// An action, and the alerts that it is about.
struct BulkAction {
    condition: Condition,
    action: UserAction,
    people: Arc<dyn People>,
}

/// Act on all alerts that a search finds
///
/// What the action does with one alert it does with each of them, at most 10,000, in batches of 100 that commit one
/// after the other: same rules, same audit log, same events. An alert that refuses it leaves the others alone.
/// `queryString` is that of the search for alerts, and has to narrow it.
#[utoipa::path(
    operation_id = "actOnAlerts",
    params(("action" = inline(ActionWord), Path, description = "The action", example = "close")),
    request_body(content = AlertBulkActionInput),
    responses(
        (status = 200, description = "What became of each alert", body = AlertBulkActionAnswer),
        (status = 404, description = "There is no such action"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/actions/{action}")]
pub async fn act(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(word): PathIds<String>,
    Body((input, mut wrong)): Body<(AlertBulkActionInput, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let AlertBulkActionInput { query_string, until, note } = input;
    let action = action(&word, until)?;
    match until {
        Some(_) if !matches!(action, Action::Suppress(_)) => {
            wrong.add("until", "must be absent when the action is not suppress")
        }
        Some(until) if until <= context.now => wrong.add("until", "must be in the future"),
        _ => {}
    }
    let search = wrong.take(filter::search(&context.scope(), &query_string, context.now))?;
    if search.as_ref().is_some_and(|search| !search.is_narrowed) {
        let message = "must say which alerts; all that are open are status:New,Acknowledged,Suppressed";
        wrong.add("queryString", message);
    }
    wrong.check()?;
    let condition = search.ok_or_else(Problem::internal)?.condition;
    let action = UserAction { user: context.author().to_owned(), action, note };
    let work = Arc::new(BulkAction { condition, action, people: Arc::clone(&neighbours.people) });
    let of_request = context.clone();
    context.carry_out(async move { Ok(Answer::ok(&work.carry_out(&of_request).await?)?) }).await
}

/// The action that a path names.
fn action(word: &str, until: Option<Timestamp>) -> Result<Action, Problem> {
    Ok(match word {
        "acknowledge" => Action::Acknowledge,
        "unacknowledge" => Action::Unacknowledge,
        "suppress" => Action::Suppress(until),
        "unsuppress" => Action::Unsuppress,
        "close" => Action::Close,
        _ => return Err(Problem::not_found(format!("Action not found; alerts have: {}", ACTIONS.join(", ")))),
    })
}

impl BulkAction {
    async fn carry_out(self: Arc<Self>, context: &RequestContext) -> api::Result<AlertBulkActionAnswer> {
        let begun = Instant::now();
        let condition = self.condition.clone();
        let keys = context.db.read_list_to_write(move |conn| keys(conn, &condition)).await?;
        let mut answer = AlertBulkActionAnswer::default();
        let mut obstacle = None;
        for batch in keys.chunks(BATCH) {
            if obstacle.is_none() && begun.elapsed() >= TIME {
                obstacle = Some(NO_TIME);
            }
            let before = answer.results.len();
            if obstacle.is_none()
                && let Err(error) = self.change(context, batch, &mut answer).await
            {
                if answer.results.is_empty() {
                    return Err(error.into());
                }
                tracing::error!(%error, done = answer.results.len(), "an action on many alerts was interrupted");
                obstacle = Some(NO_DATABASE);
            }
            let left = batch.iter().skip(answer.results.len() - before);
            left.for_each(|(_, id)| answer.add(unchanged(id, obstacle.unwrap_or(NOT_MET))));
        }
        Ok(answer)
    }

    /// Changes alerts in one transaction; when that fails, each in one of its own.
    ///
    /// # Errors
    /// When the database is away; the answer has those that were dealt with before.
    async fn change(
        self: &Arc<Self>,
        context: &RequestContext,
        keys: &[AlertKey],
        answer: &mut AlertBulkActionAnswer,
    ) -> db::Result<()> {
        match self.write(context, keys).await {
            Err(error @ db::Error::Unavailable(_)) => return Err(error),
            Err(error) => tracing::error!(%error, "an action on many alerts is carried out one by one"),
            Ok(results) => {
                results.into_iter().for_each(|result| answer.add(result));
                return Ok(());
            }
        }
        for key in keys {
            match self.write(context, std::slice::from_ref(key)).await {
                Err(error @ db::Error::Unavailable(_)) => return Err(error),
                Err(error) => answer.add(refused(&key.1, error.into_problem())),
                Ok(results) => results.into_iter().for_each(|result| answer.add(result)),
            }
        }
        Ok(())
    }

    async fn write(
        self: &Arc<Self>,
        context: &RequestContext,
        keys: &[AlertKey],
    ) -> db::Result<Vec<AlertBulkActionResult>> {
        let work = Arc::clone(self);
        let keys = keys.to_vec();
        let actor = context.actor_of_parts();
        let now = clock::now();
        let write = move |conn: &mut db::Conn| Tx::run(conn, &actor, now, |tx| work.apply(tx, &keys));
        context.db.write_for(context.caller.home.as_str(), write).await
    }

    fn apply(&self, tx: &mut Tx<'_>, keys: &[AlertKey]) -> db::Result<Vec<AlertBulkActionResult>> {
        let tenants: Vec<String> = keys.iter().map(|(tenant, _)| tenant.clone()).collect();
        store::lock_tenants(tx.conn, &tenants)?;
        let alerts = store::of_keys(tx.conn, keys, &self.condition)?;
        let outcomes = self.action.apply(tx, &*self.people, &alerts)?;
        let mut done = alerts.iter().zip(outcomes).peekable();
        let result = |(tenant, id): &AlertKey| {
            let outcome = done.next_if(|(alert, _)| (&alert.tenant_id, &alert.id) == (tenant, id));
            match outcome {
                Some((_, Ok(_))) => AlertBulkActionResult { id: id.clone(), status: CHANGED, reason: None },
                Some((_, Err(problem))) => refused(id, problem),
                None => unchanged(id, NOT_MET),
            }
        };
        Ok(keys.iter().map(result).collect())
    }
}

/// The alerts that meet a condition.
///
/// # Errors
/// 400 on `queryString` when they are too many.
fn keys(conn: &mut db::Conn, condition: &Condition) -> db::Result<Vec<AlertKey>> {
    let keys = store::keys(conn, condition, i64::try_from(MOST + 1).unwrap_or(i64::MAX))?;
    check_count(keys.len())?;
    Ok(keys)
}

fn check_count(count: usize) -> Result<(), Problem> {
    let message = "must find at most 10,000 alerts; it finds more, and none is changed";
    if count > MOST { Err(Problem::field("queryString", message)) } else { Ok(()) }
}

fn refused(id: &str, problem: Problem) -> AlertBulkActionResult {
    AlertBulkActionResult { id: id.to_owned(), status: REFUSED, reason: Some(problem.detail) }
}

fn unchanged(id: &str, reason: &str) -> AlertBulkActionResult {
    AlertBulkActionResult { id: id.to_owned(), status: UNCHANGED, reason: Some(reason.to_owned()) }
}

impl AlertBulkActionAnswer {
    fn add(&mut self, result: AlertBulkActionResult) {
        match result.status {
            CHANGED => self.changed += 1,
            REFUSED => self.refused += 1,
            _ => self.unchanged += 1,
        }
        self.results.push(result);
    }
}

#[cfg(test)]
mod tests {
    use outbox::Actor;

    use super::*;
    use crate::alerts::tests::fixture;

    #[test]
    fn an_alert_that_became_another_one_meanwhile_is_left_alone() {
        let fixture = fixture();
        fixture.report(1, "Warning");
        let now = Timestamp::from_millis(1_795_000_600_000);
        let close = |word: &str, is_changed_before: bool| {
            let condition = filter::search(&["client_1".to_owned()], &format!("state:{word}"), now).unwrap().condition;
            let keys = fixture.db.read_here(|conn| keys(conn, &condition)).unwrap();
            if is_changed_before {
                fixture.report(2, "Critical");
            }
            let action = UserAction { user: "USR1".to_owned(), action: Action::Close, note: String::new() };
            let work = BulkAction { condition, action, people: Arc::clone(&fixture.neighbours.people) };
            let actor = Actor::service("test");
            let write = move |conn: &mut db::Conn| Tx::run(conn, &actor, now, |tx| work.apply(tx, &keys));
            let results = fixture.db.write_here(write).unwrap();
            results.into_iter().map(|result| (result.status, result.reason)).collect::<Vec<_>>()
        };
        assert_eq!(close("Warning", true), [(UNCHANGED, Some(NOT_MET.to_owned()))]);
        assert_eq!(close("Critical", false), [(CHANGED, None)]);
        assert_eq!(close("Critical", false), [(REFUSED, Some("The alert is closed.".to_owned()))]);
    }

    #[test]
    fn each_word_is_an_action_and_no_other_is() {
        let until = Some(Timestamp::from_millis(1));
        for word in ACTIONS {
            assert_eq!(action(word, until) == Ok(Action::Suppress(until)), word == "suppress", "{word}");
        }
        for word in ["Close", "", "escalate"] {
            assert_eq!(action(word, None).unwrap_err().kind.status(), 404, "{word}");
        }
    }

    #[test]
    fn more_than_ten_thousand_are_too_many() {
        assert_eq!((MOST, check_count(10_000)), (10_000, Ok(())));
        let refusal = check_count(10_001).unwrap_err();
        assert_eq!((refusal.kind.status(), refusal.errors[0].field_name.as_str()), (400, "queryString"));
    }

    #[test]
    fn an_answer_counts_its_results() {
        let mut answer = AlertBulkActionAnswer::default();
        answer.add(AlertBulkActionResult { id: "ALT-1".to_owned(), status: CHANGED, reason: None });
        answer.add(refused("ALT-2", Problem::conflict("The alert is closed.")));
        answer.add(unchanged("ALT-3", NOT_MET));
        answer.add(unchanged("ALT-4", NO_TIME));
        assert_eq!((answer.results.len(), answer.changed, answer.refused, answer.unchanged), (4, 1, 1, 2));
    }
}
