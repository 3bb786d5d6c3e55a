//! A small HTTP/1.1 server for one page and one person: it listens on the loopback address only, answers requests that
//! carry its token, and refuses everything else. Own code instead of a server crate, because what matters here is what is
//! refused: sizes and times are bounded before anything is looked at.
//!
//! **Obligation.** Nothing is answered without the token: the page neither, so that another user of the machine and a
//! page of another site, which can reach the loopback address as well, get nothing. A request must also name this server
//! as its host (else a site whose name was pointed here could ask as its own) and, if it tells an origin, come from it.
//! What a request names is never a file. Tested by `requests_are_refused` below and in the browser.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A longer head is no request of our page.
const MOST_HEAD: usize = 8 << 10;
/// A longer body neither.
const MOST_BODY: usize = 256 << 10;
/// A request must be there after this time.
const PATIENCE: Duration = Duration::from_secs(5);
/// More connections at once are closed unread.
const MOST_CONNECTIONS: usize = 16;

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
}

/// A request that may be answered.
#[derive(Debug, PartialEq)]
pub enum Asked {
    /// The page itself.
    Page,
    /// A question of the page: its name, and what belongs to it.
    Question(String, Value),
}

/// What a request is answered with.
#[derive(Debug)]
pub enum Reply {
    /// The page.
    Page(String),
    /// An answer to a question.
    Answer(Value),
    /// The question makes no sense here; in words.
    Wrong(String),
}

/// A request and who waits for its answer.
type Waiting = (Asked, Sender<Reply>);

/// Why a request is refused: the status, and a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refusal(u16, &'static str);

impl Server {
    /// Listens on the loopback address, at a port that is free or the one that was asked for.
    pub fn listen(port: u16) -> std::io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let mut bytes = [0; 16];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Server { listener, port, token })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Answers requests, one after the other, until it is time to end.
    pub fn serve(
        self,
        is_over: impl Fn() -> bool,
        mut answer: impl FnMut(Asked) -> Reply,
    ) -> std::io::Result<()> {
        let (sender, receiver): (Sender<Waiting>, Receiver<Waiting>) = channel();
        let (listener, port, token) = (self.listener, self.port, Arc::new(self.token));
        std::thread::spawn(move || {
            let open = Arc::new(AtomicUsize::new(0));
            for stream in listener.incoming().flatten() {
                let guard = Guard::enter(&open);
                if open.load(Ordering::Relaxed) > MOST_CONNECTIONS {
                    continue;
                }
                let (sender, token) = (sender.clone(), Arc::clone(&token));
                std::thread::spawn(move || {
                    let _guard = guard;
                    // Who does not listen any more is not answered.
                    let _ = converse(stream, port, &token, &sender);
                });
            }
        });
        while !is_over() {
            if let Ok((asked, waiting)) = receiver.recv_timeout(Duration::from_millis(100)) {
                let _ = waiting.send(answer(asked));
            }
        }
        Ok(())
    }
}

/// Counts connections.
struct Guard(Arc<AtomicUsize>);

