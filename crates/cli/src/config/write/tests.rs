use serde_json::json;

use super::*;
use crate::config::yaml;

#[test]
fn what_is_written_is_read_as_it_was() {
    let texts = [
        "",
        "a",
        "Rome",
        "no",
        "12",
        "1e3",
        "20:00:00",
        "a: b",
        "a #b",
        " a",
        "a ",
        "- a",
        "*a",
        "&a",
        "!a",
        "|",
        "null",
        "~",
        "\u{2028}",
        "\u{feff}x",
        "\u{85}",
        "a\nb",
        "a\nb\n",
        "a\n\nb\n\n",
        "\na",
        " a\nb",
        "a\n b",
        "a\n \nb",
        "a\r\nb",
        "tab\tx\ny",
        "\n",
        "\u{0}",
        "'",
        "\"",
        "a\\b",
        "Network >> Switches",
        "[x]",
        "{x}",
        "%a",
        "2026-11-20T00:00:00+0000",
        "é",
        "—",
        "\u{1f600}",
        "a:b",
        "key:",
        "?",
        "a\u{7f}b\nc",
        "x,y",
    ];
    for text in texts {
        let list = json!([text, [text, [1]], {"x": text, "y": {"z": [text]}}, {}, []]);
        let document = json!({"kind": "Site", "a b: c": text, "list": list,
                "deep": {"t": text, "empty": {}, "none": [], "n": 1.5, "b": true, "null": null}});
        let written = yaml(document.as_object().unwrap());
        let read = yaml::read(&written).unwrap_or_else(|(line, why)| panic!("{text:?}: {line}: {why}\n{written}"));
        assert_eq!(read[0].value(), document, "{text:?}\n{written}");
    }
}

#[test]
fn it_reads_well() {
    let document = json!({"kind": "Roster", "name": "On call", "timeZone": {"name": "Europe/Berlin"},
            "shiftDetails": [{"name": "Nights", "users": [{"loginName": "anna.huber"}], "startTime": "20:00:00"}],
            "content": "#!/bin/sh\necho x\n"});
    let expected = "\
kind: Roster
name: On call
timeZone:
  name: Europe/Berlin
shiftDetails:
- name: Nights
  users:
  - loginName: anna.huber
  startTime: \"20:00:00\"
content: |
  #!/bin/sh
  echo x
";
    assert_eq!(yaml(document.as_object().unwrap()), expected);
}
