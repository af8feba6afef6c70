//! A certified OpenID provider of npm, to sign in at as people do.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{encode, http};
use crate::skipped;

/// The package, in the version that the tests were written for.
const PACKAGE: &str = "oidc-provider@9.13.3";

/// How browsers reach the service, as far as the provider knows. Tests go to where it listens instead.
pub const SERVICE: &str = "http://muster.test";

/// How long it may take to start.
const START: Duration = Duration::from_secs(20);

/// A running provider that knows one client, `muster`.
pub struct Issuer {
    process: Child,
    /// Its address.
    pub base: String,
}

impl Issuer {
    /// Starts one. `None`, and a line on the terminal that says so, where there is no node or no registry to get it
    /// from; where `CI` is `true` that is a failure, since the tests would pass without having looked.
    pub fn start(client_secret: &str) -> Option<Self> {
        let modules = modules()?;
        // Another process may take the port that was free a moment ago.
        (0..3)
            .find_map(|_| Self::start_at(free_port(), client_secret, modules))
            .or_else(|| panic!("no provider starts"))
    }

    fn start_at(port: u16, client_secret: &str, modules: &Path) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/oidc/provider.mjs");
        let mut command = Command::new("node");
        command
            .arg(script)
            .args([&port.to_string(), &format!("{SERVICE}/auth/oidc/callback"), client_secret])
            .arg(modules);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut started =
            Self { process: command.spawn().expect("node starts"), base: format!("http://127.0.0.1:{port}") };
        let begun = Instant::now();
        while begun.elapsed() < START {
            if started.process.try_wait().is_ok_and(|ended| ended.is_some()) {
                return None;
            }
            let document = format!("{}/.well-known/openid-configuration", started.base);
            if http().get(document).send().is_ok_and(|answer| answer.status() == 200) {
                return Some(started);
            }
            sleep(Duration::from_millis(50));
        }
        None
    }

    /// From now on it signs with another key, and has forgotten the one before.
    pub fn rotate(&self) {
        let answer = http().get(format!("{}/test/rotate", self.base)).send().expect("the provider answers");
        assert_eq!(answer.status(), 200);
    }

    /// From now on it takes so many milliseconds to answer for a code.
    pub fn slow_down(&self, millis: u64) {
        let answer = http().get(format!("{}/test/slow?{millis}", self.base)).send().expect("the provider answers");
        assert_eq!(answer.status(), 200);
    }

    /// Signs in as this account (`sub` and claims) at the address that the service sends a browser to; where the
    /// provider then sends it: a path with its query.
    #[track_caller]
    pub fn sign_in(&self, address: &str, account: &Value) -> String {
        let client = http();
        let mut cookies: BTreeMap<String, String> = BTreeMap::new();
        let mut next = format!("{address}&login_hint={}", encode(&account.to_string()));
        for _ in 0..10 {
            let header = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
            let answer = client.get(&next).header("Cookie", header).send().expect("the provider answers");
            let headers = answer.headers().clone();
            for set in headers.get_all("Set-Cookie").iter().filter_map(|value| value.to_str().ok()) {
                let pair = set.split(';').next().unwrap_or_default();
                match pair.split_once('=') {
                    Some((name, "")) => drop(cookies.remove(name)),
                    Some((name, value)) => drop(cookies.insert(name.to_owned(), value.to_owned())),
                    None => {}
                }
            }
            let Some(location) = headers.get("Location").and_then(|value| value.to_str().ok()) else {
                panic!("{next}: {} {}", answer.status(), answer.text().unwrap_or_default());
            };
            if let Some(path) = location.strip_prefix(SERVICE) {
                return path.to_owned();
            }
            next = if location.starts_with('/') { format!("{}{location}", self.base) } else { location.to_owned() };
        }
        panic!("the provider leads in circles: {next}");
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port()
}

/// The directory of the package, beside what cargo builds; made by the first test that asks.
fn modules() -> Option<&'static Path> {
    static MODULES: OnceLock<Option<PathBuf>> = OnceLock::new();
    let modules = MODULES.get_or_init(|| {
        let made = make();
        if made.is_none() {
            skipped(&format!("no node with {PACKAGE} here, nor could it be installed"));
        }
        made
    });
    modules.as_deref()
}

fn make() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let target = program.ancestors().nth(3)?;
    let directory = target.join(format!("node-{}", PACKAGE.replace('@', "-")));
    let modules = directory.join("node_modules");
    let is_there = || modules.join("oidc-provider/package.json").is_file();
    if is_there() && run(Command::new("node").arg("--version")) {
        return Some(modules);
    }
    // Made under another name, so that what is there is whole.
    let new = target.join(format!("node-new-{}", std::process::id()));
    std::fs::create_dir_all(&new).ok()?;
    let mut install = Command::new("npm");
    install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(&new).arg(PACKAGE);
    if run(&mut install) {
        // Another process may have been faster.
        let _ = std::fs::rename(&new, &directory);
    }
    let _ = std::fs::remove_dir_all(&new);
    is_there().then_some(modules)
}

fn run(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
