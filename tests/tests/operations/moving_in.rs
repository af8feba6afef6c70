//! The way from another product, by docs/moving-in.md: convert, plan, apply, and who is on call then.

use std::fs;
use std::path::Path;

use muster_tests::{Exit, Server, both_backends, muster};
use serde_json::{Value, json};

use super::{configuration::files, operator::Operator};

mod goalert;
mod netbox;
mod oncall;
mod opsgenie;
mod pagerduty;

both_backends![
    opsgenie_moves_in,
    pagerduty_moves_in,
    grafana_oncall_moves_in,
    goalert_moves_in,
    machines_of_netbox_move_in,
];

/// The instant of the conversion.
const NOW: &str = "2026-11-01T00:00:00Z";

/// Answers of a product by their paths, and who is on call by its schedules.
struct Account {
    product: &'static str,
    answers: Vec<(&'static str, Value)>,
    /// Rosters, instants, and the login names of those who are on call.
    on_call: &'static [(&'static str, &'static str, &'static [&'static str])],
    /// What cannot be converted, as the command tells it.
    refused: &'static [&'static str],
}

fn opsgenie_moves_in(server: &Server) {
    let account = opsgenie::account();
    let (folder, operator) = moves_in(server, &account);
    let reader = Operator::new(operator.client.clone(), server, "viewer");
    let compare = |code: i32, more: &[&str]| {
        let arguments = [&["compare", "opsgenie", "--now", NOW], more].concat();
        reader.expect(code, &arguments, &folder.path().join("export")).stdout
    };

    // What somebody changes in Muster is a difference.
    let roster = roster_id(&operator, "First line");
    let cy = operator.client.search("/users/search", "loginName:cy@example.net").page()["results"][0]["id"].clone();
    let relief = json!({"user": {"id": cy}, "start": "2027-02-01T10:00:00Z", "end": "2027-02-01T11:00:00Z"});
    operator.client.post(&format!("/rosters/{roster}/overrides"), &relief).ok();
    let told = compare(2, &[]);
    let expected = "First line: 1 difference\n  2027-02-01T10:00:00+0000 to 2027-02-01T11:00:00+0000: Opsgenie \
                    ann@example.net; Muster cy@example.net\n1 schedule, ";
    assert!(told.starts_with(expected) && told.ends_with(": 1 difference.\n"), "{told}");
    let told: Value = serde_json::from_str(&compare(2, &["--output", "json"])).unwrap();
    let difference = json!({"schedule": "First line", "from": "2027-02-01T10:00:00+0000",
        "to": "2027-02-01T11:00:00+0000", "source": ["ann@example.net"], "muster": ["cy@example.net"]});
    assert_eq!((&told["differences"], &told["notCompared"]), (&json!([difference]), &json!([])));

    // A schedule without a roster is not the same.
    operator.client.delete(&format!("/rosters/{roster}")).ok();
    let told = compare(2, &[]);
    assert!(told.starts_with("First line: not compared: Muster has no roster of this name\n"), "{told}");
    // 2 means differences, so a wrong command line is a failure, and so is a service that is not there.
    compare(1, &["--colour"]);
    compare(1, &["--server", "http://127.0.0.1:1"]);

    // People are known by their addresses where login names were changed.
    let config = folder.path().join("config");
    for (path, text) in files(&config) {
        fs::write(config.join(path), text.replace("loginName: ann@example.net", "loginName: ann")).unwrap();
    }
    let operator = Operator::new(server.new_client(), server, "admin");
    operator.expect(0, &["apply"], &config);
    assert_eq!(on_call(&operator, "First line", "2026-11-09T07:00:00Z"), ["ann"]);
    operator.expect(0, &["compare", "opsgenie", "--now", NOW], &folder.path().join("export"));
}

fn pagerduty_moves_in(server: &Server) {
    moves_in(server, &pagerduty::account());
}

fn grafana_oncall_moves_in(server: &Server) {
    moves_in(server, &oncall::account());
}

fn goalert_moves_in(server: &Server) {
    moves_in(server, &goalert::account());
}

fn machines_of_netbox_move_in(server: &Server) {
    let (_, operator) = moves_in(server, &netbox::account());
    let found = operator.client.search("/resources/search", "hostName:sw-1").page();
    let id = found["results"][0]["id"].as_str().unwrap();
    let machine = operator.client.get(&format!("/resources/{id}")).ok();
    assert_eq!((&machine["ipAddress"], &machine["location"]["name"]), (&json!("192.0.2.7"), &json!("Graz")));
    let group = operator.client.search("/deviceGroups/search", "name:Role: Access switch").page();
    assert_eq!(group["totalResults"], json!(1), "{group}");
}

/// Every file that is written can be planned and applied; then nothing is left to do, and both say the same of who is
/// on call. Answers the folder with the answers (`export`) and the files (`config`).
fn moves_in(server: &Server, account: &Account) -> (tempfile::TempDir, Operator) {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("export"), folder.path().join("config"));
    for (path, answer) in &account.answers {
        let file = source.join(format!("{path}.json"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, answer.to_string()).unwrap();
    }
    convert(account, &source, &target);
    let operator = Operator::new(server.new_client(), server, "admin");
    let plan = operator.expect(2, &["plan"], &target);
    assert_eq!(plan.stderr, "");
    operator.expect(0, &["apply"], &target);
    assert_eq!(operator.expect(0, &["plan"], &target).stdout, "Nothing to do.\n");
    for (roster, instant, expected) in account.on_call {
        assert_eq!(on_call(&operator, roster, instant), *expected, "{roster} at {instant}");
    }
    if !account.on_call.is_empty() {
        let same = operator.expect(0, &["compare", account.product, "--now", NOW], &source);
        assert!(same.stdout.ends_with(": 0 differences.\n"), "{}", same.stdout);
    }
    (folder, operator)
}

fn convert(account: &Account, source: &Path, target: &Path) {
    let mut command = muster();
    command.args(["convert", account.product]).args([source, target]).args(["--now", NOW]);
    let exit = Exit::of(&mut command);
    let told: Vec<&str> = exit.stderr.lines().collect();
    assert_eq!(told, account.refused, "{}", exit.stdout);
    let code = if account.refused.is_empty() { 0 } else { 2 };
    assert_eq!(exit.status.code(), Some(code), "{}", exit.stdout);
}

/// Login names, in order.
fn on_call(operator: &Operator, roster: &str, instant: &str) -> Vec<String> {
    let id = roster_id(operator, roster);
    let answer = operator.client.get(&format!("/rosters/{id}/onCall?at={instant}")).ok();
    let all = answer["onCall"].as_array().unwrap().iter();
    let mut logins: Vec<String> = all.map(|one| one["user"]["loginName"].as_str().unwrap().to_owned()).collect();
    logins.sort();
    logins.dedup();
    logins
}

fn roster_id(operator: &Operator, roster: &str) -> String {
    // The name as a whole: another one may contain it.
    let found = operator.client.get(&format!("/rosters/search?name={}", roster.replace(' ', "%20"))).page();
    let id = found["results"][0]["id"].as_str();
    id.unwrap_or_else(|| panic!("no roster {roster}: {found}")).to_owned()
}
