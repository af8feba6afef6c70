//! From a question to its answer, within one read.

use std::collections::{BTreeMap, HashMap};

use api::RequestScope;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{Authors, ResourceKey};

use super::{
    packed::{self, Answer, KeysOf},
    rules::{By, Figures, Repeat},
    store::{self, Question},
    wire::{AlertFigure, AlertFigures, RepeatedAlert},
};
use crate::{Neighbours, alerts::store as alerts};

/// Ids that one question to another domain names.
const AT_ONCE: usize = 500;

/// Names by key.
type Names = HashMap<String, String>;

/// Answers a question about the alerts of a range.
pub fn figures(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &RequestScope,
    asked: &Question,
    (from, to): (Timestamp, Timestamp),
) -> Result<AlertFigures> {
    let mut names = Names::new();
    let mut keys_of = |conn: &mut Conn, resources| keys_of_resources(conn, neighbours, asked, resources, &mut names);
    let answer = match packed::answer(conn, asked, &mut keys_of)? {
        Some(answer) => answer,
        None => from_rows(conn, asked, &mut keys_of)?,
    };
    let Answer { figures, truncated, total } = answer;
    let subjects = subjects(conn, figures.all().iter().flat_map(|figure| &figure.repeats))?;
    let keys: Vec<String> = figures.all().iter().map(|figure| figure.key.clone()).collect();
    name(conn, neighbours, scope, asked, &keys, &mut names)?;
    let repeated = |repeat: &Repeat| RepeatedAlert {
        id: repeat.alert.clone(),
        subject: subjects.get(&repeat.alert).cloned().unwrap_or_default(),
        count: repeat.count,
    };
    let results = figures.all().iter().map(|figure| AlertFigure {
        name: names.get(&figure.key).cloned(),
        key: figure.key.clone(),
        alerts: figure.alerts,
        pages: figure.pages,
        acknowledged: figure.acknowledged.read(),
        closed: figure.closed.read(),
        escalated: figure.escalated,
        noise: figure.noise,
        repeats: figure.repeats.iter().map(repeated).collect(),
    });
    let results = results.collect();
    Ok(AlertFigures { from, to, by: asked.by.word(), results, total, truncated })
}

/// The figures of a question, from the rows of alerts and pages.
pub fn from_rows(conn: &mut Conn, asked: &Question, keys_of: KeysOf<'_>) -> Result<Answer> {
    let mut figures = if asked.by.is_of_resource() {
        let resources = store::resources(conn, asked)?;
        Figures::by_keys(keys_of(conn, resources)?)
    } else {
        Figures::by_value()
    };
    store::add_counts(conn, asked, &mut figures)?;
    let truncated = figures.keep();
    store::add_pages(conn, asked, &mut figures)?;
    store::add_times(conn, asked, &mut figures)?;
    let total = alerts::count(conn, &asked.condition)?;
    Ok(Answer { figures, truncated, total })
}

/// The service groups or the owner of each resource that alerts are about, as they are now: tenant, resource, keys.
fn keys_of_resources(
    conn: &mut Conn,
    neighbours: &Neighbours,
    asked: &Question,
    found: Vec<(String, String)>,
    names: &mut Names,
) -> Result<Vec<(String, String, Vec<String>)>> {
    let mut by_tenant: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (tenant, resource) in found {
        by_tenant.entry(tenant).or_default().push(resource);
    }
    let mut keys = Vec::new();
    for (tenant, resources) in by_tenant {
        for resources in resources.chunks(AT_ONCE) {
            let of_each: Vec<Vec<String>> = if asked.by == By::Owner {
                let owners = neighbours.owners.owners(conn, &tenant, resources)?;
                owners.into_iter().map(|owner| owner.into_iter().collect()).collect()
            } else {
                let groups = neighbours.resources.service_groups_of(conn, &asked.scope, resources)?;
                let mut named = |groups: Vec<ports::ServiceGroup>| {
                    let each = groups.into_iter().map(|group| {
                        names.insert(group.unique_id.clone(), group.name);
                        group.unique_id
                    });
                    each.collect()
                };
                groups.into_iter().map(&mut named).collect()
            };
            let of_tenant = resources.iter().zip(of_each);
            keys.extend(of_tenant.map(|(resource, keys)| (tenant.clone(), resource.clone(), keys)));
        }
    }
    Ok(keys)
}

/// The subjects of alerts, by id.
fn subjects<'a>(conn: &mut Conn, repeats: impl Iterator<Item = &'a Repeat>) -> Result<Names> {
    let mut by_tenant: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for repeat in repeats {
        by_tenant.entry(&repeat.tenant).or_default().push(repeat.alert.clone());
    }
    let mut subjects = Names::new();
    for (tenant, ids) in by_tenant {
        for ids in ids.chunks(AT_ONCE) {
            let rows = alerts::by_ids(conn, tenant, ids)?;
            subjects.extend(rows.into_iter().map(|row| (row.id, row.document.0.subject)));
        }
    }
    Ok(subjects)
}

/// What these keys are called now.
fn name(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &RequestScope,
    asked: &Question,
    keys: &[String],
    names: &mut Names,
) -> Result<()> {
    let around = scope.scope_and_partner();
    match asked.by {
        // They were named when they were found.
        By::Service => {}
        By::Owner => {
            for keys in keys.chunks(AT_ONCE) {
                let groups = neighbours.people.groups(conn, &around, keys)?;
                names.extend(groups.into_iter().map(|group| (group.unique_id, group.name)));
            }
        }
        By::Person => {
            let people = Authors::load(conn, &*neighbours.people, &around, keys)?;
            let known = keys.iter().filter_map(|id| Some((id.clone(), people.known(id)?.full_name())));
            names.extend(known);
        }
        By::Roster => {
            for id in keys {
                if let Some(roster) = neighbours.on_call.roster(conn, &asked.scope, id)? {
                    names.insert(id.clone(), roster.name);
                }
            }
        }
        By::Resource => {
            for keys in keys.chunks(AT_ONCE) {
                let named: Vec<ResourceKey> = keys.iter().cloned().map(ResourceKey::Id).collect();
                let found = neighbours.resources.find(conn, &asked.scope, &named)?;
                names.extend(found.into_iter().flatten().map(|resource| (resource.id, resource.name)));
            }
        }
        By::Route => names.extend(neighbours.escalations.route_names(conn, &asked.scope, keys)?),
    }
    Ok(())
}
