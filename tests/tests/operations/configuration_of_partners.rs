//! Files of desired state of a partner and of its clients.

use std::fs;

use muster_tests::{Backend, Server, both_backends};

use super::{
    configuration::{TEAM, folder, write},
    operator::Operator,
};

both_backends![a_partner_and_its_clients_have_files_of_their_own];

/// Kinds whose rows do not say whose they are.
const OTHERS: &str = "---
kind: Integration
displayName: Chat
baseNotifier: {baseURI: \"https://chat.example.net\", authType: NONE}
---
kind: IntegrationEvent
integration: {displayName: Chat}
name: Opened
entity: MaintenanceWindow
eventType: OPENED
useBaseNotifier: true
endPointURI: /alerts
---
kind: Owner
default: true
userGroup: {name: Network operations}
---
kind: Heartbeat
name: Backup
interval: 1h
---
kind: InboundAddress
name: Monitoring
---
kind: JobScript
name: Clean
content: echo clean
---
kind: Job
name: Clean up
schedule: {startDate: 2030-01-01T20:00:00Z, pattern: {type: run once}}
script: {customScript: {name: Clean}}
";

fn a_partner_and_its_clients_have_files_of_their_own(backend: Backend) {
    let server = Server::start(backend);
    let mut partner = Operator::new(server.admin(), &server, "admin");
    let mut client = Operator::new(server.new_client(), &server, "admin");
    let folders = [folder(), folder()];
    let all = format!("{TEAM}{OTHERS}").replace("Anna.Huber", "anna.huber");
    for (operator, folder, login) in
        [(&mut partner, &folders[0], "pat.olsen"), (&mut client, &folders[1], "anna.huber")]
    {
        write(folder, "team.yaml", &all.replace("anna.huber", login).replace("ben.kaya", &format!("ben.{login}")));
        operator.environment.insert("PHONE_URL".to_owned(), "https://ntfy.example.net/hush-5f2c".to_owned());
        operator.expect(0, &["apply"], folder.path());
    }
    // Of two objects of one name, either tenant has one.
    for (operator, applied) in [(&partner, &folders[0]), (&client, &folders[1])] {
        assert_eq!(operator.expect(0, &["plan"], applied.path()).stdout, "Nothing to do.\n");
        let exported = folder();
        let exit = operator.expect(0, &["export"], exported.path());
        assert!(!exit.stderr.contains("left out"), "{}", exit.stderr);
        for kind in ["rosters", "integrations", "escalation-policies", "owners", "heartbeats", "job-scripts", "jobs"] {
            assert!(exported.path().join(kind).is_dir(), "{kind}");
        }
        assert_eq!(operator.expect(0, &["plan"], exported.path()).stdout, "Nothing to do.\n");
    }
    // What one of them changes is nothing to the other.
    let changed =
        fs::read_to_string(folders[0].path().join("team.yaml")).unwrap().replace("interval: 1h", "interval: 2h");
    write(&folders[0], "team.yaml", &changed);
    let plan = partner.expect(0, &["apply"], folders[0].path()).stdout;
    assert!(plan.contains("~ Heartbeat \"Backup\""), "{plan}");
    assert_eq!(client.expect(0, &["plan"], folders[1].path()).stdout, "Nothing to do.\n");
}
