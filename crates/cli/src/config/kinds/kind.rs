//! What is said of a kind of objects.

use base::timestamp::Timestamp;
use serde_json::{Map, Value};

/// The fields of an object.
type Body = Map<String, Value>;
/// A field, and what is wrong with it.
pub type FieldFault = (String, &'static str);

/// A kind of objects.
pub struct Kind {
    /// The word of a file.
    pub name: &'static str,
    /// Where an export puts its files.
    pub folder: &'static str,
    /// The operation that makes one. Its body has the fields of a file, unless `fields` says otherwise.
    pub create: &'static str,
    /// The operation that changes one. A kind without it is replaced: a changed object is another one.
    pub update: Option<&'static str>,
    /// The operation that ends one; a kind without it is not ended by files, unless it has a `reset`.
    pub delete: Option<&'static str>,
    /// The body with which `create` makes one as it is where nobody said anything.
    pub reset: Option<fn(&Body) -> Body>,
    /// The field with the instant from which one is history, which nothing changes or ends.
    pub ends: Option<&'static str>,
    /// The operation that answers one, with its version.
    pub get: Option<&'static str>,
    /// How all of them are listed.
    pub list: List,
    /// Has only `get` all fields?
    pub details: bool,
    /// Another operation whose body has the fields of a file.
    pub fields: Option<&'static str>,
    /// The field of an answer that has the id.
    pub id: &'static str,
    /// What makes two documents one object.
    pub key: Key,
    /// The object that it belongs to, by a parameter of the path.
    pub owner: Option<Owner>,
    /// The fields that refer to other objects.
    pub references: &'static [Reference],
    /// The fields that are secret.
    pub secrets: &'static [&'static str],
    /// The fields of the body that no file has: other names of fields, and what only answers have.
    pub without: &'static [&'static str],
    /// What the service says of a field that nobody said, where its document does not tell; as JSON.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The fields that say the same in several spellings.
    pub spellings: &'static [(&'static str, Spelling)],
    /// What takes a value away, where an empty text, list or object does not; as JSON.
    pub empties: &'static [(&'static str, &'static str)],
    /// The objects of which an update leaves what it does not name as it is.
    pub merged: &'static [&'static str],
    /// The fields that no update takes away.
    pub kept: &'static [&'static str],
    /// The field that an update of certain others takes back, unless it says that field too.
    pub restated: Option<RestatedField>,
    /// The lists whose elements keep their ids, by their names.
    pub elements: &'static [&'static str],
    /// The lists whose elements have rotations.
    pub rotations: Option<Rotations>,
    /// The operation that puts an object at the top of its tree, which no body of a change does.
    pub to_top: Option<&'static str>,
    /// The fields of the answer to its creation that are answered once and never again.
    pub credentials: &'static [&'static str],
    /// Objects that can be switched off instead of deleted.
    pub switch: Option<Switch>,
    /// What an object is switched on and off by, and no body says.
    pub state: Option<State>,
    /// What of an answer no file says; nothing when that is all of it.
    pub unsaid: fn(&Map<String, Value>) -> Option<&'static str>,
    /// The operation that lists what an object contains, of which resources are not in its file.
    pub members: Option<&'static str>,
    /// The way to the tenant in an answer, where lists have those of other tenants too.
    pub tenant: Option<&'static str>,
    /// Is the kind of partners alone?
    pub of_partners: bool,
    /// Makes the body of an answer, where it has another shape.
    pub from_answer: fn(Map<String, Value>) -> Map<String, Value>,
    /// Makes the body of the operation that creates, where it has another shape.
    pub to_create: fn(Map<String, Value>) -> Map<String, Value>,
    /// Adds to a document what it says without words, and takes away what the service takes for nothing.
    pub implied: fn(Map<String, Value>) -> Map<String, Value>,
    /// The field of a document that no object can be as it says, and why.
    pub refused: fn(&Body) -> Option<FieldFault>,
    /// Adds to a body what the service wants said though it is empty.
    pub complete: fn(Map<String, Value>) -> Map<String, Value>,
    /// Is an answer an object that files describe?
    pub concerns: fn(&Map<String, Value>) -> bool,
    /// The secrets that an object as it is cannot be made without.
    pub needs: fn(&Map<String, Value>) -> Vec<&'static str>,
}

