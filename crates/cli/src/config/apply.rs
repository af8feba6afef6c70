//! Carries out a plan, one request after the other, and stops where the service refuses.

use serde_json::{Map, Value, json};

use super::{
    convert::{id_text, strip, to_body, to_file},
    credentials::Credentials,
    diff::changes,
    documents::{Document, Shapes},
    keys,
    kinds::{Kind, List},
    names::{NamedObject, Names},
    plan::{Action, Effect},
    report,
    service::{Answer, Refusal, Service},
    shape::{Field, Shape},
    tenant::{Object, listed, note_parts, with_owner},
};

/// What carries out a plan.
pub struct Applier<'a, 'd> {
    pub service: &'a mut Service<'d>,
    pub shapes: &'a Shapes<'a>,
    /// What objects are called, those that are created included.
    pub names: Names,
    /// Do those whose turn it is keep it in rotations that change?
    pub keeps_current: bool,
    /// Keeps what the service answers once and never again.
    pub credentials: Credentials,
    /// What objects have after their updates that is not as the files say; a text for each.
    pub differing: Vec<String>,
}

impl Applier<'_, '_> {
    /// Carries out one action.
    ///
    /// # Errors
    /// What the service refused, or what cannot be sent.
    pub fn apply(&mut self, action: &Action<'_>) -> Result<(), String> {
        match (action.effect, action.document, action.object) {
            (Effect::Create, Some(document), _) => self.create(document),
            (Effect::Delete, _, Some(object)) => self.delete(action.kind, object),
            (Effect::Replace, Some(document), Some(object)) => {
                self.delete(action.kind, object)?;
                self.create(document)
            }
            (Effect::Restore, Some(document), Some(object)) => {
                let version = self.switch_on(action.kind, object)?;
                self.update(action, document, object, version)
            }
            (_, Some(document), Some(object)) => {
                let version = self.seen(action.kind, object)?;
                self.update(action, document, object, version)
            }
            _ => Ok(()),
        }
    }

    fn create(&mut self, document: &Document) -> Result<(), String> {
        let kind = document.kind;
        let (owner, answer) = self.send_whole(document)?;
        // Some are created as lists.
        let answer = answer.as_array().and_then(|all| all.first()).cloned().unwrap_or(answer);
        let Value::Object(answer) = answer else { return Ok(()) };
        let id = [kind.id, "id", "uniqueId", "resourceUUID"].iter().find_map(|name| id_text(answer.get(*name)?));
        if let Some(id) = &id {
            let reference = keys::reference(kind, &document.key, &document.body);
            let found = NamedObject { id: id.clone(), is_own: true };
            self.names.insert(kind.name, found, &document.key, reference);
        }
        note_parts(&mut self.names, kind, &document.key, &answer, true);
        self.credentials.keep(kind, document, &answer)?;
        let off = kind.state.as_ref().filter(|state| document.body.get(state.field) == Some(&Value::Bool(false)));
        if let (Some(state), Some(id)) = (off, &id) {
            let ids: Vec<&str> = owner.iter().chain([id]).map(String::as_str).collect();
            self.service.call(state.off, &ids, None, None).map_err(Refusal::text)?;
        }
        Ok(())
    }

    fn delete(&mut self, kind: &'static Kind, object: &Object) -> Result<(), String> {
        let version = self.seen(kind, object)?;
        if let Some(reset) = kind.reset {
            let owner: Vec<&str> = object.owner.as_deref().into_iter().collect();
            let body = (kind.to_create)(reset(&object.body));
            return self.service.call(kind.create, &owner, Some(&body), None).map(|_| ()).map_err(Refusal::text);
        }
        self.call(kind.delete.unwrap_or_default(), object, None, version.as_deref()).map(|_| ())
    }

    /// Switches an object on, and answers its version then.
    fn switch_on(&mut self, kind: &'static Kind, object: &Object) -> Result<Option<String>, String> {
        let version = self.seen(kind, object)?;
        let on = kind.switch.as_ref().map(|switch| switch.on).unwrap_or_default();
        self.call(on, object, None, version.as_deref())?;
        match kind.get {
            Some(get) => Ok(self.call(get, object, None, None)?.version),
            None => Ok(None),
        }
    }

