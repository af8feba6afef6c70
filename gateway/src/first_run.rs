//! The first start on an empty database: an admin key, and what a person does next.

use std::{
    fs::OpenOptions,
    io::Write as _,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use base::secret::Secret;
use db::Db;

/// Where the first key is kept.
pub fn credentials_file(data_dir: &Path) -> PathBuf {
    data_dir.join("credentials.env")
}

/// On an empty database: makes `msp_1`, `client_1` and an admin key. The key is the one that the environment gives
/// (`MUSTER_BOOTSTRAP_KEY`, `MUSTER_BOOTSTRAP_SECRET`), or a new one that is written to `credentials.env`.
pub fn bootstrap(db: &Db, data_dir: &Path) -> anyhow::Result<()> {
    let given = given()?;
    let made_here = given.is_none();
    if let Some((key, secret)) = access::bootstrap(db, given)?
        && made_here
    {
        let path = credentials_file(data_dir);
        write_private(&path, &format!("MUSTER_KEY={key}\nMUSTER_SECRET={}\n", secret.expose()))
            .with_context(|| format!("writing {}", path.display()))?;
        tracing::info!(file = %path.display(), "made the first admin key");
    }
    Ok(())
}

/// The first key, where the environment gives one: both halves of it, of the right form.
pub fn given() -> anyhow::Result<Option<(String, Secret<String>)>> {
    let (key, secret) = match (std::env::var("MUSTER_BOOTSTRAP_KEY"), std::env::var("MUSTER_BOOTSTRAP_SECRET")) {
        (Ok(key), Ok(secret)) => (key, Secret::new(secret)),
        (Err(_), Err(_)) => return Ok(None),
        _ => anyhow::bail!("MUSTER_BOOTSTRAP_KEY and MUSTER_BOOTSTRAP_SECRET are given together or not at all"),
    };
    access::check_first_key(&key, &secret)?;
    Ok(Some((key, secret)))
}

/// A file that only its owner reads.
pub fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Tells the person at the terminal where the service is and how to ask it something.
#[expect(clippy::print_stdout, reason = "this is what the person at the terminal waits for")]
pub fn greet(scheme: &str, address: SocketAddr, data_dir: &Path) {
    let base = format!("{scheme}://{address}");
    let credentials = credentials_file(data_dir);
    println!("Muster listens at {base}");
    println!("Reference: {base}/docs/");
    if credentials.is_file() {
        println!("Try it:");
        println!(
            "  . {file} && curl -s -H \"Authorization: Bearer $(curl -s -d grant_type=client_credentials \
             -d client_id=$MUSTER_KEY -d client_secret=$MUSTER_SECRET {base}/auth/oauth/token \
             | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')\" \
             {base}/api/v2/tenants/client_1/resources/minimal",
            file = shell_path(&credentials)
        );
    }
}

/// A path that `.` reads as a file, not as a command of the PATH.
fn shell_path(path: &Path) -> String {
    let text = path.display().to_string();
    let text = if text.starts_with(['/', '.']) { text } else { format!("./{text}") };
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b)) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
