//! Why a property holds, as far as the engine can tell someone who wants to check it.

/// A transition between named states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedTransition {
    /// From this state.
    pub from: String,
    /// On this action.
    pub action: String,
    /// To this state.
    pub to: String,
}

/// What a component may assume of its surroundings, as a deterministic process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedAssumption {
    /// The component it is for.
    pub component: String,
    /// The actions it speaks about, sorted.
    pub alphabet: Vec<String>,
    /// The initial state.
    pub initial: String,
    /// Its transitions, sorted; an action of the alphabet without transition is forbidden there.
    pub transitions: Vec<NamedTransition>,
}

/// A condition on the state of a C program at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// A C expression over the variables in scope. A name that several variables share has `$` and the
    /// variable's number behind it; a variable of an outer active call has `@` and the number of that call,
    /// counted from the outermost.
    C(String),
    /// An SMT-LIB term, where C has no words for it (whole memory regions). The names are as above, and
    /// `memory$N`, `extents`; `any$32` stands for every number of 32 bits, for which the condition holds.
    Smt(String),
}

impl Condition {
    /// Is it C that a compiler would take at that place?
    pub fn plain_c(&self) -> Option<&str> {
        match self {
            Condition::C(text) if !text.contains(['$', '@']) => Some(text),
            _ => None,
        }
    }

    /// Its text, in whichever language it is.
    pub fn text(&self) -> &str {
        let (Condition::C(text) | Condition::Smt(text)) = self;
        text
    }
}

/// An active call: who calls, by which step of its graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveCall {
    /// The caller's name.
    pub procedure: String,
    /// The number of the caller.
    pub procedure_number: u32,
    /// The number of the step that calls.
    pub edge: u32,
    /// Where the call stands.
    pub at: base::Span,
}

/// What holds whenever control is at the head of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInvariant {
    /// The procedure with the loop.
    pub procedure: String,
    /// The number of the procedure.
    pub procedure_number: u32,
    /// The number of the head in the procedure's graph.
    pub node: u32,
    /// Where the loop stands.
    pub at: base::Span,
    /// The calls that are active, outermost first; empty in `main`.
    pub calls: Vec<ActiveCall>,
    /// All of these hold.
    pub conditions: Vec<Condition>,
}

/// What a procedure needs and gives, so that calls of it need not be looked into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The procedure whose contract it is, by name.
    pub procedure: String,
    /// The number of that procedure.
    pub procedure_number: u32,
    /// Hold at every call, over parameters and static variables.
    pub requires: Vec<Condition>,
    /// Hold at every return, over static variables, `result$` and, for the values at the call, names with
    /// `$old` behind them.
    pub ensures: Vec<Condition>,
}

/// How a proof about a C program argues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofArgument {
    /// The program takes no input: its only run was seen to its end.
    OnlyRun,
    /// Every input is a choice between two: every run was made, up to its end or to a state that another was in.
    AllRuns,
    /// No loop and no recursion goes on for more than so many rounds, and nothing fails within.
    Unwinding {
        /// The rounds after which no loop or recursion goes on.
        rounds: u32,
    },
    /// The invariants hold at the heads of loops; nothing fails after `depth` heads in a row if nothing
    /// failed before the last; nothing fails from the start up to as many heads.
    Induction {
        /// Heads in a row; 1 for plain induction.
        depth: u32,
    },
    /// Every run ends: the measures, one after the other, exclude every cycle between heads of loops and entries of
    /// procedures with contracts.
    Ranking,
    /// Threads: all runs that differ in the order of steps that depend on each other were made.
    Interleavings {
        /// How many there were.
        runs: u64,
    },
    /// Threads: of all orders of their blocks of steps none fails, as one formula says. No thread has more blocks.
    Orders {
        /// How many blocks there were.
        blocks: u64,
    },
}

/// The number of a variable's object: the same variable of the same active calls always has the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FixedObject {
    /// The steps that called, outermost first.
    pub calls: Vec<u32>,
    /// The variable's number.
    pub variable: u32,
    /// The object's number.
    pub object: u32,
}

