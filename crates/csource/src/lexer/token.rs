//! The tokens of C, with every spelling of a keyword that gcc takes mapped to one kind.

use base::{Interner, Symbol};

/// What a token is. Keywords with several spellings (`const`, `__const`, `__const__`) have one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// After the last token; there is exactly one.
    End,
    /// An identifier that is no keyword.
    Name,
    /// A preprocessing number: integer or floating literal.
    Number,
    /// `'a'` with its prefix.
    Character,
    /// `"a"` with its prefix, one piece.
    String,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Dot,
    Ellipsis,
    Arrow,
    PlusPlus,
    MinusMinus,
    Ampersand,
    Star,
    Plus,
    Minus,
    Tilde,
    Exclamation,
    Slash,
    Percent,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    ExclamationEqual,
    Caret,
    Bar,
    AndAnd,
    BarBar,
    Question,
    Colon,
    Semicolon,
    Comma,
    Equal,
    StarEqual,
    SlashEqual,
    PercentEqual,
    PlusEqual,
    MinusEqual,
    ShiftLeftEqual,
    ShiftRightEqual,
    AmpersandEqual,
    CaretEqual,
    BarEqual,
    // Statements.
    Break,
    Case,
    Continue,
    Default,
    Do,
    Else,
    For,
    Goto,
    If,
    Return,
    Switch,
    While,
    Asm,
    LocalLabel,
    // Storage classes and function specifiers.
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    ThreadLocal,
    Inline,
    Noreturn,
    // Qualifiers.
    Const,
    Volatile,
    Restrict,
    Atomic,
    // Type specifiers.
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Signed,
    Unsigned,
    Float,
    Double,
    Complex,
    Int128,
    UnsignedInt128,
    Float32,
    Float64,
    Float32x,
    Float64x,
    Float128,
    BitInt,
    VaList,
    AutoType,
    /// A type gcc has and we do not: `_Float16`, `_Decimal64`.
    UnsupportedType,
    Struct,
    Union,
    Enum,
    Typeof,
    Alignas,
    // Expressions.
    Sizeof,
    Alignof,
    Generic,
    Real,
    Imaginary,
    FunctionName,
    VaArg,
    Offsetof,
    TypesCompatible,
    ChooseExpr,
    /// A builtin that takes a type and that we do not have: `__builtin_convertvector`.
    UnsupportedBuiltin,
    // The rest.
    StaticAssert,
    Attribute,
    Declspec,
    Extension,
    Pragma,
}

use TokenKind as K;

/// Every spelling of every keyword.
const KEYWORDS: &[(&str, TokenKind)] = &[
    ("break", K::Break),
    ("case", K::Case),
    ("continue", K::Continue),
    ("default", K::Default),
    ("do", K::Do),
    ("else", K::Else),
    ("for", K::For),
    ("goto", K::Goto),
    ("if", K::If),
    ("return", K::Return),
    ("switch", K::Switch),
    ("while", K::While),
    ("asm", K::Asm),
    ("__asm", K::Asm),
    ("__asm__", K::Asm),
    ("__label__", K::LocalLabel),
    ("typedef", K::Typedef),
    ("extern", K::Extern),
    ("static", K::Static),
    ("auto", K::Auto),
    ("register", K::Register),
    ("_Thread_local", K::ThreadLocal),
    ("__thread", K::ThreadLocal),
    ("__CPROVER_thread_local", K::ThreadLocal),
    ("inline", K::Inline),
    ("__inline", K::Inline),
    ("__inline__", K::Inline),
    ("_Noreturn", K::Noreturn),
    ("const", K::Const),
    ("__const", K::Const),
    ("__const__", K::Const),
    ("volatile", K::Volatile),
    ("__volatile", K::Volatile),
    ("__volatile__", K::Volatile),
    ("restrict", K::Restrict),
    ("__restrict", K::Restrict),
    ("__restrict__", K::Restrict),
    ("_Atomic", K::Atomic),
    ("void", K::Void),
    ("_Bool", K::Bool),
    ("char", K::Char),
    ("short", K::Short),
    ("int", K::Int),
    ("long", K::Long),
    ("signed", K::Signed),
    ("__signed", K::Signed),
    ("__signed__", K::Signed),
    ("unsigned", K::Unsigned),
    ("float", K::Float),
    ("double", K::Double),
    ("_Complex", K::Complex),
    ("__complex", K::Complex),
    ("__complex__", K::Complex),
    ("__int128", K::Int128),
    ("__int128_t", K::Int128),
    ("__uint128_t", K::UnsignedInt128),
    ("_Float32", K::Float32),
    ("_Float64", K::Float64),
    ("_Float32x", K::Float32x),
    ("_Float64x", K::Float64x),
    ("__float80", K::Float64x),
    ("_Float128", K::Float128),
    ("__float128", K::Float128),
    ("_BitInt", K::BitInt),
    ("__builtin_va_list", K::VaList),
    ("__auto_type", K::AutoType),
    ("_Float16", K::UnsupportedType),
    ("__bf16", K::UnsupportedType),
    ("_Decimal32", K::UnsupportedType),
    ("_Decimal64", K::UnsupportedType),
    ("_Decimal128", K::UnsupportedType),
    ("_Sat", K::UnsupportedType),
    ("_Fract", K::UnsupportedType),
    ("_Accum", K::UnsupportedType),
    ("struct", K::Struct),
    ("union", K::Union),
    ("enum", K::Enum),
    ("typeof", K::Typeof),
    ("__typeof", K::Typeof),
    ("__typeof__", K::Typeof),
    ("_Alignas", K::Alignas),
    ("sizeof", K::Sizeof),
    ("_Alignof", K::Alignof),
    ("__alignof", K::Alignof),
    ("__alignof__", K::Alignof),
    ("_Generic", K::Generic),
    ("__real", K::Real),
    ("__real__", K::Real),
    ("__imag", K::Imaginary),
    ("__imag__", K::Imaginary),
    ("__func__", K::FunctionName),
    ("__FUNCTION__", K::FunctionName),
    ("__PRETTY_FUNCTION__", K::FunctionName),
    ("__builtin_va_arg", K::VaArg),
    ("__builtin_offsetof", K::Offsetof),
    ("__builtin_types_compatible_p", K::TypesCompatible),
    ("__builtin_choose_expr", K::ChooseExpr),
    ("__builtin_convertvector", K::UnsupportedBuiltin),
    ("__builtin_has_attribute", K::UnsupportedBuiltin),
    ("_Static_assert", K::StaticAssert),
    ("__attribute", K::Attribute),
    ("__attribute__", K::Attribute),
    ("__declspec", K::Declspec),
    ("__extension__", K::Extension),
    ("_Pragma", K::Pragma),
];

