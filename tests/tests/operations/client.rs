//! `muster api`, as scripts call it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use muster_tests::receiver::{Receiver, Reply};
use muster_tests::{Client, Exit, Server, both_backends, muster, unique};
use serde_json::{Value, json};

both_backends![
    bodies_with_alternatives_are_made_of_options,
    records_are_made_read_changed_and_refused,
    a_list_is_followed_through_all_pages,
    bodies_and_streams_go_as_they_are,
    a_key_that_is_revoked_is_told_of,
];

/// A client of its own, and a command that calls it.
struct Caller {
    client: Client,
    base: String,
    key: String,
    secret: String,
    id: String,
}

impl Caller {
    fn new(server: &Server) -> Self {
        let client = server.new_client();
        let made = client.post("/apiKeys", &json!({"name": unique("cli"), "role": "admin"})).ok();
        let field = |name: &str| made[name].as_str().unwrap().to_owned();
        let key = field("key");
        let secret = field("secret");
        let id = field("id");
        Self { client, base: server.base().to_owned(), key, secret, id }
    }

    fn command(&self) -> Command {
        let mut command = muster();
        command.arg("api").env("MUSTER_SERVER", &self.base).env("MUSTER_TENANT", self.client.tenant_id());
        command.env("MUSTER_KEY", &self.key).env("MUSTER_SECRET", &self.secret).env("HOME", "/nonexistent");
        command.env_remove("XDG_CONFIG_HOME");
        command
    }

    fn call(&self, arguments: &[&str]) -> Exit {
        let exit = Exit::of(self.command().args(arguments));
        assert!(!exit.stderr.contains(&self.secret) && !exit.stdout.contains(&self.secret), "{arguments:?}");
        exit
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let exit = self.call(arguments);
        assert_eq!(exit.status.code(), Some(0), "{arguments:?}\n{}", exit.stderr);
        serde_json::from_str(&exit.stdout).unwrap_or_else(|error| panic!("{error}: {}", exit.stdout))
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str], code: i32, told: &[&str]) {
        let exit = self.call(arguments);
        assert_eq!(exit.status.code(), Some(code), "{arguments:?}\n{}", exit.stderr);
        assert_eq!(exit.stdout, "", "{arguments:?}");
        for part in told {
            assert!(exit.stderr.contains(part), "{part} is not in: {}", exit.stderr);
        }
    }
}

fn records_are_made_read_changed_and_refused(server: &Server) {
    let caller = Caller::new(server);
    let line = "createResource --hostName web-01 --resource-type Linux --tags.name env --tags.value prod \
                --tags.name team --tags.value ops --location.name Rome";
    let site = caller.json(&["createSite", "--name", "Rome", "--address", "Via 1", "--country", "Italy"]);
    assert!(site["id"].is_number() || site["id"].is_string(), "{site}");
    let made = caller.json(&line.split_whitespace().collect::<Vec<_>>());
    let id = made["resourceUUID"].as_str().unwrap();
    let read = caller.json(&["GETRESOURCE", "--resource-id", id]);
    assert_eq!(read, caller.client.get(&format!("/resources/{id}")).ok());
    assert_eq!(read["generalInfo"]["hostName"], "web-01", "{read}");
    let tags = caller.client.get(&format!("/resources/{id}")).whole();
    assert!(tags.contains("\"prod\"") && tags.contains("\"ops\"") && tags.contains("Rome"), "{tags}");

    caller.json(&["updateResource", "--resourceId", id, "--aliasName", "web", "--if-match", "*"]);
    caller.refused(
        &["updateResource", "--resourceId", id, "--aliasName", "late", "--if-match", "0"],
        1,
        &["412 Precondition Failed", "request "],
    );
    caller.refused(&["getResource", "--resourceId", "00000000-0000-4000-8000-000000000000"], 1, &["404 Not Found"]);
    caller.refused(
        &["createUser", "--loginName", "", "--firstName", "A"],
        1,
        &["400 Bad Request", "  loginName: ", "request "],
    );
    let untold = ["reportAlert", "--currentState", "Ok", "--subject", "s", "--tags.value", "prod"];
    caller.refused(&untold, 2, &["--tags.name is required"]);
    let name = unique("clash");
    caller.json(&["createApiKey", "--name", &name, "--role", "viewer"]);
    caller.refused(&["createApiKey", "--name", &name, "--role", "viewer"], 1, &["409 Conflict", &name]);
    let shown =
        caller.call(&["getResource", "--resourceId", id, "--output", "table", "--columns", "id,generalInfo.hostName"]);
    assert!(shown.stdout.contains("generalInfo.hostName  web-01\n"), "{}", shown.stdout);
    let headers = caller.call(&["getResource", "--resourceId", id, "--include"]);
    assert!(headers.stderr.starts_with("200 OK\n") && headers.stderr.contains("etag: "), "{}", headers.stderr);
    caller.json(&["deleteResource", "--resourceId", id]);
}

