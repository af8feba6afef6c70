//! `muster export`: the tenant as files.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use base::timestamp::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    convert::referred,
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
    let mut export = files_of(&tenant, shapes, now);
    for kind in kinds::all() {
        note_members(kind, &tenant, service, &mut export.notes)?;
    }
    Ok(export)
}

/// The files of a tenant that was read.
fn files_of(tenant: &Tenant<'_>, shapes: &Shapes<'_>, now: Timestamp) -> Export {
    let mut notes = Vec::new();
    for (kind, why) in &tenant.unreadable {
        let why = why.lines().next().unwrap_or_default();
        notes.push(format!("{kind}: left out: {why}"));
    }
    let mut folder = Folder::default();
    let mut written = Vec::new();
    for kind in kinds::all() {
        written.extend(add(kind, tenant, now, &mut folder, &mut notes).into_iter().map(|object| (kind, object)));
    }
    notes.extend(left_out(&written, tenant, shapes));
    Export { files: folder.files, notes }
}

/// The references of objects in files to objects of the tenant that are in none.
fn left_out(written: &[(&'static Kind, &Object)], tenant: &Tenant<'_>, shapes: &Shapes<'_>) -> Vec<String> {
    let own = kinds::all().iter().flat_map(|kind| tenant.objects(kind).iter().map(move |object| (kind, object)));
    let own = own.filter(|(_, object)| object.is_own);
    let mut left: HashMap<(&str, &str), &Object> =
        own.map(|(kind, object)| ((kind.name, object.id.as_str()), object)).collect();
    for (kind, object) in written {
        left.remove(&(kind.name, object.id.as_str()));
    }
    let mut notes = Vec::new();
    for (kind, object) in written {
        for (other, id) in referred(shapes.of(kind), &object.body, &tenant.names) {
            let Some(found) = left.get(&(other, id.as_str())) else { continue };
            let (shown, found) = (&object.key.shown, &found.key.shown);
            let note = format!("{} {shown:?}: refers to {other} {found:?}, which is left out", kind.name);
            notes.extend(Some(note).filter(|note| notes.last() != Some(note)));
        }
    }
    notes
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

/// Adds the files of a kind; answers the objects in them.
fn add<'t>(
    kind: &'static Kind,
    tenant: &'t Tenant<'_>,
    now: Timestamp,
    folder: &mut Folder,
    notes: &mut Vec<String>,
) -> Vec<&'t Object> {
    let is_described = |object: &&Object| {
        object.is_own && object.is_on && (kind.concerns)(&object.answer) && !kind.is_over(&object.body, now)
    };
    let mut objects: Vec<&Object> = tenant.objects(kind).iter().filter(is_described).collect();
    objects.sort_by(|one, other| one.key.cmp(&other.key));
    let mut written = Vec::new();
    for same in objects.chunk_by(|one, next| one.key.canonical == next.key.canonical) {
        let [object] = same else {
            let shown = same.first().map(|object| object.key.shown.as_str()).unwrap_or_default();
            notes.push(format!("{} {shown:?}: left out, since several have that name", kind.name));
            continue;
        };
        folder.add(kind, &object.key.shown, &document(kind, object));
        written.push(*object);
        let unsaid = (kind.unsaid)(&object.answer);
        notes.extend(unsaid.map(|what| format!("{} {:?}: not in its file: {what}", kind.name, object.key.shown)));
    }
    written
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::tests::document as interface, operations};

    #[test]
    fn a_reference_to_what_is_left_out_is_told() {
        let interface = interface();
        let operations = operations::all(&interface);
        let shapes = Shapes::new(&operations).unwrap();
        let mut tenant = Tenant::new(&shapes);
        let user = |id: &str, login: &str, activated: bool| {
            json!({"id": id, "loginName": login,
            "tenantId": "client_1", "activated": activated})
        };
        let machine = |id: &str, agent: bool| {
            json!({"id": id, "name": id, "clientUniqueId": "client_1",
            "agentInstalled": agent})
        };
        let group = json!({"uniqueId": "USRGRP-1", "name": "Ops", "tenantId": "client_1", "activated": true,
            "users": [{"id": "USR1"}, {"id": "USR2"}]});
        let window = json!({"uniqueId": "SM-1", "name": "Patches", "clientUniqueId": "client_1",
            "devices": [{"id": "web-01"}, {"id": "web-02"}]});
        for (kind, rows) in [
            ("User", vec![user("USR1", "anna", true), user("USR2", "ben", false)]),
            ("UserGroup", vec![group]),
            ("Resource", vec![machine("web-01", false), machine("web-02", true)]),
            ("MaintenanceWindow", vec![window]),
        ] {
            tenant.add(kinds::kind(kind).unwrap(), &rows, None, |_| Vec::new());
        }
        let now = Timestamp::from_millis(0);
        let export = files_of(&tenant, &shapes, now);
        let expected = [
            "UserGroup \"Ops\": refers to User \"ben\", which is left out",
            "MaintenanceWindow \"Patches\": refers to Resource \"web-02\", which is left out",
        ];
        assert_eq!(export.notes, expected);
        assert_eq!(export.files.len(), 4);
    }
}
