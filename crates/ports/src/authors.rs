//! The users whom records name: who created them, who changed them, whom they concern.

use std::collections::{BTreeSet, HashMap};

use db::{Conn, Result};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{People, Person, people::full_name};

/// A user, as records name one; what has no value is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "USR0000000007", "loginName": "ann.lee", "lastName": "Lee", "firstName": "Ann", "email": "ann.lee@example.net"
}))]
pub struct Author {
    /// `USR` and ten digits.
    pub id: String,
    /// The login name.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub login_name: String,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// An email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl Author {
    /// Given and family name, or else the login name.
    pub fn full_name(&self) -> String {
        full_name(self.first_name.as_deref(), self.last_name.as_deref(), &self.login_name)
    }
}

impl From<&Person> for Author {
    fn from(person: &Person) -> Self {
        Self {
            id: person.id.clone(),
            login_name: person.login_name.clone(),
            last_name: person.last_name.clone(),
            first_name: person.first_name.clone(),
            email: person.email.clone(),
        }
    }
}

/// The users of some records, by id.
#[derive(Clone, Debug, Default)]
pub struct Authors(HashMap<String, Author>);

impl Authors {
    /// The users with these ids, each asked for once; the empty id is nobody's.
    pub fn load<I>(conn: &mut Conn, people: &dyn People, tenants: &[String], ids: I) -> Result<Self>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let ids: BTreeSet<String> = ids.into_iter().map(Into::into).filter(|id: &String| !id.is_empty()).collect();
        let ids: Vec<String> = ids.into_iter().collect();
        let known = if ids.is_empty() { Vec::new() } else { people.users(conn, tenants, &ids)? };
        Ok(Self(known.iter().map(|person| (person.id.clone(), Author::from(person))).collect()))
    }

    /// The user with this id; of one that cannot be found, the id alone.
    pub fn of(&self, id: &str) -> Author {
        self.0.get(id).cloned().unwrap_or_else(|| Author { id: id.to_owned(), ..Author::default() })
    }

    /// The user with this id, when it was found.
    pub fn known(&self, id: &str) -> Option<&Author> {
        self.0.get(id)
    }
}
