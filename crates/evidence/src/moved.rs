//! The numbers of a certificate in a program that was edited. Procedures, variables, heads of loops and calls are told by numbers, which change when
//! something is added before them. With a certificate that is kept for later, its landmarks are kept: what each number stood for, by name and by
//! which of several it is. Whoever moves it to another program believes nothing: an audit says whether it is a proof there.

use base::Id;
use program::{Action, Callee, Graph, Program};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use verdict::{Condition, ProgramProof};

/// A variable: its name, its procedure's (empty for none), and which of those of the same names it is.
type NamedVariable = (String, String, usize);

/// What numbers stand for in a program.
struct Numbered<'p> {
    program: &'p Program,
    variables: Vec<NamedVariable>,
}

impl<'p> Numbered<'p> {
    fn of(program: &'p Program) -> Numbered<'p> {
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let variables = program.variables.iter().map(|variable| {
            let owner = variable.procedure.map_or("", |owner| &*program.procedures[owner].name);
            let count = seen.entry((&*variable.name, owner)).or_default();
            *count += 1;
            (variable.name.to_string(), owner.to_owned(), *count - 1)
        });
        let variables = variables.collect();
        Numbered { program, variables }
    }

    fn graph(&self, procedure: u32) -> Option<&'p Graph> {
        self.program.procedures.as_slice().get(procedure as usize)?.body.as_ref()
    }

    /// Which head of a loop a node is, and how many there are.
    fn head(&self, procedure: u32, node: u32) -> Option<(usize, usize)> {
        let heads = heads(self.graph(procedure)?);
        Some((heads.iter().position(|&head| head == node)?, heads.len()))
    }

    /// Whom a step calls, and which of those calls it is.
    fn call(&self, procedure: u32, edge: u32) -> Option<(String, usize)> {
        let graph = self.graph(procedure)?;
        let callee = self.callee(graph, edge as usize)?;
        let nth = (0..edge as usize).filter(|&other| self.callee(graph, other) == Some(callee)).count();
        Some((callee.to_owned(), nth))
    }

    fn callee(&self, graph: &Graph, edge: usize) -> Option<&'p str> {
        match &graph.edges.as_slice().get(edge)?.action {
            Action::Call { callee: Callee::Direct(called), .. } => {
                Some(&self.program.procedures[*called].name)
            }
            _ => None,
        }
    }
}

fn heads(graph: &Graph) -> Vec<u32> {
    let heads = graph.nodes.iter_enumerated().filter(|(_, node)| node.is_loop_head);
    heads.filter_map(|(id, _)| u32::try_from(id.index()).ok()).collect()
}

/// What the numbers of a certificate stand for.
pub(crate) fn landmarks(proof: &ProgramProof, program: &Program) -> Value {
    let numbered = Numbered::of(program);
    let mut variables = BTreeMap::new();
    let mut note = |id: u32| {
        if let Some((name, owner, nth)) = numbered.variables.get(id as usize) {
            variables.insert(id.to_string(), json!([name, owner, nth]));
        }
    };
    let of_contracts =
        proof.contracts.iter().flat_map(|contract| contract.requires.iter().chain(&contract.ensures));
    for condition in proof.loops.iter().flat_map(|one| &one.conditions).chain(of_contracts) {
        with_numbers(condition.text(), &mut |_, number| {
            note(number);
            None
        });
    }
    proof.objects.iter().for_each(|object| note(object.variable));
    let loops: Vec<Value> = { proof.loops.iter() }
        .map(|one| {
            let calls: Vec<Value> =
                one.calls.iter().map(|call| json!(numbered.call(call.procedure_number, call.edge))).collect();
            json!({ "head": numbered.head(one.procedure_number, one.node), "calls": calls })
        })
        .collect();
    json!({ "variables": variables, "loops": loops })
}

