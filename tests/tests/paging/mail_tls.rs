//! Pages by mail where nobody may listen: TLS from the first byte, `STARTTLS`, the login, and what is done when there
//! is none.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::{
    Authority, Backend, Guard, IssuedCertificate, Server, both_backends, debian_programs, receiver::wait_for,
};
use serde_json::{Value, json};

use super::{
    mail::{page, reader, report, wait},
    smtp::{Fake, Privacy, header, with},
    text,
};

both_backends![
    a_login_goes_through_tls_alone,
    nothing_is_said_where_tls_is_missing,
    who_cannot_show_who_it_is_gets_no_mail,
    a_server_that_is_gone_or_refuses_the_login_is_tried_again,
    debians_own_server_takes_mail,
];

/// A directory that is gone with the test.
struct Files(tempfile::TempDir, IssuedCertificate);

impl Files {
    /// With a certificate for `localhost`, and its authority in `ca.pem`.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let certified = Authority::new().certify(&["localhost"]);
        fs::write(directory.path().join("ca.pem"), &certified.authority).unwrap();
        Self(directory, certified)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn start(&self, backend: Backend, url: &str) -> Server {
        let authority = self.path().join("ca.pem");
        let authority = authority.to_str().unwrap();
        let from = "Muster <muster@example.net>";
        Server::start_with(backend, &["--smtp-url", url, "--smtp-from", from, "--egress-ca", authority])
    }
}

fn error(page: &Value, attempt: usize) -> String {
    text(&page["attempts"][attempt]["error"])
}

fn a_login_goes_through_tls_alone(backend: Backend) {
    let files = Files::new();
    let config = with(&files.1);
    let starting = Fake::start_with(Privacy::StartTls(config.clone()), |_, _| None);
    let private = Fake::start_with(Privacy::Tls(config), |_, said| {
        let answer: &[u8] = match said {
            said if said.starts_with("EHLO") => b"250-fake\r\n250 AUTH LOGIN\r\n",
            "AUTH LOGIN" => b"334 VXNlcm5hbWU6\r\n",
            said if said == STANDARD.encode("ann@example.net") => b"334 UGFzc3dvcmQ6\r\n",
            said if said == STANDARD.encode("hush pass") => b"235 welcome\r\n",
            _ => return None,
        };
        Some(answer.to_vec())
    });
    for (fake, url) in [
        (&starting, format!("smtp://ann%40example.net:hush%20pass@localhost:{}?tls=required", starting.port)),
        (&private, format!("smtps://ann%40example.net:hush%20pass@localhost:{}", private.port)),
    ] {
        let server = files.start(backend, &url);
        let client = server.new_client();
        reader(&client);
        report(&client, "Load is 31");
        let sent = wait(&client, "sent");
        assert_eq!(sent["attempts"].as_array().unwrap().len(), 1, "{sent}");
        assert_eq!(header(&fake.mails()[0], "Subject").as_deref(), Some("[Critical] Load is 31"));
        let log = server.log();
        assert!(!log.contains("hush") && !client.get("/pages/search").whole().contains("hush"), "{log}");
    }
    let open: Vec<String> = starting.said().into_iter().filter(|line| line.starts_with("plain ")).collect();
    assert_eq!(open, ["plain EHLO muster", "plain STARTTLS"]);
    let login = STANDARD.encode("\0ann@example.net\0hush pass");
    assert!(starting.said().contains(&format!("tls AUTH PLAIN {login}")), "{:?}", starting.said());
    assert!(private.said().iter().all(|line| line.starts_with("tls ")), "{:?}", private.said());
    assert!(private.said().contains(&"tls AUTH LOGIN".to_owned()));
}

