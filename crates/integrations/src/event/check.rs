//! An event's templates, and what is checked of them when it is saved.

use base::Fields;

use super::config::Config;
use crate::{
    headers,
    notifier::{Notifier, Secrets},
    template::{Kind, Template},
};

/// The templates of an event.
#[derive(Debug)]
pub struct Templates {
    /// Path and query behind the base of the URL.
    pub target: Template,
    /// The headers that are not secret.
    pub headers: Vec<(String, Template)>,
    /// The payload; `None` when there is none.
    pub body: Option<Template>,
    /// The kind of the payload.
    pub kind: Kind,
}

/// The field of the template.
const PAYLOAD: &str = "payload";

/// The kind that the `Content-Type` of the payload declares.
fn declared_kind(config: &Config) -> Option<Kind> {
    let named = config.headers.iter().find(|header| header.key.eq_ignore_ascii_case("content-type"));
    let named = named?.value.to_ascii_lowercase();
    Some(match named.as_str() {
        name if name.contains("json") => Kind::Json,
        name if name.contains("xml") => Kind::Xml,
        name if name.contains("x-www-form-urlencoded") => Kind::Form,
        _ => Kind::Plain,
    })
}

/// Reads the payload. It has to be JSON where a header says so. Otherwise it is what a header says, XML where the
/// notifier sends that, or what it starts like, and plain text when it is not. What goes out as XML has its values
/// escaped whether it is XML or not.
fn payload(config: &Config, is_soap: bool) -> Result<(Option<Template>, Kind), String> {
    let text = config.event_payload.as_str();
    let entity = config.entity();
    let read = |kind| Ok((Some(Template::read(text, entity, kind)?), kind));
    let guess = match text.trim_start().chars().next() {
        Some('{' | '[') => Kind::Json,
        first if is_soap || first == Some('<') => Kind::Xml,
        _ => Kind::Plain,
    };
    let marked = |_: String| read(Kind::Markup);
    let is_xml = || Template::read(text, entity, Kind::Markup).is_ok_and(|template| template.is_xml());
    match declared_kind(config) {
        said if text.is_empty() => Ok((None, said.unwrap_or(Kind::Plain))),
        Some(Kind::Json) => read(Kind::Json),
        Some(Kind::Xml) => read(Kind::Xml).or_else(marked),
        Some(kind) => read(kind),
        None if is_soap || (guess == Kind::Xml && is_xml()) => read(guess).or_else(marked),
        None => read(guess).or_else(|_: String| read(Kind::Plain)),
    }
}

/// The `Content-Type` of a payload for which none is set.
pub fn content_type(kind: Kind, notifier: &Notifier) -> &'static str {
    match kind {
        Kind::Json => "application/json",
        _ if notifier.is_soap() => "text/xml; charset=utf-8",
        Kind::Xml | Kind::Markup => "application/xml",
        Kind::Form => "application/x-www-form-urlencoded",
        _ => "text/plain; charset=utf-8",
    }
}

impl Templates {
    /// Reads them, for a notifier that sends SOAP or another.
    ///
    /// # Errors
    /// Each that cannot be read, by its field.
    pub fn read(config: &Config, is_soap: bool) -> Result<Self, Vec<(String, String)>> {
        let mut wrong = Vec::new();
        let entity = config.entity();
        let mut read = |field: String, text: &str, kind: Kind| {
            Template::read(text, entity, kind).map_err(|message| wrong.push((field, message))).ok()
        };
        let target = read("endPointURI".to_owned(), &config.end_point_uri, Kind::Target);
        let plain = (0..).zip(&config.headers).filter(|(_, header)| !headers::is_secret(&header.key));
        let headers: Vec<(String, Template)> = plain
            .filter_map(|(place, header): (usize, _)| {
                let template = read(format!("headers[{place}].value"), &header.value, Kind::Header)?;
                Some((header.key.clone(), template))
            })
            .collect();
        let body = payload(config, is_soap).map_err(|message| wrong.push((PAYLOAD.to_owned(), message))).ok();
        match target.zip(body) {
            Some((target, (body, kind))) if wrong.is_empty() => Ok(Self { target, headers, body, kind }),
            _ => Err(wrong),
        }
    }
}

/// Notes what is wrong with the templates of an event. `notifier` is the one that it uses.
pub fn templates(fields: &mut Fields<'_>, config: &Config, secrets: &Secrets, notifier: Option<&Notifier>) {
    if config.end_point_uri.contains("://") {
        fields.error("endPointURI", "must be a path: the host is that of baseURI");
    }
    if config
        .end_point_uri
        .chars()
        .any(|letter| letter.is_control() || letter.is_whitespace() || matches!(letter, '#' | '\\'))
    {
        fields.error("endPointURI", "must not contain blanks, backslashes, # or control characters");
    }
    if notifier.is_some_and(|notifier| notifier.auth_type != "NONE") && secrets.get("header:authorization").is_some() {
        fields.error("headers", "must not have Authorization: authType sends one");
    }
    if let Err(wrong) = Templates::read(config, notifier.is_some_and(Notifier::is_soap)) {
        for (field, message) in wrong {
            // The field that was sent, of the two ways to give the template.
            let field = if field == PAYLOAD && !fields.has(PAYLOAD) { "eventPayload" } else { &field };
            fields.error(field, message);
        }
    }
}

/// The URL of a call: a target behind the base.
pub fn joined(base: &str, target: &str) -> String {
    let (base, base_query) = base.split_once('?').map_or((base, None), |(base, query)| (base, Some(query)));
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let mut url = base.to_owned();
    if !path.is_empty() {
        url.truncate(url.trim_end_matches('/').len());
        url.push('/');
        url.push_str(path.trim_start_matches('/'));
    }
    let queries: Vec<&str> = [base_query, query].into_iter().flatten().filter(|query| !query.is_empty()).collect();
    if !queries.is_empty() {
        url.push('?');
        url.push_str(&queries.join("&"));
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_joined_to_the_base() {
        for (base, target, expected) in [
            ("https://a.net", "", "https://a.net"),
            ("https://a.net/", "/x", "https://a.net/x"),
            ("https://a.net/v1/", "x/y?z=1", "https://a.net/v1/x/y?z=1"),
            ("https://a.net/v1?k=1", "?z=1", "https://a.net/v1?k=1&z=1"),
            ("https://a.net", "@b.net/", "https://a.net/@b.net/"),
            ("https://a.net", "//b.net/", "https://a.net/b.net/"),
        ] {
            assert_eq!(joined(base, target), expected);
            assert_eq!(url::Url::parse(expected).unwrap().host_str(), Some("a.net"));
        }
    }
}
