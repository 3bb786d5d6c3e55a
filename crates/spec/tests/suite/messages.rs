//! What users are told: places, hints, several errors in one run.

use base::{Diagnostics, SourceMap};
use spec::{Model, Settings};

/// `severity code line:column message` of everything that is told, in order.
fn told(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let id = sources.add("a.lts", text.to_owned()).expect("small");
    let mut diagnostics = Diagnostics::default();
    let specification = spec::parse(&sources, &[id], &mut diagnostics);
    spec::lint(&specification, &mut diagnostics);
    if !diagnostics.has_errors() {
        let mut model = Model::new(&specification, Settings::default());
        for name in model.names() {
            if let Err(problem) = model.system(&name) {
                diagnostics.push(problem);
            }
        }
        diagnostics.extend(model.diagnostics().clone());
    }
    diagnostics
        .iter()
        .map(|diagnostic| {
            let place = sources.location(diagnostic.span);
            let place = place.map_or("nowhere".to_owned(), |at| format!("{}:{}", at.line, at.column));
            format!("{:?} {} {place} {}", diagnostic.severity, diagnostic.code, diagnostic.message)
        })
        .collect()
}

#[test]
fn good_text_is_told_nothing() {
    assert_eq!(told("P = (a -> P).\nQ = (b -> Q).\n||S = (P || x:Q)."), [""; 0]);
}

#[test]
fn names_that_stand_for_no_action_are_told_once_per_place() {
    let text = "P(N=1) = (a[N] -> P)\\{b}.\nQ = (c.x -> c.y -> Q)/{d/c, e/f}.\n\
                ||S = (P(1) || P(2) || Q/{g/d.x, h/i})@{a, g, j}.";
    assert_eq!(
        told(text),
        [
            "Warning no-such-action 1:1 `P` has no action `b`: hiding it changes nothing",
            "Warning no-such-action 2:1 `Q` has no action `f`: renaming it changes nothing",
            "Warning no-such-action 3:24 this part has no action `i`: renaming it changes nothing",
            "Warning no-such-action 3:3 `S` has no action `j`: showing it changes nothing",
        ]
    );
}

#[test]
fn processes_that_a_program_is_made_of_are_used() {
    let text = "CLIENT = (ask -> CLIENT).\nSPEC = (ask -> SPEC).\nIDLE = (wait -> IDLE).\n\
                cprog all = serve, CLIENT {\n  abstract a, {1, 1}, SPEC;\n  deadlock d, {1, 1};\n}";
    assert_eq!(told(text), ["Warning unused-name 3:1 the process `IDLE` is never used"]);
}

#[test]
fn several_errors_in_one_run() {
    let text = "P = (a -> P.\nQ = (b Q).\nconst = 3\nR = (c -> R).\n||S = (P | R).";
    assert_eq!(
        told(text),
        [
            "Error syntax 1:12 expected `)`, found `.`",
            "Error syntax 2:8 expected `->`, found `Q`",
            "Error syntax 3:7 expected a constant, a name, found `=`",
            "Error syntax 5:10 expected `)`, found `|`",
        ]
    );
}

#[test]
fn what_uses_a_broken_definition_is_not_to_blame() {
    let text = "P = (a -> P.\nproperty Q = (b Q).\n||R = (P | Q).\nconst N = 3\n||S = (P || Q || R || X).";
    assert_eq!(
        told(text),
        [
            "Error syntax 1:12 expected `)`, found `.`",
            "Error syntax 2:17 expected `->`, found `Q`",
            "Error syntax 3:10 expected `)`, found `|`",
            "Error undefined-process 5:23 there is no process `X`",
        ]
    );
}

#[test]
fn parallel_inside_a_process_is_explained() {
    assert_eq!(told("P = (a -> P || b -> P)."), ["Error syntax 1:13 expected `|` or `)`, found `||`"]);
}

#[test]
fn undefined_and_unused_names() {
    let text = "const N = 3\nset Used = {x}\nset Free = {y}\nrange R = 0..1\nPHIL = (Used -> PHIL), GONE = STOP.\n||S = (PHILL).";
    assert_eq!(
        told(text),
        [
            "Error undefined-process 6:8 there is no process `PHILL`",
            "Warning unused-name 1:7 the constant `N` is never used",
            "Warning unused-name 4:7 the range `R` is never used",
            "Warning unused-name 3:5 the set `Free` is never used",
            "Warning unused-name 5:1 the process `PHIL` is never used",
            "Warning unused-name 5:24 the local process `GONE` is never used",
        ]
    );
}

#[test]
fn indices_out_of_range_become_errors_with_a_warning() {
    let text = "C = C[0],\nC[i:0..1] = (up -> C[i+1]).";
    assert_eq!(
        told(text),
        ["Warning undefined-state 2:20 `C.2` is not defined in `C`: it is taken for ERROR"]
    );
    let text = "C = C[0][0],\nC[i:0..2][j:0..2] = (a -> C[i-1][j] | b -> C[i][j+1]).";
    assert_eq!(
        told(text),
        [
            "Warning undefined-state 2:27 `C.-1.0` is not defined in `C`: it is taken for ERROR",
            "Warning undefined-state 2:44 `C.0.3` is not defined in `C`: it is taken for ERROR"
        ],
        "once per place"
    );
}