impl Guard {
    fn enter(open: &Arc<AtomicUsize>) -> Guard {
        open.fetch_add(1, Ordering::Relaxed);
        Guard(Arc::clone(open))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One request of one connection.
fn converse(mut stream: TcpStream, port: u16, token: &str, to: &Sender<Waiting>) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let asked = match read(&mut stream, Instant::now() + PATIENCE)
        .and_then(|request| understood(&request, port, token))
    {
        Ok(asked) => asked,
        Err(Refusal(status, why)) => return respond(&mut stream, status, "text/plain; charset=utf-8", why),
    };
    let (sender, receiver) = channel();
    let reply = to.send((asked, sender)).ok().and_then(|()| receiver.recv().ok());
    match reply {
        Some(Reply::Page(html)) => respond(&mut stream, 200, "text/html; charset=utf-8", &html),
        Some(Reply::Answer(value)) => respond(&mut stream, 200, "application/json", &value.to_string()),
        Some(Reply::Wrong(why)) => {
            respond(&mut stream, 422, "application/json", &serde_json::json!({ "error": why }).to_string())
        }
        None => respond(&mut stream, 503, "text/plain; charset=utf-8", "the program is ending"),
    }
}

fn respond(stream: &mut TcpStream, status: u16, kind: &str, body: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n",
        if status == 200 { "OK" } else { "Refused" },
        body.len(),
        ::report::page::LIVE_HEADER
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// A request as it was sent.
struct Request {
    head: String,
    body: Vec<u8>,
}

/// Reads a request, no more than it may have and no longer than it may take.
fn read(stream: &mut impl TimedRead, until: Instant) -> Result<Request, Refusal> {
    let mut bytes = Vec::new();
    let mut more = |bytes: &mut Vec<u8>| -> Result<(), Refusal> {
        let mut chunk = [0; 4096];
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Refusal(408, "the request took too long"));
        }
        match stream.read_within(&mut chunk, left) {
            Ok(0) => Err(Refusal(400, "the request ends early")),
            Ok(count) => {
                bytes.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(_) => Err(Refusal(408, "the request took too long")),
        }
    };
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MOST_HEAD {
            return Err(Refusal(431, "the head of the request is too long"));
        }
        more(&mut bytes)?;
    };
    if end > MOST_HEAD {
        return Err(Refusal(431, "the head of the request is too long"));
    }
    let head = std::str::from_utf8(&bytes[..end])
        .map_err(|_| Refusal(400, "the head of the request is no text"))?
        .to_owned();
    let length = match header(&head, "content-length")? {
        None => 0,
        Some(text)
            if !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            text.parse().map_err(|_| Refusal(400, "the length is no number"))?
        }
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() => {
            return Err(Refusal(413, "the request is too long"));
        }
        Some(_) => return Err(Refusal(400, "the length is no number")),
    };
    if length > MOST_BODY {
        return Err(Refusal(413, "the request is too long"));
    }
    if header(&head, "transfer-encoding")?.is_some() {
        return Err(Refusal(411, "a request must tell its length"));
    }
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        more(&mut body)?;
    }
    body.truncate(length);
    Ok(Request { head, body })
}

/// Something to read from that waits no longer than it is told to.
trait TimedRead {
    fn read_within(&mut self, bytes: &mut [u8], time: Duration) -> std::io::Result<usize>;
}

impl TimedRead for TcpStream {
    fn read_within(&mut self, bytes: &mut [u8], time: Duration) -> std::io::Result<usize> {
        self.set_read_timeout(Some(time))?;
        self.read(bytes)
    }
}

/// The value of a header, which must not be there twice.
fn header<'h>(head: &'h str, name: &str) -> Result<Option<&'h str>, Refusal> {
    let lines = head.split("\r\n").skip(1);
    let mut values = lines.filter_map(|line| {
        let (own, value) = line.split_once(':')?;
        own.eq_ignore_ascii_case(name).then_some(value.trim())
    });
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(Refusal(400, "a header is there twice")),
        (value, None) => Ok(value),
    }
}

/// What a request asks, if it may be answered.
fn understood(request: &Request, port: u16, token: &str) -> Result<Asked, Refusal> {
    let line = request.head.split("\r\n").next().unwrap_or_default();
    let [method, path, version] = line.split(' ').collect::<Vec<_>>()[..] else {
        return Err(Refusal(400, "this is no request"));
    };
    if !version.starts_with("HTTP/1.") {
        return Err(Refusal(400, "this is no request"));
    }
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let host = header(&request.head, "host")?.ok_or(Refusal(400, "the request names no host"))?;
    if !hosts.iter().any(|own| own == host) {
        return Err(Refusal(403, "the request is for another host"));
    }
    if let Some(origin) = header(&request.head, "origin")?
        && !hosts.iter().any(|own| origin == format!("http://{own}"))
    {
        return Err(Refusal(403, "the request comes from another page"));
    }
    let (given, rest) = path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or(("", ""));
    if !is_same(given.as_bytes(), token.as_bytes()) {
        return Err(Refusal(403, "the address has no valid token: take the one that the terminal shows"));
    }
    match (method, rest) {
        ("GET", "") => Ok(Asked::Page),
        ("POST", name) if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()) => {
            let body =
                serde_json::from_slice(&request.body).map_err(|_| Refusal(400, "the request is no JSON"))?;
            Ok(Asked::Question(name.to_owned(), body))
        }
        ("GET" | "POST", _) => Err(Refusal(404, "there is nothing here")),
        _ => Err(Refusal(405, "this can only be read")),
    }
}