/// Bodies of which a part is one of several things, each with fields of its own.
fn bodies_with_alternatives_are_made_of_options(server: &Server) {
    let caller = Caller::new(server);
    let name = unique("say");
    let script = ["createJobScript", "--name", &name, "--platforms", "LINUX", "--content", "echo done\n"];
    let script = caller.json(&script)["id"].to_string();
    let when = ["--schedule.startDate", "2030-01-01T00:00:00+0000", "--schedule.pattern.type", "daily"];
    let when = [&when[..], &["--schedule.pattern.frequency", "everyday"]].concat();
    for (name, what) in
        [("by script", ["--script.customScript.id", &script]), ("by type", ["--script.jobType", "tempfilesreport"])]
    {
        let made = caller.json(&[&["createJob", "--name", name], &what[..], &when[..]].concat());
        let id = made["id"].as_str().map_or_else(|| made["id"].to_string(), ToOwned::to_owned);
        let job = caller.client.get(&format!("/jobs/{id}")).ok();
        let found = [&job["script"]["customScript"]["id"], &job["script"]["jobType"]].map(ToString::to_string);
        assert!(found.iter().any(|found| found.trim_matches('"') == what[1]), "{job}");
    }
    // What is required whichever it is stays required, and is told before anything is sent.
    caller.refused(&[&["createJob", "--name", "x"], &when[..]].concat(), 2, &["--script"]);
    caller.refused(&["createJob", "--name", "x", "--script.customScript.name", "x"], 2, &["--script.customScript.id"]);

    for (kind, more) in [
        ("One-Time", vec![]),
        ("Recurring", vec!["--schedule.pattern.type", "daily", "--schedule.pattern.dayFrequency", "everyday"]),
    ] {
        let window = ["createMaintenanceWindow", "--name", kind, "--schedule.type", kind, "--schedule.timezone", "UTC"];
        let times =
            ["--schedule.startTime", "2030-01-01T00:00:00+0000", "--schedule.endTime", "2030-01-01T02:00:00+0000"];
        let arguments = [&["--print-request"], &window[..], &times[..], &more[..]].concat();
        let exit = caller.call(&[&arguments[1..2], &arguments[..1], &arguments[2..]].concat());
        assert!(!exit.stderr.contains("must be one of"), "{kind}: {}", exit.stderr);
    }
    for end in ["NEVER", "OCCURRENCES", "DATE"] {
        let exit = caller.call(&[
            "createRoster",
            "--print-request",
            "--shiftDetails.schedule.type",
            "recurring",
            "--shiftDetails.schedule.pattern.type",
            "weekly",
            "--shiftDetails.schedule.endPattern.type",
            end,
        ]);
        assert!(!exit.stderr.contains("must be one of"), "{end}: {}", exit.stderr);
        assert!(exit.stderr.contains("--shiftDetails.schedule") || exit.stderr.contains("--name"), "{}", exit.stderr);
    }
}

