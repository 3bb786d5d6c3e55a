//! Reports in a real browser: each kind is opened from disk, stepped, searched, sorted, by keys alone; nothing is asked
//! for outside of the page and the console has nothing to say. Where no browser is installed, what needs one is left out
//! and that is said; that pages are written is tested anyway.
//!
//! All of it is one test, because a browser takes longer to start than to do this.

mod driver;
mod explore;
mod further;

use driver::Browser;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn concord(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
    command.args(arguments).current_dir(folder()).output().expect("concord can be run")
}

/// An example in the folder of the test, so that pages and pictures name no other place.
fn example(name: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = std::fs::read_to_string(from).expect("an example");
    written(name.rsplit('/').next().unwrap_or(name), &text)
}

/// Takes a picture of what the browser shows; `UPDATE_PICTURES=1` puts it into the documents.
fn picture(browser: &Browser, name: &str) {
    let png = browser.picture();
    assert!(png.starts_with(b"\x89PNG"), "{name}: no picture");
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        std::fs::write(folder.join(format!("{name}.png")), png).expect("it can be written");
    }
}

/// Writes a report, and gives its file.
fn report(name: &str, status: i32, arguments: &[&str]) -> PathBuf {
    let file = folder().join(format!("{name}.html"));
    let _ = std::fs::remove_file(&file);
    let output = concord(&[arguments, &["--report", &format!("{name}.html")]].concat());
    assert_eq!(output.status.code(), Some(status), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    file
}

/// The data of a page.
fn data(file: &Path) -> Value {
    let html = std::fs::read_to_string(file).expect("a page was written");
    let data = html.split_once("id=\"report\">").and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(data.expect("a page has its data").0).expect("JSON")
}

fn written(name: &str, text: &str) -> String {
    std::fs::write(folder().join(name), text).expect("it can be written");
    name.to_owned()
}

const FAILS: &str = "\
extern int __VERIFIER_nondet_int(void);
#include <assert.h>
static int total;
static int add(int a, int b)
{
    int sum = a + b; /* <b>not markup</b> & \"quotes\" */
    total += sum;
    return sum;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    int level = 0;
    if (n < 0 || n > 5)
        return 0;
    for (int i = 0; i < n; i++)
        level = add(level, 10);
    assert(level < 30);
    return 0;
}
";

const THREADS: &str = "\
#include <pthread.h>
#include <assert.h>
static int count;
static void *worker(void *unused)
{
    int seen = count;
    count = seen + 1;
    return unused;
}
int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&other, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(count == 2);
    return 0;
}
";

struct Pages {
    program: PathBuf,
    threads: PathBuf,
    proof: PathBuf,
    model: PathBuf,
    lasso: PathBuf,
    tree: PathBuf,
    components: PathBuf,
    boolean: PathBuf,
    values: PathBuf,
    tasks: PathBuf,
}

fn pages() -> Pages {
    let fails = written("fails.c", FAILS);
    let proved = written("proved.c", &FAILS.replace("level < 30", "level < 60"));
    let threads = written("threads.c", THREADS);
    let lasso = written(
        "lasso.lts",
        "P = (start -> WORK), WORK = (tick -> tock -> WORK | stop -> STOP).\nassert ENDS = <> stop\n",
    );
    let tree = written("tree.lts", "I = (a -> (b -> I | c -> I)).\nS = (a -> (b -> S) | a -> (c -> S)).\n");
    let tasks = folder().join("tasks");
    std::fs::create_dir_all(&tasks).expect("a folder");
    std::fs::write(tasks.join("fails.c"), FAILS).expect("it can be written");
    std::fs::write(tasks.join("proved.c"), FAILS.replace("level < 30", "level < 60"))
        .expect("it can be written");
    let server = format!("{}+{}", example("session/server_bug.c"), example("session/server.spec"));
    let client = format!("{}+{}", example("session/client.c"), example("session/client.spec"));
    Pages {
        program: report("program", 1, &["verify", &fails, "--coverage"]),
        threads: report("threads", 1, &["verify", &threads]),
        proof: report("proof", 0, &["verify", &proved]),
        model: report("model", 1, &["model", &example("models/dining_philosophers.lts")]),
        lasso: report("lasso", 1, &["model", &lasso, "--check", "ENDS"]),
        tree: report("tree", 1, &["model", &tree, "--simulates", "I", "S"]),
        components: report("components", 1, &["check", &server, &client, &example("session/session.spec")]),
        boolean: report("boolean", 1, &["bool", &example("boolean/shutdown.bp"), "--threads", "2"]),
        values: report("values", 3, &["analyze", &fails]),
        tasks: report("tasks", 1, &["verify", "tasks"]),
    }
}

