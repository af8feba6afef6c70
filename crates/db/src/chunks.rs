//! Queries with more values than one statement takes.

use crate::{Error, Result};

/// Values that one statement names at most: SQLite takes no more than 32,766 of them.
const AT_ONCE: usize = 500;

/// Calls `load` with chunks of the values, and collects all rows.
pub fn in_chunks<V, R, E, C>(values: &[V], mut load: impl FnMut(&[V]) -> Result<Vec<R>, E>) -> Result<C>
where
    Error: From<E>,
    C: FromIterator<R>,
{
    let mut rows = Vec::new();
    for chunk in values.chunks(AT_ONCE) {
        rows.extend(load(chunk)?);
    }
    Ok(rows.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_loaded_in_chunks() {
        let values: Vec<usize> = (0..1_001).collect();
        let mut sizes = Vec::new();
        let rows: Vec<usize> = in_chunks(&values, |chunk| {
            sizes.push(chunk.len());
            Ok::<_, Error>(chunk.to_vec())
        })
        .unwrap();
        assert_eq!((rows, sizes), (values, vec![500, 500, 1]));
    }
}
