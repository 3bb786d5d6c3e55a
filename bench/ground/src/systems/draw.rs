//! Draws systems: one procedure per component, a file each, a header for all.

use crate::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The events that have a routine of their own.
pub const EVENTS: [char; 4] = ['a', 'b', 'c', 'd'];

/// A component.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its procedure.
    pub procedure: String,
    /// Its file's name.
    pub file: String,
    /// Its file's text.
    pub text: String,
    /// The events whose routines its text names.
    pub named: BTreeSet<String>,
}

/// A system without its questions.
#[derive(Clone, Debug)]
pub struct System {
    /// Where it comes from.
    pub seed: u64,
    /// The components.
    pub components: Vec<Component>,
    /// Files beside them: the header, and perhaps one with helpers.
    pub others: Vec<(String, String)>,
    /// What the routines outside do, in the specification language.
    pub routines: String,
}

/// The events of the table that components share, if there is a file with helpers.
type Helpers = Option<[char; 2]>;

struct Writer<'a> {
    random: &'a mut Random,
    lines: Vec<String>,
    indent: usize,
    counters: usize,
    named: BTreeSet<String>,
    events: Vec<char>,
}

impl System {
    /// The system of a seed.
    pub fn draw(seed: u64) -> System {
        let mut random = Random::new(seed ^ 0x0073_7973);
        let count = 1 + random.below(3);
        let shared = [*random.pick(&EVENTS), *random.pick(&EVENTS)];
        let has_helpers = random.chance(50);
        let helpers = has_helpers.then_some(shared);
        let header = header(seed, &mut random, has_helpers);
        let mut others = vec![(format!("s{seed}.h"), header)];
        if has_helpers {
            let [first, second] = shared;
            let text = format!(
                "#include \"s{seed}.h\"\nint s{seed}_next(int x) {{ return x < 2 ? x + 1 : 0; }}\n\
                 const int s{seed}_limits[3] = {{ 1, {}, 2 }};\n\
                 static void s{seed}_twice(void) {{ s{seed}_{first}(); s{seed}_{first}(); }}\n\
                 const struct s{seed}_ops s{seed}_shared[2] = {{ {{ s{seed}_twice, s{seed}_{second}, 1 }}, {{ .stop = s{seed}_twice, .start = s{seed}_{second} }} }};\n\
                 __attribute__((weak)) void s{seed}_bump(int *x) {{ *x = 0; }}\n",
                1 + random.below(2),
            );
            others.push((format!("s{seed}_help.c"), text));
        }
        let components =
            (0..count).map(|number| component(seed, number, &mut random, count, helpers)).collect();
        System { seed, components, others, routines: routines(seed) }
    }

    /// The files that are written: C and header.
    pub fn files(&self) -> Vec<(String, String)> {
        let own = self.components.iter().map(|component| (component.file.clone(), component.text.clone()));
        own.chain(self.others.iter().cloned()).collect()
    }
}

fn header(seed: u64, random: &mut Random, has_helpers: bool) -> String {
    let s = format!("s{seed}");
    let mut text = format!("#ifndef S{seed}_H\n#define S{seed}_H\n");
    for event in EVENTS {
        let _ = writeln!(text, "void {s}_{event}(void);");
    }
    let _ = writeln!(
        text,
        "int {s}_choose(void);\nint {s}_offer(void);\nvoid {s}_note(int);\n\
         struct {s}_slot {{ int seq; short rest; }};\nint {s}_take(struct {s}_slot *);\n\
         enum {s}_mode {{ S{seed}_OFF, S{seed}_SLOW = 3, S{seed}_FAST }};\n\
         struct {s}_ops {{ void (*start)(void); void (*stop)(void); int weight; }};\n\
         static inline int {s}_clamp(int x) {{ return x > 1 ? 1 : x; }}"
    );
    if has_helpers {
        let _ = writeln!(
            text,
            "int {s}_next(int);\nextern const int s{seed}_limits[3];\nextern const struct {s}_ops {s}_shared[2];\nvoid {s}_bump(int *);\nunion {s}_view {{ int whole; unsigned char part[4]; }};"
        );
    }
    if random.chance(50) {
        let _ = writeln!(
            text,
            "static inline enum {s}_mode {s}_mode_of(int x) {{ switch (x) {{ case 0: return S{seed}_OFF; case 1: return S{seed}_SLOW; default: return S{seed}_FAST; }} }}"
        );
    } else {
        let _ = writeln!(
            text,
            "static const enum {s}_mode {s}_modes[3] = {{ [2] = S{seed}_FAST, [1] = S{seed}_SLOW }};\n\
             static inline enum {s}_mode {s}_mode_of(int x) {{ return {s}_modes[x >= 0 && x < 3 ? x : 2]; }}"
        );
    }
    text.push_str("#endif\n");
    text
}

