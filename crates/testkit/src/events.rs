//! A listener: which figures an engine told while it worked.

use base::{Event, EventSink};
use std::sync::Mutex;

/// Keeps every figure that it hears.
#[derive(Debug, Default)]
pub struct Heard(Mutex<Vec<(&'static str, u64)>>);

impl Heard {
    /// The figures so far, in the order they were told.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        self.0.lock().expect("nobody panics while they hold it").clone()
    }
}

impl EventSink for Heard {
    fn emit(&self, event: Event) {
        if let Event::Count { what, value } = event {
            self.0.lock().expect("nobody panics while they hold it").push((what, value));
        }
    }
}
