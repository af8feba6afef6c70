//! How the operations of integrations are called; the head of `recipes.rs` says how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

const INTEGRATIONS: &[Kind] = &[Kind::Integration];
const EVENTS: &[Kind] = &[Kind::Integration, Kind::IntegrationEvent];
const DELIVERIES: &[Kind] = &[Kind::Integration, Kind::IntegrationEvent, Kind::Delivery];

pub(super) const RECIPES: &[Recipe] = &[
    op("POST /integrations/install/CUSTOM").sends(INTEGRATION),
    op("GET /integrations/installed/search")
        .filters(&["queryString=id:$integration", "queryString=name:$integration.name"]),
    op("GET /integrations/events/placeHolders/{entity}"),
    op("GET /integrations/available/search"),
    op("POST /integrations/actions").sends(ACTION),
    op("GET /integrations/deliveries/search").filters(&[
        "queryString=integrationId:$integration",
        "queryString=integrationName:$integration.name",
        "queryString=eventId:$integrationEvent",
        "queryString=id:$delivery",
    ]),
    op("GET /integrations/installed/{installedIntgId}").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}").ids(INTEGRATIONS).sends(INTEGRATION),
    op("DELETE /integrations/installed/{installedIntgId}").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/enable").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/disable").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/notifier")
        .ids(INTEGRATIONS)
        .sends(r#"{"baseURI": "https://receiver.invalid/$new"}"#),
    op("POST /integrations/installed/{installedIntgId}/signingSecret/rotate").ids(INTEGRATIONS).sends("{}"),
    op("POST /integrations/installed/{installedIntgId}/inbound/authentication")
        .ids(INTEGRATIONS)
        .sends(r#"{"authType":"BASIC"}"#)
        .not_narrowed(),
    op("GET /integrations/installed/{installedIntgId}/events").ids(INTEGRATIONS),
    op("POST /integrations/installed/{installedIntgId}/event").ids(INTEGRATIONS).sends(NAMED),
    op("POST /integrations/installed/{installedIntgId}/event/test")
        .ids(INTEGRATIONS)
        .sends(r#"{"event": {"name": "$new"}, "object": {}}"#),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}").ids(EVENTS).sends(NAMED).creates(),
    op("GET /integrations/installed/{installedIntgId}/event/{eventId}").ids(EVENTS),
    op("DELETE /integrations/installed/{installedIntgId}/event/{eventId}").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/activate").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/deactivate").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/test")
        .ids(EVENTS)
        .sends(r#"{"object": {"subject": "$new"}}"#),
    op("GET /integrations/installed/{installedIntgId}/event/{eventId}/deliveries").ids(EVENTS),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/replay").ids(EVENTS).sends("{}"),
    op("GET /integrations/installed/{installedIntgId}/event/{eventId}/deliveries/{deliveryId}").ids(DELIVERIES),
    op("POST /integrations/installed/{installedIntgId}/event/{eventId}/deliveries/{deliveryId}/resend").ids(DELIVERIES),
];
