//! The outside world of a running program: its standard streams. The interpreter itself never prints or reads.

/// Which of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// `stdout`
    Out,
    /// `stderr`
    Err,
}

/// Standard streams.
pub trait Host {
    /// The program writes. Must not fail; a host that cannot write drops the bytes and tells its user itself.
    fn write(&mut self, stream: OutputStream, bytes: &[u8]);

    /// The program reads `stdin`: fills the front of `buffer` and says how much; 0 is the end of the input.
    fn read(&mut self, buffer: &mut [u8]) -> usize;

    /// The program asked for its output to be visible now.
    fn flush(&mut self) {}
}

/// Keeps what is written and reads from a given text. For tests and replay.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// What went to `stdout`.
    pub out: Vec<u8>,
    /// What went to `stderr`.
    pub err: Vec<u8>,
    input: Vec<u8>,
    read: usize,
}

impl Captured {
    /// A host whose `stdin` holds that.
    pub fn with_input(input: impl Into<Vec<u8>>) -> Captured {
        Captured { input: input.into(), ..Captured::default() }
    }
}

impl Host for Captured {
    fn write(&mut self, stream: OutputStream, bytes: &[u8]) {
        match stream {
            OutputStream::Out => self.out.extend_from_slice(bytes),
            OutputStream::Err => self.err.extend_from_slice(bytes),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let rest = &self.input[self.read..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        count
    }
}

/// Keeps nothing of what is written and has nothing to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discarded;

impl Host for Discarded {
    fn write(&mut self, _: OutputStream, _: &[u8]) {}

    fn read(&mut self, _: &mut [u8]) -> usize {
        0
    }
}