fn routines(seed: u64) -> String {
    let mut text = String::new();
    for event in EVENTS {
        let upper = event.to_ascii_uppercase();
        let _ = writeln!(
            text,
            "cproc s{seed}_{event} {{ abstract {{ {event}_abs, 1, Ev{upper} }}; }}\nEv{upper} = ( {event} -> return {{}} -> STOP )."
        );
    }
    let _ = writeln!(
        text,
        "cproc s{seed}_choose {{ abstract {{ choose_abs, 1, Choose }}; }}\n\
         Choose = ( return {{$0 == 0}} -> STOP | return {{$0 == 1}} -> STOP | return {{$0 == 2}} -> STOP ).\n\
         cproc s{seed}_offer {{ abstract {{ offer_abs, 1, Offer }}; }}\n\
         Offer = ( a -> return {{$0 == 1}} -> STOP | b -> return {{$0 == 0}} -> STOP ).\n\
         cproc s{seed}_note {{ abstract {{ note_one, $1 == 1, NoteOne }}; abstract {{ note_other, $1 != 1, NoteOther }}; }}\n\
         NoteOne = ( one -> return {{}} -> STOP ).\n\
         NoteOther = ( other -> return {{}} -> STOP ).\n\
         cproc s{seed}_take {{ abstract {{ take_abs, 1, Take }}; }}\n\
         Take = ( c -> {{$1->seq = 1}} -> return {{$0 == 0}} -> STOP | d -> {{$1->seq = 2}} -> return {{$0 == -1}} -> STOP )."
    );
    text
}

