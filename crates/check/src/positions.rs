//! The positions of the simulation game that were met, and the clauses that use them: compact, because a game
//! has as many positions as an implementation and a specification have pairs of states.

use base::{Id, IndexVec, define_id};
use lks::StateId;
use rustc_hash::FxHashMap;

define_id!(
    /// A position of the game: a state of each side.
    PositionId,
    "w"
);

define_id!(
    /// A clause: a position and a challenge in it.
    ClauseId,
    "c"
);

/// Positions in the order in which they were met.
pub(crate) struct Positions {
    pairs: IndexVec<PositionId, (StateId, StateId)>,
    numbers: Numbers,
}

enum Numbers {
    /// A cell for every pair; 0 for one that was not met.
    Table {
        cells: Vec<u32>,
        columns: usize,
    },
    Map(FxHashMap<(StateId, StateId), PositionId>),
}

/// A table of all pairs is made where it has no more than this many cells per transition of the
/// implementation.
const CELLS_PER_TRANSITION: usize = 4;

impl Positions {
    /// None met. A game with a small specification gets a table, others a map.
    pub fn new(rows: usize, columns: usize, transitions: usize) -> Positions {
        let numbers = match rows.checked_mul(columns) {
            Some(cells) if cells <= transitions.saturating_mul(CELLS_PER_TRANSITION) => {
                Numbers::Table { cells: vec![0; cells], columns }
            }
            _ => Numbers::Map(FxHashMap::default()),
        };
        Positions { pairs: IndexVec::new(), numbers }
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn pair(&self, position: PositionId) -> (StateId, StateId) {
        self.pairs[position]
    }

    pub fn ids(&self) -> impl Iterator<Item = PositionId> + use<> {
        self.pairs.ids()
    }

    /// The position of a pair, if it was met.
    pub fn find(&self, i: StateId, s: StateId) -> Option<PositionId> {
        match &self.numbers {
            Numbers::Table { cells, columns } => {
                let cell = cells[i.index() * columns + s.index()] as usize;
                cell.checked_sub(1).map(PositionId::from_index)
            }
            Numbers::Map(map) => map.get(&(i, s)).copied(),
        }
    }

    /// The position of a pair, met now if not before.
    pub fn meet(&mut self, i: StateId, s: StateId) -> PositionId {
        match &mut self.numbers {
            Numbers::Table { cells, columns } => {
                let cell = &mut cells[i.index() * *columns + s.index()];
                if *cell == 0 {
                    let id = self.pairs.push((i, s));
                    *cell = id.index() as u32 + 1;
                }
                PositionId::from_index(*cell as usize - 1)
            }
            Numbers::Map(map) => *map.entry((i, s)).or_insert_with(|| self.pairs.push((i, s))),
        }
    }
}

/// Which clauses have a position among their responses: a linked list per position.
#[derive(Default)]
pub(crate) struct Uses {
    /// The latest use of a position, counted from 1; 0 if there is none.
    latest: Vec<u32>,
    /// For each use its clause, and the use of the same position before it.
    uses: Vec<(ClauseId, u32)>,
}

impl Uses {
    pub fn add(&mut self, position: PositionId, clause: ClauseId) {
        if self.latest.len() <= position.index() {
            self.latest.resize(position.index() + 1, 0);
        }
        let before = self.latest[position.index()];
        self.uses.push((clause, before));
        self.latest[position.index()] = u32::try_from(self.uses.len()).expect("fewer than 2^32 responses");
    }

    /// The clauses that use a position, the latest first.
    pub fn of(&self, position: PositionId) -> impl Iterator<Item = ClauseId> + '_ {
        let mut next = self.latest.get(position.index()).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let (clause, before) = self.uses[(next as usize).checked_sub(1)?];
            next = before;
            Some(clause)
        })
    }
}
