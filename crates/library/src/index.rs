//! The index of descriptions, read from the lines that stand above them.

use std::sync::OnceLock;

/// A file of descriptions.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// As programs include it, such as `string.h`.
    pub name: &'static str,
    /// The name of the source, such as `<library>/string.c`.
    pub source: &'static str,
    /// The C text, without the words it begins with ([`crate::WORDS`]).
    pub text: &'static str,
}

/// A function with a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The function.
    pub name: &'static str,
    /// The file of its description, in [`headers`].
    pub header: usize,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Is it said in C? Otherwise engines know it by its name ([`program::Known`]).
    pub has_body: bool,
}

const HEADERS: &[Header] = &[
    Header { name: "string.h", source: "<library>/string.c", text: include_str!("../headers/string.c") },
    Header { name: "stdlib.h", source: "<library>/stdlib.c", text: include_str!("../headers/stdlib.c") },
    Header { name: "ctype.h", source: "<library>/ctype.c", text: include_str!("../headers/ctype.c") },
    Header { name: "errno.h", source: "<library>/errno.c", text: include_str!("../headers/errno.c") },
    Header { name: "time.h", source: "<library>/time.c", text: include_str!("../headers/time.c") },
    Header { name: "unistd.h", source: "<library>/unistd.c", text: include_str!("../headers/unistd.c") },
    Header { name: "arpa/inet.h", source: "<library>/inet.c", text: include_str!("../headers/inet.c") },
    Header { name: "search.h", source: "<library>/search.c", text: include_str!("../headers/search.c") },
    Header { name: "stdio.h", source: "<library>/stdio.c", text: include_str!("../headers/stdio.c") },
    Header { name: "math.h", source: "<library>/math.c", text: include_str!("../headers/math.c") },
    Header { name: "fenv.h", source: "<library>/fenv.c", text: include_str!("../headers/fenv.c") },
    Header { name: "pthread.h", source: "<library>/pthread.c", text: include_str!("../headers/pthread.c") },
    Header { name: "threads.h", source: "<library>/threads.c", text: include_str!("../headers/threads.c") },
    Header {
        name: "checked variants (_FORTIFY_SOURCE)",
        source: "<library>/checked.c",
        text: include_str!("../headers/checked.c"),
    },
    Header {
        name: "gcc builtins",
        source: "<library>/builtins.c",
        text: include_str!("../headers/builtins.c"),
    },
];

const BUILT_IN: &str = " (built in)";

/// The files, in the order they are listed for people.
pub fn headers() -> &'static [Header] {
    HEADERS
}

/// All functions with a description, in the order of the files.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let each = HEADERS.iter().enumerate();
        each.flat_map(|(number, header)| {
            header.text.lines().filter_map(move |line| entries_of(number, line)).flatten()
        })
        .collect()
    })
}

/// `//! memcpy, mempcpy: copies bytes`
fn entries_of(header: usize, line: &'static str) -> Option<impl Iterator<Item = Entry>> {
    let (names, summary) = line.strip_prefix("//! ")?.split_once(": ")?;
    let (names, has_body) = match names.strip_suffix(BUILT_IN) {
        Some(names) => (names, false),
        None => (names, true),
    };
    Some(names.split(", ").map(move |name| Entry { name, header, summary, has_body }))
}

/// The file with the C text of a function, if it is said in C.
pub fn header_of(function: &str) -> Option<usize> {
    entries().iter().find(|entry| entry.has_body && entry.name == function).map(|entry| entry.header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Known;
    use std::collections::BTreeSet;

    #[test]
    fn every_function_is_described_once() {
        let mut seen = BTreeSet::new();
        for entry in entries() {
            assert!(seen.insert(entry.name), "`{}` is described twice", entry.name);
            assert!(!entry.summary.is_empty() && entry.summary.len() < 160, "{entry:?}");
        }
        assert!(seen.len() > 150, "the index is read");
    }

    #[test]
    fn what_is_not_said_in_c_has_a_built_in_meaning() {
        for entry in entries().iter().filter(|entry| !entry.has_body) {
            assert!(Known::by_name(entry.name).is_some(), "`{}` has no meaning", entry.name);
        }
    }

    #[test]
    fn sources_are_known_as_the_librarys() {
        assert!(headers().iter().all(|header| header.source.starts_with(program::LIBRARY_FOLDER)));
    }

    #[test]
    fn every_built_in_meaning_is_listed() {
        // Names of other tools and of the compiler are no library functions.
        let is_library = |name: &str| entries().iter().any(|entry| entry.name == name);
        for name in ["malloc", "free", "memcpy", "exit", "printf", "pthread_mutex_lock", "sqrt", "fabsf"] {
            assert!(is_library(name), "`{name}` is not listed");
        }
    }
}
