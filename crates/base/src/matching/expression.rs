//! Regular expressions that callers write: compiled within a limit of size, kept ready within a limit of memory, and
//! searched in linear time in texts of a bounded length.

use std::sync::LazyLock;

use moka::{policy::EvictionPolicy, sync::Cache};
use regex::{Regex, RegexBuilder};

use super::meter::{Exhausted, Meter};

/// The largest program of an expression that is saved, in bytes: `\w{20}` and its like are refused.
const LARGEST: usize = 128 << 10;
/// The same of one that was saved when programs were counted otherwise: it still matches.
const LARGEST_SAVED: usize = 2 << 20;
/// The longest text that is searched, in bytes.
const LONGEST_TEXT: usize = 64 << 10;
/// The memory in which the states of a search are made, in bytes.
const STATES: usize = 256 << 10;

/// What checks said lately, so that a write that reads its body again need not compile anything.
static CHECKED: LazyLock<Cache<String, Result<(), BadExpression>>> =
    LazyLock::new(|| Cache::builder().max_capacity(10_000).eviction_policy(EvictionPolicy::lru()).build());

/// Programs that were needed lately, of all tenants; `None` for what cannot be compiled.
static READY: LazyLock<Cache<String, Option<Regex>>> = LazyLock::new(|| Cache::new(256));

/// Why an expression is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadExpression {
    /// It cannot be read.
    #[error("is not a regular expression: {reason}, at character {position}")]
    Syntax {
        /// What is wrong.
        reason: String,
        /// Where, in characters from 1.
        position: usize,
    },
    /// Its program would be too large.
    #[error("is too large a regular expression: its program would have more than {} KiB", LARGEST >> 10)]
    TooLarge,
    /// Together with the work before it, it takes too long.
    #[error("{0}: simplify the regular expressions of this request")]
    Exhausted(#[from] Exhausted),
}

/// Checks an expression that is to be saved.
///
/// # Errors
/// What is wrong with it, and where.
pub fn check(expression: &str, meter: &Meter) -> Result<(), BadExpression> {
    if let Some(checked) = CHECKED.get(expression) {
        return checked;
    }
    let checked = meter.time(|| compile(expression, LARGEST).map(drop))?;
    CHECKED.insert(expression.to_owned(), checked.clone());
    checked
}

/// Does an expression match anywhere in a text? One that cannot be compiled matches nothing.
///
/// # Errors
/// The text is too long, or the work takes longer than it may.
pub fn finds(expression: &str, text: &str, meter: &Meter) -> Result<bool, Exhausted> {
    if text.len() > LONGEST_TEXT {
        return Err(Exhausted);
    }
    let ready = match READY.get(expression) {
        Some(ready) => ready,
        None => {
            let ready = meter.time(|| compile(expression, LARGEST_SAVED).ok())?;
            READY.insert(expression.to_owned(), ready.clone());
            ready
        }
    };
    // `ready` is a clone, whose memory for states ends with the search: in the cache each would keep its own.
    ready.map_or(Ok(false), |ready| meter.time(|| ready.is_match(text)))
}

fn compile(expression: &str, largest: usize) -> Result<Regex, BadExpression> {
    let built = RegexBuilder::new(expression).size_limit(largest).dfa_size_limit(STATES).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => BadExpression::TooLarge,
        error => syntax_error(expression, &error),
    })
}

/// `regex` tells the place of an error in several lines of text; its parser tells it in numbers.
fn syntax_error(expression: &str, error: &regex::Error) -> BadExpression {
    let (reason, offset) = match regex_syntax::parse(expression) {
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.span().start.offset),
        _ => (error.to_string(), 0),
    };
    let before = expression.get(..offset).map_or(0, |before| before.chars().count());
    BadExpression::Syntax { reason, position: before + 1 }
}
