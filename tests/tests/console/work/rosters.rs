//! Rosters by their form.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{demo, open, signed_in_at, text},
    control, pick,
};

in_browser![
    shifts_without_turns_have_people_or_nobody_yet,
    what_was_searched_for_and_not_chosen_is_not_dropped,
    people_of_one_name_are_told_apart,
    what_is_wrong_is_named_as_the_form_names_it,
];

fn shifts_without_turns_have_people_or_nobody_yet() {
    let company = demo().new_client();
    let ada = json!({"loginName": unique("ada"), "firstName": "Ada", "lastName": "Fix"});
    let ada = text(&company.post("/users", &ada).ok()["id"]);
    let Some(window) = signed_in_at(&company, "operator") else { return };
    open(&window, demo(), "rosters", "Rosters");
    window.click("New roster");
    window.fill("[name=name]", "Fixed");
    window.until(&control("People take turns"));
    window.evaluate(&format!("{}.click()", control("People take turns")));
    window.click("More fields");
    pick(&window, "People on call in every turn", "ada", "Ada Fix");
    window.click("Create");
    window.until("document.querySelector('main h1')?.textContent == 'Fixed' && !document.querySelector('.loading')");
    let roster = text(&window.evaluate("location.pathname.split('/').pop()"));
    let shifts = || company.get(&format!("/rosters/{roster}")).ok()["shiftDetails"].clone();
    assert_eq!(shifts()[0]["users"][0]["id"], json!(ada));
    // A shift that is added has nobody yet, while those before stay as they are.
    window.click("Edit…");
    window.click("Add shift");
    window.fill("[name=\"shiftDetails[1].name\"]", "Later");
    window.click("Save");
    window.until("!document.querySelector('dialog')");
    let found = shifts();
    assert_eq!((&found[0]["users"][0]["id"], &found[1]["users"]), (&json!(ada), &json!([])), "{found}");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_was_searched_for_and_not_chosen_is_not_dropped() {
    let company = demo().new_client();
    let Some(window) = signed_in_at(&company, "operator") else { return };
    open(&window, demo(), "rosters", "Rosters");
    window.click("New roster");
    window.fill("[name=name]", "Searched");
    window.click("More fields");
    for label in ["Add person", "Groups on call in every turn"] {
        let field = control(label);
        window.evaluate("document.querySelectorAll('dialog details').forEach(one => one.open = true)");
        window.evaluate(&format!("{field}.focus()"));
        window.debug("Input.insertText", &json!({"text": "nobody of this name"}));
        // Enter before the list is there sends nothing, and shows it.
        window.press("Enter");
        window.until(&format!("{field}.ariaExpanded == 'true'"));
        // A field that is tucked away is shown when it keeps the form from being sent.
        window.evaluate("document.querySelectorAll('dialog details').forEach(one => one.open = false)");
        window.click("Create");
        window.until(&format!("document.activeElement == {field} && {field}.validationMessage"));
        window.evaluate("document.querySelector('dialog [name=name]').focus()");
        window.shows("Choose one of the list, or empty this field.");
        window.evaluate(&format!(
            "(one => {{ one.value = ''; one.dispatchEvent(new Event('input', {{bubbles: true}})); }})({field})"
        ));
        window.until(&format!("!{field}.validationMessage"));
    }
    let found = company.get("/rosters/search").page();
    assert_eq!(found["results"], json!([]));
    window.click("Create");
    window.until("document.querySelector('main h1')?.textContent == 'Searched'");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn people_of_one_name_are_told_apart() {
    let company = demo().new_client();
    let twins = ["twin", "twin"].map(|login| {
        let body = json!({"loginName": unique(login), "firstName": "Ada", "lastName": "Twin"});
        let id = text(&company.post("/users", &body).ok()["id"]);
        (id, format!("Ada Twin ({})", text(&body["loginName"])))
    });
    let Some(window) = signed_in_at(&company, "operator") else { return };
    open(&window, demo(), "rosters", "Rosters");
    window.click("New roster");
    window.fill("[name=name]", "Twins");
    window.click("More fields");
    for (_, words) in &twins {
        pick(&window, "People on call in every turn", "twin", words);
    }
    let chips = "[...document.querySelectorAll('dialog .chips bdi')].map(one => one.textContent)\
                 .filter(one => one.includes('Twin'))";
    window.until(&format!("{chips}.length == 2"));
    assert_eq!(window.evaluate(chips), json!([twins[0].1, twins[1].1]));
    // The same one again is in it already.
    pick(&window, "People on call in every turn", "twin", &twins[1].1);
    window.click("Create");
    window.until("document.querySelector('main h1')?.textContent == 'Twins' && !document.querySelector('.loading')");
    let roster = text(&window.evaluate("location.pathname.split('/').pop()"));
    let users = company.get(&format!("/rosters/{roster}")).ok()["shiftDetails"][0]["users"].clone();
    let ids: Vec<_> = users.as_array().unwrap().iter().map(|one| text(&one["id"])).collect();
    assert_eq!(ids, [twins[0].0.clone(), twins[1].0.clone()]);
    window.click("New override…");
    let options =
        "[...document.querySelectorAll('dialog select[name=user] option')].map(one => one.textContent.trim())";
    window.until(&format!("{options}.length > 1"));
    for (_, words) in &twins {
        window.until(&format!("{options}.includes({})", json!(words)));
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_is_wrong_is_named_as_the_form_names_it() {
    let company = demo().new_client();
    let Some(window) = signed_in_at(&company, "operator") else { return };
    open(&window, demo(), "rosters", "Rosters");
    window.click("New roster");
    window.fill("[name=name]", "Wrong");
    window.fill("[name=\"shiftDetails[0].name\"]", "Day");
    window.click("Add shift");
    window.fill("[name=\"shiftDetails[1].name\"]", "Day");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert] li strong')");
    let told = text(&window.evaluate("document.querySelector('dialog [role=alert] li').innerText"));
    assert!(told.starts_with("Shifts 2 › Shift name "), "{told}");
    let hints = window.evaluate(
        "import('/console/bodyschema.js').then(({hintOf}) => ['Drop it; default false.', 'Is it so? Default true.', \
         'Default false.', 'A word.'].map(about => hintOf({about})))",
    );
    assert_eq!(hints, json!(["Drop it", "Is it so?", "", "A word"]));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
