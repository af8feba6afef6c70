//! `muster export`: the tenant as files.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use base::timestamp::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    documents::Shapes,
    files::is_source,
    folder::{Folder, slug},
    kinds::{self, Kind},
    service::{Refusal, Service},
    tenant::{Object, Tenant},
};

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
pub fn read_tenant(shapes: &Shapes<'_>, service: &mut Service<'_>, now: Timestamp) -> Result<Export, Refusal> {
    let mut tenant = Tenant::new(shapes);
    for kind in kinds::all() {
        tenant.load(kind, service, None, |_| Vec::new())?;
    }
    let mut notes = Vec::new();
    for (kind, why) in &tenant.unreadable {
        let why = why.lines().next().unwrap_or_default();
        notes.push(format!("{kind}: left out: {why}"));
    }
    let mut folder = Folder::default();
    for kind in kinds::all() {
        add(kind, &tenant, now, &mut folder, &mut notes);
    }
    for kind in kinds::all() {
        note_members(kind, &tenant, service, &mut notes)?;
    }
    Ok(Export { files: folder.files, notes })
}

/// Notes the groups that have resources as members by hand.
fn note_members(
    kind: &'static Kind,
    tenant: &Tenant<'_>,
    service: &Service<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Refusal> {
    let Some(list) = kind.members else { return Ok(()) };
    let groups: Vec<&Object> = tenant.objects(kind).iter().filter(|object| object.is_own).collect();
    let members = service.each(&groups, |service, group| service.rows(list, &[&group.id], &[]))?;
    for (group, members) in groups.iter().zip(members) {
        let count = members.iter().filter(|member| member.get("byRule") == Some(&json!(false))).count();
        if count > 0 {
            let what = format!("not in its file: what is a member by hand ({count})");
            notes.push(format!("{} {:?}: {what}", kind.name, group.key.shown));
        }
    }
    Ok(())
}

fn add(kind: &'static Kind, tenant: &Tenant<'_>, now: Timestamp, folder: &mut Folder, notes: &mut Vec<String>) {
    let is_described = |object: &&Object| {
        object.is_own && object.is_on && (kind.concerns)(&object.answer) && !kind.is_over(&object.body, now)
    };
    let mut objects: Vec<&Object> = tenant.objects(kind).iter().filter(is_described).collect();
    objects.sort_by(|one, other| one.key.cmp(&other.key));
    for same in objects.chunk_by(|one, next| one.key.canonical == next.key.canonical) {
        let [object] = same else {
            let shown = same.first().map(|object| object.key.shown.as_str()).unwrap_or_default();
            notes.push(format!("{} {shown:?}: left out, since several have that name", kind.name));
            continue;
        };
        folder.add(kind, &object.key.shown, &document(kind, object));
        let unsaid = (kind.unsaid)(&object.answer);
        notes.extend(unsaid.map(|what| format!("{} {:?}: not in its file: {what}", kind.name, object.key.shown)));
    }
}

/// The document of an object.
fn document(kind: &Kind, object: &Object) -> Map<String, Value> {
    let mut body = object.body.clone();
    for path in (kind.needs)(&body) {
        let name = variable(&format!("{} {} {path}", words(kind.name), object.key.shown));
        insert(&mut body, path, json!({ "fromEnv": name }));
    }
    let mut document = Map::new();
    document.insert("kind".to_owned(), Value::from(kind.name));
    document.extend(body);
    document
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

/// The files in the folders of kinds that an export did not write, such as those of objects that are no more.
pub fn others(folder: &Path, export: &Export) -> Vec<PathBuf> {
    let written: HashSet<PathBuf> = export.files.iter().map(|(path, _)| folder.join(path)).collect();
    let folders = kinds::all().iter().map(|kind| folder.join(kind.folder));
    let entries = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut others: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    others.retain(|path| is_source(path) && !written.contains(path));
    others.sort();
    others
}
