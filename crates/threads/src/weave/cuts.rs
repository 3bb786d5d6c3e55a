//! Cuts: places where a thread may be interrupted. It notes where it is in its counter, and control goes to where
//! threads are chosen. Which steps need one before them is decided by how they move past those of others (Lipton 1975;
//! [`crate::mode`]).

use super::Weaver;
use crate::deadlock::Waits;
use crate::general::Site;
use crate::mode::{FrameId, Here, Mode, Mover, OneStep, ThreadIndex};
use crate::races::Stand;
use crate::split::is_whole;
use base::Span;
use program::expr::{Access, ExprPart};
use program::{Action, LifetimeStep, NodeId, Place};

/// A place where a thread may be interrupted.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Where it was.
    pub from: NodeId,
    /// Where it goes on; a thread that an assumption stopped never does.
    pub resumes: Option<NodeId>,
    /// The access that it stands before.
    pub stand: Option<Stand>,
    /// What it waits for.
    pub waits: Option<Waits>,
    /// Where it is in the program whose steps are copied.
    pub place: Option<(FrameId, NodeId)>,
}

impl<'w> Weaver<'w> {
    /// The thread may be interrupted here.
    pub fn cut(&mut self, here: Here, thread: ThreadIndex, stand: Option<Stand>) -> Here {
        let span = self.graph.nodes[here.node].span;
        let resumes = self.node(thread, span);
        let (waits, place) = (None, self.copied);
        self.leave(here, thread, Cut { from: here.node, resumes: Some(resumes), stand, waits, place });
        Here { node: resumes, mode: Mode { is_past: false, ..here.mode } }
    }

    /// The last cut of the thread is at this place of the program.
    pub fn stands_behind(&mut self, thread: ThreadIndex, place: (FrameId, NodeId)) {
        if let Some(cut) = self.threads[thread].cuts.last_mut() {
            cut.place = Some(place);
        }
    }

    fn leave(&mut self, here: Here, thread: ThreadIndex, cut: Cut) {
        self.threads[thread].cuts.push(cut);
        let number = self.threads[thread].cuts.len() as i64;
        self.note_site(thread, number);
        self.set_counter(here, thread, number);
    }

    /// Notes what tells a cut apart.
    fn note_site(&mut self, thread: ThreadIndex, number: i64) {
        let Some((key, cuts)) = &mut self.current else { return };
        *cuts += 1;
        let path = self.frames[key.frame].path.clone();
        let site = Site::Inside { path, node: key.node, mode: key.mode, cut: *cuts };
        self.sites.insert((thread, number), site);
    }

    /// Notes where the thread is, and lets others run.
    pub fn set_counter(&mut self, here: Here, thread: ThreadIndex, number: i64) {
        let target = self.terms.place(self.threads[thread].counter);
        let value = self.terms.number(number, &self.new);
        let others = self.where_others_run(thread, number);
        self.graph.add_edge(here.node, others, Action::Assign { target, value }, Span::NOWHERE);
    }

    /// An assumption does not hold: the thread goes no further.
    pub(super) fn stop(&mut self, here: Here, thread: ThreadIndex) {
        let number = match self.threads[thread].stopped {
            Some(number) => number,
            None => {
                let cut = Cut { from: here.node, resumes: None, stand: None, waits: None, place: None };
                self.threads[thread].cuts.push(cut);
                let number = self.threads[thread].cuts.len() as i64;
                self.threads[thread].stopped = Some(number);
                self.sites.insert((thread, number), Site::Stopped);
                number
            }
        };
        self.set_counter(here, thread, number);
    }

    /// What has to come before a step that moves so.
    pub fn before(&mut self, here: Here, thread: ThreadIndex, mover: Mover, stand: Option<Stand>) -> Here {
        let mut here = here;
        let is_watched = self.options.races && stand.is_some();
        if !here.mode.is_undisturbed() {
            let must_cut = match mover {
                Mover::Both | Mover::Left => false,
                Mover::Right => here.mode.is_past,
                Mover::No => here.mode.is_past || is_watched,
            };
            if must_cut {
                here = self.cut(here, thread, stand.clone());
            }
            here.mode.is_past |= matches!(mover, Mover::No | Mover::Left);
            if mover == Mover::No && here.mode.step == OneStep::Begun {
                here.mode.step = OneStep::UnderWay;
            }
        }
        match stand {
            Some(mut stand) if is_watched && !here.mode.is_alone => {
                stand.is_atomic |= here.mode.sections > 0;
                self.watch(here, thread, stand)
            }
            _ => here,
        }
    }

    /// What has to come before the access of an action, if others see it. Nothing is known past what is no single step.
    pub fn before_access(&mut self, here: Here, frame: FrameId, action: &Action, span: Span) -> Option<Here> {
        let thread = self.frames[frame].thread;
        if let Action::Lifetime { variable, step: LifetimeStep::End } = action {
            let ty = self.old.variables[*variable].ty;
            let is_seen = self.shared.has(self.old, self.points_to, &Place::variable(*variable, ty));
            return Some(if is_seen { self.before(here, thread, Mover::No, None) } else { here });
        }
        if here.mode.is_alone {
            self.log.alone.insert(here.node);
        }
        if here.mode.sections > 0 {
            self.log.in_section.insert(here.node);
        }
        let Some((place, is_write)) = self.seen_place(action) else { return Some(here) };
        if here.mode.is_alone {
            return Some(here);
        }
        let resolved = self.resolved(frame, place);
        if resolved.as_ref().is_some_and(|place| self.is_own(place)) {
            return Some(here);
        }
        if let Some(place) = resolved.as_ref().filter(|place| self.is_of_call(place)) {
            self.note_address(place);
        }
        let resolved = resolved.filter(|place| !self.is_of_call(place));
        let place = resolved.as_ref().unwrap_or(place);
        let origin = self.copied.map(|(frame, node)| (self.frames[frame].procedure, node));
        self.log.access(here.node, thread, origin, place, is_write, self.old, self.points_to);
        let is_undisturbed = !is_write && origin.is_some_and(|at| self.quiet.reads_undisturbed(at));
        let is_quiet = is_undisturbed || self.quiet.has(self.old, self.points_to, place);
        let mover = if is_quiet { Mover::Both } else { Mover::No };
        let is_step = here.mode.step != OneStep::Outside;
        if mover == Mover::No
            && here.mode.sections == 0
            && !is_step
            && !is_whole(self.old, place)
            && !self.surveys
        {
            self.give_up(here, thread, "several threads access a record, bit-field or wide number", span);
            return None;
        }
        // A mere step accesses nothing as far as races are concerned.
        let stand = (mover == Mover::No && !is_step).then(|| Stand {
            place: place.clone(),
            renamed: self.renamed_place(frame, place),
            is_write,
            is_atomic: place.ty.qualifiers.is_atomic,
            span,
        });
        let here = self.before(here, thread, mover, stand);
        Some(here)
    }

    /// The shared place that an action accesses, and whether it writes.
    pub fn seen_place<'a>(&self, action: &'a Action) -> Option<(&'a Place, bool)> {
        let mut found: Option<(&'a Place, bool)> = None;
        action.visit(&mut |part| {
            if let ExprPart::Place(place, access @ (Access::Read | Access::Write)) = part
                && self.shared.has(self.old, self.points_to, place)
            {
                found = Some((place, access == Access::Write));
            }
        });
        found
    }
}
