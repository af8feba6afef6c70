//! The database URL, whose scheme selects the backend. An unknown scheme is refused; nothing falls back to a file of
//! that name.

use std::{fmt, path::PathBuf};

use base::secret::Secret;

/// The two backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Embedded SQLite.
    Sqlite,
    /// A Postgres server.
    Postgres,
}

/// Parameters of a Postgres URL with the variable that stands in for each (none where it is empty) and their values
/// here. Without them the system waits for a host that is gone for two minutes or more.
const POSTGRES_DEFAULTS: [(&str, &str, &str); 6] = [
    ("connect_timeout", "PGCONNECT_TIMEOUT", "2"),
    ("keepalives", "", "1"),
    ("keepalives_idle", "", "5"),
    ("keepalives_interval", "", "2"),
    ("keepalives_count", "", "2"),
    ("tcp_user_timeout", "", "4000"),
];

/// The parameter by which a URL says that it leads to a pooler in transaction mode; libpq does not know it.
const NO_SESSIONS: &str = "pool_mode=transaction";

/// A parsed `--database-url`. Its `Debug` shows no password.
#[derive(Clone)]
pub enum DatabaseUrl {
    /// `sqlite:PATH` or `sqlite://PATH`.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`, as libpq reads it.
    Postgres(Secret<String>),
}

impl DatabaseUrl {
    /// Reads a URL; the error says which schemes there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")) {
            if path.is_empty() {
                return Err("a SQLite URL names a file: sqlite:PATH".to_owned());
            }
            return Ok(Self::Sqlite(path.into()));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(Secret::new(text.to_owned())));
        }
        Err("a database URL starts with sqlite: or postgres://".to_owned())
    }

    /// The URL as it may be shown: without passwords.
    pub fn without_password(&self) -> String {
        let text = match self {
            Self::Sqlite(path) => return format!("sqlite:{}", path.display()),
            Self::Postgres(text) => text.expose(),
        };
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let base = match base.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
            Some((scheme, (user, rest))) => {
                let name = user.split(':').next().unwrap_or_default();
                format!("{scheme}://{name}@{rest}")
            }
            None => base.to_owned(),
        };
        let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.contains("password="));
        let query = kept.collect::<Vec<_>>().join("&");
        if query.is_empty() { base } else { format!("{base}?{query}") }
    }

    /// The URL with [`POSTGRES_DEFAULTS`] for what neither it nor the environment says.
    pub(crate) fn with_defaults(&self, environment: &dyn Fn(&str) -> Option<String>) -> Self {
        let Self::Postgres(text) = self else { return self.clone() };
        let mut text = text.expose().clone();
        let (_, query) = text.split_once('?').unwrap_or((&text, ""));
        let says = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
        let missing: Vec<String> = POSTGRES_DEFAULTS
            .iter()
            .filter(|(name, variable, _)| !says(name) && environment(variable).is_none_or(|value| value.is_empty()))
            .map(|(name, _, value)| format!("{name}={value}"))
            .collect();
        if !missing.is_empty() {
            text.push(match text.split_once('?') {
                None => '?',
                Some(_) => '&',
            });
            text.push_str(&missing.join("&"));
        }
        Self::Postgres(Secret::new(text))
    }

    /// The URL with the note that it leads to a pooler which gives each transaction another session.
    pub(crate) fn without_sessions(&self) -> Self {
        match self {
            Self::Postgres(text) if self.keeps_sessions() => {
                let text = text.expose();
                let separator = if text.contains('?') { '&' } else { '?' };
                Self::Postgres(Secret::new(format!("{text}{separator}{NO_SESSIONS}")))
            }
            other => other.clone(),
        }
    }

    /// Is a connection one session, with settings and prepared statements that last as long as it does?
    pub(crate) fn keeps_sessions(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            Self::Postgres(text) => {
                let (_, query) = text.expose().split_once('?').unwrap_or_default();
                query.split('&').all(|pair| pair != NO_SESSIONS)
            }
        }
    }

    /// The text for libpq: without what it does not know. Empty for SQLite.
    pub(crate) fn for_libpq(&self) -> String {
        let Self::Postgres(text) = self else { return String::new() };
        let Some((base, query)) = text.expose().split_once('?') else { return text.expose().clone() };
        let query: Vec<&str> = query.split('&').filter(|pair| *pair != NO_SESSIONS).collect();
        format!("{base}?{}", query.join("&"))
    }

    /// The backend of this URL's scheme.
    pub fn backend(&self) -> Backend {
        match self {
            Self::Sqlite(_) => Backend::Sqlite,
            Self::Postgres(_) => Backend::Postgres,
        }
    }
}

