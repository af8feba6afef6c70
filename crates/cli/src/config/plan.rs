//! What has to be done for the tenant to be as the files say.

use std::collections::{HashMap, HashSet};

use base::near;
use serde_json::{Map, Value};

use super::{
    convert::strip,
    diff::{Change, changes},
    documents::{Document, Shapes},
    keys::{self, ObjectKey},
    kinds::{self, Kind, SHIFT},
    managed::ManagedObjects,
    service::{Refusal, Service},
    shape::Field,
    tenant::{Object, Tenant},
};

/// How far objects of one kind are followed upwards; the service refuses circles.
const DEEPEST: usize = 64;
/// The fields of a rotation that say whose turn it is.
const TURNS: [&str; 3] = ["order", "length", "start"];
/// How many errors have a hint: each compares a name with all others.
const MOST_HINTS: usize = 20;

/// What is done to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    Create,
    Update,
    Rename,
    /// Its kind knows no change: it is ended, and made anew.
    Replace,
    /// It was switched off, and is switched on and changed.
    Restore,
    Delete,
}

/// Something to do.
pub struct Action<'p> {
    pub kind: &'static Kind,
    pub effect: Effect,
    pub key: &'p ObjectKey,
    /// The document that asks for it; none for a deletion.
    pub document: Option<&'p Document>,
    /// The object as it is; none for a creation.
    pub object: Option<&'p Object>,
    pub changes: Vec<Change>,
}

impl Action<'_> {
    /// May somebody else have the turn at once? Turns are counted from the start of a rotation.
    pub fn may_move_turns(&self) -> bool {
        let (Some(rotations), Some(object)) = (&self.kind.rotations, self.object) else { return false };
        let is_of_list = |change: &Change| {
            let rest = change.path.strip_prefix(rotations.of)?;
            Some(rest.is_empty() || TURNS.iter().any(|field| rest.contains(&format!("].rotation.{field}"))))
        };
        let mut found = self.changes.iter().filter(|change| is_of_list(change) == Some(true));
        found.any(|change| change.path != rotations.of || counts_otherwise(&object.body, change, rotations.of))
    }
}

/// Has an element that stays another rotation, of a list that has more or fewer elements than before?
fn counts_otherwise(body: &Map<String, Value>, change: &Change, list: &str) -> bool {
    let elements = |list: Option<&Value>| list.and_then(Value::as_array).cloned().unwrap_or_default();
    let turns = |element: &Value| TURNS.map(|field| element.get("rotation")?.get(field).cloned());
    let new = elements(change.new.as_ref());
    elements(body.get(list)).iter().filter(|old| old.get("rotation").is_some()).any(|old| {
        let same = new.iter().find(|new| new.get("name") == old.get("name"));
        same.is_some_and(|new| new.get("rotation").is_some() && turns(new) != turns(old))
    })
}

