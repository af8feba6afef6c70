//! Answers over HTTP: pages for people, in HTML.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use api::{get, inbound, post, request_id};
use base::{problem::Problem, query::Query, timestamp::Timestamp};
use calendar::Zone;
use db::{Conn, Db, Result};
use outbox::{Actor, Tx};
use ports::{AlertAction, AlertActionKind, Person, RelatedArticle};
use serde_json::Value;

use super::{
    jobs,
    page::{self, AnswerPage, Fact, Question, Reference},
};
use crate::{
    Neighbours,
    configuration::notification::{rules::URGENCIES, store as notification},
    delivery::{
        link::Link,
        pages::store::{self as pages, INCIDENT},
    },
    escalation::{
        actions::{ESCALATED, EscalationAction},
        next_step::take_next_step,
        rules::Stage,
        store as escalations,
    },
};

api::texts! {
    /// What a button does.
    Button = api::spec::one_of(&ACTIONS);
}

/// What a button does.
pub const ACTIONS: [&str; 5] = ["acknowledge", "escalate", "snooze", "close", "run"];
/// How many articles and jobs are shown, how many machines and alerts of an incident are looked at for them, and how
/// many texts of those are looked for.
const HELPS: usize = 5;
const TEXTS: usize = 20;
/// How often a page asks for the output of a run, in seconds.
const REFRESH_S: u64 = 5;
/// How long an alert is not heard of after a snooze.
const SNOOZE_MS: i64 = 3_600_000;

/// Show an alert or an incident to anyone who has the link
///
/// A page for a browser: the alert or the incident, its machines, who was told, articles that may help, jobs that can
/// be run, and buttons to answer. The token, which a page carried, is good for one alert or incident and one person,
/// for 24 hours. Nothing changes by looking.
#[utoipa::path(
    operation_id = "showAnswer",
    params(
        ("token" = String, Query, description = "The token of the link"),
        ("confirm" = Option<String>, Query, description = "With `close`, the page asks before it closes; with `run`, \
                                                           before it runs `job`"),
        ("job" = Option<String>, Query, description = "The id of a job of the page, for `confirm`"),
        ("watch" = Option<String>, Query, description = "The id of a job of the page: while a run of it is open, the \
                                                         browser asks for the page again (`Refresh`)"),
    ),
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 404, description = "This service did not make the link, or it has expired"),
    ),
    security(())
)]
#[get("/api/v2/answers")]
pub async fn show(
    request: HttpRequest,
    db: web::Data<Handle>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let mut query = Query::parse(request.query_string())?;
    let token = query.text("token").unwrap_or_default();
    let confirm = query.text("confirm");
    let job = query.text("job");
    let watched = query.text("watch");
    let question = match (confirm.as_deref(), job) {
        (Some("close"), _) => Question::Close,
        (Some("run"), Some(id)) => Question::Run(id),
        _ => Question::None,
    };
    query.finish()?;
    let (link, now) = opened(&request, &neighbours, &token)?;
    let token = Link::spelling(&token);
    let asked = neighbours.clone();
    let shown = db.0.read(move |conn| page_for_link(conn, &asked, &link, now)).await?;
    let text = shown.render(&token, "", &question, now);
    Ok(watched_by(html(StatusCode::OK, &text), &shown, watched.as_deref(), &token))
}

