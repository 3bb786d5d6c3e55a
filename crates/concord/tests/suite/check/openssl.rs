//! Properties of the OpenSSL handshake (`bench/check/openssl.spec`), on the code as it is and on copies with
//! a mistake that are made here.

use super::{check, shared, workspace};
use std::path::{Path, PathBuf};

/// A mistake: which file, what stands there, what is put instead (everywhere).
type Mistake = (&'static str, &'static str, &'static str);

/// A folder with copies of the code, with mistakes.
struct Copies(PathBuf);

impl Copies {
    fn of(folder: &Path, name: &str, mistakes: &[Mistake]) -> Copies {
        let own = std::env::temp_dir().join(format!("concord-openssl-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&own).expect("a folder");
        for file in ["ssl3_accept.c", "ssl3_connect.c", "ssl_types.h", "server.spec", "client.spec"] {
            let mut text = std::fs::read_to_string(folder.join(file)).expect("the data");
            for (_, old, new) in mistakes.iter().filter(|(wanted, ..)| *wanted == file) {
                assert!(text.contains(old), "{file} has no `{old}`");
                text = text.replace(old, new);
            }
            std::fs::write(own.join(file), text).expect("written");
        }
        let spec = workspace().join("bench/check/openssl.spec");
        std::fs::copy(spec, own.join("openssl.spec")).expect("copied");
        Copies(own)
    }

    /// Asks for one statement; what is violated must have been run on the code.
    fn expect(&self, name: &str, verdict: &str) {
        let files = ["@/ssl3_accept.c+@/server.spec", "@/ssl3_connect.c+@/client.spec", "@/openssl.spec"];
        let ran = check(&self.0, &[&files[..], &["--missing", "pure", "--only", name]].concat());
        ran.expect(&[(name, verdict)]);
        if verdict == "violated" {
            let remarks = ran.results["results"][0]["remarks"].to_string();
            assert!(remarks.contains("was run on the code of ssl3_accept"), "{remarks}");
        }
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn properties_of_the_handshake_hold() {
    let Some(folder) = shared("openssl") else { return };
    let copies = Copies::of(&folder, "as-it-is", &[]);
    copies.expect("hello_answered", "holds");
    copies.expect("certificate_in_its_state", "holds");
    copies.expect("client_starts", "holds");
    copies.expect("one_hello", "holds");
    copies.expect("always_certificate", "violated");
}

#[test]
fn mistakes_in_the_handshake_are_found() {
    let Some(folder) = shared("openssl") else { return };
    let cases: [(&str, &[Mistake]); 4] = [
        // Errors before the handshake are reported as success, on both sides.
        (
            "success_after_finished",
            &[("ssl3_accept.c", "return (-1);", "return (1);"), ("ssl3_connect.c", "ret = -1;", "ret = 1;")],
        ),
        // A session that is taken up again does not change the cipher.
        (
            "finished_after_cipher",
            &[(
                "ssl3_accept.c",
                "if (s->hit) {\n                s->state = 8656;",
                "if (s->hit) {\n                s->state = 8672;",
            )],
        ),
        // The server waits for hellos for ever.
        (
            "hello_answered",
            &[(
                "ssl3_accept.c",
                "got_new_session = 1;\n            s->state = 8496;",
                "got_new_session = 1;",
            )],
        ),
        // The state is changed too early.
        (
            "certificate_in_its_state",
            &[(
                "ssl3_accept.c",
                "ret = ssl3_send_server_certificate(s);",
                "s->state = 8528; ret = ssl3_send_server_certificate(s);",
            )],
        ),
    ];
    for (name, mistakes) in cases {
        Copies::of(&folder, name, mistakes).expect(name, "violated");
    }
    // The server says it is done before anybody asked. VIOLATED would be progress: the run that is found
    // leaves `s->ctx` of the client open, the interpreter takes it for null, and a statement that the
    // question does not need reads through it.
    let early = [("ssl3_accept.c", "ssl3_get_client_hello(s)", "ssl3_send_server_done(s)")];
    Copies::of(&folder, "client_starts", &early).expect("client_starts", "undecided");
}
