//! `cursor` and `nextCursor`: every paged search can be walked to its end, in every order, while rows come and go.

use muster_tests::{Backend, Client, Response, Server, both_backends, encode, parameters, unique};
use serde_json::{Value, json};

use super::{device, text};

both_backends![
    every_search_is_walked_in_every_order,
    clients_are_walked_in_every_order,
    a_paged_list_without_a_cursor_does_not_exist,
    what_is_absent_comes_first_on_both_databases,
    rows_that_are_added_are_neither_lost_nor_repeated,
    rows_that_go_do_not_take_others_along,
    the_envelope_keeps_count,
    the_page_size_may_change_on_the_way,
    a_cursor_goes_with_its_own_search_only,
    a_cursor_that_was_tampered_with_is_refused,
    a_cursor_takes_the_place_of_a_page_number,
];

/// A search, its parameters but for the order, and its sort names (none where it takes none).
struct Search {
    path: String,
    sorts: &'static [&'static str],
}

impl Search {
    fn new(path: impl Into<String>, sorts: &'static [&'static str]) -> Self {
        Self { path: path.into(), sorts }
    }

    /// The URLs of all its orders.
    fn orders(&self) -> Vec<String> {
        if self.sorts.is_empty() {
            return vec![format!("{}?", self.path)];
        }
        let both =
            |sort: &&str| [true, false].map(|way| format!("{}?sortName={sort}&isDescendingOrder={way}", self.path));
        self.sorts.iter().flat_map(both).collect()
    }
}

/// A client's inventory in which many rows are equal in what they are sorted by, and every search over it.
fn world(client: &Client) -> Vec<Search> {
    let site = client.post("/sites", &json!({"name": "here"})).ok()["id"].clone();
    let group = client.post("/deviceGroups", &json!({"name": "top"})).ok()["id"].clone();
    let mut members = Vec::new();
    for number in 0..11 {
        let mut body = json!({
            "name": format!("n{}", number % 3), "hostName": format!("h{}", number % 2), "location": {"id": site},
        });
        if number % 3 > 0 {
            body["ipAddress"] = json!(format!("10.0.0.{}", number % 5));
        }
        let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
        members.push(json!({"id": id}));
        let gone = device(client, &format!("gone {number}"));
        client.delete(&format!("/resources/{gone}")).ok();
        client.post("/sites", &json!({"name": format!("site {number}"), "city": "Graz"})).ok();
        let child = json!({"name": format!("below {number}"), "parent": {"id": group}});
        client.post("/deviceGroups", &child).ok();
        client.post("/serviceGroups", &json!({"name": format!("service {number}")})).ok();
        let mut product =
            json!({"name": format!("Shield {}", number % 2), "version": "1", "uptodate": number % 2 == 0});
        if number % 3 == 0 {
            product["base_creation"] = json!("2026-11-19");
        }
        let content = json!({"hardware": {"name": format!("pc{}", number % 4)}, "antivirus": [product]});
        let report = json!({
            "action": "inventory", "deviceid": unique("pc"), "itemtype": "Computer", "content": content,
        });
        client.post("/agents/reports", &report).ok();
    }
    let people = people(client);
    client.post(&format!("/deviceGroups/{group}/childs"), &json!(members)).ok();
    let antivirus: &[&str] =
        &["scanDate", "name", "version", "status", "currentDefinition", "currentDefinitionDate", "hostName"];
    vec![
        Search::new(
            "/resources/search",
            &["id", "name", "hostName", "resourceName", "ipAddress", "createdDate", "updatedDate"],
        ),
        Search::new("/history/resources", &[]),
        Search::new("/resources/antivirus/search", antivirus),
        Search::new("/sites/search", &["id", "name"]),
        Search::new(format!("/sites/{site}/members"), &["id", "name", "hostName"]),
        Search::new("/deviceGroups/search", &["id", "name"]),
        Search::new("/serviceGroups/search", &["id", "name"]),
        Search::new(format!("/deviceGroups/{group}/childs"), &[]),
        Search::new("/users/search", &["id", "loginName", "firstName", "lastName"]),
        Search::new("/userGroups/search", &["name", "createdTime", "uniqueId"]),
        Search::new(format!("/userGroups/{}/members", people.group), &["id", "loginName", "firstName", "lastName"]),
        Search::new("/auditLog/search", &["time"]),
        Search::new("/rosters/search", &["name", "id", "createdTime"]),
        Search::new("/integrations/installed/search", &["displayName", "id", "createdDate"]),
        Search::new(format!("/rosters/{}/overrides", people.roster), &["start", "createdTime"]),
    ]
}

