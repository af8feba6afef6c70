//! Overrides of a schedule, as overrides of its roster: those that are over are left out, and those that overlap are
//! refused.

use base::Timestamp;
use calendar::Interval;
use serde_json::{Map, Value, json};

use crate::conversion::{Conversion, object};

/// The longest override of a roster, in milliseconds.
const LONGEST_MS: i64 = 366 * 86_400_000;

/// An override that is not over.
#[derive(Debug)]
pub struct Override<'v> {
    /// How the report calls it.
    source: String,
    /// The object of the source.
    pub value: &'v Value,
    /// When.
    pub time: Interval,
    /// The places of the layers that it is about; of all where there are none.
    pub layers: Vec<usize>,
}

impl Override<'_> {
    fn meets(&self, other: &Override<'_>) -> bool {
        let share = |one: &[usize], other: &[usize]| one.iter().any(|place| other.contains(place));
        self.time.intersection(other.time).is_some()
            && (self.layers.is_empty() || other.layers.is_empty() || share(&self.layers, &other.layers))
    }
}

/// Reads the overrides of a schedule, each with what it is called: its time, and the layers that it is about.
pub fn read<'v>(
    all: impl IntoIterator<Item = (String, &'v Value)>,
    roster: &str,
    conversion: &mut Conversion,
    time_and_layers: impl Fn(&Value) -> Result<(Interval, Vec<usize>), String>,
) -> Vec<Override<'v>> {
    let mut read = Vec::new();
    for (name, value) in all {
        let source = object("override", &format!("{name} of {roster}"));
        match time_and_layers(value) {
            Ok((time, _)) if time.end() <= conversion.settings.now => conversion.report.omitted(source, "it is over"),
            Ok((time, layers)) => read.push(Override { source, value, time, layers }),
            Err(reason) => conversion.report.refused(source, reason),
        }
    }
    read
}

/// Adds the overrides of a roster. `people` answers the fields that say who is on call, of each override that is
/// needed; `overlap` is why overrides that overlap are refused.
pub fn add(
    all: &[Override<'_>],
    roster: &str,
    conversion: &mut Conversion,
    overlap: &str,
    people: impl Fn(&Override<'_>) -> Result<Vec<Map<String, Value>>, String>,
) {
    for (place, one) in all.iter().enumerate() {
        let met = all.iter().enumerate().find(|(other, found)| *other != place && one.meets(found));
        let people = match met {
            Some((_, other)) => Err(format!("it overlaps the {}{overlap}", other.source)),
            None => people(one),
        };
        match people {
            Ok(people) => {
                let mut becomes = Vec::new();
                for part in parts(one.time) {
                    for fields in &people {
                        let mut body = json!({
                            "roster": {"name": roster}, "start": part.start().to_string(),
                            "end": part.end().to_string(),
                        });
                        if let Value::Object(body) = &mut body {
                            body.extend(fields.clone());
                        }
                        becomes.push(conversion.add("RosterOverride", roster, body));
                    }
                }
                conversion.report.converted(one.source.clone(), becomes, Vec::new());
            }
            Err(reason) => conversion.report.refused(one.source.clone(), reason),
        }
    }
}

/// The fields of an override that puts a user on call.
pub fn user(login: &str) -> Map<String, Value> {
    Map::from_iter([("user".to_owned(), json!({"loginName": login}))])
}

/// The stretches of which overrides are made for a time that may be longer than the longest one.
fn parts(time: Interval) -> Vec<Interval> {
    let mut parts = Vec::new();
    let mut start = time.start();
    while let Some(left) = Interval::new(start, time.end()) {
        let most = Timestamp::from_millis(start.millis().saturating_add(LONGEST_MS));
        let end = left.end().min(most);
        parts.extend(Interval::new(start, end));
        start = end;
    }
    parts
}
