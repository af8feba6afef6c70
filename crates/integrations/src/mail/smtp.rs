//! One mail to one server (RFC 5321), over TLS or not. What the server says is read within bounds; how long it takes is
//! bounded by whoever calls.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ports::Unsent;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{Privacy, SmtpUrl};

/// The longest line that a server may say, and the most lines of one answer.
const LINE: usize = 2_048;
const LINES: usize = 64;

/// The way to a server.
enum Way {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Way {
    async fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into).await,
            Self::Tls(stream) => stream.read(into).await,
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes).await,
            Self::Tls(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
        }
    }
}

/// A conversation with a server.
struct Talk {
    way: Way,
    /// What was read and not looked at.
    read: Vec<u8>,
}

/// What a server answered.
struct Reply {
    code: u16,
    text: String,
}

impl Reply {
    /// A refusal of the mail itself is for good when the server says so; of anything else it may be the operator's
    /// mistake, and mended meanwhile.
    fn refused(self, of_the_mail: bool, doing: &str) -> Unsent {
        let Self { code, text } = self;
        let for_good = of_the_mail && (500..600).contains(&code);
        let text: String = text.chars().filter(|letter| !letter.is_control()).take(200).collect();
        Unsent {
            status: Some(code),
            for_good,
            ..Unsent::new(format!("the mail server answered {doing} with {code} {text}"))
        }
    }

    fn expect(self, codes: &[u16], of_the_mail: bool, doing: &str) -> Result<Self, Unsent> {
        if codes.contains(&self.code) { Ok(self) } else { Err(self.refused(of_the_mail, doing)) }
    }
}

fn broken(error: &std::io::Error) -> Unsent {
    Unsent::new(format!("the connection to the mail server broke: {}", error.kind()))
}

impl Talk {
    const fn over(way: Way) -> Self {
        Self { way, read: Vec::new() }
    }

    async fn line(&mut self) -> Result<String, Unsent> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.read.len() > LINE {
                return Err(Unsent::new("the mail server says more than any mail server says"));
            }
            let mut piece = [0; 1_024];
            let count = self.way.read(&mut piece).await.map_err(|error| broken(&error))?;
            if count == 0 {
                return Err(Unsent::new("the mail server ended the conversation"));
            }
            self.read.extend_from_slice(piece.get(..count).unwrap_or_default());
        }
    }

    async fn reply(&mut self) -> Result<Reply, Unsent> {
        let mut text = String::new();
        for _ in 0..LINES {
            let line = self.line().await?;
            let code = line.get(..3).and_then(|code| code.parse().ok());
            let code = code.ok_or_else(|| Unsent::new("the mail server says what no mail server says"))?;
            let more = line.as_bytes().get(3) == Some(&b'-');
            text.push_str(line.get(4..).unwrap_or_default());
            text.push('\n');
            if !more {
                return Ok(Reply { code, text });
            }
        }
        Err(Unsent::new("the mail server says more than any mail server says"))
    }

    async fn say(&mut self, line: &str) -> Result<Reply, Unsent> {
        self.write(format!("{line}\r\n").as_bytes()).await?;
        self.reply().await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Unsent> {
        self.way.write(bytes).await.map_err(|error| broken(&error))
    }

    /// Greets; answers what the server offers.
    async fn greet(&mut self) -> Result<String, Unsent> {
        Ok(self.say("EHLO muster").await?.expect(&[250], false, "EHLO")?.text)
    }
}

async fn secured(stream: TcpStream, tls: &TlsConnector, host: &str) -> Result<Talk, Unsent> {
    let name = ServerName::try_from(host.to_owned()).map_err(|_| Unsent::new("the mail server has no name"))?;
    let stream = tls.connect(name, stream).await.map_err(|error| {
        let text: String = error.to_string().chars().take(200).collect();
        Unsent::new(format!("no TLS with the mail server: {text}"))
    })?;
    Ok(Talk::over(Way::Tls(Box::new(stream))))
}

