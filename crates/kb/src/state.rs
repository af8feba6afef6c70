//! States of categories and articles.

use db::Condition;

/// In use.
pub const ACTIVE: &str = "ACTIVE";
/// Not in use for now.
pub const INACTIVE: &str = "INACTIVE";
/// Deleted, until somebody restores it.
pub const TRASH: &str = "TRASH";

/// The states that a filter takes.
pub const ALL: [&str; 3] = [ACTIVE, INACTIVE, TRASH];
/// The values of a parameter: a state, or all of them.
pub const OR_ALL: [&str; 4] = [ACTIVE, INACTIVE, TRASH, "ALL"];
/// The states that a body may have.
pub const OUTSIDE_TRASH: [&str; 2] = [ACTIVE, INACTIVE];

/// The words for states in the body of an article, with synonyms for published and draft.
pub const OF_ARTICLES: [&str; 5] = [ACTIVE, INACTIVE, "PUBLISHED", "PUBLISH", "DRAFT"];
/// The words for states that a filter of articles takes.
pub const OF_ARTICLE_LISTS: [&str; 6] = [ACTIVE, INACTIVE, TRASH, "PUBLISHED", "DRAFT", EXPIRED];
/// Matches no article: articles do not expire.
pub const EXPIRED: &str = "EXPIRED";

/// The state of an article for one of its words.
pub fn parse_article_state(word: &'static str) -> &'static str {
    match word {
        "PUBLISHED" | "PUBLISH" => ACTIVE,
        "DRAFT" => INACTIVE,
        state => state,
    }
}

/// The state of a row, by its columns.
pub fn effective_state<'a>(state: &'a str, trashed_with: &str) -> &'a str {
    if trashed_with.is_empty() { state } else { TRASH }
}

/// The columns of a table that tell the state of its rows, with the table.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Its `state`.
    pub state: &'static str,
    /// Its `trashed_with`.
    pub trashed_with: &'static str,
}

impl Columns {
    /// The rows in one of these states.
    pub fn in_states(self, states: &[&'static str]) -> Condition {
        Condition::any(states.iter().map(|state| match *state {
            TRASH => Condition::sql(self.trashed_with).then(" <> ''"),
            state => Condition::sql(self.trashed_with).then(" = '' AND ").then(self.state).then(" = ").text(state),
        }))
    }
}

/// The parameter of lists for the states to include.
#[derive(Clone, Debug, api::Parameters)]
pub struct StateQuery {
    /// `ACTIVE`, `INACTIVE`, `TRASH` or `ALL`; without it, all outside the trash.
    #[request(with = states, words = OR_ALL, example = "ACTIVE")]
    pub state: Option<Vec<&'static str>>,
}

impl StateQuery {
    /// These states, or those outside the trash.
    pub fn or_outside_trash(self) -> Vec<&'static str> {
        self.state.unwrap_or_else(|| OUTSIDE_TRASH.to_vec())
    }
}

fn states(query: &mut base::Query, name: &str) -> Option<Vec<&'static str>> {
    match query.one_of(name, &OR_ALL, "") {
        "" => None,
        "ALL" => Some(ALL.to_vec()),
        state => Some(vec![state]),
    }
}
