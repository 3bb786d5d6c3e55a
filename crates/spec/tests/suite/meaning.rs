//! What FSP means, construct by construct: the states and transitions a definition has, written by hand.

use base::{Budget, Diagnostics, Id, SourceMap};
use lks::{Lks, StateMark, explore};
use spec::{Model, Settings, Specification};

fn parsed(text: &str) -> Specification {
    let mut sources = SourceMap::new();
    let id = sources.add("a.lts", text.to_owned()).expect("small");
    let mut diagnostics = Diagnostics::default();
    let specification = spec::parse(&sources, &[id], &mut diagnostics);
    let problems: Vec<_> = diagnostics.iter().map(|problem| &problem.message).collect();
    assert!(problems.is_empty(), "{problems:?}");
    specification
}

fn built(text: &str, name: &str) -> Lks {
    let specification = parsed(text);
    let mut model = Model::new(&specification, Settings::default());
    let system = model.system(name).expect("a meaning");
    explore(&system.composition(), name, &Budget::unlimited()).expect("no limit").lks
}

/// `0 a 1; …` in breadth-first order; END and ERROR by name.
fn transitions(lks: &Lks) -> String {
    let shown = |state| match lks.mark(state) {
        StateMark::Plain => state.index().to_string(),
        StateMark::End => "END".to_owned(),
        StateMark::Error => "ERROR".to_owned(),
    };
    let each =
        lks.states().flat_map(|from| lks.transitions(from).map(move |(action, to)| (from, action, to)));
    let lines: Vec<String> = each
        .map(|(from, action, to)| format!("{} {} {}", shown(from), lks.alphabet().name(action), shown(to)))
        .collect();
    lines.join("; ")
}

fn meaning(text: &str, name: &str) -> String {
    transitions(&built(text, name))
}

fn alphabet(lks: &Lks) -> Vec<&str> {
    let mut names: Vec<&str> = lks.alphabet().visible().map(|action| lks.alphabet().name(action)).collect();
    names.sort_unstable();
    names
}

#[test]
fn choice_guards_and_conditions() {
    assert_eq!(meaning("P = (a -> b -> P | {c,d} -> STOP).", "P"), "0 a 1; 0 c 2; 0 d 2; 1 b 0");
    assert_eq!(meaning("P = (when (1 == 2) a -> P | when 1 b -> P).", "P"), "0 b 0");
    assert_eq!(
        meaning("P = (a[i:0..2] -> if i > 1 then END else if i == 0 then ERROR).", "P"),
        "0 a.0 ERROR; 0 a.1 2; 0 a.2 END"
    );
}

#[test]
fn deterministic_keeps_termination_where_nothing_else_can_happen() {
    assert_eq!(meaning("P = (a -> b -> END). deterministic ||D = P\\{b}.", "D"), "0 a END");
    assert_eq!(meaning("P = (a -> b -> END | a -> STOP). deterministic ||D = P\\{b}.", "D"), "0 a 1");
    assert_eq!(
        meaning("P = (a -> b -> END | a -> c -> P). deterministic ||D = P\\{b}.", "D"),
        "0 a 1; 1 c 0"
    );
}

#[test]
fn indices_bind_from_left_to_right() {
    assert_eq!(
        meaning("range R = 0..1 P = (a[i:R][j:i..1] -> b[i+j] -> P).", "P"),
        "0 a.0.0 1; 0 a.0.1 2; 0 a.1.1 3; 1 b.0 0; 2 b.1 0; 3 b.2 0"
    );
    assert_eq!(
        meaning("set S = {x, y.z} P = (in[v:S] -> if v == 'x then (out[v] -> P) else STOP).", "P"),
        "0 in.x 1; 0 in.y.z 2; 1 out.x 0"
    );
}

#[test]
fn local_processes_with_indices() {
    assert_eq!(
        meaning("C(N=1) = C[0], C[i:0..N] = (when (i < N) up -> C[i+1] | when (i > 0) down -> C[i-1]).", "C"),
        "0 up 1; 1 down 0"
    );
    // Values with dots are several indices.
    assert_eq!(
        meaning("set S = {[0..1][0..1]} P = (in[s:S] -> P[s]), P[i:0..1][j:0..1] = (out[i+j] -> P).", "P"),
        "0 in.0.0 1; 0 in.0.1 2; 0 in.1.0 3; 0 in.1.1 4; 1 out.0 0; 2 out.1 0; 3 out.1 0; 4 out.2 0"
    );
}

#[test]
fn unreachable_local_processes_extend_the_alphabet() {
    let lks = built("P = (a -> P), Q = (b -> P) + {c}.", "P");
    assert_eq!((transitions(&lks), alphabet(&lks)), ("0 a 0".to_owned(), vec!["a", "b", "c"]));
}

#[test]
fn sets_and_operators_on_them() {
    assert_eq!(meaning("set S = {a, b, c} P = (S\\{b} -> P).", "P"), "0 a 0; 0 c 0");
    assert_eq!(meaning("set S = {a, b, c} P = (n[#S] -> m[@(S, 1)] -> P).", "P"), "0 n.3 1; 1 m.b 0");
    assert_eq!(
        meaning("P = ({a,b}.{c,d[0..1]} -> STOP).", "P"),
        "0 a.c 1; 0 a.d.0 1; 0 a.d.1 1; 0 b.c 1; 0 b.d.0 1; 0 b.d.1 1"
    );
}

