//! Query parameters are read strictly: ranges, types, repetition, unknown names.

use muster_tests::{Client, Server, both_backends};
use serde_json::json;

both_backends![
    unknown_parameters_are_refused_by_name,
    repeated_parameters_are_refused_by_name,
    a_repeated_page_parameter_takes_the_last,
    pages_out_of_range_name_the_limit,
    the_largest_page_size_is_taken,
    types_are_checked,
    all_errors_are_listed,
    sort_names_are_an_allow_list,
    values_may_hold_no_nul_and_no_bad_utf8,
    a_page_past_the_end_is_empty,
];

const LISTS: [&str; 3] = ["/history/resources", "/resources/antivirus/search", "/resources/search"];

fn unknown_parameters_are_refused_by_name(server: &Server) {
    let client = server.new_client();
    for path in LISTS.into_iter().chain(["/resources/minimal", "/resourceType/minimal"]) {
        client.get(&format!("{path}?colour=blue")).invalid(&["colour"]);
        client.get(&format!("{path}?colour=blue&Size=1")).invalid(&["colour", "Size"]);
        client.get(&format!("{path}?colour")).invalid(&["colour"]);
    }
    client.get("/resources/minimal?pageNo=1").invalid(&["pageNo"]);
}

fn repeated_parameters_are_refused_by_name(server: &Server) {
    let client = server.new_client();
    client.get("/resources/minimal?state=all&state=active").invalid(&["state"]);
    client.get("/resources/minimal?locationId=0&locationId=0").invalid(&["locationId"]);
    for path in LISTS {
        let repeated = format!("{path}?queryString=state:ALL&queryString=state:ALL");
        let body = client.get(&repeated).problem(400, "0002");
        assert!(body["errors"].to_string().contains("\"queryString\""), "{body}");
    }
    client.get("/resources/search?sortName=id&sortName=id").invalid(&["sortName"]);
}

fn a_repeated_page_parameter_takes_the_last(server: &Server) {
    let client = server.new_client();
    for path in LISTS {
        let page = client.get(&format!("{path}?pageNo=1&pageSize=7&pageSize=9&pageNo=3")).page();
        assert_eq!((&page["pageNo"], &page["pageSize"]), (&json!(3), &json!(9)));
    }
}

fn pages_out_of_range_name_the_limit(server: &Server) {
    let client = server.new_client();
    for path in LISTS {
        for number in ["0", "-1", "99999999999999999999", "1.5", "one", "", "0x10", "1e2", "%2B1e1"] {
            client.get(&format!("{path}?pageNo={number}")).invalid(&["pageNo"]);
        }
        for size in ["0", "-5", "1001", "99999999999999999999", "ten", ""] {
            client.get(&format!("{path}?pageSize={size}")).invalid(&["pageSize"]);
        }
        let body = client.get(&format!("{path}?pageSize=1001")).problem(400, "0002");
        assert!(body["errors"][0]["message"].to_string().contains("1000"), "the limit is named: {body}");
        let body = client.get(&format!("{path}?pageNo=0")).problem(400, "0002");
        assert!(body["errors"][0]["message"].to_string().contains('1'), "the limit is named: {body}");
    }
}

fn the_largest_page_size_is_taken(server: &Server) {
    let client = server.new_client();
    for path in LISTS {
        assert_eq!(client.get(&format!("{path}?pageSize=1000")).page()["pageSize"], json!(1000));
        assert_eq!(client.get(path).page()["pageSize"], json!(100));
    }
}

fn types_are_checked(server: &Server) {
    let client = server.new_client();
    for name in ["locationId", "deviceGroupId", "deviceTypeId"] {
        for value in ["abc", "1.5", "99999999999999999999", "0 OR 1=1"] {
            let path = format!("/resources/minimal?{name}={}", muster_tests::encode(value));
            client.get(&path).invalid(&[name]);
        }
    }
    let refused = client.get("/resources/minimal?state=asleep").invalid(&["state"]);
    for allowed in ["active", "inactive", "discovered", "all"] {
        assert!(refused["message"].to_string().contains(allowed), "the states are listed: {refused}");
    }
    client.get("/resources/minimal?state=ALL").list();
    let descending = "/resources/antivirus/search?isDescendingOrder";
    client.get(&format!("{descending}=perhaps")).invalid(&["isDescendingOrder"]);
    client.get(&format!("{descending}=1")).invalid(&["isDescendingOrder"]);
    assert_eq!(client.get(&format!("{descending}=FALSE")).page()["descendingOrder"], json!(false));
    assert_eq!(client.get(&format!("{descending}=true")).page()["descendingOrder"], json!(true));
}

fn all_errors_are_listed(server: &Server) {
    let client = server.new_client();
    let path = "/resources/search?pageNo=0&pageSize=5000&sortName=colour&isDescendingOrder=up&shape=round";
    client.get(path).invalid(&["pageNo", "pageSize", "sortName", "isDescendingOrder", "shape"]);
}

fn sort_names_are_an_allow_list(server: &Server) {
    let client = server.new_client();
    for (path, known) in [
        (
            "/resources/search",
            &["id", "name", "hostName", "resourceName", "ipAddress", "createdDate", "updatedDate"][..],
        ),
        ("/resources/antivirus/search", &["scanDate"][..]),
    ] {
        for name in known {
            assert_eq!(client.get(&format!("{path}?sortName={name}")).page()["orderBy"], json!(name));
        }
        for name in ["password", "id;drop table resources", "1", "tenant"] {
            let refused = client.get(&format!("{path}?sortName={}", muster_tests::encode(name))).invalid(&["sortName"]);
            for allowed in known {
                assert!(refused["message"].to_string().contains(allowed), "{allowed} is listed: {refused}");
            }
        }
    }
    client.get("/history/resources?sortName=id").invalid(&["sortName"]);
}

fn values_may_hold_no_nul_and_no_bad_utf8(server: &Server) {
    let client = server.new_client();
    let refused = |client: &Client, path: &str| client.get(path).problem(400, "0002");
    for value in ["hostName:a%00b", "%00", "hostName:%FF%FE", "hostName:%ED%A0%80"] {
        refused(&client, &format!("/resources/minimal?queryString={value}"));
    }
    refused(&client, "/resources/minimal?state=%00");
    refused(&client, "/resources/minimal?%FF=1");
}

fn a_page_past_the_end_is_empty(server: &Server) {
    let client = server.new_client();
    for path in LISTS {
        for number in [2, 1_000_000, 2_147_483_647] {
            let page = client.get(&format!("{path}?pageNo={number}&pageSize=1000")).page();
            assert_eq!(page["results"], json!([]));
            assert_eq!(page["totalPages"], json!(0));
            assert_eq!(page["nextPage"], json!(false));
        }
    }
}