/// Hands a mail over; answers the status by which the server takes it.
pub async fn send(server: &SmtpUrl, tls: &TlsConnector, from: &str, to: &str, mail: &[u8]) -> Result<u16, Unsent> {
    let stream = TcpStream::connect((server.host.as_str(), server.port)).await;
    let stream = stream.map_err(|error| Unsent::new(format!("the mail server is not reached: {}", error.kind())))?;
    let mut talk = match server.privacy {
        Privacy::Tls => secured(stream, tls, &server.host).await?,
        Privacy::None => Talk::over(Way::Plain(stream)),
        Privacy::StartTls => started(stream, tls, &server.host).await?,
    };
    if server.privacy != Privacy::StartTls {
        talk.reply().await?.expect(&[220], false, "the connection")?;
    }
    let offers = talk.greet().await?;
    if let Some((user, password)) = &server.login {
        log_in(&mut talk, &offers, user, password.expose()).await?;
    }
    // Addresses hold no blank, no angle and no line break: the one was checked when it was stored, the other at the
    // start.
    talk.say(&format!("MAIL FROM:<{from}>")).await?.expect(&[250], true, "MAIL")?;
    talk.say(&format!("RCPT TO:<{to}>")).await?.expect(&[250, 251], true, "RCPT")?;
    talk.say("DATA").await?.expect(&[354], true, "DATA")?;
    talk.write(&stuffed(mail)).await?;
    let taken = talk.reply().await?.expect(&[250], true, "the mail")?;
    // It is taken: whatever becomes of the farewell.
    let _ = talk.write(b"QUIT\r\n").await;
    Ok(taken.code)
}

/// Plain at first, then private.
async fn started(stream: TcpStream, tls: &TlsConnector, host: &str) -> Result<Talk, Unsent> {
    let mut talk = Talk::over(Way::Plain(stream));
    talk.reply().await?.expect(&[220], false, "the connection")?;
    let offers = talk.greet().await?;
    if !offers.lines().any(|line| line.trim().eq_ignore_ascii_case("STARTTLS")) {
        return Err(Unsent::new("the mail server offers no STARTTLS, and mail is not sent without it"));
    }
    talk.say("STARTTLS").await?.expect(&[220], false, "STARTTLS")?;
    match talk {
        // What somebody on the way slipped in before TLS is not taken for what the server says within it.
        Talk { way: Way::Plain(stream), read } if read.is_empty() => secured(stream, tls, host).await,
        _ => Err(Unsent::new("the mail server said something before TLS was there")),
    }
}

async fn log_in(talk: &mut Talk, offers: &str, user: &str, password: &str) -> Result<(), Unsent> {
    let mechanisms =
        offers.lines().find_map(|line| line.strip_prefix("AUTH ")).unwrap_or_default().to_ascii_uppercase();
    let has = |name: &str| mechanisms.split_whitespace().any(|word| word == name);
    if has("PLAIN") || !has("LOGIN") {
        let credentials = STANDARD.encode(format!("\0{user}\0{password}"));
        talk.say(&format!("AUTH PLAIN {credentials}")).await?.expect(&[235], false, "the login")?;
        return Ok(());
    }
    talk.say("AUTH LOGIN").await?.expect(&[334], false, "the login")?;
    talk.say(&STANDARD.encode(user)).await?.expect(&[334], false, "the login")?;
    talk.say(&STANDARD.encode(password)).await?.expect(&[235], false, "the login")?;
    Ok(())
}

/// The mail with a second dot before each line that begins with one, and the line that ends it.
fn stuffed(mail: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(mail.len() + 16);
    let mut starts = true;
    for byte in mail {
        if starts && *byte == b'.' {
            out.push(b'.');
        }
        out.push(*byte);
        starts = *byte == b'\n';
    }
    if !out.ends_with(b"\r\n") {
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b".\r\n");
    out
}

#[cfg(test)]
mod tests {
    use super::stuffed;

    #[test]
    fn a_dot_ends_no_mail_but_the_last() {
        let told = |text: &str| String::from_utf8(stuffed(text.as_bytes())).unwrap();
        assert_eq!(told("a\r\n.\r\n.b\r\n"), "a\r\n..\r\n..b\r\n.\r\n");
        assert_eq!(told(".a"), "..a\r\n.\r\n");
    }
}
