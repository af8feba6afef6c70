//! A conversion while it is made: the objects so far, and the report.

use std::collections::{BTreeMap, BTreeSet};

use base::Timestamp;
use serde_json::Value;

use crate::{
    document::Document,
    report::{Outcome, Report},
};

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
    /// Further files: path and text.
    pub extra: BTreeMap<String, String>,
    names: BTreeSet<(&'static str, String)>,
}

impl Conversion {
    /// Without an object so far.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            documents: Vec::new(),
            report: Report::default(),
            extra: BTreeMap::new(),
            names: BTreeSet::new(),
        }
    }

    /// Takes a name that is unique for its kind, whatever the letter case.
    ///
    /// # Errors
    /// When another object of the kind has it.
    pub fn claim(&mut self, kind: &'static str, name: &str) -> Result<(), String> {
        if self.names.insert((kind, name.to_lowercase())) {
            return Ok(());
        }
        Err(format!("another object of the source is the {kind} {name:?} already, and that name is unique"))
    }

    /// Adds an object, and answers how the report calls it.
    pub fn add(&mut self, kind: &'static str, name: &str, body: Value) -> String {
        self.documents.push(Document::new(kind, name, body));
        format!("{kind} {name:?}")
    }

    /// Says in one entry of the report that all objects of a path are left out.
    pub fn omit_all(&mut self, path: &str, count: usize, reason: &str) {
        if count > 0 {
            self.report.add(format!("{path} ({count})"), Outcome::Omitted, Vec::new(), vec![reason.to_owned()]);
        }
    }
}

/// How the report calls an object of the source.
pub fn object(kind: &str, name: &str) -> String {
    format!("{kind} {name:?}")
}
