//! `muster runner`: carries out custom scripts, as an unprivileged user, and nothing else.

use std::{
    fs,
    process::{Command, Stdio},
    time::Duration,
};

use muster_tests::{Client, Exit, Guard, Server, both_backends, muster, receiver::wait_for, unique};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, runs, text};

both_backends![
    a_script_runs_and_its_output_is_kept,
    a_script_that_takes_too_long_is_ended,
    what_leaves_its_process_group_is_ended_too,
    nothing_of_a_script_becomes_somebody_else,
    output_that_is_no_text_loses_no_result,
    only_custom_scripts_of_its_tenant_are_taken,
    a_partners_runner_takes_scripts_of_clients_when_told_to,
    the_documented_key_carries_a_script_to_its_end,
    the_documented_key_does_nothing_else,
    a_script_outlives_a_suspension_of_its_client,
    a_runner_whose_service_is_away_ends_when_it_is_told_to,
];

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn to_take_one_run_of_nobody_is_a_failure() {
    let mut command = muster();
    // Nobody listens there.
    command.args(["runner", "--once", "--server", "http://127.0.0.1:1", "--tenant", "client_1"]);
    command.env("MUSTER_KEY", "key").env("MUSTER_SECRET", "hush");
    if is_root() {
        command.args(["--user", "nobody"]);
    }
    let exit = Exit::of(&mut command);
    assert!(!exit.status.success() && exit.stderr.contains("the service cannot be reached"), "{}", exit.stderr);
}

/// A new key of a tenant with these fields besides its name, and its secret.
fn key(server: &Server, client: &Client, fields: &Value) -> (String, String) {
    let mut body = json!({"name": unique("runner")});
    for (name, value) in fields.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let made = server.admin().tenant(client.tenant_id()).post("/apiKeys", &body).ok();
    (text(&made["key"]), text(&made["secret"]))
}

/// `muster runner --once` for a tenant, by a new key of a role.
fn runner(server: &Server, client: &Client, role: &str) -> Command {
    runner_with(server, client, &key(server, client, &json!({"role": role})))
}

/// The same by a key that is there.
fn runner_with(server: &Server, client: &Client, (key, secret): &(String, String)) -> Command {
    let mut command = muster();
    command.args(["runner", "--once", "--server", server.base(), "--tenant", client.tenant_id()]);
    command.env("MUSTER_KEY", key).env("MUSTER_SECRET", secret);
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
    body["script"] = json!({"customScript": {"id": script}});
    body["timeLimit"] = json!(1);
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
             setsid bash -c 'trap \"\" TERM; \
             setsid bash -c \"exec -a {mark} sleep 613\" & exec -a {mark} sleep 613' &\n\
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
        // Anyone who runs these tests may have given up new privileges, and that is for good.
        let given_up = fs::read_to_string("/proc/self/status").unwrap_or_default().contains("NoNewPrivs:\t1");
        let expected = if given_up { "1" } else { expected };
        assert_eq!(output, json!(format!("{expected}\n")));
    }
}

