//! Drawings of real programs: what they say, and that one can read it.

use csource::types::DataModel;
use program::{PointsTo, Program};
use report::draw;

const PROGRAM: &str = r#"
extern void reach_error(void);
extern int input(void);
struct node { struct node *next; int value; };
static struct node *head;
static struct node pool[4];
static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
static int (*operation)(int) = twice;
int depth(struct node *n) { return n ? 1 + depth(n->next) : 0; }
int main(void)
{
    int total = 0;
    for (int i = 0; i < 4; i++) {
        pool[i].next = head;
        head = &pool[i];
    }
    if (input() > 3)
        operation = half;
    switch (depth(head)) {
    case 1: total = 1; break;
    case 2: total = 4; break;
    case 7: case 8: total = operation(total); break;
    default: total = 9;
    }
    if (total < 1 && "a<b"[0])
        reach_error();
    return total;
}
"#;

/// Reads without a preprocessor: the tests need no compiler.
fn program_of(text: &str) -> Program {
    testkit::c::read_text("shown.c", text, DataModel::Lp64).unwrap_or_else(|errors| panic!("{errors}"))
}

fn main_of(program: &Program) -> draw::Drawing {
    draw::cfg(program, program.main.expect("it has one"))
}

fn line_with<'a>(drawing: &'a draw::Drawing, text: &str) -> &'a draw::Line {
    let lines = drawing.boxes.iter().flat_map(|text_box| &text_box.lines);
    let found = lines.clone().find(|line| line.text == text);
    found.unwrap_or_else(|| panic!("no line `{text}` among {:#?}", lines.collect::<Vec<_>>()))
}

fn box_with(drawing: &draw::Drawing, text: &str) -> usize {
    let has = |text_box: &draw::TextBox| text_box.lines.iter().any(|line| line.text == text);
    drawing.boxes.iter().position(has).unwrap_or_else(|| panic!("no box with `{text}`"))
}

#[test]
fn control_flow_reads_as_the_source() {
    let program = program_of(PROGRAM);
    let drawing = main_of(&program);
    assert!(drawing.title.starts_with("int main(void)"), "{}", drawing.title);
    assert_eq!(line_with(&drawing, "total = 0;").number, Some(13));
    let head = box_with(&drawing, "if (i < 4)");
    assert_eq!(drawing.boxes[head].style, draw::BoxStyle::LoopHead);
    let body = box_with(&drawing, "pool[i].next = head;");
    assert!(drawing.boxes[body].lines.len() >= 3, "straight lines share a box");
    let back = |arrow: &&draw::Arrow| arrow.from == body && arrow.to == head;
    assert_eq!(drawing.arrows.iter().find(back).expect("the loop closes").style, draw::ArrowStyle::Back);
    let error = box_with(&drawing, "reach_error();");
    assert_eq!(drawing.boxes[error].style, draw::BoxStyle::Error);
    let switch = box_with(&drawing, "switch (depth(head))");
    let labels: Vec<&str> = drawing
        .arrows
        .iter()
        .filter(|arrow| arrow.from == switch)
        .map(|arrow| arrow.label.as_str())
        .collect();
    assert_eq!(labels, ["1", "2", "7, 8", "default"]);
}

#[test]
fn calls_show_recursion_pointers_and_what_is_missing() {
    let program = program_of(PROGRAM);
    let drawing = draw::callgraph(&program, &PointsTo::of(&program));
    let find = |name: &str| box_with(&drawing, name);
    let style = |from: &str, to: &str| {
        let (from, to) = (find(from), find(to));
        drawing.arrows.iter().find(|arrow| arrow.from == from && arrow.to == to).map(|arrow| arrow.style)
    };
    assert_eq!(style("main", "depth"), Some(draw::ArrowStyle::Plain));
    assert_eq!(style("depth", "depth"), Some(draw::ArrowStyle::Back));
    assert_eq!(style("main", "twice"), Some(draw::ArrowStyle::Possible));
    assert_eq!(style("main", "half"), Some(draw::ArrowStyle::Possible));
    assert_eq!(drawing.boxes[find("input")].style, draw::BoxStyle::Missing);
}

#[test]
fn pointers_show_the_members_they_are_in() {
    let program = program_of(PROGRAM);
    let drawing = draw::points_to(&program, &PointsTo::of(&program), None);
    let pool = box_with(&drawing, "struct node pool[4]");
    let itself = drawing.arrows.iter().find(|arrow| arrow.from == pool && arrow.to == pool);
    assert_eq!(itself.expect("nodes are linked").label, "[].next");
    let operation = drawing
        .arrows
        .iter()
        .filter(|arrow| drawing.boxes[arrow.to].lines[0].text == "twice()")
        .map(|arrow| drawing.boxes[arrow.from].lines[0].text.as_str());
    assert_eq!(operation.collect::<Vec<_>>(), ["int (*operation)(int)"]);
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    let (one, other) = (program_of(PROGRAM), program_of(PROGRAM));
    assert_eq!(main_of(&one).to_svg(), main_of(&other).to_svg());
    assert_eq!(main_of(&one).to_dot(), main_of(&other).to_dot());
    let pictures =
        [&one, &other].map(|program| draw::points_to(program, &PointsTo::of(program), None).to_svg());
    assert_eq!(pictures[0], pictures[1]);
}

