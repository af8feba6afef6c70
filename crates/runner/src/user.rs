//! As whom scripts run: never as root.

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};

/// An unprivileged user that scripts run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// Its number.
    pub uid: u32,
    /// The number of its group.
    pub gid: u32,
}

/// Whom to become; `None` for who this program is already. Root has to name somebody else, and nobody but root can.
pub fn choose(name: Option<&str>) -> anyhow::Result<Option<User>> {
    let me = rustix::process::geteuid().as_raw();
    let Some(name) = name else {
        ensure!(me != 0, "scripts do not run as root: name an unprivileged user with --user");
        return Ok(None);
    };
    let user = User { uid: number("-u", name)?, gid: number("-g", name)? };
    ensure!(user.uid != 0 && user.gid != 0, "--user {name} is root, and scripts do not run as root");
    match me {
        0 => Ok(Some(user)),
        _ if me == user.uid => Ok(None),
        _ => bail!("only root can become {name}; without --user, scripts run as who runs this program"),
    }
}

/// What the program `id` says, which knows users of every kind that the machine has.
fn number(what: &str, name: &str) -> anyhow::Result<u32> {
    ensure!(!name.starts_with('-'), "{name} is not a user");
    let output = Command::new("id").args([what, name]).stdin(Stdio::null()).output().context("running id")?;
    ensure!(output.status.success(), "there is no user {name}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().with_context(|| format!("id {what} {name} printed no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_and_strangers_are_refused() {
        assert!(choose(Some("root")).is_err());
        assert!(choose(Some("-u")).is_err());
        assert!(choose(Some("no such user")).is_err());
        let me = rustix::process::geteuid().as_raw();
        assert_eq!(choose(None).is_err(), me == 0);
    }
}
