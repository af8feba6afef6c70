//! How the operations of alerts, heartbeats, incidents and their categories are called; the head of `recipes.rs` says
//! how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("POST /heartbeats").sends(r#"{"name": "$new", "interval": "1h"}"#),
    op("GET /heartbeats/search").filters(&["queryString=name:$heartbeat.name", "queryString=id:$heartbeat.id"]),
    op("GET /heartbeats/{heartbeatId}").ids(&[Kind::Heartbeat]),
    op("POST /heartbeats/{heartbeatId}").ids(&[Kind::Heartbeat]).sends(NAMED),
    op("DELETE /heartbeats/{heartbeatId}").ids(&[Kind::Heartbeat]),
    // Alerts: a resource that is another's is not a reason to refuse one (tests/alerts/intake.rs).
    op("POST /alert").sends(ALERT),
    op("POST /alerts").sends(r#"[{"currentState": "Warning", "subject": "$new"}]"#),
    op("POST /alerts/alertmanager")
        .sends(r#"{"version": "4", "alerts": [{"status": "firing", "labels": {"alertname": "$new"}}]}"#),
    op("GET /alerts/search").filters(ALERT_FILTERS),
    op("GET /alerts/counts").filters(ALERT_FILTERS),
    op("GET /alerts/figures").asks(FIGURES).filters(ALERT_FILTERS),
    // An id that is another's is one that the filter does not find (tests/alerts/bulk.rs).
    op("POST /alerts/actions/{action}").sends(r#"{"queryString": "subject:$new"}"#),
    op("GET /alerts/{alertId}").ids(&[Kind::Alert]),
    op("POST /alerts/{alertId}/actions/acknowledge").ids(&[Kind::Alert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/unacknowledge").ids(&[Kind::AcknowledgedAlert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/suppress").ids(&[Kind::Alert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/unsuppress").ids(&[Kind::SuppressedAlert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/close").ids(&[Kind::Alert]).sends("{}"),
    op("POST /alerts/{alertId}/notes").ids(&[Kind::Alert]).sends(r#"{"text": "$new"}"#),
    op("GET /api/v2/cfg/alertTypes"),
    op("GET /api/v2/cfg/alertTechnologies"),
    // Incident categories
    op("POST /incidents/categories").sends(r#"{"names": ["$new"]}"#).refers(&[
        r#"{"names": ["$new"], "parentCategory": {"uniqueId": "$incidentCategory"}}"#,
        r#"{"names": ["$new"], "parentCategory": {"name": "$incidentCategory.name"}}"#,
    ]),
    op("GET /incidents/categories").filters(&[
        "queryString=uniqueId:$incidentCategory",
        "queryString=name:$incidentCategory.name",
        "queryString=parentId:$incidentCategory",
        "view=tree&queryString=parentId:$incidentCategory",
    ]),
    op("GET /incidents/categories/{categoryId}").ids(&[Kind::IncidentCategory]),
    op("POST /incidents/categories/{categoryId}")
        .ids(&[Kind::IncidentCategory])
        .sends(NAMED)
        .refers(BELOW_INCIDENT_CATEGORY),
    op("POST /incidents/categories/{categoryId}/move")
        .ids(&[Kind::IncidentCategory])
        .sends("{}")
        .refers(BELOW_INCIDENT_CATEGORY),
    op("DELETE /incidents/categories/{categoryId}").ids(&[Kind::IncidentCategory]),
    // Incidents
    op("POST /incidents").sends(INCIDENT).refers(NEW_INCIDENT_NAMES),
    op("GET /incidents/search").filters(INCIDENT_FILTERS),
    op("GET /incidents/{incidentId}").ids(&[Kind::Incident]),
    op("GET /incidents/{incidentId}/related").ids(&[Kind::Incident]),
    op("POST /incidents/{incidentId}").ids(&[Kind::Incident]).sends(INCIDENT).refers(INCIDENT_NAMES),
    op("POST /incidents/{incidentId}/close").ids(&[Kind::Incident]).sends("{}"),
    op("POST /incidents/{incidentId}/notes").ids(&[Kind::Incident]).sends(r#"{"content": "$new"}"#),
    op("GET /incidents/{incidentId}/notes").ids(&[Kind::Incident]),
];
