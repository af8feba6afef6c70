//! How an integration reports alerts: with credentials of its own, which end with it.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, post};
use db::Json;
use outbox::Unpublished;

use super::integrations::lock_for_update;
use crate::{
    installed::{
        row::Inbound,
        store,
        wire::{InstalledIntegration, IntegrationId, NewInboundAuthentication},
    },
    reporters::Reporter,
    services::Services,
};

/// The part of an integration that the audit log names.
const CREDENTIALS: &str = "inboundConfig.authentication";

/// Let an integration report alerts
///
/// Makes credentials for it that report alerts at its tenant and can do nothing else: key and secret for `OAUTH2` and
/// `BASIC`, an address for `WEBHOOK`. The answer is the only time that they are shown. Those that it had before end,
/// and with the integration these do: at once on the gateway that answers, within a second on others.
#[utoipa::path(
    operation_id = "setInboundAuthentication",
    params(("installedIntgId" = String, Path, description = "`INTG-<uuid>`",
        example = "INTG-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = NewInboundAuthentication, example = json!({"authType": "WEBHOOK"})),
    responses(
        (status = 200, description = "The integration, with the new credentials", body = InstalledIntegration),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["admin"]))
)]
#[post("/integrations/installed/{installedIntgId}/inbound/authentication")]
pub async fn set_inbound(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
    Body(NewInboundAuthentication { auth_type }): Body<NewInboundAuthentication>,
) -> api::Result<HttpResponse> {
    let origin = api::session::origin(context.request());
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            if let Some(former) = &old.inbound {
                services.reporters.dismiss(tx, &old.tenant_id, &former.id)?;
            }
            let Reporter { id, credentials } =
                services.reporters.admit(tx, &old.tenant_id, &old.id, auth_type, &scope.caller)?;
            let mut row = old.changed(tx.now);
            row.inbound = Some(Json(Inbound { auth_type, id }));
            store::update(tx.conn, &row)?;
            let secrets = vec![Unpublished::secret(CREDENTIALS, old.inbound.is_some(), true)];
            tx.record_change_with(Some(&old), Some(&row), secrets)?;
            let shown = InstalledIntegration::of(&row);
            let mut told = shown.clone();
            told.inbound_config = told.inbound_config.map(|config| config.with(credentials, &origin));
            Ok(Answer::once(&told, &shown)?.of_version(row.version))
        })
        .await
}
