//! Every operation that people need has a place in the console: its operationId stands in a hand-written module, or in
//! the list of those that people do not need there, with the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::files::sources;

/// Operations of programs, by how their ids begin or what they are, each group with what calls them. They do not count.
const PROGRAMS: [(&str, &[&str]); 8] = [
    ("a browser leaves to sign in", &["showHome", "showSignIn", "startOidc", "finishOidc", "createSession"]),
    ("programs take tokens", &["createToken", "createTenancyToken"]),
    (
        "monitoring reports alerts",
        &["reportAlert", "reportAlerts", "reportAlertmanagerAlerts", "reportInbound", "reportInboundFormat"],
    ),
    (
        "senders of other products report alerts",
        &[
            "sendPagerDutyEvent",
            "sendPagerDutyEventVersion1",
            "sendPagerDutyChangeEvent",
            "createOpsgenieAlert",
            "acknowledgeOpsgenieAlert",
            "closeOpsgenieAlert",
            "updateOpsgenieAlert",
            "actOnOpsgenieAlert",
            "executeOpsgenieAction",
            "listOpsgenieAlerts",
            "countOpsgenieAlerts",
            "getOpsgenieRequest",
            "getOpsgenieAlert",
            "deleteOpsgenieAlert",
            "listOfOpsgenieAlert",
            "removeFromOpsgenieAlert",
        ],
    ),
    ("programs ping their heartbeat", &["pingHeartbeat", "pingHeartbeatByGet"]),
    ("agents report machines", &["reportMachine"]),
    ("runners work on jobs", &["claimJobRuns", "sendJobRunHeartbeat", "appendJobRunLog", "reportJobRunResult"]),
    ("a GET that writes, which sessions may not call", &["runJobByGet"]),
];

/// Operations that people may call and that no screen calls, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("answerAlert", "the page behind the link in a message calls it, without the console"),
    ("openConsole", "the form of the page behind the link in a message calls it"),
    ("showAnswer", "it is the page behind the link in a message"),
    ("listAlertTypes", "words for programs: the console offers the words of the document"),
    ("listAlertTechnologies", "words for programs: the console offers the words of the document"),
    ("listChannels", "a list for programs of partners: the console has the page of clients"),
    ("listNocs", "a list for programs of partners: the console has the page of clients"),
    ("getTenant", "facts for programs: getMe says which tenant it is"),
    ("listMinimalClients", "ids and names for programs: the console reads pages of clients"),
    ("listMinimalUsers", "ids and names for programs: the console reads pages of people"),
    ("signOut", "the form of the page at / calls it; the console ends its session itself"),
    ("readRosterCalendar", "programs with a calendar read the feed"),
    ("readUserCalendar", "programs with a calendar read the feed"),
    ("readMaintenanceCalendar", "programs with a calendar read the feed"),
    ("getRosterHourCategories", "set once for a tenant, beside payroll"),
    ("setRosterHourCategories", "set once for a tenant, beside payroll"),
];

#[test]
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn every_operation_that_people_need_has_a_place() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/openapi.json");
    let document: Value = serde_json::from_str(&fs::read_to_string(document).unwrap()).unwrap();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let own = operations.filter(|one| one.get("x-same-as").is_none());
    let all: BTreeSet<&str> = own.filter_map(|one| one["operationId"].as_str()).collect();
    let programs: BTreeSet<&str> = PROGRAMS.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    let excepted = EXCEPTIONS.iter().map(|(id, _)| *id);
    let unknown: Vec<&str> = programs.iter().copied().chain(excepted).filter(|id| !all.contains(id)).collect();
    assert_eq!(unknown, Vec::<&str>::new(), "the document has no such operations");
    let modules = sources();
    let called = |id: &str| modules.iter().any(|(_, source)| source.contains(&format!("\"{id}\"")));
    let needed: Vec<&str> = all.iter().copied().filter(|id| !programs.contains(id)).collect();
    let (covered, missing): (Vec<&str>, Vec<&str>) = needed.iter().copied().partition(|id| called(id));
    let without: Vec<_> = missing.iter().filter(|id| !EXCEPTIONS.iter().any(|(excepted, _)| excepted == *id)).collect();
    println!("{} of {} operations that people need have a place in the console", covered.len(), needed.len());
    assert_eq!(without, Vec::<&&str>::new(), "these have no place and no reason");
    let stale: Vec<_> = EXCEPTIONS.iter().filter(|(id, _)| called(id)).collect();
    assert_eq!(stale, Vec::<&(&str, &str)>::new(), "these have a place");
    assert!(EXCEPTIONS.iter().all(|(_, reason)| reason.len() > 15), "a reason is a sentence");
    assert!(covered.len() >= 250, "{} of {}", covered.len(), needed.len());
}