fn only_custom_scripts_of_its_tenant_are_taken(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
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

fn a_partners_runner_takes_scripts_of_clients_when_told_to(server: &Server) {
    let partner = server.admin();
    let client = server.new_client();
    let other = server.new_client();
    // Of clients of other tests it takes nothing: their jobs are not about these resources.
    let [theirs, foreign, ours] = [&client, &other, &partner]
        .map(|tenant| text(&tenant.post("/resources", &json!({"hostName": unique("host")})).ok()["resourceUUID"]));
    let about = |resource: &str| json!({"resources": [{"id": resource}]});
    let of_client = queued(&client, "echo \"client $MUSTER_RESOURCES\"\n", about(&theirs));
    let of_other = queued(&other, "echo other\n", about(&foreign));
    let of_partner = queued(&partner, "echo partner\n", about(&ours));
    let runner = || {
        let mut command = runner_with(server, &partner, &narrow_key(server, &partner));
        command.args(["--resource", &format!("{theirs},{ours}")]);
        command
    };
    // Twice as often as there is something to do.
    for _ in 0..4 {
        done(&mut runner());
    }
    assert_eq!(whole(&partner, &of_partner)["output"], json!("partner\n"));
    assert_eq!(runs(&client, &of_client)[0]["status"], json!("QUEUED"), "whose operators nobody asked for");
    assert_eq!(runs(&client, &of_client)[0]["attempt"], json!(0));
    done(runner().arg("--clients"));
    let run = whole(&client, &of_client);
    assert_eq!(
        (&run["status"], &run["output"], &run["attempt"]),
        (&json!("SUCCEEDED"), &json!(format!("client {theirs}\n")), &json!(1)),
        "{run}"
    );
    // The variable of the environment says the same.
    client.post_empty(&format!("/jobs/{of_client}/run")).ok();
    done(runner().env("MUSTER_RUNNER_CLIENTS", "false"));
    assert_eq!(runs(&client, &of_client)[0]["status"], json!("QUEUED"));
    done(runner().env("MUSTER_RUNNER_CLIENTS", "true"));
    assert_eq!(runs(&client, &of_client)[0]["status"], json!("SUCCEEDED"));
    assert_eq!(runs(&other, &of_other)[0]["status"], json!("QUEUED"), "it is about another machine");
    // A client has no clients: its runner gets its own runs alone.
    client.post_empty(&format!("/jobs/{of_client}/run")).ok();
    let mut command = runner_with(server, &other, &narrow_key(server, &other));
    command.arg("--clients");
    for _ in 0..2 {
        done(&mut command);
    }
    assert_eq!(whole(&other, &of_other)["output"], json!("other\n"));
    assert_eq!(runs(&client, &of_client)[0]["status"], json!("QUEUED"));
}

fn output_that_is_no_text_loses_no_result(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, r"printf 'a\000b\n'; exit 3", json!({}));
    done(&mut runner(server, &client, "operator"));
    let run = whole(&client, &id);
    assert_eq!((&run["status"], &run["exitCode"], &run["attempt"]), (&json!("FAILED"), &json!(3), &json!(1)), "{run}");
    assert_eq!(run["output"], json!("a\u{FFFD}b\n"));
}

/// The operations that docs/operations.md gives the key of a runner.
fn documented() -> Vec<String> {
    let docs = include_str!("../../../docs/operations.md");
    let (_, runners) = docs.split_once("\n## Runners\n").expect("a section about runners");
    let (_, named) = runners.split_once("--operations ").expect("a key for runners");
    let names = named.split_whitespace().next().unwrap_or_default();
    names.split(',').map(ToOwned::to_owned).collect()
}

fn narrow_key(server: &Server, client: &Client) -> (String, String) {
    key(server, client, &json!({"role": "operator", "operations": documented()}))
}

/// With a heartbeat on the way: a runner sends one when there was nothing else to say for 15 seconds.
fn the_documented_key_carries_a_script_to_its_end(server: &Server) {
    let client = server.new_client();
    let id = queued(&client, "sleep 17; echo over; exit 4\n", json!({}));
    let (mut program, log) = spawned(runner_with(server, &client, &narrow_key(server, &client)));
    let told = || logged(&log);
    let ended = || program.process().try_wait().ok().flatten().is_some();
    wait_for(Duration::from_secs(60), ended, told);
    let run = whole(&client, &id);
    assert_eq!(
        (&run["status"], &run["exitCode"], &run["output"]),
        (&json!("FAILED"), &json!(4), &json!("over\n")),
        "{run}"
    );
    assert_eq!(run["attempt"], json!(1), "{run}");
    assert!(!told().contains("refused"), "{}", told());
    let run = text(&run["id"]);
    let log = server.log();
    for what in ["claim".to_owned(), format!("{run}/heartbeat"), format!("{run}/log"), format!("{run}/result")] {
        let line = format!(r#""path":"/api/v2/tenants/{}/jobs/runs/{what}","status":200"#, client.tenant_id());
        assert!(log.contains(&line), "{line} is not in the log");
    }
}

/// A runner under way, and what it logs.
fn spawned(mut command: Command) -> (Guard, tempfile::NamedTempFile) {
    let log = tempfile::NamedTempFile::new().expect("a file");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.reopen().expect("the file"));
    (Guard::spawn(&mut command), log)
}

