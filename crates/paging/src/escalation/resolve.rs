//! From a step of a policy to people, and from those to what reaches them.

use std::collections::{BTreeSet, HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{Author, Person};

use crate::{
    Neighbours,
    configuration::{
        methods, notification,
        policies::wire::{Step, Target},
    },
    times,
};

/// The alert that a step is about.
#[derive(Clone, Copy, Debug)]
pub struct StepSubject<'a> {
    /// The tenant of the alert.
    pub tenant: &'a str,
    /// The machine, when the inventory knows it.
    pub machine: &'a str,
    /// The tenant of the policy.
    pub policy_tenant: &'a str,
    /// `high` or `low`.
    pub urgency: &'a str,
}

/// Whom a target means, and what reaches them.
#[derive(Clone, Debug)]
pub struct TargetRecipients {
    pub target: Target,
    /// Its id, or `owner`.
    pub id: String,
    /// The people, each once in a step.
    pub people: Vec<ReachablePerson>,
    /// The roster that it is, by tenant and id.
    pub roster: Option<(String, String)>,
    /// Of people on call by their ids, who would be and is away.
    pub instead_of: HashMap<String, Vec<Author>>,
    /// Is an integration called?
    pub calls: bool,
    /// Why it means nobody.
    pub gap: Option<String>,
}

/// A person, and through what they are told.
#[derive(Clone, Debug)]
pub struct ReachablePerson {
    /// Who.
    pub person: Person,
    /// What is used, and when.
    pub methods: Vec<(methods::row::Method, Timestamp)>,
    /// Why nothing reaches them.
    pub gap: Option<String>,
}

impl TargetRecipients {
    /// Does anything go out?
    pub fn reaches(&self) -> bool {
        self.calls || self.people.iter().any(|reached| !reached.methods.is_empty())
    }
}

/// Whom a step means at an instant. A person whom several of its targets mean is told once.
pub fn step(
    conn: &mut Conn,
    neighbours: &Neighbours,
    about: StepSubject<'_>,
    step: &Step,
    at: Timestamp,
) -> Result<Vec<TargetRecipients>> {
    let around = neighbours.people.own_and_partner(conn, about.policy_tenant)?;
    let mut met = BTreeSet::new();
    let mut all = Vec::new();
    for target in &step.targets {
        let mut meant = TargetRecipients {
            target: target.clone(),
            id: String::new(),
            people: Vec::new(),
            roster: None,
            instead_of: HashMap::new(),
            calls: false,
            gap: None,
        };
        // The owner of a client's machine is one of its people, whosever policy it is.
        let tenants = match target.owner {
            Some(_) => neighbours.people.own_and_partner(conn, about.tenant)?,
            None => around.clone(),
        };
        let people = match people_of_target(conn, neighbours, about, target, &tenants, at, &mut meant)? {
            Ok(people) => people,
            Err(gap) => {
                meant.gap = Some(gap);
                Vec::new()
            }
        };
        let new = people.into_iter().filter(|person| met.insert(person.id.clone())).collect();
        meant.people = reached(conn, &tenants, new, about.urgency, at)?;
        all.push(meant);
    }
    Ok(all)
}

type TargetPeople = std::result::Result<Vec<Person>, String>;

