//! JSON with line breaks and indentation, as it arrives: a text of any length, and nothing but blanks is changed.

use std::io::{Result, Write};

const BLANKS: &str = "                                                                ";

/// Indents the JSON that is written to it.
pub struct Pretty<W: Write> {
    to: W,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// Nothing came yet since the last opening bracket.
    fresh: bool,
    started: bool,
}

impl<W: Write> Pretty<W> {
    pub const fn new(to: W) -> Self {
        Self { to, depth: 0, in_text: false, escaped: false, fresh: false, started: false }
    }

    /// Ends the last line, when there is one.
    pub fn finish(mut self) -> Result<()> {
        if self.started {
            self.to.write_all(b"\n")?;
        }
        self.to.flush()
    }

    fn line(&mut self) -> Result<()> {
        let blanks = BLANKS.get(..(self.depth * 2).min(BLANKS.len())).unwrap_or_default();
        write!(self.to, "\n{blanks}")
    }

    fn take(&mut self, byte: u8) -> Result<()> {
        if self.in_text {
            self.in_text = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return self.to.write_all(&[byte]);
        }
        if byte.is_ascii_whitespace() {
            return Ok(());
        }
        self.started = true;
        if let b'}' | b']' = byte {
            self.depth = self.depth.saturating_sub(1);
            if !std::mem::take(&mut self.fresh) {
                self.line()?;
            }
            return self.to.write_all(&[byte]);
        }
        if std::mem::take(&mut self.fresh) {
            self.line()?;
        }
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                self.fresh = true;
            }
            b',' => {
                self.to.write_all(b",")?;
                return self.line();
            }
            b':' => return self.to.write_all(b": "),
            b'"' => self.in_text = true,
            _ => {}
        }
        self.to.write_all(&[byte])
    }
}

impl<W: Write> Write for Pretty<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        bytes.iter().try_for_each(|byte| self.take(*byte))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_others_make_of_it_however_it_is_cut() {
        let text = r#"{"a":[1.50,{},[],[{"b":"x, [\"{\\"}]],"ü":null, "e": {} ,"t":true}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let wanted = serde_json::to_string_pretty(&value).unwrap().replace("1.5,", "1.50,") + "\n";
        for size in [1, 3, 1000] {
            let mut made = Vec::new();
            let mut pretty = Pretty::new(&mut made);
            text.as_bytes().chunks(size).for_each(|piece| pretty.write_all(piece).unwrap());
            pretty.finish().unwrap();
            assert_eq!(String::from_utf8(made).unwrap(), wanted);
        }
    }
}
