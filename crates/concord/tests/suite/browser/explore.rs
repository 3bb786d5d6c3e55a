//! `concord explore` as a person uses it, and as somebody else tries to.

use super::driver::Browser;
use super::{FAILS, example, written};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program that serves a page.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(files: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
        let child =
            command.arg("explore").args(files).current_dir(super::folder()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("concord can be run");
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
        lines.read_line(&mut line).expect("it tells its address");
        let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{line}");
        Served { child, address }
    }

    fn port(&self) -> u16 {
        let rest = self.address.trim_start_matches("http://127.0.0.1:");
        rest.split('/').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    fn token(&self) -> &str {
        self.address.trim_end_matches('/').rsplit('/').next().expect("a token")
    }

    /// The first line of what is answered to these bytes.
    fn answered(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
        // It may close before all was sent: that is a refusal as well.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    }

    /// Ends it as Ctrl-C does, and waits.
    fn end(mut self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill can be run");
        assert!(sent.success());
        let end = Instant::now() + Duration::from_secs(10);
        while self.child.try_wait().expect("it can be asked").is_none() {
            assert!(Instant::now() < end, "it does not end with Ctrl-C");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Without a browser: who may ask, and who may not.
#[test]
fn only_who_has_the_address_is_answered() {
    let served = Served::start(&[&example("models/bounded_buffer.lts")]);
    let (port, token) = (served.port(), served.token().to_owned());
    let get = |path: &str, host: &str| {
        served.answered(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
    };
    let own = format!("127.0.0.1:{port}");
    assert_eq!(get(&format!("/{token}/"), &own), "HTTP/1.1 200 OK");
    for (path, host) in [
        ("/", own.as_str()),
        ("/0123456789abcdef0123456789abcdef/", &own),
        (&format!("/{token}/"), "evil.example"),
    ] {
        assert_eq!(get(path, host), "HTTP/1.1 403 Refused", "{path} {host}");
    }
    assert_eq!(get(&format!("/{token}/../../../etc/passwd"), &own), "HTTP/1.1 404 Refused");
    assert_eq!(served.answered(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n\r\n\r\n"), "HTTP/1.1 400 Refused");
    let huge = format!("POST /{token}/walk HTTP/1.1\r\nHost: {own}\r\nContent-Length: 999999999\r\n\r\n");
    assert_eq!(served.answered(huge.as_bytes()), "HTTP/1.1 413 Refused");
    let long = format!("GET /{token}/ HTTP/1.1\r\nHost: {own}\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let answered = served.answered(long.as_bytes());
    assert!(answered.is_empty() || answered == "HTTP/1.1 431 Refused", "{answered}");
    let post = |name: &str, body: &str| {
        let length = body.len();
        let text =
            format!("POST /{token}/{name} HTTP/1.1\r\nHost: {own}\r\nContent-Length: {length}\r\n\r\n{body}");
        served.answered(text.as_bytes())
    };
    assert_eq!(post("walk", "{}"), "HTTP/1.1 422 Refused");
    assert_eq!(post("walk", "{\"system\":\"BOUNDEDBUFFER\",\"choices\":[-1]}"), "HTTP/1.1 422 Refused");
    assert_eq!(post("walk", "[[[[["), "HTTP/1.1 400 Refused");
    assert_eq!(post("passwd", "{}"), "HTTP/1.1 422 Refused");
    let many = format!("{{\"system\":\"BOUNDEDBUFFER\",\"choices\":[{}0]}}", "0,".repeat(20_000));
    assert_eq!(post("walk", &many), "HTTP/1.1 422 Refused");
    assert_eq!(post("formula", &format!("{{\"text\":\"{}\"}}", "(".repeat(100_000))), "HTTP/1.1 422 Refused");
    // However the path, the method or the head is written: what is not the page's own request is refused.
    let raw = |line: &str| served.answered(format!("{line}\r\nHost: {own}\r\n\r\n").as_bytes());
    for (line, status) in [
        (format!("GET /{token}/%2e%2e/%2e%2e/etc/passwd HTTP/1.1"), 404),
        (format!("GET /{token}/..%2f..%2fetc%2fpasswd HTTP/1.1"), 404),
        (format!("GET /%2e/{token}/ HTTP/1.1"), 403),
        (format!("GET http://{own}/{token}/ HTTP/1.1"), 403),
        (
            format!("GET /{}/ HTTP/1.1", token.to_uppercase()),
            if token.bytes().any(|byte| byte.is_ascii_lowercase()) { 403 } else { 200 },
        ),
        (format!("HEAD /{token}/ HTTP/1.1"), 405),
        (format!("OPTIONS /{token}/ HTTP/1.1"), 405),
        (format!("PUT /{token}/walk HTTP/1.1"), 405),
        (format!("CONNECT {own} HTTP/1.1"), 403),
        (format!("GET /{token}/ HTTP/2"), 400),
        (format!("GET  /{token}/ HTTP/1.1"), 400),
    ] {
        assert_eq!(
            raw(&line),
            format!("HTTP/1.1 {status} {}", if status == 200 { "OK" } else { "Refused" }),
            "{line}"
        );
    }
    for (head, status) in [
        (format!("Host: {own}.evil.example"), 403),
        (format!("Host: evil.example\r\nX-Forwarded-Host: {own}"), 403),
        (format!("Host: {own}\r\nOrigin: https://127.0.0.1:{port}"), 403),
        (format!("Host: {own}\r\nContent-Length: 3\r\nContent-Length: 3"), 400),
        (format!("Host: {own}\r\nTransfer-Encoding: chunked"), 411),
    ] {
        let request = format!("GET /{token}/ HTTP/1.1\r\n{head}\r\n\r\nabc");
        assert_eq!(served.answered(request.as_bytes()), format!("HTTP/1.1 {status} Refused"), "{head}");
    }
    // Whoever connects and says nothing keeps nobody waiting.
    let _silent = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    assert_eq!(get(&format!("/{token}/"), &own), "HTTP/1.1 200 OK");
    // More connections than it keeps are closed; when they have gone, it answers again.
    let crowd: Vec<TcpStream> =
        (0..40).filter_map(|_| TcpStream::connect(("127.0.0.1", port)).ok()).collect();
    assert!(crowd.len() > 20);
    drop(crowd);
    let end = Instant::now() + Duration::from_secs(20);
    while get(&format!("/{token}/"), &own) != "HTTP/1.1 200 OK" {
        assert!(Instant::now() < end, "it never answers again");
        std::thread::sleep(Duration::from_millis(50));
    }
    served.end();
}

/// Other addresses of this machine are not listened to.
#[test]
fn it_listens_to_the_loopback_address_only() {
    let served = Served::start(&[&example("models/readers_writers.lts")]);
    let port = served.port();
    let listening = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let own = format!(":{port:04X}");
    let all: Vec<&str> = listening
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter(|address| address.ends_with(&own))
        .collect();
    // Where the system tells who listens.
    assert!(listening.is_empty() || all.contains(&format!("0100007F{own}").as_str()), "{all:?}");
    assert!(all.iter().all(|address| address.starts_with("0100007F")), "{all:?}");
    served.end();
}

/// A Boolean program is walked to a failure by the names of its steps, and back.
fn walk_a_boolean_program(browser: &Browser) {
    let program = written(
        "walked.bp",
        "decl x := 0;\nvoid main() begin\n  x := *;\n  if x then skip; else x := 1; fi\n  assert(!x);\nend\n",
    );
    let served = Served::start(&[&program]);
    browser.open(&served.address);
    browser.wait_for("return document.querySelectorAll('#ways button').length===2");
    browser.press(&["1"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length===1");
    browser.press(&["b"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length===0");
    browser.run("document.getElementById('replay').value='2';document.getElementById('again-as').click()");
    browser.wait_for("return document.querySelectorAll('.run .row').length===1");
    for _ in 0..8 {
        let steps = browser.run("return document.querySelectorAll('.run .row').length");
        if browser.run("return document.querySelectorAll('#ways button').length===0") == true {
            break;
        }
        browser.press(&["1"]);
        browser.wait_for(&format!("return document.querySelectorAll('.run .row').length>{steps}"));
    }
    let said = browser.text("return document.getElementById('said').textContent");
    assert!(said.contains("violation"), "{said}");
    // The walk is there as text, and walks the same again.
    let steps = browser.run("return document.querySelectorAll('.run .row').length");
    let walk = browser.text("return document.getElementById('replay').value");
    browser.press(&["b", "b"]);
    browser.wait_for(&format!("return document.querySelectorAll('.run .row').length<{steps}"));
    browser.run(&format!(
        "document.getElementById('replay').value={walk:?};document.getElementById('again-as').click()"
    ));
    browser.wait_for(&format!("return document.querySelectorAll('.run .row').length==={steps}"));
    browser.run(
        "document.getElementById('replay').value='nonsense';document.getElementById('again-as').click()",
    );
    browser.wait_for("return document.getElementById('said').textContent.includes('not possible here')");
    served.end();
}

/// The order of threads is chosen until an update is lost.
fn choose_a_schedule(browser: &Browser) {
    let program = written("scheduled.c", super::THREADS);
    let served = Served::start(&[&program]);
    browser.open(&served.address);
    browser.wait_for("return document.querySelectorAll('#ways button').length>1");
    let said = "return document.getElementById('said').textContent";
    assert!(browser.text(said).contains("Which thread"), "{}", browser.text(said));
    // Both read before either writes: main creates both, then each thread makes one step in turn.
    let start = || {
        browser.run("document.getElementById('again').click()");
        browser.wait_for("return document.querySelectorAll('#made button').length===0&&document.querySelectorAll('#ways button').length>1");
    };
    let ended = "const said=document.getElementById('said').textContent;return said.includes('ends with')||said.includes('count == 2')";
    let mut found = (false, false);
    for order in ["1 2 1 2", "1 1 2 2"] {
        start();
        let both = "return [...document.querySelectorAll('#ways button')].some(one=>one.textContent.includes('thread 2'))";
        let press = |thread: &str| {
            let made = browser.run("return document.querySelectorAll('#made button').length");
            // The thread that is wanted, or the first that can go on.
            let wanted = if thread == "0" { "main".to_owned() } else { format!("thread {thread}") };
            browser.run(&format!(
                "const all=[...document.querySelectorAll('#ways button')];(all.find(one=>one.textContent.includes('{wanted}'))||all[0])?.click()"
            ));
            browser.wait_for(&format!(
                "return document.querySelectorAll('#made button').length!=={made}||(()=>{{{ended}}})()"
            ));
        };
        for _ in 0..4 {
            if browser.run(both) == false {
                press("0");
            }
        }
        for thread in order.split(' ').chain(["0"; 12]) {
            if browser.run(ended) == false {
                press(thread);
            }
        }
        browser.wait_for(ended);
        match browser.text(said).contains("count == 2") {
            true => found.0 = true,
            false => found.1 = true,
        }
    }
    assert_eq!(found, (true, true), "one order loses an update, the other does not");
    // Back takes the last choice back.
    let made = browser.run("return document.querySelectorAll('#made button').length");
    browser.press(&["b"]);
    browser.wait_for(&format!("return document.querySelectorAll('#made button').length<{made}"));
    browser.press(&["w"]);
    browser.wait_for(ended);
    let strange: Vec<String> = browser.complaints().into_iter().filter(|one| !one.contains("422")).collect();
    assert_eq!(strange, [""; 0]);
    served.end();
}

/// In the browser: a model is walked, back, at random, and asked a formula; a program is given inputs.
pub fn walk_and_run(browser: &Browser) {
    let served = Served::start(&[&example("models/dining_philosophers.lts")]);
    browser.open(&served.address);
    browser.wait_for("return document.querySelectorAll('#ways button').length>0");
    let ways = "return document.querySelectorAll('#ways button').length";
    let at_first = browser.run(ways);
    let lanes = "return document.querySelectorAll('.run .row').length";
    browser.press(&["1"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length===1");
    browser.press(&["1"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length===2");
    browser.press(&["b"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length===1");
    browser.press(&["b"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length===0");
    assert_eq!(browser.run(ways), at_first);
    browser.press(&["w"]);
    browser.wait_for("return document.querySelectorAll('.run .row').length>3");
    super::picture(browser, "explore");
    assert!(browser.run(lanes).as_u64() > Some(3));
    browser.run("const s=document.getElementById('system');s.value='DINERS_WITHOUT_LOCK';s.dispatchEvent(new Event('change'))");
    browser.wait_for("return document.querySelectorAll('.run .row').length===0");
    browser.run("document.getElementById('formula').value='G(phil.0.left.get => F phil.0.eat)';document.getElementById('ask').click()");
    browser.wait_for("return document.querySelector('.pill.violated')!==null");
    browser.run("document.getElementById('formula').value='G(';document.getElementById('ask').click()");
    browser.wait_for("return document.getElementById('said').textContent.includes('cannot be read')");
    assert!(
        browser.requests().iter().all(|one| one.starts_with(&served.address)),
        "a request leaves the page"
    );
    served.end();

    let program = written("explored.c", FAILS);
    let served = Served::start(&[&program]);
    browser.open(&served.address);
    browser.wait_for("return document.getElementById('said').textContent.includes('__VERIFIER_nondet_int')");
    browser.run("document.getElementById('value').value='4';document.getElementById('give').click()");
    browser.wait_for("return document.getElementById('said').textContent.includes('level < 30')");
    browser.press(&["b"]);
    browser.wait_for("return document.getElementById('said').textContent.includes('next:')");
    browser.run("document.getElementById('value').value='2';document.getElementById('give').click()");
    browser.wait_for("return document.getElementById('said').textContent.includes('ends with status 0')");
    browser.run("document.getElementById('value').disabled=false;document.getElementById('again').click()");
    browser.wait_for("return document.getElementById('said').textContent.includes('next:')");
    browser.run("document.getElementById('value').value='no number';document.getElementById('give').click()");
    browser.wait_for("return document.getElementById('said').textContent.includes('is no value')");
    // Refusals are told by the browser as well; nothing else is.
    let strange: Vec<String> = browser.complaints().into_iter().filter(|one| !one.contains("422")).collect();
    assert_eq!(strange, [""; 0]);
    served.end();
    walk_a_boolean_program(browser);
    choose_a_schedule(browser);
}
