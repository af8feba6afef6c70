//! Files of desired state: `muster export`, `muster plan` and `muster apply`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, both_backends};
use serde_json::{Value, json};

use super::operator::Operator;

both_backends![
    the_demo_company_moves_to_an_empty_tenant,
    a_plan_says_what_an_apply_does_and_then_nothing_is_left,
    what_no_file_describes_any_more_is_pruned,
    an_apply_that_was_interrupted_is_run_again,
    two_applies_at_once_are_right_or_refused,
    turns_are_kept_when_a_rotation_changes,
    an_export_names_those_who_are_told_of_conflicts,
];

/// The texts of a folder by their paths below it.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(one) = folders.pop() {
        for entry in fs::read_dir(one).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), text);
            }
        }
    }
    found
}

/// The environment variables that files name, each with something that may be sent.
fn secrets(files: &BTreeMap<PathBuf, String>) -> BTreeMap<String, String> {
    let lines = files.values().flat_map(|text| text.lines());
    let names = lines.filter_map(|line| line.trim().strip_prefix("fromEnv: ").map(ToOwned::to_owned));
    names.map(|name| (name, "https://hush.example.net/5f2c".to_owned())).collect()
}

fn the_demo_company_moves_to_an_empty_tenant(backend: Backend) {
    let server = Server::start_with(backend, &["--demo"]);
    let demo = server.admin().tenant("client_1");
    for job in [
        json!({"name": "Nightly", "schedule": {"startDate": "2030-12-01T00:00:00Z", "cron": "0 3 * * *",
            "timezone": "Europe/Berlin"}, "script": {"jobType": "assetinfo"}}),
        json!({"name": "Weekly", "schedule": {"startDate": "2030-12-01T00:00:00Z", "timeZone": {"name": "Asia/Tokyo"},
            "pattern": {"type": "weekly", "weekDays": "Friday"}}, "script": {"jobType": "assetinfo"}}),
    ] {
        demo.post("/jobs", &job).ok();
    }
    let from = Operator::new(demo, &server, "viewer");
    let (one, two, again) = (folder(), folder(), folder());
    let exit = from.expect(0, &["export"], one.path());
    let exported = files(one.path());
    assert!(exported.len() > 20, "{exported:#?}");
    from.expect(0, &["export"], again.path());
    assert_eq!(exported, files(again.path()), "{}", exit.stderr);
    // To those who may only read, the tenant is as its files say.
    let plan = from.run(&["plan"], one.path());
    assert_eq!((plan.stdout.as_str(), plan.status.code()), ("Nothing to do.\n", Some(0)), "{}", plan.stderr);

    let mut to = Operator::new(server.new_client(), &server, "admin");
    // Machines are described by their agents, not by files.
    let agents = from.client.request("GET", "/resources/export?queryString=agentInstalled:true").send().text();
    let rows = agents.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows = rows.map(|mut row| {
        let fields = row.as_object_mut().unwrap();
        ["id", "clientUniqueId", "location"].iter().for_each(|name| drop(fields.remove(*name)));
        row
    });
    to.client.post("/resources/bulk", &rows.collect()).ok();
    to.environment = secrets(&exported);
    to.expect(2, &["plan"], one.path());
    to.expect(0, &["apply"], one.path());
    to.expect(0, &["export"], two.path());
    assert_eq!(exported, files(two.path()));
    let nothing = to.expect(0, &["apply"], one.path());
    assert_eq!(nothing.stdout, "Nothing to do.\n");
}

/// An empty one.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes a file of a folder.
pub fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).unwrap();
}

/// A team of two, who take turns.
pub const TEAM: &str = "kind: User
loginName: anna.huber
firstName: Anna
---
kind: User
loginName: ben.kaya
---
kind: UserGroup
name: Network operations
users:
- loginName: anna.huber
- loginName: ben.kaya
---
kind: HolidayCalendar
name: Berlin
days:
- {date: 2026-12-25, name: Christmas Day}
- date: 2026-12-26
users: [{loginName: anna.huber}]
userGroups: [{name: Network operations}]
---
kind: HolidayCalendar
name: Vienna
url: https://calendars.example.net/vienna.ics
---
kind: Roster
name: Network on call
description: \"\"
timeZone: {name: Europe/Berlin}
shiftDetails:
- name: Nights
  schedule:
    type: recurring
    startDate: 2026-11-20T00:00:00+0000
    startTime: \"20:00:00\"
    endTime: \"08:00:00\"
    pattern: {type: daily, repeatFrequency: 1}
    endPattern: {type: NEVER}
  userGroups: [{name: Network operations}]
  holidays: [{name: Vienna}, {name: Berlin}]
  onHolidays: skip
