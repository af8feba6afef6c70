//! Which turns of the shifts of a roster moved because people are away.

use std::collections::HashMap;

use db::{Conn, Result};
use ports::People;

use super::{row::Shift, rules};
use crate::{
    absences::Absences,
    away::{AwayRule, AwayTurns},
    dated_holidays::dated::DatedHolidays,
    moves::Moves,
    people::RosterPeople,
};

/// By the ids of the shifts; those without a rotation that depends on it are left out.
pub fn turns(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    shifts: &[Shift],
    holidays: &DatedHolidays,
) -> Result<HashMap<String, Moves>> {
    let mut rules_of: HashMap<String, AwayRule> = HashMap::new();
    for shift in shifts {
        let zone = rules::zone(&shift.zone)?;
        let rule = shift.rotation.as_deref().and_then(|rotation| rotation.away_rule(zone));
        rules_of.extend(rule.map(|rule| (shift.id.clone(), rule)));
    }
    let Some(since) = rules_of.values().map(|rule| rule.since).min() else { return Ok(HashMap::new()) };
    let crews = || rules_of.values().flat_map(|rule| &rule.order);
    let staff = RosterPeople::since(conn, people, tenants, (crews(), []), Some(since))?;
    let mut users: Vec<String> = crews().flat_map(|crew| staff.ever(crew)).map(ToOwned::to_owned).collect();
    users.sort_unstable();
    users.dedup();
    let absences = Absences::load(conn, people, tenants, users, since)?;
    let mut moves = HashMap::new();
    for shift in shifts {
        let (Some(rule), Some(rotation)) = (rules_of.get(&shift.id), shift.rotation.as_deref()) else { continue };
        let zone = rules::zone(&shift.zone)?;
        let schedule = holidays.rule(rules::schedule(&shift.schedule)?.rule(zone), zone, shift.holidays.as_deref());
        let turns = rotation.turns.turns(zone, &schedule);
        moves.insert(shift.id.clone(), AwayTurns::new(rule, (&turns, &schedule), &staff, &absences).moves());
    }
    Ok(moves)
}
