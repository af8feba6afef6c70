//! Rosters by their form.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{demo, open, signed_in_at, text},
    control, pick,
};

in_browser![shifts_without_turns_have_people_or_nobody_yet, what_was_searched_for_and_not_chosen_is_not_dropped];

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
        window.evaluate(&format!("{field}.focus(), {field}.select()"));
        window.debug("Input.insertText", &json!({"text": ""}));
        window.until(&format!("!{field}.validationMessage"));
    }
    let found = company.get("/rosters/search").page();
    assert_eq!(found["results"], json!([]));
    window.click("Create");
    window.until("document.querySelector('main h1')?.textContent == 'Searched'");
    assert_eq!(window.complaints(), Vec::<String>::new());
}
