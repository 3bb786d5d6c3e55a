//! Bytes by key that survive a kill at any moment: `redb`, whose transactions are there whole or not at all.
//!
//! What the library does not promise is checked here: each value has the hash of its place, its key and itself in
//! front, so that what was changed, mixed up or written by something else is not taken for ours. A file that cannot be
//! opened, or has an entry that is not as it was written, is put aside and begun anew: what is remembered saves time
//! and nothing else depends on it.

use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};
use sha2::{Digest, Sha256};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is kept apart from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Answers by the key of what they rest on.
    Answers,
    /// The last of each question, by its name.
    Questions,
}

impl Shelf {
    fn name(self) -> &'static str {
        match self {
            Shelf::Answers => "answers",
            Shelf::Questions => "questions",
        }
    }

    fn table(self) -> TableDefinition<'static, &'static str, &'static [u8]> {
        TableDefinition::new(self.name())
    }
}

/// How the file was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// There was none, or an empty one.
    New,
    /// As it was left.
    Known,
    /// It was not one of ours, or damaged: put aside, and begun anew.
    BegunAnew(String),
    /// Nothing is remembered in this run.
    Without(String),
}

const FILE: &str = "answers.redb";
/// Enough for answers, little beside what an engine needs.
const CACHE_BYTES: usize = 16 << 20;
const HASH_BYTES: usize = 32;

/// The memory of a project.
#[derive(Debug)]
pub struct Memory {
    database: Mutex<Option<Database>>,
    path: PathBuf,
}

/// Why something cannot be remembered or recalled.
type Trouble = String;

impl Memory {
    /// Remembers nothing.
    pub fn none() -> Memory {
        Memory { database: Mutex::new(None), path: PathBuf::new() }
    }

    /// The memory in a folder, which is made if it is not there.
    pub fn open(folder: &Path) -> (Memory, Opened) {
        let path = folder.join(FILE);
        let without = |why: String| (Memory::none(), Opened::Without(why));
        if let Err(error) = std::fs::create_dir_all(folder) {
            return without(format!("{}: cannot be made: {error}", folder.display()));
        }
        let was_there = std::fs::metadata(&path).is_ok_and(|known| known.len() > 0);
        match open_file(&path) {
            Ok(database) => {
                let opened = if was_there { Opened::Known } else { Opened::New };
                (Memory { database: Mutex::new(Some(database)), path }, opened)
            }
            Err(Refusal::InUse) => {
                without(format!("{} is in use by another process of Concord", path.display()))
            }
            Err(Refusal::NotToBeHad(why)) => without(format!("{}: {why}", path.display())),
            Err(Refusal::Broken(why)) => match aside(&path).and_then(|()| begin(&path)) {
                Ok(database) => {
                    let why = format!("{} cannot be read ({why})", path.display());
                    (Memory { database: Mutex::new(Some(database)), path }, Opened::BegunAnew(why))
                }
                Err(trouble) => without(trouble),
            },
        }
    }

    /// What is kept under a key; nothing if there is nothing. Trouble is what is there and not as it was written.
    pub fn read(&self, shelf: Shelf, key: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let Ok(database) = self.database.lock() else { return Ok(None) };
        let Some(database) = &*database else { return Ok(None) };
        let sealed = guarded(|| {
            let reading = database.begin_read().map_err(in_words)?;
            let table = match reading.open_table(shelf.table()) {
                Ok(table) => table,
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
                Err(error) => return Err(in_words(error)),
            };
            let value = table.get(key).map_err(in_words)?;
            Ok(value.map(|value| value.value().to_vec()))
        })?;
        match sealed {
            None => Ok(None),
            Some(sealed) => match unsealed(shelf, key, &sealed) {
                Some(value) => Ok(Some(value)),
                None => Err("an entry is not as it was written".to_owned()),
            },
        }
    }

