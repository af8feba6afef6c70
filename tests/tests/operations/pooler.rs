//! A connection pooler between the service and its Postgres.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use muster_tests::{Backend, Exit, Guard, Server, debian_programs, fresh_database, muster, psql};
use serde_json::json;

const NOBODY: u32 = 65_534;

/// pgbouncer in front of a database, in one of its modes and with so many sessions, and the URL that leads through it;
/// `None` where it cannot be had.
fn pooler(mode: &str, sessions: usize, url: &str) -> Option<(Guard, tempfile::TempDir, String)> {
    let programs = debian_programs(&["pgbouncer", "libc-ares2", "libevent-2.1-7"])?;
    let rest = url.strip_prefix("postgres://")?;
    let (user, rest) = rest.split_once(':')?;
    let (password, rest) = rest.split_once('@')?;
    let (server, database) = rest.split_once('/')?;
    let (host, server_port) = server.split_once(':')?;
    let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
    let directory = tempfile::tempdir().ok()?;
    let file = |name: &str| directory.path().join(name);
    fs::write(file("users"), format!("\"{user}\" \"{password}\"\n")).ok()?;
    let settings = format!(
        "[databases]\n{database} = host={host} port={server_port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
         listen_port = {port}\nunix_socket_dir =\nauth_type = plain\nauth_file = {}\npool_mode = {mode}\n\
         default_pool_size = {sessions}\n",
        file("users").display()
    );
    fs::write(file("settings.ini"), settings).ok()?;
    let libraries = fs::read_dir(programs.parent()?.join("lib")).ok()?.flatten().next()?.path();
    let mut command = Command::new(programs.join("pgbouncer"));
    command.arg(file("settings.ini")).env("LD_LIBRARY_PATH", libraries).stdout(Stdio::null()).stderr(Stdio::null());
    if rustix::process::geteuid().is_root() {
        // It refuses to be run by root.
        for path in [directory.path().to_owned(), file("users"), file("settings.ini")] {
            chown(path, Some(NOBODY), Some(NOBODY)).ok()?;
        }
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).ok()?;
        // By another process: what this one has open to write, a program that it starts meanwhile has open too.
        Command::new("cp").arg(programs.join("pgbouncer")).arg(file("pgbouncer")).status().ok()?;
        fs::set_permissions(file("pgbouncer"), fs::Permissions::from_mode(0o755)).ok()?;
        let mut own = Command::new(file("pgbouncer"));
        own.arg(file("settings.ini")).stdout(Stdio::null()).stderr(Stdio::null());
        for library in fs::read_dir(command.get_envs().next()?.1?).ok()?.flatten() {
            fs::copy(library.path(), file(&library.file_name().to_string_lossy())).ok()?;
        }
        own.env("LD_LIBRARY_PATH", directory.path()).uid(NOBODY).gid(NOBODY);
        command = own;
    }
    let running = Guard::spawn(&mut command);
    super::until("pgbouncer listens", Duration::from_secs(10), || TcpStream::connect(("127.0.0.1", port)).is_ok());
    Some((running, directory, format!("postgres://{user}:{password}@127.0.0.1:{port}/{database}")))
}

/// Two gateways and commands share three sessions: what one of them prepared or set, another one would meet.
#[test]
fn one_that_keeps_no_sessions_serves() {
    let direct = fresh_database();
    let Some((_pooler, _directory, url)) = pooler("transaction", 3, &direct) else { return };
    let data = tempfile::tempdir().unwrap();
    let command = |name: &str| Exit::of(muster().args([name, "--database-url", &url, "--data-dir"]).arg(data.path()));
    for name in ["migrate", "check", "doctor"] {
        let exit = command(name);
        assert!(!format!("{}{}", exit.stdout, exit.stderr).contains("prepared statement"), "{name}: {}", exit.stderr);
    }
    let first = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
    let second = Server::start_beside(&first, &[]);
    let gateways = [first, second];
    for gateway in &gateways {
        assert!(gateway.log().contains("transaction mode"), "{}", gateway.log());
    }
    std::thread::scope(|scope| {
        for (number, gateway) in gateways.iter().enumerate() {
            for caller in 0..4 {
                scope.spawn(move || {
                    let client = gateway.admin().tenant("client_1");
                    for machine in 0..10 {
                        let name = format!("m{number}-{caller}-{machine}");
                        let made = client.post("/resources", &json!({"hostName": name, "tags": [{"name": "a"}]})).ok();
                        let id = made["resourceUUID"].as_str().expect("an id");
                        assert!(client.get(&format!("/resources/{id}")).ok().to_string().contains(&name));
                        client.post(&format!("/resources/{id}"), &json!({"aliasName": "b"})).ok();
                        client.get("/resources/search?queryString=tags:a").ok();
                        client.get("/auditLog/search").ok();
                    }
                });
            }
        }
    });
    for gateway in &gateways {
        assert_eq!(gateway.admin().tenant("client_1").get("/resources/minimal").list().len(), 80);
    }
    // What is to be migrated beside writers takes a lock of a session.
    psql(&direct, "DELETE FROM __diesel_schema_migrations WHERE version = 'incidents0015'");
    let exit = command("migrate");
    assert!(!exit.status.success() && exit.stderr.contains("of the Postgres itself"), "{}", exit.stderr);
    // Limits of statements are those of transactions, and none stays behind in a session that others use.
    assert_eq!(psql(&url, "SHOW statement_timeout").trim(), "0");
}

/// A move works with a session of its own.
#[test]
fn a_move_through_one_that_keeps_no_sessions_is_refused() {
    let direct = fresh_database();
    let Some((_pooler, _directory, url)) = pooler("transaction", 3, &direct) else { return };
    let server = Server::start(Backend::Sqlite);
    let exit = Exit::of(muster().args(["move", "--to", &url, "--data-dir"]).arg(server.data_dir()));
    assert!(!exit.status.success() && exit.stderr.contains("transaction mode"), "{}", exit.stderr);
}

#[test]
fn one_that_keeps_sessions_serves() {
    let direct = fresh_database();
    let Some((_pooler, _directory, url)) = pooler("session", 20, &direct) else { return };
    let server = Server::start_at(Backend::Postgres, Some(url), &[]);
    let client = server.admin().tenant("client_1");
    client.post("/resources", &json!({"name": "through"})).ok();
    assert_eq!(client.get("/resources/minimal").list().len(), 1);
}
