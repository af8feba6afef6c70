//! A Postgres whose tables were partitioned by tenant, as docs/operations.md says how to.

use muster_tests::{Backend, Exit, Server, psql};
use serde_json::json;

/// The SQL of the document.
fn sql() -> String {
    let document = include_str!("../../../docs/operations.md");
    let section = document.split("### Partitioning by tenant").nth(1).expect("the section");
    let sql = section.split("```sql").nth(1).and_then(|rest| rest.split("```").next());
    sql.expect("the statements").to_owned()
}

#[test]
fn the_service_does_not_notice() {
    let mut server = Server::start(Backend::Postgres);
    let clients = ["client_1".to_owned(), server.new_client().tenant_id().to_owned()];
    for client in &clients {
        let client = server.admin().tenant(client);
        let tags = json!([{"name": "env", "value": "a"}]);
        client.post("/resources", &json!({"hostName": "before", "tags": tags})).ok();
    }
    server.stop();
    let url = server.database_url().expect("it has one").to_owned();
    psql(&url, &sql());
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'resources'::regclass").trim(), "16");
    // Indexes of such tables have names of Postgres: a migration that takes one away by the name that it was made with
    // finds none.
    psql(&url, "DELETE FROM __diesel_schema_migrations WHERE version IN ('inventory0006', 'inventory0007')");
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_indexes WHERE indexname = 'resources_state'").trim(), "0");

    server.restart();
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_indexes WHERE indexname = 'resources_state'").trim(), "1");
    for client in &clients {
        let client = server.admin().tenant(client);
        let create = || client.request("POST", "/resources").header("Idempotency-Key", "one");
        let made = create().json(&json!({"hostName": "after", "macAddress": "02:00:00:00:00:07"})).send().ok();
        assert_eq!(create().json(&json!({"hostName": "after", "macAddress": "02:00:00:00:00:07"})).send().ok(), made);
        let found = client.get("/resources/search?queryString=hostName:e&sortName=hostName&isDescendingOrder=false");
        let names: Vec<_> =
            found.page()["results"].as_array().into_iter().flatten().map(|row| row["hostName"].clone()).collect();
        assert_eq!(names, ["after", "before"]);
        assert_eq!(client.get("/resources/minimal?queryString=tags:env").list().len(), 1);
        let id = made["resourceUUID"].as_str().expect("an id");
        client.post(&format!("/resources/{id}"), &json!({"hostName": "changed"})).ok();
        client.delete(&format!("/resources/{id}")).ok();
        let log = client.get(&format!("/auditLog/search?queryString=entityId:{id}")).page();
        assert_eq!(log["totalResults"], 3, "{log}");
    }
    let check =
        Exit::of(muster_tests::muster().args(["check", "--database-url", &url, "--data-dir"]).arg(server.data_dir()));
    assert!(check.stdout.contains("ok    database"), "{}", check.stdout);
}