struct People {
    group: String,
    roster: String,
}

/// People of whom many are called the same, and rosters with overrides that begin at the same time.
fn people(client: &Client) -> People {
    let mut users = Vec::new();
    let mut rosters = Vec::new();
    for number in 0..11 {
        let user = json!({"loginName": unique("u"), "firstName": format!("F{}", number % 2), "lastName": "L"});
        users.push(json!({"id": client.post("/users", &user).ok()["id"]}));
        client.post("/userGroups", &json!({"name": unique("g"), "description": ""})).ok();
        client.post("/integrations/install/CUSTOM", &json!({"displayName": format!("I{}", number % 2)})).ok();
        let shift = json!({"name": "one", "users": [users[0]], "userGroups": [], "schedule": {
            "type": "one-time", "startDate": "2026-11-20T00:00:00Z", "endDate": "2026-11-21T00:00:00Z"}});
        let roster =
            json!({"name": unique("r"), "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]});
        rosters.push(text(&client.post("/rosters", &roster).ok()["id"]));
    }
    let group = json!({"name": unique("all"), "description": "", "users": users});
    let group = text(&client.post("/userGroups", &group).ok()["uniqueId"]);
    for number in 0..11 {
        let start = format!("2037-11-2{}T00:00:00Z", number % 2);
        let taken = json!({"user": users[1], "start": start, "end": "2037-12-01T00:00:00Z"});
        client.post(&format!("/rosters/{}/overrides", rosters[0]), &taken).ok();
    }
    People { group, roster: rosters[0].clone() }
}

/// What tells one row of a search from another.
fn identity(row: &Value) -> String {
    match (&row["resource"]["id"], &row["id"]) {
        (Value::String(resource), _) => format!("{resource} {}", row["name"]),
        (_, Value::Null) => row["uniqueId"].to_string(),
        (_, id) => id.to_string(),
    }
}

fn rows(page: &Value) -> Vec<String> {
    page["results"].as_array().map(|rows| rows.iter().map(identity).collect()).unwrap_or_default()
}

fn next(page: &Value) -> Option<String> {
    let cursor = page.get("nextCursor").map(text);
    assert_eq!(page["nextPage"], json!(cursor.is_some()), "nextCursor is there whenever nextPage is true: {page}");
    cursor
}

fn follow(client: &Client, url: &str, cursor: &str) -> Response {
    client.get(&format!("{url}&cursor={}", encode(cursor)))
}

/// All rows, from page to page; `between` is called after each.
fn page_request(client: &Client, url: &str, mut between: impl FnMut(usize)) -> Vec<String> {
    let mut page = client.get(url).ok();
    let mut seen = rows(&page);
    for number in 1.. {
        assert!(number < 200, "{url} has no end");
        let Some(cursor) = next(&page) else { break };
        between(number);
        page = follow(client, url, &cursor).ok();
        seen.extend(rows(&page));
    }
    seen
}

/// On a server of its own: a client sees the people of its partner, to whom other tests add.
fn every_search_is_walked_in_every_order(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    for search in world(&client) {
        for url in search.orders() {
            let all = rows(&client.get(&format!("{url}&pageSize=1000")).page());
            assert!(all.len() >= 11, "{url} has {} rows", all.len());
            for size in [1, 4, 1000] {
                assert_eq!(
                    page_request(&client, &format!("{url}&pageSize={size}"), |_| {}),
                    all,
                    "{url}, {size} a page"
                );
            }
            let third = client.get(&format!("{url}&pageSize=2&pageNo=3")).ok();
            let cursor = next(&third).expect("there are more than six");
            assert_eq!(
                rows(&follow(&client, &format!("{url}&pageSize=1000"), &cursor).ok()),
                all[6..],
                "{url}, behind a page by number"
            );
        }
    }
}

fn clients_are_walked_in_every_order(server: &Server) {
    for _ in 0..11 {
        server.new_client();
    }
    let partner = server.admin().tenant("msp_1");
    for url in Search::new("/clients/search", &["id", "name"]).orders() {
        let all = rows(&partner.get(&format!("{url}&pageSize=1000")).page());
        assert!(all.len() >= 12, "{url}");
        // Other tests make clients of this partner meanwhile.
        let mut walked = page_request(&partner, &format!("{url}&pageSize=5"), |_| {});
        walked.retain(|id| all.contains(id));
        assert_eq!(walked, all, "{url}");
    }
}

/// Whatever takes a page number takes a cursor.
fn a_paged_list_without_a_cursor_does_not_exist(server: &Server) {
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("paths");
    let mut paged = 0;
    for (path, item) in paths {
        let names: Vec<&str> =
            parameters(&document, &item["get"]).filter_map(|parameter| parameter["name"].as_str()).collect();
        if names.contains(&"pageNo") {
            paged += 1;
            assert!(names.contains(&"cursor"), "{path} has no cursor");
        }
    }
    assert!(paged >= 16, "{paged}");
}

fn what_is_absent_comes_first_on_both_databases(server: &Server) {
    let client = server.new_client();
    for (name, address) in
        [("a", Some("10.0.0.9")), ("b", None), ("c", Some("9.0.0.1")), ("d", None), ("e", Some("::1"))]
    {
        let mut body = json!({"name": name});
        if let Some(address) = address {
            body["ipAddress"] = json!(address);
        }
        client.post("/resources", &body).ok();
    }
    let names = |descending: bool| {
        let url = format!("/resources/search?sortName=ipAddress&isDescendingOrder={descending}");
        let page = client.get(&url).page();
        let rows = page["results"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| text(&row["name"])).collect::<Vec<_>>()
    };
    let ascending = names(false);
    assert!(ascending[..2].contains(&"b".to_owned()) && ascending[..2].contains(&"d".to_owned()), "{ascending:?}");
    assert_eq!(ascending[2..], ["e", "c", "a"]);
    let mut descending = names(true);
    descending.reverse();
    assert_eq!(descending, ascending);
}

fn rows_that_are_added_are_neither_lost_nor_repeated(server: &Server) {
    for sort in ["id", "name", "hostName", "resourceName", "ipAddress", "createdDate", "updatedDate"] {
        for descending in [true, false] {
            let client = server.new_client();
            let mut before: Vec<String> =
                (0..20).map(|number| json!(device(&client, &format!("n{:02}", number % 7))).to_string()).collect();
            let url = format!("/resources/search?sortName={sort}&isDescendingOrder={descending}&pageSize=3");
            // Before, among and behind the rows that were there.
            let mut seen = page_request(&client, &url, |page| {
                for name in ["a", "n03", "z"].into_iter().take(usize::from(page < 6) * 3) {
                    device(&client, name);
                }
            });
            let met = seen.len();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), met, "{url} repeats a row");
            before.sort();
            let lost: Vec<_> = before.iter().filter(|id| seen.binary_search(id).is_err()).collect();
            assert!(lost.is_empty(), "{url} lost {lost:?}");
        }
    }
}

