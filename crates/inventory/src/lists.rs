//! Common rules of groups and sites: names, the most items of a body, and pages of ordered lists.

use serde::Serialize;
use utoipa::ToSchema;

/// The most elements of one body: the write that they make is not to keep all others waiting.
pub const MOST: usize = 1000;
/// The longest name of a group or a site, in characters.
pub const LONGEST_NAME: usize = 200;
/// A name without the blanks around it.
pub fn trim_name(text: String) -> Result<String, &'static str> {
    Ok(text.trim().to_owned())
}

/// The envelope of a list that has an order, for the document: as `api::spec::PageOf`, but the order is always told.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageOf)]
pub struct OrderedPageOf<T> {
    /// The records of the page.
    results: Vec<T>,
    /// How many records match in all.
    total_results: i64,
    /// From 1.
    page_no: u32,
    /// The page size used.
    page_size: u32,
    /// 0 when nothing matches.
    total_pages: i64,
    /// Is there a further page?
    next_page: bool,
    /// 0 on the first page.
    previous_page_no: u32,
    /// The sort key used.
    order_by: String,
    /// Largest first?
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
}
