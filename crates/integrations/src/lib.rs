//! Integrations: what the outside world is told, and how.
//!
//! - [`installed`]: integrations, each with a notifier and a signing secret
//! - [`event`]: when to call whom with what
//! - [`template`]: what is sent
//! - [`firing`]: from an action to deliveries
//! - [`delivery`]: what was sent, and what is to be sent again
//! - [`sender`]: the calls
//! - [`egress`]: where calls may go
//! - [`vault`]: secrets at rest
//!
//! Operation 7 of `docs/interface.md`, and what is around it.

mod delivery;
pub mod demo;
pub mod egress;
mod event;
mod facts;
mod firing;
mod installed;
mod notifier;
mod reseal;
mod schema;
pub mod sender;
mod template;
pub mod vault;

use std::{sync::Arc, time::Duration};

use actix_web::web;
use api::Routes;
use base::problem::Problem;
use ports::People;
use serde_json::Value;

use crate::{
    egress::{Guard, dial::Dialler},
    notifier::Notifier,
    vault::Vault,
};
pub use crate::{
    firing::{Rules, Subscriber},
    reseal::{Sealed, any as any_secrets, check as check_secrets, reseal},
};

/// The domain, for the gateway's list. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "integrations",
        title: "Muster: integrations",
        routes,
        root_routes: api::domain::no_routes,
        migrations: db::migrations!("integrations"),
    }
}

/// What the handlers work with.
pub struct Context {
    /// Seals and opens secrets.
    pub vault: Arc<Vault>,
    /// Says where calls may go.
    pub guard: Arc<Guard>,
    /// Makes the calls of tests.
    pub dialler: Dialler,
    /// How long such a call may take.
    pub timeout: Duration,
    /// The events.
    pub rules: Arc<Rules>,
}

impl Context {
    /// Refuses a notifier whose hosts resolve to what may not be dialled.
    async fn check_hosts(&self, field: &str, notifier: Option<&Notifier>) -> Result<(), Problem> {
        let Some(notifier) = notifier else { return Ok(()) };
        let body = notifier.to_body(&notifier::Secrets::default());
        self.check_hosts_in(field, Some(&body)).await
    }

    /// The same of a notifier that was not read yet; what is no URL is refused later.
    async fn check_hosts_in(&self, field: &str, notifier: Option<&Value>) -> Result<(), Problem> {
        for name in ["baseURI", "accessTokenURL", "accessTokenURI"] {
            let text = notifier.and_then(|notifier| notifier.get(name)).and_then(Value::as_str);
            let Some(Ok(url)) = text.map(|text| self.guard.url(text)) else { continue };
            if let Err(wrong) = self.guard.resolves(&url).await {
                return Err(Problem::field(format!("{field}.{name}"), wrong));
            }
        }
        Ok(())
    }
}

/// Puts what handlers work with where they look for it.
pub fn extras(context: Arc<Context>) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + Sync + 'static {
    let context = web::Data::from(context);
    move |config: &mut web::ServiceConfig| {
        config.app_data(context.clone());
    }
}

/// Who answers for people, as the handlers of other domains have it.
pub fn rules(people: Arc<dyn People>) -> Arc<Rules> {
    Arc::new(Rules::new(people))
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    config
        .service(installed::http::install)
        .service(installed::http::search)
        .service(event::http::place_holders)
        .service(firing::actions::create)
        .service(installed::http::get)
        .service(installed::http::update)
        .service(installed::http::delete)
        .service(installed::http::enable)
        .service(installed::http::disable)
        .service(installed::http::set_notifier)
        .service(installed::http::rotate)
        .service(event::http::list)
        .service(event::http::create)
        .service(event::test::unsaved)
        .service(event::http::configure)
        .service(event::http::get)
        .service(event::http::delete)
        .service(event::http::activate)
        .service(event::http::deactivate)
        .service(event::test::saved)
        .service(delivery::http::search)
        .service(delivery::http::replay)
        .service(delivery::http::get)
        .service(delivery::http::resend);
}