/// Answer an alert or an incident by the link
///
/// Acts as the person to whom the link was sent, in the audit log too. To be told of something is the right to
/// acknowledge, to escalate and to snooze it; to close it, or to run a job of its machines, the person needs the role
/// `operator` at the time of the click. The page that follows says what was done, or why nothing was. What has been
/// done is not done again, however often the button is pressed.
#[utoipa::path(
    operation_id = "answerAlert",
    params(
        ("token" = String, Query, description = "The token of the link"),
        ("action" = inline(Button), Query, description = "`acknowledge`, `escalate` (the next step is taken at once), \
                                                          `snooze` (for an hour; alerts alone), `close` or `run`"),
        ("job" = Option<String>, Query, description = "For `run`: the id of a job of the page"),
        ("step" = Option<i64>, Query, description = "For `escalate`: how many steps had been taken when the page was \
                                                     shown. If more have been taken since, nothing is done"),
    ),
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 403, description = "The person may not do this"),
        (status = 404, description = "This service did not make the link, or it has expired"),
    ),
    security(())
)]
#[post("/api/v2/answers")]
pub async fn act(
    request: HttpRequest,
    db: web::Data<Handle>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let mut query = Query::parse(request.query_string())?;
    let token = query.text("token").unwrap_or_default();
    let action = query.one_of("action", &ACTIONS, ACTIONS[0]);
    let step = query.text("step").and_then(|step| step.parse::<i64>().ok());
    let job = query.text("job");
    query.finish()?;
    let (link, now) = opened(&request, &neighbours, &token)?;
    let asked = neighbours.clone();
    let named = link.clone();
    let id = request_id::current();
    let ran = job.clone();
    let done =
        db.0.write(move |conn| carry_out(conn, &asked, &named, Action { word: action, step, job: ran }, &id, now))
            .await;
    let told = match done {
        Ok(told) => told.to_owned(),
        // What its state does not allow is an answer for a person, not a failure.
        Err(db::Error::Problem(problem)) if problem.kind == base::Kind::Conflict => problem.detail.to_string(),
        Err(error) => return Err(error.into()),
    };
    let asked = neighbours.clone();
    let shown = db.0.read(move |conn| page_for_link(conn, &asked, &link, now)).await?;
    let watched = job.filter(|_| action == "run");
    let token = Link::spelling(&token);
    let text = shown.render(&token, &told, &Question::None, now);
    Ok(watched_by(html(StatusCode::OK, &text), &shown, watched.as_deref(), &token))
}

/// The database, where these handlers look for it: they have no caller, and so no context.
#[derive(Clone)]
pub struct Handle(pub Db);

pub(super) fn opened(request: &HttpRequest, neighbours: &Neighbours, token: &str) -> api::Result<(Link, Timestamp)> {
    let now = neighbours.now();
    let link = Link::open_at(&*neighbours.seals, token, now)?;
    let unknown = || Problem::not_found("The link was not found: this service did not make it, or it has expired.");
    Ok((link.ok_or_else(|| inbound::refuse(request, unknown()))?, now))
}

pub(super) fn html(status: StatusCode, text: &str) -> HttpResponse {
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, page::POLICY.as_str()))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // A form that is sent without a referrer says that it comes from nowhere; elsewhere nobody learns the address.
        .insert_header((header::REFERRER_POLICY, "same-origin"))
        .body(text.to_owned())
}

/// Has the browser ask for the page again while a run of this job is open.
fn watched_by(mut answer: HttpResponse, shown: &AnswerPage, job: Option<&str>, token: &str) -> HttpResponse {
    let watched = shown.jobs.iter().find(|known| Some(known.id.as_str()) == job && known.is_open());
    let refresh = watched.map(|job| format!("{REFRESH_S}; url=/api/v2/answers{}#jobs", job.watch_address(token)));
    if let Some(Ok(value)) = refresh.map(|text| header::HeaderValue::from_str(&text)) {
        answer.headers_mut().insert(header::REFRESH, value);
    }
    answer
}

fn unknown() -> Problem {
    Problem::not_found("What the link is about was not found.")
}

/// What is known of the alert of a link, while its person is in use.
pub(super) fn page_for_link(
    conn: &mut Conn,
    neighbours: &Neighbours,
    link: &Link,
    now: Timestamp,
) -> Result<AnswerPage> {
    let person = person(conn, neighbours, link, now)?;
    let about = about(conn, neighbours, link, now)?;
    let told = pages::of_alert(conn, &link.tenant, &link.alert)?;
    let tenants = neighbours.people.own_and_partner(conn, &link.tenant)?;
    let mut ids: Vec<String> = told.iter().map(|page| page.user_id.clone()).filter(|id| !id.is_empty()).collect();
    ids.sort();
    ids.dedup();
    let people = neighbours.people.users(conn, &tenants, &ids)?;
    let people = people.into_iter().filter(|person| person.id != link.user).collect();
    let zone = zone_of(conn, neighbours, link, &tenants, now)?;
    let escalation = escalations::find(conn, &link.tenant, &link.alert)?;
    let step = escalation.as_ref().map(|row| row.step);
    let stage = escalation.map(|row| row.stage);
    let may_close = may_close(conn, neighbours, link, now)?;
    let may_run = jobs::may_run(conn, neighbours, link, now)?;
    Ok(AnswerPage { person, zone, people, stage, step, may_close, may_run, ..about })
}

