//! Turns of people who are away.

use std::collections::BTreeMap;

use muster_tests::{Backend, Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    calendars::{calendar, sequence},
    create, daily, group,
    history::{PastAnswers, next_second},
    path,
    rotations::{line, on_call, rotation, turns},
    text,
    turns::{alone, people, users, weekdays},
    user,
};
use crate::integrations::times::soon;

both_backends![
    a_turn_is_skipped_or_exchanged,
    turns_in_a_row_leave_no_gap,
    less_than_half_of_a_turn_is_a_conflict,
    a_group_is_away_when_all_of_it_are,
    fourteen_people_have_as_many_turns_with_twenty_absences,
    the_current_turn_is_kept_by_whoever_has_it,
    answers_stay_when_time_off_changes,
    a_partners_time_off_moves_turns_and_is_not_told,
    a_holiday_of_a_person_counts_too,
    a_turn_that_moves_is_a_revision_in_feeds,
];

/// The first instant of a day of January 2036, a Tuesday the 1st.
fn day(day: u32) -> String {
    format!("2036-01-{day:02}T00:00:00Z")
}

#[track_caller]
fn away(client: &Client, user: &str, from: &str, to: &str) -> String {
    let made = client.post(&format!("/users/{user}/timeOff"), &json!({"from": from, "to": to, "reason": "Skiing"}));
    text(&made.ok()["id"])
}

/// A rotation by day from 7 January 2036 on, of a person in each place.
fn daily_turns(people: &[String], when_away: &str) -> Value {
    let mut rotation = alone(&people.iter().collect::<Vec<_>>(), json!({"days": 1}), "2036-01-07T00:00:00");
    rotation["whenAway"] = json!(when_away);
    rotation
}

fn made_of(client: &Client, people: &[String], when_away: &str) -> Value {
    create(client, "GMT", &[turns("Line", daily("00:00:00", "00:00:00"), daily_turns(people, when_away))])
}

/// Who has the days from the 7th on.
fn taken(client: &Client, made: &Value, days: u32) -> String {
    let of = |number: u32| {
        let asked = on_call(client, made, &day(7 + number).replace("T00", "T12"));
        text(&asked["onCall"][0]["user"]["firstName"]).replace('P', "")
    };
    (0..days).map(of).collect()
}

fn kinds(client: &Client, user: &str) -> Vec<String> {
    let range = format!("from={}&to={}", day(7), day(20));
    let found = client.get(&format!("/rosters/conflicts?{range}&userId={user}")).ok();
    found["results"].as_array().into_iter().flatten().map(|one| text(&one["kind"])).collect()
}

