//! The parameters of one URL, read strictly.

use std::ops::{Range, RangeInclusive};

use crate::{
    cursor::{List, PageRequest},
    form::decode,
    lenient::{self, INTEGER, TIMESTAMP, TRUE_OR_FALSE, must_be_one_of},
    page::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, NumberedPage},
    problem::{FieldError, Problem, shorten},
    timestamp::Timestamp,
};

/// More parameters than any operation has; the limit keeps the comparison of names cheap.
const MAX_PARAMETERS: usize = 100;

/// The parameters of one request, each to be read once by name.
///
/// Implements the wire rules for query parameters (`docs/interface.md`): a repeated `pageNo` or
/// `pageSize` takes its last value, any other repeated parameter and any that nobody reads is
/// refused. A reader that finds a bad value notes it and answers its default, so that
/// [`Query::finish`] lists everything that is wrong at once. Names match exactly.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// All decoded names and values, one after the other.
    decoded: String,
    parameters: Vec<Parameter>,
    errors: Vec<FieldError>,
}

#[derive(Clone, Debug)]
struct Parameter {
    name: Range<usize>,
    value: Range<usize>,
    repeated: bool,
    read: bool,
}

/// The order that a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The field, in its documented spelling.
    pub name: &'static str,
    /// Whether the largest comes first.
    pub descending: bool,
}

impl Query {
    /// Decodes the part of a URL after its `?`, in which `+` is a space and `%XX` a byte.
    ///
    /// # Errors
    /// 400 naming each parameter that has a bad escape, is not UTF-8 or holds a NUL character, and
    /// 400 for more than 100 parameters.
    pub fn parse(raw: &str) -> Result<Query, Problem> {
        let mut query = Query { decoded: String::with_capacity(raw.len()), ..Query::default() };
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            if query.parameters.len() == MAX_PARAMETERS {
                let detail = format!("The URL has more than {MAX_PARAMETERS} parameters.");
                return Err(Problem::invalid(detail));
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (query.decode(name), query.decode(value)) {
                (Ok(name), Ok(value)) => query.add(name, value),
                (Ok(name), Err(message)) => {
                    let name = query.decoded.get(name).map(shorten).unwrap_or_default();
                    query.errors.push(FieldError::new(name, message));
                }
                (Err(message), _) => query.errors.push(FieldError::new(shorten(name), message)),
            }
            if query.errors.len() == MAX_PARAMETERS {
                break;
            }
        }
        if query.errors.is_empty() { Ok(query) } else { Err(Problem::fields(query.errors)) }
    }

