//! Suggestions for misspelt names.

/// How many names are told.
const MOST: usize = 3;

/// The names nearest to one, nearest first; none that has little to do with it.
pub fn near<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = name.to_ascii_lowercase();
    let most = (wanted.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for one in known {
        let lower = one.to_ascii_lowercase();
        let holds = wanted.len() > 3 && (lower.contains(&wanted) || (lower.len() > 3 && wanted.contains(&lower)));
        let far = distance(&wanted, &lower);
        if far <= most {
            found.push((far, one));
        } else if holds {
            found.push((most + 1 + lower.len().abs_diff(wanted.len()), one));
        }
    }
    found.sort_by_key(|(far, _)| *far);
    found.dedup();
    found.into_iter().take(MOST).map(|(_, one)| one).collect()
}

/// ": did you mean this, or that?", or nothing.
pub fn hint<'n>(name: &str, known: impl IntoIterator<Item = &'n str>, before: &str) -> String {
    let near: Vec<String> = near(name, known).into_iter().map(|one| format!("{before}{one}")).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// How many letters have to be added, left out, replaced or exchanged with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().take(64).collect(), other.chars().take(64).collect());
    let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut next = vec![line + 1];
        for (column, with) in other.iter().enumerate() {
            let mut least = (at(&row, column) + usize::from(letter != with)).min(at(&row, column + 1) + 1);
            least = least.min(at(&next, column) + 1);
            let crossed =
                line > 0 && column > 0 && one.get(line - 1) == Some(with) && other.get(column - 1) == Some(letter);
            if crossed {
                least = least.min(at(&before, column - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    at(&row, other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_told_nearest_first() {
        assert_eq!(near("pagesise", ["pageNo", "pageSize", "cursor"]), ["pageSize"]);
        assert_eq!(near("alert", ["listUsers", "searchAlerts", "getAlert"]), ["getAlert", "searchAlerts"]);
        assert_eq!(near("nmae", ["name", "id"]), ["name"]);
        assert!(near("xyz", ["name", "id"]).is_empty());
        assert_eq!(hint("sate", ["state"], "--"), "; did you mean --state?");
    }
}
