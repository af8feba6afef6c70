//! The tenant as it is, kind by kind.

use std::collections::{HashMap, HashSet};

use reqwest::StatusCode;
use serde_json::{Map, Value, json};

use super::{
    convert::{id_text, to_file},
    documents::Shapes,
    keys::{self, ObjectKey},
    kinds::{Kind, List, SHIFT},
    names::{NamedObject, Names},
    service::{Refusal, Service},
};
use crate::failure::Failure;

/// What the ids of partners begin with.
const PARTNER: &str = "msp_";

/// An object of the tenant.
#[derive(Debug)]
pub struct Object {
    pub id: String,
    /// The id of the object that it belongs to.
    pub owner: Option<String>,
    /// By the names that the objects above it get.
    pub key: ObjectKey,
    /// By the names that they have.
    pub former: ObjectKey,
    /// Its fields as a file has them.
    pub body: Map<String, Value>,
    /// Its fields as the service answered them.
    pub answer: Map<String, Value>,
    /// Does it belong to the tenant itself, and not to its partner or one of its clients?
    pub is_own: bool,
    /// Is it not switched off?
    pub is_on: bool,
}

/// An object that is called otherwise from now on.
pub struct RenamedObject {
    pub id: String,
    pub key: ObjectKey,
    /// How files refer to it.
    pub reference: Value,
}

/// The objects that were asked for.
pub struct Tenant<'d> {
    shapes: &'d Shapes<'d>,
    objects: HashMap<&'static str, Vec<Object>>,
    pub names: Names,
    /// What objects are called before any is renamed; none where no document has a former name.
    former: Option<Names>,
    /// The kinds that the key may not read, and what the service said.
    pub unreadable: Vec<(&'static str, String)>,
}

/// A row of a list, before its references are known.
struct Row {
    answer: Map<String, Value>,
    id: String,
    owner: Option<String>,
    is_own: bool,
}

impl<'d> Tenant<'d> {
    pub fn new(shapes: &'d Shapes<'d>) -> Self {
        Self { shapes, objects: HashMap::new(), names: Names::default(), former: None, unreadable: Vec::new() }
    }

    /// Remembers what objects are called before they are renamed.
    pub fn keep_former_names(&mut self) {
        self.former = Some(Names::default());
    }

    /// Why a kind cannot be read with this key; `None` when it can.
    pub fn why_unreadable(&self, kind: &str) -> Option<&str> {
        self.unreadable.iter().find(|(one, _)| *one == kind).map(|(_, why)| why.as_str())
    }

    /// The objects of a kind that were loaded.
    pub fn objects(&self, kind: &Kind) -> &[Object] {
        self.objects.get(kind.name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Loads the objects of a kind, those that it refers to first. `wanted` says which are looked at closely; without
    /// it, all are. `renamed` says which objects are called otherwise from now on.
    ///
    /// # Errors
    /// When the service cannot be reached or answers something else. What the key may not read is noted.
    pub fn load(
        &mut self,
        kind: &'static Kind,
        service: &mut Service<'_>,
        wanted: Option<&dyn Fn(&Object) -> bool>,
        renamed: impl Fn(&[Object]) -> Vec<RenamedObject>,
    ) -> Result<(), Refusal> {
        if kind.of_partners && !service.tenant().starts_with(PARTNER) {
            return Ok(());
        }
        let mut rows = match self.rows(kind, service) {
            Ok(rows) => rows,
            Err(Refusal::Status(StatusCode::FORBIDDEN, why)) => {
                self.unreadable.push((kind.name, why));
                return Ok(());
            }
            Err(refusal) => return Err(refusal),
        };
        if let Some(get) = kind.get.filter(|_| kind.details) {
            let is_one = |row: &Row| wanted.is_none_or(|wanted| self.object(kind, row).as_ref().is_some_and(wanted));
            let is_wanted = |row: &Row| row.is_own && is_one(row);
            let (near, far): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_wanted);
            let whole = |service: &mut Service<'_>, row: &Row| {
                let ids: Vec<&str> = row.owner.as_deref().into_iter().chain([row.id.as_str()]).collect();
                let Value::Object(answer) = service.call(get, &ids, None, None)?.value else {
                    return Err(Failure::Refused(format!("{get} did not answer an object")).into());
                };
                Ok(Row { answer, id: row.id.clone(), owner: row.owner.clone(), is_own: row.is_own })
            };
            rows = service.each(&near, whole)?;
            rows.extend(far);
        }
        let objects = self.rename(kind, &rows, renamed);
        self.objects.insert(kind.name, objects);
        Ok(())
    }

