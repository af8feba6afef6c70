use super::{
    super::{
        row::{is_id, is_login_of_key},
        wire::is_email,
    },
    *,
};

#[test]
fn ids() {
    assert_eq!(id(1), "USR0000000001");
    assert_eq!(id(9_999_999_999), "USR9999999999");
    assert!(is_id("USR0000000001"));
    for wrong in ["", "USR1", "usr0000000001", "USR000000000x", "USR00000000001234567890"] {
        assert!(!is_id(wrong), "{wrong}");
    }
}

#[test]
fn login_names_of_keys_are_kept() {
    assert!(is_login_of_key(&login_of_key(7)) && is_login_of_key("API-12"));
    assert!(!is_login_of_key("api-") && !is_login_of_key("api-7b") && !is_login_of_key("ann"));
}

#[test]
fn nobody_gives_more_than_it_has() {
    let caller = |role, narrow: bool| Caller {
        key_id: String::new(),
        user_id: String::new(),
        home: TenantId::client(1),
        role,
        operations: narrow.then(|| vec!["updateUser".to_owned()].into()),
        expires: None,
        limit: None,
    };
    let may = |role, narrow, before, after| check_change(&caller(role, narrow), before, after).is_ok();
    assert!(may(Role::Admin, false, Role::Viewer, Role::Admin) && may(Role::Admin, true, Role::Viewer, Role::Viewer));
    assert!(!may(Role::Operator, false, Role::Viewer, Role::Admin));
    assert!(!may(Role::Operator, false, Role::Admin, Role::Viewer));
    assert!(!may(Role::Admin, true, Role::Viewer, Role::Operator));
    assert!(!may(Role::Admin, true, Role::Operator, Role::Viewer));
}

#[test]
fn a_narrow_key_leaves_addresses_as_they_are() {
    let caller = |narrow: bool| Caller {
        key_id: String::new(),
        user_id: String::new(),
        home: TenantId::client(1),
        role: Role::Admin,
        operations: narrow.then(|| vec!["updateUser".to_owned()].into()),
        expires: None,
        limit: None,
    };
    let may = |narrow, before, after| check_address(&caller(narrow), before, after).is_ok();
    assert!(may(false, Some("a@x"), Some("b@x")) && may(true, Some("a@x"), Some("a@x")) && may(true, None, Some("")));
    assert!(!may(true, None, Some("a@x")) && !may(true, Some("a@x"), Some("b@x")) && !may(true, Some("a@x"), None));
}

#[test]
fn addresses() {
    assert!(is_email("ann@example.net") && is_email("a+b@x"));
    for wrong in ["", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n"] {
        assert!(!is_email(wrong), "{wrong:?}");
    }
}

#[test]
fn a_change_keeps_what_it_does_not_name_and_an_empty_text_removes() {
    let change = |login: Option<&str>, first: Option<&str>| UserChange {
        login_name: login.map(str::to_owned),
        first_name: first.map(str::to_owned),
        ..UserChange::default()
    };
    let at = Timestamp::from_millis;
    let new = NewUser::named("Ann".to_owned(), "Ännchen", "", Role::Viewer);
    let new = created(new, &TenantId::client(1), 7, at(1));
    assert_eq!(
        (new.id.as_str(), new.login_fold.as_str(), new.first_fold.as_str()),
        ("USR0000000007", "ann", "ännchen")
    );
    assert_eq!(changed(&new, change(None, None), at(2)), new);
    let removed = changed(&new, change(None, Some("")), at(2));
    assert_eq!((removed.first_name.clone(), removed.version, removed.updated_ms), (None, 2, 2));
    assert_eq!(removed.login_name, "Ann");
    assert!(!activated(&new, false, at(3)).activated);
    assert_eq!(activated(&new, true, at(3)), new);
}

#[test]
fn filters_fold_their_texts() {
    let full = filter("name:ANN Ö+email:@x,@Y+id:usr0000000001+activated:true+isEquals:false").unwrap();
    assert_eq!(full.texts[0], ("name", vec!["ann ö".to_owned()]));
    assert_eq!(full.texts[1], ("email", vec!["@x".to_owned(), "@y".to_owned()]));
    assert_eq!(full.ids, [vec!["USR0000000001".to_owned()]]);
    assert_eq!((full.activated, full.whole), (vec![true], false));
    assert!(filter("phone:1").is_err());
}
