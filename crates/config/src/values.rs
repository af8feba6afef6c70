//! How the values of options are written.

use std::{
    net::{Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use base::{duration, timestamp::Timestamp};

/// An address with its port. A port alone, or `localhost` with one, is of this machine.
///
/// # Errors
/// How an address is written.
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

/// How long something is waited for: 100 ms to a minute.
///
/// # Errors
/// The range, in words.
pub fn wait(text: &str) -> Result<Duration, String> {
    time(text, 100..=60_000, "is a time from 100ms to 60s")
}

/// Between two times that something is done: a second to a week.
///
/// # Errors
/// The range, in words.
pub fn period(text: &str) -> Result<Duration, String> {
    time(text, 1_000..=7 * 86_400_000, "is a time from 1s to 7d, such as 15m")
}

/// A share, from 0 to 1.
///
/// # Errors
/// The range, in words.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "is a share from 0 to 1, such as 0.1".to_owned())
}

/// A period of a second to an hour, or 0 for never.
///
/// # Errors
/// The range, in words.
pub fn pause(text: &str) -> Result<Duration, String> {
    let wrong = "is a time from 1s to 1h, such as 60s, or 0s for never";
    time(text, 0..=3_600_000, wrong).and_then(|time| match time.as_millis() {
        1..1_000 => Err(wrong.to_owned()),
        _ => Ok(time),
    })
}

/// How long a service goes on when it is told to stop: up to 10 minutes.
///
/// # Errors
/// The range, in words.
pub fn drain_time(text: &str) -> Result<Duration, String> {
    time(text, 0..=600_000, "is a time from 0s to 10m, such as 5s")
}

/// Reads a whole number within a range; what is refused is told to write `wanted`, such as "a number of days".
pub fn number<N: FromStr + PartialOrd + Clone + Send + Sync + 'static>(
    within: RangeInclusive<N>,
    wanted: &'static str,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.trim().parse().ok().filter(|number| within.contains(number));
        number.ok_or_else(|| format!("write {wanted}"))
    }
}

/// A directory of this machine.
///
/// # Errors
/// Nothing, or an address.
pub fn directory(text: &str) -> Result<PathBuf, String> {
    match text {
        "" => Err("is set to nothing: name a directory".to_owned()),
        text if text.contains("://") => Err("is an address: name a directory of this machine".to_owned()),
        text => Ok(text.into()),
    }
}

/// A directory of this machine for backups.
///
/// # Errors
/// Nothing, or an address.
pub fn backup_directory(text: &str) -> Result<PathBuf, String> {
    directory(text).map_err(|why| match text {
        "" => why,
        _ => format!(
            "{why}, and copy backups from there to others: \"Backup\" in docs/operations.md says how, for S3 too"
        ),
    })
}

fn time(text: &str, within: RangeInclusive<i64>, wrong: &str) -> Result<Duration, String> {
    let millis = duration::parse(text.trim()).filter(|millis| within.contains(millis));
    let millis = millis.and_then(|millis| u64::try_from(millis).ok());
    millis.map(Duration::from_millis).ok_or_else(|| wrong.to_owned())
}

/// A time of RFC 3339; what is below a second is left out.
///
/// # Errors
/// How a time is written.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_refused_is_told_its_unit() {
        let days = number(0..=u32::MAX, "a number of days, 0 for ever");
        assert_eq!((days("0"), days(" 730 ")), (Ok(0), Ok(730)));
        for text in ["730d", "-3", "", "1.5", "99999999999"] {
            assert_eq!(days(text), Err("write a number of days, 0 for ever".to_owned()), "{text}");
        }
        assert!(number(1..=1000_u32, "a number of connections from 1 to 1000")("0").is_err());
    }

    #[test]
    fn a_directory_is_of_this_machine() {
        assert_eq!(directory("data/muster"), Ok("data/muster".into()));
        for text in ["", "s3://bucket/x", "file:///x"] {
            assert!(directory(text).is_err() && backup_directory(text).is_err(), "{text}");
        }
        let told = backup_directory("s3://hush@bucket/x").unwrap_err();
        assert!(told.contains("docs/operations.md") && !told.contains("hush"), "{told}");
    }

    #[test]
    fn a_moment_is_written_in_several_ways() {
        let at = Timestamp::parse("2026-11-27T20:45:00Z");
        for text in ["2026-11-27T20:45:00Z", "2026-11-27 20:45:00.123Z", "2026-11-27T21:45:00+01:00"] {
            assert_eq!(moment(text).ok(), at, "{text}");
        }
        for text in ["", "yesterday", "2026-11-27", "2026-11-27T20:45:00"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn where_to_listen_is_written_in_several_ways() {
        let read = |text| listen_address(text).map(|address| address.to_string());
        for (text, address) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("21200", "127.0.0.1:21200"),
            ("localhost:8080", "127.0.0.1:8080"),
            ("[::1]:0", "[::1]:0"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(read(text), Ok(address.to_owned()));
        }
        for text in ["", ":8080", "example.com:80", "127.0.0.1", "70000", "localhost", "localhost:x", "::1:80:"] {
            assert!(read(text).is_err_and(|told| told.contains("127.0.0.1:8080")), "{text}");
        }
    }
}
