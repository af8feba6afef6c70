//! SQLite by its C interface, prepared statements and nothing around them: what the server's inserts are measured
//! against, and what fills the large databases.

#![expect(unsafe_code, reason = "the C interface; every pointer stays in this file")]

use std::{
    borrow::Cow,
    ffi::{CStr, CString, c_int},
    marker::PhantomData,
    path::Path,
    ptr::{self, NonNull},
};

use anyhow::{Context as _, Result, bail};
use libsqlite3_sys as ffi;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'v> {
    /// `NULL`
    Null,
    /// `INTEGER`
    Integer(i64),
    /// `TEXT`
    Text(Cow<'v, str>),
    /// `BLOB`
    Blob(Vec<u8>),
}

impl<'v> Value<'v> {
    /// A text that is borrowed.
    pub fn text(text: &'v str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// The text; empty for anything else.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    /// The integer; 0 for anything else.
    pub fn as_integer(&self) -> i64 {
        match self {
            Self::Integer(number) => *number,
            _ => 0,
        }
    }
}

/// A row that owns its values.
pub type Row = Vec<Value<'static>>;

/// An open database.
pub struct Database {
    raw: NonNull<ffi::sqlite3>,
}

impl Database {
    /// Opens a file; makes it when it is not there.
    pub fn open(path: &Path) -> Result<Self> {
        let name = CString::new(path.to_str().context("the path is not UTF-8")?)?;
        let mut raw = ptr::null_mut();
        let flags = ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE;
        // SAFETY: `name` ends in NUL, and `raw` is where the handle goes.
        let code = unsafe { ffi::sqlite3_open_v2(name.as_ptr(), &mut raw, flags, ptr::null()) };
        // Even a failed open gives a handle, which is then closed on drop.
        let database = Self { raw: NonNull::new(raw).context("no memory for a database")? };
        database.check(code).with_context(|| format!("opening {}", path.display()))?;
        Ok(database)
    }

    /// Runs any number of statements.
    pub fn execute(&self, sql: &str) -> Result<()> {
        let text = CString::new(sql)?;
        // SAFETY: the handle is open, `text` ends in NUL, and no callback is given.
        let code =
            unsafe { ffi::sqlite3_exec(self.raw.as_ptr(), text.as_ptr(), None, ptr::null_mut(), ptr::null_mut()) };
        self.check(code).with_context(|| sql.to_owned())
    }

    /// Prepares one statement.
    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        let mut raw = ptr::null_mut();
        let length = c_int::try_from(sql.len())?;
        // SAFETY: the handle is open, the text has `length` bytes, and `raw` is where the statement goes.
        let code = unsafe {
            ffi::sqlite3_prepare_v2(self.raw.as_ptr(), sql.as_ptr().cast(), length, &mut raw, ptr::null_mut())
        };
        self.check(code).with_context(|| sql.to_owned())?;
        Ok(Statement { raw: NonNull::new(raw).context("an empty statement")?, database: self })
    }

    /// All rows of a query.
    pub fn rows(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        self.prepare(sql)?.each(values, |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The first column of all rows, as texts.
    pub fn texts(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<String>> {
        let rows = self.rows(sql, values)?;
        Ok(rows.iter().filter_map(|row| row.first()).map(|value| value.as_text().to_owned()).collect())
    }

    fn check(&self, code: c_int) -> Result<()> {
        if code == ffi::SQLITE_OK {
            return Ok(());
        }
        // SAFETY: the handle is open, and the message is copied before anything else is called.
        let message = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.raw.as_ptr())) };
        bail!("SQLite: {}", message.to_string_lossy())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: statements borrow the database, so none is left.
        unsafe { ffi::sqlite3_close(self.raw.as_ptr()) };
    }
}

/// A prepared statement.
pub struct Statement<'d> {
    raw: NonNull<ffi::sqlite3_stmt>,
    database: &'d Database,
}

