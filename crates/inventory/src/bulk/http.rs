//! `POST /resources/bulk`.

use std::{
    collections::HashSet,
    future::{Future, poll_fn, ready},
    pin::{Pin, pin},
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse,
    http::{
        Version,
        header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, TRANSFER_ENCODING},
    },
    web,
};
use api::{Answer, RequestContext, chunks::Chunks, clock, post, spool::NDJSON, spool::Spool};
use base::problem::{FieldError, Problem};
use bytes::Bytes;
use futures_util::{
    FutureExt as _,
    future::{LocalBoxFuture, MaybeDone, maybe_done},
};
use outbox::Tx;

use super::{
    apply::{Destination, apply, apply_until},
    reader::{Format, Reader},
    related,
    row::{Row, Stop},
    wire::{BulkAnswer, BulkLine, BulkResult, BulkRow, BulkSummary, CREATED, ERROR},
};

/// The largest body.
const LIMIT: u64 = 256 << 20;

/// Rows that are stored together at most.
const BATCH: usize = 200;

/// How long rows are stored together while others wait to write: long enough that most of the time is not that of
/// commits.
const SHARE: Duration = Duration::from_millis(10);

/// Bytes that are looked at together: they may be rows of two bytes, each of which takes many more.
const PIECE: usize = 1 << 10;

/// Rows, and bytes, of a body that is stored as a whole: it is held in memory, and its write keeps others waiting.
const MOST_WHOLE: usize = 10_000;
const LIMIT_WHOLE: u64 = 16 << 20;

/// Rows that may mean one machine, as many as a dry run looks at together.
const MOST_RELATED: usize = 1_000;

/// How often a batch is tried when the database is busy, and how long to wait before each new attempt.
const PAUSES: [Duration; 3] = [Duration::from_millis(50), Duration::from_millis(250), Duration::from_secs(1)];

/// How the answer to a JSON array begins.
const RESULTS: &str = "{\"results\":[";

/// Errors that a problem lists.
const MOST_ERRORS: usize = 100;

/// Why it ends where its answer has become too long.
const TOO_MANY: &str = "has so many rows that the answer is longer than 256 MiB; send the rest in another request";

/// How the rows of a bulk request are stored.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct BulkOptions {
    /// Only say what would happen; nothing is stored
    #[request(default)]
    pub dry_run: bool,
    /// Store all rows or none, in one transaction; at most 10,000 rows and 16 MiB
    #[request(default)]
    pub atomic: bool,
}

/// Create and update resources in bulk
///
/// The body has a row for each resource: NDJSON, a JSON object on each line, with the fields of a create body; a JSON
/// array of such objects; or CSV, with a header row that names these fields (`tags.NAME` is a tag, `location` the name
/// of a site, `appRoles` names separated by commas, an empty cell leaves what is there). A row that means a known
/// resource updates it, any other creates one: it is known by `id`; or by system UUID, cloud account and instance,
/// serial number with make, MAC address; or by `extResourceId`; or, when it has none of these, by the names and the
/// address that it gives. Rows are stored in batches while the body arrives, so a request that broke off may be sent
/// again. The answer has a line of JSON for each row, and a last one with the sums; to a JSON array it is one object
/// with both. A row that is refused does not stop the others.
#[utoipa::path(
    operation_id = "bulkUpsertResources",
    params(BulkOptions),
    request_body(
        description = "Up to 256 MiB, a line up to 1 MiB; in UTF-8, with or without a byte order mark",
        content((Vec<BulkRow> = "application/json"), (String = "application/x-ndjson"), (String = "text/csv"))
    ),
    responses((
        status = 200,
        description = "What became of each row, and of all; of a JSON array as one object, of lines and tables as \
                       lines",
        content((BulkAnswer = "application/json"), (BulkLine = "application/x-ndjson"))
    )),
    security(("bearer" = ["operator"]))
)]
#[post("/resources/bulk")]
pub async fn bulk(
    context: RequestContext<BulkOptions>,
    request: HttpRequest,
    payload: web::Payload,
) -> api::Result<HttpResponse> {
    let BulkOptions { dry_run, atomic } = context.query;
    let destination =
        Destination { tenant: context.tenant_id().to_owned(), partner: context.tenant.partner.to_string() };
    let reader = Reader::new(format(&request)?, &destination.tenant);
    if !has_body(&request) {
        return Err(Problem::field("body", "is required: a row for each resource").into());
    }
    let body = Chunks::new(&request, payload.into_inner(), LIMIT)?;
    // Only an answer that was stored as a whole can be repeated.
    let again = !dry_run && request.headers().contains_key("idempotency-key");
    if atomic || again {
        store_whole(&context, body, reader, destination, atomic, dry_run).await
    } else {
        store_in_batches(&context, body, reader, destination, dry_run).await
    }
}

