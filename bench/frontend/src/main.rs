#![allow(clippy::print_stdout)]
//! x
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    print!("{}", bench_frontend::generate::program(seed, Default::default()));
}
