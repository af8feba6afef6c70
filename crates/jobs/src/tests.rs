//! The promises of the scheduler, on SQLite; `tests/tests/jobs` has those that need two gateways.

use std::sync::{Arc, Mutex};

use api::Resource as _;
use base::{body::Request as _, timestamp::Timestamp};
use db::{Conn, DatabaseUrl, Db, Options, Result};
use ports::{AlertFacts, Cover, GroupHistory, Maintenance, Notices, People, PeopleGroup, Person, Window};
use serde_json::{Value, json};
use standalone::Standalone;

use crate::{
    job::{self, row::Job, wire::NewJob},
    runs::{self, row::Run},
    scheduler,
};

/// One resource is in maintenance, always.
struct One;

impl Maintenance for One {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], at: Timestamp) -> Result<Vec<Vec<Cover>>> {
        let window = Window { tenant_id: "client_1".into(), unique_id: "SM-1".into(), name: "Patches".into() };
        let cover = |id: &str| match id {
            "busy" => vec![Cover { window: window.clone(), since: at, until: at, run_escalation_action: false }],
            _ => Vec::new(),
        };
        Ok(resources.iter().map(|(_, id)| cover(id)).collect())
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(vec![Vec::new(); alerts.len()])
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], _: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(vec![None; windows.len()])
    }

    fn escalating(&self, _: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>> {
        Ok(vec![None; windows.len()])
    }
}

/// Nobody is active.
struct Suspended;

impl People for Suspended {
    fn users(&self, _: &mut Conn, _: &[String], _: &[String]) -> Result<Vec<Person>> {
        Ok(Vec::new())
    }

    fn groups(&self, _: &mut Conn, _: &[String], _: &[String]) -> Result<Vec<PeopleGroup>> {
        Ok(Vec::new())
    }

    fn revisions(&self, _: &mut Conn, _: &[String]) -> Result<Vec<(String, i64)>> {
        Ok(Vec::new())
    }

    fn own_and_partner(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned()])
    }

    fn is_active(&self, _: &mut Conn, _: &str) -> Result<bool> {
        Ok(false)
    }

    fn former_users(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<Vec<(Timestamp, Person)>> {
        Ok(Vec::new())
    }

    fn former_groups(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<GroupHistory> {
        Ok(GroupHistory::default())
    }

    fn may_act(&self, _: &mut Conn, _: &[String], _: &str, _: Timestamp) -> Result<bool> {
        Ok(false)
    }

    fn may_operate(&self, _: &mut Conn, _: &[String], _: &str, _: &str, _: Timestamp) -> Result<bool> {
        Ok(false)
    }

    fn below(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned()])
    }

    fn administrators(&self, _: &mut Conn, _: &str) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn active(&self, _: &mut Conn, _: &[String]) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

struct Fixture {
    db: Db,
    maintenance: Arc<dyn Maintenance>,
    _directory: tempfile::TempDir,
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn alone() -> Arc<dyn Notices> {
    Arc::new(Standalone)
}

fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::domain().migrations]).unwrap();
    Fixture { db, maintenance: Arc::new(One), _directory: directory }
}

