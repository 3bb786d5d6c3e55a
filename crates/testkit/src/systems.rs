//! Random structures, compositions, watchers and state/event formulas.

use crate::Random;
use base::Id;
use lks::{Component, Composition, Lks, LksBuilder, StateId, StateMark};
use spec::Formula;
use std::sync::Arc;

/// What kind of structures are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The most states.
    pub states: usize,
    /// How many actions.
    pub actions: usize,
    /// Transitions per state, about.
    pub density: usize,
    /// Are there silent steps?
    pub silent: bool,
    /// How many propositions.
    pub propositions: usize,
    /// May states be END?
    pub ends: bool,
    /// May states be ERROR?
    pub errors: bool,
}

/// Small, with silent steps.
pub const PLAIN: Shape =
    Shape { states: 5, actions: 3, density: 2, silent: true, propositions: 0, ends: false, errors: false };

impl Random {
    /// Actions are `a0`, `a1`, …; all are in the alphabet.
    pub fn lks(&mut self, name: &str, shape: Shape) -> Lks {
        let names: Vec<String> = (0..shape.actions).map(|action| format!("a{action}")).collect();
        self.lks_over(name, shape, &names)
    }

    /// A structure over these actions.
    pub fn lks_over(&mut self, name: &str, shape: Shape, actions: &[String]) -> Lks {
        let mut builder = LksBuilder::new(name);
        let mut ids: Vec<_> = actions.iter().map(|action| builder.action(action)).collect();
        if shape.silent {
            ids.push(lks::ActionId::TAU);
        }
        let propositions: Vec<_> =
            (0..shape.propositions).map(|index| builder.proposition(&format!("{name}.p{index}"))).collect();
        let states = 1 + self.below(shape.states);
        builder.ensure_states(states);
        builder.initial(StateId::from_index(0));
        if states > 1 && self.chance(10) {
            builder.initial(StateId::from_index(1));
        }
        for state in (0..states).map(StateId::from_index) {
            for _ in 0..self.below(2 * shape.density + 1) {
                let action = ids[self.below(ids.len())];
                let target = StateId::from_index(self.below(states));
                builder.transition(state, action, target);
            }
            for proposition in &propositions {
                if self.chance(40) {
                    builder.label(state, *proposition);
                }
            }
            if state.index() > 0 && shape.ends && self.chance(15) {
                builder.mark(state, StateMark::End);
            }
            if state.index() > 0 && shape.errors && self.chance(15) {
                builder.mark(state, StateMark::Error);
            }
        }
        builder.build()
    }

    /// Components whose alphabets overlap in part.
    pub fn components(&mut self, most: usize, shape: Shape) -> Vec<Lks> {
        let count = 1 + self.below(most);
        let pool = shape.actions + count;
        (0..count)
            .map(|index| {
                let mut actions: Vec<String> = Vec::new();
                for _ in 0..shape.actions {
                    let action = format!("a{}", self.below(pool));
                    if !actions.contains(&action) {
                        actions.push(action);
                    }
                }
                self.lks_over(&format!("C{index}"), shape, &actions)
            })
            .collect()
    }

    /// A watcher that goes to ERROR on whatever a random process over these actions cannot do.
    pub fn property(&mut self, actions: &[String]) -> Component {
        let shape = Shape { states: 4, density: 3, silent: false, ..PLAIN };
        let allowed = self.lks_over("SAFE", shape, actions);
        let lks = allowed.complement(allowed.alphabet(), &base::Budget::unlimited()).expect("no limit");
        Component { name: "SAFE".into(), lks: lks.into(), role: lks::Role::Watcher }
    }

    /// Components without ERROR under a property over some of their actions.
    pub fn watched_composition(&mut self, most: usize, shape: Shape) -> Composition {
        let parts = self.components(most, Shape { errors: false, ..shape });
        let mut actions: Vec<String> = Vec::new();
        for lks in &parts {
            for action in lks.alphabet().visible() {
                let name = lks.alphabet().name(action).to_owned();
                if !actions.contains(&name) && self.chance(50) {
                    actions.push(name);
                }
            }
        }
        if actions.is_empty() {
            let alphabet = parts[0].alphabet();
            let first = alphabet.visible().next().expect("a component has an action");
            actions.push(alphabet.name(first).to_owned());
        }
        let property = self.property(&actions);
        let mut components: Vec<Component> = parts.into_iter().map(Component::process).collect();
        components.push(property);
        Composition::new(components)
    }

    /// Components side by side.
    pub fn composition(&mut self, most: usize, shape: Shape) -> Composition {
        Composition::new(self.components(most, shape).into_iter().map(Component::process).collect())
    }

    /// A formula over the first propositions and actions of random compositions. Sometimes silence is named.
    pub fn formula(&mut self, size: usize) -> Formula {
        if size <= 1 {
            return match self.below(20) {
                0 => Formula::True,
                1 => Formula::event("tau"),
                n if n < 5 => Formula::proposition("C0.p0"),
                n if n < 8 => Formula::proposition("C1.p0"),
                n => Formula::event(&format!("a{}", n % 4)),
            };
        }
        let kind = self.below(13);
        let left_size = 1 + self.below(size - 1);
        let left = Arc::new(self.formula(if kind < 5 { size - 1 } else { left_size }));
        let mut right = || Arc::new(self.formula((size - left_size).max(1)));
        match kind {
            0 => Formula::Not(left),
            1 => Formula::Next(left),
            2 | 3 => Formula::Eventually(left),
            4 => Formula::Always(left),
            5 | 6 => Formula::And(left, right()),
            7 => Formula::Or(left, right()),
            8 => Formula::Implies(left, right()),
            9 => Formula::Iff(left, right()),
            10 => Formula::Until(left, right()),
            11 => Formula::WeakUntil(left, right()),
            _ => Formula::Release(left, right()),
        }
    }

    /// A composition for formulas: with propositions, sometimes with ends, errors and hidden actions.
    pub fn system_for_formulas(&mut self, most: usize) -> Composition {
        let shape = Shape {
            states: 3,
            actions: 2,
            density: 1 + self.below(2),
            propositions: 1,
            ends: self.chance(30),
            errors: self.chance(30),
            ..PLAIN
        };
        let hides = self.chance(30);
        self.composition(most, shape).hiding(|name| hides && name == "a1")
    }
}
