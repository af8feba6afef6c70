//! Implementations of the ports for a domain that is served alone (`api::harness`), and for its unit tests. Nothing of
//! the program depends on this crate.

mod machines;

use std::collections::HashMap;

use base::Timestamp;
use db::{Conn, Result};
use ports::{
    AlertAction, AlertPreview, Alerts, Articles, EachPage, Escalations, GroupHistory, IncidentRecord, Incidents,
    IntegrationSummary, Integrations, Jobs, LinkVisit, Maintenance, Messages, Notice, Notices, OnCall, OnCallPerson,
    OwnShift, Owners, PagedAlerts, People, PeopleGroup, Person, PersonalMessage, Reading, ReadsUrls, RelatedArticle,
    RelatedJob, RosterSummary, RunRequest, RunSummary, SendError, SentPages, SessionStart, Sessions, SkippedShift,
    Tenants, WorkedTimes,
};
use serde_json::Value;

/// Three users, of whom [`Standalone::CALLER`] writes everything, and a group of them; a few machines of `client_1`, of
/// which none is in maintenance. Nobody is on call.
#[derive(Clone, Copy, Debug)]
pub struct Standalone;

impl Standalone {
    /// The user as whom the harness calls.
    pub const CALLER: &str = "USR0000000001";
}

const USERS: [(&str, &str, &str); 3] = [("ann", "Ann", "Lee"), ("bob", "Bob", "Roy"), ("eve", "Eve", "Kim")];
const USER_GROUP: &str = "USRGRP-00000000-0000-4000-8000-000000000001";

fn users() -> Vec<Person> {
    let user = |(number, (login, first, last)): (i32, &(&str, &str, &str))| Person {
        tenant_id: "client_1".to_owned(),
        id: format!("USR{number:010}"),
        login_name: (*login).to_owned(),
        first_name: Some((*first).to_owned()),
        last_name: Some((*last).to_owned()),
        email: Some(format!("{login}@example.net")),
        phone_number: Some(format!("+1 555 010{number}")),
        mobile_number: Some(format!("+1 555 020{number}")),
        activated: true,
    };
    (1..).zip(&USERS).map(user).collect()
}