/// The number of a block that is allocated at most once in a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FixedBlock {
    /// The steps that called, outermost first.
    pub calls: Vec<u32>,
    /// The number of the procedure that allocates.
    pub procedure: u32,
    /// Its step that does.
    pub edge: u32,
    /// The block's number.
    pub object: u32,
}

/// The value of a part of a measure, where control is at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureAt {
    /// The procedure, by name.
    pub procedure: String,
    /// The number of the procedure.
    pub procedure_number: u32,
    /// The head of a loop, or the entry of a procedure with a contract, in the procedure's graph.
    pub node: u32,
    /// Where that is.
    pub at: base::Span,
    /// The calls that are active, outermost first.
    pub calls: Vec<ActiveCall>,
    /// One for each coefficient: the condition that `value$N`, with the measure's width for `N`, is this part's value.
    /// `None` is zero.
    pub values: Vec<Option<Condition>>,
    /// The measure here, as people write it.
    pub shown: String,
}

/// A ranking function: a sum of numbers, each with its factor, at each of some places. It is not to rise while control
/// stays between places that it is given at and that lead to each other; there are finitely many values, so at last it
/// stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Bits of the parts, which are signed numbers.
    pub width: u32,
    /// The factors.
    pub factors: Vec<i64>,
    /// The parts at each place.
    pub places: Vec<MeasureAt>,
}

/// What a proof about a C program rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramProof {
    /// How it argues.
    pub argument: ProofArgument,
    /// Invariants of loops. A head that is not in the list needs none.
    pub loops: Vec<LoopInvariant>,
    /// Contracts of procedures.
    pub contracts: Vec<Contract>,
    /// The objects that conditions may name by their numbers.
    pub objects: Vec<FixedObject>,
    /// The blocks that conditions may name by their numbers.
    pub blocks: Vec<FixedBlock>,
    /// Measures, of a proof that every run ends.
    pub measures: Vec<Measure>,
    /// Why it does not say all that the proof rests on, if it does not.
    pub gap: Option<crate::Gap>,
}

impl ProgramProof {
    /// An argument without invariants.
    pub fn by(argument: ProofArgument) -> ProgramProof {
        ProgramProof {
            argument,
            loops: Vec::new(),
            contracts: Vec::new(),
            objects: Vec::new(),
            blocks: Vec::new(),
            measures: Vec::new(),
            gap: None,
        }
    }
}

/// States that something is said about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where: a program counter, a procedure, a shared state.
    pub place: String,
    /// Which states can be there, in words.
    pub states: String,
}

/// An inductive invariant of a Boolean program or of a net, in words. It was checked apart from the engine
/// that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InductiveFacts {
    /// `summaries`, `excluded markings` or `cover`.
    pub shape: &'static str,
    /// How to read the facts, and why they prove the property.
    pub meaning: &'static str,
    /// What is said of each place.
    pub facts: Vec<Fact>,
    /// What the names in the facts mean in the words of the program: a name, and a place or values.
    pub legend: Vec<Fact>,
    /// How many conditions the check went through.
    pub conditions: u64,
}

/// What a proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The engine kept nothing that can be checked apart from itself.
    Unrecorded,
    /// Every reachable state was looked at.
    Exhaustive {
        /// How many states were looked at.
        states: u64,
    },
    /// A relation that is a (weak) simulation and relates the initial states: pairs of state names.
    Simulation {
        /// Implementation state, specification state; sorted.
        pairs: Vec<(String, String)>,
    },
    /// Assumptions that discharge the premises of an assume-guarantee rule.
    AssumeGuarantee {
        /// The rule, `1` or `2`.
        rule: u8,
        /// The assumptions, outermost first.
        assumptions: Vec<LearnedAssumption>,
    },
    /// A partition of each component's states whose quotients have no counterexample.
    Abstraction {
        /// For each component: its name, and its classes of states.
        partitions: Vec<(String, Vec<Vec<String>>)>,
    },
    /// An inductive invariant of a Boolean program or of a net.
    Facts(Box<InductiveFacts>),
    /// Invariants of a C program.
    Program(Box<ProgramProof>),
}
