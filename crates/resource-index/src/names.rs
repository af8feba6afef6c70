//! The names of a tenant's resources, folded and side by side in memory, so that "contains" looks at a million of them
//! in milliseconds.
//!
//! Names stand in blocks, in the order of the resources' ordinals. A block has a filter of the trigrams that occur in
//! it: a text with another trigram is not looked for there.

use memchr::memmem::Finder;
use roaring::RoaringBitmap;

use crate::changes::Snapshot;

/// Names of a block.
const BLOCK: usize = 128;
/// Behind each name. It is in no text.
const END: u8 = 0xFF;
/// Words of 64 bits in the trigram filter of a block.
const WORDS: usize = 32;
/// Bytes that one search scans at most: several common texts among a million names.
const MAX_SCANNED_BYTES: usize = 256 << 20;
/// What a hit costs, in scanned bytes.
const HIT_COST: usize = 64;

/// One name each of a tenant's resources, as of a snapshot.
pub struct Names {
    /// The snapshot.
    pub at: Snapshot,
    blocks: Vec<Block>,
    bytes: usize,
}

/// Some names in a row; one that is absent is empty.
struct Block {
    text: Box<[u8]>,
    /// Where each ends: the place of its [`END`].
    ends: Box<[u32]>,
    filter: Box<[u64; WORDS]>,
}

/// A text that names contain, or are.
struct Pattern<'a> {
    finder: Finder<'a>,
    trigrams: Vec<usize>,
    exact: bool,
}

/// Names as they are read from the database, in any order, with the ordinals of their resources. Of several for one
/// ordinal the last counts.
#[derive(Default)]
pub struct NameBatch {
    text: Vec<u8>,
    ends: Vec<u32>,
    ordinals: Vec<u32>,
}

impl NameBatch {
    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.text.extend_from_slice(name.as_bytes());
        // The budget ends long before four gigabytes of names.
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// Sets the ordinals of their resources, in the order in which they were added.
    pub fn set_ordinals(&mut self, ordinals: Vec<u32>) {
        self.ordinals = ordinals;
    }

    /// Their places, in the order of the ordinals.
    fn in_order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.ordinals.len()).collect();
        places.sort_by_key(|index| self.ordinals.get(*index));
        places
    }

    fn name(&self, index: usize) -> &[u8] {
        let end = |index: usize| self.ends.get(index).map_or(0, |end| *end as usize);
        let start = index.checked_sub(1).map_or(0, end);
        self.text.get(start..end(index)).unwrap_or_default()
    }
}

impl Names {
    /// All names of a tenant, as of a snapshot.
    pub fn new(at: Snapshot, all: NameBatch) -> Self {
        let mut names = Self { at, blocks: Vec::new(), bytes: 0 };
        names.put(all);
        names
    }

    /// What they take, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Replaces some names, and adds those of new resources.
    pub fn put(&mut self, some: NameBatch) {
        let ordinal = |index: &usize| some.ordinals.get(*index).map_or(0, |ordinal| *ordinal as usize);
        for places in some.in_order().chunk_by(|one, other| ordinal(one) / BLOCK == ordinal(other) / BLOCK) {
            let Some(block) = places.first().map(|index| ordinal(index) / BLOCK) else { continue };
            while self.blocks.len() <= block {
                self.blocks.push(Block::new(std::iter::empty()));
            }
            let Some(block) = self.blocks.get_mut(block) else { continue };
            let mut names: Vec<&[u8]> = block.names().collect();
            for index in places {
                let within = ordinal(index) % BLOCK;
                names.resize(names.len().max(within + 1), &[]);
                if let Some(name) = names.get_mut(within) {
                    *name = some.name(*index);
                }
            }
            *block = Block::new(names.into_iter());
        }
        self.bytes = self.blocks.iter().map(Block::bytes).sum();
    }

    /// The ordinals of the names that contain one of some texts, or equal one of them. Every name contains the empty
    /// text, but an empty name is absent. [`None`] when that takes too long.
    pub fn search(&self, texts: &[String], exact: bool) -> Option<RoaringBitmap> {
        let patterns: Vec<Pattern<'_>> = texts.iter().map(|text| Pattern::new(text, exact)).collect();
        let mut ordinals = Vec::new();
        let mut left = MAX_SCANNED_BYTES;
        for (index, block) in self.blocks.iter().enumerate() {
            let mut found = 0_u128;
            for one in patterns.iter().filter(|one| block.may_contain(one)) {
                left = left.checked_sub(block.text.len() + block.find(one, &mut found) * HIT_COST)?;
            }
            while found != 0 {
                let ordinal = index * BLOCK + found.trailing_zeros() as usize;
                ordinals.push(u32::try_from(ordinal).unwrap_or(u32::MAX));
                found &= found - 1;
            }
        }
        let mut set: RoaringBitmap = ordinals.into_iter().collect();
        set.optimize();
        Some(set)
    }
}

impl Block {
    fn new<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut text = Vec::new();
        let mut ends = Vec::with_capacity(BLOCK);
        let mut filter = Box::new([0; WORDS]);
        for name in names {
            trigrams(name).for_each(|trigram| set(&mut filter, trigram));
            text.extend_from_slice(name);
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            text.push(END);
        }
        Self { text: text.into(), ends: ends.into(), filter }
    }

    fn names(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let name = self.text.get(start..*end as usize).unwrap_or_default();
            start = *end as usize + 1;
            name
        })
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.filter) + self.text.len() + size_of_val(&*self.ends)
    }

    fn may_contain(&self, pattern: &Pattern<'_>) -> bool {
        pattern.trigrams.iter().all(|trigram| is_set(&self.filter, *trigram))
    }

    /// Marks the names that have it, or are it, and says how many.
    fn find(&self, pattern: &Pattern<'_>, found: &mut u128) -> usize {
        let mut count = 0;
        let mut mark = |index: usize| {
            *found |= 1 << index;
            count += 1;
        };
        if pattern.exact {
            let text = pattern.finder.needle();
            let same = self.names().enumerate().filter(|(_, name)| !name.is_empty() && *name == text);
            same.for_each(|(index, _)| mark(index));
            return count;
        }
        let mut at = 0;
        let mut index = 0;
        let mut start = 0;
        while let Some(hit) = self.text.get(at..).and_then(|rest| pattern.finder.find(rest)) {
            while self.ends.get(index).is_some_and(|end| (*end as usize) < at + hit) {
                start = self.ends.get(index).map_or(start, |end| *end as usize + 1);
                index += 1;
            }
            let Some(end) = self.ends.get(index).map(|end| *end as usize) else { break };
            if end > start {
                mark(index);
            }
            at = end + 1;
        }
        count
    }
}

impl<'a> Pattern<'a> {
    fn new(text: &'a str, exact: bool) -> Self {
        Self { finder: Finder::new(text), trigrams: trigrams(text.as_bytes()).collect(), exact }
    }
}

/// The trigrams of a text, as places among the bits of a block.
fn trigrams(text: &[u8]) -> impl Iterator<Item = usize> {
    text.windows(3).map(|bytes| {
        let number = bytes.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        // The highest bits of a product depend on all bits of the number.
        number.wrapping_mul(0x9E37_79B1) as usize >> (32 - (WORDS * 64).ilog2())
    })
}

fn set(words: &mut [u64; WORDS], bit: usize) {
    if let Some(word) = words.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

fn is_set(words: &[u64; WORDS], bit: usize) -> bool {
    words.get(bit / 64).is_some_and(|word| word & 1 << (bit % 64) != 0)
}

#[cfg(test)]
mod tests;
