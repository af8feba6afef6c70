//! A script in namespaces of its own (Linux): it sees no process but those that it started, and when it is over the
//! kernel kills all of them, however many there are and wherever they went.
//!
//! Root needs nothing but the namespaces of processes and mounts, and the script becomes another user in there. Who is
//! not root needs a user namespace around them, in which it keeps its own number; what it may do in there, it gives up
//! before the script starts.
//!
//! Of temporary files it sees its own alone: its directory is what it finds at `/tmp` and wherever else programs leave
//! files for each other, and the directories of other scripts are out of its sight. Queues and shared memory (System V,
//! POSIX) are its own, too.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::{
        fd::AsRawFd as _,
        unix::process::{CommandExt as _, ExitStatusExt as _},
    },
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::Context as _;
use rustix::{
    fs::{Access, AtFlags, CWD, FileType, Mode, OFlags, Stat, accessat, lstat},
    io::Errno,
    mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change},
    process::{DumpableBehavior, Pid, Signal, WaitOptions, kill_process_group, set_dumpable_behavior, wait},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
        configure_capability_in_ambient_set, set_capabilities,
    },
};

use crate::{
    confinement::{Confinement, SCRIPT_DIRECTORY, as_exit_code, limit_processes, own_program, script_command},
    options::Launch,
    orphans::Orphans,
    workspace::Workspace,
};

/// Where programs leave files for each other, and anybody may, on every machine.
const SHARED_DIRECTORIES: [&str; 3] = [SCRIPT_DIRECTORY, "/var/tmp", "/dev/shm"];

/// Where else machines have such places, such as `/run/lock`, and how deep they are looked for.
const SEARCH_ROOTS: [(&str, usize); 3] = [("/run", 4), ("/dev", 2), ("/var", 2)];

/// The exit code of what was killed, as a shell says it.
const KILLED: i32 = 128 + 9;

/// Does this machine let scripts have namespaces of their own? When not, why.
///
/// # Errors
/// The objection of the kernel, or of what confines this program.
pub fn try_out(confinement: Confinement, workspace: &Workspace, orphans: &Orphans) -> Result<(), String> {
    let attempt = || -> anyhow::Result<_> {
        let directory = workspace.script("")?;
        let mut command = Confinement { isolated: true, ..confinement }.command("true", &[], &directory)?;
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // As long as this is there, so may the process be.
        let control = child.stdin.take();
        let output = child.wait_with_output()?;
        drop(control);
        Ok(output)
    };
    let done = attempt();
    orphans.end();
    match done {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// Makes the namespaces, and waits for the first process in there, which is this program a third time.
///
/// # Errors
/// When the kernel refuses a namespace.
pub fn enter(arguments: &Launch) -> anyhow::Result<u8> {
    let uid = rustix::process::geteuid();
    let gid = rustix::process::getegid();
    if uid.is_root() {
        unshare(UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWIPC)?;
    } else {
        let own = UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
        unshare(UnshareFlags::NEWUSER | own)?;
        fs::write("/proc/self/setgroups", "deny").context("setting up the user namespace")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")).context("setting up the user namespace")?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")).context("setting up the user namespace")?;
        // Anyone who is not root loses its capabilities with its next program, but for those that it says it keeps.
        let all = capabilities(None)?;
        set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::SYS_ADMIN, ..all })?;
        configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    }
    let mut first = Command::new(own_program()?);
    first
        .arg0("muster")
        .args(std::env::args_os().skip(1).take_while(|argument| argument != "--"))
        .arg("--first")
        .arg("--");
    let status = first.args(&arguments.command).status().context("starting the first process")?;
    Ok(as_exit_code(status))
}

#[expect(
    deprecated,
    reason = "what makes it unsafe is a table of descriptors that threads do not share any more, and nobody asks for \
              that here"
)]
fn unshare(flags: UnshareFlags) -> anyhow::Result<()> {
    rustix::thread::unshare(flags).context("making namespaces")
}

