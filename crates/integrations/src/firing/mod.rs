//! From an action to deliveries: which events it fires, and what each of them sends.
//!
//! It happens in the transaction that takes the action over, and each message is rendered there, once: every attempt
//! sends the same bytes.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    sync::Arc,
};

use base::{matching::Meter, timestamp::Timestamp};
use db::{Conn, Result};
use moka::sync::Cache;
use outbox::Event as Happened;
use ports::People;
use serde_json::{Value, json};

use crate::{
    delivery::{
        row::Message,
        store::{self as deliveries, Lane, NewDelivery},
    },
    event::{
        check::{Templates, content_type},
        config::Config,
        filter::{CachedTexts, Filter},
        store as events,
    },
    facts::Facts,
    installed::store as installed,
    notifier::Notifier,
    template::{Entity, FillError},
};

/// How many tenants' events are kept ready.
const KEPT: u64 = 1_000;
/// What filter and templates of each event of a tenant may cost, in steps, beside what they may cost together.
const FOR_EACH: u64 = 5_000;

/// An event with its filter and templates compiled, ready to fire.
#[derive(Debug)]
pub struct CompiledEvent {
    /// The tenant of the event.
    pub tenant: String,
    pub event_id: String,
    /// What it does.
    pub config: Config,
    /// Which entities it is about.
    pub filter: Filter,
    /// What it sends.
    pub templates: Templates,
    /// Where to.
    pub notifier: Notifier,
}

impl CompiledEvent {
    /// Compiles an event; `Err` says why it cannot fire.
    pub fn new(tenant: &str, event_id: &str, config: Config, base: Option<&Notifier>) -> Result<Self, &'static str> {
        if config.entity().is_none() {
            return Err("the event has no entity");
        }
        if config.event_type.is_none() {
            return Err("the event has no eventType");
        }
        let own = config.notifier.clone().filter(|_| !config.use_base_notifier);
        let notifier = own.or_else(|| base.filter(|_| config.use_base_notifier).cloned());
        let notifier = notifier.ok_or("the integration has no base notifier, and the event none of its own")?;
        let templates = Templates::read(&config, notifier.is_soap());
        let templates = templates.map_err(|_| "the templates of the event cannot be read any more")?;
        let filter = Filter::new(config.filter_criteria.as_ref());
        Ok(Self { tenant: tenant.to_owned(), event_id: event_id.to_owned(), config, filter, templates, notifier })
    }

    /// Renders the message.
    ///
    /// # Errors
    /// Why there is nothing to send.
    pub fn render(&self, facts: &Facts<'_>, meter: &Meter) -> Result<Message, FillError> {
        let target = self.templates.target.fill(facts, meter)?;
        let filled = self.templates.headers.iter().map(|(name, value)| Ok((name.clone(), value.fill(facts, meter)?)));
        let mut headers = filled.collect::<Result<Vec<_>, FillError>>()?;
        let body = self.templates.body.as_ref().map(|body| body.fill(facts, meter)).transpose()?;
        if body.is_some() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("Content-Type".to_owned(), content_type(self.templates.kind, &self.notifier).to_owned()));
        }
        let method = self.config.third_party_event_type.clone();
        Ok(Message { method, target, headers, body: body.unwrap_or_default() })
    }
}

/// The events of a tenant that can fire, by entity and action.
type EventsByAction = HashMap<(Entity, String), Vec<Arc<CompiledEvent>>>;

/// The events of all tenants, made ready once for each change of them.
pub struct Rules {
    people: Arc<dyn People>,
    kept: Cache<String, (i64, Arc<EventsByAction>)>,
}

/// A delivery that an action made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryReference {
    /// The tenant of the event.
    pub tenant: String,
    pub event_id: String,
    pub delivery_id: String,
}

impl Rules {
    /// Without any yet. `people` knows which partner a tenant belongs to.
    pub fn new(people: Arc<dyn People>) -> Self {
        Self { people, kept: Cache::new(KEPT) }
    }

    fn events_of(&self, conn: &mut Conn, tenant: &str) -> Result<Arc<EventsByAction>> {
        let revision = installed::revision(conn, tenant)?;
        if let Some((known, ready)) = self.kept.get(tenant)
            && known == revision
        {
            return Ok(ready);
        }
        let ready = Arc::new(if revision == 0 { EventsByAction::new() } else { load(conn, tenant)? });
        self.kept.insert(tenant.to_owned(), (revision, Arc::clone(&ready)));
        Ok(ready)
    }

