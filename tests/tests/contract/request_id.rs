//! `X-Request-Id` is taken or made, and returned.

use muster_tests::{Server, both_backends, unique};

both_backends![
    an_id_is_made_for_each_request,
    a_given_id_is_returned,
    an_id_that_is_no_id_is_replaced,
    a_read_is_found_in_the_log_by_its_id,
];

fn an_id_is_made_for_each_request(server: &Server) {
    let admin = server.admin();
    let first = admin.get("/resourceType/minimal");
    let second = admin.get("/resourceType/minimal");
    let first = first.header("X-Request-Id");
    let second = second.header("X-Request-Id");
    assert!(first.is_some_and(|id| !id.is_empty()));
    assert_ne!(first, second);
}

fn a_given_id_is_returned(server: &Server) {
    let admin = server.admin();
    for id in ["abc-123", "0b9f8f8e-6b9f-4a53-8a2e-52b0c1d2e3f4", "A_b.c-7"] {
        let fine = admin.request("GET", "/resourceType/minimal").header("X-Request-Id", id).send();
        assert_eq!(fine.header("X-Request-Id"), Some(id), "{fine}");
        let refused = admin.request("GET", "/resources/none").header("X-Request-Id", id).send();
        assert_eq!(refused.not_found()["requestId"], id);
        let unknown_path = admin.request("GET", "/none").header("X-Request-Id", id).send();
        assert_eq!(unknown_path.not_found()["requestId"], id);
        let anonymous = server.anonymous().request("GET", "/resources/minimal").header("X-Request-Id", id).send();
        assert_eq!(anonymous.unauthenticated()["requestId"], id);
    }
}

fn an_id_that_is_no_id_is_replaced(server: &Server) {
    let admin = server.admin();
    let long = "x".repeat(5_000);
    for id in ["", " ", "a b\tc", "<script>alert(1)</script>", long.as_str()] {
        let answer = admin.request("GET", "/resourceType/minimal").header("X-Request-Id", id).send();
        assert_eq!(answer.status, 200, "{answer}");
        let returned = answer.header("X-Request-Id").unwrap_or_default();
        assert!(!returned.is_empty() && returned.len() <= 200, "{returned:?}");
        assert!(!returned.contains(['<', ' ', '\t']), "{returned:?}");
    }
}

fn a_read_is_found_in_the_log_by_its_id(server: &Server) {
    let admin = server.admin();
    let well = unique("read");
    let failed = unique("failed");
    admin.request("GET", "/resourceType/minimal").header("X-Request-Id", &well).send().list();
    admin.request("GET", "/resources/none").header("X-Request-Id", &failed).send().not_found();
    let unnamed = admin.get("/resources/none").header("X-Request-Id").expect("an id").to_owned();
    let quiet = admin.get("/resourceType/minimal").header("X-Request-Id").expect("an id").to_owned();
    let log = server.log();
    for (id, status) in [(&well, 200), (&failed, 404), (&unnamed, 404)] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(id.as_str())).collect();
        assert_eq!(lines.len(), 1, "{id}: {lines:?}");
        assert!(lines[0].contains("answered") && lines[0].contains(&status.to_string()), "{}", lines[0]);
    }
    assert!(!log.contains(&quiet), "reads that went well and that nobody named are not logged");
}
