//! Compares what there is with what was acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use muster_tests::Client;
use serde_json::{Value, json};

use crate::{
    figures::{Broken, Figures, Outcome},
    workload::{BATCH, BULK, Place, WriterLog, id_of, names},
};

/// What the service has of a round.
#[derive(PartialEq, Eq)]
pub struct PageRows {
    /// Id, and name and alias.
    live: BTreeMap<String, (String, String)>,
    /// What is in history: id and name.
    gone: BTreeMap<String, String>,
    /// Metric, and how often it was reported, of each alert.
    alerts: Vec<(String, i64)>,
}

impl PageRows {
    pub fn of(client: &Client) -> Self {
        let list = client.get("/resources/minimal?state=all").list();
        let live = list.iter().map(|one| (text(&one["id"]), (text(&one["name"]), text(&one["aliasName"])))).collect();
        let history = all_pages(client, "/history/resources?");
        let alerts = all_pages(client, "/alerts/search?");
        let mut alerts: Vec<_> =
            alerts.iter().map(|one| (text(&one["metric"]), one["repeatCount"].as_i64().unwrap_or_default())).collect();
        alerts.sort();
        Self { live, gone: history.iter().map(|one| (text(&one["id"]), text(&one["name"]))).collect(), alerts }
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.live.values().map(|(name, _)| name).chain(self.gone.values())
    }

    fn has(&self, id: &str) -> bool {
        self.live.contains_key(id) || self.gone.contains_key(id)
    }

    /// Every name is there once, and so is every alert.
    fn nothing_doubled(&self, figures: &mut Figures) {
        let mut seen = BTreeSet::new();
        for name in self.names() {
            figures.expect(seen.insert(name), Broken::Doubled, || format!("resource {name}"));
        }
        let mut seen = BTreeSet::new();
        for (metric, count) in &self.alerts {
            let once = seen.insert(metric) && *count == 1;
            figures.expect(once, Broken::Doubled, || format!("alert {metric}, reported {count} times"));
        }
        for id in self.live.keys().filter(|id| self.gone.contains_key(*id)) {
            figures.found(Broken::Doubled, format!("{id} is in the inventory and in history"));
        }
    }
}

