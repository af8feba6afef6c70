//! How the database answers a filter: the queries of [`resource_index::Filter`].

use db::{Condition, Conn, Result};
use diesel::{dsl::sql, prelude::*, sql_types::Text};
use resource_index::{NamePattern, format_id, parse_id};

use super::predicate::{Filter, tenants};
use crate::schema::{group_members, resource_app_roles, resource_tags, resources};

/// Resources of one statement.
const CHUNK: usize = 500;

impl resource_index::Filter for Filter {
    fn key(&self) -> String {
        format!("{:?}", self.probe())
    }

    fn is_indexed(&self) -> bool {
        match self {
            Self::Row(_) | Self::Tags(_) | Self::Roles(_) | Self::Groups(_) => true,
            Self::Name(name) => name.exact,
            Self::Walked(_) => false,
        }
    }

    fn cost(&self) -> u8 {
        match self {
            Self::Tags(_) | Self::Roles(_) | Self::Groups(_) => 0,
            Self::Row(_) => 1,
            Self::Name(_) => 2,
            Self::Walked(_) => 3,
        }
    }

    fn name_pattern(&self) -> Option<NamePattern<'_>> {
        let Self::Name(name) = self else { return None };
        Some(NamePattern { column: name.column, exact: name.exact, texts: &name.keys })
    }

    fn groups(&self) -> &[i64] {
        match self {
            Self::Groups(ids) => ids,
            _ => &[],
        }
    }

    fn for_each_match(
        &self,
        conn: &mut Conn,
        tenant: &str,
        most: i64,
        each: &mut dyn FnMut(u128) -> Result<()>,
    ) -> Result<bool> {
        let mut entries = 0_i64;
        let limit = most.saturating_add(1);
        let mut one = |id: String| {
            entries += 1;
            // A resource whose id is written otherwise has no ordinal.
            parse_id(&id).map_or(Ok(()), &mut *each)
        };
        match self {
            Self::Tags(keys) => {
                use resource_tags::dsl;
                let query = dsl::resource_tags
                    .filter(dsl::tenant_id.eq(tenant.to_owned()))
                    .filter(dsl::name_key.eq_any(keys.clone()));
                db::for_each_row(conn, query.select(dsl::resource_id).limit(limit), &mut one)?;
            }
            Self::Roles(roles) => {
                use resource_app_roles::dsl;
                let query = dsl::resource_app_roles
                    .filter(dsl::tenant_id.eq(tenant.to_owned()))
                    .filter(dsl::role.eq_any(roles.clone()));
                db::for_each_row(conn, query.select(dsl::resource_id).limit(limit), &mut one)?;
            }
            Self::Groups(ids) => {
                use group_members::dsl;
                let among = Condition::integer_in("group_members.group_id IN", ids.iter().copied());
                let query = dsl::group_members.filter(dsl::tenant_id.eq(tenant.to_owned())).filter(among);
                db::for_each_row(conn, query.select(dsl::resource_id).limit(limit), &mut one)?;
            }
            Self::Row(_) | Self::Walked(_) | Self::Name(_) => {
                use resources::dsl;
                let scope = [tenant.to_owned()];
                let query = dsl::resources.filter(tenants(&scope)).filter(self.condition(&scope));
                db::for_each_row(conn, query.select(dsl::id).limit(limit), &mut one)?;
            }
        }
        Ok(entries <= most)
    }

    fn matching_among(conn: &mut Conn, tenant: &str, filters: &[&Self], ids: &[u128]) -> Result<Vec<u128>> {
        use resources::dsl;
        let all = Condition::all(filters.iter().map(|filter| filter.probe()));
        let rows: Vec<String> = db::in_chunks(ids, |ids| {
            let these = Condition::text_in("resources.id IN", ids.iter().map(|id| format_id(*id)));
            let query = dsl::resources.filter(dsl::tenant_id.eq(tenant)).filter(these).filter(all.clone());
            query.select(dsl::id).load(conn)
        })?;
        Ok(rows.iter().filter_map(|id| parse_id(id)).collect())
    }

    fn for_each_name(
        conn: &mut Conn,
        tenant: &str,
        column: &'static str,
        among: Option<&[u128]>,
        each: &mut dyn FnMut(u128, &str) -> Result<()>,
    ) -> Result<()> {
        use resources::dsl;
        let mut read = |among: Condition| {
            // The index of the names holds no empty ones.
            let has_one = Condition::sql(column).then(" <> ''");
            let query = dsl::resources.filter(dsl::tenant_id.eq(tenant.to_owned())).filter(has_one).filter(among);
            db::for_each_row(conn, query.select((dsl::id, sql::<Text>(column))), |(id, name): (String, String)| {
                parse_id(&id).map_or(Ok(()), |id| each(id, &name))
            })
        };
        match among {
            None => read(Condition::all([])),
            Some(ids) => ids
                .chunks(CHUNK)
                .try_for_each(|ids| read(Condition::text_in("resources.id IN", ids.iter().map(|id| format_id(*id))))),
        }
    }

    fn for_each_id(conn: &mut Conn, tenant: &str, most: i64, each: &mut dyn FnMut(u128)) -> Result<bool> {
        use resources::dsl;
        let query = dsl::resources.filter(dsl::tenant_id.eq(tenant.to_owned())).order(dsl::id).select(dsl::id);
        let mut are_parsed = true;
        let mut resources = 0_i64;
        db::for_each_row(conn, query.limit(most.saturating_add(1)), |id: String| {
            resources += 1;
            match parse_id(&id) {
                Some(id) => each(id),
                None => are_parsed = false,
            }
            Ok::<_, db::Error>(())
        })?;
        Ok(are_parsed && resources <= most)
    }
}
