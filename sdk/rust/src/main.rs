//! An agent of two skills: `sum` adds, `sum_form` asks a person for the numbers first. The worker protocol of the platform's runtime, without a
//! crate.

mod json;

use json::{quoted, Json};
use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::{env, fs, process, thread};

const PROTOCOL: &str = "svc-worker/1";
const MAX_FRAME_LENGTH: u64 = 64 * 1024 * 1024;
const MAX_HEAD: u64 = 16 * 1024;

/// The skill. The runtime has checked the arguments; a worker checks them again, for it may be spoken to by another.
fn sum(args: Option<&Json>) -> Result<f64, String> {
    let number = |name: &str| args.and_then(|object| object.get(name)).and_then(Json::number);
    match (number("a"), number("b")) {
        (Some(a), Some(b)) if (a + b).is_finite() => Ok(a + b),
        (Some(_), Some(_)) => Err(refusal("skill_input_error", "the sum is too large", 400)),
        _ => Err(refusal("skill_input_error", "sum takes two numbers, a and b", 400)),
    }
}

/// Messages are our own and hold nothing that JSON escapes.
fn refusal(code: &str, message: &str, status: u16) -> String {
    format!(r#"{{"code":"{code}","message":"{message}","status":{status}}}"#)
}

/// What a person fills in for `sum_form`: a JSON Schema.
const NUMBERS: &str = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}"#;

/// The end of a run.
fn done(id: u64, outcome: Result<f64, String>) -> String {
    match outcome {
        Ok(value) => format!(r#"{{"t":"result","id":{id},"value":{value}}}"#),
        Err(error) => format!(r#"{{"t":"error","id":{id},"error":{error}}}"#),
    }
}

/// What the run context refused, as the error of the run.
fn passed_on(error: Option<&Json>) -> String {
    let text = |name: &str| error.and_then(|object| object.get(name)).and_then(Json::text).unwrap_or("");
    let status = error.and_then(|object| object.get("status")).and_then(Json::number).unwrap_or(500.0) as u16;
    format!(r#"{{"code":{},"message":{},"status":{status}}}"#, quoted(text("code")), quoted(text("message")))
}

/// The answer to one frame; None: nothing is to be said. `waiting` are the runs whose form is with a person.
fn answer(frame: &Json, waiting: &mut HashSet<u64>) -> Result<Option<String>, ()> {
    let id = frame.get("id").and_then(Json::number).unwrap_or(0.0) as u64;
    let said = match frame.get("t").and_then(Json::text).ok_or(())? {
        "start" => r#"{"t":"started"}"#.to_string(),
        "invoke" => match frame.get("skill").and_then(Json::text) {
            Some("sum") => done(id, sum(frame.get("args"))),
            Some("sum_form") => {
                waiting.insert(id);
                format!(r#"{{"t":"call","id":{id},"call":1,"method":"ask","params":{{"prompt":"Which numbers?","schema":{NUMBERS}}}}}"#)
            }
            _ => done(id, Err(refusal("skill_not_found", "this worker has: sum, sum_form", 404))),
        },
        // The answer to a form is its JSON text.
        "reply" if waiting.remove(&id) => done(id, sum(frame.get("value").and_then(Json::text).and_then(Json::parse).as_ref())),
        "reply_error" if waiting.remove(&id) => done(id, Err(passed_on(frame.get("error")))),
        "cancel" if waiting.remove(&id) => done(id, Err(refusal("cancelled_by_caller", "cancelled by the caller", 499))),
        "health" => format!(r#"{{"t":"healthy","id":{id},"ok":true}}"#),
        "resolve_auth" => {
            format!(r#"{{"t":"error","id":{id},"error":{}}}"#, refusal("auth_error", "this worker has no resolver", 401))
        }
        "shutdown" => r#"{"t":"stopped"}"#.to_string(),
        // Of a run that is over; or of events and secrets, which this worker does not have.
        "cancel" | "ack" | "reply" | "reply_error" | "renew" => return Ok(None),
        _ => return Err(()),
    };
    Ok(Some(said))
}

/// One connection: health, or frames until its end.
fn serve(stream: impl Read, mut out: impl Write) -> io::Result<()> {
    let mut lines = BufReader::new(stream);
    let (mut path, mut upgrade) = (String::new(), false);
    let mut head = lines.by_ref().take(MAX_HEAD);
    let mut line = String::new();
    while head.read_line(&mut line)? > 0 && line.trim_end() != "" {
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or("").to_string();
        } else if let Some((name, value)) = line.split_once(':') {
            upgrade |= name.eq_ignore_ascii_case("upgrade") && value.trim() == PROTOCOL;
        }
        line.clear();
    }
    if path == "/healthz" {
        return write!(out, "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nok\n");
    }
    if path != "/worker" || !upgrade {
        return write!(out, "HTTP/1.1 426 Upgrade Required\r\nupgrade: {PROTOCOL}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    write!(out, "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: {PROTOCOL}\r\n\r\n")?;
    writeln!(out, r#"{{"t":"hello","protocol":"{PROTOCOL}","language":"rust","sdk":"demo","skills":["sum","sum_form"]}}"#)?;
    out.flush()?;
    let mut waiting = HashSet::new();
    loop {
        let mut line = Vec::new();
        lines.by_ref().take(MAX_FRAME_LENGTH).read_until(b'\n', &mut line)?;
        // The end, or something that is no frame: with either the connection is over.
        let said = match std::str::from_utf8(&line).ok().and_then(Json::parse).map(|frame| answer(&frame, &mut waiting)) {
            Some(Ok(said)) => said,
            _ => return Ok(()),
        };
        if let Some(said) = said {
            // In one write: half a line would wait for the other half in the kernel.
            out.write_all(format!("{said}\n").as_bytes())?;
            out.flush()?;
            if said.contains(r#""stopped""#) {
                process::exit(0);
            }
        }
    }
}

fn listen(at: &str) -> io::Result<()> {
    match at.split_once(':') {
        Some(("unix", path)) => {
            let _ = fs::remove_file(path);
            for stream in UnixListener::bind(path)?.incoming() {
                let stream = stream?;
                let out = stream.try_clone()?;
                thread::spawn(move || serve(stream, out));
            }
        }
        Some(("tcp", address)) => {
            for stream in TcpListener::bind(address)?.incoming() {
                let stream = stream?;
                stream.set_nodelay(true)?;
                let out = stream.try_clone()?;
                thread::spawn(move || serve(stream, out));
            }
        }
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "SVC_WORKER_LISTEN is unix:/path or tcp:host:port")),
    }
    Ok(())
}

fn main() {
    if let Err(error) = listen(&env::var("SVC_WORKER_LISTEN").unwrap_or_default()) {
        eprintln!("{error}");
        process::exit(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called_with(args: &str) -> Result<f64, String> {
        sum(Json::parse(args).as_ref())
    }

    #[test]
    fn adds_two_numbers() {
        assert_eq!(called_with(r#"{"a":1.5,"b":2}"#), Ok(3.5));
    }

    #[test]
    fn refuses_what_is_no_number() {
        assert!(called_with(r#"{"a":"1"}"#).unwrap_err().contains("skill_input_error"));
    }
}