/// The people of a target among those of these tenants, or why there are none.
fn people_of_target(
    conn: &mut Conn,
    neighbours: &Neighbours,
    about: StepSubject<'_>,
    target: &Target,
    tenants: &[String],
    at: Timestamp,
    meant: &mut TargetRecipients,
) -> Result<TargetPeople> {
    let active =
        |people: Vec<Person>| -> Vec<Person> { people.into_iter().filter(|person| person.activated).collect() };
    if let Some(roster) = &target.roster {
        meant.id.clone_from(&roster.id);
        // Of a policy it is one of its tenant, of a hand-over also one of the partner.
        let Some(known) = neighbours.on_call.roster(conn, tenants, &roster.id)? else {
            return Ok(Err("the roster is not there any more".to_owned()));
        };
        meant.roster = Some((known.tenant_id.clone(), roster.id.clone()));
        let partner =
            tenants.iter().find(|other| *other != about.policy_tenant).map_or(about.policy_tenant, String::as_str);
        let on_call = neighbours.on_call.on_call_of(conn, &known.tenant_id, partner, &roster.id, at)?;
        let of_level = on_call.into_iter().filter(|found| target.level.is_none_or(|level| found.level == level));
        let people = of_level.map(|found| {
            if !found.instead_of.is_empty() {
                meant.instead_of.insert(found.person.id.clone(), found.instead_of);
            }
            found.person
        });
        let people = active(people.collect());
        return Ok(match target.level {
            _ if !people.is_empty() => Ok(people),
            None => Err("nobody is on call in the roster".to_owned()),
            Some(level) => Err(format!("nobody is on call in the roster at level {level}")),
        });
    }
    if let Some(user) = &target.user {
        meant.id.clone_from(&user.id);
        let people = active(neighbours.people.users(conn, tenants, std::slice::from_ref(&user.id))?);
        return Ok(if people.is_empty() { Err("the person is not in use any more".to_owned()) } else { Ok(people) });
    }
    if let Some(integration) = &target.integration {
        meant.id.clone_from(&integration.id);
        let own = [about.policy_tenant.to_owned()];
        let installed = neighbours.integrations.installed(conn, &own, &integration.id)?;
        meant.calls = installed.as_ref().is_some_and(|installed| installed.is_called);
        return Ok(match installed {
            None => Err("the integration is not there any more".to_owned()),
            Some(_) if !meant.calls => Err("the integration is disabled or has no notifier".to_owned()),
            Some(_) => Ok(Vec::new()),
        });
    }
    let group = match &target.user_group {
        Some(group) => {
            meant.id.clone_from(&group.unique_id);
            group.unique_id.clone()
        }
        None => {
            "owner".clone_into(&mut meant.id);
            match crate::configuration::owners::machine::owner(conn, neighbours, about.tenant, about.machine)? {
                Some(owner) => owner.group_id,
                None => return Ok(Err("the machine of the alert has no owner".to_owned())),
            }
        }
    };
    let Some(found) = neighbours.people.groups(conn, tenants, &[group])?.into_iter().find(|group| group.activated)
    else {
        return Ok(Err("the user group is not in use any more".to_owned()));
    };
    let people = active(neighbours.people.users(conn, tenants, &found.members)?);
    Ok(if people.is_empty() { Err("nobody is in the user group".to_owned()) } else { Ok(people) })
}

/// What reaches these people.
fn reached(
    conn: &mut Conn,
    tenants: &[String],
    people: Vec<Person>,
    urgency: &str,
    at: Timestamp,
) -> Result<Vec<ReachablePerson>> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = people.iter().map(|person| person.id.clone()).collect();
    let mut known: HashMap<String, Vec<methods::row::Method>> = HashMap::new();
    for method in methods::store::of_users(conn, tenants, &ids)?.into_iter().filter(|method| method.verified) {
        known.entry(method.user_id.clone()).or_default().push(method);
    }
    let plans = notification::store::of_users(conn, tenants, &ids, urgency)?;
    let nothing = notification::rules::Plan::default();
    let reached = people.into_iter().map(|person| {
        let own = known.remove(&person.id).unwrap_or_default();
        let names: Vec<String> = own.iter().map(|method| method.id.clone()).collect();
        let used = plans.get(&person.id).unwrap_or(&nothing).at(&names, at, times::minute_of_day);
        let used: Vec<(String, Timestamp)> = used.into_iter().map(|(id, due)| (id.to_owned(), due)).collect();
        let methods: Vec<_> = used
            .into_iter()
            .filter_map(|(id, due)| Some((own.iter().find(|method| method.id == id)?.clone(), due)))
            .collect();
        let gap = methods.is_empty().then(|| "has no verified contact method".to_owned());
        ReachablePerson { person, methods, gap }
    });
    Ok(reached.collect())
}