/// How all objects of a kind are listed, with what has to be asked for.
#[derive(Clone, Copy)]
pub enum List {
    /// In pages, or as an array.
    Rows(&'static str, &'static [(&'static str, &'static str)]),
    /// As lines of JSON.
    Lines(&'static str, &'static [(&'static str, &'static str)]),
}

/// The fields that make two documents one object.
#[derive(Clone, Copy)]
pub enum Key {
    /// All of them together, and what stands between them where they are shown.
    All(&'static [&'static str], &'static str),
    /// The first that is there, which references call as the first of all.
    First(&'static [&'static str]),
}

/// The object that others belong to.
pub struct Owner {
    /// The field of a file that names it.
    pub field: &'static str,
    pub kind: &'static str,
}

/// A field that refers to an object.
pub struct Reference {
    /// The way to the field; through lists without a word.
    pub path: &'static str,
    pub kind: &'static str,
    /// The field that says of what the object is a part, when a name is only unique there.
    pub within: Option<&'static str>,
}

/// What means nothing in a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// The order of a list.
    Order,
    /// The order of the words, or numbers, that stand between commas, and the blanks around them.
    OrderOfWords,
    /// How many blanks stand between words.
    Blanks,
    /// The letter case.
    LetterCase,
    /// Which of two words is used: the first means the second.
    Synonyms(&'static [(&'static str, &'static str)]),
}

/// A field that the service sets anew when others change.
pub struct RestatedField {
    pub field: &'static str,
    /// The others.
    pub with: &'static [&'static str],
}

/// Lists whose elements have a `rotation`.
pub struct Rotations {
    /// The list.
    pub of: &'static str,
    /// The field of a change beside the list with which those whose turn it is keep it.
    pub keep: &'static str,
}

/// How objects are switched off and on.
pub struct Switch {
    pub field: &'static str,
    pub on: &'static str,
}

/// A field of files that is not of a body: operations of their own set it.
pub struct State {
    /// True unless a file says otherwise.
    pub field: &'static str,
    pub about: &'static str,
    pub on: &'static str,
    pub off: &'static str,
}

/// What stands between the names of a tree.
pub const BELOW: &str = " >> ";
/// What stands between the parts of any other key.
pub const BESIDE: &str = " / ";

/// Shifts are parts of rosters that overrides refer to.
pub const SHIFT: &str = "RosterShift";

impl Kind {
    /// Is an object or a document of the kind history?
    pub fn is_over(&self, body: &Map<String, Value>, now: Timestamp) -> bool {
        let end = self.ends.and_then(|field| Timestamp::parse(body.get(field)?.as_str()?.trim()));
        end.is_some_and(|end| end <= now)
    }

    /// Is a field one that operations of their own set?
    pub fn is_state(&self, field: &str) -> bool {
        self.state.as_ref().is_some_and(|state| state.field == field)
    }

    /// The operation whose body has the fields of a file.
    pub fn body(&self) -> &'static str {
        self.fields.unwrap_or(self.create)
    }

    /// The field of a reference that names an object of this kind.
    pub fn reference_field(&self) -> &'static str {
        match self.key {
            Key::All(_, BELOW) => "path",
            Key::All(parts, _) | Key::First(parts) => {
                parts.iter().find(|part| !part.contains('.')).copied().unwrap_or("name")
            }
        }
    }

    /// The field of a document that `previousName` is a former value of.
    pub fn name_field(&self) -> Option<&'static str> {
        let Key::All(parts, _) = self.key else { return Some("name") };
        parts.last().copied().filter(|part| matches!(*part, "name" | "loginName" | "displayName" | "title"))
    }
}