#[test]
fn sequences_run_one_after_the_other() {
    let text = "P(N=1) = (a[N] -> END). Q = P(1);P(2);Q. R = (b -> P;END).";
    assert_eq!(meaning(text, "Q"), "0 a.1 1; 1 a.2 0");
    assert_eq!(meaning(text, "R"), "0 b 1; 1 a.1 END");
}

#[test]
fn relabelling_works_on_prefixes_and_may_multiply() {
    assert_eq!(meaning("P = (a.x -> a.y -> P)/{b/a}.", "P"), "0 b.x 1; 1 b.y 0");
    assert_eq!(meaning("P = (a -> P)/{{x,y}/a}.", "P"), "0 x 0; 0 y 0");
    assert_eq!(meaning("P = (a[1] -> a[2] -> P)/{forall[i:1..2] {b[3-i]/a[i]}}.", "P"), "0 b.2 1; 1 b.1 0");
}

#[test]
fn hiding_and_interface() {
    assert_eq!(meaning("P = (a -> b[1] -> P)\\{b}.", "P"), "0 a 1; 1 tau 0");
    assert_eq!(meaning("P = (a -> b[1] -> P)@{b}.", "P"), "0 tau 1; 1 b.1 0");
}

#[test]
fn properties_watch() {
    assert_eq!(meaning("property P = (a -> b -> P).", "P"), "0 a 1; 0 b ERROR; 1 a ERROR; 1 b 0");
    assert_eq!(meaning("property P = STOP + {bad}.", "P"), "0 bad ERROR");
}

#[test]
fn parallel_labelled_and_shared() {
    let text = "USER = (get -> put -> USER). LOCK = (get -> put -> LOCK). ||S = ({a,b}:USER || {a,b}::LOCK).";
    assert_eq!(meaning(text, "S"), "0 a.get 1; 0 b.get 2; 1 a.put 0; 2 b.put 0");
    let text = "P(K=0) = (x[K] -> STOP). ||S = forall[i:0..1] p[i]:P(i).";
    assert_eq!(meaning(text, "S"), "0 p.0.x.0 1; 0 p.1.x.1 2; 1 p.1.x.1 3; 2 p.0.x.0 3");
    let text = "P = (x -> P). ||S(N=2) = if N > 1 then (P || P/{y/x}) else P.";
    assert_eq!(meaning(text, "S"), "0 x 0; 0 y 0");
}

#[test]
fn relabelling_parts_synchronises_relabelling_a_composition_does_not() {
    let parts = "P = (a -> STOP). Q = (b -> STOP).";
    assert_eq!(meaning(&format!("{parts} ||S = (P || Q)/{{c/a, c/b}}."), "S"), "0 c 1");
    let named = format!("{parts} ||T = (P || Q). ||S = T/{{c/a, c/b}}.");
    assert_eq!(meaning(&named, "S"), "0 c 1; 0 c 2; 1 c 3; 2 c 3");
}

#[test]
fn what_a_part_hides_stays_its_own() {
    let text =
        "P = (a -> b -> P). Q = (b -> c -> Q). ||T = (P || Q)\\{b}. ||S = (T || x:T || B). B = (b -> STOP).";
    let lks = built(text, "S");
    assert_eq!(alphabet(&lks), ["a", "b", "c", "x.a", "x.c"]);
    // Each T has 4 states; B moves alone on its own b.
    assert_eq!(lks.state_count(), 32);
    assert_eq!(meaning(text, "T"), "0 a 1; 1 tau 2; 2 a 3; 2 c 0; 3 c 1");
}

#[test]
fn priorities() {
    let text = "P = (a -> P | b -> P). ||H = P<<{a}. ||L = P>>{a}. ||N = (H || Q). Q = (b -> Q).";
    assert_eq!(meaning(text, "H"), "0 a 0");
    assert_eq!(meaning(text, "L"), "0 b 0");
    // The priority was decided inside H.
    assert_eq!(meaning(text, "N"), "0 a 0");
}

#[test]
fn ends_of_compositions() {
    let both = built("P = (a -> END). ||S = (P || x:P).", "S");
    assert_eq!(both.end_states().len(), 1);
    // A lock that serves is not waited for; a process with something of its own to do is.
    let served = built("P = (get -> put -> END). LOCK = (get -> put -> LOCK). ||S = (P || LOCK).", "S");
    assert_eq!(served.end_states().len(), 1);
    let waiting =
        built("P = (a -> END). Q = (a -> b -> c -> Q)+{d}. R = (c -> STOP). ||S = (P || Q || R).", "S");
    assert_eq!(waiting.end_states().len(), 0);
}

