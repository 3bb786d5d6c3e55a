//! What the pointers of an inlined component may point to: every step is looked at until nothing new is
//! found.

use super::inline::{Inliner, RawAction};
use super::memory::{ObjectPart, Target};
use program::{ExprKind, Place, Type};
use std::collections::BTreeSet;

impl Inliner<'_> {
    /// What pointers may point to, until nothing new is found.
    pub(super) fn settle_pointers(&mut self) {
        let edges = std::mem::take(&mut self.edges);
        loop {
            let mut changed = false;
            for action in edges.iter().flat_map(|edge| &edge.actions) {
                changed |= self.flow(action);
            }
            if !changed {
                break;
            }
        }
        self.edges = edges;
    }

    fn flow(&mut self, action: &RawAction) -> bool {
        match action {
            RawAction::Assign(target, value) if self.memory.types.is_pointer(target.ty.id) => {
                let targets = self.memory.targets(value);
                self.flow_to(target, &targets)
            }
            RawAction::Assign(target, value) if !self.memory.types.is_scalar(target.ty.id) => {
                let ExprKind::Load(source) = &value.kind else { return false };
                let Some(leaves) = self.memory.leaves(target.ty.id) else { return false };
                let (from, to) = (self.memory.resolve(source), self.memory.resolve(target));
                let mut changed = false;
                for leaf in leaves {
                    for (source, _) in &from.spots {
                        let mut source = source.clone();
                        source.path.extend(leaf.iter().copied());
                        if !self.memory.type_at(&source).is_some_and(|ty| self.memory.types.is_pointer(ty)) {
                            continue;
                        }
                        let targets = self.memory.content(&source);
                        for (target, _) in &to.spots {
                            let mut target = target.clone();
                            target.path.extend(leaf.iter().copied());
                            changed |= self.memory.may_hold(&target, &targets);
                        }
                    }
                }
                changed
            }
            RawAction::Unknown { target, fresh, .. } if self.memory.types.is_pointer(target.ty.id) => {
                let mut targets = BTreeSet::from([Target::Null]);
                targets.insert(match fresh {
                    Some(root) => Target::At(ObjectPart { root: *root, path: Vec::new() }),
                    // Whoever wrote it may have any function at hand.
                    None if self.points_to_function(target) => Target::OutsideFunction,
                    None => Target::Unknown,
                });
                self.flow_to(target, &targets)
            }
            RawAction::Indirect { result: Some(result), .. } => self.flow(result),
            _ => false,
        }
    }

    fn points_to_function(&self, place: &Place) -> bool {
        let to = self.memory.types.pointee(place.ty.id);
        to.is_some_and(|to| matches!(self.memory.types.get(to.id), Type::Function(_)))
    }

    fn flow_to(&mut self, target: &Place, targets: &BTreeSet<Target>) -> bool {
        let mut changed = false;
        for (spot, _) in self.memory.resolve(target).spots {
            changed |= self.memory.may_hold(&spot, targets);
        }
        changed
    }
}
