//! Witnesses of the verification competition, format 2.0, of any tool: read, and turned into what is checked here. (The format is that of
//! Ayaziová et al. 2024, "Software Verification Witnesses 2.0"; what we write of it is in [`witness`](crate::witness).)
//!
//! A violation becomes inputs by the names of the functions that give them, which are run. Invariants of loops become a certificate of a proof by
//! induction, whose conditions an audit shows, one by one. What the format can say and this cannot take (invariants at other places, assumptions on
//! the way, floating values) is told as a gap, never passed over in silence.

use crate::place::{FilePlace, in_given_file};
use crate::witness::{closing_parenthesis, is_open_at, keyword_of};
use base::{Id, Span};
use program::{
    Action, Callee, EdgeId, HavocSource, Origin, PointsTo, ProcedureId, Program, TypeId, VariableId,
    VariableKind,
};
use question::Violation;
use serde_json::Value;
use std::sync::Arc;
use verdict::{ActiveCall, Condition, LoopInvariant, ProgramProof, ProofArgument};
use yaml_rust2::{Yaml, YamlLoader};

/// A witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The property, in the competition's words.
    pub specification: String,
    /// `ILP32` or `LP64`, as it is written.
    pub data_model: String,
    /// The files and their hashes.
    pub files: Vec<(String, String)>,
    /// What it says.
    pub claim: Claim,
}

/// What a witness says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// These hold.
    Invariants(Vec<Invariant>),
    /// A run along these fails.
    Run(Vec<Waypoint>),
}

/// A place, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    file: String,
    line: u32,
    column: Option<u32>,
}

/// What holds somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// `loop_invariant`, for one that can be checked here.
    pub kind: String,
    /// Where.
    pub place: Place,
    /// The condition.
    pub text: String,
    /// The language of the condition.
    pub format: String,
}

/// A point of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// `function_return`, `target`, and others.
    pub kind: String,
    /// `follow` or `avoid`.
    pub action: String,
    /// Where.
    pub place: Place,
    /// What holds there.
    pub value: Option<String>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Place {
    fn of(location: &Yaml) -> Result<Place, String> {
        let number = |name: &str| location[name].as_i64().and_then(|number| u32::try_from(number).ok());
        Ok(Place {
            file: location["file_name"].as_str().unwrap_or_default().to_owned(),
            line: number("line").ok_or("a location has no `line`")?,
            column: number("column"),
        })
    }

    /// Is it that place? Tools name files as they were called with them, so the last part of a path counts.
    fn is(&self, place: &FilePlace) -> bool {
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        (self.file.is_empty() || name(&self.file) == name(&place.file)) && self.line == place.line
    }

    fn is_exactly(&self, place: &FilePlace) -> bool {
        self.is(place) && self.column.is_none_or(|column| column == place.column)
    }
}

/// A text, also where YAML has a number.
fn text(value: &Yaml) -> Option<String> {
    match value {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Boolean(value) => Some(i32::from(*value).to_string()),
        _ => None,
    }
}

impl Witness {
    /// From a text.
    pub fn read(source: &str) -> Result<Witness, String> {
        let documents =
            YamlLoader::load_from_str(source).map_err(|error| format!("it is no YAML: {error}"))?;
        let entries = documents.first().and_then(Yaml::as_vec).ok_or("a witness is a list with one entry")?;
        let known = |entry: &&Yaml| {
            matches!(entry["entry_type"].as_str(), Some("violation_sequence" | "invariant_set"))
        };
        let [entry] = entries.iter().filter(known).collect::<Vec<_>>()[..] else {
            return Err(
                "it has not one entry that is a `violation_sequence` or an `invariant_set`".to_owned()
            );
        };
        let metadata = &entry["metadata"];
        let version = text(&metadata["format_version"]).unwrap_or_default();
        if version != "2.0" {
            return Err(format!("it is of format `{version}`; what is read is 2.0"));
        }
        let task = &metadata["task"];
        let hashes = task["input_file_hashes"].as_hash().into_iter().flatten();
        let files = hashes.filter_map(|(name, hash)| Some((text(name)?, text(hash)?)));
        let content = entry["content"].as_vec().ok_or("its `content` is no list")?;
        let claim = match entry["entry_type"].as_str() {
            Some("violation_sequence") => Claim::Run(waypoints(content)?),
            _ => Claim::Invariants(content.iter().map(invariant).collect::<Result<_, _>>()?),
        };
        Ok(Witness {
            specification: text(&task["specification"]).ok_or("it does not tell its `specification`")?,
            data_model: text(&task["data_model"]).unwrap_or_default(),
            files: files.collect(),
            claim,
        })
    }
}

