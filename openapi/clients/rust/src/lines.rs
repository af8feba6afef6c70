//! Streams of lines of JSON (NDJSON).

use std::{
    io::{self, BufRead as _, BufReader, Read},
    marker::PhantomData,
};

use reqwest::blocking::{Body, Response};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Error, Result};

/// The values on the lines of an answer, as they arrive.
pub struct Lines<T> {
    lines: io::Lines<BufReader<Response>>,
    of: PhantomData<fn() -> T>,
}

impl<T> Lines<T> {
    pub(crate) fn new(response: Response) -> Self {
        Self { lines: BufReader::new(response).lines(), of: PhantomData }
    }
}

impl<T: DeserializeOwned> Iterator for Lines<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.lines.next()? {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Some(serde_json::from_str(&line).map_err(Error::unreadable)),
                Err(error) => return Some(Err(Error::unreadable(error))),
            }
        }
    }
}

/// A body of a line for each value, made as it is read.
pub(crate) fn body<T: Serialize>(values: impl Iterator<Item = T> + Send + 'static) -> Body {
    Body::new(Rows { values, line: Vec::new(), at: 0 })
}

struct Rows<I> {
    values: I,
    line: Vec<u8>,
    at: usize,
}

impl<T: Serialize, I: Iterator<Item = T>> Read for Rows<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            let Some(value) = self.values.next() else { return Ok(0) };
            self.line = serde_json::to_vec(&value)?;
            self.line.push(b'\n');
            self.at = 0;
        }
        let count = buffer.len().min(self.line.len() - self.at);
        buffer[..count].copy_from_slice(&self.line[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
