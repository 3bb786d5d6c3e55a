//! Any text as `.aut`, as a table and as HOA: no panic, no hang, and what is written is read back with the same size.

/// Panics where it should not be so.
pub fn body(text: &str) {
    if let Ok(lks) = lks::aut::read("input", text, 0) {
        let written = lks::aut::write(&lks);
        let again = lks::aut::read("again", &written, 0).expect("what was written is read");
        assert_eq!(again.transition_count(), lks.transition_count());
        lks::dot::write(&lks);
    }
    if let Ok((_, lks)) = spec::table::read(text, 0) {
        lks::aut::read("again", &lks::aut::write(&lks), 0).expect("what was written is read");
    }
    if let Ok(automaton) = automata::hoa::read(text, 0) {
        let written = automata::hoa::write(&automaton, "again");
        let again = automata::hoa::read(&written, 0).expect("what was written is read");
        assert_eq!(again.state_count(), automaton.state_count());
    }
}
