//! Suggestions for misspelt names.

/// How many names are told.
const MOST: usize = 3;
/// How many letters of a name are compared.
const LONGEST: usize = 64;

/// The names nearest to one, nearest first; none that has little to do with it.
pub fn near<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = name.to_ascii_lowercase();
    let most = (wanted.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for one in known {
        let lower = one.to_ascii_lowercase();
        let holds = wanted.len() > 3 && (lower.contains(&wanted) || (lower.len() > 3 && wanted.contains(&lower)));
        let far = strsim::osa_distance(cut(&wanted), cut(&lower));
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

/// The part of a name that is compared, since a client chooses how long it is.
fn cut(name: &str) -> &str {
    name.char_indices().nth(LONGEST).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
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
