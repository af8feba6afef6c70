//! Values that firmware, hypervisors and drivers put where there is none, and
//! the one spelling of those that are real.

/// What firmware says in place of a serial number, reduced to letters and digits,
/// separated by spaces.
const PLACEHOLDERS: &str = "\
    assetserialnumber assettag assettagnumber baseboardserialnumber blank boardserialnumber \
    bss0123456789 changeme chassisassettag chassisserialnumber default defaultstring dummy \
    empty enclosureserialnumber filledbyoem invalid mb1234567890 mbserialnumber missing model \
    modelname motherboardserialnumber nil noasset noassetinformation noassettag none noserial \
    noserialnumber notapplicable notavailable notdefined notfilled notpresent notprovided \
    notset notsettable notspecified null oem oemserial oemstring manufacturer productname \
    serial serialnumber sernum standard sysserialnumber sysmanufacturer sysproductname \
    systemmanufacturer systemmodel systemname systemproductname systemserial \
    systemserialnumber systemversion tba tbd test type1productname undefined unknow unknown \
    unspecified";

/// UUIDs that many machines have, reduced to hexadecimal digits.
const PLACEHOLDER_UUIDS: &[&str] = &[
    // AMI firmware that nobody completed, in both byte orders.
    "03000200040005000006000700080009",
    "00020003000400050006000700080009",
    "12345678123456781234567812345678",
    "1234567812345678123456789abcdef0",
    "12345678123456789abcdef012345678",
    "123456781234567890abcddeefaabbcc",
    "0123456789abcdef0123456789abcdef",
    "000102030405060708090a0b0c0d0e0f",
    "fefefefefefefefefefefefefefefefe",
    "deadbeefdeadbeefdeadbeefdeadbeef",
    // Dell, with an empty service tag.
    "4c4c4544000020108020802020202020",
    "4c4c4544000020108020a0c04f202020",
    "4c4c4544002020108020802020202020",
];

/// Hardware addresses that software gives to every machine it is installed on.
const SHARED_MACS: &[&str] = &[
    "00:05:9a:3c:78:00",
    "00:05:9a:3c:7a:00", // Cisco AnyConnect
    "00:09:0f:aa:00:01",
    "00:09:0f:fe:00:01", // Fortinet
    "00:1c:42:00:00:00",
    "00:1c:42:00:00:08",
    "00:1c:42:00:00:09", // Parallels host
    "00:50:56:c0:00:01",
    "00:50:56:c0:00:08", // VMware host
    "20:41:53:59:4e:ff",
    "44:45:53:54:42:00",
    "44:45:53:54:00:00",
    "44:45:53:54:00:01", // RAS, "DEST"
    "50:50:54:50:30:30",
    "00:53:45:00:00:00",
    "00:11:22:33:44:55",
    "00:01:02:03:04:05",
];

/// Whether a serial number (or make, model, asset tag) is a value that firmware
/// and people put where there is none: `To be filled by O.E.M.`, `0`, `None`,
/// `123456789`, `XXXXXXX`, and anything with fewer than three letters and digits.
#[must_use]
pub fn is_placeholder_serial(serial: &str) -> bool {
    let word = reduced(serial);
    word.len() < 3
        || is_one_character(&word)
        || is_counting(&word)
        || word.contains("tobefilled")
        || word.contains("byoem")
        || is_listed(&word)
}

/// Whether a system UUID is one that many machines have.
#[must_use]
pub fn is_placeholder_uuid(uuid: &str) -> bool {
    let word = reduced(uuid);
    word.len() < 8
        || is_one_character(&word)
        || is_placeholder_serial(uuid)
        || PLACEHOLDER_UUIDS.contains(&word.as_str())
        // Zeros but for the last few digits: counted, not drawn.
        || word.len() == 32 && word.bytes().take(28).all(|byte| byte == b'0')
}