impl People for Standalone {
    fn users(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Person>> {
        Ok(users().into_iter().filter(|user| ids.contains(&user.id)).collect())
    }

    fn groups(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<PeopleGroup>> {
        let group = PeopleGroup {
            tenant_id: "client_1".to_owned(),
            unique_id: USER_GROUP.to_owned(),
            name: "Everybody".to_owned(),
            description: String::new(),
            created: Timestamp::from_millis(0),
            updated: None,
            activated: true,
            members: users().into_iter().map(|user| user.id).collect(),
        };
        Ok(Some(group).filter(|group| ids.contains(&group.unique_id)).into_iter().collect())
    }

    fn revisions(&self, _: &mut Conn, _: &[String]) -> Result<Vec<(String, i64)>> {
        Ok(Vec::new())
    }

    fn own_and_partner(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        let mut around = vec![tenant.to_owned(), "msp_1".to_owned()];
        around.dedup();
        Ok(around)
    }

    fn is_active(&self, _: &mut Conn, _: &str) -> Result<bool> {
        Ok(true)
    }

    fn former_users(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<Vec<(Timestamp, Person)>> {
        Ok(Vec::new())
    }

    fn former_groups(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<GroupHistory> {
        Ok(GroupHistory::default())
    }

    fn may_act(&self, _: &mut Conn, _: &[String], id: &str, _: Timestamp) -> Result<bool> {
        Ok(users().iter().any(|user| user.id == id))
    }

    fn may_operate(&self, _: &mut Conn, _: &[String], id: &str, _: &str, _: Timestamp) -> Result<bool> {
        Ok(users().iter().any(|user| user.id == id))
    }

    fn below(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned()])
    }

    fn administrators(&self, _: &mut Conn, _: &str) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn active(&self, _: &mut Conn, tenants: &[String]) -> Result<Vec<String>> {
        Ok(tenants.to_vec())
    }
}

/// Nobody owns anything.
impl Owners for Standalone {
    fn owner(&self, _: &mut Conn, _: &str, _: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn owners(&self, _: &mut Conn, _: &str, machines: &[String]) -> Result<Vec<Option<String>>> {
        Ok(vec![None; machines.len()])
    }

    fn called(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp) -> Result<Option<String>> {
        Ok(None)
    }
}

/// There are no articles.
impl Articles for Standalone {
    fn about(&self, _: &mut Conn, _: &[String], _: &[String], _: usize) -> Result<Vec<RelatedArticle>> {
        Ok(Vec::new())
    }

    fn content(&self, _: &mut Conn, _: &[String], _: &str) -> Result<Option<String>> {
        Ok(None)
    }
}

/// There are no jobs.
impl Jobs for Standalone {
    fn of_machines(&self, _: &mut Conn, _: &str, _: &[String], _: i64) -> Result<Vec<RelatedJob>> {
        Ok(Vec::new())
    }

    fn last_run(&self, _: &mut Conn, _: &str, _: &str, _: usize) -> Result<Option<RunSummary>> {
        Ok(None)
    }

    fn run(&self, _: &mut Conn, _: &RunRequest<'_>, _: &dyn Maintenance, _: Timestamp) -> Result<()> {
        Err(base::Problem::not_found("The job was not found.").into())
    }
}

/// Nobody signs in.
impl Sessions for Standalone {
    fn begin(&self, _: &mut Conn, _: &LinkVisit<'_>, _: Timestamp) -> Result<SessionStart> {
        Err(base::Problem::conflict("This service has no sessions.").into())
    }
}

/// There are no incidents.
impl Incidents for Standalone {
    fn act(&self, _: &mut Conn, _: AlertAction<'_>, _: Timestamp) -> Result<()> {
        Err(base::Problem::not_found("The incident was not found.").into())
    }

    fn expire_acknowledgement(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp) -> Result<bool> {
        Ok(false)
    }
}

/// Nobody looks after alerts.
impl Escalations for Standalone {
    fn paged(&self) -> PagedAlerts {
        PagedAlerts {
            pages: "(SELECT '' AS tenant_id, '' AS alert_id, '' AS user_id, '' AS roster_tenant, '' AS roster_id, \
                    0 AS step, 0 AS created_ms, 0 AS sent WHERE 1 = 0)",
            routes: "(SELECT '' AS tenant_id, '' AS alert_id, '' AS route_tenant, '' AS route_id WHERE 1 = 0)",
        }
    }

    fn route_names(&self, _: &mut Conn, _: &[String], _: &[String]) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn reopens_when_worse(&self, _: &mut Conn, _: &str, _: &str) -> Result<bool> {
        Ok(true)
    }

    fn escalate(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp) -> Result<bool> {
        Ok(false)
    }
}

/// Nobody is told of anything.
impl SentPages for Standalone {
    fn for_each_page(&self, _: &mut Conn, _: &[String], _: (Timestamp, Timestamp), _: EachPage<'_>) -> Result<()> {
        Ok(())
    }
}

/// Nobody works on anything.
impl WorkedTimes for Standalone {
    fn worked(
        &self,
        _: &mut Conn,
        _: &[String],
        _: (Timestamp, Timestamp),
        _: Timestamp,
    ) -> Result<HashMap<String, u64>> {
        Ok(HashMap::new())
    }
}

impl Notices for Standalone {
    fn notice(&self, _: &mut Conn, _: &[Notice], _: Timestamp) -> Result<()> {
        Ok(())
    }
}

/// Nobody can be reached.
impl Messages for Standalone {
    fn send(&self, _: &mut Conn, _: &[PersonalMessage], _: Timestamp) -> Result<()> {
        Ok(())
    }
}

/// Nothing is installed.
impl Integrations for Standalone {
    fn installed(&self, _: &mut Conn, _: &[String], _: &str) -> Result<Option<IntegrationSummary>> {
        Ok(None)
    }
}

/// Nobody is on call.
impl OnCall for Standalone {
    fn skipped_of(&self, _: &mut Conn, _: &str, _: &str, _: &str, _: Timestamp) -> Result<Vec<SkippedShift>> {
        Ok(Vec::new())
    }

    fn on_call(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp) -> Result<Vec<OnCallPerson>> {
        Ok(Vec::new())
    }

    fn roster(&self, _: &mut Conn, _: &[String], _: &str) -> Result<Option<RosterSummary>> {
        Ok(None)
    }

    fn shifts_of(&self, _: &mut Conn, _: &[String], _: &str, _: (Timestamp, Timestamp)) -> Result<Vec<OwnShift>> {
        Ok(Vec::new())
    }
}

/// A tenant is named as its id.
impl Tenants for Standalone {
    fn names(&self, _: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
        Ok(ids.iter().map(|id| (id.clone(), id.clone())).collect())
    }

    fn partner(&self, _: &mut Conn, tenant: &str) -> Result<String> {
        Ok(tenant.to_owned())
    }
}

/// A report is the alert as it stands, about no machine.
impl Alerts for Standalone {
    fn preview(&self, _: &mut Conn, _: &str, _: &[String], report: &Value, _: Timestamp) -> Result<AlertPreview> {
        Ok(AlertPreview { resource: None, problem: Some("nobody knows the machine"), alert: report.clone() })
    }

    fn find(&self, _: &mut Conn, _: &[String], _: &str, _: Timestamp) -> Result<Option<Value>> {
        Ok(None)
    }

    fn taken_in(&self, _: &mut Conn, _: &str, _: &str) -> Result<Option<Timestamp>> {
        Ok(None)
    }

    fn locked_version(&self, _: &mut Conn, _: &str, _: &str) -> Result<Option<i64>> {
        Ok(None)
    }

    fn incident(&self, _: &mut Conn, _: &[String], _: &str, _: i64) -> Result<Option<IncidentRecord>> {
        Ok(None)
    }

    fn act(&self, _: &mut Conn, _: AlertAction<'_>, _: Timestamp) -> Result<Value> {
        Err(base::Problem::not_found("The alert was not found.").into())
    }

    fn expire_acknowledgement(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp, _: Timestamp) -> Result<bool> {
        Ok(false)
    }
}

/// Any URL may be read, and nothing is there.
impl ReadsUrls for Standalone {
    fn check_url(&self, _: &str) -> std::result::Result<(), String> {
        Ok(())
    }

    fn read<'a>(&'a self, _: &'a str, _: usize) -> Reading<'a> {
        Box::pin(async { Err(SendError::new("nothing is there")) })
    }
}
