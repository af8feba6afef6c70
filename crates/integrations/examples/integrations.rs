//! Integrations alone, on a new embedded database, with calls to this machine: `cargo run -p integrations --example
//! integrations`.

use std::{collections::HashSet, sync::Arc};

use integrations::{
    AuthType, Reporter, Reporters, Services,
    egress::{Guard, dial::Dialler},
    sender::{Sender, Settings, Tools},
    vault::Vault,
};
use outbox::{Tx, Worker};
use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    let guard = Arc::new(Guard::default().with_loopback());
    let dialler = Dialler::new(Arc::clone(&guard), &[])?;
    let vault = Arc::new(Vault::of(Vault::new_key()?.expose())?);
    let rules = integrations::rules(Arc::new(Standalone));
    let settings = Settings::default();
    let services = Arc::new(Services {
        vault: Arc::clone(&vault),
        guard: Arc::clone(&guard),
        dialler: dialler.clone(),
        timeout: settings.timeout,
        rules: Arc::clone(&rules),
        reporters: Arc::new(Nobody),
    });
    // They work until the server ends.
    let mut beside: Option<(Worker, Sender)> = None;
    api::harness::serve_with(integrations::domain(), integrations::extras(services), |db| {
        let subscriber = Arc::new(integrations::Subscriber { rules });
        let worker = Worker::start(db.clone(), vec![subscriber], api::clock::now)?;
        let people = Arc::new(Standalone);
        let mailer = None;
        let tools = Tools { db: db.clone(), people, vault, guard, dialler, clock: api::clock::now, settings, mailer };
        beside = Some((worker, Sender::start(tools)?));
        Ok(())
    })?;
    drop(beside);
    Ok(())
}

/// Alone there is nobody who keeps credentials.
struct Nobody;

impl Reporters for Nobody {
    fn admit(&self, _: &mut Tx<'_>, _: &str, _: &str, _: AuthType, _: &api::Caller) -> db::Result<Reporter> {
        Err(base::Problem::conflict("Credentials are made by the whole service only.").into())
    }

    fn live(&self, _: &mut db::Conn, _: &[&str], _: &[&str]) -> db::Result<HashSet<String>> {
        Ok(HashSet::new())
    }

    fn dismiss(&self, _: &mut Tx<'_>, _: &str, _: &str) -> db::Result<()> {
        Ok(())
    }
}
