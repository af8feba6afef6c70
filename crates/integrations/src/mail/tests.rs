//! What a mail looks like, and how its server is named.

use tokio::{io::AsyncWriteExt as _, net::TcpListener};

use super::*;

fn mailer() -> Mailer {
    let server = SmtpUrl::parse("smtp://127.0.0.1:2525").unwrap();
    Mailer::new(server, sender("Muster <muster@example.net>").unwrap(), &[]).unwrap()
}

fn written(subject: &str, text: &str) -> String {
    let mail = Mail {
        to: "ann@example.net".to_owned(),
        subject: subject.to_owned(),
        html: "<p>x</p>".to_owned(),
        thread: "CNV-1".to_owned(),
    };
    let message = mailer().written("PG-1", &mail, text, Timestamp::from_millis(1_795_000_000_000)).unwrap();
    String::from_utf8(message.formatted()).unwrap()
}

#[test]
fn nothing_of_an_alert_becomes_a_header() {
    for subject in
        ["a\r\nBcc: eve@example.org", "a\nBcc: eve@example.org", "a\rBcc: eve@example.org", "ä\u{2028}Bcc: x", "\0"]
    {
        let mail = written(subject, "text\r\n.\r\nMAIL FROM:<x>");
        let (head, _) = mail.split_once("\r\n\r\n").unwrap();
        let names: Vec<&str> = head
            .lines()
            .filter(|line| !line.starts_with([' ', '\t']))
            .filter_map(|line| line.split(':').next())
            .collect();
        let allowed = [
            "From",
            "To",
            "Subject",
            "Date",
            "Message-ID",
            "Auto-Submitted",
            "X-Muster-Id",
            "In-Reply-To",
            "References",
            "MIME-Version",
            "Content-Type",
        ];
        assert!(names.iter().all(|name| allowed.contains(name)), "{head}");
        assert!(mail.lines().all(|line| line.len() <= 998), "{subject:?}");
    }
}

#[test]
fn mails_of_a_conversation_belong_together() {
    let mail = written("[Critical] Load is 31", "text");
    assert!(mail.contains("Message-ID: <PG-1@example.net>\r\n"), "{mail}");
    assert!(mail.contains("References: <CNV-1@example.net>\r\n"), "{mail}");
    assert!(mail.contains("In-Reply-To: <CNV-1@example.net>\r\n"), "{mail}");
    assert!(mail.contains("multipart/alternative"), "{mail}");
}

#[test]
fn a_server_is_named_in_several_ways() {
    let told = |text: &str| SmtpUrl::parse(text).map(|url| (url.host, url.port, url.privacy, url.login.is_some()));
    assert_eq!(told("smtp://mail.example.net"), Ok(("mail.example.net".into(), 587, Privacy::StartTls, false)));
    assert_eq!(told("smtps://a%40b:p%3A@mail.example.net"), Ok(("mail.example.net".into(), 465, Privacy::Tls, true)));
    assert_eq!(told("smtp://127.0.0.1:2525"), Ok(("127.0.0.1".into(), 2525, Privacy::None, false)));
    assert_eq!(told("smtp://localhost:25?tls=required"), Ok(("localhost".into(), 25, Privacy::StartTls, false)));
    assert_eq!(told("smtp://mail.example.net?tls=none"), Ok(("mail.example.net".into(), 25, Privacy::None, false)));
    for wrong in ["", "mail.example.net", "http://a.net", "smtp://a.net?tls=maybe", "smtp://user:hush@a.net?tls=none"] {
        let error = SmtpUrl::parse(wrong).unwrap_err();
        assert!(!error.contains("hush"), "{error}");
    }
}

/// What becomes of a mail to a server that says the same again and again, 100 MB at most; and how many bytes of it went
/// out.
async fn sent_to_one_that_says(piece: &'static [u8]) -> (SendError, usize) {
    const MOST: usize = 100_000_000;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut written = 0;
        while written < MOST && stream.write_all(piece).await.is_ok() {
            written += piece.len();
        }
        written
    });
    let url = SmtpUrl::parse(&format!("smtp://127.0.0.1:{port}")).unwrap();
    let mailer = Mailer::new(url, sender("muster@example.net").unwrap(), &[]).unwrap();
    let mail = Mail { to: "ann@example.net".to_owned(), ..Mail::default() };
    let refused = mailer.send("PG-1", &mail, "text", Timestamp::from_millis(0)).await.unwrap_err();
    (refused, server.await.unwrap())
}

#[tokio::test]
async fn a_server_that_says_too_much_is_left() {
    // A line that does not end, an answer that goes on, and answers that nobody waits for.
    let pieces = [[b'2'; 1_001].as_slice().to_vec(), b"220-\r\n".repeat(200), b"220 x\r\n".repeat(200)];
    for piece in pieces {
        let begun = std::time::Instant::now();
        let piece: &'static [u8] = piece.leak();
        let (refused, written) = sent_to_one_that_says(piece).await;
        assert!(written < 20_000_000, "{written} bytes were taken");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        assert!(!refused.for_good, "{refused:?}");
    }
}
