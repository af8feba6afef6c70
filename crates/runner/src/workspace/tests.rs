use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

/// How much is left in a directory after what `fill` did to that of a script.
fn left(fill: impl FnOnce(&Path)) -> usize {
    let work = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(work.path(), None).unwrap();
    let directory = workspace.script("echo").unwrap();
    assert_eq!(fs::read_to_string(directory.path().join(SCRIPT)).unwrap(), "echo");
    fill(directory.path());
    drop(directory);
    fs::read_dir(workspace.directory.path()).unwrap().count()
}

#[test]
fn removing_follows_no_link() {
    let other = tempfile::tempdir().unwrap();
    let kept = other.path().join("kept");
    fs::write(&kept, "here").unwrap();
    let filled = left(|path| {
        fs::create_dir(path.join("below")).unwrap();
        for place in ["link", "below/link"] {
            std::os::unix::fs::symlink(other.path(), path.join(place)).unwrap();
        }
    });
    assert_eq!((filled, fs::read_to_string(&kept).unwrap().as_str()), (0, "here"));
}

#[test]
fn no_depth_and_no_mode_keeps_files() {
    let filled = left(|path| {
        fs::create_dir(path.join("closed")).unwrap();
        fs::write(path.join("closed/file"), "").unwrap();
        fs::create_dir(path.join("closed/below")).unwrap();
        fs::write(path.join("moved-1"), "").unwrap();
        for closed in ["closed/below", "closed"] {
            fs::set_permissions(path.join(closed), fs::Permissions::from_mode(0o000)).unwrap();
        }
        // Deeper than a path can be long.
        let mut at = rustix::fs::open(path, DIRECTORY, Mode::empty()).unwrap();
        let name = "d".repeat(20);
        for _ in 0..300 {
            mkdirat(&at, &name, Mode::RWXU).unwrap();
            at = openat(&at, &name, DIRECTORY, Mode::empty()).unwrap();
        }
    });
    assert_eq!(filled, 0);
}

#[test]
fn a_directory_in_which_others_rename_is_refused() {
    let work = tempfile::tempdir().unwrap();
    for (mode, good) in [(0o777, false), (0o1777, true), (0o755, true)] {
        fs::set_permissions(work.path(), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(Workspace::new(work.path(), None).is_ok(), good, "{mode:o}");
    }
}

#[test]
fn what_a_runner_left_that_was_killed_is_removed_by_the_next() {
    let work = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(work.path()).unwrap().count();
    let alive = Workspace::new(work.path(), None).unwrap();
    let script = alive.script("echo").unwrap();
    let left = work.path().join("muster-runner-left");
    fs::create_dir_all(left.join("script/below")).unwrap();
    fs::write(left.join("script/below/password"), "hush").unwrap();
    let other = work.path().join("others");
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&other, work.path().join("muster-runner-link")).unwrap();
    let next = Workspace::new(work.path(), None).unwrap();
    assert!(!left.exists());
    assert!(script.path().join(SCRIPT).exists(), "that of one that lives stays");
    assert_eq!(count(), 4, "as do a link and other directories");
    drop((script, alive, next));
    assert_eq!(count(), 2);
}