/// The kinds that a plan looks at, each behind those that it refers to.
pub fn kinds_of(documents: &[Document], others: &[&'static Kind]) -> Vec<&'static Kind> {
    let mut needed: HashSet<&str> = others.iter().map(|kind| kind.name).collect();
    needed.extend(documents.iter().map(|document| document.kind.name));
    let mut all: HashSet<&str> = needed.clone();
    for kind in kinds::all().iter().rev() {
        // What a needed kind refers to is read for its names, and the names of some begin with that of their owner.
        if needed.contains(kind.name) {
            all.extend(kind.references.iter().map(|one| if one.kind == SHIFT { "Roster" } else { one.kind }));
        }
        if all.contains(kind.name) {
            all.extend(kind.owner.iter().map(|owner| owner.kind));
        }
    }
    kinds::all().iter().filter(|kind| all.contains(kind.name)).collect()
}

/// Reads the objects that documents describe and refer to.
///
/// # Errors
/// When the service cannot be reached or answers something else.
pub fn load<'d>(
    documents: &[Document],
    others: &[&'static Kind],
    shapes: &'d Shapes<'d>,
    service: &mut Service<'_>,
) -> Result<Tenant<'d>, Refusal> {
    let mut tenant = Tenant::new(shapes);
    let mut by_kind: HashMap<&str, Vec<&Document>> = HashMap::new();
    for document in documents {
        by_kind.entry(document.kind.name).or_default().push(document);
    }
    for kind in kinds_of(documents, others) {
        let own = by_kind.get(kind.name).map(Vec::as_slice).unwrap_or_default();
        let keys = own.iter().flat_map(|document| {
            std::iter::once(&document.key).chain(&document.previous).map(|key| key.canonical.clone())
        });
        tenant.load(kind, service, Some(&keys.collect()), |objects| renames(own, objects))?;
    }
    Ok(tenant)
}

/// The objects that are called otherwise from now on, by `previousName`.
fn renames(documents: &[&Document], objects: &[Object]) -> Vec<(String, ObjectKey)> {
    let own = objects.iter().filter(|object| object.is_own);
    let known: HashMap<&str, &Object> = own.map(|object| (object.key.canonical.as_str(), object)).collect();
    let renamed = documents.iter().filter_map(|document| {
        let previous = document.previous.as_ref()?;
        let object = known.get(previous.canonical.as_str())?;
        let is_new = !known.contains_key(document.key.canonical.as_str());
        is_new.then(|| (object.id.clone(), document.key.clone()))
    });
    renamed.collect()
}

/// The actions that make the tenant as the documents say, in the order in which they can be done. `managed` are the
/// objects to delete when no document describes them; with `send_secrets`, secrets are sent though nothing else
/// changes.
///
/// # Errors
/// Every reference that leads nowhere, and every name that says not which object is meant.
pub fn plan<'p>(
    documents: &'p [Document],
    tenant: &'p Tenant<'_>,
    shapes: &Shapes<'_>,
    send_secrets: bool,
    managed: &ManagedObjects,
) -> Result<Vec<Action<'p>>, Vec<String>> {
    let mut errors = find_missing(documents, tenant);
    let mut actions = Vec::new();
    let mut kept = HashSet::new();
    for kind in kinds::all() {
        let mut objects: HashMap<&str, Vec<&Object>> = HashMap::new();
        for object in tenant.objects(kind).iter().filter(|object| object.is_own) {
            objects.entry(object.key.canonical.as_str()).or_default().push(object);
        }
        let mut own: Vec<&Document> = documents.iter().filter(|document| document.kind.name == kind.name).collect();
        let depths = depths(&own);
        own.sort_by_key(|document| depths.get(document.key.canonical.as_str()).copied());
        for document in own {
            let find = |key: &ObjectKey| objects.get(key.canonical.as_str()).map(Vec::as_slice).unwrap_or_default();
            let named = find(&document.key);
            let former = document.previous.as_ref().map(find).unwrap_or_default();
            let object = match (named, former) {
                ([object], _) | ([], [object]) => Some(*object),
                ([], []) => None,
                _ => {
                    let why = format!("several {} of the tenant are called {:?}", kind.name, document.key.shown);
                    errors.push(format!("{}: {why}", document.place()));
                    continue;
                }
            };
            kept.extend(object.map(|object| (kind.name, object.id.as_str())));
            let action = action(document, object, named.is_empty(), shapes, send_secrets);
            errors.extend(action.iter().flat_map(find_kept));
            actions.extend(action);
        }
    }
    for kind in kinds::all().iter().rev().filter(|kind| kind.delete.is_some()) {
        let objects = tenant.objects(kind).iter().rev().filter(|object| object.is_own && object.is_on);
        for object in objects {
            if managed.contains(kind, object) && !kept.contains(&(kind.name, object.id.as_str())) {
                let (key, effect) = (&object.key, Effect::Delete);
                actions.push(Action { kind, effect, key, document: None, object: Some(object), changes: Vec::new() });
            }
        }
    }
    if errors.is_empty() { Ok(actions) } else { Err(errors) }
}

