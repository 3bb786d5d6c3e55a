//! scratch
#![allow(clippy::print_stdout, clippy::print_stderr)]
use base::render::{Colour, render};
use csource::Session;
use csource::preprocess::{Flag, Options, read};
use csource::types::DataModel;
fn main() {
    let mut model = DataModel::Lp64;
    let mut options = Options::default();
    let mut files = Vec::new();
    let mut dump = false;
    let mut quiet = false;
    let mut time = false;
    for arg in std::env::args().skip(1) {
        if arg == "-m32" {
            model = DataModel::Ilp32;
        } else if arg == "--dump" {
            dump = true;
        } else if arg == "-q" {
            quiet = true;
        } else if arg == "-t" {
            time = true;
        } else if let Some(d) = arg.strip_prefix("-D") {
            options.flags.push(Flag::Define(d.into()));
        } else if let Some(d) = arg.strip_prefix("-I") {
            options.flags.push(Flag::IncludeDirectory(d.into()));
        } else {
            files.push(arg);
        }
    }
    for file in files {
        let mut session = Session::new(model);
        let Ok(source) = read(std::path::Path::new(&file), &options, &mut session) else {
            println!("{file}: unreadable");
            continue;
        };
        let t0 = std::time::Instant::now();
        let unit = csource::parser::parse(source, &mut session);
        let t1 = std::time::Instant::now();
        let parse_errors = session.diagnostics.error_count();
        let typed = csource::sema::analyse(&unit, &mut session);
        let t2 = std::time::Instant::now();
        if time {
            println!(
                "{file}: parse {:?} sema {:?} {} bytes",
                t1 - t0,
                t2 - t1,
                session.sources.source(source).text().len()
            );
        }
        for d in session.diagnostics.iter() {
            if !quiet || d.severity == base::Severity::Error {
                println!("{}", render(d, &session.sources, Colour::Never));
            }
        }
        if session.diagnostics.has_errors() {
            println!("{file}: {} errors ({parse_errors} of parser)", session.diagnostics.error_count());
        }
        if dump {
            for f in &typed.functions {
                println!("{} : {}", f.name, session.types.show(f.ty));
                if let Some(b) = &f.body {
                    println!("{:#?}", b.block);
                }
            }
            for v in &typed.variables {
                println!("{v:#?}");
            }
            println!("{:#?}", typed.flags);
        }
    }
}
