//! Swaps: two people take each other's time ("Overrides" in `docs/interface.md`). A swap is two overrides, each of one
//! person, that are made together.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, post};
use base::problem::FieldErrors;
use ports::People;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    http::{named_shift, overriding},
    row, store, view,
    wire::{self, NewSwap, Override},
};
use crate::{
    people::RosterPeople,
    roster::{self, http::lock_for_update, rules::tenants_of, wire::RosterId},
};

/// Two people who take each other's time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RosterSwap)]
pub struct Swap {
    /// `SWP-<uuid>`; both overrides have it as `swapId`.
    #[schema(example = "SWP-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Of the first time, and of the second.
    pub overrides: Vec<Override>,
}

/// Swap
///
/// Exchanges one person's time for another's: in the first time the second person is on call instead of the first, in
/// the second time the other way round. Others who are on call stay. Both overrides are made or none, and deleting one
/// takes back both, as far as they are not over.
#[utoipa::path(
    operation_id = "createRosterSwap",
    params(RosterId),
    request_body(content = NewSwap),
    responses((status = 200, description = "The swap", body = Swap)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/swaps")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
    Body(new): Body<NewSwap>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let halves = [&new.first, &new.second].map(|half| (half.user.user_id(), wire::time(half.start, half.end)));
            let roster = lock_for_update(tx, scope, &id)?;
            let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
            let named = halves.iter().map(|(user, _)| user.clone()).chain([tx.author().to_owned()]);
            let staff = RosterPeople::load(tx.conn, &**people, &tenants, [], named)?;
            let mut wrong = FieldErrors::default();
            for ((user, _), field) in halves.iter().zip(["first.user.id", "second.user.id"]) {
                staff.check_user(user, field, &mut wrong);
            }
            wrong.check()?;
            let swap_id = format!("SWP-{}", uuid::Uuid::new_v4());
            let [(first, in_first), (second, in_second)] = halves;
            let mut overrides = Vec::new();
            for (relieved, time, user) in [(&first, in_first?, &second), (&second, in_second?, &first)] {
                let shift = named_shift(tx, (&roster, &tenants), new.shift.as_deref(), time)?;
                let row = row::Override {
                    note: new.note.clone(),
                    replaces: Some(relieved.clone()),
                    swap_id: Some(swap_id.clone()),
                    ..overriding(tx, &roster, shift, user.clone(), time)?
                };
                store::insert(tx.conn, &row)?;
                tx.record_change(None, Some(&row))?;
                overrides.push(view::one(row, &staff));
            }
            roster::store::touch(tx.conn, &roster, tx.now)?;
            Answer::ok(&Swap { id: swap_id, overrides })
        })
        .await
}
