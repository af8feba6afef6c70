//! What has to be done for the tenant to be as the files say.

use std::collections::{HashMap, HashSet};

use base::{near, timestamp::Timestamp};
use serde_json::{Map, Value};

use super::{
    convert::strip,
    diff::{Change, changes},
    documents::{Document, Shapes, find_twins},
    keys::{self, ObjectKey},
    kinds::{self, Kind, SHIFT},
    managed::ManagedObjects,
    service::{Refusal, Service},
    shape::Field,
    tenant::{Object, RenamedObject, Tenant},
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
    /// Are fields of the document sent, and its secrets with them?
    pub fn sends_fields(&self) -> bool {
        match self.effect {
            Effect::Create | Effect::Replace => true,
            _ => self.changes.iter().any(|change| !self.kind.is_state(&change.path)),
        }
    }

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

/// What is done, in this order, and what is not.
pub struct Plan<'p> {
    pub actions: Vec<Action<'p>>,
    /// What files ask for that is not done, and why; a line each.
    pub notes: Vec<String>,
}

/// What a plan is made for.
pub struct PlanInput<'p> {
    /// The objects to delete when no document describes them.
    pub managed: &'p ManagedObjects,
    /// Are secrets sent though nothing else changes?
    pub send_secrets: bool,
    pub now: Timestamp,
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

/// Reads the objects that documents describe and refer to, and those that are `managed`. References of the documents
/// are written as exports write them from now on.
///
/// # Errors
/// When the service cannot be reached or answers something else.
pub fn load<'d>(
    documents: &mut [Document],
    managed: &ManagedObjects,
    shapes: &'d Shapes<'d>,
    service: &mut Service<'_>,
) -> Result<Tenant<'d>, Refusal> {
    let mut tenant = Tenant::new(shapes);
    if documents.iter().any(|document| document.previous.is_some()) {
        tenant.keep_former_names();
    }
    let kinds = kinds_of(documents, &managed.kinds());
    let mut by_kind: HashMap<&str, Vec<&mut Document>> = HashMap::new();
    for document in documents.iter_mut() {
        tenant.names.describe(document.kind.name, &document.key);
        by_kind.entry(document.kind.name).or_default().push(document);
    }
    for kind in kinds {
        let mut own = by_kind.remove(kind.name).unwrap_or_default();
        own.iter_mut().for_each(|document| document.resolve(shapes, &tenant.names));
        let own: Vec<&Document> = own.into_iter().map(|document| &*document).collect();
        let keys = own.iter().flat_map(|document| {
            std::iter::once(&document.key).chain(&document.previous).map(|key| key.canonical.clone())
        });
        let keys: HashSet<String> = keys.collect();
        // What is deleted is compared with what it was, too.
        let is_wanted = |object: &Object| {
            let is_described = [&object.key, &object.former].iter().any(|key| keys.contains(&key.canonical));
            is_described || managed.contains(kind, object)
        };
        tenant.load(kind, service, Some(&is_wanted), |objects| renames(&own, objects))?;
    }
    // Some refer to others of their own kind.
    documents.iter_mut().for_each(|document| document.resolve(shapes, &tenant.names));
    Ok(tenant)
}

/// The tenant's own objects of a kind by their keys, of which some are called otherwise from now on.
struct KnownObjects<'o> {
    by_key: HashMap<&'o str, Vec<&'o Object>>,
    /// By the key of the document, with its place in the order in which the names come free.
    renamed: HashMap<&'o str, (usize, &'o Object)>,
}

impl<'o> KnownObjects<'o> {
    /// An object is renamed by `previousName`, unless there is another one of the new name that keeps it. Its former
    /// name is free then.
    fn new(documents: &[&'o Document], objects: &'o [Object]) -> Self {
        let mut by_key: HashMap<&str, Vec<&Object>> = HashMap::new();
        let mut by_former: HashMap<&str, Vec<&Object>> = HashMap::new();
        for object in objects.iter().filter(|object| object.is_own) {
            by_key.entry(object.key.canonical.as_str()).or_default().push(object);
            by_former.entry(object.former.canonical.as_str()).or_default().push(object);
        }
        let names = |document: &&'o Document| {
            Some((document.key.canonical.as_str(), document.previous.as_ref()?.canonical.as_str()))
        };
        let mut rest: Vec<(&str, &str)> = documents.iter().filter_map(names).collect();
        let mut renamed = HashMap::new();
        loop {
            let before = renamed.len();
            rest.retain(|(key, previous)| {
                // A way through a tree is one of the names before; a name alone is below those that are there then.
                let found = by_former.get(previous).or_else(|| by_key.get(previous));
                let Some([object]) = found.map(Vec::as_slice) else { return true };
                let own = object.key.canonical.as_str();
                let is_there = by_key.get(own).is_some_and(|all| all.iter().any(|one| one.id == object.id));
                if !is_there || by_key.contains_key(key) {
                    return true;
                }
                renamed.insert(*key, (renamed.len(), *object));
                by_key.remove(own);
                false
            });
            if renamed.len() == before {
                return Self { by_key, renamed };
            }
        }
    }

