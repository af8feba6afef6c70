//! Files of desired state that change what there is: a plan says all that an apply does, and then nothing is left.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    configuration::{files, folder, sites, write},
    operator::Operator,
};

both_backends![
    what_is_left_out_within_a_field_is_shown_and_taken_away,
    what_is_left_out_is_taken_away_also_where_an_update_merges,
    what_is_not_a_device_keeps_its_type_and_credentials_stay_outside,
    a_former_name_is_given_to_another_object,
    what_the_service_writes_otherwise_is_no_difference,
    a_contact_method_that_leads_elsewhere_stays_verified,
    what_somebody_else_changed_since_the_plan_is_not_overwritten,
    credentials_that_cannot_be_kept_are_not_made,
    what_is_switched_off_is_off_where_its_file_is_applied,
    what_is_pruned_is_compared_before,
    a_reference_to_an_object_of_the_partner_is_kept,
];

/// Applies a text and holds the plan before it against these lines; afterwards nothing is left.
#[track_caller]
fn apply(operator: &Operator, text: &str, lines: &[&str]) {
    let folder = folder();
    write(&folder, "all.yaml", text);
    let plan = operator.expect(2, &["plan"], folder.path()).stdout;
    for line in lines {
        assert!(plan.contains(line), "{line} is not in\n{plan}");
    }
    operator.expect(0, &["apply"], folder.path());
    assert_eq!(operator.expect(0, &["plan"], folder.path()).stdout, "Nothing to do.\n");
}

/// The one object that a search finds.
fn only(operator: &Operator, path: &str) -> Value {
    let page = operator.client.get(path).page();
    assert_eq!(page["totalResults"], json!(1), "{page}");
    page["results"][0].clone()
}

const NESTED: &str = "kind: User
loginName: anna.huber
---
kind: Roster
name: Network on call
description: \"\"
timeZone: {name: GMT}
shiftDetails:
- name: Days
  level: secondary
  schedule:
    type: recurring
    startDate: 2026-11-20T00:00:00+0000
    startTime: \"08:00:00\"
    endTime: \"20:00:00\"
    pattern: {type: daily, repeatFrequency: 1}
    endPattern: {type: NEVER}
  users: [{loginName: anna.huber}]
---
kind: JobScript
name: Clean
content: echo clean
---
kind: Job
name: Weekly
schedule: {startDate: 2030-12-01T00:00:00+0000, pattern: {type: weekly, weekDays: Monday, repeatFrequency: 2}}
script: {customScript: {name: Clean}, parameters: {target: prod}, userType: 1}
";

fn what_is_left_out_within_a_field_is_shown_and_taken_away(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    apply(&operator, NESTED, &["+ Roster \"Network on call\"\n"]);
    let shift = || only(&operator, "/rosters/search")["shiftDetails"][0].clone();
    let before = shift();
    let text = NESTED
        .replace("  level: secondary\n", "")
        .replace("\"20:00:00\"", "\"18:00:00\"")
        .replace("weekDays: Monday, repeatFrequency: 2", "weekDays: Friday")
        .replace(" parameters: {target: prod},", "");
    let lines = [
        "    shiftDetails[0].schedule.endTime: \"20:00:00\" -> \"18:00:00\"\n",
        "    shiftDetails[0].level: \"secondary\" -> \"primary\"\n",
        "    schedule.pattern.weekDays: \"Monday\" -> \"Friday\"\n",
        "    schedule.pattern.repeatFrequency: 2 -> (none)\n",
        "    script.parameters: {\"target\":\"prod\"} -> (none)\n",
    ];
    apply(&operator, &text, &lines);
    // It is the same shift, to which overrides and exchanges go on to belong.
    let after = shift();
    assert_eq!((&after["id"], &after["schedule"]["endTime"]), (&before["id"], &json!("18:00:00")));
    assert!(["primary", ""].contains(&after["level"].as_str().unwrap_or_default()), "{after}");
    let job = only(&operator, "/jobs/search");
    assert_eq!(job["schedule"]["pattern"], json!({"type": "weekly", "weekDays": "Friday"}));
    assert_eq!(job["script"].get("parameters"), None);
}