    /// Keeps values and takes others away, all or nothing.
    pub fn write(&self, changes: &[(Shelf, &str, Option<&[u8]>)]) -> Result<(), Trouble> {
        let Ok(database) = self.database.lock() else { return Ok(()) };
        let Some(database) = &*database else { return Ok(()) };
        guarded(|| {
            let writing = database.begin_write().map_err(in_words)?;
            for (shelf, key, value) in changes {
                let mut table = writing.open_table(shelf.table()).map_err(in_words)?;
                match value {
                    Some(value) => {
                        let sealed = sealed(*shelf, key, value);
                        table.insert(*key, sealed.as_slice()).map_err(in_words)?;
                    }
                    None => {
                        table.remove(*key).map_err(in_words)?;
                    }
                }
            }
            writing.commit().map_err(in_words)
        })
    }

    /// Puts the file aside and begins anew.
    pub fn begin_anew(&self) -> Result<(), Trouble> {
        let Ok(mut database) = self.database.lock() else { return Ok(()) };
        if database.is_none() {
            return Ok(());
        }
        *database = None;
        aside(&self.path)?;
        *database = Some(begin(&self.path)?);
        Ok(())
    }
}

/// Why a file was not opened.
enum Refusal {
    InUse,
    NotToBeHad(String),
    Broken(String),
}

fn open_file(path: &Path) -> Result<Database, Refusal> {
    let opened =
        catch_unwind(AssertUnwindSafe(|| Database::builder().set_cache_size(CACHE_BYTES).create(path)));
    match opened {
        Ok(Ok(database)) => Ok(database),
        Ok(Err(DatabaseError::DatabaseAlreadyOpen)) => Err(Refusal::InUse),
        Ok(Err(DatabaseError::Storage(redb::StorageError::Io(error))))
            if error.kind() != std::io::ErrorKind::InvalidData
                && error.kind() != std::io::ErrorKind::UnexpectedEof =>
        {
            Err(Refusal::NotToBeHad(error.to_string()))
        }
        Ok(Err(error)) => Err(Refusal::Broken(error.to_string())),
        Err(_) => Err(Refusal::Broken("it is damaged".to_owned())),
    }
}

fn begin(path: &Path) -> Result<Database, Trouble> {
    open_file(path).map_err(|_| format!("{}: cannot be begun anew", path.display()))
}

/// The file is kept beside the new one, once, for whoever wants to know what happened.
fn aside(path: &Path) -> Result<(), Trouble> {
    std::fs::rename(path, path.with_extension("broken"))
        .map_err(|error| format!("{}: cannot be put aside: {error}", path.display()))
}

fn in_words(error: impl std::fmt::Display) -> Trouble {
    error.to_string()
}

/// A damaged file can make the library give up with a panic; that is trouble like any other.
fn guarded<T>(work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("the file is damaged".to_owned()))
}

fn seal(shelf: Shelf, key: &str, value: &[u8]) -> [u8; HASH_BYTES] {
    let mut hash = Sha256::new();
    hash.update(shelf.name());
    hash.update((key.len() as u64).to_le_bytes());
    hash.update(key);
    hash.update(value);
    hash.finalize().into()
}

fn sealed(shelf: Shelf, key: &str, value: &[u8]) -> Vec<u8> {
    let mut sealed = seal(shelf, key, value).to_vec();
    sealed.extend_from_slice(value);
    sealed
}

