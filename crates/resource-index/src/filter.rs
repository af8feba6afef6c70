//! The interface between the index and the owner of the resources, who says what a filter matches.

use db::{Conn, Result};

/// The texts that a filter of names looks for.
#[derive(Clone, Copy, Debug)]
pub struct NamePattern<'a> {
    /// The column that holds the names, folded, with its table.
    pub column: &'static str,
    /// Does a name have to equal a text, rather than contain it?
    pub exact: bool,
    /// The texts, folded; one of them has to match.
    pub texts: &'a [String],
}

/// One term of a filter, and the queries by which the database answers it. Each query sees the caller's transaction.
pub trait Filter: Clone + Send + 'static {
    /// A text that is equal for filters that match the same resources.
    fn key(&self) -> String;

    /// Does an index of the database lead to the matches, and to no other resources?
    fn is_indexed(&self) -> bool;

    /// How dear the filter is to look up; cheaper ones are looked up first.
    fn cost(&self) -> u8;

    /// The texts it looks for, when it is a filter of names.
    fn name_pattern(&self) -> Option<NamePattern<'_>>;

    /// The groups whose members it matches.
    fn groups(&self) -> &[i64];

    /// Hands on the ids of a tenant's resources that match, some of them more than once, in no order; `false` when it
    /// gives up after `most` entries of an index.
    fn for_each_match(
        &self,
        conn: &mut Conn,
        tenant: &str,
        most: i64,
        each: &mut dyn FnMut(u128) -> Result<()>,
    ) -> Result<bool>;

    /// The resources among these that match all of some filters.
    fn matching_among(conn: &mut Conn, tenant: &str, filters: &[&Self], ids: &[u128]) -> Result<Vec<u128>>;

    /// Hands on the names in a column, with the ids of their resources, of all of a tenant's resources or of these. In
    /// no order.
    fn for_each_name(
        conn: &mut Conn,
        tenant: &str,
        column: &'static str,
        among: Option<&[u128]>,
        each: &mut dyn FnMut(u128, &str) -> Result<()>,
    ) -> Result<()>;

    /// Hands on the ids of all resources of a tenant, in order; `false` when there are more than `most`, or ids that
    /// [`parse_id`](crate::parse_id) refuses.
    fn for_each_id(conn: &mut Conn, tenant: &str, most: i64, each: &mut dyn FnMut(u128)) -> Result<bool>;
}
