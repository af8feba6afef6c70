//! What a token request must be.

use std::collections::HashSet;

use base::secret::Secret;
use serde::{Deserialize as _, de::value::MapDeserializer};

use super::wire::TokenRequest;
use crate::authenticator::Credentials;

/// The one grant there is.
const GRANT: &str = "client_credentials";

/// Why a request gets no token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is not a token request.
    Invalid(String),
    /// It asks for another grant.
    Grant,
    /// Key or secret are wrong; which of them is not told.
    Credentials,
}

/// Reads the parameters of the form, and what `Authorization: Basic` held.
///
/// A parameter without a value counts as left out, an unknown one is ignored, none may be repeated (RFC 6749, section
/// 3.2). The secret comes one way only; the `client_id` may be repeated beside HTTP Basic, as some clients do.
pub(crate) fn read(
    form: Vec<(String, String)>,
    basic: Option<(String, Secret<String>)>,
) -> Result<Credentials, Refusal> {
    let mut seen = HashSet::new();
    if let Some((name, _)) = form.iter().find(|(name, _)| !seen.insert(name.as_str())) {
        return Err(Refusal::Invalid(format!("The parameter {name:.64} is repeated")));
    }
    let form = MapDeserializer::<_, serde::de::value::Error>::new(form.into_iter());
    let request = TokenRequest::deserialize(form).map_err(|error| Refusal::Invalid(error.to_string()))?;
    match request.grant_type.as_str() {
        "" => return Err(missing("grant_type")),
        GRANT => {}
        _ => return Err(Refusal::Grant),
    }
    let [key, secret] =
        [request.client_id, request.client_secret].map(|text| Some(text).filter(|text| !text.is_empty()));
    match (basic, key, secret.map(Secret::new)) {
        (None, Some(key), Some(secret)) => Ok(Credentials { key, secret }),
        (None, None, _) => Err(missing("client_id")),
        (None, _, None) => Err(missing("client_secret")),
        (Some((key, secret)), given, None) if given.as_ref().is_none_or(|given| *given == key) => {
            Ok(Credentials { key, secret })
        }
        (Some(_), ..) => {
            let text = "Key and secret are given twice: send them in the form or as HTTP Basic";
            Err(Refusal::Invalid(text.to_owned()))
        }
    }
}

fn missing(name: &str) -> Refusal {
    Refusal::Invalid(format!("The parameter {name} is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn basic() -> Option<(String, Secret<String>)> {
        Some(("key".to_owned(), Secret::new("secret".to_owned())))
    }

    const GRANT_PAIR: (&str, &str) = ("grant_type", "client_credentials");

    #[test]
    fn credentials_come_in_the_form_or_as_basic() {
        let read_form =
            read(form(&[GRANT_PAIR, ("client_id", "k"), ("client_secret", "s"), ("scope", "x")]), None).unwrap();
        assert_eq!((read_form.key.as_str(), read_form.secret.expose().as_str()), ("k", "s"));
        let read_basic = read(form(&[GRANT_PAIR]), basic()).unwrap();
        assert_eq!((read_basic.key.as_str(), read_basic.secret.expose().as_str()), ("key", "secret"));
        assert!(read(form(&[GRANT_PAIR, ("client_id", "key")]), basic()).is_ok());
    }

    #[test]
    fn refusals() {
        let refused = |pairs: &[(&str, &str)], basic| read(form(pairs), basic).unwrap_err();
        let invalid = |text: &str| Refusal::Invalid(text.to_owned());
        assert_eq!(refused(&[], None), invalid("The parameter grant_type is missing"));
        assert_eq!(refused(&[("grant_type", "")], None), invalid("The parameter grant_type is missing"));
        assert_eq!(refused(&[("grant_type", "password")], None), Refusal::Grant);
        assert_eq!(refused(&[GRANT_PAIR, ("client_secret", "s")], None), invalid("The parameter client_id is missing"));
        assert_eq!(refused(&[GRANT_PAIR, ("client_id", "k")], None), invalid("The parameter client_secret is missing"));
        assert_eq!(refused(&[GRANT_PAIR, GRANT_PAIR], None), invalid("The parameter grant_type is repeated"));
        assert_eq!(
            refused(&[GRANT_PAIR, ("x", ""), ("client_id", "k"), ("client_secret", "s"), ("x", "")], None),
            invalid("The parameter x is repeated")
        );
        let twice = [GRANT_PAIR, ("client_id", "key"), ("client_secret", "secret")];
        assert!(matches!(refused(&twice, basic()), Refusal::Invalid(_)));
        assert!(matches!(refused(&[GRANT_PAIR, ("client_id", "other")], basic()), Refusal::Invalid(_)));
    }
}
