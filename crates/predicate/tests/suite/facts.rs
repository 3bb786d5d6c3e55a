//! Facts that are found without counterexamples (`refine::facts`) hold in every state of every run: random procedures with
//! counters are walked on their components, and at every location each fact is evaluated.

use csource::types::DataModel;
use logic::{Bits, Model, TermId, Value};
use predicate::component::{Build, Component, Returns, build};
use predicate::refine::facts;
use predicate::{GlobalsRule, MissingRule};
use std::fmt::Write;
use testkit::Random;

/// A procedure that counts in loops; `nd` gives any value.
fn procedure(seed: u64) -> String {
    let mut draw = Random::new(seed);
    let mut text = String::from("int nd(void);\nint run(void)\n{\n");
    for variable in ["x", "y", "z"] {
        writeln!(text, "    int {variable} = {};", draw.below(9) as i64 - 4).expect("a string");
    }
    let variable = |draw: &mut Random| ["x", "y", "z"][draw.below(3)];
    for _ in 0..1 + draw.below(3) {
        let condition = match draw.below(4) {
            0 => "nd() > 0".to_owned(),
            1 => format!("{} < {}", variable(&mut draw), draw.below(12)),
            2 => format!("{} < {} && nd() > 0", variable(&mut draw), variable(&mut draw)),
            _ => format!("{} != {} && nd() < 9", variable(&mut draw), draw.below(6)),
        };
        writeln!(text, "    while ({condition}) {{").expect("a string");
        for _ in 0..1 + draw.below(3) {
            let step = format!(
                "{} {}= {};",
                variable(&mut draw),
                if draw.below(3) == 0 { "-" } else { "+" },
                1 + draw.below(3)
            );
            match draw.below(3) {
                0 => writeln!(text, "        if (nd() > 0) {step}"),
                1 => writeln!(text, "        if ({} > {}) {step}", variable(&mut draw), draw.below(8)),
                _ => writeln!(text, "        {step}"),
            }
            .expect("a string");
        }
        text.push_str("    }\n");
    }
    text.push_str("    return x;\n}\n");
    text
}

fn truth(component: &Component, model: &Model, term: TermId) -> bool {
    matches!(model.evaluate(&component.pool, term), Ok(Value::Bool(true)))
}

#[test]
fn facts_hold_in_every_state() {
    let programs: u64 = std::env::var("FACTS_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let (mut evaluated, mut known) = (0_usize, 0_usize);
    for seed in 1..=programs {
        let text = procedure(seed);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        let mut component = build(&Build {
            program: &program,
            procedure: program.procedure_named("run").expect("it is there"),
            name: "run".into(),
            guard: None,
            routines: &|_, _| Vec::new(),
            is_inlined: &|_, _| true,
            missing: MissingRule::Pure,
            globals: GlobalsRule::Any,
            recursion: 0,
            returns: &Returns::default(),
            predicates: &[],
            propositions: &[],
        })
        .unwrap_or_else(|why| panic!("{why}"));
        let Ok(Some(facts)) = facts(&mut component, &base::Budget::unlimited()) else { continue };
        known += facts.iter().map(Vec::len).sum::<usize>();
        for round in 0..20 {
            let mut draw = Random::new(seed << 8 | round);
            let mut values: Vec<u128> =
                component.cells.iter().map(|_| (draw.below(40) as u128).wrapping_sub(20)).collect();
            let mut at = component.entry;
            for _ in 0..300 {
                let mut model = Model::default();
                for (cell, value) in component.cells.iter().zip(&values) {
                    let width = component.pool.width(cell.symbol);
                    model.set(cell.symbol, Value::Bits(Bits::from_i128(width, *value as i128)));
                }
                for &fact in &facts[at] {
                    evaluated += 1;
                    assert!(
                        truth(&component, &model, fact),
                        "seed {seed}: {} does not hold\n{text}",
                        component.show(fact)
                    );
                }
                // An input that fits is drawn for each step; the first step that can be taken is.
                let mut taken = None;
                for (id, edge) in component.out(at) {
                    let mut own = model.clone();
                    for input in &edge.inputs {
                        let width = component.pool.width(input.symbol);
                        let value = draw.below(20) as i128 - 10;
                        own.set(input.symbol, Value::Bits(Bits::from_i128(width, value)));
                    }
                    if edge.trouble.is_none() && truth(&component, &own, edge.guard) {
                        taken = Some((id, own));
                        break;
                    }
                }
                let Some((id, model)) = taken else { break };
                for &(cell, value) in &component.edges[id].updates {
                    if let Ok(Value::Bits(bits)) = model.evaluate(&component.pool, value) {
                        values[base::Id::index(cell)] = bits.to_u128().expect("it fits");
                    }
                }
                at = component.edges[id].to;
            }
        }
    }
    assert!(evaluated > 1000 && known > 100, "{known} facts were found, {evaluated} looked at");
}
