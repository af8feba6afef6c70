//! Totals are exact, and of the same instant as their page, whatever is written meanwhile and through whichever
//! gateway.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use muster_tests::{Backend, Client, Server, both_backends, encode, fresh_database, rounds};
use serde_json::{Value, json};

use super::{create, text};

both_backends![random_writes_and_questions_agree, a_total_is_of_the_instant_of_its_page];

/// Chooses, alike in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const HOSTS: [&str; 5] = ["web", "db", "webdb", "cache", "mail"];
const TAGS: [&str; 4] = ["env", "team", "rack", "rare"];
const STATES: [&str; 3] = ["active", "inactive", "discovered"];
const SITES: [&str; 3] = ["North", "South", "Northwest"];
const ROLES: [&str; 3] = ["nginx", "redis", "mysql"];

#[derive(Clone, Debug)]
struct Machine {
    host: String,
    alias: String,
    tags: Vec<&'static str>,
    state: &'static str,
    site: Option<&'static str>,
    role: Option<&'static str>,
    agent: bool,
    by_hand: bool,
    gone: bool,
}

impl Machine {
    fn random(dice: &mut Dice, number: usize) -> Self {
        let tags = TAGS.into_iter().filter(|tag| dice.below(if *tag == "rare" { 20 } else { 2 }) == 0);
        Self {
            tags: tags.collect(),
            host: format!("{}-{number:03}", dice.of(&HOSTS)),
            alias: if dice.below(3) == 0 { format!("alias {}", dice.of(&HOSTS)) } else { String::new() },
            state: STATES[dice.below(4).saturating_sub(1)],
            site: [None, Some(SITES[dice.below(3)])][dice.below(2)],
            role: [None, Some(ROLES[dice.below(3)])][dice.below(2)],
            agent: dice.below(2) == 0,
            by_hand: false,
            gone: false,
        }
    }

    fn body(&self) -> Value {
        let tags: Vec<Value> = self.tags.iter().map(|name| json!({"name": name, "value": "x"})).collect();
        let roles: Vec<Value> = self.role.iter().map(|name| json!({"name": name})).collect();
        let mut body = json!({
            "hostName": self.host, "aliasName": self.alias, "tags": tags, "appRoles": roles, "state": self.state,
            "agentInstalled": self.agent,
        });
        if let Some(site) = self.site {
            body["location"] = json!({"name": site});
        }
        body
    }
}

/// What is there, by id.
type World = BTreeMap<String, Machine>;

/// A term, and whom it means.
type Term = (String, Box<dyn Fn(&Machine) -> bool>);

fn term(dice: &mut Dice, kind: usize) -> Term {
    match kind {
        0 => {
            let text = dice.of(&["web", "db", "b", "-0", "mail-", "nothing"]);
            (format!("hostName:{text}"), Box::new(move |one| one.host.contains(text)))
        }
        1 => {
            let text = dice.of(&["web", "alias", "db"]);
            (format!("aliasName:{text}"), Box::new(move |one| one.alias.contains(text)))
        }
        2 => {
            let one = dice.of(&TAGS);
            let other = dice.of(&TAGS);
            let names = if one == other { one.to_owned() } else { format!("{one},{other}") };
            (
                format!("tags:{names}"),
                Box::new(move |machine| [one, other].iter().any(|tag| machine.tags.contains(tag))),
            )
        }
        3 => {
            let role = dice.of(&ROLES);
            (format!("appRoles:{role}"), Box::new(move |one| one.role == Some(role)))
        }
        4 => {
            let site = dice.of(&SITES);
            (format!("deviceLocation:{site}"), Box::new(move |one| one.site.is_some_and(|name| name.contains(site))))
        }
        5 => ("deviceGroup:by hand".to_owned(), Box::new(|one| one.by_hand)),
        6 => ("deviceGroup:by rule".to_owned(), Box::new(|one| one.host.contains("web"))),
        7 => {
            let agent = dice.below(2) == 0;
            (format!("agentInstalled:{agent}"), Box::new(move |one| one.agent == agent))
        }
        _ => {
            let state = dice.of(&STATES);
            (format!("state:{state}"), Box::new(move |one| one.state == state))
        }
    }
}

