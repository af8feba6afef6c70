//! Installed integrations over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, OptionalBody, PageQuery, PathIds, RequestContext, RequestScope, answer, delete, get, post,
    spec::PageOf,
};
use base::{Fields, Problem, body::ignored, query_string, secret::Secret};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use db::Conn;
use outbox::{Tx, Unpublished};

use crate::{
    delivery::{queue, store as deliveries},
    event::{record, store as events},
    installed::{
        kinds,
        row::{Row, Signing},
        store::{self, Filter},
        wire::{
            Change, ChangeInput, Input, InstalledIntegration, IntegrationId, IntegrationWithSecret, SigningSecret,
            SigningSecretRotation,
        },
    },
    notifier::{Notifier, NotifierInput, Secrets, origin_of},
    services::Services,
    vault::{self, Vault},
};

api::list! {
    /// The search.
    pub Integrations by store::SORTS: SORT = "displayName", FILTER = "name:ticket"
}

/// Where an integration has its notifier.
pub const NOTIFIER: &str = "baseNotifier";
/// The name of its signing secret.
pub const SIGNING: &str = "signingSecret";

/// How long a former signing secret goes on signing.
const OVERLAP_MS: i64 = 86_400_000;

fn new_signing_secret() -> db::Result<Secret<String>> {
    Ok(Secret::new(format!("whsec_{}", STANDARD.encode(vault::random::<32>()?))))
}

/// The integration that is to be changed, which nobody else changes until the end of the transaction.
pub fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, id: &str) -> db::Result<Row> {
    let row = store::lock_for_update(tx.conn, &scope.scope(), id)?;
    scope.check_version(row.version)?;
    Ok(row)
}

