//! `muster import`: the same rows from files.

use std::path::PathBuf;

use muster_tests::{Backend, Client, Exit, Server, both_backends, muster};
use serde_json::json;

use crate::inventory::{detail, found, names, text};

both_backends![
    rows_and_reports_come_in_together,
    instances_of_aws_become_resources,
    refused_rows_are_reported,
    files_that_cannot_be_read_stop_no_others,
];

fn import(server: &Server, files: &[PathBuf]) -> Exit {
    let mut command = muster();
    command.args(["import", "--tenant", "client_1", "--data-dir"]).arg(server.data_dir());
    if let Some(url) = server.database_url() {
        command.args(["--database-url", url]);
    }
    Exit::of(command.args(files))
}

fn file(server: &Server, name: &str, content: &str) -> PathBuf {
    let path = server.data_dir().join(name);
    std::fs::write(&path, content).expect("a file");
    path
}

fn client(server: &Server) -> Client {
    server.admin().tenant("client_1")
}

fn rows_and_reports_come_in_together(backend: Backend) {
    let server = Server::start(backend);
    let report = json!({
        "action": "inventory", "deviceid": "d", "itemtype": "Computer",
        "content": {"hardware": {"name": "reported"}, "networks": [
            {"description": "eth0", "type": "ethernet", "status": "up", "mac": "68:b5:99:00:00:01"},
        ]},
    });
    let files = [
        file(&server, "a.csv", "\u{FEFF}hostName,tags.env\nfrom-table,prod\n"),
        file(&server, "b.ndjson", "{\"hostName\":\"from-lines\"}\n{\"hostName\":\"from-lines-2\"}\n"),
        file(&server, "c.json", "{\"hostName\": \"from-json\"}\n"),
        file(&server, "d", "name,make\nfrom-nowhere,HP\n"),
        file(&server, "e.json", &report.to_string()),
    ];
    let exit = import(&server, &files);
    assert!(exit.status.success(), "{}", exit.stderr);
    assert_eq!(exit.stdout.trim(), "6 created, 0 updated, 0 unchanged, 0 refused");
    let listed = names(&client(&server).get("/resources/minimal").list());
    assert_eq!(listed, ["from-json", "from-lines", "from-lines-2", "from-nowhere", "from-table", "reported"]);
    assert_eq!(import(&server, &files).stdout.trim(), "0 created, 0 updated, 6 unchanged, 0 refused");
    let audit = client(&server).get("/auditLog/search?pageSize=100").ok();
    let by: Vec<String> = audit["results"].as_array().into_iter().flatten().map(ToString::to_string).collect();
    assert!(by.iter().filter(|entry| entry.contains("muster import")).count() >= 6, "{audit}");
}

const INSTANCES: &str = r#"{
    "Reservations": [
        {
            "Groups": [], "OwnerId": "123456789012", "ReservationId": "r-1",
            "Instances": [
                {
                    "AmiLaunchIndex": 0, "ImageId": "ami-1", "InstanceId": "i-1", "InstanceType": "m5.large",
                    "LaunchTime": "2026-01-02T03:04:05+00:00", "Monitoring": {"State": "disabled"},
                    "Placement": {"AvailabilityZone": "eu-west-1a", "GroupName": "", "Tenancy": "default"},
                    "PrivateDnsName": "ip-10-0-0-1.eu-west-1.compute.internal", "PrivateIpAddress": "10.0.0.1",
                    "PublicDnsName": "", "PublicIpAddress": "203.0.113.9", "State": {"Code": 16, "Name": "running"},
                    "Architecture": "x86_64", "PlatformDetails": "Linux/UNIX",
                    "Tags": [{"Key": "Name", "Value": "web"}, {"Key": "env", "Value": "prod"}]
                },
                {"InstanceId": "i-2", "LaunchTime": "2026-01-02T03:04:05.000Z",
                 "State": {"Code": 80, "Name": "stopped"}, "PrivateDnsName": "", "PlatformDetails": "Windows"}
            ]
        }
    ]
}"#;

fn instances_of_aws_become_resources(backend: Backend) {
    let server = Server::start(backend);
    let printed = file(&server, "instances.json", INSTANCES);
    let exit = import(&server, std::slice::from_ref(&printed));
    assert!(exit.status.success(), "{}", exit.stderr);
    assert_eq!(exit.stdout.trim(), "2 created, 0 updated, 0 unchanged, 0 refused");
    let client = client(&server);
    let listed = client.search("/resources/minimal", "instanceId:i-1").list();
    let web = detail(&client, &text(&listed[0]["id"]));
    let properties = json!({
        "provider": "AWS", "instanceId": "i-1", "instanceState": "running", "instanceType": "m5.large",
        "publicIp": "203.0.113.9", "ami": "ami-1", "owner": "123456789012",
        "privateDns": "ip-10-0-0-1.eu-west-1.compute.internal", "privateIp": "10.0.0.1", "zone": "eu-west-1a",
        "monitoringState": "disabled", "accountNumber": "123456789012", "region": "eu-west-1",
        "launchDate": "2026-01-02T03:04:05+0000",
    });
    assert_eq!(web["properties"], properties);
    assert_eq!((&web["generalInfo"]["name"], &web["ipAddress"]), (&json!("web"), &json!("10.0.0.1")));
    assert_eq!(
        (&web["generalInfo"]["osName"], &web["generalInfo"]["resourceType"]),
        (&json!("Linux/UNIX"), &json!("Linux"))
    );
    assert_eq!(found(&client, "tags:env"), ["web"]);
    assert_eq!(found(&client, "accountNumber:123456789012"), ["i-2", "web"]);
    let stopped = file(&server, "instances.json", &INSTANCES.replace("\"running\"", "\"stopped\""));
    assert_eq!(import(&server, &[stopped]).stdout.trim(), "0 created, 1 updated, 1 unchanged, 0 refused");
    let none = import(&server, &[file(&server, "none.json", "{\"Reservations\": {}}")]);
    assert!(!none.status.success() && none.stdout.contains("1 refused"), "{}", none.stdout);
}

fn files_that_cannot_be_read_stop_no_others(backend: Backend) {
    let server = Server::start(backend);
    let packed = server.data_dir().join("packed.ndjson.gz");
    std::fs::write(&packed, b"\x1F\x8B\x08\0\0\0\0\0\0\x03").expect("a file");
    let good = file(&server, "good.ndjson", "{\"hostName\":\"good\"}\n");
    let files = [server.data_dir().join("missing"), server.data_dir(), packed, good];
    let exit = import(&server, &files);
    assert!(!exit.status.success());
    assert_eq!(exit.stdout.trim(), "1 created, 0 updated, 0 unchanged, 3 refused");
    for said in ["missing", "No such file", "is compressed with gzip", "3 of 4 files were refused"] {
        assert!(exit.stderr.contains(said), "{said}: {}", exit.stderr);
    }
    assert_eq!(found(&client(&server), "state:all"), ["good"]);
}

fn refused_rows_are_reported(backend: Backend) {
    let server = Server::start(backend);
    let exit = import(&server, &[file(&server, "a.csv", "name,state\nright,active\nwrong,odd\nshort\n")]);
    assert!(!exit.status.success());
    assert_eq!(exit.stdout.trim(), "1 created, 0 updated, 0 unchanged, 2 refused");
    assert!(exit.stderr.contains("line 3: state: must be one of"), "{}", exit.stderr);
    assert!(exit.stderr.contains("line 4: row: has 1 cells, the header has 2"), "{}", exit.stderr);
    assert_eq!(found(&client(&server), "state:all"), ["right"]);
}
