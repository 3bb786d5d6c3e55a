//! Runs as sequence charts: a column per component or thread, time goes down, a row per step; a step that several make
//! together is a line between them. (The message sequence charts of ITU Z.120, with joint actions in place of
//! messages.)

use super::layout::{CHARACTER, LINE};
use super::svg::{STYLE, escape, number};
use crate::page::Run;
use std::fmt::Write;

/// Longer runs are cut in the middle: nobody reads a picture of that height.
const MOST_STEPS: usize = 400;
/// Between two rows.
const ROW: f64 = 26.0;
/// A column is no narrower than this.
const LEAST_COLUMN: f64 = 90.0;
/// Words of a step that are longer are cut.
const MOST_WORDS: usize = 70;
/// Above the first row.
const TOP: f64 = 84.0;

const OWN_STYLE: &str = "\
path.life{stroke:#afb8c1;stroke-dasharray:2 4}
path.joint{stroke:#0969da;stroke-width:1.6}
circle{fill:#0969da;stroke:#ffffff;stroke-width:1.5}
circle.silent{fill:#ffffff;stroke:#8c959f}
rect.loop{fill:#e3eefb;stroke:none}
rect.held{fill:#9a6700;fill-opacity:.35;stroke:none}\n\
rect.lane{fill:#f6f8fa;stroke:#57606a}
";

/// Draws a run as a sequence chart in SVG; `title` stands above it.
pub fn sequence(run: &Run, title: &str) -> String {
    let cut = run.steps.len().saturating_sub(MOST_STEPS);
    let shown: Vec<usize> = match cut {
        0 => (0..run.steps.len()).collect(),
        _ => (0..MOST_STEPS / 2).chain(run.steps.len() - MOST_STEPS / 2..run.steps.len()).collect(),
    };
    let lanes: Vec<&str> = match run.lanes.is_empty() {
        true => vec!["run"],
        false => run.lanes.iter().map(String::as_str).collect(),
    };
    let longest = lanes.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
    let column = (longest * CHARACTER + 24.0).max(LEAST_COLUMN);
    let middle = |lane: usize| 60.0 + (lane as f64 + 0.5) * column;
    let words_at = 60.0 + lanes.len() as f64 * column + 18.0;
    let words = |at: usize| super::shortened(&run.steps[at].words(), MOST_WORDS);
    let widest = shown.iter().map(|&at| words(at).chars().count()).max().unwrap_or(0);
    let title_width = title.chars().count() as f64 * CHARACTER * 14.0 / 12.0;
    let width = (words_at + widest as f64 * CHARACTER + 24.0).max(title_width + 28.0);
    let ends = run.end.lines().count();
    let height = TOP + shown.len() as f64 * ROW + (ends as f64 + 2.0) * LINE + 12.0;
    let mut out = String::new();
    let (full_width, full_height) = (number(width), number(height));
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full_width}\" height=\"{full_height}\" viewBox=\"0 0 {full_width} {full_height}\">"
    );
    let _ = writeln!(out, "<title>{}</title>\n<style>\n{STYLE}{OWN_STYLE}</style>", escape(title));
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{full_width}\" height=\"{full_height}\"/>");
    let _ = writeln!(out, "<text class=\"title\" x=\"14\" y=\"26\">{}</text>", escape(title));
    let bottom = TOP + shown.len() as f64 * ROW;
    let row_of = |at: usize| shown.iter().position(|&own| own == at).map(|row| TOP + row as f64 * ROW);
    if let Some(top) =
        run.loop_from.and_then(|from| shown.iter().find(|&&at| at >= from).copied()).and_then(row_of)
    {
        let (y, wide, high) = (number(top), number(width - 20.0), number(bottom - top));
        let _ = writeln!(
            out,
            "<rect class=\"loop\" x=\"10\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" rx=\"6\"/>"
        );
        let _ = writeln!(out, "<text class=\"label\" x=\"14\" y=\"{}\">for ever</text>", number(top - 3.0));
    }
    for (lane, name) in lanes.iter().enumerate() {
        let x = middle(lane);
        let (left, wide) = (number(x - column / 2.0 + 5.0), number(column - 10.0));
        let _ = writeln!(out, "<path class=\"life\" d=\"M{0},66 L{0},{1}\"/>", number(x), number(bottom));
        let _ = writeln!(
            out,
            "<rect class=\"lane\" x=\"{left}\" y=\"42\" width=\"{wide}\" height=\"24\" rx=\"4\"/>"
        );
        let _ = writeln!(
            out,
            "<text class=\"heading\" x=\"{}\" y=\"58\" text-anchor=\"middle\">{}</text>",
            number(x),
            escape(name)
        );
    }
    let locks: Vec<_> = if run.lanes.is_empty() { Vec::new() } else { run.held() };
    let mut names: Vec<&str> = locks.iter().map(|one| one.lock.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for held in locks.iter().filter(|one| one.lane < lanes.len()) {
        let rows = |from: usize, until: usize| {
            let mut met = shown
                .iter()
                .enumerate()
                .filter(move |(_, at)| (from..=until).contains(at))
                .map(|(row, _)| row);
            Some((met.clone().next()?, met.next_back()?))
        };
        let Some((first, last)) = rows(held.from, held.until.unwrap_or(usize::MAX)) else { continue };
        let place = names.iter().position(|name| *name == held.lock).unwrap_or(0) as f64;
        let x = number(middle(held.lane) + 7.0 + 7.0 * place);
        let top = TOP + (first as f64 + 0.5) * ROW;
        let high = (last - first) as f64 * ROW + if held.until.is_none() { ROW / 2.0 } else { 1.0 };
        let _ = writeln!(
            out,
            "<rect class=\"held\" x=\"{x}\" y=\"{}\" width=\"5\" height=\"{}\"><title>holds {}</title></rect>",
            number(top),
            number(high),
            escape(&held.lock)
        );
    }
    for (row, &at) in shown.iter().enumerate() {
        let step = &run.steps[at];
        let y = TOP + (row as f64 + 0.5) * ROW;
        let text_y = number(y + 4.0);
        let _ = writeln!(
            out,
            "<text class=\"number\" x=\"44\" y=\"{text_y}\" text-anchor=\"end\">{}</text>",
            at + 1
        );
        let mut movers: Vec<usize> = step.lanes.iter().copied().filter(|&lane| lane < lanes.len()).collect();
        movers.sort_unstable();
        if let (Some(&first), Some(&last)) = (movers.first(), movers.last())
            && first < last
        {
            let (from, to, y) = (number(middle(first)), number(middle(last)), number(y));
            let _ = writeln!(out, "<path class=\"joint\" d=\"M{from},{y} L{to},{y}\"/>");
        }
        for &lane in &movers {
            let class = if step.silent { " class=\"silent\"" } else { "" };
            let _ = writeln!(
                out,
                "<circle{class} cx=\"{}\" cy=\"{}\" r=\"4.5\"/>",
                number(middle(lane)),
                number(y)
            );
        }
        let class = if step.silent { "faint" } else { "plain" };
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{}\" y=\"{text_y}\">{}</text>",
            number(words_at),
            escape(&words(at))
        );
        if cut > 0 && row + 1 == MOST_STEPS / 2 {
            let y = number(y + ROW / 2.0 + 3.0);
            let _ = writeln!(out, "<text class=\"faint\" x=\"14\" y=\"{y}\">… {cut} steps left out</text>");
        }
    }
    for (row, line) in run.end.lines().enumerate() {
        let y = number(bottom + (row as f64 + 1.2) * LINE);
        let _ = writeln!(out, "<text class=\"alarm\" x=\"14\" y=\"{y}\">{}</text>", escape(line));
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Step;

    #[test]
    fn joint_steps_are_lines_and_what_repeats_is_marked() {
        let step = |text: &str, lanes: &[usize]| Step {
            text: text.into(),
            lanes: lanes.to_vec(),
            ..Step::default()
        };
        let mut run = Run { lanes: vec!["A".into(), "B<".into()], end: "it ends".into(), ..Run::default() };
        run.steps = vec![step("alone", &[0]), step("together", &[0, 1])];
        run.loop_from = Some(1);
        let svg = sequence(&run, "a & b");
        assert_eq!((svg.matches("<circle").count(), svg.matches("class=\"joint\"").count()), (3, 1));
        assert!(svg.contains("B&lt;") && svg.contains("a &amp; b") && svg.contains("for ever"), "{svg}");
        assert!(svg.contains("it ends") && !svg.contains("left out"));
        let lock = |is_taken| Step { locks: vec![("m".into(), is_taken)], ..step("lock", &[1]) };
        run.steps = vec![lock(true), step("between", &[1]), lock(false), lock(true), step("end", &[0])];
        let held: Vec<(usize, Option<usize>)> = run.held().iter().map(|one| (one.from, one.until)).collect();
        assert_eq!(held, [(0, Some(2)), (3, None)]);
        assert_eq!(sequence(&run, "locks").matches("holds m").count(), 2);
        run.steps = (0..MOST_STEPS + 7).map(|_| step("again", &[1])).collect();
        run.loop_from = None;
        let long = sequence(&run, "long");
        assert_eq!(long.matches("<circle").count(), MOST_STEPS);
        assert!(long.contains("… 7 steps left out"));
    }
}
