//! How each service wants to be called.

use std::collections::BTreeMap;

use base::{secret::Secret, text::escaped};
use ports::{Mail, Outgoing, Recipient};
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::render::Message;
use crate::configuration::methods::{row::Method, wire::EMAIL};

/// The longest text of a message to a phone, in characters.
const SHORT: usize = 450;
/// The longest of a chat.
const CHAT: usize = 1_800;

type Destination = BTreeMap<String, Secret<String>>;

/// What is sent for a message by a contact method; or why that cannot be.
pub fn outgoing(method: &Method, destination: &Destination, message: &Message) -> Result<Outgoing, String> {
    let shown = |name: &str| destination.get(name).map(|text| text.expose().clone()).unwrap_or_default();
    if method.kind == EMAIL {
        let mail = Mail {
            to: shown("address"),
            subject: message.title.clone(),
            html: message.html(),
            thread: message.conversation.clone(),
        };
        return Ok(Outgoing { id: message.id.clone(), to: Recipient::Mail(mail), body: message.text() });
    }
    let mut url = destination.get("url").cloned().ok_or("the contact method has no URL")?;
    let mut kind = "application/json";
    let text = message.text();
    // Of a short message the link is what must not be cut off.
    let short = match message.link.as_str() {
        "" => cut(&text, SHORT),
        link => format!("{}\n{link}", cut(&message.title, 160)),
    };
    let body = match method.preset.as_str() {
        "ntfy" => {
            let (base, topic) = topic(url.expose()).ok_or("the URL names no topic")?;
            url = Secret::new(base);
            ntfy(message, &topic)
        }
        "slack" => json!({"text": format!("*{}*\n{}", chat(&message.title), chat(&message.body()))}),
        "mattermost" => json!({"text": format!("**{}**\n{}", chat(&message.title), chat(&message.body()))}),
        "teams" => teams(message),
        "discord" => json!({"content": cut(&text, CHAT), "allowed_mentions": {"parse": []}}),
        "telegram" => json!({"chat_id": shown("chatId"), "text": cut(&text, CHAT), "disable_web_page_preview": true}),
        "sms" | "voice" => {
            let mut body = json!({"to": shown("to"), "text": short, "id": message.id});
            if destination.contains_key("from") {
                body["from"] = json!(shown("from"));
            }
            body
        }
        "twilio" | "twilioVoice" => {
            kind = "application/x-www-form-urlencoded";
            let said = cut(&message.title, SHORT);
            let last = match method.preset.as_str() {
                "twilio" => ("Body", short),
                _ => ("Twiml", format!("<Response><Say loop=\"2\">{}</Say></Response>", escaped(&said))),
            };
            let fields = [("To", shown("to")), ("From", shown("from")), last];
            Value::String(form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish())
        }
        _ => Value::String(message.json()),
    };
    let body = match body {
        Value::String(text) => text,
        json => json.to_string(),
    };
    let kind = destination.get("contentType").map_or(kind, |kind| kind.expose().as_str()).to_owned();
    let mut headers = vec![("Content-Type".to_owned(), Secret::new(kind))];
    if let Some(token) = destination.get("token") {
        headers.push(("Authorization".to_owned(), Secret::new(format!("Bearer {}", token.expose()))));
    } else if let Some(password) = destination.get("password") {
        headers.push(("Authorization".to_owned(), basic(&shown("userName"), password)));
    }
    Ok(Outgoing { id: message.id.clone(), to: Recipient::Url { url, headers }, body })
}

/// The value of `Authorization` for HTTP Basic.
fn basic(user: &str, password: &Secret<String>) -> Secret<String> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose()))))
}

/// The server and the topic of an ntfy URL: JSON goes to the server, and no text of an alert into a header.
fn topic(url: &str) -> Option<(String, String)> {
    let mut url = Url::parse(url).ok()?;
    let topic = url.path_segments()?.rfind(|part| !part.is_empty())?.to_owned();
    url.path_segments_mut().ok()?.pop_if_empty().pop();
    Some((url.to_string(), topic))
}

fn ntfy(message: &Message, topic: &str) -> Value {
    let priority = if message.urgency == "high" { 5 } else { 3 };
    let body = if message.details.is_empty() { message.title.clone() } else { message.body() };
    let mut json = json!({"topic": topic, "title": message.title, "message": cut(&body, CHAT), "priority": priority});
    if !message.link.is_empty() {
        json["click"] = json!(message.link);
    }
    json
}

fn teams(message: &Message) -> Value {
    let line =
        |text: &str, weight: &str| json!({"type": "TextBlock", "text": chat(text), "wrap": true, "weight": weight});
    let mut body = vec![line(&message.title, "Bolder")];
    body.extend(message.details.iter().map(|text| line(text, "Default")));
    let mut card = json!({"type": "AdaptiveCard", "version": "1.4", "body": body});
    if !message.link.is_empty() {
        card["actions"] = json!([{"type": "Action.OpenUrl", "title": "Answer", "url": message.link}]);
    }
    json!({"type": "message", "attachments":
        [{"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": null, "content": card}]})
}

/// A text that calls nobody by name and opens no link of its own: the letters that chats read as commands are escaped.
fn chat(text: &str) -> String {
    cut(text, CHAT).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('@', "@\u{200b}")
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_the_end_of_its_url() {
        let told = |url: &str| topic(url).map(|(base, topic)| format!("{base} {topic}"));
        assert_eq!(told("https://ntfy.sh/abc").as_deref(), Some("https://ntfy.sh/ abc"));
        assert_eq!(told("https://a.net/push/abc/").as_deref(), Some("https://a.net/push abc"));
        assert_eq!(told("https://ntfy.sh/"), None);
    }

    #[test]
    fn a_chat_is_not_called_by_an_alert() {
        assert_eq!(chat("<!channel> & @here"), "&lt;!channel&gt; &amp; @\u{200b}here");
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }
}