/// The certificate with the numbers that its landmarks have in this program. What is not found keeps its number.
pub(crate) fn moved(proof: &ProgramProof, landmarks: &Value, program: &Program) -> ProgramProof {
    let numbered = Numbered::of(program);
    let mut proof = proof.clone();
    let procedure = |name: &str, number: u32| {
        let named = |at: &usize| program.procedures.as_slice().get(*at).is_some_and(|one| *one.name == *name);
        let mut all = (0..program.procedures.len()).filter(named);
        match (named(&(number as usize)), all.next(), all.next()) {
            (false, Some(only), None) => u32::try_from(only).unwrap_or(number),
            _ => number,
        }
    };
    let variable = |number: u32| -> Option<u32> {
        let known = &landmarks["variables"][number.to_string()];
        let wanted = (known[0].as_str()?, known[1].as_str()?, known[2].as_u64()?);
        let at = numbered
            .variables
            .iter()
            .position(|(name, owner, nth)| (name.as_str(), owner.as_str(), *nth as u64) == wanted);
        u32::try_from(at?).ok()
    };
    let renamed = |condition: &mut Condition| {
        let (Condition::C(text) | Condition::Smt(text)) = condition;
        // `memory$7` and `any$32` are no variables: only what has the name of the variable with that number was one.
        *text = with_numbers(text, &mut |name, number| {
            let is_variable = landmarks["variables"][number.to_string()][0] == name;
            if is_variable { variable(number) } else { None }
        });
    };
    for (at, one) in proof.loops.iter_mut().enumerate() {
        let known = &landmarks["loops"][at];
        one.procedure_number = procedure(&one.procedure, one.procedure_number);
        if let Some(graph) = numbered.graph(one.procedure_number) {
            let heads = heads(graph);
            let (nth, all) = (known["head"][0].as_u64(), known["head"][1].as_u64());
            if all == Some(heads.len() as u64)
                && let Some(&node) = nth.and_then(|nth| heads.get(usize::try_from(nth).ok()?))
            {
                one.node = node;
            }
        }
        for (depth, call) in one.calls.iter_mut().enumerate() {
            call.procedure_number = procedure(&call.procedure, call.procedure_number);
            let known = &known["calls"][depth];
            let wanted = known[0].as_str().map(str::to_owned).zip(known[1].as_u64());
            let edges = numbered.graph(call.procedure_number).map_or(0, |graph| graph.edges.len());
            let edges = 0..u32::try_from(edges).unwrap_or(0);
            let found = { edges }.find(|&edge| {
                let here = numbered.call(call.procedure_number, edge).map(|(name, nth)| (name, nth as u64));
                here.is_some() && here == wanted
            });
            call.edge = found.unwrap_or(call.edge);
        }
        one.conditions.iter_mut().for_each(renamed);
    }
    for contract in &mut proof.contracts {
        contract.procedure_number = procedure(&contract.procedure, contract.procedure_number);
        contract.requires.iter_mut().chain(&mut contract.ensures).for_each(renamed);
    }
    for object in &mut proof.objects {
        object.variable = variable(object.variable).unwrap_or(object.variable);
    }
    proof
}

/// The text with some of the numbers behind `name$` replaced.
fn with_numbers(text: &str, replace: &mut dyn FnMut(&str, u32) -> Option<u32>) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let name_at = before
            .rfind(|c: char| !is_of_name(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        result.push_str(&rest[..=at]);
        let number = behind[..digits].parse::<u32>().ok();
        match number.and_then(|number| replace(&before[name_at..], number)) {
            Some(number) => result.push_str(&number.to_string()),
            None => result.push_str(&behind[..digits]),
        }
        rest = &behind[digits..];
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::with_numbers;

    #[test]
    fn numbers_behind_names_are_replaced_and_others_are_not() {
        let mut add = |name: &str, number: u32| (name == "i").then_some(number + 1);
        let text = "i$7 < n$7 && any$32 > (i$7$old) && |state:i$10@0| && x$old && result$ && ü$1 i$";
        let expected = "i$8 < n$7 && any$32 > (i$8$old) && |state:i$11@0| && x$old && result$ && ü$1 i$";
        assert_eq!(with_numbers(text, &mut add), expected);
        assert_eq!(with_numbers("", &mut add), "");
    }
}
