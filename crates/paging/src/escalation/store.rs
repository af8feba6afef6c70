//! Rows of escalations. Every function takes the tenant; which tenants have a step that is due is looked for in all.

use std::collections::{BTreeSet, HashSet};

use base::timestamp::Timestamp;
use db::{Condition, Conn, DueRows, Json, MaybeJson, Result};
use diesel::prelude::*;
use outbox::{Keep, Retention};

use super::{
    actions::EscalationAction,
    rules::{Stage, State},
};
use crate::{
    configuration::{methods::row::Method, policies::wire::Document},
    delivery::pages::{
        facts::Facts,
        store::{GAP, Row as Page},
    },
    schema::escalations,
};

/// One row of `escalations`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = escalations, primary_key(tenant_id, alert_id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of the alert.
    pub tenant_id: String,
    /// `ALT-<uuid>`.
    pub alert_id: String,
    /// Counts its changes.
    pub version: i64,
    /// The tenant of the policy: that of the alert, or its partner. Empty when there is no policy.
    pub policy_tenant: String,
    pub policy_id: String,
    /// What it was called.
    pub policy_name: String,
    /// What it said.
    pub policy: Json<Document>,
    /// The route that led to it.
    pub route_id: String,
    /// [`Stage::word`].
    pub stage: String,
    /// See [`State`].
    pub round: i64,
    /// See [`State`].
    pub step: i64,
    /// See [`State`].
    pub repeats: i64,
    /// See [`State`].
    pub next_ms: Option<i64>,
    /// `high` or `low`.
    pub urgency: String,
    /// What the pages of alerts have in common that came one soon after the other.
    pub conversation: String,
    /// What is told.
    pub alert: Json<Facts>,
    /// When it began.
    pub created_ms: i64,
    pub updated_ms: i64,
    /// The same for alerts that come and go.
    pub problem: String,
    /// The places that are down while it is open and critical; `None` for none.
    pub stands_for: MaybeJson<Vec<String>>,
    /// The alert of such a place that it waited for; empty for none.
    pub waits_for: String,
    /// How long it waits at most; `None` when it does not, or not any more.
    pub waits_until_ms: Option<i64>,
    /// What people did with it besides answering, oldest first; the latest of them.
    pub actions: MaybeJson<Vec<EscalationAction>>,
    /// The step that tells those to whom it was handed over last, from 0; `None` for nobody.
    pub handed_over_step: Option<i64>,
}

/// The most actions that an escalation remembers; older ones are in the audit log.
const MOST_ACTIONS: usize = 100;

/// Escalations with a step that is due.
pub const DUE: DueRows = DueRows { table: "escalations", due: "next_ms", only: "next_ms IS NOT NULL" };

/// Escalations that came to an end.
pub const RETENTION: Retention = Retention {
    kind: "escalations",
    keep: Keep::Millis(400 * 86_400_000),
    most: Some(1_000_000),
    table: "escalations",
    id: "alert_id",
    since: "updated_ms",
    only: "next_ms IS NULL AND stage IN ('closed', 'ended', 'noPolicy')",
    remove: Some(|conn, tenant, ids, _| {
        use escalations::dsl;
        ports::told_changes(conn, tenant, &ids.iter().map(String::as_str).collect::<Vec<_>>())?;
        let these = dsl::escalations.filter(dsl::tenant_id.eq(tenant)).filter(dsl::alert_id.eq_any(ids));
        Ok(diesel::delete(these).execute(conn)?)
    }),
};

/// Which route took an alert, as other domains join it with theirs (see [`ports::PagedAlerts`]).
pub const ROUTES_AS_TABLE: &str = "(SELECT tenant_id, alert_id, policy_tenant AS route_tenant, route_id \
                                   FROM escalations WHERE route_id <> '')";

impl Row {
    /// Where it stands.
    pub fn state(&self) -> State {
        let Self { round, step, repeats, next_ms, .. } = *self;
        State { stage: Stage::read(&self.stage), round, step, repeats, next_ms }
    }

    /// The same with another state.
    #[must_use]
    pub fn with(self, state: State, now_ms: i64) -> Self {
        let State { stage, round, step, repeats, next_ms } = state;
        let stage = stage.word().to_owned();
        Self { stage, round, step, repeats, next_ms, version: self.version + 1, updated_ms: now_ms, ..self }
    }

    /// Those who did something with it, and to whom it was handed over, by id.
    pub fn people_of_actions(&self) -> impl Iterator<Item = String> {
        let actions = self.actions.iter().flatten();
        actions.flat_map(|action| action.users.iter().chain([&action.by]).cloned())
    }

    /// The same with one more action.
    #[must_use]
    pub fn with_action(self, action: EscalationAction) -> Self {
        let mut actions = self.actions.0.unwrap_or_default();
        let surplus = (actions.len() + 1).saturating_sub(MOST_ACTIONS);
        actions.drain(..surplus);
        actions.push(action);
        Self { actions: MaybeJson(Some(actions)), ..self }
    }

    /// The tenant whose people and rosters a step names: those of a hand-over are named from the alert.
    pub fn tenant_of_step(&self, step: usize) -> &str {
        let is_hand_over = self.handed_over_step.is_some_and(|number| usize::try_from(number) == Ok(step));
        if is_hand_over { &self.tenant_id } else { &self.policy_tenant }
    }

    /// A page to a person, by a contact method.
    pub fn page(&self, round: i64, step: i64, method: &Method, due: Timestamp, now: Timestamp) -> Page {
        Page {
            user_id: method.user_id.clone(),
            method_tenant: method.tenant_id.clone(),
            method_id: method.id.clone(),
            channel: method.kind.clone(),
            due_ms: Some(due.millis()),
            ..self.page_of_step(round, step, now)
        }
    }

