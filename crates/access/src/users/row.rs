//! The row of a user.

use api::Role;
use base::text::fold;
use diesel::prelude::*;

use crate::{history, schema::users};

pub(super) const KEYS: &str = "api-";

/// A user as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = users, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    pub tenant_id: String,
    /// `USR` and ten digits; unique among all tenants.
    pub id: String,
    /// Unique in its tenant, whatever the letter case.
    pub login_name: String,
    pub login_fold: String,
    /// For people, the given name; for an API key, its name.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    /// A telephone number, as people write it.
    pub phone_number: Option<String>,
    /// A telephone number, as people write it.
    pub mobile_number: Option<String>,
    /// In use, or not any more?
    pub activated: bool,
    pub version: i64,
    pub created_ms: i64,
    /// When it was changed last.
    pub updated_ms: i64,
    /// Folded; empty when there is none.
    pub first_fold: String,
    /// Folded; empty when there is none.
    pub last_fold: String,
    /// Folded; empty when there is none.
    pub email_fold: String,
    /// What it may do; of the user of an API key, what that may.
    pub role: String,
}

impl Row {
    /// What it may do. What does not parse was not written by this service, and may only read.
    pub(crate) fn may(&self) -> Role {
        Role::parse(&self.role).unwrap_or(Role::Viewer)
    }

    /// What others see of it, as it was until an instant.
    pub(crate) fn until(&self, until_ms: i64) -> history::User {
        history::User {
            tenant_id: self.tenant_id.clone(),
            id: self.id.clone(),
            until_ms,
            login_name: self.login_name.clone(),
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            email: self.email.clone(),
            phone_number: self.phone_number.clone(),
            mobile_number: self.mobile_number.clone(),
            activated: self.activated,
        }
    }

    /// Is it the user of a program, which nobody signs in as?
    pub(crate) fn is_program(&self) -> bool {
        is_login_of_key(&self.login_name)
    }
}

/// Login names of this form belong to the users of API keys.
pub(crate) fn is_login_of_key(name: &str) -> bool {
    let digits = fold(name).strip_prefix(KEYS).map(str::to_owned).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `USR` and ten digits or, one day, more; nothing else is looked up.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix("USR").unwrap_or_default();
    (10..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