fn component(seed: u64, number: usize, random: &mut Random, count: usize, helpers: Helpers) -> Component {
    let s = format!("s{seed}");
    let procedure = format!("{s}_p{number}");
    // Fewer events for each where there are several, so that they share some and not all.
    let mut events = EVENTS.to_vec();
    while count > 1 && events.len() > 2 {
        events.remove(random.below(events.len()));
    }
    let mut text = format!("#include \"{s}.h\"\n");
    let mut named = BTreeSet::new();
    let pick = |random: &mut Random, named: &mut BTreeSet<String>| {
        let event = *random.pick(&events);
        named.insert(event.to_string());
        event
    };
    let mut entries = Vec::new();
    for entry in 0..2 {
        let event = pick(random, &mut named);
        let _ = writeln!(text, "static void {procedure}_do{entry}(void) {{ {s}_{event}(); }}");
        entries.push(format!("{procedure}_do{entry}"));
        if random.chance(25) {
            let event = pick(random, &mut named);
            entries[entry] = format!("{s}_{event}");
        }
    }
    let constant = if random.chance(80) { "const " } else { "" };
    // What is not constant starts with any value, so only constant tables are read at once.
    let table = random.below(3);
    match table {
        0 => {
            let _ = writeln!(
                text,
                "static void (*const {procedure}_table[2])(void) = {{ {}, {} }};",
                entries[0], entries[1]
            );
        }
        1 => {
            let _ = writeln!(
                text,
                "static const struct {s}_ops {procedure}_ops[2] = {{ {{ {0}, {1}, 1 }}, {{ .stop = {0}, .start = {1} }} }};",
                entries[0], entries[1]
            );
        }
        _ => {
            let _ = writeln!(
                text,
                "static {constant}struct {s}_ops {procedure}_own{};",
                if constant.is_empty() {
                    String::new()
                } else {
                    format!(" = {{ {}, {} }}", entries[0], entries[1])
                }
            );
        }
    }
    let _ = writeln!(text, "int {procedure}(void) {{");
    let _ = writeln!(
        text,
        "    int v0 = 0, v1 = {}, v2 = 0;\n    struct {s}_slot slot = {{ 0, 0 }};\n    enum {s}_mode mode = S{seed}_OFF;\n    (void)slot, (void)mode, (void)v2;",
        random.below(3)
    );
    if table == 2 && constant.is_empty() {
        let _ = writeln!(
            text,
            "    {procedure}_own.start = {};\n    {procedure}_own.stop = {};",
            entries[0], entries[1]
        );
    }
    let mut writer = Writer { random, lines: Vec::new(), indent: 1, counters: 0, named, events };
    let calls = match table {
        0 => vec![format!("{procedure}_table[v0 & 1]();"), format!("{procedure}_table[{s}_clamp(v1)]();")],
        1 => vec![
            format!("{procedure}_ops[v1 & 1].start();"),
            format!("{procedure}_ops[{procedure}_ops[0].weight].stop();"),
        ],
        _ => vec![format!("{procedure}_own.start();"), format!("{procedure}_own.stop();")],
    };
    let length = 2 + writer.random.below(3);
    writer.statements(&s, &calls, length, 2, helpers);
    for line in &writer.lines {
        let _ = writeln!(text, "{line}");
    }
    text.push_str("    return 0;\n}\n");
    Component { file: format!("{procedure}.c"), text, named: writer.named, procedure }
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }

    fn variable(&mut self) -> &'static str {
        self.random.text(&["v0", "v1", "v2"])
    }

    fn event(&mut self) -> char {
        let event = *self.random.pick(&self.events);
        self.named.insert(event.to_string());
        event
    }

    fn block(&mut self, s: &str, calls: &[String], depth: usize, helpers: Helpers) {
        self.indent += 1;
        let length = 1 + self.random.below(2);
        self.statements(s, calls, length, depth, helpers);
        self.indent -= 1;
    }

    fn statements(&mut self, s: &str, calls: &[String], length: usize, depth: usize, helpers: Helpers) {
        for _ in 0..length {
            self.statement(s, calls, depth, helpers);
        }
    }

    fn statement(&mut self, s: &str, calls: &[String], depth: usize, helpers: Helpers) {
        let variable = self.variable();
        match self.random.below(if depth == 0 { 13 } else { 19 }) {
            0 | 1 => {
                let event = self.event();
                self.line(format!("{s}_{event}();"));
            }
            2 | 3 => {
                let call = self.random.pick(calls).clone();
                self.line(call);
            }
            4 | 5 => self.line(format!("{variable} = {s}_choose();")),
            6 => {
                if self.events.contains(&'a') && self.events.contains(&'b') {
                    self.named.extend(["a".into(), "b".into()]);
                    self.line(format!("{variable} = {s}_offer();"));
                } else {
                    self.line(format!("{variable} = ({variable} + 1) % 3;"));
                }
            }
            7 => {
                self.named.extend(["one".into(), "other".into()]);
                let value = self.random.text(&["v0", "v1", "v0 + v1", "slot.seq", "mode", "v2 ^ 1"]);
                self.line(format!("{s}_note({value});"));
            }
            8 => {
                if self.events.contains(&'c') && self.events.contains(&'d') {
                    self.named.extend(["c".into(), "d".into()]);
                    self.line(format!("{variable} = {s}_take(&slot) == 0 ? slot.seq : 2;"));
                } else {
                    self.line(format!("slot.seq = {variable};"));
                }
            }
            9 => {
                let value = if helpers.is_some() && self.random.chance(50) {
                    format!("{s}_next({variable})")
                } else {
                    format!("{s}_clamp({variable} + {})", self.random.below(2))
                };
                self.line(format!("{variable} = {value};"));
            }
            10 => self.line(format!("mode = {s}_mode_of({variable});")),
            11 => match helpers {
                Some(events) => {
                    self.named.extend(events.iter().map(char::to_string));
                    let member = self.random.text(&["start", "stop"]);
                    self.line(format!("{s}_shared[{variable} & 1].{member}();"));
                }
                None => self.line(format!("{variable} = {variable} > 0 ? {variable} - 1 : 2;")),
            },
            12 if helpers.is_some() => match self.random.below(2) {
                0 => self.line(format!("{s}_bump(&{variable});")),
                _ => self.line(format!("{{ union {s}_view u; u.whole = {variable} + 256; {variable} = u.part[1] + u.part[0] - 1; }}")),
            },
            17 => {
                let counter = format!("k{}", self.counters);
                self.counters += 1;
                self.line(format!("int {counter} = 0;"));
                self.line("do {");
                self.block(s, calls, depth - 1, helpers);
                self.line(format!("}} while ({variable} > 0 && ++{counter} < 2);"));
            }
            18 => {
                let label = format!("l{}", self.counters);
                self.counters += 1;
                let value = self.random.below(3);
                self.line(format!("if ({variable} == {value}) goto {label};"));
                self.block(s, calls, depth - 1, helpers);
                self.line(format!("{label}: ;"));
            }
            12 if depth == 0 => self.line(format!("{variable} = ({variable} + 2) % 3;")),
            12 | 15 => {
                let condition = match self.random.below(4) {
                    0 => format!(
                        "mode == {}",
                        s.to_uppercase() + self.random.text(&["_OFF", "_SLOW", "_FAST"])
                    ),
                    1 => format!("slot.seq {} {variable}", self.random.text(&["==", "!=", "<"])),
                    _ => format!(
                        "{variable} {} {}",
                        self.random.text(&["==", "!=", "<", ">"]),
                        self.random.below(3)
                    ),
                };
                self.line(format!("if ({condition}) {{"));
                self.block(s, calls, depth - 1, helpers);
                if self.random.chance(50) {
                    self.line("} else {");
                    self.block(s, calls, depth - 1, helpers);
                }
                self.line("}");
            }
            13 if depth > 0 => {
                self.line(format!("switch ({variable}) {{"));
                for case in 0..=self.random.below(3) {
                    self.line(format!("case {case}:"));
                    self.block(s, calls, depth - 1, helpers);
                    if self.random.chance(75) {
                        self.line("    break;");
                    }
                }
                if self.random.chance(40) {
                    self.line("default:");
                    self.block(s, calls, depth - 1, helpers);
                }
                self.line("}");
            }
            14 => {
                let counter = format!("k{}", self.counters);
                self.counters += 1;
                let bound = match self.random.below(4) {
                    0 => format!("{s}_clamp({variable}) + 1"),
                    1 if helpers.is_some() => format!("{s}_limits[{}]", self.random.below(3)),
                    _ => (1 + self.random.below(2)).to_string(),
                };
                self.line(format!(
                    "for (int {counter} = 0, {counter}n = {bound}; {counter} < {counter}n; {counter}++) {{"
                ));
                self.block(s, calls, depth - 1, helpers);
                self.line("}");
            }
            _ => {
                let (first, second) = (self.event(), self.event());
                let name = format!("f{}", self.counters);
                self.counters += 1;
                let bound = self.random.below(2);
                self.line(format!(
                    "void (*{name})(void) = {variable} > {bound} ? {s}_{first} : {s}_{second};"
                ));
                self.line(format!("{name}();"));
            }
        }
    }
}