fn a_turn_is_skipped_or_exchanged(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 3);
    let kept = made_of(&client, &people, "keep");
    let skipped = made_of(&client, &people, "skip");
    let swapped = made_of(&client, &people, "swap");
    let shown = |made: &Value| made["shiftDetails"][0]["rotation"].get("whenAway").cloned();
    assert_eq!([&kept, &skipped, &swapped].map(shown), [None, Some(json!("skip")), Some(json!("swap"))]);
    let line_of = |made: &Value| taken(&client, made, 6);
    let all = || [&kept, &skipped, &swapped].map(line_of);
    assert_eq!(all(), ["012012", "012012", "012012"]);
    let time_off = away(&client, &people[0], &day(7), &day(8));
    assert_eq!(all(), ["012012", "102102", "102012"], "every reader knows it at once");
    let asked = on_call(&client, &skipped, "2036-01-07T12:00:00Z");
    let why = &asked["onCall"][0]["why"];
    assert_eq!(
        (&why["kind"], &why["mode"], &why["insteadOf"][0]["id"], &why["timeOff"]),
        (&json!("away"), &json!("skip"), &json!(people[0]), &json!([{"id": time_off}]))
    );
    assert_eq!(why["insteadOf"][0]["firstName"], json!("P0"));
    assert!(!asked.to_string().contains("Skiing"), "{asked}");
    assert_eq!(asked["next"][0].get("why"), None);
    let exchanged = on_call(&client, &swapped, "2036-01-08T12:00:00Z");
    assert_eq!(exchanged["onCall"][0]["why"]["insteadOf"][0]["id"], json!(people[1]));
    // All readers agree.
    let range = format!("from={}&to={}", day(7), day(13));
    for made in [&kept, &skipped, &swapped] {
        let own = client.get(&format!("{}/timeline?{range}", path(made))).ok();
        let across = client.get(&format!("/rosters/timeline?{range}")).ok();
        let same = across["rosters"].as_array().into_iter().flatten().find(|one| one["roster"]["id"] == made["id"]);
        assert_eq!(same.map(|one| &one["entries"]), Some(&own["entries"]));
        let numbers: String =
            users(&own).iter().map(|id| people.iter().position(|one| one == id).unwrap().to_string()).collect();
        assert_eq!(numbers, taken(&client, made, 6));
    }
    let at = "at=2036-01-07T12:00:00Z";
    let everywhere = client.get(&format!("/rosters/onCall?{at}")).ok();
    let here = |made: &Value| {
        let all = everywhere["onCall"].as_array().into_iter().flatten();
        all.filter(|one| one["roster"]["id"] == made["id"]).map(|one| text(&one["user"]["id"])).collect::<Vec<_>>()
    };
    assert_eq!((here(&kept), here(&skipped)), (vec![people[0].clone()], vec![people[1].clone()]));
    let shifts = client.get(&format!("/users/{}/shifts?{range}", people[1])).ok();
    assert!(
        shifts["shifts"].as_array().is_some_and(|all| all.iter().any(|one| one["why"]["mode"] == "skip")),
        "{shifts}"
    );
    let hours = client.get(&format!("/rosters/hours?{range}&by=roster")).ok();
    assert!(hours["results"].as_array().is_some_and(|all| all.iter().all(|one| one["total"] == 144.0)), "{hours}");
    assert_eq!(kinds(&client, &people[0]).iter().filter(|kind| *kind == "timeOff").count(), 1, "where it is kept");
    client.delete(&path(&kept)).ok();
    assert!(!kinds(&client, &people[0]).contains(&"timeOff".to_owned()));
    // A preview knows it, too, before and after.
    let preview = json!({"name": "p", "description": "", "timeZone": {"name": "GMT"},
        "shiftDetails": [turns("Line", daily("00:00:00", "00:00:00"), daily_turns(&people, "swap"))]});
    let shown = client.post(&format!("/rosters/preview?{range}"), &preview).ok();
    assert_eq!(users(&shown)[..4], [&people[1], &people[0], &people[2], &people[0]].map(Clone::clone));
    let change =
        json!({"shiftDetails": [{"id": skipped["shiftDetails"][0]["id"], "rotation": daily_turns(&people, "keep")}]});
    let both = client.post(&format!("{}/preview?{range}", path(&skipped)), &change).ok();
    assert_eq!((&users(&both["before"])[0], &users(&both["after"])[0]), (&people[1], &people[0]));
    // What is taken back moves nothing any more.
    client.delete(&format!("/users/{}/timeOff/{time_off}", people[0])).ok();
    assert_eq!([&skipped, &swapped].map(line_of), ["012012", "012012"]);
    let wrong = turns("Line", daily("00:00:00", "00:00:00"), daily_turns(&people, "pass"));
    let wrong = json!({"name": "w", "description": "", "timeZone": {"name": "GMT"}, "shiftDetails": [wrong]});
    client.post("/rosters", &wrong).invalid(&["shiftDetails[0].rotation.whenAway"]);
}

/// Somebody with two places who was away has the next turns, more of them in a row than the order is long.
fn turns_in_a_row_leave_no_gap(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 2);
    let order = [&people[0], &people[1], &people[0]].map(Clone::clone);
    let made = ["skip", "swap"].map(|mode| made_of(&client, &order, mode));
    away(&client, &people[0], &day(8), &day(12));
    let range = format!("from={}&to={}", day(7), day(27));
    let check = || {
        for made in &made {
            let line = client.get(&format!("{}/timeline?{range}", path(made))).ok();
            assert_eq!((&line["gaps"], &line["overlaps"]), (&json!([]), &json!([])), "{line}");
        }
        let hours = client.get(&format!("/rosters/hours?{range}&by=roster")).ok();
        let totals: Vec<_> =
            hours["results"].as_array().into_iter().flatten().map(|one| one["total"].as_f64()).collect();
        assert_eq!(totals, [Some(480.0), Some(480.0)], "{hours}");
    };
    check();
    // Beside an override, time is cut in another way.
    for made in &made {
        let hour = json!({"user": {"id": people[1]}, "start": day(7), "end": "2036-01-07T01:00:00Z"});
        client.post(&format!("{}/overrides", path(made)), &hour).ok();
    }
    check();
}