#[test]
fn dot_quotes_what_it_must() {
    let program = program_of("int main(void) { const char *s = \"a\\\"b\\n\"; return s[0]; }");
    let dot = main_of(&program).to_dot();
    assert!(dot.contains(r#"s = \"a\\\"b\\n\";"#), "{dot}");
    assert!(dot.starts_with("digraph {") && dot.ends_with("}\n"));
}

/// A rectangle or a line of arrows, read back from the picture.
struct Picture {
    boxes: Vec<[f64; 4]>,
    arrows: Vec<Vec<(f64, f64)>>,
}

fn attribute(tag: &str, name: &str) -> f64 {
    let start = tag.find(&format!(" {name}=\"")).expect("the attribute is there") + name.len() + 3;
    tag[start..].split('"').next().expect("closed").parse().expect("a number")
}

fn read_svg(svg: &str) -> Picture {
    let mut picture = Picture { boxes: Vec::new(), arrows: Vec::new() };
    for tag in svg.split('<') {
        if tag.starts_with("rect class=") && !tag.contains("\"paper\"") && !tag.contains("\"under\"") {
            picture.boxes.push(["x", "y", "width", "height"].map(|name| attribute(tag, name)));
        } else if tag.starts_with("path class=") && !tag.contains("\"tip ") {
            let path = tag.split(" d=\"").nth(1).expect("a path").split('"').next().expect("closed");
            let numbers: Vec<f64> = path
                .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
                .filter(|part| !part.is_empty())
                .map(|part| part.parse().expect("a number"))
                .collect();
            picture.arrows.push(numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect());
        }
    }
    picture
}

/// Does the segment go through the inside of the box?
fn crosses(from: (f64, f64), to: (f64, f64), [x, y, width, height]: [f64; 4]) -> bool {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    let inset = 1.0;
    for (start, delta, least, most) in [
        (from.0, to.0 - from.0, x + inset, x + width - inset),
        (from.1, to.1 - from.1, y + inset, y + height - inset),
    ] {
        if delta.abs() < 1e-9 {
            if start <= least || start >= most {
                return false;
            }
        } else {
            let (a, b) = ((least - start) / delta, (most - start) / delta);
            low = low.max(a.min(b));
            high = high.min(a.max(b));
        }
    }
    low < high
}

fn assert_readable(name: &str, svg: &str) {
    let picture = read_svg(svg);
    for (index, one) in picture.boxes.iter().enumerate() {
        for other in &picture.boxes[index + 1..] {
            let apart = one[0] + one[2] <= other[0]
                || other[0] + other[2] <= one[0]
                || one[1] + one[3] <= other[1]
                || other[1] + other[3] <= one[1];
            assert!(apart, "{name}: boxes {one:?} and {other:?} overlap");
        }
    }
    for arrow in &picture.arrows {
        for pair in arrow.windows(2) {
            for text_box in &picture.boxes {
                assert!(
                    !crosses(pair[0], pair[1], *text_box),
                    "{name}: an arrow crosses the box {text_box:?}"
                );
            }
        }
    }
}

#[test]
fn boxes_do_not_overlap_and_arrows_do_not_cross_them() {
    let program = program_of(PROGRAM);
    let points_to = PointsTo::of(&program);
    assert_readable("cfg", &main_of(&program).to_svg());
    assert_readable("callgraph", &draw::callgraph(&program, &points_to).to_svg());
    assert_readable("points-to", &draw::points_to(&program, &points_to, None).to_svg());
}

#[test]
fn a_function_of_a_hundred_boxes_stays_readable() {
    // A dispatcher: a loop around a switch of thirty cases, each with tests of its own.
    let mut text = String::from("extern int input(void);\nint main(void)\n{\n    int state = 0, x = 0;\n");
    text.push_str("    while ((x = input()) != 0) {\n        switch (state) {\n");
    for case in 0..30 {
        text.push_str(&format!(
            "        case {case}:\n            if (x > {case}) state = {}; else if (x < -{case}) x++;\n            break;\n",
            (case * 7 + 3) % 30
        ));
    }
    text.push_str("        default: return 1;\n        }\n    }\n    return x;\n}\n");
    let program = program_of(&text);
    let drawing = main_of(&program);
    assert!(drawing.boxes.len() > 100, "{} boxes", drawing.boxes.len());
    let svg = drawing.to_svg();
    assert_readable("dispatcher", &svg);
    let header = svg.lines().next().expect("not empty");
    let (width, height) = (attribute(header, "width"), attribute(header, "height"));
    assert!(width < 5.0 * height && width < 5000.0, "{width} by {height} is too wide to read");
}

#[test]
fn shared_programs_are_readable() {
    let told = "only the test's own programs are drawn";
    let Some(folder) = testkit::absent::shared("data/openssl", told) else { return };
    if !testkit::compiler::is_there("cc", told) {
        return;
    }
    let program = testkit::c::load(&folder.join("ssl3_accept.c"), DataModel::Lp64);
    let id = program.procedure_named("ssl3_accept").expect("the file defines it");
    assert_readable("ssl3_accept", &draw::cfg(&program, id).to_svg());
}
