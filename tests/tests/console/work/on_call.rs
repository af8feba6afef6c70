//! Who is on call: somebody takes over, people swap.

use muster_tests::{Client, chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::super::{company, demo, open, signed_in, signed_in_at, text};

in_browser![
    somebody_takes_over_and_gives_back,
    people_swap_and_take_over_by_dragging_or_by_form,
    conflicts_are_marked_on_the_lanes,
    a_level_is_taken_over_where_not_all_its_shifts_take_place,
];

fn somebody_takes_over_and_gives_back() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "on-call", "On call");
    window.until("document.querySelectorAll('.lane').length == 3");
    let parts = window
        .evaluate("[document.querySelectorAll('.part').length, document.querySelectorAll('.twin tbody tr').length]");
    assert_eq!(parts[0], parts[1], "the table has what the lanes have");
    let note = unique("dentist");
    window.click("Take over…");
    window.until("document.querySelectorAll('dialog select[name=user] option').length > 5");
    window.fill("input[name=note]", &note);
    // What is wrong is said in the words of the interface, and what was typed stays.
    window.fill("input[name=end]", "2001-01-01T00:00");
    window.click("Take over");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("input[name=end]", "2030-01-01T00:00");
    window.click("Take over");
    window.until("document.querySelector('dialog [role=alert]')?.textContent.includes('366')");
    let end = window.evaluate("new Date(Date.now() + 36e5 * 5).toISOString().slice(0, 16)");
    window.fill("input[name=end]", &text(&end));
    window.click("Take over");
    window.shows(&note);
    let overrides = |company: &Client| {
        let rosters = company.get("/rosters/search").page()["results"].as_array().cloned().unwrap();
        let of = |roster: &Value| company.get(&format!("/rosters/{}/overrides", text(&roster["id"]))).page();
        let all: Vec<Value> =
            rosters.iter().flat_map(|roster| of(roster)["results"].as_array().cloned().unwrap()).collect();
        all.into_iter().filter(|one| one["note"] == json!(note)).count()
    };
    assert_eq!(overrides(&company), 1);
    window.evaluate(&format!(
        "[...document.querySelectorAll('.overrides li')]\
         .find(one => one.textContent.includes('{note}')).querySelector('button').click()"
    ));
    window.until(&format!("document.body && !document.body.innerText.includes('{note}')"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Drags with the mouse between two shares of the width of what a selector finds.
fn drag(window: &Window, selector: &str, from: f64, to: f64) {
    let lane = window.evaluate(&format!(
        "(one => {{ one.scrollIntoView({{block: 'center'}}); \
         const {{left, top, width, height}} = one.getBoundingClientRect(); \
         return [left, top + height / 2, width]; }})(document.querySelector({}))",
        json!(selector)
    ));
    let left = lane[0].as_f64().unwrap();
    let y = lane[1].as_f64().unwrap();
    let width = lane[2].as_f64().unwrap();
    let mouse = |kind: &str, share: f64, buttons: u8| {
        let given = json!({"type": kind, "x": left + width * share, "y": y, "button": "left", "buttons": buttons,
            "clickCount": 1});
        window.debug("Input.dispatchMouseEvent", &given);
    };
    mouse("mousePressed", from, 1);
    for step in 1..=8 {
        mouse("mouseMoved", from + (to - from) * f64::from(step) / 8.0, 1);
    }
    mouse("mouseReleased", to, 0);
}

fn people_swap_and_take_over_by_dragging_or_by_form() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "on-call?fortnight=2", "On call");
    window.until("document.querySelectorAll('.lane').length == 3");
    // Where the first two people of the first lane are, as shares of its width.
    let parts = window.evaluate(
        "[...document.querySelector('.lane').querySelectorAll('.part:not(.gap)')]\
         .map(one => [parseFloat(one.getAttribute('x')), parseFloat(one.getAttribute('width')), \
         one.querySelector('text').textContent])",
    );
    let parts: Vec<(f64, f64, String)> = parts
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one[0].as_f64().unwrap() / 100.0, one[1].as_f64().unwrap() / 100.0, text(&one[2])))
        .collect();
    let first = &parts[0];
    let second = parts.iter().find(|one| one.2 != parts[0].2).unwrap();
    let middle = |part: &(f64, f64, String)| part.0 + part.1 / 2.0;
    drag(&window, ".lane", middle(first), middle(second));
    window.until("document.querySelector('dialog[open] h2')?.textContent == 'Swap shifts'");
    let chosen = |window: &Window, name: &str| {
        text(
            &window.evaluate(&format!("document.querySelector('dialog [name={name}]').selectedOptions[0].textContent")),
        )
    };
    assert!(chosen(&window, "first").starts_with(&first.2), "{}", chosen(&window, "first"));
    assert!(chosen(&window, "second").starts_with(&second.2), "{}", chosen(&window, "second"));
    let note = unique("wedding");
    window.fill("input[name=note]", &note);
    window.click("Swap");
    window.until("!document.querySelector('dialog')");
    let found = |company: &Client, note: &str| -> Vec<(String, Value)> {
        let rosters = company.get("/rosters/search").page()["results"].as_array().cloned().unwrap();
        let of = |roster: &Value| {
            let id = text(&roster["id"]);
            let all = company.get(&format!("/rosters/{id}/overrides?pageSize=1000")).page()["results"]
                .as_array()
                .cloned()
                .unwrap();
            all.into_iter()
                .filter(|one| one["note"] == json!(note))
                .map(move |one| (id.clone(), one))
                .collect::<Vec<_>>()
        };
        rosters.iter().flat_map(of).collect()
    };
    let swapped = found(&company, &note);
    assert_eq!(swapped.len(), 2, "{swapped:?}");
    assert!(swapped.iter().all(|(_, one)| one["swapId"].is_string()), "{swapped:?}");
    // Each has what the other had.
    window.until(&format!("document.querySelector('.lane .part:not(.gap) text').textContent == {}", json!(second.2)));
    // A stretch within what somebody has is taken over, as by the form.
    drag(&window, ".lane", first.0 + first.1 * 0.3, first.0 + first.1 * 0.6);
    window.until("document.querySelector('dialog[open] h2')?.textContent == 'New override'");
    window.until("document.querySelectorAll('dialog select[name=user] option').length > 5");
    let times = window
        .evaluate("['start', 'end'].map(name => Date.parse(document.querySelector(`dialog [name=${name}]`).value))");
    let lasting = times[1].as_f64().unwrap() - times[0].as_f64().unwrap();
    let meant = first.1 * 0.3 * 14.0 * 86_400_000.0;
    assert!((lasting - meant).abs() <= 3_600_000.0, "{lasting} instead of {meant}");
    let taken = unique("errand");
    window.fill("input[name=note]", &taken);
    window.click("Take over");
    window.shows(&taken);
    assert_eq!(found(&company, &taken).len(), 1);
    // A click is not a drag; and the form swaps without a mouse.
    drag(&window, ".lane", middle(first), middle(first) + 0.001);
    assert_eq!(window.evaluate("document.querySelector('dialog[open]')"), Value::Null);
    window.click("Swap…");
    window.until("document.querySelectorAll('dialog [name=first] option').length > 1");
    window.press("Escape");
    window.until("!document.querySelector('dialog')");
    for (roster, one) in found(&company, &taken).into_iter().chain(found(&company, &note).into_iter().take(1)) {
        company.delete(&format!("/rosters/{roster}/overrides/{}", text(&one["id"]))).ok();
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn conflicts_are_marked_on_the_lanes() {
    let server = demo();
    let company = server.new_client();
    let ada = json!({"loginName": unique("ada"), "firstName": "Ada", "lastName": "Away"});
    let ada = text(&company.post("/users", &ada).ok()["id"]);
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
    let shift = json!({"name": "Always", "users": [{"id": ada}], "userGroups": [], "schedule": schedule});
    let roster = json!({"name": "Network", "description": "", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]});
    let roster = text(&company.post("/rosters", &roster).ok()["id"]);
    let Some(window) = signed_in_at(&company, "viewer") else { return };
    let day = |days: u8| {
        text(&window.evaluate(&format!("new Date(Date.now() + {days} * 864e5).toISOString().slice(0, 19) + 'Z'")))
    };
    for (from, to) in [(1, 2), (10, 11)] {
        let off = json!({"from": day(from), "to": day(to), "reason": "Holidays"});
        company.post(&format!("/users/{ada}/timeOff"), &off).ok();
    }
    for path in ["on-call".to_owned(), format!("rosters/{roster}")] {
        let title = if path == "on-call" { "On call" } else { "Network" };
        open(&window, server, &path, title);
        window.until("document.querySelectorAll('.lane-box .mark').length == 3");
        let marks = window.evaluate("[...document.querySelectorAll('.mark')].map(one => one.ariaLabel.split(',')[0])");
        assert_eq!(marks, json!(["Time off: Ada Away", "Nights in a row: Ada Away", "Time off: Ada Away"]));
        // Tab leads to one of them, arrow keys to the others, and Enter to the list.
        window.tab_to("one.matches('.mark')");
        window.press("ArrowDown");
        window.press("ArrowDown");
        window.until("document.activeElement == [...document.querySelectorAll('.mark')].pop()");
        window.until("document.querySelector('.mark-words').innerText.includes('Time off: Ada Away')");
        assert_eq!(window.evaluate("document.querySelectorAll('.mark[tabindex=\"0\"]').length"), json!(1));
        assert_eq!(window.barriers(), Vec::<Value>::new(), "{path}");
        window.press("Enter");
        window.until("document.activeElement.matches('[aria-labelledby=conflicts] li:last-child')");
        window.until("document.activeElement.innerText.startsWith('Time off')");
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_level_is_taken_over_where_not_all_its_shifts_take_place() {
    let server = demo();
    let company = server.new_client();
    let Some(window) = signed_in_at(&company, "operator") else { return };
    let shift = |name: &str, level: &str, year: u32| {
        let schedule = json!({"type": "one-time", "startDate": format!("{year}-01-01T00:00:00Z"),
            "endDate": "2120-01-01T00:00:00Z"});
        json!({"name": name, "level": level, "users": [], "userGroups": [], "schedule": schedule})
    };
    let shifts =
        json!([shift("Later", "primary", 2119), shift("Now", "primary", 2020), shift("Also", "secondary", 2020)]);
    let roster = json!({"name": "Levels", "description": "", "timeZone": {"name": "GMT"}, "shiftDetails": shifts});
    let roster = text(&company.post("/rosters", &roster).ok()["id"]);
    open(&window, server, &format!("rosters/{roster}"), "Levels");
    window.click("New override…");
    window.until("document.querySelector('dialog [name=shift]')?.value == 'level primary'");
    window.click("Take over");
    window.shows("Taken over: Now.");
    window.until("!document.querySelector('dialog')");
    let found = company.get(&format!("/rosters/{roster}/overrides")).page()["results"].clone();
    let names: Vec<_> = found.as_array().unwrap().iter().map(|one| text(&one["shift"]["name"])).collect();
    assert_eq!(names, ["Now"]);
    assert_eq!(window.complaints(), Vec::<String>::new());
}
