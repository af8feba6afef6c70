//! `muster export`: the tenant as files.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{
    documents::Shapes,
    files::is_source,
    kinds::{self, Kind},
    service::{Refusal, Service},
    tenant::{Object, Tenant},
    write::yaml,
};

/// The longest name of a file before its ending, in letters.
const LONGEST_NAME: usize = 80;

/// The files of an export, and what is not in them and why.
pub struct Export {
    /// Each file's path below the folder, and its text.
    pub files: Vec<(PathBuf, String)>,
    pub notes: Vec<String>,
}

/// Reads the tenant.
///
/// # Errors
/// When the service cannot be reached or answers something else.
pub fn read_tenant(shapes: &Shapes<'_>, service: &mut Service<'_>) -> Result<Export, Refusal> {
    let mut tenant = Tenant::new(shapes);
    for kind in kinds::all() {
        tenant.load(kind, service, None, |_| Vec::new())?;
    }
    let mut made = Export { files: Vec::new(), notes: Vec::new() };
    for (kind, why) in &tenant.unreadable {
        let why = why.lines().next().unwrap_or_default();
        made.notes.push(format!("{kind}: left out: {why}"));
    }
    for kind in kinds::all() {
        add(kind, &tenant, &mut made);
    }
    Ok(made)
}

fn add(kind: &'static Kind, tenant: &Tenant<'_>, to: &mut Export) {
    let is_described = |object: &&Object| object.is_own && object.is_on && (kind.concerns)(&object.answer);
    let mut objects: Vec<&Object> = tenant.objects(kind).iter().filter(is_described).collect();
    objects.sort_by(|one, other| one.key.cmp(&other.key));
    let mut taken = HashSet::new();
    for same in objects.chunk_by(|one, next| one.key.canonical == next.key.canonical) {
        let [object] = same else {
            let shown = same.first().map(|object| object.key.shown.as_str()).unwrap_or_default();
            to.notes.push(format!("{} {shown:?}: left out, since several have that name", kind.name));
            continue;
        };
        let mut name = file_name(&object.key.shown);
        // Names that differ in letters that no file name has.
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{}-{number}", file_name(&object.key.shown));
        }
        to.files.push((Path::new(kind.folder).join(format!("{name}.yaml")), document(kind, object)));
    }
}

/// The text of a document.
fn document(kind: &Kind, object: &Object) -> String {
    let mut body = object.body.clone();
    for path in (kind.needs)(&body) {
        let name = variable(&format!("{} {} {path}", words(kind.name), object.key.shown));
        insert(&mut body, path, json!({ "fromEnv": name }));
    }
    let mut document = Map::new();
    document.insert("kind".to_owned(), Value::from(kind.name));
    document.extend(body);
    yaml(&document)
}

fn insert(body: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            body.insert(path.to_owned(), value);
        }
        Some((name, rest)) => {
            if let Some(inner) = body.get_mut(name).and_then(Value::as_object_mut) {
                insert(inner, rest, value);
            }
        }
    }
}

/// `ContactMethod` is `Contact Method`.
fn words(name: &str) -> String {
    name.chars().flat_map(|letter| letter.is_uppercase().then_some(' ').into_iter().chain([letter])).collect()
}

/// The name of an environment variable.
fn variable(text: &str) -> String {
    slug(text, '_').to_uppercase()
}

/// The name of a file, without its ending.
fn file_name(name: &str) -> String {
    let slug = slug(name, '-');
    let short: String = slug.chars().take(LONGEST_NAME).collect();
    let short = short.trim_end_matches('-');
    if short.is_empty() { "unnamed".to_owned() } else { short.to_owned() }
}

/// A text in small letters, digits, and one letter between words.
fn slug(text: &str, between: char) -> String {
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

/// Writes the files. Answers the others in the folders of kinds, such as those of objects that are no more.
///
/// # Errors
/// When a file cannot be written.
pub fn write_files(folder: &Path, export: &Export) -> Result<Vec<PathBuf>, String> {
    let fault = |path: &Path, error: &io::Error| format!("{} cannot be written: {error}", path.display());
    let written: HashSet<PathBuf> = export.files.iter().map(|(path, _)| folder.join(path)).collect();
    fs::create_dir_all(folder).map_err(|error| fault(folder, &error))?;
    for (path, text) in &export.files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| fault(parent, &error))?;
        }
        fs::write(&path, text).map_err(|error| fault(&path, &error))?;
    }
    let folders = kinds::all().iter().map(|kind| folder.join(kind.folder));
    let entries = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut others: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    others.retain(|path| is_source(path) && !written.contains(path));
    others.sort();
    Ok(others)
}
