//! Installed integrations.

use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{event, install, path, text};

both_backends![
    an_integration_is_installed_changed_and_removed,
    notifiers_are_checked_and_never_show_secrets,
    secrets_do_not_follow_to_another_kind_of_credential,
    saving_an_address_does_not_resolve_it,
    many_alternatives_are_taken,
    signing_secrets_rotate,
    only_integrators_decide_where_data_goes,
];

const URL: &str = "https://203.0.114.1/api";

fn an_integration_is_installed_changed_and_removed(server: &Server) {
    let client = server.new_client();
    let name = unique("Tickets");
    let body = json!({"displayName": name, "description": "d", "baseNotifier": {"baseURI": URL}});
    let made = client.post("/integrations/install/CUSTOM", &body).ok();
    assert!(text(&made["id"]).starts_with("INTG-") && text(&made["signingSecret"]).starts_with("whsec_"), "{made}");
    let expected = json!({"type": "REST_API", "baseURI": URL, "authType": "NONE"});
    assert_eq!((&made["baseNotifier"], &made["status"]), (&expected, &json!("ENABLED")));
    let found = client.search("/integrations/installed/search", &format!("name:{}", name.to_uppercase())).page();
    assert_eq!((&found["totalResults"], &found["results"][0]["id"]), (&json!(1), &made["id"]));
    let listed = |all: &str| server.admin().search("/integrations/installed/search", &format!("name:{name}{all}"));
    assert_eq!(listed("").page()["totalResults"], json!(1));
    assert_eq!(listed("+allList:false").page()["totalResults"], json!(0));
    let read = client.get(&path(&made)).ok();
    assert_eq!(read["signingSecret"], Value::Null, "shown once");

    let changed = client.post(&path(&made), &json!({"displayName": "Other"})).ok();
    assert_eq!((&changed["displayName"], &changed["description"]), (&json!("Other"), &json!("d")));
    assert_eq!(changed["baseNotifier"], expected, "what is left out stays");
    let soap = client.post(&format!("{}/notifier", path(&made)), &json!({"type": "soap_api"})).ok();
    assert_eq!((&soap["baseNotifier"]["type"], &soap["baseNotifier"]["baseURI"]), (&json!("SOAP_API"), &json!(URL)));
    let stale = client.request("POST", &path(&made)).header("If-Match", "\"1\"").json(&json!({"displayName": "x"}));
    stale.send().problem(412, "0004");
    assert_eq!(client.post_empty(&format!("{}/disable", path(&made))).ok()["status"], json!("DISABLED"));
    assert_eq!(client.post_empty(&format!("{}/enable", path(&made))).ok()["status"], json!("ENABLED"));

    assert_eq!(client.delete(&path(&made)).ok(), json!({}));
    client.get(&path(&made)).not_found();
    client.get(&format!("/integrations/installed/INTG-{}", uuid())).not_found();
    client.post("/integrations/install/JIRA", &body).not_found();
    client.post("/integrations/install/CUSTOM", &json!({})).invalid(&["displayName"]);
}

fn secrets_do_not_follow_to_another_kind_of_credential(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    let at = format!("{}/notifier", path(&made));
    let oauth = json!({"baseURI": URL, "authType": "OAUTH2", "grantType": "PASSWORD", "userName": "u", "password": "p",
        "apiKey": "k", "apiSecret": "s", "accessTokenURL": "https://198.51.101.1/token"});
    client.post(&at, &oauth).ok();
    // The password was for where tokens are got.
    client.post(&at, &json!({"authType": "BASIC"})).invalid(&["password"]);
    assert_eq!(client.get(&path(&made)).ok()["baseNotifier"]["authType"], json!("OAUTH2"), "nothing has changed");
    client.post(&at, &json!({"authType": "BASIC", "password": "q"})).ok();
    client.post(&at, &json!({"authType": "basic", "userName": "v"})).ok();
    let back = json!({"authType": "OAUTH2", "grantType": "CLIENT_CREDENTIALS",
        "accessTokenURL": "https://198.51.101.1/token"});
    client.post(&at, &back).invalid(&["apiKey", "apiSecret"]);
    // The same for the notifier of an event.
    let at = event(&client, &made, &json!({"notifier": oauth}));
    client.post(&at, &json!({"notifier": {"authType": "BASIC"}})).invalid(&["notifier.password"]);
}

