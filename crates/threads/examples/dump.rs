//! Shows a sequential program.
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let program = testkit::c::load(std::path::Path::new(&path), program::DataModel::Lp64);
    let s = threads::sequentialise(&program, &threads::Options { most_at_once: 2, races: std::env::args().nth(2).is_some() }).unwrap();
    let p = &s.program;
    let b = p.procedures[p.main.unwrap()].body.as_ref().unwrap();
    println!("nodes {} edges {} threads {}", b.nodes.len(), b.edges.len(), 0);
    for (id, node) in b.nodes.iter_enumerated() {
        for &e in &node.out {
            let e = &b.edges[e];
            println!("{id:?} [{:?}] -> {:?}: {}", p.interleaving.as_ref().unwrap().owner.get(&id), e.to, p.show().edge(e));
        }
    }
}
