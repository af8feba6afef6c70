//! What a person does on the command line while the server runs.

use std::time::{Duration, Instant};

use muster_tests::{Backend, Exit, Server, both_backends, muster};
use serde_json::json;

both_backends![
    a_key_is_made_rotated_and_revoked_by_hand,
    tenants_are_made_by_hand,
    of_two_admins_who_revoke_each_other_one_stays,
    a_narrow_key_is_made_by_hand,
    mistakes_are_told,
];

/// A revocation may take this long.
const FELT: Duration = Duration::from_secs(5);

fn run(server: &Server, arguments: &[&str]) -> Exit {
    let mut command = muster();
    command.args(arguments).arg("--data-dir").arg(server.data_dir());
    if let Some(url) = server.database_url() {
        command.args(["--database-url", url]);
    }
    Exit::of(&mut command)
}

#[track_caller]
fn printed(server: &Server, arguments: &[&str]) -> String {
    let exit = run(server, arguments);
    assert!(exit.status.success(), "{arguments:?}: {}{}", exit.stdout, exit.stderr);
    exit.stdout
}

/// Key and secret of lines that a shell reads.
fn credentials(printed: &str) -> (String, String) {
    let value = |name: &str| {
        let found = printed.lines().find_map(|line| line.strip_prefix(name));
        found.unwrap_or_else(|| panic!("no {name} in {printed}")).to_owned()
    };
    (value("MUSTER_KEY="), value("MUSTER_SECRET="))
}

fn a_key_is_made_rotated_and_revoked_by_hand(backend: Backend) {
    let server = Server::start(backend);
    let made = printed(&server, &["key", "create", "--tenant", "client_1", "--name", "by hand", "--role", "operator"]);
    let (key, secret) = credentials(&made);
    let client = server.admin().tenant("client_1");
    let caller = client.with_token(&server.token(&key, &secret));
    super::device(&caller, "made-by-it");
    let listed = printed(&server, &["key", "list"]);
    assert!(listed.contains(&key) && listed.contains("by hand") && !listed.contains(&secret), "{listed}");
    assert!(client.get("/apiKeys").text().contains("by hand"));

    let (same, second) = credentials(&printed(&server, &["key", "rotate", &key]));
    assert!(same == key && second != secret);
    server.token(&key, &secret);
    let (_, third) = credentials(&printed(&server, &["key", "rotate", &key, "--revoke-previous"]));
    server.token(&key, &third);
    let begun = Instant::now();
    while caller.get("/resources/minimal").status != 401 {
        assert!(begun.elapsed() < FELT, "a token of a dropped secret still works");
        std::thread::sleep(Duration::from_millis(100));
    }

    let caller = client.with_token(&server.token(&key, &third));
    caller.get("/resources/minimal").list();
    printed(&server, &["key", "revoke", &key]);
    let begun = Instant::now();
    while caller.get("/resources/minimal").status != 401 {
        assert!(begun.elapsed() < FELT, "a revoked key still works");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(!printed(&server, &["key", "list"]).contains(&key));

    let log = client.search("/auditLog/search", "entity:ApiKey").page();
    let by: Vec<String> =
        log["results"].as_array().into_iter().flatten().map(|entry| super::text(&entry["keyId"])).collect();
    for command in ["muster key create", "muster key rotate", "muster key revoke"] {
        assert!(by.iter().any(|by| by == command), "{command}: {by:?}");
    }
    assert!(!log.to_string().contains(&secret), "the audit log tells a secret");
}

fn a_narrow_key_is_made_by_hand(backend: Backend) {
    let server = Server::start(backend);
    let new = ["key", "create", "--tenant", "client_1", "--name", "runner", "--role", "operator"];
    let narrow = [&new[..], &["--operations", "listMinimalSites,createSite"]].concat();
    let (key, secret) = credentials(&printed(&server, &narrow));
    let caller = server.anonymous().tenant("client_1").with_token(&server.token(&key, &secret));
    caller.post("/sites", &json!({"name": "made"})).ok();
    caller.get("/resources/minimal").forbidden();
    assert!(printed(&server, &["key", "list"]).contains("createSite,listMinimalSites"));
}

fn tenants_are_made_by_hand(backend: Backend) {
    let server = Server::start(backend);
    let partner = printed(&server, &["tenant", "create", "--partner", "Acme"]).trim().to_owned();
    assert_eq!(partner, "msp_2");
    let client = printed(&server, &["tenant", "create", "--client", "Globex", "--of", &partner]).trim().to_owned();
    assert_eq!(client, "client_2");
    let listed = printed(&server, &["tenant", "list"]);
    assert!(["msp_1", "client_1", "Acme", "Globex"].iter().all(|name| listed.contains(name)), "{listed}");
    let made = printed(&server, &["key", "create", "--tenant", &partner, "--name", "ops", "--role", "admin"]);
    let (key, secret) = credentials(&made);
    let acme = server.anonymous().tenant(&partner).with_token(&server.token(&key, &secret));
    assert_eq!(acme.get("/clients/minimal").list()[0]["name"], json!("Globex"));
    acme.tenant("msp_1").get("/resources/minimal").not_found();
    server.admin().tenant(&client).get("/resources/minimal").not_found();
}

fn of_two_admins_who_revoke_each_other_one_stays(backend: Backend) {
    let server = Server::start(backend);
    for round in 0..5 {
        let partner =
            printed(&server, &["tenant", "create", "--partner", &format!("Partner {round}")]).trim().to_owned();
        let admins = ["one", "other"].map(|name| {
            let made = printed(&server, &["key", "create", "--tenant", &partner, "--name", name, "--role", "admin"]);
            let id = made.split(['#', ',']).nth(1).map(|id| id.trim().to_owned()).unwrap_or_default();
            let (key, secret) = credentials(&made);
            (id, server.anonymous().tenant(&partner).with_token(&server.token(&key, &secret)))
        });
        let [(one, first), (other, second)] = &admins;
        let statuses = std::thread::scope(|scope| {
            let both = [
                scope.spawn(|| first.delete(&format!("/apiKeys/{other}"))),
                scope.spawn(|| second.delete(&format!("/apiKeys/{one}"))),
            ];
            both.map(|answer| answer.join().map_or(0, |answer| answer.status))
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 401, 409].contains(status)), "{statuses:?}");
        let left = if statuses[0] == 200 { (first, one) } else { (second, other) };
        left.0.delete(&format!("/apiKeys/{}", left.1)).problem(409, "0004");
    }
}