#[test]
fn reports_are_written_and_work_in_a_browser() {
    let pages = pages();
    let page = data(&pages.program);
    let run = &page["answers"][0]["runs"][0];
    assert_eq!(page["answers"][0]["word"], "VIOLATED");
    assert_eq!(run["inputs"][0][0], "__VERIFIER_nondet_int");
    assert!(run["steps"].as_array().is_some_and(|steps| steps.len() > 10), "{run}");
    assert!(
        run["steps"].as_array().is_some_and(|steps| steps.iter().any(|step| step["d"] == 1)),
        "calls have a depth"
    );
    assert_eq!(data(&pages.proof)["answers"][0]["word"], "HOLDS");
    assert!(data(&pages.tree)["answers"][0]["tree"]["nodes"].as_array().is_some_and(|nodes| nodes.len() > 1));
    assert!(
        data(&pages.threads)["answers"][0]["runs"][0]["lanes"]
            .as_array()
            .is_some_and(|lanes| lanes.len() > 1)
    );
    let Some(browser) = Browser::start() else { return };
    let open = |file: &Path| {
        browser.open(&format!("file://{}", file.display()));
        browser.wait_for("return document.querySelector('header.top')!==null");
        assert_eq!(browser.complaints(), [""; 0], "{}", file.display());
        let asked: Vec<String> = browser.requests();
        let strange: Vec<&String> =
            asked.iter().filter(|one| !one.starts_with("file://") || !one.ends_with(".html")).collect();
        assert!(strange.is_empty(), "{} asks for {strange:?}", file.display());
    };
    the_run_of_a_program(&browser, &open, &pages);
    threads_and_models(&browser, &open, &pages);
    the_other_kinds(&browser, &open, &pages);
    further::what_else_is_shown(&browser, &open);
    further::who_cannot_see_or_point(&browser, &open, &pages);
    further::nothing_of_the_users_is_markup(&browser, &open);
    large_ones_are_quick(&browser, &open);
    explore::walk_and_run(&browser);
}

fn step(browser: &Browser) -> String {
    browser.text("return document.getElementById('step').textContent")
}

/// The line that is marked in the source.
fn line(browser: &Browser) -> String {
    browser.text("return document.querySelector('.src .row.now .no')?.textContent||''")
}

fn the_run_of_a_program(browser: &Browser, open: &dyn Fn(&Path), pages: &Pages) {
    open(&pages.program);
    assert!(browser.text("return document.querySelector('h1').textContent").contains("assertion"));
    // Markup in the source is text.
    assert_eq!(browser.run("return document.querySelectorAll('.src b').length"), 0);
    // It opens at the end; from there by keys to the start and back, in step with source and graph.
    let end = step(browser);
    let total = end.rsplit(' ').next().expect("a number").to_owned();
    assert_eq!(end, format!("step {total} of {total}"));
    assert_eq!(line(browser), "18");
    const HOME: &str = "\u{e011}";
    const END: &str = "\u{e010}";
    browser.press(&[HOME]);
    assert_eq!(step(browser), format!("before step 1 of {total}"));
    browser.press(&["j", "j", "k"]);
    assert_eq!(step(browser), format!("step 1 of {total}"));
    browser.press(&[END]);
    assert_eq!(step(browser), end);
    // Into a call: its frame, its variables, its graph.
    browser
        .run("const w=document.getElementById('watch');w.value='sum';w.dispatchEvent(new Event('change'))");
    browser.press(&[HOME, "n"]);
    assert_eq!(line(browser), "6");
    assert!(browser.text("return document.querySelector('.below').textContent").contains("sum10"));
    assert!(
        browser.text("return document.querySelector('.below ol').textContent").contains("add(level, 10)")
    );
    browser.press(&["g"]);
    browser.wait_for("return document.querySelector('svg .bx.at')!==null");
    assert!(browser.text("return document.querySelector('svg .bx.at').textContent").contains("sum = a + b"));
    picture(browser, "graph");
    // From the graph to the source.
    browser.run("[...document.querySelectorAll('svg .bx')].find(box=>box.textContent.includes('return sum')).dispatchEvent(new MouseEvent('click',{bubbles:true}))");
    assert!(["6", "7", "8"].contains(&&*line(browser)), "{}", line(browser));
    // From the source to the run.
    browser.press(&["r"]);
    browser.run("[...document.querySelectorAll('.src .row')].find(row=>row.querySelector('.no').textContent==='13').click()");
    browser.wait_for("return document.querySelector('.run .row.now .where').textContent.includes('13')");
    picture(browser, "run");
    // Search.
    browser.press(&["/", "t", "o", "t", "a", "l"]);
    assert_eq!(browser.text("return document.getElementById('hits').textContent"), "1 of 2");
    browser.press(&["\u{e007}"]);
    assert_eq!(browser.text("return document.getElementById('hits').textContent"), "2 of 2");
    assert_eq!(line(browser), "7");
    browser.press(&["\u{e00c}"]);
    // Light and dark: as the system says, and by key.
    let paper = "return getComputedStyle(document.documentElement).backgroundColor";
    browser.prefer("dark");
    let dark = browser.text(paper);
    browser.prefer("light");
    let light = browser.text(paper);
    assert_ne!(dark, light);
    browser.press(&["d"]);
    assert_eq!(browser.text(paper), dark);
    picture(browser, "dark");
    browser.press(&["d"]);
    assert_eq!(browser.text(paper), light);
    // Help, and away.
    browser.press(&["?"]);
    assert_eq!(browser.run("return document.querySelector('dialog').open"), true);
    browser.press(&["\u{e00c}"]);
    browser.wait_for("return !document.querySelector('dialog').open");
    // A screen reader hears of steps, and finds roles and names.
    browser.press(&[END]);
    browser.wait_for("return document.getElementById('voice').textContent.startsWith('step ')");
    let nameless = "return [...document.querySelectorAll('button,select,input,[role=listbox],[role=img]')].filter(one=>!(one.getAttribute('aria-label')||one.textContent.trim()||one.labels&&one.labels.length)).length";
    assert_eq!(browser.run(nameless), 0);
    // What is printed is all of it.
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.run("return document.querySelectorAll('.src .row').length"), FAILS.lines().count());
    browser.run("dispatchEvent(new Event('afterprint'))");
}