/// The first process of the namespace: when it ends, all others are killed. It starts the script, and reaps what loses
/// its parent.
///
/// # Errors
/// When `/proc` cannot be made to show this namespace alone, or the script cannot be started.
pub fn run_first_process(arguments: &Launch) -> anyhow::Result<u8> {
    // What is mounted here stays here.
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC).context("parting the mounts")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).context("mounting /proc")?;
    isolate_files(arguments)?;
    if !rustix::process::geteuid().is_root() {
        clear_ambient_capability_set()?;
        let none = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    }
    // A script of the same user must not take this process over.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    limit_processes(arguments.processes);
    let mut command = script_command(arguments)?;
    let child = command.process_group(0).stdin(Stdio::null()).spawn()?;
    let pid = Pid::from_child(&child);
    std::thread::spawn(move || follow_control(pid));
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((over, status))) if over == pid => {
                // What it printed is in the pipe already; all that it left behind dies with this process.
                std::io::stderr().flush()?;
                return Ok(as_exit_code(ExitStatus::from_raw(status.as_raw())));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Puts the directory of the script, which is where this process is, in place of those that all share, and hides those
/// of other scripts.
fn isolate_files(arguments: &Launch) -> anyhow::Result<()> {
    let is_root = rustix::process::geteuid().is_root();
    let user = is_root.then(|| (arguments.uid.unwrap_or(0), arguments.gid.unwrap_or(0)));
    // Before anything is mounted over them, and as they are on the machine.
    let mut directories: Vec<PathBuf> = SHARED_DIRECTORIES.map(PathBuf::from).to_vec();
    for (root, depth) in SEARCH_ROOTS {
        add_writable(Path::new(root), depth, user, &mut directories);
    }
    let own = rustix::fs::open(".", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    if let Some(hidden) = &arguments.hide {
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount("tmpfs", hidden, "tmpfs", flags, Some(c"mode=0555"))
            .context("hiding the directories of other scripts")?;
    }
    let own = format!("/proc/self/fd/{}", own.as_raw_fd());
    for directory in directories {
        match mount_bind(&own, &directory) {
            Ok(()) => {}
            Err(Errno::NOENT) if directory != Path::new(SCRIPT_DIRECTORY) => {}
            Err(error) => {
                return Err(error).with_context(|| format!("giving the script its own {}", directory.display()));
            }
        }
    }
    std::env::set_current_dir(SCRIPT_DIRECTORY).context("entering the directory of the script")
}

/// Adds the directories below one, so deep, in which the user of the script may leave files for others. What is in them
/// is not looked at, nor is what the user cannot reach.
fn add_writable(directory: &Path, depth: usize, user: Option<(u32, u32)>, directories: &mut Vec<PathBuf>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(stat) = lstat(&path) else { continue };
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory || directories.contains(&path) {
            continue;
        }
        // Elsewhere than in these two, what only this user may write to is its home.
        let is_shared = match path.starts_with("/run") || path.starts_with("/dev") {
            true => is_permitted(&path, &stat, user, Access::WRITE_OK),
            false => stat.st_mode & 0o002 != 0,
        };
        if is_shared {
            directories.push(path);
        } else if is_permitted(&path, &stat, user, Access::EXEC_OK) {
            add_writable(&path, depth, user, directories);
        }
    }
}

/// May the user of the script do this with a directory? Without a user it is that of this process.
fn is_permitted(path: &Path, stat: &Stat, user: Option<(u32, u32)>, what: Access) -> bool {
    // In a user namespace the kernel alone knows whose a directory is: all others are nobody's there.
    let Some((uid, gid)) = user else { return accessat(CWD, path, what, AtFlags::empty()).is_ok() };
    let bit = if what == Access::WRITE_OK { 0o2 } else { 0o1 };
    let permission = match uid {
        _ if stat.st_uid == uid && uid != 0 => bit << 6,
        _ if stat.st_gid == gid && uid != 0 => bit << 3,
        _ => bit,
    };
    stat.st_mode & permission != 0
}

/// Asks the script to end when the runner says so, and ends all when the runner is gone.
fn follow_control(script: Pid) {
    let mut message = [0; 1];
    let mut control = std::io::stdin();
    while let Ok(1) = control.read(&mut message) {
        let _ = kill_process_group(script, Signal::TERM);
    }
    std::process::exit(KILLED);
}
