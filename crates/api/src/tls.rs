//! The certificate with which the server speaks HTTPS; it can be read again while the server runs.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use base::timestamp::Timestamp;
use rustls::{
    CertificateError, RootCertStore, ServerConfig,
    client::verify_server_cert_signed_by_trust_anchor,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject as _},
    server::{ClientHello, ParsedCertificate, ResolvesServerCert},
    sign::CertifiedKey,
};

/// The certificates of authorities in a PEM file, at least one.
///
/// # Errors
/// When the file cannot be read, or holds no certificate.
pub fn authorities(path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let reading = || format!("reading {}", path.display());
    let text = fs::read(path).with_context(reading)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let all = all.with_context(reading)?;
    ensure!(!all.is_empty(), "{} holds no certificate", path.display());
    Ok(all)
}

/// A certificate chain and its key, from two PEM files.
#[derive(Debug)]
pub struct Certificate {
    chain_file: PathBuf,
    key_file: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    /// Reads both files. Fails when one cannot be read, or when they do not belong together.
    pub fn load(chain_file: &Path, key_file: &Path) -> anyhow::Result<Arc<Self>> {
        let current = RwLock::new(Arc::new(read(chain_file, key_file)?));
        Ok(Arc::new(Self { chain_file: chain_file.to_owned(), key_file: key_file.to_owned(), current }))
    }

    /// Reads them again, for the connections from now on. On an error the former certificate stays in use.
    pub fn reload(&self) -> anyhow::Result<()> {
        let new = Arc::new(read(&self.chain_file, &self.key_file)?);
        *base::sync::write(&self.current) = new;
        Ok(())
    }

    /// When the certificate ends; `None` when that cannot be read.
    pub fn ends(&self) -> Option<Timestamp> {
        let current = base::sync::read(&self.current);
        not_after(current.cert.first()?)
    }

    /// When the certificate begins to be valid; `None` when that cannot be read.
    pub fn begins(&self) -> Option<Timestamp> {
        let current = base::sync::read(&self.current);
        not_before(current.cert.first()?)
    }

    /// What the server needs to speak HTTPS with it: TLS 1.2 and 1.3.
    pub fn server_config(self: &Arc<Self>) -> anyhow::Result<ServerConfig> {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_no_client_auth();
        Ok(config.with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>))
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&base::sync::read(&self.current)))
    }
}

/// The end of a certificate: rustls names it where it refuses one that has expired, as all have at the end of time.
fn not_after(certificate: &CertificateDer<'_>) -> Option<Timestamp> {
    match refusal_at(certificate, u64::MAX)? {
        CertificateError::ExpiredContext { not_after, .. } => timestamp(not_after),
        _ => None,
    }
}

/// Its beginning, in the same way: no certificate is valid in 1970.
fn not_before(certificate: &CertificateDer<'_>) -> Option<Timestamp> {
    match refusal_at(certificate, 0)? {
        CertificateError::NotValidYetContext { not_before, .. } => timestamp(not_before),
        _ => None,
    }
}

/// Why rustls refuses a certificate at this time, in seconds since 1970.
fn refusal_at(certificate: &CertificateDer<'_>, seconds: u64) -> Option<CertificateError> {
    let parsed = ParsedCertificate::try_from(certificate).ok()?;
    let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    match verify_server_cert_signed_by_trust_anchor(&parsed, &RootCertStore::empty(), &[], time, &[]) {
        Err(rustls::Error::InvalidCertificate(refusal)) => Some(refusal),
        _ => None,
    }
}

fn timestamp(time: UnixTime) -> Option<Timestamp> {
    Some(Timestamp::from_millis(i64::try_from(time.as_secs()).ok()?.checked_mul(1000)?))
}

fn read(chain_file: &Path, key_file: &Path) -> anyhow::Result<CertifiedKey> {
    let in_chain = || format!("the certificate file {}", chain_file.display());
    let chain = CertificateDer::pem_file_iter(chain_file).with_context(in_chain)?;
    let chain = chain.collect::<Result<Vec<_>, _>>().with_context(in_chain)?;
    if chain.is_empty() {
        bail!("{} holds no PEM certificate", chain_file.display());
    }
    let key = PrivateKeyDer::from_pem_file(key_file).with_context(|| format!("the key file {}", key_file.display()))?;
    CertifiedKey::from_der(chain, key, &ring::default_provider())
        .with_context(|| format!("{} and {} do not belong together", chain_file.display(), key_file.display()))
}

#[cfg(test)]
mod tests;
