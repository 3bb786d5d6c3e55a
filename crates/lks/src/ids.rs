//! The indices of the crate.

base::define_id!(
    /// A state of one structure.
    StateId,
    "s"
);

base::define_id!(
    /// An action of one [`Alphabet`](crate::Alphabet).
    ActionId,
    "a"
);

base::define_id!(
    /// A state proposition of one structure.
    PropositionId,
    "p"
);

impl ActionId {
    /// The silent action. It has this id in every alphabet and never synchronises.
    pub const TAU: ActionId = ActionId(0);

    /// Is this the silent action?
    pub fn is_silent(self) -> bool {
        self == ActionId::TAU
    }
}
