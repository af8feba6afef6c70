//! Random sequences of writes, applies and undos, beside a model of what they leave: objects, change sets, audit log.

use std::collections::BTreeMap;
use std::fs;

use muster_tests::{Client, Server, both_backends, rounds};
use serde_json::{Value, json};

use super::operator::Operator;

both_backends![sequences_of_writes_applies_and_undos_leave_what_a_model_says];

/// A kind of objects: its path, its id in the log, the field that changes, and its name in the log and in files.
struct Kind {
    path: &'static str,
    id: &'static str,
    field: &'static str,
    entity: &'static str,
}

const KINDS: [Kind; 2] = [
    Kind { path: "/sites", id: "id", field: "city", entity: "Site" },
    Kind { path: "/deviceGroups", id: "uniqueId", field: "description", entity: "DeviceGroup" },
];

/// Where an object is in [`KINDS`], and its id.
type Key = (usize, String);

/// The name of an object and its field, while it is there.
type State = Option<(String, String)>;

struct Object {
    state: State,
    /// The change set that changed it last, as an index.
    last: usize,
}

struct Set {
    id: String,
    changes: BTreeMap<Key, (State, State)>,
}

#[derive(Default)]
struct Model {
    objects: BTreeMap<Key, Object>,
    sets: Vec<Set>,
}

impl Model {
    fn record(&mut self, id: String, changes: BTreeMap<Key, (State, State)>) {
        let last = self.sets.len();
        for (key, (_, state)) in &changes {
            self.objects.insert(key.clone(), Object { state: state.clone(), last });
        }
        self.sets.push(Set { id, changes });
    }

    /// The objects that an undo of a set restores, as it leaves them; nothing when it is refused.
    fn undo(&self, index: usize) -> Option<BTreeMap<Key, (State, State)>> {
        let changes =
            self.sets[index].changes.iter().filter(|(_, (before, after))| before.is_some() || after.is_some());
        let restored: BTreeMap<_, _> =
            changes.map(|(key, (before, after))| (key.clone(), (after.clone(), before.clone()))).collect();
        let is_last = restored.keys().all(|key| self.objects[key].last == index);
        (is_last && !restored.is_empty()).then_some(restored)
    }

    /// An object of a kind that is there, if there is one.
    fn any(&self, dice: &mut Dice, kind: usize) -> Option<Key> {
        let here: Vec<&Key> = self
            .objects
            .iter()
            .filter(|(key, object)| key.0 == kind && object.state.is_some())
            .map(|(key, _)| key)
            .collect();
        (!here.is_empty()).then(|| here[dice.below(here.len())].clone())
    }
}

/// Numbers that a seed repeats.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

struct Sequence<'a> {
    client: &'a Client,
    operator: Operator,
    dice: Dice,
    model: Model,
    /// Makes names and values that nothing had before.
    next: usize,
}

fn sequences_of_writes_applies_and_undos_leave_what_a_model_says(server: &Server) {
    for seed in 0..rounds("sequences of applies, writes and undos", 1, 30) as u64 {
        let client = server.new_client();
        let operator = Operator::new(server.admin().tenant(client.tenant_id()), server, "operator");
        let mut sequence = Sequence { client: &client, operator, dice: Dice(seed), model: Model::default(), next: 0 };
        for step in 0..30 {
            let told = match sequence.dice.below(6) {
                0 | 1 => sequence.write(),
                2 => sequence.apply(),
                _ => sequence.undo(),
            };
            sequence.objects_are_as_the_model_says(&format!("seed {seed}, step {step}: {told}"));
        }
        sequence.the_log_says_the_same(seed);
    }
}

