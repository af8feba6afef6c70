//! How the operations of maintenance windows are called; the head of `recipes.rs` says how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("POST /scheduleMaintenances").sends(WINDOW).refers(COVERING),
    op("GET /scheduleMaintenances/search").filters(WINDOW_FILTERS),
    op("GET /scheduleMaintenances/calendars"),
    op("GET /scheduleMaintenances/active").filters(&["resourceId=$resource"]),
    op("GET /scheduleMaintenances/occurrences").asks(RANGE).filters(OCCURRENCE_FILTERS),
    op("POST /scheduleMaintenances/preview").asks(RANGE).sends(WINDOW).refers(COVERING),
    op("POST /scheduleMaintenances/match")
        .sends(r#"{"resource": {"id": "$resource"}, "subject": "full", "currentState": "Critical"}"#)
        .refers(&[
            r#"{"resource": {"id": "$resource"}, "subject": "full", "currentState": "Critical"}"#,
            r#"{"device": {"hostName": "$resource.name"}, "subject": "full", "currentState": "Critical"}"#,
        ]),
    op("GET /scheduleMaintenances/{windowId}").ids(&[Kind::MaintenanceWindow]),
    op("POST /scheduleMaintenances/{windowId}").ids(&[Kind::MaintenanceWindow]).sends(WINDOW).refers(COVERING),
    op("DELETE /scheduleMaintenances/{windowId}").ids(&[Kind::MaintenanceWindow]),
    op("GET /scheduleMaintenances/{windowId}/occurrences").ids(&[Kind::MaintenanceWindow]).asks(RANGE),
    op("GET /scheduleMaintenances/{windowId}/resources/resources").ids(&[Kind::MaintenanceWindow]),
    op("GET /scheduleMaintenances/{windowId}/resources/deviceGroups").ids(&[Kind::MaintenanceWindow]),
    op("GET /scheduleMaintenances/{windowId}/resources/sites").ids(&[Kind::MaintenanceWindow]),
    op("POST /scheduleMaintenances/{windowId}/suspend").ids(&[Kind::MaintenanceWindow]).sends(r#"{"pattern": "now"}"#),
    op("POST /scheduleMaintenances/{windowId}/resume").ids(&[Kind::MaintenanceWindow]),
    op("POST /scheduleMaintenances/{windowId}/extend").ids(&[Kind::MaintenanceWindow]).sends(r#"{"minutes": 1}"#),
    op("POST /scheduleMaintenances/{windowId}/skip").ids(&[Kind::MaintenanceWindow]).sends("{}"),
    op("POST /scheduleMaintenances/{windowId}/unskip").ids(&[Kind::MaintenanceWindow]).sends("{}"),
    op("POST /scheduleMaintenances/{windowId}/end").ids(&[Kind::MaintenanceWindow]).sends(r#"{"pattern": "all"}"#),
    op("POST /scheduleMaintenances/{windowId}/resources")
        .ids(&[Kind::MaintenanceWindow])
        .sends(COVERED[0])
        .refers(COVERED),
    op("DELETE /scheduleMaintenances/{windowId}/resources")
        .ids(&[Kind::MaintenanceWindow])
        .sends(COVERED[0])
        .refers(COVERED),
    op("POST /scheduleMaintenances/{windowId}/calendars").ids(&[Kind::MaintenanceWindow]),
    op("GET /scheduleMaintenances/{windowId}/calendars").ids(&[Kind::MaintenanceWindow]),
    op("DELETE /scheduleMaintenances/{windowId}/calendars/{calendarId}")
        .ids(&[Kind::MaintenanceWindow, Kind::MaintenanceCalendar]),
];