/// Does a request have a body, even an empty one? HTTP/2 does not tell these apart.
fn has_body(request: &HttpRequest) -> bool {
    let headers = request.headers();
    request.version() > Version::HTTP_11
        || headers.contains_key(CONTENT_LENGTH)
        || headers.contains_key(TRANSFER_ENCODING)
}

fn format(request: &HttpRequest) -> api::Result<Format> {
    const JSON: &str = "application/json";
    const LINES: [&str; 5] = [
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/x-jsonlines",
        "application/json-lines",
    ];
    const TABLES: [&str; 2] = ["text/csv", "application/csv"];
    let accepts = |kind: &str| kind == JSON || LINES.contains(&kind) || TABLES.contains(&kind);
    api::body::expect_type(request, accepts, "application/x-ndjson, application/json or text/csv")?;
    let kind = request.content_type().trim().to_ascii_lowercase();
    Ok(match kind.as_str() {
        JSON => Format::Json,
        kind if TABLES.contains(&kind) => Format::Csv,
        _ => Format::Ndjson,
    })
}

/// The answer, written while rows are stored.
struct Report {
    written: Spool,
    /// One object, and not a line for each row.
    is_object: bool,
    summary: BulkSummary,
}

impl Report {
    fn new(dry_run: bool) -> Self {
        Self { written: Spool::default(), is_object: false, summary: BulkSummary::new(dry_run) }
    }

    fn add(&mut self, results: &[BulkResult]) -> api::Result<()> {
        results.iter().try_for_each(|row| {
            if self.is_object {
                let before = if self.summary.rows == 0 { RESULTS } else { "," };
                self.written.push_text(before)?;
            }
            self.summary.count(row);
            self.written.push(row)
        })
    }

    fn stop(&mut self, stop: Stop) -> api::Result<()> {
        self.summary.complete = false;
        if let Some(line) = stop.line {
            let error = FieldError::new("row", stop.message.as_str());
            self.add(&[BulkResult::error(line, vec![error])])?;
        }
        self.summary.message = Some(stop.problem().detail);
        Ok(())
    }

    fn respond(mut self) -> api::Result<HttpResponse> {
        if !self.is_object {
            self.written.push(&self.summary)?;
            return self.written.respond(NDJSON);
        }
        if self.summary.rows == 0 {
            self.written.push_text(RESULTS)?;
        }
        self.written.push_text("],\"summary\":")?;
        self.written.push(&self.summary)?;
        self.written.push_text("}")?;
        self.written.respond("application/json")
    }
}

/// Stores rows batch by batch while they arrive: one is stored while the next is read.
async fn store_in_batches(
    context: &RequestContext<BulkOptions>,
    mut body: Chunks,
    mut reader: Reader,
    destination: Destination,
    dry_run: bool,
) -> api::Result<HttpResponse> {
    let mut batches = Batches { context, destination, dry_run, report: Report::new(dry_run), running: None };
    let mut piece = Bytes::new();
    loop {
        let next = if piece.is_empty() {
            batches.poll_alongside(body.next()).await
        } else {
            tokio::task::yield_now().await;
            Ok(Some(std::mem::take(&mut piece)))
        };
        let next = match next {
            Ok(Some(mut arrived)) => {
                piece = arrived.split_off(arrived.len().min(PIECE));
                let stop = reader.push(&arrived).err();
                body.hold(reader.memory_bytes() + batches.memory_bytes()).map(|()| (false, stop))
            }
            Ok(None) => Ok((true, reader.end().err())),
            Err(problem) => Err(problem),
        };
        let (last, stop) = match next {
            Ok(next) => next,
            // Nothing is stored yet: the body as a whole is refused.
            Err(problem) if !batches.have_begun() => return Err(problem.into()),
            Err(problem) => (true, Some(Stop { line: None, message: problem.detail })),
        };
        if let Some(stop) = stop.clone().filter(|_| !batches.have_begun()) {
            return Err(stop.problem().into());
        }
        let last = last || stop.is_some();
        batches.report.is_object = reader.is_array();
        while reader.is_full(BATCH) || last && reader.len() > 0 {
            let held = reader.memory_bytes();
            let rows = reader.take(BATCH);
            batches.begin(rows, held).await?;
        }
        let is_full = !last && batches.report.written.is_full();
        if last || is_full {
            let stop = stop.or(is_full.then(|| Stop { line: None, message: TOO_MANY.to_owned() }));
            batches.report.summary.warnings = reader.warnings();
            return batches.end(stop).await;
        }
    }
}

