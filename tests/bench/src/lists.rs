//! `GET /resources/minimal`: how fast it is beside the `sqlite3` program, or psql, and what memory it takes.

use std::{
    io::{ErrorKind, Read as _},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use muster_tests::postgres_program;

use crate::{
    data::Data,
    load::median,
    moved,
    server::{Server, TENANT},
    sqlite::Database,
    table::{Line, thousands},
};

const ROUNDS: usize = 9;

/// The most time the list may take, measured by the `sqlite3` program's.
const TARGET: f64 = 1.5;

/// The most that the memory may grow, in MiB.
const GROWTH: f64 = 20.0;

/// All active resources, by the server and by the `sqlite3` program; or by psql, to which Postgres sends a JSON object
/// for each.
pub fn measure(data: &Data) -> Result<Line> {
    let name = format!("GET /resources/minimal, {} resources", thousands(f64::from(data.size)));
    let sql = format!(
        "SELECT id, name, host_name AS \"hostName\", ip_address AS \"ipAddress\", alias_name AS \"aliasName\", \
         resource_name AS \"resourceName\", resource_type AS \"resourceType\" FROM resources \
         WHERE tenant_id = '{TENANT}' AND state = 'active'"
    );
    let Some(_) = program(data, "SELECT 1")? else {
        return Ok(Line::skipped(&name, "the program it is compared with is not installed"));
    };
    let server = Server::start(&data.directory)?;
    let mut connection = server.connect()?;
    let request = server.get("/resources/minimal");
    let listed = connection.exchange(&request)?.ok()?.json()?;
    let listed = listed.as_array().context("no array")?.len();
    let expected = Database::open(&data.file())?.rows(&sql.replace("SELECT id", "SELECT count(*)"), &[])?;
    ensure!(listed as i64 == expected[0][0].as_integer(), "the server lists {listed} resources");
    let mut times = Vec::new();
    let mut program_times = Vec::new();
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        connection.measure(&request)?.ok()?;
        let time = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        program(data, &sql)?;
        let program_time = begun.elapsed().as_secs_f64();
        ratios.push(time / program_time);
        times.push(time * 1000.0);
        program_times.push(program_time * 1000.0);
    }
    server.stop()?;
    let ratio = median(&ratios);
    Ok(Line {
        name,
        ours: format!("{:.0} ms", median(&times)),
        theirs: format!(
            "{:.0} ms ({})",
            median(&program_times),
            if moved::is_on() { "psql, row_to_json" } else { "sqlite3 -json" }
        ),
        result: format!("{ratio:.2}"),
        target: format!("≤ {TARGET:.2}"),
        met: Some(ratio <= TARGET),
    })
}

/// Runs the `sqlite3` program, or psql, and reads what it prints; `None` when there is none.
fn program(data: &Data, sql: &str) -> Result<Option<usize>> {
    let mut command = if moved::is_on() {
        let Some(psql) = postgres_program("psql") else { return Ok(None) };
        let mut command = Command::new(psql);
        let sql = format!("COPY (SELECT row_to_json(one) FROM ({sql}) one) TO STDOUT");
        command.args(["-Xq", "-d", &moved::url(&data.directory), "-c", &sql]);
        command
    } else {
        let mut command = Command::new("sqlite3");
        command.arg("-json").arg(data.file()).arg(sql);
        command
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut process = match command.spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        spawned => spawned.context("the program it is compared with")?,
    };
    let mut output = process.stdout.take().context("no output")?;
    let (mut buffer, mut read) = (vec![0; 64 << 10], 0);
    loop {
        match output.read(&mut buffer)? {
            0 => break,
            more => read += more,
        }
    }
    ensure!(process.wait()?.success() && read > 0, "the program it is compared with failed");
    Ok(Some(read))
}

/// How much the server grows while it sends the longest list.
pub fn measure_memory(data: &Data) -> Result<Line> {
    let mut server = Server::start(&data.directory)?;
    let mut connection = server.connect()?;
    connection.exchange(&server.get("/resources/minimal?queryString=hostName:nobody"))?.ok()?;
    server.settle()?;
    server.reset_peak()?;
    let before = server.memory()?;
    let request = server.get("/resources/minimal?state=all");
    let begun = Instant::now();
    let answer = connection.measure(&request)?.ok()?;
    let took = begun.elapsed().as_secs_f64();
    let after = server.memory()?;
    server.stop()?;
    ensure!(answer.length > data.size as usize * 100, "a list of {} bytes is too short", answer.length);
    let mib = |kib: u64| kib as f64 / 1024.0;
    let growth = mib(after.peak_kib.saturating_sub(before.resident_kib));
    Ok(Line {
        name: format!("memory while {} resources are streamed", thousands(f64::from(data.size))),
        ours: format!("{:.1} → {:.1} MiB", mib(before.resident_kib), mib(after.peak_kib)),
        theirs: format!("{} MiB sent in {took:.1} s", answer.length >> 20),
        result: format!("+{growth:.1} MiB"),
        target: format!("< {GROWTH:.0} MiB"),
        met: Some(growth < GROWTH),
    })
}
