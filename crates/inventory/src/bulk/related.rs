//! Batches of rows, in which rows that may mean the same machine stay together.
//!
//! A dry run undoes each of its transactions, so a row sees what a former row would have made only in the same one.
//! Rows that share nothing do not need to, and so no transaction has to be as long as the file.

use std::collections::{HashMap, HashSet};

use base::text::fold;

use super::row::{Entry, Row};
use crate::{model::document::Document, resources::rules};

/// A batch: rows with their places in the file, in order.
pub type Batch = (Vec<usize>, Vec<Row>);

/// Splits rows into batches of about `usual` rows. Those that share an id, a sign of identity, an external id, or a
/// name that one of them is looked up by, are in one batch, if they are no more than `most`.
pub fn batches(rows: Vec<Row>, usual: usize, most: usize) -> Vec<Batch> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    let mut sets = DisjointSets::of(&rows);
    for index in 0..rows.len() {
        let group = *group_of.entry(sets.root(index)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(group) {
            group.push(index);
        }
    }
    let mut packed: Vec<Vec<usize>> = Vec::new();
    for part in groups.iter().flat_map(|group| group.chunks(most)) {
        match packed.last_mut().filter(|last| last.len() + part.len() <= usual) {
            Some(last) => last.extend_from_slice(part),
            None => packed.push(part.to_vec()),
        }
    }
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    let taken = packed.into_iter().map(|mut indexes| {
        indexes.sort_unstable();
        let batch = indexes.iter().filter_map(|index| rows.get_mut(*index)?.take()).collect();
        (indexes, batch)
    });
    taken.collect()
}

/// Which rows belong together: each leads to another one of its set, and the first one to itself.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn of(rows: &[Row]) -> Self {
        let row_keys: Vec<Option<RowKeys>> = rows.iter().map(|row| row.entry.as_ref().ok().map(RowKeys::of)).collect();
        let sought =
            row_keys.iter().flatten().filter(|row_keys| row_keys.by_names).flat_map(|row_keys| &row_keys.names);
        let sought: HashSet<&String> = sought.collect();
        let mut sets = Self((0..rows.len()).collect());
        let mut known: HashMap<&String, usize> = HashMap::new();
        for (index, row_keys) in row_keys.iter().enumerate() {
            let Some(row_keys) = row_keys else { continue };
            let names = row_keys.names.iter().filter(|name| sought.contains(name));
            for key in row_keys.keys.iter().chain(names) {
                let other = *known.entry(key).or_insert(index);
                sets.join(other, index);
            }
        }
        sets
    }

    fn root(&mut self, mut index: usize) -> usize {
        while let Some(next) = self.0.get(index).copied().filter(|next| *next != index) {
            let beyond = self.0.get(next).copied().unwrap_or(next);
            if let Some(shorter) = self.0.get_mut(index) {
                *shorter = beyond;
            }
            index = next;
        }
        index
    }

    fn join(&mut self, one: usize, other: usize) {
        let one = self.root(one);
        let other = self.root(other);
        if let Some(last) = self.0.get_mut(one.max(other)) {
            *last = one.min(other);
        }
    }
}

/// The keys by which a row finds a resource, or is found itself.
struct RowKeys {
    keys: Vec<String>,
    names: Vec<String>,
    /// Is it looked up by its names, as it has nothing better?
    by_names: bool,
}

impl RowKeys {
    fn of(entry: &Entry) -> Self {
        let mut document = Document::default();
        entry.input.apply(&mut document);
        let mut keys: Vec<String> = rules::identities_in(&document).iter().map(|key| format!("{key:?}")).collect();
        keys.extend(entry.id.as_ref().map(|id| format!("id {id}")));
        let external = document.text("extResourceId");
        if !external.is_empty() {
            keys.push(format!("external {}", fold(external)));
        }
        let names = rules::NAMES.into_iter().map(|name| (name, fold(document.text(name))));
        let names: Vec<String> =
            names.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name} {text}")).collect();
        Self { by_names: keys.is_empty(), keys, names }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{
        super::reader::{Format, Reader},
        *,
    };

    fn split(objects: &[Value], usual: usize, most: usize) -> Vec<Vec<usize>> {
        let mut reader = Reader::new(Format::Ndjson, "client_1");
        let text: String = objects.iter().map(|object| format!("{object}\n")).collect();
        reader.push(text.as_bytes()).unwrap();
        reader.end().unwrap();
        let all = batches(reader.take(usize::MAX), usual, most);
        for (indexes, rows) in &all {
            let lines: Vec<u64> = indexes.iter().map(|index| *index as u64 + 1).collect();
            assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), lines);
        }
        all.into_iter().map(|(indexes, _)| indexes).collect()
    }

    #[test]
    fn rows_without_relation_make_small_batches() {
        let rows: Vec<Value> =
            (0..1000).map(|number| json!({"hostName": format!("h-{number}"), "make": "x"})).collect();
        let sizes: Vec<usize> = split(&rows, 200, 1000).iter().map(Vec::len).collect();
        assert_eq!(sizes, [200; 5]);
    }

    #[test]
    fn rows_that_may_be_one_machine_stay_together() {
        let rows = [
            json!({"hostName": "a", "ipAddress": "10.0.0.1"}),
            json!({"macAddress": "68:B5:99:00:00:01", "name": "x"}),
            json!({"extResourceId": "E1", "name": "x"}),
            json!({"state": "odd"}),
            json!({"hostName": "A"}),
            json!({"extResourceId": "e1", "macAddress": "68-b5-99-00-00-01"}),
            json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "ipAddress": "10.0.0.1"}),
            json!({"id": "0A0FB2A7-53F4-4F5E-8F0E-1A2B3C4D5E6F"}),
        ];
        assert_eq!(split(&rows, 1, 1000), [vec![0, 4, 6, 7], vec![1, 2, 5], vec![3]]);
    }

    #[test]
    fn names_that_are_not_looked_up_relate_nothing() {
        let rows: Vec<Value> =
            (0..6).map(|number| json!({"name": "server", "extResourceId": number.to_string()})).collect();
        assert_eq!(split(&rows, 1, 1000).len(), 6);
    }

    #[test]
    fn no_batch_is_longer_than_the_most() {
        let rows: Vec<Value> = (0..25).map(|_| json!({"name": "same"})).collect();
        assert_eq!(split(&rows, 5, 10).iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 5]);
    }
}
