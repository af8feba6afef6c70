//! The jobs of the page behind a link: their buttons, and the last run of each with the end of its output.

use base::{problem::Problem, text::escaped, timestamp::Timestamp};
use db::{Conn, Result};
use ports::{RelatedJob, RunRequest, RunSummary};

use crate::{Neighbours, delivery::link::Link};

/// How much of an output is shown, in bytes.
const OUTPUT: usize = 8 << 10;

/// The reason for missing buttons "Run".
pub const MAY_NOT_RUN: &str = "To run a job takes the role operator, which the person of this link does not have now.";

/// A job that has one of the machines, and its last run.
#[derive(Clone, Debug)]
pub struct PageJob {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its newest run.
    pub last: Option<RunSummary>,
}

impl PageJob {
    /// Is a run of it waiting or under way?
    pub fn is_open(&self) -> bool {
        self.last.as_ref().is_some_and(|run| run.finished.is_none())
    }

    /// The address of the page that looks at its run: it is asked for again while the run is open.
    pub fn watch_address(&self, token: &str) -> String {
        format!("?token={}&watch={}", token, self.id)
    }

    /// Its name, its button and its last run; `age` tells a time.
    fn render(&self, token: &str, may_run: bool, age: impl Fn(Timestamp) -> String) -> String {
        let (id, name) = (escaped(&self.id), escaped(&self.name));
        let button = match may_run {
            true => format!(
                "<form method=\"get\"><input type=\"hidden\" name=\"token\" value=\"{}\">\
                 <input type=\"hidden\" name=\"confirm\" value=\"run\">\
                 <input type=\"hidden\" name=\"job\" value=\"{id}\">\
                 <button aria-label=\"Run {name}\">Run</button></form>\n",
                escaped(token)
            ),
            false => String::new(),
        };
        let run = self.last.as_ref().map_or_else(
            || "<p class=\"dim\">It has not run yet.</p>\n".to_owned(),
            |run| {
                let state = run.state.to_lowercase().replace('_', " ");
                let code = run.exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
                let reason = match run.reason.as_str() {
                    "" => String::new(),
                    reason => format!(": {}", escaped(reason)),
                };
                let output = match run.output.as_str() {
                    "" => String::new(),
                    output => format!("<pre>{}</pre>\n", escaped(output)),
                };
                let refresh = escaped(&self.watch_address(token));
                format!(
                    "<p>Last run: <strong>{}</strong>{code}{reason}, {}</p>\n{output}\
                     <a class=\"wide\" href=\"{refresh}\" aria-label=\"Refresh the run of {name}\">Refresh</a>\n",
                    escaped(&state),
                    age(run.finished.unwrap_or(run.created)),
                )
            },
        );
        format!("<h3><a href=\"/console/jobs/{id}\">{name}</a></h3>\n{button}{run}")
    }
}

/// The section of the jobs.
pub fn section(jobs: &[PageJob], token: &str, may_run: bool, age: impl Fn(Timestamp) -> String) -> String {
    if jobs.is_empty() {
        return String::new();
    }
    let parts: String = jobs.iter().map(|job| job.render(token, may_run, &age)).collect();
    let why = if may_run { String::new() } else { format!("<p class=\"dim\">{MAY_NOT_RUN}</p>\n") };
    format!("<section id=\"jobs\"><h2>Jobs</h2>\n{why}{parts}</section>\n")
}

/// The question before a job runs.
pub fn confirmation(job: &PageJob, token: &str) -> String {
    let (token, id, name) = (escaped(token), escaped(&job.id), escaped(&job.name));
    format!(
        "<section class=\"confirm\"><p><strong>Run {name} now?</strong></p>\n<div class=\"actions\">\n\
         <form method=\"post\" action=\"?token={token}&amp;action=run&amp;job={id}\">\
         <button class=\"acknowledge\">Run</button></form>\n\
         <a class=\"wide\" href=\"?token={token}\">Do not run it</a>\n</div></section>\n"
    )
}

/// Jobs with their newest runs.
pub fn with_runs(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    jobs: Vec<RelatedJob>,
) -> Result<Vec<PageJob>> {
    let with_run = |RelatedJob { id, name, .. }: RelatedJob| {
        let last = neighbours.jobs.last_run(conn, tenant, &id, OUTPUT)?;
        Ok(PageJob { id, name, last })
    };
    jobs.into_iter().map(with_run).collect()
}

/// Runs one of the jobs of a page.
///
/// # Errors
/// 403 without the role, 404 for a job that is not on the page.
pub fn run(
    conn: &mut Conn,
    neighbours: &Neighbours,
    link: &Link,
    (jobs, id): (&[PageJob], &str),
    request: &str,
    now: Timestamp,
) -> Result<&'static str> {
    if !may_run(conn, neighbours, link, now)? {
        return Err(Problem::forbidden(MAY_NOT_RUN).into());
    }
    let job = jobs.iter().find(|job| job.id == id);
    let job = job.ok_or_else(|| Problem::not_found("The job was not found: it has none of these machines."))?;
    let request = RunRequest { tenant: &link.tenant, job: &job.id, user: &link.user, by: "link", request };
    neighbours.jobs.run(conn, &request, &*neighbours.maintenance, now)?;
    Ok("The run is requested.")
}

/// May the person of a link run jobs, now?
pub fn may_run(conn: &mut Conn, neighbours: &Neighbours, link: &Link, now: Timestamp) -> Result<bool> {
    let tenants = neighbours.people.own_and_partner(conn, &link.tenant)?;
    neighbours.people.may_operate(conn, &tenants, &link.user, "runJob", now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_prints_is_text() {
        let at = Timestamp::from_millis(0);
        let job = PageJob {
            id: "\"<i>".to_owned(),
            name: "<b>".to_owned(),
            last: Some(RunSummary {
                state: "TIMED_OUT".to_owned(),
                reason: "<em>".to_owned(),
                exit_code: Some(7),
                created: at,
                finished: None,
                output: "<script>".to_owned(),
            }),
        };
        assert!(job.is_open());
        for may_run in [true, false] {
            let html = section(std::slice::from_ref(&job), "t\"", may_run, |_| "now".to_owned());
            for tag in ["<i>", "<b>", "<em>", "<script", "t\"&"] {
                assert!(!html.contains(tag), "{tag}: {html}");
            }
            assert!(html.contains("timed out</strong>, exit code 7"), "{html}");
            assert_eq!((html.contains("<form"), html.contains(MAY_NOT_RUN)), (may_run, !may_run), "{html}");
        }
        assert!(!confirmation(&job, "t").contains("<b>"));
        assert_eq!(section(&[], "t", true, |_| String::new()), "");
    }
}
