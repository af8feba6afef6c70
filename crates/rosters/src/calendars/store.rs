//! Rows of calendars, and their tokens. Every function takes the tenant.

use api::feed;
use base::{secret::Secret, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;

use crate::schema::roster_calendars;

/// Whose calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// All shifts of a roster.
    Roster(String),
    /// All shifts of a user.
    User(String),
}

impl Of {
    /// Where its feed is, below the tenant.
    pub fn place(&self) -> String {
        match self {
            Self::Roster(id) => format!("rosters/{id}"),
            Self::User(id) => format!("rosters/users/{id}"),
        }
    }

    fn columns(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::Roster(id) => (Some(id.clone()), None),
            Self::User(id) => (None, Some(id.clone())),
        }
    }
}

/// One row of `roster_calendars`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_calendars, treat_none_as_default_value = false)]
pub struct Calendar {
    /// The tenant of the roster; for a user, the tenant whose rosters are meant.
    pub tenant_id: String,
    /// `CAL-<uuid>`.
    pub id: String,
    /// SHA-256 of the token, in hex.
    pub hash: String,
    /// Of a roster's calendar.
    pub roster_id: Option<String>,
    /// Of a user's calendar.
    pub user_id: Option<String>,
    /// Who made it.
    pub created_by: String,
    /// When it was made.
    pub created_ms: i64,
}

impl Calendar {
    /// What is shown of it, with who made it.
    pub fn address<A>(&self, created_by: A) -> feed::Address<A> {
        feed::Address { id: self.id.clone(), created_by, created_time: Timestamp::from_millis(self.created_ms) }
    }
}

/// Stores a new calendar.
pub fn insert(
    conn: &mut Conn,
    tenant: &str,
    of: &Of,
    token: &Secret<String>,
    created_by: &str,
    created_ms: i64,
) -> Result<Calendar> {
    let (roster_id, user_id) = of.columns();
    let row = Calendar {
        tenant_id: tenant.to_owned(),
        id: format!("CAL-{}", uuid::Uuid::new_v4()),
        hash: feed::hash(token.expose()),
        roster_id,
        user_id,
        created_by: created_by.to_owned(),
        created_ms,
    };
    diesel::insert_into(roster_calendars::table).values(&row).execute(conn)?;
    Ok(row)
}

/// The calendars of a roster or a user, oldest first.
pub fn list(conn: &mut Conn, tenant: &str, of: &Of) -> Result<Vec<Calendar>> {
    use roster_calendars::dsl;
    let query = dsl::roster_calendars.filter(dsl::tenant_id.eq(tenant)).order((dsl::created_ms, dsl::id));
    Ok(match of {
        Of::Roster(id) => query.filter(dsl::roster_id.eq(Some(id))).load(conn)?,
        Of::User(id) => query.filter(dsl::user_id.eq(Some(id))).load(conn)?,
    })
}

/// Does the token with this hash open this calendar? By its hash, so that nobody learns from the time it takes.
pub fn opens(conn: &mut Conn, tenant: &str, of: &Of, hash: &str) -> Result<bool> {
    use roster_calendars::dsl;
    let same = dsl::roster_calendars.filter(dsl::tenant_id.eq(tenant)).filter(dsl::hash.eq(hash));
    let row: Option<Calendar> = same.first(conn).optional()?;
    Ok(row.is_some_and(|row| (row.roster_id, row.user_id) == of.columns()))
}

/// Removes a calendar of a roster or a user, and answers it.
///
/// # Errors
/// 404 when it has none of this id.
pub fn delete(conn: &mut Conn, tenant: &str, of: &Of, id: &str) -> Result<Calendar> {
    let row: Option<Calendar> = roster_calendars::table.find((tenant, id)).first(conn).optional()?;
    let row = row.filter(|row| (row.roster_id.clone(), row.user_id.clone()) == of.columns());
    let row = row.ok_or_else(feed::unknown)?;
    diesel::delete(roster_calendars::table.find((tenant, id))).execute(conn)?;
    Ok(row)
}
