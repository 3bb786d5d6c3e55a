//! Parts of pages that only some questions have, use without a mouse, a colour or a screen, and texts that try to be
//! markup.

use super::driver::Browser;
use super::{Pages, data, report, written};
use serde_json::json;
use std::path::Path;

const ENDLESS: &str = "\
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = 0;
    while (x > 0) {
        if (y == 0)
            x = x + 1;
        else
            x = x - 1;
        y = 1 - y;
    }
    return 0;
}
";

const LOCKS: &str = "\
#include <pthread.h>
static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
static void *there(void *unused)
{
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
    return unused;
}
static void *back(void *unused)
{
    pthread_mutex_lock(&to);
    pthread_mutex_lock(&from);
    pthread_mutex_unlock(&from);
    pthread_mutex_unlock(&to);
    return unused;
}
int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, there, 0);
    pthread_create(&other, 0, back, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
";

const IDLE: &str = "\
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
static unsigned log_length;
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    unsigned i = 0;
    if (n > 1000)
        log_length = log_length + 1;
    while (i < n) {
        i = i + 1;
        log_length = log_length + i;
    }
    assert(i == n);
    return 0;
}
";

const HOME: &str = "\u{e011}";

/// Lassos and deadlocks of C, locks, lines that a proof does not need, rounds of refinement, large graphs in parts.
pub fn what_else_is_shown(browser: &Browser, open: &dyn Fn(&Path)) {
    let file = report("endless", 1, &["verify", &written("endless.c", ENDLESS), "--ends"]);
    let run = &data(&file)["answers"][0]["runs"][0];
    let (from, count) =
        (run["loop"].as_u64().expect("it repeats"), run["steps"].as_array().map_or(0, Vec::len));
    assert!(from >= 2 && (from as usize) < count, "{run}");
    open(&file);
    let rows = "return document.querySelectorAll('.run .row').length";
    let unfolded = browser.run(rows);
    browser.press(&["f"]);
    assert_ne!(browser.run(rows), unfolded);
    assert!(browser.text("return document.querySelector('.run .sign').textContent").contains("for ever"));

    let locks = report("locks", 1, &["verify", &written("locks.c", LOCKS), "--checks", "deadlock"]);
    open(&locks);
    assert!(browser.run("return document.querySelectorAll('.run .lane i.held').length").as_u64() >= Some(2));
    let legend = browser.text("return document.querySelector('.lanes').textContent");
    assert!(legend.contains("holds from") && legend.contains("holds to"), "{legend}");
    browser.press(&["g"]);
    browser.run(
        "const s=document.getElementById('graphs');s.value=[...s.options].find(one=>one.textContent==='who waits for whom').value;s.dispatchEvent(new Event('change'))",
    );
    // The two threads wait for each other, and `main` for one of them.
    let waits = &data(&locks)["graphs"];
    let graph = waits.as_array().and_then(|all| all.iter().find(|one| one["of"] == "who waits for whom"));
    let graph = graph.expect("a graph of who waits for whom");
    assert_eq!(graph["boxes"].as_array().map_or(0, Vec::len), 3);
    assert_eq!(graph["arrows"].as_array().map_or(0, Vec::len), 3);
    assert_eq!(browser.run("return document.querySelectorAll('.graph .bx.error').length"), 3);

    let idle = report("idle", 0, &["verify", &written("idle.c", IDLE)]);
    let notes = &data(&idle)["sources"][0]["notes"];
    let is_idle = |line: &str| {
        notes[line].as_array().is_some_and(|notes| notes.iter().any(|note| note["kind"] == "idle"))
    };
    for (line, expected) in
        [("6", false), ("8", true), ("9", true), ("10", false), ("11", false), ("12", true)]
    {
        assert_eq!(is_idle(line), expected, "line {line}: {notes}");
    }
    open(&idle);
    assert_eq!(browser.run("return document.querySelectorAll('.src .row.never').length"), 3);

    let server = format!("{}+{}", super::example("session/server.c"), super::example("session/server.spec"));
    let client = format!("{}+{}", super::example("session/client.c"), super::example("session/client.spec"));
    let rounds = report("rounds", 0, &["check", &server, &client, &super::example("session/session.spec")]);
    open(&rounds);
    let table = "return document.querySelectorAll('#rounds tbody tr').length";
    assert!(browser.run(table).as_u64() > Some(1), "rounds of refinement are told");
    let all = browser.text("return document.querySelector('#rounds').textContent");
    assert!(all.contains("server: s->state") && all.contains("cannot hold"), "{all}");
    assert!(browser.run("return document.querySelectorAll('.growth li').length").as_u64() > Some(1));

    // A function of many branches is drawn in parts, and the run is followed into them.
    let mut many = String::from(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    int x = __VERIFIER_nondet_int(), sum = 0;\n    for (int i = 0; i < 3; i++) {\n",
    );
    for at in 0..150 {
        many.push_str(&format!("        if (x == {at})\n            sum = sum + {at};\n"));
    }
    many.push_str("    }\n    assert(sum != 447);\n    return 0;\n}\n");
    let parts = report("parts", 1, &["verify", &written("parts.c", &many)]);
    open(&parts);
    browser.press(&["g", HOME, "j"]);
    let shown = "return document.getElementById('graphs').selectedOptions[0].textContent";
    assert_eq!(browser.text(shown), "main");
    let boxes = browser.run("return document.querySelectorAll('.graph .bx').length");
    assert!(boxes.as_u64() < Some(200), "{boxes} boxes at once");
    browser.run(
        "document.querySelector('.graph .bx.closed').dispatchEvent(new MouseEvent('click',{bubbles:true}))",
    );
    assert!(browser.text(shown).contains("main · "), "{}", browser.text(shown));
    browser.run("document.getElementById('outer').click()");
    assert_eq!(browser.text(shown), "main");
    browser.press(&["j", "j", "j", "j", "j", "j"]);
    browser.wait_for("return document.querySelector('svg .bx.at')!==null");
}

/// The keyboard reaches everything, roles and names are there, letters can be told from paper, narrow windows and paper
/// have room for it.
pub fn who_cannot_see_or_point(browser: &Browser, open: &dyn Fn(&Path), pages: &Pages) {
    const TAB: &str = "\u{e004}";
    open(&pages.program);
    browser.run("document.activeElement.blur();window.scrollTo(0,0)");
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..40 {
        browser.press(&[TAB]);
        seen.push(browser.text(
            "const one=document.activeElement;return (one.getAttribute('aria-label')||one.textContent).trim().slice(0,40)",
        ));
    }
    assert_eq!(seen[0], "Skip to the report");
    let place = |name: &str| {
        seen.iter()
            .position(|one| one.starts_with(name))
            .unwrap_or_else(|| panic!("{name} is not reached: {seen:?}"))
    };
    // As one reads: the head, the source, the run.
    let order = [
        "Keys",
        "Search in the source",
        "Source",
        "Run",
        "One step back",
        "Watched name",
        "Step",
        "Steps of the run",
        "Values",
    ];
    let places: Vec<usize> = order.iter().map(|name| place(name)).collect();
    assert!(places.is_sorted(), "{order:?} are at {places:?} of {seen:?}");
    // What has a role has what the role needs.
    let roles = "const wrong=[];
        for(const tab of document.querySelectorAll('[role=tab]'))if(tab.parentElement.getAttribute('role')!=='tablist'||!tab.hasAttribute('aria-selected'))wrong.push('tab');
        for(const panel of document.querySelectorAll('[role=tabpanel]'))if(!document.getElementById(panel.getAttribute('aria-labelledby')))wrong.push('panel');
        for(const list of document.querySelectorAll('[role=listbox]')){const at=list.getAttribute('aria-activedescendant');if(at&&!document.getElementById(at))wrong.push('active '+at);
          for(const row of list.querySelectorAll('.row'))if(row.getAttribute('role')!=='option'||!row.getAttribute('aria-setsize'))wrong.push('row')}
        if(document.querySelectorAll('h1').length!==1)wrong.push('h1');
        if(!document.documentElement.lang)wrong.push('lang');
        if(!document.querySelector('main')||!document.querySelector('[aria-live=polite]'))wrong.push('landmarks');
        const ids=[...document.querySelectorAll('[id]')].map(one=>one.id);if(new Set(ids).size!==ids.length)wrong.push('ids');
        return wrong";
    for file in [&pages.program, &pages.model, &pages.components, &pages.tasks, &pages.values] {
        open(file);
        assert_eq!(browser.run(roles), json!([]), "{}", file.display());
    }
    // WCAG 2: letters have at least 4.5 times the light of what they stand on, or the other way round.
    let contrast = "const probe=document.createElement('span');document.body.append(probe);
        const light=name=>{probe.style.color=`var(--${name})`;const canvas=document.createElement('canvas').getContext('2d');canvas.fillStyle=getComputedStyle(probe).color;canvas.fillRect(0,0,1,1);
          const parts=[...canvas.getImageData(0,0,1,1).data].slice(0,3).map(one=>one/255).map(one=>one<=.03928?one/12.92:((one+.055)/1.055)**2.4);return .2126*parts[0]+.7152*parts[1]+.0722*parts[2]};
        const low=[];
        for(const[letters,papers]of [['ink',['paper','card','sunk','tint','mark']],['soft',['paper','card','sunk']],['accent',['card','tint','sunk']],['good',['card','good-tint']],['bad',['card','bad-tint']],['open',['card','open-tint']],
          ['word',['card','tint']],['type',['card','tint']],['text',['card','tint']],['remark',['card']],['hash',['card','tint']]])
          for(const paper of papers){const[one,other]=[light(letters),light(paper)].sort((a,b)=>b-a);if((one+.05)/(other+.05)<4.5)low.push(`${letters} on ${paper}: ${((one+.05)/(other+.05)).toFixed(2)}`)}
        probe.remove();return low";
    open(&pages.program);
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        assert_eq!(browser.run(contrast), json!([]), "{scheme}");
    }
    browser.prefer("light");
    // Narrow windows: nothing is wider than the window.
    browser.size(420, 800);
    for file in [&pages.program, &pages.threads, &pages.model, &pages.components, &pages.tasks, &pages.values]
    {
        open(file);
        let wide = "return [...document.querySelectorAll('body *')].filter(one=>{const box=one.getBoundingClientRect();return box.width&&box.right>innerWidth+1&&!one.closest('.list,.graph,.lanes,.foot,.below,.hidden,.skip,.box,.end,.tasks')}).map(one=>one.tagName+'.'+one.className).slice(0,5)";
        assert_eq!(browser.run(wide), json!([]), "{}", file.display());
        assert_eq!(
            browser.run("return document.documentElement.scrollWidth<=innerWidth+1"),
            true,
            "{}",
            file.display()
        );
    }
    browser.size(1500, 1000);
    open(&pages.program);
    let pdf = browser.printed();
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 10_000, "{} bytes", pdf.len());
}

