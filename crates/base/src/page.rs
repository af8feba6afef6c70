//! Pages of a list, in and out.

use serde::Serialize;

/// The page size when the request names none.
pub const DEFAULT_PAGE_SIZE: u32 = 100;
/// The largest page size; more is refused, not cut.
pub const MAX_PAGE_SIZE: u32 = 1000;

/// The page that a request asks for. [`crate::Query::page`] reads it within its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumberedPage {
    /// From 1.
    pub page_no: u32,
    /// 1 to [`MAX_PAGE_SIZE`].
    pub page_size: u32,
}

impl NumberedPage {
    /// How many rows come before the page.
    pub fn offset(&self) -> i64 {
        i64::from(self.page_no.saturating_sub(1)).saturating_mul(self.limit())
    }

    /// How many rows the page has at most.
    pub fn limit(&self) -> i64 {
        i64::from(self.page_size)
    }
}

/// The envelope of a paged list ("Paginated envelope" in `docs/interface.md`).
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The rows of this page; none past the end.
    pub results: Vec<T>,
    /// How many rows there are on all pages.
    pub total_results: i64,
    /// This page, from 1.
    pub page_no: u32,
    /// The page size used.
    pub page_size: u32,
    /// How many pages there are; 0 for no row.
    pub total_pages: i64,
    /// Whether a page follows that has rows.
    pub next_page: bool,
    /// The page before, 0 on the first; only in ordered lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_page_no: Option<u32>,
    /// The sort key used; only in ordered lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_by: Option<String>,
    /// Whether the order is descending.
    pub descending_order: bool,
    /// Where the next page starts, for clients that page by cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// The page that answers a request, out of `total` rows.
    pub fn new(request: &NumberedPage, results: Vec<T>, total: i64) -> Self {
        let size = request.limit().max(1);
        let total = total.max(0);
        let total_pages = total / size + i64::from(total % size != 0);
        Self {
            results,
            total_results: total,
            page_no: request.page_no,
            page_size: request.page_size,
            total_pages,
            next_page: i64::from(request.page_no) < total_pages,
            previous_page_no: None,
            order_by: None,
            descending_order: false,
            next_cursor: None,
        }
    }

    /// Says how the list is sorted, and with it which page came before.
    pub fn ordered(self, order_by: &str, descending: bool) -> Self {
        Self {
            previous_page_no: Some(self.page_no.saturating_sub(1)),
            order_by: Some(order_by.to_owned()),
            descending_order: descending,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(page_no: u32, page_size: u32, total: i64) -> Page<u8> {
        Page::new(&NumberedPage { page_no, page_size }, Vec::new(), total)
    }

    #[test]
    fn the_offset_never_overflows() {
        let request = NumberedPage { page_no: u32::MAX, page_size: MAX_PAGE_SIZE };
        assert_eq!(request.offset(), 4_294_967_294_000);
        let request = NumberedPage { page_no: 0, page_size: u32::MAX };
        assert_eq!(request.offset(), 0);
    }

    #[test]
    fn counts_its_pages() {
        for (total, pages) in [(0, 0), (1, 1), (100, 1), (101, 2), (-1, 0)] {
            assert_eq!(page(1, 100, total).total_pages, pages, "{total}");
        }
        assert!(page(1, 100, 101).next_page);
        assert!(!page(2, 100, 101).next_page);
        assert!(!page(9, 100, 101).next_page);
        assert_eq!(page(1, 0, 5).total_pages, 5);
    }

    #[test]
    fn an_unordered_page_omits_the_order() {
        let request = NumberedPage { page_no: 1, page_size: 2 };
        let expected = json!({
            "results": [7, 8], "totalResults": 3, "pageNo": 1, "pageSize": 2, "totalPages": 2,
            "nextPage": true, "descendingOrder": false,
        });
        assert_eq!(json!(Page::new(&request, vec![7, 8], 3)), expected);
    }

    #[test]
    fn an_ordered_page_knows_the_one_before() {
        let first = page(1, 10, 30).ordered("scanDate", true);
        assert_eq!(first.previous_page_no, Some(0));
        assert_eq!((first.order_by.as_deref(), first.descending_order), (Some("scanDate"), true));
        let json = json!(page(3, 10, 30).ordered("id", false));
        assert_eq!((&json["previousPageNo"], &json["orderBy"]), (&json!(2), &json!("id")));
    }
}
