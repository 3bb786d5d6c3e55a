//! Certificates as JSON, written and read: what was asked, and what the proof rests on.

use crate::any_number::AnyNumber;
use crate::task::{Task, TaskFile, ThreadsAsOne};
use base::Span;
use lower::{Arguments, Entry, EntryThreads, FunctionEntry, Globals, ObjectSizes, Steps, UnknownPointers};
use program::{DataModel, Program};
use question::{Checks, FiniteRuns, Missing, Property, Temporal};
use serde_json::{Value, json};
use verdict::{
    ActiveCall, Condition, Contract, FixedBlock, FixedObject, Gap, LoopInvariant, Measure, MeasureAt,
    ProgramProof, ProofArgument,
};

/// A certificate with what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFile {
    /// What was asked.
    pub task: Task,
    /// What the proof rests on.
    pub proof: ProgramProof,
}

/// Why a text is no certificate, in words for whoever gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCertificate(String);

impl std::fmt::Display for BadCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for BadCertificate {
    fn from(why: String) -> BadCertificate {
        BadCertificate(why)
    }
}

impl From<&str> for BadCertificate {
    fn from(why: &str) -> BadCertificate {
        BadCertificate(why.to_owned())
    }
}

impl CertificateFile {
    /// As JSON. Places are for people: numbers of procedures, nodes and steps say what is meant.
    pub fn to_json(&self, program: &Program) -> Value {
        let place = |span: Span| crate::place::json(program, span);
        let property = &self.task.property;
        let argument = match self.proof.argument {
            ProofArgument::OnlyRun => json!({ "kind": "only_run" }),
            ProofArgument::AllRuns => json!({ "kind": "all_runs" }),
            ProofArgument::Unwinding { rounds } => json!({ "kind": "unwinding", "rounds": rounds }),
            ProofArgument::Induction { depth } => json!({ "kind": "induction", "depth": depth }),
            ProofArgument::Ranking => json!({ "kind": "ranking" }),
            ProofArgument::Interleavings { runs } => json!({ "kind": "interleavings", "runs": runs }),
            ProofArgument::Orders { blocks } => json!({ "kind": "orders", "blocks": blocks }),
        };
        let loops: Vec<Value> = self
            .proof
            .loops
            .iter()
            .map(|invariant| {
                let calls = calls_json(program, &invariant.calls);
                json!({
                    "procedure": invariant.procedure,
                    "procedure_number": invariant.procedure_number,
                    "node": invariant.node,
                    "at": place(invariant.at),
                    "calls": calls,
                    "conditions": conditions_json(&invariant.conditions),
                })
            })
            .collect();
        let contracts: Vec<Value> = self
            .proof
            .contracts
            .iter()
            .map(|contract| {
                json!({
                    "procedure": contract.procedure,
                    "procedure_number": contract.procedure_number,
                    "requires": conditions_json(&contract.requires),
                    "ensures": conditions_json(&contract.ensures),
                })
            })
            .collect();
        let objects: Vec<Value> = self
            .proof
            .objects
            .iter()
            .map(|object| json!({ "calls": object.calls, "variable": object.variable, "object": object.object }))
            .collect();
        let blocks: Vec<Value> = self
            .proof
            .blocks
            .iter()
            .map(|block| {
                json!({ "calls": block.calls, "procedure": block.procedure, "edge": block.edge,
                    "object": block.object })
            })
            .collect();
        let files: Vec<Value> =
            self.task.files.iter().map(|file| json!({ "name": file.name, "sha256": file.sha256 })).collect();
        let measures: Vec<Value> = { self.proof.measures.iter() }
            .map(|measure| {
                let places: Vec<Value> = { measure.places.iter() }
                    .map(|one| {
                        json!({
                            "procedure": one.procedure,
                            "procedure_number": one.procedure_number,
                            "node": one.node,
                            "at": place(one.at),
                            "calls": calls_json(program, &one.calls),
                            "measure": one.shown,
                            "values": one.values.iter().map(|value| value.as_ref().map(condition_json)).collect::<Vec<_>>(),
                        })
                    })
                    .collect();
                json!({ "width": measure.width, "factors": measure.factors, "places": places })
            })
            .collect();
        let checks: Vec<&str> = property.checks.iter().map(|check| check.name()).collect();
        json!({
            "concord": 1,
            "kind": "certificate",
            "files": files,
            "data_model": self.task.data_model_name(),
            "property": {
                "assertions": property.assertions,
                "functions": property.functions,
                "labels": if property.temporal.is_some() { &[][..] } else { &property.labels[..] },
                "checks": checks,
                "every_run_ends": property.endless_runs && property.temporal.is_none(),
                "formula": property.temporal.as_ref().map(|temporal| {
                    json!({ "text": temporal.formula, "finite_runs": temporal.finite_runs.name() })
                }),
            },
            "missing": missing_name(self.task.missing),
            "entry": entry_json(&self.task.lowering.entry),
            "malloc_may_fail": self.task.lowering.malloc_may_fail,
            "unknown_pointers": match self.task.lowering.unknown_pointers {
                UnknownPointers::Stop => "stop",
                UnknownPointers::Outside => "outside",
            },
            "steps": match self.task.lowering.steps { Steps::Access => "access", Steps::Statement => "statement" },
            "threads": self.task.threads.as_ref().map(|made| match &made.any {
                None => json!({ "most_at_once": made.most_at_once }),
                Some(any) => json!({ "any": any.to_json() }),
            }),
            "argument": argument,
            "loops": loops,
            "contracts": contracts,
            "objects": objects,
            "blocks": blocks,
            "measures": measures,
            "gap": self.proof.gap.as_ref().map(Gap::to_string),
        })
    }

