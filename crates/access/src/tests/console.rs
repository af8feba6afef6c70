//! What a person does at the database itself.

use super::*;
use crate::console;

#[test]
fn tenants_and_keys_by_hand() {
    let fixture = Fixture::new();
    let db = &fixture.db;
    let partner = console::create_partner(db, " Acme ").unwrap();
    assert_eq!((partner.id.as_str(), partner.name.as_str()), ("msp_2", "Acme"));
    let client = console::create_client(db, &TenantId::partner(2), "Globex").unwrap();
    assert_eq!((client.id.as_str(), client.partner.as_str()), ("client_2", "msp_2"));
    let mut tenants = Vec::new();
    let each = |tenant: console::Tenant| {
        tenants.push(tenant.id);
        Ok(())
    };
    console::each_tenant(db, each).unwrap();
    assert_eq!(tenants, ["msp_1", "client_1", "msp_2", "client_2"]);

    let roles = api::access::Roles::from([("reportMachine".to_owned(), Role::Operator)]);
    let create = |client: u64, name: &str, operations: &[&str]| {
        let operations = operations.iter().map(ToString::to_string).collect();
        let tenant = TenantId::parse(&format!("client_{client}")).unwrap();
        let new = console::NewTenantKey { tenant: &tenant, name, role: Role::Operator, operations };
        console::create_key(db, new, &roles)
    };
    let (key, first) = create(2, "ci", &["reportMachine"]).unwrap();
    assert_eq!(key.operations.as_deref(), Some(["reportMachine".to_owned()].as_slice()));
    assert_eq!((key.tenant.as_str(), key.role.as_str(), key.name.as_str()), ("client_2", "operator", "ci"));
    let (again, second) = console::rotate_key(db, &key.key, false).unwrap();
    assert!(again.id == key.id && first != second);
    let mut names = Vec::new();
    let each = |key: console::Key| {
        names.push(key.name);
        Ok(())
    };
    console::each_key(db, each).unwrap();
    assert_eq!(names, ["ci", "Administrator"]);
    assert_eq!(console::revoke_key(db, &key.id).unwrap().id, key.id);

    let told = |error: anyhow::Error| format!("{error:#}");
    assert_eq!(told(console::revoke_key(db, &key.id).unwrap_err()), "The API key was not found.");
    assert!(told(console::revoke_key(db, KEY).unwrap_err()).contains("last admin key"));
    assert!(told(console::create_client(db, &TenantId::partner(9), "x").unwrap_err()).contains("no tenant msp_9"));
    assert!(told(console::create_client(db, &TenantId::client(1), "x").unwrap_err()).contains("partner"));
    assert!(told(console::create_client(db, &TenantId::partner(2), "GLOBEX").unwrap_err()).contains("already exists"));
    assert!(console::create_partner(db, " ").is_err());
    assert!(create(9, "x", &[]).is_err());
    assert!(told(create(2, "x", &["flySite"]).unwrap_err()).contains("flySite is not an operation"));
}