    /// A page to an integration.
    pub fn integration(&self, round: i64, step: i64, id: &str, now: Timestamp) -> Page {
        Page {
            method_tenant: self.policy_tenant.clone(),
            method_id: id.to_owned(),
            channel: "INTEGRATION".to_owned(),
            due_ms: Some(now.millis()),
            ..self.page_of_step(round, step, now)
        }
    }

    /// A page to nobody, and why.
    pub fn gap(&self, round: i64, step: i64, user: &str, target: &str, why: &str, now: Timestamp) -> Page {
        Page {
            user_id: user.to_owned(),
            method_id: target.to_owned(),
            status: GAP.to_owned(),
            why: why.to_owned(),
            ..self.page_of_step(round, step, now)
        }
    }

    fn page_of_step(&self, round: i64, step: i64, now: Timestamp) -> Page {
        Page {
            alert_id: self.alert_id.clone(),
            round,
            step,
            urgency: self.urgency.clone(),
            policy_id: self.policy_id.clone(),
            conversation: self.conversation.clone(),
            message: self.alert.clone(),
            ..Page::blank(&self.tenant_id, "page", now)
        }
    }
}

/// Anyone who changes the escalation of an alert takes this.
pub fn lock(tenant: &str, alert: &str) -> db::Lock {
    db::Lock::of("escalation", format_args!("{tenant}:{alert}"))
}

/// Takes the locks of many. Anyone who takes several takes them in one order, so that no two wait for each other.
pub fn lock_all(conn: &mut Conn, alerts: &BTreeSet<(&str, &str)>) -> Result<()> {
    let locks: Vec<db::Lock> = alerts.iter().map(|(tenant, alert)| lock(tenant, alert)).collect();
    db::Lock::take_all(conn, &locks)
}

/// The escalation of an alert.
pub fn find(conn: &mut Conn, tenant: &str, alert: &str) -> Result<Option<Row>> {
    let found = escalations::table.find((tenant, alert));
    Ok(db::direct!(conn, |conn| found.get_result(conn).optional())?)
}

/// Which of these alerts have an escalation.
pub fn stored(conn: &mut Conn, tenant: &str, alerts: &[&str]) -> Result<HashSet<String>> {
    use escalations::dsl;
    let these = dsl::escalations.filter(dsl::tenant_id.eq(tenant)).filter(dsl::alert_id.eq_any(alerts));
    Ok(these.select(dsl::alert_id).load(conn)?.into_iter().collect())
}

/// Stores new ones.
pub fn insert_all(conn: &mut Conn, rows: &[Row]) -> Result<()> {
    rows.iter().try_for_each(|row| ports::told_changes(conn, &row.tenant_id, &[&row.alert_id]))?;
    db::insert_rows!(conn, escalations::table, rows)
}

/// Stores one that has changed.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    ports::told_changes(conn, &row.tenant_id, &[&row.alert_id])?;
    diesel::update(escalations::table.find((&row.tenant_id, &row.alert_id))).set(row).execute(conn)?;
    Ok(())
}

/// The alerts of some escalations of a tenant that are due, those that were due first; of these, those whose
/// acknowledgement is over stand first.
pub fn due(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<String>> {
    use escalations::dsl;
    let due = Condition::sql("escalations.next_ms IS NOT NULL AND escalations.next_ms <= ").integer(now_ms);
    let due = dsl::escalations.filter(dsl::tenant_id.eq(tenant)).filter(due).select((dsl::alert_id, dsl::stage));
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut due: Vec<(String, String)> = due.order((dsl::next_ms, dsl::alert_id)).limit(most).load(conn)?;
    due.sort_by_key(|(_, stage)| stage != Stage::Acknowledged.word());
    Ok(due.into_iter().map(|(alert, _)| alert).collect())
}

/// Puts off the escalations of these alerts of a tenant.
pub fn hold(conn: &mut Conn, tenant: &str, alerts: &[String], until_ms: i64) -> Result<()> {
    let own = escalations::table.filter(escalations::tenant_id.eq(tenant)).filter(escalations::alert_id.eq_any(alerts));
    let due = own.filter(escalations::next_ms.is_not_null());
    diesel::update(due).set(escalations::next_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// The conversation of the last alert of a policy, when that began after an instant.
pub fn conversation(conn: &mut Conn, tenant: &str, policy: &str, after_ms: i64) -> Result<Option<String>> {
    use escalations::dsl;
    let of_policy = dsl::escalations.filter(dsl::tenant_id.eq(tenant)).filter(dsl::policy_id.eq(policy));
    let recent = of_policy.filter(dsl::created_ms.gt(after_ms)).order(dsl::created_ms.desc()).select(dsl::conversation);
    Ok(db::direct!(conn, |conn| recent.first(conn).optional())?)
}

/// How many alerts of a problem there were since an instant, as far as `most`.
pub fn count_since(conn: &mut Conn, tenant: &str, problem: &str, since_ms: i64, most: i64) -> Result<i64> {
    use escalations::dsl;
    let same = dsl::escalations.filter(dsl::tenant_id.eq(tenant)).filter(dsl::problem.eq(problem));
    let recent = same.filter(dsl::created_ms.gt(since_ms)).select(dsl::created_ms).limit(most);
    let found: Vec<i64> = db::direct!(conn, |conn| recent.load(conn))?;
    Ok(i64::try_from(found.len()).unwrap_or(most))
}

/// Removes one, before another one takes its place.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    ports::told_changes(conn, &row.tenant_id, &[&row.alert_id])?;
    diesel::delete(escalations::table.find((&row.tenant_id, &row.alert_id))).execute(conn)?;
    Ok(())
}
