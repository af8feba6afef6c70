//! Whose contact methods are asked for, and by whom: by that person, or by an admin; and whose pages are held.

use std::collections::BTreeSet;

use api::{RequestScope, Role};
use base::problem::Problem;
use db::{Conn, Result};

use crate::{Neighbours, methods::rules};

/// How soon one looks again at what belongs to a suspended tenant.
pub const HELD_MS: i64 = 15_000;

/// Those of these tenants that are suspended: what is due of theirs waits until they are not.
pub fn suspended<'t>(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: impl Iterator<Item = &'t String>,
) -> Result<BTreeSet<String>> {
    let mut suspended = BTreeSet::new();
    for tenant in tenants.collect::<BTreeSet<_>>() {
        if !neighbours.people.is_active(conn, tenant)? {
            suspended.insert(tenant.clone());
        }
    }
    Ok(suspended)
}

/// Somebody asks about a person.
#[derive(Clone, Debug)]
pub struct Asked {
    scope: Vec<String>,
    user: String,
    is_self: bool,
    is_admin: bool,
}

impl Asked {
    /// The caller of a request, about the user with this id.
    pub fn of(context: &RequestScope, user: &str) -> Self {
        let user = user.trim().to_ascii_uppercase();
        let is_self = context.caller.user_id == user;
        Self { scope: context.scope(), user, is_self, is_admin: context.caller.role == Role::Admin }
    }

    /// Tenant and id of the person.
    ///
    /// # Errors
    /// 404 when there is none among the tenants of the request, 403 when the caller is neither that person nor an admin.
    pub fn find(&self, conn: &mut Conn, neighbours: &Neighbours) -> Result<(String, String)> {
        let mut tenants = self.scope.as_slice();
        let ids = [self.user.clone()];
        if neighbours.people.users(conn, tenants, &ids)?.is_empty() {
            return Err(rules::no_user().into());
        }
        // People come without their tenant: it is in one half or the other.
        while tenants.len() > 1 {
            let (first, second) = tenants.split_at(tenants.len() / 2);
            tenants = if neighbours.people.users(conn, first, &ids)?.is_empty() { second } else { first };
        }
        if !self.is_self && !self.is_admin {
            let told =
                "The contact methods of a person, and when they are used, are that person's and the admins' business.";
            return Err(Problem::forbidden(told).into());
        }
        let tenant = tenants.first().cloned().ok_or_else(rules::no_user)?;
        Ok((tenant, self.user.clone()))
    }

    /// Only an admin says that a contact method works.
    ///
    /// # Errors
    /// 403 for anybody else who says so.
    pub fn may_verify(&self, verified: Option<bool>) -> Result<()> {
        if verified == Some(true) && !self.is_admin {
            return Err(Problem::forbidden("Only an admin may say that a contact method is verified.").into());
        }
        Ok(())
    }
}
