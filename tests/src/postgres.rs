//! A private Postgres for this test run, with a database per test server.
//!
//! `TEST_POSTGRES_URL` names a server to use instead; the databases made there are dropped again.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::certificates::Authority;
use crate::program::{Exit, muster};
use crate::unique::uuid;
use crate::watchdog::Watchdog;

/// Makes an empty database and gives its URL.
pub fn fresh_database() -> String {
    let cluster = cluster();
    cluster.url_of(&cluster.create_database("template0"))
}

/// A database of its own with all tables of the program under test: a copy, where making them takes as much as the rest
/// of a start.
pub(crate) fn migrated_database() -> String {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    let cluster = cluster();
    let template = TEMPLATE.get_or_init(|| {
        let name = cluster.create_database("template0");
        let mut migrate = muster();
        migrate.args(["migrate", "--database-url", &cluster.url_of(&name), "--data-dir"]).arg(std::env::temp_dir());
        let done = Exit::of(&mut migrate);
        assert!(done.status.success(), "muster migrate: {}", done.stderr);
        name
    });
    cluster.url_of(&cluster.create_database(template))
}

/// The PEM file of the authority that certified the private Postgres as `localhost` and 127.0.0.1; `None` when the
/// tests use another server.
pub fn postgres_authority() -> Option<PathBuf> {
    cluster().authority.clone()
}

