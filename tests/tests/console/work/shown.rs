//! What is shown is so, and what is offered can be done: levels of rosters, times, badges, rules, and other people's
//! records.

use muster_tests::{Client, chromium::Window, in_browser, unique};
use serde_json::json;

use super::super::{company, demo, open, signed_in, signed_in_at, text};

in_browser![
    each_level_of_a_roster_has_its_lane_and_is_taken_over_by_itself,
    who_is_next_comes_in_the_order_of_time,
    a_client_is_offered_nothing_that_changes_its_partner,
    a_partner_names_its_own_in_what_is_its_own,
    a_partner_sees_whose_each_record_is,
    a_timeline_begins_with_the_report_and_lengths_are_exact,
    a_chosen_row_keeps_its_badge,
    a_rule_with_an_unknown_key_is_warned_about,
    a_screen_for_another_role_says_so,
];

/// A person of a tenant: the id.
fn person(company: &Client, first: &str) -> String {
    let body = json!({"loginName": unique(&first.to_lowercase()), "firstName": first, "lastName": "Level"});
    text(&company.post("/users", &body).ok()["id"])
}

/// The texts of the options of a select in the open dialog.
fn options(window: &Window, name: &str) -> Vec<String> {
    let found = window.evaluate(&format!(
        "[...document.querySelectorAll('dialog [name={name}] option')].map(one => one.textContent.trim())"
    ));
    found.as_array().unwrap().iter().map(text).collect()
}

/// The buttons of the page.
fn buttons(window: &Window) -> Vec<String> {
    let found = window.evaluate("[...document.querySelectorAll('main button')].map(one => one.textContent.trim())");
    found.as_array().unwrap().iter().map(text).collect()
}

fn each_level_of_a_roster_has_its_lane_and_is_taken_over_by_itself() {
    let server = demo();
    let company = server.new_client();
    let people = ["Ada", "Bo", "Cy"].map(|first| person(&company, first));
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
    let shift = |name: &str, user: &str, level: &str| {
        json!({"name": name, "level": level, "users": [{"id": user}], "userGroups": [],
            "schedule": schedule})
    };
    let roster = json!({"name": "Network", "description": "Two levels", "timeZone": {"name": "GMT"}, "shiftDetails": [
        shift("Second", &people[1], "secondary"), shift("First", &people[0], "primary")]});
    let roster = text(&company.post("/rosters", &roster).ok()["id"]);
    let Some(window) = signed_in_at(&company, "operator") else { return };
    open(&window, server, "on-call", "On call");
    window.until("document.querySelectorAll('.lane').length == 2");
    let lanes = window.evaluate(
        "[...document.querySelectorAll('.lane')].map(lane => \
         [...lane.querySelectorAll('.part')].map(part => part.textContent))",
    );
    let lane = |place: usize| lanes[place].to_string();
    assert!(lane(0).contains("Ada") && !lane(0).contains("Bo"), "{lanes}");
    assert!(lane(1).contains("Bo") && !lane(1).contains("Ada"), "{lanes}");
    // Nobody swaps with oneself.
    window.click("Swap…");
    window.until("document.querySelectorAll('dialog [name=first] option').length > 1");
    let chosen = text(&window.evaluate("document.querySelector('dialog [name=first]').selectedOptions[0].textContent"));
    let first = chosen.trim().split_once(',').expect("a name and a time").0.to_owned();
    let second = options(&window, "second");
    assert!(!second.is_empty() && second.iter().all(|one| !one.starts_with(&first)), "{first}: {second:?}");
    window.press("Escape");
    window.until("!document.querySelector('dialog')");
    // What begins with one level leaves the other as it is.
    window.click("Take over…");
    window.until("document.querySelectorAll('dialog [name=shift] option').length > 2");
    window.until("document.querySelectorAll('dialog [name=user] option').length > 2");
    let offered = options(&window, "user");
    assert!(offered.iter().all(|one| !one.contains("api-") && !one.contains("API key")), "{offered:?}");
    let level =
        text(&window.evaluate("document.querySelector('dialog [name=shift]').selectedOptions[0].textContent.trim()"));
    assert_eq!(level, "All primary shifts");
    window.fill("select[name=user]", &people[2]);
    window.click("Take over");
    window.until("!document.querySelector('dialog')");
    let now = company.get(&format!("/rosters/{roster}/onCall")).ok();
    let mut now: Vec<(String, String)> = now["onCall"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["level"]), text(&one["user"]["firstName"])))
        .collect();
    now.sort();
    let wanted = [("primary", "Cy"), ("secondary", "Bo")].map(|(level, name)| (level.to_owned(), name.to_owned()));
    assert_eq!(now, wanted);
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn who_is_next_comes_in_the_order_of_time() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    open(&window, server, "on-call", "On call");
    window.until("document.querySelectorAll('[aria-labelledby=next] .person').length > 2");
    let times = window.evaluate(
        "[...document.querySelectorAll('[aria-labelledby=next] .person')].map(one => \
         Date.parse(one.querySelector('time').dateTime.replace('+0000', 'Z')))",
    );
    let times: Vec<i64> = times.as_array().unwrap().iter().map(|time| time.as_i64().expect("a time")).collect();
    assert!(times.is_sorted(), "{times:?}");
}

