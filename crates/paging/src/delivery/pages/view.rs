//! From rows of pages to what clients see.

use db::{Conn, Result};
use ports::{Authors, People};

use super::{store::Row, wire::Page};

/// These pages, with the people that they are for, who are looked up at once; `tenants` are those whose people may be.
pub fn pages(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Row]) -> Result<Vec<Page>> {
    let names = Authors::load(conn, people, tenants, rows.iter().map(|row| row.user_id.as_str()))?;
    Ok(rows.iter().map(|row| Page::of(row, &names)).collect())
}
