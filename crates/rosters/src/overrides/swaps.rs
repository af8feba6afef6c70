//! Swaps: two people take each other's time ("Overrides" in `docs/interface.md`). A swap is two overrides, each of one
//! person, that are made together.

use actix_web::{HttpResponse, post, web};
use api::{Answer, Body, RequestContext};
use base::{
    Fields,
    problem::{Problem, Wrong, shorten},
};
use calendar::Interval;
use ports::People;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    http::{named_shift, note},
    store,
    wire::{Override, ShiftReference, read_shift, read_time},
};
use crate::{
    crowd::Crowd,
    roster::{
        self,
        crew::user_id,
        documented::UserReference,
        http::{take_up, tenants_of},
    },
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

/// A swap to make.
#[derive(ToSchema)]
#[schema(as = RosterSwapInput, example = json!({
    "first": {"user": {"id": "USR0000000007"}, "start": "2026-12-03T00:00:00+0000", "end": "2026-12-04T00:00:00+0000"},
    "second": {"user": {"id": "USR0000000008"}, "start": "2026-12-10T00:00:00+0000", "end": "2026-12-11T00:00:00+0000"}
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct SwapInput {
    /// Whose time the second takes.
    first: SwapHalf,
    /// Whose time the first takes.
    second: SwapHalf,
    /// A shift of the roster; without it, whatever shift they are on call through.
    shift: Option<ShiftReference>,
    /// At most 4,000 characters.
    note: Option<String>,
}

/// Somebody's time.
#[derive(ToSchema)]
#[schema(as = RosterSwapHalf)]
#[expect(dead_code, reason = "only its schema is used")]
pub struct SwapHalf {
    /// A user of the tenant or of its partner.
    user: UserReference,
    /// From here on; the years 1970 to 9998.
    start: String,
    /// Until here: after `start`, by 366 days at most.
    end: String,
}

struct NewSwap {
    halves: [(String, Interval); 2],
    shift: Option<String>,
    note: String,
}

impl NewSwap {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let mut half = |name: &str| {
            fields.require(name);
            let mut half = fields.object(name)?;
            half.require("user");
            let user = half.object("user").map(|mut user| user_id(&user.required_text("id")));
            let time = read_time(&mut half);
            Some((user?, time?))
        };
        let (first, second) = (half("first"), half("second"));
        let shift = read_shift(&mut fields);
        let note = fields.text("note").map(|note| note.trim().to_owned()).unwrap_or_default();
        fields.finish()?;
        match (first, second) {
            (Some(first), Some(second)) => Ok(Self { halves: [first, second], shift, note }),
            _ => Err(Problem::internal()),
        }
    }
}

/// Swap
///
/// One person's time for another's: while the first would be on call in the first time, the second is, and the other way
/// round. Others who are on call stay. Both overrides are made or none, and deleting one takes back both, as far as they are
/// not past.
#[utoipa::path(
    tag = "rosters",
    operation_id = "createRosterSwap",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = SwapInput),
    responses((status = 200, description = "The swap", body = Swap)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/swaps")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let new = NewSwap::read(&body.0)?;
    let (scope, partner, now) = (context.scope(), context.tenant.partner.to_string(), context.now);
    let (people, id, author) = (people.into_inner(), path.into_inner().1, context.caller.user_id.clone());
    context
        .write(move |tx, _| {
            let roster = take_up(tx, &scope, &id, None)?;
            let tenants = tenants_of(&roster.tenant_id, &partner);
            let named = new.halves.iter().map(|(user, _)| user.clone()).chain([author.clone()]);
            let crowd = Crowd::load(tx.conn, &*people, &tenants, [], named)?;
            let mut wrong = Wrong::default();
            for ((user, _), field) in new.halves.iter().zip(["first.user.id", "second.user.id"]) {
                if crowd.user(user).is_none() {
                    wrong.add(field, format!("names no user of the tenant or its partner: {}", shorten(user)));
                }
            }
            wrong.check()?;
            let swap_id = format!("SWP-{}", uuid::Uuid::new_v4());
            let [first, second] = &new.halves;
            let mut overrides = Vec::new();
            for ((relieved, time), user) in [(first, &second.0), (second, &first.0)] {
                let shift = named_shift(tx, &roster, new.shift.as_deref(), *time, now)?;
                let row = store::Override {
                    tenant_id: roster.tenant_id.clone(),
                    roster_id: roster.id.clone(),
                    id: format!("OVR-{}", uuid::Uuid::new_v4()),
                    number: db::next_id(tx.conn, "rosters.overrides")?,
                    user_id: user.clone(),
                    start_ms: time.start().millis(),
                    end_ms: time.end().millis(),
                    shift_id: shift.as_ref().map(|shift| shift.id.clone()),
                    shift_name: shift.as_ref().map(|shift| shift.name.clone()),
                    zone: shift.as_ref().map(|shift| shift.zone.clone()),
                    schedule: shift.map(|shift| shift.schedule),
                    note: new.note.clone(),
                    created_by: author.clone(),
                    created_ms: now.millis(),
                    replaces: Some(relieved.clone()),
                    swap_id: Some(swap_id.clone()),
                };
                store::insert(tx.conn, &row)?;
                note(tx, None, Some(&row));
                overrides.push(Override::new(row, &crowd));
            }
            roster::store::touch(tx.conn, &roster, now)?;
            Answer::ok(&Swap { id: swap_id, overrides })
        })
        .await
}
