//! What a product answered: lists of objects by the path that was asked, from files or from the product itself.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use crate::json::{cut, flag, id, part};

/// The most that is read of one file, in bytes.
const LARGEST_FILE: u64 = 64 << 20;
/// The most that is read of all files, in bytes.
const LARGEST_EXPORT: u64 = 512 << 20;
/// The most files of an export.
const MOST_FILES: usize = 200_000;
/// How deep folders may be nested.
const DEEPEST: usize = 5;

/// Names under which answers keep their lists, beside the name of what is listed.
const LISTS: [&str; 3] = ["data", "results", "nodes"];

/// Names under which answers say why there is none. Those of the second list are those of fields, too.
const FAULTS: [&str; 2] = ["errors", "error"];
const REASONS: [&str; 4] = ["errors", "error", "detail", "message"];

/// The most that is shown of an answer that is none, in letters.
const LONGEST_REASON: usize = 300;

/// Answers of a product.
#[derive(Clone, Debug, Default)]
pub struct Export {
    /// Pages by the path that was asked, without parameters: `schedules/4f3a/overrides`.
    answers: BTreeMap<String, Vec<Value>>,
}

impl Export {
    /// Adds a page of an answer.
    pub fn add(&mut self, path: &str, page: Value) {
        self.answers.entry(path.to_owned()).or_default().push(page);
    }

    /// Reads a folder: the answer to `GET …/schedules/4f3a/overrides` is `schedules/4f3a/overrides.json`, a further
    /// page of it `schedules/4f3a/overrides.2.json`.
    ///
    /// # Errors
    /// When a file cannot be read, is not JSON, holds something else than objects, or an answer that says why the
    /// product gave none, or when there is too much.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        ensure!(folder.is_dir(), "{} is not a folder with the answers of a product", folder.display());
        let mut files = Vec::new();
        collect(folder, "", 0, &mut files)?;
        files.sort();
        let mut export = Self::default();
        let mut room = LARGEST_EXPORT;
        for (path, _, file) in files {
            let shown = folder.join(&file);
            let mut text = Vec::new();
            let open = File::open(&shown).with_context(|| format!("{} cannot be read", shown.display()))?;
            let most = LARGEST_FILE.min(room);
            let read = open.take(most + 1).read_to_end(&mut text);
            read.with_context(|| format!("{} cannot be read", shown.display()))?;
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            ensure!(
                length <= most,
                "{} is too large: a file may have 64 MiB, all files together 512 MiB",
                shown.display()
            );
            room -= length;
            let page = serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", shown.display()))?;
            check(&page, name_of(&path)).with_context(|| shown.display().to_string())?;
            export.add(&path, page);
        }
        ensure!(!export.answers.is_empty(), "there is not a file *.json in {}", folder.display());
        Ok(export)
    }

    /// The answers as the files of a folder that [`Export::read`] reads.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let pages = self.answers.iter().flat_map(|(path, pages)| pages.iter().zip(1..).map(move |page| (path, page)));
        let file = |path: &String, number: usize| match number {
            1 => PathBuf::from(format!("{path}.json")),
            _ => PathBuf::from(format!("{path}.{number}.json")),
        };
        // Ids come from the product, and a file stays in its folder.
        let inside = |path: &str| path.split('/').all(|name| !matches!(name, "" | "." | "..") && !name.contains('\0'));
        pages
            .filter(|(path, _)| inside(path))
            .map(|(path, (page, number))| (file(path, number), format!("{page:#}\n")))
            .collect()
    }

    /// Is there an answer to this path?
    pub fn has(&self, path: &str) -> bool {
        self.answers.contains_key(path)
    }

    /// The objects of a list, in the order of its pages.
    pub fn list(&self, path: &str) -> Vec<&Value> {
        self.answers.get(path).into_iter().flatten().flat_map(|page| items(page, name_of(path))).collect()
    }

    /// The paths whose last page says that there are further ones.
    pub fn unfinished(&self) -> Vec<&str> {
        let is_unfinished =
            |(path, pages): &(&String, &Vec<Value>)| pages.last().is_some_and(|page| has_next(page, name_of(path)));
        self.answers.iter().filter(is_unfinished).map(|(path, _)| path.as_str()).collect()
    }

    /// The ids of the objects of a list.
    pub fn ids(&self, path: &str) -> Vec<String> {
        self.list(path).into_iter().filter_map(|one| id(one, "id")).collect()
    }

    /// The object that an answer is about.
    pub fn object(&self, path: &str) -> Option<&Value> {
        let mut value = self.answers.get(path)?.first()?;
        // `{"data": {…}}` of one product, `{"user": {…}}` of another.
        while let Value::Object(fields) = value {
            let within = match fields.get("data") {
                Some(data) => Some(data),
                None if fields.len() == 1 => fields.values().next(),
                None => None,
            };
            match within {
                Some(inner @ Value::Object(_)) => value = inner,
                _ => break,
            }
        }
        Some(value)
    }

    /// The paths below a path, one step further: of `schedules`, `schedules/4f3a`.
    pub fn below<'e>(&'e self, path: &str) -> impl Iterator<Item = &'e str> {
        let start = format!("{path}/");
        let depth = start.matches('/').count();
        self.answers
            .keys()
            .map(String::as_str)
            .filter(move |found| found.starts_with(&start) && found.matches('/').count() == depth)
    }
}

