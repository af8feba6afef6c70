//! Mixed writes from several sides, and a record of what was sent and what was answered.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread::sleep,
    time::Duration,
};

use anyhow::Result;
use muster_tests::Client;
use serde_json::{Value, json};

use crate::{
    dice::Dice,
    figures::{Figures, Outcome},
};

/// Writers of a round.
pub const WRITERS: usize = 5;
/// Resources that become members of a group in one write.
pub const BATCH: usize = 5;
/// Resources of one atomic bulk request, and reports of one alert request.
pub const BULK: usize = 20;

/// Where the writers of a round write: a tenant of its own.
pub struct Place {
    pub client: Client,
    pub site: Value,
    pub group: String,
    pub dynamic: String,
}

/// What a writer did.
#[derive(Default)]
pub struct WriterLog {
    /// Every create, by name.
    pub created: Vec<(String, Outcome)>,
    /// Every update: the resource, and the alias that it was given.
    pub renamed: Vec<(String, String, Outcome)>,
    /// Every decommission, by the resource.
    pub gone: Vec<(String, Outcome)>,
    /// Every batch of resources that was put into the group.
    pub batches: Vec<(Vec<String>, Outcome)>,
    /// Every atomic bulk request, by the start of its names.
    pub bulks: Vec<(String, Outcome)>,
    /// Every request with reports of alerts, by the start of their metrics.
    pub alerts: Vec<(String, Outcome)>,
    pub figures: Figures,
}

impl Place {
    pub fn new(client: &Client) -> Self {
        let create = |path: &str, body: Value| client.post(path, &body).ok()["id"].clone();
        let criteria = json!({"rules": [{"key": "tags", "operator": "Equals", "value": "campaign"}]});
        Self {
            site: create("/sites", json!({"name": "here"})),
            group: create("/deviceGroups", json!({"name": "by hand"})).to_string(),
            dynamic: create("/deviceGroups", json!({"name": "by rule", "filterCriteria": criteria})).to_string(),
            client: client.clone(),
        }
    }

    fn resource(&self, name: &str) -> Value {
        let tags = json!([{"name": "campaign", "value": name}]);
        json!({"name": name, "hostName": name, "location": {"id": self.site}, "tags": tags})
    }

    fn post(&self, figures: &mut Figures, path: &str, key: Option<&str>, body: &Value) -> Outcome {
        let request = self.client.request("POST", path);
        let request = key.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key));
        figures.count(request.json(body).try_send())
    }

    pub fn create(&self, figures: &mut Figures, name: &str, key: Option<&str>) -> Outcome {
        self.post(figures, "/resources", key, &self.resource(name))
    }

    /// [`BULK`] resources, all or none.
    pub fn bulk(&self, figures: &mut Figures, start: &str, key: Option<&str>) -> Outcome {
        let rows: String = names(start).map(|name| format!("{}\n", self.resource(&name))).collect();
        let request = self.client.request("POST", "/resources/bulk?atomic=true");
        let request = key.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key));
        figures.count(request.body("application/x-ndjson", rows).try_send())
    }

    /// [`BULK`] reports, each of a problem of its own.
    pub fn alerts(&self, figures: &mut Figures, start: &str, key: Option<&str>) -> Outcome {
        let report = |metric: String| {
            json!({"currentState": "Critical", "subject": metric, "metric": metric,
                "device": {"hostName": "alerting"}})
        };
        self.post(figures, "/alerts", key, &names(start).map(report).collect())
    }

    /// All writers write, until the service is gone or `meanwhile` ends.
    pub fn write(&self, dice: &mut Dice, meanwhile: impl FnOnce() -> Result<()>) -> Result<Vec<WriterLog>> {
        let stop = &AtomicBool::new(false);
        let dice: Vec<Dice> = (0..WRITERS).map(|writer| Dice::new(dice.next(), 0, writer)).collect();
        std::thread::scope(|scope| {
            let writers: Vec<_> = dice
                .into_iter()
                .enumerate()
                .map(|(number, dice)| scope.spawn(move || self.writer(&format!("w{number}"), dice, stop)))
                .collect();
            let interrupted = meanwhile();
            // For one whose connection was refused before it noticed.
            stop.store(true, Ordering::Relaxed);
            let all = writers
                .into_iter()
                .map(|writer| writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            let all = all.collect();
            interrupted.map(|()| all)
        })
    }

    fn writer(&self, who: &str, mut dice: Dice, stop: &AtomicBool) -> WriterLog {
        let mut written = WriterLog::default();
        let mut figures = Figures::default();
        let mut batch = Vec::new();
        for number in 0.. {
            let name = format!("{who}-{number}");
            let created = self.create(&mut figures, &name, Some(&name));
            let mut last = created.clone();
            let id = created.body().map(id_of);
            written.created.push((name.clone(), created));
            if let Some(id) = id {
                match dice.of(0..8) {
                    0 | 1 => {
                        let alias = format!("alias-{name}");
                        last = self.post(&mut figures, &format!("/resources/{id}"), None, &json!({"aliasName": alias}));
                        written.renamed.push((id, alias, last.clone()));
                    }
                    2 => {
                        let path = format!("/resources/{id}/decommission");
                        last = self.post(&mut figures, &path, None, &json!({"reason": "old"}));
                        written.gone.push((id, last.clone()));
                    }
                    3 => {
                        last = self.bulk(&mut figures, &name, Some(&format!("bulk-{name}")));
                        written.bulks.push((name, last.clone()));
                    }
                    4 => {
                        last = self.alerts(&mut figures, &name, Some(&format!("alerts-{name}")));
                        written.alerts.push((name, last.clone()));
                    }
                    _ => batch.push(id),
                }
                if batch.len() == BATCH {
                    let members: Vec<Value> = batch.iter().map(|id| json!({"id": id})).collect();
                    last =
                        self.post(&mut figures, &format!("/deviceGroups/{}/childs", self.group), None, &json!(members));
                    written.batches.push((std::mem::take(&mut batch), last.clone()));
                }
            }
            if last == Outcome::Unknown || stop.load(Ordering::Relaxed) {
                break;
            }
            if last == Outcome::Refused {
                sleep(Duration::from_millis(5));
            }
        }
        written.figures = figures;
        written
    }
}

/// The names that a bulk request or a request with alerts is about.
pub fn names(start: &str) -> impl Iterator<Item = String> {
    (0..BULK).map(move |number| format!("{start}-{number}"))
}

/// The resource that an answer names; empty when it names none.
pub fn id_of(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["resourceUUID"].as_str().unwrap_or_default().to_owned()
}
