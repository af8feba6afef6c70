//! The files of a folder, with their texts.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;
/// The most files of a folder.
const MOST: usize = 20_000;
/// How deep folders may be nested.
const DEEPEST: usize = 16;

/// A file.
pub struct SourceFile {
    /// As errors name it.
    pub name: String,
    /// Where it lies.
    pub folder: PathBuf,
    pub is_json: bool,
    pub text: String,
}

/// The files of a folder and of those in it, in the order of their names.
///
/// # Errors
/// Each file that cannot be read, and why.
pub fn read(folder: &Path) -> Result<Vec<SourceFile>, Vec<String>> {
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        match text(&path) {
            Ok(text) => {
                let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
                let is_json = ending(&path) == "json";
                files.push(SourceFile { name: path.display().to_string(), folder, is_json, text });
            }
            Err(why) => errors.push(format!("{}: {why}", path.display())),
        }
    }
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

fn collect(folder: &Path, depth: usize, to: &mut Vec<PathBuf>) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    if depth > DEEPEST {
        return Err(format!("{}: folders are nested deeper than {DEEPEST} levels", folder.display()));
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        entries.push(entry.map_err(fault)?.path());
    }
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            collect(&path, depth + 1, to)?;
        } else if is_source(&path) {
            if to.len() == MOST {
                return Err(format!("{}: there are more than {MOST} files", folder.display()));
            }
            to.push(path);
        }
    }
    Ok(())
}

/// Is a file one that is read, by its name?
pub fn is_source(path: &Path) -> bool {
    matches!(ending(path).as_str(), "yaml" | "yml" | "json")
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase()
}

fn text(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST) {
        return Err(format!("is larger than {} MiB", LARGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}