/// The name of what a path lists.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Looks whether an answer is one, and not the reason why there is none.
///
/// # Errors
/// When it is not.
fn check(page: &Value, name: &str) -> anyhow::Result<()> {
    match page {
        Value::Array(all) => all.iter().try_for_each(|one| check_page(one, name, &FAULTS)),
        one => check_page(one, name, &REASONS),
    }
}

fn check_page(page: &Value, name: &str, reasons: &[&str]) -> anyhow::Result<()> {
    let said = |name: &&str| page.get(*name).filter(|reason| !is_empty(reason));
    let is_answer = list_of(page, name).is_some() || page.get("id").is_some();
    // A query may be answered in part, with errors beside the list.
    let reason = if is_answer { said(&"errors") } else { reasons.iter().find_map(said) };
    if let Some(reason) = reason {
        bail!("the product gave no answer, or not all of it: {}", cut(&reason.to_string(), LONGEST_REASON));
    }
    let objects = if page.is_object() { items(page, name) } else { vec![page] };
    objects.into_iter().try_for_each(check_object)
}

fn check_object(value: &Value) -> anyhow::Result<()> {
    let shown = || cut(&value.to_string(), LONGEST_REASON);
    ensure!(value.is_object(), "holds {}, where an object of the product has to be", shown());
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Does a page say that another one follows? Of an array of pages, the last one does.
fn has_next(page: &Value, name: &str) -> bool {
    if let Value::Array(all) = page {
        return all.last().is_some_and(|last| list_of(last, name).is_some() && has_next(last, name));
    }
    let link = |names: &[&str]| part(page, names).is_some_and(|link| !is_empty(link));
    let Value::Object(fields) = page else { return false };
    let is_cursor = part(page, &["pageInfo", "hasNextPage"]) == Some(&Value::Bool(true));
    let within = || fields.values().any(|inner| inner.is_object() && has_next(inner, name));
    is_cursor || flag(page, "more") == Some(true) || link(&["next"]) || link(&["paging", "next"]) || within()
}

/// The objects of a page: of an array of pages, those of each.
fn items<'v>(page: &'v Value, name: &str) -> Vec<&'v Value> {
    match page {
        Value::Array(all) => {
            let is_page = |one: &Value| list_of(one, name).is_some();
            if !all.is_empty() && all.iter().all(is_page) {
                return all.iter().flat_map(|page| items(page, name)).collect();
            }
            all.iter().collect()
        }
        Value::Object(_) => match list_of(page, name) {
            Some(inner) => items(inner, name),
            None => vec![page],
        },
        _ => Vec::new(),
    }
}

/// The part of an answer that has its list.
fn list_of<'v>(page: &'v Value, name: &str) -> Option<&'v Value> {
    let underscored = name.replace('-', "_");
    let names = [name, underscored.as_str()].into_iter().chain(LISTS);
    let mut within = names.filter_map(|name| page.get(name));
    within.find_map(|inner| match inner {
        Value::Array(_) => Some(inner),
        Value::Object(_) => list_of(inner, name),
        _ => None,
    })
}

/// The files of a folder: the path of each answer, the number of its page, and the file.
fn collect(root: &Path, below: &str, depth: usize, files: &mut Vec<(String, u32, String)>) -> anyhow::Result<()> {
    let folder = root.join(below);
    for entry in fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let entry = entry.with_context(|| format!("{} cannot be read", folder.display()))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        // A link may lead in a circle, so links to folders are not followed.
        let kind = entry.file_type().with_context(|| format!("{path} cannot be read"))?;
        if name.starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            ensure!(depth < DEEPEST, "{} is nested too deep", folder.join(&name).display());
            collect(root, &path, depth + 1, files)?;
        } else if let Some(stem) = path.strip_suffix(".json") {
            if files.len() >= MOST_FILES {
                bail!("{} has more than {MOST_FILES} files", root.display());
            }
            let page = stem.rsplit_once('.').and_then(|(stem, page)| Some((stem, page.parse().ok()?)));
            let (stem, page) = page.unwrap_or((stem, 1));
            files.push((stem.to_owned(), page, path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