const MERGED: &str = "kind: Integration
displayName: Hook
baseNotifier: {baseURI: https://example.net/x, authType: BASIC, userName: u, password: {fromEnv: PASSWORD}}
---
kind: IntegrationEvent
integration: {displayName: Hook}
name: First
entity: ALERT
eventType: NONE
filterCriteria: {matchType: ANY, rules: [{key: currentState, operator: Equals, value: Critical}]}
notifier: {baseURI: https://example.net/y, authType: BASIC, userName: u, password: {fromEnv: PASSWORD}}
---
kind: IntegrationEvent
integration: {displayName: Hook}
name: Second
entity: ALERT
eventType: NONE
filterCriteria: {matchType: ANY, rules: [{key: currentState, operator: Equals, value: Critical}]}
notifier: {baseURI: https://example.net/y, authType: BASIC, userName: u, password: {fromEnv: PASSWORD}}
---
kind: User
loginName: anna.huber
---
kind: ContactMethod
user: {loginName: anna.huber}
name: Phone
type: HTTP
url: {fromEnv: PHONE_URL}
userName: u
password: {fromEnv: PASSWORD}
---
kind: Site
name: Rome
---
kind: Resource
name: web
location: {name: Rome}
launchDate: 2026-01-01T00:00:00+0000
";

fn what_is_left_out_is_taken_away_also_where_an_update_merges(server: &Server) {
    let mut operator = Operator::new(server.new_client(), server, "admin");
    operator.environment = BTreeMap::from([
        ("PASSWORD".to_owned(), "hush-5f2c".to_owned()),
        ("PHONE_URL".to_owned(), "https://ntfy.example.net/hush-5f2c".to_owned()),
    ]);
    apply(&operator, MERGED, &["+ Integration \"Hook\"\n"]);
    let criteria =
        "filterCriteria: {matchType: ANY, rules: [{key: currentState, operator: Equals, value: Critical}]}\n";
    let basic = ", authType: BASIC, userName: u, password: {fromEnv: PASSWORD}";
    let text = MERGED
        .replacen(&format!("{criteria}notifier: {{baseURI: https://example.net/y{basic}}}\n"), "", 1)
        .replace("{matchType: ANY, ", "{")
        .replace(basic, "")
        .replace("userName: u\npassword: {fromEnv: PASSWORD}\n", "");
    let lines = [
        "    baseNotifier.authType: \"BASIC\" -> \"NONE\"\n    baseNotifier.userName: \"u\" -> (none)\n",
        "    useBaseNotifier: false -> true\n",
        "    filterCriteria.matchType: \"ANY\" -> \"ALL\"\n",
        "    notifier.userName: \"u\" -> (none)\n",
        "~ ContactMethod \"anna.huber / Phone\"\n    userName: \"u\" -> (none)\n",
    ];
    apply(&operator, &text, &lines);

    // What no update takes away is refused before anything is sent.
    let folder = folder();
    let text = text.replace("baseNotifier: {baseURI: https://example.net/x}\n", "");
    write(&folder, "all.yaml", &text);
    let refused = operator.expect(1, &["apply"], folder.path()).stderr;
    let line = "all.yaml:1: baseNotifier: is left out, and Integration \"Hook\" has it: no update takes it away\n";
    assert!(refused.ends_with(line), "{refused}");
}

fn what_is_not_a_device_keeps_its_type_and_credentials_stay_outside(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    apply(&operator, "kind: Resource\nname: vol-1\ntype: EBS\n", &["+ Resource \"vol-1\"\n"]);
    assert_eq!(only(&operator, "/resources/search")["resourceType"], json!("EBS"));
    let folder = folder();
    let text = "kind: Resource\nname: shop\ntype: SYNTHETIC\ncredential: {password: {fromEnv: X}}\n";
    write(&folder, "all.yaml", text);
    let refused = operator.expect(1, &["plan"], folder.path()).stderr;
    assert!(refused.contains("all.yaml:4: credential: is not a field of Resource"), "{refused}");
}

fn a_former_name_is_given_to_another_object(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    let team = "kind: User\nloginName: anna.huber\n---\nkind: UserGroup\nname: Ops\n---\n\
                kind: Owner\ndefault: true\nuserGroup: {name: Ops}\n";
    apply(&operator, team, &["+ UserGroup \"Ops\"\n"]);
    let group = |name: &str| only(&operator, &format!("/userGroups/search?queryString=name:{name}%2BisEquals:true"));
    let id = group("Ops")["uniqueId"].clone();
    // The new object of the former name stands before the one that had it, and has references already.
    let text = "kind: UserGroup\nname: Ops\nusers: [{loginName: anna.huber}]\n---\n\
                kind: UserGroup\nname: Network / Ops\npreviousName: Ops\n---\n\
                kind: Owner\ndefault: true\nuserGroup: {name: Network / Ops}\n---\n\
                kind: User\nloginName: anna.huber\n---\nkind: Site\nname: Rome\n---\n\
                kind: Owner\nsite: {name: Rome}\nuserGroup: {name: Ops}\n";
    let lines = ["> UserGroup \"Ops\" -> \"Network / Ops\"\n", "+ UserGroup \"Ops\"\n", "+ Owner \"Rome\"\n"];
    let renamed = folder();
    write(&renamed, "all.yaml", text);
    let plan = operator.expect(2, &["plan"], renamed.path()).stdout;
    assert!(!plan.contains("~ "), "{plan}");
    apply(&operator, text, &lines);
    let page = operator.client.get("/userGroups/search").page();
    let found = page["results"].as_array().unwrap().iter().find(|group| group["name"] == json!("Network / Ops"));
    assert_eq!(found.map(|group| &group["uniqueId"]), Some(&id), "{page}");
}

const SPELLINGS: &str = "kind: User
loginName: anna.huber
---
kind: UserGroup
name: Ops
---
kind: Resource
name: web
appRoles: [{name: nginx}, {name: haproxy}]
---
kind: HolidayCalendar
name: Berlin
days: [{date: 2026-12-26}, {date: 2026-12-25, name: Christmas Day}]
---
kind: Roster
name: Network on call
description: \"\"
timeZone: {name: GMT}
conflictsTo: [{userGroup: {name: Ops}}, {user: {loginName: anna.huber}}]
shiftDetails:
- name: Days
  level: primary
  schedule:
    type: recurring
    startDate: 2026-11-20T00:00:00Z
    startTime: \"08:00:00\"
    endTime: \"20:00:00\"
    pattern: {type: weekly, repeatFrequency: 1, weekDays: \"Friday, Monday\"}
    endPattern: {type: NEVER}
  users: [{loginName: anna.huber}]
---
kind: EscalationPolicy
name: Network
ackTimeout: 120m
steps: [{targets: [{owner: true}], wait: 300s}]
---
kind: ContactMethod
user: {loginName: anna.huber}
name: Mail
type: EMAIL
address: anna.huber@example.net
---
kind: NotificationRule
user: {loginName: anna.huber}
urgency: high
steps: [{contactMethod: {name: mail}}]
---
kind: MaintenanceWindow
name: Monthly
devices: [{name: web}]
schedule:
  type: Recurring
  startTime: 2030-12-01T02:00:00+0100
  endTime: 2030-12-01T04:00:00+0100
  timezone: Europe/Berlin
  endBy: NEVER
  pattern: {type: monthly, dayOfMonth: \"15, 1\"}
---
kind: JobScript
name: Clean
content: echo clean
platforms: [windows, linux]
---
kind: Job
name: Nightly
schedule: {startDate: 2030-12-01T00:00:00Z, cron: \"0  3 * *  *\"}
script: {customScript: {name: Clean}}
labels: [b, a]
---
kind: Job
name: Weekly
schedule:
  startDate: 2030-12-01T00:00:00Z
  pattern: {type: weekly, weekDays: \"Friday,Monday\", frequency: recurrence, repeatFrequency: 2}
script: {customScript: {name: Clean}}
---
kind: KbCategory
name: Network
---
kind: KbArticle
title: Replace a switch
content: Carefully.
category: {path: Network}
state: DRAFT
";

fn what_the_service_writes_otherwise_is_no_difference(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    apply(&operator, SPELLINGS, &["+ KbArticle \"Network >> Replace a switch\"\n"]);
}

const MAIL: &str = "kind: User
loginName: anna.huber
---
kind: ContactMethod
user: {loginName: anna.huber}
name: Mail
type: EMAIL
address: anna@example.net
verified: true
";

fn a_contact_method_that_leads_elsewhere_stays_verified(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    apply(&operator, MAIL, &["+ ContactMethod \"anna.huber / Mail\"\n"]);
    let change = "    address: \"anna@example.net\" -> \"huber@example.net\"\n";
    apply(&operator, &MAIL.replace("anna@", "huber@"), &[change]);
}

const OWNED: &str = "kind: UserGroup
name: Web
---
kind: UserGroup
name: Night
---
kind: UserGroup
name: Third
---
kind: Resource
name: web-01
type: DEVICE
resourceType: Linux
---
kind: Owner
resource: {name: web-01}
userGroup: {name: Web}
---
";

fn what_somebody_else_changed_since_the_plan_is_not_overwritten(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    apply(&operator, OWNED, &["+ Owner \"web-01\"\n"]);
    let resource = only(&operator, "/resources/search")["id"].clone();
    let group = operator.client.search("/userGroups/search", "name:Night").page()["results"][0]["uniqueId"].clone();
    let of_resource = format!("/resources/{}", resource.as_str().unwrap());
    let owner = json!({"resource": {"id": resource}, "userGroup": {"uniqueId": group}});
    // The sites come first, and keep the apply busy.
    let cases = [
        (
            OWNED.replace("resourceType: Linux", "resourceType: Linux\naliasName: one"),
            (of_resource.as_str(), json!({"aliasName": "two"})),
            "~ Resource \"web-01\"",
        ),
        (
            OWNED
                .replace("userGroup: {name: Web}", "userGroup: {name: Third}")
                .replace("resourceType: Linux", "resourceType: Linux\naliasName: two"),
            ("/owners", owner),
            "~ Owner \"web-01\"",
        ),
    ];
    for (number, (text, (path, change), title)) in cases.into_iter().enumerate() {
        let folder = folder();
        write(&folder, "all.yaml", &text);
        write(&folder, "sites.yaml", &sites(60).replace("Site ", &format!("Site {number}-")));
        let mut command = operator.command(&["apply"], folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("+ Site"));
        operator.client.post(path, &change).ok();
        assert!(lines.all(|line| line.unwrap().starts_with("+ Site")));
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = format!("{title} was refused: somebody changed it since the plan was made");
        assert!(!output.status.success() && said.contains(&expected), "{said}");
    }
}

fn credentials_that_cannot_be_kept_are_not_made(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    let folder = folder();
    write(&folder, "all.yaml", "kind: Heartbeat\nname: Backup\ninterval: 1d\n");
    let refused = operator.expect(1, &["apply", "--credentials", "/nonexistent/file"], folder.path());
    assert!(refused.stderr.contains("--credentials: /nonexistent/file cannot be written"), "{}", refused.stderr);
    assert_eq!(operator.client.get("/heartbeats/search").page()["totalResults"], json!(0));
    let file = folder.path().join("kept.txt");
    operator.expect(0, &["apply", "--credentials", file.to_str().unwrap()], folder.path());
    assert!(std::fs::read_to_string(file).unwrap().contains("\"name\":\"Backup\",\"url\":\"http"));
}

const SWITCHED: &str = "kind: Integration
displayName: Hook
enabled: false
baseNotifier: {baseURI: https://example.net/x}
---
kind: IntegrationEvent
integration: {displayName: Hook}
name: First
entity: ALERT
eventType: NONE
active: false
";

fn what_is_switched_off_is_off_where_its_file_is_applied(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    apply(&operator, SWITCHED, &["+ Integration \"Hook\"\n", "+ IntegrationEvent \"Hook / First\"\n"]);
    let shown = || only(&operator, "/integrations/installed/search")["status"].clone();
    assert_eq!(shown(), json!("DISABLED"));
    let exported = folder();
    operator.expect(0, &["export"], exported.path());
    let texts: String = files(exported.path()).into_values().collect();
    assert!(texts.contains("enabled: false\n") && texts.contains("active: false\n"), "{texts}");
    let on = SWITCHED.replace("enabled: false\n", "").replace("active: false\n", "");
    apply(&operator, &on, &["    enabled: false -> true\n", "    active: false -> true\n"]);
    assert_eq!(shown(), json!("ENABLED"));
    apply(&operator, SWITCHED, &["    enabled: true -> false\n"]);

    // What a file cannot say is told.
    let group = operator.client.post("/deviceGroups", &json!({"name": "Racks"})).ok()["id"].to_string();
    let resource = operator.client.post("/resources", &json!({"hostName": "web-01", "type": "DEVICE"})).ok();
    let member = json!([{"id": resource["resourceUUID"]}]);
    operator.client.post(&format!("/deviceGroups/{group}/childs"), &member).ok();
    let told = operator.expect(0, &["export"], exported.path()).stderr;
    assert!(told.contains("DeviceGroup \"Racks\": not in its file: what is a member by hand (1)"), "{told}");
}

fn what_is_pruned_is_compared_before(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    let folder = folder();
    let (site, rest) = (
        "kind: Site\nname: Oslo\n",
        "---\nkind: KbCategory\nname: A\n---\nkind: KbArticle\ntitle: T\ncontent: x\ncategory: {path: A}\n---\n\
         kind: User\nloginName: anna.huber\n---\nkind: ContactMethod\nuser: {loginName: anna.huber}\nname: Mail\n\
         type: EMAIL\naddress: anna@example.net\n---\nkind: NotificationRule\nuser: {loginName: anna.huber}\n\
         urgency: high\nsteps: [{contactMethod: {name: Mail}}]\n",
    );
    write(&folder, "all.yaml", &format!("{site}{rest}"));
    operator.expect(0, &["apply"], folder.path());
    write(&folder, "all.yaml", site);
    let done = operator.expect(0, &["apply", "--prune"], folder.path()).stdout;
    assert!(done.contains("- KbArticle \"A >> T\"\n"), "{done}");
    assert!(done.contains("- NotificationRule \"anna.huber / high\"\n"), "{done}");
    assert_eq!(operator.expect(0, &["plan", "--prune"], folder.path()).stdout, "Nothing to do.\n");
}

fn a_reference_to_an_object_of_the_partner_is_kept(server: &Server) {
    let operator = Operator::new(server.new_client(), server, "admin");
    let name = unique("Ops");
    let group = |client: &Client| client.post("/userGroups", &json!({"name": name})).ok()["uniqueId"].clone();
    let partners = group(&server.admin());
    group(&operator.client);
    let folder = folder();
    let text = NESTED.replace("  users: [{loginName: anna.huber}]\n", "  userGroups: [GROUP]\n");
    write(&folder, "all.yaml", &text.replace("GROUP", &format!("{{id: {}}}", partners.as_str().unwrap())));
    operator.expect(0, &["apply"], folder.path());
    // An edit of something else leaves who is on call.
    let exported = self::folder();
    operator.expect(0, &["export"], exported.path());
    assert_eq!(operator.expect(0, &["plan"], exported.path()).stdout, "Nothing to do.\n");
    let roster = std::fs::read_to_string(exported.path().join("rosters/network-on-call.yaml")).unwrap();
    write(&exported, "rosters/network-on-call.yaml", &roster.replace("08:00:00", "09:00:00"));
    operator.expect(0, &["apply"], exported.path());
    let shown = || only(&operator, "/rosters/search")["shiftDetails"][0]["userGroups"][0]["uniqueId"].clone();
    assert_eq!(shown(), partners);
    // The name is that of the group of the client.
    write(&folder, "all.yaml", &text.replace("GROUP", &format!("{{name: {name}}}")));
    operator.expect(2, &["plan"], folder.path());
}