fn invariant(item: &Yaml) -> Result<Invariant, String> {
    let invariant = &item["invariant"];
    Ok(Invariant {
        kind: text(&invariant["type"]).ok_or("an invariant has no `type`")?,
        place: Place::of(&invariant["location"])?,
        text: text(&invariant["value"]).ok_or("an invariant has no `value`")?,
        format: text(&invariant["format"]).unwrap_or_else(|| "c_expression".to_owned()),
    })
}

fn waypoints(content: &[Yaml]) -> Result<Vec<Waypoint>, String> {
    let mut waypoints = Vec::new();
    for item in content {
        for point in item["segment"].as_vec().ok_or("a part of the sequence is no `segment`")? {
            let point = &point["waypoint"];
            waypoints.push(Waypoint {
                kind: text(&point["type"]).ok_or("a waypoint has no `type`")?,
                action: text(&point["action"]).unwrap_or_default(),
                place: Place::of(&point["location"])?,
                value: text(&point["constraint"]["value"]),
            });
        }
    }
    Ok(waypoints)
}

/// What was not taken of a witness, in sentences.
pub type Gaps = Vec<String>;

/// The inputs that a run gives, by the names of the functions that it says return them.
pub fn inputs(program: &Program, waypoints: &[Waypoint]) -> (Vec<(Arc<str>, u128)>, Gaps) {
    let mut calls: Vec<(FilePlace, (Arc<str>, TypeId))> = Vec::new();
    for procedure in program.procedures.iter().filter(|procedure| procedure.origin == Origin::User) {
        for edge in procedure.body.iter().flat_map(|graph| graph.edges.iter()) {
            let called = match &edge.action {
                Action::Call { callee: Callee::Direct(called), .. } => {
                    (program.procedures[*called].name.clone(), program.result_type(*called).id)
                }
                Action::Havoc { target, source: HavocSource::Input(name) } => (name.clone(), target.ty.id),
                _ => continue,
            };
            if let Some(place) = closing_parenthesis(program, edge.span)
                && !matches!(program.types.get(called.1), program::Type::Void)
            {
                calls.push((place, called));
            }
        }
    }
    let (mut inputs, mut gaps) = (Vec::new(), Gaps::new());
    for point in waypoints {
        let Waypoint { kind, action, place, value } = point;
        match (kind.as_str(), action.as_str()) {
            ("target", _) => {}
            ("function_return", "follow") => {
                let exact = calls.iter().find(|(known, _)| place.is_exactly(known));
                let mut on_line = calls.iter().filter(|(known, _)| place.is(known));
                let only = on_line.next().filter(|_| on_line.next().is_none());
                let number = value.as_deref().and_then(result_of);
                match (exact.or(only), number) {
                    (Some((_, (_, ty))), Some(number)) if !is_of_type(program, *ty, number) => {
                        gaps.push(format!(
                            "no call at {place} returns {}",
                            value.as_deref().unwrap_or_default()
                        ));
                    }
                    (Some((_, (name, _))), Some(number)) => inputs.push((name.clone(), number)),
                    (None, _) => gaps.push(format!("there is no call at {place} that returns a value")),
                    (_, None) => gaps.push(format!(
                        "what is returned at {place} is not given by one number ({})",
                        value.as_deref().unwrap_or("no constraint")
                    )),
                }
            }
            _ => gaps.push(format!("the waypoint `{kind}` to {action} at {place} is not followed")),
        }
    }
    (inputs, gaps)
}