fn a_client_is_offered_nothing_that_changes_its_partner() {
    let server = demo();
    let partner = server.admin();
    let user = person(&partner, "Pat");
    let group = text(&partner.post("/userGroups", &json!({"name": unique("Partners")})).ok()["uniqueId"]);
    let category = unique("Partner");
    partner.post("/incidents/categories", &json!({"names": [category]})).ok();
    let found = partner.get(&format!("/incidents/categories?queryString=name:{category}")).page();
    let category = (text(&found["results"][0]["uniqueId"]), category);
    let Some(window) = signed_in(server, "admin") else { return };
    let offered = |path: &str, heading: &str| {
        open(&window, server, path, heading);
        window.until("!document.querySelector('.loading')");
        buttons(&window)
    };
    let no =
        |found: &[String]| assert!(found.iter().all(|one| !one.ends_with('…') || one.starts_with("New ")), "{found:?}");
    let person = offered(&format!("people?user={user}"), "People");
    no(&person);
    assert!(!person.iter().any(|one| one == "Deactivate" || one == "Create sign-in link"), "{person:?}");
    let name = text(&partner.get(&format!("/userGroups/{group}")).ok()["name"]);
    no(&offered(&format!("usergroups/{group}"), &name));
    no(&offered(&format!("categories/{}", category.0), &category.1));
    window.shows("of the partner");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_partner_names_its_own_in_what_is_its_own() {
    let server = demo();
    let Some(window) = signed_in_at(&server.admin(), "admin") else { return };
    // Lists have the records of all clients, and say of which each is.
    open(&window, server, "incidents", "Incidents");
    window.until("[...document.querySelectorAll('th')].some(one => one.textContent.trim() == 'Client')");
    window.shows("Client One");
    // A group of the partner stands below none of a client.
    open(&window, server, "groups", "Groups");
    window.shows("Databases");
    window.click("New device group…");
    window.until("document.querySelector('dialog [role=combobox]')");
    window.evaluate("document.querySelector('dialog [role=combobox]').focus()");
    window.until("document.querySelector('dialog [role=option]')");
    assert!(!options_of_finder(&window).contains(&"Databases".to_owned()));
    window.press("Escape");
    window.press("Escape");
    // A route of the partner leads to none of a client's policies.
    let policy = || {
        let body = json!({"name": unique("Partner"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}]});
        text(&server.admin().post("/escalationPolicies", &body).ok()["name"])
    };
    let policies = [policy(), policy()];
    open(&window, server, "routing", "Routing");
    window.click("New route…");
    let finder = "document.querySelector('dialog [role=combobox]')";
    window.until(finder);
    window.evaluate(&format!("{finder}.focus()"));
    window.until("document.querySelector('dialog [role=option]')");
    let offered = options_of_finder(&window);
    assert!(
        policies.iter().all(|policy| offered.contains(policy)) && !offered.contains(&"Service desk".to_owned()),
        "{offered:?}"
    );
    window.press("Escape");
    window.press("Escape");
    // A window covers those of clients, too.
    open(&window, server, "maintenance", "Maintenance");
    window.click("New window…");
    window.until("document.querySelector('dialog [name=groups]')");
    window.evaluate("document.querySelector('dialog [name=groups]').focus()");
    window.until("document.querySelector('dialog [role=option]')");
    assert!(options_of_finder(&window).contains(&"Databases".to_owned()));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_partner_sees_whose_each_record_is() {
    let server = demo();
    let (partner, company) = (server.admin(), company(demo()));
    let clients = partner.get("/clients/search").page();
    let client = clients["results"].as_array().unwrap().iter().find(|one| one["uniqueId"] == "client_1").unwrap();
    let client = text(&client["name"]);
    let name = unique("whose");
    company.post("/heartbeats", &json!({"name": name, "interval": "1d"})).ok();
    company.post("/jobs/scripts", &json!({"name": name, "content": "true"})).ok();
    let Some(window) = signed_in_at(&partner, "viewer") else { return };
    let lists = [
        ("resources", "Machines"),
        ("jobs", "Jobs"),
        ("runs", "Runs"),
        ("scripts", "Scripts"),
        ("heartbeats", "Heartbeats"),
        ("knowledge", "Knowledge"),
        ("rosters", "Rosters"),
    ];
    for (path, title) in lists {
        open(&window, server, path, title);
        window.until("document.querySelector('table.rows thead th')");
        let place = window.evaluate(
            "[...document.querySelectorAll('table.rows thead th')]\
             .findIndex(one => one.textContent.trim() == 'Client')",
        );
        window.until(&format!(
            "[...document.querySelectorAll('table.rows tbody tr')]\
             .some(row => row.children[{place}]?.textContent == {})",
            json!(client)
        ));
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn options_of_finder(window: &Window) -> Vec<String> {
    let found =
        window.evaluate("[...document.querySelectorAll('dialog [role=option]')].map(one => one.textContent.trim())");
    found.as_array().unwrap().iter().map(text).collect()
}

fn a_timeline_begins_with_the_report_and_lengths_are_exact() {
    let server = demo();
    let company = server.new_client();
    let host = unique("held");
    company.post("/resources", &json!({"hostName": host})).ok();
    let schedule = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "GMT",
        "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let plan = json!({"name": "All day", "devices": [{"hostName": host}], "schedule": schedule});
    company.post("/scheduleMaintenances", &plan).ok();
    let alert = json!([{"subject": "Held", "currentState": "Critical", "metric": "m", "device": {"hostName": host}}]);
    let alert = text(&company.post("/alerts", &alert).list()[0]["id"]);
    let Some(window) = signed_in_at(&company, "operator") else { return };
    open(&window, server, &format!("alerts/{alert}"), "Held");
    window.shows("Held back by a maintenance window");
    let steps = window.evaluate(
        "[...document.querySelectorAll('[aria-labelledby=course] .course > li')].map(one => \
         one.innerText.replace(/\\s+/g, ' '))",
    );
    let steps: Vec<String> = steps.as_array().unwrap().iter().map(text).collect();
    let place = |words: &str| steps.iter().position(|step| step.contains(words)).unwrap_or_else(|| panic!("{steps:?}"));
    assert!(place("Reported for the first time") < place("Held back"), "{steps:?}");
    let lengths = window.evaluate("import('/console/time.js').then(({span}) => [8000, 59400, 300, 60000].map(span))");
    assert_eq!(lengths, json!(["8 s", "59 s", "less than 1 s", "1 min"]));
    // What the service says of versions is said in plain words.
    let words = window.evaluate(
        "import('/console/api.js').then(({Problem}) => { \
         const {title, message} = new Problem(412, {title: 'Precondition Failed', \
         detail: 'If-Match: the ETag is another'}); \
         return [title, message]; })",
    );
    assert_eq!(words, json!(["Changed meanwhile", "Somebody changed it meanwhile."]));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_chosen_row_keeps_its_badge() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "alerts", "Alerts");
    window.until("document.querySelector('tbody .tick input')");
    window.evaluate("document.querySelector('thead .tick input').click()");
    window.until("document.querySelector('tbody tr.chosen .badge')");
    for dark in [false, true] {
        window.looks(1440, dark);
        let hidden = window.evaluate(
            "[...document.querySelectorAll('tr.chosen .badge')].filter(badge => { \
             const colour = one => getComputedStyle(one).backgroundColor; \
             return colour(badge) == colour(badge.closest('tr')) || colour(badge) == colour(badge.closest('td')); \
             }).map(badge => badge.textContent)",
        );
        assert_eq!(hidden, json!([]), "dark: {dark}");
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_rule_with_an_unknown_key_is_warned_about() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "routing", "Routing");
    window.click("New route…");
    window.fill("dialog [aria-label='Key of rule 1']", "curentState");
    window.shows("“curentState” is not a known key");
    window.fill("dialog [aria-label='Key of rule 1']", "currentState");
    window.until("document.body && !document.body.innerText.includes('is not a known key')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_screen_for_another_role_says_so() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    for (path, title) in [("audit", "Audit"), ("keys", "API keys"), ("inbound", "Inbound addresses")] {
        open(&window, server, path, title);
        window.shows("This screen needs the role admin, and yours is operator.");
    }
    open(&window, server, "clients", "Clients");
    window.until("document.querySelector('main p').textContent.includes('This screen')");
    // Nothing was asked for that is refused.
    assert_eq!(window.complaints(), Vec::<String>::new());
}
