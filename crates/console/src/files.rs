//! The files of the console, embedded in the program.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use api::files::File;
use bytes::Bytes;
use rust_embed::RustEmbed;

/// The files below `static/`.
#[derive(RustEmbed)]
#[folder = "static"]
struct Static;

/// The paths of the modules that are generated.
const GENERATED: [&str; 2] = ["operations.js", "forms.js"];

/// The page of every screen.
const PAGE: &str = "index.html";

/// All files, ready to be sent.
pub struct Files {
    written: HashMap<Cow<'static, str>, Arc<File>>,
    generated: [LazyFile; 2],
}

/// A file that is made at the first request for it.
type LazyFile = LazyLock<Arc<File>, Box<dyn FnOnce() -> Arc<File> + Send>>;

impl Files {
    /// The modules of the operations and of the forms are made at the first request for them.
    pub(crate) fn new(
        operations: impl FnOnce() -> String + Send + 'static,
        forms: impl FnOnce() -> String + Send + 'static,
    ) -> Self {
        let written = Static::iter().filter_map(|path| {
            let file = File::new(kind(&path), Bytes::from_owner(Static::get(&path)?.data));
            Some((path, file))
        });
        Self { written: written.collect(), generated: [lazy(operations), lazy(forms)] }
    }

    /// The file of a path below `/console/`. A path that no file could have is the address of a screen.
    pub(crate) fn find(&self, path: &str) -> Option<&Arc<File>> {
        if let Some(made) = GENERATED.iter().position(|generated| *generated == path) {
            return Some(&self.generated[made]);
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        let screen = !last.contains('.') && !path.starts_with("vendor/") && !path.starts_with("screens/");
        self.written.get(path).or_else(|| self.written.get(PAGE).filter(|_| screen))
    }
}

/// A module that is made when it is first needed.
fn lazy(text: impl FnOnce() -> String + Send + 'static) -> LazyFile {
    LazyLock::new(Box::new(|| File::new(kind(".js"), Bytes::from(text()))))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    fn below(directory: &Path, prefix: &str, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                below(&entry.path(), &format!("{name}/"), names);
            } else {
                names.insert(name);
            }
        }
    }

    #[test]
    fn every_file_is_embedded() {
        let mut found = BTreeSet::new();
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("static"), "", &mut found);
        assert_eq!(found, Static::iter().map(Cow::into_owned).collect());
    }

    #[test]
    fn an_address_of_a_screen_is_the_page_and_a_file_that_is_missing_is_not() {
        let files = Files::new(String::new, String::new);
        let page = files.find("").unwrap().digest();
        for screen in ["on-call", "alerts/ALT-1", "knowledge/KBA0000000005"] {
            assert_eq!(files.find(screen).unwrap().digest(), page, "{screen}");
        }
        assert_ne!(files.find("app.js").unwrap().digest(), page);
        for missing in ["gone.js", "screens/gone", "vendor/", "../Cargo.toml"] {
            assert!(files.find(missing).is_none(), "{missing}");
        }
    }
}
