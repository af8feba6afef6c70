//! Requests declared by a type, which reads itself from a body.
//!
//! `#[derive(api::Request)]` writes [`Request`] for a struct, with the same declaration as its schema in the OpenAPI
//! document, and [`Field`] for an enum of words. What is here reads one field within its [`Limits`].

use serde_json::{Map, Value};

use super::Fields;
use crate::{
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};

/// What a field may hold, beyond its type. What is `None` or `false` is not limited.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most characters of a text.
    pub chars: Option<usize>,
    /// A text of one line, without the blanks around it and not empty: a name.
    pub line: bool,
    /// A text with more than blanks in it.
    pub filled: bool,
    /// The smallest and the largest integer.
    pub range: Option<(i64, i64)>,
    /// The fewest and the most elements of an array.
    pub items: Option<(usize, usize)>,
    /// The only texts, in any letter case.
    pub words: &'static [&'static str],
}

impl Limits {
    /// Anything of the type.
    pub const NONE: Self = Self { chars: None, line: false, filled: false, range: None, items: None, words: &[] };
}

/// An object of a body that reads itself.
pub trait Request: Sized {
    /// Reads all fields, and notes in `fields` what is wrong; a blank stands where something is. Nobody may use what
    /// was read before [`Fields::check`] found nothing wrong.
    fn read(fields: &mut Fields<'_>) -> Self;

    /// Reads a whole body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    fn parse(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let read = Self::read(&mut fields);
        fields.finish()?;
        Ok(read)
    }

    /// Reads a whole body whose errors are told together with those of what it names.
    fn parse_with_errors(body: &Value) -> (Self, FieldErrors) {
        let mut fields = Fields::of(body);
        let read = Self::read(&mut fields);
        (read, fields.wrong())
    }
}

/// What a whole body may be read as: a [`Request`], with its errors refused; a pair, with its errors to be told
/// together with those of what it names; or the value as it is.
pub trait FromBody: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    fn from_body(body: Value) -> Result<Self, Problem>;
}

impl<T: Request> FromBody for T {
    fn from_body(body: Value) -> Result<Self, Problem> {
        T::parse(&body)
    }
}

impl<T: Request> FromBody for (T, FieldErrors) {
    fn from_body(body: Value) -> Result<Self, Problem> {
        Ok(T::parse_with_errors(&body))
    }
}

impl FromBody for Value {
    fn from_body(body: Value) -> Result<Self, Problem> {
        Ok(body)
    }
}

/// Does a field say one of some words? As a condition for others to be read.
pub fn says(name: &str, words: &'static [&'static str]) -> impl Fn(&Fields<'_>) -> bool {
    move |of| of.says(name, words)
}

/// What a field may be.
pub trait Field: Sized {
    /// Reads a field; `None` when it is absent, `null` or wrong, which is noted.
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self>;

    /// What stands for a value that is wrong.
    fn blank(fields: &Fields<'_>, limits: &Limits) -> Self;
}

/// Reads a field that must be there; a blank when it is not, which is noted.
pub fn required<T: Field>(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> T {
    fields.require(name);
    T::read(fields, name, limits).unwrap_or_else(|| T::blank(fields, limits))
}

/// Reads a field as `T` and takes it over by `parse`, whose error is noted; `None` when it is absent or wrong.
pub fn parsed<T: Field, U, E: Into<String>>(
    fields: &mut Fields<'_>,
    name: &str,
    limits: &Limits,
    parse: impl FnOnce(T) -> Result<U, E>,
) -> Option<U> {
    let given = T::read(fields, name, limits)?;
    parse(given).map_err(|message| fields.error(name, message)).ok()
}

impl<T: Request> Field for T {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        fields.object(name).map(|mut object| T::read(&mut object))
    }

    fn blank(fields: &Fields<'_>, _: &Limits) -> Self {
        T::read(&mut fields.nothing())
    }
}

impl<T: Request> Field for Vec<T> {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        let objects = fields.objects(name)?;
        if !within(fields, name, limits, objects.len()) {
            return None;
        }
        Some(objects.into_iter().map(|mut object| T::read(&mut object)).collect())
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::new()
    }
}

impl Field for Vec<String> {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        let texts = fields.texts_max(name, limits.chars)?;
        within(fields, name, limits, texts.len()).then_some(texts)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::new()
    }
}

/// Notes when there are too few elements or too many.
fn within(fields: &mut Fields<'_>, name: &str, limits: &Limits, length: usize) -> bool {
    let Some((fewest, most)) = limits.items else { return true };
    if length > most {
        fields.error(name, format!("must have at most {most} elements"));
    } else if length < fewest {
        let elements = if fewest == 1 { "element" } else { "elements" };
        fields.error(name, format!("must have at least {fewest} {elements}"));
    }
    (fewest..=most).contains(&length)
}

/// With an explicit `null` told from absence: that is `Some(None)`.
impl<T: Field> Field for Option<T> {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        if fields.is_null(name) { Some(None) } else { T::read(fields, name, limits).map(Some) }
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        None
    }
}

impl Field for String {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        if limits.line {
            return fields.name(name, limits.chars.unwrap_or(super::MAX_TEXT));
        }
        let text = fields.text_max(name, limits.chars.unwrap_or(super::MAX_TEXT))?;
        if limits.filled && text.trim().is_empty() {
            fields.error(name, "is required");
            return None;
        }
        Some(text)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::new()
    }
}

/// One of the words, in their spelling.
impl Field for &'static str {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        fields.one_of(name, limits.words)
    }

    fn blank(_: &Fields<'_>, limits: &Limits) -> Self {
        limits.words.first().copied().unwrap_or_default()
    }
}

impl Field for bool {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        fields.boolean(name)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        false
    }
}

impl Field for i64 {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        match limits.range {
            Some((first, last)) => fields.integer_in(name, first..=last),
            None => fields.integer(name),
        }
    }

    fn blank(_: &Fields<'_>, limits: &Limits) -> Self {
        limits.range.map_or(0, |(first, _)| first)
    }
}

/// Smaller integers, within their range where no other one is said.
macro_rules! small_integers {
    ($($number:ty),*) => { $(
        impl Field for $number {
            fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
                let (first, last) = limits.range.unwrap_or((0, <$number>::MAX.into()));
                fields.integer_in(name, first..=last).and_then(|number| number.try_into().ok())
            }

            fn blank(_: &Fields<'_>, _: &Limits) -> Self {
                0
            }
        }
    )* };
}

small_integers!(u8, u16, u32);

impl Field for Timestamp {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        fields.timestamp(name)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::from_millis(0)
    }
}

impl Field for Map<String, Value> {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        fields.raw_object(name)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::new()
    }
}

impl Field for Vec<Value> {
    fn read(fields: &mut Fields<'_>, name: &str, limits: &Limits) -> Option<Self> {
        let values = fields.raw_array(name)?;
        within(fields, name, limits, values.len()).then_some(values)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::new()
    }
}

/// Anything.
impl Field for Value {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        fields.value(name).cloned()
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::Null
    }
}
