//! Incremental checks under assumptions, the workload A of predicate abstraction: 250 edges, eight predicate
//! literals, 32 bits, a core for every unsatisfiable check.

use crate::table;
use base::Budget;
use logic::sat::{CadicalSettings, LuckyPhases};
use logic::traits::{Assert, CheckAssuming, UnsatCore};
use logic::{Answer, EmbeddedSettings, EmbeddedSolver, ProcessSolver, SolverCommand, TermId, TermPool};
use testkit::Random;
use testkit::clock::{Elapsed, Stopwatch};

const EDGES: usize = 250;
const QUERIES_AN_EDGE: usize = 80;
/// The process is slower by far: it gets every so many-th edge, and the figures are per query.
const EDGES_FOR_THE_OTHER: usize = 25;

struct Edge {
    step: TermId,
    predicates: Vec<TermId>,
}

fn edges(pool: &mut TermPool) -> Vec<Edge> {
    let mut random = Random::new(7);
    let now: Vec<TermId> = (0..4).map(|i| pool.bitvec_symbol(&format!("v{i}"), 32)).collect();
    let then: Vec<TermId> = (0..4).map(|i| pool.bitvec_symbol(&format!("v{i}'"), 32)).collect();
    let mut edges = Vec::new();
    for _ in 0..EDGES {
        let k = pool.number(32, random.below(1000) as i128);
        let (a, b) = (*random.pick(&now), *random.pick(&now));
        let value = match random.below(6) {
            0 => pool.bvadd(a, k),
            1 => pool.bvsub(a, b),
            2 => pool.bvmul(a, k),
            3 => pool.bvand(a, k),
            4 => {
                let guard = pool.slt(a, b);
                pool.ite(guard, a, k)
            }
            _ => pool.bvxor(a, b),
        };
        let target = random.below(4);
        let mut conjuncts = vec![pool.slt(a, k)];
        for place in 0..4 {
            let value = if place == target { value } else { now[place] };
            conjuncts.push(pool.equal(then[place], value));
        }
        let step = pool.all_of(&conjuncts);
        let mut predicates = Vec::new();
        for number in 0..8 {
            let side = if number < 4 { &now } else { &then };
            let (a, b) = (*random.pick(side), *random.pick(side));
            let k = pool.number(32, random.below(1000) as i128);
            predicates.push(match random.below(4) {
                0 => pool.equal(a, k),
                1 => pool.slt(a, b),
                2 => pool.sle(a, k),
                _ => {
                    let sum = pool.bvadd(a, b);
                    pool.ult(sum, k)
                }
            });
        }
        edges.push(Edge { step, predicates });
    }
    edges
}

struct Measured {
    elapsed: Elapsed,
    answers: Vec<bool>,
    cores: usize,
}

fn run<S: Assert + CheckAssuming + UnsatCore>(
    pool: &mut TermPool,
    edges: &[Edge],
    mut make: impl FnMut() -> S,
) -> Measured {
    let (mut answers, mut cores) = (Vec::new(), 0);
    let started = Stopwatch::start();
    for (number, edge) in edges.iter().enumerate() {
        let mut random = Random::new(number as u64);
        let mut solver = make();
        solver.assert(pool, edge.step);
        for _ in 0..QUERIES_AN_EDGE {
            let mut assumptions = Vec::with_capacity(8);
            for &predicate in &edge.predicates {
                assumptions.push(if random.coin() { predicate } else { pool.not(predicate) });
            }
            match solver.check_assuming(pool, &assumptions, &Budget::unlimited()) {
                Answer::Sat => answers.push(true),
                Answer::Unsat => {
                    cores += solver.core().len();
                    answers.push(false);
                }
                Answer::Unknown(reason) => panic!("an unlimited check is decided: {reason}"),
            }
        }
    }
    Measured { elapsed: started.read(), answers, cores }
}

fn rows_sat(measured: &Measured) -> usize {
    measured.answers.iter().filter(|&&answer| answer).count()
}

/// Prints the table.
pub fn measure(other: Option<&SolverCommand>) {
    let mut pool = TermPool::new();
    let edges = edges(&mut pool);
    let ours = run(&mut pool, &edges, EmbeddedSolver::default);
    let count = ours.answers.len() as u64;
    let each = table::micros_each(ours.elapsed, count);
    let sat = rows_sat(&ours);
    let mut rows = vec![vec![
        "embedded".to_owned(),
        count.to_string(),
        format!("{sat} / {}", count as usize - sat),
        format!("{each:.1}"),
        format!("{:.1}", table::wall_micros_each(ours.elapsed, count)),
        format!("{:.0}", 1e6 / each),
        format!("{:.2}", ours.cores as f64 / (count as usize - sat).max(1) as f64),
        "1.0x".to_owned(),
    ]];
    // The same with CaDiCaL's lucky phases, which are off by default: this row is why.
    let sat = CadicalSettings { lucky_phases: LuckyPhases::On, ..CadicalSettings::default() };
    let lucky =
        run(&mut pool, &edges, || EmbeddedSolver::new(EmbeddedSettings { sat, ..Default::default() }));
    assert_eq!(lucky.answers, ours.answers, "settings change no answer");
    rows.push(vec![
        "embedded, lucky phases".to_owned(),
        count.to_string(),
        format!("{} / {}", rows_sat(&lucky), count as usize - rows_sat(&lucky)),
        format!("{:.1}", table::micros_each(lucky.elapsed, count)),
        format!("{:.1}", table::wall_micros_each(lucky.elapsed, count)),
        format!("{:.0}", 1e6 / table::micros_each(lucky.elapsed, count)),
        format!("{:.2}", lucky.cores as f64 / (count as usize - rows_sat(&lucky)).max(1) as f64),
        table::ratio(each, table::micros_each(lucky.elapsed, count)),
    ]);
    if let Some(command) = other {
        let some = &edges[..EDGES_FOR_THE_OTHER];
        let theirs = run(&mut pool, some, || ProcessSolver::new(command.clone()));
        let count = theirs.answers.len();
        assert_eq!(theirs.answers[..], ours.answers[..count], "both solvers agree on every answer");
        let slower = table::micros_each(theirs.elapsed, count as u64);
        let sat = rows_sat(&theirs);
        rows.push(vec![
            format!("{} (process)", command.program),
            count.to_string(),
            format!("{sat} / {}", count - sat),
            format!("{slower:.1}"),
            format!("{:.1}", table::wall_micros_each(theirs.elapsed, count as u64)),
            format!("{:.0}", 1e6 / slower),
            format!("{:.2}", theirs.cores as f64 / (count - sat).max(1) as f64),
            table::ratio(each, slower),
        ]);
    }
    let header = [
        "solver",
        "queries",
        "sat / unsat",
        "us/query (cpu)",
        "us/query (wall)",
        "queries/cpu-s",
        "core size",
        "cpu",
    ];
    table::print(
        "Checks under assumptions (250 edges, 8 predicate literals, 32 bits, cores)",
        &header,
        &rows,
    );
}