/// Can a value of the type be the number?
fn is_of_type(program: &Program, ty: TypeId, number: u128) -> bool {
    let Some(shape) = program.types.integer_shape(ty) else { return true };
    let above = number.checked_shr(shape.width).unwrap_or(0);
    let is_negative = number >> 127 == 1;
    match (is_negative, shape.signed) {
        (true, true) => (number as i128) >> (shape.width - 1) == -1,
        (true, false) => false,
        (false, true) => number >> (shape.width - 1) == 0,
        (false, false) => above == 0,
    }
}

/// Where a run that fails is not the one that the waypoints tell: it fails elsewhere, or before it takes all inputs.
pub fn differences(
    program: &Program,
    waypoints: &[Waypoint],
    inputs: &[(Arc<str>, u128)],
    failure: &Violation,
) -> Gaps {
    let mut gaps = Gaps::new();
    let fails_at = in_given_file(program, failure.span);
    for point in waypoints.iter().filter(|point| point.kind == "target") {
        if !fails_at.as_ref().is_some_and(|at| point.place.is(at)) {
            gaps.push(format!("the run does not fail at {}", point.place));
        }
    }
    for (number, (name, _)) in inputs.iter().enumerate() {
        let told = inputs[..=number].iter().filter(|(other, _)| other == name).count();
        if failure.inputs.iter().filter(|input| input.name == *name).count() < told {
            gaps.push(format!("the run fails before `{name}` returns for the {}. time", told));
        }
    }
    gaps
}

/// The number of a constraint such as `\result == 7`.
fn result_of(constraint: &str) -> Option<u128> {
    let squeezed: String = constraint.chars().filter(|c| !c.is_whitespace()).collect();
    let squeezed = squeezed.trim_start_matches('(').trim_end_matches(')');
    let number = squeezed.strip_prefix("\\result==").or_else(|| squeezed.strip_suffix("==\\result"))?;
    let number = number.trim_start_matches('(').trim_end_matches(')').trim_end_matches(['u', 'U', 'l', 'L']);
    let (is_negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number),
    };
    let value: u128 = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u128::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if is_negative { value.wrapping_neg() } else { value })
}

/// So many ways to a procedure are looked at.
const MOST_CHAINS: usize = 200;

/// The calls that lead to a procedure: who calls, by which step.
type Chain = Vec<(ProcedureId, EdgeId)>;

/// A proof by induction with the invariants of a witness. It claims nothing: an audit says what of it stands.
pub fn proof(program: &Program, invariants: &[Invariant]) -> (ProgramProof, Gaps) {
    let mut proof = ProgramProof::by(ProofArgument::Induction { depth: 1 });
    let mut gaps = Gaps::new();
    let heads = heads(program);
    let chains = chains(program, &mut gaps);
    let mut by_head: Vec<Vec<&Invariant>> = vec![Vec::new(); heads.len()];
    for invariant in invariants {
        let Invariant { kind, place, format, .. } = invariant;
        if kind != "loop_invariant" || !matches!(format.as_str(), "c_expression" | "acsl_expression") {
            gaps.push(format!("the invariant at {place} is a `{kind}` in `{format}`, which is not read"));
            continue;
        }
        let on_line: Vec<usize> = (0..heads.len()).filter(|&head| place.is(&heads[head].place)).collect();
        let exact: Vec<usize> =
            on_line.iter().copied().filter(|&head| place.is_exactly(&heads[head].place)).collect();
        match (&exact[..], &on_line[..]) {
            ([head], _) | ([], [head]) => by_head[*head].push(invariant),
            _ => gaps.push(format!("there is not one loop at {place}")),
        }
    }
    for (head, invariants) in heads.iter().zip(by_head).filter(|(_, invariants)| !invariants.is_empty()) {
        let mut is_reached = false;
        for chain in
            chains.iter().filter(|(procedure, _)| *procedure == head.procedure).map(|(_, chain)| chain)
        {
            is_reached = true;
            let active: Vec<ProcedureId> =
                chain.iter().map(|(caller, _)| *caller).chain([head.procedure]).collect();
            let mut conditions = Vec::new();
            for invariant in &invariants {
                match named(program, &active, head.start, &invariant.text) {
                    Ok(text) => conditions.push(Condition::C(text)),
                    Err(name) => {
                        let place = &invariant.place;
                        gaps.push(format!(
                            "the invariant at {place} names `{name}`, which is not in scope there"
                        ));
                    }
                }
            }
            proof.loops.push(LoopInvariant {
                procedure: program.procedures[head.procedure].name.to_string(),
                procedure_number: number(head.procedure),
                node: head.node,
                at: head.start,
                calls: chain.iter().map(|&(caller, edge)| active_call(program, caller, edge)).collect(),
                conditions,
            });
        }
        if !is_reached {
            gaps.push(format!(
                "the loop at {}:{} is in a function that is not called",
                head.place.file, head.place.line
            ));
        }
    }
    gaps.sort();
    gaps.dedup();
    (proof, gaps)
}

