//! Sizes of automata against those recorded for another translator, where the recorded file is present.

use automata::{Acceptance, translate};
use base::Budget;
use std::path::Path;
use testkit::suite_text;

struct Row {
    formula: String,
    states: [usize; 2],
    edges: [usize; 2],
}

fn rows() -> Option<Vec<Row>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/ltl/reference_sizes.csv");
    let text = std::fs::read_to_string(path).ok()?;
    let rows = text.lines().skip(1).map(|line| {
        let mut fields = line.rsplitn(5, ',');
        let mut number = || fields.next().unwrap().parse::<usize>().unwrap();
        let (te, ts, be, bs) = (number(), number(), number(), number());
        let formula = fields.next().unwrap().split_once(',').unwrap().1.to_owned();
        Row { formula, states: [bs, ts], edges: [be, te] }
    });
    Some(rows.collect())
}

/// Recorded sizes of a few textbook formulas: generalised states and edges, then with accepting states.
const OWN: [(&str, [usize; 4]); 8] = [
    ("GFa", [1, 2, 2, 4]),
    ("FGa", [2, 3, 2, 3]),
    ("G(a -> Fb)", [2, 4, 2, 4]),
    ("a U b", [2, 3, 2, 3]),
    ("GFa & GFb", [1, 4, 3, 8]),
    ("G(!a | G!b)", [2, 3, 2, 3]),
    ("Ga | Gb", [3, 4, 3, 4]),
    ("F(a & X(b & XFc))", [4, 8, 4, 8]),
];

#[test]
fn textbook_formulas_have_their_known_sizes() {
    for (text, sizes) in OWN {
        let formula = suite_text::read(text).unwrap();
        let of = |acceptance| {
            translate(&formula.formula, &formula.atoms, acceptance, &Budget::unlimited()).unwrap()
        };
        let (general, ordinary) = (of(Acceptance::Generalised), of(Acceptance::States));
        let found =
            [general.state_count(), general.edge_count(), ordinary.state_count(), ordinary.edge_count()];
        assert!(
            found.iter().zip(sizes).all(|(found, most)| *found <= most),
            "{text}: {found:?}, known {sizes:?}"
        );
    }
}

#[test]
#[allow(clippy::print_stdout)] // what was measured, and whether anything was
fn totals_stay_within_a_tenth_and_none_is_twice_the_recorded() {
    let Some(rows) = rows() else {
        println!(
            "../shared/bench/ltl/reference_sizes.csv is absent: only the textbook formulas are compared"
        );
        return;
    };
    let mut totals = [[0usize; 4]; 2];
    let mut too_big = Vec::new();
    for row in &rows {
        let formula = suite_text::read(&row.formula).unwrap();
        for (kind, acceptance) in [Acceptance::States, Acceptance::Generalised].into_iter().enumerate() {
            let automaton =
                translate(&formula.formula, &formula.atoms, acceptance, &Budget::unlimited()).unwrap();
            let (states, edges) = (automaton.state_count(), automaton.edge_count());
            totals[kind][0] += states;
            totals[kind][1] += row.states[kind];
            totals[kind][2] += edges;
            totals[kind][3] += row.edges[kind];
            let short: String = row.formula.chars().take(100).collect();
            if (states, edges) != (row.states[kind], row.edges[kind]) {
                let recorded = (row.states[kind], row.edges[kind]);
                println!("{acceptance:?} {short}: {states} states {edges} edges, recorded {recorded:?}");
            }
            if states > 2 * row.states[kind] || edges > 2 * row.edges[kind] {
                too_big.push(short);
            }
        }
    }
    println!(
        "[states, recorded states, edges, recorded edges], accepting states then generalised: {totals:?}"
    );
    for [states, known_states, edges, known_edges] in totals {
        assert!(states * 10 <= known_states * 11, "{states} states in total, recorded {known_states}");
        assert!(edges * 10 <= known_edges * 11, "{edges} edges in total, recorded {known_edges}");
    }
    assert!(too_big.is_empty(), "more than twice the recorded size: {too_big:?}");
}
