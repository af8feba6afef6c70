//! What updates do.

use base::body::Request as _;
use serde_json::json;

use super::*;

fn new(shifts: &[(&str, &str)]) -> NewRoster {
    let shifts: Vec<_> = shifts
        .iter()
        .map(|(name, user)| {
            json!({"name": name, "users": [{"id": user}], "userGroups": [], "schedule": {
                "type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "00:00:00",
                "endTime": "08:00:00", "pattern": {"type": "daily", "repeatFrequency": 1},
                "endPattern": {"type": "NEVER"}}})
        })
        .collect();
    let body = json!({"name": "R", "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": shifts});
    NewRoster::parse(&body).unwrap()
}

fn ids() -> impl FnMut() -> String {
    let mut number = 0;
    move || {
        number += 1;
        number.to_string()
    }
}

const THEN: Timestamp = Timestamp::from_millis(5_500);

fn stored() -> (Roster, Vec<Shift>) {
    created(&new(&[("a", "u1"), ("b", "u2")]), "client_1", ids(), THEN)
}

fn edited(roster: &Roster, shifts: &[Shift], body: serde_json::Value, now: Timestamp) -> Result<Plan, Problem> {
    let (holidays, moves) = (DatedHolidays::default(), HashMap::new());
    let old = RosterBefore { roster, versions: &[version(roster)], shifts, holidays: &holidays, moves: &moves };
    planned(old, change(body), FieldErrors::default(), ids(), now)
}

fn version(roster: &Roster) -> Version {
    Version {
        tenant_id: roster.tenant_id.clone(),
        roster_id: roster.id.clone(),
        valid_from_ms: 0,
        valid_until_ms: None,
        name: roster.name.clone(),
        zone: roster.zone.clone(),
        off_hours: roster.off_hours.clone(),
    }
}

fn change(value: serde_json::Value) -> RosterChange {
    RosterChange::parse_with_errors(&value).0
}

#[test]
fn an_update_cuts_history_only_where_something_changed() {
    let (roster, shifts) = stored();
    assert_eq!(shifts[0].valid_from_ms, 0, "a new roster holds for the past, too");
    let body = json!({"description": "e", "shiftDetails": [
        {"id": shifts[1].id}, {"id": shifts[0].id, "users": [{"id": "u3"}, {"id": "U3 "}]},
    ]});
    let plan = edited(&roster, &shifts, body, THEN).unwrap();
    assert_eq!((plan.roster.version, plan.roster.updated_ms, plan.from_ms), (2, Some(5_500), 5_000));
    let plan = plan.shifts.unwrap();
    assert_eq!(plan.end, [shifts[0].id.clone()]);
    assert_eq!((plan.kept.len(), &plan.kept[0].id, plan.kept[0].position), (1, &shifts[1].id, 0));
    assert_eq!(plan.begin.len(), 1);
    assert_eq!((plan.begin[0].valid_from_ms, plan.begin[0].position), (5_000, 1));
    assert_eq!(plan.begin[0].crew.users, ["U3"]);
}

#[test]
fn another_zone_is_another_version_of_every_shift() {
    let (roster, shifts) = stored();
    let plan = edited(&roster, &shifts, json!({"timeZone": {"name": "Asia/Tokyo"}}), THEN).unwrap();
    let versions = plan.versions;
    let shifts_plan = plan.shifts.unwrap();
    assert_eq!((shifts_plan.end.len(), shifts_plan.begin.len()), (2, 2));
    let told: Vec<_> = versions.iter().map(|one| (one.valid_from_ms, one.valid_until_ms, one.zone.as_str())).collect();
    assert_eq!(told, [(0, Some(5_000), "GMT"), (5_000, None, "Asia/Tokyo")]);
    let plan = edited(&roster, &shifts, json!({"name": "Q"}), THEN).unwrap();
    assert_eq!((plan.shifts, plan.after.len()), (None, 2));
    let told: Vec<_> = plan.versions.iter().map(|one| (one.valid_from_ms, one.name.as_str())).collect();
    assert_eq!(told, [(0, "R"), (5_000, "Q")]);
}

