//! A disk that is full and a file that turns read-only: 503, nothing half-written, and recovery without a restart.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use muster_tests::{Client, Exit, Server, muster, muster_obeying_modes};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

/// Lets no file of the server grow beyond so many bytes, which it sees as a disk without room; `None` ends that.
fn limit(server: &Server, bytes: Option<u64>) {
    let pid = i32::try_from(server.pid()).ok().and_then(Pid::from_raw);
    let set = prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum: None });
    set.unwrap_or_else(|error| panic!("prlimit: {error}"));
}

fn create(client: &Client, name: &str) -> u16 {
    let answer = client.post("/resources", &json!({"name": name}));
    if answer.status != 200 {
        answer.problem(503, "0005");
        assert_eq!(answer.header("Retry-After"), Some("1"), "{answer}");
    }
    answer.status
}

/// Writes from four sides; gives the names that were acknowledged and those that were refused.
fn write(client: &Client, round: &str) -> (Vec<String>, Vec<String>) {
    let all: Vec<(String, u16)> = std::thread::scope(|scope| {
        let write_some = |writer| {
            let one = move |number| {
                let name = format!("{round}-{writer}-{number}");
                let status = create(client, &name);
                (name, status)
            };
            (0..10).map(one).collect::<Vec<_>>()
        };
        let writers: Vec<_> = (0..4).map(|writer| scope.spawn(move || write_some(writer))).collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap_or_default()).collect()
    });
    assert_eq!(all.len(), 40, "a writer failed");
    let (good, bad): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, status)| *status == 200);
    let names = |list: Vec<(String, u16)>| list.into_iter().map(|(name, _)| name).collect();
    (names(good), names(bad))
}

/// Exactly what was acknowledged is there, whole.
#[track_caller]
fn holds(client: &Client, acknowledged: &[String], refused: &[String]) {
    let listed = client.get("/resources/minimal").list();
    let names: Vec<&str> = listed.iter().filter_map(|machine| machine["name"].as_str()).collect();
    let lost: Vec<_> = acknowledged.iter().filter(|name| !names.contains(&name.as_str())).collect();
    let half: Vec<_> = refused.iter().filter(|name| names.contains(&name.as_str())).collect();
    assert!(lost.is_empty() && half.is_empty(), "lost {lost:?}, stored though refused {half:?}");
}

#[test]
fn a_full_disk_and_a_read_only_file() {
    let mut server = Server::start_obeying_modes(&[]);
    let client = server.admin().tenant("client_1");
    let (mut acknowledged, mut refused) = write(&client, "before");
    assert!(refused.is_empty());
    let mut add = |(good, bad): (Vec<String>, Vec<String>)| {
        let counts = (good.len(), bad.len());
        acknowledged.extend(good);
        refused.extend(bad);
        counts
    };

    // Not a byte more can be written, not even of the log.
    limit(&server, Some(0));
    assert_eq!(add(write(&client, "full")), (0, 40));
    assert_eq!(client.get("/resources/minimal").list().len(), 40, "reads go on");
    server.get("/health/live").ok();
    super::until("it is not ready", Duration::from_secs(5), || {
        let answer = server.get("/health/ready");
        answer.status == 503 && answer.text().contains("its disk is full")
    });
    // A writer that connects anew meanwhile finds the file read-only. Whether it may write on through a file that the
    // process has open is the system's business; what it says is what must hold.
    let file = server.data_dir().join("muster.sqlite");
    let mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap_or_else(|e| panic!("{e}"));
    mode(0o444);
    create(&client, "full-and-read-only");
    limit(&server, None);
    let (good, bad) = add(write(&client, "read-only"));
    assert_eq!(good + bad, 40);
    client.get("/resources/minimal").list();

    // All is well again, and nobody had to do anything to the service.
    mode(0o644);
    create(&client, "the write that finds out");
    assert_eq!(add(write(&client, "after")), (40, 0));
    // It fills up in the middle of the writes.
    limit(&server, Some(600_000));
    let (good, bad) = add(write(&client, "filling"));
    limit(&server, None);
    assert_eq!(good + bad, 40);
    // That it is well again is found out without a write of anybody.
    super::until("it is ready", Duration::from_secs(5), || server.get("/health/ready").status == 200);
    assert_eq!(add(write(&client, "again")), (40, 0));
    holds(&client, &acknowledged, &refused);
    server.restart();
    holds(&server.admin().tenant("client_1"), &acknowledged, &refused);
}

/// A service that could only refuse says so at start.
#[test]
fn a_file_that_is_read_only_at_start_is_refused() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let data = directory.path().join("data");
    let tenant = ["tenant", "create", "--partner", "somebody", "--data-dir"];
    assert!(Exit::of(muster().args(tenant).arg(&data)).status.success());
    let file = data.join("muster.sqlite");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap_or_else(|error| panic!("{error}"));
    let exit = Exit::of(muster_obeying_modes().args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data));
    assert!(!exit.status.success() && exit.stderr.contains("cannot be written to"), "{}", exit.stderr);
}
