//! `kill -9` under concurrent writes, again and again: every acknowledged write is there, with all its rows, and of one
//! that was not acknowledged all or nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use muster_tests::{Backend, Client, Response, Server, both_backends, rounds};
use serde_json::{Value, json};

both_backends![what_was_acknowledged_is_there_and_nothing_by_half];

const WRITERS: usize = 6;
/// Resources that become members of a group in one write.
const BATCH: usize = 5;
/// Resources of one atomic bulk request.
const BULK: usize = 20;

/// What a writer did until the server was gone.
#[derive(Default)]
struct Written {
    /// Every create that was sent: name, and the answer if there was one.
    created: Vec<(String, Option<String>)>,
    /// Alias that an acknowledged update gave to a resource.
    renamed: Vec<(String, String)>,
    /// Every decommission that was sent, and whether it was acknowledged.
    gone: Vec<(String, bool)>,
    /// Every batch that was sent into the group, and whether it was acknowledged.
    batches: Vec<(Vec<String>, bool)>,
    /// Every bulk request that was sent, by the start of its names, and its answer if there was one.
    bulks: Vec<(String, Option<String>)>,
}

/// Where the writers of a round write.
struct Place {
    client: Client,
    site: Value,
    group: String,
    dynamic: String,
}

fn what_was_acknowledged_is_there_and_nothing_by_half(backend: Backend) {
    let crashes = rounds("crashes under writes", 8, 50);
    let mut server = Server::start(backend);
    let mut totals = Vec::new();
    let (mut acknowledged, mut unknown) = (0, 0);
    for round in 0..crashes {
        let place = Place::new(&server.new_client());
        let stop = AtomicBool::new(false);
        let all: Vec<Written> = std::thread::scope(|scope| {
            let (place, stop) = (&place, &stop);
            let writers: Vec<_> =
                (0..WRITERS).map(|writer| scope.spawn(move || write(place, &format!("w{writer}"), stop))).collect();
            sleep(Duration::from_millis(150 + 67 * round as u64 % 400));
            server.kill9();
            // For one whose connection was refused before it noticed.
            stop.store(true, Ordering::Relaxed);
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        server.restart();
        let place = Place { client: server.admin().tenant(place.client.tenant_id()), ..place };
        let found = check(&place, &all);
        totals.push((place.client.tenant_id().to_owned(), found));
        acknowledged += all.iter().map(Written::acknowledged).sum::<usize>();
        unknown += all.iter().flat_map(|written| &written.created).filter(|(_, answer)| answer.is_none()).count();
    }
    assert!(acknowledged > crashes * WRITERS, "{acknowledged} acknowledged writes in {crashes} rounds are too few");
    assert!(unknown > 0, "no crash met a write under way");
    for (tenant, found) in totals {
        let now = Found::of(&server.admin().tenant(&tenant));
        assert_eq!((now.live, now.gone), (found.live, found.gone), "{tenant} after later crashes");
    }
}

impl Written {
    fn acknowledged(&self) -> usize {
        self.created.iter().filter(|(_, answer)| answer.is_some()).count()
            + self.renamed.len()
            + self.gone.iter().filter(|(_, answered)| *answered).count()
            + self.batches.iter().filter(|(_, answered)| *answered).count()
            + self.bulks.iter().filter(|(_, answer)| answer.is_some()).count()
    }
}

impl Place {
    fn new(client: &Client) -> Self {
        let create = |path: &str, body: Value| client.post(path, &body).ok()["id"].clone();
        let criteria = json!({"rules": [{"key": "tags", "operator": "Equals", "value": "crash"}]});
        Self {
            site: create("/sites", json!({"name": "here"})),
            group: create("/deviceGroups", json!({"name": "by hand"})).to_string(),
            dynamic: create("/deviceGroups", json!({"name": "by rule", "filterCriteria": criteria})).to_string(),
            client: client.clone(),
        }
    }

    fn body(&self, name: &str) -> Value {
        let tags = json!([{"name": "crash", "value": name}]);
        json!({"name": name, "hostName": name, "location": {"id": self.site}, "tags": tags})
    }

    fn create(&self, name: &str) -> Option<Response> {
        let request = self.client.request("POST", "/resources").header("Idempotency-Key", name);
        answered(request.json(&self.body(name)).try_send())
    }

    /// [`BULK`] resources, all or none.
    fn bulk(&self, start: &str) -> Option<Response> {
        let rows: String = bulk_names(start).map(|name| format!("{}\n", self.body(&name))).collect();
        let request = self.client.request("POST", "/resources/bulk?atomic=true").header("Idempotency-Key", start);
        let answer = request.body("application/x-ndjson", rows).try_send().ok()?;
        assert_eq!(answer.status, 200, "{answer}");
        Some(answer)
    }

    fn post(&self, path: &str, body: &Value) -> bool {
        answered(self.client.request("POST", path).json(body).try_send()).is_some()
    }
}

fn bulk_names(start: &str) -> impl Iterator<Item = String> {
    (0..BULK).map(move |number| format!("{start}-{number}"))
}

/// The answer, which has to be a good one; `None` when the server is gone.
fn answered(sent: Result<Response, reqwest::Error>) -> Option<Response> {
    let answer = sent.ok()?;
    answer.ok();
    Some(answer)
}

fn id_of(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["resourceUUID"].as_str().unwrap_or_else(|| panic!("no resource: {answer}")).to_owned()
}

/// Writes until the server is gone: creates, of which some are renamed, some decommissioned, and some put into the
/// group, [`BATCH`] at once.
fn write(place: &Place, who: &str, stop: &AtomicBool) -> Written {
    let mut written = Written::default();
    let mut batch = Vec::new();
    for number in 0.. {
        let name = format!("{who}-{number}");
        let answer = place.create(&name).map(|answer| answer.text());
        written.created.push((name, answer.clone()));
        let Some(answer) = answer else { break };
        let id = id_of(&answer);
        let going_on = match number % 4 {
            0 => {
                let alias = format!("alias-{who}-{number}");
                let done = place.post(&format!("/resources/{id}"), &json!({"aliasName": alias}));
                if done {
                    written.renamed.push((id, alias));
                }
                done
            }
            1 => {
                let done = place.post(&format!("/resources/{id}/decommission"), &json!({"reason": "old"}));
                written.gone.push((id, done));
                done
            }
            _ => {
                batch.push(id);
                let full = batch.len() == BATCH;
                let done = !full || {
                    let members: Vec<Value> = batch.iter().map(|id| json!({"id": id})).collect();
                    place.post(&format!("/deviceGroups/{}/childs", place.group), &json!(members))
                };
                if full {
                    written.batches.push((std::mem::take(&mut batch), done));
                }
                done
            }
        };
        let going_on = going_on
            && (number % 8 != 7 || {
                let start = format!("{who}-{number}-bulk");
                let answer = place.bulk(&start).map(|answer| answer.text());
                written.bulks.push((start, answer.clone()));
                answer.is_some()
            });
        if !going_on || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    written
}

/// What the server has.
struct Found {
    /// Id, and name and alias.
    live: BTreeMap<String, (String, String)>,
    /// What is in history: id and name.
    gone: BTreeMap<String, String>,
}

impl Found {
    fn of(client: &Client) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = client.get("/resources/minimal?state=all").list();
        let live = list.iter().map(|one| (text(&one["id"]), (text(&one["name"]), text(&one["aliasName"])))).collect();
        let history = all_pages(client, "/history/resources?");
        Self { live, gone: history.iter().map(|one| (text(&one["id"]), text(&one["name"]))).collect() }
    }

    fn names(&self) -> Vec<&String> {
        self.live.values().map(|(name, _)| name).chain(self.gone.values()).collect()
    }
}

fn all_pages(client: &Client, path: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for number in 1..1000 {
        let page = client.get(&format!("{path}pageSize=1000&pageNo={number}")).page();
        all.extend(page["results"].as_array().cloned().unwrap_or_default());
        if page["nextPage"] != json!(true) {
            break;
        }
    }
    all
}

/// Compares what there is with what was written.
fn check(place: &Place, all: &[Written]) -> Found {
    let client = &place.client;
    let found = Found::of(client);
    let ids: BTreeSet<String> = found.live.keys().cloned().collect();

    // Each resource is found in every way or in none.
    let ways = [
        format!("locationId={}", place.site),
        "queryString=tags:crash".to_owned(),
        "queryString=hostName:w".to_owned(),
        "queryString=deviceLocation:here".to_owned(),
        format!("deviceGroupId={}", place.dynamic),
        "queryString=deviceGroup:by%20rule".to_owned(),
    ];
    for way in ways {
        let listed = client.get(&format!("/resources/minimal?state=all&{way}")).list();
        let listed: BTreeSet<String> =
            listed.iter().map(|one| one["id"].as_str().unwrap_or_default().to_owned()).collect();
        let differing: Vec<_> = listed.symmetric_difference(&ids).collect();
        assert!(differing.is_empty(), "{way} and the whole list differ in {differing:?}");
    }
    let both: Vec<_> = found.gone.keys().filter(|id| ids.contains(*id)).collect();
    assert!(both.is_empty(), "in the inventory and in history: {both:?}");
    let names: BTreeSet<&String> = found.names().into_iter().collect();
    assert_eq!(names.len(), found.names().len(), "a create was carried out twice");

    let members = client.get(&format!("/resources/minimal?state=all&deviceGroupId={}", place.group)).list();
    let members: BTreeSet<&str> = members.iter().filter_map(|one| one["id"].as_str()).collect();
    for written in all {
        for (name, answer) in &written.created {
            let Some(answer) = answer else { continue };
            let id = id_of(answer);
            assert!(ids.contains(&id) || found.gone.contains_key(&id), "{name} was acknowledged and is lost");
        }
        for (id, alias) in &written.renamed {
            assert_eq!(found.live.get(id).map(|(_, alias)| alias), Some(alias), "an acknowledged update is lost");
        }
        for (id, answered) in &written.gone {
            assert!(!answered || found.gone.contains_key(id), "{id}: an acknowledged decommission is lost");
        }
        for (batch, answered) in &written.batches {
            let there = batch.iter().filter(|id| members.contains(id.as_str())).count();
            assert!(there == BATCH || (there == 0 && !answered), "{there} of a batch of {BATCH} are members");
        }
        for (start, answer) in &written.bulks {
            let there = bulk_names(start).filter(|name| names.contains(name)).count();
            assert!(there == BULK || (there == 0 && answer.is_none()), "{there} of {BULK} rows of a request are there");
        }
    }
    check_audit(client, &found, all);
    retry(place, all, &found)
}

/// The audit log has one row for each thing that happened, and none for what did not.
fn check_audit(client: &Client, found: &Found, all: &[Written]) {
    let log = all_pages(client, "/auditLog/search?queryString=entity:Resource&");
    let of = |action: &str| -> Vec<String> {
        let rows = log.iter().filter(|row| row["action"] == json!(action));
        let mut ids: Vec<String> = rows.map(|row| row["entityId"].as_str().unwrap_or_default().to_owned()).collect();
        ids.sort();
        ids
    };
    let mut known: Vec<String> = found.live.keys().chain(found.gone.keys()).cloned().collect();
    known.sort();
    assert_eq!(of("CREATE"), known, "creates in the audit log, and resources");
    assert_eq!(of("DELETE"), found.gone.keys().cloned().collect::<Vec<_>>(), "deletes in the audit log, and history");
    let updates: Vec<String> =
        log.iter().filter(|row| row["action"] == json!("UPDATE")).map(Value::to_string).collect();
    for (id, alias) in all.iter().flat_map(|written| &written.renamed) {
        let rows = updates.iter().filter(|row| row.contains(id) && row.contains(&format!("\"{alias}\""))).count();
        assert_eq!(rows, 1, "rows of the audit log for the update to {alias}");
    }
}

/// Every create is sent again under its key: those that were acknowledged are answered the same, and those of which
/// nobody knew are there once.
fn retry(place: &Place, all: &[Written], before: &Found) -> Found {
    let mut unknown = BTreeSet::new();
    for (name, first) in all.iter().flat_map(|written| &written.created) {
        let again = place.create(name).unwrap_or_else(|| panic!("the server is gone")).text();
        match first {
            Some(first) => assert_eq!(again, *first, "{name}"),
            None => drop(unknown.insert(name.clone())),
        }
    }
    for (start, first) in all.iter().flat_map(|written| &written.bulks) {
        let again = place.bulk(start).unwrap_or_else(|| panic!("the server is gone")).text();
        match first {
            Some(first) => assert_eq!(again, *first, "{start}"),
            None => unknown.extend(bulk_names(start)),
        }
    }
    let after = Found::of(&place.client);
    let names: BTreeSet<String> = after.names().into_iter().cloned().collect();
    assert_eq!(names.len(), after.names().len(), "a retry was carried out a second time");
    let bulks = all.iter().flat_map(|written| &written.bulks).flat_map(|(start, _)| bulk_names(start));
    let sent: BTreeSet<String> =
        all.iter().flat_map(|written| &written.created).map(|(name, _)| name.clone()).chain(bulks).collect();
    assert_eq!(names, sent, "every create that was sent is there");
    let made: BTreeSet<String> = names.difference(&before.names().into_iter().cloned().collect()).cloned().collect();
    assert!(made.is_subset(&unknown), "made by a retry although it had been acknowledged: {made:?}");
    after
}
