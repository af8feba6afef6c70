//! The variables of `queryString` about the cloud.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{create, finds};

both_backends![by_instance_id_and_account_number, flat_and_nested_attributes_are_the_same];

fn by_instance_id_and_account_number(server: &Server) {
    let client = server.new_client();
    for (name, instance, account) in [("a", "i-0abc", "1111"), ("b", "i-0abcd", "1111"), ("c", "i-0xyz", "2222")] {
        let body = json!({"name": name, "provider": "AWS", "instanceId": instance, "accountNumber": account});
        create(&client, &body);
    }
    create(&client, &json!({"name": "d"}));
    finds(
        &client,
        &[
            ("instanceId:i-0abc", "a"),
            ("instanceId:I-0ABC", "a"),
            ("instanceId:i-0", ""),
            ("instanceId:i-0abc,i-0xyz", "a c"),
            ("accountNumber:1111", "a b"),
            ("accountNumber:1111,2222", "a b c"),
            ("accountNumber:111", ""),
            ("accountNumber:1111+instanceId:i-0abcd", "b"),
        ],
    );
}

fn flat_and_nested_attributes_are_the_same(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "flat", "instanceId": "i-1", "accountNumber": "42"}));
    create(&client, &json!({"name": "nested", "properties": {"instanceId": "i-2", "accountNumber": "42"}}));
    finds(&client, &[("instanceId:i-1", "flat"), ("instanceId:i-2", "nested"), ("accountNumber:42", "flat nested")]);
}
