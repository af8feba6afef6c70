//! Signatures after Standard Webhooks, verified by somebody else's library where there is one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use muster_tests::{Backend, both_backends};
use serde_json::json;

use super::{
    event, incident, install, on_incidents, path,
    receiver::{Received, Receiver},
    server, text,
};

both_backends![a_real_delivery_is_verified];

/// Verifies a message from a file with a secret; prints `ok` or why not.
const VERIFY: &str = r"
import json, sys
from standardwebhooks.webhooks import Webhook
message = json.load(open(sys.argv[1]))
try:
    Webhook(sys.argv[2]).verify(message['body'], message['headers'])
    print('ok')
except Exception as error:
    print(type(error).__name__, error)
";

/// A Python that has the library, in a folder of its own; `None` where it cannot be had.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let made = PYTHON.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        let environment = folder.path().join("venv");
        let made = run(Command::new("python3").args(["-m", "venv"]).arg(&environment));
        let python = environment.join("bin/python");
        let installed = made && run(Command::new(&python).args(["-m", "pip", "install", "-q", "standardwebhooks"]));
        installed.then_some((folder, python))
    });
    made.as_ref().map(|(_, python)| python.as_path())
}

fn a_real_delivery_is_verified(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    event(&client, &made, &on_incidents("{\"s\": \"$incident.subject\"}"));
    incident(&client, &json!({"subject": "ünïcödé"}));
    let first = receiver.wait(1).remove(0);
    let rotated = client.post_empty(&format!("{}/signingSecret/rotate", path(&made))).ok();
    incident(&client, &json!({"subject": "two"}));
    let second = receiver.wait(2).remove(1);
    let old = text(&made["signingSecret"]);
    let new = text(&rotated["signingSecret"]);
    assert_eq!(first.header("webhook-signature").split(' ').count(), 1);
    assert_eq!(second.header("webhook-signature").split(' ').count(), 2, "both are valid for a while");
    assert!(first.header("webhook-id").starts_with("DLV-"));
    let folder = tempfile::tempdir().unwrap();
    let Some(python) = python() else { return };
    let verified = |request: &Received, secret: &str| {
        let headers: serde_json::Map<String, serde_json::Value> =
            request.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let file = folder.path().join("message.json");
        std::fs::write(&file, json!({"body": request.text(), "headers": headers}).to_string()).unwrap();
        let output = Command::new(python).args(["-c", VERIFY]).arg(&file).arg(secret).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(verified(&first, &old), "ok");
    assert_ne!(verified(&first, &new), "ok");
    assert_eq!((verified(&second, &old), verified(&second, &new)), ("ok".to_owned(), "ok".to_owned()));
    let mut changed = first.clone();
    changed.body.push(b' ');
    assert_ne!(verified(&changed, &old), "ok");
}
