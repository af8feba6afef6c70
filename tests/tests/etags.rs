//! Many who edit one entity at once: with `If-Match` one of them wins, without it nobody's field is lost.

use std::sync::Barrier;

use muster_tests::{Client, Response, Server, both_backends, parameters, unique};
use serde_json::{Value, json};

both_backends![
    of_many_edits_of_one_version_one_wins,
    of_many_deletes_of_one_version_one_wins,
    edits_of_different_fields_of_a_resource_are_all_kept,
    edits_of_different_fields_of_anything_are_all_kept,
    members_added_at_once_are_all_there,
    a_list_of_versions_is_refused_or_understood,
    the_document_names_the_headers,
];

const WRITERS: usize = 20;

/// Runs `write` on [`WRITERS`] threads at once; gives the answers in their order.
fn at_once(write: impl Fn(usize) -> Response + Sync) -> Vec<Response> {
    let together = Barrier::new(WRITERS);
    std::thread::scope(|scope| {
        let write = &write;
        let together = &together;
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                scope.spawn(move || {
                    together.wait();
                    write(number)
                })
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Of each kind that can be edited: its path, and a text field of it.
fn one_of_each(client: &Client) -> Vec<(String, &'static str)> {
    let create = |path: &str, body: Value, id: &str| {
        let made = client.post(path, &body).ok();
        format!("{path}/{}", made[id].as_str().map_or_else(|| made[id].to_string(), ToOwned::to_owned))
    };
    vec![
        (create("/resources", json!({"name": "a"}), "resourceUUID"), "description"),
        (create("/sites", json!({"name": "a"}), "id"), "city"),
        (create("/deviceGroups", json!({"name": "a"}), "id"), "description"),
        (create("/serviceGroups", json!({"name": "a"}), "uniqueId"), "description"),
        (create("/users", json!({"loginName": "a"}), "id"), "lastName"),
        (create("/userGroups", json!({"name": "a"}), "uniqueId"), "description"),
        (create("/incidents", json!({"subject": "a"}), "id"), "description"),
        (create("/kb/category", json!({"name": "a"}), "id"), "description"),
        (create("/jobs", a_job(), "id"), "description"),
        (create("/jobs/scripts", json!({"name": "a", "content": "exit 0"}), "id"), "description"),
    ]
}

fn a_job() -> Value {
    json!({"name": "a", "script": {"jobType": "antivirus"},
        "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}}})
}

#[track_caller]
fn etag(client: &Client, path: &str) -> String {
    let answer = client.get(path);
    answer.ok();
    answer.header("ETag").map(ToOwned::to_owned).unwrap_or_else(|| panic!("no ETag: {answer}"))
}

/// One succeeded, all others were told that they came too late; gives the number of the one.
#[track_caller]
fn one_won(answers: &[Response], path: &str) -> usize {
    let won: Vec<usize> = (0..answers.len()).filter(|number| answers[*number].status == 200).collect();
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(won.len(), 1, "{path}: {statuses:?}");
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        answer.problem(412, "0004");
    }
    won[0]
}

fn of_many_edits_of_one_version_one_wins(server: &Server) {
    let client = server.new_client();
    for (path, field) in one_of_each(&client) {
        let tag = etag(&client, &path);
        let answers = at_once(|number| {
            let body = json!({field: format!("writer {number}")});
            client.request("POST", &path).header("If-Match", &tag).json(&body).send()
        });
        let winner = one_won(&answers, &path);
        let found = client.get(&path);
        assert!(found.text().contains(&format!("\"writer {winner}\"")), "{path}: not what the winner wrote: {found}");
        assert_eq!(found.header("ETag"), answers[winner].header("ETag"), "{path}");
    }
    let partner = server.admin();
    let path = format!("/clients/{}", client.tenant_id());
    let tag = etag(&partner, &path);
    let answers = at_once(|_| {
        partner.request("POST", &path).header("If-Match", &tag).json(&json!({"name": unique("renamed")})).send()
    });
    one_won(&answers, &path);
}

fn of_many_deletes_of_one_version_one_wins(server: &Server) {
    let client = server.new_client();
    // People and incidents stay, and what goes to the trash is there.
    let deletable = |path: &String| !["/user", "/incidents", "/kb"].iter().any(|start| path.starts_with(start));
    for path in one_of_each(&client).into_iter().map(|(path, _)| path).filter(deletable) {
        let tag = etag(&client, &path);
        let answers = at_once(|_| client.request("DELETE", &path).header("If-Match", &tag).send());
        let (won, late): (Vec<&Response>, Vec<&Response>) = answers.iter().partition(|answer| answer.status == 200);
        assert_eq!(won.len(), 1, "{path}");
        late.into_iter().for_each(|answer| drop(answer.not_found()));
    }
}

fn edits_of_different_fields_of_a_resource_are_all_kept(server: &Server) {
    const FIELDS: [&str; WRITERS] = [
        "aliasName",
        "hostName",
        "resourceName",
        "dnsName",
        "description",
        "make",
        "model",
        "os",
        "extResourceId",
        "source",
        "status",
        "serialNumber",
        "systemUID",
        "provider",
        "region",
        "zone",
        "ami",
        "owner",
        "instanceState",
        "hostedServiceName",
    ];
    let client = server.new_client();
    let made = client.post("/resources", &json!({"name": "edited"})).ok();
    let path = format!("/resources/{}", made["resourceUUID"].as_str().unwrap_or_default());
    for round in 0..3 {
        let value = |number: usize| format!("v{round}x{number}");
        let answers = at_once(|number| client.post(&path, &json!({FIELDS[number]: value(number)})));
        answers.iter().for_each(|answer| drop(answer.ok()));
        let found = client.get(&path).text() + &client.get("/resources/search").text();
        // Serial number and model are in two places of the detail; each value is in one field alone.
        for (number, field) in FIELDS.iter().enumerate() {
            assert!(found.contains(&format!("\"{}\"", value(number))), "{field} is lost: {found}");
        }
    }
}

fn edits_of_different_fields_of_anything_are_all_kept(server: &Server) {
    let client = server.new_client();
    let fields: [(&str, &[&str]); 9] = [
        ("/sites", &["name", "description", "address", "city", "country"]),
        ("/deviceGroups", &["name", "description"]),
        ("/serviceGroups", &["name", "description"]),
        ("/users", &["loginName", "firstName", "lastName", "phoneNumber", "mobileNumber"]),
        ("/userGroups", &["name", "description"]),
        ("/incidents", &["subject", "description"]),
        ("/kb/category", &["name", "description"]),
        ("/jobs", &["name", "description"]),
        ("/jobs/scripts", &["name", "description"]),
    ];
    for ((path, _), (kind, fields)) in one_of_each(&client).into_iter().skip(1).zip(fields) {
        assert!(path.starts_with(kind), "{path}");
        let kept = |answers: &[Response], value: &dyn Fn(usize) -> String| {
            answers.iter().for_each(|answer| drop(answer.ok()));
            let found = client.get(&path).ok();
            for field in fields {
                let last: Vec<String> =
                    (0..WRITERS).filter(|number| fields[number % fields.len()] == *field).map(value).collect();
                let text = found[field].as_str().unwrap_or_default().to_owned();
                assert!(last.contains(&text), "{path}: {field} is {text:?}, which nobody wrote");
            }
        };
        let value = |number: usize| format!("{number}");
        let answers = at_once(|number| client.post(&path, &json!({fields[number % fields.len()]: value(number)})));
        kept(&answers, &value);
    }
}

fn members_added_at_once_are_all_there(server: &Server) {
    let client = server.new_client();
    let resources: Vec<Value> = (0..WRITERS)
        .map(|number| client.post("/resources", &json!({"name": format!("m{number}")})).ok()["resourceUUID"].clone())
        .collect();
    let users: Vec<Value> = (0..WRITERS)
        .map(|number| client.post("/users", &json!({"loginName": format!("m{number}")})).ok()["id"].clone())
        .collect();
    let create = |path: &str, id: &str| {
        let made = client.post(path, &json!({"name": "all"})).ok();
        made[id].as_str().map_or_else(|| made[id].to_string(), ToOwned::to_owned)
    };
    for (path, members) in [
        (format!("/deviceGroups/{}/childs", create("/deviceGroups", "id")), &resources),
        (format!("/serviceGroups/{}/childs", create("/serviceGroups", "id")), &resources),
        (format!("/sites/{}/members", create("/sites", "id")), &resources),
        (format!("/userGroups/{}/members", create("/userGroups", "uniqueId")), &users),
    ] {
        let answers = at_once(|number| client.post(&path, &json!([{"id": members[number]}])));
        answers.iter().for_each(|answer| drop(answer.ok()));
        assert_eq!(client.get(&path).page()["totalResults"], json!(WRITERS), "{path}");
        let answers = at_once(|number| client.delete_with(&path, &json!([{"id": members[number]}])));
        answers.iter().for_each(|answer| drop(answer.ok()));
        assert_eq!(client.get(&path).page()["totalResults"], json!(0), "{path}");
    }
}

fn a_list_of_versions_is_refused_or_understood(server: &Server) {
    let client = server.new_client();
    for (path, field) in one_of_each(&client) {
        let tag = etag(&client, &path);
        let update = |versions: &str, text: &str| {
            client.request("POST", &path).header("If-Match", versions).json(&json!({field: text})).send()
        };
        let without = update("\"no such version\", \"nor this\"", "nobody");
        assert!([400, 412].contains(&without.status), "{without}");
        let with = update(&format!("\"no such version\", {tag}"), "somebody");
        assert!([200, 400].contains(&with.status), "{with}");
        for wrong in ["1", "\"1", "W/", ",", "\"a\"\"b\""] {
            let answer = update(wrong, "nobody");
            assert!([400, 412].contains(&answer.status), "{wrong}: {answer}");
        }
        assert!(!client.get(&path).text().contains("\"nobody\""), "{path}");
    }
}

/// Anyone who generates a client from the document can use versions and keys.
fn the_document_names_the_headers(server: &Server) {
    let client = server.new_client();
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("paths");
    for (path, _) in one_of_each(&client) {
        etag(&client, &path);
        let (list, _) = path.rsplit_once('/').expect("an id");
        let start = format!("/api/v2/tenants/{{tenantId}}{list}/{{");
        let (_, item) = paths.iter().find(|(path, _)| path.starts_with(&start) && path.ends_with("Id}")).expect(list);
        assert!(item["get"]["responses"]["200"]["headers"]["ETag"].is_object(), "{list}");
        let taken = |method: &str, header: &str| {
            let mut parameters = parameters(&document, &item[method]);
            parameters.any(|parameter| parameter["name"] == header && parameter["in"] == "header")
        };
        assert!(taken("post", "If-Match") && taken("post", "Idempotency-Key"), "{list}");
        assert!(!taken("get", "If-Match") && !taken("get", "Idempotency-Key"), "{list}");
    }
}
