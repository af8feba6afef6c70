//! Nothing leads to this machine, to its network or to its cloud, unless an operator allowed it.

use std::time::Duration;

use muster_tests::{Backend, Server, both_backends, unique};
use serde_json::json;

use super::{event, incident, install, on_incidents, path, receiver::Receiver, server, statuses};

both_backends![
    no_hostile_url_is_saved_or_tried,
    what_was_saved_is_checked_again,
    what_is_stored_is_written_back,
    an_operator_opens_what_is_needed,
];

/// URLs that mean the sink at this port, or another place inside, in every disguise.
fn hostile(port: u16) -> Vec<String> {
    let hosts = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "0x7f.0x0.0x0.0x1",
        "127.0.0.1.",
        "127.255.255.254",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2002:7f00:0001::1]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "x.local",
        "x.internal",
        "localhost.localdomain",
        "１２７.０.０.１",
        "127。0。0。1",
        "①②⑦.⓪.⓪.①",
        "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
        "%31%32%37.0.0.1",
        "%6c%6f%63%61%6c%68%6f%73%74",
        "127%2e0%2e0%2e1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
    ];
    let mut urls: Vec<String> = hosts.iter().map(|host| format!("http://{host}:{port}/")).collect();
    urls.extend([
        format!("http://user@127.0.0.1:{port}/"),
        format!("http://203.0.114.1@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}#@203.0.114.1/"),
        format!("http://127.0.0.1:{port}\\@203.0.114.1/"),
        format!("https://127.0.0.1:{port}/"),
        format!("ftp://127.0.0.1:{port}/"),
        format!("file://127.0.0.1:{port}/etc/passwd"),
        format!("gopher://127.0.0.1:{port}/_x"),
        format!("//127.0.0.1:{port}/"),
        format!("http:127.0.0.1:{port}/"),
        format!("http:\\\\127.0.0.1:{port}\\"),
        format!("http://127.0.0.1:{port}\t/"),
    ]);
    urls
}

fn no_hostile_url_is_saved_or_tried(server: &Server) {
    let client = server.new_client();
    let sink = Receiver::willing();
    let made = install(&client, "https://203.0.114.1/");
    let urls = hostile(sink.port);
    assert!(urls.len() >= 60, "{}", urls.len());
    for url in &urls {
        let answer = client.post(&format!("{}/notifier", path(&made)), &json!({"baseURI": url}));
        assert_eq!(answer.status, 400, "{url}: {answer}");
        let oauth = json!({"baseURI": "https://203.0.114.1/", "authType": "OAUTH2", "grantType": "CLIENT_CREDENTIALS",
            "apiKey": "k", "apiSecret": "s", "accessTokenURL": url});
        let mut body = on_incidents("{}");
        body["notifier"] = oauth;
        client.post(&format!("{}/event", path(&made)), &body).invalid(&["notifier.accessTokenURL"]);
        body["notifier"] = json!({"baseURI": url});
        let try_it = json!({"event": body, "object": {}, "send": true});
        assert_eq!(client.post(&format!("{}/event/test", path(&made)), &try_it).status, 400, "{url}");
    }
    assert_eq!(sink.connections(), 0);
}

/// What an operator allowed once, and allows no more.
fn what_was_saved_is_checked_again(backend: Backend) {
    let url = (backend == Backend::Postgres).then(muster_tests::fresh_database);
    let sink = Receiver::willing();
    let schedule = "100ms,100ms,100ms";
    let mut first = Server::start_at(backend, url, &["--egress-allow", "127.0.0.0/8", "--retry-schedule", schedule]);
    let admin = first.admin().tenant("client_1");
    let names = ["127.0.0.1", "localhost"].map(|host| format!("http://{host}:{}/", sink.port));
    let events = names.map(|name| event(&admin, &install(&admin, &name), &on_incidents("{}")));
    incident(&admin, &json!({}));
    sink.wait(2);
    let before = sink.connections();
    first.set_arguments(&["--retry-schedule", schedule]);
    first.restart();
    let admin = first.admin().tenant("client_1");
    incident(&admin, &json!({}));
    super::receiver::wait_for(
        Duration::from_secs(30),
        || events.iter().all(|event| statuses(&admin, event).contains(&"failed".to_owned())),
        || events.iter().map(|event| format!("{:?}", statuses(&admin, event))).collect(),
    );
    let page = admin.get(&format!("{}/deliveries", events[1])).page();
    let id = super::text(&page["results"][0]["id"]);
    let detail = admin.get(&format!("{}/deliveries/{id}", events[1])).ok();
    assert!(detail["attemptLog"].to_string().contains("--egress-allow"), "{detail}");
    let tried = admin.post(&format!("{}/test", events[0]), &json!({"object": {}, "send": true})).ok();
    assert!(!super::text(&tried["response"]["error"]).is_empty(), "{tried}");
    assert_eq!(sink.connections(), before);
}

/// A URL that is refused today does not keep the rest from being changed; another one is refused.
fn what_is_stored_is_written_back(backend: Backend) {
    let url = (backend == Backend::Postgres).then(muster_tests::fresh_database);
    let mut server = Server::start_at(backend, url, &["--egress-allow", "127.0.0.0/8"]);
    let [here, there] = ["http://127.0.0.1:9/x", "http://127.0.0.1:9/y"];
    let client = server.new_client();
    let tenant = client.tenant_id().to_owned();
    let text = super::text;
    let installed = install(&client, here);
    let integration = path(&installed);
    let mut own = on_incidents("{}");
    own["notifier"] = json!({"baseURI": here});
    let event = event(&client, &installed, &own);
    let user = text(&client.post("/users", &json!({"loginName": unique("u")})).ok()["id"]);
    let methods = format!("/users/{user}/contactMethods");
    let method = client.post(&methods, &json!({"name": "hook", "type": "HTTP", "url": here})).ok();
    let method = format!("{methods}/{}", text(&method["id"]));
    let calendar = client.post("/holidayCalendars", &json!({"name": unique("c"), "url": here})).ok();
    let calendar = format!("/holidayCalendars/{}", text(&calendar["id"]));
    server.set_arguments(&[]);
    server.restart();
    let client = server.admin().tenant(&tenant);
    let renamed = unique("renamed");
    client.post(&integration, &json!({"displayName": renamed, "baseNotifier": {"baseURI": here}})).ok();
    client.post(&integration, &json!({"baseNotifier": {"baseURI": there}})).invalid(&["baseNotifier.baseURI"]);
    client.post(&event, &json!({"name": renamed})).ok();
    client.post(&event, &json!({"name": renamed, "notifier": {"baseURI": here}})).ok();
    client.post(&event, &json!({"notifier": {"baseURI": there}})).invalid(&["notifier.baseURI"]);
    client.post(&method, &json!({"name": renamed})).ok();
    client.post(&method, &json!({"name": renamed, "url": here})).ok();
    client.post(&method, &json!({"url": there})).invalid(&["url"]);
    client.post(&calendar, &json!({"name": renamed, "url": here})).ok();
    client.post(&calendar, &json!({"url": there})).invalid(&["url"]);
}

fn an_operator_opens_what_is_needed(backend: Backend) {
    let client = server(backend).new_client();
    for allowed in ["http://127.0.0.1:9/", "http://127.9.9.9/", "http://[::ffff:127.0.0.1]/"] {
        install(&client, allowed);
    }
    for wrong in ["http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/"] {
        let body = json!({"displayName": unique("i"), "baseNotifier": {"baseURI": wrong}});
        client.post("/integrations/install/CUSTOM", &body).invalid(&["baseNotifier.baseURI"]);
    }
}
