//! Feeds for calendar programs.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    time::Duration,
};

use muster_tests::{Backend, Client, Response, Server, both_backends, python, receiver::wait_for, unique};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text, user};
use crate::integrations::times::soon;

both_backends![
    a_feed_has_the_shifts_of_a_roster,
    a_feed_has_the_shifts_of_a_user,
    a_feed_of_a_partner_has_the_shifts_in_all_clients,
    a_feed_stays_the_same_until_something_changes,
    a_feed_without_events_is_valid,
    a_revoked_address_is_unknown,
    an_address_ends_with_its_maker,
    an_address_ends_after_366_days,
    an_admin_finds_all_addresses,
];

/// What a calendar program gets, without a token of the service.
pub fn read(server: &Server, address: &Value) -> Response {
    server.get(&path_of(address))
}

/// The path of an address, which begins with that of the service; after a restart it has another port.
#[track_caller]
pub fn path_of(address: &Value) -> String {
    let url = text(&address["url"]);
    let path = url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.find('/').map(|at| rest[at..].to_owned()));
    path.unwrap_or_else(|| panic!("{url} is not an address of the service"))
}

/// A feed, again and again: the same bytes, a tag that is known, and slashes and parameters that mean nothing.
#[track_caller]
pub fn check_same(server: &Server, address: &Value) {
    let path = path_of(address);
    let first = read(server, address);
    assert_eq!(text(&address["url"]), format!("{}{path}", server.base()));
    let tag = first.header("ETag").unwrap_or_default().to_owned();
    assert!(tag.len() > 10 && tag.starts_with('"'), "{first}");
    let asked = |known: &str| server.request("GET", &path).header("If-None-Match", known).send();
    for known in [&*tag, &format!("W/{tag}"), &format!("\"x\", {tag}"), "*"] {
        let same = asked(known);
        assert_eq!((same.status, same.header("ETag"), same.text().len()), (304, Some(&*tag), 0), "{known}");
    }
    assert_eq!(asked("\"x\"").text(), first.text());
    let (bare, query) = path.split_once('?').unwrap_or_default();
    for other in [
        format!("{bare}/?{query}"),
        format!("{bare}//?{query}"),
        format!("{path}&utm_source=mail"),
        format!("{bare}?a&{query}&b=%ZZ"),
        format!("{path}&"),
    ] {
        let answer = server.get(&other);
        assert_eq!((answer.status, answer.header("ETag")), (200, Some(&*tag)), "{other}");
    }
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

/// Has a parser that others use read it, and count what it found.
fn parse(text: &str) {
    const PROGRAM: &str = "import sys, icalendar
events = icalendar.Calendar.from_ical(sys.stdin.buffer.read()).walk('VEVENT')
for event in events:
    assert event['UID'] and event.decoded('DTEND') > event.decoded('DTSTART'), event
    assert event['TRANSP'] == 'TRANSPARENT' and int(event['SEQUENCE']) >= 0 and event.decoded('LAST-MODIFIED'), event
print(len(events))";
    let Some(python) = python() else { return };
    let mut command = Command::new(python);
    command.args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "icalendar refuses it");
    let events = text.matches("BEGIN:VEVENT").count();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), events.to_string(), "{text}");
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
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    create(&client, "GMT", &[shift("Night", daily("20:00:00", "08:00:00"), &bob)]);
    let address = address(&client, &format!("/rosters/users/{ann}"));
    let text = calendar(server, &address);
    assert!(text.contains("Day: Ann Lee") && !text.contains("Night"));
    client.post_empty("/rosters/users/USR9999999999/calendars").not_found();
}

