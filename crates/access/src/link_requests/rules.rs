//! How many links a mail has, how often an address gets one, and the text of it.

use base::{secret::Secret, text::escaped, turns::interleave};
use ports::Mail;

use crate::sessions::rules::LINK_MINUTES;

/// How many links one mail has at most: people of many tenants may share an address.
const MOST_LINKS: usize = 10;

/// How long an address gets no further mail after one.
pub(super) const PAUSE_MS: i64 = 3_600_000;

/// How long it gets none while one is on its way; the attempts end before.
pub(super) const SENDING_MS: i64 = 360_000;

/// The seconds before each attempt to hand a mail over. A server may take one only the second time (greylisting).
pub(super) const ATTEMPTS: [u64; 4] = [0, 2, 20, 60];

/// A user whose address was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recipient {
    pub(super) tenant_id: String,
    pub(super) tenant_name: String,
    pub(super) user_id: String,
    pub(super) login_name: String,
    /// The address as the user has it: a mail goes there, not to what was typed.
    pub(super) email: String,
}

/// A link, and whom it signs in.
#[derive(Clone, Debug)]
pub(super) struct MailedLink {
    pub(super) id: String,
    pub(super) recipient: Recipient,
    pub(super) url: Secret<String>,
}

/// The users who get a link, oldest first: of each tenant one, then the next of each. So a tenant that has many users
/// with somebody's address takes no link from that person.
pub(super) fn choose(users: Vec<Recipient>) -> Vec<Recipient> {
    let mut chosen = interleave(users, |user| user.tenant_id.clone(), |_| ());
    chosen.truncate(MOST_LINKS);
    chosen
}

/// The mail with these links, to the address of the first, and its plain text.
pub(super) fn mail(links: &[MailedLink]) -> (Mail, String) {
    let to = links.first().map(|link| link.recipient.email.clone()).unwrap_or_default();
    let subject = "Sign in to Muster".to_owned();
    let asked = format!(
        "Somebody asked for a link that signs you in to Muster. It works once, within {LINK_MINUTES} minutes, in the \
         browser in which it is opened."
    );
    let otherwise = "If that was not you, do nothing: without the link nobody is signed in.";
    let name = |Recipient { login_name, tenant_name, tenant_id, .. }: &Recipient| {
        format!("{login_name} at {tenant_name} ({tenant_id})")
    };
    let lines = links.iter().map(|link| format!("As {}:\n{}\n", name(&link.recipient), link.url.expose()));
    let text = format!("{asked}\n\n{}\n{otherwise}\n", lines.collect::<Vec<_>>().join("\n"));
    let items = links.iter().map(|link| {
        format!(
            "<p><a href=\"{}\">Sign in as {}</a></p>\n",
            escaped(link.url.expose()),
            escaped(&name(&link.recipient))
        )
    });
    let html = format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{subject}</title></head>\n<body><p>{}</p>\n{}<p>{}\
         </p></body></html>\n",
        escaped(&asked),
        items.collect::<String>(),
        escaped(otherwise)
    );
    (Mail { to, subject, html, thread: String::new() }, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(tenant: &str, login: &str) -> Recipient {
        Recipient {
            tenant_id: tenant.to_owned(),
            tenant_name: format!("<{tenant}>"),
            user_id: format!("USR-{login}"),
            login_name: login.to_owned(),
            email: "ann@example.net".to_owned(),
        }
    }

    #[test]
    fn each_tenant_has_its_turn() {
        let crowd = (0..50).map(|number| user("client_1", &number.to_string()));
        let users = crowd.chain([user("client_2", "ann"), user("msp_1", "ann")]).collect();
        let chosen = choose(users);
        let tenants: Vec<&str> = chosen.iter().map(|user| user.tenant_id.as_str()).collect();
        assert_eq!(tenants[..4], ["client_1", "client_2", "msp_1", "client_1"]);
        assert_eq!(tenants.len(), MOST_LINKS);
    }

    #[test]
    fn a_mail_names_whom_each_link_signs_in() {
        let link = |tenant: &str| MailedLink {
            id: "LNK-1".to_owned(),
            recipient: user(tenant, "ann"),
            url: Secret::new(format!("https://m.example/auth/sign-in?code={tenant}")),
        };
        let (mail, text) = mail(&[link("client_1"), link("client_2")]);
        assert_eq!(mail.to, "ann@example.net");
        assert!(
            text.contains("ann at <client_2> (client_2):\nhttps://m.example/auth/sign-in?code=client_2\n"),
            "{text}"
        );
        assert!(text.contains("within 10 minutes"), "{text}");
        assert!(mail.html.contains("ann at &lt;client_1&gt; (client_1)</a>"), "{}", mail.html);
    }

    #[test]
    fn the_attempts_end_before_another_mail_may_be_asked_for() {
        let longest_attempt = 60;
        let seconds: u64 = ATTEMPTS.iter().map(|wait| wait + longest_attempt).sum();
        assert!(i64::try_from(seconds).unwrap() * 1000 < SENDING_MS);
        const { assert!(SENDING_MS < LINK_MINUTES * 60_000) };
    }
}
