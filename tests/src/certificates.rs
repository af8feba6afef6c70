//! Certificates that nobody else trusts.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// An authority of its own.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate, its key and that of its authority, as PEM.
pub struct IssuedCertificate {
    /// The certificate.
    pub certificate: String,
    /// Its key.
    pub key: String,
    /// The authority's certificate.
    pub authority: String,
}

impl Authority {
    /// A new one.
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// A new certificate for these names and addresses.
    pub fn certify(&self, names: &[&str]) -> IssuedCertificate {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let params = CertificateParams::new(names).expect("names and addresses");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        IssuedCertificate { certificate: certificate.pem(), key: key.serialize_pem(), authority: self.0.pem() }
    }
}
