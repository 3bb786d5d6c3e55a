//! Invariants about all allocated blocks: "the `next` of every living node is null or a living node", "every node's value is
//! between 0 and 9", "the list is linked in the order in which its nodes were made".
//!
//! The blocks that one step allocates, called from one place, are a site: their extents say so while they live. An invariant
//! is a condition on any address at which a living block of a site starts (as TriCera, JayHorn assert a predicate at each
//! write of a heap object and assume it at each read; here at heads of loops, where all that a loop was doing is done).
//! Guesses ([`guess`]) are kept if they are invariants together, and used at the addresses that a step reads and writes,
//! with the same code as for arrays ([`elements`](crate::elements)): an address is an index. What the heaps of real runs refute ([`seen`]) is
//! not asked about.
//!
//! First without the order in which blocks were made (`symbolic::Births`), then with it: only that tells that a list
//! has no cycle, and which of its nodes still live while it is freed. First those guesses that say most, then all.
//!
//! Worked example: `while (c()) { t = malloc(8); t->v = 1; t->n = h; h = t; } while (h) { assert(h->v == 1); h = h->n; }`.
//! Guesses at both heads: `h` is null or a block `S`; if a block of `S` starts at `x`, then `x->n` is null or a block of `S`, and
//! `x->v` is 1. At the first arrival there are no blocks. A round adds a block that has both. The second loop reads at `h`: used
//! there, the invariants say that the read is right, that the assertion holds, and what the next `h` is.

mod data;
mod guess;
mod seen;
mod sites;

use crate::blocks::{Blocks, HeadId};
use crate::code::{CodeEngine, CodeRequest, gave_up, not_for_this};
use crate::elements::{ForAll, Proof, names_of_guards, prove_with};
use base::{Budget, Event, EventSink, IndexVec};
use guess::Guesser;
use question::Answer;
use seen::{Heaps, Which};
use sites::{Scene, Site};
use verdict::Reason;

const NAME: &str = "objects";

/// Invariants about all allocated blocks.
pub const ALL_BLOCKS: CodeEngine = CodeEngine::new(NAME, "Invariants about all allocated blocks", by_blocks);

fn by_blocks(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, budget, |blocks| {
        let sites = sites::sites(&blocks.explorer.encoder);
        if blocks.explorer.contracts.is_some() || sites.is_empty() {
            return Err(not_for_this(NAME, "no loop works on allocated blocks"));
        }
        let attempts = [(false, Which::Strongest), (true, Which::Strongest), (true, Which::All)];
        for (orders, which) in attempts {
            match prove(blocks, &sites, (orders, which), budget, events) {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(why) => return Err(gave_up("invariants about all allocated blocks", why, budget)),
            }
        }
        Err(not_for_this(NAME, "invariants about all allocated blocks are not enough"))
    })
}

fn prove(
    blocks: &mut Blocks<'_, '_>,
    sites: &[Site],
    (orders, which): (bool, Which),
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Option<Answer>, Reason> {
    let names = names_of_guards(&mut blocks.explorer.encoder);
    let data = data::data(blocks, &names, sites);
    let width = blocks.explorer.encoder.meaning.layout.width;
    let heads: Vec<HeadId> = blocks.heads.ids().collect();
    let mut at: IndexVec<HeadId, Vec<ForAll>> = IndexVec::filled(Vec::new(), heads.len());
    for head in heads {
        let Some(mut scene) = Scene::at(blocks, head) else { continue };
        scene.constants.clone_from(&data.constants);
        let samples = blocks.samples.clone();
        let layout = blocks.explorer.encoder.meaning.layout;
        let seen = samples.as_ref().map_or(&[][..], |samples| &samples.at[head]);
        let heaps = Heaps::at(seen, scene.extents, layout);
        heaps.mark_idle(blocks, &mut scene);
        let terms = &mut blocks.explorer.encoder.terms;
        let mut guesser = Guesser::new(terms, &scene, sites, width);
        guesser.guess_all(&data.templates, orders);
        guesser.about_values(&heaps);
        let mut found = guesser.into_guesses();
        found.retain(|guess| !blocks.names_an_allocation(guess.condition.body));
        at[head] = heaps.not_refuted(&blocks.explorer.encoder.terms.pool, found, which);
    }
    events.emit(Event::Count { what: "guesses", value: at.iter().map(Vec::len).sum::<usize>() as u64 });
    let how = "every loop keeps an invariant about all allocated blocks, under which nothing fails";
    prove_with(blocks, Proof { engine: NAME, how, names, at }, budget, events)
}