    /// When the object of a document is renamed; the others follow in any order.
    fn place(&self, document: &Document) -> usize {
        self.renamed.get(document.key.canonical.as_str()).map_or(usize::MAX, |(place, _)| *place)
    }

    /// The objects that a document may mean.
    fn find(&self, document: &Document) -> &[&'o Object] {
        let find = |key: &ObjectKey| self.by_key.get(key.canonical.as_str()).map(Vec::as_slice).unwrap_or_default();
        match self.renamed.get(document.key.canonical.as_str()) {
            Some((_, object)) => std::slice::from_ref(object),
            None if find(&document.key).is_empty() => document.previous.as_ref().map(find).unwrap_or_default(),
            None => find(&document.key),
        }
    }
}

/// The objects that are called otherwise from now on.
fn renames(documents: &[&Document], objects: &[Object]) -> Vec<RenamedObject> {
    let known = KnownObjects::new(documents, objects);
    let renamed = documents.iter().filter_map(|document| {
        let (_, object) = known.renamed.get(document.key.canonical.as_str())?;
        let reference = keys::reference(document.kind, &document.key, &document.body);
        Some(RenamedObject { id: object.id.clone(), key: document.key.clone(), reference })
    });
    renamed.collect()
}

/// The actions that make the tenant as the documents say, in the order in which they can be done.
///
/// # Errors
/// Every reference that leads nowhere, and every name that says not which object is meant.
pub fn plan<'p>(
    documents: &'p [Document],
    tenant: &'p Tenant<'_>,
    shapes: &Shapes<'_>,
    wishes: &PlanInput<'_>,
) -> Result<Plan<'p>, Vec<String>> {
    let mut errors = find_missing(documents, tenant);
    errors.extend(find_twins(documents));
    let mut actions = Vec::new();
    let mut notes = Vec::new();
    let mut kept = HashSet::new();
    for kind in kinds::all() {
        let mut own: Vec<&Document> = documents.iter().filter(|document| document.kind.name == kind.name).collect();
        let known = KnownObjects::new(&own, tenant.objects(kind));
        let depths = depths(&own);
        own.sort_by_key(|document| (depths.get(document.key.canonical.as_str()).copied(), known.place(document)));
        for document in own {
            let object = match known.find(document) {
                [] => None,
                [object] => Some(*object),
                _ => {
                    let why = format!("several {} of the tenant are called {:?}", kind.name, document.key.shown);
                    errors.push(format!("{}: {why}", document.place()));
                    continue;
                }
            };
            let object = object.or_else(|| find_ended(document, tenant.objects(kind), wishes.now));
            kept.extend(object.map(|object| (kind.name, object.id.as_str())));
            let is_renamed = known.place(document) < usize::MAX;
            let action = action(document, object, is_renamed, shapes, wishes.send_secrets);
            if let Some(object) = object.filter(|object| kind.is_over(&object.body, wishes.now)) {
                let why = "is over, so nothing of it is changed or made again";
                let told = action.map(|_| format!("{}: {} {:?} {why}", document.place(), kind.name, object.key.shown));
                notes.extend(told);
                continue;
            }
            errors.extend(action.iter().flat_map(find_kept));
            actions.extend(action);
        }
    }
    for kind in kinds::all().iter().rev() {
        let objects = tenant.objects(kind).iter().rev();
        let is_described = |object: &&Object| object.is_own && object.is_on && (kind.concerns)(&object.answer);
        for object in objects.filter(is_described) {
            let (key, effect) = (&object.key, Effect::Delete);
            if !wishes.managed.contains(kind, object) || kept.contains(&(kind.name, object.id.as_str())) {
                continue;
            }
            if kind.is_over(&object.body, wishes.now) {
                notes.push(format!("{} {:?} is over, and stays as history", kind.name, key.shown));
            } else if kind.delete.is_none() && kind.reset.is_none() {
                notes.push(format!("{} {:?} stays: no operation deletes it", kind.name, key.shown));
            } else {
                actions.push(Action { kind, effect, key, document: None, object: Some(object), changes: Vec::new() });
            }
        }
    }
    if errors.is_empty() { Ok(Plan { actions, notes }) } else { Err(errors) }
}

/// The object of a document that was ended before the time that the document says, and is over.
fn find_ended<'p>(document: &Document, objects: &'p [Object], now: Timestamp) -> Option<&'p Object> {
    let kind = document.kind;
    let end = kind.ends?;
    let end_of = |body: &Map<String, Value>| Timestamp::parse(body.get(end)?.as_str()?.trim());
    let without_end = |body: &Map<String, Value>| {
        let mut body = body.clone();
        body.remove(end);
        keys::of_object(kind, &body).map(|key| key.canonical)
    };
    let wanted = without_end(&document.body)?;
    let mut over = objects.iter().filter(|object| object.is_own && kind.is_over(&object.body, now));
    over.find(|object| {
        end_of(&object.body) < end_of(&document.body) && without_end(&object.body).as_ref() == Some(&wanted)
    })
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
        let path = &change.path;
        let kind = action.kind.name;
        let shown = &action.key.shown;
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

#[cfg(test)]
mod tests;