fn rows_that_go_do_not_take_others_along(server: &Server) {
    let client = server.new_client();
    let ids: Vec<String> = (0..12).map(|number| device(&client, &format!("n{number:02}"))).collect();
    let url = "/resources/search?sortName=name&isDescendingOrder=false&pageSize=3";
    // Those that were seen go, the one behind which the next page starts among them.
    let seen = page_request(&client, url, |page| {
        for id in &ids[(page - 1) * 3..page * 3] {
            client.delete(&format!("/resources/{id}")).ok();
        }
    });
    let expected: Vec<String> = ids.iter().map(|id| json!(id).to_string()).collect();
    assert_eq!(seen, expected);
}

fn the_envelope_keeps_count(server: &Server) {
    let client = server.new_client();
    for number in 0..7 {
        device(&client, &format!("n{number}"));
    }
    let url = "/resources/search?sortName=name&isDescendingOrder=false&pageSize=3";
    let mut page = client.get(url).page();
    for number in 1..=3 {
        let counted = (&page["pageNo"], &page["totalResults"], &page["totalPages"], &page["previousPageNo"]);
        assert_eq!(counted, (&json!(number), &json!(7), &json!(3), &json!(number - 1)), "{page}");
        assert_eq!((&page["orderBy"], &page["descendingOrder"]), (&json!("name"), &json!(false)));
        let Some(cursor) = next(&page) else {
            assert_eq!(number, 3);
            return;
        };
        page = follow(&client, url, &cursor).page();
    }
    panic!("there is no last page");
}

