//! The TLS settings of a Postgres URL, read as libpq reads it.

use std::path::{Path, PathBuf};

use base::text::listed;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// How much the connection is to be trusted (`sslmode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// TLS when the server has it, in the clear otherwise.
    Prefer,
    /// TLS, without checking who the server is.
    Require,
    /// TLS, with a certificate of a trusted authority.
    VerifyCa,
    /// TLS, with a certificate of a trusted authority for this host.
    VerifyFull,
}

/// Which authorities are trusted (`sslrootcert`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Those of this PEM file.
    File(PathBuf),
    /// The public ones, as Mozilla lists them.
    Public,
}

/// One server of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its name, which a certificate has to bear for [`Mode::VerifyFull`].
    pub(crate) host: String,
    /// Where to connect, when that is not the name.
    pub(crate) address: Option<String>,
    pub(crate) port: u16,
}

/// Where libpq is to connect instead, for each server of the URL in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// To the tunnel's end for this server.
    Tunnel(Target),
    /// Where the URL says: a socket in this directory.
    Socket { directory: String, port: String },
}

/// When a server whose host says nothing any more is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeepAlive {
    /// How long what was sent may wait for its receipt, in milliseconds (`tcp_user_timeout`).
    pub(crate) unanswered_ms: Option<u32>,
    /// After how many seconds of silence the system asks, after how many it asks again, and how often
    /// (`keepalives_idle`, `keepalives_interval`, `keepalives_count`); `None` when it does not (`keepalives=0`).
    pub(crate) ask: Option<[u32; 3]>,
}

/// A URL that asks for TLS.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) roots: Roots,
    /// A certificate of the client and its key, in PEM files.
    pub(crate) client: Option<(PathBuf, PathBuf)>,
    /// TLS from the first byte, without asking first (`sslnegotiation=direct`).
    pub(crate) direct: bool,
    pub(crate) keep_alive: KeepAlive,
    pub(crate) endpoints: Vec<Endpoint>,
    /// The URL up to its host, and from its database to the first parameter about hosts or TLS.
    before_host: String,
    database: String,
    others: Vec<String>,
}

/// The environment variables of libpq; a parameter of the test.
pub(crate) type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

impl Settings {
    /// Reads a URL; `None` when libpq can be left alone with it: no TLS is asked for, and none is needed.
    pub(crate) fn read(url: &str, environment: Environment<'_>) -> Result<Option<Self>, String> {
        let parts = UrlParts::split(url)?;
        let value = |name: &str, variable: &str| {
            let found = parts.parameter(name)?.or_else(|| environment(variable));
            Ok::<_, String>(found.filter(|value| !value.is_empty()))
        };
        let endpoints = parts.servers(environment)?;
        let remote = |endpoint: &Endpoint| matches!(endpoint, Endpoint::Tunnel(target) if !target.is_this_machine());
        let root = value("sslrootcert", "PGSSLROOTCERT")?;
        let given = match value("sslmode", "PGSSLMODE")? {
            Some(mode) => Some(mode),
            None if value("ssl", "")?.as_deref() == Some("true") => Some("require".to_owned()),
            None if root.as_deref() == Some("system") => Some("verify-full".to_owned()),
            None => None,
        };
        let mode = match given.as_deref() {
            Some("disable") => return Ok(None),
            None if !endpoints.iter().any(remote) => return Ok(None),
            None | Some("prefer" | "allow") => Mode::Prefer,
            Some("require") => Mode::Require,
            Some("verify-ca") => Mode::VerifyCa,
            Some("verify-full") => Mode::VerifyFull,
            Some(other) => {
                let modes = "disable, allow, prefer, require, verify-ca, verify-full";
                return Err(format!("sslmode={other} is none of {modes}"));
            }
        };
        let home_root = || {
            let file = Path::new(&environment("HOME")?).join(".postgresql/root.crt");
            file.is_file().then_some(file)
        };
        let roots = match root.as_deref() {
            Some("system") if mode != Mode::VerifyFull => {
                return Err(
                    "sslrootcert=system needs sslmode=verify-full: anybody can have a public certificate".to_owned()
                );
            }
            Some("system") => Some(Roots::Public),
            Some(file) => Some(Roots::File(file.into())),
            None => home_root().map(Roots::File),
        };
        // As libpq has it: a root that is there is used.
        let mode = if mode == Mode::Require && roots.is_some() { Mode::VerifyCa } else { mode };
        let roots = match roots {
            Some(roots) => roots,
            None if mode == Mode::VerifyCa => return Err("sslmode=verify-ca needs sslrootcert, a PEM file".to_owned()),
            None => Roots::Public,
        };
        let client = match (value("sslcert", "PGSSLCERT")?, value("sslkey", "PGSSLKEY")?) {
            (Some(chain), Some(key)) => Some((chain.into(), key.into())),
            (None, None) => None,
            _ => return Err("sslcert and sslkey are given together or not at all".to_owned()),
        };
        let direct = match value("sslnegotiation", "PGSSLNEGOTIATION")?.as_deref() {
            None | Some("postgres") => false,
            Some("direct") if mode >= Mode::Require => true,
            Some(_) => return Err("sslnegotiation is postgres, or direct with sslmode=require or stronger".to_owned()),
        };
        // What libpq refuses to read as a number it refuses by itself.
        let number = |name: &str| Ok::<_, String>(value(name, "")?.and_then(|text| text.trim().parse::<u32>().ok()));
        let asks = number("keepalives")? != Some(0);
        let mut ask = [0; 3];
        for (value, name) in ask.iter_mut().zip(["keepalives_idle", "keepalives_interval", "keepalives_count"]) {
            *value = number(name)?.unwrap_or(0);
        }
        let keep_alive = KeepAlive { unanswered_ms: number("tcp_user_timeout")?, ask: asks.then_some(ask) };
        parts.refuse_unknown()?;
        let UrlParts { before_host, database, .. } = parts.clone();
        let others = parts.others();
        Ok(Some(Self { mode, roots, client, direct, keep_alive, endpoints, before_host, database, others }))
    }

