//! The folder of files that describe objects: where the file of each lies, and what stands in it.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    keys,
    kinds::{self, Kind},
    write::yaml,
};

/// The longest name of a file before its ending, in letters.
const LONGEST_NAME: usize = 80;

/// Files of one object each.
#[derive(Default)]
pub struct Folder {
    /// Each file's path below the folder, and its text.
    pub files: Vec<(PathBuf, String)>,
    taken: HashSet<PathBuf>,
}

impl Folder {
    /// Adds the file of an object, named by what the object is called.
    pub fn add(&mut self, kind: &Kind, shown: &str, document: &Map<String, Value>) {
        let name = file_name(shown);
        let mut path = Path::new(kind.folder).join(format!("{name}.yaml"));
        // Names that differ in letters that no file name has.
        let mut number = 1;
        while !self.taken.insert(path.clone()) {
            number += 1;
            path = Path::new(kind.folder).join(format!("{name}-{number}.yaml"));
        }
        self.files.push((path, yaml(document)));
    }
}

/// The files of documents, as an export would write them: each file's path below a folder, and its text.
///
/// # Errors
/// When a document has no kind of files, or nothing that its object is called by.
pub fn files<'d>(
    documents: impl IntoIterator<Item = &'d Map<String, Value>>,
) -> Result<Vec<(PathBuf, String)>, String> {
    let mut folder = Folder::default();
    for document in documents {
        let kind = document.get("kind").and_then(Value::as_str).unwrap_or_default();
        let kind = kinds::kind(kind).ok_or_else(|| format!("{kind:?} is not a kind"))?;
        let key = keys::of_object(kind, document);
        let key = key.ok_or_else(|| format!("a {} has nothing that it is called by", kind.name))?;
        folder.add(kind, &key.shown, document);
    }
    Ok(folder.files)
}

/// Writes files below a folder, which is made where there is none.
///
/// # Errors
/// When a file cannot be written.
pub fn write_files(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), String> {
    let fault = |path: &Path, error: &io::Error| format!("{} cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| fault(folder, &error))?;
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| fault(parent, &error))?;
        }
        fs::write(&path, text).map_err(|error| fault(&path, &error))?;
    }
    Ok(())
}

/// The name of a file, without its ending.
fn file_name(name: &str) -> String {
    let slug = slug(name, '-');
    let short: String = slug.chars().take(LONGEST_NAME).collect();
    let short = short.trim_end_matches('-');
    if short.is_empty() { "unnamed".to_owned() } else { short.to_owned() }
}

/// A text in small letters, digits, and one letter between words.
pub fn slug(text: &str, between: char) -> String {
    let mut made = String::new();
    for letter in text.to_lowercase().chars() {
        let plain: &str = match letter {
            'ä' => "ae",
            'ö' => "oe",
            'ü' => "ue",
            'ß' => "ss",
            'a'..='z' | '0'..='9' => {
                made.push(letter);
                continue;
            }
            _ => {
                if !made.is_empty() && !made.ends_with(between) {
                    made.push(between);
                }
                continue;
            }
        };
        made.push_str(plain);
    }
    made.trim_end_matches(between).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_object_has_a_file_of_its_own() {
        let document = |kind: &str, name: &str| json!({"kind": kind, "name": name});
        let documents = [
            document("EscalationPolicy", "Web / team"),
            document("EscalationPolicy", "web-team"),
            document("Roster", "../Ä"),
            document("Roster", "../"),
        ];
        let made = files(documents.iter().filter_map(Value::as_object)).unwrap();
        let paths: Vec<_> = made.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        let policies = ["escalation-policies/web-team.yaml", "escalation-policies/web-team-2.yaml"];
        assert_eq!(paths, [&policies[..], &["rosters/ae.yaml", "rosters/unnamed.yaml"]].concat());
        assert_eq!(made[0].1, "kind: EscalationPolicy\nname: Web / team\n");
        assert!(files(document("Planet", "x").as_object()).unwrap_err().contains("Planet"));
        assert!(files(json!({"kind": "Site"}).as_object()).unwrap_err().contains("Site"));
    }
}