fn threads_and_models(browser: &Browser, open: &dyn Fn(&Path), pages: &Pages) {
    open(&pages.threads);
    assert!(browser.run("return document.querySelectorAll('.lanes .lane').length").as_u64() > Some(1));
    browser.press(&["\u{e011}", "j", "j"]);
    assert!(step(browser).starts_with("step 2 of"));
    picture(browser, "threads");
    open(&pages.model);
    let count = data(&pages.model)["answers"].as_array().map_or(0, Vec::len);
    assert_eq!(browser.run("return document.querySelectorAll('#answers li').length"), count);
    let violated = "return [...document.querySelectorAll('#answers li')].find(one=>one.textContent.startsWith('VIOLATED')).querySelector('button').click()";
    browser.run(violated);
    assert!(browser.text("return document.querySelector('.end').textContent").contains("waits for"));
    // The states of components move in their drawings.
    browser.press(&["\u{e011}", "j", "g"]);
    browser.wait_for("return document.querySelector('svg .bx.at')!==null");
    let of = "return document.getElementById('graphs').selectedOptions[0].textContent+document.querySelector('svg .bx.at').textContent";
    let first = browser.text(of);
    browser.press(&["j"]);
    assert_ne!(browser.text(of), first);
    assert!(browser.run("return [...document.getElementById('graphs').options].some(one=>one.textContent==='who waits for whom')") == true);
    picture(browser, "model");
    open(&pages.lasso);
    assert!(
        browser.text("return document.querySelector('.run .sign').textContent").contains("for ever: 2 steps")
    );
    let folded = browser.run("return document.querySelectorAll('.run .row').length");
    browser.press(&["f"]);
    let unfolded = browser.run("return document.querySelectorAll('.run .row').length");
    assert_ne!(folded, unfolded);
    open(&pages.tree);
    let items = "return document.querySelectorAll('[role=treeitem]').length";
    let before = browser.run(items);
    browser.run("document.querySelector('[role=treeitem]').focus()");
    browser.press(&["\u{e014}", "\u{e014}"]);
    assert!(browser.run(items).as_u64() >= before.as_u64());
    assert!(browser.text("return document.activeElement.textContent").contains("no answer"));
}

fn the_other_kinds(browser: &Browser, open: &dyn Fn(&Path), pages: &Pages) {
    open(&pages.proof);
    assert!(browser.text("return document.querySelector('.decided').textContent").contains("audited"));
    open(&pages.components);
    picture(browser, "components");
    assert!(
        browser
            .text("return document.querySelector('.decided').textContent")
            .contains("Predicates of server")
    );
    open(&pages.boolean);
    browser.press(&["\u{e011}", "j"]);
    assert_eq!(line(browser), "6");
    open(&pages.values);
    picture(browser, "values");
    assert!(browser.text("return document.querySelector('.src').textContent").contains("level = "));
    open(&pages.tasks);
    let rows =
        "return [...document.querySelectorAll('.tasks tbody tr')].map(row=>row.cells[1].textContent).join()";
    let names = browser.text(rows);
    browser.run("document.querySelector('[data-by=word]').click()");
    let up = browser.text(rows);
    browser.run("document.querySelector('[data-by=word]').click()");
    let down = browser.text(rows);
    assert!(up == "HOLDS,VIOLATED" && down == "VIOLATED,HOLDS", "{names}, {up}, {down}");
    assert!(browser.run("return document.querySelector('.cactus svg circle')!==null") == true);
    picture(browser, "tasks");
    browser.run("document.querySelector('.tasks tbody a').click()");
    browser.wait_for("return document.querySelector('#step')!==null");
}

