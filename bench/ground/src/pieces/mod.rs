//! The features that programs are drawn from. Each piece sometimes uses its feature as it should be used, and sometimes breaks
//! what it needs, always or on some inputs.

mod arithmetic;
mod builtins;
mod bytes;
mod control;
mod formats;
mod gnu;
mod linkage;
mod memory;
mod pointers;
mod records;
mod rounds;
mod small;
mod standard;
mod streams;
mod strings;

use crate::piece::Piece;
use crate::random::Random;

/// Makes a piece.
type Draw = fn(&mut Random) -> Piece;

/// How often a feature is drawn, beside the others.
struct Feature {
    name: &'static str,
    weight: usize,
    draw: Draw,
}

const fn feature(name: &'static str, weight: usize, draw: Draw) -> Feature {
    Feature { name, weight, draw }
}

const FEATURES: &[Feature] = &[
    feature("arithmetic", 8, arithmetic::expressions),
    feature("conversions", 3, arithmetic::conversions),
    feature("strings", 14, strings::operations),
    feature("rarer-strings", 6, strings::rarer),
    feature("tokens", 3, strings::tokens),
    feature("numbers-in-text", 4, strings::numbers),
    feature("ctype", 3, strings::classes),
    feature("blocks", 8, memory::blocks),
    feature("heap-edges", 6, memory::edges),
    feature("lifetimes", 5, memory::lifetimes),
    feature("never-written", 4, memory::never_written),
    feature("flexible", 3, memory::flexible),
    feature("pointers", 6, pointers::walking),
    feature("function-pointers", 6, pointers::functions),
    feature("constants", 3, pointers::constants),
    feature("read-only", 4, pointers::read_only),
    feature("bytes", 6, bytes::copies),
    feature("arrays", 5, bytes::arrays),
    feature("variadic", 4, gnu::variadic),
    feature("extensions", 5, gnu::extensions),
    feature("machine", 4, gnu::machine),
    feature("hand-written", 7, small::texts),
    feature("containers", 6, small::containers),
    feature("unions", 4, records::unions),
    feature("bit-fields", 4, records::bit_fields),
    feature("structures", 5, records::structures),
    feature("initialisers", 4, records::initialisers),
    feature("switches", 5, control::switches),
    feature("loops", 5, control::loops),
    feature("rounds", 9, rounds::rounds),
    feature("recursion", 3, control::recursion),
    feature("endings", 3, control::endings),
    feature("weak", 4, linkage::weak),
    feature("alias", 4, linkage::alias),
    feature("shared-variables", 4, linkage::variables),
    feature("names", 5, linkage::names),
    feature("inline", 3, linkage::inline),
    feature("constructors", 1, linkage::constructors),
    feature("printing", 6, formats::printing),
    feature("texts", 7, formats::texts),
    feature("scanning", 4, formats::scanning),
    feature("sorting", 4, standard::sorting),
    feature("quotients", 3, standard::quotients),
    feature("surroundings", 2, standard::surroundings),
    feature("builtins", 6, builtins::computing),
    feature("builtin-promises", 2, builtins::promises),
    feature("streams", 5, streams::files),
    feature("standard-input", 2, streams::input),
];

/// A piece of a feature whose name contains `only`.
pub fn draw(random: &mut Random, only: &str) -> Piece {
    let wanted: Vec<&Feature> = FEATURES.iter().filter(|feature| feature.name.contains(only)).collect();
    assert!(!wanted.is_empty(), "no feature has this name");
    let total: usize = wanted.iter().map(|feature| feature.weight).sum();
    let mut left = random.below(total);
    for feature in &wanted {
        if left < feature.weight {
            let mut piece = (feature.draw)(random);
            piece.name = feature.name;
            return piece;
        }
        left -= feature.weight;
    }
    unreachable!("the weights add up");
}
