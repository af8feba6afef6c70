use serde_json::json;

use super::*;

fn message() -> serde_json::Value {
    json!({"title": "[Critical] Load is \"31\"", "details": ["a", "b"], "urgency": "high", "step": 2,
            "alert": {"currentState": "Critical", "device": {"name": "web-01"}}})
}

fn made(template: &str) -> String {
    render(template, &message()).unwrap_or_else(|error| panic!("{template}: {error}"))
}

#[test]
fn a_template_shows_compares_and_repeats() {
    assert_eq!(made("{{ title }}"), "[Critical] Load is \"31\"");
    assert_eq!(made(r#"{"text": {{ title|json }}}"#), r#"{"text": "[Critical] Load is \"31\""}"#);
    assert_eq!(made("{% for line in details %}{{ loop.index }}: {{ line }}\n{% endfor %}"), "1: a\n2: b\n");
    let choice = "{% if urgency == \"high\" and step > 1 %}wake{% else %}wait{% endif %} {{ alert.device.name }}";
    assert_eq!(made(choice), "wake web-01");
    assert_eq!(made("{{ link|default(\"none\") }} {{ details|length }} {{ alert.nothing.at.all }}"), "none 2 ");
    assert_eq!(made("no template { at all } ~ + *"), "no template { at all } ~ + *");
    assert_eq!(made("{{- step -}} {{ \"a ~ b, [c]\" }}"), "2a ~ b, [c]");
}

#[test]
fn what_is_not_in_the_language_is_refused() {
    for wrong in [
        "{{ title",
        "{% if %}",
        "{% for x in details %}",
        "{% set a = title %}",
        "{% macro a() %}{% endmacro %}",
        "{% include \"/etc/passwd\" %}",
        "{% filter json %}{% endfilter %}",
        "{% with %}{% endwith %}",
        "{% raw %}{% endraw %}",
        "{%- set a = title %}",
        "{%+ set a = title %}",
        "{{ title ~ title }}",
        "{{ title * 1000000 }}",
        "{{ title + title }}",
        "{{ [title, title] }}",
        "{{ {\"a\": title} }}",
        "{% for a in (title, title) %}{% endfor %}",
        "{{ title|replace(\"a\") }}",
        "{{ range(100000) }}",
        "{# a #}",
    ] {
        assert!(render(wrong, &message()).is_err(), "{wrong}");
    }
    assert!(render(&"x".repeat(LONGEST + 1), &message()).is_err());
    let deep = format!("{}{}", "{% if step %}".repeat(40), "{% endif %}".repeat(40));
    assert!(render(&deep, &message()).unwrap_err().contains("deep"));
}

#[test]
fn a_bomb_ends_early() {
    let wide = json!({"details": vec!["x".repeat(200); 50]});
    let nested = |depth: usize| {
        let opened: String = (0..depth).map(|number| format!("{{% for a{number} in details %}}")).collect();
        format!("{opened}{{{{ details }}}}{}", "{% endfor %}".repeat(depth))
    };
    for (template, why) in
        [(nested(2), "bytes"), (nested(10), "bytes"), (nested(10).replace("{{ details }}", ""), "work")]
    {
        let begun = std::time::Instant::now();
        let error = render(&template, &wide).unwrap_err();
        assert!(error.contains(why), "{error}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}
