//! Where the service is reached, as commands beside it have to know: a file in the data directory says.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use db::write_private;

use crate::command_line::{Storage, origin};

/// Where the service is when no start has said otherwise.
const DEFAULT: &str = "http://127.0.0.1:8080";

/// The origin by which this machine reaches a service that listens at this address.
pub fn from_here(scheme: &str, mut address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("{scheme}://{address}")
}

impl Storage {
    /// Notes where the service that starts is reached. Without the note only a link leads elsewhere, so a disk that
    /// does not take it stops nothing.
    pub fn note_origin(&self, reached_at: &str) {
        let path = self.origin_file();
        if let Err(error) = write_private(&path, &format!("{reached_at}\n")) {
            tracing::warn!(file = %path.display(), "cannot note where the service listens: {error}");
        }
    }

    /// Where the service is reached that was last started with this data directory.
    pub fn noted_origin(&self) -> String {
        let noted = fs::read_to_string(self.origin_file()).ok().and_then(|text| origin(&text).ok());
        noted.unwrap_or_else(|| DEFAULT.to_owned())
    }

    fn origin_file(&self) -> PathBuf {
        self.data_dir.join("address")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_the_machine_is_reached_on_itself() {
        let origin = |address: &str| from_here("http", address.parse().unwrap());
        assert_eq!(origin("0.0.0.0:80"), "http://127.0.0.1:80");
        assert_eq!(origin("[::]:8080"), "http://[::1]:8080");
        assert_eq!(origin("192.0.2.1:9000"), "http://192.0.2.1:9000");
    }
}