    /// The URL for libpq: `directories` has the tunnel's end for each place that is a [`Endpoint::Tunnel`].
    pub(crate) fn rewritten(&self, directories: &[PathBuf]) -> String {
        let mut ends = directories.iter();
        let mut hosts = Vec::new();
        let mut ports = Vec::new();
        for endpoint in &self.endpoints {
            match endpoint {
                Endpoint::Tunnel(target) => {
                    let end = ends.next().map(|end| end.to_string_lossy()).unwrap_or_default();
                    hosts.push(end.into_owned());
                    ports.push(target.port.to_string());
                }
                Endpoint::Socket { directory, port } => {
                    hosts.push(directory.clone());
                    ports.push(port.clone());
                }
            }
        }
        let encoded = |list: Vec<String>| utf8_percent_encode(&list.join(","), NON_ALPHANUMERIC).to_string();
        let mut parameters = self.others.clone();
        parameters.push(format!("host={}", encoded(hosts)));
        parameters.push(format!("port={}", encoded(ports)));
        // Said, so that no environment variable says otherwise.
        parameters.push("hostaddr=".to_owned());
        parameters.push("sslmode=disable".to_owned());
        format!("{}/{}?{}", self.before_host, self.database, parameters.join("&"))
    }
}

impl Target {
    fn is_this_machine(&self) -> bool {
        let at = self.address.as_ref().unwrap_or(&self.host);
        at.eq_ignore_ascii_case("localhost") || at.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

/// The servers of a URL, whether it asks for TLS or not.
pub(crate) fn servers(url: &str, environment: Environment<'_>) -> Result<Vec<Endpoint>, String> {
    UrlParts::split(url)?.servers(environment)
}

/// Pairs hosts, addresses and ports as libpq does: as many as there are hosts, or one port for all.
fn parse_endpoints(hosts: &str, addresses: &str, ports: &str) -> Result<Vec<Endpoint>, String> {
    let list = |text: &str| -> Vec<String> {
        if text.is_empty() { Vec::new() } else { text.split(',').map(str::to_owned).collect() }
    };
    let hosts = list(hosts);
    let addresses = list(addresses);
    let ports = list(ports);
    let count = hosts.len().max(addresses.len()).max(1);
    if (!hosts.is_empty() && hosts.len() != count) || (!addresses.is_empty() && addresses.len() != count) {
        return Err("host and hostaddr name different numbers of servers".to_owned());
    }
    if ports.len() > 1 && ports.len() != count {
        return Err("host and port name different numbers of servers".to_owned());
    }
    (0..count)
        .map(|index| {
            let of = |list: &[String], index| list.get(index).filter(|text: &&String| !text.is_empty()).cloned();
            let host = of(&hosts, index);
            let address = of(&addresses, index);
            let port = of(&ports, if ports.len() == 1 { 0 } else { index }).unwrap_or_else(|| "5432".to_owned());
            match (host, address) {
                (None, None) => Ok(Endpoint::Socket { directory: String::new(), port }),
                (Some(host), None) if host.starts_with(['/', '@']) => Ok(Endpoint::Socket { directory: host, port }),
                (host, address) => {
                    let port = port.parse().map_err(|_| format!("{port} is not a port"))?;
                    let host = host.or_else(|| address.clone()).unwrap_or_default();
                    Ok(Endpoint::Tunnel(Target { host, address, port }))
                }
            }
        })
        .collect()
}

/// The pieces of a URL.
#[derive(Clone)]
struct UrlParts {
    /// The scheme, and user and password with their `@`.
    before_host: String,
    /// Decoded; joined by commas.
    hosts: String,
    ports: String,
    /// As it is in the URL.
    database: String,
    /// As they are in the URL.
    parameters: Vec<String>,
}

/// Parameters that are read here, and not handed on.
const READ_HERE: [&str; 12] =
    listed("host hostaddr port ssl sslmode sslrootcert sslcert sslkey sslnegotiation sslsni sslcompression requiressl");

impl UrlParts {
    fn split(url: &str) -> Result<Self, String> {
        let (scheme, rest) = url.split_once("://").ok_or("the URL has no scheme")?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = path.split_once('/').unwrap_or((path, ""));
        let (user, servers) = match authority.split_once('@') {
            Some((user, servers)) => (format!("{user}@"), servers),
            None => (String::new(), authority),
        };
        let mut hosts = Vec::new();
        let mut ports = Vec::new();
        for server in servers.split(',') {
            let (host, port) = match server.strip_prefix('[') {
                Some(rest) => {
                    let (address, port) = rest.split_once(']').ok_or("an IPv6 address has no closing bracket")?;
                    (address, port.strip_prefix(':').unwrap_or(port))
                }
                None => server.split_once(':').unwrap_or((server, "")),
            };
            hosts.push(decode(host)?);
            ports.push(decode(port)?);
        }
        let none = |list: &[String]| list.iter().all(String::is_empty);
        let join = |list: Vec<String>| if none(&list) { String::new() } else { list.join(",") };
        let parameters = query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned).collect();
        let before_host = format!("{scheme}://{user}");
        Ok(Self { before_host, hosts: join(hosts), ports: join(ports), database: database.to_owned(), parameters })
    }

    fn servers(&self, environment: Environment<'_>) -> Result<Vec<Endpoint>, String> {
        let server = |name: &str, in_front: &str, variable: &str| {
            let in_front = Some(in_front.to_owned()).filter(|text| !text.is_empty());
            let found = self.parameter(name)?.or(in_front).or_else(|| environment(variable));
            Ok::<_, String>(found.unwrap_or_default())
        };
        parse_endpoints(
            &server("host", &self.hosts, "PGHOST")?,
            &server("hostaddr", "", "PGHOSTADDR")?,
            &server("port", &self.ports, "PGPORT")?,
        )
    }

    /// The last value of a parameter, as libpq takes it.
    fn parameter(&self, name: &str) -> Result<Option<String>, String> {
        let pairs = self.parameters.iter().rev().filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| decode(value)).transpose()
    }

    /// A setting about TLS that is not read here would be lost without a word.
    fn refuse_unknown(&self) -> Result<(), String> {
        let names = self.parameters.iter().map(|pair| pair.split('=').next().unwrap_or(pair));
        for name in names {
            if name.starts_with("ssl") && !READ_HERE.contains(&name) {
                return Err(format!("{name} is not supported"));
            }
        }
        if self.parameter("channel_binding")?.as_deref() == Some("require") {
            return Err("channel_binding=require is not supported: sslmode=verify-full protects as well".to_owned());
        }
        Ok(())
    }

    fn others(self) -> Vec<String> {
        let name = |pair: &str| pair.split('=').next().unwrap_or(pair).to_owned();
        self.parameters.into_iter().filter(|pair| !READ_HERE.contains(&name(pair).as_str())).collect()
    }
}

fn decode(text: &str) -> Result<String, String> {
    let decoded = percent_decode_str(text).decode_utf8().map_err(|_| "the URL is not UTF-8".to_owned())?;
    Ok(decoded.into_owned())
}

#[cfg(test)]
mod tests;