fn less_than_half_of_a_turn_is_a_conflict(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 3);
    let made = made_of(&client, &people, "skip");
    let id = away(&client, &people[0], &day(7), "2036-01-07T11:59:59Z");
    assert_eq!((taken(&client, &made, 4), kinds(&client, &people[0])), ("0120".to_owned(), vec!["timeOff".to_owned()]));
    client.post(&format!("/users/{}/timeOff/{id}", people[0]), &json!({"to": "2036-01-07T12:00:00Z"})).ok();
    assert_eq!((taken(&client, &made, 4), kinds(&client, &people[0])), ("1021".to_owned(), Vec::<String>::new()));
    // Nobody is there: nothing moves.
    away(&client, &people[1], &day(7), &day(8));
    away(&client, &people[2], &day(7), &day(8));
    assert_eq!(taken(&client, &made, 4), "0120");
}

fn a_group_is_away_when_all_of_it_are(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 4);
    let team = group(&client, &[&people[0], &people[1]]);
    let mut rotation = daily_turns(&people[2..], "skip");
    rotation["order"].as_array_mut().unwrap().insert(0, json!({"userGroups": [{"uniqueId": team}]}));
    let made = create(&client, "GMT", &[turns("Line", daily("00:00:00", "00:00:00"), rotation)]);
    let first = || line(&client, &made, &day(7), &day(8));
    away(&client, &people[0], &day(7), &day(8));
    let all = first();
    assert!(all[0].ends_with("P0+P1") || all[0].ends_with("P1+P0"), "{all:?}");
    away(&client, &people[1], "2036-01-07T06:00:00Z", &day(9));
    assert_eq!(first(), ["01-07T00:00/01-08T00:00 P2"]);
    // Who is not in use is not there, and so is who comes.
    client.post_empty(&format!("/users/{}/deactivate", people[2])).ok();
    assert_eq!(first(), ["01-07T00:00/01-08T00:00 P3"]);
    client.post(&format!("/userGroups/{team}/members"), &json!([{"id": people[3]}])).ok();
    assert!(first()[0].contains("P3"), "somebody of the group is there");
}

fn fourteen_people_have_as_many_turns_with_twenty_absences(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 14);
    let mut each = alone(&people.iter().collect::<Vec<_>>(), json!({"occurrences": 1}), "2036-01-01T00:00:00");
    each["whenAway"] = json!("skip");
    let made = create(&client, "Europe/Vienna", &[turns("Desk", weekdays("09:00:00", "17:00:00"), each)]);
    for number in 0..20_usize {
        let (month, first) = (1 + number * 17 / 30 % 12, 4 + number * 17 % 16);
        let from = format!("2036-{month:02}-{first:02}T00:00:00Z");
        let to = format!("2036-{month:02}-{:02}T00:00:00Z", first + 7);
        away(&client, &people[number * 5 % 14], &from, &to);
    }
    let year = client.get(&format!("{}/timeline?from=2036-01-01T00:00:00Z&to=2037-01-01T00:00:00Z", path(&made))).ok();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    users(&year).into_iter().for_each(|id| *counts.entry(id).or_default() += 1);
    let (fewest, most) = (counts.values().min().unwrap(), counts.values().max().unwrap());
    assert!(counts.len() == 14 && most - fewest <= 1, "{counts:?}");
    let moved = year["entries"].as_array().into_iter().flatten().filter(|entry| entry["why"].is_object()).count();
    assert!(moved >= 10, "{moved}");
    let range = "from=2036-01-01T00:00:00Z&to=2037-01-01T00:00:00Z&rest=0h";
    let found = client.get(&format!("/rosters/conflicts?{range}")).ok();
    let off = found["results"].as_array().into_iter().flatten().filter(|one| one["kind"] == "timeOff").count();
    assert_eq!(off, 0);
}

