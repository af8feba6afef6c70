//! The first start on an empty database: an admin key, and what a person does next.

use std::{
    fs,
    io::ErrorKind,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use base::{
    secret::Secret,
    text::{shell_path, shell_word},
};
use db::{DatabaseUrl, Db};

use crate::command_line::Storage;

/// Where the first key is kept.
pub fn credentials_file(data_dir: &Path) -> PathBuf {
    data_dir.join("credentials.env")
}

/// Refuses, before anything is made, what a first start would fail with: a first key of the environment that is none,
/// or something in the place of the file that the key is written to.
pub fn check(storage: &Storage) -> anyhow::Result<()> {
    let first = matches!(storage.url(), DatabaseUrl::Sqlite(path) if !path.exists());
    if first_credentials()?.is_some() || !first {
        return Ok(());
    }
    let path = credentials_file(&storage.data_dir);
    match fs::symlink_metadata(&path) {
        Ok(found) if !found.is_file() => {
            bail!("{} is not a file: the first start writes the first admin key there. Move it away", path.display())
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).with_context(|| format!("{}", path.display())),
        _ => Ok(()),
    }
}

/// On an empty database: makes `msp_1`, `client_1` and an admin key. The key is the one that the environment gives
/// (`MUSTER_BOOTSTRAP_KEY`, `MUSTER_BOOTSTRAP_SECRET`), or that of `credentials.env`, which is made where it is missing
/// and before the database has the key: a start that is cut off in between leaves none that nobody knows.
///
/// Answers what to tell the person at the terminal when the first key seems to be lost.
pub fn bootstrap(db: &Db, storage: &Storage) -> anyhow::Result<Option<String>> {
    let first_credentials = first_credentials()?;
    let path = credentials_file(&storage.data_dir);
    if !access::is_empty(db)? {
        return if first_credentials.is_some() { Ok(None) } else { lost_key_hint(db, storage, &path) };
    }
    let made = || access::credentials_in(&path);
    let (first, is_made) = first_credentials.map_or_else(made, |given| Ok((given, false)))?;
    let key = first.0.clone();
    let is_new = access::bootstrap(db, first)?;
    if is_new && is_made {
        tracing::info!(file = %path.display(), "made the first admin key");
    }
    // Another gateway was faster, and has the key that counts.
    if !is_new && is_made && !access::is_live(db, &key)? {
        fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
    }
    Ok(None)
}

/// Says so when the first key was never used and is not in its file: then perhaps nobody has it.
fn lost_key_hint(db: &Db, storage: &Storage, path: &Path) -> anyhow::Result<Option<String>> {
    let Some(first) = access::unused_first_key(db)? else { return Ok(None) };
    if access::key_in(path).is_some_and(|key| key == first.key) {
        return Ok(None);
    }
    let database = match &storage.database_url {
        Some(url) => format!("--database-url {}", shell_word(&url.without_password())),
        None => format!("--data-dir {}", shell_word(&storage.data_dir.display().to_string())),
    };
    let command = format!("muster key rotate {} --revoke-previous {database}", first.id);
    let file = path.display();
    let hint =
        format!("The first admin key was never used, and {file} does not have it. Another secret for it: {command}");
    tracing::warn!("{hint}");
    Ok(Some(hint))
}

/// The first key, where the environment gives one: both halves of it, of the right form.
pub fn first_credentials() -> anyhow::Result<Option<(String, Secret<String>)>> {
    let (key, secret) = match (std::env::var("MUSTER_BOOTSTRAP_KEY"), std::env::var("MUSTER_BOOTSTRAP_SECRET")) {
        (Ok(key), Ok(secret)) => (key, Secret::new(secret)),
        (Err(_), Err(_)) => return Ok(None),
        _ => bail!("MUSTER_BOOTSTRAP_KEY and MUSTER_BOOTSTRAP_SECRET are given together or not at all"),
    };
    access::check_first_key(&key, &secret)?;
    Ok(Some((key, secret)))
}

/// Tells the person at the terminal where the service is and how to ask it something, and when the first key seems to
/// be lost.
#[expect(clippy::print_stdout, reason = "this is what the person at the terminal waits for")]
pub fn greet(scheme: &str, address: SocketAddr, data_dir: &Path, lost: Option<&str>) {
    let base = format!("{scheme}://{address}");
    let credentials = credentials_file(data_dir);
    println!("Muster listens at {base}");
    println!("Reference: {base}/docs/");
    if let Some(lost) = lost {
        println!("{lost}");
    } else if credentials.is_file() {
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
