//! The commands that work with files of desired state, as an operator of a tenant calls them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use muster_tests::{Client, Exit, Server, muster, unique};
use serde_json::json;

/// A tenant, and the commands with a key of it.
pub struct Operator {
    pub client: Client,
    base: String,
    key: String,
    secret: String,
    /// Further variables of the environment, which hold secrets.
    pub environment: BTreeMap<String, String>,
}

impl Operator {
    /// With a new key of the tenant.
    pub fn new(client: Client, server: &Server, role: &str) -> Self {
        let made = client.post("/apiKeys", &json!({"name": unique("files"), "role": role})).ok();
        let field = |name: &str| made[name].as_str().unwrap().to_owned();
        let (key, secret) = (field("key"), field("secret"));
        Self { client, base: server.base().to_owned(), key, secret, environment: BTreeMap::new() }
    }

    /// A command behind which the folder stands.
    pub fn command(&self, arguments: &[&str], folder: &Path) -> Command {
        let mut command = muster();
        command.args(arguments).arg(folder).env("MUSTER_SERVER", &self.base);
        command.env("MUSTER_TENANT", self.client.tenant_id()).env("MUSTER_KEY", &self.key);
        command.env("MUSTER_SECRET", &self.secret).env("HOME", "/nonexistent").env_remove("XDG_CONFIG_HOME");
        command.envs(&self.environment).stdin(Stdio::null());
        command
    }

    /// Runs it; its output holds no secret.
    pub fn run(&self, arguments: &[&str], folder: &Path) -> Exit {
        let exit = Exit::within(Duration::from_secs(120), &mut self.command(arguments, folder));
        assert!(!exit.stderr.contains(&self.secret) && !exit.stdout.contains(&self.secret), "{arguments:?}");
        for secret in self.environment.values() {
            assert!(
                !exit.stderr.contains(secret) && !exit.stdout.contains(secret),
                "{arguments:?}: {}{}",
                exit.stdout,
                exit.stderr
            );
        }
        exit
    }

    /// Runs it, and asserts how it exits.
    #[track_caller]
    pub fn expect(&self, code: i32, arguments: &[&str], folder: &Path) -> Exit {
        let exit = self.run(arguments, folder);
        assert_eq!(exit.status.code(), Some(code), "{arguments:?}\n{}{}", exit.stdout, exit.stderr);
        exit
    }
}
