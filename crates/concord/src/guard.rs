//! The edge of the process: a thread with a large stack, panics turned into a report, Ctrl-C turned into a
//! cancelled budget.

use crate::exit::Exit;
use base::Budget;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Trees of real programs are deep and walked recursively. Only the part that is used costs memory.
const STACK_BYTES: usize = 256 << 20;

/// Runs a verb. A panic is a mistake in Concord: it is reported with what a report needs, and the exit status
/// says so.
pub fn run_guarded(verb: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let told: Arc<Mutex<Option<String>>> = Arc::default();
    let hook_told = Arc::clone(&told);
    std::panic::set_hook(Box::new(move |panic| {
        // The first panic is the cause; later ones are its consequences.
        if let Ok(mut told) = hook_told.lock() {
            let trace = std::backtrace::Backtrace::capture();
            let text = match trace.status() {
                std::backtrace::BacktraceStatus::Captured => format!("{panic}\n{trace}"),
                _ => panic.to_string(),
            };
            told.get_or_insert(text);
        }
    }));
    let thread = std::thread::Builder::new().name("concord".into()).stack_size(STACK_BYTES).spawn(verb);
    let ended = match thread {
        Ok(thread) => thread.join().ok(),
        Err(error) => {
            report(&format!("the working thread cannot be started: {error}"));
            return Exit::Internal;
        }
    };
    ended.unwrap_or_else(|| {
        let told = told.lock().ok().and_then(|mut told| told.take());
        report(&told.unwrap_or_else(|| "a panic without words".to_string()));
        Exit::Internal
    })
}

fn report(what: &str) {
    let arguments: Vec<String> = std::env::args().collect();
    let text = format!(
        "error: internal error: {what}\n\n\
         This is a mistake in Concord, not in your program, and nothing is claimed about your program.\n\
         Please report it with these lines and, if you can, the input:\n  \
         version: concord {}\n  command: {}\n",
        env!("CARGO_PKG_VERSION"),
        arguments.join(" ")
    );
    // Without a standard error there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Ctrl-C asks the engines to stop and tell what they know; a second one ends the process at once.
pub fn cancel_on_interrupt(budget: &Budget) {
    static ASKED: AtomicBool = AtomicBool::new(false);
    let budget = budget.clone();
    let handler = move || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        budget.cancel();
    };
    // A second handler in one process is refused; then the default, ending at once, stays.
    let _ = ctrlc::set_handler(handler);
}