/// The zone of a person's quiet hours, else that of the roster through which the person is on call.
fn zone_of(
    conn: &mut Conn,
    neighbours: &Neighbours,
    link: &Link,
    tenants: &[String],
    now: Timestamp,
) -> Result<Option<Zone>> {
    for urgency in URGENCIES {
        let plans = notification::of_users(conn, tenants, std::slice::from_ref(&link.user), urgency)?;
        let quiet = plans.get(&link.user).and_then(|plan| plan.quiet.as_ref());
        if let Some(zone) = quiet.and_then(|quiet| Zone::find(&quiet.zone)) {
            return Ok(Some(zone));
        }
    }
    let own = [link.tenant.clone()];
    let moment = (now, Timestamp::from_millis(now.millis() + 1));
    for shift in neighbours.on_call.shifts_of(conn, &own, &link.user, moment)? {
        let roster = neighbours.on_call.roster(conn, &own, &shift.roster_id)?;
        if let Some(zone) = roster.and_then(|roster| Zone::find(&roster.time_zone)) {
            return Ok(Some(zone));
        }
    }
    Ok(None)
}

/// May the person of a link close what it is about, now? To be told of something is a right to answer, not to end it.
fn may_close(conn: &mut Conn, neighbours: &Neighbours, link: &Link, now: Timestamp) -> Result<bool> {
    let tenants = neighbours.people.own_and_partner(conn, &link.tenant)?;
    let operation = if link.alert.starts_with(INCIDENT) { "closeIncident" } else { "closeAlert" };
    neighbours.people.may_operate(conn, &tenants, &link.user, operation, now)
}

/// What is known of the alert or the incident itself, and what may help with it.
pub(super) fn about(conn: &mut Conn, neighbours: &Neighbours, link: &Link, now: Timestamp) -> Result<AnswerPage> {
    let scope = [link.tenant.clone()];
    if !link.alert.starts_with(INCIDENT) {
        let alert = neighbours.alerts.find(conn, &scope, &link.alert, now)?.ok_or_else(unknown)?;
        let machine = alert.pointer("/device/id").and_then(Value::as_str).map(ToOwned::to_owned);
        let shown = AnswerPage::alert(&alert);
        return add_articles_and_jobs(conn, neighbours, &link.tenant, &[alert], machine.as_slice(), shown, now);
    }
    let incident = neighbours.alerts.incident(conn, &scope, &link.alert, 1)?.ok_or_else(unknown)?;
    let tenants = neighbours.people.own_and_partner(conn, &link.tenant)?;
    let works = neighbours.people.users(conn, &tenants, std::slice::from_ref(&incident.assignee))?;
    let works = works.first().map(Person::full_name).unwrap_or_default();
    let mut alerts = Vec::new();
    for id in incident.alerts.iter().take(HELPS) {
        alerts.extend(neighbours.alerts.find(conn, &scope, id, now)?);
    }
    let shown = AnswerPage::incident(&incident, works);
    add_articles_and_jobs(conn, neighbours, &link.tenant, &alerts, &incident.machine_ids, shown, now)
}

/// With articles of the tenant about what these alerts tell of, and jobs that have one of these machines.
fn add_articles_and_jobs(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    alerts: &[Value],
    machines: &[String],
    shown: AnswerPage,
    now: Timestamp,
) -> Result<AnswerPage> {
    let words = |alert: &Value| -> Vec<String> {
        let said = ["/metric", "/component", "/serviceName", "/app"].map(|path| alert.pointer(path));
        let tags = alert["tags"].as_array().into_iter().flatten().map(|tag| tag.get("value"));
        said.into_iter().chain(tags).flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    };
    let mut texts: Vec<String> = alerts.iter().flat_map(words).filter(|text| !text.trim().is_empty()).collect();
    texts.truncate(TEXTS);
    let own = [tenant.to_owned()];
    let mut articles = neighbours.articles.about(conn, &own, &texts, HELPS)?.into_iter().map(article);
    let best = match articles.next() {
        Some((id, reference)) => neighbours.articles.content(conn, &own, &id)?.map(|content| (reference, content)),
        None => None,
    };
    let machines: Vec<String> = machines.iter().take(HELPS).cloned().collect();
    let jobs = match machines.is_empty() {
        true => Vec::new(),
        false => neighbours.jobs.of_machines(conn, tenant, &machines, i64::try_from(HELPS).unwrap_or(i64::MAX))?,
    };
    let mut facts = shown.facts.clone();
    add_windows(conn, neighbours, tenant, &machines, &mut facts, now)?;
    Ok(AnswerPage {
        facts,
        article: best,
        articles: articles.map(|(_, reference)| reference).collect(),
        jobs: jobs::with_runs(conn, neighbours, tenant, jobs)?,
        ..shown
    })
}