    /// From a text. Places are not read back: the numbers are what counts.
    pub fn read(text: &str) -> Result<CertificateFile, BadCertificate> {
        let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if document["concord"] != 1 || document["kind"] != "certificate" {
            return Err("it is no certificate of this version".into());
        }
        let root = Field { value: &document, name: "the certificate" };
        let property = root.field("property")?;
        let check_names = property.texts("checks")?;
        let mut checks = Checks::none();
        for name in &check_names {
            checks = checks
                .with(question::Check::named(name).ok_or_else(|| format!("there is no check `{name}`"))?);
        }
        let mut task = Task {
            files: root.list("files", |file| {
                Ok(TaskFile { name: file.text("name")?, sha256: file.text("sha256")? })
            })?,
            property: Property {
                assertions: property.flag("assertions")?,
                functions: property.texts("functions")?,
                labels: property.texts("labels")?,
                checks,
                passed: question::Checks::none(),
                ..Property::default()
            },
            missing: match root.text("missing")?.as_str() {
                "stop" => Missing::Stop,
                "pure" => Missing::AnyResult,
                "nondet" => Missing::AnyEffect,
                other => return Err(format!("`missing` is `{other}`").into()),
            },
            data_model: match root.text("data_model")?.as_str() {
                "LP64" => DataModel::Lp64,
                "ILP32" => DataModel::Ilp32,
                other => return Err(format!("there is no data model `{other}`").into()),
            },
            lowering: lower::Settings {
                entry: entry(&document["entry"])?,
                malloc_may_fail: document["malloc_may_fail"].as_bool().unwrap_or(false),
                missing_may_write: document["missing"] == "nondet",
                unknown_pointers: match document["unknown_pointers"].as_str() {
                    None | Some("stop") => UnknownPointers::Stop,
                    Some("outside") => UnknownPointers::Outside,
                    Some(other) => return Err(format!("`unknown_pointers` is `{other}`").into()),
                },
                asserts_comments: property.flag("assertions")?,
                steps: match document["steps"].as_str() {
                    None | Some("access") => Steps::Access,
                    Some("statement") => Steps::Statement,
                    Some(other) => return Err(format!("there are no steps `{other}`").into()),
                },
                ..lower::Settings::default()
            },
            threads: match document.get("threads").filter(|threads| !threads.is_null()) {
                Some(value) if !value["any"].is_null() => {
                    Some(ThreadsAsOne { most_at_once: 0, any: Some(AnyNumber::read(&value["any"])?) })
                }
                Some(value) => {
                    let most_at_once = Field { value, name: "threads" }.number("most_at_once")?;
                    Some(ThreadsAsOne { most_at_once, any: None })
                }
                None => None,
            },
        };
        if document["property"]["every_run_ends"] == true {
            if task.property != Property::default() {
                return Err("its property is that every run ends, and more".into());
            }
            task.property = Property::every_run_ends();
        }
        if let Some(formula) = document["property"].get("formula").filter(|formula| !formula.is_null()) {
            if task.property != Property::default() {
                return Err("its property is a formula, and more".into());
            }
            let formula = Field { value: formula, name: "formula" };
            let name = formula.text("finite_runs")?;
            let finite_runs = FiniteRuns::ALL.into_iter().find(|one| one.name() == name);
            task.property = Property::satisfies(Temporal {
                formula: formula.text("text")?,
                finite_runs: finite_runs.ok_or_else(|| format!("`finite_runs` is `{name}`"))?,
            });
        }
        let asked = &task.property;
        let names = asked.functions.iter().chain(&asked.labels);
        if !asked.endless_runs
            && !asked.assertions
            && names.clone().next().is_none()
            && asked.checks == Checks::none()
        {
            return Err("its property is empty: nothing is claimed".into());
        }
        if { names }.any(|name| name.is_empty()) {
            return Err("its property names a function or label without a name".into());
        }
        let argument = root.field("argument")?;
        let argument = match argument.text("kind")?.as_str() {
            "only_run" => ProofArgument::OnlyRun,
            "all_runs" => ProofArgument::AllRuns,
            "unwinding" => ProofArgument::Unwinding { rounds: argument.number("rounds")? },
            "induction" => ProofArgument::Induction { depth: argument.number("depth")? },
            "ranking" => ProofArgument::Ranking,
            "interleavings" => {
                let runs = argument.field("runs")?.value.as_u64().ok_or("`runs` is no number")?;
                ProofArgument::Interleavings { runs }
            }
            "orders" => {
                let blocks = argument.field("blocks")?.value.as_u64().ok_or("`blocks` is no number")?;
                ProofArgument::Orders { blocks }
            }
            other => return Err(format!("there is no argument `{other}`").into()),
        };
        let loops = root.list("loops", |invariant| {
            Ok(LoopInvariant {
                procedure: invariant.text("procedure")?,
                procedure_number: invariant.number("procedure_number")?,
                node: invariant.number("node")?,
                at: Span::default(),
                calls: active_calls(&invariant)?,
                conditions: conditions(&invariant, "conditions")?,
            })
        })?;
        let contracts = root.list("contracts", |contract| {
            Ok(Contract {
                procedure: contract.text("procedure")?,
                procedure_number: contract.number("procedure_number")?,
                requires: conditions(&contract, "requires")?,
                ensures: conditions(&contract, "ensures")?,
            })
        })?;
        let objects = root.list("objects", |object| {
            let calls = object.list("calls", |call| call.as_number())?;
            Ok(FixedObject { calls, variable: object.number("variable")?, object: object.number("object")? })
        })?;
        let blocks = root.list("blocks", |block| {
            Ok(FixedBlock {
                calls: block.list("calls", |call| call.as_number())?,
                procedure: block.number("procedure")?,
                edge: block.number("edge")?,
                object: block.number("object")?,
            })
        })?;
        let measures = match document.get("measures") {
            None | Some(Value::Null) => Vec::new(),
            Some(_) => root.list("measures", |measure| measure_of(&measure))?,
        };
        let gap = document["gap"].as_str().map(|why| Gap::Read { why: why.to_owned() });
        let proof = ProgramProof { argument, loops, contracts, objects, blocks, measures, gap };
        Ok(CertificateFile { task, proof })
    }
}

