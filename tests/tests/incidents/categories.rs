//! Categories: create, list, rename, delete.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{at, categories, category, text};

both_backends![
    several_are_created_in_the_order_of_their_names,
    names_are_checked_before_anything_is_stored,
    names_are_unique_among_siblings_whatever_their_case_and_composition,
    the_list_is_flat_or_a_tree,
    an_update_renames_and_its_children_show_it,
    categories_in_use_are_not_deleted,
    a_partners_categories_are_read_by_its_clients,
    unknown_ids_and_parents_are_refused,
];

/// The names of all categories of the tenant itself.
fn names(client: &Client) -> Vec<String> {
    let page = client.search("/incidents/categories", "allList:false").page();
    page["results"].as_array().into_iter().flatten().map(|one| text(&one["name"])).collect()
}

fn several_are_created_in_the_order_of_their_names(server: &Server) {
    let client = server.new_client();
    let created = client.post("/incidents/categories", &json!({"names": ["Storage", " Network ", "Apps"]})).list();
    let shown: Vec<&Value> = created.iter().map(|one| &one["name"]).collect();
    assert_eq!(shown, ["Storage", "Network", "Apps"]);
    for one in &created {
        assert!(text(&one["uniqueId"]).starts_with("SCAT-"), "{one}");
        assert!(one.get("parentCategory").is_none(), "{one}");
        for by in ["createdBy", "updatedBy"] {
            assert!(text(&one[by]["id"]).starts_with("USR") && one[by]["loginName"].is_string(), "{one}");
        }
        assert!(text(&one["createdDate"]).ends_with("+0000") && one["updatedDate"] == one["createdDate"], "{one}");
    }
    let parent = text(&created[1]["uniqueId"]);
    let body = json!({"names": ["Wireless"], "parentCategory": {"uniqueId": parent, "name": "Network"}});
    let child = client.post("/incidents/categories", &body).list().remove(0);
    assert_eq!(child["parentCategory"], json!({"uniqueId": parent, "name": "Network"}));
    let read = client.get(&at(&text(&child["uniqueId"])));
    assert!(read.header("ETag").is_some());
    assert_eq!(read.ok(), child);
    let by_name = json!({"names": ["VPN"], "parentCategory": {"name": "NETWORK"}});
    assert_eq!(client.post("/incidents/categories", &by_name).list()[0]["parentCategory"]["uniqueId"], json!(parent));
}

fn names_are_checked_before_anything_is_stored(server: &Server) {
    let client = server.new_client();
    let post = |body: Value| client.post("/incidents/categories", &body);
    let many: Vec<String> = (0..10_000).map(|number| format!("n{number}")).collect();
    post(json!({"names": many})).invalid(&["names"]);
    post(json!({"names": []})).invalid(&["names"]);
    post(json!({})).invalid(&["names"]);
    post(json!({"names": "Network"})).invalid(&["names"]);
    post(json!({"names": ["a", "b", "a"]})).invalid(&["names[2]"]);
    post(json!({"names": ["a", "A", "", 7, "x".repeat(201)]}))
        .invalid(&["names[1]", "names[2]", "names[3]", "names[4]"]);
    post(json!({"names": ["é", "E\u{301}"]})).invalid(&["names[1]"]);
    assert!(names(&client).is_empty());
    let most: Vec<String> = (0..1000).map(|number| format!("n{number}")).collect();
    assert_eq!(post(json!({"names": most})).list().len(), 1000);
}

fn names_are_unique_among_siblings_whatever_their_case_and_composition(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "Café", None);
    for name in ["café", "CAFÉ", "Cafe\u{301}"] {
        client.post("/incidents/categories", &json!({"names": ["new", name]})).problem(409, "0004");
    }
    assert_eq!(names(&client), ["Café"], "all or none");
    category(&client, "café", Some(&top));
    let other = category(&client, "Other", None);
    client.post(&at(&other), &json!({"name": "CAFÉ"})).problem(409, "0004");
    client.post(&at(&top), &json!({"name": "CAFÉ"})).ok();
}

fn the_list_is_flat_or_a_tree(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "a", None);
    let below = categories(&client, &["c", "b"], Some(&top));
    category(&client, "d", Some(&below[1]));
    category(&client, "z", None);
    assert_eq!(names(&client), ["a", "b", "c", "d", "z"]);
    let page = client.get("/incidents/categories?view=tree&queryString=allList:false").page();
    let shape = |list: &Value| -> Value {
        fn of(list: &Value) -> Value {
            list.as_array().into_iter().flatten().map(|one| json!([one["name"], of(&one["children"])])).collect()
        }
        of(list)
    };
    assert_eq!(shape(&page["results"]), json!([["a", [["b", [["d", []]]], ["c", []]]], ["z", []]]));
    assert_eq!(page["totalResults"], json!(2));
    let found = |query: &str| -> Vec<String> {
        let page = client.search("/incidents/categories", query).page();
        page["results"].as_array().into_iter().flatten().map(|one| text(&one["name"])).collect()
    };
    assert_eq!(found(&format!("parentId:{top}")), ["b", "c"]);
    assert_eq!(found("parentId:none+allList:false"), ["a", "z"]);
    assert_eq!(found("name:D+isEquals:true+allList:false"), ["d"]);
    let first = client.get("/incidents/categories?pageSize=2&queryString=allList:false").page();
    let cursor = text(&first["nextCursor"]);
    let next = client.get(&format!("/incidents/categories?pageSize=2&queryString=allList:false&cursor={cursor}")).ok();
    assert_eq!(next["results"][0]["name"], json!("c"));
    client.get("/incidents/categories?sortName=x&view=y&z=1").invalid(&["sortName", "view", "z"]);
    client.get("/incidents/categories?queryString=owner:me").invalid(&["queryString"]);
}