/// Asks a random question, and compares.
fn ask(client: &Client, dice: &mut Dice, world: &World) {
    let mut terms: Vec<Term> = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let kind = dice.below(9);
        let next = term(dice, kind);
        let variable = |term: &Term| term.0.split(':').next().map(str::to_owned);
        if terms.iter().all(|term| variable(term) != variable(&next)) {
            terms.push(next);
        }
    }
    let by_state = terms.iter().any(|(text, _)| text.starts_with("state:"));
    let meant =
        |machine: &Machine| (by_state || machine.state == "active") && terms.iter().all(|(_, means)| means(machine));
    let mut expected: Vec<&String> =
        world.iter().filter(|(_, one)| !one.gone && meant(one)).map(|(id, _)| id).collect();
    expected.sort();
    let query = encode(&terms.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("+"));
    let sort = dice.of(&["id", "id", "name", "hostName", "updatedDate"]);
    let size = 1 + dice.below(30);
    let down = dice.below(2) == 0;
    let verbose = dice.below(4) == 0;
    let path = format!(
        "/resources/search?queryString={query}&sortName={sort}&isDescendingOrder={down}&pageSize={size}\
         &verbose={verbose}"
    );
    let mut found = Vec::new();
    let mut number = 1;
    let mut cursor = None::<String>;
    let by_cursor = dice.below(2) == 0;
    loop {
        let page = match (&cursor, by_cursor) {
            (Some(cursor), true) => client.get(&format!("{path}&cursor={cursor}")).page(),
            _ => client.get(&format!("{path}&pageNo={number}")).page(),
        };
        assert_eq!(page["totalResults"], json!(expected.len()), "{path}: {page}");
        found.extend(page["results"].as_array().unwrap().iter().map(|one| text(&one["id"])));
        number += 1;
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        if page["nextPage"] != json!(true) {
            break;
        }
    }
    if sort == "id" {
        let mut order = found.clone();
        order.sort();
        if down {
            order.reverse();
        }
        assert_eq!(found, order, "{path}");
    }
    found.sort();
    assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{path}");
    let listed = client.get(&format!("/resources/minimal?queryString={query}")).list();
    let mut listed: Vec<String> = listed.iter().map(|one| text(&one["id"])).collect();
    listed.sort();
    assert_eq!(listed, found, "{path}");
}

fn ask_history(client: &Client, dice: &mut Dice, world: &World) {
    let kind = [0, 2][dice.below(2)];
    let (term, means) = term(dice, kind);
    let expected = world.values().filter(|one| one.gone && means(one)).count();
    let page = client.search("/history/resources?pageSize=7", &term).page();
    assert_eq!(page["totalResults"], json!(expected), "{term}");
}

fn random_writes_and_questions_agree(server: &Server) {
    let client = server.new_client();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for site in SITES {
        client.post("/sites", &json!({"name": site})).ok();
    }
    let rules = json!([{"resourceType": "Resource", "key": "hostName", "operator": "Contains", "value": "web"}]);
    let by_rule = json!({"name": "by rule", "filterCriteria": {"matchType": "ALL", "rules": rules}});
    let by_hand = client.post("/deviceGroups", &json!({"name": "by hand"})).ok()["id"].to_string();
    let mut rule = client.post("/deviceGroups", &by_rule).ok()["id"].to_string();
    let mut world = World::new();
    for number in 0..rounds("random writes", 150, 3_000) {
        let ids: Vec<String> = world.iter().filter(|(_, one)| !one.gone).map(|(id, _)| id.clone()).collect();
        let some = |dice: &mut Dice| (!ids.is_empty()).then(|| ids[dice.below(ids.len())].clone());
        match (dice.below(12), some(&mut dice)) {
            (0..=3, Some(id)) => {
                let mut next = Machine::random(&mut dice, number);
                let known = &world[&id];
                next.site = next.site.or(known.site);
                next.by_hand = known.by_hand;
                client.post(&format!("/resources/{id}"), &next.body()).ok();
                world.insert(id, next);
            }
            (4, Some(id)) => {
                client.delete(&format!("/resources/{id}")).ok();
                world.get_mut(&id).unwrap().gone = true;
            }
            (5, Some(id)) => {
                client.post(&format!("/resources/{id}/decommission"), &json!({"reason": "old"})).ok();
                world.get_mut(&id).unwrap().gone = true;
            }
            (6 | 7, Some(id)) => {
                let member = json!([{"id": id}]);
                let known = world.get_mut(&id).unwrap();
                let path = format!("/deviceGroups/{by_hand}/childs");
                if known.by_hand {
                    client.delete_with(&path, &member).ok();
                } else {
                    client.post(&path, &member).ok();
                }
                known.by_hand = !known.by_hand;
            }
            (8, Some(id)) => {
                client.post(&format!("/devices/{id}/unmanage"), &json!({})).ok();
                world.get_mut(&id).unwrap().state = "inactive";
            }
            (9, _) if number % 3 == 0 => {
                client.delete(&format!("/deviceGroups/{rule}")).ok();
                rule = client.post("/deviceGroups", &by_rule).ok()["id"].to_string();
            }
            _ => {
                let new: Vec<Machine> = (0..3).map(|part| Machine::random(&mut dice, number * 10 + part)).collect();
                let lines: String = new.iter().map(|one| format!("{}\n", one.body())).collect();
                let bulk = client.request("POST", "/resources/bulk").body("application/x-ndjson", lines).send();
                assert_eq!(bulk.status, 200, "{bulk}");
                let answer = bulk.text();
                let mut results = answer.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
                for one in new {
                    let result = results.next().unwrap();
                    assert_eq!(result["result"], json!("created"), "{result}");
                    world.insert(text(&result["id"]), one);
                }
            }
        }
        ask(&client, &mut dice, &world);
        if number % 5 == 0 {
            ask_history(&client, &mut dice, &world);
        }
    }
}

