//! What the service answers once and never again: kept in a file, or said to be lost.

use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{documents::Document, kinds::Kind};
use crate::failure::print_error;

/// Where it is kept; nowhere without a file.
#[derive(Default)]
pub struct Credentials(Option<(PathBuf, File)>);

impl Credentials {
    /// Opens the file, for its owner's eyes alone. What is in it already stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self::default()) };
        let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        opened.map(|file| Self(Some((path.to_path_buf(), file)))).map_err(|error| fault(path, &error))
    }

    /// Keeps the credentials of the answer to a creation.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep(&mut self, kind: &Kind, document: &Document, answer: &Map<String, Value>) -> Result<(), String> {
        if kind.credentials.is_empty() {
            return Ok(());
        }
        let shown = &document.key.shown;
        let Some((path, file)) = &mut self.0 else {
            let hint = "its secret was answered once and is not shown; --credentials FILE keeps it";
            print_error(&format!("muster: {} {shown:?}: {hint}", kind.name));
            return Ok(());
        };
        let mut kept = Map::new();
        kept.insert("kind".to_owned(), Value::from(kind.name));
        kept.insert("name".to_owned(), Value::from(shown.clone()));
        kept.extend(kind.credentials.iter().filter_map(|name| Some(((*name).to_owned(), answer.get(*name)?.clone()))));
        let written = writeln!(file, "{}", Value::Object(kept)).and_then(|()| file.sync_data());
        written.map_err(|error| format!("it was created, but {}", fault(path, &error)))
    }
}

fn fault(path: &Path, error: &std::io::Error) -> String {
    format!("--credentials: {} cannot be written: {error}", path.display())
}
