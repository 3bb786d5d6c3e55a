//! Programs of several files, made of pieces.

use crate::piece::{Claim, Home, Input, MOST_FILES, Piece, for_compiler, for_concord};
use crate::pieces;
use crate::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Most combinations of input values of one program.
pub const MOST_VECTORS: usize = 128;

/// A program with marks in its text (see [`crate::piece`]).
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it comes from.
    pub seed: u64,
    /// The pieces.
    pub pieces: Vec<Piece>,
    files: usize,
    main_file: usize,
    has_shared_header: bool,
}

/// A value that is looked at.
#[derive(Clone, Debug)]
pub struct Look {
    /// What is computed.
    pub expression: String,
    /// The file's name.
    pub file: String,
    /// The line.
    pub line: i64,
}

/// Which text is wanted.
#[derive(Clone, Copy)]
pub enum Reader<'a> {
    /// The one with these claims.
    Concord(&'a [Claim]),
    /// The one that writes a log.
    Compiler,
}

/// Where a loop may stand that takes long.
const WAITS: &str = "/* wait */";
const WAIT: &str = "for (int wait = 0; wait < 2000000000; wait++) {}";

impl Program {
    /// The program of a seed, of pieces whose name contains `only`.
    pub fn draw(seed: u64, only: &str) -> Program {
        let mut random = Random::new(seed);
        let wanted = 1 + random.below(3);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut vectors = 1;
        for _ in 0..wanted {
            let mut piece = pieces::draw(&mut random, only);
            piece.number = pieces.len();
            let count: usize = piece.inputs.iter().map(Input::count).product();
            if vectors * count > MOST_VECTORS && !pieces.is_empty() {
                continue;
            }
            vectors *= count;
            pieces.push(piece);
        }
        let drawn = 1 + random.below(MOST_FILES);
        let files = pieces.iter().map(|piece| piece.files).max().unwrap_or(1).max(drawn);
        let main_file = random.below(files);
        let has_shared_header = random.chance(50);
        Program { seed, pieces, files, main_file, has_shared_header }
    }

    /// The same program without one piece.
    pub fn without(&self, piece: usize) -> Program {
        let mut smaller = self.clone();
        smaller.pieces.remove(piece);
        smaller
    }

    /// Do the inputs decide everything?
    pub fn is_closed(&self) -> bool {
        !self.pieces.iter().any(|piece| piece.is_open)
    }

    /// Must it be linked by itself?
    pub fn is_alone(&self) -> bool {
        self.pieces.iter().any(|piece| piece.is_alone)
    }

    /// All inputs, in the order in which they are read.
    pub fn inputs(&self) -> Vec<Input> {
        self.pieces.iter().flat_map(|piece| piece.inputs.clone()).collect()
    }

    /// Every combination of input values, or as many drawn ones as may be run; and whether these are all.
    pub fn vectors(&self) -> (Vec<Vec<i64>>, bool) {
        let inputs = self.inputs();
        let total: usize = inputs.iter().map(Input::count).product();
        if total <= MOST_VECTORS {
            let mut vectors = vec![Vec::new()];
            for input in &inputs {
                vectors = vectors
                    .iter()
                    .flat_map(|vector: &Vec<i64>| {
                        (input.low..=input.high).map(move |value| {
                            let mut longer = vector.clone();
                            longer.push(value);
                            longer
                        })
                    })
                    .collect();
            }
            return (vectors, true);
        }
        let mut random = Random::new(self.seed ^ 0x5eed);
        let draw = |_| inputs.iter().map(|input| random.within(input.low, input.high)).collect();
        ((0..MOST_VECTORS / 2).map(draw).collect(), false)
    }

    fn prefix(&self, piece: &Piece) -> String {
        format!("p{}_{}_", self.seed, piece.number)
    }

    /// The files: names and texts. C files come first.
    pub fn files(&self, reader: Reader<'_>) -> Vec<(String, String)> {
        let mut files = self.marked();
        let mut next = 0;
        for (_, text) in &mut files {
            *text = match reader {
                Reader::Concord(claims) => {
                    let wait = if self.waits() { WAIT } else { "" };
                    for_concord(&text.replace(WAITS, wait), claims, &mut next)
                }
                Reader::Compiler => for_compiler(text, &mut next),
            };
        }
        files
    }

