//! When sessions and links end by themselves.

use muster_tests::{
    Backend, Browser, Server, both_backends,
    browser::{code_of, redeem},
};

use super::{person, text};

both_backends![a_session_that_is_not_used_ends, a_session_ends_however_it_is_used, a_link_is_good_for_ten_minutes];

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// Lets this time pass for all sessions and links: whatever happened was so much earlier, and so will end what ends.
fn pass(server: &mut Server, time: i64) {
    server.stop();
    for (table, columns) in
        [("sessions", &["created_ms", "used_ms", "expires_ms"][..]), ("sign_in_links", &["created_ms", "expires_ms"])]
    {
        let earlier: Vec<String> = columns.iter().map(|column| format!("{column} = {column} - {time}")).collect();
        server.sql(&format!("UPDATE {table} SET {}", earlier.join(", ")));
    }
    server.restart();
}

fn link(server: &Server, user: &str) -> String {
    let admin = server.admin().tenant("client_1");
    text(&admin.post_empty(&format!("/users/{user}/signInLink")).ok()["url"])
}

/// Is this the cookie of a session that somebody still has?
fn lives(server: &Server, cookie: &str) -> bool {
    let answer = server.request("GET", "/api/v2/me").header("Cookie", cookie).send();
    assert!([200, 401].contains(&answer.status), "{answer}");
    answer.status == 200
}

fn a_session_that_is_not_used_ends(backend: Backend) {
    let mut server = Server::start(backend);
    let id = person(&server.admin().tenant("client_1"), "viewer");
    let cookie = Browser::sign_in(&server, &link(&server, &id)).cookie;
    assert!(lives(&server, &cookie));
    pass(&mut server, 12 * HOUR - 5 * MINUTE);
    assert!(lives(&server, &cookie), "after nearly twelve hours");
    // It was used just now: the twelve hours begin anew.
    pass(&mut server, 12 * HOUR - 5 * MINUTE);
    assert!(lives(&server, &cookie), "after nearly twelve hours more");
    pass(&mut server, 12 * HOUR + MINUTE);
    assert!(!lives(&server, &cookie), "after twelve hours");
    let listed = server.admin().tenant("client_1").get(&format!("/users/{id}/sessions")).list();
    assert!(listed.is_empty(), "{listed:?}");
}

fn a_session_ends_however_it_is_used(backend: Backend) {
    let mut server = Server::start(backend);
    let id = person(&server.admin().tenant("client_1"), "viewer");
    let cookie = Browser::sign_in(&server, &link(&server, &id)).cookie;
    for _ in 0..15 {
        pass(&mut server, 11 * HOUR);
        assert!(lives(&server, &cookie), "it is used, and not seven days old");
    }
    pass(&mut server, 2 * HOUR);
    assert!(lives(&server, &cookie), "an hour before seven days are over");
    pass(&mut server, HOUR + MINUTE);
    assert!(!lives(&server, &cookie), "seven days have passed");
}

fn a_link_is_good_for_ten_minutes(backend: Backend) {
    let mut server = Server::start(backend);
    let id = person(&server.admin().tenant("client_1"), "viewer");
    let early = link(&server, &id);
    let late = link(&server, &id);
    pass(&mut server, 9 * MINUTE);
    assert_eq!(redeem(&server, &code_of(&early)).send().status, 303);
    pass(&mut server, 2 * MINUTE);
    redeem(&server, &code_of(&late)).send().problem(401, "invalid_token");
}