fn the_current_turn_is_kept_by_whoever_has_it(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 4);
    let now = |made: &Value| {
        let asked = client.get(&format!("{}/onCall", path(made))).ok();
        (text(&asked["onCall"][0]["user"]["id"]), text(&asked["next"][0]["user"]["id"]))
    };
    for mode in ["skip", "swap"] {
        let mut rotation = alone(&people.iter().collect::<Vec<_>>(), json!({"weeks": 1}), "2026-01-05T00:00:00");
        let whole = |rotation: &Value| turns("Line", daily("00:00:00", "00:00:00"), rotation.clone());
        let plain = create(&client, "GMT", &[whole(&rotation)]);
        let (first, _) = now(&plain);
        let place = people.iter().position(|id| *id == first).unwrap();
        let until =
            text(&client.get(&format!("{}/onCall", path(&plain))).ok()["onCall"][0]["until"]).replace("+0000", "Z");
        // Away before the roster is made: the turn that is under way is that of the next.
        let id = away(&client, &first, &soon(0), &until);
        rotation["whenAway"] = json!(mode);
        let made = create(&client, "GMT", &[whole(&rotation)]);
        let other = people[(place + 1) % 4].clone();
        assert_eq!(now(&made), (other.clone(), first.clone()), "{mode}");
        next_second(&client);
        // They enter that they are away, too: what has begun stays.
        let more = away(&client, &other, &soon(0), &until);
        assert_eq!(now(&made).0, other);
        let order: Vec<&String> = people.iter().rev().collect();
        let mut turned = alone(&order, json!({"weeks": 1}), "2026-01-05T00:00:00");
        turned["whenAway"] = json!(mode);
        let change =
            json!({"shiftDetails": [{"id": made["shiftDetails"][0]["id"], "rotation": turned}], "keepCurrent": true});
        next_second(&client);
        client.post(&path(&made), &change).ok();
        assert_eq!(now(&made), (other, first.clone()), "{mode}: before the other one comes the first, from behind");
        client.delete(&format!("/users/{first}/timeOff/{id}")).ok();
        client.delete(&format!("/users/{}/timeOff/{more}", people[(place + 1) % 4])).ok();
        assert_eq!(now(&made).0, people[(place + 1) % 4], "nor does taking it back move who is on call");
    }
}

fn answers_stay_when_time_off_changes(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.new_client();
    let people = people(&client, 6);
    let team = group(&client, &[&people[4], &people[5]]);
    let mut rosters = Vec::new();
    for (length, mode) in [
        (json!({"days": 1}), "skip"),
        (json!({"hours": 7}), "swap"),
        (json!({"occurrences": 3}), "skip"),
        (json!({"weeks": 1}), "swap"),
    ] {
        let places: Vec<[&str; 1]> = people[..4].iter().map(|id| [id.as_str()]).collect();
        let places: Vec<&[&str]> = places.iter().map(|place| place.as_slice()).collect();
        let mut turn = rotation(&places, length, "2026-01-05T09:00:00");
        turn["order"].as_array_mut().unwrap().push(json!({"userGroups": [{"uniqueId": team}]}));
        turn["whenAway"] = json!(mode);
        rosters.push(create(&client, "Europe/Paris", &[turns("Line", daily("09:00:00", "09:00:00"), turn)]));
    }
    let mut entries = Vec::new();
    for number in 0..36_usize {
        let (month, first) = (1 + number % 10, 1 + number * 7 % 20);
        let to = format!("2026-{month:02}-{:02}T00:00:00Z", first + 1 + number % 8);
        let from = format!("2026-{month:02}-{first:02}T06:00:00Z");
        let who = &people[number % 6];
        entries.push(format!("/users/{who}/timeOff/{}", away(&client, who, &from, &to)));
    }
    for who in &people {
        away(&client, who, "2026-01-20T00:00:00Z", "2026-02-10T00:00:00Z");
    }
    // As if all of it had been entered before the first turn.
    server.stop();
    server.sql(
        "UPDATE roster_time_off SET updated_ms = 0, created_ms = 0; \
         UPDATE roster_shifts SET rotation = replace(rotation, '\"awaySince\":', '\"awaySince\":0,\"entered\":');",
    );
    server.restart();
    let client = client.at(server.base());
    let changed = next_second(&client);
    let paths: Vec<String> = rosters.iter().map(path).collect();
    let range = "from=2026-01-05T00:00:00Z&to=2026-10-20T00:00:00Z";
    let past = PastAnswers::of(&client, &paths, &changed, range);
    let (before, lines_before) = past.ask();
    let moved = before.iter().filter(|list| list.to_string().contains("insteadOf")).count();
    assert!(moved > before.len() / 25, "{moved} turns moved");
    for (number, one) in entries.iter().enumerate() {
        match number % 4 {
            0 => drop(client.delete(one).ok()),
            1 => drop(client.post(one, &json!({"to": "2026-12-30T00:00:00Z"})).ok()),
            2 => drop(client.post(one, &json!({"reason": "Other"})).ok()),
            _ => {}
        }
    }
    for (number, who) in people.iter().enumerate() {
        away(
            &client,
            who,
            &format!("2026-{:02}-03T00:00:00Z", 1 + number),
            &format!("2026-{:02}-20T00:00:00Z", 1 + number),
        );
    }
    let id = |place: usize| &rosters[place]["shiftDetails"][0]["id"];
    let order: Vec<&String> = people.iter().rev().collect();
    let mut turned = alone(&order, json!({"days": 2}), "2026-01-05T09:00:00");
    turned["whenAway"] = json!("swap");
    let kept = alone(&order, json!({"hours": 7}), "2026-01-05T09:00:00");
    for (place, body) in [
        (0, json!({"shiftDetails": [{"id": id(0), "rotation": turned}]})),
        (1, json!({"shiftDetails": [{"id": id(1), "rotation": kept}], "keepCurrent": true})),
        (2, json!({"shiftDetails": [{"id": id(2), "name": "Renamed"}], "timeZone": {"name": "Asia/Tokyo"}})),
    ] {
        client.post(&paths[place], &body).ok();
    }
    client.delete(&paths[3]).ok();
    past.check_unchanged((&before, &lines_before));
    // Nor do those answers depend on what a gateway has in memory.
    server.restart();
    let client = client.at(server.base());
    past.from(&client).check_unchanged((&before, &lines_before));
}

