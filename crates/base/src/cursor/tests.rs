use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::{Query, Sort};

fn cursor(after: Vec<Key>) -> Cursor {
    Cursor { list: List::of(["/resources/search", "name"]), seen: 200, total: 5_000, after }
}

fn request(page_no: u32, page_size: u32) -> NumberedPage {
    NumberedPage { page_no, page_size }
}

/// The page of `0..total` that a walk asks for.
fn read(walk: &PageRequest, total: i64) -> PageRows<i64> {
    let first = match walk.after() {
        Some([Key::Integer(last)]) => last + 1,
        Some(keys) => panic!("{keys:?}"),
        None => walk.offset(),
    };
    let counted = walk.total(|| Ok::<_, Infallible>(total)).unwrap();
    let rows = (first..total).take(walk.row_limit() as usize).collect();
    walk.cut(rows, counted, |row| vec![Key::Integer(*row)])
}

#[test]
fn a_walk_sees_every_row_once() {
    let list = List::of(["a"]);
    let mut seen = Vec::new();
    let mut pages = Vec::new();
    let mut walk = PageRequest::numbered(request(1, 3), list);
    loop {
        let page = walk.answer(read(&walk, 8));
        seen.extend_from_slice(&page.results);
        pages.push((page.page_no, page.total_results, page.total_pages, page.next_page));
        let Some(next) = page.next_cursor else { break };
        walk = PageRequest::from_cursor(request(1, 3), list, &next).unwrap();
    }
    assert_eq!(seen, (0..8).collect::<Vec<_>>());
    assert_eq!(pages, [(1, 8, 3, true), (2, 8, 3, true), (3, 8, 3, false)]);
}

#[test]
fn any_page_by_number_has_a_cursor_when_another_follows() {
    let walk = PageRequest::numbered(request(2, 3), List::of(["a"]));
    let page = walk.answer(read(&walk, 9));
    let behind = PageRequest::from_cursor(request(1, 4), List::of(["a"]), &page.next_cursor.unwrap()).unwrap();
    assert_eq!(read(&behind, 9).rows, [6, 7, 8]);
    let last = PageRequest::numbered(request(3, 3), List::of(["a"]));
    let page = last.answer(read(&last, 9));
    assert_eq!((page.next_page, page.next_cursor), (false, None));
    let beyond = PageRequest::numbered(request(u32::MAX, 1000), List::of(["a"]));
    let page = beyond.answer(read(&beyond, 9));
    assert_eq!((page.page_no, page.next_page, page.results.len()), (u32::MAX, false, 0));
}

#[test]
fn the_total_is_never_less_than_what_was_seen() {
    let list = List::of(["a"]);
    let walk = PageRequest::numbered(request(1, 2), list);
    let next = walk.answer(read(&walk, 3)).next_cursor.unwrap();
    let walk = PageRequest::from_cursor(request(1, 2), list, &next).unwrap();
    let page = walk.answer(read(&walk, 10));
    assert_eq!((page.total_results, page.total_pages, page.next_page), (5, 3, true));
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let text = cursor(vec![Key::Integer(1)]).encode();
    let page = request(1, 10);
    assert!(PageRequest::from_cursor(page, List::of(["/resources/search", "name"]), &text).is_ok());
    for parts in [["/resources/search", "id"], ["/sites/search", "name"], ["/resources/searchname", ""]] {
        assert_eq!(PageRequest::from_cursor(page, List::of(parts), &text), Err(Refused::Foreign), "{parts:?}");
    }
}

#[test]
fn what_is_no_cursor_is_refused() {
    let long = URL_SAFE_NO_PAD.encode(vec![7; LONGEST]);
    let nul = cursor(vec![Key::Text("a\0".into())]).encode();
    for text in ["", "x", "nonsense", "%", "AAAA", &"A".repeat(43), &"A".repeat(86), &long, &nul] {
        assert_eq!(Cursor::decode(text), None, "{text:.20}");
    }
    let text = cursor(vec![Key::Integer(1)]).encode();
    for edited in [format!("{text}="), format!("{text} "), format!(" {text}"), text[1..].to_owned()] {
        assert_eq!(Cursor::decode(&edited), None, "{edited}");
    }
}

const NAME: Sort = Sort { name: "name", descending: false };

/// What a URL asks for, or what is said of its `cursor`.
fn read_page_request(path: &str, raw: &str, sort: Sort) -> Result<PageRequest, String> {
    let mut query = Query::parse(raw).unwrap();
    let walk = query.page_request(path, sort);
    query.text("queryString");
    query.text("state");
    match query.finish() {
        Ok(()) => Ok(walk),
        Err(problem) => Err(problem.detail),
    }
}

#[test]
fn a_url_goes_on_with_its_own_cursor() {
    let first = read_page_request("/a", "queryString=tags:x%2Bname:y&state=all&pageSize=3", NAME).unwrap();
    let next = first.answer(read(&first, 9)).next_cursor.unwrap();
    let again = |path: &str, raw: &str, sort: Sort| read_page_request(path, &format!("{raw}&cursor={next}"), sort);
    // Parameters in another order or encoding are the same filters; the page size is the client's choice.
    for raw in ["queryString=tags:x%2Bname:y&state=all", "state=all&pageSize=7&pageNo=1&queryString=tags%3Ax%2Bname:y"]
    {
        assert_eq!(again("/a", raw, NAME).unwrap().after(), Some([Key::Integer(2)].as_slice()), "{raw}");
    }
    let foreign = format!("cursor: {}", Refused::Foreign.message());
    let same = "queryString=tags:x%2Bname:y&state=all";
    assert_eq!(again("/b", same, NAME), Err(foreign.clone()));
    assert_eq!(again("/a", same, Sort { descending: true, ..NAME }), Err(foreign.clone()));
    assert_eq!(again("/a", same, Sort { name: "id", ..NAME }), Err(foreign.clone()));
    assert_eq!(again("/a", "queryString=tags:x&state=all", NAME), Err(foreign.clone()));
    assert_eq!(again("/a", "queryString=tags:x%2Bname:y", NAME), Err(foreign));
    let numbered = again("/a", &format!("{same}&pageNo=2"), NAME);
    assert_eq!(numbered, Err("cursor: takes the place of pageNo: send one of them".to_owned()));
    assert_eq!(read_page_request("/a", "cursor=", NAME), Err(format!("cursor: {}", Refused::Damaged.message())));
}

fn keys() -> impl Strategy<Value = Vec<Key>> {
    let key = prop_oneof![any::<i64>().prop_map(Key::Integer), "[^\0]{0,40}".prop_map(Key::Text)];
    proptest::collection::vec(key, 0..4)
}

proptest! {
    #[test]
    fn a_cursor_comes_back(seen: u64, total: i64, after in keys(), path: String) {
        let cursor = Cursor { list: List::of([path.as_str()]), seen, total, after };
        let text = cursor.encode();
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        prop_assert_eq!(Cursor::decode(&text), Some(cursor));
    }

    #[test]
    fn every_edit_is_noticed(after in keys(), at: prop::sample::Index, letter in "[A-Za-z0-9_-]") {
        let text = cursor(after).encode();
        let at = at.index(text.len());
        let edited = format!("{}{letter}{}", &text[..at], &text[at + 1..]);
        prop_assert_eq!(Cursor::decode(&edited).is_some(), edited == text);
        prop_assert_eq!(Cursor::decode(&text[..at]), None);
    }

    #[test]
    fn survives_any_text(text: String, bytes: Vec<u8>) {
        let _ = Cursor::decode(&text);
        let _ = Cursor::decode(&URL_SAFE_NO_PAD.encode(bytes));
    }
}
