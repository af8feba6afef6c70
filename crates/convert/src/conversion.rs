//! A conversion while it is made: the objects so far, and the report.

use std::collections::BTreeSet;

use base::Timestamp;
use serde_json::{Map, Value, json};

use crate::{
    json::{id, text},
    report::{Outcome, Report},
};

/// An object of a tenant as files of desired state describe it: `kind`, then the fields of its body.
pub type Document = Map<String, Value>;

/// The file of open alerts. A plan does not read files of this kind.
pub const OPEN_ALERTS: &str = "open-alerts.ndjson";

/// What a caller may decide.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What ended before is left out.
    pub now: Timestamp,
    /// Are turns of hours taken as hours that pass, also where the clocks change?
    pub elapsed_hours: bool,
}

/// Objects of Muster, and what became of those of the source.
#[derive(Debug)]
pub struct Conversion {
    /// What the caller decided.
    pub settings: Settings,
    /// The objects.
    pub documents: Vec<Document>,
    /// What became of what.
    pub report: Report,
    /// Open alerts of the source, a report a line; [`None`] when there are none.
    pub open_alerts: Option<String>,
    /// How many objects of the source have nothing that they are called by.
    pub unnamed: usize,
    names: BTreeSet<(&'static str, String)>,
}

impl Conversion {
    /// Without an object so far.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            documents: Vec::new(),
            report: Report::default(),
            open_alerts: None,
            unnamed: 0,
            names: BTreeSet::new(),
        }
    }

    /// Takes a name that is unique for its kind, whatever the letter case.
    ///
    /// # Errors
    /// When another object of the kind has it.
    pub fn claim(&mut self, kind: &'static str, name: &str) -> Result<(), String> {
        if self.names.insert((kind, base::fold(name))) {
            return Ok(());
        }
        Err(format!("another object of the source is the {kind} {name:?} already, and that name is unique"))
    }

    /// Adds an object with the fields of a JSON object, but for those that are `null`. Answers how the report calls it.
    pub fn add(&mut self, kind: &'static str, name: &str, body: Value) -> String {
        let mut document = Document::from_iter([("kind".to_owned(), json!(kind))]);
        if let Value::Object(body) = body {
            document.extend(body.into_iter().filter(|(_, value)| !value.is_null()));
        }
        self.documents.push(document);
        object(kind, name)
    }

    /// Adds the one object that one of the source becomes, under a name that is unique for its kind, or says why there
    /// is none. Answers whether it was added.
    pub fn convert(
        &mut self,
        source: String,
        kind: &'static str,
        name: &str,
        body: Result<Value, String>,
        lost: Vec<String>,
    ) -> bool {
        match body.and_then(|body| self.claim(kind, name).map(|()| body)) {
            Ok(body) => {
                let becomes = self.add(kind, name, body);
                self.report.converted(source, vec![becomes], lost);
                true
            }
            Err(reason) => {
                self.report.refused(source, reason);
                false
            }
        }
    }

    /// A text that nothing is made of an object of the source without: the first of these fields that it has. One that
    /// has none is refused, by its id.
    pub fn required<'v>(&mut self, source: &'v Value, kind: &str, fields: &[&str], what: &str) -> Option<&'v str> {
        let found = fields.iter().find_map(|field| text(source, field));
        if found.is_none() {
            self.unnamed += 1;
            let named = id(source, "id").map_or_else(|| format!("{kind} without an id"), |id| object(kind, &id));
            self.report.refused(named, format!("it has no {what}"));
        }
        found
    }

    /// Says in one entry of the report that all objects of a path are left out.
    pub fn omit_all(&mut self, path: &str, count: usize, reason: &str) {
        if count > 0 {
            self.report.add(format!("{path} ({count})"), Outcome::Omitted, Vec::new(), vec![reason.to_owned()]);
        }
    }
}

/// How the report calls an object.
pub fn object(kind: &str, name: &str) -> String {
    format!("{kind} {name:?}")
}