fn a_feed_stays_the_same_until_something_changes(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let always = create(&client, "GMT", &[shift("Always", daily("00:00:00", "00:00:00"), &ann)]);
    let paris = create(&client, "Europe/Paris", &[shift("Nights", daily("22:00:00", "06:00:00"), &ann)]);
    let of_user = address(&client, &format!("/rosters/users/{ann}"));
    let addresses = [address(&client, &path(&always)), address(&client, &path(&paris)), of_user];
    let first = addresses.each_ref().map(|one| calendar(server, one));
    // What has no end does not end a little later at each look.
    assert!(
        first[0].contains("DTSTART:20260101T000000Z\r\nDTEND:20260102T000000Z\r\nRRULE:FREQ=DAILY\r\n"),
        "{}",
        first[0]
    );
    assert_eq!(uids(&first[0]).len(), 1);
    std::thread::sleep(Duration::from_millis(1_100));
    for (address, text) in addresses.iter().zip(&first) {
        assert_eq!(&calendar(server, address), text);
        check_same(server, address);
    }
    // Somebody takes over for a time.
    let start = soon(86_400);
    let end = soon(90_000);
    client
        .post(&format!("{}/overrides", path(&always)), &json!({"user": {"id": bob}, "start": start, "end": end}))
        .ok();
    let after = calendar(server, &addresses[0]);
    assert!(after != first[0] && sequence(&after) > sequence(&first[0]) && after.contains("Bob Lee"), "{after}");
    assert_eq!(calendar(server, &addresses[1]), first[1]);
    check_same(server, &addresses[0]);
}

fn a_feed_without_events_is_valid(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let past = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2020-01-02T00:00:00Z"});
    let made = create(&client, "GMT", &[shift("Over", past, &ann)]);
    for address in [address(&client, &path(&made)), address(&client, &format!("/rosters/users/{ann}"))] {
        let text = calendar(server, &address);
        // A calendar has at least one component.
        assert!(text.contains("BEGIN:VTIMEZONE\r\nTZID:UTC\r\n") && !text.contains("VEVENT"), "{text}");
        check_same(server, &address);
    }
}

fn a_revoked_address_is_unknown(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let other = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let first = address(&client, &path(&made));
    let second = address(&client, &path(&made));
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
    let own = path_of(&second);
    server.get(&own.replace(&text(&made["id"]), &text(&other["id"]))).not_found();
    server.get(&own.replace(&text(&second["token"]), "x")).not_found();
    client.delete(&path(&made)).ok();
    read(server, &second).not_found();
}

fn an_address_ends_with_its_maker(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let kept = address(&client, &path(&made));
    assert!(text(&kept["expiresTime"]) > text(&kept["createdTime"]), "{kept}");
    let listed = client.get(&format!("{}/calendars", path(&made))).list();
    assert_eq!(listed[0]["expiresTime"], kept["expiresTime"]);
    // One by a key of the client, and one by a key of its partner.
    for tenant in [client.tenant_id(), "msp_1"] {
        let key = client.tenant(tenant).post("/apiKeys", &json!({"name": unique("maker"), "role": "operator"})).ok();
        let maker = client.with_token(&server.token(&text(&key["key"]), &text(&key["secret"])));
        let of_roster = address(&maker, &path(&made));
        let of_user = address(&maker, &format!("/rosters/users/{ann}"));
        calendar(server, &of_roster);
        calendar(server, &of_user);
        client.tenant(tenant).delete(&format!("/apiKeys/{}", text(&key["id"]))).ok();
        read(server, &of_roster).not_found();
        read(server, &of_user).not_found();
    }
    calendar(server, &kept);
}

/// Makes all calendar addresses of rosters or windows so old that they end in 20 seconds, but for those of one tenant,
/// which have an hour left.
pub fn age(server: &mut Server, table: &str, longer: &Client) {
    const LIFE_MS: i64 = 366 * 86_400_000;
    server.stop();
    let soon = LIFE_MS - 20_000;
    let later = LIFE_MS - 3_600_000;
    let other = longer.tenant_id();
    server.sql(&format!(
        "UPDATE {table} SET created_ms = created_ms - CASE tenant_id WHEN '{other}' THEN {later} ELSE {soon} END"
    ));
    server.restart();
}

/// Waits until an address is over, which has to be when it says.
#[track_caller]
pub fn wait_for_end(server: &Server, address: &Value, expires: &Value) {
    let status = || read(server, address).status;
    wait_for(Duration::from_secs(60), || status() != 200, || format!("{address} still answers, until {expires}"));
    assert!(soon(0)[..19] >= text(expires)[..19], "it ended at {} and says {expires}", soon(0));
    read(server, address).not_found();
}

