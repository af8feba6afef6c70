//! One domain alone: its routes, its tables, its document, on embedded SQLite; for development of a domain.

use std::{net::TcpListener, sync::Arc};

use actix_web::HttpRequest;
use base::{problem::Problem, secret::Secret, tenant::TenantId};
use db::{DatabaseUrl, Db};

use crate::{
    Access, Caller, Domain, Extras, Role, Tenant,
    access::{Answer, Identity},
    serve::{Options, Service},
};

/// One caller, an admin of `msp_1`, whose token is made at start; tenants `msp_1` and `client_1`.
struct SingleCaller {
    token: String,
    caller: Arc<Caller>,
}

impl Access for SingleCaller {
    fn bearer<'a>(&'a self, token: &'a str) -> Answer<'a, Identity> {
        let is_known = token == self.token;
        let identity = if is_known { Identity::Caller(Arc::clone(&self.caller)) } else { Identity::Unknown };
        Box::pin(async move { Ok(identity) })
    }

    fn session<'a>(&'a self, _: &'a str) -> Answer<'a, Identity> {
        Box::pin(async { Ok(Identity::Unknown) })
    }

    fn inbound<'a>(&'a self, token: &'a str) -> Answer<'a, Identity> {
        self.bearer(token)
    }

    fn basic<'a>(&'a self, _: &'a str, secret: Secret<String>) -> Answer<'a, Identity> {
        Box::pin(async move { self.bearer(secret.expose()).await })
    }

    fn refused(&self, _: &HttpRequest, _: Option<&str>) -> Option<Problem> {
        None
    }

    fn tenant<'a>(&'a self, id: &'a TenantId) -> Answer<'a, Option<Arc<Tenant>>> {
        let partner = TenantId::partner(1);
        let client = TenantId::client(1);
        let clients = if *id == partner { vec![client.clone()] } else { Vec::new() };
        let is_known = *id == partner || *id == client;
        let tenant = is_known.then(|| Arc::new(Tenant { id: id.clone(), name: id.to_string(), partner, clients }));
        Box::pin(async move { Ok(tenant) })
    }
}

/// Serves one domain on a free port of the loopback address, with a new database in a temporary directory, and
/// prints its address and a token. `seed` may fill the database first.
pub fn serve(domain: Domain, seed: impl FnOnce(&Db) -> anyhow::Result<()>) -> anyhow::Result<()> {
    serve_with(domain, Extras::default(), seed)
}

/// As [`serve`], for a domain whose handlers need more than the database: `extras` adds it. The log goes to the
/// terminal.
pub fn serve_with(domain: Domain, extras: Extras, seed: impl FnOnce(&Db) -> anyhow::Result<()>) -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::INFO).init();
    let directory = tempfile::tempdir()?;
    let url = DatabaseUrl::Sqlite(directory.path().join("muster.sqlite"));
    let db = Db::open(&url, db::Options::default())?;
    db.migrate(&[outbox::migrations(), domain.migrations])?;
    seed(&db)?;
    let token = uuid::Uuid::new_v4().simple().to_string();
    let caller = Caller {
        key_id: "harness".to_owned(),
        user_id: "USR0000000001".to_owned(),
        home: TenantId::partner(1),
        role: Role::Admin,
        operations: None,
        expires: None,
        limit: None,
    };
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    print_line(&format!("{} at http://{address}/docs/ with the token {token}", domain.name));
    print_line(&format!("curl -H 'Authorization: Bearer {token}' http://{address}/api/v2/tenants/client_1/…"));
    let service = Service {
        title: domain.title,
        domains: vec![domain],
        access: Arc::new(SingleCaller { token, caller: Arc::new(caller) }),
        probe: db::Probe::start(&db)?,
        db,
        extras,
        options: Options { workers: 1, ..Options::default() },
    };
    actix_web::rt::System::new().block_on(service.run(listener, |_| {}))
}

#[expect(clippy::print_stdout, reason = "this is what the person at the terminal waits for")]
fn print_line(line: &str) {
    println!("{line}");
}
