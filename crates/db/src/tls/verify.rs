//! Verification of the server's certificate, for each `sslmode`.

use std::{path::Path, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
    server::ParsedCertificate,
};

use super::settings::{Mode, Roots, Settings};

/// Checks a server's certificate as `sslmode` asks.
#[derive(Debug)]
struct Verifier {
    mode: Mode,
    provider: Arc<CryptoProvider>,
    /// `None` when any certificate will do.
    trusted: Option<TrustAnchors>,
}

#[derive(Debug)]
struct TrustAnchors {
    authorities: Arc<WebPkiServerVerifier>,
    /// The certificates of the given file. A server may have one of them itself: a self-made certificate.
    file_certificates: Vec<CertificateDer<'static>>,
}

/// The settings of the client's side of TLS; the error says which file is wrong.
pub(super) fn client_config(settings: &Settings) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let trusted = match settings.mode {
        Mode::Prefer | Mode::Require => None,
        Mode::VerifyCa | Mode::VerifyFull => Some(trusted(&settings.roots, &provider)?),
    };
    let verifier = Verifier { mode: settings.mode, provider: Arc::clone(&provider), trusted };
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &settings.client {
        None => config.with_no_client_auth(),
        Some((chain, key)) => {
            let key =
                PrivateKeyDer::from_pem_file(key).map_err(|error| format!("sslkey {}: {error}", key.display()))?;
            let chain = certificates("sslcert", chain)?;
            config.with_client_auth_cert(chain, key).map_err(|error| format!("sslcert and sslkey: {error}"))?
        }
    };
    // Asked for by servers that take TLS from the first byte.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(config)
}

fn trusted(roots: &Roots, provider: &Arc<CryptoProvider>) -> Result<TrustAnchors, String> {
    let mut store = RootCertStore::empty();
    let file_certificates = match roots {
        Roots::Public => {
            store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            Vec::new()
        }
        Roots::File(file) => {
            let file_certificates = certificates("sslrootcert", file)?;
            for certificate in &file_certificates {
                let added = store.add(certificate.clone());
                added.map_err(|error| format!("sslrootcert {}: {error}", file.display()))?;
            }
            file_certificates
        }
    };
    let authorities = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider));
    let authorities = authorities.build().map_err(|error| format!("sslrootcert: {error}"))?;
    Ok(TrustAnchors { authorities, file_certificates })
}

fn certificates(name: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{name} {}: {error}", file.display());
    let chain = CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))?;
    let chain = chain.collect::<Result<Vec<_>, _>>().map_err(|error| wrong(&error))?;
    if chain.is_empty() { Err(wrong(&"no PEM certificate in it")) } else { Ok(chain) }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(TrustAnchors { authorities, file_certificates }) = &self.trusted else {
            return Ok(ServerCertVerified::assertion());
        };
        let checked = if file_certificates.contains(certificate) {
            // An authority's certificate is none for a server to rustls; to libpq it is, when it is trusted itself.
            verify_server_name(&ParsedCertificate::try_from(certificate)?, name)
                .map(|()| ServerCertVerified::assertion())
        } else {
            authorities.verify_server_cert(certificate, intermediates, name, ocsp_response, now)
        };
        match checked {
            // The name is looked at last: all else was right.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.mode == Mode::VerifyCa => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