fn number(id: impl Id) -> u32 {
    u32::try_from(id.index()).unwrap_or(u32::MAX)
}

fn active_call(program: &Program, caller: ProcedureId, edge: EdgeId) -> ActiveCall {
    let procedure = &program.procedures[caller];
    let at = procedure.body.as_ref().map(|graph| graph.edges[edge].span);
    ActiveCall {
        procedure: procedure.name.to_string(),
        procedure_number: number(caller),
        edge: number(edge),
        at: at.unwrap_or_default(),
    }
}

/// The head of a loop.
struct Head {
    procedure: ProcedureId,
    node: u32,
    /// Of its keyword.
    start: Span,
    place: FilePlace,
}

fn heads(program: &Program) -> Vec<Head> {
    let mut heads = Vec::new();
    for (procedure, known) in program.procedures.iter_enumerated() {
        if known.origin != Origin::User {
            continue;
        }
        for (node, at) in known.body.iter().flat_map(|graph| graph.nodes.iter_enumerated()) {
            if !at.is_loop_head {
                continue;
            }
            let Some(start) = keyword_of(program, at.span) else { continue };
            let Some(place) = in_given_file(program, start) else { continue };
            heads.push(Head { procedure, node: number(node), start, place });
        }
    }
    heads
}

/// Every way of calls from `main` to each procedure, without recursion.
fn chains(program: &Program, gaps: &mut Gaps) -> Vec<(ProcedureId, Chain)> {
    let Some(main) = program.main else { return Vec::new() };
    let points_to = PointsTo::of(program);
    let mut found: Vec<(ProcedureId, Chain)> = Vec::new();
    let mut open = vec![(main, Chain::new())];
    while let Some((procedure, chain)) = open.pop() {
        if found.len() >= MOST_CHAINS {
            gaps.push(format!(
                "there are more than {MOST_CHAINS} ways of calls, and invariants are given to those only"
            ));
            break;
        }
        let Some(graph) = &program.procedures[procedure].body else { continue };
        for (id, edge) in graph.edges.iter_enumerated() {
            let Action::Call { callee, .. } = &edge.action else { continue };
            let called = match callee {
                Callee::Direct(called) => std::slice::from_ref(called),
                Callee::Indirect(_) => points_to.targets(procedure, id),
            };
            for called in called {
                let is_active = *called == procedure || chain.iter().any(|(caller, _)| caller == called);
                if !is_active && program.procedures[*called].body.is_some() {
                    open.push((*called, chain.iter().copied().chain([(procedure, id)]).collect()));
                }
            }
        }
        found.push((procedure, chain));
    }
    found
}

