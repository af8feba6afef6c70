//! Work in the background is taken in turn by tenant (ARCHITECTURE.md, "Invariants"): each thread and task that the
//! sources start is listed here, with what takes the turns at it, or with why it takes no tenant's work.

use std::collections::BTreeMap;

use super::house::{code, files, read};

/// What a thread or task does.
enum Work {
    /// It does what is due, tenant after tenant, through `outbox::TenantTurns`: each in a savepoint of its own.
    Due,
    /// It takes turns by itself, with one of [`TURNS`], in this file.
    Turns(&'static str),
    /// It takes no tenant's work; why.
    None(&'static str),
}

/// What takes turns by tenant.
const TURNS: [&str; 5] = ["TenantTurns::new(", "Turns::default()", "TurnQueue::", "interleave(", "Pool::new("];

/// What starts a thread or a task: what stands behind it begins with something other than `)`, by which a program is
/// started.
const STARTS: [&str; 6] =
    ["Background::start(", "Background::repeat(", "spawn(", "spawn_blocking(", "spawn_local(", "spawn_scoped("];

const REQUEST: Work = Work::None("the work of one request, within the share of its caller");
const LINKS: Work = Work::None("mails sign-in links by address, before a tenant is known; an address has few requests");
const PROGRAM: Work = Work::None("a program of its own, which has no tenants");

/// Each file that starts threads or tasks, and how many.
const STARTED: [(&str, usize, Work); 48] = [
    ("crates/access/src/authenticator.rs", 2, REQUEST),
    ("crates/access/src/link_requests/mailer.rs", 2, LINKS),
    ("crates/api/src/body.rs", 1, REQUEST),
    ("crates/api/src/body/inflate.rs", 1, REQUEST),
    ("crates/api/src/cpu.rs", 1, REQUEST),
    ("crates/api/src/files.rs", 1, Work::None("files of the console, compressed once")),
    ("crates/api/src/shed/arrival.rs", 1, Work::None("gives back the turns of connections that were read")),
    ("crates/api/src/stream.rs", 1, REQUEST),
    ("crates/api/src/write.rs", 1, REQUEST),
    ("crates/backups/src/worker.rs", 1, Work::None("copies the whole database")),
    ("crates/changes/src/hub.rs", 1, Work::Turns("crates/changes/src/hub.rs")),
    ("crates/cli/src/config/service.rs", 1, PROGRAM),
    ("crates/cli/src/sink.rs", 2, PROGRAM),
    ("crates/db/src/probe.rs", 1, Work::None("asks whether the database answers")),
    ("crates/db/src/quick_check.rs", 1, PROGRAM),
    ("crates/db/src/read.rs", 1, REQUEST),
    ("crates/db/src/replica/watch.rs", 1, Work::None("looks whether the replica answers")),
    ("crates/db/src/tls/tunnel.rs", 3, Work::None("carries the bytes of connections to Postgres")),
    ("crates/db/src/writer.rs", 1, Work::Turns("crates/db/src/writer.rs")),
    ("crates/incidents/src/alerts/days/worker.rs", 1, Work::Turns("crates/incidents/src/alerts/days/worker.rs")),
    ("crates/incidents/src/alerts/windows.rs", 1, Work::Due),
    ("crates/incidents/src/heartbeats/watch.rs", 1, Work::Due),
    ("crates/integrations/src/reseal.rs", 1, Work::None("looks whether this gateway has the key of the database")),
    ("crates/integrations/src/sender/mod.rs", 1, Work::Turns("crates/integrations/src/sender/rounds.rs")),
    ("crates/integrations/src/sender/work.rs", 4, Work::Turns("crates/integrations/src/sender/rounds.rs")),
    ("crates/inventory/src/agents/http.rs", 1, REQUEST),
    ("crates/resource-index/src/builder.rs", 1, Work::Turns("crates/resource-index/src/builder.rs")),
    ("crates/jobs/src/scheduler/mod.rs", 1, Work::Due),
    ("crates/maintenance/src/watch/mod.rs", 1, Work::Due),
    ("crates/outbox/src/backfills.rs", 1, Work::None("fills what a migration added, in small steps, for all tenants")),
    ("crates/outbox/src/background.rs", 1, Work::None("the start of those that are listed")),
    ("crates/outbox/src/retention.rs", 1, Work::Turns("crates/outbox/src/retention.rs")),
    ("crates/outbox/src/waiting.rs", 1, Work::None("looks which tenants wait for all of these, and takes nothing")),
    ("crates/outbox/src/worker.rs", 1, Work::Turns("crates/outbox/src/worker.rs")),
    ("crates/paging/src/escalation/scheduler.rs", 1, Work::Due),
    ("crates/paging/src/delivery/sender/mod.rs", 3, Work::Turns("crates/paging/src/delivery/sender/line.rs")),
    ("crates/rosters/src/holidays/reader.rs", 1, Work::Due),
    ("crates/rosters/src/watch/conflicts.rs", 1, Work::Due),
    ("crates/rosters/src/watch/mod.rs", 1, Work::Due),
    ("crates/runner/src/namespaces.rs", 1, PROGRAM),
    ("crates/runner/src/program.rs", 3, PROGRAM),
    ("crates/runner/src/stop.rs", 2, PROGRAM),
    ("crates/runner/src/workspace.rs", 1, PROGRAM),
    ("crates/transfer/src/compare.rs", 1, PROGRAM),
    ("crates/transfer/src/rows.rs", 1, PROGRAM),
    ("gateway/src/commands/serve.rs", 2, Work::None("signals, and the end of streams when the service stops")),
    ("crates/otlp/src/exporter.rs", 1, Work::None("sends spans and metrics of the whole process")),
    ("crates/memory/src/lib.rs", 1, Work::None("gives memory back to the system")),
];

/// The code of a file of the program, without its tests.
fn program(path: &str) -> String {
    let code = code(&read(path));
    code.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

/// How many threads and tasks a code starts.
fn starts(code: &str) -> usize {
    let mut count = 0;
    for start in STARTS {
        for (place, _) in code.match_indices(start) {
            let before = code.get(..place).unwrap_or_default();
            let is_another = before.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ' ')
                && (!before.ends_with(' ') || before.ends_with("fn "));
            let is_program = code.get(place + start.len()..).is_some_and(|rest| rest.starts_with(')'));
            count += usize::from(!is_another && !is_program);
        }
    }
    count
}

#[test]
fn each_worker_takes_turns_or_says_why_not() {
    let sources = [files("crates", ".rs"), files("gateway/src", ".rs")].concat();
    let is_program =
        |path: &&String| path.contains("/src/") && !path.contains("/tests/") && !path.ends_with("tests.rs");
    let found: BTreeMap<&str, usize> = sources
        .iter()
        .filter(is_program)
        .map(|path| (path.as_str(), starts(&program(path))))
        .filter(|(_, count)| *count > 0)
        .collect();
    let listed: BTreeMap<&str, usize> = STARTED.iter().map(|(path, count, _)| (*path, *count)).collect();
    assert_eq!(found, listed, "left: the threads and tasks that the sources start; right: those that are listed here");
    for (path, _, work) in &STARTED {
        match work {
            Work::None(why) => assert!(!why.is_empty(), "{path}"),
            Work::Due => {
                let code = program(path);
                assert!(code.contains("TenantTurns::of_rows("), "{path} takes what is due without turns");
                for alone in ["write_here(", "Tx::run("] {
                    assert!(!code.contains(alone), "{path} writes beside the turns of tenants: {alone}");
                }
            }
            Work::Turns(place) => {
                let code = program(place);
                assert!(TURNS.iter().any(|turns| code.contains(turns)), "{path} takes work without turns: {place}");
            }
        }
    }
}

/// A test that finds nothing finds no worker either.
#[test]
fn what_starts_a_thread_or_a_task_is_seen() {
    for one in [
        "Background::start(\"x\", move || {})",
        "Background::repeat(\"x\", IDLE, \"doing x\", move || Ok(false))",
        "std::thread::spawn(f)",
        "Builder::new().name(name).spawn(move || {})",
        "tokio::spawn(async {})",
        "let task = spawn(f);",
        "actix_web::rt::spawn(f)",
        "task::spawn_blocking(f)",
    ] {
        assert_eq!(starts(one), 1, "{one}");
    }
    for none in ["command.spawn()", "pub fn spawn(command: Command) {}", "respawn(f)"] {
        assert_eq!(starts(none), 0, "{none}");
    }
}