impl std::str::FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(_) => f.write_str("postgres://[secret]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes() {
        assert_eq!(DatabaseUrl::parse("sqlite:a/b.db").unwrap().backend(), Backend::Sqlite);
        assert_eq!(DatabaseUrl::parse("postgres://u:p@h/d").unwrap().backend(), Backend::Postgres);
        assert_eq!(DatabaseUrl::parse("postgresql://h/d").unwrap().backend(), Backend::Postgres);
        for wrong in ["", "sqlite:", "a.db", "mysql://h/d", "postgres:/h"] {
            assert!(DatabaseUrl::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shown_without_password() {
        for (url, shown) in [
            ("postgres://u:p%40@h:1/d?password=x&sslmode=require", "postgres://u@h:1/d?sslmode=require"),
            ("postgres://u@h/d", "postgres://u@h/d"),
            ("postgres:///d?sslpassword=x", "postgres:///d"),
            ("sqlite:a.db", "sqlite:a.db"),
        ] {
            assert_eq!(DatabaseUrl::parse(url).unwrap().without_password(), shown);
        }
    }

    #[test]
    fn the_note_of_a_pooler_is_not_for_libpq() {
        for text in ["postgres://u@h/d", "postgres://u@h/d?sslmode=require&connect_timeout=3"] {
            let url = DatabaseUrl::parse(text).unwrap();
            assert!(url.keeps_sessions());
            let noted = url.without_sessions().without_sessions();
            assert!(!noted.keeps_sessions());
            assert_eq!(noted.for_libpq().trim_end_matches('?'), text);
            assert_eq!(url.for_libpq(), text);
        }
    }

    #[test]
    fn timeouts_are_set_where_nothing_is_said() {
        let complete = |url: &str, variables: &[&str]| {
            let environment = |name: &str| variables.contains(&name).then(|| "7".to_owned());
            match DatabaseUrl::parse(url).unwrap().with_defaults(&environment) {
                DatabaseUrl::Postgres(text) => text.expose().clone(),
                DatabaseUrl::Sqlite(path) => path.display().to_string(),
            }
        };
        let keepalives = "keepalives=1&keepalives_idle=5&keepalives_interval=2&keepalives_count=2";
        let all = format!("connect_timeout=2&{keepalives}&tcp_user_timeout=4000");
        assert_eq!(complete("postgres://h/d", &[]), format!("postgres://h/d?{all}"));
        assert_eq!(complete("postgres://h/d?sslmode=require", &[]), format!("postgres://h/d?sslmode=require&{all}"));
        assert_eq!(
            complete("postgres://h/d?tcp_user_timeout=0&connect_timeout=9", &[]),
            format!("postgres://h/d?tcp_user_timeout=0&connect_timeout=9&{keepalives}")
        );
        let by_variable = format!("postgres://h/d?{keepalives}&tcp_user_timeout=4000");
        assert_eq!(complete("postgres://h/d", &["PGCONNECT_TIMEOUT"]), by_variable);
        assert_eq!(complete("sqlite:a.db", &[]), "a.db");
    }

    #[test]
    fn debug_hides_the_password() {
        let url = DatabaseUrl::parse("postgres://u:hunter2@h/d").unwrap();
        assert!(!format!("{url:?}").contains("hunter2"));
    }
}