impl Fixture {
    /// A daily job at ten, made at nine on 1 November.
    fn daily(&self, change: Value) -> Job {
        let mut body = json!({"name": "a", "script": {"jobType": "antivirus"}, "schedule":
            {"startDate": "2026-11-01T10:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}}});
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        let now = at("2026-11-01T09:00:00Z");
        let change = NewJob::parse(&body).unwrap().into();
        let blank = job::rules::blank("client_1", uuid::Uuid::now_v7().to_string(), "u", now);
        let row = job::rules::changed(&blank, &change, "u", now).unwrap();
        let stored = row.clone();
        self.db.write_here(move |conn| job::store::insert(conn, &stored)).unwrap();
        row
    }

    fn work(&self, people: &Arc<dyn People>) -> scheduler::Work {
        scheduler::Work::new(self.db.clone(), Arc::clone(&self.maintenance), Arc::clone(people), alone())
    }

    fn batch(&self, statements: String) {
        use diesel::connection::SimpleConnection as _;
        self.db.write_here(move |conn| Ok(conn.batch_execute(&statements)?)).unwrap();
    }

    fn take_back_abandoned(&self, now: Timestamp) {
        let people: Arc<dyn People> = Arc::new(Standalone);
        self.work(&people).take_back_abandoned(now).unwrap();
    }

    fn turn(&self, now: &str) -> bool {
        let people: Arc<dyn People> = Arc::new(Standalone);
        self.work(&people).turn(at(now)).unwrap()
    }

    fn runs(&self, job: &Job) -> Vec<Run> {
        let page = base::page::NumberedPage { page_no: 1, page_size: 1000 };
        let walk = base::PageRequest::numbered(page, base::cursor::List::default());
        let tenant = job.tenant_id.clone();
        let id = job.id.clone();
        let sort = base::query::Sort { name: "dueDate", descending: false };
        self.db.read_here(|conn| Ok(runs::store::of_job(conn, (&tenant, &id), &[], sort, &walk)?.rows)).unwrap()
    }

    /// Day and hour at which each run was due, and what became of it.
    fn told(&self, job: &Job) -> Vec<String> {
        let told = |run: &Run| format!("{} {}", &Timestamp::from_millis(run.due_ms).to_string()[8..13], run.state);
        self.runs(job).iter().map(told).collect()
    }

    fn job(&self, job: &Job) -> Job {
        self.db.read_here(|conn| job::store::find(conn, &job.tenant_id, &job.id)).unwrap().unwrap()
    }

    fn change(&self, run: &Run, change: impl FnOnce(&mut Run)) {
        let old = run.clone();
        let mut new = run.clone();
        change(&mut new);
        assert!(self.db.write_here(move |conn| runs::store::update(conn, &old, &new)).unwrap());
    }

    /// All open runs of a job have ended.
    fn finish(&self, job: &Job) {
        for run in self.runs(job).iter().filter(|run| run.finished_ms.is_none()) {
            self.change(run, |run| (run.state, run.finished_ms) = ("SUCCEEDED".to_owned(), Some(run.due_ms)));
        }
    }
}

#[test]
fn a_clock_moved_by_an_hour_either_way_loses_no_run_and_repeats_none() {
    let fixture = fixture();
    let job = fixture.daily(json!({"overlapPolicy": "allow"}));
    // On time, an hour back, on time again, an hour ahead over the next one, back again, and once more over the next.
    for now in [
        "2026-11-01T09:59:00Z",
        "2026-11-01T10:00:01Z",
        "2026-11-01T09:00:01Z",
        "2026-11-01T10:00:00Z",
        "2026-11-01T10:00:01Z",
        "2026-11-02T09:30:00Z",
        "2026-11-02T10:30:00Z",
        "2026-11-02T09:31:00Z",
        "2026-11-02T10:00:00Z",
        "2026-11-02T10:31:00Z",
        "2026-11-03T10:00:00Z",
        "2026-11-03T09:00:00Z",
        "2026-11-03T10:00:00Z",
    ] {
        fixture.turn(now);
    }
    assert_eq!(fixture.told(&job), ["01T10 QUEUED", "02T10 QUEUED", "03T10 QUEUED"]);
}

#[test]
fn a_schedule_that_leads_to_the_same_time_again_makes_no_second_run() {
    let fixture = fixture();
    let job = fixture.daily(json!({"overlapPolicy": "allow"}));
    fixture.turn("2026-11-01T10:00:00Z");
    let id = job.id.clone();
    let back = at("2026-11-01T10:00:00Z").millis();
    let again = fixture.db.write_here(move |conn| {
        let old = Job::existing(conn, &["client_1".to_owned()], &id)?;
        let new = Job { next_due_ms: Some(back), version: old.version + 1, ..old.clone() };
        job::store::update(conn, &old, &new)
    });
    again.unwrap();
    fixture.turn("2026-11-01T10:00:30Z");
    assert_eq!(fixture.told(&job), ["01T10 QUEUED"]);
    fixture.turn("2026-11-02T10:00:00Z");
    assert_eq!(fixture.told(&job), ["01T10 QUEUED", "02T10 QUEUED"]);
}

/// Any sequence of days, on some of which the clock is ahead for a moment and a runner takes what is due then.
#[test]
fn a_clock_that_was_ahead_loses_no_run_and_repeats_none() {
    let mut random = 1_u64;
    let mut below = |most: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let day_ms = 86_400_000;
    for round in 0..12 {
        let fixture = fixture();
        let policy = ["once", "skip", "all"][round % 3];
        let job = fixture.daily(json!({"misfirePolicy": policy, "overlapPolicy": "allow"}));
        let people: Arc<dyn People> = Arc::new(Standalone);
        let mut work = fixture.work(&people);
        let mut begun = Vec::new();
        for day in 0..20 {
            let now = Timestamp::from_millis(at("2026-11-01T10:00:30Z").millis() + day * day_ms);
            work.turn(now).unwrap();
            if below(3) == 0 {
                let ahead_ms = i64::try_from(60_001 + below(400 * 86_400_000)).unwrap();
                work.turn(Timestamp::from_millis(now.millis() + ahead_ms)).unwrap();
                let waiting = fixture.runs(&job).into_iter().filter(|run| run.finished_ms.is_none());
                for run in waiting.filter(|run| run.due_ms > now.millis()).take(usize::from(below(2) == 0)) {
                    begun.push(run.due_ms);
                    fixture.change(&run, |run| {
                        run.attempt = 1;
                        (run.state, run.finished_ms) = ("SUCCEEDED".to_owned(), Some(run.due_ms));
                    });
                }
                work.take_back_untimely(now).unwrap();
            }
            let next = fixture.job(&job).next_due_ms;
            assert_eq!(next, Some(at("2026-11-02T10:00:00Z").millis() + day * day_ms), "day {day} of {round}");
            let due = fixture.runs(&job);
            let expected = (0..=day).map(|day| at("2026-11-01T10:00:00Z").millis() + day * day_ms);
            let mut expected: Vec<i64> = expected.chain(begun.iter().copied()).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(due.iter().map(|run| run.due_ms).collect::<Vec<_>>(), expected, "day {day} of {round}");
            assert!(due.iter().all(|run| run.state == "QUEUED" || run.state == "SUCCEEDED"), "day {day} of {round}");
            fixture.finish(&job);
        }
    }
}

#[test]
fn a_run_that_a_clock_that_was_ahead_gave_out_is_taken_back_when_its_runner_is_gone() {
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    fixture.turn("2026-11-01T10:00:00Z");
    let ahead = at("2028-01-01T00:00:00Z").millis();
    fixture.change(&fixture.runs(&job)[0], |run| {
        (run.state, run.attempt) = ("RUNNING".to_owned(), 1);
        (run.started_ms, run.lease_ms) = (Some(ahead), Some(ahead + 60_000));
    });
    let people: Arc<dyn People> = Arc::new(Standalone);
    let now = at("2026-11-01T10:00:05Z");
    fixture.work(&people).take_back_untimely(now).unwrap();
    assert_eq!(fixture.runs(&job)[0].started_ms, Some(now.millis()));
    for (now, state) in [("2026-11-01T11:00:04Z", "RUNNING"), ("2026-11-01T11:00:05Z", "QUEUED")] {
        fixture.work(&people).take_back_untimely(at(now)).unwrap();
        fixture.take_back_abandoned(at(now));
        assert_eq!(fixture.told(&job), [format!("01T10 {state}")]);
    }
}

#[test]
fn a_job_that_was_changed_by_a_clock_that_was_ahead_is_due_by_its_schedule() {
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    let old = job.clone();
    let later = job::rules::changed(
        &old,
        &job::wire::JobChange::parse(&json!({"schedule": {"startDate": "2026-11-01T08:00:00Z",
            "pattern": {"type": "daily", "frequency": "everyday"}}}))
        .unwrap(),
        "u",
        at("2028-01-01T00:00:00Z"),
    )
    .unwrap();
    fixture.db.write_here(move |conn| job::store::update(conn, &old, &later)).unwrap();
    let people: Arc<dyn People> = Arc::new(Standalone);
    let now = at("2026-11-01T09:10:00Z");
    for _ in 0..2 {
        fixture.work(&people).take_back_untimely(now).unwrap();
        let stored = fixture.job(&job);
        assert_eq!((stored.next_due_ms, stored.updated_ms), (Some(at("2026-11-02T08:00:00Z").millis()), now.millis()));
    }
}

#[test]
fn many_jobs_that_are_due_at_once_run_once_each() {
    let fixture = fixture();
    let jobs: Vec<Job> = (0..1_100).map(|_| fixture.daily(json!({}))).collect();
    let mut turns = 1;
    while fixture.turn("2026-11-01T10:00:00Z") {
        turns += 1;
    }
    assert_eq!(turns, 12, "a hundred at a time");
    assert!(!fixture.turn("2026-11-01T10:00:59Z"));
    for job in jobs.iter().step_by(50) {
        assert_eq!(fixture.told(job), ["01T10 QUEUED"]);
    }
}

#[test]
fn a_job_for_which_it_fails_is_held_alone_and_tried_again() {
    let fixture = fixture();
    let jobs = [0, 1, 2].map(|_| fixture.daily(json!({})));
    let broken = format!(
        "CREATE TRIGGER broken BEFORE INSERT ON job_runs WHEN NEW.job_id = '{}' BEGIN SELECT RAISE(ABORT, 'x'); END; \
         UPDATE jobs SET schedule = '{{' WHERE id = '{}'",
        jobs[0].id, jobs[1].id
    );
    fixture.batch(broken);
    let told = || jobs.each_ref().map(|job| fixture.told(job).len());
    assert!(!fixture.turn("2026-11-01T10:00:00Z"));
    assert_eq!(told(), [0, 0, 1]);
    let people: Arc<dyn People> = Arc::new(Standalone);
    fixture.work(&people).release(at("2026-11-01T10:00:05Z")).unwrap();
    assert!(!fixture.turn("2026-11-01T10:00:05Z"));
    assert_eq!(told(), [0, 0, 1], "it is tried again, and fails again");
    fixture.batch("DROP TRIGGER broken".to_owned());
    fixture.work(&people).release(at("2026-11-01T10:00:10Z")).unwrap();
    fixture.turn("2026-11-01T10:00:10Z");
    assert_eq!(fixture.told(&jobs[0]), ["01T10 QUEUED"], "for when it was due");
}

/// No alert can be made, until there is room.
#[derive(Default)]
struct Full(Mutex<(bool, Vec<String>)>);

impl Notices for Full {
    fn notice(&self, _: &mut Conn, notices: &[ports::Notice], _: Timestamp) -> Result<()> {
        let mut known = self.0.lock().unwrap();
        if !known.0 {
            return Err(base::Problem::conflict("There are too many open alerts.").into());
        }
        known.1.extend(notices.iter().map(|notice| notice.subject.clone()));
        Ok(())
    }
}

#[test]
fn what_became_of_a_run_stands_when_no_alert_can_tell_it() {
    let fixture = fixture();
    let job = fixture.daily(json!({"misfirePolicy": "skip", "alertOnFailure": true}));
    let people: Arc<dyn People> = Arc::new(Standalone);
    let full = Arc::new(Full::default());
    let mut work = scheduler::Work::new(fixture.db.clone(), Arc::clone(&fixture.maintenance), people, full.clone());
    work.turn(at("2026-11-01T11:00:00Z")).unwrap();
    assert_eq!(fixture.told(&job), ["01T10 MISSED"]);
    work.tell_again(at("2026-11-01T11:00:10Z")).unwrap();
    full.0.lock().unwrap().0 = true;
    for second in [15, 20, 30] {
        work.tell_again(at(&format!("2026-11-01T11:00:{second}Z"))).unwrap();
    }
    assert_eq!(full.0.lock().unwrap().1, ["The job a missed a run"], "once, when there is room");
}

#[test]
fn a_run_that_no_runner_takes_in_time_is_missed() {
    let fixture = fixture();
    let job = fixture.daily(json!({"maximumLateness": 5, "alertOnFailure": true}));
    let any = fixture.daily(json!({}));
    fixture.turn("2026-11-01T10:00:00Z");
    let full = Arc::new(Full(Mutex::new((true, Vec::new()))));
    let people: Arc<dyn People> = Arc::new(Standalone);
    let mut work = scheduler::Work::new(fixture.db.clone(), Arc::clone(&fixture.maintenance), people, full.clone());
    let given_out = |now: &str| {
        let wanted = runs::runner::wire::ClaimQuery::parse(&json!({"jobs": [job.id]})).unwrap();
        let scope = ["client_1".to_owned()];
        fixture.db.read_here(|conn| runs::queue::next(conn, &scope, &wanted, at(now))).unwrap().is_some()
    };
    for (now, in_time) in [("2026-11-01T10:00:05Z", true), ("2026-11-01T10:00:06Z", false)] {
        assert_eq!(given_out(now), in_time);
        work.end_late(at(now)).unwrap();
        assert_eq!(fixture.told(&job), [if in_time { "01T10 QUEUED" } else { "01T10 MISSED" }]);
    }
    assert!(fixture.runs(&job)[0].reason.contains("for 6 s"));
    assert_eq!(fixture.told(&any), ["01T10 QUEUED"]);
    assert_eq!(full.0.lock().unwrap().1, ["The job a missed a run"]);
    // One that began, and whose runner vanished, may go on.
    fixture.turn("2026-11-02T10:00:00Z");
    fixture.change(&fixture.runs(&job)[1], |run| run.attempt = 1);
    work.end_late(at("2026-11-02T11:00:00Z")).unwrap();
    assert_eq!(fixture.told(&job)[1], "02T10 QUEUED");
}

#[test]
fn what_is_due_while_a_run_is_open_follows_the_policy() {
    let fixture = fixture();
    let policies = ["skip", "queue", "allow"].map(|policy| fixture.daily(json!({"overlapPolicy": policy})));
    for now in ["2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"] {
        fixture.turn(now);
    }
    let told = policies.each_ref().map(|job| fixture.told(job));
    assert_eq!(told[0], ["01T10 QUEUED", "02T10 SKIPPED"]);
    assert_eq!(told[1], ["01T10 QUEUED", "02T10 QUEUED"]);
    assert_eq!(told[1], told[2]);
    assert!(fixture.runs(&policies[0])[1].reason.contains("not over"));
    let exclusive = |job: &Job| fixture.runs(job).iter().all(|run| run.exclusive);
    assert!(exclusive(&policies[1]) && !exclusive(&policies[2]));
    fixture.finish(&policies[0]);
    fixture.turn("2026-11-03T10:00:00Z");
    assert_eq!(fixture.told(&policies[0]).last().unwrap(), "03T10 QUEUED");
}

#[test]
fn open_runs_of_a_job_are_bounded() {
    let fixture = fixture();
    let job = fixture.daily(json!({"overlapPolicy": "allow", "misfirePolicy": "all", "alertOnFailure": true}));
    let full = Arc::new(Full(Mutex::new((true, Vec::new()))));
    let people: Arc<dyn People> = Arc::new(Standalone);
    let mut work = scheduler::Work::new(fixture.db.clone(), Arc::clone(&fixture.maintenance), people, full.clone());
    for now in ["2027-01-20T10:00:00Z", "2027-03-20T10:00:00Z"] {
        work.turn(at(now)).unwrap();
    }
    let runs = fixture.runs(&job);
    let open = runs.iter().filter(|run| run.finished_ms.is_none()).count();
    assert_eq!((open, runs.len()), (runs::rules::MOST_OPEN_OF_JOB, 140));
    let last = runs.last().unwrap();
    assert!(last.state == "MISSED" && last.reason.contains("100 runs of the job are not over"), "{last:?}");
    assert_eq!(full.0.lock().unwrap().1.len(), 1, "which is an alert");
    let start = |fixture: &Fixture| {
        let job = job.clone();
        let maintenance = Arc::clone(&fixture.maintenance);
        let actor = outbox::Actor::service("test");
        let now = at("2027-03-20T11:00:00Z");
        let done = fixture.db.write_here(move |conn| {
            outbox::Tx::run(conn, &actor, now, |tx| runs::manual::start(tx, &*maintenance, &job))
        });
        done.map(drop)
    };
    assert!(matches!(start(&fixture), Err(db::Error::Problem(_))));
    fixture.finish(&job);
    start(&fixture).unwrap();
}

#[test]
fn an_absence_is_in_the_history() {
    let fixture = fixture();
    let [once, skip, all] = ["once", "skip", "all"].map(|policy| fixture.daily(json!({"misfirePolicy": policy})));
    fixture.turn("2026-11-03T12:00:00Z");
    assert_eq!(fixture.told(&once), ["01T10 MISSED", "02T10 MISSED", "03T10 QUEUED"]);
    assert_eq!(fixture.told(&skip), ["01T10 MISSED", "02T10 MISSED", "03T10 MISSED"]);
    assert_eq!(fixture.told(&all), ["01T10 QUEUED", "02T10 QUEUED", "03T10 QUEUED"]);
    assert!(fixture.runs(&once).iter().take(2).all(|run| !run.reason.is_empty() && run.finished_ms.is_some()));
    assert!(fixture.runs(&all).iter().all(|run| run.exclusive), "they are carried out one after the other");
    fixture.turn("2026-11-04T10:00:00Z");
    assert_eq!(fixture.told(&all).last().unwrap(), "04T10 SKIPPED", "on time, while others wait");
}

#[test]
fn a_run_that_its_runner_does_not_end_in_time_has_timed_out() {
    let fixture = fixture();
    let job = fixture.daily(json!({"timeLimit": 60}));
    fixture.turn("2026-11-01T10:00:00Z");
    let started = at("2026-11-01T10:05:00Z").millis();
    fixture.change(&fixture.runs(&job)[0], |run| {
        (run.state, run.attempt, run.started_ms) = ("RUNNING".to_owned(), 1, Some(started));
        run.lease_ms = Some(at("2026-11-01T11:00:00Z").millis());
    });
    let people: Arc<dyn People> = Arc::new(Standalone);
    for (now, state) in [("2026-11-01T10:15:59Z", "RUNNING"), ("2026-11-01T10:16:00Z", "TIMED_OUT")] {
        fixture.work(&people).end_late(at(now)).unwrap();
        assert_eq!(fixture.told(&job), [format!("01T10 {state}")]);
    }
    let run = &fixture.runs(&job)[0];
    assert!(run.reason.contains("for 660 s") && run.lease_ms.is_none(), "{run:?}");
}

#[test]
fn runs_of_a_suspended_tenant_stay_their_runners() {
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    fixture.turn("2026-11-01T10:00:00Z");
    fixture.change(&fixture.runs(&job)[0], |run| {
        run.state = "RUNNING".to_owned();
        (run.attempt, run.lease_ms) = (3, Some(at("2026-11-01T10:01:00Z").millis()));
    });
    let people: Arc<dyn People> = Arc::new(Suspended);
    for now in ["2026-11-01T10:01:00Z", "2026-11-01T10:03:00Z"] {
        fixture.work(&people).take_back_abandoned(at(now)).unwrap();
    }
    fixture.take_back_abandoned(at("2026-11-01T10:03:59Z"));
    assert_eq!(fixture.told(&job), ["01T10 RUNNING"]);
    fixture.take_back_abandoned(at("2026-11-01T10:04:00Z"));
    assert_eq!(fixture.told(&job), ["01T10 FAILED"], "nobody was heard since it was resumed");
}

#[test]
fn a_job_of_a_suspended_tenant_has_no_next_run() {
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    let next = |people: &dyn People| {
        let shown = fixture.db.read_here(|conn| job::view::job(conn, people, &[], &job)).unwrap();
        shown.next_run
    };
    assert_eq!(next(&Standalone), Some(at("2026-11-01T10:00:00Z")));
    assert_eq!(next(&Suspended), None);
}

#[test]
fn a_job_that_is_due_in_maintenance_says_so() {
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    let rows = ["idle", "busy"].map(|id| job::row::Resource {
        tenant_id: job.tenant_id.clone(),
        job_id: job.id.clone(),
        resource_id: id.to_owned(),
        resource_tenant: "client_1".to_owned(),
        position: 0,
        kind: "DEVICE".to_owned(),
    });
    let stored = job.clone();
    fixture.db.write_here(move |conn| job::store::replace_resources(conn, &stored, &rows)).unwrap();
    fixture.turn("2026-11-01T10:00:00Z");
    let windows = serde_json::to_value(&fixture.runs(&job)[0].maintenance.0).unwrap();
    let expected = json!([{"resourceId": "busy", "uniqueId": "SM-1", "name": "Patches",
        "until": "2026-11-01T10:00:00+0000"}]);
    assert_eq!(windows, expected);
}

#[test]
fn a_run_that_three_runners_left_has_failed_and_history_ends_somewhere() {
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    fixture.turn("2026-11-01T10:00:00Z");
    let lease = at("2026-11-01T10:01:00Z");
    fixture.change(&fixture.runs(&job)[0], |run| {
        run.state = "RUNNING".to_owned();
        run.attempt = 2;
        run.lease_ms = Some(lease.millis());
    });
    fixture.take_back_abandoned(lease);
    assert_eq!(fixture.told(&job), ["01T10 QUEUED"], "somebody else may try");
    fixture.change(&fixture.runs(&job)[0], |run| run.output_cut = true);
    let run = fixture.runs(&job).remove(0);
    assert_eq!((run.attempt, run.lease_ms), (2, None));
    let third = Run { attempt: 3, state: "RUNNING".to_owned(), lease_ms: Some(lease.millis()), ..run.clone() };
    assert!(fixture.db.write_here(move |conn| runs::store::update(conn, &run, &third)).unwrap());
    fixture.take_back_abandoned(lease);
    assert_eq!(fixture.told(&job), ["01T10 FAILED"]);
    let sweep =
        |days, now| outbox::retention::sweep(&fixture.db, crate::domain().retention, |_| days, at(now)).unwrap();
    sweep(30, "2026-12-01T10:00:59Z");
    assert_eq!(fixture.told(&job).len(), 1);
    sweep(0, "2027-12-01T10:00:59Z");
    assert_eq!(fixture.told(&job).len(), 1, "0 days keep it for ever");
    let id = fixture.runs(&job)[0].id.clone();
    let print = move |conn: &mut Conn| {
        let mut run = runs::store::existing(conn, &["client_1".to_owned()], &id)?;
        for piece in 0..5_000 {
            run.output_bytes = piece;
            runs::store::append(conn, &run, "x")?;
        }
        Ok(())
    };
    fixture.db.write_here(print).unwrap();
    sweep(30, "2026-12-01T10:01:01Z");
    assert!(fixture.told(&job).is_empty(), "however much it printed");
}

#[test]
fn the_history_of_a_job_goes_in_steps_of_a_bounded_size() {
    let fixture = fixture();
    let job = fixture.daily(json!({"overlapPolicy": "allow", "misfirePolicy": "all"}));
    let other = fixture.daily(json!({}));
    for now in ["2027-02-01T10:00:00Z", "2027-05-01T10:00:00Z", "2027-08-01T10:00:00Z"] {
        fixture.turn(now);
        fixture.finish(&job);
    }
    fixture.turn("2027-08-02T10:00:00Z");
    let mut before = fixture.runs(&job).len();
    assert!(before > 200, "{before} runs");
    loop {
        let stored = job.clone();
        let is_more = fixture.db.write_here(move |conn| job::store::remove_some_runs(conn, &stored)).unwrap();
        let after = fixture.runs(&job).len();
        assert!(before - after <= 200, "{} runs in one step", before - after);
        before = after;
        if !is_more {
            break;
        }
    }
    assert!(fixture.runs(&job).iter().all(|run| run.finished_ms.is_none()), "only what is over goes");
    assert_eq!(fixture.runs(&job).len(), 1);
    assert!(!fixture.runs(&other).is_empty());
}

#[test]
fn the_span_of_a_run_is_recorded_when_its_end_is_committed() {
    let spans = traces::start(1.0).expect("nobody else records");
    let fixture = fixture();
    let job = fixture.daily(json!({}));
    fixture.turn("2026-11-01T10:00:00Z");
    let run = fixture.runs(&job).remove(0);
    let recorded = |id: &str| {
        let is_of_run = |span: &traces::Span| span.attributes.contains(&("muster.run.id", id.into()));
        spans.try_iter().filter(is_of_run).count()
    };
    let id = run.id.clone();
    let ends = |is_kept: bool| {
        let run = run.clone();
        fixture.db.write_here(move |_| {
            runs::trace::record_end(&run);
            if is_kept { Ok(()) } else { Err(base::problem::Problem::invalid("no").into()) }
        })
    };
    assert!(ends(false).is_err());
    assert_eq!(recorded(&id), 0, "it has not ended");
    ends(true).unwrap();
    assert_eq!(recorded(&id), 1);
}

#[test]
fn a_suspended_tenants_jobs_are_held_and_go_on_by_the_policy() {
    let fixture = fixture();
    let jobs = ["once", "skip", "all"].map(|policy| fixture.daily(json!({"misfirePolicy": policy})));
    let people: Arc<dyn People> = Arc::new(Suspended);
    let suspended = |now| fixture.work(&people).turn(at(now)).unwrap();
    suspended("2026-11-01T10:00:00Z");
    fixture.work(&people).release(at("2026-11-03T12:00:00Z")).unwrap();
    assert!(!suspended("2026-11-03T10:00:00Z"), "nothing is left to do until it is resumed");
    assert!(jobs.iter().all(|job| fixture.told(job).is_empty()));
    let people: Arc<dyn People> = Arc::new(Standalone);
    fixture.work(&people).release(at("2026-11-03T12:00:00Z")).unwrap();
    fixture.turn("2026-11-03T12:00:00Z");
    assert_eq!(fixture.told(&jobs[0]), ["01T10 MISSED", "02T10 MISSED", "03T10 QUEUED"]);
    assert_eq!(fixture.told(&jobs[1]), ["01T10 MISSED", "02T10 MISSED", "03T10 MISSED"]);
    assert_eq!(fixture.told(&jobs[2]), ["01T10 QUEUED", "02T10 QUEUED", "03T10 QUEUED"]);
    fixture.turn("2026-11-04T10:00:00Z");
    assert_eq!(fixture.told(&jobs[1]).last().unwrap(), "04T10 QUEUED");
}
