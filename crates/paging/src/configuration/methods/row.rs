//! The row of a contact method.

use std::collections::BTreeMap;

use db::Json;
use diesel::prelude::*;

use crate::schema::contact_methods;

/// Where a method leads, and with what, by the names of the fields.
pub type Destination = BTreeMap<String, String>;

/// One row of `contact_methods`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = contact_methods, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Method {
    /// The tenant of the person.
    pub tenant_id: String,
    /// `CM-<uuid>`.
    pub id: String,
    pub version: i64,
    /// Whom it reaches.
    pub user_id: String,
    /// What they call it.
    pub name: String,
    /// `HTTP` or `EMAIL`.
    pub kind: String,
    /// Of `HTTP`.
    pub preset: String,
    /// What may be shown of where it leads, `host` among it.
    pub settings: Json<Destination>,
    /// JSON, sealed: the rest; empty when there is none.
    pub sealed: String,
    /// Was it shown to work?
    pub verified: bool,
    /// Of the code that was sent, in hex; empty when none is awaited.
    pub code_hash: String,
    /// Until when it is good.
    pub code_until_ms: i64,
    /// How many wrong ones were tried.
    pub code_tries: i64,
    pub created_ms: i64,
    pub updated_ms: i64,
}
