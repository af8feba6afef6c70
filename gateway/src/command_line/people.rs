//! Who signs in, and how.

use std::path::PathBuf;

use access::oidc::issuer;
use api::Role;
use base::tenant::TenantId;
use clap::{Args, Subcommand};

use super::{Storage, role};

/// How browsers reach the service.
#[derive(Args, Clone)]
pub struct Browsers {
    /// How browsers reach the service, such as https://muster.example; without it, as each request says
    #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = origin)]
    pub public_url: Option<String>,
}

/// The issuer by which people sign in.
#[derive(Args, Clone)]
pub struct Oidc {
    /// Let people sign in through this OpenID Connect issuer; needs --public-url
    #[arg(long, env = "MUSTER_OIDC_ISSUER", value_name = "URL", value_parser = issuer,
        requires_all = ["oidc_client_id", "oidc_client_secret_file", "public_url"])]
    pub oidc_issuer: Option<String>,
    /// The client id of this service at the issuer
    #[arg(long, env = "MUSTER_OIDC_CLIENT_ID", value_name = "ID", requires = "oidc_issuer")]
    pub oidc_client_id: Option<String>,
    /// The file with the client secret of this service at the issuer
    #[arg(long, env = "MUSTER_OIDC_CLIENT_SECRET_FILE", value_name = "FILE", requires = "oidc_issuer")]
    pub oidc_client_secret_file: Option<PathBuf>,
    /// Link a person to an account, at the first sign-in, by an address that the issuer has verified
    #[arg(long, env = "MUSTER_OIDC_LINK_BY_EMAIL", requires = "oidc_issuer")]
    pub oidc_link_by_email: bool,
    /// The claim that holds a person's role, read at each sign-in
    #[arg(long, env = "MUSTER_OIDC_ROLE_CLAIM", value_name = "NAME", requires = "oidc_issuer")]
    pub oidc_role_claim: Option<String>,
    /// The tenant whose people sign in through the issuer; by default all tenants
    #[arg(long, env = "MUSTER_OIDC_TENANT", requires = "oidc_issuer")]
    pub oidc_tenant: Option<TenantId>,
    /// Trust the authorities in this PEM file too, when the issuer is called
    #[arg(long, env = "MUSTER_OIDC_CA", value_name = "FILE", requires = "oidc_issuer")]
    pub oidc_ca: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum User {
    /// Make a user
    Create {
        #[command(flatten)]
        storage: Storage,
        /// The tenant that it belongs to
        #[arg(long)]
        tenant: TenantId,
        /// What it may do: viewer, operator, integrator or admin
        #[arg(long, value_parser = role, default_value = "viewer")]
        role: Role,
        /// Its login name
        login: String,
    },
    /// Print a link that signs a user in, once and within ten minutes
    SignIn {
        #[command(flatten)]
        storage: Storage,
        /// How browsers reach the service; by default as its last start with this data directory noted
        #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = origin)]
        public_url: Option<String>,
        /// The tenant of the user; needed where several have one of this name
        #[arg(long)]
        tenant: Option<TenantId>,
        /// The login name of the user
        login: String,
    },
}

/// `http` or `https`, a host and perhaps a port, and nothing else.
pub fn origin(text: &str) -> Result<String, String> {
    let wrong = || "write it as https://muster.example or http://127.0.0.1:8080, without a path".to_owned();
    let text = text.trim().trim_end_matches('/').to_ascii_lowercase();
    let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
    let port = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return Err(wrong()),
    };
    let host = host.strip_suffix(port).unwrap_or(host);
    let odd = |letter: char| !(letter.is_ascii_alphanumeric() || "-._:[]".contains(letter));
    if host.is_empty() || host.contains(odd) { Err(wrong()) } else { Ok(format!("{scheme}://{host}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_browsers_reach_the_service() {
        assert_eq!(origin("https://Muster.example:443/"), Ok("https://muster.example".to_owned()));
        assert_eq!(origin("http://127.0.0.1:8080"), Ok("http://127.0.0.1:8080".to_owned()));
        for wrong in ["", "muster.example", "ftp://x", "https://", "https://x/y", "https://x?y", "https://a@x"] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
