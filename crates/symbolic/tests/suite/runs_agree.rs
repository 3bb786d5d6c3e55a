//! The encoding against the interpreter: random programs are run on real values, and the same path is taken symbolically with the inputs
//! left as symbols. Every branch, and the result, must come out the same under the model that gives the symbols the values of the run; and no
//! failure that ends a run may hold.

use concrete::{Captured, ConsumedInput, Interpreter, OnUndefined, RunOutcome, SeededInputs};
use csource::types::DataModel;
use logic::model::Value as ModelValue;
use logic::{Bits, Model};
use program::{Action, Callee, NodeId, Place, PointsTo, Program};
use symbolic::{Effect, Encoder, LibraryCall, Meaning, State, Value};
use testkit::c::load_text as load;

/// Takes the path that the values take.
struct Follower<'p, 'i> {
    encoder: Encoder<'p>,
    program: &'p Program,
    inputs: std::slice::Iter<'i, ConsumedInput>,
    model: Model,
    steps: u32,
}

impl<'p> Follower<'p, '_> {
    fn holds(&self, term: logic::TermId) -> bool {
        match self.model.evaluate(&self.encoder.terms.pool, term) {
            Ok(ModelValue::Bool(value)) => value,
            other => panic!("a condition evaluates to {other:?}"),
        }
    }

    fn see(&mut self, effect: &Effect) {
        for input in &effect.inputs {
            if input.is_indeterminate {
                continue;
            }
            let taken = self.inputs.next().expect("as many inputs as the run took");
            assert_eq!(taken.name, input.name);
            let width = self.encoder.terms.pool.width(input.symbol);
            self.model.set(input.symbol, ModelValue::Bits(Bits::from_i128(width, taken.bits as i128)));
        }
        for failure in &effect.failures {
            let at = self.program.sources.location(failure.span);
            assert!(
                failure.kind.goes_on() || !self.holds(failure.condition),
                "{:?} ({:?}) at {at:?}",
                failure.kind,
                failure.detail
            );
        }
    }

    fn result(&mut self, mut state: State) -> i32 {
        let main = self.program.main.expect("a main");
        let effect = self.encoder.enter(&mut state, main, &[], base::Span::default());
        self.see(&effect);
        let mut at: Vec<(program::ProcedureId, NodeId, Option<Place>, NodeId)> = Vec::new();
        let mut procedure = main;
        let mut node = self.body(main).entry;
        loop {
            self.steps += 1;
            let body = self.body(procedure);
            let mut next = None;
            for &edge_id in &body.nodes[node].out {
                let edge = &body.edges[edge_id];
                match &edge.action {
                    Action::Call { result, callee, arguments } => {
                        let target = match callee {
                            Callee::Direct(target) => *target,
                            Callee::Indirect(pointer) => {
                                self.encoder.begin(edge.span);
                                let address = self.encoder.scalar(&mut state, pointer);
                                let effect = self.encoder.take_effect();
                                self.see(&effect);
                                let Ok(ModelValue::Bits(bits)) =
                                    self.model.evaluate(&self.encoder.terms.pool, address)
                                else {
                                    panic!("an address has a value")
                                };
                                let number =
                                    self.encoder.meaning.layout.object_of(bits.to_u128().expect("64 bits"));
                                self.encoder.meaning.procedure_of(number).expect("a procedure")
                            }
                        };
                        let (values, effect) = self.encoder.arguments(&mut state, arguments, edge.span);
                        self.see(&effect);
                        let known = self.program.procedures[target].known;
                        if let Some(known) = known.filter(|_| self.program.procedures[target].is_native()) {
                            let site = (procedure, edge_id);
                            let called = self.encoder.library_call(
                                &mut state,
                                known,
                                &values,
                                arguments,
                                result.as_ref(),
                                site,
                                edge.span,
                            );
                            if let LibraryCall::Returned(effect) = called {
                                self.see(&effect);
                                next = Some(edge.to);
                                break;
                            }
                        }
                        let effect = self.encoder.enter(&mut state, target, &values, edge.span);
                        self.see(&effect);
                        at.push((procedure, edge.to, result.clone(), node));
                        procedure = target;
                        next = Some(self.body(target).entry);
                        break;
                    }
                    Action::Return { value } => {
                        let (value, effect) = self.encoder.returned(&mut state, value.as_ref(), edge.span);
                        self.see(&effect);
                        let Some((caller, to, result, _)) = at.pop() else {
                            let Value::Scalar(term) = value else { panic!("main returns a number") };
                            let Ok(ModelValue::Bits(bits)) =
                                self.model.evaluate(&self.encoder.terms.pool, term)
                            else {
                                panic!("the result has a value")
                            };
                            for &fact in &self.encoder.facts {
                                assert!(self.holds(fact), "a fact does not hold");
                            }
                            return bits.to_u64().expect("32 bits") as u32 as i32;
                        };
                        let effect = self.encoder.leave(&mut state, value, result.as_ref(), edge.span);
                        self.see(&effect);
                        procedure = caller;
                        next = Some(to);
                        break;
                    }
                    action => {
                        let mut after = state.clone();
                        let effect = self.encoder.step(&mut after, action, edge.span);
                        let is_taken = effect.condition.is_none_or(|condition| self.holds(condition));
                        if is_taken {
                            self.see(&effect);
                            state = after;
                            next = Some(edge.to);
                            break;
                        }
                    }
                }
            }
            node = next.expect("one way is open");
        }
    }

    fn body(&self, procedure: program::ProcedureId) -> &'p program::Graph {
        self.program.procedures[procedure].body.as_ref().expect("a body")
    }
}

fn compare(seed: u64, model: DataModel, takes_inputs: bool) -> u32 {
    let text = testkit::values::program(seed, 14, takes_inputs);
    let program = load(&text, model);
    let settings =
        concrete::Settings { on_undefined: OnUndefined::Continue, ..concrete::Settings::default() };
    let mut host = Captured::default();
    let run = Interpreter::new(&program).run(&settings, &mut host, &mut SeededInputs::new(seed));
    let RunOutcome::Exited(expected) = run.outcome else { panic!("seed {seed}: {:?}\n{text}", run.outcome) };
    let points_to = PointsTo::of(&program);
    let meaning = Meaning::new(&program, &points_to);
    let mut encoder = Encoder::new(&meaning);
    let (state, effect) = encoder.initial_state();
    assert!(effect.failures.is_empty(), "{:?}", effect.failures);
    let mut follower =
        Follower { encoder, program: &program, inputs: run.inputs.iter(), model: Model::new(), steps: 0 };
    let found = follower.result(state);
    assert_eq!(found, expected, "seed {seed}, {model:?}\n{text}");
    follower.steps
}

#[test]
fn programs_without_inputs_agree() {
    let steps: u32 = (0..120).map(|seed| compare(seed, DataModel::Lp64, false)).sum();
    assert!(steps > 12_000, "only {steps} steps were compared");
}

#[test]
fn programs_with_inputs_agree() {
    let steps: u32 = (1000..1240).map(|seed| compare(seed, DataModel::Lp64, true)).sum();
    assert!(steps > 20_000, "only {steps} steps were compared");
}

#[test]
fn programs_of_32_bits_agree() {
    let steps: u32 = (2000..2160).map(|seed| compare(seed, DataModel::Ilp32, true)).sum();
    assert!(steps > 12_000, "only {steps} steps were compared");
}