/// Runs SQL, which may use the commands of psql, on the database at `url`; gives what it printed, a row a line.
#[track_caller]
pub fn psql(url: &str, sql: &str) -> String {
    let mut command = Command::new(&cluster().psql);
    command.args(["-XqtA", "-v", "ON_ERROR_STOP=1", "-d", url]).stdin(Stdio::piped());
    let mut psql = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("psql starts");
    psql.stdin.take().expect("piped").write_all(sql.as_bytes()).expect("psql reads");
    let output = psql.wait_with_output().expect("psql ends");
    assert!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A program beside those of the server, such as pgbench; `None` when it is not installed there.
pub fn postgres_program(name: &str) -> Option<PathBuf> {
    Some(find_programs().join(name)).filter(|program| program.is_file())
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(Cluster::start)
}

struct Cluster {
    psql: PathBuf,
    /// URL of the database `postgres`, or of the one that was given.
    url: String,
    authority: Option<PathBuf>,
    /// Also the lock that makes `CREATE DATABASE` one at a time.
    cleanup: Mutex<Cleanup>,
}

/// What the watchdog removes in the end.
enum Cleanup {
    /// The private cluster as a whole; held for that only.
    Cluster { _watchdog: Watchdog },
    /// The databases made on a given server: it is told each name.
    Databases(Watchdog),
}

impl Cluster {
    fn start() -> Self {
        match std::env::var("TEST_POSTGRES_URL") {
            Ok(url) if !url.is_empty() => Self::given(url),
            _ => Self::private(),
        }
    }

    fn given(url: String) -> Self {
        const DROP_ALL: &str = r#"
            names=
            while read -r name; do names="$names $name"; done
            for name in $names; do "$1" -X -d "$2" -c "DROP DATABASE IF EXISTS $name WITH (FORCE)"; done
        "#;
        let psql = PathBuf::from("psql");
        let watchdog = Watchdog::start(DROP_ALL, &["psql", &url]);
        Self { psql, url, authority: None, cleanup: Mutex::new(Cleanup::Databases(watchdog)) }
    }

    fn private() -> Self {
        let programs = find_programs();
        let owner = Owner::choose();
        let directory =
            tempfile::Builder::new().prefix("muster-postgres-").tempdir().expect("a temporary directory").keep();
        let mut watchdog = Watchdog::over(&directory, "QUIT");
        let password = uuid();
        let password_file = directory.join("password");
        fs::write(&password_file, &password).expect("write the password file");
        owner.give(&password_file);
        owner.give(&directory);

        let data = directory.join("data");
        let initdb = owner
            .command(&programs.join("initdb"), &directory)
            .args(["-U", "muster", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"])
            .arg(format!("--pwfile={}", password_file.display()))
            .arg("-D")
            .arg(&data)
            .output()
            .expect("initdb starts");
        assert!(initdb.status.success(), "initdb: {}", String::from_utf8_lossy(&initdb.stderr));

        let authority = certify(&data, &directory, &owner);
        let psql = programs.join("psql");
        for _ in 0..5 {
            let port = free_port();
            let log = directory.join("log");
            let mut process = owner
                .command(&programs.join("postgres"), &directory)
                .arg("-D")
                .arg(&data)
                .args(SETTINGS.iter().flat_map(|setting| ["-c", *setting]))
                .args(["-c", &format!("port={port}")])
                .stdout(fs::File::create(&log).expect("create the log"))
                .stderr(fs::File::options().append(true).open(&log).expect("open the log"))
                .process_group(0)
                .spawn()
                .expect("postgres starts");
            watchdog.watch(&process);
            let url = format!("postgres://muster:{password}@127.0.0.1:{port}/postgres");
            if answers(&psql, &url, &mut process) {
                let cleanup = Mutex::new(Cleanup::Cluster { _watchdog: watchdog });
                return Self { psql, url, authority: Some(authority), cleanup };
            }
            let log = fs::read_to_string(&log).unwrap_or_default();
            let _ = process.kill();
            let _ = process.wait();
            watchdog.unwatch();
            eprintln!("Postgres did not start on port {port}, trying another:\n{log}");
        }
        panic!("Postgres did not start");
    }

    fn create_database(&self, template: &str) -> String {
        let name = format!("muster_test_{}", uuid().replace('-', ""));
        let mut cleanup = self.cleanup.lock().unwrap_or_else(PoisonError::into_inner);
        if let Cleanup::Databases(watchdog) = &mut *cleanup {
            watchdog.tell(&name);
        }
        // Since Postgres 15 a copy goes through the WAL unless it is told otherwise, which takes three times as long.
        let create = format!(
            "SELECT 'CREATE DATABASE {name} TEMPLATE {template}' || CASE \
             WHEN current_setting('server_version_num')::int >= 150000 THEN ' STRATEGY file_copy' ELSE '' END \\gexec"
        );
        psql(&self.url, &create);
        name
    }

    fn url_of(&self, database: &str) -> String {
        with_database(&self.url, database)
    }
}

/// Nothing here has to survive a power cut, but `synchronous_commit` stays on: the server asks for it. Autovacuum comes
/// seldom: it visits each database, and in the end there are hundreds.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "full_page_writes=off",
    "max_connections=200",
    "shared_buffers=64MB",
    "max_wal_size=1GB",
    "autovacuum_naptime=2min",
    "logging_collector=off",
    "ssl=on",
];

/// Gives the server a certificate under the names that it looks for; answers where its authority's is.
fn certify(data: &Path, directory: &Path, owner: &Owner) -> PathBuf {
    let made = Authority::new().certify(&["localhost", "127.0.0.1"]);
    for (name, text) in [("server.crt", &made.certificate), ("server.key", &made.key)] {
        let file = data.join(name);
        fs::write(&file, text).expect("write the certificate");
        owner.give(&file);
    }
    let authority = directory.join("authority.pem");
    fs::write(&authority, made.authority).expect("write the certificate of the authority");
    authority
}

/// The user that runs Postgres, which refuses to be run by root.
pub(crate) struct Owner(Option<(u32, u32)>);

impl Owner {
    pub(crate) fn choose() -> Self {
        if id(&["-u"]) != Some(0) {
            return Self(None);
        }
        let found = ["postgres", "nobody"].into_iter().find_map(|user| Some((id(&["-u", user])?, id(&["-g", user])?)));
        Self(Some(found.expect("root needs a user `postgres` or `nobody` to run Postgres as")))
    }

    pub(crate) fn give(&self, path: &Path) {
        if let Some((user, group)) = self.0 {
            chown(path, Some(user), Some(group)).expect("root may change owners");
        }
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set permissions");
    }

    pub(crate) fn command(&self, program: &Path, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(directory).stdin(Stdio::null()).env("LC_ALL", "C").env("TZ", "UTC");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        command
    }
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Asks scripts/postgres.sh, which also installs them where it may.
pub(crate) fn find_programs() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/postgres.sh");
    let output = Command::new("sh").arg(script).stderr(Stdio::inherit()).output().expect("sh starts");
    assert!(output.status.success(), "no Postgres to test with: scripts/postgres.sh says what to do");
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Does the database at `url` carry out a statement?
pub(crate) fn asks(url: &str, statement: &str) -> bool {
    query(&find_programs().join("psql"), url, statement).status.success()
}

fn answers(psql: &Path, url: &str, process: &mut Child) -> bool {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        if matches!(process.try_wait(), Ok(Some(_))) {
            return false;
        }
        if query(psql, url, "SELECT 1").status.success() {
            return true;
        }
        sleep(Duration::from_millis(50));
    }
    false
}

fn query(psql: &Path, url: &str, statement: &str) -> std::process::Output {
    Command::new(psql)
        .args(["-X", "-q", "-d", url, "-c", statement])
        .env("PGCONNECT_TIMEOUT", "10")
        .stdin(Stdio::null())
        .output()
        .expect("psql starts")
}

/// The URL with its database replaced.
pub(crate) fn with_database(url: &str, name: &str) -> String {
    let (base, parameters) = match url.split_once('?') {
        Some((base, parameters)) => (base, format!("?{parameters}")),
        None => (url, String::new()),
    };
    let authority = base.find("://").map_or(0, |at| at + 3);
    let end = base[authority..].find('/').map_or(base.len(), |at| authority + at);
    format!("{}/{name}{parameters}", &base[..end])
}