/// The condition with the names that certificates have for its variables (one that several share has its number behind it); or the name that is not
/// known there.
fn named(program: &Program, active: &[ProcedureId], at: Span, text: &str) -> Result<String, String> {
    const WORDS: [&str; 9] =
        ["int", "long", "short", "char", "signed", "unsigned", "_Bool", "const", "volatile"];
    let Some(&owner) = active.last() else { return Ok(text.to_owned()) };
    let mut result = String::new();
    let mut rest = text;
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(begin) = rest.find(is_of_name) {
        result.push_str(&rest[..begin]);
        let word = &rest[begin..];
        let end = word.find(|c: char| !is_of_name(c)).unwrap_or(word.len());
        let (word, behind) = word.split_at(end);
        rest = behind;
        if word.starts_with(|c: char| c.is_ascii_digit()) || WORDS.contains(&word) {
            result.push_str(word);
            continue;
        }
        let id = visible(program, owner, at, word).ok_or_else(|| word.to_owned())?;
        let is_static = |kind| matches!(kind, VariableKind::Global | VariableKind::StringLiteral);
        let sharing = program.variables.iter().filter(|variable| {
            let is_active = variable.procedure.is_some_and(|owner| active.contains(&owner));
            *variable.name == *word && (is_static(variable.kind) || is_active)
        });
        result.push_str(word);
        if sharing.count() > 1 {
            result.push_str(&format!("${}", id.index()));
        }
    }
    result.push_str(rest);
    Ok(result)
}

/// The variable that a name means at a loop: the innermost whose block is open there.
fn visible(program: &Program, owner: ProcedureId, at: Span, name: &str) -> Option<VariableId> {
    let named = program
        .variables
        .iter_enumerated()
        .filter(|(_, variable)| *variable.name == *name && variable.kind != VariableKind::Temporary);
    let (local, global): (Vec<_>, Vec<_>) = named
        .filter(|(_, variable)| variable.procedure.is_none_or(|known| known == owner))
        .partition(|(_, variable)| variable.procedure.is_some());
    let open = local.into_iter().filter(|(_, variable)| {
        variable.kind == VariableKind::Parameter || is_open_at(program, variable.span, at)
    });
    let innermost = open.max_by_key(|(_, variable)| variable.span.start);
    innermost.or_else(|| global.into_iter().next()).map(|(id, _)| id)
}

/// What was said about a witness, for machines.
pub fn gaps_json(gaps: &Gaps) -> Value {
    gaps.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVARIANTS: &str = "
- entry_type: invariant_set
  metadata:
    format_version: \"2.0\"
    uuid: 1
    task:
      input_files: [a.c]
      input_file_hashes:
        a.c: abc
      specification: |
        CHECK( init(main()), LTL(G ! call(reach_error())) )
      data_model: ILP32
      language: C
  content:
    - invariant:
        type: loop_invariant
        location: {file_name: ./x/a.c, line: 4, column: 3}
        value: 1
        format: c_expression
";

    #[test]
    fn witnesses_of_others_are_read() {
        let witness = Witness::read(INVARIANTS).expect("it is one");
        assert_eq!(witness.data_model, "ILP32");
        assert_eq!(witness.files, [("a.c".to_owned(), "abc".to_owned())]);
        let Claim::Invariants(invariants) = witness.claim else { panic!("it has invariants") };
        assert_eq!((&*invariants[0].text, invariants[0].place.column), ("1", Some(3)));
        let place = |file: &str, line, column| FilePlace { file: file.into(), line, column };
        assert!(invariants[0].place.is_exactly(&place("y/a.c", 4, 3)));
        assert!(
            !invariants[0].place.is_exactly(&place("y/a.c", 4, 4))
                && !invariants[0].place.is(&place("b.c", 4, 3))
        );
        for wrong in [
            "",
            "- a",
            "[",
            "- entry_type: other",
            &INVARIANTS.replace("2.0", "0.1"),
            &INVARIANTS.replace("line", "row"),
        ] {
            assert!(Witness::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn results_are_numbers() {
        for (text, number) in [
            ("\\result == 7", Some(7)),
            ("(\\result == -1)", Some(u128::MAX)),
            ("\\result==0x10U", Some(16)),
            ("4LL == \\result", Some(4)),
            ("\\result >= 7", None),
            ("\\result == 1.5", None),
        ] {
            assert_eq!(result_of(text), number, "{text}");
        }
    }
}
