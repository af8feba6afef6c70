//! `muster sink`: shows what arrives, to try out where pages go. It takes HTTP and mail on this machine, and keeps
//! nothing.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::Mutex,
    time::Duration,
};

use anyhow::Context as _;
use serde_json::Value;

use crate::options::Sink;

/// The most of a message that is taken, and the longest line.
const MOST: u64 = 1 << 20;
/// How long a client may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// One message is printed whole before the next one.
static SCREEN: Mutex<()> = Mutex::new(());

/// `muster sink`: takes what arrives, until it is stopped.
///
/// # Errors
/// When a port is taken.
pub fn sink(arguments: &Sink) -> anyhow::Result<()> {
    let bind = |port: u16, what: &str| {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        TcpListener::bind(address).with_context(|| format!("cannot take {what} at {address}"))
    };
    let http = bind(arguments.http_port, "HTTP")?;
    let smtp = bind(arguments.smtp_port, "mail")?;
    print(&format!("Taking HTTP at http://{} and mail at smtp://{}", http.local_addr()?, smtp.local_addr()?));
    std::thread::spawn(move || serve_connections(&smtp, mail));
    serve_connections(&http, request);
    Ok(())
}

fn serve_connections(listener: &TcpListener, handle: fn(TcpStream) -> std::io::Result<()>) {
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || {
            let _ = stream.set_read_timeout(Some(SILENCE)).and_then(|()| handle(stream));
        });
    }
}

/// Shows a message on the terminal: what could command it, is left out.
fn show(title: &str, text: &str) {
    let safe = |text: &str| -> String {
        text.chars().filter(|letter| !letter.is_control() || *letter == '\n' || *letter == '\t').collect()
    };
    let _alone = SCREEN.lock();
    print(&format!("\n--- {}\n{}", safe(title), safe(text).trim_end()));
}

#[expect(clippy::print_stdout, reason = "the output of the command")]
fn print(text: &str) {
    println!("{text}");
}

/// Takes the requests of a connection.
fn request(stream: TcpStream) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if reader.by_ref().take(MOST).read_line(&mut first)? == 0 {
            return Ok(());
        }
        let mut length = 0;
        let mut is_json = false;
        loop {
            let mut line = String::new();
            if reader.by_ref().take(MOST).read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "content-type" => is_json = value.contains("json"),
                _ => {}
            }
        }
        let mut body = Vec::new();
        reader.by_ref().take(u64::min(length, MOST)).read_to_end(&mut body)?;
        let text = String::from_utf8_lossy(&body).into_owned();
        let pretty = is_json.then(|| serde_json::from_str::<Value>(&text).ok()).flatten();
        let pretty = pretty.and_then(|json| serde_json::to_string_pretty(&json).ok());
        let words: Vec<&str> = first.split_whitespace().take(2).collect();
        show(&words.join(" "), &pretty.unwrap_or(text));
        writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")?;
        if length > MOST {
            return Ok(());
        }
    }
}

/// Takes the mails of a connection.
fn mail(stream: TcpStream) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    let mut from = String::new();
    let mut to = String::new();
    writer.write_all(b"220 muster sink\r\n")?;
    loop {
        let mut line = String::new();
        if reader.by_ref().take(MOST).read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim();
        let word = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let answer: &[u8] = match word.as_str() {
            "EHLO" | "HELO" => b"250 muster sink\r\n",
            "MAIL" => {
                line.clone_into(&mut from);
                b"250 ok\r\n"
            }
            "RCPT" => {
                line.clone_into(&mut to);
                b"250 ok\r\n"
            }
            "DATA" => {
                writer.write_all(b"354 go on\r\n")?;
                let text = body(&mut reader)?;
                show(&format!("{from} {to}"), &text);
                b"250 taken\r\n"
            }
            "RSET" | "NOOP" => b"250 ok\r\n",
            "QUIT" => {
                writer.write_all(b"221 bye\r\n")?;
                return Ok(());
            }
            _ => b"502 what?\r\n",
        };
        writer.write_all(answer)?;
    }
}

/// The lines of a mail, to the one with a dot alone.
fn body(reader: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = Vec::new();
        if reader.by_ref().take(MOST).read_until(b'\n', &mut line)? == 0 {
            return Ok(text);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line == "." {
            return Ok(text);
        }
        if (text.len() as u64) < MOST {
            text.push_str(line.strip_prefix('.').unwrap_or(line));
            text.push('\n');
        }
    }
}