fn a_list_is_followed_through_all_pages(server: &Server) {
    let caller = Caller::new(server);
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..1_050).map(|n| format!("{{\"hostName\": \"host-{n:04}\"}}\n")).collect();
    let file = folder.path().join("rows.ndjson");
    fs::write(&file, rows).unwrap();
    let stored = caller.call(&["bulkUpsertResources", "--body", file.to_str().unwrap()]);
    assert_eq!((stored.status.code(), stored.stdout.lines().count()), (Some(0), 1_051), "{}", stored.stderr);

    let all = caller.call(&[
        "searchResources",
        "--all",
        "--sortName",
        "hostName",
        "--isDescendingOrder",
        "false",
        "--output",
        "ndjson",
    ]);
    assert_eq!(all.status.code(), Some(0), "{}", all.stderr);
    let names = all.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].clone());
    let wanted: Vec<Value> = (0..1_050).map(|n| json!(format!("host-{n:04}"))).collect();
    assert_eq!(names.collect::<Vec<_>>(), wanted);
    let array = caller.json(&["searchResources", "--all", "--page-size=400"]);
    assert_eq!(array.as_array().map(Vec::len), Some(1_050));
    let table = caller.call(&["searchResources", "--all", "--columns", "name,id"]);
    assert_eq!(table.stdout.lines().count(), 1_051);
    assert!(table.stdout.starts_with("NAME       ID\n"), "{}", table.stdout.lines().next().unwrap_or_default());
    let page = caller.json(&["searchResources", "--pageSize", "2", "--query-string", "hostName:host-00"]);
    assert_eq!((page["results"].as_array().map(Vec::len), &page["totalResults"]), (Some(2), &json!(100)));
    let rows = caller.call(&["searchResources", "--pageSize", "3", "--output", "ndjson"]);
    assert_eq!(rows.stdout.lines().count(), 3);
}

