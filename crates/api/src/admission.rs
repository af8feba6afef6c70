//! Is a request that lasts still allowed?
//!
//! The guard lets a request in once. A stream, a long list, or a body that arrives bit by bit goes on, while its key
//! may be revoked, its user deactivated, its role lowered, its tenant suspended. Such a request looks at its caller
//! again, every five seconds, and ends when it would not be let in any more.

use std::time::Duration;

use actix_web::{HttpMessage as _, HttpRequest};
use base::tenant::TenantId;
use tokio::time::Instant;

use crate::{
    Guard,
    credentials::Credentials,
    guard::{AdmittedOperation, tenant_of},
};

/// How often a request that lasts looks at its caller.
const EVERY: Duration = Duration::from_secs(5);

/// So many looks in a row may get no answer, since the database is away: it tells nothing else meanwhile.
const UNANSWERED: u32 = 3;

/// The leave of a request that lasts.
pub struct Admission {
    /// [`None`] for an operation that is everybody's.
    admitted: Option<(Guard, Credentials, AdmittedOperation, Option<TenantId>)>,
    next_look: Instant,
    unanswered: u32,
}

impl Admission {
    /// Of a request that the guard has let in just now.
    pub fn of(request: &HttpRequest) -> Self {
        let admitted = request.extensions().get::<AdmittedOperation>().copied().and_then(|admitted| {
            let guard = request.app_data::<Guard>()?.clone();
            let credentials = Credentials::of(request).ok()??;
            Some((guard, credentials, admitted, tenant_of(request.match_info().as_str())))
        });
        Self { admitted, next_look: Instant::now() + EVERY, unanswered: 0 }
    }

    /// When to look again.
    pub fn next_look(&self) -> Instant {
        self.next_look
    }

    /// Looks at the caller, when it is time to: may the request go on?
    pub async fn holds(&mut self) -> bool {
        let now = Instant::now();
        let Some((guard, credentials, admitted, tenant)) = &self.admitted else {
            self.next_look = now + EVERY;
            return true;
        };
        if now < self.next_look {
            return true;
        }
        let admits = guard.still_admits(credentials, *admitted, tenant.as_ref()).await;
        self.next_look = Instant::now() + EVERY;
        match admits {
            Ok(admits) => {
                self.unanswered = 0;
                admits
            }
            Err(error) => {
                tracing::warn!(%error, "a request that lasts could not look at its caller");
                self.unanswered += 1;
                self.unanswered < UNANSWERED
            }
        }
    }
}
