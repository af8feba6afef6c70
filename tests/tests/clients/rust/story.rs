//! What a user of the client writes: the story that is told in each language (tests/tests/clients/mod.rs).

use std::{
    collections::BTreeSet,
    env,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use muster_client::{
    Error, GetRosterOnCall, Muster, Refusal, Result, SearchIncidents, SearchResources, format_time,
    models::{
        BulkLine, ClientInput, DailyPattern, EndNever, IncidentClosing, IncidentInput, IncidentNoteInput, KeyRole,
        MaintenanceDeviceReference, MaintenanceSchedule, MaintenanceWindowInput, OneTimeMaintenance, RecurringSchedule,
        ResourceDetail, ResourceInput, RosterInput, RosterShiftInput, RosterTimeZoneReference, RosterUserReference,
        SiteInput, SiteUpdate, Tag, UserInput,
    },
    parse_time,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn caller(prefix: &str, tenant: &str, patience: Duration) -> Result<Muster> {
    let given = |name: &str| env::var(format!("{prefix}_{name}")).unwrap_or_default();
    Muster::with_patience(&given("URL"), &given("KEY"), &given("SECRET"), tenant, patience)
}

fn refused<T>(answer: Result<T>) -> Box<Refusal> {
    match answer {
        Err(Error::Refused(refusal)) => refusal,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

/// Resources, in their three shapes.
fn shapes(muster: &Muster) -> Result<()> {
    let tags = vec![Tag { name: "env".to_owned(), value: some("production"), ..Tag::default() }];
    let host_name = some("web-01");
    let linux = some("Linux");
    let inputs = [
        ResourceInput { host_name, resource_type: linux, tags: Some(tags), ..ResourceInput::default() },
        ResourceInput { r#type: some("EBS"), resource_name: some("vol-01"), ..ResourceInput::default() },
        ResourceInput {
            r#type: some("SYNTHETIC"),
            name: some("front"),
            url: some("https://example.net/"),
            ..ResourceInput::default()
        },
    ];
    let mut told = Vec::new();
    for input in &inputs {
        let made = muster.create_resource(input)?;
        told.push(match muster.get_resource(&made.resource_uuid)? {
            ResourceDetail::DeviceDetail(device) => {
                format!("{} {}", device.general_info.host_name, device.tags[0].value.as_deref().unwrap_or_default())
            }
            ResourceDetail::CloudDetail(cloud) => {
                let recent = parse_time(&cloud.created_date).is_some_and(|at| at > UNIX_EPOCH);
                format!("{} {} {recent}", cloud.r#type, cloud.resource_name)
            }
            ResourceDetail::SyntheticDetail(check) => check.url,
        });
    }
    assert_eq!(told, ["web-01 production", "EBS vol-01 true", "https://example.net/"]);
    Ok(())
}

/// A thousand of them, in and out.
fn many(muster: &Muster) -> Result<()> {
    let row = |number: u32| ResourceInput {
        host_name: Some(format!("bulk-{number}")),
        resource_type: some("Linux"),
        ..ResourceInput::default()
    };
    let rows: Vec<ResourceInput> = (0..1000).map(row).collect();
    let mut created = 0;
    let mut summary = None;
    for line in muster.bulk(&rows)? {
        match line? {
            BulkLine::BulkResult(result) => created += i64::from(result.result == "created"),
            BulkLine::BulkSummary(last) => summary = Some(last),
        }
    }
    assert_eq!((created, summary.map(|summary| summary.created)), (1000, Some(1000)));
    let exported = muster.export("hostName:bulk-")?.collect::<Result<Vec<_>>>()?;
    assert_eq!(exported.iter().filter(|one| one.host_name.iter().any(|name| name.starts_with("bulk-"))).count(), 1000);
    let asked = SearchResources { query_string: some("hostName:bulk-"), page_size: Some(100), ..Default::default() };
    let found = muster.each(Muster::search_resources, asked).collect::<Result<Vec<_>>>()?;
    assert_eq!(found.iter().map(|one| &one.name).collect::<BTreeSet<_>>().len(), 1000);
    Ok(())
}

/// People, their roster, a window, an incident.
fn operations(muster: &Muster) -> Result<()> {
    let anna = muster.create_user(&UserInput {
        login_name: "anna".to_owned(),
        email: some("anna@example.net"),
        role: Some(KeyRole::Operator),
        ..UserInput::default()
    })?;
    let schedule = RecurringSchedule {
        start_date: "2026-11-20T00:00:00Z".to_owned(),
        start_time: "20:00:00".to_owned(),
        end_time: "08:00:00".to_owned(),
        pattern: DailyPattern { repeat_frequency: 1, ..DailyPattern::default() }.into(),
        end_pattern: EndNever::default().into(),
        ..RecurringSchedule::default()
    };
    let night = RosterShiftInput {
        name: "Night".to_owned(),
        schedule: schedule.into(),
        users: Some(vec![RosterUserReference { id: anna.id }]),
        user_groups: Some(Vec::new()),
        ..RosterShiftInput::default()
    };
    let roster = muster.create_roster(&RosterInput {
        name: "Nights".to_owned(),
        description: "Every night".to_owned(),
        time_zone: RosterTimeZoneReference { name: "Europe/Paris".to_owned() },
        shift_details: vec![night],
        ..RosterInput::default()
    })?;
    let at = parse_time("2026-11-25T03:00:00+0000").expect("a time");
    let asked = GetRosterOnCall { at: Some(format_time(at)), ..GetRosterOnCall::default() };
    let on_call = muster.get_roster_on_call(&roster.id, &asked)?;
    let names: Vec<&str> = on_call.on_call.iter().map(|entry| entry.user.login_name.as_str()).collect();
    assert_eq!((names, parse_time(&on_call.at)), (vec!["anna"], Some(at)));

    let once = OneTimeMaintenance {
        start_time: "2031-11-20T22:00:00Z".to_owned(),
        end_time: "2031-11-20T23:30:00Z".to_owned(),
        ..OneTimeMaintenance::default()
    };
    let device = MaintenanceDeviceReference { host_name: some("web-01"), ..MaintenanceDeviceReference::default() };
    let made = muster.create_maintenance_window(&MaintenanceWindowInput {
        name: "Patches".to_owned(),
        schedule: once.into(),
        devices: Some(vec![device]),
        ..MaintenanceWindowInput::default()
    })?;
    let window = muster.get_maintenance_window(&made.unique_id)?;
    assert!(matches!(window.schedule, MaintenanceSchedule::OneTimeMaintenance(_)), "{window:?}");

    let input = IncidentInput { subject: some("Disk is full"), priority: some("High"), ..IncidentInput::default() };
    let incident = muster.create_incident(&input)?;
    muster.add_incident_note(&incident.id, &IncidentNoteInput { content: "Looking into it.".to_owned() })?;
    let closed = muster.close_incident(&incident.id, &IncidentClosing { note: some("Done.") })?;
    assert_eq!((closed.status.as_str(), closed.note_count), ("Closed", 2));
    Ok(())
}

/// What goes wrong, and how that is told.
fn problems(muster: &Muster) -> Result<()> {
    let missing = refused(muster.get_resource("7f3f1d0a-58a5-4b58-8a2b-9a4f5a1d2c3e"));
    assert_eq!((missing.status, missing.code()), (404, "0003"));
    let invalid = refused(muster.create_user(&UserInput { email: some("nowhere"), ..UserInput::default() }));
    assert_eq!((invalid.status, invalid.fields().into_keys().collect::<Vec<_>>()), (400, vec!["email", "loginName"]));
    let input = SiteInput { name: "Paris".to_owned(), ..SiteInput::default() };
    let site = muster.create_site(&input)?;
    let taken = refused(muster.create_site(&input));
    assert_eq!((taken.status, taken.code()), (409, "0004"));
    let read = muster.answer(|muster| muster.get_site(site.id))?;
    let condition = muster.if_match(read.etag.as_deref().unwrap_or_default());
    let to = |city: &str| SiteUpdate { city: some(city), ..SiteUpdate::default() };
    condition.update_site(site.id, &to("Paris"))?;
    assert_eq!(refused(condition.update_site(site.id, &to("Lyon"))).status, 412);
    assert_eq!(muster.get_site(site.id)?.city.as_deref(), Some("Paris"));
    muster.delete_site(site.id)
}

/// A key that may send 20 requests a second: told of it, or patient.
fn limited() -> Result<()> {
    let hasty = caller("LIMITED", "msp_1", Duration::ZERO)?;
    let patient = caller("LIMITED", "msp_1", Duration::from_secs(60))?;
    hasty.get_tenant()?;
    let together = |muster: &Muster| {
        let calls: Vec<_> = (0..20)
            .map(|_| {
                let muster = muster.clone();
                std::thread::spawn(move || (0..3).map(|_| muster.get_tenant()).collect::<Vec<_>>())
            })
            .collect();
        calls.into_iter().flat_map(|call| call.join().expect("the call ends")).collect::<Vec<_>>()
    };
    let throttled = together(&hasty).into_iter().find(Result::is_err).expect("some are throttled");
    let throttled = refused(throttled);
    assert!(throttled.status == 429 && throttled.retry_after >= Some(Duration::from_secs(1)), "{throttled:?}");
    assert!(together(&patient).iter().all(Result::is_ok));
    Ok(())
}

/// The server is killed meanwhile, and starts again: nothing is lost, and nothing done twice.
fn interrupted(muster: &Muster) -> Result<()> {
    println!("kill");
    for number in 0..60 {
        let subject = Some(format!("Interrupted {number}"));
        muster.create_incident(&IncidentInput { subject, ..IncidentInput::default() })?;
    }
    let asked = SearchIncidents { page_size: Some(25), ..SearchIncidents::default() };
    let all = muster.each(Muster::search_incidents, asked).collect::<Result<Vec<_>>>()?;
    let found: Vec<&str> =
        all.iter().map(|one| one.subject.as_str()).filter(|subject| subject.starts_with("Interrupted ")).collect();
    assert_eq!((found.len(), found.iter().collect::<BTreeSet<_>>().len()), (60, 60));
    Ok(())
}

fn main() -> Result<()> {
    let minute = Duration::from_secs(60);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let partner = caller("STORY", "msp_1", minute)?;
    let tenant = partner.create_client(&ClientInput { name: format!("rust {now}") })?.unique_id;
    println!("tenant {tenant}");
    let muster = partner.at(&tenant);
    shapes(&muster)?;
    many(&muster)?;
    operations(&muster)?;
    problems(&muster)?;
    limited()?;
    interrupted(&muster)?;
    println!("done");
    Ok(())
}
