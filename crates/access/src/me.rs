//! Who calls: what a client asks first, and a person's own sessions.

use actix_web::HttpResponse;
use api::{HomeContext, Result, Role, answer, get};
use base::timestamp::Timestamp;
use db::Condition;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    sessions::wire::LimitedTo,
    users::{self, wire::UserMinimal},
};

/// The caller: who it is, and what it may do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "user": {"id": "USR0000000007", "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee"},
    "tenant": "client_1", "role": "operator", "expires": "2026-11-27T20:37:00+0000"
}))]
pub(crate) struct Me {
    /// The user that it acts as.
    user: UserMinimal,
    /// The tenant that it belongs to.
    tenant: String,
    /// What it may do: of a key that acts as a person, the lesser of both roles.
    #[schema(value_type = Role)]
    role: &'static str,
    /// The operationIds that it is restricted to, in their order; left out when it may do all that its role may.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<Vec<String>>,
    /// Of a session that began by the link of a page: it reads this tenant as a viewer, and calls its `operations` on
    /// this alert or incident. Left out for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_to: Option<LimitedTo>,
    /// When it ends by itself, at the latest; left out when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    expires: Option<Timestamp>,
}

/// Who am I
///
/// The user that the caller acts as, its tenant, and what it may do there.
#[utoipa::path(
    operation_id = "getMe",
    responses((status = 200, description = "The caller", body = Me)),
    security(("bearer" = ["viewer"])),
)]
#[get("/api/v2/me")]
pub(crate) async fn get_me(HomeContext(context): HomeContext) -> Result<HttpResponse> {
    let here = Condition::sql("users.tenant_id = ").text(context.tenant.id.as_str());
    let id = context.caller.user_id.clone();
    let user = context.db.point(move |conn| users::store::find(conn, here, &id)).await?;
    answer::ok(&Me {
        user: user.into(),
        tenant: context.tenant.id.to_string(),
        role: context.caller.role.as_str(),
        operations: context.caller.operations.as_deref().map(<[String]>::to_vec),
        limited_to: context.caller.limit.as_deref().map(LimitedTo::from),
        expires: context.caller.expires,
    })
}
