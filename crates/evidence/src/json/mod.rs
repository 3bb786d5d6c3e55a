//! Answers for tools: version 1 of Concord's JSON, as `docs/schema` promises it. Every document of every verb
//! is made here; verbs add what only they have (where a question stands, the system it is about) to the
//! object of an answer.

mod program;
mod run;

pub use program::{answer as answer_about_program, audit, part};
pub use run::{run, run_that_was_cut_off};

use question::{Answer, Counterexample, Verdict};
use serde_json::{Map, Value, json};
use verdict::{Certificate, LearnedAssumption, Path, StateView, Statistics, Step, Tree, Unit};

/// The fields of an object.
pub type Fields = Map<String, Value>;

/// `{"concord":1,"verb":…,"results":[…]}` with a line break at the end.
pub fn document(verb: &str, results: Vec<Value>) -> String {
    document_with(verb, json!({ "results": results }))
}

/// `{"concord":1,"verb":…, …}`: a document with fields of the verb's own.
pub fn document_with(verb: &str, fields: Value) -> String {
    let mut document = fields;
    document["verb"] = verb.into();
    unnamed_document(document)
}

/// `{"concord":1, …}`: a document that has no verb.
pub fn unnamed_document(mut document: Value) -> String {
    document["concord"] = 1.into();
    text(&document)
}

/// The text of a document, with a line break at the end.
pub fn text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a tree of plain values");
    text.push('\n');
    text
}

/// What every verb tells of an answer.
pub fn answer(answer: &Answer) -> Fields {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("property", json!(answer.property));
    set("verdict", json!(answer.verdict.word()));
    set("reason", Value::Null);
    set("reason_kind", Value::Null);
    set("engine", json!(answer.engine));
    set("engine_reason", json!(answer.engine_reason));
    set("assumptions", json!(answer.assumptions));
    set("remarks", json!(answer.remarks));
    set("counterexample", json!(answer.verdict.counterexample().map(counterexample)));
    set("statistics", statistics(&answer.statistics));
    if let Verdict::Undecided(undecided) = &answer.verdict {
        set("reason", json!(undecided.to_string()));
        set("reason_kind", json!(undecided.reason.kind()));
        set("proved", json!(undecided.proved));
        set("try_next", json!(undecided.try_next));
    }
    fields
}

/// Figures by their names, with the unit behind it where it is not a count.
pub fn statistics(statistics: &Statistics) -> Value {
    let figures = statistics.figures.iter().map(|figure| {
        let unit = match figure.unit {
            Unit::Count => "",
            Unit::Bytes => "_bytes",
            Unit::Microseconds => "_us",
        };
        (format!("{}{unit}", figure.name.replace(' ', "_")), Value::from(figure.value))
    });
    Value::Object(figures.collect())
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

/// A counterexample by its shape.
pub fn counterexample(counterexample: &Counterexample) -> Value {
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

/// What a proof about a finite model rests on; `as_fsp` writes a learned assumption in the language of
/// models.
pub fn certificate(certificate: &Certificate, as_fsp: impl Fn(&LearnedAssumption) -> String) -> Value {
    match certificate {
        Certificate::Unrecorded | Certificate::Facts(_) | Certificate::Program(_) => Value::Null,
        Certificate::Exhaustive { states } => json!({ "kind": "exhaustive", "states": states }),
        Certificate::Simulation { pairs } => json!({ "kind": "simulation", "pairs": pairs }),
        Certificate::AssumeGuarantee { rule, assumptions } => json!({
            "kind": "assume_guarantee",
            "rule": rule,
            "assumptions": assumptions.iter().map(|one| assumption(one, as_fsp(one))).collect::<Vec<_>>(),
        }),
        Certificate::Abstraction { partitions } => json!({ "kind": "abstraction", "partitions": partitions }),
    }
}

fn assumption(assumption: &LearnedAssumption, fsp: String) -> Value {
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
        "fsp": fsp,
    })
}
