//! Walking through a list of any length: each page says where the next one starts, at the same cost however deep, and
//! rows that are added meanwhile neither move nor repeat the others.
//!
//! A cursor is the sort keys of the last row of a page, as a text that clients send back as it is. It names the list
//! that it belongs to (path, filters, order), so that one of another list is refused, and has a checksum, so that one
//! that was cut or edited is. The checksum is not a secret: tenant and filters always come from the request, and a
//! forged cursor leads to a place in a list that its caller may read anyway.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::page::{DEFAULT_PAGE_SIZE, NumberedPage, Page};

/// The longest cursor that is read; the keys of a row are much shorter.
const LONGEST: usize = 8 << 10;

/// How many bytes of a SHA-256 tell two lists, or two contents, apart.
const SUM: usize = 16;

/// What of a row a list is sorted by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// A number, an instant in milliseconds among them.
    Integer(i64),
    /// A text.
    Text(String),
}

impl From<i64> for Key {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<&String> for Key {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

/// Which list a cursor belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct List([u8; SUM]);

impl List {
    /// The list that these texts describe: its path, its order, its filters.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(first(hash))
    }
}

/// A place in a list, behind one of its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cursor {
    list: List,
    /// How many rows come before the place.
    seen: u64,
    /// How many rows the list had when the walk began.
    total: i64,
    /// The sort keys of the row.
    after: Vec<Key>,
}

/// Seen, total, keys: what is written in JSON.
type Content = (u64, i64, Vec<Key>);

impl Cursor {
    /// The text for clients: URL-safe, without padding.
    pub fn encode(&self) -> String {
        let content: Content = (self.seen, self.total, self.after.clone());
        // Writing numbers and texts to a Vec cannot fail.
        let json = serde_json::to_vec(&content).unwrap_or_default();
        let mut bytes = Vec::with_capacity(2 * SUM + json.len());
        bytes.extend_from_slice(&checksum(self.list, &json));
        bytes.extend_from_slice(&self.list.0);
        bytes.extend_from_slice(&json);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads what [`Cursor::encode`] wrote; `None` for everything else.
    pub fn decode(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (sum, rest) = bytes.split_at_checked(SUM)?;
        let (list, json) = rest.split_at_checked(SUM)?;
        let list = List(list.try_into().ok()?);
        if sum != checksum(list, json) {
            return None;
        }
        let (seen, total, after): Content = serde_json::from_slice(json).ok()?;
        // A NUL is in no key, and some databases choke on it.
        let whole = after.iter().all(|key| !matches!(key, Key::Text(text) if text.contains('\0')));
        whole.then_some(Self { list, seen, total, after })
    }
}

fn checksum(list: List, json: &[u8]) -> [u8; SUM] {
    let mut hash = Sha256::new();
    hash.update(b"muster cursor 1");
    hash.update(list.0);
    hash.update(json);
    first(hash)
}

fn first(hash: Sha256) -> [u8; SUM] {
    let mut sum = [0; SUM];
    for (to, from) in sum.iter_mut().zip(hash.finalize()) {
        *to = from;
    }
    sum
}

/// Which page of a list a request asks for, by number or by cursor. [`crate::Query::walk`] reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageRequest {
    page: NumberedPage,
    list: List,
    from: Option<Cursor>,
}

/// The rows of one page, how many rows there are in all, and the keys of the last row when a further one follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageRows<R> {
    /// In the order of the list.
    pub rows: Vec<R>,
    /// On all pages.
    pub total: i64,
    /// Where the next page starts.
    pub next: Option<Vec<Key>>,
}

impl<R> PageRows<R> {
    /// The same page of what is made of each row.
    pub fn map<T>(self, f: impl FnMut(R) -> T) -> PageRows<T> {
        PageRows { rows: self.rows.into_iter().map(f).collect(), total: self.total, next: self.next }
    }

    /// The same page of what is made of all its rows.
    pub fn with<T>(&self, rows: Vec<T>) -> PageRows<T> {
        PageRows { rows, total: self.total, next: self.next.clone() }
    }
}

/// Why a `cursor` is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// No cursor, or a damaged one.
    Damaged,
    /// A cursor of another path, filter or order.
    Foreign,
}