    /// Does a loop that takes long, and does nothing, stand before each piece where Concord reads the program? No search gets
    /// past it, so that what holds is what proofs say of the program.
    fn waits(&self) -> bool {
        self.seed % 4 == 3
    }

    /// The values that are looked at, in the order of their numbers.
    pub fn looks(&self) -> Vec<Look> {
        let mut looks = Vec::new();
        for (file, text) in self.marked() {
            for (index, line) in text.lines().enumerate() {
                for part in line.split('«').skip(1) {
                    let expression = part.split('»').next().unwrap_or_default().to_string();
                    looks.push(Look { expression, file: file.clone(), line: index as i64 + 1 });
                }
            }
        }
        looks
    }

    fn marked(&self) -> Vec<(String, String)> {
        let mut includes: BTreeSet<&str> = ["assert.h", "stdio.h"].into();
        includes.extend(self.pieces.iter().flat_map(|piece| piece.includes.iter().copied()));
        let mut common = String::from("#define _GNU_SOURCE\n");
        for header in includes {
            let _ = writeln!(common, "#include <{header}>");
        }
        common.push_str(
            "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
             extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
             extern void reach_error(void);\n",
        );
        let mut texts = vec![String::new(); self.files];
        let mut shared = String::new();
        for piece in &self.pieces {
            let prefix = self.prefix(piece);
            let own = match piece.home {
                Home::Main => self.main_file,
                Home::Function(file) => file % self.files,
            };
            let mut header = piece.header.clone();
            if let Home::Function(_) = piece.home {
                let types: Vec<&str> = piece.inputs.iter().map(Input::c_type).collect();
                let types = if types.is_empty() { "void".to_string() } else { types.join(", ") };
                let _ = writeln!(header, "void $run({types});");
            }
            shared.push_str(&header.replace('$', &prefix));
            for (offset, outside) in piece.outside.iter().enumerate() {
                texts[(own + offset) % self.files].push_str(&outside.replace('$', &prefix));
            }
            if let Home::Function(_) = piece.home {
                let parameters: Vec<String> =
                    piece.inputs.iter().map(|input| format!("{} {}", input.c_type(), input.name)).collect();
                let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
                let mut text = format!("void $run({parameters}) {{\n");
                for line in &piece.body {
                    let _ = writeln!(text, "    {line}");
                }
                text.push_str("}\n");
                texts[own].push_str(&text.replace('$', &prefix));
            }
        }
        texts[self.main_file].push_str(&self.main());
        let mut files = Vec::new();
        let name = format!("p{}.h", self.seed);
        let has_header = self.has_shared_header && self.files > 1;
        for (number, text) in texts.into_iter().enumerate() {
            let start =
                if has_header { format!("#include \"{name}\"\n") } else { format!("{common}{shared}") };
            files.push((format!("p{}_{}.c", self.seed, ["a", "b", "c"][number]), start + &text));
        }
        if has_header {
            files
                .push((name, format!("#ifndef P{0}_H\n#define P{0}_H\n{common}{shared}#endif\n", self.seed)));
        }
        files
    }

    fn main(&self) -> String {
        let mut text = String::from("int main(void) {\n");
        for piece in &self.pieces {
            let prefix = self.prefix(piece);
            for line in piece.inputs.iter().flat_map(Input::reading) {
                let _ = writeln!(text, "    {}", line.replace('$', &prefix));
            }
        }
        for piece in &self.pieces {
            let prefix = self.prefix(piece);
            let _ = writeln!(text, "    {WAITS}");
            match piece.home {
                Home::Main => {
                    text.push_str("    {\n");
                    for line in &piece.body {
                        let _ = writeln!(text, "        {}", line.replace('$', &prefix));
                    }
                    text.push_str("    }\n");
                }
                Home::Function(_) => {
                    let names: Vec<&str> = piece.inputs.iter().map(|input| input.name.as_str()).collect();
                    let call = format!("    $run({});\n", names.join(", "));
                    text.push_str(&call.replace('$', &prefix));
                }
            }
        }
        text.push_str("    return 0;\n}\n");
        text
    }
}
