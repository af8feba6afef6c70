//! The documents of files: what they describe, or everything that is wrong with them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use base::near;
use serde_json::{Map, Value};

use super::{
    check::{Checker, Link, Patterns},
    convert::resolve,
    files::{self, SourceFile},
    keys::{self, ObjectKey},
    kinds::{self, BELOW, Kind},
    names::Names,
    node::{Content, Node},
    shape::{self, Field},
    yaml,
};
use crate::operations::Operation;

/// The most documents of a folder.
const MOST: usize = 100_000;
/// The fields that documents have beside those of their kind.
const OWN_FIELDS: [&str; 2] = ["kind", "previousName"];

/// A document: an object as it is to be.
pub struct Document {
    pub kind: &'static Kind,
    /// Its fields, with references by name, secrets by their source, and without what is empty.
    pub body: Map<String, Value>,
    pub key: ObjectKey,
    /// The key of the object under its former name.
    pub previous: Option<ObjectKey>,
    pub links: Vec<Link>,
    pub file: String,
    /// Where the paths of `fromFile` begin.
    pub folder: PathBuf,
    pub line: usize,
}

impl Document {
    /// Where it stands, as errors say it.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Writes its references as an export writes them.
    pub fn resolve(&mut self, shapes: &Shapes<'_>, names: &Names) {
        self.body = resolve(shapes.of(self.kind), &self.body, names);
        self.key = keys::of_object(self.kind, &self.body).unwrap_or_else(|| self.key.clone());
    }
}

/// The fields of each kind.
pub struct Shapes<'d>(Vec<(&'static Kind, Vec<Field<'d>>)>);

impl<'d> Shapes<'d> {
    /// # Errors
    /// When the document of the interface lacks what the table of kinds names.
    pub fn new(operations: &[Operation<'d>]) -> Result<Self, String> {
        let each = kinds::all().iter().map(|kind| Ok((kind, shape::of_kind(kind, operations)?)));
        Ok(Self(each.collect::<Result<_, String>>()?))
    }

    pub fn of(&self, kind: &Kind) -> &[Field<'d>] {
        self.0.iter().find(|(one, _)| one.name == kind.name).map_or(&[], |(_, fields)| fields)
    }

    pub fn all(&self) -> impl Iterator<Item = (&'static Kind, &[Field<'d>])> {
        self.0.iter().map(|(kind, fields)| (*kind, fields.as_slice()))
    }
}

/// The documents of a folder, in the order of its files.
///
/// # Errors
/// Everything that is wrong with any of them: `FILE:LINE: path: text`.
pub fn read(folder: &Path, shapes: &Shapes<'_>) -> Result<Vec<Document>, Vec<String>> {
    let mut reader = Reader { shapes, patterns: Patterns::default(), documents: Vec::new(), errors: Vec::new() };
    for file in files::read(folder)? {
        reader.file(&file);
    }
    reader.errors.extend(find_twins(&reader.documents));
    if reader.errors.is_empty() { Ok(reader.documents) } else { Err(reader.errors) }
}

struct Reader<'r, 'd> {
    shapes: &'r Shapes<'d>,
    patterns: Patterns,
    documents: Vec<Document>,
    errors: Vec<String>,
}

impl Reader<'_, '_> {
    fn file(&mut self, file: &SourceFile) {
        let read = if file.is_json { yaml::read_json } else { yaml::read };
        let nodes = match read(&file.text) {
            Ok(nodes) => nodes,
            Err((line, why)) => return self.errors.push(format!("{}:{line}: {why}", file.name)),
        };
        for node in nodes {
            match node.content {
                Content::List(nodes) => nodes.iter().for_each(|node| self.document(node, file)),
                _ => self.document(&node, file),
            }
        }
    }

    fn document(&mut self, node: &Node, file: &SourceFile) {
        let fault = |line: usize, text: String| format!("{}:{line}: {text}", file.name);
        if self.documents.len() == MOST {
            return self.errors.push(fault(node.line, format!("there are more than {MOST} documents")));
        }
        let Content::Object(_) = node.content else {
            return self.errors.push(fault(node.line, format!("is {}, and has to be an object", node.kind())));
        };
        let Some(entry) = node.get("kind") else {
            return self.errors.push(fault(node.line, "kind: is required".to_owned()));
        };
        let word = entry.value.text().unwrap_or_default();
        let Some(kind) = kinds::kind(word) else {
            let hint = near::hint(word, kinds::all().iter().map(|kind| kind.name), "");
            let text = format!("kind: {word:?} is not a kind{hint} (docs/configuration.md has them)");
            return self.errors.push(fault(entry.line, text));
        };
        let mut checker = Checker {
            patterns: &mut self.patterns,
            kind: kind.name,
            document: node,
            faults: Vec::new(),
            links: Vec::new(),
        };
        let body = (kind.implied)(checker.object(node, self.shapes.of(kind), "", &OWN_FIELDS));
        if let Some((path, why)) = (kind.refused)(&body).filter(|_| checker.faults.is_empty()) {
            let line = path.split('.').next().and_then(|name| node.get(name)).map_or(node.line, |entry| entry.line);
            checker.fault(line, &path, why.to_owned());
        }
        let key = keys::of_object(kind, &body);
        let previous = previous(node, kind, &body, &mut checker);
        if key.is_none() && checker.faults.is_empty() {
            checker.fault(node.line, "", "the object has nothing that it is called by".to_owned());
        }
        let (faults, links) = (checker.faults, checker.links);
        for one in &faults {
            let path = if one.path.is_empty() { String::new() } else { format!("{}: ", one.path) };
            self.errors.push(fault(one.line, format!("{path}{}", one.text)));
        }
        if let Some(key) = key.filter(|_| faults.is_empty()) {
            let (line, folder) = (node.line, file.folder.clone());
            let file = file.name.clone();
            self.documents.push(Document { kind, body, key, previous, links, file, folder, line });
        }
    }
}

/// The objects that two documents describe.
pub fn find_twins(documents: &[Document]) -> Vec<String> {
    let mut seen: HashMap<(&str, &str), &Document> = HashMap::new();
    let twins = documents.iter().filter_map(|document| {
        let first = seen.insert((document.kind.name, document.key.canonical.as_str()), document)?;
        let (kind, shown) = (document.kind.name, &document.key.shown);
        Some(format!("{}: {kind} {shown:?} is described at {} already", document.place(), first.place()))
    });
    twins.collect()
}

/// The key that an object had, by `previousName`.
fn previous(
    node: &Node,
    kind: &'static Kind,
    body: &Map<String, Value>,
    checker: &mut Checker<'_>,
) -> Option<ObjectKey> {
    let entry = node.get("previousName").filter(|entry| entry.value.content != Content::Null)?;
    let field = kind.name_field().filter(|_| kind.update.is_some());
    let Some((field, text)) = field.zip(entry.value.text().filter(|text| !text.trim().is_empty())) else {
        let why =
            if field.is_none() { format!("a {} has no name to change", kind.name) } else { "is not a name".to_owned() };
        checker.fault(entry.line, "previousName", why);
        return None;
    };
    // In a tree, the whole way says from where an object was moved.
    if kind.reference_field() == "path" && text.contains(BELOW.trim()) {
        return Some(keys::of_path(text));
    }
    let mut former = body.clone();
    former.insert(field.to_owned(), Value::from(text));
    keys::of_object(kind, &former)
}