    /// The objects of rows, of which some are called otherwise from now on.
    fn rename(
        &mut self,
        kind: &'static Kind,
        rows: &[Row],
        renamed: impl Fn(&[Object]) -> Vec<RenamedObject>,
    ) -> Vec<Object> {
        let mut objects = self.convert(kind, rows, &HashSet::new());
        let mut count = 0;
        loop {
            let renames = renamed(&objects);
            // By its new name, what is below a renamed object may be one that is renamed itself.
            if renames.len() <= count {
                return objects;
            }
            count = renames.len();
            // What is below a renamed object is called otherwise, too, and another object may get its former name.
            self.names.forget(kind.name);
            for RenamedObject { id, key, reference } in &renames {
                let found = NamedObject { id: id.clone(), is_own: true };
                self.names.insert(kind.name, found, key, reference.clone());
            }
            let renamed: HashSet<&str> = renames.iter().map(|one| one.id.as_str()).collect();
            objects = self.convert(kind, rows, &renamed);
        }
    }

    fn rows(&mut self, kind: &'static Kind, service: &mut Service<'_>) -> Result<Vec<Row>, Refusal> {
        let Some(owner) = &kind.owner else {
            let answers = match kind.list {
                List::Rows(id, query) => service.rows(id, &[], query)?,
                List::Lines(id, query) => service.lines(id, query)?,
            };
            return Ok(answers.into_iter().filter_map(|answer| row(kind, answer, None, service.tenant())).collect());
        };
        let (List::Rows(id, query) | List::Lines(id, query)) = kind.list;
        let owners = self.objects.get(owner.kind).map(Vec::as_slice).unwrap_or_default();
        let owners: Vec<&Object> = owners.iter().filter(|object| object.is_own && object.is_on).collect();
        let lists = service.each(&owners, |service, object| match service.rows(id, &[&object.id], query) {
            Ok(answers) => Ok(Ok(answers)),
            // What belongs to some may be read, and what belongs to others not.
            Err(Refusal::Status(StatusCode::FORBIDDEN, why)) => Ok(Err(why)),
            Err(refusal) => Err(refusal),
        })?;
        let mut rows = Vec::new();
        let mut refused = None;
        for (owner, answers) in owners.iter().zip(lists) {
            match answers {
                Ok(answers) => {
                    let own = |answer| row(kind, answer, Some(&owner.id), service.tenant());
                    rows.extend(answers.into_iter().filter_map(own));
                }
                Err(why) => refused = Some(format!("of {:?} and perhaps others: {why}", owner.key.shown)),
            }
        }
        self.unreadable.extend(refused.map(|why| (kind.name, why)));
        Ok(rows)
    }

    /// The objects of rows, each behind that which it is below in a tree. Those of the `renamed` ids have their new
    /// names already.
    fn convert(&mut self, kind: &'static Kind, rows: &[Row], renamed: &HashSet<&str>) -> Vec<Object> {
        let above = kind.references.iter().find(|one| one.kind == kind.name).map(|one| one.path);
        let is_below = |row: &Row, pending: &HashSet<String>| {
            let id = above
                .and_then(|field| row.answer.get(field))
                .and_then(|above| [kind.id, "id", "uniqueId"].iter().find_map(|name| id_text(above.get(*name)?)));
            id.is_some_and(|id| pending.contains(&id))
        };
        let mut objects = Vec::new();
        let mut rest: Vec<&Row> = rows.iter().collect();
        while !rest.is_empty() {
            let pending: HashSet<String> = rest.iter().map(|row| row.id.clone()).collect();
            let (now, later): (Vec<&Row>, Vec<&Row>) = rest.iter().copied().partition(|row| !is_below(row, &pending));
            // A circle cannot be, and would not end.
            let stuck = now.is_empty();
            for row in if stuck { &later } else { &now } {
                let Some(object) = self.object(kind, row) else { continue };
                if !renamed.contains(object.id.as_str()) {
                    note(&mut self.names, kind, &object, &object.key);
                }
                if let Some(names) = &mut self.former {
                    note(names, kind, &object, &object.former);
                }
                objects.push(object);
            }
            rest = if stuck { Vec::new() } else { later };
        }
        if above.is_some() {
            // Which name leads to one object alone is known when all of them are.
            for object in &mut objects {
                object.body = self.body(kind, &object.answer);
            }
        }
        objects
    }

    fn object(&self, kind: &'static Kind, row: &Row) -> Option<Object> {
        let answer = with_owner(kind, row.answer.clone(), row.owner.as_deref());
        let body = self.body(kind, &answer);
        let key = keys::of_object(kind, &body)?;
        let is_on = kind.switch.as_ref().and_then(|switch| answer.get(switch.field)?.as_bool()).unwrap_or(true);
        let (id, owner) = (row.id.clone(), row.owner.clone());
        let former = self
            .former
            .as_ref()
            .and_then(|names| keys::of_object(kind, &to_file(self.shapes.of(kind), &answer, names)));
        let former = former.unwrap_or_else(|| key.clone());
        Some(Object { id, owner, key, former, body, answer, is_own: row.is_own, is_on })
    }

