//! What operations name by an id: declared once by [`resource!`](crate::resource), and then read, refused and locked
//! alike by all domains.

use std::ops::Deref;

use base::problem::Problem;
use db::{Conn, Result};
use outbox::{Recorded, Tx};

use crate::{Answer, RequestContext, RequestScope, error};

/// A row that operations name by its id.
pub trait Resource: Sized {
    /// What messages call it, such as `escalation policy`.
    const NAME: &'static str;

    /// The one with this id among these tenants.
    fn find(conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<Self>>;

    /// Takes the locks that a change of it takes, until the end of the transaction.
    fn lock(&self, conn: &mut Conn) -> Result<()>;

    /// Whose it is.
    fn tenant_id(&self) -> &str;

    /// How often it has changed; its `ETag`.
    fn version(&self) -> i64;

    /// The one with this id among these tenants.
    ///
    /// # Errors
    /// 404 when there is none.
    fn existing(conn: &mut Conn, tenants: &[String], id: &str) -> Result<Self> {
        Ok(Self::find(conn, tenants, id)?.ok_or_else(Self::not_found)?)
    }

    /// The one of the tenant that a field of a body names.
    ///
    /// # Errors
    /// 400 when there is none.
    fn named(conn: &mut Conn, tenant: &str, field: &str, id: &str) -> Result<Self> {
        let unknown = || Problem::unknown(field, &format!("{} of the tenant", Self::NAME), id);
        Ok(Self::find(conn, &[tenant.to_owned()], id)?.ok_or_else(unknown)?)
    }

    /// The one with this id, which nobody else changes until the end of the transaction.
    ///
    /// # Errors
    /// 404 when there is none.
    fn lock_existing(conn: &mut Conn, tenants: &[String], id: &str) -> Result<Self> {
        let seen = Self::existing(conn, tenants, id)?;
        seen.lock(conn)?;
        Self::existing(conn, &[seen.tenant_id().to_owned()], id)
    }

    /// The one that a request changes, as [`Resource::lock_existing`].
    ///
    /// # Errors
    /// 404 when there is none, 412 when it is not the version that the caller has seen.
    fn locked(tx: &mut Tx<'_>, scope: &RequestScope, id: &str) -> Result<Self> {
        let row = Self::lock_existing(tx.conn, &scope.scope(), id)?;
        scope.check_version(row.version())?;
        Ok(row)
    }

    /// 404.
    fn not_found() -> Problem {
        Problem::not_found(format!("The {} was not found.", Self::NAME))
    }

    /// 409: another one of the tenant has this name.
    fn name_taken(name: &str) -> Problem {
        let article = if Self::NAME.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        Problem::conflict(format!("The tenant has {article} {} named \"{name}\" already.", Self::NAME))
    }
}

impl<Q: 'static> RequestContext<Q> {
    /// Deletes the resource with this id: locked and compared with what the caller has seen, removed, and recorded.
    ///
    /// # Errors
    /// Those of [`Resource::locked`] and of `remove`.
    pub async fn delete<R: Resource + Recorded + 'static>(
        &self,
        id: impl Deref<Target = str> + Send + 'static,
        remove: fn(&mut Conn, &R) -> Result<()>,
    ) -> error::Result<actix_web::HttpResponse> {
        self.write(move |tx, scope| {
            let old = R::locked(tx, scope, &id)?;
            remove(tx.conn, &old)?;
            tx.record_change(Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
    }
}

/// Declares a [`Resource`]: its row with `tenant_id` and `version`, what messages call it, how one is found, and
/// the locks that a change of it takes.
///
/// ```ignore
/// api::resource! {
///     Policy, "escalation policy",
///     find: |conn, tenants, id| db::one!(conn, escalation_policies, tenants, id),
///     lock: |policy, conn| lock(&policy.tenant_id).take(conn),
/// }
/// ```
#[macro_export]
macro_rules! resource {
    (
        $row:ty, $name:literal,
        find: |$reader:ident, $tenants:ident, $id:ident| $found:expr,
        lock: |$locked:ident, $writer:ident| $lock:expr,
    ) => {
        impl $crate::Resource for $row {
            const NAME: &'static str = $name;

            fn find($reader: &mut db::Conn, $tenants: &[String], $id: &str) -> db::Result<Option<Self>> {
                Ok($found)
            }

            fn lock(&self, $writer: &mut db::Conn) -> db::Result<()> {
                let $locked = self;
                $lock
            }

            fn tenant_id(&self) -> &str {
                &self.tenant_id
            }

            fn version(&self) -> i64 {
                self.version
            }
        }
    };
}