    fn decode(&mut self, raw: &str) -> Result<Range<usize>, &'static str> {
        let start = self.decoded.len();
        self.decoded.push_str(&decode(raw)?);
        Ok(start..self.decoded.len())
    }

    fn add(&mut self, name: Range<usize>, value: Range<usize>) {
        let text = self.decoded.get(name.clone()).unwrap_or_default();
        let takes_last = matches!(text, "pageNo" | "pageSize");
        let same = |known: &&mut Parameter| self.decoded.get(known.name.clone()) == Some(text);
        match self.parameters.iter_mut().find(same) {
            Some(known) if takes_last => known.value = value,
            Some(known) => known.repeated = true,
            None => self.parameters.push(Parameter { name, value, repeated: false, read: false }),
        }
    }

    /// Finds a parameter that has not been read yet, and marks it as read.
    fn take(&mut self, name: &str) -> Option<Range<usize>> {
        let same = |known: &&mut Parameter| !known.read && self.decoded.get(known.name.clone()) == Some(name);
        let parameter = self.parameters.iter_mut().find(same)?;
        parameter.read = true;
        if parameter.repeated {
            self.error(name, "is given more than once");
            return None;
        }
        Some(parameter.value.clone())
    }

    /// Reads a parameter by `parse`, and notes `message` when that has no answer.
    fn read<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        message: impl FnOnce() -> String,
    ) -> Option<T> {
        let value = self.take(name)?;
        let parsed = self.decoded.get(value).and_then(parse);
        if parsed.is_none() {
            self.error(name, message());
        }
        parsed
    }

    /// A text as it is; `Some("")` when the parameter is given without a value.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.read(name, |value| Some(value.to_owned()), String::new)
    }

    /// An integer of 64 bits.
    pub fn integer(&mut self, name: &str, default: i64) -> i64 {
        self.read(name, |value| value.parse().ok(), || INTEGER.to_owned()).unwrap_or(default)
    }

    /// An integer within a range.
    pub fn integer_in(&mut self, name: &str, default: i64, range: RangeInclusive<i64>) -> i64 {
        let given = self.integer(name, default);
        if !range.contains(&given) {
            self.error(name, format!("must be an integer from {} to {}", range.start(), range.end()));
        }
        given
    }

    /// `true` or `false` in any letter case.
    pub fn boolean(&mut self, name: &str, default: bool) -> bool {
        self.read(name, lenient::boolean, || TRUE_OR_FALSE.to_owned()).unwrap_or(default)
    }

    /// One of a list of values, in any letter case; answers the list's spelling.
    pub fn one_of(&mut self, name: &str, allowed: &[&'static str], default: &'static str) -> &'static str {
        self.read(name, |value| lenient::one_of(allowed, value), || must_be_one_of(allowed)).unwrap_or(default)
    }

    /// Some of a list of values, separated by commas, each in any letter case; answers the list's spellings, and none
    /// when the parameter is absent.
    pub fn some_of(&mut self, name: &str, allowed: &[&'static str]) -> Vec<&'static str> {
        let parse = |value: &str| value.split(',').map(|one| lenient::one_of(allowed, one.trim())).collect();
        let message = || format!("must be some of these, separated by commas: {}", allowed.join(", "));
        self.read(name, parse, message).unwrap_or_default()
    }

    /// An instant, as [`Timestamp::parse`] reads it.
    pub fn timestamp(&mut self, name: &str) -> Option<Timestamp> {
        self.read(name, Timestamp::parse, || TIMESTAMP.to_owned())
    }

    /// `pageNo` (from 1, default 1) and `pageSize` (1 to 1000, default 100).
    pub fn page(&mut self) -> NumberedPage {
        self.page_sized(DEFAULT_PAGE_SIZE)
    }

    /// The same as [`Query::page`] with another default for `pageSize`.
    pub fn page_sized(&mut self, default: u32) -> NumberedPage {
        NumberedPage {
            page_no: self.counter("pageNo", u32::MAX, 1),
            page_size: self.counter("pageSize", MAX_PAGE_SIZE, default),
        }
    }

    fn counter(&mut self, name: &str, last: u32, default: u32) -> u32 {
        let parse = |value: &str| value.parse().ok().filter(|number| (1..=last).contains(number));
        self.read(name, parse, || format!("must be an integer from 1 to {last}")).unwrap_or(default)
    }

    /// `sortName`, one of `allowed` in any letter case, and `isDescendingOrder`.
    pub fn sort(&mut self, allowed: &[&'static str], default: &'static str, default_descending: bool) -> Sort {
        Sort {
            name: self.one_of("sortName", allowed, default),
            descending: self.boolean("isDescendingOrder", default_descending),
        }
    }

    /// `pageNo`, `pageSize` and `cursor` of the list at `path` in this order. A cursor is good for the path, the order
    /// and the filters that it came from; `pageSize` may change on the way.
    pub fn page_request(&mut self, path: &str, sort: Sort) -> PageRequest {
        self.page_request_sized(path, sort, DEFAULT_PAGE_SIZE)
    }

    /// The same as [`Query::walk`] with another default for `pageSize`.
    pub fn page_request_sized(&mut self, path: &str, sort: Sort, default: u32) -> PageRequest {
        let list = self.list(path, sort);
        let page = self.page_sized(default);
        let numbered = PageRequest::numbered(page, list);
        let Some(cursor) = self.text("cursor") else { return numbered };
        if page.page_no > 1 {
            self.error("cursor", "takes the place of pageNo: send one of them");
            return numbered;
        }
        PageRequest::from_cursor(page, list, &cursor).unwrap_or_else(|refused| {
            self.error("cursor", refused.message());
            numbered
        })
    }

    /// The list that the path, the order and all parameters that filter describe.
    fn list(&self, path: &str, sort: Sort) -> List {
        const OTHERS: [&str; 5] = ["pageNo", "pageSize", "cursor", "sortName", "isDescendingOrder"];
        let texts = |parameter: &Parameter| {
            let text = |range: &Range<usize>| self.decoded.get(range.clone()).unwrap_or_default();
            (text(&parameter.name), text(&parameter.value))
        };
        let filters = self.parameters.iter().map(texts).filter(|(name, _)| !OTHERS.contains(name));
        let mut filters: Vec<(&str, &str)> = filters.collect();
        filters.sort_unstable();
        let order = [path, sort.name, if sort.descending { "descending" } else { "ascending" }];
        List::of(order.into_iter().chain(filters.into_iter().flat_map(|(name, value)| [name, value])))
    }

    /// Notes that a parameter breaks a rule of the caller's own.
    pub fn error(&mut self, name: &str, message: impl Into<String>) {
        self.errors.push(FieldError::new(name, message));
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// 400 that lists every bad value noted and every parameter that nobody read.
    pub fn finish(mut self) -> Result<(), Problem> {
        for parameter in self.parameters.iter().filter(|parameter| !parameter.read) {
            let name = self.decoded.get(parameter.name.clone()).map(shorten).unwrap_or_default();
            self.errors.push(FieldError::new(name, "unknown parameter"));
        }
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::fields(self.errors)) }
    }
}

#[cfg(test)]
mod tests;
