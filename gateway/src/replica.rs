//! The read replica that the options name.

use anyhow::Context as _;
use db::{Db, Options};
use doctor::Report;

use crate::command_line::{Replica, Storage};

impl Replica {
    /// Refuses what no database could be a replica of.
    pub fn check(&self, storage: &Storage) -> db::Result<()> {
        self.read_url.as_ref().map_or(Ok(()), |url| db::check_replica_url(&storage.url(), url))
    }

    /// Lets large reads go there, where an address is given.
    pub fn attach(&self, db: &Db, connections: u32) -> anyhow::Result<()> {
        let Some(url) = &self.read_url else { return Ok(()) };
        let options = Options { connections, ..Options::default() };
        let used = db.use_replica(url, options, self.read_max_lag);
        used.with_context(|| format!("opening {} of --read-url", url.without_password()))
    }

    /// Says of a replica whether it is one, and how far it is behind.
    pub fn report(&self, report: &mut Report, storage: &Storage) {
        if let Some(url) = &self.read_url {
            report.replica(&storage.url(), url, self.read_max_lag);
        }
    }
}
