//! Whose time off a caller may read and write. Those of a partner are away for its callers alone.

use api::{RequestScope, Role};
use base::problem::Problem;
use db::{Conn, Result};
use ports::People;

use super::rules;

/// The tenant of a user that a request is about.
///
/// # Errors
/// 404 when there is none among the tenants of the request.
pub fn tenant_of(conn: &mut Conn, people: &dyn People, scope: &RequestScope, user: &str) -> Result<String> {
    let found = people.users(conn, &scope.scope(), &[user.to_owned()])?;
    Ok(found.into_iter().next().map(|person| person.tenant_id).ok_or_else(rules::no_user)?)
}

/// The same of a user whose time off is to be written.
///
/// # Errors
/// 404 when there is none, 403 for somebody else's without the role operator.
pub fn writable(conn: &mut Conn, people: &dyn People, scope: &RequestScope, user: &str) -> Result<String> {
    let tenant = tenant_of(conn, people, scope, user)?;
    if scope.author() != user && scope.caller.role < Role::Operator {
        return Err(Problem::forbidden("Only operators, integrators and admins write the time off of others.").into());
    }
    Ok(tenant)
}