    /// The events that an action at a tenant may fire: its own and its partner's.
    fn own_and_partner_events(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<Arc<EventsByAction>>> {
        let around = self.people.own_and_partner(conn, tenant)?;
        around.iter().map(|tenant| self.events_of(conn, tenant)).collect()
    }

    /// Fires the events of a tenant, and of its partner, that an action is for, and stores their deliveries.
    pub fn fire(&self, conn: &mut Conn, facts: Facts<'_>) -> Result<Vec<DeliveryReference>> {
        let around = self.own_and_partner_events(conn, facts.tenant)?;
        let mut lanes = BTreeMap::new();
        let fired = Self::fire_of(conn, &around, facts, &mut lanes)?;
        deliveries::make_due(conn, &lanes)?;
        Ok(fired)
    }

    /// Fires those of these events that an action is for. Notes their queues, and since when they are to be due.
    fn fire_of(
        conn: &mut Conn,
        around: &[Arc<EventsByAction>],
        facts: Facts<'_>,
        lanes: &mut BTreeMap<Lane, i64>,
    ) -> Result<Vec<DeliveryReference>> {
        let Some(entity) = Entity::find(facts.entity) else { return Ok(Vec::new()) };
        // Whatever happens to an alert is for events of the type NONE.
        let action = if entity == Entity::Alert { "NONE" } else { facts.action };
        let key = (entity, action.to_owned());
        let mut fired = Vec::new();
        let mut new = Vec::new();
        for ready in around {
            let Some(events) = ready.get(&key) else { continue };
            // Other writes wait meanwhile. Each tenant has its own budget, so that a client does not use up its
            // partner's.
            let meter = Meter::new(Meter::WRITE + FOR_EACH * events.len() as u64);
            let texts = CachedTexts::new(facts, &meter);
            for compiled in events {
                let message = match compiled.filter.matches(&texts) {
                    Ok(true) => compiled.render(&facts, &meter).map_err(|why| why.to_string()),
                    Ok(false) => continue,
                    // Whether it matches is unknown: a failed delivery tells the owner.
                    Err(exhausted) => Err(format!("the filter {exhausted} for this action")),
                };
                let delivery = delivery(compiled, &facts, message);
                let due_ms = lanes.entry((compiled.tenant.clone(), compiled.event_id.clone())).or_insert(i64::MAX);
                *due_ms = facts.at.millis().min(*due_ms);
                fired.push(DeliveryReference {
                    tenant: compiled.tenant.clone(),
                    event_id: compiled.event_id.clone(),
                    delivery_id: delivery.id.clone(),
                });
                new.push(delivery);
            }
        }
        if !new.is_empty() {
            deliveries::insert(conn, &new, facts.at)?;
        }
        Ok(fired)
    }
}

fn delivery(compiled: &CompiledEvent, facts: &Facts<'_>, message: Result<Message, String>) -> NewDelivery {
    let (message, refused) = match message {
        Ok(message) => (message, None),
        Err(why) => (
            Message { method: String::new(), target: String::new(), headers: Vec::new(), body: String::new() },
            Some(why),
        ),
    };
    NewDelivery {
        tenant: compiled.tenant.clone(),
        id: format!("DLV-{}", uuid::Uuid::now_v7()),
        event_id: compiled.event_id.clone(),
        message,
        refused,
        about: json!({
            "actionId": facts.action_id,
            "tenantId": facts.tenant,
            "entity": facts.entity,
            "eventType": facts.action,
            "entityId": facts.now("id").or_else(|| facts.now("uniqueId")),
        }),
    }
}

fn load(conn: &mut Conn, tenant: &str) -> Result<EventsByAction> {
    let integrations = installed::all(conn, tenant)?;
    let bases: HashMap<&str, Option<Notifier>> =
        integrations.iter().filter(|row| row.enabled).map(|row| (row.id.as_str(), row.notifier())).collect();
    let mut ready = EventsByAction::new();
    for row in events::all(conn, tenant)?.into_iter().filter(|row| row.active) {
        let Some(base) = bases.get(row.integration_id.as_str()) else { continue };
        let config = row.config.0.clone();
        match CompiledEvent::new(tenant, &row.id, config, base.as_ref()) {
            Ok(compiled) => {
                let key = compiled.config.entity().zip(compiled.config.event_type.clone());
                if let Some(key) = key {
                    ready.entry(key).or_default().push(Arc::new(compiled));
                }
            }
            Err(why) => tracing::debug!(tenant, event = row.id, why, "an integration event cannot fire"),
        }
    }
    Ok(ready)
}

/// Subscribes to the changes in the service, and fires the events that they match.
pub struct Subscriber {
    /// The events.
    pub rules: Arc<Rules>,
}

impl outbox::Subscriber for Subscriber {
    fn name(&self) -> &'static str {
        "integrations"
    }

    fn take(&self, conn: &mut Conn, event: &Happened) -> Result<()> {
        self.take_all(conn, std::slice::from_ref(event))
    }

    fn take_all(&self, conn: &mut Conn, events: &[Happened]) -> Result<()> {
        let gone = Value::Null;
        let mut known: HashMap<&str, Vec<Arc<EventsByAction>>> = HashMap::new();
        let mut lanes = BTreeMap::new();
        for event in events {
            let Some(entity) = Entity::find(&event.entity) else { continue };
            let around = match known.entry(&event.tenant_id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.rules.own_and_partner_events(conn, &event.tenant_id)?),
            };
            let facts = Facts {
                object: event.after.as_ref().or(event.before.as_ref()).unwrap_or(&gone),
                previous: event.after.as_ref().and(event.before.as_ref()),
                action: &event.action,
                entity: entity.word(),
                tenant: &event.tenant_id,
                action_id: &event.id,
                at: Timestamp::from_millis(event.at.millis()),
            };
            let _entered = traces::enter(event.trace.clone());
            Rules::fire_of(conn, around, facts, &mut lanes)?;
        }
        deliveries::make_due(conn, &lanes)
    }
}
