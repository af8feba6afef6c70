//! What inventory products and operating systems take for no identity: the default lists of GLPI, FusionInventory and
//! OCS Inventory, what their agents leave out, the hardware ids that FreeBSD refuses, and what vendors are known for.

/// What firmware says in place of a serial number, a make or a model, reduced to letters and digits, separated by
/// spaces.
pub const PLACEHOLDERS: &str = "\
    allseries anonymous assetserialnumber assettag assettagnumber badindex baseboardserialnumber blank \
    boardserialnumber bss0123456789 changeme chassisassettag chassismanufacture chassismanufacturer \
    chassisserialnumber chassisversion default defaultstring dummy empty enclosureserialnumber error filledbydefault \
    filledbyoem invalid machineserialnumber mb1234567890 mbserialnumber missing model modelname \
    motherboardserialnumber nil noasset noassetinformation noassettag noenclosure none nonespecified noserial \
    noserialnumber notapplicable notassigned notavailable notdefined notfilled notinitialized notpresent notprovided \
    notset notsettable notspecified null nullstring oem oemdefaultstring oemserial oemserialnumber oemstring \
    outofspec outofspecoutofspec pcserialnumber placeholder product productname replaceme reserved sample serial \
    serialno serialnumber sernum standard string sysmanufacturer sysproductname sysserialnumber system \
    systemmanufacturer systemmodel systemname systemproductname systemserial systemserialnumber systemversion tba tbd \
    test toassign tobeassigned tobedetermined type1productname type2boardserialnumber type3chassisserialnumber \
    unassigned unavailable undefined unidentified uninitialized unknow unknown unknownserial unknownserialnumber \
    unspecified void";

/// The same for texts that are not serial numbers, though they may be makes.
pub const PLACEHOLDER_SERIALS: &str = "\
    amazonec2 eval evaluation iatpass sn123456fvgv3i0b8o5n6n7k tulipcomputers virtualmachine";

/// Prefixes of serial numbers, reduced in the same way.
pub const LABELS: &str = "\
    asset assettag atn base baseboard bb board bsn bss chassis csn mb msn no number serial serialno serialnumber sn \
    ssn \
    sys system systemserial systemserialnumber";

/// UUIDs that many machines have, reduced to hexadecimal digits, in one of their byte orders.
pub const PLACEHOLDER_UUIDS: &[&str] = &[
    // AMI firmware without the vendor's values.
    "03000200040005000006000700080009",
    "1234567812345678123456789abcdef0",
    "12345678123456789abcdef012345678",
    "123456781234567890abcddeefaabbcc",
    "12345678123412341234123456789abc",
    "123456781234123412341234567890ab",
    "12345678123412341234123456789012",
    "0123456789abcdef0123456789abcdef",
    "000102030405060708090a0b0c0d0e0f",
    "00112233445566778899aabbccddeeff",
    "6ab5b300538d10149fb5b0684d007b53",
    // Dell, with an empty service tag.
    "4c4c4544000020108020802020202020",
    "4c4c4544002020108020802020202020",
    "07090201010303010807060504030201",
    "890e2d14cacd45d1ae66bc80e8bfeb0f",
    "8e275844178f44a8aceba7d7e5178c63",
    "dc698397fa544cf282c8b1b5307a6a7f",
];

/// Hardware addresses that software or a device gives to every machine.
pub const SHARED_MACS: &[&str] = &[
    "00:05:9a:3c:78:00", // Cisco AnyConnect
    "00:05:9a:3c:7a:00",
    "00:09:0f:aa:00:01", // Fortinet
    "00:09:0f:fe:00:01",
    "00:0b:ca:fe:00:00",
    "00:1c:42:00:00:00", // Parallels host
    "00:1c:42:00:00:08",
    "00:1c:42:00:00:09",
    "20:41:53:59:4e:ff", // RAS
    "24:b6:20:52:41:53",
    "44:45:53:54:42:00",
    "44:45:53:54:00:00",
    "44:45:53:54:00:01",
    "50:50:54:50:30:30",
    "00:53:45:00:00:00",
    "00:11:22:33:44:55",
    "00:01:02:03:04:05",
    "01:23:45:67:89:ab",
    "00:e0:4c:53:44:58", // adapters at USB without an address of their own
    "0c:5b:8f:27:9a:64", // modems of Huawei
    "58:2c:80:13:92:63",
    "ac:de:48:00:11:22", // the T2 of Apple
];

/// How the hardware addresses begin that machines share.
pub const SHARED_MAC_PREFIXES: &[&str] = &[
    "00:00:00:00:",
    "00:00:0c:07:ac:", // routers that stand in for each other: HSRP, GLBP, VRRP
    "00:00:5e:00:01:",
    "00:00:5e:00:02:",
    "00:07:b4:00:",
    "00:1e:10:1f:",     // modems of Huawei and Qualcomm
    "00:50:56:c0:",     // VMware on the host
    "00:a0:c6:00:00:",  // modems of Qualcomm
    "00:ff:",           // TAP-Windows, drawn anew at every installation
    "52:54:00:12:34:5", // QEMU without an address in its configuration
];
