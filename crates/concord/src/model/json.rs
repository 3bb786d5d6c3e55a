//! Answers for tools: version 1 of Concord's JSON.

use super::answers::Told;
use base::source::Location;
use question::{Counterexample, Verdict};
use serde_json::{Map, Value, json};
use verdict::{Certificate, LearnedAssumption, Path, StateView, Step, Tree, Unit};

/// `{"concord":1,"results":[…]}` with a line break at the end.
pub fn write(answers: &[Told], places: &[Option<Location>]) -> String {
    let results: Vec<Value> =
        answers.iter().zip(places).map(|(told, place)| answer(told, place.as_ref())).collect();
    let document = json!({ "concord": 1, "verb": "model", "results": results });
    let mut text = serde_json::to_string_pretty(&document).expect("a tree of plain values");
    text.push('\n');
    text
}

/// One result; `place` is where its question comes from.
pub fn answer(told: &Told, place: Option<&Location>) -> Value {
    let answer = &told.answer;
    let (reason, proved, try_next) = match &answer.verdict {
        Verdict::Undecided(undecided) => {
            (Value::from(undecided.to_string()), undecided.proved.clone(), undecided.try_next.clone())
        }
        _ => (Value::Null, Vec::new(), Vec::new()),
    };
    let mut object = json!({
        "property": answer.property,
        "system": told.system,
        "at": place.map(|place| json!({ "file": &*place.file, "line": place.line, "column": place.column })),
        "verdict": answer.verdict.word(),
        "reason": reason,
        "engine": answer.engine,
        "engine_reason": answer.engine_reason,
        "assumptions": answer.assumptions,
        "remarks": answer.remarks,
        "counterexample": answer.verdict.counterexample().map(counterexample),
        "statistics": statistics(told),
    });
    let fields = object.as_object_mut().expect("an object");
    if answer.verdict.is_undecided() {
        fields.insert("proved".to_owned(), proved.into());
        fields.insert("try_next".to_owned(), try_next.into());
    }
    if !told.more.is_empty() {
        let more: Vec<Value> = told.more.iter().map(counterexample).collect();
        fields.insert("more_counterexamples".to_owned(), more.into());
    }
    if let Verdict::Holds(certificate) = &answer.verdict {
        fields.insert("certificate".to_owned(), self::certificate(certificate));
    }
    object
}

fn statistics(told: &Told) -> Value {
    let mut figures = Map::new();
    for figure in &told.answer.statistics.figures {
        let name = figure.name.replace(' ', "_");
        let name = match figure.unit {
            Unit::Count => name,
            Unit::Bytes => format!("{name}_bytes"),
            Unit::Microseconds => format!("{name}_us"),
        };
        figures.insert(name, figure.value.into());
    }
    Value::Object(figures)
}

fn state(view: &StateView) -> Value {
    json!({ "components": view.components, "propositions": view.propositions })
}

fn step(step: &Step) -> Value {
    let lanes: Vec<u32> = step.lanes.iter().map(|lane| lane.0).collect();
    json!({ "action": step.action, "silent": step.silent, "lanes": lanes, "to": state(&step.to) })
}

fn path(path: &Path) -> Value {
    json!({
        "lanes": path.lane_names,
        "start": state(&path.start),
        "steps": path.steps.iter().map(step).collect::<Vec<_>>(),
        "ends_because": path.ends_because,
    })
}

fn counterexample(counterexample: &Counterexample) -> Value {
    match counterexample {
        Counterexample::Path(run) => json!({ "kind": "path", "path": path(run) }),
        Counterexample::MaximalPath(run) => json!({ "kind": "maximal_path", "path": path(run) }),
        Counterexample::Lasso(lasso) => json!({
            "kind": "lasso",
            "path": path(&lasso.stem),
            "cycle": lasso.cycle.iter().map(step).collect::<Vec<_>>(),
        }),
        Counterexample::Tree(tree) => self::tree(tree),
        Counterexample::Run(violation) => json!({ "kind": "run", "what": violation.what }),
        Counterexample::Deadlock(deadlock) => {
            let refusals: Vec<Value> = deadlock
                .refusals
                .iter()
                .map(|refusal| {
                    json!({
                        "component": refusal.component,
                        "state": refusal.state,
                        "refuses": refusal.refuses,
                        "waits_for": refusal.waits_for,
                        "terminated": refusal.terminated,
                    })
                })
                .collect();
            json!({ "kind": "deadlock", "path": path(&deadlock.path), "refusals": refusals })
        }
    }
}

fn tree(tree: &Tree) -> Value {
    use base::Id;
    let roots: Vec<usize> = tree.roots.iter().map(|root| root.index()).collect();
    let nodes: Vec<Value> = tree
        .nodes
        .iter()
        .map(|node| {
            let challenge = node.challenge.as_ref().map(|challenge| {
                json!({ "action": challenge.action, "silent": challenge.silent, "to": state(&challenge.to) })
            });
            json!({
                "implementation": state(&node.implementation),
                "specification": state(&node.specification),
                "challenge": challenge,
                "children": node.children.iter().map(|child| child.index()).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "kind": "tree", "roots": roots, "nodes": nodes })
}

fn certificate(certificate: &Certificate) -> Value {
    match certificate {
        Certificate::Unrecorded | Certificate::Program(_) => Value::Null,
        Certificate::Exhaustive { states } => json!({ "kind": "exhaustive", "states": states }),
        Certificate::Simulation { pairs } => json!({ "kind": "simulation", "pairs": pairs }),
        Certificate::AssumeGuarantee { rule, assumptions } => json!({
            "kind": "assume_guarantee",
            "rule": rule,
            "assumptions": assumptions.iter().map(assumption).collect::<Vec<_>>(),
        }),
        Certificate::Abstraction { partitions } => json!({ "kind": "abstraction", "partitions": partitions }),
    }
}

fn assumption(assumption: &LearnedAssumption) -> Value {
    let transitions: Vec<Value> = assumption
        .transitions
        .iter()
        .map(|transition| json!([transition.from, transition.action, transition.to]))
        .collect();
    json!({
        "component": assumption.component,
        "alphabet": assumption.alphabet,
        "initial": assumption.initial,
        "transitions": transitions,
        "fsp": check::learning::as_fsp(assumption),
    })
}