/// A text of an answer; empty when there is none.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The results of all pages of a list, whose path ends in `?` or `&`.
pub fn all_pages(client: &Client, path: &str) -> Vec<Value> {
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

/// Looks for everything that was acknowledged, sends everything again under its key (with `keys`; without, which the
/// service must not be able to forgive, under none), and looks again. Gives what there is then.
pub fn check(place: &Place, all: &[WriterLog], keys: bool, figures: &mut Figures) -> PageRows {
    let found = PageRows::of(&place.client);
    found.nothing_doubled(figures);
    for written in all {
        acknowledged(&found, written, figures);
        whole(place, &found, written, figures);
    }
    found_in_every_way(place, &found, figures);
    audited(place, &found, all, figures);
    send_again(place, all, keys, figures);
    let after = PageRows::of(&place.client);
    after.nothing_doubled(figures);
    all_there(&after, all, figures);
    after
}

fn acknowledged(found: &PageRows, written: &WriterLog, figures: &mut Figures) {
    for (name, outcome) in &written.created {
        let Some(answer) = outcome.body() else { continue };
        figures.expect(found.has(&id_of(answer)), Broken::Lost, || format!("resource {name}"));
    }
    for (id, alias, outcome) in &written.renamed {
        let there = found.live.get(id).is_some_and(|(_, known)| known == alias);
        figures.expect(there || outcome.body().is_none(), Broken::Lost, || format!("update to {alias}"));
    }
    for (id, outcome) in &written.gone {
        let there = found.gone.contains_key(id);
        figures.expect(there || outcome.body().is_none(), Broken::Lost, || format!("decommission of {id}"));
    }
}

/// Requests about many things: all of them are there, or none.
fn whole(place: &Place, found: &PageRows, written: &WriterLog, figures: &mut Figures) {
    let members = place.client.get(&format!("/resources/minimal?state=all&deviceGroupId={}", place.group)).list();
    let members: BTreeSet<&str> = members.iter().filter_map(|one| one["id"].as_str()).collect();
    let live: BTreeSet<&String> = found.names().collect();
    let metrics: BTreeSet<&String> = found.alerts.iter().map(|(metric, _)| metric).collect();
    let mut count = |what: String, there: usize, of: usize, outcome: &Outcome| {
        if there == 0 {
            figures.expect(outcome.body().is_none(), Broken::Lost, || what);
        } else {
            figures.expect(there == of, Broken::HalfDone, || format!("{what}: {there} of {of}"));
        }
    };
    for (batch, outcome) in &written.batches {
        let there = batch.iter().filter(|id| members.contains(id.as_str())).count();
        count(format!("members {batch:?}"), there, BATCH, outcome);
    }
    for (start, outcome) in &written.bulks {
        count(format!("bulk {start}"), names(start).filter(|name| live.contains(name)).count(), BULK, outcome);
    }
    for (start, outcome) in &written.alerts {
        count(format!("alerts {start}"), names(start).filter(|name| metrics.contains(name)).count(), BULK, outcome);
    }
}

/// Each resource is found in every way or in none.
fn found_in_every_way(place: &Place, found: &PageRows, figures: &mut Figures) {
    let ids: BTreeSet<String> = found.live.keys().cloned().collect();
    let ways = [
        format!("locationId={}", place.site),
        "queryString=tags:campaign".to_owned(),
        "queryString=hostName:w".to_owned(),
        "queryString=deviceLocation:here".to_owned(),
        format!("deviceGroupId={}", place.dynamic),
        "queryString=deviceGroup:by%20rule".to_owned(),
    ];
    for way in ways {
        let listed = place.client.get(&format!("/resources/minimal?state=all&{way}")).list();
        let listed: BTreeSet<String> = listed.iter().map(|one| text(&one["id"])).collect();
        for id in listed.symmetric_difference(&ids) {
            figures.found(Broken::HalfDone, format!("{way} and the whole list differ in {id}"));
        }
    }
}

/// The audit log has one row for each thing that happened, and none for what did not.
fn audited(place: &Place, found: &PageRows, all: &[WriterLog], figures: &mut Figures) {
    let log = all_pages(&place.client, "/auditLog/search?queryString=entity:Resource&");
    let of = |action: &str| -> Vec<String> {
        let rows = log.iter().filter(|row| row["action"] == json!(action));
        let mut ids: Vec<String> = rows.map(|row| text(&row["entityId"])).collect();
        ids.sort();
        ids
    };
    let mut known: Vec<String> = found.live.keys().chain(found.gone.keys()).cloned().collect();
    known.sort();
    figures.expect(of("CREATE") == known, Broken::HalfDone, || "creates in the audit log, and resources".to_owned());
    let gone: Vec<String> = found.gone.keys().cloned().collect();
    figures.expect(of("DELETE") == gone, Broken::HalfDone, || "deletes in the audit log, and history".to_owned());
    let updates: BTreeMap<String, String> = log
        .iter()
        .filter(|row| row["action"] == json!("UPDATE"))
        .map(|row| (text(&row["entityId"]), row.to_string()))
        .collect();
    for (id, alias, _) in all.iter().flat_map(|written| &written.renamed) {
        let told = updates.get(id).is_some_and(|row| row.contains(&format!("\"{alias}\"")));
        let done = found.live.get(id).is_some_and(|(_, known)| known == alias);
        figures
            .expect(told == done, Broken::HalfDone, || format!("the update to {alias}, and its row of the audit log"));
    }
}

/// Every create is sent again under its key: those that were acknowledged are answered the same.
fn send_again(place: &Place, all: &[WriterLog], keys: bool, figures: &mut Figures) {
    type Send = fn(&Place, &mut Figures, &str, Option<&str>) -> Outcome;
    let mut again = |send: Send, sent: &[(String, Outcome)], prefix: &str| {
        for (name, first) in sent {
            let key = format!("{prefix}{name}");
            let second = send(place, figures, name, keys.then_some(key.as_str()));
            match (first.body(), second.body()) {
                (_, None) => figures.found(Broken::FieldErrors, format!("{name} was not answered again")),
                (Some(first), Some(second)) if first != second && keys => {
                    figures.found(Broken::Lost, format!("the answer for {key}: {first}, then {second}"));
                }
                _ => {}
            }
        }
    };
    for written in all {
        again(Place::create, &written.created, "");
        again(Place::bulk, &written.bulks, "bulk-");
        again(Place::alerts, &written.alerts, "alerts-");
    }
}

/// After that, all that was ever sent is there.
fn all_there(after: &PageRows, all: &[WriterLog], figures: &mut Figures) {
    let there: BTreeSet<&String> = after.names().collect();
    let metrics: BTreeSet<&String> = after.alerts.iter().map(|(metric, _)| metric).collect();
    for written in all {
        let bulks = written.bulks.iter().flat_map(|(start, _)| names(start));
        for name in written.created.iter().map(|(name, _)| name.clone()).chain(bulks) {
            figures.expect(there.contains(&name), Broken::Lost, || format!("resource {name}, sent again"));
        }
        for metric in written.alerts.iter().flat_map(|(start, _)| names(start)) {
            figures.expect(metrics.contains(&metric), Broken::Lost, || format!("alert {metric}, sent again"));
        }
    }
}