#[test]
fn properties_do_not_decide_deadlock() {
    let text = "property SAFE = (a -> b -> SAFE). P = (a -> b -> P). ||S = (P || SAFE). ||W = (SAFE).";
    let specification = parsed(text);
    let mut model = Model::new(&specification, Settings::default());
    assert_eq!(model.system("S").expect("a meaning").without_watchers().components.len(), 1);
    assert_eq!(model.system("W").expect("a meaning").without_watchers().components.len(), 1);
}

#[test]
fn deterministic_and_composed() {
    let text = "P = (a -> b -> STOP | a -> c -> STOP). deterministic ||D = P. deterministic Q = (a -> b -> STOP | a -> c -> STOP).";
    assert_eq!(meaning(text, "D"), "0 a 1; 1 b 2; 1 c 2");
    assert_eq!(meaning(text, "Q"), "0 a 1; 1 b 2; 1 c 2");
    assert_eq!(meaning("property ||P = Q. Q = (a -> Q) + {b}.", "P"), "0 a 0; 0 b ERROR");
}

#[test]
fn magic_actions_and_propositions() {
    let lks = built(
        "S {idle} = (epsilon -> T | return {$0==(-1)} -> STOP), T {busy, m == 2} = ({v = 1} -> when {x > 0} go -> S).",
        "S",
    );
    assert_eq!(transitions(&lks), "0 tau 1; 0 return {$0 == -1} 2; 1 {v = 1} 3; 3 when {x > 0} go 0");
    let label = |state: usize| -> Vec<&str> {
        let set = lks.label(lks::StateId::from_index(state));
        let names = lks.propositions();
        set.iter().map(|id| names.name(id)).collect()
    };
    assert_eq!((label(0), label(1)), (vec!["idle"], vec!["busy", "m == 2"]));
    let indexed = built("P = P[0], P[i:0..1] {at[i]} = (go -> P[1-i]).", "P");
    assert!(indexed.propositions().find("at[0]").is_some() && indexed.propositions().len() == 2);
}

#[test]
fn cproc_and_cprog_blocks() {
    let text = "S = (a -> return {} -> STOP).
        cproc f { abstract { one, ($1 == 0), S }; predicate (x < 10), (y); inline g, h; }
        cprog both = f, f { abstract c, {1, $1->state == 3}, S; formula l, {(1), (1)}, G(a => F [x == 1]); deadlock d, {1, 1}; }";
    let specification = parsed(text);
    assert_eq!(specification.procedures[0].statements.len(), 3);
    let program = &specification.programs[0];
    assert_eq!(program.components.len(), 2);
    assert_eq!(program.statements[0].guards[1].to_string(), "$1->state == 3");
    let formula = match &program.statements[1].question {
        spec::syntax::ProgramQuestion::Satisfies(formula) => formula.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(formula, "G (a => F [x == 1])");
}

#[test]
fn progress_tests_fluents_and_assertions() {
    let text = "range R = 1..2 P = (on[R] -> P | off[R] -> P).
        progress GO[i:R] = {on[i]} progress IF = if {on[R]} then {off[1]}
        fluent ON[i:R] = <on[i], off[i]> initially (i == 2)
        assert SOME = [](ON[R] || !on[1])
        assert ALL = (forall[i:R] <>ON[i] && X SOME)";
    let specification = parsed(text);
    let mut model = Model::new(&specification, Settings::default());
    let tests = model.progress_tests().expect("a meaning");
    let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["GO.1", "GO.2", "IF"]);
    assert_eq!(tests[2].condition.as_ref().map(Vec::len), Some(2));
    let system = model.system("P").expect("a meaning");
    let assertion = model.assertion("ALL", &system).expect("a meaning");
    assert_eq!(assertion.formula.to_string(), "F [ON.1] & F [ON.2] & X G ([ON.1] | [ON.2] | ![on.1])");
    let watched = explore(&system.with(assertion.watchers).composition(), "P", &Budget::unlimited())
        .expect("no limit")
        .lks;
    // After on.2 the fluent ON.2 holds, before anything too.
    let holds = |state, name: &str| watched.holds(state, watched.propositions().find(name).expect("watched"));
    let start = watched.initial()[0];
    assert!(holds(start, "ON.2") && !holds(start, "ON.1") && !holds(start, "on.1"));
    let after =
        |state, name: &str| watched.successors_by(state, watched.alphabet().find(name).expect("known"))[0];
    let once = after(start, "on.1");
    assert!(holds(once, "ON.1") && holds(once, "on.1"));
    let twice = after(once, "off.2");
    assert!(holds(twice, "ON.1") && !holds(twice, "on.1") && !holds(twice, "ON.2"));
    assert_eq!(model.assertion("NONE", &system).unwrap_err().code, "undefined-fluent");
}

#[test]
fn tables_are_read() {
    let text = "# a comment\nlts M\nalphabet a tau b\nprops m=1 p\ninit s t\nlabel s m=1\ns a t\nt tau s\n";
    let lks = built(text, "M");
    assert_eq!(transitions(&lks), "0 a 1; 1 tau 0");
    assert_eq!(lks.initial().len(), 2);
    assert_eq!(alphabet(&lks), ["a", "b"]);
    assert!(lks.propositions().find("m == 1").is_some());
}