impl Refused {
    /// To be read after the parameter's name.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Damaged => "is not a cursor that this service gave out",
            Self::Foreign => "belongs to another search: send it with the path, filters and order that it came from",
        }
    }
}

impl Default for PageRequest {
    /// The first page, of the default size.
    fn default() -> Self {
        Self::numbered(NumberedPage { page_no: 1, page_size: DEFAULT_PAGE_SIZE }, List::default())
    }
}

impl PageRequest {
    /// A page by its number.
    pub fn numbered(page: NumberedPage, list: List) -> Self {
        Self { page, list, from: None }
    }

    /// The page behind a cursor of this list.
    pub fn from_cursor(page: NumberedPage, list: List, text: &str) -> Result<Self, Refused> {
        let cursor = Cursor::decode(text).ok_or(Refused::Damaged)?;
        if cursor.list != list {
            return Err(Refused::Foreign);
        }
        Ok(Self { page, list, from: Some(cursor) })
    }

    /// The keys behind which the page starts; `None` for a page by its number.
    pub fn after(&self) -> Option<&[Key]> {
        self.from.as_ref().map(|cursor| cursor.after.as_slice())
    }

    /// How many rows to skip: none behind a cursor.
    pub fn offset(&self) -> i64 {
        if self.from.is_some() { 0 } else { self.page.offset() }
    }

    /// How many rows the page has at most.
    pub fn limit(&self) -> i64 {
        self.page.limit()
    }

    /// How many rows to read: one more than the page has tells whether another page follows.
    pub fn row_limit(&self) -> i64 {
        self.limit().saturating_add(1)
    }

    /// How many rows there are, which is counted once in a walk: by `count`, or else when it began.
    pub fn total<E>(&self, count: impl FnOnce() -> Result<i64, E>) -> Result<i64, E> {
        match &self.from {
            Some(cursor) => Ok(cursor.total),
            None => count(),
        }
    }

    /// The page, of the [`PageRequest::wanted`] rows that were read; `keys` are a row's, in the order of the sort.
    pub fn cut<R>(&self, mut rows: Vec<R>, total: i64, keys: impl FnOnce(&R) -> Vec<Key>) -> PageRows<R> {
        let size = self.page.page_size as usize;
        let more = rows.len() > size;
        rows.truncate(size);
        let next = rows.last().filter(|_| more).map(keys);
        PageRows { rows, total, next }
    }

    /// The page of rows that are all at hand and few, by a text that each has to itself.
    pub fn of_all<R>(&self, mut rows: Vec<R>, key: impl Fn(&R) -> String) -> PageRows<R> {
        let total = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        rows.sort_by_cached_key(&key);
        if let Some([Key::Text(after)]) = self.after() {
            rows.retain(|row| key(row) > *after);
        }
        let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let rows = rows.into_iter().skip(count(self.offset())).take(count(self.row_limit())).collect();
        self.cut(rows, total, |row| vec![Key::Text(key(row))])
    }

    /// The envelope of a page.
    pub fn answer<T>(&self, found: PageRows<T>) -> Page<T> {
        let seen = match &self.from {
            Some(cursor) => cursor.seen,
            None => u64::try_from(self.page.offset()).unwrap_or(0),
        };
        let size = u64::from(self.page.page_size.max(1));
        let page_no = u32::try_from(seen / size).unwrap_or(u32::MAX).saturating_add(1);
        let request = match self.from {
            Some(_) => NumberedPage { page_no, ..self.page },
            None => self.page,
        };
        let seen = seen.saturating_add(found.rows.len() as u64);
        // Rows that were added during the walk may take it beyond what was counted at its start.
        let least = i64::try_from(seen).unwrap_or(i64::MAX).saturating_add(i64::from(found.next.is_some()));
        let total = if self.from.is_some() { found.total.max(least) } else { found.total };
        let mut page = Page::new(&request, found.rows, total);
        page.next_page = found.next.is_some();
        page.next_cursor = found.next.map(|after| Cursor { list: self.list, seen, total, after }.encode());
        page
    }
}

#[cfg(test)]
mod tests;