fn unsealed(shelf: Shelf, key: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (hash, value) = sealed.split_at_checked(HASH_BYTES)?;
    (hash == seal(shelf, key, value)).then(|| value.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("concord-store-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_kept_is_there_the_next_time() {
        let folder = Folder::new("kept");
        let (memory, opened) = Memory::open(&folder.0);
        assert_eq!(opened, Opened::New);
        assert_eq!(memory.read(Shelf::Answers, "k"), Ok(None));
        memory
            .write(&[(Shelf::Answers, "k", Some(b"v")), (Shelf::Questions, "k", Some(b"w"))])
            .expect("kept");
        // One process at a time.
        assert!(matches!(Memory::open(&folder.0).1, Opened::Without(_)));
        drop(memory);
        let (memory, opened) = Memory::open(&folder.0);
        assert_eq!(opened, Opened::Known);
        assert_eq!(memory.read(Shelf::Answers, "k"), Ok(Some(b"v".to_vec())));
        assert_eq!(memory.read(Shelf::Questions, "k"), Ok(Some(b"w".to_vec())));
        memory.write(&[(Shelf::Answers, "k", None)]).expect("taken away");
        assert_eq!(memory.read(Shelf::Answers, "k"), Ok(None));
    }

    #[test]
    fn an_entry_under_another_key_is_not_taken_for_ours() {
        let moved = sealed(Shelf::Answers, "one", b"holds");
        assert_eq!(unsealed(Shelf::Answers, "one", &moved), Some(b"holds".to_vec()));
        assert_eq!(unsealed(Shelf::Answers, "two", &moved), None);
        assert_eq!(unsealed(Shelf::Questions, "one", &moved), None);
        assert_eq!(unsealed(Shelf::Answers, "one", b"short"), None);
        // An entry that something else wrote, through the library itself.
        let folder = Folder::new("foreign");
        let (memory, _) = Memory::open(&folder.0);
        {
            let database = memory.database.lock().expect("nobody else has it");
            let database = database.as_ref().expect("it is open");
            let writing = database.begin_write().expect("a transaction");
            writing
                .open_table(Shelf::Answers.table())
                .expect("the table")
                .insert("one", b"holds".as_slice())
                .expect("written");
            writing.commit().expect("committed");
        }
        assert!(memory.read(Shelf::Answers, "one").is_err());
        memory.begin_anew().expect("begun anew");
        assert_eq!(memory.read(Shelf::Answers, "one"), Ok(None));
    }

    /// Bytes of the file are changed one after the other: what comes back is what was kept, nothing, or trouble.
    #[test]
    fn no_damage_makes_another_value() {
        let folder = Folder::new("damaged");
        let (memory, _) = Memory::open(&folder.0);
        let value = vec![7_u8; 3000];
        memory.write(&[(Shelf::Answers, "k", Some(&value))]).expect("kept");
        drop(memory);
        let path = folder.0.join(FILE);
        let whole = std::fs::read(&path).expect("the file");
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let mut kept = 0;
        let mut state = 11_u64;
        let places = (0..60).map(|round| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // The head of the file, and where anything stands.
            if round < 30 { (state >> 33) as usize % 512 } else { (state >> 33) as usize % whole.len() }
        });
        let wrong: Vec<String> = places
            .filter_map(|at| {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x55;
                std::fs::write(&path, &damaged).expect("written");
                let (memory, _) = Memory::open(&folder.0);
                match memory.read(Shelf::Answers, "k") {
                    Ok(Some(read)) if read != value => Some(format!("byte {at} makes another value")),
                    Ok(Some(_)) => {
                        kept += 1;
                        None
                    }
                    Ok(None) | Err(_) => None,
                }
            })
            .collect();
        std::fs::write(&path, &whole[..whole.len() / 3]).expect("cut off");
        let (memory, opened) = Memory::open(&folder.0);
        std::panic::set_hook(quiet);
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(kept > 0, "most bytes of the file are not those of the entry");
        assert!(!matches!(opened, Opened::Without(_)), "{opened:?}");
        assert_eq!(memory.read(Shelf::Answers, "k"), Ok(None));
        std::fs::write(folder.0.join("text"), "not a store").expect("written");
        drop(memory);
        std::fs::rename(folder.0.join("text"), &path).expect("renamed");
        let (memory, opened) = Memory::open(&folder.0);
        assert!(matches!(opened, Opened::BegunAnew(_)), "{opened:?}");
        assert_eq!(memory.read(Shelf::Answers, "k"), Ok(None));
    }
}