#[test]
fn values_that_make_no_sense() {
    assert_eq!(told("P = (a[x] -> P)."), ["Error undefined-name 1:8 `x` has no value here"]);
    assert_eq!(told("P = (when (1/0) a -> P)."), ["Error division-by-zero 1:12 this divides by zero"]);
    assert_eq!(told("P = (a[3..1] -> P)."), ["Error empty-range 1:7 the range 3..1 is empty"]);
    assert_eq!(
        told("P = (a[i:{x}] -> b[i+1] -> P)."),
        ["Error not-a-number 1:20 `x` is a label, a number is wanted here"]
    );
    assert_eq!(
        told("P = Q, Q = P."),
        ["Error unguarded-recursion 1:1 `P` is defined by itself, without an action in between"]
    );
    assert_eq!(
        told("P(N=1) = (a -> P).\n||S = P(1,2)."),
        ["Error argument-count 2:7 `P` has 1 parameters, 2 are given"]
    );
    assert_eq!(told("||S = (S)."), ["Error endless-definition 1:8 `S` is made of itself: S -> S"]);
    assert_eq!(told("P = (a -> P), P = STOP."), ["Error duplicate-definition 1:15 `P` is defined twice"]);
    assert_eq!(told("P = (tau -> P)."), ["Error reserved-action 1:6 `tau` cannot be written as an action"]);
    assert_eq!(
        told("property P = (a -> P | a -> STOP)."),
        ["Error property-not-deterministic 1:10 the property `P` is not deterministic"]
    );
}

#[test]
fn guards_of_a_procedure_are_compared() {
    let text = "P = (a -> return {} -> STOP).\ncproc f {\n abstract { one, ($1 > 0), P };\n abstract { two, ($1 >= 1), P };\n}";
    assert_eq!(
        told(text),
        [
            "Warning guards-overlap 4:13 the guards of `one` and `two` both hold when $1 is 1",
            "Warning guards-incomplete 3:13 no abstraction of `f` applies when $1 is -1",
        ]
    );
}

#[test]
fn too_much_is_refused_not_attempted() {
    assert_eq!(
        told("P = (a[0..99999999] -> P)."),
        ["Error too-many-indices 1:7 the range 0..99999999 has more than 1000000 values"]
    );
    let told = told("P = P[0][0][0],\nP[i:0..999][j:0..999][k:0..999] = (a -> P).");
    assert_eq!(told, ["Error too-many-indices 2:12 these indices have more than 1000000 combinations"]);
}

#[test]
fn unclosed_comment_and_strange_characters() {
    assert_eq!(told("P = (a -> P). /* x"), ["Error unterminated-comment 1:15 this comment does not end"]);
    assert_eq!(
        told("P = (a -> P). é"),
        [
            "Error unknown-character 1:15 `é` does not belong to the language",
            "Error syntax 1:15 expected a process, a name, found `é`",
        ][..1]
            .to_vec()
    );
}

/// Found by fuzzing: few states with very many transitions took minutes, whatever the limits said.
#[test]
fn very_many_transitions_are_refused() {
    let text = "range R = 1..40000
P = Q[1], Q[i:R] = (a[R] -> Q[i]).
property O = (a[R] -> E[1]), E[i:1..900] = (b[i] -> E[i%900+1] | a[i] -> O).";
    let mut sources = SourceMap::new();
    let id = sources.add("a.lts", text.to_owned()).expect("small");
    let specification = spec::parse(&sources, &[id], &mut Diagnostics::default());
    let refused = |name: &str, settings: Settings<'_>| {
        Model::new(&specification, settings).system(name).map(|system| system.name).unwrap_err().code
    };
    let small = || Settings { most_states: 100_000, ..Settings::default() };
    assert_eq!(refused("P", small()), "too-many-transitions");
    assert_eq!(refused("O", small()), "too-many-transitions");
    let over = base::Budget::unlimited().with_time(std::time::Duration::ZERO);
    assert_eq!(refused("P", Settings { budget: over, ..small() }), "limit");
}

/// Found by fuzzing: many new names for one action took time that grew with their square, and memory without a limit.
#[test]
fn many_new_names_are_quick_or_refused() {
    let text =
        "P = (a -> b -> P)/{c[1..30000]/a, d[1..30000]/b}.\n||S = (x[1..3]:P)/{e[1..2]/x[1..3].c[1..9]}.";
    let mut sources = SourceMap::new();
    let id = sources.add("a.lts", text.to_owned()).expect("small");
    let specification = spec::parse(&sources, &[id], &mut Diagnostics::default());
    let system =
        |most_states| Model::new(&specification, Settings { most_states, ..Settings::default() }).system("P");
    assert_eq!(system(1_000_000).expect("within the limit").actions().len(), 60_000);
    assert_eq!(system(1_000).map(|system| system.name).unwrap_err().code, "too-many-transitions");
}
