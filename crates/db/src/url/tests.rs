use super::*;

#[test]
fn schemes() {
    assert_eq!(DatabaseUrl::parse("sqlite:a/b.db").unwrap().backend(), Backend::Sqlite);
    assert_eq!(DatabaseUrl::parse("postgres://u:p@h/d").unwrap().backend(), Backend::Postgres);
    assert_eq!(DatabaseUrl::parse("postgresql://h/d").unwrap().backend(), Backend::Postgres);
    for wrong in ["", "sqlite:", "a.db", "mysql://h/d", "postgres:/h"] {
        assert!(DatabaseUrl::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn shown_without_password() {
    for (url, shown) in [
        ("postgres://u:p%40@h:1/d?password=x&sslmode=require", "postgres://u@h:1/d?sslmode=require"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("postgres:///d?sslpassword=x", "postgres:///d"),
        ("postgres:///d?pasword=x&pass%77ord=x&port=1", "postgres:///d?port=1"),
        ("sqlite:a.db", "sqlite:a.db"),
    ] {
        assert_eq!(DatabaseUrl::parse(url).unwrap().without_password(), shown);
    }
}

#[test]
fn what_libpq_would_not_read_is_refused_without_a_word_of_it() {
    for right in [
        "u:p%40ss@h/d",
        "u:a:b#c@h:5432/d",
        "u@[::1]:5432,h:1/d?sslmode=require",
        "%2Frun%2Fpostgresql/d",
        "/d?host=/run/postgresql",
        "h",
        "h:/d",
        "",
        "u:p@h/d?application_name=a%20b&password=x",
    ] {
        let url = format!("postgres://{right}");
        assert!(DatabaseUrl::parse(&url).is_ok(), "{url}");
    }
    for wrong in [
        "u:hu sh@h/d",
        "u:hu%sh@h/d",
        "u:hush%@h/d",
        "u:hush%00@h/d",
        "u:x@hush@h/d",
        "u:x/hush@h/d",
        "u:1/hush@h/d",
        "u:1?hush@h/d",
        "u:hush",
        "u:hush/d",
        "h:70000/hush",
        "h:1/d?hush",
        "h:1/d?password=hush=x",
        "u:x@h/d/hush",
    ] {
        let told = DatabaseUrl::parse(&format!("postgresql://{wrong}")).unwrap_err();
        assert!(!told.contains("hush"), "{wrong}: {told}");
    }
}

#[test]
fn the_note_of_a_pooler_is_not_for_libpq() {
    for text in ["postgres://u@h/d", "postgres://u@h/d?sslmode=require&connect_timeout=3"] {
        let url = DatabaseUrl::parse(text).unwrap();
        assert!(url.keeps_sessions());
        let noted = url.without_sessions().without_sessions();
        assert!(!noted.keeps_sessions());
        assert_eq!(noted.for_libpq().trim_end_matches('?'), text);
        assert_eq!(url.for_libpq(), text);
    }
}

#[test]
fn timeouts_are_set_where_nothing_is_said() {
    let complete = |url: &str, variables: &[&str]| {
        let environment = |name: &str| variables.contains(&name).then(|| "7".to_owned());
        match DatabaseUrl::parse(url).unwrap().with_defaults(&environment) {
            DatabaseUrl::Postgres(text) => text.expose().clone(),
            DatabaseUrl::Sqlite(path) => path.display().to_string(),
        }
    };
    let keepalives = "keepalives=1&keepalives_idle=5&keepalives_interval=2&keepalives_count=2";
    let all = format!("connect_timeout=2&{keepalives}&tcp_user_timeout=4000");
    assert_eq!(complete("postgres://h/d", &[]), format!("postgres://h/d?{all}"));
    assert_eq!(complete("postgres://h/d?sslmode=require", &[]), format!("postgres://h/d?sslmode=require&{all}"));
    assert_eq!(
        complete("postgres://h/d?tcp_user_timeout=0&connect_timeout=9", &[]),
        format!("postgres://h/d?tcp_user_timeout=0&connect_timeout=9&{keepalives}")
    );
    let by_variable = format!("postgres://h/d?{keepalives}&tcp_user_timeout=4000");
    assert_eq!(complete("postgres://h/d", &["PGCONNECT_TIMEOUT"]), by_variable);
    assert_eq!(complete("sqlite:a.db", &[]), "a.db");
}

#[test]
fn debug_hides_the_password() {
    let url = DatabaseUrl::parse("postgres://u:hunter2@h/d").unwrap();
    assert!(!format!("{url:?}").contains("hunter2"));
}
