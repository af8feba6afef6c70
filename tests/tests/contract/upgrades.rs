//! Clients that offer to go on in HTTP/2 with each request, as Java's does, are answered as if they had not.

use std::process::Command;
use std::time::Duration;

use muster_tests::{Exit, Server, both_backends, skipped_everywhere};

both_backends![
    a_connection_stays_through_offers_of_http_2,
    an_offer_that_is_not_declined_ends_the_connection_and_says_so,
    what_a_body_says_is_no_offer,
    no_request_of_javas_own_client_is_lost,
];

/// A request whose answer tells whether its body arrived as it was sent.
fn request(server: &Server, headers: &str, body: &str) -> (String, String) {
    let admin = server.admin();
    let head = format!(
        "POST /api/v2/tenants/msp_1/clients HTTP/1.1\r\n{headers}Host: h\r\nContent-Length: {}\r\n\
         Content-Type: application/json\r\nAuthorization: Bearer {}\r\n\r\n",
        body.len(),
        admin.bearer()
    );
    (head, body.to_owned())
}

const OFFER: &str = "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\n";

fn a_connection_stays_through_offers_of_http_2(server: &Server) {
    let mut connection = server.connection();
    for round in 0..20 {
        let (head, body) = request(server, OFFER, r#"{"name": 7}"#);
        // The body comes with the head, or after it.
        let answer = match round % 2 {
            0 => connection.exchange(format!("{head}{body}").as_bytes()),
            _ => {
                connection.send(head.as_bytes());
                std::thread::sleep(Duration::from_millis(2));
                connection.exchange(body.as_bytes())
            }
        };
        let answer = answer.unwrap_or_else(|| panic!("the connection ended before answer {round}"));
        answer.invalid(&["name"]);
        assert_eq!(answer.header("Connection"), None, "{answer}");
    }
}

fn an_offer_that_is_not_declined_ends_the_connection_and_says_so(server: &Server) {
    let other = OFFER.replace("h2c", "something");
    let (head, body) = request(server, &other, r#"{"name": 7}"#);
    let mut connection = server.connection();
    let answer = connection.exchange(format!("{head}{body}").as_bytes()).expect("an answer");
    answer.invalid(&["name"]);
    assert_eq!(answer.header("Connection"), Some("close"), "{answer}");
    // In two pieces, so that no piece is the head of a request.
    let (head, body) = request(server, OFFER, r#"{"name": 7}"#);
    let (first, second) = head.split_at(40);
    let mut connection = server.connection();
    connection.send(first.as_bytes());
    std::thread::sleep(Duration::from_millis(300));
    let answer = connection.exchange(format!("{second}{body}").as_bytes()).expect("an answer");
    answer.invalid(&["name"]);
    assert_eq!(answer.header("Connection"), Some("close"), "{answer}");
}

fn what_a_body_says_is_no_offer(server: &Server) {
    let client = server.new_client();
    let offer = format!("GET / HTTP/1.1\r\n{OFFER}\r\n");
    let text = serde_json::json!({"name": "line", "hostName": "body-of-an-offer", "description": offer}).to_string();
    // As JSON the line ends are escaped; a report of lines has them as they are.
    let rows = format!("{text}\n");
    let head = format!(
        "POST /api/v2/tenants/{}/resources/bulk HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\
         Content-Type: application/x-ndjson\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        client.tenant_id(),
        rows.len() + offer.len(),
        client.bearer()
    );
    let mut connection = server.connection();
    connection.send(head.as_bytes());
    std::thread::sleep(Duration::from_millis(100));
    connection.send(offer.as_bytes());
    std::thread::sleep(Duration::from_millis(100));
    let answer = connection.exchange(rows.as_bytes()).expect("an answer");
    assert_eq!(answer.status, 200, "{answer}");
    let listed = client.search("/resources/search", "hostName:body-of-an-offer").page();
    let id = listed["results"][0]["id"].as_str().expect("the row was stored");
    let stored = client.get(&format!("/resources/{id}")).ok();
    assert_eq!(stored["generalInfo"]["description"], serde_json::json!(offer));
}

const JAVA: &str = r#"
import java.net.URI;
import java.net.http.*;

public class Post {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int round = 0; round < 200; round++) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0]))
                .header("Authorization", "Bearer " + arguments[1]).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"name\": 7}")).build();
            int status = client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
            if (status != 400) throw new IllegalStateException("answer " + round + " is " + status);
        }
    }
}
"#;

fn no_request_of_javas_own_client_is_lost(server: &Server) {
    let has_java = Command::new("java").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_java {
        skipped_everywhere("there is no java here to call the service with");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("Post.java");
    std::fs::write(&source, JAVA).unwrap();
    let admin = server.admin();
    let url = format!("{}/api/v2/tenants/msp_1/clients", server.base());
    let mut command = Command::new("java");
    command.arg(&source).args([&url, admin.bearer()]);
    let exit = Exit::within(Duration::from_secs(60), &mut command);
    assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
}
