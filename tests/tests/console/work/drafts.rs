//! What was typed and not sent is there again after a reload.

use muster_tests::{Client, chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::{
    super::{company, demo, meddle, open, signed_in, text},
    control,
};

in_browser![
    what_was_typed_survives_a_reload,
    what_was_chosen_survives_although_the_choices_come_late,
    what_was_typed_into_a_form_of_any_record_survives,
    what_is_cancelled_or_secret_or_of_somebody_else_is_not_kept,
];

fn what_was_typed_survives_a_reload() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    let words = unique("half-written");
    open(&window, server, "incidents", "Incidents");
    window.click("New incident…");
    window.fill("input[name=subject]", &words);
    window.fill("select[name=priority]", "High");
    open(&window, server, "incidents", "Incidents");
    window.click("New incident…");
    window.until(&format!("document.querySelector('dialog [name=subject]').value == {}", json!(words)));
    assert_eq!(window.evaluate("document.querySelector('dialog [name=priority]').value"), json!("High"));
    window.click("Create");
    window.until("location.pathname.startsWith('/console/incidents/INC') && document.querySelector('textarea')");
    let path = text(&window.evaluate("location.pathname.replace('/console/', '')"));
    window.fill("textarea", &words);
    open(&window, server, &path, &words);
    window.until(&format!("document.querySelector('textarea').value == {}", json!(words)));
    window.click("Add note");
    window.until(&format!("document.querySelector('.notes')?.textContent.includes({})", json!(words)));
    // A sent form is no longer a draft.
    open(&window, server, &path, &words);
    window.until("document.querySelector('textarea')?.value === ''");
    open(&window, server, "incidents", "Incidents");
    window.click("New incident…");
    window.until("document.querySelector('dialog [name=subject]')?.value === ''");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// The values of the form that is open, by the names of its controls.
fn values(window: &Window) -> Value {
    window.evaluate("Object.fromEntries(new FormData(document.querySelector('dialog[open] form')))")
}

/// A form, what is typed into it, and what its choices come with.
struct Form {
    path: String,
    title: String,
    button: &'static str,
    typed: Vec<(&'static str, String)>,
    choices: &'static str,
}

fn forms(company: &Client) -> Vec<Form> {
    let anna = text(&company.search("/users/search", "loginName:anna.huber").page()["results"][0]["id"]);
    let script = company.post("/jobs/scripts", &json!({"name": unique("late"), "content": "echo"})).ok()["id"].clone();
    let subject = unique("Late");
    let incident = text(&company.post("/incidents", &json!({"subject": subject})).ok()["id"]);
    let form = |path: &str, title: &str, button, typed: &[(&'static str, &str)], choices| Form {
        path: path.to_owned(),
        title: title.to_owned(),
        button,
        typed: typed.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
        choices,
    };
    vec![
        form("on-call", "On call", "Take over…", &[("user", &anna), ("note", "by train")], "/users/search"),
        form("keys", "API keys", "New key…", &[("userId", &anna), ("name", "late")], "/users/search"),
        form(
            &format!("incidents/{incident}"),
            &subject,
            "Change…",
            &[("assignee", &anna), ("priority", "Low")],
            "/users/search",
        ),
        // What stands below a choice is shown once it is made.
        form(
            "jobs",
            "Jobs",
            "New job…",
            &[("script", &format!("script {script}")), ("repeat", "cron"), ("cron", "0 4 * * *"), ("name", "late")],
            "/jobs/(scripts/search|types)",
        ),
    ]
}

fn what_was_chosen_survives_although_the_choices_come_late() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    meddle(&window);
    for Form { path, title, button, typed, choices } in forms(&company) {
        window.evaluate("sessionStorage.slow = ''");
        open(&window, server, &path, &title);
        window.click(button);
        for (name, value) in &typed {
            let known = format!(
                "(field => field && (!field.options || [...field.options].some(one => one.value == {})))\
                 (document.querySelector('dialog [name={name}]'))",
                json!(value)
            );
            window.until(&known);
            window.fill(&format!("[name={name}]"), value);
        }
        let wanted = values(&window);
        for (name, value) in &typed {
            assert_eq!(wanted[name], json!(value), "{button}");
        }
        window.evaluate(&format!("sessionStorage.slow = {}", json!(choices)));
        open(&window, server, &path, &title);
        window.click(button);
        window.until("document.querySelector('dialog[open] form')");
        let chosen = typed[0].0;
        let early = format!("document.querySelector('dialog [name={chosen}]')?.value == {}", json!(typed[0].1));
        assert_eq!(window.evaluate(&early), json!(false), "{button}: the choices are there already");
        // What is typed before they come is not lost, nor is the choice by it.
        let last = typed[typed.len() - 1].0;
        window.until(&format!("document.querySelector('dialog [name={last}]')"));
        if window.evaluate(&format!("document.querySelector('dialog [name={last}]').tagName")) == json!("INPUT") {
            window.fill(&format!("[name={last}]"), "another");
        }
        window.until(&early);
        let found = values(&window);
        for (name, value) in wanted.as_object().unwrap().iter().filter(|(name, _)| *name != last) {
            assert_eq!(found[name], *value, "{name} of {button}");
        }
        window.evaluate("sessionStorage.slow = ''");
        open(&window, server, &path, &title);
        window.click(button);
        window.until(&early);
        window.until(&format!("document.querySelector('dialog [name={last}]').value == {}", found[last]));
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_was_typed_into_a_form_of_any_record_survives() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let name = unique("Kept");
    let schedule = json!({"type": "One-Time", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z"});
    let planned = json!({"name": name, "devices": [{"hostName": "web-01"}], "schedule": schedule});
    let planned = text(&company.post("/scheduleMaintenances", &planned).ok()["uniqueId"]);
    let machine = text(&company.post("/resources", &json!({"hostName": name})).ok()["resourceUUID"]);
    let group = text(&company.post("/deviceGroups", &json!({"name": name})).ok()["uniqueId"]);
    let forms = [
        (format!("maintenance?window={planned}"), "Maintenance", "Edit…", "description"),
        (format!("resources/{machine}"), &name, "Edit…", "description"),
        (format!("groups/{group}"), &name, "Edit…", "description"),
    ];
    for (path, title, button, field) in forms {
        let value = format!("document.querySelector('dialog [name={field}]')?.value");
        open(&window, server, &path, title);
        window.click(button);
        window.until(&format!("{value} === ''"));
        window.fill(&format!("[name={field}]"), "half-written");
        open(&window, server, &path, title);
        window.click(button);
        window.until(&format!("{value} == 'half-written'"));
        window.click("Save");
        window.until("!document.querySelector('dialog')");
        // What was saved is no longer a draft.
        window.click(button);
        window.until(&format!("{value} == 'half-written'"));
        window.fill(&format!("[name={field}]"), "cancelled");
        window.click("Cancel");
        window.click(button);
        window.until(&format!("{value} == 'half-written'"));
        window.click("Cancel");
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_is_cancelled_or_secret_or_of_somebody_else_is_not_kept() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let incident = text(&company.post("/incidents", &json!({"subject": unique("Cancel")})).ok()["id"]);
    let subject = text(&company.get(&format!("/incidents/{incident}")).ok()["subject"]);
    open(&window, server, &format!("incidents/{incident}"), &subject);
    let begun = format!("document.querySelector('dialog [name=subject]')?.value == {}", json!(subject));
    for leave in ["Cancel", "Escape"] {
        window.click("Change…");
        window.until(&begun);
        window.fill("[name=subject]", "another");
        if leave == "Cancel" {
            window.click(leave);
        } else {
            window.press(leave);
        }
        window.until("!document.querySelector('dialog')");
    }
    // Nor is it after a reload.
    open(&window, server, &format!("incidents/{incident}"), &subject);
    window.click("Change…");
    window.until(&begun);
    // A password is nowhere, while what stands beside it is kept.
    open(&window, server, "integrations", "Integrations");
    window.click("Install integration…");
    window.fill("[name=displayName]", "kept words");
    window.until(&control("Base notifier"));
    window.evaluate(&format!("{}.click()", control("Base notifier")));
    window.fill("[name=\"baseNotifier.authType\"]", "BASIC");
    window.fill("[name=\"baseNotifier.password\"]", "hunter2-hunter2");
    let drafts = "Object.values(sessionStorage).join()";
    window.until(&format!("{drafts}.includes('kept words') && document.querySelector('[type=password]').value"));
    assert!(!text(&window.evaluate(drafts)).contains("hunter2"));
    // Somebody else who signs in here finds nothing of it.
    let other = json!({"loginName": unique("otto"), "firstName": "Otto", "lastName": "Next", "role": "admin"});
    let other = text(&company.post("/users", &other).ok()["id"]);
    let url = text(&company.post_empty(&format!("/users/{other}/signInLink")).ok()["url"]);
    window.go(&url);
    window.click("Sign in");
    window.shows("Otto Next");
    assert_eq!(window.evaluate(drafts), json!(""));
    open(&window, server, "integrations", "Integrations");
    window.click("Install integration…");
    window.fill("[name=displayName]", "signed out");
    window.until(&format!("{drafts}.includes('signed out')"));
    open(&window, server, "settings", "Settings");
    window.click("Sign out");
    window.until("location.pathname == '/'");
    assert_eq!(window.evaluate(drafts), json!(""));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
