//! The stream of changes: told as they are committed, on any gateway, to anyone who may see them, and again to who
//! comes back.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Browser, Client, Server, both_backends, pressure, unique};
use serde_json::{Value, json};

both_backends![
    what_is_committed_is_told_at_once,
    who_comes_back_misses_nothing,
    who_was_away_too_long_is_told_so,
    nobody_hears_of_others,
    a_stream_is_narrowed_and_bounded,
    who_heard_nothing_yet_misses_nothing,
    a_narrowed_stream_misses_nothing_of_its_own,
    what_one_gateway_stores_another_tells,
    who_may_no_longer_read_hears_no_more,
    the_streams_of_one_tenant_leave_room_for_others,
    a_thousand_idle_streams_cost_little,
];

/// An event of a stream.
#[derive(Debug, PartialEq)]
pub struct Event {
    id: i64,
    kind: String,
    pub data: Value,
}

/// The events of a stream that ended.
#[track_caller]
fn events(client: &Client, parameters: &str) -> Vec<Event> {
    let answer = client.get(&format!("/changes?{parameters}"));
    assert_eq!(answer.status, 200, "{}", answer.whole());
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let text = answer.text();
    let field =
        |event: &str, name: &str| event.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
    let event = |text: &str| {
        let id = field(text, "id:")?.parse().unwrap();
        Some(Event { id, kind: field(text, "event:")?, data: serde_json::from_str(&field(text, "data:")?).unwrap() })
    };
    text.split("\n\n").filter_map(event).collect()
}

/// Watches for so long, while `act` is done after a moment.
pub fn while_watching(client: &Client, parameters: &str, act: impl FnOnce()) -> Vec<Event> {
    thread::scope(|scope| {
        let watching = scope.spawn(|| events(client, parameters));
        thread::sleep(Duration::from_millis(700));
        act();
        watching.join().unwrap()
    })
}

fn machine(client: &Client, name: &str) -> String {
    client.post("/resources", &json!({"name": name})).ok()["resourceUUID"].as_str().unwrap_or_default().to_owned()
}

/// The last id of a stream that had nothing to tell yet: somebody watches from now on.
fn begin(client: &Client) -> i64 {
    let told = while_watching(client, "maxSeconds=3", || drop(machine(client, "first")));
    told.last().expect("a change is told").id
}

fn what_is_committed_is_told_at_once(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let mut id = String::new();
    let told = while_watching(&client, "maxSeconds=4", || id = machine(&client, "web"));
    let [event] = &told[..] else { panic!("{told:?}") };
    assert_eq!(event.kind, "change");
    let data = &event.data;
    assert_eq!(
        (&data["tenant"], &data["entity"], &data["action"]),
        (&json!(client.tenant_id()), &json!("Resource"), &json!("CREATE"))
    );
    assert_eq!(data["entityId"], json!(id));
    assert!(data["requestId"].is_string() && data["at"].is_string(), "{data}");
}

fn who_comes_back_misses_nothing(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let last = begin(&client);
    let made: Vec<String> = (0..5).map(|number| machine(&client, &format!("m{number}"))).collect();
    // The outbox hands them on a moment later.
    let begun = Instant::now();
    let told = loop {
        let told = events(&client, &format!("maxSeconds=0&lastEventId={last}"));
        if told.len() == made.len() || begun.elapsed() > Duration::from_secs(10) {
            break told;
        }
    };
    let ids: Vec<&str> = told.iter().filter_map(|event| event.data["entityId"].as_str()).collect();
    assert_eq!(ids, made);
    let numbers: Vec<i64> = told.iter().map(|event| event.id).collect();
    assert_eq!(numbers, (last + 1..=last + 5).collect::<Vec<_>>());
    let header = client.request("GET", "/changes?maxSeconds=0").header("Last-Event-ID", &numbers[3].to_string()).send();
    assert!(header.text().contains(&made[4]) && !header.text().contains(&made[3]), "{}", header.text());
    assert_eq!(events(&client, &format!("maxSeconds=0&lastEventId={}", last + 5)), []);
}

fn who_was_away_too_long_is_told_so(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let last = begin(&client);
    server.sql("UPDATE changes_heads SET until_ms = 0");
    machine(&client, "unwatched");
    let told = events(&client, &format!("maxSeconds=0&lastEventId={last}"));
    let kinds: Vec<&str> = told.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["reset"]);
    // From there on it goes on as ever.
    let on = events(&client, &format!("maxSeconds=0&lastEventId={}", told[0].id));
    assert!(on.iter().all(|event| event.kind == "change"), "{on:?}");
    for id in ["x", "-1", "%2B1", "1.5"] {
        client.get(&format!("/changes?maxSeconds=0&lastEventId={id}")).invalid(&["lastEventId"]);
    }
    client.request("GET", "/changes?maxSeconds=0").header("Last-Event-ID", "-1").send().invalid(&["Last-Event-ID"]);
}

