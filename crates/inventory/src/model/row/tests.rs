use std::collections::BTreeSet;

use diesel::{debug_query, dsl::sql, sql_types::Text, sqlite::Sqlite};

use super::*;
use crate::{resources::store, sites::tests::Fixture};

/// The attribute that a further key searches, and the key.
const FURTHER: [(&str, &str); 15] = [
    ("serialNumber", "serial_key"),
    ("systemUID", "uid_key"),
    ("template", "template_key"),
    ("agentProfile", "agent_profile_key"),
    ("gatewayProfile", "gateway_profile_key"),
    ("instanceId", "instance_id_key"),
    ("accountNumber", "account_number_key"),
    ("provider", "provider_key"),
    ("owner", "owner_key"),
    ("instanceType", "instance_type_key"),
    ("instanceState", "instance_state_key"),
    ("zone", "zone_key"),
    ("region", "region_key"),
    ("ami", "ami_key"),
    ("hostedServiceName", "hosted_service_key"),
];

/// The further keys of the one resource of a tenant.
fn stored(fixture: &Fixture) -> Vec<Option<String>> {
    let text = |column: &str| sql::<diesel::sql_types::Nullable<Text>>(column);
    FURTHER.map(|(_, column)| fixture.read(|conn| Ok(resources::table.select(text(column)).get_result(conn)?))).into()
}

#[test]
fn further_keys_follow_the_resource() {
    let fixture = Fixture::new();
    let texts: Vec<(&str, String)> = FURTHER.iter().map(|(name, _)| (*name, format!("A {name}"))).collect();
    let given: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let id = fixture.resource("client_1", &given);
    let folded: Vec<Option<String>> = texts.iter().map(|(_, text)| Some(fold(text))).collect();
    assert_eq!(stored(&fixture), folded);
    for (name, _) in FURTHER {
        fixture.set("client_1", &id, name, if name == "zone" { "" } else { "Other" });
    }
    let changed = FURTHER.map(|(name, _)| (name != "zone").then(|| "other".to_owned()));
    assert_eq!(stored(&fixture), changed);
    fixture.decommission("client_1", &id);
    assert_eq!(stored(&fixture), changed);
}

#[test]
fn every_column_is_written() {
    let fixture = Fixture::new();
    let id = fixture.resource("client_1", &[("hostName", "web-1")]);
    let row = fixture.read(|conn| store::find(conn, &["client_1".to_owned()], &id)).unwrap();
    let keys = FurtherKeys::of(&row.clone().into_resource().unwrap());
    let insert = diesel::insert_into(resources::table).values((&row, &keys));
    let insert = debug_query::<Sqlite, _>(&insert).to_string();
    let written = insert.split(['(', ')']).nth(1).unwrap().split(", ").map(|name| name.replace('`', ""));
    let written: BTreeSet<String> = written.collect();
    let columns = sql::<Text>("name FROM pragma_table_info('resources')");
    let columns: Vec<String> = fixture.read(|conn| Ok(diesel::select(columns).load(conn)?));
    assert_eq!(written, columns.into_iter().collect());
}
