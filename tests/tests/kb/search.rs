//! The search for words.

use muster_tests::{Client, Server, both_backends, encode};
use serde_json::json;

use super::{article, category, column, text};

both_backends![
    words_are_found_at_their_beginning,
    the_best_come_first,
    a_snippet_marks_what_was_found,
    any_text_can_be_searched_for,
    nobody_finds_what_is_anothers,
    a_category_narrows_with_what_is_below,
    it_is_walked_by_cursor,
    it_follows_what_an_article_says,
];

fn found(client: &Client, text: &str) -> Vec<String> {
    let mut titles = column(client, &format!("/kb/article/search?query={}", encode(text)), "title");
    titles.sort_unstable();
    titles
}

fn words_are_found_at_their_beginning(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    article(&client, &within, "Backup", "The **nightly** run of ÄRGER-2000 failed; see `/var/log`.");
    article(&client, &within, "Restore", "Backups are restored from tape. 百万");
    assert_eq!(found(&client, "backup"), ["Backup", "Restore"]);
    assert_eq!(found(&client, "BACK NIGHT"), ["Backup"]);
    assert_eq!(found(&client, "backups"), ["Restore"]);
    assert_eq!(found(&client, "ärger"), ["Backup"]);
    assert_eq!(found(&client, "a\u{308}rger 2000"), ["Backup"]);
    assert_eq!(found(&client, "/var/log"), ["Backup"]);
    assert_eq!(found(&client, "百"), ["Restore"]);
    for text in ["ackup", "backup missing", "rger"] {
        assert!(found(&client, text).is_empty(), "{text}");
    }
}

fn the_best_come_first(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    article(&client, &within, "Printers", &format!("{} disk", "word ".repeat(200)));
    article(&client, &within, "Disk", "Something else entirely.");
    article(&client, &within, "Other", "Nothing.");
    assert_eq!(column(&client, "/kb/article/search?query=disk", "title"), ["Disk", "Printers"]);
    let page = client.get("/kb/article/search?query=disk").page();
    assert_eq!((&page["orderBy"], &page["descendingOrder"]), (&json!("score"), &json!(true)));
}

fn a_snippet_marks_what_was_found(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    let content = format!("{} <script>needle</script> {}", "hay ".repeat(500), "hay ".repeat(500));
    article(&client, &within, "t", &content);
    let page = client.get("/kb/article/search?query=needle").page();
    let snippet = text(&page["results"][0]["snippet"]);
    assert!(snippet.contains("&lt;script&gt;<mark>needle</mark>&lt;/script&gt;"), "{snippet}");
    assert!(snippet.chars().count() < 400 && !snippet.contains("<script"), "{snippet}");
    assert!(page["results"][0].get("content").is_none());
}

fn any_text_can_be_searched_for(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    article(&client, &within, "t", "quotes and NEAR AND OR NOT");
    for text in [
        "\"",
        "'",
        "\"a",
        "a\"",
        "*",
        "a*",
        "a AND",
        "NOT",
        "AND OR",
        "NEAR(a b, 2)",
        "title:x",
        "{a b}: c",
        "^a",
        "a + b",
        "(a",
        ")",
        "a | b",
        "a & !b",
        "a <-> b",
        "a:*",
        "'a':*",
        "\\",
        "%",
        "_",
        "-- ",
        ";DROP TABLE x",
        "\u{FFFD}",
        "a\u{301}\u{301}",
        "\u{200D}",
        "क्षि",
        "ﷺ",
        "𝟘",
        "½",
        "İ",
        "ß",
        "client_1",
        "tenant:client_1",
    ] {
        let answer = client.get(&format!("/kb/article/search?query={}", encode(text)));
        answer.page();
    }
    assert_eq!(found(&client, "NEAR"), ["t"]);
    assert_eq!(found(&client, "AND not \"or"), ["t"]);
    client.get("/kb/article/search").invalid(&["query"]);
    client.get("/kb/article/search?query=%20").invalid(&["query"]);
    client.get(&format!("/kb/article/search?query={}", "x".repeat(1001))).invalid(&["query"]);
    let many: Vec<String> = (0..33).map(|number| format!("w{number}")).collect();
    client.get(&format!("/kb/article/search?query={}", many.join("+"))).invalid(&["query"]);
    client.get("/kb/article/search?query=x&sortName=id&state=y").invalid(&["sortName", "state"]);
    assert!(found(&client, &"y".repeat(500)).is_empty());
}

fn nobody_finds_what_is_anothers(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let word = muster_tests::unique("secret").replace('-', "");
    for (owner, title) in [(&client, "mine"), (&other, "theirs")] {
        let within = category(owner, "a", None);
        article(owner, &within, title, &word);
    }
    assert_eq!(found(&client, &word), ["mine"]);
    assert_eq!(found(&other, &word), ["theirs"]);
    assert_eq!(found(&server.admin(), &word), ["mine", "theirs"]);
    // The id of a tenant is not a word that finds its articles.
    assert!(found(&client, client.tenant_id()).is_empty());
    assert!(found(&server.admin(), other.tenant_id()).is_empty());
}

fn a_category_narrows_with_what_is_below(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let z = category(&client, "z", None);
    let b = category(&client, "b", Some(&a));
    for (within, title) in [(&a, "in a"), (&b, "in b"), (&z, "in z")] {
        article(&client, within, title, "word");
    }
    let within = |id: &str| {
        let mut titles = column(&client, &format!("/kb/article/search?query=word&categoryId={id}"), "title");
        titles.sort_unstable();
        titles
    };
    assert_eq!(within(&a), ["in a", "in b"]);
    assert_eq!(within(&b), ["in b"]);
    assert!(within("KBC9999999999").is_empty());
}

fn it_is_walked_by_cursor(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    for number in 0..11 {
        article(&client, &within, &format!("t{number}"), "equal words in all of them");
    }
    let all = column(&client, "/kb/article/search?query=equal", "id");
    assert_eq!(all.len(), 11);
    let mut seen = Vec::new();
    let mut url = "/kb/article/search?query=equal&pageSize=3".to_owned();
    loop {
        let page = client.get(&url).ok();
        seen.extend(page["results"].as_array().into_iter().flatten().map(|one| text(&one["id"])));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        url = format!("/kb/article/search?query=equal&pageSize=3&cursor={cursor}");
    }
    assert_eq!(seen, all);
    assert_eq!(column(&client, "/kb/article/search?query=equal&pageSize=3&pageNo=4", "id"), all[9..]);
}

fn it_follows_what_an_article_says(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    let id = article(&client, &within, "old", "before");
    client.post(&format!("/kb/article/{id}"), &json!({"title": "new", "content": "after"})).ok();
    assert_eq!(found(&client, "after"), ["new"]);
    assert!(found(&client, "before").is_empty() && found(&client, "old").is_empty());
}
