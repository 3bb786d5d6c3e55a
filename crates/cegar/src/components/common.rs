//! First values that components have in common. What several components mean by one variable with static
//! storage has one value when they start; if one wrote it while another reads it, `shared` would have said
//! so. Components are abstracted and followed one by one, which forgets that: a counterexample may ask for
//! two first values of one variable. So the shares of a counterexample are solved once more, all together. If
//! they contradict each other, the question is asked by cases of a condition on which they differ (`mode ==
//! 1`, `mode != 1`), each an addition to all guards; then the components refute what is left one by one, as
//! ever.
//! Sound: together the cases are all starts, so what holds in each of them holds; a violation is told only
//! with values on which all agree. Tested by `variables_that_are_only_read_have_one_value`.

use super::judge::Followed;
use super::parts::{Code, SystemPart};
use base::Budget;
use logic::term::{TermCopier, symbols_in};
use logic::traits::{CheckAssuming, GetModel};
use logic::{Answer, EmbeddedSettings, EmbeddedSolver, Sort, TermId, TermPool, Value};
use predicate::component::origin::StaticPlace;
use predicate::component::{CellId, Component, PointerStart};
use predicate::predicates::atoms;
use program::{Program, VariableKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Cases that are looked at, at most.
const MOST_CASES: usize = 64;

/// What the components have in common, and the case that is looked at.
#[derive(Default)]
pub(super) struct Common {
    places: Vec<Place>,
    /// The terms of the cases, over a symbol for each place.
    pool: TermPool,
    /// What the guards say, part by part.
    guards: Vec<Option<TermId>>,
    /// What is supposed beside the guards.
    case: Vec<TermId>,
    /// Cases that are still to be looked at.
    open: Vec<Vec<TermId>>,
    /// Cases so far.
    cases: usize,
    /// Are cases left as they are?
    is_settled: bool,
}

/// A place that several components start with.
struct Place {
    /// As C writes it.
    name: String,
    /// Its value; for a pointer to data, whose addresses components choose as they like, where it leads
    /// (`said`).
    symbol: TermId,
    holds_data_pointer: bool,
    cells: Vec<(usize, CellId)>,
}

/// Where a pointer to data leads: nowhere, to what the program's initialiser says, to its own object, or
/// elsewhere.
const NULL: u128 = 0;
const INITIALISED: u128 = 1;
const OWN: u128 = 2;
const ELSEWHERE: u128 = 3;
/// Bits of these.
const LEADS: u32 = 2;

impl Place {
    /// What a component says about it: the value, or for a pointer to data where it leads. The address of its
    /// object, and that of the initialiser, are `start`.
    fn said(&self, pool: &mut TermPool, symbol: TermId, start: PointerStart) -> TermId {
        if !self.holds_data_pointer {
            return symbol;
        }
        let zero = pool.number(pool.width(symbol), 0);
        let mut said = pool.number(LEADS, ELSEWHERE as i128);
        for (address, leads) in [(start.own, OWN), (start.initialised, INITIALISED), (Some(zero), NULL)] {
            let Some(address) = address else { continue };
            let is_there = pool.equal(symbol, address);
            let leads = pool.number(LEADS, leads as i128);
            said = pool.ite(is_there, leads, said);
        }
        said
    }
}

/// What all components start with, place by place.
pub(super) type Agreed = Vec<u128>;

/// Can the shares of a counterexample start together?
pub(super) enum Agreement {
    /// With these values.
    Same(Agreed),
    /// There are none: they contradict each other.
    Contradiction,
    /// It is not known.
    Unknown(String),
}

impl Common {
    pub fn of(parts: &[SystemPart], program: &Program) -> Common {
        let mut found: BTreeMap<StaticPlace, Vec<(usize, CellId)>> = BTreeMap::new();
        for (index, part) in parts.iter().enumerate() {
            let SystemPart::Code(code) = part else { continue };
            for cell in code.component.cells.ids() {
                let place = code.component.static_place(cell);
                let is_global =
                    |place: &StaticPlace| program.variables[place.variable].kind == VariableKind::Global;
                if let Some(place) = place.filter(is_global) {
                    found.entry(place).or_default().push((index, cell));
                }
            }
        }
        let mut common = Common { cases: 1, ..Common::default() };
        for cells in found.into_values().filter(|cells| cells.len() > 1) {
            let SystemPart::Code(code) = &parts[cells[0].0] else { continue };
            let component = &code.component;
            let cell = cells[0].1;
            let holds_data_pointer = component.is_pointer(cell) && !component.is_function_pointer(cell);
            let sort = component.pool.sort(component.cells[cell].symbol);
            let sort = if holds_data_pointer { Sort::BitVec(LEADS) } else { sort };
            let symbol = common.pool.symbol(&format!("common {}", common.places.len()), sort);
            let name = component.cells[cell].name.to_string();
            common.places.push(Place { name, symbol, holds_data_pointer, cells });
        }
        let guard = |part: &SystemPart| match part {
            SystemPart::Code(code) => Some(code.component.initial),
            SystemPart::Process(_) => None,
        };
        common.guards = parts.iter().map(guard).collect();
        common
    }

    /// Lets cases be taken apart no longer, or again.
    pub fn settled(mut self, is_settled: bool) -> Common {
        self.is_settled = is_settled;
        self
    }

    /// The places and who has them, in words; none if there are none.
    pub fn remark(&self, parts: &[SystemPart]) -> Option<String> {
        const FEW: usize = 3;
        let place = |place: &Place| {
            let who: Vec<String> =
                place.cells.iter().map(|(part, _)| format!("`{}`", parts[*part].name())).collect();
            format!("{} start with one value of `{}`", who.join(" and "), place.name)
        };
        let mut told: Vec<String> = self.places.iter().take(FEW).map(place).collect();
        if self.places.len() > FEW {
            told.push(format!("and so for {} more", self.places.len() - FEW));
        }
        let cases = if self.cases > 1 { format!(" ({} cases)", self.cases) } else { String::new() };
        (!told.is_empty()).then(|| format!("{}{cases}", told.join(", ")))
    }

    /// The names of the places on which guards or shares do not agree, as far as it is known: all of them.
    pub fn names(&self) -> String {
        let names: Vec<String> = self.places.iter().map(|place| format!("`{}`", place.name)).collect();
        names.join(", ")
    }

    /// Can all components start together?
    pub fn can_start(&mut self, parts: &[SystemPart], budget: &Budget) -> bool {
        if self.places.is_empty() {
            return true;
        }
        let demands: Vec<Vec<TermId>> =
            self.guards.iter().map(|guard| guard.iter().copied().collect()).collect();
        let case = self.case.clone();
        !matches!(self.solve(parts, &demands, &case, budget), Agreement::Contradiction)
    }

    /// Can these shares start together?
    pub fn agreement(
        &mut self,
        parts: &[SystemPart],
        followed: &[Option<Followed>],
        budget: &Budget,
    ) -> Agreement {
        let demands: Vec<Vec<TermId>> = followed.iter().map(demands).collect();
        self.solve(parts, &demands, &[], budget)
    }

    /// Do the values of the shares differ in what they have in common?
    pub fn is_disputed(&self, parts: &[SystemPart], followed: &[Option<Followed>]) -> bool {
        self.places.iter().any(|place| {
            let mut values = place.cells.iter().map(|&cell| value(parts, followed, place, cell));
            let first = values.next().flatten();
            values.any(|value| value != first)
        })
    }

    /// A pointer that leads elsewhere in several shares: whether to one place is not known, addresses being
    /// their own.
    pub fn is_unclear(&self, parts: &[SystemPart], followed: &[Option<Followed>]) -> Option<&str> {
        let leads_elsewhere = |place: &&Place| {
            let values = place.cells.iter().map(|&cell| value(parts, followed, place, cell));
            place.holds_data_pointer && values.filter(|value| *value == Some(ELSEWHERE)).count() > 1
        };
        self.places.iter().find(leads_elsewhere).map(|place| place.name.as_str())
    }

    fn solve(
        &mut self,
        parts: &[SystemPart],
        demands: &[Vec<TermId>],
        case: &[TermId],
        budget: &Budget,
    ) -> Agreement {
        let mut joint = TermPool::new();
        let mut all: Vec<TermId> = Vec::new();
        let mut copier = TermCopier::new();
        let words: Vec<TermId> =
            self.places.iter().map(|place| copier.copy(&self.pool, &mut joint, place.symbol)).collect();
        all.extend(case.iter().map(|&term| copier.copy(&self.pool, &mut joint, term)));
        for (index, part) in parts.iter().enumerate() {
            let SystemPart::Code(code) = part else { continue };
            let component = &code.component;
            let mut copier = TermCopier::new();
            let mut own: Vec<TermId> =
                demands[index].iter().map(|&term| copier.copy(&component.pool, &mut joint, term)).collect();
            for (place, &word) in self.places.iter().zip(&words) {
                for (_, cell) in place.cells.iter().filter(|(part, _)| *part == index) {
                    let symbol = component.cells[*cell].symbol;
                    let symbol = copier.copy(&component.pool, &mut joint, symbol);
                    let own_start = start(component, *cell);
                    let mut copied = |term: Option<TermId>| {
                        term.map(|term| copier.copy(&component.pool, &mut joint, term))
                    };
                    let own_start = PointerStart {
                        own: copied(own_start.own),
                        initialised: copied(own_start.initialised),
                    };
                    let said = place.said(&mut joint, symbol, own_start);
                    own.push(joint.equal(said, word));
                }
            }
            // Components have their own variables of the same names.
            let mut apart: FxHashMap<TermId, TermId> = FxHashMap::default();
            for symbol in symbols_in(&joint, &own).into_iter().filter(|symbol| !words.contains(symbol)) {
                let name = format!("{index} {}", joint.symbol_name(symbol).unwrap_or_default());
                let sort = joint.sort(symbol);
                apart.insert(symbol, joint.symbol(&name, sort));
            }
            all.extend(own.into_iter().map(|term| joint.substitute(term, &apart)));
        }
        let mut solver = EmbeddedSolver::new(EmbeddedSettings::default());
        match solver.check_assuming(&mut joint, &all, budget) {
            Answer::Unsat => Agreement::Contradiction,
            Answer::Unknown(reason) => Agreement::Unknown(reason.to_string()),
            Answer::Sat => {
                let Some(model) = solver.model(&mut joint, &all) else {
                    return Agreement::Unknown("the solver has no values".to_owned());
                };
                let value = |word: &TermId| match model.evaluate(&joint, *word) {
                    Ok(Value::Bits(bits)) => bits.to_u128(),
                    Ok(Value::Bool(value)) => Some(u128::from(value)),
                    _ => None,
                };
                let values: Option<Agreed> = words.iter().map(value).collect();
                values.map_or_else(
                    || Agreement::Unknown("the solver has no values".to_owned()),
                    Agreement::Same,
                )
            }
        }
    }

    /// What a component starts with if all agree on these values.
    pub fn pinned(&self, part: usize, component: &mut Component, agreed: &Agreed) -> Vec<TermId> {
        let mut pins = Vec::new();
        for (place, &value) in self.places.iter().zip(agreed) {
            for (_, cell) in place.cells.iter().filter(|(own, _)| *own == part) {
                let symbol = component.cells[*cell].symbol;
                let start = start(component, *cell);
                let pool = &mut component.pool;
                let said = place.said(pool, symbol, start);
                let width = pool.width(said);
                let value = pool.number(width, value as i128);
                let pin = pool.equal(said, value);
                pins.push(pin);
            }
        }
        pins
    }

    /// Takes the case apart by a condition on which the shares differ; they must contradict each other. False
    /// if there are too many cases already, or nothing to tell them by.
    pub fn take_apart(
        &mut self,
        parts: &mut [SystemPart],
        followed: &[Option<Followed>],
        budget: &Budget,
    ) -> bool {
        if self.cases >= MOST_CASES || self.is_settled {
            return false;
        }
        let Some(condition) = self.difference(parts, followed) else { return false };
        let opposite = self.pool.not(condition);
        let before = self.case.clone();
        let mut entered = None;
        for side in [opposite, condition] {
            self.case = before.clone();
            self.case.push(side);
            if self.can_start(parts, budget)
                && let Some(other) = entered.replace(self.case.clone())
            {
                self.open.push(other);
                self.cases += 1;
            }
        }
        let is_new = entered.is_some();
        self.case = entered.unwrap_or(before);
        self.enter(parts);
        is_new
    }

    /// Goes on to a case that was not looked at; false if there is none.
    pub fn next_case(&mut self, parts: &mut [SystemPart]) -> bool {
        let Some(case) = self.open.pop() else { return false };
        self.case = case;
        self.enter(parts);
        true
    }

    fn enter(&self, parts: &mut [SystemPart]) {
        for (index, part) in parts.iter_mut().enumerate() {
            let (SystemPart::Code(code), Some(guard)) = (part, self.guards[index]) else { continue };
            let mut all = vec![guard];
            for &condition in &self.case {
                all.extend(self.said_by(index, code, condition));
            }
            code.component.initial = code.component.pool.all_of(&all);
            code.start_anew();
        }
    }

    /// A condition in the terms of a component; none if that does not have all it speaks about.
    fn said_by(&self, part: usize, code: &mut Code, condition: TermId) -> Option<TermId> {
        let component = &mut code.component;
        let mut copier = TermCopier::new();
        let copy = copier.copy(&self.pool, &mut component.pool, condition);
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for symbol in symbols_in(&self.pool, &[condition]) {
            let place = self.places.iter().find(|place| place.symbol == symbol)?;
            let (_, cell) = place.cells.iter().find(|(own, _)| *own == part)?;
            let own = component.cells[*cell].symbol;
            let start = start(component, *cell);
            let own = place.said(&mut component.pool, own, start);
            map.insert(copier.copy(&self.pool, &mut component.pool, symbol), own);
        }
        Some(component.pool.substitute(copy, &map))
    }

    /// A condition on what is common that one share meets and another does not: one of the program's if there
    /// is one, otherwise that a place has the value of one of them.
    fn difference(&mut self, parts: &mut [SystemPart], followed: &[Option<Followed>]) -> Option<TermId> {
        for index in 0..parts.len() {
            for condition in self.conditions_of(index, parts, followed) {
                let mut truths = Vec::new();
                for other in 0..parts.len() {
                    let (SystemPart::Code(code), Some(own)) = (&mut parts[other], &followed[other]) else {
                        continue;
                    };
                    if let Some(term) = self.said_by(other, code, condition) {
                        truths.extend(own.values.bits(&code.component, term));
                    }
                }
                if truths.contains(&0) && truths.contains(&1) {
                    return Some(condition);
                }
            }
        }
        for place in &self.places {
            let values: Vec<u128> =
                place.cells.iter().filter_map(|&cell| value(parts, followed, place, cell)).collect();
            if values.iter().all(|value| *value == values[0]) {
                continue;
            }
            let width = self.pool.width(place.symbol);
            let first = self.pool.number(width, values[0] as i128);
            return Some(self.pool.equal(place.symbol, first));
        }
        None
    }

    /// The conditions of a share that speak about nothing but what is common.
    fn conditions_of(
        &mut self,
        index: usize,
        parts: &[SystemPart],
        followed: &[Option<Followed>],
    ) -> Vec<TermId> {
        let SystemPart::Code(code) = &parts[index] else { return Vec::new() };
        let component = &code.component;
        let words: FxHashMap<TermId, TermId> = self
            .places
            .iter()
            .filter(|place| !place.holds_data_pointer)
            .flat_map(|place| place.cells.iter().map(move |cell| (place.symbol, cell)))
            .filter(|(_, (part, _))| *part == index)
            .map(|(word, (_, cell))| (component.cells[*cell].symbol, word))
            .collect();
        let mut copier = TermCopier::new();
        let mut found = Vec::new();
        for atom in demands(&followed[index]).into_iter().flat_map(|term| atoms(component, term)) {
            let symbols = symbols_in(&component.pool, &[atom]);
            if symbols.is_empty() || !symbols.iter().all(|symbol| words.contains_key(symbol)) {
                continue;
            }
            let copy = copier.copy(&component.pool, &mut self.pool, atom);
            let map: FxHashMap<TermId, TermId> = symbols
                .into_iter()
                .map(|symbol| (copier.copy(&component.pool, &mut self.pool, symbol), words[&symbol]))
                .collect();
            let condition = self.pool.substitute(copy, &map);
            if !found.contains(&condition) {
                found.push(condition);
            }
        }
        found
    }
}

/// All that a share demands of the values at the start.
fn demands(followed: &Option<Followed>) -> Vec<TermId> {
    let Some(followed) = followed else { return Vec::new() };
    let unfolded = &followed.unfolded;
    let conditions = unfolded.conditions.iter().map(|(_, _, meant)| *meant);
    unfolded.initial.iter().copied().chain(conditions).chain(followed.also.iter().copied()).collect()
}

/// What a share says about a place; what does not matter to it is 0.
fn value(
    parts: &[SystemPart],
    followed: &[Option<Followed>],
    place: &Place,
    (part, cell): (usize, CellId),
) -> Option<u128> {
    let (SystemPart::Code(code), Some(followed)) = (&parts[part], &followed[part]) else { return None };
    let component = &code.component;
    let bits = followed.values.bits(component, component.cells[cell].symbol).unwrap_or(0);
    if !place.holds_data_pointer || bits == 0 {
        return Some(bits);
    }
    let start = start(component, cell);
    let is_at = |address: Option<TermId>| {
        address.is_some_and(|address| followed.values.bits(component, address) == Some(bits))
    };
    let leads = [(start.initialised, INITIALISED), (start.own, OWN)];
    Some(leads.into_iter().find(|(address, _)| is_at(*address)).map_or(ELSEWHERE, |(_, leads)| leads))
}

fn start(component: &Component, cell: CellId) -> PointerStart {
    component.pointer_starts.get(&cell).copied().unwrap_or_default()
}
