//! Makes a program that shows a problem smaller while it still shows it.
//! Delta debugging (Zeller, Hildebrandt 2002) on lines. DIVERGENCE: regions between matching braces are tried first, since
//! deleting a whole statement or function keeps the rest valid far more often than deleting any other run of lines.

use std::time::{Duration, Instant};

/// The smallest text found within the time for which `shows_it` holds. It must hold for `text` itself.
pub fn minimise(text: &str, limit: Duration, mut shows_it: impl FnMut(&str) -> bool) -> String {
    let deadline = Instant::now() + limit;
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    loop {
        let before = lines.len();
        remove_regions(&mut lines, deadline, &mut shows_it);
        remove_chunks(&mut lines, deadline, &mut shows_it);
        remove_braces(&mut lines, deadline, &mut shows_it);
        if lines.len() == before || Instant::now() >= deadline {
            return joined(&lines);
        }
    }
}

fn joined(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn without(lines: &[String], from: usize, to: usize) -> Vec<String> {
    [&lines[..from], &lines[to..]].concat()
}

/// Tries to delete each statement or definition with its braces, last first: later ones depend on earlier ones.
fn remove_regions(lines: &mut Vec<String>, deadline: Instant, shows_it: &mut impl FnMut(&str) -> bool) {
    let mut at = lines.len();
    while at > 0 && Instant::now() < deadline {
        at -= 1;
        let Some(end) = region_end(lines, at) else { continue };
        let smaller = without(lines, at, end);
        if shows_it(&joined(&smaller)) {
            *lines = smaller;
        }
    }
}

/// Tries to take the braces off each block, leaving what is inside.
fn remove_braces(lines: &mut Vec<String>, deadline: Instant, shows_it: &mut impl FnMut(&str) -> bool) {
    let mut at = lines.len();
    while at > 0 && Instant::now() < deadline {
        at -= 1;
        if lines.get(at).is_none_or(|line| line.trim() != "{") {
            continue;
        }
        let Some(end) = region_end(lines, at) else { continue };
        let mut smaller = lines.clone();
        smaller.remove(end - 1);
        smaller.remove(at);
        if shows_it(&joined(&smaller)) {
            *lines = smaller;
        }
    }
}

/// One past the line that closes the braces opened on this line or the next.
fn region_end(lines: &[String], start: usize) -> Option<usize> {
    let opens_next = lines.get(start + 1).is_some_and(|line| line.trim() == "{");
    let opens_here = balance(&lines[start]) > 0;
    if !opens_here && !opens_next {
        return None;
    }
    let mut depth = 0;
    for (index, line) in lines.iter().enumerate().skip(start) {
        depth += balance(line);
        if depth == 0 && (index > start || !opens_next) && (index > start + 1 || opens_here) {
            return Some(index + 1);
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

fn balance(line: &str) -> i32 {
    line.bytes().fold(0, |depth, byte| match byte {
        b'{' => depth + 1,
        b'}' => depth - 1,
        _ => depth,
    })
}

fn remove_chunks(lines: &mut Vec<String>, deadline: Instant, shows_it: &mut impl FnMut(&str) -> bool) {
    let mut size = (lines.len() / 2).max(1);
    loop {
        let mut end = lines.len();
        while end > 0 {
            if Instant::now() >= deadline {
                return;
            }
            let start = end.saturating_sub(size);
            let is_balanced = lines[start..end].iter().map(|line| balance(line)).sum::<i32>() == 0;
            let smaller = without(lines, start, end);
            if is_balanced && shows_it(&joined(&smaller)) {
                *lines = smaller;
            }
            end = start.min(lines.len());
        }
        if size == 1 {
            return;
        }
        size /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_stays() {
        let text = "int a;\nvoid f(void)\n{\n    a++;\n    if (a)\n    {\n        bad();\n    }\n}\nint main(void)\n{\n    f();\n}\n";
        let small = minimise(text, Duration::from_secs(5), |candidate| {
            candidate.contains("bad") && candidate.lines().map(balance).sum::<i32>() == 0
        });
        assert_eq!(small, "        bad();\n");
    }

    #[test]
    fn time_is_kept() {
        let text = "x;\n".repeat(1000);
        let small = minimise(&text, Duration::ZERO, |_| true);
        assert_eq!(small, text);
    }
}