- name: Days
  schedule:
    type: recurring
    startDate: 2026-11-20T00:00:00+0000
    startTime: \"08:00:00\"
    endTime: \"20:00:00\"
    pattern: {type: weekly, repeatFrequency: 1, weekDays: \"Monday,Friday\"}
    endPattern: {type: NEVER}
  rotation:
    order: [{users: [{loginName: anna.huber}]}, {}, {userGroups: [{name: Network operations}]}]
    length: {occurrences: 2}
    start: 2026-11-23T08:00:00
---
kind: EscalationPolicy
name: Network
steps:
- targets: [{roster: {name: Network on call}}]
- targets: [{user: {loginName: Anna.Huber}}]
  wait: 600s
---
kind: AlertRoute
name: Network
rules: [{key: metric, operator: startswith, value: net.}]
policy: {name: Network}
---
kind: KbCategory
name: Network
---
kind: KbCategory
name: Switches
parentCategory: {path: Network}
---
kind: KbArticle
title: Replace a switch
content: <p>Carefully.</p>
category: {path: Network >> Switches}
---
kind: ContactMethod
user: {loginName: anna.huber}
name: Phone
type: HTTP
preset: ntfy
url: {fromEnv: PHONE_URL}
---
kind: NotificationRule
user: {loginName: anna.huber}
urgency: high
steps: [{contactMethod: {name: Phone}, after: 0s}]
---
kind: Site
name: Rome
city: Rome
---
kind: IncidentCategory
name: Hardware
---
kind: IncidentCategory
name: Disks
parentCategory: {path: Hardware}
---
kind: RosterOverride
roster: {name: Network on call}
user: {loginName: ben.kaya}
start: 2030-01-01T20:00:00Z
end: 2030-01-02T08:00:00Z
shift: {name: Nights}
";

fn a_plan_says_what_an_apply_does_and_then_nothing_is_left(server: &Server) {
    let mut operator = Operator::new(server.new_client(), server, "admin");
    let folder = folder();
    write(&folder, "team.yaml", TEAM);
    let plan = operator.expect(2, &["plan"], folder.path());
    assert!(plan.stdout.contains("+ Roster \"Network on call\"\n"), "{}", plan.stdout);
    assert!(plan.stdout.ends_with("17 to create.\n"), "{}", plan.stdout);
    // A secret is needed where it is sent.
    let refused = operator.expect(1, &["apply"], folder.path());
    assert!(refused.stderr.contains("url: the environment has no PHONE_URL"), "{}", refused.stderr);
    // It is looked for before anything is done.
    assert_eq!(
        operator.client.search("/userGroups/search", "name:Network operations").page()["totalResults"],
        json!(0)
    );
    operator.environment.insert("PHONE_URL".to_owned(), "https://ntfy.example.net/hush-5f2c".to_owned());
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(operator.expect(0, &["plan"], folder.path()).stdout, "Nothing to do.\n");

    // What changes is told field by field; what is renamed keeps its id, and what is below it follows.
    let group = |name: &str| operator.client.search("/userGroups/search", &format!("name:{name}")).page();
    let id = group("Network operations")["results"][0]["uniqueId"].clone();
    let changed = TEAM
        .replace("firstName: Anna\n", "firstName: Anne\nlastName: Huber\n")
        .replace(
            "name: Network operations\nusers:\n- loginName: anna.huber\n",
            "name: Net ops\npreviousName: Network operations\nusers:\n",
        )
        .replace("{name: Network operations}", "{name: Net ops}")
        .replace("city: Rome\n", "")
        .replace("kind: KbCategory\nname: Network\n", "kind: KbCategory\nname: Networks\npreviousName: Network\n")
        .replace("{path: Network}", "{path: Networks}")
        .replace("Network >> Switches", "networks>>switches")
        .replace("url: https://calendars.example.net/vienna.ics", "days: [{date: 2026-05-01}]")
        .replace(
            "days:\n- {date: 2026-12-25, name: Christmas Day}\n- date: 2026-12-26\n",
            "url: https://calendars.example.net/berlin.ics\n",
        )
        .replace(
            "kind: IncidentCategory\nname: Disks\nparentCategory: {path: Hardware}\n",
            "kind: IncidentCategory\nname: Disks\npreviousName: Hardware >> Disks\n",
        );
    write(&folder, "team.yaml", &changed);
    let plan = operator.expect(2, &["plan"], folder.path()).stdout;
    for line in [
        "~ User \"anna.huber\"\n    firstName: \"Anna\" -> \"Anne\"\n    lastName: (none) -> \"Huber\"\n",
        "> UserGroup \"Network operations\" -> \"Net ops\"\n",
        "~ HolidayCalendar \"Berlin\"\n    days: ",
        "~ HolidayCalendar \"Vienna\"\n    days: (none) -> [{\"date\":\"2026-05-01\"}]\n    url: ",
        "~ Site \"Rome\"\n    city: \"Rome\" -> (none)\n",
        "> KbCategory \"Network\" -> \"Networks\"\n",
        "> IncidentCategory \"Hardware >> Disks\" -> \"Disks\"\n\
         \x20   parentCategory: {\"path\":\"Hardware\"} -> (none)\n",
    ] {
        assert!(plan.contains(line), "{line} is not in\n{plan}");
    }
    assert!(!plan.contains("Switches") && !plan.contains("Roster"), "{plan}");
    let told: Value =
        serde_json::from_str(&operator.expect(2, &["plan", "--output", "json"], folder.path()).stdout).unwrap();
    assert_eq!(told["actions"].as_array().map(Vec::len), told["differences"].as_u64().map(|count| count as usize));
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(operator.expect(0, &["plan"], folder.path()).stdout, "Nothing to do.\n");
    assert_eq!(group("Net ops")["results"][0]["uniqueId"], id);
    assert_eq!(operator.client.get("/sites/search").page()["results"][0].get("city"), None);

    // All that is wrong with all files is told, and nothing is sent.
    write(
        &folder,
        "bad.yaml",
        "kind: Site\nname: Oslo\ncitty: Oslo\n---\nkind: AlertRoute\nname: x\npolicy: {name: y}\n",
    );
    let bad = operator.expect(1, &["apply"], folder.path()).stderr;
    assert!(bad.contains("bad.yaml:3: citty: is not a field of Site; did you mean city?"), "{bad}");
    write(&folder, "bad.yaml", "kind: Site\nname: Oslo\n---\nkind: AlertRoute\nname: x\npolicy: {name: Netwrk}\n");
    let bad = operator.expect(1, &["apply"], folder.path()).stderr;
    assert!(bad.contains("bad.yaml:6: policy: there is no EscalationPolicy \"Netwrk\""), "{bad}");
    assert!(bad.contains("did you mean Network?"), "{bad}");
    assert_eq!(operator.client.get("/sites/search").page()["totalResults"], json!(1));
    // 2 means differences, so a wrong command line is a failure.
    operator.expect(1, &["plan", "--colour"], folder.path());
}

const TURNS: &str = "kind: Roster
name: Around the clock
description: \"\"
timeZone: {name: GMT}
conflictsTo:
- user: {loginName: anna.huber}
- userGroup: {name: Leads}
shiftDetails:
- name: All
  schedule:
    type: recurring
    startDate: 2020-01-01T00:00:00+0000
    startTime: \"00:00:00\"
    endTime: \"00:00:00\"
    pattern: {type: daily, repeatFrequency: 1}
    endPattern: {type: NEVER}
  rotation:
    order: ORDER
    length: {days: 3}
    start: 2026-01-05T00:00:00
---
kind: UserGroup
name: Leads
users: [{loginName: ben.kaya}]
---
kind: User
loginName: anna.huber
---
kind: User
loginName: ben.kaya
---
kind: User
loginName: cem.aydin
";

/// The files of a roster in which these take turns.
fn taking_turns(people: &[&str]) -> String {
    let order: Vec<String> = people.iter().map(|name| format!("{{users: [{{loginName: {name}}}]}}")).collect();
    TURNS.replace("ORDER", &format!("[{}]", order.join(", ")))
}

fn turns_are_kept_when_a_rotation_changes(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    let folder = folder();
    let mut people = vec!["anna.huber", "ben.kaya", "cem.aydin"];
    write(&folder, "turns.yaml", &taking_turns(&people));
    operator.expect(0, &["apply"], folder.path());
    let roster = || operator.client.get("/rosters/search").page()["results"][0].clone();
    let on_call = || {
        let answer = operator.client.get(&format!("/rosters/{}/onCall", roster()["id"].as_str().unwrap())).ok();
        answer["onCall"][0]["user"]["loginName"].as_str().unwrap().to_owned()
    };
    let start = || roster()["shiftDetails"][0]["rotation"]["start"].as_str().unwrap().to_owned();
    // Whose turn it is takes the place of another.
    let current = on_call();
    let place = people.iter().position(|name| *name == current).unwrap();
    people.swap(place, (place + 1) % 3);
    write(&folder, "turns.yaml", &taking_turns(&people));
    let note = "    note: who has the turn now may change at once; --keep-current keeps them\n";
    assert!(operator.expect(2, &["plan"], folder.path()).stdout.contains(note));
    let applied = operator.expect(0, &["apply", "--keep-current"], folder.path()).stdout;
    assert_eq!(on_call(), current, "{applied}");
    assert_ne!(start(), "2026-01-05T00:00:00");
    let moved = format!("shiftDetails[0].rotation.start: {:?} (in the files: \"2026-01-05T00:00:00\")", start());
    assert!(applied.contains("Roster \"Around the clock\" is not as the files say"), "{applied}");
    assert!(applied.contains(&moved), "{moved} is not in {applied}");
    let plan = operator.expect(2, &["plan"], folder.path()).stdout;
    assert!(plan.contains("shiftDetails[0].rotation.start") && plan.contains(note), "{plan}");
    write(&folder, "turns.yaml", &taking_turns(&people).replace("2026-01-05T00:00:00", &start()));
    assert_eq!(operator.expect(0, &["plan"], folder.path()).stdout, "Nothing to do.\n");
    // Without the option turns are counted from the start, and what changes nothing of them has no note.
    let two =
        taking_turns(&people).replace("2026-01-05T00:00:00", &start()).replace("description: \"\"", "description: x");
    write(&folder, "turns.yaml", &two);
    let plan = operator.expect(2, &["plan"], folder.path()).stdout;
    assert!(!plan.contains("note:"), "{plan}");
    write(&folder, "turns.yaml", &taking_turns(&people));
    let applied = operator.expect(0, &["apply"], folder.path()).stdout;
    assert!(!applied.contains("is not as the files say"), "{applied}");
    assert_ne!(on_call(), current);
}

fn an_export_names_those_who_are_told_of_conflicts(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    let (folder, exported) = (folder(), folder());
    write(&folder, "turns.yaml", &taking_turns(&["anna.huber", "ben.kaya"]));
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(operator.expect(0, &["plan"], folder.path()).stdout, "Nothing to do.\n");
    operator.expect(0, &["export"], exported.path());
    let all = files(exported.path());
    let roster = all.iter().find(|(path, _)| path.starts_with("rosters")).unwrap().1;
    let told = roster.split_once("conflictsTo:").unwrap().1;
    assert!(told.contains("loginName: anna.huber") && told.contains("name: Leads"), "{roster}");
    assert!(!told.contains("id:") && !told.contains("uniqueId:"), "{roster}");
    assert_eq!(operator.expect(0, &["plan"], exported.path()).stdout, "Nothing to do.\n");
}

fn what_no_file_describes_any_more_is_pruned(server: &Server) {
    let mut operator = Operator::new(server.new_client(), server, "admin");
    operator.environment.insert("PHONE_URL".to_owned(), "https://ntfy.example.net/hush-5f2c".to_owned());
    let folder = folder();
    write(&folder, "team.yaml", TEAM);
    // Neither what people made nor what files of another label made is deleted.
    operator.client.post("/sites", &json!({"name": "Oslo"})).ok();
    let others = self::folder();
    write(&others, "sites.yaml", "kind: Site\nname: Bergen\n");
    operator.expect(0, &["apply", "--managed-by", "others"], others.path());
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(operator.expect(0, &["plan", "--prune"], folder.path()).stdout, "Nothing to do.\n");

    write(&folder, "team.yaml", "kind: User\nloginName: anna.huber\nfirstName: Anna\n");
    assert_eq!(operator.expect(0, &["plan"], folder.path()).stdout, "Nothing to do.\n");
    let plan = operator.expect(2, &["plan", "--prune"], folder.path()).stdout;
    for line in
        ["- Site \"Rome\"\n", "- Roster \"Network on call\"\n", "- User \"ben.kaya\"\n", "- AlertRoute \"Network\"\n"]
    {
        assert!(plan.contains(line), "{line} is not in\n{plan}");
    }
    assert!(!plan.contains("Oslo") && !plan.contains("Bergen") && !plan.contains("anna.huber\"\n"), "{plan}");
    operator.expect(0, &["apply", "--prune"], folder.path());
    assert_eq!(operator.expect(0, &["plan", "--prune"], folder.path()).stdout, "Nothing to do.\n");
    let names = |path: &str| {
        let page = operator.client.get(path).page();
        page["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let mut sites = names("/sites/search");
    sites.sort();
    assert_eq!(sites, ["Bergen", "Oslo"]);
    assert_eq!(names("/rosters/search"), Vec::<String>::new());
}

/// So many sites, as a file.
pub fn sites(count: usize) -> String {
    (0..count).map(|number| format!("kind: Site\nname: Site {number}\ncity: Rome\n---\n")).collect()
}

fn an_apply_that_was_interrupted_is_run_again(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "operator");
    let folder = folder();
    write(&folder, "sites.yaml", &sites(200));
    let count = || operator.client.get("/sites/search").page()["totalResults"].as_u64().unwrap();
    let mut child =
        operator.command(&["apply"], folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while count() == 0 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(count(), 200);
    operator.expect(0, &["plan"], folder.path());
}

fn two_applies_at_once_are_right_or_refused(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "operator");
    let folder = folder();
    write(&folder, "sites.yaml", &sites(60));
    let spawn =
        || operator.command(&["apply"], folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let both = [spawn(), spawn()];
    for child in both {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || said.contains("was refused"), "{said}");
    }
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(operator.client.get("/sites/search").page()["totalResults"], json!(60));
}