fn bodies_and_streams_go_as_they_are(server: &Server) {
    let caller = Caller::new(server);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.csv");
    fs::write(&file, "hostName,resourceType\nweb-01,Linux\n").unwrap();
    let stored = caller.call(&["bulkUpsertResources", "--body", file.to_str().unwrap()]);
    assert_eq!(stored.status.code(), Some(0), "{}{}", stored.stdout, stored.stderr);
    // The others are stored, and scripts notice.
    fs::write(&file, "hostName,ipAddress\nweb-03,10.0.0.3\nweb-04,nowhere\n").unwrap();
    let some = caller.call(&["bulkUpsertResources", "--body", file.to_str().unwrap()]);
    assert_eq!(some.status.code(), Some(1), "{}{}", some.stdout, some.stderr);
    assert!(some.stderr.contains("1 of 2 rows were refused") && some.stdout.contains("\"created\""), "{}", some.stderr);
    let alerts = folder.path().join("alerts.json");
    fs::write(&alerts, r#"[{"currentState": "Ok", "subject": "s", "metric": "m"}, {"currentState": "Sad"}]"#).unwrap();
    for form in ["json", "ndjson", "table"] {
        let some = caller.call(&["reportAlerts", "--body", alerts.to_str().unwrap(), "--output", form]);
        assert_eq!(some.status.code(), Some(1), "{}{}", some.stdout, some.stderr);
        assert!(some.stderr.contains("1 of 2 rows were refused") && some.stdout.contains("invalid"), "{}", some.stdout);
    }
    let good = caller.call(&["reportAlerts", "--currentState", "Ok", "--subject", "s", "--metric", "m"]);
    assert_eq!(good.status.code(), Some(0), "{}{}", good.stdout, good.stderr);
    let piped =
        Exit::of(caller.command().args(["createResource", "--body", "-"]).stdin(fs::File::open(&file).unwrap()));
    assert_eq!(piped.status.code(), Some(2));
    assert!(piped.stderr.contains("is not JSON"), "{}", piped.stderr);
    let one = folder.path().join("one.json");
    fs::write(&one, "{\"hostName\": \"web-02\"}").unwrap();
    let made = Exit::of(caller.command().args(["createResource", "--body", "-"]).stdin(fs::File::open(&one).unwrap()));
    assert_eq!(made.status.code(), Some(0), "{}", made.stderr);
    let exported = caller.call(&["exportResources", "--format", "csv"]);
    assert!(exported.stdout.contains("web-01") && exported.stdout.contains("web-02"), "{}", exported.stdout);
    assert!(!exported.stdout.contains('{'), "{}", exported.stdout);
    let watched = caller.call(&["watchChanges", "--maxSeconds", "1"]);
    assert_eq!(watched.status.code(), Some(0), "{}", watched.stderr);
}

fn a_key_that_is_revoked_is_told_of(server: &Server) {
    let caller = Caller::new(server);
    caller.json(&["getTenant"]);
    caller.client.delete(&format!("/apiKeys/{}", caller.id)).ok();
    caller.refused(&["getTenant"], 1, &[&format!("no token for the key {}", caller.key), "401 Unauthorized"]);
}

/// A service that gives tokens, and answers the rest by how much was asked before.
fn service(answer: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Receiver {
    let asked = AtomicUsize::new(0);
    Receiver::start(move |received, _| {
        if received.path == "/auth/oauth/token" {
            return json_reply(&json!({"access_token": "t", "expires_in": 7200}));
        }
        answer(asked.fetch_add(1, Ordering::SeqCst))
    })
}

fn json_reply(body: &Value) -> Reply {
    Reply::Answer(200, vec![("Content-Type", "application/json".to_owned())], body.to_string())
}

fn busy(status: u16) -> Reply {
    Reply::Answer(status, vec![("Retry-After", "1".to_owned())], json!({"detail": "too much"}).to_string())
}

/// A command that calls what a receiver plays.
fn at(receiver: &Receiver, arguments: &[&str]) -> Exit {
    let mut command = muster();
    command.arg("api").args(arguments).env("MUSTER_SERVER", receiver.url()).env("MUSTER_TENANT", "client_1");
    command.env("MUSTER_KEY", "key").env("MUSTER_SECRET", "hush+&=");
    Exit::of(command.env("HOME", "/nonexistent").env_remove("XDG_CONFIG_HOME"))
}

#[test]
fn a_busy_service_is_asked_again_where_that_does_nothing_twice() {
    let receiver =
        service(|before| if before < 2 { busy(if before == 0 { 429 } else { 503 }) } else { json_reply(&json!({})) });
    let exit = at(&receiver, &["createSite", "--name", "Rome"]);
    assert_eq!((exit.status.code(), exit.stdout.as_str()), (Some(0), "{}\n"), "{}", exit.stderr);
    assert!(exit.stderr.contains("429 Too Many Requests; trying again in 1 s (1 of 4)"), "{}", exit.stderr);
    let asked = receiver.all();
    assert_eq!(asked[0].text(), "grant_type=client_credentials&client_id=key&client_secret=hush%2B%26%3D");
    let sent = &asked[1..];
    assert_eq!(sent.len(), 3);
    let once = sent[0].header("idempotency-key");
    assert!(once.len() == 36 && sent.iter().all(|one| one.header("idempotency-key") == once), "{sent:?}");
    assert_eq!((sent[0].method.as_str(), sent[0].path.as_str()), ("POST", "/api/v2/tenants/client_1/sites"));
    assert_eq!((sent[2].json(), sent[2].header("authorization")), (json!({"name": "Rome"}), "Bearer t"));

    let stubborn = service(|_| busy(429));
    let exit = at(&stubborn, &["searchSites", "--retries", "1"]);
    assert_eq!((exit.status.code(), stubborn.count()), (Some(1), 3));
    assert!(exit.stderr.contains("muster: 429 Too Many Requests: too much"), "{}", exit.stderr);
    // Without a key of its own, a write is not sent again.
    let exit = at(&stubborn, &["acknowledgeOpsgenieAlert", "--alias", "a"]);
    assert_eq!((exit.status.code(), stubborn.count()), (Some(1), 4), "{}", exit.stderr);
}

#[test]
fn a_token_is_renewed_once() {
    let refused = || Reply::Answer(401, Vec::new(), json!({"detail": "no such token"}).to_string());
    let receiver = service(move |before| {
        if before == 1 {
            refused()
        } else {
            json_reply(&json!({"results": [{"id": before}],
                "nextCursor": if before < 3 { json!(format!("c{before}")) } else { json!(null) }}))
        }
    });
    let exit = at(&receiver, &["searchSites", "--all", "--output", "ndjson"]);
    assert_eq!(exit.stdout, "{\"id\":0}\n{\"id\":2}\n{\"id\":3}\n", "{}", exit.stderr);
    let paths: Vec<String> = receiver.all().iter().map(|one| one.path.clone()).collect();
    let site = |rest: &str| format!("/api/v2/tenants/client_1/sites/search?pageSize=1000{rest}");
    let token = "/auth/oauth/token".to_owned();
    let wanted = [token.clone(), site(""), site("&cursor=c0"), token, site("&cursor=c0"), site("&cursor=c2")];
    assert_eq!(paths, wanted);
    let receiver = service(move |_| refused());
    assert_eq!(at(&receiver, &["searchSites"]).status.code(), Some(1));
    assert_eq!(receiver.count(), 4);
}

#[test]
fn nobody_there_and_half_an_answer_are_told_apart_from_a_refusal() {
    let exit =
        Exit::of(muster().args(["api", "--server", "http://127.0.0.1:1", "--key", "k", "--secret", "hush", "getMe"]));
    assert_eq!((exit.status.code(), exit.stdout.as_str()), (Some(3), ""));
    assert!(
        exit.stderr.contains("http://127.0.0.1:1 cannot be reached") && !exit.stderr.contains("hush"),
        "{}",
        exit.stderr
    );
    let deaf = service(|_| Reply::Reset);
    assert_eq!(at(&deaf, &["searchSites", "--retries", "1"]).status.code(), Some(3));
    let half = service(|before| {
        if before > 0 { Reply::Reset } else { json_reply(&json!({"results": [{"id": 1}], "nextCursor": "c"})) }
    });
    let exit = at(&half, &["searchSites", "--all", "--retries", "0"]);
    assert_eq!(exit.status.code(), Some(3), "{}", exit.stderr);
    assert!(serde_json::from_str::<Value>(&exit.stdout).is_err(), "half a list is not a list: {}", exit.stdout);
    let odd = service(|_| Reply::Answer(502, Vec::new(), "<h1>Bad\u{1b}[31m gateway</h1>".to_owned()));
    let exit = at(&odd, &["searchSites"]);
    assert_eq!(exit.stderr, "muster: 502 Bad Gateway: <h1>Bad [31m gateway</h1>\n");
}

#[test]
fn everything_wrong_is_told_before_anything_is_sent() {
    let receiver = service(|_| Reply::status(200));
    let exit =
        at(&receiver, &["reportAlert", "--currentState", "bad", "--subjct", "x", "--device.hostname2", "y", "--all"]);
    assert_eq!((exit.status.code(), exit.stdout.as_str(), receiver.count()), (Some(2), "", 0));
    for part in [
        "--currentState must be one of: Critical, Warning, Info, Ok",
        "reportAlert has no --subjct; did you mean --subject?",
        "there is no field \"hostname2\"; did you mean hostName?",
        "--currentState is required",
        "--all is for lists",
    ] {
        assert!(exit.stderr.contains(part), "{part} is not in:\n{}", exit.stderr);
    }
    let missing =
        Exit::of(muster().args(["api", "getAlert"]).env("HOME", "/nonexistent").env_remove("XDG_CONFIG_HOME"));
    assert_eq!(missing.status.code(), Some(2));
    for part in
        ["--alertId is required", "--tenantId is required (or --tenant", "no server: say --server, set MUSTER_SERVER"]
    {
        assert!(missing.stderr.contains(part), "{part} is not in:\n{}", missing.stderr);
    }
    let unknown = at(&receiver, &["getAlrt"]);
    assert!(unknown.status.code() == Some(2) && unknown.stderr.contains("did you mean getAlert"), "{}", unknown.stderr);
    let beyond = at(&receiver, &["getMe", "--server", "http://192.0.2.1"]);
    assert!(beyond.status.code() == Some(2) && beyond.stderr.contains("in the clear"), "{}", beyond.stderr);
    assert_eq!(at(&receiver, &["getMe", "--output", "xml"]).status.code(), Some(2));
    let shown = at(&receiver, &["reportAlert", "--currentState=ok", "--subject", "x", "--print-request"]);
    assert!(shown.stdout.starts_with("POST http://127.0.0.1:"), "{}", shown.stdout);
    assert!(shown.stdout.ends_with("{\n  \"currentState\": \"Ok\",\n  \"subject\": \"x\"\n}\n"), "{}", shown.stdout);
    assert_eq!(receiver.count(), 0);
}

#[test]
fn a_profile_says_where_and_who_and_is_for_its_owner_alone() {
    let receiver = service(|_| json_reply(&json!({"ok": true})));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("muster")).unwrap();
    let file = folder.path().join("muster/profiles.toml");
    let text =
        format!("[ops]\nserver = \"{}\"\ntenant = \"client_7\"\nkey = \"k\"\nsecret = \"hush\"\n", receiver.url());
    fs::write(&file, text).unwrap();
    let call = |mode: u32, profile: &str| {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let mut command = muster();
        command.args(["api", "getTenant"]).env("XDG_CONFIG_HOME", folder.path()).env("MUSTER_PROFILE", profile);
        Exit::of(&mut command)
    };
    for mode in [0o640, 0o604, 0o644] {
        let exit = call(mode, "ops");
        assert_eq!(exit.status.code(), Some(2));
        assert!(exit.stderr.contains("open to others") && exit.stderr.contains("chmod 600"), "{}", exit.stderr);
        assert!(!exit.stderr.contains("required"), "{}", exit.stderr);
    }
    assert_eq!(receiver.count(), 0);
    let exit = call(0o600, "ops");
    assert_eq!((exit.status.code(), exit.stdout.as_str()), (Some(0), "{\n  \"ok\": true\n}\n"), "{}", exit.stderr);
    assert_eq!(receiver.all()[1].path, "/api/v2/tenants/client_7");
    let exit = call(0o400, "pos");
    assert!(exit.status.code() == Some(2) && exit.stderr.contains("did you mean ops?"), "{}", exit.stderr);
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "[ops]\nsecret = hush\n").unwrap();
    let exit = call(0o600, "ops");
    assert!(exit.stderr.contains("line 2") && !exit.stderr.contains("hush"), "{}", exit.stderr);
}

