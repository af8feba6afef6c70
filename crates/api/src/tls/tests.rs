use std::fs;

use super::*;

fn write(directory: &Path, name: &str) -> (PathBuf, PathBuf) {
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let chain = directory.join(format!("{name}.pem"));
    let key = directory.join(format!("{name}.key"));
    fs::write(&chain, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    (chain, key)
}

#[test]
fn the_time_of_a_certificate_is_read() {
    for (year, is_authority) in [(2031, false), (2062, false), (2031, true)] {
        let mut params = rcgen::CertificateParams::new(vec!["a.test".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(year - 1, 3, 7);
        params.not_after = rcgen::date_time_ymd(year, 3, 7);
        if is_authority {
            params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        }
        let certificate = params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
        let end = Timestamp::parse(&format!("{year}-03-07T00:00:00Z"));
        assert_eq!(not_after(certificate.der()), end, "{year}, authority: {is_authority}");
        let begin = Timestamp::parse(&format!("{}-03-07T00:00:00Z", year - 1));
        assert_eq!(not_before(certificate.der()), begin, "{year}, authority: {is_authority}");
        assert_eq!(not_after(&certificate.der()[..100].to_vec().into()), None);
    }
}

#[test]
fn certificate_and_key_belong_together() {
    let directory = tempfile::tempdir().unwrap();
    let (chain, key) = write(directory.path(), "one.test");
    let (_, other_key) = write(directory.path(), "other.test");
    let certificate = Certificate::load(&chain, &key).unwrap();
    certificate.server_config().unwrap();
    assert!(certificate.ends() > Some(crate::clock::now()));
    for (chain, key, said) in [
        (&chain, &other_key, "do not belong together"),
        (&key, &key, "holds no PEM certificate"),
        (&chain, &chain, "the key file"),
        (&directory.path().join("missing"), &key, "the certificate file"),
    ] {
        let error = Certificate::load(chain, key).unwrap_err();
        assert!(format!("{error:#}").contains(said), "{error:#}");
    }
}

#[test]
fn a_renewed_certificate_is_used_and_a_broken_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let (chain, key) = write(directory.path(), "one.test");
    let certificate = Certificate::load(&chain, &key).unwrap();
    let current = || certificate.current.read().unwrap().cert[0].to_vec();
    let first = current();
    let (new_chain, new_key) = write(directory.path(), "two.test");
    fs::rename(new_chain, &chain).unwrap();
    assert!(certificate.reload().is_err(), "the key is still the old one");
    assert_eq!(current(), first);
    fs::rename(new_key, &key).unwrap();
    certificate.reload().unwrap();
    assert_ne!(current(), first);
}
