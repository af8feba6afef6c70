//! `POST /devices/{id}/manage` and `/unmanage`.

use muster_tests::{Server, both_backends, uuid};
use serde_json::json;

use super::{create, detail, found, next_second, text, timestamp};

both_backends![states_change_and_are_listed, managed_times_are_kept, unknown_devices_are_404s];

fn states_change_and_are_listed(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a", "state": "discovered"}));
    for (action, state) in [("manage", "active"), ("unmanage", "inactive"), ("manage", "active")] {
        client.post_empty(&format!("/devices/{id}/{action}")).ok();
        assert_eq!(detail(&client, &id)["state"], json!(state));
        assert_eq!(found(&client, &format!("state:{state}")), ["a"]);
        assert_eq!(found(&client, "state:all"), ["a"]);
    }
    assert!(found(&client, "state:discovered").is_empty());
}

fn managed_times_are_kept(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a", "state": "discovered"}));
    let info = |field: &str| detail(&client, &id)["generalInfo"][field].clone();
    let never = text(&info("firstAssetManagedTime"));
    assert_eq!(never, "", "a discovered device was never managed");
    client.post_empty(&format!("/devices/{id}/manage")).ok();
    let first = timestamp(&info("firstAssetManagedTime"));
    assert_eq!(timestamp(&info("assetManagedTime")), first);
    next_second();
    client.post_empty(&format!("/devices/{id}/unmanage")).ok();
    assert_eq!(timestamp(&info("firstAssetManagedTime")), first, "the first time stays");
    let unmanaged = timestamp(&info("assetManagedTime"));
    assert!(unmanaged > first);
    next_second();
    client.post_empty(&format!("/devices/{id}/manage")).ok();
    assert!(timestamp(&info("assetManagedTime")) > unmanaged);
    assert_eq!(timestamp(&info("firstAssetManagedTime")), first);
}

fn unknown_devices_are_404s(server: &Server) {
    let client = server.new_client();
    for action in ["manage", "unmanage"] {
        client.post_empty(&format!("/devices/{}/{action}", uuid())).not_found();
    }
}