#[test]
fn operations_explain_themselves_and_shells_complete_them() {
    let run = |arguments: &[&str]| {
        let exit = Exit::of(muster().args(arguments));
        assert_eq!((exit.status.code(), exit.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        exit.stdout
    };
    let all = run(&["api"]);
    assert_eq!(all.lines().count(), crate::house::operations().len());
    assert_eq!(all, run(&["api", "--list"]));
    let some = run(&["api", "--list", "ALERT", "timeline"]);
    assert!(some.starts_with("getAlertTimeline  GET ") && some.lines().count() == 1, "{some}");
    let help = run(&["api", "reportalert", "--help"]);
    for part in [
        "reportAlert: ",
        "POST /api/v2/tenants/{tenantId}/alert (role operator)",
        "--tenantId TEXT",
        "required. ",
        "[Critical, Warning, Info, Ok]",
        "--device.hostName TEXT",
        "--Idempotency-Key TEXT",
    ] {
        assert!(help.contains(part), "{part} is not in:\n{help}");
    }
    assert!(run(&["api", "--help"]).contains("--profile"));
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]);
        assert!(script.contains("complete -- ") && script.len() < 2_000, "{shell}: {} bytes", script.len());
    }
    let complete = |words: &str| -> Vec<String> {
        let words = words.split(' ').collect::<Vec<_>>();
        run(&[&["complete", "--"], words.as_slice()].concat()).lines().map(ToOwned::to_owned).collect()
    };
    let has = |words: &str, all: &[&str]| {
        let found = complete(words);
        for one in all {
            assert!(found.iter().any(|found| found == one), "{words:?}: {one} is not among {found:?}");
        }
    };
    has("", &["serve", "api", "backup", "completions"]);
    assert!(!complete("").contains(&"launch".to_owned()), "what is hidden is not completed");
    assert_eq!(complete("back"), ["backup"]);
    assert_eq!(complete("completions "), ["bash", "zsh", "fish"]);
    has("serve --", &["--listen", "--demo", "--log"]);
    has("serve --listen 127.0.0.1:1 --", &["--demo"]);
    has("key cre", &["create"]);
    assert_eq!(complete("api searchRes"), ["searchResources"]);
    has("api --output ", &["json", "ndjson", "table"]);
    has("api --tenant client_1 ack", &["acknowledgeAlert"]);
    has("api reportAlert --", &["--currentState", "--device", "--tags", "--tenantId", "--output", "--body"]);
    assert_eq!(complete("api reportAlert --currentState C"), ["Critical"]);
    has("api reportAlert --device.", &["--device.hostName", "--device.id"]);
    assert_eq!(complete("api searchResources --verbose t"), ["true"]);
    has("api searchResources --verbose --sort", &["--sortName"]);
    has("api searchResources --sortName ", &["hostName", "createdDate"]);
    assert_eq!(complete("api reportAlert --subject "), Vec::<String>::new(), "any text may stand there");
    assert_eq!(complete("api noSuchOperation --"), Vec::<String>::new());
}
