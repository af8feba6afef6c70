use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::*;

/// An authority, and a certificate that it gave out for a name.
fn made(name: &str) -> (String, CertificateDer<'static>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let leaf = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let leaf = leaf.signed_by(&KeyPair::generate().unwrap(), &authority).unwrap();
    (authority.pem(), leaf.der().clone())
}

fn verifier(mode: Mode, roots: Option<&str>) -> Verifier {
    let provider = Arc::new(ring::default_provider());
    let trusted = roots.map(|pem| {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("root.pem");
        std::fs::write(&file, pem).unwrap();
        trusted(&Roots::File(file), &provider).unwrap()
    });
    Verifier { mode, provider, trusted }
}

fn accepts(verifier: &Verifier, certificate: &CertificateDer<'_>, name: &str) -> bool {
    let name = ServerName::try_from(name).unwrap();
    verifier.verify_server_cert(certificate, &[], &name, &[], UnixTime::now()).is_ok()
}

#[test]
fn each_mode_checks_what_it_says() {
    let (root, certificate) = made("db.test");
    let (other_root, _) = made("db.test");
    let require = verifier(Mode::Require, None);
    assert!(accepts(&require, &certificate, "anything.test"));
    let authority = verifier(Mode::VerifyCa, Some(&root));
    assert!(accepts(&authority, &certificate, "anything.test"));
    let full = verifier(Mode::VerifyFull, Some(&root));
    assert!(accepts(&full, &certificate, "db.test"));
    assert!(!accepts(&full, &certificate, "anything.test"));
    for mode in [Mode::VerifyCa, Mode::VerifyFull] {
        assert!(!accepts(&verifier(mode, Some(&other_root)), &certificate, "db.test"), "{mode:?}");
        assert!(accepts(&verifier(mode, Some(&format!("{other_root}{root}"))), &certificate, "db.test"), "{mode:?}");
    }
}

#[test]
fn a_self_made_certificate_is_trusted_when_it_is_the_root_itself() {
    // As `openssl req -x509` makes it: an authority's certificate.
    let mut params = CertificateParams::new(vec!["db.test".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let made = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
    let full = verifier(Mode::VerifyFull, Some(&made.pem()));
    assert!(accepts(&full, made.der(), "db.test"));
    assert!(!accepts(&full, made.der(), "other.test"));
    assert!(accepts(&verifier(Mode::VerifyCa, Some(&made.pem())), made.der(), "other.test"));
    let (other_root, _) = self::made("db.test");
    assert!(!accepts(&verifier(Mode::VerifyCa, Some(&other_root)), made.der(), "db.test"));
}

#[test]
fn files_that_are_none_are_named() {
    let provider = Arc::new(ring::default_provider());
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    for file in [empty, PathBuf::from("/nowhere/root.pem")] {
        let error = trusted(&Roots::File(file.clone()), &provider).unwrap_err();
        assert!(error.starts_with(&format!("sslrootcert {}: ", file.display())), "{error}");
    }
    assert!(trusted(&Roots::Public, &provider).is_ok());
}
