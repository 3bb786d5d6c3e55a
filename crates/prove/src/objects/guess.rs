//! Guesses at invariants about allocated blocks. A condition names any address, `x`, and says something if a living block of
//! a site starts there: where its pointers lead, what its numbers are, how it compares with the block that it points to,
//! when it was made. What to say of numbers comes from what the program compares and stores.
//!
//! An exception, "but for the block at `p`", is guessed beside each: a block that is being linked, or the last of a list, has
//! not all it should have yet.

use super::data::Template;
use super::sites::{Field, Pointer, Scene, Site};
use crate::elements::{ForAll, any_index};
use logic::TermId;
use rustc_hash::FxHashSet;
use symbolic::Terms;

/// More guesses at one head than this are too many.
const MOST_GUESSES: usize = 4000;

/// Guesses at one head.
pub(super) struct Guesser<'g> {
    pub terms: &'g mut Terms,
    pub scene: &'g Scene,
    pub sites: &'g [Site],
    /// Any address.
    pub any: TermId,
    found: Vec<Guess>,
    seen: FxHashSet<TermId>,
}

/// A guess, and one that says more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    /// The condition.
    pub condition: ForAll,
    /// A guess that implies it.
    pub implied_by: Option<TermId>,
}

impl<'g> Guesser<'g> {
    /// Nothing was guessed yet.
    pub fn new(terms: &'g mut Terms, scene: &'g Scene, sites: &'g [Site], width: u32) -> Guesser<'g> {
        let any = any_index(terms, width);
        Guesser { terms, scene, sites, any, found: Vec::new(), seen: FxHashSet::default() }
    }

    /// What was guessed.
    pub fn into_guesses(self) -> Vec<Guess> {
        self.found
    }

    /// One more, unless there are too many.
    pub fn guess(&mut self, body: TermId) {
        self.weaker_guess(body, None);
    }

    /// One that another implies.
    fn weaker_guess(&mut self, body: TermId, implied_by: Option<TermId>) {
        let body = self.terms.simple(body);
        if self.terms.truth(body).is_none() && self.found.len() < MOST_GUESSES && self.seen.insert(body) {
            let condition = ForAll { index: self.any, body };
            self.found.push(Guess { condition, implied_by });
        }
    }

    fn is_null(&mut self, pointer: TermId) -> TermId {
        let something = self.terms.is_nonzero(pointer);
        self.terms.not(something)
    }

    /// That one of these holds.
    pub fn or_guess(&mut self, parts: &[TermId]) {
        let any = self.terms.any(parts);
        self.guess(any);
    }

    /// Everything about the pointers at the head and what blocks hold; with `orders`, also about when blocks were made.
    pub fn guess_all(&mut self, templates: &[Template], orders: bool) {
        let pointers = self.scene.pointers.clone();
        for pointer in &pointers {
            self.about_pointer(pointer);
        }
        for (at, one) in pointers.iter().enumerate() {
            for two in &pointers[at + 1..] {
                if one.targets.iter().any(|target| two.targets.contains(target)) {
                    self.about_two(one.term, two.term);
                }
            }
        }
        self.about_all_blocks();
        for site in self.sites {
            let outside = self.excepted(site);
            if orders {
                self.about_order(site, &pointers);
            }
            for field in site.fields.iter().filter(|field| !field.targets.is_empty()) {
                self.about_link(site, field, &outside);
                if orders {
                    self.about_order_of_link(site, field, &outside);
                }
            }
            for template in templates.iter().filter(|template| template.fits(site)) {
                self.about_data(site, template, &outside);
            }
        }
    }

    /// The pointers that an exception may name.
    fn excepted(&self, site: &Site) -> Vec<TermId> {
        let leads = |pointer: &&Pointer| !pointer.is_idle && pointer.targets.contains(&site.object);
        let own = self.scene.pointers.iter().filter(leads);
        own.map(|pointer| pointer.term).collect()
    }

    /// Where a pointer leads.
    fn about_pointer(&mut self, pointer: &Pointer) {
        let null = self.is_null(pointer.term);
        self.guess(null);
        if let Some(leads) = self.scene.leads_to(self.terms, self.sites, &pointer.targets, pointer.term) {
            self.guess(leads);
            self.or_guess(&[null, leads]);
        }
        for site in self.sites.iter().filter(|site| pointer.targets.contains(&site.object)) {
            let leads = self.scene.is_block(self.terms, site, pointer.term);
            self.guess(leads);
            self.or_guess(&[null, leads]);
        }
    }

    fn about_two(&mut self, one: TermId, two: TermId) {
        let same = self.terms.equal(one, two);
        self.guess(same);
        let differ = self.terms.not(same);
        self.guess(differ);
        let (first, second) = (self.is_null(one), self.is_null(two));
        self.or_guess(&[differ, first]);
        let (not_first, not_second) = (self.terms.not(first), self.terms.not(second));
        self.or_guess(&[not_first, second]);
        self.or_guess(&[not_second, first]);
    }

    /// Every block of the heap is of a site; or there is none.
    fn about_all_blocks(&mut self) {
        let lives = self.scene.is_any_block(self.terms, self.any);
        let none = self.terms.not(lives);
        self.guess(none);
        let mut of_some = vec![none];
        for site in self.sites {
            of_some.push(self.scene.is_block(self.terms, site, self.any));
        }
        self.or_guess(&of_some);
    }

    /// A condition on a block of the site: of all of them, and of all but for one that a pointer leads to.
    pub fn of_blocks(&mut self, site: &Site, condition: TermId, excepted: &[TermId]) {
        let lives = self.scene.is_block(self.terms, site, self.any);
        let dead = self.terms.not(lives);
        let of_all = self.terms.any(&[dead, condition]);
        let of_all = self.terms.simple(of_all);
        self.guess(of_all);
        for &pointer in excepted {
            let is_it = self.terms.equal(self.any, pointer);
            let of_others = self.terms.any(&[dead, is_it, condition]);
            self.weaker_guess(of_others, Some(of_all));
        }
    }

    /// Where the pointers of blocks lead.
    fn about_link(&mut self, site: &Site, field: &Field, excepted: &[TermId]) {
        let Some(link) = self.scene.field(self.terms, field, self.any) else { return };
        let null = self.is_null(link);
        let leads = self.scene.leads_to(self.terms, self.sites, &field.targets, link);
        if let Some(leads) = leads {
            let either = self.terms.or(null, leads);
            self.of_blocks(site, either, excepted);
            self.of_blocks(site, leads, excepted);
        }
        self.of_blocks(site, null, excepted);
        for pointer in self.scene.pointers.clone() {
            if !pointer.is_idle && pointer.targets.iter().any(|target| field.targets.contains(target)) {
                let same = self.terms.equal(link, pointer.term);
                self.of_blocks(site, same, &[]);
                // Nothing points to what it points to; of use where that is freed.
                let other = self.terms.not(same);
                self.of_blocks(site, other, excepted);
                self.at_pointers(site, same, excepted);
            }
        }
        self.at_pointers(site, null, excepted);
        if let Some(leads) = leads {
            // Unless a number of the block says that it is the last.
            for number in site.fields.iter().filter(|number| number.targets.is_empty()) {
                for constant in self.scene.constants_of(number) {
                    let Some(value) = self.scene.field(self.terms, number, self.any) else { continue };
                    let constant = self.terms.number(number.bits, constant);
                    let is_it = self.terms.equal(value, constant);
                    let either = self.terms.or(is_it, leads);
                    self.of_blocks(site, either, excepted);
                }
            }
        }
        // Back links.
        let targets = self.sites.iter().filter(|other| field.targets.contains(&other.object));
        for back in targets.flat_map(|other| &other.fields) {
            if back.targets.contains(&site.object) {
                let Some(there) = self.scene.field(self.terms, back, link) else { continue };
                let comes_back = self.terms.equal(there, self.any);
                let either = self.terms.or(null, comes_back);
                self.of_blocks(site, either, excepted);
            }
        }
    }

    /// The condition of the very blocks that pointers lead to.
    fn at_pointers(&mut self, site: &Site, condition: TermId, pointers: &[TermId]) {
        let lives = self.scene.is_block(self.terms, site, self.any);
        let dead = self.terms.not(lives);
        let of_all = self.terms.any(&[dead, condition]);
        let of_all = self.terms.simple(of_all);
        for &pointer in pointers {
            let at = [(self.any, pointer)].into_iter().collect();
            let there = self.terms.pool.substitute(condition, &at);
            let lives = self.scene.is_block(self.terms, site, pointer);
            let dead = self.terms.not(lives);
            let there = self.terms.any(&[dead, there]);
            self.weaker_guess(there, Some(of_all));
        }
    }

    fn about_data(&mut self, site: &Site, template: &Template, excepted: &[TermId]) {
        let Some(condition) = template.at(self.terms, self.scene) else { return };
        self.of_blocks(site, condition, excepted);
        self.at_pointers(site, condition, excepted);
    }

    /// When blocks were made, compared with those that pointers lead to.
    fn about_order(&mut self, site: &Site, pointers: &[Pointer]) {
        let (Some(births), Some(birth), Some(made)) = (
            self.scene.has_birth(self.terms, site, self.any),
            self.scene.birth(self.terms, self.any),
            self.scene.made(self.terms, site),
        ) else {
            return;
        };
        let no = self.terms.no();
        self.of_blocks(site, no, &self.excepted(site));
        self.of_blocks(site, births, &[]);
        let one = self.terms.number(64, 1);
        let is_one = self.terms.equal(made, one);
        self.guess(is_one);
        for pointer in
            pointers.iter().filter(|pointer| !pointer.is_idle && pointer.targets.contains(&site.object))
        {
            let leads = self.scene.is_block(self.terms, site, pointer.term);
            let Some(there) = self.scene.birth(self.terms, pointer.term) else { continue };
            let later = self.terms.below(birth, there);
            let earlier = self.terms.below(there, birth);
            for order in [later, earlier] {
                let bounds = self.terms.not(order);
                let bounds = self.terms.and(leads, bounds);
                self.of_blocks(site, bounds, &[]);
            }
            let elsewhere = self.terms.not(leads);
            let after = self.terms.add_number(there, 1);
            let is_last = self.terms.equal(after, made);
            self.or_guess(&[elsewhere, is_last]);
            let is_first = self.terms.is_nonzero(there);
            let is_first = self.terms.not(is_first);
            self.or_guess(&[elsewhere, is_first]);
            // It leads nowhere as long as there is nothing.
            let some = self.terms.is_nonzero(made);
            let none = self.terms.not(some);
            self.or_guess(&[leads, none]);
        }
    }

    /// When a block was made, compared with the one that it points to; and which is the last.
    fn about_order_of_link(&mut self, site: &Site, field: &Field, excepted: &[TermId]) {
        if !field.targets.contains(&site.object) {
            return;
        }
        let Some(link) = self.scene.field(self.terms, field, self.any) else { return };
        let (Some(here), Some(there), Some(made)) = (
            self.scene.birth(self.terms, self.any),
            self.scene.birth(self.terms, link),
            self.scene.made(self.terms, site),
        ) else {
            return;
        };
        let leads = self.scene.is_block(self.terms, site, link);
        let elsewhere = self.terms.not(leads);
        let (after_here, after_there) = (self.terms.add_number(here, 1), self.terms.add_number(there, 1));
        let next = self.terms.equal(after_here, there);
        let before = self.terms.equal(after_there, here);
        let later = self.terms.below(here, there);
        let earlier = self.terms.below(there, here);
        let is_last = self.terms.equal(after_here, made);
        let is_first = self.terms.is_nonzero(here);
        let is_first = self.terms.not(is_first);
        for order in [next, before, later, earlier] {
            let either = self.terms.or(elsewhere, order);
            self.of_blocks(site, either, excepted);
            for &pointer in excepted {
                let same = self.terms.equal(link, pointer);
                let either = self.terms.any(&[elsewhere, order, same]);
                self.of_blocks(site, either, &[]);
            }
        }
        for end in [is_last, is_first] {
            let either = self.terms.or(leads, end);
            self.of_blocks(site, either, &[]);
            for &pointer in excepted {
                let same = self.terms.equal(link, pointer);
                let other = self.terms.not(same);
                let either = self.terms.or(other, end);
                self.of_blocks(site, either, &[]);
            }
        }
    }
}
