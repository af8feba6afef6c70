//! A lead plans a fortnight from nothing: who takes turns, and who stands in for a day.

use muster_tests::{in_browser, unique};
use serde_json::{Value, json};

use super::{super::text, Actor, Input, person, server};

in_browser![
    a_lead_plans_a_fortnight_from_nothing_by_mouse,
    a_lead_plans_a_fortnight_from_nothing_by_keys,
    a_lead_plans_a_fortnight_from_nothing_on_a_telephone,
    a_new_roster_begins_before_today,
];

fn a_lead_plans_a_fortnight_from_nothing_by_mouse() {
    plan(Input::Mouse);
}

fn a_lead_plans_a_fortnight_from_nothing_by_keys() {
    plan(Input::Keys);
}

fn a_lead_plans_a_fortnight_from_nothing_on_a_telephone() {
    plan(Input::Telephone);
}

/// The users of an entry of a timeline.
fn users(entry: &Value) -> Vec<String> {
    entry["users"].as_array().unwrap().iter().map(|user| text(&user["id"])).collect()
}

/// What the form begins with has somebody on call all of the day on which it is filled in.
fn a_new_roster_begins_before_today() {
    let Some(actor) = Actor::open(Input::Mouse) else { return };
    actor.window.go(&format!("{}/console/", server().base()));
    let found = actor.window.evaluate(
        "import('/console/shiftschedule.js').then(({mondayBefore}) => [...Array(8).keys()].map(day => { \
         const monday = new Date(mondayBefore(new Date(2026, 10, 30 + day, 3))); \
         return `${monday.getDay()} ${monday.getHours()} ${monday.getMonth() + 1}-${monday.getDate()}`; }))",
    );
    let [last, this] = ["1 0 11-23", "1 0 11-30"];
    assert_eq!(found, json!([last, this, this, this, this, this, this, this]));
}

fn plan(input: Input) {
    let company = server().new_client();
    let [anna, ben] =
        [("Anna", "Huber"), ("Ben", "Ost")].map(|(first, last)| person(&company, first, last, "operator"));
    let Some(lead) = Actor::sign_in(&company, "operator", input) else { return };
    lead.go("Rosters");
    lead.reads("There is no roster here.");
    let name = unique("Night");
    lead.press("New roster");
    lead.fill("Name", &name);
    lead.pick("Add person", "Anna", "Anna Huber");
    lead.pick("Add person", "Ben", "Ben Ost");
    lead.reads("Somebody is on call all the time.");
    lead.send("Create");
    lead.heading(&name);
    lead.reads("Anna Huber, then Ben Ost for 1 week each");
    lead.press("14 days");
    lead.reads("Somebody is on call all the time.");
    // Ben stands in for Anna, or Anna for Ben, two days from now.
    let roster = text(&lead.window.evaluate("location.pathname.split('/').pop()"));
    let day = text(&lead.window.evaluate("new Date(Date.now() + 2 * 864e5).toISOString().slice(0, 10)"));
    let timeline = |from: &str, to: &str| company.get(&format!("/rosters/{roster}/timeline?from={from}&to={to}")).ok();
    let (start, end) = (format!("{day}T10:00"), format!("{day}T16:30"));
    let stretch = || timeline(&format!("{start}:00Z"), &format!("{end}:00Z"));
    let before = users(&stretch()["entries"][0]);
    let (deputy, other) = if before == [anna.clone()] { ("Ben Ost", &ben) } else { ("Anna Huber", &anna) };
    let note = unique("Dentist");
    lead.press("New override…");
    lead.choose("Person", deputy);
    lead.set_time("From", &start);
    lead.set_time("To", &end);
    lead.fill("Note", &note);
    lead.send("Take over");
    lead.reads(&note);

    let found = company.get(&format!("/rosters/{roster}")).ok();
    assert_eq!(found["name"], json!(name));
    let after = stretch();
    assert_eq!(after["entries"].as_array().unwrap().iter().map(users).collect::<Vec<_>>(), [[other.clone()]]);
    let today = text(&lead.window.evaluate("new Date().toISOString().slice(0, 10)"));
    let last = text(&lead.window.evaluate("new Date(Date.now() + 14 * 864e5).toISOString().slice(0, 10)"));
    let fortnight = timeline(&format!("{today}T00:00:00Z"), &format!("{last}T00:00:00Z"));
    assert_eq!((&fortnight["gaps"], fortnight["coverage"].as_f64()), (&json!([]), Some(100.0)), "{fortnight}");
    let all: Vec<String> = fortnight["entries"].as_array().unwrap().iter().flat_map(users).collect();
    assert!(all.contains(&anna) && all.contains(&ben), "{fortnight}");
    lead.is_done();
}
