//! `muster runner`: carries out custom scripts, as an unprivileged user, and nothing else.

use std::{fs, process::Command, time::Duration};

use muster_tests::{Client, Exit, Server, both_backends, muster, unique};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, runs, text};

both_backends![
    a_script_runs_and_its_output_is_kept,
    a_script_that_takes_too_long_is_ended,
    what_leaves_its_process_group_is_ended_too,
    nothing_of_a_script_becomes_somebody_else,
    output_that_is_no_text_loses_no_result,
    only_custom_scripts_of_its_tenant_are_taken,
];

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// `muster runner --once` for a tenant, by a new key of a role.
fn runner(server: &Server, client: &Client, role: &str) -> Command {
    let made =
        server.admin().tenant(client.tenant_id()).post("/apiKeys", &json!({"name": unique("runner"), "role": role}));
    let made = made.ok();
    let mut command = muster();
    command.args(["runner", "--once", "--server", server.base(), "--tenant", client.tenant_id()]);
    command.env("MUSTER_KEY", text(&made["key"])).env("MUSTER_SECRET", text(&made["secret"]));
    // Root has to name somebody else, who may enter the directory of temporary files.
    if is_root() {
        command.args(["--user", "nobody"]);
    }
    command
}

#[track_caller]
fn done(command: &mut Command) {
    let exit = Exit::of(command);
    assert!(exit.status.success(), "{}", exit.stderr);
}

fn queued(client: &Client, content: &str, change: Value) -> String {
    let body = json!({"name": unique("script"), "content": content});
    let script = client.post("/jobs/scripts", &body).ok()["id"].clone();
    let mut body = job(FAR_AHEAD, everyday());
    body["script"] = json!({"customScript": {"id": script}});
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    let id = create(client, &body);
    client.post_empty(&format!("/jobs/{id}/run")).ok();
    id
}

fn whole(client: &Client, job: &str) -> Value {
    client.get(&format!("/jobs/runs/{}", text(&runs(client, job)[0]["id"]))).ok()
}

fn a_script_runs_and_its_output_is_kept(server: &Server) {
    let client = server.new_client();
    let content = "echo \"out $MUSTER_JOB_ID\"; echo err >&2; id -u; echo \"${MUSTER_SECRET-none}\"; exit 3\n";
    let id = queued(&client, content, json!({}));
    done(&mut runner(server, &client, "operator"));
    let run = whole(&client, &id);
    assert_eq!((&run["status"], &run["exitCode"]), (&json!("FAILED"), &json!(3)), "{run}");
    let output = text(&run["output"]);
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines.contains(&format!("out {id}").as_str()) && lines.contains(&"err"), "{output}");
    assert!(!lines.contains(&"0"), "it ran as root: {output}");
    assert!(lines.contains(&"none"), "the runner's own secrets are not in the environment: {output}");
    if is_root() {
        let mut command = runner(server, &client, "operator");
        let arguments: Vec<String> = command.get_args().map(|one| one.to_string_lossy().into_owned()).collect();
        let kept = arguments.iter().take_while(|one| *one != "--user");
        let mut as_root = muster();
        as_root.args(kept).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let exit = Exit::of(&mut as_root);
        assert!(!exit.status.success() && exit.stderr.contains("--user"), "{}", exit.stderr);
        command.args(["--name", "idle"]);
        done(&mut command);
    }
}

fn a_script_that_takes_too_long_is_ended(server: &Server) {
    let client = server.new_client();
    let mark = unique("muster-slow");
    let content = format!("echo started; sleep 613 & exec -a {mark} sleep 614\n");
    let body = json!({"name": unique("script"), "content": content, "interpreter": "bash"});
    let script = client.post("/jobs/scripts", &body).ok()["id"].clone();
    let mut body = job(FAR_AHEAD, everyday());
    (body["script"], body["timeLimit"]) = (json!({"customScript": {"id": script}}), json!(1));
    let id = create(&client, &body);
    client.post_empty(&format!("/jobs/{id}/run")).ok();
    done(&mut runner(server, &client, "operator"));
    let run = whole(&client, &id);
    assert_eq!((&run["status"], &run["output"]), (&json!("TIMED_OUT"), &json!("started\n")), "{run}");
    assert!(text(&run["reason"]).contains("1 s"), "{run}");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(left(&mark), 0, "nothing of it still runs");
}