/// A text of 5,000 lines, and a run of 10,000 steps of which only what is visible is drawn.
fn large_ones_are_quick(browser: &Browser, open: &dyn Fn(&Path)) {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\n#include <assert.h>\nint main(void)\n{\n    unsigned x = 0;\n    for (int i = 0; i < 2500; i++) {\n        x = x + 3;\n        x = x ^ i;\n    }\n",
    );
    text.push_str("    assert(x == 1);\n    return 0;\n}\n");
    for at in 0..1250 {
        text.push_str(&format!("static int helper_{at}(int a) /* number {at} */\n{{\n    return a * {at} + \"text\"[a & 3];\n}}\n"));
    }
    let source = written("large.c", &text);
    let file = report("large", 1, &["verify", &source]);
    let bytes = std::fs::metadata(&file).expect("it is there").len();
    assert!(bytes < 10 << 20, "{bytes} bytes");
    let steps = data(&file)["answers"][0]["runs"][0]["steps"].as_array().map_or(0, Vec::len);
    assert!(steps >= 7_500, "{steps} steps");
    let began = Instant::now();
    open(&file);
    let took = began.elapsed();
    let inside = browser
        .run("return performance.getEntriesByType('navigation')[0].domComplete")
        .as_f64()
        .unwrap_or(0.0);
    eprintln!(
        "a report of {} lines and {steps} steps has {} KB and opens in {took:.1?} ({inside:.0} ms inside)",
        text.lines().count(),
        bytes >> 10
    );
    assert!(
        browser.run("return document.querySelectorAll('.row').length").as_u64() < Some(400),
        "too much is drawn"
    );
    // Far down and up again: each time what is visible is drawn, in the next frames.
    browser.run(
        "const list=document.querySelector('.list.run');let jumps=0;const began=performance.now();window.frames_=[];\
         const next=()=>{const now=performance.now();window.frames_.push(now);if(jumps++<60){list.scrollTop=(jumps%2?jumps:60-jumps)*2500;requestAnimationFrame(next)}\
         else{const at=Math.floor(list.scrollTop/22)+3;window.drawn_=[...list.querySelectorAll('.row')].some(row=>Number(row.dataset.at)===at);window.scrolled_=performance.now()-began}};\
         requestAnimationFrame(next)",
    );
    browser.wait_for("return window.scrolled_>0");
    let scrolled = browser.run("return window.scrolled_").as_f64().unwrap_or(0.0);
    eprintln!("60 jumps through the run take {scrolled:.0} ms, a frame each");
    assert_eq!(browser.run("return window.drawn_"), true, "what is visible is drawn");

    // A model of 100,000 states, with a run through all of them.
    let chain = written(
        "chain.lts",
        "const M = 100000\nCHAIN = S[0],\nS[i:0..M] = (when (i < M) step -> S[i+1] | when (i == M) fail -> ERROR | when (i > 10) back -> S[i-10]).\n||SYSTEM = CHAIN.\n",
    );
    let file = report("chain", 1, &["model", &chain]);
    let bytes = std::fs::metadata(&file).expect("it is there").len();
    assert!(bytes < 10 << 20, "{bytes} bytes");
    open(&file);
    let inside = browser.run("return performance.getEntriesByType('navigation')[0].domComplete");
    eprintln!("a report of 100,000 states and steps has {} KB and opens in {inside} ms", bytes >> 10);
    let few = |browser: &Browser| {
        let rows = browser.run("return document.querySelectorAll('.row').length");
        assert!(rows.as_u64() < Some(400), "{rows} rows are drawn");
        let boxes = browser.run("return document.querySelectorAll('.bx').length");
        assert!(boxes.as_u64() < Some(400), "{boxes} boxes are drawn");
    };
    few(browser);
    browser.press(&["g", "\u{e011}", "j", "j"]);
    few(browser);
    browser.press(&["\u{e010}", "r"]);
    assert!(step(browser).starts_with("step 100001 of 100001"), "{}", step(browser));
    few(browser);
}
