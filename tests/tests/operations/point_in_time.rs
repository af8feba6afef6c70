//! A Postgres goes back to a time, by the commands of docs/operations.md.

use std::thread::sleep;
use std::time::Duration;

use muster_tests::{ArchivedPostgres, Backend, Server, psql};
use serde_json::json;

use super::until;

const PATIENCE: Duration = Duration::from_secs(60);

/// The settings, the base backup, and the commands that restore it but for the start of the server.
fn documented() -> [String; 3] {
    let document = include_str!("../../../docs/operations.md");
    let section = document.split("To go back to **any time**").nth(1).expect("the section");
    let mut blocks = section.split("```").skip(1).step_by(2);
    let mut block = |language: &str| {
        let text = blocks.next().and_then(|block| block.strip_prefix(language));
        text.unwrap_or_else(|| panic!("a block of {language}")).to_owned()
    };
    let [settings, backup, restore] = ["ini", "sh", "sh"].map(&mut block);
    let (restore, start) = restore.trim_end().rsplit_once('\n').expect("several lines");
    assert_eq!(start, "postgres -D /var/lib/postgresql/restored");
    [settings, backup, restore.to_owned()]
}

#[test]
fn what_was_written_after_the_time_is_gone() {
    let [settings, backup, restore] = documented();
    let mut postgres = ArchivedPostgres::start(&settings);
    psql(&postgres.url("postgres"), "CREATE DATABASE muster");
    let server = Server::start_at(Backend::Postgres, Some(postgres.url("muster")), &[]);
    let create = |name: &str| {
        server.admin().tenant("client_1").post("/resources", &json!({"name": name})).ok();
    };
    create("before-the-backup");
    postgres.shell(&backup);
    create("after-the-backup");
    // Rows of the service itself are written all the time: the time has to lie between these two.
    sleep(Duration::from_millis(100));
    let time = psql(&postgres.url("postgres"), "SELECT clock_timestamp()").trim().to_owned();
    sleep(Duration::from_millis(100));
    create("after-the-time");
    let segment = psql(&postgres.url("postgres"), "SELECT pg_walfile_name(pg_switch_wal())").trim().to_owned();
    let archived = "SELECT coalesce(max(last_archived_wal), '') FROM pg_stat_archiver";
    until("the log is archived", PATIENCE, || psql(&postgres.url("postgres"), archived).trim() >= segment.as_str());

    postgres.shell(&restore.replace("2026-11-27 20:45:00+00", &time));
    postgres.restart_on("restored");
    let in_recovery = |url: &str| psql(url, "SELECT pg_is_in_recovery()").trim() == "t";
    until("it takes writes", PATIENCE, || !in_recovery(&postgres.url("postgres")));
    let restored = Server::start_in_place_of(&server, Some(&postgres.url("muster")), &[]);
    let mut names: Vec<String> = restored
        .admin()
        .tenant("client_1")
        .get("/resources/minimal")
        .list()
        .iter()
        .map(|row| row["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["after-the-backup", "before-the-backup"]);
    restored.admin().tenant("client_1").post("/resources", &json!({"name": "goes on"})).ok();
}