/// Adds the maintenance windows that some of these machines are in, each once.
fn add_windows(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    machines: &[String],
    facts: &mut Vec<Fact>,
    now: Timestamp,
) -> Result<()> {
    let keys: Vec<(String, String)> = machines.iter().map(|machine| (tenant.to_owned(), machine.clone())).collect();
    let covers = neighbours.maintenance.covering(conn, &keys, now)?;
    for cover in covers.into_iter().flatten().take(HELPS) {
        if facts.iter().all(|fact| !fact.is_window(&cover.window.name)) {
            facts.extend(Fact::window(cover.window.name, cover.until));
        }
    }
    Ok(())
}

/// The id of an article, and its page in the console.
fn article(article: RelatedArticle) -> (String, Reference) {
    let path = format!("knowledge/{}", article.id);
    (article.id, Reference { path, title: article.title })
}

/// The name of the person of a link, who has to be in use.
pub(super) fn person(conn: &mut Conn, neighbours: &Neighbours, link: &Link, now: Timestamp) -> Result<String> {
    let tenants = neighbours.people.own_and_partner(conn, &link.tenant)?;
    let may = neighbours.people.is_active(conn, &link.tenant)?
        && neighbours.people.may_act(conn, &tenants, &link.user, now)?;
    if may {
        let found = neighbours.people.users(conn, &tenants, std::slice::from_ref(&link.user))?;
        Ok(found.first().map(Person::full_name).unwrap_or_default())
    } else {
        Err(Problem::forbidden("The person to whom the link was sent may no longer act.").into())
    }
}

/// What a button says.
struct Action {
    word: &'static str,
    /// How many steps were taken when its page was shown.
    step: Option<i64>,
    /// The id of the job to run.
    job: Option<String>,
}

fn carry_out(
    conn: &mut Conn,
    neighbours: &Neighbours,
    link: &Link,
    action: Action,
    request: &str,
    now: Timestamp,
) -> Result<&'static str> {
    person(conn, neighbours, link, now)?;
    if action.word == "escalate" {
        return escalate(conn, neighbours, link, action.step, request, now);
    }
    if action.word == "run" {
        let jobs = about(conn, neighbours, link, now)?.jobs;
        return jobs::run(conn, neighbours, link, (&jobs, &action.job.unwrap_or_default()), request, now);
    }
    if action.word == "close" && !may_close(conn, neighbours, link, now)? {
        return Err(Problem::forbidden(page::MAY_NOT_CLOSE).into());
    }
    let (what, told) = match action.word {
        "close" => (AlertActionKind::Close, "It is closed."),
        "snooze" => {
            (AlertActionKind::Suppress(Timestamp::from_millis(now.millis() + SNOOZE_MS)), "Snoozed for an hour.")
        }
        _ => (AlertActionKind::Acknowledge, "You work on it."),
    };
    let action = AlertAction {
        tenant: &link.tenant,
        id: &link.alert,
        user: &link.user,
        by: "link",
        request,
        what,
        note: "by the link of a page",
    };
    if link.alert.starts_with(INCIDENT) {
        neighbours.incidents.act(conn, action, now)?;
    } else {
        neighbours.alerts.act(conn, action, now)?;
    }
    Ok(told)
}

/// Takes the next step at once.
fn escalate(
    conn: &mut Conn,
    neighbours: &Neighbours,
    link: &Link,
    shown: Option<i64>,
    request: &str,
    now: Timestamp,
) -> Result<&'static str> {
    escalations::lock(&link.tenant, &link.alert).take(conn)?;
    let row = escalations::find(conn, &link.tenant, &link.alert)?.ok_or_else(unknown)?;
    let state = row.state();
    if state.stage == Stage::Running && shown.is_some_and(|shown| shown != state.step) {
        return Err(Problem::conflict("The next step was taken already.").into());
    }
    let actor = Actor::without_change_set(link.user.clone(), "link", request);
    let action = EscalationAction::of(ESCALATED, &link.user, now);
    Tx::run(conn, &actor, now, |tx| take_next_step(tx, neighbours, row, action))?;
    Ok("The next step is taken.")
}
