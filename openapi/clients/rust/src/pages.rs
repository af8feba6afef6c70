//! Lists, page by page.

use serde::{Deserialize, Serialize};

use crate::Result;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageOf<T> {
    /// The records of the page.
    pub results: Vec<T>,
    /// How many records match in all.
    #[serde(default)]
    pub total_results: i64,
    /// From 1.
    #[serde(default)]
    pub page_no: i64,
    /// The page size used.
    #[serde(default)]
    pub page_size: i64,
    /// 0 when nothing matches.
    #[serde(default)]
    pub total_pages: i64,
    /// Where the next page starts; nothing on the last one.
    pub next_cursor: Option<String>,
}

/// What a list is asked for, which can go on from a cursor.
pub trait FromCursor {
    /// From here on.
    fn go_on(&mut self, cursor: String);
}

/// Goes through all that a list has; ends behind the first error.
pub struct Each<T, Q, L> {
    list: L,
    asked: Q,
    results: std::vec::IntoIter<T>,
    over: bool,
}

impl<T, Q, L> Each<T, Q, L> {
    pub(crate) fn new(list: L, asked: Q) -> Self {
        Self { list, asked, results: Vec::new().into_iter(), over: false }
    }
}

impl<T, Q: FromCursor, L: Fn(&Q) -> Result<PageOf<T>>> Iterator for Each<T, Q, L> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(one) = self.results.next() {
                return Some(Ok(one));
            }
            if self.over {
                return None;
            }
            match (self.list)(&self.asked) {
                Ok(page) => {
                    self.results = page.results.into_iter();
                    match page.next_cursor {
                        Some(cursor) => self.asked.go_on(cursor),
                        None => self.over = true,
                    }
                }
                Err(error) => {
                    self.over = true;
                    return Some(Err(error));
                }
            }
        }
    }
}
