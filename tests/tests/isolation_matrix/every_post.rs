//! Every `POST` of the document takes an `Idempotency-Key`: sent twice it is carried out once, and answered the same.

use muster_tests::{Backend, both_backends, unique};
use serde_json::Value;

use super::{column, world::Sent};

/// What is shown once: secrets, and addresses that have one in them.
const ONCE: [&str; 5] = ["secret", "token", "url", "signingSecret", "apiKeyPairs"];

both_backends![every_post_is_carried_out_once_under_a_key];

fn every_post_is_carried_out_once_under_a_key(backend: Backend) {
    column(backend, |world| {
        let posts = world.guarded().filter(|(operation, _)| operation.method == "POST");
        for (operation, recipe) in posts {
            let home = world.home(recipe);
            let sent = Sent::new(operation, recipe, home, &home.fresh_ids(recipe));
            let sent = sent.header("Idempotency-Key", &unique("key"));
            let call = |sent: &Sent| world.send(&home.admin, Some(home), sent);
            let first = call(&sent);
            let again = call(&sent);
            assert_eq!((first.status, first.header("Idempotency-Replayed")), (200, None), "{first}");
            // An agent gets its own handshake, which has no such header; and what only reads is read again.
            let silent = operation.name().contains("/agents/") || operation.role.as_deref() == Some("viewer");
            let told = silent || again.header("Idempotency-Replayed") == Some("true");
            assert!(again.status == 200 && told, "{again}");
            assert_eq!(again.header("ETag"), first.header("ETag"), "{again}");
            match serde_json::from_slice::<Value>(&first.body) {
                Ok(told) if without_secrets(&told) != told => {
                    assert_eq!(again.json(), without_secrets(&told), "{again}");
                }
                _ => assert_eq!(again.text(), first.text(), "{}", operation.name()),
            }
            // Another report of an agent under its key is another report.
            let is_report = operation.name().contains("/agents/reports");
            if recipe.body.is_some() && operation.role.as_deref() != Some("viewer") && !is_report {
                call(&sent.altered()).problem(422, "0002");
            }
        }
    });
}

/// An answer as it is told again.
fn without_secrets(told: &Value) -> Value {
    let mut again = told.clone();
    for place in ["", "/inboundConfig/authentication"] {
        if let Some(Value::Object(fields)) = again.pointer_mut(place) {
            fields.retain(|name, _| !ONCE.contains(&name.as_str()));
        }
    }
    again
}