fn the_page_size_may_change_on_the_way(server: &Server) {
    let client = server.new_client();
    for number in 0..7 {
        device(&client, &format!("n{number}"));
    }
    let page = client.get("/resources/search?pageSize=2").ok();
    let rest = follow(&client, "/resources/search?pageSize=1000", &next(&page).expect("a next page")).ok();
    assert_eq!((rows(&rest).len(), next(&rest)), (5, None));
}

fn a_cursor_goes_with_its_own_search_only(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    for client in [&client, &other] {
        for number in 0..4 {
            let id = device(client, &format!("n{number}"));
            client.post("/sites", &json!({"name": format!("s{number}")})).ok();
            client.delete(&format!("/resources/{id}")).ok();
            device(client, &format!("n{number}"));
        }
    }
    let url = "/resources/search?sortName=name&state=active&pageSize=2";
    let cursor = next(&client.get(url).ok()).expect("a next page");
    follow(&client, "/resources/search?state=active&isDescendingOrder=true&sortName=name", &cursor).ok();
    for foreign in [
        "/resources/search?sortName=id&state=active",
        "/resources/search?sortName=name&state=active&isDescendingOrder=false",
        "/resources/search?sortName=name&state=all",
        "/resources/search?sortName=name",
        "/resources/search?sortName=name&state=active&queryString=hostName:n1",
        "/history/resources?",
        "/sites/search?sortName=name",
        "/resources/antivirus/search?sortName=name",
    ] {
        follow(&client, foreign, &cursor).invalid(&["cursor"]);
    }
    // Neither at another tenant, nor at the partner above.
    follow(&other, url, &cursor).invalid(&["cursor"]);
    follow(&server.admin(), url, &cursor).invalid(&["cursor"]);
}

fn a_cursor_that_was_tampered_with_is_refused(server: &Server) {
    let client = server.new_client();
    for number in 0..4 {
        device(&client, &format!("n{number}"));
    }
    let url = "/resources/search?sortName=name&pageSize=2";
    let cursor = next(&client.get(url).ok()).expect("a next page");
    assert!(cursor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{cursor}");
    let mut tampered: Vec<String> =
        ["", "x", "nonsense", "AAAA", "0", "-1", "'", "%", "null", "{}"].map(str::to_owned).into();
    tampered.extend([
        "A".repeat(86),
        "A".repeat(4_000),
        format!("{cursor}A"),
        format!("{cursor}="),
        format!(" {cursor}"),
    ]);
    tampered.extend((1..cursor.len()).step_by(7).map(|length| cursor[..length].to_owned()));
    for place in (0..cursor.len()).step_by(5) {
        let letter = if cursor.as_bytes()[place] == b'A' { "B" } else { "A" };
        tampered.push(format!("{}{letter}{}", &cursor[..place], &cursor[place + 1..]));
    }
    for text in tampered {
        follow(&client, url, &text).invalid(&["cursor"]);
    }
    client.get(&format!("{url}&cursor={cursor}&cursor={cursor}")).invalid(&["cursor"]);
    client.get(&format!("{url}&cursor={cursor}%00")).invalid(&["cursor"]);
    follow(&client, url, &cursor).ok();
}

fn a_cursor_takes_the_place_of_a_page_number(server: &Server) {
    let client = server.new_client();
    for number in 0..4 {
        device(&client, &format!("n{number}"));
    }
    let url = "/resources/search?pageSize=2";
    let cursor = next(&client.get(url).ok()).expect("a next page");
    follow(&client, &format!("{url}&pageNo=2"), &cursor).invalid(&["cursor"]);
    follow(&client, &format!("{url}&pageNo=1"), &cursor).ok();
    // Lists that are not paged take none.
    follow(&client, "/resources/minimal?state=all", &cursor).invalid(&["cursor"]);
}
