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

/// The parameters of a Postgres URL that may be shown with their values.
const SHOWN: [&str; 20] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "pool_mode",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

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
        if let Some(rest) = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://")) {
            check_postgres(rest)?;
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
        let is_shown = |pair: &&str| SHOWN.contains(&pair.split('=').next().unwrap_or_default());
        let kept = query.split('&').filter(is_shown);
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

/// Refuses what libpq would not read, or would read otherwise than it is meant: its messages have parts of the URL in
/// them, which may be parts of a password. `rest` is what follows the scheme.
fn check_postgres(rest: &str) -> Result<(), String> {
    let unencoded = "has a character that has to be percent-encoded in a user name or a password: %40 for @, %2F for \
                     /, %3A for :, %3F for ?, %25 for %, %20 for a space";
    let refuse = |is_wrong: bool, why: &str| if is_wrong { Err(why.to_owned()) } else { Ok(()) };
    let is_percent_encoded = |text: &str| {
        let is_code = |code: &str| {
            let two = code.as_bytes().first_chunk::<2>();
            two.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit) && two != b"00")
        };
        text.split('%').skip(1).all(is_code)
    };
    refuse(rest.contains(|letter: char| letter.is_whitespace() || letter.is_control()), unencoded)?;
    refuse(!is_percent_encoded(rest), unencoded)?;
    let (credentials, address) = match rest.split_once('@') {
        Some((credentials, address)) => (credentials, address),
        None => ("", rest),
    };
    refuse(credentials.contains(['/', '?']), unencoded)?;
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let (hosts, database) = address.split_once('/').unwrap_or((address, ""));
    refuse(address.contains('@') || database.contains('/'), unencoded)?;
    for host in hosts.split(',') {
        let port = match host.rsplit_once(']') {
            Some((_, port)) => port.strip_prefix(':').unwrap_or(port),
            None => host.split_once(':').map_or("", |(_, port)| port),
        };
        let is_port = port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0);
        let why = "has a port that is not a number from 1 to 65535; a : in a user name or a password is written %3A, \
                   and a / %2F";
        refuse(!is_port, why)?;
    }
    let is_pair = |pair: &str| pair.matches('=').count() == 1;
    refuse(!query.is_empty() && !query.split('&').all(is_pair), "has a parameter behind ? that is not name=value")
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
mod tests;
