//! What the operating system says about this process. Linux says it in `/proc`; elsewhere these numbers are left out.

use std::fs;

/// Resident memory in bytes.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

/// Open files and sockets.
pub(super) fn open_files() -> Option<u64> {
    // The directory that is read is open itself.
    let open = fs::read_dir("/proc/self/fd").ok()?.count() as u64;
    Some(open.saturating_sub(1))
}

/// How many files and sockets may be open.
pub(super) fn most_open_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Seconds of processor time that were used, by the kernel on its behalf included.
pub(super) fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program comes second, in parentheses, and may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let (user, system): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // Linux tells these in hundredths of a second on every architecture.
    Some((f64::from(user) + f64::from(system)) / 100.0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn linux_tells_all() {
        assert!(resident_bytes().unwrap() > 1 << 20);
        let open = open_files().unwrap();
        let most = most_open_files().unwrap();
        assert!(open >= 3 && open < most, "{open} of {most}");
        assert!(cpu_seconds().unwrap() >= 0.0);
    }
}
