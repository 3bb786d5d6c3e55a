//! Functions of the program that have the name of one that gcc knows. Also without optimisation it computes some calls
//! of those itself, whatever the program defines: all calls of `abs`, and `strlen("abc")`. Measured with gcc 12 at
//! `-O0`.

use csource::tree::{self, ExprKind as Tree};

/// No call of these gets to the program's function.
const NEVER_CALLED: &[&str] = &[
    "abs", "labs", "llabs", "imaxabs", "fabs", "fabsf", "fabsl", "isnan", "isnanf", "isnanl", "isinf",
    "isinff", "isinfl", "finite", "finitef", "finitel", "isascii", "toascii", "isdigit", "bzero", "bcmp",
    "alloca",
];

/// Calls with a constant among the arguments may not.
const COMPUTED: &[&str] = &[
    "ffs",
    "ffsl",
    "ffsll",
    "free",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "memchr",
    "strchr",
    "strrchr",
    "index",
    "rindex",
    "strstr",
    "strpbrk",
    "strspn",
    "strcspn",
    "strcpy",
    "stpcpy",
    "strncpy",
    "stpncpy",
    "strcat",
    "strncat",
    "sqrt",
    "sqrtf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "round",
    "roundf",
    "rint",
    "nearbyint",
    "fmod",
    "fmin",
    "fmax",
    "copysign",
    "pow",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "atan",
    "cbrt",
    "hypot",
    "ldexp",
    "lround",
    "lrint",
    "fma",
    "fdim",
    "modf",
    "frexp",
    "sprintf",
    "snprintf",
];

/// May gcc compute a call of a function of this name itself, though the program defines one?
pub fn may_be_the_compilers(name: &str, arguments: &[tree::Expr]) -> bool {
    NEVER_CALLED.contains(&name) || COMPUTED.contains(&name) && arguments.iter().any(is_constant)
}

/// Is it made of literals alone?
fn is_constant(expr: &tree::Expr) -> bool {
    match &expr.kind {
        Tree::Integer(_) | Tree::Float(_) | Tree::String(_) => true,
        Tree::Cast { operand, .. }
        | Tree::Unary(_, operand)
        | Tree::Decay(operand)
        | Tree::AddressOf(operand) => is_constant(operand),
        Tree::Binary(_, one, two) | Tree::PointerAdd { pointer: one, index: two, .. } => {
            is_constant(one) && is_constant(two)
        }
        _ => false,
    }
}
