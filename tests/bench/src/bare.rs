//! What the server is compared with: an actix-web handler that answers the same bytes and does nothing else. It is
//! this program again, started with a hidden argument.

use std::{
    fs,
    io::Write as _,
    net::TcpListener,
    path::Path,
    process::{ChildStdout, Command},
};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::{Context as _, Result};
use muster_tests::Guard;

use crate::{http::Answer, server};

/// The hidden argument; the file with the answer follows.
pub const ARGUMENT: &str = "--bare-handler";

/// A running bare handler.
pub struct Bare {
    guard: Guard,
    _stdout: std::io::BufReader<ChildStdout>,
    /// Where it listens.
    pub port: u16,
}

impl Bare {
    /// Starts one that answers as `answer` does. The answer is kept in `directory`.
    pub fn start(directory: &Path, answer: &Answer) -> Result<Self> {
        let file = directory.join("answer.json");
        let answer = serde_json::json!({
            "headers": answer.headers, "body": String::from_utf8(answer.body.clone())?, "workers": server::workers(),
        });
        fs::write(&file, answer.to_string())?;
        let mut command = Command::new(std::env::current_exe()?);
        let (guard, stdout, port) = server::listen(command.arg(ARGUMENT).arg(&file), "port ")?;
        Ok(Self { guard, _stdout: stdout, port })
    }

    /// Its process id.
    pub fn id(&mut self) -> u32 {
        self.guard.process().id()
    }
}

/// The child process.
pub fn run(file: &Path) -> Result<()> {
    let answer: serde_json::Value = serde_json::from_slice(&fs::read(file)?)?;
    let body = web::Bytes::from(answer["body"].as_str().context("no body")?.to_owned());
    let workers: usize = serde_json::from_value(answer["workers"].clone())?;
    let mut headers: Vec<(String, String)> = serde_json::from_value(answer["headers"].clone())?;
    // These two actix-web writes by itself.
    headers.retain(|(name, _)| !["content-length", "date"].contains(&name.to_ascii_lowercase().as_str()));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "port {}", listener.local_addr()?.port())?;
    stdout.flush()?;
    let server = HttpServer::new(move || {
        let body = body.clone();
        let headers = headers.clone();
        let handler = move || {
            let mut response = HttpResponse::Ok();
            for (name, value) in &headers {
                response.insert_header((name.as_str(), value.as_str()));
            }
            let response = response.body(body.clone());
            async move { response }
        };
        App::new().service(web::resource(server::below_tenant("/resources/{id}")).route(web::get().to(handler)))
    });
    let server = server.workers(workers).listen(listener)?;
    Ok(actix_web::rt::System::new().block_on(server.run())?)
}
