//! Tables that Postgres keeps in partitions by month: which there are, what they take, when they go.

use std::time::Duration;

use muster_tests::{Backend, Exit, Server, muster, psql};
use serde_json::json;

/// Each table with the value of its column at an instant of the server's clock, as SQL.
const TABLES: [(&str, &str); 5] = [
    ("audit_log", "first_of_month('', AT)"),
    ("integration_deliveries", "first_of_month('DLV-', AT)"),
    ("alerts", "first_of_month('ALT-', AT)"),
    ("job_runs", "first_of_month('', AT)"),
    ("pages", "first_of_month('', AT)"),
];

/// The partitions of a table, without its name, in order.
fn partitions(url: &str, table: &str) -> Vec<String> {
    let text = format!("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '{table}'::regclass ORDER BY 1");
    let mut found: Vec<String> =
        psql(url, &text).lines().map(|name| name.trim_start_matches(table).to_owned()).collect();
    found.sort();
    found
}

/// `_2026_11` and the next two.
fn months(url: &str) -> Vec<String> {
    let text = "SELECT to_char((now() AT TIME ZONE 'UTC') + make_interval(months => n), '_YYYY_MM') \
                FROM generate_series(0, 2) AS n";
    psql(url, text).lines().map(str::to_owned).collect()
}

/// Has the first partition of a table end at an instant, and drops those of months.
fn end_first_partition(url: &str, table: &str, bound: &str, at: &str) {
    let bound = bound.replace("AT", at);
    psql(
        url,
        &format!(
            "DO $$ DECLARE one record; BEGIN \
             FOR one IN SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = '{table}'::regclass \
             AND inhrelid::regclass::text <> '{table}_default' LOOP \
             EXECUTE format('ALTER TABLE {table} DETACH PARTITION %s', one.name); \
             IF one.name::text <> '{table}_earlier' THEN EXECUTE format('DROP TABLE %s', one.name); END IF; END LOOP; \
             EXECUTE format('ALTER TABLE {table} ATTACH PARTITION {table}_earlier FOR VALUES FROM (MINVALUE) TO (%L)', \
             {bound}); END $$"
        ),
    );
}

