//! Resolution of the ids of a body to records of the tenant or its partner.

use api::Resource as _;
use base::{problem::FieldErrors, timestamp::Timestamp};
use db::{Conn, Result};
use ports::{Authors, ResourceKey, ResourceSummary};

use super::{
    row::{Machine, Row},
    rules::ResolvedReferences,
    wire::{IncidentInput, MachineName},
};
use crate::{
    categories::{row::Category, store::lock_of_tree},
    neighbours::Neighbours,
};

/// How many machines are asked about when an incident is opened.
const FILLED: usize = 5;

/// The tenant of an incident, its partner, and what it has so far: that may be written back, also when it is not there
/// any more, or not where it was.
#[derive(Clone, Copy, Debug)]
pub struct IncidentContext<'a> {
    /// The tenant of the incident.
    pub tenant: &'a str,
    /// Its partner, or itself.
    pub partner: &'a str,
    /// Before the change; `None` for a new one.
    pub old: Option<&'a Row>,
}

impl IncidentContext<'_> {
    /// Is this what the incident has in a field?
    fn has(&self, field: impl Fn(&Row) -> &String, id: &str) -> bool {
        self.old.is_some_and(|old| field(old) == id)
    }
}

/// Resolves all ids of a body; every unknown id is added to `wrong`.
pub fn find(
    conn: &mut Conn,
    neighbours: &Neighbours,
    context: IncidentContext<'_>,
    input: &IncidentInput,
    wrong: &mut FieldErrors,
    now: Timestamp,
) -> Result<ResolvedReferences> {
    let mut tenants = vec![context.tenant.to_owned(), context.partner.to_owned()];
    tenants.dedup();
    check_categories(conn, &tenants, context, input, wrong)?;
    check_people(conn, neighbours, &tenants, context, input, wrong)?;
    let assignee = find_assignee(conn, neighbours, context, input, wrong, now)?;
    let resources = match &input.resources {
        Some(names) => Some(find_machines(conn, neighbours, context, names, wrong)?),
        None => None,
    };
    Ok(ResolvedReferences { assignee, group: input.group.clone(), resources, alerts: Vec::new() })
}

/// Completes a new incident for alerts: its group is the owner of the first of its machines that has one, its assignee
/// the first person to be called for the first machine that has one.
pub fn fill_from_owners(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    input: &IncidentInput,
    references: &mut ResolvedReferences,
    now: Timestamp,
) -> Result<()> {
    if references.alerts.is_empty() {
        return Ok(());
    }
    // As many as a person would look at.
    let machines: Vec<String> = references.resources.iter().flatten().take(FILLED).map(|one| one.id.clone()).collect();
    for machine in &machines {
        if references.group.is_none() {
            references.group = neighbours.owners.owner(conn, tenant, machine)?;
        }
        // A roster decides the assignee, even when nobody is on call.
        if references.assignee.is_none() && input.roster.is_none() {
            references.assignee = neighbours.owners.called(conn, tenant, machine, now)?;
        }
    }
    Ok(())
}

/// Reports unknown ids of users and groups.
fn check_people(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: &[String],
    context: IncidentContext<'_>,
    input: &IncidentInput,
    wrong: &mut FieldErrors,
) -> Result<()> {
    let requester = non_empty(&input.requester).filter(|id| !context.has(|old| &old.requester_id, id));
    let assignee = non_empty(&input.assignee).filter(|id| !context.has(|old| &old.assignee_id, id));
    let users = [("requester.id", requester), ("assignee.id", assignee)];
    let users: Vec<_> = users.into_iter().filter_map(|(path, id)| Some((path, id?))).collect();
    let known = Authors::load(conn, &*neighbours.people, tenants, users.iter().map(|(_, id)| *id))?;
    for (path, id) in users.into_iter().filter(|(_, id)| known.known(id).is_none()) {
        wrong.unknown(path, "user of the tenant or its partner", id);
    }
    if let Some(id) = non_empty(&input.group)
        && !context.has(|old| &old.group_id, id)
        && neighbours.people.groups(conn, tenants, &[id.to_owned()])?.is_empty()
    {
        wrong.unknown("assigneeGroup.uniqueId", "user group of the tenant or its partner", id);
    }
    Ok(())
}

fn non_empty(id: &Option<String>) -> Option<&str> {
    id.as_deref().filter(|id| !id.is_empty())
}

