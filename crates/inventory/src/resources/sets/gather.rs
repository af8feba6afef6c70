//! What a filter means, asked of the database: by its index, or of some resources.

use db::{Condition, Conn, Result};
use diesel::{dsl::sql, prelude::*, sql_types::Text};

use super::{
    super::meant::{Filter, tenants},
    numbers::{parse, text},
};
use crate::schema::{group_members, resource_app_roles, resource_tags, resources};

/// Resources that one statement asks about.
const ASKED: usize = 500;

/// Hands on the ids of a tenant's resources that are meant, some of them more than once, in no order. When this looks
/// at more than `most` entries of an index it gives up, and answers `false`.
pub fn meant(
    conn: &mut Conn,
    tenant: &str,
    filter: &Filter,
    most: i64,
    mut take: impl FnMut(u128) -> Result<()>,
) -> Result<bool> {
    let mut seen = 0_i64;
    let limit = most.saturating_add(1);
    let mut one = |id: String| {
        seen += 1;
        // What is not written as ids are is no resource that is counted.
        parse(&id).map_or(Ok(()), &mut take)
    };
    match filter {
        Filter::Tags(keys) => {
            use resource_tags::dsl;
            let query = dsl::resource_tags
                .filter(dsl::tenant_id.eq(tenant.to_owned()))
                .filter(dsl::name_key.eq_any(keys.clone()));
            db::for_each_row(conn, query.select(dsl::resource_id).limit(limit), &mut one)?;
        }
        Filter::Roles(roles) => {
            use resource_app_roles::dsl;
            let query = dsl::resource_app_roles
                .filter(dsl::tenant_id.eq(tenant.to_owned()))
                .filter(dsl::role.eq_any(roles.clone()));
            db::for_each_row(conn, query.select(dsl::resource_id).limit(limit), &mut one)?;
        }
        Filter::Groups(ids) => {
            use group_members::dsl;
            let among = Condition::integer_in("group_members.group_id IN", ids.iter().copied());
            let query = dsl::group_members.filter(dsl::tenant_id.eq(tenant.to_owned())).filter(among);
            db::for_each_row(conn, query.select(dsl::resource_id).limit(limit), &mut one)?;
        }
        Filter::Row(_) | Filter::Walked(_) | Filter::Name(_) => {
            use resources::dsl;
            let scope = [tenant.to_owned()];
            let query = dsl::resources.filter(tenants(&scope)).filter(filter.condition(&scope));
            db::for_each_row(conn, query.select(dsl::id).limit(limit), &mut one)?;
        }
    }
    Ok(seen <= most)
}

/// Those of some resources that all of these filters mean.
pub fn among(conn: &mut Conn, tenant: &str, filters: &[&Filter], ids: &[u128]) -> Result<Vec<u128>> {
    use resources::dsl;
    let asked = Condition::all(filters.iter().map(|filter| filter.probe()));
    let rows: Vec<String> = db::in_parts(ids, |ids| {
        let these = Condition::text_in("resources.id IN", ids.iter().map(|id| text(*id)));
        let query = dsl::resources.filter(dsl::tenant_id.eq(tenant)).filter(these).filter(asked.clone());
        query.select(dsl::id).load(conn)
    })?;
    Ok(rows.iter().filter_map(|id| parse(id)).collect())
}

/// Hands on the names in a column of a tenant's resources, of all that have one or of some, with their ids. In no
/// order.
pub fn names(
    conn: &mut Conn,
    tenant: &str,
    column: &'static str,
    of: Option<&[u128]>,
    mut take: impl FnMut(u128, &str) -> Result<()>,
) -> Result<()> {
    use resources::dsl;
    let mut ask = |among: Condition| {
        // The index of the names holds no empty ones.
        let has_one = Condition::sql(column).then(" <> ''");
        let query = dsl::resources.filter(dsl::tenant_id.eq(tenant.to_owned())).filter(has_one).filter(among);
        db::for_each_row(conn, query.select((dsl::id, sql::<Text>(column))), |(id, name): (String, String)| {
            parse(&id).map_or(Ok(()), |id| take(id, &name))
        })
    };
    match of {
        None => ask(Condition::all([])),
        Some(ids) => ids
            .chunks(ASKED)
            .try_for_each(|ids| ask(Condition::text_in("resources.id IN", ids.iter().map(|id| text(*id))))),
    }
}

/// The ids of all resources of a tenant, in order, up to so many.
pub fn all(conn: &mut Conn, tenant: &str, most: i64, mut take: impl FnMut(u128)) -> Result<bool> {
    use resources::dsl;
    let query = dsl::resources.filter(dsl::tenant_id.eq(tenant.to_owned())).order(dsl::id).select(dsl::id);
    let mut plain = true;
    let mut seen = 0_i64;
    db::for_each_row(conn, query.limit(most.saturating_add(1)), |id: String| {
        seen += 1;
        match parse(&id) {
            Some(id) => take(id),
            None => plain = false,
        }
        Ok::<_, db::Error>(())
    })?;
    Ok(plain && seen <= most)
}
