//! Rows as columns, for people.

use std::io::{Result, Write};

use base::text::listed;
use serde_json::Value;

use crate::problem::plain;

/// What people look for first, in this order, when nobody chose columns.
const PREFERRED: [&str; 22] = listed(
    "id uniqueId name hostName loginName title subject resourceUUID currentState state status severity priority type \
    resourceType role ipAddress startDate endDate createdDate updatedDate enabled",
);

/// The most columns that are chosen, and the widest cell on a terminal, in characters.
const MAX_COLUMNS: usize = 8;
const MAX_CELL_WIDTH: usize = 40;

/// What stands between two columns.
const GAP: usize = 2;

/// A table that is written page by page: columns and their widths are those of the first page.
pub struct Table {
    requested_columns: Vec<String>,
    /// Of the terminal, in characters; without one nothing is cut.
    width: Option<usize>,
    columns: Option<Vec<(String, usize)>>,
}

impl Table {
    pub const fn new(requested_columns: Vec<String>, width: Option<usize>) -> Self {
        Self { requested_columns, width, columns: None }
    }

    /// Writes some rows, below their headings the first time.
    pub fn write(&mut self, rows: &[Value], to: &mut impl Write) -> Result<()> {
        let columns = match &self.columns {
            Some(columns) => columns,
            None => {
                let columns = self.choose(rows);
                let headings: Vec<String> = columns.iter().map(|(name, _)| name.to_uppercase()).collect();
                write_line(&columns, headings, self.width.is_some(), to)?;
                self.columns.insert(columns)
            }
        };
        for row in rows {
            let cells = columns.iter().map(|(name, _)| cell(row, name)).collect();
            write_line(columns, cells, self.width.is_some(), to)?;
        }
        Ok(())
    }

    fn choose(&self, rows: &[Value]) -> Vec<(String, usize)> {
        let width = |name: &str| {
            let widest = rows.iter().map(|row| cell(row, name).chars().count()).max().unwrap_or_default();
            let widest = widest.max(name.chars().count());
            if self.width.is_some() { widest.min(MAX_CELL_WIDTH) } else { widest }
        };
        if !self.requested_columns.is_empty() {
            return self.requested_columns.iter().map(|name| (name.clone(), width(name))).collect();
        }
        let mut chosen: Vec<(String, usize)> = Vec::new();
        let mut taken: Vec<Vec<String>> = Vec::new();
        let mut used = 0;
        for name in names(rows) {
            let cells: Vec<String> = rows.iter().map(|row| cell(row, &name)).collect();
            let is_empty = cells.iter().all(|cell| cell == "-");
            // One that says what another says already is left out.
            if is_empty || (rows.len() > 1 && taken.contains(&cells)) {
                continue;
            }
            let wide = width(&name);
            if chosen.len() == MAX_COLUMNS || (!chosen.is_empty() && self.width.is_some_and(|most| used + wide > most))
            {
                break;
            }
            used += wide + GAP;
            taken.push(cells);
            chosen.push((name, wide));
        }
        chosen
    }
}

/// The names of all values of some rows that are no array and no object, those that matter first.
fn names(rows: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (name, value) in rows.iter().filter_map(Value::as_object).flatten() {
        let name = match value {
            Value::Array(_) => continue,
            Value::Object(inner) if inner.get("name").is_some_and(Value::is_string) => format!("{name}.name"),
            Value::Object(_) => continue,
            _ => name.clone(),
        };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.sort_by_key(|name| PREFERRED.iter().position(|first| first == name).unwrap_or(PREFERRED.len()));
    if found.is_empty() && rows.iter().any(|row| !row.is_object()) {
        found.push(String::new());
    }
    found
}

/// What a row has by a name with dots: `-` when it has nothing, and JSON when it has more than a value.
fn cell(row: &Value, name: &str) -> String {
    let mut steps = name.split('.').filter(|step| !step.is_empty());
    let found = steps.try_fold(row, |value, step| match value {
        Value::Array(all) => all.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    });
    match found {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "-".to_owned(),
        Some(Value::String(text)) => plain(&text.replace('\n', " ")),
        Some(other) => other.to_string(),
    }
}

fn write_line(columns: &[(String, usize)], cells: Vec<String>, cut: bool, to: &mut impl Write) -> Result<()> {
    let mut line = String::new();
    for ((_, width), cell) in columns.iter().zip(cells) {
        let cell = if cut && cell.chars().count() > *width {
            cell.chars().take(width.saturating_sub(1)).chain(['…']).collect()
        } else {
            cell
        };
        line.push_str(&cell);
        let short = width.saturating_sub(cell.chars().count()) + GAP;
        line.extend(std::iter::repeat_n(' ', short));
    }
    writeln!(to, "{}", line.trim_end())
}

/// A record as a table of its fields, each by its name with dots.
pub fn fields(record: &Value, columns: &[String]) -> Vec<Value> {
    let mut rows = Vec::new();
    if columns.is_empty() {
        flatten(record, "", &mut rows);
    } else {
        rows.extend(columns.iter().map(|name| pair(name, Value::from(cell(record, name)))));
    }
    rows
}

fn flatten(value: &Value, path: &str, rows: &mut Vec<Value>) {
    match value {
        Value::Object(object) if !object.is_empty() || path.is_empty() => {
            for (name, value) in object {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(value, &path, rows);
            }
        }
        Value::Array(all) if all.iter().any(Value::is_object) => {
            all.iter().enumerate().for_each(|(number, value)| flatten(value, &format!("{path}.{number}"), rows));
        }
        other => rows.push(pair(path, other.clone())),
    }
}

fn pair(name: &str, value: Value) -> Value {
    serde_json::json!({"field": name, "value": value})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table_text(rows: &[Value], requested_columns: &[&str], width: Option<usize>) -> String {
        let mut made = Vec::new();
        Table::new(requested_columns.iter().map(ToString::to_string).collect(), width).write(rows, &mut made).unwrap();
        String::from_utf8(made).unwrap()
    }

    #[test]
    fn what_people_look_for_comes_first() {
        let rows = [
            json!({"x": 1, "name": "web", "uniqueId": "A", "id": "A", "tags": [], "site": {"id": 1, "name": "Rome"},
                "e": null}),
            json!({"x": 2, "name": "db\u{1b}\n1", "uniqueId": "B", "id": "B", "e": ""}),
        ];
        assert_eq!(table_text(&rows, &[], None), "ID  NAME   X  SITE.NAME\nA   web    1  Rome\nB   db  1  2  -\n");
        assert_eq!(table_text(&rows, &["site.id", "tags"], None), "SITE.ID  TAGS\n1        []\n-        -\n");
        assert_eq!(table_text(&rows, &[], Some(10)), "ID  NAME\nA   web\nB   db  1\n");
        assert_eq!(table_text(&[json!("a"), json!("b")], &[], None), "\na\nb\n");
    }

    #[test]
    fn a_record_is_a_table_of_its_fields() {
        let record = json!({"id": 1, "site": {"name": "Rome"}, "tags": ["a"], "on": [{"x": 1}]});
        assert_eq!(
            table_text(&fields(&record, &[]), &["field", "value"], None),
            "FIELD      VALUE\nid         1\nsite.name  Rome\ntags       [\"a\"]\non.0.x     1\n"
        );
    }
}