/// Writes and asks side by side: each answer holds everything, so that its total can be compared with its rows.
fn hammer(writers: &[Client], readers: &[Client], writes: usize) {
    let ids: Vec<String> =
        (0..40).map(|number| create(&writers[0], &json!({"hostName": format!("web-{number}")}))).collect();
    let done = AtomicBool::new(false);
    let ids = &ids;
    let done = &done;
    std::thread::scope(|scope| {
        let working: Vec<_> = writers
            .iter()
            .enumerate()
            .map(|(writer, client)| {
                scope.spawn(move || {
                    let mut dice = Dice(77 + writer as u64);
                    for number in 0..writes {
                        let id = &ids[dice.below(ids.len())];
                        let host = format!("{}-{number}", dice.of(&["web", "db"]));
                        let tags = json!([{"name": dice.of(&["env", "other"]), "value": "x"}]);
                        let body = json!({"hostName": host, "tags": tags, "state": dice.of(&["active", "inactive"])});
                        client.post(&format!("/resources/{id}"), &body).ok();
                        // What was answered is seen by the next question, to whichever gateway.
                        let page = readers[number % readers.len()]
                            .search("/resources/search", &format!("id:{id}+state:all"))
                            .page();
                        assert_eq!(page["totalResults"], json!(1));
                        if number % 10 == 0 {
                            create(client, &json!({"hostName": format!("web-new-{writer}-{number}")}));
                        }
                    }
                })
            })
            .collect();
        for (number, client) in readers.iter().enumerate() {
            scope.spawn(move || {
                let mut dice = Dice(1234 + number as u64);
                while !done.load(Ordering::Relaxed) {
                    let host = dice.of(&["web", "db"]);
                    let tag = dice.of(&["env", "other"]);
                    let query = dice.of(&["hostName", "both"]);
                    let terms = if query == "both" {
                        format!("hostName:{host}+tags:{tag}")
                    } else {
                        format!("hostName:{host}")
                    };
                    let page = client.search("/resources/search?pageSize=1000", &terms).page();
                    let rows = page["results"].as_array().unwrap();
                    assert_eq!(page["totalResults"], json!(rows.len()), "{terms}");
                    for row in rows {
                        assert!(text(&row["hostName"]).contains(host), "{terms}: {row}");
                    }
                }
            });
        }
        let ended: Vec<_> = working.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok), "a writer failed");
    });
    for client in readers {
        let everything = client.search("/resources/search?verbose=true&pageSize=100", "state:all").page();
        let all = everything["results"].as_array().unwrap();
        for (host, tag) in [("web", "env"), ("web", "other"), ("db", "env"), ("db", "other")] {
            let expected = all.iter().filter(|one| {
                let tags = one["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
                text(&one["hostName"]).contains(host) && tags.iter().any(|one| one["name"] == json!(tag))
            });
            let page = client.search("/resources/search", &format!("hostName:{host}+tags:{tag}+state:all")).page();
            assert_eq!(page["totalResults"], json!(expected.count()), "{host} {tag}");
        }
    }
}

fn a_total_is_of_the_instant_of_its_page(server: &Server) {
    let client = server.new_client();
    let three = [client.clone(), client.clone(), client];
    hammer(&three, &three, rounds("writes beside questions", 60, 2_000));
}

mod gateways_on_postgres {
    use super::*;

    #[test]
    fn two_gateways_agree() {
        let url = fresh_database();
        let first = Server::start_at(Backend::Postgres, Some(url), &[]);
        let client = first.new_client();
        let key = first.credentials().0.to_owned();
        let secret = first.credentials().1.to_owned();
        let second = Server::start_beside(&first, &[]);
        let other = second.anonymous().with_token(&second.token(&key, &secret)).tenant(client.tenant_id());
        let all = [client, other];
        hammer(&all, &all, rounds("writes through two gateways", 60, 2_000));
    }
}
