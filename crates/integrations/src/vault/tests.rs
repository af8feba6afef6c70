use super::*;

const PLACE: SealedAt<'static> =
    SealedAt { tenant: "client_1", table: "integrations", row: "INTG-1", column: "secrets" };

fn key() -> String {
    Vault::new_key().unwrap().into_inner()
}

fn secret() -> Secret<String> {
    Secret::new("hunter2".to_owned())
}

#[test]
fn opens_in_its_place_alone() {
    let vault = Vault::of(&key()).unwrap();
    let sealed = vault.seal(PLACE, &secret()).unwrap();
    assert!(!sealed.contains("hunter2"));
    assert_ne!(sealed, vault.seal(PLACE, &secret()).unwrap(), "a nonce is used once");
    assert_eq!(vault.open(PLACE, &sealed).unwrap().expose(), "hunter2");
    for place in [
        SealedAt { tenant: "client_2", ..PLACE },
        SealedAt { row: "INTG-2", ..PLACE },
        SealedAt { column: "signing", ..PLACE },
        SealedAt { table: "integration_events", ..PLACE },
    ] {
        assert_eq!(vault.open(place, &sealed).unwrap_err(), VaultError::Damaged, "{place:?}");
    }
    for (at, _) in sealed.char_indices() {
        let mut other: Vec<char> = sealed.chars().collect();
        other[at] = if other[at] == 'A' { 'B' } else { 'A' };
        let other: String = other.into_iter().collect();
        assert!(vault.open(PLACE, &other).is_err() || other == sealed, "{at}");
    }
}

#[test]
fn former_keys_open_what_they_sealed() {
    let old = key();
    let new = key();
    let sealed = Vault::of(&old).unwrap().seal(PLACE, &secret()).unwrap();
    let vault = Vault::of(&format!("{new}\n{old}\n")).unwrap();
    assert_eq!(vault.open(PLACE, &sealed).unwrap(), secret());
    assert!(!vault.is_current(&sealed));
    assert!(vault.is_current(&vault.seal(PLACE, &secret()).unwrap()));
    let former = Vault::of(&old).unwrap().fingerprint();
    assert!(vault.has(former) && vault.fingerprint() != former && sealed.contains(&id_of(former)));
    let other = Vault::of(&new).unwrap();
    assert!(matches!(other.open(PLACE, &sealed), Err(VaultError::UnknownKey(_))));
}

#[test]
fn keys_that_are_none_are_refused() {
    for wrong in ["", " \n", "abc", "!!!!", &format!("{}x", key()), &format!("{},abc", key())] {
        assert!(Vault::of(wrong).is_err(), "{wrong}");
    }
    assert!(Vault::of(&format!("{}=", key())).is_ok(), "with padding too");
}

#[test]
fn a_key_is_added_before_it_is_used() {
    let first = Vault::new_key().unwrap();
    let former = Vault::new_key().unwrap();
    let prepared = with_another(&format!("{}\n{}\n", first.expose(), former.expose())).unwrap();
    let of = |keys: &str| Vault::of(keys).unwrap();
    assert_eq!(of(prepared.expose()).fingerprint(), of(first.expose()).fingerprint(), "nothing seals with it yet");
    let finished = with_second_first(prepared.expose()).unwrap();
    let new = of(finished.expose()).fingerprint();
    assert!(new != of(first.expose()).fingerprint() && new != of(former.expose()).fingerprint());
    assert!(of(prepared.expose()).has(new), "who has the prepared keys opens what is sealed then");
    assert!(of(finished.expose()).has(of(first.expose()).fingerprint()));
    assert!(with_second_first(first.expose()).is_none());
}

#[test]
fn a_key_that_came_into_the_file_meanwhile_is_found() {
    let [old, new] = [(); 2].map(|()| Vault::new_key().unwrap().expose().clone());
    let file = Arc::new(std::sync::Mutex::new(old.clone()));
    let source = Arc::clone(&file);
    let vault = Vault::new(move || Some(Secret::new(source.lock().unwrap().clone()))).unwrap();
    let wanted = Vault::of(&new).unwrap().fingerprint();
    assert!(!vault.finds(wanted));
    *file.lock().unwrap() = format!("{new}\n{old}");
    assert!(!vault.has(wanted) && vault.finds(wanted) && vault.has(wanted));
}