fn nobody_hears_of_others(backend: Backend) {
    let server = Server::start(backend);
    let one = server.new_client();
    let other = server.new_client();
    let partner = server.admin();
    let mut of_one = String::new();
    let mut of_other = String::new();
    let told = thread::scope(|scope| {
        let watching: Vec<_> =
            [&one, &other, &partner].map(|client| scope.spawn(|| events(client, "maxSeconds=4"))).into_iter().collect();
        thread::sleep(Duration::from_millis(700));
        of_one = machine(&one, "a");
        of_other = machine(&other, "b");
        watching.into_iter().map(|watching| watching.join().unwrap()).collect::<Vec<_>>()
    });
    let ids: Vec<Vec<&str>> =
        told.iter().map(|told| told.iter().filter_map(|event| event.data["entityId"].as_str()).collect()).collect();
    assert_eq!(ids[0], [of_one.as_str()]);
    assert_eq!(ids[1], [of_other.as_str()]);
    assert_eq!(ids[2], [of_one.as_str(), of_other.as_str()]);
}

fn a_stream_is_narrowed_and_bounded(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let told = while_watching(&client, "maxSeconds=4&entities=KbCategory,ALERT", || {
        machine(&client, "web");
        client.post("/kb/category", &json!({"name": "Here"})).ok();
    });
    let kinds: Vec<&str> = told.iter().filter_map(|event| event.data["entity"].as_str()).collect();
    assert_eq!(kinds, ["KbCategory"]);
    client.get("/changes?maxSeconds=301").invalid(&["maxSeconds"]);
    client.get("/changes?seconds=1").invalid(&["seconds"]);
    let open = |number| {
        let client = &client;
        move || (number, client.get("/changes?maxSeconds=8").status)
    };
    let statuses: Vec<u16> = thread::scope(|scope| {
        let streams: Vec<_> = (0..103).map(|number| scope.spawn(open(number))).collect();
        streams.into_iter().map(|stream| stream.join().unwrap().1).collect()
    });
    let refused = statuses.iter().filter(|status| **status == 503).count();
    assert_eq!((refused, statuses.len() - refused), (3, 100), "{statuses:?}");
}

fn what_one_gateway_stores_another_tells(backend: Backend) {
    if backend == Backend::Sqlite {
        return;
    }
    let server = Server::start(backend);
    let beside = Server::start_beside(&server, &[]);
    let client = server.new_client();
    let there = client.at(beside.base());
    let told = while_watching(&there, "maxSeconds=5", || drop(machine(&client, "web")));
    assert_eq!(told.len(), 1, "{told:?}");
    machine(&client, "later");
    thread::sleep(Duration::from_secs(2));
    assert_eq!(events(&client, &format!("maxSeconds=0&lastEventId={}", told[0].id)).len(), 1);
}

/// The id that a client comes back with: the last that stands in a stream, be it of an event or of none.
#[track_caller]
fn last_id(text: &str) -> i64 {
    let id = text.lines().rev().find_map(|line| line.strip_prefix("id:"));
    id.unwrap_or_else(|| panic!("no id in {text:?}")).trim().parse().unwrap()
}

/// A stream says where it begins, and again when it was silent.
fn who_heard_nothing_yet_misses_nothing(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let begun = client.get("/changes?maxSeconds=0").text();
    machine(&client, "meanwhile");
    thread::sleep(Duration::from_secs(2));
    let told = events(&client, &format!("maxSeconds=0&lastEventId={}", last_id(&begun)));
    assert_eq!(told.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(), ["change"]);
    // Of another kind than the stream asks for: the comment has its number all the same.
    let text = thread::scope(|scope| {
        let silent = scope.spawn(|| client.get("/changes?maxSeconds=17&entities=ALERT").text());
        thread::sleep(Duration::from_secs(1));
        machine(&client, "other");
        silent.join().unwrap()
    });
    assert!(!text.contains("event:"), "{text}");
    assert_eq!(last_id(&text), last_id(&begun) + 2, "{text}");
}