fn an_address_ends_after_366_days(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.new_client();
    let other = server.new_client();
    let made = [&client, &other].map(|client| {
        let ann = user(client, "Ann");
        let roster = create(client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
        [path(&roster), format!("/rosters/users/{ann}")].map(|path| (address(client, &path), path))
    });
    age(&mut server, "roster_calendars", &other);
    let client = client.at(server.base());
    let other = other.at(server.base());
    let ends = made[0].each_ref().map(|(one, path)| {
        let listed = client.get(&format!("{path}/calendars")).list();
        assert_eq!((listed.len(), &listed[0]["id"]), (1, &one["id"]));
        listed[0]["expiresTime"].clone()
    });
    for ((one, path), end) in made[0].iter().zip(&ends) {
        wait_for_end(&server, one, end);
        assert!(client.get(&format!("{path}/calendars")).list().is_empty(), "it has ended");
    }
    for (one, path) in &made[1] {
        assert_eq!(other.get(&format!("{path}/calendars")).list().len(), 1);
        calendar(&server, one);
    }
    // Somebody makes another.
    for (one, path) in &made[0] {
        let new = address(&client, path);
        calendar(&server, &new);
        read(&server, one).not_found();
    }
}

fn an_admin_finds_all_addresses(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "Europe/Paris", &[shift("Night", daily("22:00:00", "06:00:00"), &ann)]);
    let of_roster = address(&client, &path(&made));
    let of_user = address(&client, &format!("/rosters/users/{ann}"));
    let page = client.get("/rosters/calendars?pageSize=1").page();
    assert_eq!((&page["totalResults"], &page["results"][0]["id"]), (&json!(2), &of_roster["id"]));
    let first = &page["results"][0];
    assert_eq!((&first["of"], &first["tenant"]), (&made["id"], &json!(client.tenant_id())));
    assert!(first.get("url").is_none() && first.get("token").is_none() && first["expiresTime"].is_string(), "{first}");
    let next = client.get(&format!("/rosters/calendars?pageSize=1&cursor={}", text(&page["nextCursor"]))).page();
    assert_eq!((&next["results"][0]["id"], &next["results"][0]["of"]), (&of_user["id"], &json!(ann)));
    // What it says is enough to revoke one.
    client.delete(&format!("/rosters/{}/calendars/{}", text(&first["of"]), text(&first["id"]))).ok();
    assert_eq!(client.get("/rosters/calendars").page()["totalResults"], json!(1));
    for role in ["viewer", "operator", "integrator"] {
        server.caller(client.tenant_id(), role).get("/rosters/calendars").forbidden();
    }
}

fn a_feed_of_a_partner_has_the_shifts_in_all_clients(backend: Backend) {
    let server = Server::start(backend);
    let partner = server.admin();
    let clients: Vec<Client> = (0..3).map(|_| server.new_client()).collect();
    let pat = user(&partner, "Pat");
    let times = [("00:00:00", "06:00:00"), ("08:00:00", "12:00:00"), ("14:00:00", "20:00:00")];
    let mut rosters = Vec::new();
    for (client, (start, end)) in clients.iter().zip(times) {
        let ann = user(client, "Ann");
        let shifts = [shift("With Pat", daily(start, end), &pat), shift("Without", daily(start, end), &ann)];
        rosters.push(create(client, "GMT", &shifts));
    }
    create(&partner, "GMT", &[shift("At home", daily("21:00:00", "22:00:00"), &pat)]);
    let of_all = address(&partner, &format!("/rosters/users/{pat}"));
    let of_one = address(&clients[0], &format!("/rosters/users/{pat}"));
    let all = calendar(&server, &of_all);
    assert!(!all.contains("Without"), "{all:.600}");
    assert!(all.contains("At home: Pat Lee"), "{all:.600}");
    for made in &rosters {
        let summary = format!("SUMMARY:{} / With Pat: Pat", text(&made["name"]));
        assert!(all.contains(&summary), "{summary}");
    }
    let one = calendar(&server, &of_one);
    assert!(uids(&one).len() > 400 && uids(&all).len() > 4 * 400, "{} {}", uids(&one).len(), uids(&all).len());
    assert!(!one.contains("At home") && !one.contains(&text(&rosters[1]["name"])), "{one:.600}");
    check_same(&server, &of_all);
    // A client that is suspended is left out, and another's roster that changes is another calendar.
    let path_of_client = format!("/clients/{}/suspend", clients[2].tenant_id());
    partner.post_empty(&path_of_client).ok();
    let left = calendar(&server, &of_all);
    assert!(!left.contains(&text(&rosters[2]["name"])) && left.contains(&text(&rosters[1]["name"])));
}
