//! The names index of the copies, as the server would have written it: every suffix of every name.
//!
//! The rows are made in the order of their key, so that the table is written from one end to the other.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

use crate::{
    server::TENANT,
    sqlite::{Database, Value},
};

/// The columns with names, in the order of their bits in `fields`.
pub const COLUMNS: [&str; 4] = ["host_key", "dns_key", "resource_key", "alias_key"];

/// A whole name has its bit once more, this much higher.
const WHOLE: u8 = 16;

/// A suffix is kept up to this many characters.
const LONGEST: usize = 48;

/// The names of all copies, one after the other.
#[derive(Default)]
pub struct Names {
    text: String,
    copies: Vec<(u32, [u8; 4])>,
}

/// A row of the index: a piece of [`Names::text`], and the copy that it belongs to.
struct Suffix {
    /// The first eight bytes, since most comparisons end there.
    start_of_text: u64,
    at: u32,
    copy: u32,
    length: u8,
    fields: u8,
}

impl Names {
    /// The names of the next copy.
    pub fn push(&mut self, names: [&str; 4]) -> Result<()> {
        let at = u32::try_from(self.text.len())?;
        let mut lengths = [0; 4];
        for (length, name) in lengths.iter_mut().zip(names) {
            ensure!(name.is_ascii(), "the name {name:?} is not ASCII");
            *length = u8::try_from(name.len())?;
            self.text.push_str(name);
        }
        self.copies.push((at, lengths));
        Ok(())
    }

    /// Writes the rows; `ids` are those of the copies.
    pub fn write(&self, database: &Database, ids: &[[u8; 36]]) -> Result<()> {
        let sql = "INSERT INTO resource_names (tenant_id, suffix, resource_id, fields) VALUES (?, ?, ?, ?)";
        let mut insert = database.prepare(sql)?;
        // Three parts in their order need a third of the memory.
        let parts: [fn(u8) -> bool; 3] = [|b| b < b'0', |b| b.is_ascii_digit(), |b| b > b'9'];
        for part in parts {
            let mut suffixes = self.suffixes(part);
            suffixes.sort_unstable_by(|one, other| {
                let by_text = || self.text(one).cmp(self.text(other));
                let by_id = || ids[one.copy as usize].cmp(&ids[other.copy as usize]);
                one.start_of_text.cmp(&other.start_of_text).then_with(by_text).then_with(by_id)
            });
            for suffix in &suffixes {
                let id = std::str::from_utf8(&ids[suffix.copy as usize])?;
                let fields = Value::Integer(i64::from(suffix.fields));
                insert.run(&[Value::text(TENANT), Value::text(self.text(suffix)), Value::text(id), fields])?;
            }
        }
        Ok(())
    }

    fn text(&self, suffix: &Suffix) -> &str {
        &self.text[suffix.at as usize..suffix.at as usize + usize::from(suffix.length)]
    }

    fn suffixes(&self, part: fn(u8) -> bool) -> Vec<Suffix> {
        let mut all = Vec::new();
        let mut own: Vec<Suffix> = Vec::new();
        for (copy, (at, lengths)) in (0..).zip(&self.copies) {
            let mut start = *at;
            for (field, length) in lengths.iter().enumerate() {
                for skipped in 0..*length {
                    let at = start + u32::from(skipped);
                    if part(self.text.as_bytes()[at as usize]) {
                        let length = (*length - skipped).min(LONGEST as u8);
                        let bit = 1 << field;
                        let fields = if skipped == 0 { bit | (bit * WHOLE) } else { bit };
                        own.push(Suffix { start_of_text: self.start_of_text(at, length), at, copy, length, fields });
                    }
                }
                start += u32::from(*length);
            }
            own.sort_unstable_by(|one, other| self.text(one).cmp(self.text(other)));
            own.dedup_by(|next, kept| {
                let same = self.text(next) == self.text(kept);
                if same {
                    kept.fields |= next.fields;
                }
                same
            });
            all.append(&mut own);
        }
        all
    }

    fn start_of_text(&self, at: u32, length: u8) -> u64 {
        let text = &self.text.as_bytes()[at as usize..][..usize::from(length)];
        let mut bytes = [0; 8];
        let length = text.len().min(8);
        bytes[..length].copy_from_slice(&text[..length]);
        u64::from_be_bytes(bytes)
    }
}

/// Fails when the server writes other rows for a resource than this file would.
pub fn check(database: &Database, id: &str) -> Result<()> {
    let select = format!("SELECT {} FROM resources WHERE tenant_id = ? AND id = ?", COLUMNS.join(", "));
    let rows = database.rows(&select, &[Value::text(TENANT), Value::text(id)])?;
    let row = rows.first().context("a template is gone")?;
    let mut names = Names::default();
    names.push([0, 1, 2, 3].map(|column: usize| row[column].as_text()))?;
    let suffixes = names.suffixes(|_| true);
    let ours: BTreeMap<&str, i64> = suffixes.iter().map(|s| (names.text(s), i64::from(s.fields))).collect();
    let sql = "SELECT suffix, fields FROM resource_names WHERE tenant_id = ? AND resource_id = ?";
    let rows = database.rows(sql, &[Value::text(TENANT), Value::text(id)])?;
    let theirs: BTreeMap<&str, i64> = rows.iter().map(|row| (row[0].as_text(), row[1].as_integer())).collect();
    ensure!(ours == theirs, "the server keeps names in another way than the bench copies them: see its names.rs");
    Ok(())
}