/// The batches of a request, one of which is being stored.
struct Batches<'c> {
    context: &'c RequestContext<BulkOptions>,
    destination: Destination,
    dry_run: bool,
    report: Report,
    running: Option<RunningBatch<'c>>,
}

/// A batch that is being stored.
struct RunningBatch<'c> {
    /// About how many bytes it holds in memory.
    held: usize,
    work: MaybeDone<LocalBoxFuture<'c, BatchOutcome>>,
}

/// The results of a batch, and the error that ended it.
type BatchOutcome = (Vec<BulkResult>, db::Result<()>);

impl<'c> Batches<'c> {
    /// Is anything stored, or about to be?
    fn have_begun(&self) -> bool {
        self.report.summary.rows > 0 || self.running.is_some()
    }

    /// About how many bytes are held in memory.
    fn memory_bytes(&self) -> usize {
        self.report.written.held() + self.running.as_ref().map_or(0, |batch| batch.held)
    }

    /// Waits for another future while the running batch goes on.
    async fn poll_alongside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        poll_fn(|context| {
            if let Some(batch) = &mut self.running {
                let _ = batch.work.poll_unpin(context);
            }
            other.as_mut().poll(context)
        })
        .await
    }

    /// Begins to store a batch, once the one before it is stored. The writer has it before the answers of that one are
    /// written down.
    async fn begin(&mut self, rows: Vec<Row>, held: usize) -> api::Result<()> {
        let (results, done) = self.finish().await;
        if done.is_ok() {
            let work = execute_batch(self.context, self.destination.clone(), rows, self.dry_run).boxed_local();
            self.running = Some(RunningBatch { held, work: maybe_done(work) });
            self.poll_alongside(ready(())).await;
        }
        self.report.add(&results)?;
        done.map_err(|error| interruption_error(error, self.report.summary.rows))
    }

    /// Waits for the running batch.
    async fn finish(&mut self) -> BatchOutcome {
        let Some(RunningBatch { mut work, .. }) = self.running.take() else { return (Vec::new(), Ok(())) };
        (&mut work).await;
        Pin::new(&mut work).take_output().unwrap_or_else(|| (Vec::new(), Ok(())))
    }

    /// The answer to all rows, and the reason why they end there.
    async fn end(mut self, stop: Option<Stop>) -> api::Result<HttpResponse> {
        let (results, done) = self.finish().await;
        self.report.add(&results)?;
        done.map_err(|error| interruption_error(error, self.report.summary.rows))?;
        if let Some(stop) = stop {
            self.report.stop(stop)?;
        }
        self.report.respond()
    }
}

/// The error when the database fails after some rows are stored.
fn interruption_error(error: db::Error, stored: u64) -> api::Error {
    match error {
        db::Error::Unavailable(cause) if stored > 0 => {
            tracing::error!(cause, stored, "a bulk request was interrupted");
            Problem::unavailable(format!(
                "The database cannot answer right now. The first {stored} rows were carried out; send all of them \
                 again in a moment: those that are stored stay as they are."
            ))
            .into()
        }
        other => other.into(),
    }
}

/// Carries a batch out, again when the database was busy: a part that failed left nothing behind.
async fn execute_batch(
    context: &RequestContext<BulkOptions>,
    destination: Destination,
    rows: Vec<Row>,
    dry_run: bool,
) -> BatchOutcome {
    let (rows, mut results): (Arc<[Row]>, _) = (rows.into(), Vec::new());
    let mut pauses = PAUSES.into_iter();
    while results.len() < rows.len() {
        match write(context, &destination, (Arc::clone(&rows), results.len()), dry_run).await {
            Ok(done) => {
                results.extend(done);
                pauses = PAUSES.into_iter();
            }
            Err(db::Error::Unavailable(cause)) => {
                let Some(pause) = pauses.next() else { return (results, Err(db::Error::Unavailable(cause))) };
                tracing::warn!(cause, "a batch of rows is tried again");
                tokio::time::sleep(pause).await;
            }
            Err(error) => return (results, Err(error)),
        }
    }
    (results, Ok(()))
}

