//! `X-Request-Id` is taken or made, and returned.

use muster_tests::{Server, both_backends};

both_backends![an_id_is_made_for_each_request, a_given_id_is_returned, an_id_that_is_no_id_is_replaced,];

fn an_id_is_made_for_each_request(server: &Server) {
    let admin = server.admin();
    let (first, second) = (admin.get("/resourceType/minimal"), admin.get("/resourceType/minimal"));
    let (first, second) = (first.header("X-Request-Id"), second.header("X-Request-Id"));
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
