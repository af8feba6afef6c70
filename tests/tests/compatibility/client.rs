//! A published client library, from the registry of its language, in a script of its own calls (`story.py`).

use std::process::{Command, Stdio};

use muster_tests::{Server, both_backends, python};

both_backends![a_client_in_python_goes_through_a_day];

fn a_client_in_python_goes_through_a_day(server: &Server) {
    let Some(python) = python() else { return };
    let (key, secret) = server.credentials();
    let mut story = Command::new(python);
    story.args(["-c", include_str!("story.py"), server.base(), key, secret, &muster_tests::unique("story")]);
    let told = story.stdin(Stdio::null()).output().expect("it starts");
    let out = String::from_utf8_lossy(&told.stdout);
    let err = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{out}{err}");
    assert!(out.trim_end().ends_with("the day is over"), "{out}{err}");
}