/// The keyword that a word is, if it is one.
pub(super) fn keyword(word: &str) -> Option<TokenKind> {
    KEYWORDS.iter().find(|(text, _)| *text == word).map(|(_, kind)| *kind)
}

impl TokenKind {
    /// Is it written like an identifier, so that it can name an attribute?
    pub fn is_word(self) -> bool {
        self == K::Name || self as u8 >= K::Break as u8
    }

    /// Can it only start a statement?
    pub fn starts_statement_only(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            Break | Case | Continue | Default | Do | Else | For | Goto | If | Return | Switch | While
        )
    }

    /// Is it a keyword that can stand among declaration specifiers (attributes and `__extension__` apart)?
    pub fn is_specifier(self) -> bool {
        self as u8 >= K::Typedef as u8 && self as u8 <= K::Alignas as u8
    }

    /// Is it a specifier that cannot stand behind a type's name, other than a qualifier?
    pub fn starts_another_type(self) -> bool {
        self.is_specifier() && !matches!(self, K::Const | K::Volatile | K::Restrict | K::Atomic)
    }

    /// Is it a keyword that names or starts a type?
    pub fn is_type(self) -> bool {
        self as u8 >= K::Void as u8 && self as u8 <= K::Typeof as u8
    }

    /// Is it a keyword that can stand among the specifiers of a type name?
    pub fn is_type_word(self) -> bool {
        self as u8 >= K::Const as u8 && self as u8 <= K::Alignas as u8
    }
}

/// One token; its text is that of its place.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What kind of token it is.
    pub kind: TokenKind,
    /// The name of a [`TokenKind::Name`] or keyword; arbitrary otherwise.
    pub symbol: Symbol,
    /// Position of the first byte, counted from the start of the text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Finds keywords by symbol.
pub(super) struct KeywordTable {
    /// By symbol index; `Name` where the symbol is no keyword.
    kinds: Vec<TokenKind>,
}

impl KeywordTable {
    /// Makes all keywords known to `names`. In a fresh session they get the first symbols, so the table is small.
    pub(super) fn new(names: &mut Interner) -> KeywordTable {
        let mut kinds = Vec::new();
        for &(text, kind) in KEYWORDS {
            let index = base::Id::index(names.intern(text));
            if kinds.len() <= index {
                kinds.resize(index + 1, TokenKind::Name);
            }
            kinds[index] = kind;
        }
        KeywordTable { kinds }
    }

    /// The kind of token a word is.
    pub(super) fn kind_of(&self, symbol: Symbol) -> TokenKind {
        self.kinds.get(base::Id::index(symbol)).copied().unwrap_or(TokenKind::Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_whatever_was_interned_before() {
        let mut names = Interner::default();
        let other = names.intern("other");
        names.intern("while");
        let table = KeywordTable::new(&mut names);
        assert_eq!(table.kind_of(other), TokenKind::Name);
        assert_eq!(table.kind_of(names.find("while").expect("interned")), TokenKind::While);
        assert_eq!(table.kind_of(names.find("__const").expect("interned")), TokenKind::Const);
    }

    #[test]
    fn groups_of_keywords_are_contiguous() {
        assert!(TokenKind::Alignas.is_type_word() && TokenKind::Const.is_type_word());
        assert!(TokenKind::Void.is_type() && TokenKind::Typeof.is_type() && !TokenKind::Const.is_type());
        assert!(!TokenKind::Static.is_type_word() && TokenKind::Static.is_specifier());
        assert!(!TokenKind::Sizeof.is_specifier() && !TokenKind::LocalLabel.is_specifier());
        assert!(TokenKind::Const.is_word() && !TokenKind::BarEqual.is_word());
    }
}