fn action<'p>(
    document: &'p Document,
    object: Option<&'p Object>,
    is_renamed: bool,
    shapes: &Shapes<'_>,
    send_secrets: bool,
) -> Option<Action<'p>> {
    let (kind, key) = (document.kind, &document.key);
    let fields = shapes.of(kind);
    let wanted = strip(fields, &document.body);
    let Some(object) = object else {
        let changes = changes(fields, &Map::new(), &wanted);
        return Some(Action { kind, effect: Effect::Create, key, document: Some(document), object: None, changes });
    };
    let mut changes = changes(fields, &object.body, &wanted);
    if send_secrets {
        let secret = fields.iter().filter(|field| field.shape.has_secret() && document.body.contains_key(field.name));
        let sent = |field: &Field<'_>| Change { path: field.name.to_owned(), old: None, new: Some("(sent)".into()) };
        changes.extend(secret.map(sent));
    }
    let effect = match kind.update {
        _ if !object.is_on => Effect::Restore,
        _ if changes.is_empty() => return None,
        None => Effect::Replace,
        Some(_) if is_renamed => Effect::Rename,
        Some(_) => Effect::Update,
    };
    Some(Action { kind, effect, key, document: Some(document), object: Some(object), changes })
}

/// What an action would take away, and no update of the service does.
fn find_kept(action: &Action<'_>) -> Vec<String> {
    let place = action.document.map(Document::place).unwrap_or_default();
    let gone = action.changes.iter().filter(|change| change.new.is_none());
    let kept = gone.filter(|change| action.kind.kept.contains(&change.path.as_str()));
    let told = kept.map(|change| {
        let (path, kind, shown) = (&change.path, action.kind.name, &action.key.shown);
        format!("{place}: {path}: is left out, and {kind} {shown:?} has it: no update takes it away")
    });
    told.collect()
}

/// How many documents of its own kind each is below: what is above is made first.
fn depths<'p>(documents: &[&'p Document]) -> HashMap<&'p str, usize> {
    let above = |document: &&'p Document| {
        let link = document.links.iter().find(|link| link.kind == document.kind.name)?;
        Some((document.key.canonical.as_str(), link.key.canonical.as_str()))
    };
    let above: HashMap<&str, &str> = documents.iter().filter_map(above).collect();
    let depth = |document: &&'p Document| {
        let mut depth = 0;
        let mut at = document.key.canonical.as_str();
        while let Some(next) = above.get(at).filter(|_| depth < DEEPEST) {
            at = next;
            depth += 1;
        }
        (document.key.canonical.as_str(), depth)
    };
    documents.iter().map(depth).collect()
}

/// References to objects that neither the files nor the tenant have.
fn find_missing(documents: &[Document], tenant: &Tenant<'_>) -> Vec<String> {
    let described: HashSet<(&str, &str)> =
        documents.iter().map(|document| (document.kind.name, document.key.canonical.as_str())).collect();
    let shifts: HashSet<String> = documents.iter().filter(|one| one.kind.name == "Roster").flat_map(shifts).collect();
    let mut errors = Vec::new();
    for document in documents {
        let kind = document.kind.name;
        if let Some(why) = tenant.why_unreadable(kind) {
            errors.push(format!("{}: what there is of {kind} cannot be read: {why}", document.place()));
        }
        for link in &document.links {
            let canonical = link.key.canonical.as_str();
            let is_described = described.contains(&(link.kind, canonical));
            if is_described || (link.kind == SHIFT && shifts.contains(canonical)) {
                continue;
            }
            let found = tenant.names.find(link.kind, &link.key);
            let why = match (found.len(), tenant.why_unreadable(link.kind)) {
                (1, _) => continue,
                (0, Some(why)) => format!("a {} cannot be looked for: {why}", link.kind),
                (0, None) => {
                    let shown = &link.key.shown;
                    let known = documents.iter().filter(|one| one.kind.name == link.kind);
                    let known = known.filter(|_| errors.len() < MOST_HINTS).map(|one| one.key.shown.as_str());
                    let hint = near::hint(shown, known, "");
                    format!("there is no {} {shown:?}, neither in the files nor in the tenant{hint}", link.kind)
                }
                _ => format!("several {} are called {:?}", link.kind, link.key.shown),
            };
            errors.push(format!("{}:{}: {}: {why}", document.file, link.line, link.path));
        }
    }
    errors
}

/// The keys of the shifts of a roster.
fn shifts(roster: &Document) -> Vec<String> {
    let shifts = roster.body.get("shiftDetails").and_then(Value::as_array).into_iter().flatten();
    shifts.filter_map(|shift| keys::of_shift(&roster.key.shown, shift).map(|key| key.canonical)).collect()
}
