//! Any text as a state/event formula, a C expression, CTL formulas and test cases: no panic, no hang, and what is
//! shown is read back as the same.

use spec::Formula;
use spec::cexpr::CExpression;

/// Panics where it should not be so.
pub fn body(text: &str) {
    if let Ok(formula) = Formula::parse(text, 0) {
        assert_eq!(Formula::parse(&formula.to_string(), 0).as_ref(), Ok(&formula));
    }
    if let Ok(expression) = CExpression::parse(text) {
        assert_eq!(CExpression::parse(&expression.to_string()).as_ref(), Ok(&expression));
    }
    let (properties, _) = spec::ctl::parse(text, 0);
    for property in properties {
        let shown = property.formula.to_string();
        let (again, diagnostics) = spec::ctl::parse(&shown, 0);
        // Parentheses are added where they can be left out: what was at the limit of nesting may then be past it.
        let is_too_deep = diagnostics.iter().any(|diagnostic| diagnostic.code == "too-deep");
        assert!(is_too_deep || again.len() == 1 && again[0].formula.to_string() == shown, "{shown}");
    }
    let (cases, _) = spec::testcase::parse(text, 0);
    let shown = cases.to_string();
    let (again, diagnostics) = spec::testcase::parse(&shown, 0);
    assert!(!diagnostics.has_errors() && again.to_string() == shown, "{shown}");
}