/// A system UUID in one spelling: lower case, with hyphens when it is a UUID
/// (some platforms report another opaque id there). None for placeholders.
#[must_use]
pub fn normal_uuid(uuid: &str) -> Option<String> {
    if is_placeholder_uuid(uuid) {
        return None;
    }
    let word = reduced(uuid);
    if word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let part = |from: usize, to: usize| word.get(from..to).unwrap_or_default();
        return Some([part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-"));
    }
    Some(uuid.trim().to_lowercase())
}

/// A manufacturer's name without letter case, punctuation and legal form, so
/// that `Dell Inc.` and `DELL` are one. None for placeholders.
#[must_use]
pub fn normal_make(make: &str) -> Option<String> {
    const LEGAL: &[&str] = &[
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "co",
        "company",
        "ltd",
        "limited",
        "llc",
        "gmbh",
        "ag",
        "sa",
        "sas",
        "spa",
        "bv",
        "ab",
        "oy",
        "plc",
        "pty",
        "kk",
        "computer",
        "computers",
        "systems",
        "technologies",
        "international",
    ];
    let word = reduced(make);
    if word.len() < 2 || is_one_character(&word) || word.contains("tobefilled") || is_listed(&word) {
        return None;
    }
    let lower = make.to_lowercase();
    let mut words: Vec<&str> =
        lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    while words.len() > 1 && words.last().is_some_and(|word| LEGAL.contains(word)) {
        words.pop();
    }
    let make = words.join(" ");
    Some(match make.as_str() {
        "hewlett packard" | "hewlett packard enterprise" | "hpe" => "hp".to_owned(),
        _ => make,
    })
}

/// A hardware address as lower case pairs with colons; colons, hyphens, dots
/// and no separators are read. None when it is not six bytes.
#[must_use]
pub fn normal_mac(mac: &str) -> Option<String> {
    let mac = mac.trim();
    let mut bytes = Vec::with_capacity(6);
    let groups: Vec<&str> = mac.split([':', '-', '.', ' ']).collect();
    for group in &groups {
        let width = match (groups.len(), group.len()) {
            (6, 1 | 2) => group.len(),
            (3, 4) | (2, 6) | (1, 12) => 2,
            _ => return None,
        };
        for at in (0..group.len()).step_by(width) {
            let pair = group.get(at..at + width).filter(|pair| pair.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
        }
    }
    let bytes: [u8; 6] = bytes.try_into().ok()?;
    Some(bytes.map(|byte| format!("{byte:02x}")).join(":"))
}

/// Whether a normalised hardware address belongs to one machine alone. Not so:
/// zeros, broadcast and group addresses, locally administered ones (containers,
/// bridges, private addresses of phones) but for the random ones of QEMU, and
/// those that a program gives to every machine.
#[must_use]
pub fn is_identifying_mac(mac: &str) -> bool {
    let Some(first) = mac.get(..2).and_then(|pair| u8::from_str_radix(pair, 16).ok()) else {
        return false;
    };
    let group = first & 1 != 0;
    let local = first & 2 != 0 && !mac.starts_with("52:54:00:");
    // TAP-Windows draws its addresses anew at every installation.
    let tunnel = mac.starts_with("00:ff:");
    let bytes: String = mac.chars().filter(|character| *character != ':').collect();
    !group
        && !local
        && !tunnel
        && !is_one_character(&bytes)
        && !bytes.ends_with("000000")
        && !SHARED_MACS.contains(&mac)
}

/// Lower-case letters and digits only.
fn reduced(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_one_character(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    first.is_some() && characters.all(|character| Some(character) == first)
}

/// `123456789`, `0123456789`, `1234567890`, `abcdef`: each character follows the one before.
fn is_counting(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 4
        && bytes.windows(2).all(|pair| match pair {
            [before, after] => {
                *after == before.wrapping_add(1)
                    || (*before, *after) == (b'9', b'0')
                    || (*before, *after) == (b'9', b'a')
            }
            _ => false,
        })
}

fn is_listed(word: &str) -> bool {
    PLACEHOLDERS.split(' ').any(|placeholder| placeholder == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::IdentityKey;

    #[test]
    fn placeholders_never_identify() {
        for serial in [
            "",
            " ",
            "0",
            "00000000",
            "None",
            "N/A",
            "Not Specified",
            "To be filled by O.E.M.",
            "To Be Filled By O.E.M",
            "System Serial Number",
            "Default string",
            "123456789",
            "0123456789",
            "1234567890",
            "XXXXXXX",
            "........",
            "INVALID",
            "Chassis Serial Number",
            "ffffffff",
        ] {
            assert!(is_placeholder_serial(serial), "{serial}");
            assert_eq!(IdentityKey::serial("Acme", serial), None, "{serial}");
        }
        for uuid in [
            "00000000-0000-0000-0000-000000000000",
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "03000200-0400-0500-0006-000700080009",
            "00020003-0004-0005-0006-000700080009",
            "Not Settable",
            "0",
            "{00000000-0000-0000-0000-000000000001}",
            "12345678-1234-5678-90ab-cddeefaabbcc",
        ] {
            assert!(is_placeholder_uuid(uuid), "{uuid}");
            assert_eq!(IdentityKey::uuid(uuid), None, "{uuid}");
        }
        for mac in [
            "00:00:00:00:00:00",
            "ff:ff:ff:ff:ff:ff",
            "02:42:ac:11:00:02",
            "00:50:56:C0:00:08",
            "01:00:5e:00:00:01",
            "00-FF-3A-68-62-80",
            "not a mac",
            "00:11:22:33:44",
            "00:11:22:33:44:55:66:77",
            "gg:11:22:33:44:55",
            "00:05:9a:3c:7a:00",
            "é0:11:22:33:44:5",
        ] {
            assert_eq!(IdentityKey::mac(mac), None, "{mac}");
        }
        for make in ["", "-", "To be filled by O.E.M.", "System manufacturer", "Unknown"] {
            assert_eq!(IdentityKey::serial(make, "C02XK0AAJGH5"), None, "{make}");
        }
    }

    #[test]
    fn real_values_are_normalised() {
        assert!(!is_placeholder_serial("VMware-56 4d 5a 1c"));
        assert!(!is_placeholder_serial("5CG1234XYZ"));
        assert_eq!(IdentityKey::serial("Dell Inc.", " 2fagp34 "), IdentityKey::serial("DELL", "2FAGP34"));
        assert_eq!(IdentityKey::serial("Hewlett-Packard Company", "CZC1"), IdentityKey::serial("HP", "czc1"));
        assert_ne!(IdentityKey::serial("Dell Inc.", "2FAGP34"), IdentityKey::serial("Acme", "2FAGP34"));
        let uuid = Some("4c4c4544-0034-3010-8048-b6c04f503732".to_owned());
        assert_eq!(normal_uuid("4C4C4544-0034-3010-8048-B6C04F503732"), uuid);
        assert_eq!(normal_uuid("{4c4c45440034301080 48b6c04f503732}"), uuid);
        assert_eq!(normal_uuid("AF8D3FCFA6FE4784").as_deref(), Some("af8d3fcfa6fe4784"));
        for mac in ["68:B5:99:E6:84:EB", "68-b5-99-e6-84-eb", "68b5.99e6.84eb", "68b599e684eb"] {
            assert_eq!(normal_mac(mac).as_deref(), Some("68:b5:99:e6:84:eb"), "{mac}");
        }
        assert_eq!(normal_mac("0:1b:2:3:4:5").as_deref(), Some("00:1b:02:03:04:05"));
        assert!(IdentityKey::mac("52:54:00:12:34:56").is_some());
        assert_eq!(IdentityKey::cloud(" 123 ", "I-0AB"), IdentityKey::cloud("123", "i-0ab"));
        assert_eq!(IdentityKey::cloud("", "i-0ab"), None);
        assert_eq!(IdentityKey::cloud("123", "i-0ab").map(|key| key.stored()).as_deref(), Some("cloud:123\ni-0ab"));
    }
}