/// Carries out rows of a batch in one transaction, from one of them on: all, or fewer when others wait to write. Of a
/// dry run all, since they are compared with each other.
async fn write(
    context: &RequestContext<BulkOptions>,
    destination: &Destination,
    (rows, from): (Arc<[Row]>, usize),
    dry_run: bool,
) -> db::Result<Vec<BulkResult>> {
    let actor = context.actor_of_parts();
    let now = clock::now();
    let destination = destination.clone();
    let db = context.db.clone();
    let (would, rehearsed) = mpsc::channel();
    let done = context.db.write_parts_for(context.caller.home.as_str(), move |conn| {
        let begun = Instant::now();
        let is_enough = || !dry_run && begun.elapsed() >= SHARE && db.is_waited_for();
        let rows = rows.get(from..).unwrap_or_default();
        let results = Tx::run(conn, &actor, now, |tx| apply_until(tx, &destination, rows, is_enough))?;
        if !dry_run {
            return Ok(results);
        }
        // The error undoes everything, so the results go through the channel.
        let _ = would.send(results);
        Err(Problem::invalid("a dry run").into())
    });
    match (done.await, rehearsed.try_recv()) {
        (_, Ok(mut results)) => {
            clear_uncreated_ids(&mut results);
            Ok(results)
        }
        (done, _) => done,
    }
}

/// Clears the ids of resources that a dry run did not create, also in later rows about the same resource.
fn clear_uncreated_ids(results: &mut [BulkResult]) {
    let made = results.iter().filter(|row| row.result == CREATED).filter_map(|row| row.id.clone());
    let made: HashSet<String> = made.collect();
    results.iter_mut().for_each(|row| row.id = row.id.take().filter(|id| !made.contains(id)));
}

/// Stores all rows in one transaction: all or none when `atomic`; else so that the answer can be given again.
async fn store_whole(
    context: &RequestContext<BulkOptions>,
    mut body: Chunks,
    mut reader: Reader,
    destination: Destination,
    atomic: bool,
    dry_run: bool,
) -> api::Result<HttpResponse> {
    body.limit_to(LIMIT_WHOLE);
    while let Some(piece) = body.next().await? {
        reader.push(&piece).map_err(Stop::problem)?;
        body.hold(reader.memory_bytes())?;
        check_row_limit(&reader)?;
    }
    reader.end().map_err(Stop::problem)?;
    check_row_limit(&reader)?;
    let rows = reader.take(usize::MAX);
    let warnings = reader.warnings();
    let is_array = reader.is_array();
    if dry_run {
        let mut report = Report::new(true);
        report.is_object = is_array;
        report.summary.warnings = warnings;
        return dry_run_whole(context, destination, rows, report).await;
    }
    let answer = context.write_parts(move |tx, _| {
        let results = apply(tx, &destination, &rows)?;
        if atomic && results.iter().any(|row| row.result == ERROR) {
            return Err(row_errors(&results).into());
        }
        let mut summary = BulkSummary { warnings, ..BulkSummary::new(false) };
        results.iter().for_each(|row| summary.count(row));
        if is_array {
            return Answer::ok(&BulkAnswer { results, summary });
        }
        let lines = results.into_iter().map(BulkLine::Result);
        Answer::lines(lines.chain([BulkLine::Summary(summary)]))
    });
    let mut response = answer.await?;
    if !is_array {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(NDJSON));
    }
    Ok(response)
}

/// The dry run of rows that are stored as a whole. It takes shorter transactions than storing them: only rows that may
/// mean one machine have to be in the same one.
async fn dry_run_whole(
    context: &RequestContext<BulkOptions>,
    destination: Destination,
    rows: Vec<Row>,
    mut report: Report,
) -> api::Result<HttpResponse> {
    let mut numbered_results = Vec::with_capacity(rows.len());
    for (indexes, batch) in related::batches(rows, BATCH, MOST_RELATED) {
        let (results, done) = execute_batch(context, destination.clone(), batch, true).await;
        done?;
        numbered_results.extend(indexes.into_iter().zip(results));
    }
    numbered_results.sort_unstable_by_key(|(number, _)| *number);
    report.add(&numbered_results.into_iter().map(|(_, row)| row).collect::<Vec<_>>())?;
    report.respond()
}

/// Refuses more rows than are stored as a whole.
fn check_row_limit(reader: &Reader) -> Result<(), Problem> {
    if reader.len() <= MOST_WHOLE {
        return Ok(());
    }
    let message = format!("has more than {MOST_WHOLE} rows, which is the most with atomic or an Idempotency-Key");
    Err(Problem::field("body", message))
}

/// The errors because of which no row was stored.
fn row_errors(results: &[BulkResult]) -> Problem {
    let errors = results.iter().flat_map(|row| {
        row.errors.iter().map(move |error| {
            let line = format!("line[{}]", row.line);
            let row = error.field_name == "row";
            let field_name = if row { line } else { format!("{line}.{}", error.field_name) };
            FieldError { field_name, ..error.clone() }
        })
    });
    Problem::fields(errors.take(MOST_ERRORS).collect())
}