/// The name of this machine means an address of its own, a name below `invalid` means none: who saves either learns
/// neither.
fn saving_an_address_does_not_resolve_it(server: &Server) {
    let client = server.new_client();
    let this = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    for name in [this.trim(), "nobody.invalid", "ip6-loopback"].into_iter().filter(|name| !name.is_empty()) {
        let url = format!("http://{name}:9/");
        let made = install(&client, &url);
        client.post(&format!("{}/notifier", path(&made)), &json!({"baseURI": url})).ok();
        let event = json!({"notifier": {"baseURI": url}, "entity": "INCIDENT", "eventType": "CREATE"});
        client.post(&format!("{}/event", path(&made)), &event).ok();
        // When it is called, it is refused, in the same words.
        let tried =
            client.post(&format!("{}/event/test", path(&made)), &json!({"event": event, "object": {}, "send": true}));
        assert!(text(&tried.ok()["response"]["error"]).contains("cannot be called"), "{name}: {tried}");
    }
}

fn many_alternatives_are_taken(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    // As many as a URL holds.
    let names: Vec<String> = (0..1_500).map(|number| format!("{number:03x}")).collect();
    let search = |path: &str, query: String| client.get(&format!("{path}?queryString={query}"));
    let query = format!("name:{},{}", names.join(","), text(&made["displayName"]));
    let found = search("/integrations/installed/search", query).page();
    assert_eq!((&found["totalResults"], &found["results"][0]["id"]), (&json!(1), &made["id"]));
    for (path, name) in [
        ("/resources/search", "hostName"),
        ("/resources/search", "ipAddress"),
        ("/deviceGroups/search", "name"),
        ("/sites/search", "name"),
        ("/scheduleMaintenances/search", "name"),
        ("/jobs/search", "name"),
        ("/users/search", "loginName"),
    ] {
        let values = if name == "ipAddress" { vec!["10.0.0.0/8"; 600].join(",") } else { names.join(",") };
        let answer = search(path, format!("{name}:{values}"));
        assert!([200, 400].contains(&answer.status), "{path}: {answer}");
    }
}

fn notifiers_are_checked_and_never_show_secrets(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    let at = format!("{}/notifier", path(&made));
    client.post(&at, &json!({"authType": "BASIC"})).invalid(&["userName", "password"]);
    client.post(&at, &json!({"authType": "OAUTH2"})).invalid(&["grantType", "apiKey", "apiSecret", "accessTokenURL"]);
    let oauth = json!({"authType": "oauth2", "grantType": "password", "userName": "u", "password": "secret-p",
        "apiKey": "secret-k", "apiSecret": "secret-s", "accessTokenURI": format!("{URL}/token")});
    let shown = client.post(&at, &oauth).ok();
    assert_eq!(shown["baseNotifier"]["accessTokenURL"], json!(format!("{URL}/token")));
    let read = client.get(&path(&made)).ok();
    assert!(!format!("{shown}{read}").contains("secret-"), "{shown} {read}");
    // Who may change the address does not get the credentials sent there.
    client.post(&at, &json!({"baseURI": "https://198.51.101.1"})).invalid(&["password", "apiKey", "apiSecret"]);
    client.post(&at, &json!({"baseURI": format!("{URL}/v2")})).ok();
}

fn signing_secrets_rotate(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    let rotate = |body: Value| client.post(&format!("{}/signingSecret/rotate", path(&made)), &body).ok();
    let second = rotate(json!({}));
    assert!(text(&second["signingSecret"]).starts_with("whsec_") && second["previousValidUntil"].is_string());
    assert_ne!(second["signingSecret"], made["signingSecret"]);
    assert_eq!(rotate(json!({"revokePrevious": true}))["previousValidUntil"], Value::Null);
}

fn only_integrators_decide_where_data_goes(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    for (role, reads, writes, acts) in
        [("viewer", true, false, false), ("operator", true, false, true), ("integrator", true, true, true)]
    {
        let caller = server.caller(client.tenant_id(), role);
        assert_eq!(caller.get(&path(&made)).status == 200, reads, "{role}");
        let written = caller.post(&path(&made), &json!({"description": role})).status;
        assert_eq!(written, if writes { 200 } else { 403 }, "{role}");
        let action = json!({"entity": "TASK", "eventType": "NONE", "object": {}});
        let acted = caller.post("/integrations/actions", &action).status;
        assert_eq!(acted, if acts { 200 } else { 403 }, "{role}");
        let test = |send: bool| {
            let body = json!({"event": {"name": role}, "object": {}, "send": send});
            caller.post(&format!("{}/event/test", path(&made)), &body).status
        };
        assert_eq!((test(false), test(true)), (200, if writes { 200 } else { 403 }), "{role}");
    }
}