fn an_update_renames_and_its_children_show_it(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "a", None);
    let child = category(&client, "b", Some(&top));
    let tag = |id: &str| client.get(&at(id)).header("ETag").unwrap_or_default().to_owned();
    let of_top = tag(&top);
    let of_child = tag(&child);
    assert_eq!(client.post(&at(&top), &json!({"name": "aa"})).ok()["name"], json!("aa"));
    assert_eq!(client.get(&at(&child)).ok()["parentCategory"]["name"], json!("aa"));
    assert_ne!(tag(&child), of_child, "it shows another name");
    let late = client.request("POST", &at(&top)).header("If-Match", &of_top).json(&json!({"name": "x"})).send();
    late.problem(412, "0004");
    client.post(&at(&top), &json!({"name": " "})).invalid(&["name"]);
}

fn categories_in_use_are_not_deleted(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "a", None);
    let child = category(&client, "b", Some(&top));
    client.delete(&at(&top)).problem(409, "0004");
    let filed = json!({"subject": "x", "category": {"uniqueId": top}, "subCategory": {"uniqueId": child}});
    let incident = text(&client.post("/incidents", &filed).ok()["id"]);
    client.delete(&at(&child)).problem(409, "0004");
    client.post(&format!("/incidents/{incident}"), &json!({"subCategory": {"uniqueId": ""}})).ok();
    assert_eq!(client.delete(&at(&child)).ok(), json!({}));
    client.delete(&at(&top)).problem(409, "0004");
    client.post(&format!("/incidents/{incident}"), &json!({"category": {"uniqueId": ""}})).ok();
    client.delete(&at(&top)).ok();
    client.get(&at(&top)).not_found();
    // A partner's is in use when a client's incident is filed under it.
    let partner = server.admin();
    let shared = category(&partner, &unique("shared"), None);
    let used = client.post("/incidents", &json!({"subject": "x", "category": {"uniqueId": shared}})).ok();
    assert_eq!(used["category"]["uniqueId"], json!(shared));
    partner.delete(&at(&shared)).problem(409, "0004");
}

fn a_partners_categories_are_read_by_its_clients(server: &Server) {
    let partner = server.admin();
    let client = server.new_client();
    let name = unique("shared");
    let shared = category(&partner, &name, None);
    let read = client.get(&at(&shared)).ok();
    assert_eq!((&read["clientUniqueId"], &read["name"]), (&json!("msp_1"), &json!(name)));
    assert!(text(&read["createdBy"]["id"]).starts_with("USR"));
    let found = client.search("/incidents/categories", &format!("name:{name}")).page();
    assert_eq!(found["totalResults"], json!(1));
    client.post(&at(&shared), &json!({"name": "mine"})).not_found();
    client.post(&format!("{}/move", at(&shared)), &json!({})).not_found();
    client.delete(&at(&shared)).not_found();
    let below = json!({"names": ["x"], "parentCategory": {"uniqueId": shared}});
    client.post("/incidents/categories", &below).invalid(&["parentCategory.uniqueId"]);
    // From above, the partner changes those of its clients.
    let own = category(&client, "own", None);
    partner.post(&at(&own), &json!({"name": "from above"})).ok();
    partner.delete(&at(&own)).ok();
    partner.delete(&at(&shared)).ok();
}

fn unknown_ids_and_parents_are_refused(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let theirs = category(&other, "theirs", None);
    for id in [theirs.as_str(), "SCAT-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "SCAT-", "x", "%FF", "SCAT-%2F"] {
        client.get(&at(id)).not_found();
        client.post(&at(id), &json!({"name": "x"})).not_found();
        client.delete(&at(id)).not_found();
    }
    let below =
        |parent: Value| client.post("/incidents/categories", &json!({"names": ["x"], "parentCategory": parent}));
    below(json!({"uniqueId": theirs})).invalid(&["parentCategory.uniqueId"]);
    below(json!({"name": "theirs"})).invalid(&["parentCategory.name"]);
    below(json!({})).invalid(&["parentCategory.uniqueId"]);
    below(json!("x")).invalid(&["parentCategory"]);
    // Malformed values and unknown ids are reported together.
    let both = json!({"names": ["fine", " "], "parentCategory": {"uniqueId": theirs}});
    client.post("/incidents/categories", &both).invalid(&["names[1]", "parentCategory.uniqueId"]);
    let mine = category(&client, "mine", None);
    let both = json!({"name": " ", "parentCategory": {"name": "theirs"}});
    client.post(&at(&mine), &both).invalid(&["name", "parentCategory.name"]);
    let tops = categories(&client, &["a", "b"], None);
    tops.iter().for_each(|top| drop(category(&client, "twice", Some(top))));
    below(json!({"name": "twice"})).invalid(&["parentCategory.name"]);
}