fn nothing_is_said_where_tls_is_missing(backend: Backend) {
    let files = Files::new();
    let fake = Fake::start_with(Privacy::StartTls(with(&files.1)), |count, said| match (count, said) {
        // It is not offered; it is offered and refused; somebody on the way adds a line to the answer.
        (1, said) if said.starts_with("EHLO") => Some(b"250-fake\r\n250-AUTH PLAIN\r\n250 SIZE 1000000\r\n".to_vec()),
        (2, "STARTTLS") => Some(b"454 not now\r\n".to_vec()),
        (3, "STARTTLS") => Some(b"220 go on\r\n250 all is well\r\n".to_vec()),
        _ => None,
    });
    let server = files.start(backend, &format!("smtp://ann:hush@localhost:{}?tls=required", fake.port));
    let client = server.new_client();
    reader(&client);
    report(&client, "x");
    let sent = wait(&client, "sent");
    assert_eq!(sent["attempts"].as_array().unwrap().len(), 4, "{sent}");
    assert!(error(&sent, 0).contains("offers no STARTTLS"), "{sent}");
    assert!(error(&sent, 1).contains("454"), "{sent}");
    assert!(error(&sent, 2).contains("no TLS with the mail server"), "{sent}");
    let open: Vec<String> = fake.said().into_iter().filter(|line| line.starts_with("plain ")).collect();
    let harmless = ["plain EHLO muster", "plain STARTTLS", "plain QUIT"];
    assert!(open.iter().all(|line| harmless.contains(&line.as_str())), "{open:?}");
}

fn who_cannot_show_who_it_is_gets_no_mail(backend: Backend) {
    let files = Files::new();
    let authority = Authority::new();
    let stranger = Fake::start_with(Privacy::Tls(with(&authority.certify(&["localhost"]))), |_, _| None);
    let named = Authority::new();
    let other = named.certify(&["mail.example.org"]);
    let elsewhere = Fake::start_with(Privacy::StartTls(with(&other)), |_, _| None);
    let plain = Fake::start(|_, _| None);
    for (fake, scheme) in [(&stranger, "smtps"), (&elsewhere, "smtp"), (&plain, "smtps")] {
        // The authority of the second is trusted, and its certificate is for another name.
        let trusted = format!("{}\n{}", files.1.authority, other.authority);
        fs::write(files.path().join("ca.pem"), trusted).unwrap();
        let server = files.start(backend, &format!("{scheme}://localhost:{}?tls=required", fake.port));
        let client = server.new_client();
        reader(&client);
        report(&client, "x");
        let tried = || page(&client)["attempts"].as_array().is_some_and(|attempts| !attempts.is_empty());
        wait_for(Duration::from_secs(30), tried, || page(&client).to_string());
        let page = page(&client);
        assert_eq!(page["status"], json!("pending"), "{page}");
        assert!(error(&page, 0).contains("no TLS with the mail server"), "{page}");
        let private = |line: &String| line.starts_with("tls ") || line.contains("MAIL") || line.contains("AUTH");
        assert!(fake.mails().is_empty() && !fake.said().iter().any(private), "{:?}", fake.said());
    }
}

fn a_server_that_is_gone_or_refuses_the_login_is_tried_again(backend: Backend) {
    let files = Files::new();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let server = files.start(backend, &format!("smtp://ann:hush@localhost:{port}?tls=required"));
    let client = server.new_client();
    reader(&client);
    report(&client, "x");
    let tried = || page(&client)["attempts"].as_array().is_some_and(|attempts| !attempts.is_empty());
    wait_for(Duration::from_secs(30), tried, || page(&client).to_string());
    assert!(error(&page(&client), 0).contains("not reached"), "{}", page(&client));
    // It is back, and does not know the service at first: anyone who runs it may mend that.
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let fake = Fake::on(listener, Privacy::StartTls(with(&files.1)), |count, said| {
        (count == 1 && said.starts_with("AUTH")).then(|| b"535 who are you\r\n".to_vec())
    });
    let sent = wait(&client, "sent");
    let told: Vec<&Value> = sent["attempts"].as_array().unwrap().iter().map(|attempt| &attempt["status"]).collect();
    assert!(told.contains(&&json!(535)) && told.last() == Some(&&json!(250)), "{sent}");
    assert_eq!(fake.mails().len(), 1);
}

