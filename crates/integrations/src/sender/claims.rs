//! Claims of deliveries, with everything that is needed to send them.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use base::{
    calls::{Calls, Permit},
    timestamp::Timestamp,
};
use db::{Backend, Conn};
use traces::Context;

use super::{
    http_client::{CallError, Endpoint},
    sign::Signer,
};
use crate::{
    delivery::{
        queue::{self, Claimed, FinishedClaim, Lane, QueuePosition},
        row::Message,
    },
    event::{
        config::Config,
        row::{EndpointVersion, Row as Event},
        store as event_store,
    },
    installed::{row::Row as Integration, store as installed},
    notifier::host_of,
    vault::Vault,
};

/// A delivery in hand.
pub struct Job {
    /// The delivery.
    pub claimed: Claimed,
    /// The message.
    pub message: Message,
    /// The trace that it belongs to.
    pub trace: Option<Arc<Context>>,
    /// The endpoint to call, or the reason why it cannot be called.
    pub endpoint: Arc<Result<Endpoint, CallError>>,
    /// What says so.
    pub version: EndpointVersion,
    /// What the event does.
    pub config: Arc<Config>,
    /// The claim runs out.
    pub until: Timestamp,
    /// The tenant and the host that it calls.
    pub host: (String, String),
    /// Its right to a call, until it has been made.
    pub call: Permit,
}

/// What became of a delivery in hand.
pub struct Ended {
    pub claim: FinishedClaim,
    /// What was called, or would have been.
    pub called: EndpointVersion,
    /// Has it said that it is gone?
    pub is_gone: bool,
}

/// The update of a queue after it was read.
#[derive(Clone, Copy)]
pub enum QueueUpdate {
    /// Its due time is that of its first delivery, or this when that is later.
    Settle(i64),
    /// Its event does not fire: it waits.
    Hold,
    /// Its event is gone: some of what it has left is removed.
    Clear,
}

impl QueueUpdate {
    /// Does it.
    pub fn apply(self, conn: &mut Conn, lane: &Lane, now: Timestamp) -> db::Result<()> {
        match self {
            Self::Settle(at_least) => queue::settle(conn, lane, at_least, now),
            Self::Hold => queue::hold(conn, lane),
            Self::Clear => event_store::clear_gone(conn, &lane.0, &BTreeSet::from([lane.1.clone()]), now),
        }
    }
}

/// A request to claim deliveries of a queue: at most `most`, on SQLite first those behind a position.
#[derive(Clone)]
pub struct ClaimRequest {
    pub lane: Lane,
    pub most: usize,
    pub behind: Option<QueuePosition>,
}

/// The deliveries claimed from a queue.
pub struct ClaimedJobs {
    /// The queue.
    pub lane: Lane,
    /// What its event calls; `None` where it does not fire.
    pub version: Option<EndpointVersion>,
    /// The jobs to send.
    pub jobs: Vec<Job>,
    /// There may be more.
    pub more: bool,
    /// Where the last of them stood, on SQLite; and whether the queue was looked at from its beginning.
    pub reached: Option<QueuePosition>,
    pub from_beginning: bool,
    /// The update of the queue, if it needs one.
    pub after: Option<QueueUpdate>,
}

/// How deliveries are claimed.
pub struct Claims<'a> {
    /// This gateway, as the database knows it.
    pub owner: &'a str,
    /// Opens the secrets.
    pub vault: &'a Vault,
    /// When.
    pub now: Timestamp,
    /// When the claims run out.
    pub until: Timestamp,
    /// The ids of what is in hand already.
    pub in_hand: &'a HashSet<String>,
    /// How many calls may go where.
    pub calls: &'a Calls,
}

/// How long a queue is left alone that cannot be read.
const DAMAGED_MS: i64 = 30_000;

/// The rows read from a queue.
#[derive(Default)]
struct QueueRead {
    claimed: Vec<Claimed>,
    more: bool,
    reached: Option<QueuePosition>,
    from_beginning: bool,
    after: Option<QueueUpdate>,
}

