//! Signatures after Standard Webhooks: the receiver verifies who sent a message, that nobody changed it, and when.

use base::secret::Secret;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::hmac;

/// The value of `webhook-signature`: one for each secret that is valid now.
pub fn signature<'s>(
    secrets: impl IntoIterator<Item = &'s Secret<String>>,
    id: &str,
    seconds: i64,
    body: &[u8],
) -> String {
    let mut content = format!("{id}.{seconds}.").into_bytes();
    content.extend_from_slice(body);
    let signed = secrets.into_iter().filter_map(|secret| {
        let key = STANDARD.decode(secret.expose().strip_prefix("whsec_")?).ok()?;
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &content);
        Some(format!("v1,{}", STANDARD.encode(tag.as_ref())))
    });
    signed.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn signs_as_the_specification_has_it() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signed = signature([&secret], id, 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let both = signature([&secret, &Secret::new("whsec_AAAA".to_owned())], id, 1, b"x");
        assert_eq!(both.split(' ').count(), 2);
    }
}
