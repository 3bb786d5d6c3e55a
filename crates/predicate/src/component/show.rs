//! Terms of a component as C text, cells under their names.

use super::Component;
use logic::TermId;
use logic::term::{Op, symbols_in};

/// A term as C text.
pub(super) fn show(component: &Component, term: TermId) -> String {
    let pool = &component.pool;
    let arguments = pool.arguments(term);
    let part = |index: usize| show(component, arguments[index]);
    let infix = |symbol: &str| {
        format!("{} {symbol} {}", nested(component, arguments[0]), nested(component, arguments[1]))
    };
    let joined =
        |symbol: &str| arguments.iter().map(|&one| nested(component, one)).collect::<Vec<_>>().join(symbol);
    match pool.op(term) {
        Op::True => "1".to_owned(),
        Op::False => "0".to_owned(),
        Op::Constant(_) => pool.constant_value(term).map_or_else(String::new, |bits| {
            bits.to_i128()
                .filter(|_| bits.width() > 1)
                .map_or_else(|| u8::from(!bits.is_zero()).to_string(), |v| v.to_string())
        }),
        Op::Symbol(_) => pool.symbol_name(term).unwrap_or("?").to_owned(),
        Op::Not => match pool.op(arguments[0]) {
            Op::Equal => {
                let inner = pool.arguments(arguments[0]);
                if let Some((pointer, what)) = pointed_to(component, inner) {
                    return format!("{} != {what}", nested(component, pointer));
                }
                format!("{} != {}", nested(component, inner[0]), nested(component, inner[1]))
            }
            _ => format!("!({})", part(0)),
        },
        Op::And => joined(" && "),
        Op::Or => joined(" || "),
        Op::Equal => match pointed_to(component, arguments) {
            Some((pointer, what)) => format!("{} == {what}", nested(component, pointer)),
            None => infix("=="),
        },
        Op::Ult | Op::Slt => infix("<"),
        Op::Ule | Op::Sle => infix("<="),
        Op::BvAdd => infix("+"),
        Op::BvSub => infix("-"),
        Op::BvMul => infix("*"),
        Op::BvAnd => infix("&"),
        Op::BvOr => infix("|"),
        Op::BvXor => infix("^"),
        Op::BvShl => infix("<<"),
        Op::BvLshr | Op::BvAshr => infix(">>"),
        Op::BvUdiv | Op::BvSdiv => infix("/"),
        Op::BvUrem | Op::BvSrem => infix("%"),
        Op::BvNot => format!("~{}", nested(component, arguments[0])),
        Op::BvNeg => format!("-{}", nested(component, arguments[0])),
        Op::ZeroExtend { .. } | Op::SignExtend { .. } => part(0),
        Op::Concat => format!(
            "{{{}}}",
            arguments.iter().map(|&one| show(component, one)).collect::<Vec<_>>().join(", ")
        ),
        Op::Extract { high, low } => format!("{}[{high}:{low}]", nested(component, arguments[0])),
        Op::Ite => format!("{} ? {} : {}", nested(component, arguments[0]), part(1), part(2)),
        _ => pool.display(term),
    }
}

/// A pointer that is compared with an address, and what lies there in words.
fn pointed_to(component: &Component, sides: &[TermId]) -> Option<(TermId, String)> {
    let pool = &component.pool;
    let is_pointer = |term: TermId| {
        let symbols = symbols_in(pool, &[term]);
        let is_cell = |cell: &super::Cell| {
            symbols.contains(&cell.symbol) && component.origins.types.is_pointer(cell.ty)
        };
        component.cells.iter().any(is_cell)
    };
    let address =
        |term: TermId| pool.constant_value(term)?.to_u128().and_then(|bits| component.address_text(bits));
    match (address(sides[0]), address(sides[1])) {
        (Some(what), None) if is_pointer(sides[1]) => Some((sides[1], what)),
        (None, Some(what)) if is_pointer(sides[0]) => Some((sides[0], what)),
        _ => None,
    }
}

fn nested(component: &Component, term: TermId) -> String {
    let text = show(component, term);
    let is_simple = component.pool.arguments(term).is_empty()
        || matches!(component.pool.op(term), Op::ZeroExtend { .. } | Op::SignExtend { .. });
    if is_simple { text } else { format!("({text})") }
}
