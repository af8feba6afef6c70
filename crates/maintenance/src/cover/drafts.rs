//! Windows that could be: tried before they are saved.

use std::{collections::BTreeSet, sync::Arc};

use base::{
    Fields,
    matching::Meter,
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use db::{Conn, Result};
use ports::ResourceSummary;
use serde_json::Value;

use super::{
    ready::Ready,
    windows::{CoveringWindow, Windows},
};
use crate::window::{
    rules,
    targets::{self, Kind, Target},
    wire::{NewWindow, window_id},
};

/// How many windows may be tried at once.
const MOST: usize = 10;

/// Windows of a body, each with the id of the saved one in whose place it stands.
pub struct Drafts(Vec<(String, NewWindow)>);

impl Drafts {
    /// Reads `windows`. Says which fields are wrong, by their paths.
    pub fn read(body: &Value, meter: &Meter) -> (Self, FieldErrors) {
        let mut fields = Fields::of(body);
        let items = fields.objects("windows").unwrap_or_default();
        if items.len() > MOST {
            fields.error("windows", format!("must have at most {MOST} elements"));
            return (Self(Vec::new()), fields.wrong());
        }
        let read = |mut item: Fields<'_>| {
            let id = item.text_max("uniqueId", 100).map(|id| window_id(&id)).unwrap_or_default();
            (id, NewWindow::read_all(&mut item, meter))
        };
        let drafts = items.into_iter().map(read).collect();
        (Self(drafts), fields.wrong())
    }

    /// Those that are open at an instant and cover a resource; and the ids of all that they stand for.
    pub fn covering(
        self,
        conn: &mut Conn,
        windows: &Windows,
        (tenant, scope): (&str, &[String]),
        mut wrong: FieldErrors,
        (resource, at): (&ResourceSummary, Timestamp),
    ) -> Result<(Vec<CoveringWindow>, BTreeSet<String>)> {
        let mut complete: Vec<(String, NewWindow, Vec<Target>)> = Vec::new();
        for (place, (id, mut new)) in self.0.into_iter().enumerate() {
            rules::check_opens(Some(&new.schedule), &format!("windows[{place}].schedule"), &mut wrong);
            let references = new.take_targets().all();
            let targets = targets::resolve(conn, windows.neighbours().resources(), scope, &references, &mut wrong)?;
            complete.push((id, new, targets));
        }
        wrong.check()?;
        let ways = covering_targets(conn, windows, resource)?;
        let mut found = Vec::new();
        let mut stands_for = BTreeSet::new();
        for (id, new, targets) in complete {
            let mut row = rules::created(&new, tenant, id.clone(), "", at)?;
            row.version = 0;
            let via = ways.iter().find(|way| targets.contains(way)).map(|way| way.kind);
            if let Some((via, open)) = via.zip(row.course()?.open_at(at)) {
                found.push(CoveringWindow { window: Arc::new(Ready::new(&row)?), open, via });
            }
            if !id.is_empty() {
                stands_for.insert(id);
            }
        }
        Ok((found, stands_for))
    }
}

/// The ways in which a resource may be covered, the most direct first.
fn covering_targets(conn: &mut Conn, windows: &Windows, resource: &ResourceSummary) -> Result<Vec<Target>> {
    let around = windows.neighbours().own_and_partner(conn, &resource.tenant_id)?;
    let ids = std::slice::from_ref(&resource.id);
    let places =
        windows.neighbours().resources().places_of(conn, &around, ids)?.pop().ok_or_else(|| Problem::internal())?;
    let itself = Target { kind: Kind::Device, tenant: resource.tenant_id.clone(), id: resource.id.clone() };
    let mut ways: Vec<Target> = std::iter::once(itself)
        .chain(places.into_iter().map(|place| Target {
            kind: Kind::of(place.kind),
            tenant: place.tenant_id,
            id: place.id.to_string(),
        }))
        .collect();
    ways.sort();
    Ok(ways)
}