fn mistakes_are_told(backend: Backend) {
    let server = Server::start(backend);
    let (key, _) = server.credentials();
    for (arguments, told) in [
        (vec!["key", "revoke", key], "last admin key"),
        (vec!["key", "revoke", "nobodyskey"], "not found"),
        (vec!["key", "rotate", "nobodyskey"], "not found"),
        (vec!["key", "create", "--tenant", "client_99", "--name", "x", "--role", "viewer"], "no tenant client_99"),
        (vec!["key", "create", "--tenant", "acme", "--name", "x", "--role", "viewer"], "msp_<number>"),
        (vec!["key", "create", "--tenant", "client_1", "--name", "x", "--role", "emperor"], "viewer, operator"),
        (vec!["key", "create", "--tenant", "client_1", "--name", " ", "--role", "viewer"], "name"),
        (
            vec!["key", "create", "--tenant", "client_1", "--name", "x", "--role", "viewer", "--operations", "flySite"],
            "flySite is not an operation",
        ),
        (
            vec![
                "key",
                "create",
                "--tenant",
                "client_1",
                "--name",
                "x",
                "--role",
                "viewer",
                "--operations",
                "createSite",
            ],
            "needs the role operator",
        ),
        (vec!["tenant", "create"], "--partner"),
        (vec!["tenant", "create", "--client", "x"], "--of"),
        (vec!["tenant", "create", "--client", "x", "--of", "msp_99"], "no tenant msp_99"),
        (vec!["tenant", "create", "--client", "Client One", "--of", "msp_1"], "already exists"),
        (vec!["tenant", "create", "--partner", "x", "--client", "y", "--of", "msp_1"], "--client"),
    ] {
        let exit = run(&server, &arguments);
        assert!(!exit.status.success(), "{arguments:?}: {}", exit.stdout);
        assert!(exit.stderr.contains(told), "{arguments:?}: {}", exit.stderr);
        assert!(!exit.stderr.contains("panicked"), "{}", exit.stderr);
    }
}