fn a_partners_time_off_moves_turns_and_is_not_told(server: &Server) {
    let client = server.new_client();
    let partner = server.admin();
    let eve = user(&partner, "P9");
    let people = [eve.clone(), user(&client, "P1"), user(&client, "P2")];
    let made = made_of(&client, &people, "skip");
    assert_eq!(taken(&client, &made, 3), "912");
    away(&partner, &eve, &day(7), &day(8));
    assert_eq!(taken(&client, &made, 3), "192");
    let at = "at=2036-01-07T12:00:00Z";
    for caller in [&client, &partner] {
        let asked = caller.get(&format!("/rosters/onCall?{at}")).ok();
        let own = asked["onCall"].as_array().into_iter().flatten().find(|one| one["roster"]["id"] == made["id"]);
        let why = &own.unwrap()["why"];
        assert_eq!((&why["insteadOf"][0]["id"], why.get("timeOff")), (&json!(eve), None));
    }
}

fn a_holiday_of_a_person_counts_too(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 3);
    let made = made_of(&client, &people, "skip");
    let days = json!([{"date": "2036-01-07", "name": "Distaff Day"}]);
    let body = json!({"name": unique("holidays"), "days": days, "users": [{"id": people[0]}]});
    assert_eq!(taken(&client, &made, 4), "0120");
    let calendar = text(&client.post("/holidayCalendars", &body).ok()["id"]);
    assert_eq!(taken(&client, &made, 4), "1021");
    let everywhere = client.get("/rosters/onCall?at=2036-01-07T12:00:00Z").ok();
    assert_eq!(everywhere["onCall"][0]["user"]["id"], json!(people[1]));
    assert_eq!(everywhere["onCall"][0]["why"].get("timeOff"), None);
    let team = group(&client, &[&people[1]]);
    let both = json!({"users": [{"id": people[0]}], "userGroups": [{"uniqueId": team}]});
    client.post(&format!("/holidayCalendars/{calendar}"), &both).ok();
    assert_eq!(taken(&client, &made, 4), "2012");
    let everywhere = client.get("/rosters/onCall?at=2036-01-07T12:00:00Z").ok();
    assert_eq!(everywhere["onCall"][0]["user"]["id"], json!(people[2]));
    client.delete(&format!("/holidayCalendars/{calendar}")).ok();
    assert_eq!(taken(&client, &made, 4), "0120");
}

fn a_turn_that_moves_is_a_revision_in_feeds(server: &Server) {
    let client = server.new_client();
    let people = [user(&client, "P1"), user(&client, "P2"), user(&client, "P3")];
    let mut rotation = alone(&people.iter().collect::<Vec<_>>(), json!({"days": 1}), "2026-01-05T00:00:00");
    rotation["whenAway"] = json!("skip");
    let made = create(&client, "GMT", &[turns("Line", daily("00:00:00", "00:00:00"), rotation)]);
    let address = client.post_empty(&format!("{}/calendars", path(&made))).ok();
    let before = sequence(&calendar(server, &address));
    assert_eq!(sequence(&calendar(server, &address)), before);
    let entry = away(&client, &people[0], &soon(3 * 86_400), &soon(9 * 86_400));
    let moved = sequence(&calendar(server, &address));
    assert!(moved > before, "{moved} after {before}");
    client.delete(&format!("/users/{}/timeOff/{entry}", people[0])).ok();
    let back = sequence(&calendar(server, &address));
    assert!(back > moved, "{back} after {moved}");
}