#[test]
fn shifts_are_known_by_their_id() {
    let (roster, shifts) = stored();
    let refused = |body| {
        let errors = edited(&roster, &shifts, body, THEN).unwrap_err().errors;
        errors.into_iter().map(|error| error.field_name).collect::<Vec<_>>()
    };
    let id = &shifts[0].id;
    assert_eq!(refused(json!({"shiftDetails": [{"id": "ESD-x"}]})), ["shiftDetails[0].id"]);
    assert_eq!(refused(json!({"shiftDetails": [{"id": id}, {"id": id}]})), ["shiftDetails[1].id"]);
    let same = json!({"shiftDetails": [{"id": id}, {"id": shifts[1].id, "name": "A"}]});
    assert_eq!(refused(same), ["shiftDetails[1].name"]);
    let plan = edited(&roster, &shifts, json!({"shiftDetails": [{"id": id}]}), THEN).unwrap();
    assert_eq!(plan.shifts.unwrap().end, [shifts[1].id.clone()]);
}

#[test]
fn a_shift_may_be_left_with_nobody() {
    let (roster, shifts) = stored();
    let body = json!({"shiftDetails": [{"id": shifts[0].id, "users": []}]});
    let plan = edited(&roster, &shifts, body, THEN).unwrap();
    assert_eq!(*plan.shifts.unwrap().begin[0].crew, Crew::default());
}

#[test]
fn an_update_may_take_effect_later_and_replaces_what_was_planned() {
    let (roster, shifts) = stored();
    let later = json!({"effectiveFrom": "1970-01-02T00:00:00Z", "timeZone": {"name": "Asia/Tokyo"},
        "shiftDetails": [{"id": shifts[0].id, "users": [{"id": "u9"}]}]});
    let plan = edited(&roster, &shifts, later, THEN).unwrap();
    assert_eq!((plan.now_ms, plan.from_ms), (5_000, 86_400_000));
    assert_eq!(plan.versions.iter().map(|one| one.zone.as_str()).collect::<Vec<_>>(), ["GMT", "Asia/Tokyo"]);
    assert_eq!(plan.after[0].valid_from_ms, 86_400_000);
    // Now something else is to be, before that.
    let change = change(json!({"name": "Q", "offHours": []}));
    let (holidays, moves) = (DatedHolidays::default(), HashMap::new());
    let versions = &plan.versions;
    let old = RosterBefore { roster: &plan.roster, versions, shifts: &shifts, holidays: &holidays, moves: &moves };
    let again = planned(old, change, FieldErrors::default(), ids(), THEN).unwrap();
    let told: Vec<_> =
        again.versions.iter().map(|one| (one.valid_from_ms, one.name.as_str(), one.zone.as_str())).collect();
    assert_eq!(told, [(0, "R", "GMT"), (5_000, "Q", "GMT")]);
    assert_eq!(again.shifts.unwrap().kept.len(), 2);
}

#[test]
fn the_past_is_not_edited() {
    let (roster, shifts) = stored();
    let body = json!({"effectiveFrom": "1970-01-01T00:00:04Z", "shiftDetails": [{"id": shifts[0].id}]});
    let errors = edited(&roster, &shifts, body, THEN).unwrap_err().errors;
    assert_eq!(errors[0].field_name, "effectiveFrom");
}

#[test]
fn a_rotation_needs_no_users_beside_it_and_can_be_taken_away() {
    let (roster, shifts) = stored();
    let rotation = json!({"order": [{"users": [{"id": "u1"}]}, {"userGroups": [{"uniqueId": "G"}]}],
        "length": {"weeks": 1}, "start": "2026-11-23T09:00:00"});
    let turns = json!({"shiftDetails": [{"id": shifts[0].id, "rotation": rotation, "level": "SECONDARY"},
        {"id": shifts[1].id}]});
    let after = edited(&roster, &shifts, turns, THEN).unwrap().after;
    assert!(after[0].rotation.is_some() && after[0].level.as_deref() == Some("secondary"));
    let away = json!({"shiftDetails": [{"id": shifts[0].id, "rotation": {"order": []}}]});
    let after = edited(&roster, &after, away, THEN).unwrap().after;
    assert_eq!((after[0].rotation.as_ref(), after[0].level.as_deref()), (None, Some("secondary")));
}