impl Sequence<'_> {
    fn new_text(&mut self) -> String {
        self.next += 1;
        format!("text {}", self.next)
    }

    fn newest(&self) -> String {
        text(&self.client.get("/changeSets/search?pageSize=1").page()["results"][0]["id"])
    }

    /// Some requests under one name.
    fn write(&mut self) -> String {
        let set = self.new_text();
        let mut changes: BTreeMap<Key, (State, State)> = BTreeMap::new();
        for _ in 0..=self.dice.below(4) {
            let kind = self.dice.below(KINDS.len());
            let Kind { path, id, field, .. } = KINDS[kind];
            let known = self.model.any(&mut self.dice, kind).filter(|key| !changes.contains_key(key));
            let request = |method: &str, path: &str| self.client.request(method, path).header("X-Change-Set", &set);
            let value = format!("value {}", self.next);
            match (self.dice.below(3), known) {
                (0, Some(key)) => {
                    request("DELETE", &format!("{path}/{}", key.1)).send().ok();
                    changes.insert(key.clone(), (self.model.objects[&key].state.clone(), None));
                }
                (1, Some(key)) => {
                    let before = self.model.objects[&key].state.clone();
                    request("POST", &format!("{path}/{}", key.1)).json(&json!({field: value})).send().ok();
                    let after = before.clone().map(|(name, _)| (name, value));
                    changes.insert(key, (before, after));
                }
                _ => {
                    let name = format!("{} {kind}", self.next);
                    let made = request("POST", path).json(&json!({"name": name, field: value})).send().ok();
                    let key = (kind, text(&made[id]));
                    // What is made and removed in one set is nothing to undo.
                    let after = if self.dice.below(5) == 0 {
                        request("DELETE", &format!("{path}/{}", key.1)).send().ok();
                        None
                    } else {
                        Some((name, value))
                    };
                    changes.insert(key, (None, after));
                }
            }
            self.next += 1;
        }
        let told = format!("write {changes:?}");
        self.model.record(self.newest(), changes);
        told
    }

    /// A file with an object that is there, another value, and one that is new.
    fn apply(&mut self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut files = String::new();
        let mut wanted = BTreeMap::new();
        for (kind, Kind { field, entity, .. }) in KINDS.iter().enumerate() {
            let new = self.new_text();
            let known = self.model.any(&mut self.dice, kind).and_then(|key| self.model.objects[&key].state.clone());
            for (name, _) in known.into_iter().chain([(format!("{new} {kind}"), String::new())]) {
                let value = self.new_text();
                files += &format!("kind: {entity}\nname: {name}\n{field}: {value}\n---\n");
                wanted.insert((kind, name), value);
            }
        }
        fs::write(folder.path().join("all.yaml"), files).unwrap();
        self.operator.expect(0, &["apply"], folder.path());
        let mut changes = BTreeMap::new();
        for ((kind, name), value) in wanted {
            let is_named = |state: &State| state.as_ref().is_some_and(|(one, _)| *one == name);
            let known = self.model.objects.iter().find(|(key, object)| key.0 == kind && is_named(&object.state));
            let (key, before) = match known {
                Some((key, object)) => (key.clone(), object.state.clone()),
                None => {
                    let found = self.client.search(&format!("{}/search", KINDS[kind].path), &format!("name:{name}"));
                    ((kind, text(&found.page()["results"][0][KINDS[kind].id])), None)
                }
            };
            changes.insert(key, (before, Some((name, value))));
        }
        let told = format!("apply {changes:?}");
        self.model.record(self.newest(), changes);
        told
    }

    fn undo(&mut self) -> String {
        if self.model.sets.is_empty() {
            return "nothing to undo".to_owned();
        }
        // Mostly one of the last, which can still be undone.
        let count = self.model.sets.len();
        let reach = if self.dice.below(4) == 0 { count } else { count.min(3) };
        let index = count - 1 - self.dice.below(reach);
        let path = format!("/changeSets/{}/undo", self.model.sets[index].id);
        let preview = self.client.post_empty(&format!("{path}?preview=true")).ok();
        let answer = self.client.post_empty(&path);
        let told = format!("undo {index} of {count}: {preview}");
        match self.model.undo(index) {
            None => drop(answer.problem(409, "0004")),
            Some(restored) => {
                let undone = answer.ok();
                assert_eq!(undone["objects"], json!(restored.len()), "{told}");
                assert_eq!(
                    (&undone["objects"], &undone["notUndone"]),
                    (&preview["objects"], &preview["notUndone"]),
                    "{told}"
                );
                self.model.record(text(&undone["changeSet"]), restored);
            }
        }
        told
    }

    fn objects_are_as_the_model_says(&self, told: &str) {
        for (kind, Kind { path, id, field, .. }) in KINDS.iter().enumerate() {
            let page = self.client.get(&format!("{path}/search?pageSize=1000")).page();
            let here: BTreeMap<String, State> = page["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| (text(&one[id]), Some((text(&one["name"]), text(&one[field])))))
                .collect();
            let objects = self.model.objects.iter().filter(|(key, object)| key.0 == kind && object.state.is_some());
            let expected: BTreeMap<String, State> =
                objects.map(|(key, object)| (key.1.clone(), object.state.clone())).collect();
            assert_eq!(here, expected, "{told}");
        }
    }

    /// The log alone leads to the state of each object, and each set has the objects that it changed and no others.
    fn the_log_says_the_same(&self, seed: u64) {
        for ((kind, id), object) in &self.model.objects {
            let Kind { field, entity, .. } = KINDS[*kind];
            let path = "/auditLog/search?pageSize=1000&isDescendingOrder=false";
            let page = self.client.search(path, &format!("entity:{entity}+entityId:{id}")).page();
            let mut state = State::None;
            for row in page["results"].as_array().unwrap() {
                let after = |name: &str, former: &str| match &row["changes"][name] {
                    Value::Null => former.to_owned(),
                    change => text(&change["after"]),
                };
                let (name, value) = state.clone().unwrap_or_default();
                state = (row["action"] != "DELETE").then(|| (after("name", &name), after(field, &value)));
            }
            assert_eq!(state, object.state, "seed {seed}: {entity} {id}: {page}");
        }
        for set in &self.model.sets {
            let page = self.client.get(&format!("/changeSets/{}?pageSize=1000", set.id)).ok();
            assert_eq!(page["objects"], json!(set.changes.len()), "seed {seed}: {page}");
        }
        let total = self.client.get("/changeSets/search").page()["totalResults"].clone();
        // The key of the applies was made with a set of its own.
        assert_eq!(total, json!(self.model.sets.len() + 1), "seed {seed}");
    }
}

/// A text, or a number as one.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
