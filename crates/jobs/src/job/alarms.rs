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