/// What a stream did not ask for does not count as missed.
fn a_narrowed_stream_misses_nothing_of_its_own(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let begun = last_id(&client.get("/changes?maxSeconds=0").text());
    let rows: Vec<Value> = (0..1_001).map(|number| json!({"name": format!("m{number}")})).collect();
    for rows in rows.chunks(500) {
        client.post("/resources/bulk", &json!(rows)).ok();
    }
    client.post("/kb/category", &json!({"name": "Here"})).ok();
    thread::sleep(Duration::from_secs(3));
    let kinds = |entities: &str| -> Vec<String> {
        let told = events(&client, &format!("maxSeconds=0&lastEventId={begun}{entities}"));
        told.into_iter().map(|event| event.kind).collect()
    };
    assert_eq!(kinds("&entities=kbcategory"), ["change"]);
    assert_eq!(kinds("&entities=ALERT"), [""; 0]);
    assert_eq!(kinds(""), ["reset"]);
    for words in ["", "ALLERT", "ALERT,,INCIDENT", "Contact"] {
        client.get(&format!("/changes?maxSeconds=0&entities={words}")).invalid(&["entities"]);
    }
}

/// A stream that is open, on a connection of its own: what arrived is read by anyone who looks.
fn watch(server: &Server, client: &Client) -> TcpStream {
    let mut stream = ask_to_watch(server, client.tenant_id(), &format!("Authorization: Bearer {}", client.bearer()));
    await_text(&mut stream, "HTTP/1.1 200");
    stream
}

