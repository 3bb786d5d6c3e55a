//! dev
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]
use program::*;
fn main() {
    let mut model = DataModel::Lp64;
    let mut files = vec![];
    let mut mode = "print".to_string();
    let mut flags = vec![];
    for a in std::env::args().skip(1) {
        if a == "-m32" {
            model = DataModel::Ilp32
        } else if let Some(m) = a.strip_prefix("--") {
            mode = m.into()
        } else if let Some(d) = a.strip_prefix("-I") {
            flags.push(csource::preprocess::Flag::IncludeDirectory(d.into()))
        } else {
            files.push(a)
        }
    }
    std::thread::Builder::new().stack_size(1 << 28).spawn(move || {
    let mut session = csource::Session::new(model);
    let mut units = vec![];
    let options = csource::preprocess::Options { flags, ..Default::default() };
    for f in &files {
        let id = match csource::preprocess::read(f.as_ref(), &options, &mut session) { Ok(id) => id, Err(e) => { eprintln!("{e}"); std::process::exit(4) } };
        let unit = csource::parser::parse(id, &mut session);
        units.push(csource::sema::analyse(&unit, &mut session));
    }
    let lowered = lower::lower(units, session, &lower::Settings::default());
    if lowered.diagnostics.has_errors() { eprintln!("errors {:?}", lowered.diagnostics); std::process::exit(4) }
    let program = lowered.program;
    match mode.as_str() {
        "print" => println!("{}", print_c(&program)),
        "show" => for p in &program.procedures {
            if p.origin != Origin::User { continue }
            let Some(body) = &p.body else { continue };
            println!("{}:", p.name);
            for e in &body.edges { println!("  {} -> {}: {}", e.from, e.to, program.show().edge(e)); }
        },
        "pts" => {
            let edges: usize = program.procedures.iter().filter_map(|p| p.body.as_ref()).map(|b| b.edges.len()).sum();
            let start = std::time::Instant::now();
            let pts = PointsTo::of(&program);
            let t = start.elapsed();
            let single = pts.regions().iter().filter(|r| r.is_singleton).count();
            let mut unknown = 0; let mut derefs = 0; let mut total = 0; let mut empty = 0;
            for p in &program.procedures { for e in p.body.iter().flat_map(|b| &b.edges) { e.action.visit(&mut |part| if let program::expr::Part::Place(pl, a) = part { if let PlaceBase::Pointer(ptr) = &pl.base { if a != program::expr::Access::Address { derefs += 1; let t = pts.points_to(&program, ptr); total += t.len(); if t.is_empty() { empty += 1 } if t.iter().any(|t| pts.object(t.object) == program::points_to::ObjectKind::Unknown) { unknown += 1 } } } }) } }
            println!("{:?} edges {edges} {:?} regions {} singleton {single} derefs {derefs} avg {:.2} unknown {unknown} empty {empty}", files, t, pts.regions().len(), total as f64 / derefs.max(1) as f64);
        }
        _ => panic!(),
    }
    }).unwrap().join().unwrap();
}
