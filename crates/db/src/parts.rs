//! Questions with more values than one statement takes.

use crate::{Error, Result};

/// Values that one statement names at most: SQLite takes no more than 32,766 of them.
const AT_ONCE: usize = 500;

/// All that `load` finds, which is asked for some of these values at a time.
pub fn in_parts<V, R, E, C>(values: &[V], mut load: impl FnMut(&[V]) -> Result<Vec<R>, E>) -> Result<C>
where
    Error: From<E>,
    C: FromIterator<R>,
{
    let mut found = Vec::new();
    for part in values.chunks(AT_ONCE) {
        found.extend(load(part)?);
    }
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_asked_for_part_by_part() {
        let values: Vec<usize> = (0..1_001).collect();
        let mut parts = Vec::new();
        let found: Vec<usize> = in_parts(&values, |part| {
            parts.push(part.len());
            Ok::<_, Error>(part.to_vec())
        })
        .unwrap();
        assert_eq!((found, parts), (values, vec![500, 500, 1]));
    }
}
