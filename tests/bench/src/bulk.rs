//! Many machines at once: beside a loop that inserts the same rows into the same tables, twice as many of them, what
//! one of them takes on the disk, and how long somebody else's write waits meanwhile.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::{Value, json};

use crate::{
    http::Connection,
    load::median,
    moved, seed,
    server::{Server, below_tenant},
    sqlite::{Database, Row},
    table::{Line, thousands},
    written::{LoopDatabase, Transaction},
};

/// How many rows the import has for each of a request of the other lines.
const IMPORT: u32 = 10;

const ROUNDS: usize = 5;

/// Rows that the server stores in one transaction, and the loop too.
const BATCH: usize = 200;

/// The least part of the loop's rate; the most that twice the rows may cost; bytes of a machine; and milliseconds that
/// a write waits.
const OF_LOOP: f64 = 0.3;
const DOUBLED: f64 = 2.2;
const BYTES: f64 = 2_500.0;
const WAIT: f64 = 50.0;

/// As the server has it, which makes each batch durable.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000; \
     PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000; PRAGMA foreign_keys = OFF";

/// All lines, with requests of so many rows.
pub fn measure(temporary: &Path, rows: u32) -> Result<Vec<Line>> {
    Ok(vec![
        beside_loop(temporary, rows)?,
        bytes(temporary, rows)?,
        doubled(temporary, rows, false)?,
        doubled(temporary, rows, true)?,
        beside_import(temporary, IMPORT * rows)?,
    ])
}

/// A machine as an inventory has it.
fn machine(number: u32) -> Value {
    let kinds = ["web", "db", "cache", "queue", "build"];
    let kind = kinds[number as usize % kinds.len()];
    let [_, high, middle, low] = number.to_be_bytes();
    json!({
        "name": format!("{kind}-{number:06}"), "hostName": format!("{kind}-{number:06}.example.net"), "type": "DEVICE",
        "ipAddress": format!("10.{high}.{middle}.{low}"), "serialNumber": format!("SN{number:08}"), "make": "Dell Inc.",
        "model": "PowerEdge R640", "os": "Debian GNU/Linux 13", "state": "active",
        "tags": [{"name": "env", "value": "prod"}, {"name": "team", "value": format!("team {}", number % 40)}],
    })
}

fn body(numbers: std::ops::Range<u32>) -> Vec<u8> {
    let mut body = Vec::new();
    for number in numbers {
        body.extend(machine(number).to_string().into_bytes());
        body.push(b'\n');
    }
    body
}

/// Sends machines that are not there; gives the seconds until the answer was read.
fn send(server: &Server, numbers: std::ops::Range<u32>, key: Option<&str>) -> Result<f64> {
    let rows = numbers.len();
    let body = body(numbers);
    let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
    let path = below_tenant("/resources/bulk");
    let token = &server.token;
    let length = body.len();
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n{key}\
         Content-Type: application/x-ndjson\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.extend(body);
    let mut connection = server.connect()?;
    let begun = Instant::now();
    let answer = connection.exchange_both_ways(&request)?.ok()?;
    let took = begun.elapsed().as_secs_f64();
    let text = String::from_utf8(answer.body)?;
    let last: Value = serde_json::from_str(text.lines().last().context("an empty answer")?)?;
    ensure!(last["created"] == rows && last["complete"] == true, "not all were created: {last}");
    Ok(took)
}

/// A server with a dynamic group that takes some of the machines in.
fn start(directory: &Path) -> Result<Server> {
    let server = Server::start(directory)?;
    let group = json!({
        "name": "Databases",
        "filterCriteria": {"rules": [{"key": "hostName", "operator": "Starts with", "value": "db-"}]},
    });
    let made = server.post(&mut server.connect()?, "/deviceGroups", &group);
    made.context("a dynamic group")?;
    Ok(server)
}

