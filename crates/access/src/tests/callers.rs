//! The authenticator: tokens, Basic, expiry, revocation, tenants.

use base::timestamp::Timestamp;

use super::*;
use crate::{secrets, unused_first_key};

#[actix_web::test]
async fn a_token_makes_the_caller_of_its_key() {
    let fixture = Fixture::new();
    let token = fixture.token(KEY, SECRET).await;
    assert!(secrets::is_secret(&token));
    for _ in 0..2 {
        let caller = fixture.caller(&token).await.unwrap();
        assert_eq!(caller.key_id, KEY);
        assert!(crate::users::row::is_id(&caller.user_id), "{}", caller.user_id);
        assert_eq!(caller.home, TenantId::partner(1));
        assert_eq!(caller.role, Role::Admin);
    }
    for wrong in ["", "x", "ä", SECRET, &token[1..], &"x".repeat(10_000)] {
        assert!(fixture.caller(wrong).await.is_none());
    }
}

#[actix_web::test]
async fn wrong_credentials_get_no_token() {
    let fixture = Fixture::new();
    for (key, text) in [
        (KEY, "bootstrapsecret13"),
        (KEY, ""),
        ("bootstrapkey2", SECRET),
        (SECRET, KEY),
        ("bootstrapkey1\0", SECRET),
        ("BOOTSTRAPKEY1", SECRET),
    ] {
        assert_eq!(fixture.issue(key, text, clock::now()).await, None, "{key}");
        assert_eq!(fixture.basic(key, text).await, None, "{key}");
    }
    assert_eq!(fixture.basic(KEY, SECRET).await.unwrap().role, Role::Admin);
}

#[actix_web::test]
async fn a_second_secret_is_live_too() {
    use crate::schema::api_keys;
    use diesel::prelude::*;

    let fixture = Fixture::new();
    fixture.write(|conn| {
        let hash = base::hex(&secrets::hash("anothersecret1234"));
        let keys = api_keys::table.filter(api_keys::tenant_id.eq("msp_1"));
        Ok(diesel::update(keys).set(api_keys::secret2_hash.eq(hash)).execute(conn)?)
    });
    assert!(fixture.basic(KEY, SECRET).await.is_some());
    assert!(fixture.basic(KEY, "anothersecret1234").await.is_some());
}

#[actix_web::test]
async fn an_expired_token_is_known_for_a_while_and_then_swept() {
    let fixture = Fixture::new();
    let now = clock::now().millis();
    let at = |before: i64| Timestamp::from_millis(now - before);
    let identity = async |token: &str| fixture.authenticator.bearer(token).await.unwrap();
    let forgotten = fixture.issue(KEY, SECRET, at(2 * 7_199_000)).await.unwrap();
    let expired = fixture.issue(KEY, SECRET, at(7_199_000)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(identity(&expired).await, Identity::Expired);
    }
    // One that expires while it is remembered.
    let expiring = fixture.issue(KEY, SECRET, at(7_199_000 - 400)).await.unwrap();
    assert!(fixture.caller(&expiring).await.is_some());
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(identity(&expiring).await, Identity::Expired);
    let live = fixture.token(KEY, SECRET).await;
    let db = fixture.db.clone();
    let kept = move || outbox::retention::sweep(&db, domain().retention, |setting| setting.days, clock::now());
    let removed = aside(kept).unwrap()[0].removed();
    assert_eq!(removed, [("age", 1), ("number", 0)]);
    assert_eq!(identity(&forgotten).await, Identity::Unknown);
    assert_eq!(identity(&expired).await, Identity::Expired);
    assert!(fixture.caller(&live).await.is_some());
}

