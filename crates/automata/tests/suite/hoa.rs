//! Automata written and read again accept the same words; bad texts are refused with their place.

use automata::{Acceptance, hoa, translate};
use base::Budget;
use testkit::Random;
use testkit::formulas::names;

#[test]
fn what_was_written_is_read_again() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let formula = random.ltl(7, 3);
        for acceptance in [Acceptance::Generalised, Acceptance::States] {
            let automaton = translate(&formula, &names(3), acceptance, &Budget::unlimited()).unwrap();
            let text = hoa::write(&automaton, "a \"quoted\" name");
            let again = hoa::read(&text, 0).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            assert_eq!(again.state_count(), automaton.state_count(), "{text}");
            for _ in 0..20 {
                let word = random.word(3);
                assert_eq!(again.accepts(&word), automaton.accepts(&word), "seed {seed} on {word:?}\n{text}");
            }
        }
    }
}

#[test]
fn labels_on_states_aliases_implicit_labels_and_several_starts_are_understood() {
    let state_labels = "HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 \"a\" Alias: @x !0 acc-name: Buchi
        Acceptance: 1 Inf(0) tool: \"t\" properties: state-labels
        --BODY-- State: [0] 0 \"first\" {0} 0 State: [@x] 1 {0} 1 --END--";
    let automaton = hoa::read(state_labels, 0).unwrap();
    let implicit = "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) /* a comment */
        --BODY-- State: 0 {0} 1 0 State: 1 1 1 --END--";
    let only_a = hoa::read(implicit, 0).unwrap();
    let mut random = Random::new(5);
    for _ in 0..50 {
        let word = random.word(1);
        let letters: Vec<bool> = (0..word.position_count()).map(|i| !word.letter(i).is_empty()).collect();
        let (all, none) = (letters.iter().all(|x| *x), letters.iter().all(|x| !*x));
        assert_eq!(automaton.accepts(&word), all || none, "{word:?}");
        assert_eq!(only_a.accepts(&word), all, "{word:?}");
    }
}

#[test]
fn bad_texts_are_refused_with_code_and_place() {
    let wrap = |acceptance: &str, body: &str| {
        format!("HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: {acceptance} --BODY-- {body} --END--")
    };
    for (text, code) in [
        ("".to_owned(), "hoa-header"),
        ("HOA: v2".to_owned(), "hoa-header"),
        (wrap("1 Fin(0)", "State: 0"), "hoa-acceptance"),
        (wrap("2 Inf(0)|Inf(1)", "State: 0"), "hoa-acceptance"),
        (wrap("1 Inf(0)", "State: 0 [0] 7"), "hoa-state"),
        (wrap("1 Inf(0)", "State: 0 [3] 0"), "hoa-atom"),
        (wrap("1 Inf(0)", "State: 0 [0] 0 {4}"), "hoa-set"),
        (wrap("1 Inf(0)", "State: 0 [0] 0&0"), "hoa-branching"),
        (wrap("1 Inf(0)", "State: 0 [@y] 0"), "hoa-alias"),
        (wrap("1 Inf(0)", "State: 0 State: 0"), "hoa-state"),
        (wrap("1 Inf(0)", "State: 0 é"), "hoa-character"),
        (wrap("1 Inf(0)", &format!("State: 0 [{}", "(".repeat(5000))), "hoa-nesting"),
    ] {
        let error = hoa::read(&text, 0).unwrap_err();
        assert_eq!(error.code, code, "{text}");
        assert!(error.span.end as usize <= text.len());
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces = [
        "HOA:",
        "v1",
        "Start:",
        "AP:",
        "Acceptance:",
        "--BODY--",
        "--END--",
        "State:",
        "0",
        "1",
        "99999999999",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "!",
        "&",
        "|",
        "t",
        "f",
        "Inf",
        "Fin",
        "\"a\"",
        "\"",
        "@x",
        "Alias:",
        "/*",
        "*/",
        "ü",
    ];
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let length = random.below(40);
        let mut text = if random.below(2) == 0 { String::from("HOA: v1 Start: 0 ") } else { String::new() };
        for _ in 0..length {
            text.push_str(pieces[random.below(pieces.len())]);
            text.push(' ');
        }
        let _ = hoa::read(&text, 0);
    }
}