/// A mail server of Debian that does all there is to it: certificates, `STARTTLS` and TLS, users with passwords, a
/// queue. What it delivers stands in `out/`, a file for each address.
struct Chasquid {
    submission: u16,
    private: u16,
    _guard: Guard,
}

impl Chasquid {
    fn start(files: &Files) -> Option<Self> {
        let programs = debian_programs(&["chasquid"])?;
        let at = |name: &str| files.path().join(name);
        for directory in ["conf/certs/localhost", "conf/domains/example.net", "data", "out"] {
            fs::create_dir_all(at(directory)).unwrap();
        }
        fs::write(at("conf/certs/localhost/fullchain.pem"), &files.1.certificate).unwrap();
        fs::write(at("conf/certs/localhost/privkey.pem"), &files.1.key).unwrap();
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let submission = free();
        let private = free();
        let configuration = format!(
            "hostname: \"localhost\"\nsubmission_address: \"127.0.0.1:{submission}\"\n\
             submission_over_tls_address: \"127.0.0.1:{private}\"\ndata_dir: \"{data}\"\nmail_log_path: \"<stderr>\"\n\
             mail_delivery_agent_bin: \"/usr/bin/tee\"\nmail_delivery_agent_args: \"-a\"\n\
             mail_delivery_agent_args: \"{out}/%to%\"\n",
            data = at("data").display(),
            out = at("out").display()
        );
        fs::write(at("conf/chasquid.conf"), configuration).unwrap();
        for (user, password) in [("muster@example.net", "hush pass"), ("ann@example.net", "x")] {
            let mut command = Command::new(programs.join("chasquid-util"));
            command.arg(format!("--configdir={}", at("conf").display())).args(["user-add", user]);
            let made = command.arg(format!("--password={password}")).output().unwrap();
            assert!(made.status.success(), "{made:?}");
        }
        let mut command = Command::new(programs.join("chasquid"));
        command.arg(format!("--config_dir={}", at("conf").display())).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut guard = Guard::spawn(command.stdout(Stdio::null()));
        let mut log = BufReader::new(guard.process().stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(&format!("listening on 127.0.0.1:{private}")) {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "chasquid ended");
        }
        // What else it says is read, or it could not go on.
        std::thread::spawn(move || log.lines().for_each(drop));
        Some(Self { submission, private, _guard: guard })
    }
}

fn debians_own_server_takes_mail(backend: Backend) {
    let files = Files::new();
    let Some(chasquid) = Chasquid::start(&files) else { return };
    let login = "muster%40example.net:hush%20pass@localhost";
    for url in [
        format!("smtp://{login}:{}?tls=required", chasquid.submission),
        format!("smtps://{login}:{}", chasquid.private),
    ] {
        let server = files.start(backend, &url);
        let client = server.new_client();
        reader(&client);
        report(&client, "Läuft\r\nBcc: eve@example.org\r\n\r\n.\r\nQUIT");
        let sent = wait(&client, "sent");
        let id = text(&sent["id"]);
        let inbox = files.path().join("out/ann@example.net");
        let delivered = || fs::read_to_string(&inbox).unwrap_or_default();
        wait_for(Duration::from_secs(30), || delivered().contains(&id), delivered);
        let mail = delivered().replace("\r\n", "\n").replace('\n', "\r\n");
        let mail = &mail[mail.rfind("Received:").unwrap()..];
        assert!(mail.contains("TLS-1.3") && mail.contains("envelope from \"muster@example.net\""), "{mail}");
        assert_eq!(header(mail, "Message-ID"), Some(format!("<{id}@example.net>")));
        assert_eq!(header(mail, "Bcc"), None, "{mail}");
        // Nobody else got anything.
        let inboxes = fs::read_dir(files.path().join("out")).unwrap().count();
        assert_eq!(inboxes, 1);
    }
}