/// Reports unknown categories. Shares the lock of the trees, so that they stay as they are meanwhile.
fn check_categories(
    conn: &mut Conn,
    tenants: &[String],
    context: IncidentContext<'_>,
    input: &IncidentInput,
    wrong: &mut FieldErrors,
) -> Result<()> {
    let filed = context.old.map_or("", |old| old.category_id.as_str());
    let category = non_empty(&input.category).filter(|id| *id != filed);
    // A category that moved stays with the incidents that are filed under it.
    let keeps_category = category.is_none() && input.category.as_deref() != Some("");
    let sub = non_empty(&input.sub_category);
    let sub = sub.filter(|id| !(keeps_category && context.has(|old| &old.sub_category_id, id)));
    if category.is_none() && sub.is_none() {
        return Ok(());
    }
    tenants.iter().try_for_each(|tenant| lock_of_tree(tenant).share(conn))?;
    if let Some(id) = category
        && Category::find(conn, tenants, id)?.is_none()
    {
        wrong.unknown("category.uniqueId", "incident category of the tenant or its partner", id);
    }
    if let Some(id) = sub {
        let above = input.category.as_deref().unwrap_or(filed);
        match Category::find(conn, tenants, id)? {
            None => wrong.unknown("subCategory.uniqueId", "incident category of the tenant or its partner", id),
            // With an unknown category this cannot be checked.
            Some(found) if !wrong.has("category") && (above.is_empty() || found.parent_id != above) => {
                wrong.add("subCategory.uniqueId", "must stand right below category");
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The new assignee: the user that the body names, or the person who is called first through the roster that it names;
/// empty when nobody is on call.
fn find_assignee(
    conn: &mut Conn,
    neighbours: &Neighbours,
    context: IncidentContext<'_>,
    input: &IncidentInput,
    wrong: &mut FieldErrors,
    now: Timestamp,
) -> Result<Option<String>> {
    let Some(id) = non_empty(&input.roster) else { return Ok(input.assignee.clone()) };
    let Some(roster) = neighbours.on_call.roster(conn, &[context.tenant.to_owned()], id)? else {
        if !context.has(|old| &old.roster_id, id) {
            wrong.unknown("roster.id", "roster of the tenant", id);
        }
        return Ok(input.assignee.clone());
    };
    if input.assignee.is_some() {
        return Ok(input.assignee.clone());
    }
    let on_call = neighbours.on_call.on_call_of(conn, &roster.tenant_id, context.partner, id, now)?;
    let first = on_call.into_iter().min_by_key(|one| one.level);
    Ok(Some(first.map(|one| one.person.id).unwrap_or_default()))
}

/// The machines of the tenant that a body names, each once.
fn find_machines(
    conn: &mut Conn,
    neighbours: &Neighbours,
    context: IncidentContext<'_>,
    names: &[MachineName],
    wrong: &mut FieldErrors,
) -> Result<Vec<Machine>> {
    let keys: Vec<ResourceKey> = names
        .iter()
        .map(|name| match (&name.id, &name.host_name) {
            (None, Some(host)) => ResourceKey::Name(host.clone()),
            (id, _) => ResourceKey::Id(id.clone().unwrap_or_default()),
        })
        .collect();
    let found = neighbours.resources.find(conn, &[context.tenant.to_owned()], &keys)?;
    let kept = |name: &MachineName| {
        let id = name.id.as_deref()?;
        context.old?.resources.iter().find(|machine| machine.id.eq_ignore_ascii_case(id)).cloned()
    };
    let mut machines: Vec<Machine> = Vec::new();
    for (index, (name, found)) in names.iter().zip(found).enumerate() {
        let (field, said) = match (&name.id, &name.host_name) {
            (None, Some(host)) => ("hostName", host.as_str()),
            (id, _) => ("id", id.as_deref().unwrap_or_default()),
        };
        let path = format!("resources[{index}].{field}");
        match found.as_slice() {
            [ResourceSummary { id, name, host_name, .. }] => {
                if machines.iter().all(|known| known.id != *id) {
                    machines.push(Machine { id: id.clone(), name: name.clone(), host_name: host_name.clone() });
                }
            }
            [] => match kept(name) {
                Some(machine) if machines.iter().all(|known| known.id != machine.id) => machines.push(machine),
                Some(_) => {}
                None => wrong.unknown(&path, "resource of the tenant", said),
            },
            _ => wrong.add(&path, "names several resources: say id"),
        }
    }
    Ok(machines)
}