fn missing_name(missing: Missing) -> &'static str {
    match missing {
        Missing::Stop => "stop",
        Missing::AnyResult => "pure",
        Missing::AnyEffect => "nondet",
    }
}

fn entry_json(entry: &Entry) -> Value {
    let entry = match entry {
        Entry::Main => return json!({ "function": "main" }),
        Entry::Arguments(Arguments::Any) => return json!({ "function": "main", "arguments": "any" }),
        Entry::Arguments(Arguments::Some { count, size }) => {
            return json!({ "function": "main", "arguments": { "count": count, "size": size } });
        }
        Entry::Function(entry) => entry,
    };
    let sizes: Vec<Value> = entry
        .sizes
        .named
        .iter()
        .map(|(name, elements)| json!({ "name": name, "elements": elements }))
        .collect();
    json!({
        "function": entry.name,
        "any_arguments": true,
        "object_size": entry.sizes.every,
        "object_sizes": sizes,
        "globals": match entry.globals { Globals::Any => "any", Globals::Initialised => "initialised" },
        "threads": match entry.threads {
            None => Value::Null,
            Some(EntryThreads::Exactly(number)) => json!(number),
            Some(EntryThreads::Unbounded) => json!("unbounded"),
        },
    })
}

/// Certificates without an entry are about `main`.
fn entry(value: &Value) -> Result<Entry, BadCertificate> {
    if value.is_null() || value["any_arguments"] != true {
        let function = value["function"].as_str();
        return match function {
            None | Some("main") => main_entry(&value["arguments"]),
            Some(other) => Err(format!("the entry `{other}` has no arguments").into()),
        };
    }
    let field = Field { value, name: "entry" };
    let sizes = ObjectSizes {
        every: value["object_size"].as_u64(),
        named: field.list("object_sizes", |size| {
            let elements = size.field("elements")?.value.as_u64().ok_or("`elements` is no number")?;
            Ok((size.text("name")?, elements))
        })?,
    };
    let globals = match field.text("globals")?.as_str() {
        "any" => Globals::Any,
        "initialised" => Globals::Initialised,
        other => return Err(format!("`globals` is `{other}`").into()),
    };
    let threads = match &value["threads"] {
        Value::Null => None,
        Value::String(text) if text == "unbounded" => Some(EntryThreads::Unbounded),
        other => {
            let number = other.as_u64().and_then(|number| u32::try_from(number).ok());
            let number = number.filter(|&number| number > 0);
            Some(EntryThreads::Exactly(number.ok_or("`threads` is no number of threads")?))
        }
    };
    Ok(Entry::Function(FunctionEntry { name: field.text("function")?, sizes, globals, threads }))
}

