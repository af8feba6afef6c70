//! Whether something that was worked out still holds.

use std::sync::Arc;

use api::RequestContext;
use db::{Conn, Result};
use ports::People;

use crate::roster::store;

/// Two numbers: of the changes to rosters, and of those to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions {
    rosters: i64,
    people: i64,
}

impl Revisions {
    /// Those of the rosters of some tenants, and of the people of those others who may stand in them.
    pub fn read(conn: &mut Conn, people: &dyn People, scope: &[String], tenants: &[String]) -> Result<Self> {
        Ok(Self { rosters: store::revision(conn, scope)?, people: people.revision(conn, tenants)? })
    }

    /// Those of what a request sees. They are read before the rows are: what is newer than they say is worked out again.
    pub async fn of<Q>(context: &RequestContext<Q>, people: Arc<dyn People>) -> Result<Self> {
        let (scope, tenants) = (context.scope(), context.scope_and_partner());
        context.db.point(move |conn| Self::read(conn, &*people, &scope, &tenants)).await
    }
}