#[actix_web::test]
async fn tokens_die_with_their_key() {
    let fixture = Fixture::new();
    let home = TenantId::client(1);
    let key = fixture.key(&home, "clientkey1", Role::Operator);
    let token = fixture.token_of("clientkey1").await;
    let caller = fixture.caller(&token).await.unwrap();
    assert_eq!((caller.home.clone(), caller.role), (home.clone(), Role::Operator));

    // Of another tenant it cannot be revoked.
    let id = key.id.clone();
    let foreign = fixture.db.write(move |conn| api_keys::store::revoke(conn, &TenantId::partner(1), &id, clock::now()));
    assert!(matches!(foreign.await, Err(db::Error::Problem(_))));
    assert!(fixture.caller(&token).await.is_some());

    let other_gateway = Authenticator::new(fixture.db.clone());
    assert!(as_caller(other_gateway.bearer(&token).await.unwrap()).is_some());
    fixture.db.write(move |conn| api_keys::store::revoke(conn, &home, &key.id, clock::now())).await.unwrap();
    fixture.authenticator.forget_callers();
    assert!(fixture.caller(&token).await.is_none());
    assert_eq!(fixture.basic("clientkey1", "clientkey1clientkey1").await, None);
    assert_eq!(fixture.issue("clientkey1", "clientkey1clientkey1", clock::now()).await, None);
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert_eq!(other_gateway.bearer(&token).await.unwrap(), Identity::Unknown);
}

#[actix_web::test]
async fn tenants_know_their_partner_and_clients() {
    let fixture = Fixture::new();
    let (foreign_partner, foreign_client) = fixture.foreign();
    assert_eq!((foreign_partner.as_str(), foreign_client.as_str()), ("msp_2", "client_2"));
    let tenant = |id: TenantId| {
        let authenticator = Arc::clone(&fixture.authenticator);
        async move { authenticator.tenant(&id).await.unwrap() }
    };
    let partner = tenant(TenantId::partner(1)).await.unwrap();
    assert_eq!(partner.clients, [TenantId::client(1)]);
    assert_eq!((partner.partner.clone(), partner.name.as_str()), (TenantId::partner(1), "Partner One"));
    let client = tenant(TenantId::client(1)).await.unwrap();
    assert_eq!((client.partner.clone(), client.clients.len()), (TenantId::partner(1), 0));
    assert!(!tenant(foreign_client).await.unwrap().visible_to(&TenantId::partner(1)));
    assert!(tenant(TenantId::client(9)).await.is_none());

    // No negative memory: what is made later is there at once.
    let name = "x".to_owned();
    let row = fixture
        .db
        .write(move |conn| tenants::store::insert_client(conn, &TenantId::partner(1), &name, clock::now()))
        .await
        .unwrap();
    assert_eq!(row.id, "client_3");
    assert!(tenant(TenantId::client(3)).await.is_some());
    fixture.authenticator.forget_tenants();
    assert_eq!(tenant(TenantId::partner(1)).await.unwrap().clients, [TenantId::client(1), TenantId::client(3)]);
}

/// Those of a file that is not there yet.
fn made_credentials() -> (String, Secret<String>) {
    let folder = tempfile::tempdir().unwrap();
    credentials_in(&folder.path().join("credentials.env")).unwrap().0
}

#[test]
fn bootstrap_runs_once_and_on_an_empty_database_only() {
    let fixture = Fixture::empty();
    let wrong = [("short", SECRET), (KEY, "t00short"), ("with-dashes-1", SECRET), (KEY, "secret with blanks in it")];
    for (key, text) in wrong {
        let error = bootstrap(&fixture.db, (key.to_owned(), secret(text))).unwrap_err();
        assert!(!format!("{error:?}").contains(text));
    }
    let (key, made) = made_credentials();
    assert!(secrets::is_key(&key) && secrets::is_secret(made.expose()));
    assert!(bootstrap(&fixture.db, (key.clone(), made)).unwrap());
    assert!(!bootstrap(&fixture.db, made_credentials()).unwrap());
    assert!(!bootstrap(&fixture.db, (KEY.to_owned(), secret(SECRET))).unwrap());
    assert_eq!(unused_first_key(&fixture.db).unwrap().unwrap().key, key);
}

#[test]
fn of_many_bootstraps_at_once_one_makes_the_tenants() {
    let fixture = Fixture::empty();
    let attempts: Vec<_> = (0..8)
        .map(|_| {
            let db = fixture.db.clone();
            std::thread::spawn(move || bootstrap(&db, made_credentials()).unwrap())
        })
        .collect();
    let made = attempts.into_iter().filter_map(|attempt| attempt.join().unwrap().then_some(())).count();
    assert_eq!(made, 1);
    let (partner, _) = fixture.foreign();
    assert_eq!(partner, TenantId::partner(2));
}
