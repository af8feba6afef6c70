//! Changes of articles, and the snippets of a search, as pure functions.

use base::{
    problem::Problem,
    text::{fold, words},
    timestamp::Timestamp,
};

use super::{
    row::ArticleHead,
    wire::{ArticleChange, NewArticle},
};
use crate::state;

/// The longest text to search for, in characters.
const LONGEST_QUERY: usize = 1_000;
/// The most words to search for.
const MOST_WORDS: usize = 32;
/// How many characters of a content are shown before the first word that was searched for, and in all.
const SNIPPET: (usize, usize) = (60, 240);

/// The id with this number.
pub fn id(number: i64) -> String {
    format!("KBA{number:010}")
}

/// A new article.
pub fn new_row(tenant: &str, new: &NewArticle, number: i64, author: &str, now: Timestamp) -> ArticleHead {
    ArticleHead {
        tenant_id: tenant.to_owned(),
        id: id(number),
        number,
        version: 1,
        revision: 1,
        category_id: new.category.id.clone(),
        title: new.title.clone(),
        title_key: fold(&new.title),
        state: new.state.to_owned(),
        trashed_with: String::new(),
        created_by: author.to_owned(),
        updated_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    }
}

/// The article after a change, and its content; another title or content is another revision.
///
/// # Errors
/// 409 when it is in the trash.
pub fn apply_change(
    old: &ArticleHead,
    old_content: &str,
    change: ArticleChange,
    author: &str,
    now: Timestamp,
) -> Result<(ArticleHead, String), Problem> {
    if !old.trashed_with.is_empty() {
        return Err(in_trash(old));
    }
    let title = change.title.unwrap_or_else(|| old.title.clone());
    let content = change.content.unwrap_or_else(|| old_content.to_owned());
    let says_more = title != old.title || content != old_content;
    let head = ArticleHead {
        version: old.version + 1,
        revision: old.revision + i64::from(says_more),
        category_id: change.category.map_or_else(|| old.category_id.clone(), |category| category.id),
        title_key: fold(&title),
        title,
        state: change.state.map_or_else(|| old.state.clone(), ToOwned::to_owned),
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    };
    Ok((head, content))
}

/// The article in the trash (`Some`: its own id), or out of it.
pub fn moved_to_trash(old: &ArticleHead, trashed_with: Option<&str>, author: &str, now: Timestamp) -> ArticleHead {
    ArticleHead {
        version: old.version + 1,
        trashed_with: trashed_with.unwrap_or_default().to_owned(),
        state: if trashed_with.is_some() { old.state.clone() } else { state::ACTIVE.to_owned() },
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// The words to search for, each once.
///
/// # Errors
/// 400 on `query` when there is no text, or too much of it.
pub fn query_words(text: &str) -> Result<Vec<String>, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::field("query", "is required"));
    }
    if text.chars().nth(LONGEST_QUERY).is_some() {
        return Err(Problem::field("query", format!("must have at most {LONGEST_QUERY} characters")));
    }
    let mut found: Vec<String> = words(text).map(|word| word.key).collect();
    found.sort_unstable();
    found.dedup();
    if found.len() > MOST_WORDS {
        return Err(Problem::field("query", format!("must have at most {MOST_WORDS} different words")));
    }
    Ok(found)
}

/// The part of a content in which the first of the searched words occurs, as HTML.
pub fn snippet(content: &str, query_terms: &[String]) -> String {
    let is_match = |key: &str| query_terms.iter().any(|word| key.starts_with(word.as_str()));
    let first = words(content).find(|word| is_match(&word.key)).map_or(0, |word| word.at.start);
    let before = content.get(..first).unwrap_or_default();
    let cut = before.char_indices().rev().nth(SNIPPET.0).map_or(0, |(at, _)| at);
    // A part of a word would be marked as if it were one.
    let start = words(before).find(|word| word.at.start < cut && cut < word.at.end).map_or(cut, |word| word.at.end);
    let tail = content.get(start..).unwrap_or_default();
    let shown = tail.char_indices().nth(SNIPPET.1).and_then(|(end, _)| tail.get(..end)).unwrap_or(tail);
    let mut html = String::from(if start > 0 { "… " } else { "" });
    let mut done = 0;
    for word in words(shown).filter(|word| is_match(&word.key)) {
        escape(shown.get(done..word.at.start).unwrap_or_default(), &mut html);
        html.push_str("<mark>");
        escape(shown.get(word.at.clone()).unwrap_or_default(), &mut html);
        html.push_str("</mark>");
        done = word.at.end;
    }
    escape(shown.get(done..).unwrap_or_default(), &mut html);
    if shown.len() < tail.len() {
        html.push_str(" …");
    }
    html
}

fn escape(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter if letter.is_whitespace() => {
                if !html.ends_with(' ') {
                    html.push(' ');
                }
            }
            letter => html.push(letter),
        }
    }
}

/// 404: the article has no such revision.
pub fn no_revision() -> Problem {
    Problem::not_found("This revision of the knowledge-base article was not found.")
}

/// 409: the article is in the trash.
pub fn in_trash(article: &ArticleHead) -> Problem {
    let ArticleHead { id, title, .. } = article;
    Problem::conflict(format!("The knowledge-base article {id} \"{title}\" is in the trash: restore it first."))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<String> {
        query_words(text).unwrap()
    }

    #[test]
    fn a_snippet_marks_words_and_escapes_the_rest() {
        assert_eq!(snippet("a <b> Disk\n\nfull", &keys("dis")), "a &lt;b&gt; <mark>Disk</mark> full");
        let long = format!("{} needle {}", "hay ".repeat(100), "hay ".repeat(100));
        let found = snippet(&long, &keys("needle"));
        assert!(found.starts_with("… ") && found.ends_with(" …") && found.contains("<mark>needle</mark>"), "{found}");
        assert_eq!(snippet("nothing", &keys("else")), "nothing");
        // The end of a word that is cut off is not a word.
        let far = format!("a terror {} error zq1", "-".repeat(SNIPPET.0 - 6));
        let found = snippet(&far, &keys("error zq1"));
        assert!(!found.contains("terror") && found.starts_with("… -"), "{found}");
        assert_eq!(found.matches("<mark>").count(), 2, "{found}");
    }

    #[test]
    fn words_are_folded_and_counted_once() {
        assert_eq!(keys("b A a, B!"), ["a", "b"]);
        assert_eq!(keys("!?"), Vec::<String>::new());
        assert!(query_words(" ").is_err() && query_words(&"x".repeat(1001)).is_err());
        let many: Vec<String> = (0..33).map(|number| format!("w{number}")).collect();
        assert!(query_words(&many.join(" ")).is_err());
    }

    proptest! {
        #[test]
        fn a_snippet_never_holds_markup_of_its_content(content: String, query in "[a-zé]{1,3}") {
            let found = snippet(&content, &keys(&query));
            let bare = found.replace("<mark>", "").replace("</mark>", "");
            prop_assert!(!bare.contains(['<', '>', '"']), "{}", found);
        }
    }
}