/// How many processes have a text in their command line.
fn left(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let left = processes.filter(|one| {
        let line = fs::read(one.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    });
    left.count()
}

fn what_leaves_its_process_group_is_ended_too(server: &Server) {
    let client = server.new_client();
    // Three ways out: a session of one's own, a daemon whose parents are gone, and one that is the parent of others.
    let escape = |mark: &str| {
        format!(
            "setsid bash -c 'exec -a {mark} sleep 613' &\n\
             (setsid bash -c 'exec -a {mark} sleep 613 & exit' &)\n\
             setsid bash -c 'trap \"\" TERM; setsid bash -c \"exec -a {mark} sleep 613\" & exec -a {mark} sleep 613' &\n\
             until [ $(grep -la {mark} /proc/[0-9]*/cmdline 2>/dev/null | wc -l) -ge 5 ]; do sleep 0.05; done\n\
             echo escaped\n"
        )
    };
    for (end, timed_out) in [("sleep 614\n", true), ("exit 0\n", false)] {
        let mark = unique("muster-escaped");
        let content = escape(&mark) + end;
        let body = json!({"name": unique("script"), "content": content, "interpreter": "bash"});
        let script = client.post("/jobs/scripts", &body).ok()["id"].clone();
        let mut body = job(FAR_AHEAD, everyday());
        body["script"] = json!({"customScript": {"id": script}});
        body["timeLimit"] = json!(if timed_out { 5 } else { 60 });
        let id = create(&client, &body);
        client.post_empty(&format!("/jobs/{id}/run")).ok();
        done(&mut runner(server, &client, "operator"));
        let run = whole(&client, &id);
        let status = if timed_out { "TIMED_OUT" } else { "SUCCEEDED" };
        assert_eq!((&run["status"], &run["output"]), (&json!(status), &json!("escaped\n")), "{run}");
        assert_eq!(left(&mark), 0, "nothing of it still runs");
    }
}

fn nothing_of_a_script_becomes_somebody_else(server: &Server) {
    let client = server.new_client();
    for (options, expected) in [(vec![], "1"), (vec!["--allow-setuid", "--host-processes"], "0")] {
        let id = queued(&client, "sed -n 's/^NoNewPrivs:[^0-9]*//p' /proc/self/status\n", json!({}));
        done(runner(server, &client, "operator").args(options));
        let output = whole(&client, &id)["output"].clone();
        // Whoever runs these tests may have given up new privileges, and that is for good.
        let given_up = fs::read_to_string("/proc/self/status").unwrap_or_default().contains("NoNewPrivs:\t1");
        let expected = if given_up { "1" } else { expected };
        assert_eq!(output, json!(format!("{expected}\n")));
    }
}

fn only_custom_scripts_of_its_tenant_are_taken(server: &Server) {
    let (client, other) = (server.new_client(), server.new_client());
    let foreign = queued(&other, "echo foreign", json!({}));
    let labelled = queued(&client, "echo labelled", json!({"labels": ["gpu"]}));
    let plain = create(&client, &job(FAR_AHEAD, everyday()));
    client.post_empty(&format!("/jobs/{plain}/run")).ok();
    done(&mut runner(server, &client, "operator"));
    for (caller, id) in [(&other, &foreign), (&client, &labelled), (&client, &plain)] {
        assert_eq!(runs(caller, id)[0]["status"], json!("QUEUED"));
    }
    done(runner(server, &client, "operator").args(["--label", "gpu,linux"]));
    assert_eq!(whole(&client, &labelled)["output"], json!("labelled\n"));
    let viewer = Exit::of(&mut runner(server, &client, "viewer"));
    assert!(!viewer.status.success() && viewer.stderr.contains("403"), "{}", viewer.stderr);
}

fn output_that_is_no_text_loses_no_result(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, r"printf 'a\000b\n'; exit 3", json!({}));
    done(&mut runner(server, &client, "operator"));
    let run = whole(&client, &id);
    assert_eq!((&run["status"], &run["exitCode"], &run["attempt"]), (&json!("FAILED"), &json!(3), &json!(1)), "{run}");
    assert_eq!(run["output"], json!("a\u{FFFD}b\n"));
}
