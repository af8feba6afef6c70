//! CSV bodies of `POST /resources/bulk`.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{CSV, NDJSON, count, results, send, words};
use crate::inventory::{detail, text};

both_backends![
    a_misspelt_name_is_reported,
    a_table_has_a_column_for_each_field,
    a_byte_order_mark_and_any_line_break_do,
    an_empty_cell_keeps_the_value,
    a_quote_that_is_not_closed_swallows_no_rows,
    text_behind_a_closing_quote_is_refused,
    a_row_with_another_number_of_cells_is_refused_by_its_line,
    a_header_without_a_known_field_is_refused,
    cells_are_taken_literally,
];

fn a_table_has_a_column_for_each_field(server: &Server) {
    let client = server.new_client();
    client.post("/sites", &json!({"name": "Graz"})).ok();
    let table = "hostName,IPADDRESS,type,resourceType,appRoles,tags.env,tags.Owner,location,provider,launchDate,bios,\
                 odd\n\
                 web,10.0.0.1,DEVICE,Linux,\"nginx, redis\",prod,ops,Graz,AWS,2026-01-01T00:00:00Z,\
                 \"{\"\"systemModel\"\":\"\"M\"\"}\",ignored\n\
                 \"db,\n1\",,,,,,,,,,,\n";
    let (rows, _) = results(&send(&client, "", CSV, table));
    assert_eq!((&rows[0]["line"], &rows[1]["line"]), (&json!(2), &json!(3)));
    let web = detail(&client, &text(&rows[0]["id"]));
    assert_eq!(web["ipAddress"], json!("10.0.0.1"));
    assert_eq!(web["appRoles"], json!([{"name": "nginx"}, {"name": "redis"}]));
    assert_eq!(
        web["tags"],
        json!([
            {"name": "env", "value": "prod", "tagSource": "API"}, {"name": "Owner", "value": "ops", "tagSource": "API"},
        ])
    );
    assert_eq!((&web["location"]["name"], &web["bios"]["systemModel"]), (&json!("Graz"), &json!("M")));
    let properties = json!({"provider": "AWS", "launchDate": "2026-01-01T00:00:00+0000"});
    assert_eq!(web["properties"], properties);
    assert_eq!(detail(&client, &text(&rows[1]["id"]))["generalInfo"]["hostName"], json!("db,\n1"));
}

fn a_byte_order_mark_and_any_line_break_do(server: &Server) {
    let client = server.new_client();
    for (place, table) in ["\u{FEFF}name\r\nA\r\nB\r\n", "name\nC", "\r\n\nname\n\n\nD\n\n"].into_iter().enumerate() {
        let words = words(&send(&client, "", CSV, table));
        assert!(words.iter().all(|word| word == "created") && !words.is_empty(), "{place}: {words:?}");
    }
    assert_eq!(crate::inventory::found(&client, "state:all"), ["A", "B", "C", "D"]);
    assert_eq!(words(&send(&client, "", CSV, "name\n")), [""; 0]);
}

fn an_empty_cell_keeps_the_value(server: &Server) {
    let client = server.new_client();
    let (rows, _) = results(&send(&client, "", CSV, "hostName,make,tags.env,tags.owner\nweb,Dell,test,ops\n"));
    assert_eq!(words(&send(&client, "", CSV, "hostName,make,tags.ENV\nweb,,prod\n")), ["updated"]);
    let web = detail(&client, &text(&rows[0]["id"]));
    assert_eq!(web["generalInfo"]["make"], json!("Dell"));
    let tags: Vec<_> = web["tags"].as_array().into_iter().flatten().map(|tag| text(&tag["value"])).collect();
    assert_eq!(tags, ["prod", "ops"]);
    assert_eq!(words(&send(&client, "", CSV, "hostName,tags.owner\nweb,ops\nweb,\n")), ["unchanged", "unchanged"]);
}

fn a_row_with_another_number_of_cells_is_refused_by_its_line(server: &Server) {
    let client = server.new_client();
    let (rows, _) = results(&send(&client, "", CSV, "name,make,model\na,Dell,X\nb,Dell\nc,Dell,X,more\nd,Dell,X\n"));
    let seen: Vec<_> = rows.iter().map(|row| (row["line"].clone(), text(&row["result"]))).collect();
    let expected = [(2, "created"), (3, "error"), (4, "error"), (5, "created")];
    assert_eq!(seen, expected.map(|(line, word)| (json!(line), word.to_owned())));
    assert_eq!(rows[1]["errors"][0]["message"], json!("has 2 cells, the header has 3"));
    assert_eq!(count(&client), 2);
}