    fn body(&self, kind: &Kind, answer: &Map<String, Value>) -> Map<String, Value> {
        to_file(self.shapes.of(kind), answer, &self.names)
    }
}

/// Notes what an object is called, and its parts.
fn note(names: &mut Names, kind: &'static Kind, object: &Object, key: &ObjectKey) {
    let found = NamedObject { id: object.id.clone(), is_own: object.is_own };
    let reference = keys::reference(kind, key, &object.body);
    // Some refer to it by its other id.
    for name in ["id", "uniqueId"] {
        let other = object.answer.get(name).and_then(id_text).filter(|other| *other != object.id);
        if let Some(id) = other {
            names.insert_other_id(kind.name, id, object.id.clone());
        }
    }
    names.insert(kind.name, found, key, reference);
    note_parts(names, kind, key, &object.answer, object.is_own);
}

#[cfg(test)]
impl Tenant<'_> {
    /// Adds the objects of a list of `client_1`, which belong to the object of this id.
    pub fn add(
        &mut self,
        kind: &'static Kind,
        answers: &[Value],
        owner: Option<&str>,
        renamed: impl Fn(&[Object]) -> Vec<RenamedObject>,
    ) {
        let rows: Vec<Row> = answers.iter().filter_map(|answer| row(kind, answer.clone(), owner, "client_1")).collect();
        let objects = self.rename(kind, &rows, renamed);
        self.objects.entry(kind.name).or_default().extend(objects);
    }
}

/// What lists say of an object now; `None` when it is gone.
///
/// # Errors
/// When the service cannot be reached or answers something else.
pub fn listed(
    kind: &'static Kind,
    object: &Object,
    service: &mut Service<'_>,
) -> Result<Option<Map<String, Value>>, Refusal> {
    let owner: Vec<&str> = object.owner.as_deref().into_iter().collect();
    let answers = match kind.list {
        List::Rows(id, query) => service.rows(id, &owner, query)?,
        List::Lines(id, query) => {
            let filter = format!("id:{}", object.id);
            let query: Vec<(&str, &str)> = query.iter().copied().chain([("queryString", filter.as_str())]).collect();
            service.lines(id, &query)?
        }
    };
    let is_it = |answer: &Map<String, Value>| answer.get(kind.id).and_then(id_text).as_ref() == Some(&object.id);
    let mut found =
        answers.into_iter().filter_map(|answer| if let Value::Object(answer) = answer { Some(answer) } else { None });
    Ok(found.find(is_it))
}

/// The fields of an answer, with a reference to the object that it belongs to.
pub fn with_owner(kind: &Kind, answer: Map<String, Value>, owner: Option<&str>) -> Map<String, Value> {
    let mut answer = (kind.from_answer)(answer);
    if let (Some(owner), Some(id)) = (&kind.owner, owner) {
        answer.insert(owner.field.to_owned(), json!({ "id": id }));
    }
    answer
}

/// Notes what the parts of an object are called that others refer to: the shifts of a roster.
pub fn note_parts(names: &mut Names, kind: &Kind, key: &ObjectKey, answer: &Map<String, Value>, is_own: bool) {
    let shifts = answer.get("shiftDetails").and_then(Value::as_array).filter(|_| kind.name == "Roster");
    for shift in shifts.into_iter().flatten() {
        let id = shift.get("id").and_then(id_text);
        let reference = shift.get("name").map(|name| json!({ "name": name }));
        let Some((id, reference)) = id.zip(reference) else { continue };
        let Some(key) = keys::of_shift(&key.shown, &reference) else { continue };
        names.insert(SHIFT, NamedObject { id, is_own }, &key, reference);
    }
}

/// A row, when it is one that files describe or refer to.
fn row(kind: &'static Kind, answer: Value, owner: Option<&str>, tenant: &str) -> Option<Row> {
    let Value::Object(answer) = answer else { return None };
    let id = answer.get(kind.id).and_then(id_text)?;
    let whose = kind.tenant.and_then(|path| {
        let mut names = path.split('.');
        let first = answer.get(names.next()?)?;
        id_text(names.try_fold(first, |value, name| value.get(name))?)
    });
    let is_own = whose.is_none_or(|whose| whose == tenant);
    let owner = owner.map(ToOwned::to_owned);
    Some(Row { answer, id, owner, is_own })
}
