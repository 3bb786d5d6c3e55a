//! The page itself: constant markup, the data, styles and scripts. See the obligation in `mod.rs`.
//!
//! Own code in place of a template library: what is not constant are two texts and the data.

use super::Page;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = concat!(include_str!("assets/page.css"), include_str!("assets/parts.css"));
const SCRIPT: &str = concat!(
    "\"use strict\";(()=>{\n",
    include_str!("assets/dom.js"),
    include_str!("assets/list.js"),
    include_str!("assets/source.js"),
    include_str!("assets/run.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/decided.js"),
    include_str!("assets/tasks.js"),
    include_str!("assets/explore.js"),
    include_str!("assets/start.js"),
    "})();\n"
);

/// What a server says of the page beside the page itself: the same policy, and that nobody keeps or frames it.
pub const LIVE_HEADER: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n";

/// The page as HTML.
pub fn to_html(page: &Page) -> String {
    let data = in_markup(&serde_json::to_string(page).expect("a tree of plain values"));
    let requests = if page.live.is_some() { "'self'" } else { "'none'" };
    let mut out = String::with_capacity(data.len() + STYLE.len() + SCRIPT.len() + 4096);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{}'; \
         style-src 'sha256-{}'; connect-src {requests}; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} · Concord</title>\n",
        hash(SCRIPT),
        hash(STYLE),
        escape(&page.title)
    );
    let _ = write!(
        out,
        "<style>{STYLE}</style>\n</head>\n<body>\n<div id=\"page\"></div>\n\
         <noscript><main class=\"plain\"><h1>{}</h1><pre>{}</pre>\
         <p>The rest of this report needs scripts, which are in this file and ask for nothing outside of it.</p>\
         </main></noscript>\n<script type=\"application/json\" id=\"report\">{data}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&page.title),
        escape(&page.text)
    );
    out
}

/// JSON that can stand in markup: the characters with which markup could begin are written by their numbers, which
/// means the same in JSON, where they only stand in strings.
fn in_markup(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 32);
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            _ => out.push(character),
        }
    }
    out
}

/// Text that can stand in markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}

/// The hash of a text as policies name it.
fn hash(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            match digit <= three.len() {
                true => out.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Answer, Language, Sources};

    #[test]
    fn base64_is_that_of_the_standard() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn texts_do_not_become_markup() {
        let hostile =
            "</script><script>alert(1)</script><!-- ]]> & \u{2028} \" ' <img src=x onerror=alert(1)>";
        let mut sources = Sources::default();
        sources.add(hostile, hostile, Language::C);
        let answer = Answer { name: hostile.into(), headline: hostile.into(), ..Answer::default() };
        let page = Page {
            title: hostile.into(),
            text: hostile.into(),
            command: hostile.into(),
            sources: sources.into_list(),
            answers: vec![answer],
            ..Page::default()
        };
        let html = to_html(&page);
        let plain = to_html(&Page::default());
        for markup in ["<script", "</script", "<img", "<!--", "<main", "<style"] {
            assert_eq!(html.matches(markup).count(), plain.matches(markup).count(), "{markup}");
        }
        // What is in the page is what was put in.
        let data = html.split_once("id=\"report\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let data: serde_json::Value = serde_json::from_str(data.expect("the data").0).expect("JSON");
        assert_eq!(data["title"], hostile);
        let line: String = data["sources"][0]["lines"][0]
            .as_array()
            .expect("pieces")
            .iter()
            .map(|piece| piece[0].as_str().expect("a text"))
            .collect();
        assert_eq!(line, hostile);
    }

    #[test]
    fn nothing_outside_is_named() {
        let html = to_html(&Page::default());
        for outside in ["http:", "https:", "//cdn", "@import", "url("] {
            let allowed = html.matches("http://www.w3.org/2000/svg").count();
            let found = html.matches(outside).count() - if outside == "http:" { allowed } else { 0 };
            assert_eq!(found, 0, "{outside}");
        }
        // Scripts make text, never markup.
        for maker in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
        {
            assert!(!SCRIPT.contains(maker), "{maker}");
        }
    }
}