impl Claims<'_> {
    /// Takes deliveries of the queues of each tenant: what fails for one leaves the others as they are.
    pub fn take_all(&self, conn: &mut Conn, wanted: Vec<Vec<ClaimRequest>>) -> db::Result<Vec<ClaimedJobs>> {
        let mut taken = Vec::new();
        for of_tenant in wanted {
            let together = db::savepoint(conn, |conn| of_tenant.iter().map(|one| self.take(conn, one)).collect());
            match together {
                Ok::<Vec<ClaimedJobs>, _>(together) => taken.extend(together),
                Err(error @ db::Error::Unavailable(_)) => return Err(error),
                Err(_) => taken.extend(of_tenant.iter().map(|one| self.take_alone(conn, one))),
            }
        }
        Ok(taken)
    }

    /// Takes deliveries of a queue, or leaves it alone for a while when that fails.
    fn take_alone(&self, conn: &mut Conn, wanted: &ClaimRequest) -> ClaimedJobs {
        db::savepoint(conn, |conn| self.take(conn, wanted)).unwrap_or_else(|error| {
            tracing::error!(%error, tenant = wanted.lane.0, event = wanted.lane.1, "the deliveries of an event");
            let after = Some(QueueUpdate::Settle(self.now.millis() + DAMAGED_MS));
            ClaimedJobs {
                lane: wanted.lane.clone(),
                version: None,
                jobs: Vec::new(),
                more: false,
                reached: None,
                from_beginning: true,
                after,
            }
        })
    }

    /// Takes deliveries of one queue, with all that is needed to send them.
    fn take(&self, conn: &mut Conn, wanted: &ClaimRequest) -> db::Result<ClaimedJobs> {
        let ClaimRequest { lane, most, behind } = wanted.clone();
        let (tenant, event_id) = &lane;
        let scope = std::slice::from_ref(tenant);
        let event = event_store::by_id(conn, tenant, event_id)?;
        let otherwise = if event.is_some() { QueueUpdate::Hold } else { QueueUpdate::Clear };
        let event = event.filter(|event| event.active);
        let integration =
            event.as_ref().map(|event| installed::existing(conn, scope, &event.integration_id)).transpose()?;
        let (Some(event), Some(integration)) = (event, integration.filter(|integration| integration.enabled)) else {
            let (jobs, after) = (Vec::new(), Some(otherwise));
            return Ok(ClaimedJobs {
                lane,
                version: None,
                jobs,
                more: false,
                reached: None,
                from_beginning: true,
                after,
            });
        };
        let version = EndpointVersion::of(&event, &integration);
        let endpoint = Arc::new(endpoint(&event, &integration, self.vault));
        let host = endpoint.as_ref().as_ref().ok().and_then(|endpoint| host_of(Some(&endpoint.notifier)));
        let host = (tenant.clone(), host.unwrap_or_default());
        let Some(mut calls) = self.calls.take(&host.0, &host.1, most) else {
            // They wait until a call to the host has ended.
            return Ok(ClaimedJobs {
                lane,
                version: Some(version),
                jobs: Vec::new(),
                more: true,
                reached: behind,
                from_beginning: false,
                after: None,
            });
        };
        let QueueRead { claimed, more, reached, from_beginning, after } =
            self.claimed(conn, &lane, calls.amount(), behind.as_ref())?;
        let ids: Vec<String> = claimed.iter().map(|claimed| claimed.id.clone()).collect();
        let mut messages = queue::messages(conn, tenant, &ids)?;
        let config = Arc::new(event.config.0);
        let jobs = claimed.into_iter().filter_map(|claimed| {
            let (message, trace) = messages.remove(&claimed.id)?;
            let endpoint = Arc::clone(&endpoint);
            let config = Arc::clone(&config);
            let host = host.clone();
            let call = calls.split_one();
            Some(Job { claimed, message, trace, endpoint, version, config, until: self.until, host, call })
        });
        let jobs = jobs.collect();
        Ok(ClaimedJobs { lane, version: Some(version), jobs, more, reached, from_beginning, after })
    }

    /// On Postgres, claimed from the other gateways; on SQLite, what is not in hand yet.
    fn claimed(
        &self,
        conn: &mut Conn,
        lane: &Lane,
        most: usize,
        behind: Option<&QueuePosition>,
    ) -> db::Result<QueueRead> {
        let wanted = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        if Backend::of(conn) == Backend::Postgres {
            let claimed = queue::claim(conn, self.owner, lane, self.now, self.until, wanted(most))?;
            let more = claimed.len() == most;
            return Ok(QueueRead {
                claimed,
                more,
                after: (!more).then_some(QueueUpdate::Settle(0)),
                ..QueueRead::default()
            });
        }
        let is_new = |(_, id): &QueuePosition| !self.in_hand.contains(id);
        let mut places = Vec::new();
        let mut from_beginning = false;
        let mut after = None;
        if behind.is_some() {
            places = queue::next_due(conn, lane, self.now, behind, wanted(most))?;
            places.retain(is_new);
        }
        if places.len() < most {
            from_beginning = true;
            places = queue::next_due(conn, lane, self.now, None, wanted(most + self.in_hand.len()))?;
            after = places.is_empty().then_some(QueueUpdate::Settle(0));
            places.retain(is_new);
        }
        let more = places.len() >= most;
        places.truncate(most);
        let reached = places.last().cloned();
        let ids: Vec<String> = places.into_iter().map(|(_, id)| id).collect();
        Ok(QueueRead { claimed: queue::load_unclaimed(conn, &lane.0, &ids)?, more, reached, from_beginning, after })
    }
}

/// The endpoint of an event. Without its secrets nothing is sent.
pub fn endpoint(event: &Event, integration: &Integration, vault: &Vault) -> Result<Endpoint, CallError> {
    let closed = |error: db::Error| {
        tracing::error!(%error, event = event.id, "the secrets of an event do not open");
        CallError::new("the credentials cannot be read: the key that they are sealed with is missing")
    };
    let config = event.config.0.clone();
    let mut secrets = event.open_secrets(vault).map_err(closed)?;
    let signer = Signer::new(&integration.open_signing(vault).map_err(closed)?);
    let (holder, notifier) = if config.use_base_notifier {
        secrets.0.retain(|name, _| name.starts_with("header:"));
        secrets.0.extend(integration.open_secrets(vault).map_err(closed)?.0);
        (integration.id.clone(), integration.notifier())
    } else {
        (event.id.clone(), config.notifier)
    };
    let notifier = notifier.ok_or_else(|| CallError::new("there is no notifier any more"))?;
    Ok(Endpoint { holder: (event.tenant_id.clone(), holder), notifier, secrets, signer })
}
