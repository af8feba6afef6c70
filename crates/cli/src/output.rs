//! Answers, on standard output: as they arrive, or a page at a time.

use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Read, Write, stdout};

use reqwest::blocking::Response;
use serde_json::Value;

use crate::{
    call::{Request, Session},
    failure::{Failure, ended_early, parse, print_error, read_body},
    operations::Operation,
    options::{ApiOptions, Output},
    pretty::Pretty,
    problem,
    refusals::{self, LastLine},
    table,
    table::Table,
};

/// The largest answer that is held in memory, in bytes: a page, or what becomes a table.
const PAGE: u64 = 64 << 20;

/// How much of an answer is passed on at once, in bytes.
const PIECE: usize = 64 << 10;

/// How answers to an operation are printed.
pub struct Form {
    output: Output,
    columns: Vec<String>,
    width: Option<usize>,
    /// Does the answer say what became of each row of the body?
    has_results: bool,
}

impl Form {
    /// What options say, or what a reader wants: a terminal has lists as tables.
    pub fn of(options: &ApiOptions, operation: &Operation<'_>) -> Self {
        let terminal = stdout().is_terminal();
        let table = !options.columns.is_empty() || (terminal && operation.row.is_some());
        let output = options.output.unwrap_or(if table { Output::Table } else { Output::Json });
        let width =
            rustix::termios::tcgetwinsize(stdout()).ok().filter(|_| terminal).map(|size| usize::from(size.ws_col));
        Self { output, columns: options.columns.clone(), width, has_results: refusals::has_results(operation) }
    }
}

/// Prints one answer.
///
/// # Errors
/// When the service refused, or refused rows, the answer ended early, or nobody reads.
pub fn print(answer: Response, form: Form) -> Result<(), Failure> {
    if !answer.status().is_success() {
        return Err(Failure::Refused(problem::explain(answer)));
    }
    if !is_json(&answer) {
        let mut lines = LastLine::new(stdout().lock());
        copy(answer, &mut lines)?;
        return lines.check_results();
    }
    let mut to = BufWriter::new(stdout().lock());
    if form.output == Output::Json && !form.has_results {
        let mut pretty = Pretty::new(&mut to);
        copy(answer, &mut pretty)?;
        return pretty.finish().map_err(Failure::Output);
    }
    let body = read_body(answer, PAGE)?;
    if body.is_empty() {
        return Ok(());
    }
    let mut value = parse(&body)?;
    let refused = if form.has_results { refusals::check_results(&value) } else { Ok(()) };
    if form.output == Output::Json {
        let mut pretty = Pretty::new(&mut to);
        pretty.write_all(&body).map_err(Failure::Output)?;
        pretty.finish().map_err(Failure::Output)?;
        return refused;
    }
    let rows = match (value.get_mut("results").map(Value::take), value) {
        (Some(Value::Array(rows)), _) | (None, Value::Array(rows)) => rows,
        (_, record) if form.output == Output::Table => {
            let rows = table::fields(&record, &form.columns);
            let mut table = Table::new(vec!["field".to_owned(), "value".to_owned()], form.width.map(|_| usize::MAX));
            table.write(&rows, &mut to).and_then(|()| to.flush()).map_err(Failure::Output)?;
            return Ok(());
        }
        (_, record) => vec![record],
    };
    let mut rows_out = Rows::begin(form, to)?;
    rows_out.write(&rows)?;
    rows_out.end()?;
    refused
}

/// Prints all pages of a list, each as it comes.
///
/// # Errors
/// As [`print`]; what was printed before stays, and an array of JSON stays open, so that half a list is not taken for a
/// whole one.
pub fn print_all(session: &mut Session, mut request: Request, form: Form, headers: bool) -> Result<(), Failure> {
    let mut out = Rows::begin(form, BufWriter::new(stdout().lock()))?;
    loop {
        let answer = session.send(&mut request)?;
        if !answer.status().is_success() {
            return Err(Failure::Refused(problem::explain(answer)));
        }
        if headers {
            print_headers(&answer);
        }
        let mut page = parse(&read_body(answer, PAGE)?)?;
        let rows = page.get_mut("results").map(Value::take);
        let Some(Value::Array(rows)) = rows else {
            return Err(Failure::Refused("the answer is not a page".to_owned()));
        };
        out.write(&rows)?;
        if !request.turn_page(&page)? {
            return out.end();
        }
    }
}

/// Rows on their way out.
enum Rows<W: Write> {
    Json(Pretty<W>, bool),
    Lines(W),
    Table(Table, W),
}

impl<W: Write> Rows<W> {
    fn begin(form: Form, to: W) -> Result<Self, Failure> {
        Ok(match form.output {
            Output::Table => Self::Table(Table::new(form.columns, form.width), to),
            Output::Ndjson => Self::Lines(to),
            Output::Json => {
                let mut pretty = Pretty::new(to);
                pretty.write_all(b"[").map_err(Failure::Output)?;
                Self::Json(pretty, false)
            }
        })
    }

    fn write(&mut self, rows: &[Value]) -> Result<(), Failure> {
        let done = match self {
            Self::Table(table, to) => table.write(rows, to).and_then(|()| to.flush()),
            Self::Lines(to) => rows.iter().try_for_each(|row| writeln!(to, "{row}")).and_then(|()| to.flush()),
            Self::Json(pretty, any) => rows.iter().try_for_each(|row| {
                let comma = if std::mem::replace(any, true) { "," } else { "" };
                write!(pretty, "{comma}{row}")
            }),
        };
        done.map_err(Failure::Output)
    }

    fn end(self) -> Result<(), Failure> {
        let done = match self {
            Self::Table(_, mut to) | Self::Lines(mut to) => to.flush(),
            Self::Json(mut pretty, _) => pretty.write_all(b"]").and_then(|()| pretty.finish()),
        };
        done.map_err(Failure::Output)
    }
}

/// Prints a text of this program's own. Anyone who reads may have had enough, as `head` has.
///
/// # Errors
/// When it cannot be written.
pub fn print_text(text: &str) -> io::Result<()> {
    let mut to = stdout().lock();
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Passes an answer on, each piece as it arrives.
fn copy(mut answer: Response, to: &mut impl Write) -> Result<(), Failure> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = answer.read(&mut piece).map_err(|error| ended_early(&error))?;
        let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
        to.write_all(bytes).and_then(|()| to.flush()).map_err(Failure::Output)?;
    }
}

fn is_json(answer: &Response) -> bool {
    let kind = answer.headers().get("Content-Type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind == "application/json" || kind.ends_with("+json")
}

/// Status and headers of an answer, on standard error.
pub fn print_headers(answer: &Response) {
    let headers = answer.headers().iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        format!("{name}: {value}\n")
    });
    print_error(&format!("{}\n{}", answer.status(), headers.collect::<String>()));
}