/// Install an integration
///
/// Of the kind `CUSTOM`: one that you describe yourself. The answer shows the signing secret, this once; with it the
/// receiver verifies that a call comes from this service.
#[utoipa::path(
    operation_id = "installIntegration",
    request_body(content = Input, example = json!({
        "displayName": "Ticket system", "baseNotifier": {"baseURI": "https://example.net/api", "authType": "NONE"}
    })),
    responses(
        (status = 200, description = "The new integration, with its signing secret", body = IntegrationWithSecret),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/install/CUSTOM")]
pub async fn install(context: RequestContext, services: web::Data<Services>, body: Body) -> api::Result<HttpResponse> {
    let change = Change::read_new(&body.0, &services.guard)?;
    context
        .write(move |tx, scope| {
            let tenant = scope.tenant_id();
            let user = scope.author();
            let (row, current) = create_row(tx, &services.vault, tenant, user, change)?;
            let installed = InstalledIntegration::of(&row);
            Answer::once(
                &IntegrationWithSecret { installed: installed.clone(), signing_secret: current.into_inner() },
                &installed,
            )
        })
        .await
}

/// Installs an integration; answers it, and its signing secret.
pub fn create_row(
    tx: &mut Tx<'_>,
    vault: &Vault,
    tenant: &str,
    user: &str,
    change: Change,
) -> db::Result<(Row, Secret<String>)> {
    let id = format!("INTG-{}", uuid::Uuid::new_v4());
    let origin = (user.to_owned(), tx.now.millis());
    create_row_as(tx, vault, (tenant, &id), origin, change, true)
}

/// The same under an id, enabled or not.
pub fn create_row_as(
    tx: &mut Tx<'_>,
    vault: &Vault,
    (tenant, id): (&str, &str),
    (created_by, created_ms): (String, i64),
    change: Change,
    enabled: bool,
) -> db::Result<(Row, Secret<String>)> {
    let name = change.name.unwrap_or_default();
    let mut row = Row {
        tenant_id: tenant.to_owned(),
        id: id.to_owned(),
        version: 1,
        kind: "CUSTOM".to_owned(),
        name_key: base::fold(&name),
        name,
        description: change.description.unwrap_or_default(),
        enabled,
        notifier: None,
        secrets: String::new(),
        signing: String::new(),
        created_by,
        created_ms,
        updated_ms: None,
        inbound: None,
        gone: false,
    };
    let mut noted = vec![Unpublished::secret(SIGNING, false, true)];
    if let Some((notifier, secrets)) = &change.notifier {
        row.set_notifier(vault, notifier, secrets)?;
        noted.extend(Secrets::default().changes(secrets, NOTIFIER));
    }
    let current = new_signing_secret()?;
    row.set_signing(vault, &Signing { current: current.clone(), previous: None })?;
    store::lock_tenant(tx.conn, &row.tenant_id)?;
    store::insert(tx.conn, &row)?;
    tx.record_change_with(None, Some(&row), noted)?;
    Ok((row, current))
}

/// Search installed integrations
///
/// Those of the tenant; at partner level, of its clients too, unless `allList` is `false`. The variables of
/// `queryString` are `id`, `name` (it contains the value, whatever the letter case), of what was installed `uId` and
/// `category`, and `allList`.
#[utoipa::path(
    operation_id = "searchInstalledIntegrations",
    params(PageQuery<Integrations>),
    responses((status = 200, description = "A page of integrations", body = PageOf<InstalledIntegration>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/installed/search")]
pub async fn search(
    context: RequestContext<PageQuery<Integrations>>,
    services: web::Data<Services>,
) -> api::Result<HttpResponse> {
    let mut filter = Filter::default();
    let terms = query_string::parse(&context.query.filter, &["id", "name", "category", "uId", "allList"])?;
    let of_kind = terms.iter().filter(|term| ["category", "uId"].contains(&term.name));
    filter.kinds = kinds::matching_kinds(of_kind).iter().map(kinds::AvailableIntegration::id).collect();
    let mut all_list = None;
    for term in terms {
        match term.name {
            "id" => filter.ids = Some(term.values.into_iter().map(|id| IntegrationId::from(id).0).collect()),
            "allList" => all_list = Some(term.boolean()?),
            "category" | "uId" => {}
            _ => filter.names = Some(term.values.iter().map(|name| base::fold(name)).collect()),
        }
    }
    let page = context.page(move |conn, scope, sort, walk| {
        let mut found = store::search(conn, &scope.scope_of_list(all_list), &filter, sort, walk)?;
        found.rows = services.shown(conn, found.rows)?;
        Ok(found.map(|row| InstalledIntegration::of(&row)))
    });
    page.await
}

/// Get an installed integration
#[utoipa::path(
    operation_id = "getInstalledIntegration",
    params(IntegrationId),
    responses(
        (status = 200, description = "The integration", body = InstalledIntegration),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/installed/{installedIntgId}")]
pub async fn get(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
) -> api::Result<HttpResponse> {
    let scope = context.scope();
    let read = context.db.point(move |conn| {
        let stored = store::existing(conn, &scope, &id)?;
        let row = services.shown_one(conn, stored.clone())?;
        Ok((row.inbound == stored.inbound, row))
    });
    let (is_as_stored, row) = read.await?;
    let shown = InstalledIntegration::of(&row);
    // Credentials end without another version of the integration.
    if is_as_stored { answer::entity(&context, &shown, row.version) } else { answer::tagged(&shown, row.version) }
}

/// Update an installed integration
///
/// Fields left out stay as they are, those of `baseNotifier` too. A notifier that is pointed at another host needs its
/// secrets again.
#[utoipa::path(
    operation_id = "updateInstalledIntegration",
    params(IntegrationId),
    request_body(content = ChangeInput, example = json!({"displayName": "Ticket system, test"})),
    responses(
        (status = 200, description = "The integration after the change", body = InstalledIntegration),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}")]
pub async fn update(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
    body: Body,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            let row = change_row(tx, &services, &old, &body.0)?;
            let row = services.shown_one(tx.conn, row)?;
            Answer::entity(&InstalledIntegration::of(&row), row.version)
        })
        .await
}

/// Set the base notifier
///
/// The notifier of those events that have none of their own. Fields left out stay as they are. One that is pointed at
/// another host needs its secrets again.
#[utoipa::path(
    operation_id = "setBaseNotifier",
    params(IntegrationId),
    request_body(content = NotifierInput),
    responses(
        (status = 200, description = "The integration after the change", body = InstalledIntegration),
        (status = 409, description = "Events have headers with credentials that another host must not get"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/notifier")]
pub async fn set_notifier(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
    body: Body,
) -> api::Result<HttpResponse> {
    Fields::of(&body.0).finish()?;
    let body = serde_json::json!({NOTIFIER: body.0});
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            // The body is the notifier, so its fields are named without the path that they have in an integration.
            let (row, ignored) = ignored::collect(|| change_row(tx, &services, &old, &body));
            ignored::report(ignored.iter().map(|name| of_notifier(name)));
            let row = row.map_err(|error| match error {
                db::Error::Problem(mut problem) => {
                    problem.errors.iter_mut().for_each(|error| error.field_name = of_notifier(&error.field_name));
                    problem.detail = problem.detail.replace(&format!("{NOTIFIER}."), "");
                    problem.into()
                }
                error => error,
            })?;
            let row = services.shown_one(tx.conn, row)?;
            Answer::entity(&InstalledIntegration::of(&row), row.version)
        })
        .await
}

/// The path inside a notifier of a field that is named by its path in an integration.
fn of_notifier(path: &str) -> String {
    path.strip_prefix(NOTIFIER).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path).to_owned()
}

/// Changes an integration as a body says.
///
/// # Errors
/// 400 that lists every field that is wrong, 409 for a notifier that its events cannot go on with.
pub fn change_row(tx: &mut Tx<'_>, services: &Services, old: &Row, body: &serde_json::Value) -> db::Result<Row> {
    let former = old.open_secrets(&services.vault)?;
    let stored = old.notifier().map(|notifier| notifier.to_body(&former));
    let change = Change::read(body, stored.as_ref(), &services.guard)?;
    let mut noted = Vec::new();
    let mut row = old.changed(tx.now);
    if let Some(name) = change.name {
        row.name_key = base::fold(&name);
        row.name = name;
    }
    row.description = change.description.unwrap_or(row.description);
    if let Some((notifier, secrets)) = &change.notifier {
        for_all_events(tx, services, old, notifier)?;
        row.set_notifier(&services.vault, notifier, secrets)?;
        noted = former.changes(secrets, NOTIFIER);
    }
    store::update(tx.conn, &row)?;
    tx.record_change_with(Some(old), Some(&row), noted)?;
    if change.notifier.is_some() {
        queue::clear_all_failures(tx.conn, &row.tenant_id, &row.id)?;
    }
    Ok(row)
}

/// May the events that use the base notifier go on with another one? Their secret headers do not follow to another
/// host, and none of them has an `Authorization` beside that of the notifier.
fn for_all_events(tx: &mut Tx<'_>, services: &Services, old: &Row, new: &Notifier) -> db::Result<()> {
    let has_moved = origin_of(old.notifier().as_ref()) != origin_of(Some(new));
    let authorizes = new.auth_type != "NONE";
    if !has_moved && !authorizes {
        return Ok(());
    }
    let mut wrong = Vec::new();
    for event in events::of_integration(tx.conn, &old.tenant_id, &old.id)? {
        if event.secrets.is_empty() || !event.config.use_base_notifier {
            continue;
        }
        let secrets = event.open_secrets(&services.vault)?;
        if has_moved && secrets.0.keys().any(|name| name.starts_with("header:"))
            || authorizes && secrets.get("header:authorization").is_some()
        {
            wrong.push(event.id);
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let more = if wrong.len() > 10 { format!(" and {} more", wrong.len() - 10) } else { String::new() };
    wrong.truncate(10);
    Err(Problem::conflict(format!(
        "These events send headers with credentials, which another host must not get, or which that of the notifier \
         would replace: {}{more}. Remove the headers, and set them again afterwards.",
        wrong.join(", ")
    ))
    .into())
}

/// Delete an installed integration
///
/// With its events, their deliveries whether delivered or not, and the credentials with which it reported. Nothing of
/// it is shown or sent any more; many deliveries are removed in the minutes after.
#[utoipa::path(
    operation_id = "deleteInstalledIntegration",
    params(IntegrationId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[delete("/integrations/installed/{installedIntgId}")]
pub async fn delete(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let row = lock_for_update(tx, scope, &id)?;
            delete_row(tx, &services, &row)?;
            Ok(Answer::empty())
        })
        .await
}

/// Deletes an integration with its events and credentials. What they have left goes afterwards
/// ([`events::clear_gone`]).
pub fn delete_row(tx: &mut Tx<'_>, services: &Services, row: &Row) -> db::Result<()> {
    if let Some(inbound) = &row.inbound {
        services.reporters.dismiss(tx, &row.tenant_id, &inbound.id)?;
    }
    let all = events::of_integration(tx.conn, &row.tenant_id, &row.id)?;
    events::delete(tx.conn, &all, tx.now)?;
    for event in &all {
        record::change(tx, row, Some(event), None)?;
    }
    store::delete(tx.conn, row)?;
    tx.record_change(Some(row), None)
}

/// Enable an installed integration
///
/// Its events fire again, and pending deliveries are sent.
#[utoipa::path(
    operation_id = "enableInstalledIntegration",
    params(IntegrationId),
    responses(
        (status = 200, description = "The integration", body = InstalledIntegration),
        (status = 412, description = "The integration has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/enable")]
pub async fn enable(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
) -> api::Result<HttpResponse> {
    switch(context, services, id, true).await
}

/// Disable an installed integration
///
/// None of its events fires any more, and pending deliveries wait.
#[utoipa::path(
    operation_id = "disableInstalledIntegration",
    params(IntegrationId),
    responses(
        (status = 200, description = "The integration", body = InstalledIntegration),
        (status = 412, description = "The integration has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/disable")]
pub async fn disable(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
) -> api::Result<HttpResponse> {
    switch(context, services, id, false).await
}

async fn switch(
    context: RequestContext,
    services: web::Data<Services>,
    id: IntegrationId,
    enabled: bool,
) -> api::Result<HttpResponse> {
    if enabled {
        let named = id.clone();
        let bring_forward = move |conn: &mut Conn, scope: &RequestScope| {
            let row = store::existing(conn, &scope.scope(), &named)?;
            scope.check_version(row.version)?;
            let of = deliveries::DeliveriesOf::Integration(&row.id);
            Ok(!row.enabled && deliveries::bring_forward(conn, &row.tenant_id, of, scope.now)?)
        };
        context.in_steps(bring_forward).await?;
    }
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            let row = switch_row(tx, old, enabled)?;
            let row = services.shown_one(tx.conn, row)?;
            Answer::entity(&InstalledIntegration::of(&row), row.version)
        })
        .await
}

