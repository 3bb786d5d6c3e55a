//! What the units of one run share: texts, names, types and messages.

use crate::types::{DataModel, TypeTable};
use base::{Budget, Diagnostics, Interner, SourceMap};

/// Shared by all translation units of a run, so that types and spans of different units can be mixed.
#[derive(Debug)]
pub struct Session {
    /// The texts.
    pub sources: SourceMap,
    /// The identifiers of all units, each once.
    pub names: Interner,
    /// The types of all units, each once.
    pub types: TypeTable,
    /// Messages so far.
    pub diagnostics: Diagnostics,
    /// Files with annotations in comments, which nobody reads, and where they are.
    pub unread_annotations: Vec<(String, String)>,
    /// What reading may take; the preprocessor is ended when it is used up.
    pub budget: Budget,
}

impl Session {
    /// A session with nothing read yet.
    pub fn new(model: DataModel) -> Session {
        Session {
            sources: SourceMap::new(),
            names: Interner::default(),
            types: TypeTable::new(model),
            diagnostics: Diagnostics::default(),
            unread_annotations: Vec::new(),
            budget: Budget::unlimited(),
        }
    }
}
