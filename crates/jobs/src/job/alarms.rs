//! The alert of a job: a problem while its last run did not go well (`alertOnFailure`).

use db::Result;
use outbox::Tx;
use ports::{Notice, Notices};

use super::{row::Job, store};

/// What kind of thing the problem is about.
const KIND: &str = "job";

/// What an alert says of a failed run.
pub struct Failure {
    pub subject: String,
    pub description: String,
}

/// Closes the alert of a job that is deleted, or asks for none any more.
pub fn withdraw(tx: &mut Tx<'_>, notices: &dyn Notices, job: &Job) -> Result<()> {
    if !job.alerting {
        return Ok(());
    }
    store::set_alerting(tx.conn, &job.tenant_id, &job.id, false)?;
    let notice = notice(tx, job, None)?;
    notices.notice(tx.conn, &[notice], tx.now)
}

/// Closes the alert of a job at the tenant whose machine it was about, when the job is about one of another tenant now:
/// nothing would close it there any more. Whether its last run went well is then told at the other tenant. `end` is
/// what would have ended the alert before.
pub fn follow(tx: &mut Tx<'_>, notices: &dyn Notices, job: &Job, end: Notice) -> Result<()> {
    if place(&end) == place(&notice(tx, job, None)?) {
        return Ok(());
    }
    store::set_alerting(tx.conn, &job.tenant_id, &job.id, false)?;
    notices.notice(tx.conn, &[end], tx.now)?;
    store::set_alarm(tx.conn, &job.tenant_id, &job.id, Some(tx.now.millis()))
}

/// The tenant that has the alert of a notice.
fn place(notice: &Notice) -> &str {
    notice.resource.as_ref().map_or(&notice.tenant, |(tenant, _)| tenant)
}

/// The report of a problem; without a failure, of its end.
pub fn notice(tx: &mut Tx<'_>, job: &Job, failure: Option<Failure>) -> Result<Notice> {
    let tenants = [job.tenant_id.clone()];
    let ids = [job.id.clone()];
    let mut resources = store::resources(tx.conn, &tenants, &ids)?;
    // A problem is about one machine or none.
    let resource = if resources.len() == 1 { resources.pop() } else { None };
    let severity = failure.as_ref().map(|_| "Critical");
    let Failure { subject, description } = failure
        .unwrap_or_else(|| Failure { subject: format!("The job {} is well", job.name), description: String::new() });
    Ok(Notice {
        tenant: job.tenant_id.clone(),
        about: (KIND, job.id.clone()),
        resource: resource.map(|row| (row.resource_tenant, row.resource_id)),
        severity,
        subject,
        description,
        component: job.name.clone(),
    })
}