/// Enables or disables an integration.
pub fn switch_row(tx: &mut Tx<'_>, old: Row, enabled: bool) -> db::Result<Row> {
    if old.enabled == enabled {
        return Ok(old);
    }
    let row = Row { enabled, ..old.changed(tx.now) };
    store::update(tx.conn, &row)?;
    if enabled {
        let of = deliveries::DeliveriesOf::Integration(&row.id);
        deliveries::bring_forward_in_place(tx.conn, &row.tenant_id, of, tx.now)?;
        deliveries::release_all(tx.conn, &row.tenant_id, &row.id, tx.now)?;
        queue::clear_all_failures(tx.conn, &row.tenant_id, &row.id)?;
    }
    tx.record_change(Some(&old), Some(&row))?;
    Ok(row)
}

/// Rotate the signing secret
///
/// The answer shows the new secret, this once. For a day deliveries carry a signature with either secret;
/// `{"revokePrevious": true}` drops the former one at once.
#[utoipa::path(
    operation_id = "rotateSigningSecret",
    params(IntegrationId),
    request_body(content = Option<SigningSecretRotation>),
    responses(
        (status = 200, description = "The new secret", body = SigningSecret),
        (status = 412, description = "The integration has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/signingSecret/rotate")]
pub async fn rotate(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
    OptionalBody(rotation): OptionalBody<SigningSecretRotation>,
) -> api::Result<HttpResponse> {
    let revoke = rotation.revoke_previous;
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            let former = old.open_signing(&services.vault)?.current;
            let until = tx.now.millis() + OVERLAP_MS;
            let current = new_signing_secret()?;
            let previous = (!revoke).then_some((former, until));
            let mut row = old.changed(tx.now);
            row.set_signing(&services.vault, &Signing { current: current.clone(), previous })?;
            store::update(tx.conn, &row)?;
            tx.record_change_with(Some(&old), Some(&row), vec![Unpublished::secret(SIGNING, true, true)])?;
            queue::clear_all_failures(tx.conn, &row.tenant_id, &row.id)?;
            let previous_valid_until = (!revoke).then(|| base::Timestamp::from_millis(until));
            let shown = |signing_secret| SigningSecret { signing_secret, previous_valid_until };
            Answer::once(&shown(Some(current.into_inner())), &shown(None))
        })
        .await
}
