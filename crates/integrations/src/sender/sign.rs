//! Signatures after Standard Webhooks: the receiver verifies who sent a message, that nobody changed it, and when.

use base::{secret::Secret, timestamp::Timestamp};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::hmac;

use crate::installed::row::Signing;

/// Signs for an endpoint: its keys, ready to be used for many messages.
#[derive(Clone, Debug)]
pub struct Signer {
    current: Option<hmac::Key>,
    /// Signs too, until then.
    previous: Option<(hmac::Key, i64)>,
}

impl Signer {
    /// With these secrets; one that is none signs nothing.
    pub fn new(signing: &Signing) -> Self {
        let previous = signing.previous.as_ref().and_then(|(secret, until)| Some((key(secret)?, *until)));
        Self { current: key(&signing.current), previous }
    }

    /// The value of `webhook-signature`: one for each secret that is valid now. `seconds` is what `webhook-timestamp`
    /// says.
    pub fn sign(&self, id: &str, seconds: i64, body: &[u8], now: Timestamp) -> String {
        let previous = self.previous.as_ref().filter(|(_, until)| now.millis() < *until).map(|(key, _)| key);
        let seconds = seconds.to_string();
        let mut signatures = String::with_capacity(48);
        for key in self.current.iter().chain(previous) {
            let mut content = hmac::Context::with_key(key);
            for part in [id.as_bytes(), b".", seconds.as_bytes(), b".", body] {
                content.update(part);
            }
            signatures.push_str(if signatures.is_empty() { "v1," } else { " v1," });
            STANDARD.encode_string(content.sign().as_ref(), &mut signatures);
        }
        signatures
    }
}

fn key(secret: &Secret<String>) -> Option<hmac::Key> {
    let bytes = STANDARD.decode(secret.expose().strip_prefix("whsec_")?).ok()?;
    Some(hmac::Key::new(hmac::HMAC_SHA256, &bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn signs_as_the_specification_has_it() {
        let secret = |text: &str| Secret::new(text.to_owned());
        let current = secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let seconds = 1_614_265_330;
        let body = br#"{"test": 2432232314}"#;
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let at = Timestamp::from_millis(1_000);
        let sign = |signing: &Signing| Signer::new(signing).sign(id, seconds, body, at);
        assert_eq!(sign(&Signing { current: current.clone(), previous: None }), expected);
        let other = secret("whsec_AAAA");
        let both = sign(&Signing { current: current.clone(), previous: Some((other.clone(), 1_001)) });
        assert!(both.starts_with(expected) && both.split(' ').count() == 2, "{both}");
        assert_eq!(sign(&Signing { current, previous: Some((other, 1_000)) }), expected, "it is over");
    }
}
