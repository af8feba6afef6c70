//! Searches by when rows were made and when they changed last.

use base::{problem::Problem, query_string::Term};

use crate::Condition;

/// What `startCreationDate`, `endCreationDate`, `startUpdationDate` and `endUpdationDate` of a `queryString` ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dates {
    created: Range,
    updated: Range,
}

/// Milliseconds since 1970: at this one or later, at this one or before.
type Range = (Option<i64>, Option<i64>);

impl Dates {
    /// Takes a term that is one of the four; false when it is another.
    ///
    /// # Errors
    /// 400 on `queryString` when it is not a time.
    pub fn take(&mut self, term: &Term) -> Result<bool, Problem> {
        let (end, more) = match term.name {
            "startCreationDate" => (&mut self.created.0, 0),
            // What is shown has whole seconds, and an end takes in all of its second.
            "endCreationDate" => (&mut self.created.1, 999),
            "startUpdationDate" => (&mut self.updated.0, 0),
            "endUpdationDate" => (&mut self.updated.1, 999),
            _ => return Ok(false),
        };
        *end = Some(term.time()?.millis().saturating_add(more));
        Ok(true)
    }

    /// The rows whose columns, in milliseconds, are within these ranges.
    pub fn condition(&self, created: &'static str, updated: &'static str) -> Condition {
        let ends = [
            (created, " >= ", self.created.0),
            (created, " <= ", self.created.1),
            (updated, " >= ", self.updated.0),
            (updated, " <= ", self.updated.1),
        ];
        let ends = ends.into_iter().filter_map(|(column, is, end)| Some((column, is, end?)));
        Condition::all(ends.map(|(column, is, end)| Condition::sql(column).then(is).integer(end)))
    }
}
