//! The body of a request, which may have to be sent twice.

use std::{
    fs::File,
    io::{Cursor, Read, stdin},
    path::{Path, PathBuf},
};

use reqwest::blocking::Body;

/// The media type of a form.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// How much of a body is kept in memory, in bytes. A larger one is sent as it is read.
const BUFFERED: u64 = 8 << 20;

/// A body.
pub enum Content {
    None,
    Bytes(Vec<u8>),
    /// Too large to be kept, but there to be read again.
    File(PathBuf),
    /// What is left of standard input, once.
    Stream(Option<Box<dyn Read + Send>>),
}

impl Content {
    /// What `--body` names: a file, or standard input.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(name: &str) -> Result<Self, String> {
        if name == "-" {
            return Self::buffer(Box::new(stdin()), "standard input");
        }
        let file = File::open(name).map_err(|error| format!("--body: {name} cannot be read: {error}"))?;
        let found = file.metadata().map_err(|error| format!("--body: {name}: {error}"))?;
        if found.is_dir() {
            return Err(format!("--body: {name} is a directory"));
        }
        if found.is_file() && found.len() > BUFFERED {
            return Ok(Self::File(PathBuf::from(name)));
        }
        Self::buffer(Box::new(file), name)
    }

    fn buffer(mut from: Box<dyn Read + Send>, name: &str) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let read = from.by_ref().take(BUFFERED).read_to_end(&mut bytes);
        let read = read.map_err(|error| format!("--body: {name} cannot be read: {error}"))?;
        let is_whole = u64::try_from(read).is_ok_and(|read| read < BUFFERED);
        Ok(if is_whole { Self::Bytes(bytes) } else { Self::Stream(Some(Box::new(Cursor::new(bytes).chain(from)))) })
    }

    /// May it be sent again?
    pub const fn can_repeat(&self) -> bool {
        !matches!(self, Self::Stream(_))
    }

    /// The body for one attempt; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read any more.
    pub fn body(&mut self) -> Result<Option<Body>, String> {
        Ok(match self {
            Self::None => None,
            Self::Bytes(bytes) => Some(Body::from(bytes.clone())),
            Self::File(path) => {
                Some(Body::from(File::open(&*path).map_err(|error| format!("{} is gone: {error}", path.display()))?))
            }
            Self::Stream(reader) => Some(Body::new(reader.take().ok_or("standard input was read already")?)),
        })
    }
}

/// The media type that the ending of a file's name says.
pub fn media_type(name: &str) -> Option<&'static str> {
    let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "json" => "application/json",
        "ndjson" | "jsonl" => "application/x-ndjson",
        "csv" => "text/csv",
        _ => return None,
    })
}
