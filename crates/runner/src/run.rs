//! `muster runner`: takes runs of custom scripts from the service and carries them out, one after the other.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use base::secret::Secret;
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::namespaces;
use crate::{
    confinement::{Confinement, exit_code},
    credentials,
    options::Options,
    orphans::Orphans,
    program::{Program, Script},
    service::{Response, Service},
    stop::Stop,
    user::{self, User},
    workspace::Workspace,
};

/// How long the service waits for a sign of life, and how often it gets one.
const LEASE_S: u64 = 60;
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How often a run that is under way is looked at, and how often its output is sent.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const SEND_INTERVAL: Duration = Duration::from_secs(1);
/// How soon output is sent again that was not taken.
const RESEND_INTERVAL: Duration = Duration::from_secs(5);

/// The most lines of one request.
const MAX_LINES: usize = 5_000;

/// For how long a result is offered to a service that is away, and how often.
const RESULT_RETRY_TIME: Duration = Duration::from_secs(300);
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// How many times the service says that it is there, and does not take the last lines of a script, until they are given
/// up.
const LINES_REFUSED: usize = 4;

/// The longest time limit that a run has, when it does not say.
const LIMIT_S: u64 = 3_600;

/// What is the same for all runs.
struct RunExecutor {
    service: Service,
    confinement: Confinement,
    orphans: Option<Orphans>,
    workspace: Workspace,
    stop: Stop,
}

/// `muster runner`: waits for runs, and carries them out until it is stopped.
///
/// # Errors
/// When an option or a credential is wrong, the machine does not let scripts be confined, or the service refuses.
pub fn run(arguments: Options) -> anyhow::Result<()> {
    let root = cli::server::check(&arguments.server, arguments.allow_http)?;
    // Before there are threads, files or children: this may start the program again.
    let (key, secret) = credentials::take(&arguments)?;
    let user = user::choose(arguments.user.as_deref())?;
    let orphans = Orphans::adopt()?;
    #[cfg(target_os = "linux")]
    if !arguments.allow_setuid {
        // Of this thread, and so of all that it starts: before there are others, and for good.
        rustix::thread::set_no_new_privs(true).context("giving up new privileges")?;
    }
    let stop = Stop::default();
    stop.heed_signals()?;
    let work = arguments.work_dir.clone().unwrap_or_else(std::env::temp_dir);
    let workspace = Workspace::new(&work, user)?;
    let confinement = confinement(&arguments, user, &workspace, orphans.as_ref())?;
    let Options { server, tenant, name, labels, resources, poll, once, ca, clients, .. } = arguments;
    let service = Service::new(&root, tenant.as_str(), (&key, Secret::new(secret)), ca.as_deref(), stop.clone())?;
    let name = name.unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
    let mut claim = json!({
        "runner": name,
        "jobTypes": ["custom"],
        "labels": labels,
        "platform": if cfg!(target_os = "macos") { "MACOS" } else { "LINUX" },
        "leaseSeconds": LEASE_S,
        "clients": clients,
    });
    if !resources.is_empty() {
        claim["resources"] = json!(resources);
    }
    let mut executor = RunExecutor { service, confinement, orphans, workspace, stop };
    tracing::info!(server, tenant = tenant.as_str(), runner = name, "waiting for runs");
    let mut was_accepted = false;
    while !executor.stop.is_asked() {
        let answer = executor.service.post("/jobs/runs/claim", &claim, None);
        let answer = if was_accepted { answer.or_later() } else { answer };
        if let (true, Response::Later(why)) = (once, &answer) {
            anyhow::bail!("the service cannot be reached: {why}");
        }
        let answer = answer.accepted()?;
        was_accepted |= answer.is_some();
        let work = answer.as_ref().and_then(|answer| answer["runs"].get(0));
        match work {
            Some(work) => {
                executor.execute_run(work)?;
                executor.service.trace = None;
            }
            None if once => break,
            None => executor.stop.pause(Duration::from_secs(poll)),
        }
        if once && work.is_some() {
            break;
        }
    }
    tracing::info!("stopped");
    Ok(())
}

