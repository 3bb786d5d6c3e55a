//! What functions of the library keep for themselves and share, so that the order of two calls tells.

/// Something that calls leave for later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shared {
    /// `errno`
    Errno,
    /// How far input was read.
    Input,
    /// Where `strtok` stands.
    Tokens,
    /// The sequence of pseudo-random numbers.
    Random,
    /// The environment.
    Environment,
    /// The text or record that calls of one header's functions return.
    Result(&'static str),
}

/// What a call does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It reads it, or what it returns depends on it.
    Reads,
    /// It changes it.
    Writes,
    /// It changes it in a way that no other such call notices.
    Adds,
}

const INPUT: &[&str] = &[
    "getchar",
    "getchar_unlocked",
    "getc",
    "getc_unlocked",
    "fgetc",
    "fgetc_unlocked",
    "gets",
    "fgets",
    "fread",
    "getline",
    "getdelim",
    "__getdelim",
    "scanf",
    "fscanf",
    "vscanf",
    "vfscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "ungetc",
    "fseek",
    "fseeko",
    "fsetpos",
    "rewind",
    "clearerr",
    "feof",
    "ferror",
    "getwchar",
    "getwc",
    "fgetwc",
];
const RANDOM: &[&str] = &["rand", "random", "lrand48", "mrand48", "drand48"];
const SEEDS: &[&str] = &["srand", "srandom", "srand48"];
const SETS_ENVIRONMENT: &[&str] = &["setenv", "unsetenv", "putenv", "clearenv"];
const RETURN_THEIR_OWN: &[(&str, &[&str])] = &[
    ("time.h", &["localtime", "gmtime", "ctime", "asctime"]),
    ("arpa/inet.h", &["inet_ntoa"]),
    ("stdio.h", &["tmpnam"]),
    ("locale.h", &["setlocale", "localeconv"]),
    ("string.h", &["strerror", "strsignal"]),
];
/// Headers whose functions leave `errno` alone.
const LEAVE_ERRNO: &[&str] = &[
    "string.h",
    "ctype.h",
    "search.h",
    "arpa/inet.h",
    "gcc builtins",
    "errno.h",
    "checked variants (_FORTIFY_SOURCE)",
];

/// What a function of the library shares with others.
pub fn shared(function: &str) -> Vec<(Shared, Use)> {
    let mut all = Vec::new();
    let Some(entry) = crate::entries().iter().find(|entry| entry.name == function) else { return all };
    if !LEAVE_ERRNO.contains(&crate::headers()[entry.header].name) {
        all.push((Shared::Errno, Use::Adds));
    }
    if INPUT.contains(&function) {
        all.push((Shared::Input, Use::Writes));
    }
    if function == "strtok" {
        all.push((Shared::Tokens, Use::Writes));
    }
    if RANDOM.contains(&function) {
        all.push((Shared::Random, Use::Adds));
    }
    if SEEDS.contains(&function) {
        all.push((Shared::Random, Use::Writes));
    }
    if function == "getenv" {
        all.push((Shared::Environment, Use::Reads));
    }
    if SETS_ENVIRONMENT.contains(&function) {
        all.push((Shared::Environment, Use::Writes));
    }
    if let Some((header, _)) = RETURN_THEIR_OWN.iter().find(|(_, names)| names.contains(&function)) {
        all.push((Shared::Result(header), Use::Writes));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_calls_tells_where_they_share_something() {
        assert!(shared("strtok").contains(&(Shared::Tokens, Use::Writes)));
        assert!(shared("fgetc").contains(&(Shared::Input, Use::Writes)));
        assert!(shared("strtol").contains(&(Shared::Errno, Use::Adds)));
        assert_eq!(shared("strlen"), []);
        assert_eq!(shared("a_function_of_the_program"), []);
    }
}