    /// Calls an operation on an object; one that takes a version gets that which was seen.
    fn call(
        &mut self,
        operation: &str,
        object: &Object,
        body: Option<&Map<String, Value>>,
        version: Option<&str>,
    ) -> Result<Answer, String> {
        let version = version.filter(|_| self.service.takes_version(operation));
        self.service.call(operation, &ids(object), body, version).map_err(Refusal::text)
    }

    /// Changes an object of a version.
    fn update(
        &mut self,
        action: &Action<'_>,
        document: &Document,
        object: &Object,
        mut version: Option<String>,
    ) -> Result<(), String> {
        let kind = action.kind;
        let update = kind.update.unwrap_or_default();
        if update == kind.create {
            let (_, answer) = self.send_whole(document)?;
            if let Value::Object(answer) = answer {
                self.note_differing(action, document, object, answer);
            }
            return Ok(());
        }
        let mut body = if action.sends_fields() { self.changed(action, document, object)? } else { Map::new() };
        let above = kind.references.iter().find(|one| one.kind == kind.name).map_or("", |one| one.path);
        let to_top = kind.to_top.filter(|_| body.get(above).is_some_and(|value| *value == json!({})));
        if to_top.is_some() {
            body.remove(above);
        }
        let kept = kind.rotations.as_ref().filter(|one| self.keeps_current && body.contains_key(one.of));
        body.extend(kept.map(|rotations| (rotations.keep.to_owned(), Value::Bool(true))));
        if !body.is_empty() {
            let answer = self.call(update, object, Some(&body), version.as_deref())?;
            version = answer.version;
            let mut now = answer.value.as_object().cloned();
            if let Some(answer) = &now {
                note_parts(&mut self.names, kind, &document.key, answer, true);
            }
            if matches!(kind.list, List::Lines(..)) {
                // An export has other fields than the answer.
                now = listed(kind, object, self.service).map_err(Refusal::text)?;
            }
            if let Some(now) = now.filter(|_| to_top.is_none()) {
                self.note_differing(action, document, object, now);
            }
        }
        if let Some(to_top) = to_top {
            version = self.call(to_top, object, Some(&Map::new()), version.as_deref())?.version;
        }
        let changed = kind.state.as_ref().filter(|state| action.changes.iter().any(|one| one.path == state.field));
        if let Some(state) = changed {
            let is_off = document.body.get(state.field) == Some(&Value::Bool(false));
            self.call(if is_off { state.off } else { state.on }, object, None, version.as_deref())?;
        }
        Ok(())
    }

    /// Notes what of an object is not as its document says, by the answer to its change.
    fn note_differing(
        &mut self,
        action: &Action<'_>,
        document: &Document,
        object: &Object,
        answer: Map<String, Value>,
    ) {
        let fields = self.shapes.of(action.kind);
        let answer = with_owner(action.kind, answer, object.owner.as_deref());
        let mut left = changes(fields, &to_file(fields, &answer, &self.names), &strip(fields, &document.body));
        left.retain(|change| !action.kind.is_state(&change.path));
        if !left.is_empty() {
            self.differing.push(report::differing(action, &left, self.keeps_current));
        }
    }

    /// The version of an object, once it is known to be what the plan was made of.
    fn seen(&mut self, kind: &'static Kind, object: &Object) -> Result<Option<String>, String> {
        let found = match kind.get {
            Some(get) => Some(self.call(get, object, None, None)?),
            None => None,
        };
        let version = found.as_ref().and_then(|answer| answer.version.clone());
        let answer = match (kind.list, found) {
            (List::Rows(..), Some(answer)) => answer.value.as_object().cloned(),
            // An export has other fields than the object itself.
            _ => listed(kind, object, self.service).map_err(Refusal::text)?,
        };
        let now = answer.map(|answer| {
            let answer = with_owner(kind, answer, object.owner.as_deref());
            to_file(self.shapes.of(kind), &answer, &self.names)
        });
        if now.as_ref() != Some(&object.body) {
            return Err("somebody changed it since the plan was made: plan again".to_owned());
        }
        Ok(version)
    }

