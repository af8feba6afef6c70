//! Feeds for calendar programs.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use muster_tests::{Client, Response, Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text, user};

both_backends![a_feed_has_the_shifts_of_a_roster, a_feed_has_the_shifts_of_a_user, a_revoked_address_is_unknown];

/// What a calendar program gets, without a token of the service.
pub fn read(server: &Server, address: &Value) -> Response {
    server.get(&text(&address["url"]))
}

#[track_caller]
pub fn calendar(server: &Server, address: &Value) -> String {
    let answer = read(server, address);
    assert_eq!(answer.status, 200, "{answer}");
    assert_eq!(answer.header("Content-Type"), Some("text/calendar; charset=utf-8"));
    let text = answer.text();
    assert!(text.split("\r\n").all(|line| line.len() <= 75), "a line is too long");
    let text = text.replace("\r\n ", "");
    parse(&answer.text());
    text
}

/// Has a real parser read it, where there is one.
fn parse(text: &str) {
    const PROGRAM: &str = "import sys\ntry:\n import icalendar\nexcept ImportError:\n sys.exit(0)\n\
        events = icalendar.Calendar.from_ical(sys.stdin.buffer.read()).walk('VEVENT')\n\
        assert all(e['UID'] and e.decoded('DTEND') > e.decoded('DTSTART') for e in events)";
    let child = Command::new("python3").args(["-c", PROGRAM]).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return };
    if let Some(mut input) = child.stdin.take() {
        // A program without the parser has ended by now.
        let _ = input.write_all(text.as_bytes());
    }
    assert!(child.wait().is_ok_and(|status| status.success()), "icalendar refuses it");
}

pub fn uids(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("UID:")).collect()
}

pub fn sequence(text: &str) -> i64 {
    let line = text.lines().find_map(|line| line.strip_prefix("SEQUENCE:"));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or(-1)
}

fn address(client: &Client, path: &str) -> Value {
    client.post_empty(&format!("{path}/calendars")).ok()
}

fn a_feed_has_the_shifts_of_a_roster(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "Europe/Paris", &[shift("Night, late", daily("22:00:00", "06:00:00"), &ann)]);
    let address = address(&client, &path(&made));
    assert_eq!(text(&address["token"]).len(), 64);
    let first = calendar(server, &address);
    assert!(first.starts_with("BEGIN:VCALENDAR\r\n") && first.ends_with("END:VCALENDAR\r\n"));
    assert!(first.contains("TRANSP:TRANSPARENT") && first.contains("LAST-MODIFIED:2"), "{first:.600}");
    assert!(first.contains("Night\\, late: Ann Lee"), "{first:.600}");
    assert!((455..=458).contains(&uids(&first).len()), "{}", uids(&first).len());
    let again = calendar(server, &address);
    assert_eq!((uids(&first), sequence(&first)), (uids(&again), sequence(&again)));
    client.post(&path(&made), &json!({"description": "other"})).ok();
    let after = calendar(server, &address);
    assert_eq!(uids(&first), uids(&after));
    assert!(sequence(&after) > sequence(&first));
}

fn a_feed_has_the_shifts_of_a_user(server: &Server) {
    let client = server.new_client();
    let (ann, bob) = (user(&client, "Ann"), user(&client, "Bob"));
    create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    create(&client, "GMT", &[shift("Night", daily("20:00:00", "08:00:00"), &bob)]);
    let address = address(&client, &format!("/rosters/users/{ann}"));
    let text = calendar(server, &address);
    assert!(text.contains("Day: Ann Lee") && !text.contains("Night"));
    client.post_empty("/rosters/users/USR9999999999/calendars").not_found();
}

fn a_revoked_address_is_unknown(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let other = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let (first, second) = (address(&client, &path(&made)), address(&client, &path(&made)));
    let listed = client.get(&format!("{}/calendars", path(&made))).list();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|one| one.get("token").is_none() && one.get("url").is_none()), "{listed:?}");
    let one = format!("{}/calendars/{}", path(&made), text(&first["id"]));
    client.delete(&format!("{}/calendars/{}", path(&other), text(&first["id"]))).not_found();
    assert_eq!(client.delete(&one).ok(), json!({}));
    client.delete(&one).not_found();
    read(server, &first).not_found();
    calendar(server, &second);
    // A token opens its own calendar alone.
    let url = text(&second["url"]).replace(&text(&made["id"]), &text(&other["id"]));
    server.get(&url).not_found();
    server.get(&text(&second["url"]).replace(&text(&second["token"]), "x")).not_found();
    client.delete(&path(&made)).ok();
    read(server, &second).not_found();
}