/// Whatever files, texts, actions and inputs are called: it stays text.
pub fn nothing_of_the_users_is_markup(browser: &Browser, open: &dyn Fn(&Path)) {
    const EVIL: &str = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>";
    let name = "<img src=x onerror=hacked=3>.c";
    let text = format!(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n/* {EVIL} */\nstatic const char *text = \"<script>window.hacked=4</script>\";\nint main(void)\n{{\n    int x = __VERIFIER_nondet_int();\n    if (text[0] == '<')\n        assert(x != 3 && \"<script>window.hacked=5</script>\");\n    return 0;\n}}\n"
    );
    let program = report("evil", 1, &["verify", &written(name, &text)]);
    // Labels of `.aut` files are any text.
    let model = "des (0, 2, 2)\n(0, \"<img src=x onerror=window.hacked=6>\", 1)\n(1, \"</script><script>window.hacked=7</script>\", 0)\n";
    let model = report("evil_model", 1, &["model", &written("evil.aut", model), "--formula", "G false"]);
    for file in [&program, &model] {
        open(file);
        browser.press(&[HOME, "j", "j", "g", "r"]);
        assert_eq!(browser.run("return window.hacked===undefined"), true, "{}", file.display());
        assert_eq!(browser.run("return document.querySelectorAll('img,iframe,object,body script:not([type]):not(:last-of-type)').length"), 0);
        assert!(browser.text("return document.body.textContent").contains("onerror"), "{}", file.display());
    }
}