impl Statement<'_> {
    /// Runs a statement that answers no rows.
    pub fn run(&mut self, values: &[Value<'_>]) -> Result<()> {
        let bound = self.bind(values)?;
        // SAFETY: the statement is live, and `bound` keeps the values until it is reset.
        let code = unsafe { ffi::sqlite3_step(bound.raw()) };
        if code == ffi::SQLITE_DONE { Ok(()) } else { bound.statement.database.check(code) }
    }

    /// Runs a query and hands on each row.
    pub fn each(&mut self, values: &[Value<'_>], mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
        let bound = self.bind(values)?;
        loop {
            // SAFETY: as in `run`.
            match unsafe { ffi::sqlite3_step(bound.raw()) } {
                ffi::SQLITE_DONE => return Ok(()),
                ffi::SQLITE_ROW => each(bound.row()?)?,
                code => bound.statement.database.check(code)?,
            }
        }
    }

    fn bind<'b>(&'b mut self, values: &'b [Value<'_>]) -> Result<Bound<'b>> {
        for (place, value) in (1..).zip(values) {
            let raw = self.raw.as_ptr();
            // SAFETY: the statement is live; texts are not copied, and `Bound` keeps them until the bindings are
            // cleared.
            let code = unsafe {
                match value {
                    Value::Null => ffi::sqlite3_bind_null(raw, place),
                    Value::Integer(number) => ffi::sqlite3_bind_int64(raw, place, *number),
                    Value::Blob(bytes) => {
                        let length = c_int::try_from(bytes.len())?;
                        ffi::sqlite3_bind_blob(raw, place, bytes.as_ptr().cast(), length, ffi::SQLITE_STATIC())
                    }
                    Value::Text(text) => {
                        let length = c_int::try_from(text.len())?;
                        ffi::sqlite3_bind_text(raw, place, text.as_ptr().cast(), length, ffi::SQLITE_STATIC())
                    }
                }
            };
            self.database.check(code)?;
        }
        Ok(Bound { statement: self, values: PhantomData })
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement is live, and this is its end.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

/// A statement under way, with the values that it may still look at. Dropping it resets the statement.
struct Bound<'b> {
    statement: &'b Statement<'b>,
    values: PhantomData<&'b [Value<'b>]>,
}

impl Bound<'_> {
    fn raw(&self) -> *mut ffi::sqlite3_stmt {
        self.statement.raw.as_ptr()
    }

    fn row(&self) -> Result<Row> {
        // SAFETY: a row is there; a text is copied before the next step, and SQLite says how long it is.
        unsafe {
            let columns = ffi::sqlite3_column_count(self.raw());
            (0..columns)
                .map(|column| {
                    Ok(match ffi::sqlite3_column_type(self.raw(), column) {
                        ffi::SQLITE_NULL => Value::Null,
                        ffi::SQLITE_INTEGER => Value::Integer(ffi::sqlite3_column_int64(self.raw(), column)),
                        ffi::SQLITE_BLOB => {
                            let start = ffi::sqlite3_column_blob(self.raw(), column).cast::<u8>();
                            let length = usize::try_from(ffi::sqlite3_column_bytes(self.raw(), column))?;
                            // An empty one has no address.
                            let bytes = if length == 0 { &[] } else { std::slice::from_raw_parts(start, length) };
                            Value::Blob(bytes.to_vec())
                        }
                        ffi::SQLITE_TEXT => {
                            let start = ffi::sqlite3_column_text(self.raw(), column);
                            let length = usize::try_from(ffi::sqlite3_column_bytes(self.raw(), column))?;
                            let bytes = std::slice::from_raw_parts(start, length);
                            Value::Text(Cow::Owned(String::from_utf8(bytes.to_vec())?))
                        }
                        other => bail!("a column of the type {other}"),
                    })
                })
                .collect()
        }
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement is live; after this it does not look at the values any more.
        unsafe {
            ffi::sqlite3_reset(self.raw());
            ffi::sqlite3_clear_bindings(self.raw());
        }
    }
}