/// How scripts are kept apart from the rest of the machine.
///
/// # Errors
/// When they would be the same user as this runner, and the machine does not let them be kept apart from it.
fn confinement(
    arguments: &Options,
    user: Option<User>,
    workspace: &Workspace,
    orphans: Option<&Orphans>,
) -> anyhow::Result<Confinement> {
    let mut confinement = Confinement { user, isolated: false, processes: arguments.processes };
    #[cfg(target_os = "linux")]
    if let (Some(orphans), false) = (orphans, arguments.host_processes) {
        anyhow::ensure!(
            !arguments.allow_setuid || user.is_some(),
            "nobody becomes somebody else in the namespaces that an unprivileged user can make: with --allow-setuid, \
             say --host-processes too"
        );
        match namespaces::try_out(confinement, workspace, orphans) {
            Ok(()) => confinement.isolated = true,
            Err(why) if user.is_some() => tracing::warn!(why, "scripts have no namespaces of their own here"),
            Err(why) => anyhow::bail!(
                "this machine lets scripts have no namespaces of their own ({why}), so they could reach what else runs \
                 as this user: start the runner as root with --user, or say --host-processes"
            ),
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (orphans, workspace);
    Ok(confinement)
}

/// What a script came to.
struct Outcome {
    status: &'static str,
    exit_code: Option<i32>,
    reason: String,
}

impl RunExecutor {
    /// Carries one run out, and says what became of it.
    fn execute_run(&mut self, work: &Value) -> anyhow::Result<()> {
        let run = work["run"]["id"].as_str().context("a run without an id")?.to_owned();
        let attempt = work["run"]["attempt"].as_i64().context("a run without an attempt")?;
        let job = work["run"]["job"]["name"].as_str().unwrap_or_default();
        tracing::info!(run, job, attempt, "carrying out");
        self.service.trace = traceparent(work);
        let Some(outcome) = self.execute_script(work, &run, attempt) else {
            tracing::warn!(run, "given up: it went to another, or is over");
            return Ok(());
        };
        tracing::info!(run, status = outcome.status, exit_code = outcome.exit_code, "done");
        let body = json!({
            "attempt": attempt, "status": outcome.status, "exitCode": outcome.exit_code, "reason": outcome.reason,
        });
        let key = format!("{run}-{attempt}-result");
        let until = Instant::now() + RESULT_RETRY_TIME;
        let mut pause = FIRST_PAUSE;
        loop {
            match post_once(&mut self.service, (&run, attempt), "result", &body, &key) {
                Response::Done(_) => return Ok(()),
                Response::Gone(why) | Response::Refused(why) | Response::Forbidden(_, why) => {
                    tracing::warn!(run, "the result was refused: {why}");
                    return Ok(());
                }
                Response::Later(why) if Instant::now() < self.stop.latest(until) => {
                    tracing::warn!(run, "the result waits: {why}");
                    self.stop.pause(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Response::Later(why) => {
                    tracing::error!(run, "the result was not taken: {why}");
                    return Ok(());
                }
            }
        }
    }

    /// What the script of a run came to; `None` when the run is not this runner's any more.
    fn execute_script(&mut self, work: &Value, run: &str, attempt: i64) -> Option<Outcome> {
        let failed = |reason: String| Outcome { status: "FAILED", exit_code: None, reason };
        let (Some(interpreter), Some(content)) = (work["interpreter"].as_str(), work["content"].as_str()) else {
            return Some(failed("The script is not in the library any more.".to_owned()));
        };
        let ids = work["resources"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_str());
        let environment = [
            ("MUSTER_RUN_ID", run.to_owned()),
            ("MUSTER_JOB_ID", work["run"]["job"]["id"].as_str().unwrap_or_default().to_owned()),
            ("MUSTER_JOB_NAME", work["run"]["job"]["name"].as_str().unwrap_or_default().replace('\0', "")),
            ("MUSTER_RESOURCES", ids.collect::<Vec<_>>().join(",")),
            ("MUSTER_PARAMETERS", work["script"].get("parameters").map(ToString::to_string).unwrap_or_default()),
        ];
        let trace = self.service.trace.iter().map(|trace| ("TRACEPARENT", trace.clone()));
        let environment: Vec<_> = environment.into_iter().chain(trace).collect();
        let limit = Duration::from_secs(work["timeLimit"].as_u64().unwrap_or(LIMIT_S));
        let script = Script { interpreter, content, environment: &environment, limit };
        let mut program = match Program::start(&script, &self.workspace, self.confinement, self.orphans.clone()) {
            Ok(program) => program,
            Err(error) => return Some(failed(format!("The script could not be started: {error:#}."))),
        };
        let mut log = Log { run, attempt, number: 0, lines: Vec::new(), offered: 0, full: false };
        let mut last_sent = Instant::now();
        let mut last_heartbeat = Instant::now();
        let mut stopped = false;
        let status = loop {
            let ended = match program.ended() {
                Ok(ended) => ended,
                Err(error) => return Some(failed(format!("The script was lost: {error:#}."))),
            };
            log.take(program.lines());
            let interval = if log.offered == 0 { SEND_INTERVAL } else { RESEND_INTERVAL };
            if ended.is_some() || last_sent.elapsed() >= interval {
                last_sent = Instant::now();
                match log.send(&mut self.service, ended.is_some().then_some(&self.stop)) {
                    SendResult::Accepted => last_heartbeat = Instant::now(),
                    SendResult::Nothing => {}
                    SendResult::Gone => return None,
                }
            }
            if let Some(status) = ended {
                break status;
            }
            if last_heartbeat.elapsed() >= HEARTBEAT {
                last_heartbeat = Instant::now();
                match heartbeat(&mut self.service, run, attempt) {
                    Response::Gone(_) => return None,
                    Response::Refused(why) | Response::Forbidden(_, why) | Response::Later(why) => {
                        tracing::warn!(run, "a heartbeat was not taken: {why}");
                    }
                    Response::Done(_) => {}
                }
            }
            if self.stop.is_asked() && !stopped {
                stopped = true;
                program.kill();
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let exit_code = Some(exit_code(status));
        Some(if program.timed_out() {
            let reason = format!("It was ended after {} s, its time limit.", limit.as_secs());
            Outcome { status: "TIMED_OUT", exit_code, reason }
        } else if stopped {
            Outcome { status: "FAILED", exit_code, reason: "The runner was stopped.".to_owned() }
        } else {
            let status = if status.success() { "SUCCEEDED" } else { "FAILED" };
            Outcome { status, exit_code, reason: String::new() }
        })
    }
}

/// The trace that a run belongs to, as the header `traceparent` has it.
fn traceparent(work: &Value) -> Option<String> {
    let is_text = |text: &&str| text.bytes().all(|letter| letter.is_ascii_hexdigit() || letter == b'-');
    work["traceparent"].as_str().filter(is_text).map(ToOwned::to_owned)
}

/// Says something of a run once, under a key. A refusal may be about the key, under which the same request is under
/// way, and a proxy may not hand on that this passes: the run is gone when its heartbeat is refused, too.
fn post_once(service: &mut Service, (run, attempt): (&str, i64), what: &str, body: &Value, key: &str) -> Response {
    match service.post(&format!("/jobs/runs/{run}/{what}"), body, Some(key)).or_later() {
        Response::Gone(why) => match heartbeat(service, run, attempt) {
            Response::Gone(why) => Response::Gone(why),
            _ => Response::Later(why),
        },
        response => response,
    }
}

/// Says that this runner still has a run.
fn heartbeat(service: &mut Service, run: &str, attempt: i64) -> Response {
    let body = json!({"attempt": attempt, "leaseSeconds": LEASE_S});
    service.post(&format!("/jobs/runs/{run}/heartbeat"), &body, None).or_later()
}

/// What is yet to be told of what a run printed.
struct Log<'r> {
    run: &'r str,
    attempt: i64,
    /// Of the next request, so that one that is sent again is taken once.
    number: u64,
    lines: Vec<String>,
    /// How many lines the last request had, as long as nobody knows what became of it: it is sent again as it was.
    offered: usize,
    /// The service keeps no more.
    full: bool,
}

/// The result of sending lines.
enum SendResult {
    /// The service accepted lines.
    Accepted,
    /// There were no lines, or the service could not be reached.
    Nothing,
    /// The run is not this runner's any more.
    Gone,
}

impl Log<'_> {
    fn take(&mut self, lines: Vec<String>) {
        if !self.full {
            self.lines.extend(lines);
        }
    }

    /// Sends what there is; the `last` time it is offered again for a while when nobody hears.
    fn send(&mut self, service: &mut Service, last: Option<&Stop>) -> SendResult {
        let mut result = SendResult::Nothing;
        let until = Instant::now() + RESULT_RETRY_TIME;
        let (mut refused, mut pause) = (0, FIRST_PAUSE);
        while !self.lines.is_empty() {
            if self.offered == 0 {
                self.offered = MAX_LINES.min(self.lines.len());
            }
            let lines = self.lines.get(..self.offered).unwrap_or_default();
            let body = json!({"attempt": self.attempt, "lines": lines, "leaseSeconds": LEASE_S});
            let once = format!("{}-{}-log-{}", self.run, self.attempt, self.number);
            match post_once(service, (self.run, self.attempt), "log", &body, &once) {
                Response::Done(answer) => {
                    self.forget_offered();
                    result = SendResult::Accepted;
                    if answer["outputTruncated"].as_bool() == Some(true) {
                        self.full = true;
                        self.lines.clear();
                    }
                }
                Response::Gone(_) => return SendResult::Gone,
                // Some of the output is worth less than the result.
                Response::Refused(why) | Response::Forbidden(_, why) => {
                    tracing::warn!(run = self.run, "lines were refused, and are lost: {why}");
                    self.forget_offered();
                }
                Response::Later(why) => {
                    tracing::warn!(run = self.run, "lines wait: {why}");
                    let Some(stop) = last else { return result };
                    if Instant::now() >= stop.latest(until) {
                        return result;
                    }
                    match heartbeat(service, self.run, self.attempt) {
                        Response::Gone(_) => return SendResult::Gone,
                        Response::Done(_) => refused += 1,
                        Response::Refused(_) | Response::Forbidden(..) | Response::Later(_) => {}
                    }
                    if refused == LINES_REFUSED {
                        tracing::warn!(run = self.run, "the last lines are lost: only they are not taken");
                        return result;
                    }
                    stop.pause(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
        result
    }

    fn forget_offered(&mut self) {
        self.number += 1;
        self.lines.drain(..self.offered.min(self.lines.len()));
        self.offered = 0;
    }
}

#[cfg(test)]
mod tests;
