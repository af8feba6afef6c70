//! Who may see and change the contact methods of a person: that person, and an admin.

use api::{RequestScope, Role};
use base::problem::Problem;
use db::{Conn, Result};

use super::{rules, wire::PersonId};
use crate::Neighbours;

/// Tenant and id of the person that a request is about.
///
/// # Errors
/// 404 when there is none among the tenants of the request, 403 when the caller is neither that person nor an admin, or
/// is restricted to certain operations and not that person.
pub fn person(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &RequestScope,
    user: &PersonId,
) -> Result<(String, String)> {
    let reach = scope.scope();
    let mut tenants = reach.as_slice();
    let ids = [user.0.clone()];
    if neighbours.people.users(conn, tenants, &ids)?.is_empty() {
        return Err(rules::no_user().into());
    }
    // People come without their tenant: it is in one half or the other.
    while tenants.len() > 1 {
        let (first, second) = tenants.split_at(tenants.len() / 2);
        tenants = if neighbours.people.users(conn, first, &ids)?.is_empty() { second } else { first };
    }
    if scope.author() != &**user && scope.caller.role != Role::Admin {
        let told =
            "The contact methods of a person, and when they are used, are that person's and the admins' business.";
        return Err(Problem::forbidden(told).into());
    }
    if scope.author() != &**user && scope.caller.operations.is_some() {
        let told = "A key that is restricted to certain operations sees and changes how its own user is reached, and \
                    nobody \
                    else's.";
        return Err(Problem::forbidden(told).into());
    }
    let tenant = tenants.first().cloned().ok_or_else(rules::no_user)?;
    Ok((tenant, user.0.clone()))
}

/// Only an admin says that a contact method works.
///
/// # Errors
/// 403 for anybody else who says so.
pub fn may_verify(scope: &RequestScope, verified: Option<bool>) -> Result<()> {
    if verified == Some(true) && scope.caller.role != Role::Admin {
        return Err(Problem::forbidden("Only an admin may say that a contact method is verified.").into());
    }
    Ok(())
}