    /// Sends all fields of a document to the operation that makes its object; answers the object that it belongs to,
    /// and what is answered.
    fn send_whole(&mut self, document: &Document) -> Result<(Option<String>, Value), String> {
        let kind = document.kind;
        let mut body = to_body(self.shapes.of(kind), &document.body, &self.names, &document.folder)?;
        body.retain(|field, _| !kind.is_state(field));
        let owner = kind.owner.as_ref().and_then(|owner| body.remove(owner.field));
        let owner = owner.and_then(|owner| owner.get("id").and_then(id_text));
        let ids: Vec<&str> = owner.as_deref().into_iter().collect();
        let body = (kind.to_create)((kind.complete)(body));
        let answer = self.service.call(kind.create, &ids, Some(&body), None).map_err(Refusal::text)?;
        Ok((owner, answer.value))
    }

    /// The fields of a body that change, and the secrets.
    fn changed(&self, action: &Action<'_>, document: &Document, object: &Object) -> Result<Map<String, Value>, String> {
        let fields = self.shapes.of(action.kind);
        let names: Vec<&str> = action.changes.iter().map(|change| first(&change.path)).collect();
        let mut body = Map::new();
        for field in fields.iter().filter(|field| names.contains(&field.name) || field.shape.has_secret()) {
            if action.kind.is_state(field.name) {
                continue;
            }
            if action.kind.owner.as_ref().is_some_and(|owner| owner.field == field.name) {
                continue;
            }
            let taken_away = || field.absent().cloned().unwrap_or_else(|| json!({}));
            let value = document.body.get(field.name).cloned();
            let value = value.or_else(|| names.contains(&field.name).then(taken_away));
            body.extend(value.map(|value| (field.name.to_owned(), value)));
        }
        let is_merged =
            |field: &&Field<'_>| action.kind.merged.contains(&field.name) && document.body.contains_key(field.name);
        for field in fields.iter().filter(is_merged) {
            let wanted = body.get_mut(field.name);
            let current = object.body.get(field.name);
            if let (Shape::Object(fields), Some(Value::Object(wanted)), Some(Value::Object(current))) =
                (&field.shape, wanted, current)
            {
                take_away(fields, wanted, current);
            }
        }
        if let Some(restated) = &action.kind.restated
            && body.keys().any(|name| restated.with.contains(&name.as_str()))
        {
            let said = document.body.get(restated.field).cloned();
            body.extend(said.map(|said| (restated.field.to_owned(), said)));
        }
        let mut made = to_body(fields, &body, &self.names, &document.folder)?;
        for field in fields.iter().filter(|field| action.kind.elements.contains(&field.name)) {
            if let Some(Value::Array(elements)) = made.get_mut(field.name) {
                keep_ids(&field.shape, elements, object.body.get(field.name), object.answer.get(field.name));
            }
        }
        Ok((action.kind.complete)(made))
    }
}

/// The ids in the path of an object.
fn ids(object: &Object) -> Vec<&str> {
    object.owner.as_deref().into_iter().chain([object.id.as_str()]).collect()
}

/// The first name of a path.
fn first(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// Gives the elements of a list the ids that those of their names have, and says of each what it has no more. One that
/// has something no more that cannot be taken away is a new one.
fn keep_ids(shape: &Shape<'_>, wanted: &mut [Value], current: Option<&Value>, answer: Option<&Value>) {
    let Shape::List(shape, ..) = shape else { return };
    let Shape::Object(fields) = &**shape else { return };
    let named = |list: Option<&Value>, name: &str| {
        let mut elements = list.and_then(Value::as_array).into_iter().flatten();
        let is_named = |one: &&Value| one.get("name").and_then(Value::as_str).map(keys::fold) == Some(keys::fold(name));
        elements.find(is_named).cloned()
    };
    for element in wanted.iter_mut().filter_map(Value::as_object_mut) {
        let name = element.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = named(answer, &name).and_then(|one| one.get("id").cloned());
        let (Some(id), Some(Value::Object(current))) = (id, named(current, &name)) else { continue };
        if take_away(fields, element, &current) {
            element.insert("id".to_owned(), id);
        }
    }
}

/// Says of what an object has no more that it is empty; `false` where that cannot be said.
fn take_away(fields: &[Field<'_>], wanted: &mut Map<String, Value>, current: &Map<String, Value>) -> bool {
    let gone = fields.iter().filter(|field| current.contains_key(field.name) && !wanted.contains_key(field.name));
    let gone: Vec<_> = gone.map(|field| Some((field.name.to_owned(), field.absent()?.clone()))).collect();
    let can = gone.iter().all(Option::is_some);
    if can {
        wanted.extend(gone.into_iter().flatten());
    }
    can
}