fn logged(log: &tempfile::NamedTempFile) -> String {
    fs::read_to_string(log.path()).unwrap_or_default()
}

fn a_script_outlives_a_suspension_of_its_client(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let id = queued(&client, "echo begun; sleep 4; echo over\n", json!({}));
    let (mut program, log) = spawned(runner_with(server, &client, &narrow_key(server, &client)));
    let begun = || whole(&client, &id)["output"] == json!("begun\n");
    wait_for(Duration::from_secs(60), begun, || logged(&log));
    let path = format!("/clients/{}", client.tenant_id());
    admin.post_empty(&format!("{path}/suspend")).ok();
    // It ends meanwhile, and the runner offers its result.
    wait_for(Duration::from_secs(60), || logged(&log).contains("lines wait: 403"), || logged(&log));
    std::thread::sleep(Duration::from_secs(6));
    assert!(program.process().try_wait().ok().flatten().is_none(), "{}", logged(&log));
    admin.post_empty(&format!("{path}/resume")).ok();
    let ended = || program.process().try_wait().ok().flatten().is_some();
    wait_for(Duration::from_secs(60), ended, || logged(&log));
    let run = whole(&client, &id);
    let expected = (&json!("SUCCEEDED"), &json!("begun\nover\n"), &json!(1));
    assert_eq!((&run["status"], &run["output"], &run["attempt"]), expected, "{run}");
}

fn a_runner_whose_service_is_away_ends_when_it_is_told_to(server: &Server) {
    let admin = server.admin();
    for signals in [1, 2] {
        let client = server.new_client();
        let id = queued(&client, "echo begun; sleep 600\n", json!({}));
        let (mut program, log) = spawned(runner_with(server, &client, &narrow_key(server, &client)));
        let begun = || whole(&client, &id)["output"] == json!("begun\n");
        wait_for(Duration::from_secs(60), begun, || logged(&log));
        // To a runner a service that refuses it is as good as away.
        admin.post_empty(&format!("/clients/{}/suspend", client.tenant_id())).ok();
        for _ in 0..signals {
            let pid = rustix::process::Pid::from_child(program.process());
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
            std::thread::sleep(Duration::from_millis(1_500));
        }
        let told = std::time::Instant::now();
        let ended = || program.process().try_wait().ok().flatten().is_some();
        wait_for(Duration::from_secs(60), ended, || logged(&log));
        let bound = if signals == 1 { 30 } else { 3 };
        assert!(told.elapsed() < Duration::from_secs(bound), "{:?}: {}", told.elapsed(), logged(&log));
    }
}

fn the_documented_key_does_nothing_else(server: &Server) {
    let client = server.new_client();
    let (key, secret) = narrow_key(server, &client);
    let caller = client.with_token(&server.token(&key, &secret));
    let document = server.get("/openapi.json").json();
    let named = documented();
    let mut refused = 0;
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let is_secured =
                operation["security"].as_array().into_iter().flatten().any(|one| one.get("bearer").is_some());
            let meant = operation["x-same-as"].as_str().map_or(operation, |meant| &document["paths"][meant][method]);
            if !is_secured || named.iter().any(|name| meant["operationId"] == json!(name)) {
                continue;
            }
            let at = path.replace("{tenantId}", client.tenant_id()).replace(['{', '}'], "");
            let answer = caller.absolute(&method.to_uppercase(), &at).send();
            assert_eq!((answer.status, &answer.json()["code"]), (403, &json!("0006")), "{answer}");
            refused += 1;
        }
    }
    assert!(refused > 200, "only {refused} operations were tried");
}