/// Are they equal? Takes as long wherever they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sent<'t>(&'t [u8]);

    impl TimedRead for Sent<'_> {
        fn read_within(&mut self, bytes: &mut [u8], _: Duration) -> std::io::Result<usize> {
            // In small pieces, as networks do.
            let count = self.0.len().min(bytes.len()).min(7);
            bytes[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn asked(text: &str) -> Result<Asked, u16> {
        let until = Instant::now() + Duration::from_secs(5);
        let request = read(&mut Sent(text.as_bytes()), until);
        request.and_then(|request| understood(&request, 80, "secret")).map_err(|refusal| refusal.0)
    }

    #[test]
    fn requests_are_refused() {
        let get = |path: &str, headers: &str| asked(&format!("GET {path} HTTP/1.1\r\n{headers}\r\n\r\n"));
        assert_eq!(get("/secret/", "Host: 127.0.0.1:80"), Ok(Asked::Page));
        assert_eq!(get("/secret/", "Host: localhost:80\r\nOrigin: http://localhost:80"), Ok(Asked::Page));
        let host = "Host: 127.0.0.1:80";
        for (path, headers, status) in [
            ("/", host, 403),
            ("/secre/", host, 403),
            ("/secrets/", host, 403),
            ("/secret", host, 403),
            ("secret/", host, 403),
            ("//secret/", host, 403),
            ("/secret/../../etc/passwd", host, 404),
            ("/secret/%2e%2e/etc/passwd", host, 404),
            ("/secret/", "Host: evil.example", 403),
            ("/secret/", "Accept: x", 400),
            ("/secret/", "Host: 127.0.0.1:80\r\nHost: 127.0.0.1:80", 400),
            ("/secret/", "Host: 127.0.0.1:80\r\nOrigin: http://evil.example", 403),
            ("/secret/", "Host: 127.0.0.1:80\r\nOrigin: null", 403),
            ("/secret/", "Host: 127.0.0.1:80\r\nContent-Length: 99999999", 413),
            ("/secret/", "Host: 127.0.0.1:80\r\nContent-Length: 99999999999999999999", 413),
            ("/secret/", "Host: 127.0.0.1:80\r\nContent-Length: -1", 400),
            ("/secret/", "Host: 127.0.0.1:80\r\nContent-Length: 5", 400),
            ("/secret/", "Host: 127.0.0.1:80\r\nTransfer-Encoding: chunked", 411),
        ] {
            assert_eq!(get(path, headers), Err(status), "{path} {headers}");
        }
        let long = "x".repeat(MOST_HEAD + 5000);
        assert_eq!(get(&format!("/{long}"), host), Err(431));
        for (text, status) in [
            ("", 400),
            ("\r\n\r\n", 400),
            ("GET /secret/\r\n\r\n", 400),
            ("GET /secret/ SPDY/3\r\nHost: 127.0.0.1:80\r\n\r\n", 400),
            ("DELETE /secret/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", 405),
            ("POST /secret/walk HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 3\r\n\r\n{x}", 400),
            ("POST /secret/Walk HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 2\r\n\r\n{}", 404),
            ("POST /other/walk HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 2\r\n\r\n{}", 403),
        ] {
            assert_eq!(asked(text), Err(status), "{text:?}");
        }
        let question =
            asked("POST /secret/walk HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 2\r\n\r\n{}");
        assert_eq!(question, Ok(Asked::Question("walk".into(), serde_json::json!({}))));
        assert_eq!(
            read(&mut Sent(b"GET"), Instant::now()).err(),
            Some(Refusal(408, "the request took too long"))
        );
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let [one, other] = [(); 2].map(|()| Server::listen(0).expect("a free port"));
        assert_ne!(one.token, other.token);
        assert_eq!(one.token.len(), 32);
        assert!(one.address().starts_with("http://127.0.0.1:"));
        assert!(one.listener.local_addr().expect("an address").ip().is_loopback());
    }
}