#[test]
fn months_are_made_ahead_and_go_when_they_are_empty() {
    let mut server = Server::start(Backend::Postgres);
    let url = server.database_url().expect("it has one").to_owned();
    let expected = [months(&url), vec!["_default".to_owned(), "_earlier".to_owned()]].concat();
    for (table, _) in TABLES {
        assert_eq!(partitions(&url, table), expected, "{table}");
    }
    server.stop();
    // Nobody was there for long: the only partitions are one of long ago and the one that takes anything.
    for (table, bound) in TABLES {
        end_first_partition(&url, table, bound, "timestamptz '2020-05-01'");
    }
    psql(
        &url,
        "INSERT INTO audit_log (tenant_id, at_ms, id, user_id, key_id, action, entity, entity_id, changes, \
         request_id) VALUES ('client_1', 1000, 1, 'u', 'k', 'CREATE', 'Site', 'of-long-ago', '{}', 'r'), \
         ('client_1', 99999999999999, 1, 'u', 'k', 'CREATE', 'Site', 'of-the-future', '{}', 'r'), \
         ('client_1', (extract(epoch FROM now()) * 1000)::bigint, 1, 'u', 'k', 'CREATE', 'Site', 'of-now', '{}', 'r')",
    );
    server.restart();
    for (table, _) in TABLES {
        let mut made = partitions(&url, table);
        // It went with the first look, unless it has the row.
        super::until("the empty one goes", Duration::from_secs(20), || {
            made = partitions(&url, table);
            table == "audit_log" || !made.contains(&"_earlier".to_owned())
        });
        assert!(months(&url).iter().all(|month| made.contains(month)), "{table}: {made:?}");
    }
    assert!(partitions(&url, "audit_log").contains(&"_earlier".to_owned()), "its row is kept for ever");
    // What came before the partition of this month stays where it is, and new rows go to that.
    let client = server.admin().tenant("client_1");
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].to_string();
    let found = |entity: &str| {
        let log = client.get(&format!("/auditLog/search?queryString=entityId:{entity}")).page();
        log["totalResults"].as_u64()
    };
    for entity in ["of-long-ago", "of-the-future", "of-now", site.as_str()] {
        assert_eq!(found(entity), Some(1), "{entity}");
    }
    let place = "SELECT entity_id || ' ' || (tableoid::regclass = 'audit_log_default'::regclass) FROM audit_log \
                 WHERE entity_id IN ('of-now', 'of-the-future') OR entity = 'Site' AND action = 'CREATE' \
                 AND entity_id ~ '^[0-9]' ORDER BY at_ms";
    let places = psql(&url, place);
    assert_eq!(places, format!("of-now true\n{site} false\nof-the-future true\n"));
    server.stop();

    // With all of its rows too old it goes as a whole; the row of the future stays.
    server.set_arguments(&["--keep-audit", "1"]);
    server.restart();
    super::until("the partition goes", Duration::from_secs(20), || {
        !partitions(&url, "audit_log").contains(&"_earlier".to_owned())
    });
    let left = "SELECT count(*) FROM audit_log WHERE entity_id";
    assert_eq!(psql(&url, &format!("{left} = 'of-long-ago'")).trim(), "0");
    assert_eq!(psql(&url, &format!("{left} IN ('of-now', 'of-the-future')")).trim(), "2");
    assert!(server.get("/metrics").text().contains(r#"muster_rows_removed_total{kind="audit",reason="age"} 1"#));
}

/// What makes the tables whole again, as the version before had them.
fn whole() -> String {
    let triggers = include_str!("../../../crates/incidents/migrations/postgres/incidents0016_day_changes/up.sql");
    let (_, triggers) = triggers.split_once("CREATE TRIGGER").expect("triggers");
    let tables = TABLES.map(|(table, _)| {
        let keys = match table {
            "pages" => {
                "ALTER TABLE pages DROP CONSTRAINT pages_pkey, ADD PRIMARY KEY (tenant_id, id); \
                 CREATE UNIQUE INDEX pages_once ON pages (tenant_id, alert_id, round, step, user_id, method_id) \
                 WHERE alert_id <> '';"
            }
            "job_runs" => "CREATE UNIQUE INDEX job_runs_id ON job_runs (tenant_id, id);",
            _ => "",
        };
        format!(
            "ALTER TABLE {table} RENAME TO {table}_parts; ALTER INDEX {table}_pkey RENAME TO {table}_parts_pkey; \
             CREATE TABLE {table} (LIKE {table}_parts INCLUDING ALL); {keys} \
             INSERT INTO {table} SELECT * FROM {table}_parts;"
        )
    });
    let dropped = TABLES.map(|(table, _)| format!("DROP TABLE {table}_parts;"));
    format!(
        "BEGIN; ALTER TABLE integration_messages DROP CONSTRAINT integration_messages_tenant_id_delivery_id_fkey; {}{} \
         ALTER TABLE integration_messages ADD FOREIGN KEY (tenant_id, delivery_id) \
         REFERENCES integration_deliveries (tenant_id, id); CREATE TRIGGER{triggers}; \
         {}; DELETE FROM __diesel_schema_migrations WHERE version IN \
         ('outbox0011', 'integrations0007', 'incidents0017', 'jobs0008', 'jobs0009', 'paging0011', 'paging0012', \
         'paging0013'); COMMIT;",
        tables.concat(),
        dropped.concat(),
        include_str!("../../../crates/paging/migrations/postgres/paging0011_page_keys/down.sql")
            .replace("DROP TRIGGER page_keys ON pages;", "")
    )
}

#[test]
fn an_upgrade_keeps_every_row_and_what_belongs_to_it() {
    let mut server = Server::start(Backend::Postgres);
    let url = server.database_url().expect("it has one").to_owned();
    let client = server.admin().tenant("client_1");
    let report = json!({"currentState": "Critical", "metric": "load", "device": "d1"});
    let alert = client.post("/alerts", &report).ok()[0]["id"].as_str().unwrap().to_owned();
    server.stop();
    psql(&url, &whole());
    let page = |id: &str, alert: &str, at: &str| {
        format!(
            "INSERT INTO pages (tenant_id, id, alert_id, round, step, user_id, method_tenant, method_id, channel, \
             kind, status, why, urgency, policy_id, conversation, message, owner, attempts, log, created_ms) VALUES \
             ('client_1', '{id}', '{alert}', 1, 1, 'u', '', 'm', '', 'page', 'sent', '', 'low', '', '', '{{}}', '', 0, \
             '[]', {at});"
        )
    };
    let now = "(extract(epoch FROM now()) * 1000)::bigint";
    psql(&url, &page("PG-alert", "ALT-1", now));
    psql(&url, &page("PG-shift", "", now));
    // Deliveries with their messages, and an alert of a day of which there will be a copy.
    psql(
        &url,
        &format!(
            "INSERT INTO integration_deliveries SELECT 'client_1', \
             'DLV-018bcfe5-00' || n || '-7000-8000-000000000000', 'E', 'delivered', 0, '', 0, 0, 0, {now}, \
             NULL, NULL, '[]' FROM generate_series(10, 59) AS n; \
             INSERT INTO integration_messages SELECT tenant_id, id, '', '', '', '', '{{}}' \
             FROM integration_deliveries; \
             UPDATE alerts SET created_ms = 86400000"
        ),
    );
    let plan =
        Exit::of(muster().args(["migrate", "--plan", "--database-url", &url, "--data-dir"]).arg(server.data_dir()));
    let told = |line: &str| assert!(plan.stdout.contains(line), "{line}: {}{}", plan.stdout, plan.stderr);
    told("  alerts is partitioned: 1 rows, less than a second; reads and writes of it wait (ACCESS EXCLUSIVE)");
    told("  integration_deliveries has rows checked: 50 rows, less than a second; locks nothing");

    server.restart();
    for (table, _) in TABLES {
        let made = partitions(&url, table);
        assert!(made.contains(&"_earlier".to_owned()) && made.contains(&"_default".to_owned()), "{table}: {made:?}");
    }
    let count = |sql: &str| psql(&url, &format!("SELECT count(*) FROM {sql}")).trim().to_owned();
    assert_eq!(count("integration_deliveries_earlier"), "50");
    assert_eq!(count("integration_messages JOIN integration_deliveries ON delivery_id = id"), "50");
    assert_eq!(
        count(
            "pg_constraint WHERE conparentid = 0 AND conrelid = 'integration_messages'::regclass AND NOT convalidated"
        ),
        "0"
    );
    let refused = "DO $$ BEGIN DELETE FROM integration_deliveries; RAISE 'deleted'; \
                   EXCEPTION WHEN foreign_key_violation THEN NULL; END $$";
    psql(&url, refused);
    // A page of before is not decided again, nor is one of now, in whichever partition.
    let later = format!("{now} + 60 * 86400000::bigint");
    psql(&url, &page("PG-new", "ALT-2", now));
    for twice in [page("PG-other", "ALT-1", &later), page("PG-shift", "", &later), page("PG-other", "ALT-2", &later)] {
        psql(&url, &format!("DO $$ BEGIN {twice} RAISE 'twice'; EXCEPTION WHEN unique_violation THEN NULL; END $$"));
    }
    assert_eq!(count("pages WHERE id IN ('PG-alert', 'PG-shift', 'PG-new', 'PG-other')"), "3");
    let client = server.admin().tenant("client_1");
    assert_eq!(client.get(&format!("/alerts/{alert}")).ok()["id"], json!(alert));
    assert_ne!(count("audit_log_earlier"), "0");
    assert_eq!(count("pg_indexes WHERE indexname = 'job_runs_id'"), "0");
    server.stop();
    let copy = "INSERT INTO alert_days VALUES ('client_1', 1, 1, 0, 1, '') ON CONFLICT DO NOTHING";
    psql(&url, &format!("{copy}; UPDATE alerts SET closed_ms = 86400001"));
    assert_eq!(count("alert_days WHERE day = 1"), "0", "the trigger is that of the partition, too");
}

#[test]
fn a_migration_makes_an_index_of_each_partition_beside_writers() {
    let mut server = Server::start(Backend::Postgres);
    let url = server.database_url().expect("it has one").to_owned();
    server.stop();
    for _ in 0..2 {
        psql(&url, "DELETE FROM __diesel_schema_migrations WHERE version = 'incidents0015'");
        server.restart();
        let valid = "SELECT count(*) FROM pg_index WHERE indexrelid = 'alerts_acknowledged'::regclass AND indisvalid";
        assert_eq!(psql(&url, valid).trim(), "1");
        let parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'alerts_acknowledged'::regclass";
        assert_eq!(psql(&url, parts).trim(), partitions(&url, "alerts").len().to_string());
        server.stop();
    }
}