fn main_entry(arguments: &Value) -> Result<Entry, BadCertificate> {
    match arguments {
        Value::Null => Ok(Entry::Main),
        Value::String(word) if word == "any" => Ok(Entry::Arguments(Arguments::Any)),
        // A proof about some of the runs is none.
        other => Err(format!("a proof is about any arguments of `main`, not about `{other}`").into()),
    }
}

fn conditions_json(conditions: &[Condition]) -> Vec<Value> {
    conditions.iter().map(condition_json).collect()
}

fn condition_json(condition: &Condition) -> Value {
    match condition {
        Condition::C(text) => json!({ "c": text }),
        Condition::Smt(text) => json!({ "smt": text }),
    }
}

fn calls_json(program: &Program, calls: &[ActiveCall]) -> Vec<Value> {
    let call = |call: &ActiveCall| {
        json!({ "procedure": call.procedure, "procedure_number": call.procedure_number,
            "edge": call.edge, "at": crate::place::json(program, call.at) })
    };
    calls.iter().map(call).collect()
}

fn conditions(field: &Field<'_>, name: &'static str) -> Result<Vec<Condition>, BadCertificate> {
    field.list(name, |condition| condition_of(&condition))
}

fn condition_of(condition: &Field<'_>) -> Result<Condition, BadCertificate> {
    if condition.value.get("smt").is_some() {
        return Ok(Condition::Smt(condition.text("smt")?));
    }
    Ok(Condition::C(condition.text("c")?))
}

fn active_calls(field: &Field<'_>) -> Result<Vec<ActiveCall>, BadCertificate> {
    field.list("calls", |call| {
        Ok(ActiveCall {
            procedure: call.text("procedure")?,
            procedure_number: call.number("procedure_number")?,
            edge: call.number("edge")?,
            at: Span::default(),
        })
    })
}

fn measure_of(measure: &Field<'_>) -> Result<Measure, BadCertificate> {
    Ok(Measure {
        width: measure.number("width")?,
        factors: measure.list("factors", |factor| {
            factor.value.as_i64().ok_or_else(|| format!("`{}` is no factor", factor.value).into())
        })?,
        places: measure.list("places", |place| {
            Ok(MeasureAt {
                procedure: place.text("procedure")?,
                procedure_number: place.number("procedure_number")?,
                node: place.number("node")?,
                at: Span::default(),
                calls: active_calls(&place)?,
                values: place.list("values", |value| match value.value {
                    Value::Null => Ok(None),
                    _ => condition_of(&value).map(Some),
                })?,
                shown: place.text("measure")?,
            })
        })?,
    })
}

/// A value with a name for messages.
struct Field<'v> {
    value: &'v Value,
    name: &'static str,
}

impl<'v> Field<'v> {
    fn field(&self, name: &'static str) -> Result<Field<'v>, BadCertificate> {
        let value = self.value.get(name).ok_or_else(|| format!("`{name}` is missing in {}", self.name))?;
        Ok(Field { value, name })
    }

    fn text(&self, name: &'static str) -> Result<String, BadCertificate> {
        let text = self.field(name)?.value.as_str().ok_or_else(|| format!("`{name}` is no text"))?;
        Ok(text.to_owned())
    }

    fn flag(&self, name: &'static str) -> Result<bool, BadCertificate> {
        let flag = self.field(name)?.value.as_bool();
        flag.ok_or_else(|| format!("`{name}` is neither true nor false").into())
    }

    fn as_number(&self) -> Result<u32, BadCertificate> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| format!("`{}` is no number", self.name).into())
    }

    fn number(&self, name: &'static str) -> Result<u32, BadCertificate> {
        self.field(name)?.as_number()
    }

    fn list<T>(
        &self,
        name: &'static str,
        mut read: impl FnMut(Field<'v>) -> Result<T, BadCertificate>,
    ) -> Result<Vec<T>, BadCertificate> {
        let items = self.field(name)?.value.as_array().ok_or_else(|| format!("`{name}` is no list"))?;
        items.iter().map(|value| read(Field { value, name })).collect()
    }

    fn texts(&self, name: &'static str) -> Result<Vec<String>, BadCertificate> {
        self.list(name, |item| {
            let text = item.value.as_str().map(str::to_owned);
            text.ok_or_else(|| format!("`{name}` holds something that is no text").into())
        })
    }
}
