//! The most memory this process has had, as the system tells it.

use std::process::Command;

/// From here on the peak is counted anew.
pub fn forget_peak() {
    // Where the system does not offer this, the peak includes what was built before: too much, never too little.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most bytes that were resident since; 0 where the system does not tell.
pub fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// Runs this program again with other arguments.
pub fn in_process_of_its_own(arguments: &[&str]) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = Command::new(own).args(arguments).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{} failed: {status}", arguments.join(" "))) }
}
