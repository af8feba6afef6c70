//! How the values of options are written.

use std::{
    net::{Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    time::Duration,
};

use base::{duration, timestamp::Timestamp};

/// An address with its port. A port alone, or `localhost` with one, is of this machine.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let (host, port) = text.trim().rsplit_once(':').unwrap_or(("localhost", text.trim()));
    let here = || Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?)));
    let address = if host.eq_ignore_ascii_case("localhost") { here() } else { text.trim().parse().ok() };
    address.ok_or_else(|| {
        "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080, or a port alone, such as 8080, for this \
         machine; 0.0.0.0:8080 is every address that the machine has"
            .to_owned()
    })
}

pub fn log_filter(text: &str) -> Result<String, String> {
    logging::filter(text).map(|_| text.to_owned())
}

pub fn wait(text: &str) -> Result<Duration, String> {
    time(text, 100..=60_000, "is a time from 100ms to 60s")
}

pub fn period(text: &str) -> Result<Duration, String> {
    time(text, 1_000..=7 * 86_400_000, "is a time from 1s to 7d, such as 15m")
}

/// A share, from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "is a share from 0 to 1, such as 0.1".to_owned())
}

/// A period, or 0 for never.
pub fn pause(text: &str) -> Result<Duration, String> {
    let wrong = "is a time from 1s to 1h, such as 60s, or 0s for never";
    time(text, 0..=3_600_000, wrong).and_then(|time| match time.as_millis() {
        1..1_000 => Err(wrong.to_owned()),
        _ => Ok(time),
    })
}

pub fn drain_time(text: &str) -> Result<Duration, String> {
    time(text, 0..=600_000, "is a time from 0s to 10m, such as 5s")
}

fn time(text: &str, within: RangeInclusive<i64>, wrong: &str) -> Result<Duration, String> {
    let millis = duration::parse(text.trim()).filter(|millis| within.contains(millis));
    let millis = millis.and_then(|millis| u64::try_from(millis).ok());
    millis.map(Duration::from_millis).ok_or_else(|| wrong.to_owned())
}

/// A time of RFC 3339; what is below a second is left out.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    let text = text.trim().replacen(' ', "T", 1);
    let (second, rest) = text.split_at_checked(19).unwrap_or((&text, ""));
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        None => rest,
    };
    Timestamp::parse(&format!("{second}{zone}"))
        .ok_or_else(|| "write a time with its zone, such as 2026-11-27T20:45:00Z".to_owned())
}
