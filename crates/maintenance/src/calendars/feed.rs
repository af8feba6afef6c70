//! The feed: when a window is open, as events that are worked out already.

use actix_web::{HttpRequest, HttpResponse, web};
use api::{Resource as _, feed, get};
use base::timestamp::Timestamp;
use calendar::{
    Interval,
    ical::{self, Event},
};
use db::{Error, Result};

use super::store;
use crate::{
    neighbours::Neighbours,
    window::{row::Window, wire::WindowId},
};

/// Read the calendar of a maintenance window
///
/// An iCalendar feed of when it was open during the last 90 days and will be in the next 366, for calendar programs.
/// The token in the address is the only credential.
#[utoipa::path(
    operation_id = "readMaintenanceCalendar",
    params(
        WindowId,
        ("token" = String, Query, description = "The token of a calendar address"),
    ),
    responses(
        (
            status = 200, description = "The calendar", body = String, content_type = "text/calendar",
            headers(("ETag" = String, description = "The version of the calendar"))
        ),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(())
)]
#[get("/scheduleMaintenances/{windowId}/calendar.ics")]
pub async fn read(
    request: HttpRequest,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (tenant, id) = path.into_inner();
    let id = WindowId::from(id);
    let feed::FeedRequest { tenant, hash, now, db } = feed::FeedRequest::read(&request, &tenant)?;
    let text = db.read(move |conn| {
        // Anyone who has no token learns nothing, not even whether there is such a window.
        let window = match Window::existing(conn, std::slice::from_ref(&tenant), &id) {
            Err(Error::Problem(_)) => return Err(feed::unknown().into()),
            window => window?,
        };
        let address = store::opened(conn, &window, &hash, now)?.ok_or_else(feed::unknown)?;
        // It tells what its maker may read, for as long as that is somebody who may.
        if !neighbours.is_active(conn, &tenant)? || !neighbours.may_act(conn, &tenant, &address.created_by, now)? {
            return Err(feed::unknown().into());
        }
        render_feed(&window, now)
    });
    Ok(feed::respond(&request, text.await?))
}

fn render_feed(window: &Window, now: Timestamp) -> Result<String> {
    let (from, until) = feed::range(now);
    let course = window.course()?;
    let event = |open: Interval| Event {
        uid: format!("{}-{}@muster", window.id, open.start().millis() / 1_000),
        time: open,
        is_endless: false,
        date: None,
        summary: window.name.clone(),
        description: window.description.clone(),
        sequence: window.version - 1,
        modified: Timestamp::from_millis(window.updated_ms),
    };
    let events: Vec<Event> = course.open(from..until).take(feed::MOST_EVENTS).map(event).collect();
    Ok(ical::calendar("Maintenance", &window.name, &events))
}
