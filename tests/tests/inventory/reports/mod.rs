//! `POST /agents/reports`: reports in both formats, and the resources that result.

mod antivirus;
mod handshake;
mod hostile;
mod identity;
mod mapping;
mod samples;
mod sections;

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use muster_tests::{Client, Response, encode};
use serde_json::{Value, json};

use super::{detail, names, text};

const PATH: &str = "/agents/reports";

/// The newer format: an inventory of a computer.
fn report(device: &str, content: &Value) -> Value {
    json!({"action": "inventory", "deviceid": device, "itemtype": "Computer", "content": content})
}

/// The older format: `content` is the XML inside `<CONTENT>`.
fn xml(device: &str, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<REQUEST>\n<CONTENT>{content}\
         <VERSIONCLIENT>FusionInventory-Agent_v2.6</VERSIONCLIENT></CONTENT>\n\
         <DEVICEID>{device}</DEVICEID>\n<QUERY>INVENTORY</QUERY>\n</REQUEST>\n"
    )
}

fn zlib(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes.as_ref()).and_then(|()| encoder.finish());
    written.unwrap_or_else(|error| panic!("{error}"))
}

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes.as_ref()).and_then(|()| encoder.finish());
    written.unwrap_or_else(|error| panic!("{error}"))
}

fn send_xml(client: &Client, body: &str) -> Response {
    client.request("POST", PATH).body("application/xml", body).send()
}

/// The body of an answer as an agent reads it: zlib, gzip or plain, told apart by its first bytes.
#[track_caller]
fn unpacked(answer: &Response) -> String {
    let mut out = String::new();
    let read = match answer.body.as_slice() {
        [0x78, ..] => ZlibDecoder::new(&answer.body[..]).read_to_string(&mut out),
        [0x1f, 0x8b, ..] => MultiGzDecoder::new(&answer.body[..]).read_to_string(&mut out),
        _ => return answer.text(),
    };
    match read {
        Ok(_) => out,
        Err(error) => panic!("the answer does not unpack: {error}"),
    }
}

/// The one resource of the client.
#[track_caller]
fn only_machine(client: &Client) -> Value {
    let listed = client.get("/resources/minimal?state=all").list();
    assert_eq!(listed.len(), 1, "one machine: {listed:?}");
    detail(client, &text(&listed[0]["id"]))
}

#[track_caller]
fn applications(client: &Client, machine: &Value) -> Vec<String> {
    names(&client.get(&format!("/resources/{}/applications", text(&machine["id"]))).list())
}

/// How many machines have this host name.
#[track_caller]
fn count(client: &Client, host: &str) -> usize {
    let path = format!("/resources/minimal?state=all&queryString=hostName:{}%2BisEquals:true", encode(host));
    client.get(&path).list().len()
}
