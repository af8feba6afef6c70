//! What helps with an incident: the windows that its machines are in, articles about it, jobs that run on its machines.

use actix_web::{HttpResponse, web};
use api::{PathIds, RequestContext, Resource as _, answer, get};
use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{RelatedArticle, RelatedJob};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    row::{Machine, Row},
    tickets,
    wire::IncidentId,
};
use crate::{categories, neighbours::Neighbours};

/// How many machines and alerts of an incident are looked at.
const LOOKED_AT: usize = 5;

/// How many articles, and how many jobs, are told.
const MOST: usize = 5;

/// What helps with an incident.
#[derive(Debug, Serialize, ToSchema)]
pub struct RelatedToIncident {
    /// The maintenance windows that are open now and cover a machine of the incident.
    windows: Vec<RelatedWindow>,
    /// Articles of the knowledge base about its category, or about the subjects of its alerts; the best first.
    articles: Vec<RelatedArticle>,
    /// Jobs that have a machine of the incident, by name. `POST /jobs/{jobId}/run` runs one.
    jobs: Vec<RelatedJob>,
}

/// A window that is open.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedWindow {
    /// `SM-<uuid>`.
    unique_id: String,
    /// Its name.
    name: String,
    /// Which machine is in it.
    resource: Machine,
    /// Since when.
    #[schema(value_type = String)]
    start: Timestamp,
    /// Until when.
    #[schema(value_type = String)]
    end: Timestamp,
}

/// Find what helps with an incident
///
/// As of now: the maintenance windows that its machines are in; articles that have all words of its sub category, its
/// category, or of the metric, component, service, application or a tag of its alerts; jobs of its tenant that have one
/// of its machines. The first five machines and alerts are looked at; at most five articles and five jobs are told.
#[utoipa::path(
    operation_id = "getIncidentRelations",
    params(IncidentId),
    responses((status = 200, description = "Windows, articles and jobs", body = RelatedToIncident)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/{incidentId}/related")]
pub async fn related(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
) -> api::Result<HttpResponse> {
    let found = context
        .read(move |conn, scope| {
            let row = Row::existing(conn, &scope.scope(), &id)?;
            // The tenants whose articles the caller may read: a client does not see its partner's articles.
            let mut readable = vec![row.tenant_id.clone(), scope.tenant_id().to_owned()];
            readable.dedup();
            let texts = subjects(conn, &scope.scope_and_partner(), &row)?;
            let articles = neighbours.articles.about(conn, &readable, &texts, MOST)?;
            find(conn, &neighbours, &row, articles, scope.now)
        })
        .await?;
    answer::ok(&found)
}

fn find(
    conn: &mut Conn,
    neighbours: &Neighbours,
    row: &Row,
    articles: Vec<RelatedArticle>,
    now: Timestamp,
) -> Result<RelatedToIncident> {
    let machines: Vec<&Machine> = row.resources.iter().take(LOOKED_AT).collect();
    let keys: Vec<_> = machines.iter().map(|machine| (row.tenant_id.clone(), machine.id.clone())).collect();
    let covers = neighbours.maintenance.covering(conn, &keys, now)?;
    let windows = machines.iter().zip(covers).flat_map(|(machine, covers)| {
        covers.into_iter().map(|cover| RelatedWindow {
            unique_id: cover.window.unique_id,
            name: cover.window.name,
            resource: (*machine).clone(),
            start: cover.since,
            end: cover.until,
        })
    });
    let windows = windows.collect();
    let ids: Vec<String> = machines.iter().map(|machine| machine.id.clone()).collect();
    let jobs = neighbours.jobs.of_machines(conn, &row.tenant_id, &ids, i64::try_from(MOST).unwrap_or(i64::MAX))?;
    Ok(RelatedToIncident { windows, articles, jobs })
}

/// The texts to search articles for, the most specific first, each once.
fn subjects(conn: &mut Conn, visible: &[String], row: &Row) -> Result<Vec<String>> {
    let ids = [&row.sub_category_id, &row.category_id].map(String::clone);
    let names = categories::store::names(conn, visible, &ids)?;
    let mut texts: Vec<String> = ids.iter().filter_map(|id| names.get(id).cloned()).collect();
    let alerts: Vec<String> = row.alerts.iter().take(LOOKED_AT).map(|alert| alert.id.clone()).collect();
    texts.extend(tickets::subjects(conn, &row.tenant_id, &alerts)?);
    let mut each = Vec::new();
    for text in texts.into_iter().filter(|text| !text.trim().is_empty()) {
        if !each.contains(&text) {
            each.push(text);
        }
    }
    Ok(each)
}