fn a_quote_that_is_not_closed_swallows_no_rows(server: &Server) {
    let client = server.new_client();
    let table = "hostName,aliasName,description\nq1,A,\"text\nq2,B,second\n";
    send(&client, "", CSV, table).invalid(&["line[2]"]);
    send(&client, "?atomic=true", CSV, table).invalid(&["line[2]"]);
    assert_eq!(count(&client), 0);
    let many: String = (0..250).map(|number| format!("host-{number},x,y\n")).collect();
    let (rows, summary) =
        results(&send(&client, "", CSV, format!("hostName,make,model\n{many}last,\"x,y\nmore,x,y\n")));
    assert_eq!((&summary["created"], &summary["complete"]), (&json!(250), &json!(false)), "{summary}");
    assert_eq!((&rows[250]["line"], &rows[250]["result"]), (&json!(252), &json!("error")));
}

fn text_behind_a_closing_quote_is_refused(server: &Server) {
    let client = server.new_client();
    let table = "name,description\na,\"x\"y\nb,\"x\"\"y\"\nc,5\" disk\n\"d\" ,x\n";
    let (rows, summary) = results(&send(&client, "", CSV, table));
    let words: Vec<_> = rows.iter().map(|row| (row["line"].clone(), text(&row["result"]))).collect();
    let expected = [(2, "error"), (3, "created"), (4, "created"), (5, "error")];
    assert_eq!(words, expected.map(|(line, word)| (json!(line), word.to_owned())));
    assert_eq!((&rows[0]["errors"][0]["fieldName"], &summary["complete"]), (&json!("row"), &json!(true)));
    assert_eq!(detail(&client, &text(&rows[2]["id"]))["generalInfo"]["description"], json!("5\" disk"));
    send(&client, "", CSV, "\"name\"x\na\n").invalid(&["line[1]"]);
}

fn a_header_without_a_known_field_is_refused(server: &Server) {
    let client = server.new_client();
    for table in
        ["", "\n\n", "a;b\n1;2\n", "just some text", "name,NAME\na,b\n", "tags.a,name,tags.A\n1,2,3\n", "\u{0}\n"]
    {
        send(&client, "", CSV, table).invalid(&["line[1]"]);
    }
    assert_eq!(count(&client), 0);
}

fn cells_are_taken_literally(server: &Server) {
    let client = server.new_client();
    let table = "name,description,serialNumber\n=1+1,\"+x, @y\",007\n-2,@z,1e5\n";
    let (rows, _) = results(&send(&client, "", CSV, table));
    let first = detail(&client, &text(&rows[0]["id"]));
    assert_eq!(first["generalInfo"]["name"], json!("=1+1"));
    assert_eq!(first["generalInfo"]["description"], json!("+x, @y"));
    assert_eq!(first["bios"]["systemSerial"], json!("007"));
    let exported = client.get("/resources/export?format=csv").text();
    assert!(exported.contains("'=1+1") && exported.contains("\"'+x, @y\"") && exported.contains(",1e5,"), "{exported}");
}

fn a_misspelt_name_is_reported(server: &Server) {
    let client = server.new_client();
    let table = "hostName,ipAdress,Seriel Number,tags.env,\nweb,10.0.0.1,X,prod,\n";
    let lines = "{\"hostName\": \"db\", \"ipAdress\": \"10.0.0.2\", \"tags\": [{\"name\": \"a\", \"valeu\": \"b\"}]}\n";
    for query in ["", "?dryRun=true", "?atomic=true", "?atomic=true&dryRun=true"] {
        let answer = send(&client, query, CSV, table);
        let (_, summary) = results(&answer);
        let expected = json!([
            "ipAdress is not a field of a resource and was ignored; did you mean ipAddress?",
            "Seriel?Number is not a field of a resource and was ignored; did you mean serialNumber?",
        ]);
        assert_eq!(summary["warnings"], expected, "{query}: {answer}");
        assert_eq!(answer.header("X-Ignored-Fields"), Some("ipAdress, Seriel?Number"), "{query}: {answer}");
        let answer = send(&client, query, NDJSON, lines);
        let warnings = results(&answer).1["warnings"].clone();
        assert_eq!(warnings.as_array().map(Vec::len), Some(2), "{query}: {answer}");
        assert!(warnings.to_string().contains("did you mean ipAddress?"), "{query}: {answer}");
        assert_eq!(answer.header("X-Ignored-Fields"), Some("ipAdress, tags[0].valeu"), "{query}: {answer}");
    }
    let (_, summary) = results(&send(&client, "", CSV, "HOSTNAME,tags.A\nweb,x\n"));
    assert_eq!(summary.get("warnings"), None, "{summary}");
}