fn beside_loop(temporary: &Path, rows: u32) -> Result<Line> {
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let directory = temporary.join(format!("bulk-{round}"));
        start(&directory)?.stop()?;
        let full = LoopDatabase::open(&directory)?;
        let file = temporary.join(format!("loop-{round}.sqlite"));
        let empty = full.copy(&file)?;
        // A file that somebody has open keeps its log of writes, which would be the server's too.
        drop(full);
        let server = Server::start(&directory)?;
        let time = send(&server, 0..rows, None)?;
        server.stop()?;
        let inserted = insert_loop(&LoopDatabase::open(&directory)?, &empty, rows as usize)?;
        ours.push(f64::from(rows) / time);
        theirs.push(f64::from(rows) / inserted);
        ratios.push(inserted / time);
        drop(empty);
        fs::remove_dir_all(&directory)?;
        // There is none on Postgres.
        let _ = fs::remove_file(&file);
    }
    let ratio = median(&ratios);
    Ok(Line {
        name: format!("POST /resources/bulk, {} new machines", thousands(f64::from(rows))),
        ours: format!("{} /s", thousands(median(&ours))),
        theirs: format!("{} /s (a loop that inserts the same rows)", thousands(median(&theirs))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {OF_LOOP:.2}"),
        met: Some(ratio >= OF_LOOP),
    })
}

/// Inserts all that one database has more than another into that, by prepared statements, in durable transactions of as
/// many machines as the server's; gives the seconds.
fn insert_loop(source: &LoopDatabase, target: &LoopDatabase, machines: usize) -> Result<f64> {
    let (mut statements, mut tables): (Vec<String>, Vec<Vec<Row>>) = Default::default();
    for table in source.tables()? {
        // As they come: a machine after the other.
        let of_resource = source.columns(&table)?.iter().any(|name| name == "resource_id");
        let order = if of_resource { "ORDER BY resource_id" } else { "" };
        let rows = source.rows(&format!("SELECT * FROM {table} {order}"))?;
        if rows.len() >= machines / 2 {
            statements.push(format!("{} ON CONFLICT DO NOTHING", source.insertion(&table)?));
            tables.push(rows);
        }
    }
    ensure!(tables.len() > 3, "the machines are in {} tables only", tables.len());
    if let LoopDatabase::File(target) = target {
        target.execute(PRAGMAS)?;
    }
    let batches = machines.div_ceil(BATCH);
    let batch = |batch: usize| -> Transaction<'_> {
        let part = |rows: &Vec<Row>| rows.len() * batch / batches..rows.len() * (batch + 1) / batches;
        tables
            .iter()
            .enumerate()
            .flat_map(|(table, rows)| rows[part(rows)].iter().map(move |row| (table, row)))
            .collect()
    };
    target.insert(&statements, &(0..batches).map(batch).collect::<Vec<_>>())
}

/// Twice the rows against once, on a database that grows.
fn doubled(temporary: &Path, rows: u32, kept: bool) -> Result<Line> {
    // An answer that is kept is stored whole.
    let rows = if kept { rows * 3 / 8 } else { rows };
    let server = start(&temporary.join(if kept { "doubled-kept" } else { "doubled" }))?;
    let mut once = Vec::new();
    let mut twice = Vec::new();
    let mut ratios = Vec::new();
    let mut next = 0;
    let mut send = |count: u32| {
        let from = next;
        next += count;
        let key = format!("bench-{from}");
        send(&server, from..next, kept.then_some(key.as_str()))
    };
    for _ in 0..ROUNDS {
        // Before and behind it, since the database grows meanwhile.
        let before = send(rows)?;
        let two = send(2 * rows)?;
        let behind = send(rows)?;
        let one = (before + behind) / 2.0;
        once.push(one);
        twice.push(two);
        ratios.push(two / one);
    }
    server.stop()?;
    let ratio = median(&ratios);
    let with = if kept { ", Idempotency-Key and a dynamic group" } else { ", a dynamic group" };
    Ok(Line {
        name: format!("POST /resources/bulk, twice {} machines{with}", thousands(f64::from(rows))),
        ours: format!("{:.2} s", median(&twice)),
        theirs: format!("{:.2} s (once)", median(&once)),
        result: format!("{ratio:.2} times"),
        target: format!("≤ {DOUBLED:.2} times"),
        met: Some(ratio <= DOUBLED),
    })
}

