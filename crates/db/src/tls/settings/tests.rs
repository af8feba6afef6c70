use super::*;

fn read_in(url: &str, variables: &[(&str, &str)]) -> Result<Option<Settings>, String> {
    let found = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Settings::read(url, &found)
}

fn read(url: &str) -> Settings {
    read_in(url, &[]).unwrap().unwrap_or_else(|| panic!("no TLS for {url}"))
}

fn target(host: &str, port: u16) -> Endpoint {
    Endpoint::Tunnel(Target { host: host.to_owned(), address: None, port })
}

#[test]
fn who_asks_for_tls() {
    for (url, mode) in [
        ("postgres://db.test/m", Some(Mode::Prefer)),
        ("postgres://db.test/m?sslmode=allow", Some(Mode::Prefer)),
        ("postgres://db.test/m?sslmode=disable", None),
        ("postgres://localhost/m", None),
        ("postgres://u:p@127.0.0.1:5433/m", None),
        ("postgres://[::1]/m", None),
        ("postgres:///m", None),
        ("postgres:///m?host=/run/postgresql", None),
        ("postgres://%2Frun%2Fpostgresql/m", None),
        ("postgres://localhost/m?sslmode=prefer", Some(Mode::Prefer)),
        ("postgres://localhost/m?ssl=true", Some(Mode::Require)),
        ("postgres://localhost/m?sslmode=require", Some(Mode::Require)),
        ("postgres://localhost/m?sslmode=require&sslrootcert=/ca.pem", Some(Mode::VerifyCa)),
        ("postgres://localhost/m?sslmode=verify-ca&sslrootcert=%2Fca.pem", Some(Mode::VerifyCa)),
        ("postgres://localhost/m?sslmode=verify-full", Some(Mode::VerifyFull)),
        ("postgres://localhost/m?sslrootcert=system", Some(Mode::VerifyFull)),
        ("postgres://localhost,db.test/m", Some(Mode::Prefer)),
    ] {
        assert_eq!(read_in(url, &[]).unwrap().map(|settings| settings.mode), mode, "{url}");
    }
}

#[test]
fn the_environment_stands_in_for_what_the_url_leaves_out() {
    let variables = [("PGSSLMODE", "verify-full"), ("PGHOST", "env.test"), ("PGPORT", "6000"), ("PGSSLROOTCERT", "/r")];
    let settings = read_in("postgres:///m", &variables).unwrap().unwrap();
    assert_eq!((settings.mode, settings.roots), (Mode::VerifyFull, Roots::File("/r".into())));
    assert_eq!(settings.endpoints, [target("env.test", 6000)]);
    let settings = read_in("postgres://url.test:1/m?sslmode=require", &variables[..3]).unwrap().unwrap();
    assert_eq!((settings.mode, settings.endpoints), (Mode::Require, vec![target("url.test", 1)]));
}

#[test]
fn servers_are_paired_with_their_ports() {
    let endpoints = |url: &str| read(url).endpoints;
    assert_eq!(endpoints("postgres://a,b:7/m?sslmode=require"), [target("a", 5432), target("b", 7)]);
    assert_eq!(endpoints("postgres://a,b/m?sslmode=require&port=9"), [target("a", 9), target("b", 9)]);
    assert_eq!(endpoints("postgres://ignored/m?sslmode=require&host=c"), [target("c", 5432)]);
    assert_eq!(endpoints("postgres://[fe80::1]:8/m"), [target("fe80::1", 8)]);
    let address = Some("10.0.0.7".to_owned());
    let expected = Endpoint::Tunnel(Target { host: "db.test".to_owned(), address, port: 5432 });
    assert_eq!(endpoints("postgres://db.test/m?hostaddr=10.0.0.7"), [expected]);
}

#[test]
fn libpq_is_sent_to_the_tunnel_and_nowhere_else() {
    let settings = read("postgres://u:p%40ss@db.test:7,%2Frun/m?application_name=x&sslmode=require&sslrootcert=/ca");
    let url = settings.rewritten(&["/tmp/t 1/0".into()]);
    assert_eq!(
        url,
        "postgres://u:p%40ss@/m?application_name=x&host=%2Ftmp%2Ft%201%2F0%2C%2Frun&port=7%2C5432&hostaddr=\
         &sslmode=disable"
    );
}

#[test]
fn what_cannot_be_kept_is_refused() {
    for (url, said) in [
        ("postgres://h/m?sslmode=always", "none of"),
        ("postgres://h/m?sslmode=verify-ca", "needs sslrootcert"),
        ("postgres://h/m?sslmode=require&sslrootcert=system", "needs sslmode=verify-full"),
        ("postgres://h/m?sslmode=require&sslcrl=/x", "sslcrl is not supported"),
        ("postgres://h/m?sslmode=require&sslcert=/x", "together"),
        ("postgres://h/m?sslmode=require&channel_binding=require", "channel_binding"),
        ("postgres://h/m?sslmode=prefer&sslnegotiation=direct", "sslnegotiation"),
        ("postgres://h:x/m?sslmode=require", "x is not a port"),
        ("postgres://a,b/m?sslmode=require&hostaddr=1.2.3.4", "different numbers"),
        ("postgres://a,b/m?sslmode=require&port=1,2,3", "different numbers"),
    ] {
        let error = read_in(url, &[]).unwrap_err();
        assert!(error.contains(said), "{url}: {error}");
    }
}