fn ask_to_watch(server: &Server, tenant: &str, credentials: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.base().trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request = format!(
        "GET /api/v2/tenants/{tenant}/changes?maxSeconds=300 HTTP/1.1\r\nHost: muster\r\n{credentials}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads until a text was there.
#[track_caller]
fn await_text(stream: &mut TcpStream, text: &str) {
    let (mut received, mut chunk) = (String::new(), [0; 4096]);
    while !received.contains(text) {
        let length = stream.read(&mut chunk).unwrap_or_else(|error| panic!("{error} after {received:?}"));
        assert!(length > 0, "closed after {received:?}");
        received.push_str(&String::from_utf8_lossy(&chunk[..length]));
    }
}

/// Reads until the stream ends, and says how long that took.
#[track_caller]
fn await_end(mut stream: TcpStream, since: Instant, what: &str) -> Duration {
    let (mut received, mut chunk) = (Vec::new(), [0; 4096]);
    while !received.ends_with(b"0\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => received.extend_from_slice(&chunk[..length]),
            Err(error) => panic!("{what}: {error}"),
        }
        assert!(since.elapsed() < Duration::from_secs(20), "{what}: it goes on");
    }
    since.elapsed()
}

/// Whatever takes the right to read: the streams that are open end within moments, and others go on.
fn who_may_no_longer_read_hears_no_more(backend: Backend) {
    let server = Server::start(backend);
    let admin = server.admin();
    let client = server.new_client();
    let suspended = server.new_client();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let person = || {
        let body = json!({"loginName": unique("ann"), "firstName": "Ann", "lastName": "Lee", "role": "operator"});
        text(&client.post("/users", &body).ok()["id"])
    };
    let key = |at: &Client, besides: Value| {
        let mut body = json!({"name": unique("key"), "role": "viewer"});
        body.as_object_mut().unwrap().extend(besides.as_object().unwrap().clone());
        let made = at.post("/apiKeys", &body).ok();
        (text(&made["id"]), at.with_token(&server.token(&text(&made["key"]), &text(&made["secret"]))), made)
    };
    let sign_in = |user: &str| {
        Browser::sign_in(&server, &text(&client.post_empty(&format!("/users/{user}/signInLink")).ok()["url"]))
    };
    let cookie =
        |browser: &Browser<'_>| ask_to_watch(&server, client.tenant_id(), &format!("Cookie: {}", browser.cookie));
    let (revoked_id, revoked, _) = key(&client, json!({}));
    let (rotated_id, rotated, _) = key(&client, json!({}));
    let (narrowed_id, narrowed, _) = key(&client, json!({"operations": ["watchChanges"]}));
    let (_, _, basic) = key(&client, json!({}));
    let owner = person();
    let (_, personal, _) = key(&client, json!({"userId": owner}));
    let (_, of_suspended, _) = key(&suspended, json!({}));
    let signs_out = sign_in(&person());
    let ended = sign_in(&owner);
    let stays = sign_in(&person());
    let as_basic = {
        use base64::Engine as _;
        let pair = format!("{}:{}", text(&basic["key"]), text(&basic["secret"]));
        format!("Authorization: Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
    };
    let mut streams = vec![
        ("a revoked key", watch(&server, &revoked)),
        ("a rotated key", watch(&server, &rotated)),
        ("a narrowed key", watch(&server, &narrowed)),
        ("key and secret", ask_to_watch(&server, client.tenant_id(), &as_basic)),
        ("the key of somebody who left", watch(&server, &personal)),
        ("the session of somebody who left", cookie(&ended)),
        ("a session that was ended", cookie(&signs_out)),
        ("a suspended tenant", watch(&server, &of_suspended)),
    ];
    let mut others = [cookie(&stays), watch(&server, &client), watch(&server, &admin)];
    for (_, stream) in &mut streams[3..4] {
        await_text(stream, "HTTP/1.1 200");
    }
    for stream in streams[5..7].iter_mut().map(|(_, stream)| stream).chain(&mut others[..1]) {
        await_text(stream, "HTTP/1.1 200");
    }
    client.delete(&format!("/apiKeys/{revoked_id}")).ok();
    client.post(&format!("/apiKeys/{rotated_id}/rotate"), &json!({"revokePrevious": true})).ok();
    client.delete(&format!("/apiKeys/{}", text(&basic["id"]))).ok();
    client.post_empty(&format!("/users/{owner}/deactivate")).ok();
    signs_out.delete("/auth/session").ok();
    admin.post_empty(&format!("/clients/{}/suspend", suspended.tenant_id())).ok();
    // No operation narrows a key that is there; somebody else may, in the database.
    server.sql(&format!("UPDATE api_keys SET operations = '[\"getResource\"]' WHERE id = '{narrowed_id}'"));
    let since = Instant::now();
    for (what, stream) in streams {
        let took = await_end(stream, since, what);
        assert!(took < Duration::from_secs(9), "{what}: after {took:?}");
    }
    machine(&client, "after");
    for stream in &mut others {
        await_text(stream, "event: change");
    }
}

/// Twenty keys of a tenant ask for all streams there are.
fn the_streams_of_one_tenant_leave_room_for_others(backend: Backend) {
    const KEYS: usize = 20;
    const EACH: usize = 100;
    pressure::raise_open_files();
    let server = Server::start(backend);
    let greedy = server.new_client();
    let good = server.new_client();
    let credentials: Vec<String> = (0..KEYS)
        .map(|_| format!("Authorization: Bearer {}", server.caller(greedy.tenant_id(), "viewer").bearer()))
        .collect();
    let mut open = Vec::new();
    let mut refused = 0;
    for number in 0..KEYS * EACH {
        let mut stream = ask_to_watch(&server, greedy.tenant_id(), &credentials[number % KEYS]);
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).unwrap();
        match &begin {
            b"HTTP/1.1 200" => open.push(stream),
            b"HTTP/1.1 503" => refused += 1,
            other => panic!("{}", String::from_utf8_lossy(other)),
        }
    }
    assert!((1_000..1_400).contains(&open.len()), "{} open, {refused} refused", open.len());
    // Others have theirs, and hear as ever.
    let mut streams: Vec<TcpStream> = (0..20).map(|_| watch(&server, &good)).collect();
    machine(&good, "heard");
    for stream in &mut streams {
        await_text(stream, "event: change");
    }
}

/// What 1,000 people who watch, and of whom nothing happens to any for a while, take: measured, printed and bounded.
fn a_thousand_idle_streams_cost_little(backend: Backend) {
    const KEYS: usize = 20;
    const STREAMS: usize = 1000;
    const MOST_KIB: u64 = 30 << 10;
    let server = Server::start(backend);
    // Each key its tenant: one may have 100 streams.
    let clients: Vec<Client> = (0..KEYS).map(|_| server.caller(server.new_client().tenant_id(), "operator")).collect();
    // What the first of them needs, all others share.
    for client in &clients {
        drop(watch(&server, client));
        machine(client, "before");
    }
    thread::sleep(Duration::from_secs(1));
    let Some(before) = server.own_memory_kib() else { return };
    let mut streams: Vec<TcpStream> = (0..STREAMS).map(|number| watch(&server, &clients[number % KEYS])).collect();
    thread::sleep(Duration::from_secs(2));
    let after = server.own_memory_kib().expect("it was known before");
    let taken = after.saturating_sub(before);
    let told = format!("changes: {STREAMS} idle streams took {:.1} MiB ({backend:?})\n", taken as f64 / 1024.0);
    let _ = std::io::stderr().write_all(told.as_bytes());
    // They are idle, and not dead: each is told.
    for client in &clients {
        machine(client, "after");
    }
    for stream in &mut streams {
        await_text(stream, "event: change");
    }
    assert!(taken <= MOST_KIB, "{told}");
}
