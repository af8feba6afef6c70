//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

/// A way to reach somebody. Which fields are needed depends on `type` and `preset`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "name": "My phone", "type": "HTTP", "preset": "ntfy", "url": "https://ntfy.example.net/a-long-random-topic"
}))]
pub struct ContactMethodInput {
    /// What its owner calls it; at most 200 characters.
    name: Option<String>,
    /// `HTTP` or `EMAIL`; it stays what it was when it was made.
    r#type: Option<String>,
    /// Of `HTTP`: `webhook` (default), `ntfy`, `slack`, `mattermost`, `teams`, `discord`, `telegram`, `sms`, `twilio`, `voice`
    /// or `twilioVoice`.
    preset: Option<String>,
    /// Of `HTTP`: what is called. Never shown, because it may be a secret.
    url: Option<String>,
    /// Of `EMAIL`: the address.
    address: Option<String>,
    /// Of `sms`, `twilio`, `voice` and `twilioVoice`: the number that is called.
    to: Option<String>,
    /// Of `twilio` and `twilioVoice`, and if you like of `sms` and `voice`: the number that calls.
    from: Option<String>,
    /// Of `telegram`: the chat.
    chat_id: Option<String>,
    /// Sent as HTTP Basic, with `password`.
    user_name: Option<String>,
    /// Never shown.
    password: Option<String>,
    /// Sent as a bearer token. Never shown.
    token: Option<String>,
    /// Of `webhook`: makes the body, in the language of Jinja with `if` and `for`; at most 4,000 characters.
    template: Option<String>,
    /// Of a template that makes no JSON: the media type of what it makes, such as `text/plain`.
    content_type: Option<String>,
    /// Says that it works; admins alone may say so. Its owner verifies it by the code that is sent to it.
    verified: Option<bool>,
}