/// What a machine takes on the disk, with what is kept of its making.
fn bytes(temporary: &Path, rows: u32) -> Result<Line> {
    let directory = temporary.join("bytes");
    let server = Server::start(&directory)?;
    send(&server, 0..rows, None)?;
    server.stop()?;
    let file = seed::database(&directory);
    let size = || -> Result<u64> {
        if moved::is_on() {
            return moved::size(&directory);
        }
        Database::open(&file)?.execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(fs::metadata(&file)?.len())
    };
    let before = size()?;
    let server = Server::start(&directory)?;
    send(&server, rows..3 * rows, None)?;
    server.stop()?;
    let each = (size()? - before) as f64 / f64::from(2 * rows);
    let sql = "SELECT name || ' ' || CAST(sum(pgsize) / 1024 AS TEXT) FROM dbstat GROUP BY name \
               ORDER BY sum(pgsize) DESC LIMIT 3";
    let largest = match moved::is_on() {
        true => Vec::new(),
        false => Database::open(&file)?.texts(sql, &[]).unwrap_or_default(),
    };
    Ok(Line {
        name: "a machine of a bulk request on the disk".to_owned(),
        ours: format!("{} bytes", thousands(each)),
        theirs: if largest.is_empty() { String::new() } else { format!("KiB: {}", largest.join(", ")) },
        result: format!("{each:.0} bytes"),
        target: format!("≤ {BYTES:.0} bytes"),
        met: Some(each <= BYTES),
    })
}

/// Creates of somebody else, one after the other, while an import is under way.
fn beside_import(temporary: &Path, rows: u32) -> Result<Line> {
    let server = Server::start(&temporary.join("beside"))?;
    let ended = AtomicBool::new(false);
    let created = below_tenant("/resources");
    let (alone, mut beside) = std::thread::scope(|scope| {
        let import = scope.spawn(|| {
            let sent = send(&server, 0..rows, None);
            ended.store(true, Ordering::Relaxed);
            sent
        });
        let mut connection = server.connect()?;
        let mut times = Vec::new();
        let mut number = 0;
        while !ended.load(Ordering::Relaxed) {
            times.push(create(&mut connection, &created, &server.token, number)?);
            number += 1;
            std::thread::sleep(Duration::from_millis(5));
        }
        import.join().map_err(|_| anyhow!("the import panicked"))??;
        let alone = (0..200).map(|more| create(&mut connection, &created, &server.token, number + more));
        Ok::<_, anyhow::Error>((alone.collect::<Result<Vec<f64>>>()?, times))
    })?;
    server.stop()?;
    beside.sort_by(f64::total_cmp);
    let at = beside.len().saturating_sub(1).min(beside.len() * 99 / 100);
    let slow = beside.get(at).copied().context("the import was over at once")?;
    Ok(Line {
        name: format!("POST /resources beside an import of {} machines", thousands(f64::from(rows))),
        ours: format!("p50 {:.1} ms, p99 {slow:.1} ms of {}", median(&beside), thousands(beside.len() as f64)),
        theirs: format!("p50 {:.1} ms (alone)", median(&alone)),
        result: format!("{slow:.1} ms"),
        target: format!("≤ {WAIT:.0} ms"),
        met: Some(slow <= WAIT),
    })
}

/// Milliseconds of a create.
fn create(connection: &mut Connection, path: &str, token: &str, number: usize) -> Result<f64> {
    let body = json!({"hostName": format!("single-{number}.example.net")}).to_string();
    let request = crate::http::request("POST", path, token, body.as_bytes());
    let begun = Instant::now();
    connection.measure(&request)?.ok()?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0)
}
