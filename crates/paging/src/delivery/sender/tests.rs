//! Pages that are told together: none of them is lost with the one that they go out in.

use db::Db;
use ports::SendError;

use super::{
    claim::{Job, claim_pages},
    line::Line,
    *,
};
use crate::{
    configuration::methods,
    delivery::pages::facts::Facts,
    fakes::{self, Fakes, TENANT, database},
};

const METHOD: &str = "CM-1";
const OWNER: &str = "gateway";
/// Pages whose escalations do nothing.
const ALONE: Escalations = Escalations { lock: |_, _| Ok(()), after_failures: |_, _, _| Ok(()) };

struct Sending {
    db: Db,
    fakes: Fakes,
    neighbours: Neighbours,
    _directory: tempfile::TempDir,
}

impl Sending {
    /// A person who gets two messages in a minute, and pages to them; of each its number and urgency.
    fn of(pages: &[(usize, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let db = database(directory.path());
        let fakes = Fakes::default();
        let neighbours = Neighbours { page_limit: 2, ..fakes.neighbours() };
        let rows: Vec<Row> = pages.iter().map(|(number, urgency)| page(TENANT, *number, urgency)).collect();
        db.write_here(move |conn| {
            methods::store::insert(conn, &fakes::method("USR1", METHOD))?;
            store::insert(conn, &rows)
        })
        .unwrap();
        Self { db, fakes, neighbours, _directory: directory }
    }

    /// Takes in hand what is due at a time.
    fn claim(&self, now_ms: i64) -> Vec<Job> {
        let neighbours = self.neighbours.clone();
        let taken = self.db.write_here(move |conn| {
            let now = Timestamp::from_millis(now_ms);
            let found = Line::of_pages().find(conn, &neighbours, now, TOGETHER)?;
            claim_pages(conn, &neighbours, OWNER, now, found.pages)
        });
        taken.unwrap().into_iter().flat_map(|(_, of_tenant)| of_tenant.unwrap().jobs).collect()
    }

    fn end(&self, job: &Job, sent: Result<u16, SendError>, now_ms: i64) {
        let (page, carries) = (job.page.clone(), job.carries.clone());
        let now = Timestamp::from_millis(now_ms);
        let written = self.db.write_here(move |conn| {
            let in_lead = LeadPages { pages: &carries, lead: &page, owner: OWNER };
            write_down(conn, ALONE, in_lead, &sent, Attempt::default(), now)
        });
        written.unwrap();
    }

    fn stop(&self, alert: &str) {
        let alert = alert.to_owned();
        self.db.write_here(move |conn| store::stop(conn, TENANT, &alert, "closed")).unwrap();
    }

    /// The status of each page, and when it is due.
    fn pages(&self) -> Vec<(String, String, Option<i64>)> {
        let rows = self.db.read_here(|conn| {
            let alerts = (0..9).map(|number| store::of_alert(conn, TENANT, &format!("ALT-{number}")));
            alerts.collect::<db::Result<Vec<_>>>()
        });
        let rows = rows.unwrap().into_iter().flatten();
        rows.map(|row| (row.alert_id, row.status, row.due_ms)).collect()
    }

    fn statuses(&self) -> Vec<String> {
        self.pages().into_iter().map(|(_, status, _)| status).collect()
    }
}

fn page(tenant: &str, number: usize, urgency: &str) -> Row {
    Row {
        id: format!("PG-{number}"),
        alert_id: format!("ALT-{number}"),
        user_id: "USR1".to_owned(),
        method_tenant: TENANT.to_owned(),
        method_id: METHOD.to_owned(),
        channel: "HTTP".to_owned(),
        urgency: urgency.to_owned(),
        message: db::Json(Facts { subject: format!("down {number}"), ..Facts::default() }),
        due_ms: Some(0),
        ..Row::blank(tenant, "page", Timestamp::from_millis(0))
    }
}

/// Four pages of which three go out in the second one.
fn four() -> (Sending, Job) {
    let sending = Sending::of(&[(1, "high"), (2, "high"), (3, "high"), (4, "high")]);
    let mut jobs = sending.claim(0);
    assert_eq!(
        jobs.iter().map(|job| (&*job.page.id, job.carries.len())).collect::<Vec<_>>(),
        [("PG-1", 0), ("PG-2", 2)]
    );
    let lead = jobs.remove(1);
    sending.end(&jobs[0], Ok(200), 0);
    (sending, lead)
}

fn unavailable() -> SendError {
    SendError { status: Some(503), ..SendError::new("answered 503") }
}

fn refused() -> SendError {
    SendError { for_good: true, status: Some(404), ..SendError::new("answered 404") }
}

/// A refusal of that message alone.
fn unreadable() -> SendError {
    SendError { status: Some(422), ..refused() }
}

#[test]
fn what_goes_out_in_another_page_is_told_once_that_is_sent() {
    let (sending, lead) = four();
    assert_eq!(sending.statuses(), ["sent", "pending", "pending", "pending"]);
    assert!(sending.claim(1_000).is_empty(), "they are in hand");
    sending.end(&lead, Ok(200), 1_000);
    assert_eq!(sending.statuses(), ["sent", "sent", "summarised", "summarised"]);
    assert!(sending.pages().iter().all(|(_, _, due)| due.is_none()));
}

#[test]
fn a_page_that_is_stopped_takes_no_other_with_it() {
    // Stopped while it waits for another attempt, and while the first one is under way.
    for early in [true, false] {
        let (sending, lead) = four();
        if early {
            sending.stop("ALT-2");
        }
        sending.end(&lead, Err(unavailable()), 0);
        if !early {
            sending.stop("ALT-2");
        }
        assert_eq!(sending.statuses(), ["sent", "stopped", "pending", "pending"]);
        // The other ones are tried again, the second of them together with the first.
        let again = sending.claim(1_000);
        assert_eq!(again.iter().map(|job| (&*job.page.id, job.carries.len())).collect::<Vec<_>>(), [("PG-3", 1)]);
        sending.end(&again[0], Ok(200), 1_000);
        assert_eq!(sending.statuses(), ["sent", "stopped", "sent", "summarised"]);
    }
    // One that arrived nevertheless has told of them.
    let (sending, lead) = four();
    sending.stop("ALT-2");
    sending.end(&lead, Ok(200), 0);
    assert_eq!(sending.statuses(), ["sent", "sent", "summarised", "summarised"]);
}

#[test]
fn one_that_is_answered_is_not_told_later() {
    for (sent, other) in [(unavailable(), "pending"), (unreadable(), "pending"), (refused(), "failed")] {
        let (sending, lead) = four();
        sending.stop("ALT-3");
        sending.end(&lead, Err(sent), 0);
        assert_eq!(sending.statuses()[2..], ["stopped", other]);
    }
}

#[test]
fn what_goes_to_an_address_that_is_gone_fails_at_once() {
    let (sending, lead) = four();
    let in_lead = LeadPages { pages: &lead.carries, lead: &lead.page, owner: OWNER };
    assert_eq!(failing(in_lead, &refused()).len(), 3, "somebody else is told of each");
    assert_eq!((failing(in_lead, &unreadable()).len(), failing(in_lead, &unavailable()).len()), (1, 0));
    sending.end(&lead, Err(refused()), 0);
    assert_eq!(sending.statuses(), ["sent", "failed", "failed", "failed"]);
    assert!(sending.pages().iter().all(|(_, _, due)| due.is_none()));
}

#[test]
fn a_message_that_is_refused_takes_no_other_with_it() {
    let (sending, lead) = four();
    sending.end(&lead, Err(unreadable()), 0);
    assert_eq!(sending.statuses(), ["sent", "failed", "pending", "pending"]);
    // Two calls were made in this minute.
    assert!(sending.claim(0).is_empty());
    let again = sending.claim(61_000);
    let again: Vec<_> = again.iter().map(|job| (&*job.page.id, job.carries.len())).collect();
    assert_eq!(again, [("PG-3", 0), ("PG-4", 0)]);
}

#[test]
fn calls_count_whatever_becomes_of_them() {
    for ended in [None, Some(Ok(200)), Some(Err(refused()))] {
        let sending = Sending::of(&[(1, "high"), (2, "high")]);
        let jobs = sending.claim(0);
        assert_eq!(jobs.len(), 2);
        if let Some(ended) = ended {
            jobs.iter().for_each(|job| sending.end(job, ended.clone(), 0));
        }
        let another = page(TENANT, 3, "high");
        sending.db.write_here(move |conn| store::insert(conn, std::slice::from_ref(&another))).unwrap();
        assert!(sending.claim(1_000).is_empty());
        assert_eq!(sending.pages().iter().filter_map(|(_, _, due)| *due).min(), Some(31_000), "half a minute later");
        assert!(sending.claim(61_000).iter().any(|job| job.page.id == "PG-3"));
    }
    // What is tried again takes no place of another.
    let sending = Sending::of(&[(1, "high"), (2, "high")]);
    sending.claim(0).iter().for_each(|job| sending.end(job, Err(unavailable()), 0));
    assert_eq!(sending.claim(1_000).len(), 2);
}

#[test]
fn each_is_tried_as_often_as_one_that_goes_out_alone() {
    let (sending, mut lead) = four();
    let mut now = 0;
    for _ in 0..10 {
        sending.end(&lead, Err(unavailable()), now);
        let Some(due) = sending.pages().iter().filter_map(|(_, _, due)| *due).min() else { break };
        now = due;
        let mut jobs = sending.claim(now);
        while jobs.len() > 1 {
            sending.end(&jobs.remove(0), Err(unavailable()), now);
        }
        lead = jobs.remove(0);
    }
    assert_eq!(sending.statuses(), ["sent", "failed", "failed", "failed"]);
}

#[test]
fn what_became_of_an_attempt_is_written_down_once() {
    let (sending, lead) = four();
    sending.end(&lead, Err(unavailable()), 0);
    let again = sending.claim(1_000);
    assert_eq!(again.iter().map(|job| (&*job.page.id, job.carries.len())).collect::<Vec<_>>(), [("PG-2", 2)]);
    let before = sending.pages();
    // The database lost the answer to the commit.
    sending.end(&lead, Err(unavailable()), 0);
    assert_eq!(sending.pages(), before);
}

#[test]
fn urgent_pages_come_first_and_make_the_one_they_go_out_in_urgent() {
    let sending = Sending::of(&[(1, "low"), (2, "low"), (3, "low"), (4, "high")]);
    let jobs = sending.claim(0);
    assert_eq!(
        jobs.iter().map(|job| (&*job.page.id, job.carries.len())).collect::<Vec<_>>(),
        [("PG-4", 0), ("PG-1", 2)]
    );
    let sending = Sending::of(&[(1, "low"), (2, "low"), (3, "low")]);
    // That of another tenant is taken by its own turn, or goes out in this one.
    let urgent = page("client_2", 4, "high");
    sending.db.write_here(move |conn| store::insert(conn, std::slice::from_ref(&urgent))).unwrap();
    let jobs = sending.claim(0);
    let lead = jobs.iter().find(|job| job.carries.iter().any(|page| page.tenant_id == "client_2")).unwrap();
    let page = lead.page.clone();
    let row = sending.db.read_here(move |conn| queue::in_hand(conn, &page, OWNER)).unwrap().unwrap();
    let message = render::Message::of(&sending.neighbours, &row).unwrap();
    assert_eq!((&*row.urgency, &*message.urgency), ("low", "high"));
    assert_eq!(message.details[1], "down 4");
}

#[test]
fn pages_of_a_suspended_tenant_go_out_in_no_other() {
    let sending = Sending::of(&[(1, "low"), (2, "low"), (3, "low")]);
    let others = [page("client_2", 4, "low"), page("client_3", 5, "low")];
    sending.db.write_here(move |conn| store::insert(conn, &others)).unwrap();
    sending.fakes.0.lock().unwrap().suspended.insert("client_2".to_owned());
    let carried = sending.claim(0).into_iter().flat_map(|job| job.carries).map(|page| page.id);
    assert_eq!(carried.collect::<Vec<_>>(), ["PG-3", "PG-5"]);
}

#[test]
fn pages_of_a_gateway_that_died_are_due_by_themselves() {
    let (sending, _) = four();
    assert!(sending.claim(74_000).is_empty());
    // The lead may have arrived and is sent again; the others share what is left of the minute.
    let again = sending.claim(76_000);
    let again: Vec<_> = again.iter().map(|job| (&*job.page.id, job.carries.len())).collect();
    assert_eq!(again, [("PG-2", 0), ("PG-3", 1)]);
    // One that stops gives all of it back.
    let (sending, _) = four();
    sending.db.write_here(|conn| queue::give_back(conn, Some(OWNER), 1_000)).unwrap();
    let due: Vec<_> = sending.pages().into_iter().filter_map(|(_, _, due)| due).collect();
    assert_eq!(due, [1_000, 1_000, 1_000]);
}
